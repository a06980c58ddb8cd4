"""Whole-word tokens (``mother's``) to treebank tokens (``mother | 's``) for tagging."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from itertools import pairwise

# Variants of marks in the treebank and in books; a tagger must not meet them as unknown words.
_MARKS = {
    "``": '"', "''": '"', "“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "’’": '"', "‘‘": '"',
    "‘’": '"',
    "`": "'", "‘": "'", "’": "'", "´": "'",
    "—": "--", "–": "--", "---": "--", "----": "--", "―": "--", "…": "...",
}  # fmt: skip
_APOSTROPHES = str.maketrans("‘’`´ʼ", "'''''")
# Hyphenated in nineteenth-century books, never in the treebank (0 of 204,577 words).
_MODERN = {"to-day": "today", "to-night": "tonight", "to-morrow": "tomorrow"}
# One token in the books, three in the treebank; the last part has the tag of the whole.
_HYPHENATED_NUMBER = re.compile(
    r"(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)-(?=[^\W\d_]+$)", re.IGNORECASE
)
# cached tokens: a book has some 10,000 types, each used about a hundred times
_REMEMBERED = 1 << 17
_ITALICS = re.compile(r"^_+(?=\w)|(?<=\w)_+$")


def normalize_for_tagging(word: str) -> str:
    """One spelling of quotes, apostrophes, dashes and a few old words, in training and in tagging.

    >>> [normalize_for_tagging(word) for word in ("“", "don’t", "—", "To-morrow", "_very_", "twenty-two")]
    ['"', "don't", '--', 'Tomorrow', 'very', 'two']
    """
    mark = _MARKS.get(word)
    if mark is not None:
        return mark
    word = word.translate(_APOSTROPHES)
    if "_" in word:
        word = _ITALICS.sub("", word) or word
    if "-" in word:
        word = _HYPHENATED_NUMBER.sub("", word)
    modern = _MODERN.get(word.lower())
    if modern is None:
        return word
    if word.isupper():
        return modern.upper()
    return modern.capitalize() if word[0] == "T" else modern


# Words without a general rule, lower-cased, and where the treebank cuts them, in characters.
_CONTRACTIONS = {
    "cannot": (3,), "gonna": (3,), "wanna": (3,), "gotta": (3,), "lemme": (3,), "gimme": (3,),
    "'tis": (2,), "'twas": (2,), "'twere": (2,), "'twill": (2,), "'twould": (2,), "'tisn't": (2, 4),
    "'twasn't": (2, 5), "'twon't": (2, 4),
    "d'ye": (2,), "d'you": (2,), "t'is": (2,), "t'was": (2,),
}  # fmt: skip
_NEGATION = re.compile(r"(?<=[^\W\d_])n't$", re.IGNORECASE)
# the last three: thou'st, thou'rt, thou'lt
_CLITIC = re.compile(r"(?<=[\w.])(?:'(?:s|m|d|ll|ve|re|st|rt|lt))$", re.IGNORECASE)
_MOST_CLITICS = 8  # of a word; English has four at most ("y'all'd've"), a line of noise a thousand
_PLURAL_POSSESSIVE = re.compile(r"(?<=[^\W\d_]s)'$", re.IGNORECASE)


@functools.lru_cache(maxsize=_REMEMBERED)
def treebank_split(token: str) -> tuple[str, ...]:
    """A token cut as in the treebank; joined parts are `normalize_for_tagging(token)`.

    >>> [treebank_split(token) for token in ("mother's", "don't", "dogs'", "I'll", "well-bred", "--")]
    [('mother', "'s"), ('do', "n't"), ('dogs', "'"), ('I', "'ll"), ('well-bred',), ('--',)]
    >>> treebank_split("couldn't've"), treebank_split("'Tis"), treebank_split("o'clock"), treebank_split("'em")
    (('could', "n't", "'ve"), ("'T", 'is'), ("o'clock",), ("'em",))
    """
    return _cut(token, spelt=normalize_for_tagging)


@functools.lru_cache(maxsize=_REMEMBERED)
def clitics_cut(token: str) -> tuple[str, ...]:
    """A token cut as in the treebank, in the book's spelling; the parts joined are the token.

    >>> clitics_cut("To-day's"), clitics_cut("couldn't've"), clitics_cut("Cannot"), clitics_cut("twenty-two")
    (('To-day', "'s"), ('could', "n't", "'ve"), ('Can', 'not'), ('twenty-two',))
    """
    return _cut(token, spelt=str)


def _cut(word: str, *, spelt: Callable[[str], str]) -> tuple[str, ...]:
    """Cut off clitics, then cut by the treebank's list; `spelt` maps each rest."""
    word = spelt(word)
    clitics: list[str] = []
    while len(clitics) < _MOST_CLITICS and (at := _last_cut(word)):
        clitics.append(word[at:])
        word = spelt(word[:at])
    return (*_contraction(word), *reversed(clitics))


