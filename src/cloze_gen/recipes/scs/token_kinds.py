"""Kinds of tokens (closed classes by word, open ones by tag), and which kinds count as one."""

from __future__ import annotations

import functools
from enum import IntEnum

import numpy as np

from cloze_gen.english.penn_tags import ADVERBS
from cloze_gen.english.penn_tags import NOUNS as NOUN_TAGS
from cloze_gen.english.treebank import host

# The kind of a token for its neighbours. `UNPRINTED` marks are invisible to a reader.
Kind = IntEnum(
    "Kind",
    "END COMMA UNPRINTED AND OF INFINITIVE TO PLACE WAY WITH FOR AS PREPOSITION PARTICLE "
    "SUBORDINATE THAT RELATIVE QUESTION A THE POSSESSIVE PLURAL NUMBER SOME SUBJECT OBJECT "
    "REFLEXIVE PRONOUN THERE MODAL HAVE BE BASE FINITE ING PARTICIPLE NOUN NOUNS NAME ADJECTIVE "
    "COMPARED ADVERB DEGREE OTHER WHO",
    start=0,
)
N_KINDS = len(Kind)


def _kind_of_each(table: str) -> dict[str, Kind]:
    """The kind of each word of a table with lines ``KIND: word word``."""
    kind_of_word: dict[str, Kind] = {}
    for line in table.strip().splitlines():
        kind, _, words = line.strip().partition(": ")
        kind_of_word |= dict.fromkeys(words.split(), Kind[kind])
    return kind_of_word


_KIND_OF_TAG = _kind_of_each(
    """
    AND: CC
    PREPOSITION: IN
    INFINITIVE: TO
    PARTICLE: RP
    QUESTION: WRB WP WDT
    WHO: WP$
    POSSESSIVE: PRP$ POS
    NUMBER: CD
    SOME: DT PDT
    PRONOUN: PRP
    THERE: EX
    MODAL: MD
    BASE: VB
    FINITE: VBD VBP VBZ
    ING: VBG
    PARTICIPLE: VBN
    NOUN: NN
    NOUNS: NNS
    NAME: NNP NNPS
    ADJECTIVE: JJ
    COMPARED: JJR JJS
    ADVERB: RB
    DEGREE: RBR RBS
    UNPRINTED: `` '' -LRB- -RRB- NFP HYPH
    END: . :
    COMMA: ,
    """
)
_A = "A: a an another each every one either neither"
_PLURAL = "PLURAL: these those many several few both all"
# Words that have a kind of their own under a tag; other words have the kind of the tag.
_KIND_OF_WORD = {
    "DT": _kind_of_each(
        f"""
        {_A}
        THE: the this that
        {_PLURAL}
        """
    ),
    "PDT": _kind_of_each(_PLURAL),
    "JJ": _kind_of_each(_PLURAL),
    "CD": _kind_of_each(_A),
    "PRP": _kind_of_each(
        """
        SUBJECT: i he she we they thou ye
        OBJECT: me him us them thee
        """
    ),
    "WP": _kind_of_each("WHO: who whom whose"),
    "WDT": _kind_of_each("RELATIVE: which that"),
    "IN": _kind_of_each(
        """
        OF: of
        TO: to unto
        PLACE: in at on upon within under beneath beside above below behind near among amongst
        PLACE: amid between before after
        WAY: into onto through across over along toward towards past down up round around beyond
        WAY: from off out
        WITH: with by without
        FOR: for
        AS: as like than
        THAT: that
        SUBORDINATE: if because although though while whilst unless until till since lest
        SUBORDINATE: whether once ere so
        """
    ),
    "RB": _kind_of_each(
        """
        DEGREE: very so too quite rather as more most less least how pretty almost nearly
        DEGREE: extremely exceedingly
        """
    ),
}
_KIND_OF_VERB = _kind_of_each(
    """
    BE: be am is are was were been being art wert wast 's 'm 're
    HAVE: have has had having hath hast hadst 've
    MODAL: do does did dost doth didst 'll 'd
    """
)
_PARTICLES = frozenset(
    "up down out off away back over in on about along aside forward together home apart forth "
    "by through round".split()
)


@functools.lru_cache(maxsize=500_000)
def kind_of(token: str, tag: str) -> Kind:
    """The kind of a token under its Penn tag.

    >>> [kind_of(*pair.split("/")).name for pair in ("to/TO", "to/IN", "that/IN", "that/DT", "mother's/NN", "he'll/PRP", "lamp/NN")]
    ['INFINITIVE', 'TO', 'THAT', 'THE', 'POSSESSIVE', 'MODAL', 'NOUN']
    """
    word = token.casefold()
    if tag in NOUN_TAGS and word.endswith(("'s", "s'")):
        return Kind.POSSESSIVE
    if tag in {"PRP", "EX", "WP"} and "'" in word[1:]:
        return _KIND_OF_VERB.get(word[word.rindex("'") :], Kind.PRONOUN)
    if tag.startswith("VB"):
        return _KIND_OF_VERB.get(host(word), _KIND_OF_TAG[tag])
    if tag == "PRP" and word.endswith(("self", "selves")):
        return Kind.REFLEXIVE
    if tag in ADVERBS and word in _PARTICLES:
        return Kind.PARTICLE
    if word.startswith("-") or word in {"'", "_", "*"}:
        return Kind.UNPRINTED
    kind_of_word = _KIND_OF_WORD.get(tag, {})
    return kind_of_word.get(word, _KIND_OF_TAG.get(tag, Kind.OTHER))


