"""Sentence boundaries of a paragraph in the flat text. A closing mark belongs to the sentence it
closes: ``"Come!" said he.`` is one sentence, ``"Stay." He left.`` two. The stop of an abbreviation,
initial or number is final only before a word that begins sentences.
"""

from __future__ import annotations

import re
from bisect import bisect_left

from cloze_gen.english.word_lists import BEFORE_NUMBER, PERHAPS_FINAL, STARTERS, TITLES

_SMALL_ABBREVIATIONS = sorted(
    word for word in TITLES | PERHAPS_FINAL | BEFORE_NUMBER if word.isalpha() and word.islower()
)
_SPEECH_VERB = (
    r"(?:said|says|cried|cries|asked|exclaimed|replied|answered|returned|whispered|murmured|muttered|shouted|called|remarked|repeated|"
    r"continued|observed|inquired|enquired|demanded|ejaculated|interrupted|added|sighed|groaned|gasped|roared|screamed|began|responded|"
    r"retorted|rejoined|suggested|laughed|growled|snapped|put|thought|told|went)"
)
_TITLE = (
    r"(?:Mr|Mrs|Dr|Miss|Sir|Lady|Lord|Captain|Capt|Colonel|Col|Aunt|Uncle|Father|Mother|Madame|Monsieur|Master|Doctor|Professor|Major|"
    r"Count|Prince|King|Queen|Old|The|Poor|Little)"
)
_NO_SPEAKER = r"(?:He|She|It|They|We|You|Then|There|This|That|Here|And|But|So)"
# `"Where?" I asked.` and `"Ha!" Holmes cried.`: the attribution has a capital, yet the sentence
# goes on.
_SPEECH_CONTINUES = re.compile(
    rf"(?:I|(?:{_TITLE}\.?\s+)?(?!{_NO_SPEAKER}\s)[A-Z][\w'-]{{0,30}})\s+{_SPEECH_VERB}\b"
)
_OPENERS = r"[\"'`(\[{_*]*+"
_NEXT = rf"{_OPENERS}(?:-{{2,}}+[ ]?)?{_OPENERS}[A-ZÀ-ÖØ-Þ0-9]"
# What follows a mark that may end a sentence: what it closes, a footnote mark, then space and a
# capital or a number, or a glued dash before a capital.
_CLOSERS = r"""["'_*)\]}]*+(?:[\[(][\d*]{1,3}[\])])?"""
_GOES_ON = rf"{_CLOSERS}(?:-{{2,}}[ ]?)?(?:\s++(?={_NEXT})|(?<=--)(?={_OPENERS}[A-ZÀ-ÖØ-Þ]))"
# One pattern per mark, each beginning with the mark itself: a set of marks in front makes the search
# three times slower. An (empty) group is set if nothing is left to decide: a full stop behind
# five small letters (no abbreviation but "Messrs" has them) or behind a word of two to four that is
# no abbreviation, an exclamation or question mark that closes no quotation.
_PLAIN_WORD = "|".join(
    rf"(?<=[ \n\"'-][a-z]{{{letters}}}\.)(?<!(?:{'|'.join(word for word in _SMALL_ABBREVIATIONS if len(word) == letters)})\.)"
    for letters in (4, 3, 2)
)
_STOP = re.compile(rf"\.(?:(?:(?<=[a-z]{{5}}\.)(?<!essrs\.)|{_PLAIN_WORD})())?{_GOES_ON}")
_EXCLAMATION = re.compile(rf"!(?:(?=[ \n])())?{_GOES_ON}")
_QUESTION = re.compile(rf"\?(?:(?=[ \n])())?{_GOES_ON}")
_LAST_WORD = re.compile(r"[\w.&]+$")
_NEXT_WORD = re.compile(r"[\"'`(\[{_*-]*([\w']+)")
_ROMAN = re.compile(r"[IVXLC]+$")
_NUMBERING = re.compile(r"[\[(]?(?:[IVXLCDM]+|\d{1,4}|[A-Za-z])[\])]?$")
_WORD_CHARS = 14  # no abbreviation is longer


