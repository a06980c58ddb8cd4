"""Predicates that reject sentences unfit for a question, each with its own reason."""

from __future__ import annotations

from collections.abc import Container, Sequence
from itertools import pairwise

from cloze_gen.english.penn_tags import FINITE
from cloze_gen.english.word_lists import QUOTATION_MARKS, TITLES
from cloze_gen.records.rejection import Reason
from cloze_gen.word_tokens import is_word

_PAUSES = frozenset({",", ":", ";", "--", "!", "?", "-"})


def reports_speech(tokens: Sequence[str], position: int) -> bool:
    """Whether a quotation mark is directly before or after a verb, pauses skipped.

    >>> reports_speech('" Yes , " cried the men .'.split(), 4), reports_speech("He cried aloud .".split(), 1)
    (True, False)
    >>> reports_speech('She smiled and replied , " No . "'.split(), 3)
    True
    """
    before = position - 1
    while before >= 0 and tokens[before] in _PAUSES:
        before -= 1
    after = position + 1
    while after < len(tokens) and tokens[after] in _PAUSES:
        after += 1
    return (before >= 0 and tokens[before] in QUOTATION_MARKS) or (
        after < len(tokens) and tokens[after] in QUOTATION_MARKS
    )


# A sentence that ends in one of these was cut at an abbreviation: "... , Dr ." Titles, and
# abbreviations that come before a name, a number or another word. The sentence splitter decides most
# of the latter by the next word; here there is none.
_CUT_AT = frozenset(title.casefold() for title in TITLES) | frozenset(
    "st esq jr sr vol chap no fig lat viz etc ed hist ib ibid cf pp".split()
)
# Words that show an incomplete sentence when they come directly before its final stop.
_HANGING = frozenset(
    "the a an and or but nor of to for with by from as than that which who whose my your his "
    "its our their if because".split()
)
HEADING_WORDS = frozenset(
    "chapter book volume canto act scene contents illustration footnote appendix preface "
    "etext gutenberg ebook".split()
)
# Above these shares of words in capitals, and of capitalised words after the first, a line is a
# heading or a list of names.
MAX_CAPITALS_SHARE = 0.3
_MAX_CAPITALISED_SHARE = 0.5
ODD_MARKS = frozenset("*_|<>=@#\\/~^+")  # of typists, tables and formulas
_WH_TAGS = frozenset({"WDT", "WP", "WP$", "WRB"})
_SUBORDINATORS = frozenset(
    "because though although if unless while whilst since until till lest whether that".split()
)
_MAX_QUOTES = 4  # more marks than two quotations have: an exchange of speeches that was not split
_DASHES = frozenset({"--", "-", "---", "----", "\u2014", "\u2013"})
_BRACKETS = (("(", ")"), ("[", "]"), ("{", "}"))
# Verbs of attribution. At the start of a sentence they mark the second half of a split dialogue: '," said he'
# without its first half.
SPEECH_VERBS = frozenset(
    "said asked cried replied answered returned exclaimed whispered murmured muttered "
    "remarked observed continued".split()
)


class SentenceFault(Reason):
    BEGINS_LOW = ("sentence_begins_without_capital", "it does not begin with a capital letter")
    HALF_DIALOGUE = ("sentence_has_partial_dialogue", "it contains only a part of a dialogue")
    OPEN_BRACKET = ("sentence_bracket_unbalanced", "a bracket is not opened or not closed")
    CUT_AT_ABBREVIATION = ("sentence_cut_at_abbreviation", "it was split after an abbreviation")
    HANGING = ("sentence_incomplete", "it ends with a word that needs a continuation")
    HEADING = ("sentence_looks_like_heading", "it looks like a heading")
    CAPITALS = ("sentence_mostly_capitals", "most of its letters are capitals")
    BROKEN_OFF = ("sentence_broken_off", "it breaks off")
    RUNS_ON = ("sentence_missing_dash", "a dash between two clauses was lost")
    ODD_MARKS = ("sentence_odd_marks", "its punctuation is unusual")
    OFFENSIVE = ("sentence_offensive", "it contains a listed offensive word")
    NO_MAIN_CLAUSE = ("sentence_without_main_clause", "it has no main clause")


