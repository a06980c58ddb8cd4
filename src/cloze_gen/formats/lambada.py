"""LAMBADA: passage renderings, published files, JSON Lines, and answers of a user model.

Source: the published development file. Paperno et al. 2016 do not describe their tokenization.
"""

from __future__ import annotations

import functools
import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, Strict

from cloze_gen.english.sentence_fitness import SPEECH_VERBS
from cloze_gen.english.treebank import clitics_cut
from cloze_gen.english.word_lists import FOLDED_TITLES
from cloze_gen.errors import FormatError
from cloze_gen.formats.questions import BLANK_MARK
from cloze_gen.json_lines import ItemId, LogProb, must_be, read_records
from cloze_gen.parsing import quote
from cloze_gen.records.passage import Passage, SetPassage
from cloze_gen.word_tokens import is_word

_CACHED_PASSAGES = 1 << 15  # passages; four files print each
_DIRECTED = {'"': ("``", "''"), "'": ("`", "'")}
_BRACKETS = {"(": "-lrb-", ")": "-rrb-", "[": "-lsb-", "]": "-rsb-", "{": "-lcb-", "}": "-rcb-"}
_OPENING = frozenset({"``", "`", "-lrb-", "-lsb-", "-lcb-"})
_WHOLE_MARKS = {"``": '"', "''": '"', "`": "'"} | {
    written: mark for mark, written in _BRACKETS.items()
}
_CLITICS = frozenset("n't 's 'm 'd 're 'll 've".split())
_RIGHT_HALVES = {"gon": "na", "wan": "na", "can": "not", "got": "ta", "lem": "me", "gim": "me"}


@functools.lru_cache(maxsize=_CACHED_PASSAGES)
def published_tokens(passage: Passage) -> tuple[str, ...]:
    """Tokens as published, up to the target: lower case, Penn treebank, directed quotes.

    >>> from cloze_gen.records.passage import Part
    >>> sentences = (('"', "Don't", ",", '"', "I", "said", "."), ('"', "Why", "?", '"', "asked", "Ann", "."))
    >>> texts = ('"Don\\'t," I said.', '"Why?" asked Ann.')
    >>> " ".join(published_tokens(Passage("b:1", "b", Part.TEST, sentences, texts, 5, 0, 1)))
    "`` do n't , '' i said . `` why ? '' asked ann"
    """
    printed: list[str] = []
    open_marks: frozenset[str] = frozenset()
    for number, (tokens, text) in enumerate(zip(passage.sentences, passage.texts, strict=True), 1):
        count = passage.target_position + 1 if number == len(passage.sentences) else len(tokens)
        sentence, open_marks = published_sentence(tokens, text, open_marks, count=count)
        printed += sentence
    return tuple(printed)


def published_sentence(
    tokens: Sequence[str],
    text: str,
    open_marks: frozenset[str] = frozenset(),
    *,
    count: int | None = None,
) -> tuple[list[str], frozenset[str]]:
    """A sentence's first `count` tokens as published, and the open quotation marks.

    >>> published_sentence(("(", "We", "gonna", ")", "'", "Tis"), "(We gonna) 'Tis")
    (['-lrb-', 'we', 'gon', 'na', '-rrb-', '`', 'tis'], frozenset({"'"}))
    """
    printed: list[str] = []
    spaces = spaces_after(text, tokens)
    for i, token in enumerate(tokens[:count]):
        if token in _DIRECTED:
            is_free_standing = i == 0 or spaces[i - 1] or printed[-1] in _OPENING
            opens = _opens(
                token,
                is_free_standing,
                i + 1 < len(tokens) and not spaces[i] and is_word(tokens[i + 1]),
                open_marks,
            )
            open_marks = open_marks | {token} if opens else open_marks - {token}
            printed.append(_DIRECTED[token][not opens])
        elif token in _BRACKETS:
            printed.append(_BRACKETS[token])
        else:
            printed.extend(part.lower() for part in clitics_cut(token))
    return printed, open_marks