def _last_cut(word: str) -> int:
    if "'" not in word or word.lower() in _CONTRACTIONS:
        return 0
    match = _NEGATION.search(word) or _CLITIC.search(word) or _PLURAL_POSSESSIVE.search(word)
    return match.start() if match else 0


def _contraction(word: str) -> tuple[str, ...]:
    bounds = (0, *_CONTRACTIONS.get(word.lower(), ()), len(word))
    return tuple(word[start:end] for start, end in pairwise(bounds))


def host_index(parts: Sequence[str]) -> int:
    """The part of a split token that gives it its tag: the first, except in ``'t | is``.

    >>> host_index(("mother", "'s")), host_index(("'T", "was"))
    (0, 1)
    """
    return 1 if len(parts) > 1 and parts[0].lower() in ("'t", "t'") else 0


@functools.lru_cache(maxsize=_REMEMBERED)
def host(token: str) -> str:
    """The part of a whole word that has its tag and lemma, without clitics.

    >>> host("mother's"), host("'Twas"), host("to-morrow")
    ('mother', 'was', 'tomorrow')
    """
    parts = treebank_split(token)
    return parts[host_index(parts)]


def is_compound(token: str) -> bool:
    """Whether a hyphen joins letters. Such a word is ``JJ`` where the treebank has ``VBN``.

    >>> [is_compound(token) for token in ("left-handed", "--", "-")]
    [True, False, False]
    """
    return "-" in token[1:-1] and token[0].isalpha() and token[-1].isalpha()


_NEGATED = frozenset(
    f"{verb}n't"
    for verb in "do does did ca could wo would sha should is are was were have has had need "
    "must might may ought dare".split()
)
_SHORTENED = re.compile(
    r"(?:i|you|he|she|it|we|they|who|what|that|there|this)'(?:ll|ve|re|d|m)", re.IGNORECASE
)
# `it's` is spelt as one; and `bull's-eye`
_POSSESSIVE = re.compile(r"[^\W_]+(?:-[^\W_]+)*'s(?:-[^\W_]+)*", re.IGNORECASE)
_NAME = re.compile(r"[A-Z][a-z]?'[A-Z][a-z]+(?:'s)?")  # O'Brien, D'Arcy
# of the shortest plural possessive; shorter words are clipped (`las'`, `mos'`, `jes'`)
_PLURAL_CHARS = 4


def is_clipped(word: str, *, is_word: bool) -> bool:
    """Whether an apostrophe replaces letters, contractions excepted. `is_word`: the rest is a word
    (possessive `ladies'`, but clipped `fores'`).

    >>> words = "mother's don't it'll ladies' mornin' th' o'clock reg'lar 'tis ain't".split()
    >>> [word for word in words if is_clipped(word, is_word=word == "ladies'")]
    ["mornin'", "th'", "o'clock", "reg'lar", "'tis", "ain't"]
    """
    if "'" not in word:
        return False
    host = word[:-1]
    if host.endswith("s") and word[-1] == "'" and "'" not in host:
        return len(host) < _PLURAL_CHARS or not is_word
    whole = word.casefold() in _NEGATED or any(
        shape.fullmatch(word) for shape in (_SHORTENED, _POSSESSIVE, _NAME)
    )
    return not whole