class SentenceCutter:
    r"""The sentences of a text; one pass finds the marks that may end one.

    >>> flat = 'Dr. J. H. Watson rose. "Come!" said he. "Stay." He left.'
    >>> [flat[a:b] for a, b in SentenceCutter(flat).bounds(0, len(flat))]
    ['Dr. J. H. Watson rose.', '"Come!" said he.', '"Stay."', 'He left.']
    """

    def __init__(self, flat: str) -> None:
        self._flat = flat
        # Mark -> where the text behind it begins; negative if still undecided. Numbers,
        # for a hundred thousand matches kept would have Python's garbage collector look through all
        # that is in memory.
        self._cuts = {
            match.start(): match.end() if match.lastindex else -match.end()
            for pattern in (_STOP, _EXCLAMATION, _QUESTION)
            for match in pattern.finditer(flat)
        }
        self._marks = sorted(self._cuts)

    def bounds(self, start: int, end: int) -> list[tuple[int, int]]:
        """Start and end of each sentence of one paragraph, given without outer spaces; they cover
        it but for spaces.
        """
        flat = self._flat
        bounds = []
        begin = start
        first = bisect_left(self._marks, start)
        last = bisect_left(self._marks, end)
        for mark in self._marks[first:last]:
            cut = self._cuts[mark]
            if abs(cut) < end and (cut > 0 or _ends_sentence(flat, begin, mark, -cut)):
                stop = abs(cut) - 1
                while flat[stop] in " \n":
                    stop -= 1
                bounds.append((begin, stop + 1))
                begin = abs(cut)
        bounds.append((begin, end))
        return bounds


def _ends_sentence(flat: str, begin: int, stop: int, following: int) -> bool:
    """Whether the mark at `stop` ends the sentence from `begin`; the next one is at `following`."""
    behind = flat[stop + 1]
    if flat[stop] != ".":
        # A finished quotation, followed by its speaker.
        return not (behind in "\"'" and _SPEECH_CONTINUES.match(flat, following))
    # Also of a stop behind a space: "Mr . Holmes", ". . ."
    before = flat[max(begin, stop - _WORD_CHARS) : stop].rstrip(" \n")
    if before.endswith("."):
        # An ellipsis before "I" is a stammer; the text may end with it.
        return not (flat[following] == "I" and not flat[following + 1 : following + 2].isalnum())
    word_match = _LAST_WORD.search(before)
    if word_match is None:
        return True
    word = word_match.group()
    if len(word) > 6 and "." not in word:
        return True
    if stop - begin <= 6 and _NUMBERING.match(flat[begin:stop]):
        return False  # "1." or "IV." opens its sentence
    # "MRS. HUDSON" is "Mrs. Hudson".
    abbreviation = (
        word.capitalize() if len(word) > 1 and word.isalpha() and word.isupper() else word
    )
    if abbreviation in TITLES:
        return False
    if behind in "\"'":
        return True
    return _stop_is_final(word, abbreviation, flat, following)


def _stop_is_final(word: str, abbreviation: str, flat: str, following: int) -> bool:
    """Whether a stop after a short word is a full stop, by the following word."""
    next_match = _NEXT_WORD.match(flat, following)
    next_word = next_match.group(1) if next_match else ""
    if abbreviation in BEFORE_NUMBER:
        # "No. I am not": the pronoun is no number behind "no", though it is behind "Vol".
        roman = _ROMAN.match(next_word) and not (next_word == "I" and word.lower() == "no")
        if flat[following].isdigit() or roman:
            return False
    if word == "I":
        return True
    single = len(word) == 1 and word.isupper()
    dotted = "." in word and len(word.rsplit(".", 1)[-1]) <= 2
    if single or dotted or abbreviation in PERHAPS_FINAL or _ROMAN.match(word):
        return next_word in STARTERS and not (single and next_word in ("A", "I"))
    return True