ADVERBIAL = (Kind.ADVERB, Kind.DEGREE)
NOUNS = (Kind.NOUN, Kind.NOUNS, Kind.NAME, Kind.NUMBER)
DETERMINERS = (Kind.A, Kind.THE, Kind.POSSESSIVE, Kind.PLURAL, Kind.SOME)
ADJECTIVES = (Kind.ADJECTIVE, Kind.COMPARED)


def _merged(table: str) -> np.ndarray:
    """int64, shape (kinds,): the kind that stands for each kind, itself where the table, with lines
    ``KIND: MERGED MERGED``, does not merge it.
    """
    merged = np.arange(N_KINDS)
    for name, kind in _kind_of_each(table).items():
        merged[Kind[name]] = kind
    return merged


# Which kinds count as one. Around a verb: `GOVERNOR` is what governs it, `COMPLEMENT` ends its
# phrase or opens its object, `SECOND` follows the object. Around a noun: `OPENER` opens its phrase,
# `FOLLOWER` follows it.
COMPLEMENT = _merged(
    """
    END: COMMA AND SUBORDINATE RELATIVE WHO OTHER UNPRINTED
    FINITE: MODAL HAVE BE
    NOUN: NOUNS NAME NUMBER A THE POSSESSIVE PLURAL SOME
    OBJECT: PRONOUN
    THAT: SUBJECT THERE
    ADJECTIVE: COMPARED
    """
)
SECOND = _merged(
    """
    END: COMMA AND SUBORDINATE RELATIVE WHO OTHER UNPRINTED FINITE MODAL HAVE BE OF PLACE WITH
    END: FOR PREPOSITION QUESTION
    TO: WAY
    NOUN: NOUNS NAME NUMBER A THE POSSESSIVE PLURAL SOME OBJECT PRONOUN REFLEXIVE
    THAT: SUBJECT THERE
    ADJECTIVE: COMPARED
    """
)
GOVERNOR = _merged(
    """
    RELATIVE: WHO
    NOUN: NOUNS NAME NUMBER ADJECTIVE COMPARED
    PRONOUN: OBJECT REFLEXIVE
    END: COMMA AND OTHER UNPRINTED SUBORDINATE THAT QUESTION PARTICLE
    PLACE: OF TO WAY WITH FOR AS PREPOSITION
    THE: A POSSESSIVE PLURAL SOME
    FINITE: BASE ING PARTICIPLE
    """
)
GAP = (
    Kind.OBJECT
)  # in place of a governor: an object gap, as in *which he saw*, *all things he saw*
OPENER = _merged(
    """
    PLACE: OF TO WAY WITH FOR AS PREPOSITION
    FINITE: BASE ING PARTICIPLE HAVE MODAL
    END: COMMA AND SUBORDINATE RELATIVE OTHER UNPRINTED THAT QUESTION PARTICLE INFINITIVE OBJECT
    END: PRONOUN SUBJECT THERE REFLEXIVE
    """
)
FOLLOWER = _merged(
    """
    END: COMMA AND OTHER UNPRINTED SUBORDINATE
    FINITE: MODAL HAVE BE BASE
    THE: A POSSESSIVE PLURAL SOME NUMBER OBJECT REFLEXIVE
    SUBJECT: PRONOUN THERE
    NOUN: NOUNS NAME
    ADJECTIVE: COMPARED
    ADVERB: DEGREE
    PLACE: WITH PREPOSITION
    """
)
BEFORE_ADJECTIVE = _merged(
    """
    THE: A POSSESSIVE PLURAL SOME NUMBER
    FINITE: BASE ING PARTICIPLE MODAL
    NOUN: NOUNS NAME OBJECT PRONOUN REFLEXIVE
    PLACE: OF TO WAY WITH FOR AS PREPOSITION
    ADJECTIVE: COMPARED
    END: OTHER UNPRINTED SUBORDINATE RELATIVE WHO THAT QUESTION SUBJECT THERE PARTICLE
    """
)
AFTER_ADJECTIVE = _merged(
    """
    END: SUBORDINATE RELATIVE WHO OTHER UNPRINTED QUESTION
    FINITE: MODAL HAVE BE BASE PARTICIPLE
    THAT: SUBJECT PRONOUN THERE
    THE: A POSSESSIVE PLURAL SOME NUMBER OBJECT REFLEXIVE
    ADJECTIVE: COMPARED
    PLACE: PREPOSITION WITH
    """
)
NEAR_ADVERB = _merged(
    """
    THE: A POSSESSIVE PLURAL SOME NUMBER
    NOUN: NOUNS NAME
    OBJECT: REFLEXIVE
    SUBJECT: PRONOUN THERE
    MODAL: HAVE
    PLACE: OF TO WAY WITH FOR PREPOSITION
    SUBORDINATE: THAT RELATIVE WHO QUESTION
    END: OTHER UNPRINTED
    """
)
