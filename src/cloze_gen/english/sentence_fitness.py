"""Which sentences are whole, and which can be printed alone; each fault has its own reason."""

from __future__ import annotations

import functools
import re
from collections.abc import Container, Sequence
from itertools import pairwise

from cloze_gen.english.penn_tags import FINITE
from cloze_gen.english.word_lists import DASHES, FINAL_MARKS, FOLDED_TITLES, QUOTATION_MARKS
from cloze_gen.records.rejection import Reason, first_reason
from cloze_gen.records.sentence import Sentence
from cloze_gen.word_tokens import is_word

_PAUSES = frozenset({",", ":", ";", "--", "!", "?", "-"})


def reports_speech(tokens: Sequence[str], position: int) -> bool:
    """Whether a quotation mark is directly before or after a verb, pauses skipped.

    >>> reports_speech('" Yes , " cried the men .'.split(), 4), reports_speech("He cried aloud .".split(), 1)
    (True, False)
    >>> reports_speech('She smiled and replied , " No . "'.split(), 3)
    True
    """
    before = [token for token in tokens[:position] if token not in _PAUSES]
    after = [token for token in tokens[position + 1 :] if token not in _PAUSES]
    return not QUOTATION_MARKS.isdisjoint([*before[-1:], *after[:1]])


# No sentence ends with one of these: it was cut at the stop of an abbreviation.
_NEVER_LAST = FOLDED_TITLES | {"vol", "viz"}
# Nor with one of these.
_HANGING = frozenset("the a an and or but nor than if because my our your their".split())
_HEADING_WORDS = frozenset(
    "chapter book volume canto act scene contents illustration footnote appendix preface".split()
)
_BOILERPLATE_WORDS = frozenset("etext gutenberg ebook".split())
_NUMERAL = re.compile(r"(?:[IVXLCDM]+|\d+)\.?")
_MAX_CAPITALS_SHARE = 0.3  # of words in capitals: above, a line is a heading
_MAX_CAPITALISED_SHARE = 0.5  # of capitalised words after the first: above, a list of names
# Marks of typists, tables and formulas; square and curly brackets are an editor's.
_ODD_MARKS = frozenset("*_|<>=@#\\/~^+[]{}")
_LETTER_WORDS = frozenset("ao")
_WH_TAGS = frozenset({"WDT", "WP", "WP$", "WRB"})
_SUBORDINATORS = frozenset(
    "because though although if unless while whilst since until till lest whether that".split()
)
_MAX_QUOTES = 4  # more marks than two quotations have: an exchange of speeches that was not split
# Verbs of attribution. At the start of a sentence they mark the second half of a split dialogue: '," said he'
# without its first half.
SPEECH_VERBS = frozenset(
    "said asked cried replied answered returned exclaimed whispered murmured muttered "
    "remarked observed continued".split()
)


class SentenceFault(Reason):
    NOT_PROSE = ("sentence_not_prose", "the sentence is verse, a heading or not text")
    NOT_ASCII = ("sentence_not_ascii", "the sentence has characters outside ASCII")
    NO_FINAL_STOP = ("sentence_without_final_stop", "the sentence does not end with a final mark")
    BEGINS_LOW = ("sentence_begins_without_capital", "it does not begin with a capital letter")
    OPEN_BRACKET = ("sentence_bracket_unbalanced", "a bracket is not opened or not closed")
    CUT_AT_ABBREVIATION = ("sentence_cut_at_abbreviation", "it was split after an abbreviation")
    INCOMPLETE = ("sentence_incomplete", "it has no end, or ends with a word such as 'the'")
    HEADING = ("sentence_looks_like_heading", "it looks like a heading or a list of names")
    CAPITALS = ("sentence_mostly_capitals", "many of its words are in capitals")
    ODD_MARKS = ("sentence_odd_marks", "it has an unusual mark or a stray letter")
    HALF_DIALOGUE = ("sentence_has_partial_dialogue", "it contains only a part of a dialogue")
    BROKEN_OFF = ("sentence_broken_off", "it breaks off")
    RUNS_ON = ("sentence_missing_dash", "a dash between two clauses was lost")
    OFFENSIVE = ("sentence_offensive", "it contains a listed offensive word")
    NO_MAIN_CLAUSE = ("sentence_without_main_clause", "it has no main clause")


def shape_fault(sentence: Sentence, *, printed: Sequence[int]) -> SentenceFault | None:
    """Why a sentence of a book cannot be a question, whatever its words. `printed` is
    `rendered_positions(sentence.tokens)`.
    """
    final = sentence.tokens[printed[-1]] if printed else ""
    against = {
        SentenceFault.NOT_PROSE: sentence.kind != "prose",
        SentenceFault.NOT_ASCII: not all(token.isascii() for token in sentence.tokens),
        SentenceFault.NO_FINAL_STOP: final not in FINAL_MARKS,
    }
    return first_reason(against)


