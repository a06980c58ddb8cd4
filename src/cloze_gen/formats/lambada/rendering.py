"""How a passage is printed: as the published files have it, and as its book has it.

The two were confused for years, and a model's accuracy differs by many points between them; so both are published, under names that say
which.

- *published*: in small letters, cut into the tokens of the Penn treebank (``do n't``, ``claire 's``, ``gon na``), quotation marks with
  their direction, brackets as ``-lrb-``, single spaces, nothing behind the target.
- *cased*: the book's own sentences with their own spacing, one space between two, up to the end of the target.
- *blanked*: the same with a gap where the target stood and the marks behind it, for people who guess.

Source: the published development file; Paperno et al. 2016 do not describe their tokenization.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

from cloze_gen.english.treebank import clitics_cut
from cloze_gen.formats.printed import BLANK_MARK
from cloze_gen.records.passage import Passage
from cloze_gen.text.tokens import spaces_after
from cloze_gen.words import is_word

_REMEMBERED = 1 << 15  # passages; of a set, which four files print
_DIRECTED = {'"': ("``", "''"), "'": ("`", "'")}
_BRACKETS = {"(": "-lrb-", ")": "-rrb-", "[": "-lsb-", "]": "-rsb-", "{": "-lcb-", "}": "-rcb-"}
_OPENING = frozenset({"``", "`", "-lrb-", "-lsb-", "-lcb-"})
_WHOLE_MARKS = {"``": '"', "''": '"', "`": "'"} | {written: mark for mark, written in _BRACKETS.items()}
_CLITICS = frozenset("n't 's 'm 'd 're 'll 've".split())
_RIGHT_HALVES = {"gon": "na", "wan": "na", "can": "not", "got": "ta", "lem": "me", "gim": "me"}


@functools.lru_cache(maxsize=_REMEMBERED)
def published_tokens(passage: Passage) -> tuple[str, ...]:
    """The passage's tokens as published, the target last.

    >>> from cloze_gen.records.passage import Part
    >>> sentences = (('"', "Don't", ",", '"', "I", "said", "."), ('"', "Why", "?", '"', "asked", "Ann", "."))
    >>> texts = ('"Don\\'t," I said.', '"Why?" asked Ann.')
    >>> " ".join(published_tokens(Passage("b:1", "b", Part.TEST, sentences, texts, 5, 0, 1)))
    "`` do n't , '' i said . `` why ? '' asked ann"
    """
    printed: list[str] = []
    open_marks: frozenset[str] = frozenset()
    for number, (tokens, text) in enumerate(zip(passage.sentences, passage.texts, strict=True), 1):
        count = passage.target_at + 1 if number == len(passage.sentences) else len(tokens)
        sentence, open_marks = published_sentence(tokens, text, open_marks, count=count)
        printed += sentence
    return tuple(printed)


def published_sentence(
    tokens: Sequence[str], text: str, open_marks: frozenset[str] = frozenset(), *, count: int | None = None
) -> tuple[list[str], frozenset[str]]:
    """One sentence's tokens as published, and the quotation marks that are open behind it.

    Args:
        text: the sentence with its own spacing.
        open_marks: quotation marks that an earlier sentence has opened.
        count: how many of the tokens are printed; all by default.

    >>> published_sentence(("(", "We", "gonna", ")", "'", "Tis"), "(We gonna) 'Tis")
    (['-lrb-', 'we', 'gon', 'na', '-rrb-', '`', 'tis'], frozenset({"'"}))
    """
    printed: list[str] = []
    spaces = spaces_after(text, tokens)
    for i, token in enumerate(tokens[:count]):
        if token in _DIRECTED:
            stands_free = i == 0 or spaces[i - 1] or printed[-1] in _OPENING
            opens = _opens(token, stands_free, i + 1 < len(tokens) and not spaces[i] and is_word(tokens[i + 1]), open_marks)
            open_marks = open_marks | {token} if opens else open_marks - {token}
            printed.append(_DIRECTED[token][not opens])
        elif token in _BRACKETS:
            printed.append(_BRACKETS[token])
        else:
            printed.extend(part.lower() for part in clitics_cut(token))
    return printed, open_marks


def _opens(mark: str, stands_free: bool, word_follows: bool, open_marks: frozenset[str]) -> bool:
    """The direction of a quotation mark, from the blanks around it; where they do not tell, from whether one is open."""
    return word_follows if stands_free == word_follows else mark not in open_marks


def cased_text(passage: Passage) -> str:
    """The passage as its book has it, up to the end of the target.

    >>> from cloze_gen.records.passage import Part
    >>> cased_text(Passage("b:1", "b", Part.TEST, (("Who", "?"), ('"', "Ann", ".", '"')), ("Who?", '"Ann."'), 1, 0, 1))
    'Who? "Ann'
    """
    return f"{cased_context(passage)}{passage.target}"


def cased_context(passage: Passage) -> str:
    """`cased_text` without the target; ends in a blank unless a mark is written to the target."""
    return "".join(f"{text} " for text in passage.texts[:-1]) + passage.opening


def blanked_text(passage: Passage) -> str:
    """The whole passage as its book has it, with a gap for the target.

    >>> from cloze_gen.records.passage import Part
    >>> blanked_text(Passage("b:1", "b", Part.TEST, (("Who", "?"), ('"', "Ann", ".", '"')), ("Who?", '"Ann."'), 1, 0, 1))
    'Who? "_____."'
    """
    return " ".join((*passage.texts[:-1], blanked_sentence(passage)))


def blanked_sentence(passage: Passage) -> str:
    """The target sentence alone, with a gap for the target."""
    return f"{passage.opening}{BLANK_MARK}{passage.closing}"


def whole_words(tokens: Sequence[str]) -> tuple[str, ...]:
    """Published tokens as the project cuts its own: clitics back at their words, marks without direction. Letters stay small.

    What a model trained on the project's tokens is asked about a published passage. An apostrophe alone belongs to a word in *s* before it
    where no quotation is open.

    >>> whole_words("`` i 'm gon na hide the girls ' lamp , '' said mr. o'malley".split())
    ('"', "i'm", 'gonna', 'hide', 'the', "girls'", 'lamp', ',', '"', 'said', 'mr.', "o'malley")
    """
    whole: list[str] = []
    quoted = False
    for i, token in enumerate(tokens):
        before = tokens[i - 1] if i else ""
        possessive = token == "'" and before.endswith("s") and is_word(before) and not quoted
        quoted = token == "`" or (quoted and token != "'")
        clitic = token in _CLITICS and is_word(before)
        if whole and (possessive or clitic or _RIGHT_HALVES.get(before) == token):
            whole[-1] += token
        else:
            whole.append(_WHOLE_MARKS.get(token, token))
    return tuple(whole)
