r"""The published plain text: one passage a line, UTF-8, ``\n`` at the end of every line, the target its last token.

Single spaces, none at either end, no mark behind the target and none between context and target sentence. So a line does not tell where its
sentences end; `sentence_ends` finds them again.

Source: ``lambada_development_plain_text.txt`` (Paperno et al. 2016).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cloze_gen.english.abbreviations import TITLES
from cloze_gen.english.sentence_fitness import SPEECH_VERBS
from cloze_gen.errors import FormatError
from cloze_gen.notation import shown

LEAST_TOKENS = 2  # a context and a target
_FINAL = frozenset({".", "?", "!", "...", "?!", "!?", "!!", "!!!", "??"})
_CLOSING = frozenset({"''", "'", "-rrb-"})
_TITLES = frozenset(title.casefold() for title in TITLES)


def format_plain_text(passages: Iterable[Sequence[str]]) -> str:
    r"""Text of a plain-text file.

    Args:
        passages: published tokens of each, the target last (`rendering.published_tokens`).
    Raises:
        FormatError: a passage has a token that a line cannot carry, or ends in no word; names it by its number from 1.

    >>> format_plain_text([("he", "saw", "ann")])
    'he saw ann\n'
    """
    lines = []
    for number, tokens in enumerate(passages, 1):
        line = " ".join(tokens)
        if tuple(line.split()) != tuple(tokens) or "\n" in line:
            raise FormatError(
                f"passage {number}: a token is empty or holds a blank, which a line of plain text cannot carry: {shown(line)}"
            )
        _require_passage(tokens, f"passage {number}")
        lines.append(f"{line}\n")
    return "".join(lines)


def parse_plain_text(text: str, *, name: str = "plain_text.txt") -> list[tuple[str, ...]]:
    r"""The passages of a plain-text file, as tokens, the target last; ``\r\n`` and a byte-order mark are forgiven.

    Raises:
        FormatError: a line is empty, has blanks where none belong, or ends in no word; names file and line.

    >>> parse_plain_text("he saw ann\n")
    [('he', 'saw', 'ann')]
    """
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").removesuffix("\n").split("\n") if text else []
    passages = []
    for number, line in enumerate(lines, 1):
        where = f"{name}, line {number}"
        tokens = tuple(line.split(" "))
        if tokens != tuple(line.split()):
            raise FormatError(f"{where}: expected tokens with one space between two and none at the ends, found {shown(line)}")
        _require_passage(tokens, where)
        passages.append(tokens)
    return passages


def sentence_ends(tokens: Sequence[str]) -> list[int]:
    """Where the complete sentences before the target sentence end: of each the place behind its last token.

    A sentence ends in ``.``, ``?``, ``!`` or ``...``, with the closing quotation marks behind it; not behind a title (``mr.`` is often cut
    in two), nor behind the question of a speech that its attribution goes on with.

    >>> sentence_ends("he sat down . `` who ? '' so i saw ann".split())
    [4, 8]
    """
    ends, at = [], 0
    while at < len(tokens):
        mark = tokens[at] in _FINAL and not (at and tokens[at - 1].rstrip(".") in _TITLES)
        at += 1
        behind = at
        while mark and at < len(tokens) and tokens[at] in _CLOSING:
            at += 1
        goes_on = at > behind and not SPEECH_VERBS.isdisjoint(tokens[at : at + 3])
        if mark and not goes_on and at < len(tokens):
            ends.append(at)
    return ends


def _require_passage(tokens: Sequence[str], where: str) -> None:
    if len(tokens) < LEAST_TOKENS:
        raise FormatError(f"{where}: a passage has a context and a target, found {shown(' '.join(tokens))}")
    if not tokens[-1].isalpha():
        raise FormatError(f"{where}: the last token is the target, a word of letters alone, found {shown(tokens[-1])}")