def sentence_fault(tokens: Sequence[str]) -> SentenceFault | None:
    """Why tokens are not one whole sentence: split wrongly, a heading, odd marks; the first reason.

    >>> sentence_fault("He was seen by the old Dr .".split())
    <SentenceFault.CUT_AT_ABBREVIATION: 'sentence_cut_at_abbreviation'>
    >>> sentence_fault('" I was seen by the old doctor -- "'.split()) is None
    True
    """
    words = [i for i, token in enumerate(tokens) if is_word(token)]
    if not words or not _begins_sentence(tokens[words[0]]):
        return SentenceFault.BEGINS_LOW
    if tokens.count("(") != tokens.count(")"):
        return SentenceFault.OPEN_BRACKET
    first = words[0]
    last = words[-1]
    fault = _fault_of_end(tokens[last], tokens[last + 1] if last + 1 < len(tokens) else "")
    if fault is not None:
        return fault
    if last > first and _begins_heading(tokens[first], tokens[first + 1]):
        return SentenceFault.HEADING
    if faults := list(filter(None, map(_fault_of_token, tokens))):
        return faults[0]
    if sum(map(_is_shouted, tokens)) > _MAX_CAPITALS_SHARE * len(words):
        return SentenceFault.CAPITALS
    return None


def printed_fault(
    tokens: Sequence[str], *, printed: Sequence[int], offensive: Container[str]
) -> SentenceFault | None:
    """Why a sentence cannot be printed alone, without quotation marks and dashes; the first reason.
    `printed` is `rendered_positions(tokens)`.

    >>> printed_fault("He had no wound -- only blood .".split(), printed=[0, 1, 2, 3, 5, 6, 7], offensive=())
    <SentenceFault.RUNS_ON: 'sentence_missing_dash'>
    """
    fault = sentence_fault(tokens)
    if fault is not None:
        return fault
    words = [tokens[i] for i in printed if is_word(tokens[i])]
    if _half_dialogue(tokens):
        return SentenceFault.HALF_DIALOGUE
    if _lists_names(words):
        return SentenceFault.HEADING
    if _broken_off(tokens):
        return SentenceFault.BROKEN_OFF
    if _runs_on(tokens, printed):
        return SentenceFault.RUNS_ON
    if any(word.casefold() in offensive for word in words):
        return SentenceFault.OFFENSIVE
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


def _begins_sentence(word: str) -> bool:
    first = word.lstrip("'")[:1]
    return first.isupper() or first.isdigit()


def _fault_of_end(word: str, mark: str) -> SentenceFault | None:
    """The fault of a sentence by its last word and the mark behind it, empty without one."""
    if mark and mark not in FINAL_MARKS:
        return None  # speech may break off after any word
    is_initial = not mark and len(word) == 2 and word[0].isupper() and word[1] == "."
    if is_initial or word.rstrip(".").casefold() in _NEVER_LAST:
        return SentenceFault.CUT_AT_ABBREVIATION
    is_complete = word not in _HANGING if mark else word.endswith(".")
    return None if is_complete else SentenceFault.INCOMPLETE


def _begins_heading(first: str, second: str) -> bool:
    """Whether a sentence begins ``Chapter IV``, ``Book 2`` or ``3 .``"""
    if _NUMERAL.fullmatch(first):
        return second == "."
    return first.casefold() in _HEADING_WORDS and bool(_NUMERAL.fullmatch(second))


@functools.lru_cache(maxsize=200_000)
def _fault_of_token(token: str) -> SentenceFault | None:
    """A word of a heading or of a licence, an odd mark, or a stray lower-case letter: of a lost
    accented letter (``Ram n``), or of a reference. Cached, for types recur.
    """
    folded = token.casefold()
    if token.isupper() and folded in _HEADING_WORDS:
        return SentenceFault.HEADING
    if not token.islower() and folded in _BOILERPLATE_WORDS:
        return SentenceFault.HEADING
    if len(token) == 1 and token.isascii() and token.islower() and token not in _LETTER_WORDS:
        return SentenceFault.ODD_MARKS
    return None if _ODD_MARKS.isdisjoint(token) else SentenceFault.ODD_MARKS


@functools.lru_cache(maxsize=200_000)
def _is_shouted(word: str) -> bool:
    return len(word) > 1 and word.isupper() and word.replace("-", "").isalpha()


def _lists_names(words: Sequence[str]) -> bool:
    capitalised = sum(word[:1].isupper() and word != "I" for word in words[1:])
    return capitalised > _MAX_CAPITALISED_SHARE * max(1, len(words) - 1)


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


def _broken_off(tokens: Sequence[str]) -> bool:
    """Speech broken off by a dash before the final mark, or a final ellipsis."""
    words_end = max(i for i, token in enumerate(tokens) if is_word(token))
    return any(token.startswith(("--", "..", "\u2014")) for token in tokens[words_end:])


def _runs_on(tokens: Sequence[str], printed: Sequence[int]) -> bool:
    """An unprinted dash between words: "no wound -- only blood" reads "no wound only blood"."""
    return any(
        is_word(tokens[left])
        and is_word(tokens[right])
        and any(token in DASHES for token in tokens[left + 1 : right])
        for left, right in pairwise(printed)
    )
