"""English words as a treebank cuts and spells them.

A tagger trained on a treebank reads the treebank's tokens (``mother | 's``), the project keeps whole words (``mother's``): `treebank_split`
is the deterministic bridge, `host_index` says which part lends the whole word its tag.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from itertools import pairwise

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
_REMEMBERED = 1 << 17  # tokens a process remembers the cut of: a book has some 10,000 types, and asks of each a hundred times
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
_MOST_CLITICS = 8  # of a word; English has four at most ("y'all'd've"), a line of noise a thousand
_PLURAL_POSSESSIVE = re.compile(r"(?<=[^\W\d_]s)'$", re.IGNORECASE)


@functools.lru_cache(maxsize=_REMEMBERED)
def treebank_split(token: str) -> tuple[str, ...]:
    """A whole-word token cut as the treebank cuts it; the parts joined are `normalize_for_tagging(token)`.

    Hyphenated words stay whole: the treebank cuts them, training glues a share of them back (docs/tagger.md has the comparison).

    >>> [treebank_split(token) for token in ("mother's", "don't", "dogs'", "I'll", "well-bred", "--")]
    [('mother', "'s"), ('do', "n't"), ('dogs', "'"), ('I', "'ll"), ('well-bred',), ('--',)]
    >>> treebank_split("couldn't've"), treebank_split("'Tis"), treebank_split("o'clock"), treebank_split("'em")
    (('could', "n't", "'ve"), ("'T", 'is'), ("o'clock",), ("'em",))
    """
    return _cut(token, spelt=normalize_for_tagging)


@functools.lru_cache(maxsize=_REMEMBERED)
def clitics_cut(token: str) -> tuple[str, ...]:
    """A whole-word token cut as the treebank cuts it, spelt as the book spells it; the parts joined are the token.

    >>> clitics_cut("To-day's"), clitics_cut("couldn't've"), clitics_cut("Cannot"), clitics_cut("twenty-two")
    (('To-day', "'s"), ('could', "n't", "'ve"), ('Can', 'not'), ('twenty-two',))
    """
    return _cut(token, spelt=str)


def _cut(word: str, *, spelt: Callable[[str], str]) -> tuple[str, ...]:
    """The parts of a word: clitics off its end, the rest as the treebank cuts it by no rule; `spelt` is asked after each cut."""
    word = spelt(word)
    clitics: list[str] = []
    while len(clitics) < _MOST_CLITICS and (at := _last_cut(word)):
        clitics.append(word[at:])
        word = spelt(word[:at])
    return (*_contraction(word), *reversed(clitics))


def _last_cut(word: str) -> int:
    """Where the last clitic of a word begins, in characters; 0 where it has none, or none that a general rule cuts off."""
    if "'" not in word or word.lower() in _CONTRACTIONS:
        return 0
    match = _NEGATION.search(word) or _CLITIC.search(word) or _PLURAL_POSSESSIVE.search(word)
    return match.start() if match else 0


def _contraction(word: str) -> tuple[str, ...]:
    bounds = (0, *_CONTRACTIONS.get(word.lower(), ()), len(word))
    return tuple(word[start:end] for start, end in pairwise(bounds))


def host_index(parts: Sequence[str]) -> int:
    """Which part of a split token lends it its tag: the first, except in ``'t | is``.

    >>> host_index(("mother", "'s")), host_index(("'T", "was"))
    (0, 1)
    """
    return 1 if len(parts) > 1 and parts[0].lower() in ("'t", "t'") else 0


@functools.lru_cache(maxsize=_REMEMBERED)
def host(token: str) -> str:
    """The part of a whole word that has its tag and its lemma; its clitics are left aside.

    >>> host("mother's"), host("'Twas"), host("to-morrow")
    ('mother', 'was', 'tomorrow')
    """
    parts = treebank_split(token)
    return parts[host_index(parts)]


def is_compound(token: str) -> bool:
    """A hyphen between letters. A compound tagged ``VBN`` is given ``JJ``: the treebank tags the cut-off `handed` of `left-handed` so.

    >>> [is_compound(token) for token in ("left-handed", "--", "-")]
    [True, False, False]
    """
    return "-" in token[1:-1] and token[0].isalpha() and token[-1].isalpha()


_NEGATED = frozenset(
    f"{verb}n't" for verb in "do does did ca could wo would sha should is are was were have has had need must might may ought dare".split()
)
_SHORTENED = re.compile(r"(?:i|you|he|she|it|we|they|who|what|that|there|this)'(?:ll|ve|re|d|m)", re.IGNORECASE)
_POSSESSIVE = re.compile(r"[^\W_]+(?:-[^\W_]+)*'s(?:-[^\W_]+)*", re.IGNORECASE)  # `it's` is spelt as one; and `bull's-eye`
_NAME = re.compile(r"[A-Z][a-z]?'[A-Z][a-z]+(?:'s)?")  # O'Brien, D'Arcy
_PLURAL_CHARS = 4  # of the shortest plural whose possessive is told from a clipped word (`las'`, `mos'`, `jes'`)


def is_clipped(word: str, *, is_word: bool) -> bool:
    """Whether an apostrophe stands for letters that are spelt out elsewhere: dialect, verse, and `o'clock`.

    Possessives, and the contractions that grammars list, are whole words.

    Args:
        is_word: whether it is a word without its last letter or mark too: `ladies'` is possessive and `fores'` clipped.

    >>> words = "mother's don't it'll ladies' mornin' th' o'clock reg'lar 'tis ain't".split()
    >>> [word for word in words if is_clipped(word, is_word=word == "ladies'")]
    ["mornin'", "th'", "o'clock", "reg'lar", "'tis", "ain't"]
    """
    if "'" not in word:
        return False
    host = word[:-1]
    if host.endswith("s") and word[-1] == "'" and "'" not in host:
        return len(host) < _PLURAL_CHARS or not is_word
    whole = word.casefold() in _NEGATED or any(shape.fullmatch(word) for shape in (_SHORTENED, _POSSESSIVE, _NAME))
    return not whole