def sentence_fault(
    tokens: Sequence[str], *, printed: Sequence[int], offensive: Container[str]
) -> SentenceFault | None:
    """The first fault of a sentence by its own tokens; `printed` is `rendered_positions(tokens)`.

    >>> sentence_fault("He was seen by the old Dr .".split(), printed=range(8), offensive=())
    <SentenceFault.CUT_AT_ABBREVIATION: 'sentence_cut_at_abbreviation'>
    >>> sentence_fault("He was seen by the old doctor .".split(), printed=range(8), offensive=()) is None
    True
    """
    words = [tokens[i] for i in printed if is_word(tokens[i])]
    if (
        not words
        or not (words[0][:1].isupper() or words[0][:1].isdigit())
        or tokens[printed[0]] != words[0]
    ):
        return SentenceFault.BEGINS_LOW
    for fault, holds in (
        (SentenceFault.HALF_DIALOGUE, _half_dialogue(tokens)),
        (SentenceFault.OPEN_BRACKET, any(tokens.count(a) != tokens.count(b) for a, b in _BRACKETS)),
        (
            SentenceFault.CUT_AT_ABBREVIATION,
            words[-1].rstrip(".").casefold() in _CUT_AT or _initial(words[-1]),
        ),
        (SentenceFault.HANGING, words[-1].casefold() in _HANGING),
        (
            SentenceFault.HEADING,
            any(word.casefold() in HEADING_WORDS and not word.islower() for word in words),
        ),
        (SentenceFault.CAPITALS, _mostly_capitals(words)),
        (SentenceFault.BROKEN_OFF, _broken_off(tokens)),
        (SentenceFault.RUNS_ON, _runs_on(tokens, printed)),
        (SentenceFault.ODD_MARKS, any(mark in tokens[i] for i in printed for mark in ODD_MARKS)),
        (SentenceFault.OFFENSIVE, any(word.casefold() in offensive for word in words)),
    ):
        if holds:
            return fault
    return None


def lacks_main_clause(tokens: Sequence[str], tags: Sequence[str]) -> bool:
    """Whether a sentence has no more finite verbs than subordinators; errs towards fragments.

    >>> lacks_main_clause("Because I made a blunder .".split(), ["IN", "PRP", "VBD", "DT", "NN", "."])
    True
    >>> lacks_main_clause("I came because he fell .".split(), ["PRP", "VBD", "IN", "PRP", "VBD", "."])
    False
    """
    finite = sum(tag in FINITE for tag in tags)
    openers = sum(
        tag in _WH_TAGS
        or (tag == "IN" and token.casefold() in _SUBORDINATORS)
        or (token == "for" and i > 0 and tokens[i - 1] == ",")
        for i, (token, tag) in enumerate(zip(tokens, tags, strict=True))
    )
    return finite <= openers


def _half_dialogue(tokens: Sequence[str]) -> bool:
    """An attribution without its speech, a speech without its end, or several speeches."""
    if (
        len(tokens) > 1
        and tokens[0].casefold() in SPEECH_VERBS
        and tokens[0][:1].isupper()
        and tokens[1] in {"he", "she", "I", "they"}
    ):
        return True
    ends_quoted = len(tokens) > 2 and tokens[-2] == '"' and tokens[-3] in {",", ";", ":"}
    return ends_quoted or tokens.count('"') > _MAX_QUOTES


def _initial(word: str) -> bool:
    return len(word) == 2 and word[0].isupper() and word[1] == "."


def _mostly_capitals(words: Sequence[str]) -> bool:
    shouted = sum(len(word) > 1 and word.isupper() for word in words)
    capitalised = sum(word[:1].isupper() and word != "I" for word in words[1:])
    return shouted > MAX_CAPITALS_SHARE * len(words) or capitalised > _MAX_CAPITALISED_SHARE * max(
        1, len(words) - 1
    )


def _broken_off(tokens: Sequence[str]) -> bool:
    """Speech broken off by a dash before the final mark, or a final ellipsis."""
    words_end = max(i for i, token in enumerate(tokens) if is_word(token))
    return any(token.startswith(("--", "..", "\u2014")) for token in tokens[words_end:])


def _runs_on(tokens: Sequence[str], printed: Sequence[int]) -> bool:
    """An unprinted dash between words: "no wound -- only blood" reads "no wound only blood"."""
    return any(
        is_word(tokens[left])
        and is_word(tokens[right])
        and any(token in _DASHES for token in tokens[left + 1 : right])
        for left, right in pairwise(printed)
    )
