"""Where the sentences of a paragraph begin and end, on the flat text itself (line ends inside).

A closing quotation mark or bracket belongs to the sentence it closes. ``"Come!" said he.`` is one sentence, ``"Stay." He left.`` two.
A stop that belongs to an abbreviation, an initial or a number ends nothing unless the next word is one that begins sentences.
"""

from __future__ import annotations

import re

from cloze_gen.english.abbreviations import BEFORE_NUMBER, PERHAPS_FINAL, STARTERS, TITLES

_SMALL_ABBREVIATIONS = sorted(word for word in TITLES | PERHAPS_FINAL | BEFORE_NUMBER if word.isalpha() and word.islower())
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
# `"Where?" I asked.` and `"Ha!" Holmes cried.`: the attribution has a capital, yet the sentence goes on.
_SPEAKS_ON = re.compile(rf"(?:I|(?:{_TITLE}\.?\s+)?(?!{_NO_SPEAKER}\s)[A-Z][\w'-]{{0,30}})\s+{_SPEECH_VERB}\b")
_OPENERS = r"[\"'`(\[{_*]*+"
_NEXT = rf"{_OPENERS}(?:-{{2,}}+[ ]?)?{_OPENERS}[A-ZÀ-ÖØ-Þ0-9]"
# What follows a mark that may end a sentence: what it closes, a footnote mark, then space and a capital or a number, or a glued dash
# before a capital.
_CLOSERS = r"""["'_*)\]}]*+(?:[\[(][\d*]{1,3}[\])])?"""
_GOES_ON = rf"{_CLOSERS}(?:-{{2,}}[ ]?)?(?:\s++(?={_NEXT})|(?<=--)(?={_OPENERS}[A-ZÀ-ÖØ-Þ]))"
# One pattern a mark, each beginning with the mark itself: a set of marks in front makes the search three times slower.
# An (empty) group is set where nothing is left to judge: a full stop behind five small letters (no abbreviation but "Messrs" has them) or
# behind a word of two to four that is no abbreviation, an exclamation or question mark that closes no quotation.
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
    r"""A text's sentences, asked paragraph by paragraph; the marks that may end one are found in a single pass over the text.

    >>> flat = 'Dr. J. H. Watson rose. "Come!" said he. "Stay." He left.'
    >>> [flat[a:b] for a, b in zip(*SentenceCutter(flat).bounds(0, len(flat)))]
    ['Dr. J. H. Watson rose.', '"Come!" said he.', '"Stay."', 'He left.']
    """

    __slots__ = ("_at", "_cuts", "_flat", "_marks")

    def __init__(self, flat: str) -> None:
        self._flat = flat
        # Mark -> where the text behind it begins; negative where it is still to be judged. Numbers, for a hundred thousand matches kept
        # would have Python's garbage collector look through all that is in memory.
        self._cuts = {
            match.start(): match.end() if match.lastindex else -match.end()
            for pattern in (_STOP, _EXCLAMATION, _QUESTION)
            for match in pattern.finditer(flat)
        }
        self._cuts[len(flat)] = len(flat)  # no paragraph holds it
        self._marks = sorted(self._cuts)
        self._at = 0  # the first mark that the paragraphs asked so far do not hold

    def bounds(self, start: int, end: int) -> tuple[list[int], list[int]]:
        """Starts and ends of the sentences of one paragraph; together they cover it but for the spaces between.

        Args:
            start, end: of the paragraph in the text, without outer spaces; a line end or a bracket is what follows it. It begins behind the
                end of the one that was asked before.
        """
        flat, marks, cuts = self._flat, self._marks, self._cuts
        starts, ends = [start], []
        begin = start
        for at in range(self._at, len(marks)):
            mark = marks[at]
            cut = cuts[mark]
            if abs(cut) >= end:
                self._at = at
                break
            if mark >= start and (cut > 0 or _ends_sentence(flat, begin, mark, -cut)):
                begin = abs(cut)
                starts.append(begin)
                stop = begin - 1
                while flat[stop] in " \n":
                    stop -= 1
                ends.append(stop + 1)
        ends.append(end)
        return starts, ends


def _ends_sentence(flat: str, begin: int, stop: int, following: int) -> bool:
    """Whether the mark at `stop` ends the sentence begun at `begin`; the next text begins at `following`."""
    behind = flat[stop + 1]
    if flat[stop] != ".":
        # A quotation that is over, followed by who spoke it.
        return not (behind in "\"'" and _SPEAKS_ON.match(flat, following))
    if flat[stop - 1] == "." or (flat[stop - 1] in " \n" and flat[stop - 2] == "."):
        # An ellipsis before "I" is a stammer; the text may end with it.
        return not (flat[following] == "I" and not flat[following + 1 : following + 2].isalnum())
    word_match = _LAST_WORD.search(flat, max(begin, stop - _WORD_CHARS), stop)
    if word_match is None:
        return True
    word = word_match.group()
    if len(word) > 6 and "." not in word:
        return True
    if stop - begin <= 6 and _NUMBERING.match(flat[begin:stop]):
        return False  # "1." or "IV." opens its sentence
    if behind in "\"'":
        return word not in TITLES
    return _stop_is_final(word, flat, following)


def _stop_is_final(word: str, flat: str, following: int) -> bool:
    """Whether a stop behind a short word is a full stop, judged by the word that follows."""
    if word in TITLES:
        return False
    first = flat[following]
    if word in BEFORE_NUMBER:
        number = _next_word(flat, following)
        # "No. I am not": the pronoun is no number behind "no", though it is behind "Vol".
        if first.isdigit() or (_ROMAN.match(number) and not (number == "I" and word.lower() == "no")):
            return False
    single = len(word) == 1 and word.isupper() and word != "I"
    dotted = "." in word and len(word.rsplit(".", 1)[-1]) <= 2
    if single or dotted or word in PERHAPS_FINAL:
        return _next_word(flat, following) in STARTERS and not (single and _next_word(flat, following) in ("A", "I"))
    if _ROMAN.match(word) and word != "I":
        return _next_word(flat, following) in STARTERS
    return True


def _next_word(flat: str, following: int) -> str:
    match = _NEXT_WORD.match(flat, following)
    return match.group(1) if match else ""
