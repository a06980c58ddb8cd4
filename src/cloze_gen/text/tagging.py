"""What a tagger is to the rest of the project: whole-word tokens in, Penn tags out, and how tags fold into classes.

A tagger trained on a treebank reads the treebank's tokens (``mother | 's``), the project keeps whole words (``mother's``): `treebank_split`
is the deterministic bridge, `host_index` says which part lends the whole word its tag.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

# Spellings of one mark that the treebank or a book may use; a tagger trained on the left-hand ones alone meets the others as unknown words.
_MARKS = {
    "``": '"', "''": '"', "“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "’’": '"', "‘‘": '"', "‘’": '"',
    "`": "'", "‘": "'", "’": "'", "´": "'",
    "—": "--", "–": "--", "---": "--", "----": "--", "―": "--", "…": "...",
}  # fmt: skip
_APOSTROPHES = str.maketrans("‘’`´ʼ", "'''''")
# Spelt with a hyphen in nineteenth-century books and never so in the treebank (0 of 204,577 words).
_MODERN = {"to-day": "today", "to-night": "tonight", "to-morrow": "tomorrow"}
# Written whole in the books, in three tokens in the treebank; its last part has the tag of the whole.
_HYPHENATED_NUMBER = re.compile(r"(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)-(?=[^\W\d_]+$)", re.IGNORECASE)
_ITALICS = re.compile(r"^_+(?=\w)|(?<=\w)_+$")


def normalize_for_tagging(word: str) -> str:
    """One spelling of quotes, apostrophes, dashes and a few old words, the same when training and when tagging.

    >>> [normalize_for_tagging(word) for word in ("“", "don’t", "—", "To-morrow", "_very_", "twenty-two")]
    ['"', "don't", '--', 'Tomorrow', 'very', 'two']
    """
    mark = _MARKS.get(word)
    if mark is not None:
        return mark
    word = word.translate(_APOSTROPHES)
    if "_" in word:
        word = _ITALICS.sub("", word) or word
    if "-" in word and word[0] in "tTfFsSeEnN":
        word = _HYPHENATED_NUMBER.sub("", word)
        modern = _MODERN.get(word.lower())
        if modern is not None:
            return modern.upper() if word.isupper() else modern.capitalize() if word[0] == "T" else modern
    return word


# Words the treebank cuts by no general rule, lower-cased, and where it cuts them, in characters.
_CONTRACTIONS = {
    "cannot": (3,), "gonna": (3,), "wanna": (3,), "gotta": (3,), "lemme": (3,), "gimme": (3,),
    "'tis": (2,), "'twas": (2,), "'twere": (2,), "'twill": (2,), "'twould": (2,), "'tisn't": (2, 4), "'twasn't": (2, 5), "'twon't": (2, 4),
    "d'ye": (2,), "d'you": (2,), "t'is": (2,), "t'was": (2,),
}  # fmt: skip
_NEGATION = re.compile(r"(?<=[^\W\d_])n't$", re.IGNORECASE)
_CLITIC = re.compile(r"(?<=[\w.])(?:'(?:s|m|d|ll|ve|re|st|rt|lt))$", re.IGNORECASE)  # the last three: thou'st, thou'rt, thou'lt
_PLURAL_POSSESSIVE = re.compile(r"(?<=[^\W\d_]s)'$", re.IGNORECASE)


def treebank_split(token: str) -> tuple[str, ...]:
    """A whole-word token cut as the treebank cuts it; the parts joined are `normalize_for_tagging(token)`.

    Hyphenated words stay whole: the treebank cuts them, training glues a share of them back (docs/tagger.md has the comparison).

    >>> [treebank_split(token) for token in ("mother's", "don't", "dogs'", "I'll", "well-bred", "--")]
    [('mother', "'s"), ('do', "n't"), ('dogs', "'"), ('I', "'ll"), ('well-bred',), ('--',)]
    >>> treebank_split("couldn't've"), treebank_split("'Tis"), treebank_split("o'clock"), treebank_split("'em")
    (('could', "n't", "'ve"), ("'T", 'is'), ("o'clock",), ("'em",))
    """
    word = normalize_for_tagging(token)
    cuts = _CONTRACTIONS.get(word.lower())
    if cuts is not None:
        bounds = (0, *cuts, len(word))
        return tuple(word[start:end] for start, end in pairwise(bounds))
    if "'" not in word:
        return (word,)
    match = _NEGATION.search(word) or _CLITIC.search(word) or _PLURAL_POSSESSIVE.search(word)
    if match is None or match.start() == 0:
        return (word,)
    return (*treebank_split(word[: match.start()]), match.group())


def host_index(parts: Sequence[str]) -> int:
    """Which part of a split token lends it its tag: the first, except in ``'t | is``.

    >>> host_index(("mother", "'s")), host_index(("'T", "was"))
    (0, 1)
    """
    return 1 if len(parts) > 1 and parts[0].lower() in ("'t", "t'") else 0


def is_compound(token: str) -> bool:
    """A hyphen between letters. A compound tagged ``VBN`` is given ``JJ``: the treebank tags the cut-off `handed` of `left-handed` so.

    >>> [is_compound(token) for token in ("left-handed", "--", "-")]
    [True, False, False]
    """
    return "-" in token[1:-1] and token[0].isalpha() and token[-1].isalpha()


@dataclass(frozen=True, slots=True)
class TaggedToken:
    """The tag of a whole word (its host's) and those of its other parts, in order: ``don't`` is ``VBP`` with ``("RB",)``."""

    tag: str
    clitics: tuple[str, ...] = ()


class Tagger(Protocol):
    """What the rest of the project asks of a tagger.

    One call is one book (or one batch of windows): the tags of a call depend on nothing else.
    """

    @property
    def identity(self) -> str:
        """Name and content of the model, for fingerprints."""
        ...

    def tag(self, sentences: Iterable[Sequence[str]]) -> Iterator[list[str]]:
        """One Penn tag for each token of each sentence."""
        ...

    def tag_with_clitics(self, sentences: Iterable[Sequence[str]]) -> Iterator[list[TaggedToken]]:
        """As `tag`, with the tags of the clitics beside."""
        ...


_CLASSES = {
    "noun": ("NN", "NNS"),
    "proper_noun": ("NNP", "NNPS"),
    "verb": ("VB", "VBD", "VBG", "VBN", "VBP", "VBZ"),
    "adjective": ("JJ", "JJR", "JJS"),
    "adverb": ("RB", "RBR", "RBS"),
    "number": ("CD",),
    "function": ("CC", "DT", "EX", "IN", "MD", "PDT", "POS", "PRP", "PRP$", "RP", "TO", "WDT", "WP", "WP$", "WRB"),
    "interjection": ("UH",),
    "punctuation": (".", ",", ":", "``", "''", "-LRB-", "-RRB-", "HYPH", "NFP", "$", "SYM", "#", "(", ")"),
}
_CLASS_OF_TAG = {tag: name for name, tags in _CLASSES.items() for tag in tags}


def coarse_class(penn_tag: str) -> str:
    """The class of a Penn tag: one of noun, proper_noun, verb, adjective, adverb, number, function, interjection, punctuation, other.

    ``be``, ``have`` and ``do`` are verbs here; who wants content verbs only must look at the lemma.

    >>> [coarse_class(tag) for tag in ("NNS", "VBD", "WRB", "FW")]
    ['noun', 'verb', 'function', 'other']
    """
    return _CLASS_OF_TAG.get(penn_tag, "other")