def _opens(
    mark: str, is_free_standing: bool, word_follows: bool, open_marks: frozenset[str]
) -> bool:
    """Whether a quotation mark opens: by the spaces around it, or by the open marks."""
    return word_follows if is_free_standing == word_follows else mark not in open_marks


def spaces_after(text: str, tokens: Sequence[str]) -> list[bool]:
    """Whether a space follows each token in `text`; ValueError if the tokens are not of this text.

    >>> spaces_after("Come, now.", ["Come", ",", "now", "."])
    [False, True, False, False]
    """
    spaces = []
    at = 0
    for token in tokens:
        if not text.startswith(token, at):
            raise ValueError(f"token {token!r} is not at character {at} of {text!r}")
        at += len(token)
        followed = text.startswith(" ", at)
        spaces.append(followed)
        at += followed
    if at != len(text):
        raise ValueError(f"tokens end at character {at} of {len(text)} in {text!r}")
    return spaces


def cased_text(passage: Passage) -> str:
    """The passage as printed in the book, up to the end of the target.

    >>> from cloze_gen.records.passage import Part
    >>> cased_text(Passage("b:1", "b", Part.TEST, (("Who", "?"), ('"', "Ann", ".", '"')), ("Who?", '"Ann."'), 1, 0, 1))
    'Who? "Ann'
    """
    return f"{cased_context(passage)}{passage.target}"


def cased_context(passage: Passage) -> str:
    """`cased_text` without the target; ends in a space unless a mark touches the target."""
    return "".join(f"{text} " for text in passage.texts[:-1]) + passage.opening


def blanked_text(passage: Passage) -> str:
    """The whole passage as printed in the book, with a gap for the target.

    >>> from cloze_gen.records.passage import Part
    >>> blanked_text(Passage("b:1", "b", Part.TEST, (("Who", "?"), ('"', "Ann", ".", '"')), ("Who?", '"Ann."'), 1, 0, 1))
    'Who? "_____."'
    """
    return " ".join((*passage.texts[:-1], blanked_sentence(passage)))


def blanked_sentence(passage: Passage) -> str:
    """The target sentence alone, with a gap for the target."""
    return f"{passage.opening}{BLANK_MARK}{passage.closing}"


