"""Files of one sentence a line, in small letters or in treebank tokens: BookCorpus's `books_large_p1.txt` and its like.

Such a file has lost letter case, paragraphs and the bounds of its books, so no question can be made of it, and the lines of many of its
sentences would be read as one paragraph. It is known by its lines, not by its name. Of the 612 plain books at hand none has more than
0.03 of its commas behind a space or less than 0.01 of its letters large, where such files have 1 and 0.
"""

from __future__ import annotations

_SAMPLE_CHARS = 200_000  # looked at, from the middle: no licence stands there
_MIN_LINES = 100  # fewer may be a list, a poem or an article
_MAX_MEAN_WORDS = 60  # of a line; longer ones are paragraphs
_MIN_SHARE = 0.8  # of lines that end as sentences do, and of commas behind a space
_MAX_CAPITALS = 0.001  # share of the letters
_FINAL_MARKS = (".", "!", "?", "'", '"')


def find_sentence_lines(flat: str) -> str:
    r"""What makes a text a file of sentences, in words; empty where it is a book.

    >>> find_sentence_lines("`` i do n't know , '' he said .\n" * 200)
    '100 % of its lines are a sentence each, with spaces before commas and in small letters'
    >>> find_sentence_lines('"I do not know," he said.\n' * 200)
    ''
    """
    middle = max(0, (len(flat) - _SAMPLE_CHARS) // 2)
    sample = flat[middle : middle + _SAMPLE_CHARS]
    lines = [line.rstrip() for line in sample.split("\n") if line.strip()]
    if len(lines) < _MIN_LINES or sample.count(" ") > _MAX_MEAN_WORDS * len(lines):
        return ""
    ends = sum(1 for line in lines if line.endswith(_FINAL_MARKS)) / len(lines)
    if ends < _MIN_SHARE:
        return ""
    signs = []
    if sample.count(" , ") > _MIN_SHARE * sample.count(",") > 0:
        signs.append("with spaces before commas")
    if sum(map(str.isupper, sample)) <= _MAX_CAPITALS * sum(map(str.isalpha, sample)):
        signs.append("in small letters")
    return f"{100 * ends:.0f} % of its lines are a sentence each, {' and '.join(signs)}" if signs else ""
