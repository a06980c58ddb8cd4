"""What makes a kept book a doubtful source, for its audit row and one warning a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from cloze_gen.corpus.ocr import MOST_UNKNOWN
from cloze_gen.parsing import counted, name_list

# The limits are far from all of 605 books of Project Gutenberg, plays aside: they have at most 0.24
# of their sentences in one paragraph, 10 words about e-texts, 0.52 of their characters outside
# sentences, and at least 10 of these letter pairs in 100 sentences.
_MOST_IN_ONE_PARAGRAPH = 0.5
_MOST_LICENCE_WORDS = 20
_LEAST_BODY_SHARE = 0.4
_LIGATURES = ("fi", "fl", "ff")
_LEAST_LIGATURES = 0.02  # a sentence
# A speaker's name is a short line or sentence in capitals. In two of these books 0.16 and 0.27 of
# the sentences are such names; both have plays.
_NAME_CHARS, _NAME_TIMES = 30, 5
_MOST_NAMES = 0.15
_MIN_SENTENCES = 200  # fewer show nothing
_MOST_LOST = 20  # characters
REMEDY = (
    "Look at their sentences, and replace or leave out what is damaged: use editions with blank "
    "lines between paragraphs, corrected texts instead of OCR, and one file for each novel."
)


def text_warnings(
    texts: Sequence[str],
    paragraph: Sequence[int],
    *,
    etexts: int,
    licence_words: int,
    body_share: float,
    lost_chars: int,
    unknown_word_share: float,
) -> str:
    """What is doubtful in a book of these sentences and their paragraphs; empty for most books.

    >>> text_warnings(["It left."] * 200, [0] * 200, etexts=2, licence_words=0, body_share=1, lost_chars=0, unknown_word_share=0)
    '2 texts of Project Gutenberg in one file, 200 of 200 sentences in one paragraph, no word with fi, fl or ff: ligatures were lost'
    """
    sentences = len(texts)
    warnings = []
    if etexts > 1:
        warnings.append(f"{etexts} texts of Project Gutenberg in one file")
    if licence_words > _MOST_LICENCE_WORDS:
        warnings.append(f"{licence_words:,} words of licences among its sentences")
    if lost_chars > _MOST_LOST:
        warnings.append(f"{lost_chars:,} lost characters (U+FFFD, or question marks inside words)")
    if unknown_word_share > MOST_UNKNOWN:
        share = f"{100 * unknown_word_share:.1f} %"
        warnings.append(f"signs of OCR: {share} of its words are in no list and in small letters")
    if sentences < _MIN_SENTENCES:
        return ", ".join(warnings)
    if body_share < _LEAST_BODY_SHARE:
        warnings.append(f"only {100 * body_share:.0f} % of the file are sentences")
    longest = max(Counter(paragraph).values())
    if longest > _MOST_IN_ONE_PARAGRAPH * sentences:
        warnings.append(f"{longest:,} of {sentences:,} sentences in one paragraph")
    short = Counter(text for text in texts if len(text) <= _NAME_CHARS and text.isupper())
    names = sum(count for count in short.values() if count >= _NAME_TIMES)
    if names > _MOST_NAMES * sentences:
        warnings.append("repeated short lines in capitals, as in a play or from the tops of pages")
    running = " ".join(texts)
    letters = sum(running.count(pair) for pair in _LIGATURES)
    if letters < _LEAST_LIGATURES * sentences:
        warnings.append("no word with fi, fl or ff: ligatures were lost")
    return ", ".join(warnings)


def doubtful_books_warning(books: Iterable[tuple[str, str]]) -> str:
    """One warning about the books (id, its warnings); empty without any.

    >>> doubtful_books_warning([("a", "a play"), ("b", "")])[:31]
    '1 doubtful book: a (a play). Lo'
    """
    doubtful = [f"{book} ({warnings})" for book, warnings in books if warnings]
    if not doubtful:
        return ""
    return f"{counted(len(doubtful), 'doubtful book')}: {name_list(doubtful)}. {REMEDY}"