def whole_words(tokens: Sequence[str]) -> tuple[str, ...]:
    """Published tokens in the project's tokenization: whole words, plain quotation marks.

    A lone apostrophe belongs to a word in *s* before it where no quotation is open.

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


def passage_record(passage: Passage, **more: Any) -> dict[str, Any]:
    """The JSON object of one passage; FormatError if `more` repeats a field of the passage.

    >>> from cloze_gen.records.passage import Part
    >>> from cloze_gen.records.passage import Split
    >>> passage = Passage("b:1", "b", Part.TEST, (("Who", "?"), ("Ann", ".")), ("Who?", "Ann."), 0, 0, 9)
    >>> passage_record(passage, domain="crime")["text"]
    'who ? ann'
    """
    record: dict[str, Any] = {
        "id": passage.id,
        "text": " ".join(published_tokens(passage)),
        "context": cased_context(passage),
        "target": passage.target,
        "cased": cased_text(passage),
        "book_id": passage.book_id,
        "part": str(passage.part),
        "start": passage.start,
        "end": passage.end,
        "sentences": [list(tokens) for tokens in passage.sentences],
        "texts": list(passage.texts),
        "target_position": passage.target_position,
    }
    repeated = sorted(record.keys() & more.keys())
    if repeated:
        raise FormatError(
            f"passage {passage.id}: the added fields {', '.join(repeated)} already exist; "
            "rename them"
        )
    return record | more


def split_record(one: SetPassage) -> dict[str, str]:
    """A passage as a row of one split: the same text columns in every row, for ``datasets``.

    >>> from cloze_gen.records.passage import Part
    >>> from cloze_gen.records.passage import Split
    >>> passage = Passage("b:1", "b", Part.TEST, (("Who", "?"), ("Ann", ".")), ("Who?", "Ann."), 0, 0, 9)
    >>> list(split_record(SetPassage(passage, Split.TEST, "crime")).values())
    ['who ? ann', 'crime', 'b:1', 'b', 'Who? ', 'Ann', 'Who? Ann']
    """
    record = passage_record(one.passage)
    return {"text": record["text"], "domain": one.domain} | {
        name: record[name] for name in ("id", "book_id", "context", "target", "cased")
    }


def parse_passages(lines: Iterable[str], *, name: str = "passages.jsonl") -> Iterator[SetPassage]:
    """Passages of a JSON Lines file; an id is unique in its split, further fields are ignored."""
    key = ("split", "id")
    for where, one in read_records(lines, SetPassage, name=name, key=key):
        for tokens, text in zip(one.passage.sentences, one.passage.texts, strict=True):
            try:
                spaces_after(text, tokens)
            except ValueError:
                message = (
                    f"{where}: the tokens do not match {quote(text)}; tokens may have at most one "
                    "space between them"
                )
                raise FormatError(message) from None
        yield one


LEAST_TOKENS = 2  # a context and a target
_FINAL = frozenset({".", "?", "!", "...", "?!", "!?", "!!", "!!!", "??"})
_CLOSING = frozenset({"''", "'", "-rrb-"})


def format_plain_text(passages: Iterable[Sequence[str]]) -> str:
    r"""Text of a plain-text file of `published_tokens`: one passage a line, the target last.

    >>> format_plain_text([("he", "saw", "ann")])
    'he saw ann\n'
    """
    lines = []
    for number, tokens in enumerate(passages, 1):
        line = " ".join(tokens)
        if tuple(line.split()) != tuple(tokens) or "\n" in line:
            raise FormatError(
                f"passage {number}: a token is empty or contains white space, so it cannot be "
                f"written as plain text: {quote(line)}"
            )
        _require_passage(tokens, f"passage {number}")
        lines.append(f"{line}\n")
    return "".join(lines)


def parse_plain_text(text: str, *, name: str = "plain_text.txt") -> list[tuple[str, ...]]:
    r"""The passages of a plain-text file, as tokens; accepts ``\r\n`` and a byte-order mark.

    >>> parse_plain_text("he saw ann\n")
    [('he', 'saw', 'ann')]
    """
    lines = (
        text.removeprefix("\ufeff").replace("\r\n", "\n").removesuffix("\n").split("\n")
        if text
        else []
    )
    passages = []
    for number, line in enumerate(lines, 1):
        where = f"{name}, line {number}"
        tokens = tuple(line.split(" "))
        if tokens != tuple(line.split()):
            raise FormatError(
                f"{where}: expected tokens separated by single spaces, found {quote(line)}"
            )
        _require_passage(tokens, where)
        passages.append(tokens)
    return passages


def sentence_ends(tokens: Sequence[str]) -> list[int]:
    """Offsets after each complete sentence before the target sentence (lines do not mark them).

    A sentence ends with ``.``, ``?``, ``!`` or ``...`` and closing quotation marks; not after a
    title (``mr.`` is often two tokens), nor after a quoted question followed by a speech verb.

    >>> sentence_ends("he sat down . `` who ? '' so i saw ann".split())
    [4, 8]
    """
    ends, at = [], 0
    while at < len(tokens):
        mark = tokens[at] in _FINAL and not (at and tokens[at - 1].rstrip(".") in FOLDED_TITLES)
        at += 1
        after_mark = at
        while mark and at < len(tokens) and tokens[at] in _CLOSING:
            at += 1
        continues = at > after_mark and not SPEECH_VERBS.isdisjoint(tokens[at : at + 3])
        if mark and not continues and at < len(tokens):
            ends.append(at)
    return ends


def _require_passage(tokens: Sequence[str], where: str) -> None:
    if len(tokens) < LEAST_TOKENS:
        raise FormatError(
            f"{where}: expected a context and a target, found {quote(' '.join(tokens))}"
        )
    if not tokens[-1].isalpha():
        raise FormatError(
            f"{where}: the target (last token) must have only letters, found {quote(tokens[-1])}"
        )


def published_counts(counts: Iterable[tuple[str, int]]) -> Counter[str]:
    """Counts of published words from counts of whole words, without punctuation.

    >>> sorted(published_counts([("Don't", 2), ("do", 1), (",", 9)]).items())
    [('do', 3), ("n't", 2)]
    """
    words: Counter[str] = Counter()
    for word, count in counts:
        for part in clitics_cut(word):
            if is_word(part):
                words[part.lower()] += count
    return words


def format_vocabulary(counts: Mapping[str, int]) -> str:
    r"""The vocabulary file: ``word TAB count`` of the training novels, sorted by code point.

    It is unknown whether the published file has the counts.

    >>> format_vocabulary({"she": 7, "ann": 2})
    'ann\t2\nshe\t7\n'
    """
    for word in counts:
        if word.split() != [word]:
            raise FormatError(f"vocabulary: a word is empty or contains white space: {quote(word)}")
    return "".join(f"{word}\t{counts[word]}\n" for word in sorted(counts))


ANSWER = '{"id": ..., "log10_prob": ...}'


def format_requests(texts: Iterable[tuple[str, str, str]]) -> Iterator[str]:
    """A JSON object for each ``(id, text before the target, target)``.

    >>> list(format_requests([("emma:7", "Who called? It was ", "Jane")]))
    ['{"id": "emma:7", "context": "Who called? It was ", "continuation": "Jane"}']
    """
    for passage_id, context, continuation in texts:
        yield json.dumps(
            {"id": passage_id, "context": context, "continuation": continuation}, ensure_ascii=False
        )


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """The answers of a user's model, float64 or bool, shape (n,).

    Attributes:
        rank: of the target among all words of the model, from 1; NaN if unknown.
        right: whether the target is the first choice; None unless every answer has it.
    """

    log10_prob: NDArray[np.float64]
    rank: NDArray[np.float64]
    right: NDArray[np.bool_] | None


_Right = Annotated[bool | None, Strict(), must_be("true or false, found $found")]


@dataclass(frozen=True, slots=True)
class _Answer:
    id: ItemId
    log10_prob: LogProb
    rank: Annotated[
        float | None,
        Strict(),
        Field(ge=1, allow_inf_nan=False),
        must_be("a number from 1, found $found"),
    ] = None
    correct: _Right = None
    is_greedy: _Right = None

    @property
    def right(self) -> bool | None:
        right = self.is_greedy if self.correct is None else self.correct
        if right is None and self.rank is not None:
            return self.rank == 1
        return right


def parse_answers(lines: Iterable[str], ids: Sequence[str], *, name: str = "scores") -> Answers:
    """Answers in any order: `id`, `log10_prob`, optionally `rank`, `correct` or `is_greedy`.

    Without `correct` and `is_greedy`, rank 1 is the first choice. Unknown ids are ignored, but every line must be valid. The id of
    a line of a published file is its number, as a number or a string. Each passage needs one answer.

    >>> found = parse_answers(['{"id": 1, "log10_prob": -1.5, "rank": 3}'], ["1"])
    >>> found.rank.tolist(), found.right.tolist()
    ([3.0], [False])
    """
    place = {passage_id: i for i, passage_id in enumerate(ids)}
    found, rank = np.full(len(ids), np.nan), np.full(len(ids), np.nan)
    right: list[bool | None] = [None] * len(ids)
    for _, answer in read_records(lines, _Answer, name=name, form=ANSWER):
        row = place.get(answer.id)
        if row is None:
            continue
        found[row] = answer.log10_prob
        rank[row] = math.nan if answer.rank is None else answer.rank
        right[row] = answer.right
    missing = np.flatnonzero(np.isnan(found))
    if len(missing):
        raise FormatError(
            f"{name}: {len(missing):,} of {len(ids):,} passages have no answer (first: "
            f"{ids[int(missing[0])]}); answer every passage"
        )
    return Answers(found, rank, None if None in right else np.array(right, np.bool_))
