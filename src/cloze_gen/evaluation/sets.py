"""Readers of the files that `evaluate` measures, in our formats and in published ones."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from cloze_gen.corpus.normalization import normalize_many
from cloze_gen.corpus.tokens import tokenize
from cloze_gen.errors import FormatError, UsageError
from cloze_gen.evaluation.blanks import ClozeExample
from cloze_gen.evaluation.passages import CONTROL, PASSAGES, PassageExample
from cloze_gen.evaluation.questions import QuestionSet
from cloze_gen.formats.lambada import parse_passages, parse_plain_text, sentence_ends, whole_words
from cloze_gen.formats.lambada_harness import RENDERINGS, prompt_text
from cloze_gen.formats.msr import parse_machine
from cloze_gen.formats.questions import parse_questions
from cloze_gen.formats.scde import parse_passages as parse_blanked_passages
from cloze_gen.formats.scde import parse_published, without_marks
from cloze_gen.json_lines import read_objects
from cloze_gen.parsing import error_text, parse_json
from cloze_gen.records.blanked_passage import BlankedPassage, SetBlankedPassage
from cloze_gen.records.passage import Part, Passage, SetPassage, Split
from cloze_gen.store.files import open_regular, read_regular_text

_LONGEST_LINE = 1 << 20  # bytes; a passage has a few thousand


def _read_text(path: Path, wanted: str) -> str:
    """The text of a user's file; `wanted` completes the message of a UsageError."""
    try:
        return read_regular_text(path)
    except (OSError, ValueError) as error:
        raise UsageError(
            f"{path}: the file cannot be read ({error_text(error)}). {wanted}"
        ) from None


def _first_line(path: Path) -> str:
    """OSError or ValueError if it cannot be read."""
    with open_regular(path) as handle:
        return handle.readline(_LONGEST_LINE).decode("utf-8-sig")


def _digest(lines: Iterable[str]) -> str:
    return hashlib.blake2b("\n".join(lines).encode(), digest_size=8).hexdigest()


# ---- Questions

_QUESTIONS_WANTED = (
    "Give a run folder, a questions.jsonl or a machine-format file of the MSR challenge."
)


def read_question_set(path: Path, answers: Path | None = None) -> QuestionSet:
    """Read questions; the first line decides the format.

    `answers`: answers file of the machine format; by default ``questions`` in the name of `path`
    is replaced by ``answers``.

    Raises:
        UsageError: the file is missing, has no questions, or has no answers file.
        FormatError: the file does not follow its format.
    """
    text = _read_text(path, _QUESTIONS_WANTED)
    if not text.strip("\ufeff \r\n\t"):
        raise UsageError(f"{path}: the file has no questions")
    if path.suffix == ".jsonl" or text.lstrip("\ufeff \n").startswith("{"):
        lines = text.split("\n")  # not splitlines: U+2028 may be in a string
        records = tuple(record for _, record in read_objects(lines, name=path.name))
        found = QuestionSet(tuple(parse_questions(lines, name=path.name)), records)
    else:
        key = answers or _adjacent_answers(path)
        found = QuestionSet(
            tuple(parse_machine(text, _read_text(key, _QUESTIONS_WANTED), name=path.name))
        )
    if not found.questions:
        raise UsageError(f"{path}: the file has no questions")
    return found


def _adjacent_answers(path: Path) -> Path:
    adjacent = path.with_name(path.name.replace("questions", "answers"))
    if adjacent == path or not adjacent.is_file():
        raise UsageError(
            f"{path}: no answers file found in the same folder; put it there, or pass it to "
            "`evaluate` with --answers"
        )
    return adjacent


# ---- Passages

# Minimum tokens of a line taken as a passage: published ones have 50 or more, MSR questions 5.
_LEAST_TOKENS = 20
_PUBLISHED_NAME = "plain_text.txt"


@dataclass(frozen=True, slots=True, eq=False)
class PassageSet:
    passages: tuple[SetPassage, ...]

    @property
    def digest(self) -> str:
        return _digest(
            repr((str(one.split), one.id, one.passage.sentences, one.passage.target_position))
            for one in self.passages
        )


@dataclass(frozen=True, slots=True, eq=False)
class PassageEvaluationSet:
    passages: tuple[PassageExample, ...]
    digest: str


def read_passage_set(path: Path) -> PassageSet:
    with open(path, encoding="utf-8") as handle:
        return PassageSet(tuple(parse_passages(handle, name=path.name)))


def read_passage_examples(path: Path) -> PassageEvaluationSet:
    """Read passages from a `passages.jsonl` or a published plain-text file."""
    text = _read_text(path, "Give a passages.jsonl or a *_plain_text.txt of LAMBADA.")
    found = (
        _from_records(text, path.name)
        if text.lstrip("\ufeff \n").startswith("{")
        else _from_plain_text(text, path.name)
    )
    if not found.passages:
        raise UsageError(f"{path}: the file has no passages")
    return found


def holds_passages(path: Path) -> bool:
    """Whether the file has a published name or a passage on its first line."""
    if path.name.endswith(_PUBLISHED_NAME):
        return True
    try:
        line = _first_line(path)
        if line.startswith("{"):
            record = parse_json(line)
            return isinstance(record, dict) and any(
                record.keys() >= {"sentences", name} for name in ("target_position", "target_at")
            )
        return line == line.lower() and any(
            len(tokens) >= _LEAST_TOKENS for tokens in parse_plain_text(line)
        )
    except (OSError, ValueError, FormatError):
        return False


def passage_example(passage: Passage, which: str) -> PassageExample:
    *context, last = (
        tuple(token.casefold() for token in sentence) for sentence in passage.sentences
    )
    return PassageExample(
        id=passage.id,
        set=which,
        sentences=(*context, last[: passage.target_position]),
        target=passage.target.casefold(),
        cased=(*passage.before_target, passage.target),
        prompts={rendering: prompt_text(passage, rendering) for rendering in RENDERINGS},
        book=passage.book_id,
    )


def line_example(tokens: tuple[str, ...], number: int) -> PassageExample:
    """
    >>> line_example(("he", "did", "n't", ".", "i", "saw", "ann"), 7).sentences
    (('he', "didn't", '.'), ('i', 'saw'))
    """
    whole = tuple(token.casefold() for token in whole_words(tokens))
    cuts = [0, *(len(whole_words(tokens[:end])) for end in sentence_ends(tokens)), len(whole) - 1]
    sentences = tuple(whole[first:last] for first, last in pairwise(cuts))
    prompt = " ".join(tokens[:-1]), f" {tokens[-1]}"
    return PassageExample(
        str(number), PASSAGES, sentences, whole[-1], prompts={"published": prompt}
    )


def _from_records(text: str, name: str) -> PassageEvaluationSet:
    # not splitlines: U+2028 may be in a string
    found = PassageSet(tuple(parse_passages(text.split("\n"), name=name)))
    examples = (
        passage_example(one.passage, CONTROL if one.split == Split.CONTROL else PASSAGES)
        for one in found.passages
    )
    return PassageEvaluationSet(tuple(examples), found.digest)


def _from_plain_text(text: str, name: str) -> PassageEvaluationSet:
    lines = parse_plain_text(text, name=name)
    return PassageEvaluationSet(
        tuple(line_example(tokens, number) for number, tokens in enumerate(lines, 1)),
        _digest(map(repr, lines)),
    )


# ---- Blanked passages

_OF_A_RECORD = frozenset({"passage", "blanks", "candidates", "answers"})
_BLANKS_WANTED = (
    "Give a run folder, a passages.jsonl or a file in the published layout of SCDE (train.json, "
    "dev.json, test.json)."
)


@dataclass(frozen=True, slots=True, eq=False)
class BlankedSet:
    passages: tuple[SetBlankedPassage, ...]

    @property
    def digest(self) -> str:
        return _blanks_digest((str(one.part), one.passage) for one in self.passages)


@dataclass(frozen=True, slots=True, eq=False)
class ClozeEvaluationSet:
    """Blanked passages for scorers; `training` (part `train`) is not measured."""

    passages: tuple[ClozeExample, ...]
    training: tuple[ClozeExample, ...]
    digest: str


def read_blanked_set(path: Path) -> BlankedSet:
    with open(path, encoding="utf-8") as handle:
        return BlankedSet(tuple(parse_blanked_passages(handle, name=path.name)))


def read_cloze_examples(path: Path, *, to_learn: bool = False) -> ClozeEvaluationSet:
    """Read blanked passages from a `passages.jsonl` or a file in the published layout.

    All passages of a published file are measured, or used for training with `to_learn`. Stray full
    stops are dropped.
    """
    text = _read_text(path, _BLANKS_WANTED)
    if text.lstrip("\ufeff \r\n\t").startswith("["):
        listed = [without_marks(one) for one in parse_published(text, name=path.name)]
        examples, digest = cloze_example(listed), _blanks_digest(("", one) for one in listed)
        found = (
            ClozeEvaluationSet((), examples, digest)
            if to_learn
            else ClozeEvaluationSet(examples, (), digest)
        )
    else:
        # not splitlines: U+2028 may be in a string
        found = _of_records(
            BlankedSet(tuple(parse_blanked_passages(text.split("\n"), name=path.name)))
        )
    if not (found.training if to_learn else found.passages):
        raise UsageError(
            f"{path}: the file has no blanked passages "
            f"{'with part `train`, for training' if to_learn else 'outside part `train`'}"
        )
    return found


def holds_blanked_passages(path: Path) -> bool:
    """Whether the file is a JSON list or its first line is a blanked passage."""
    try:
        line = _first_line(path).strip()
        if line.startswith("["):
            return True
        record = parse_json(line) if line.startswith("{") else None
        return isinstance(record, dict) and record.keys() >= _OF_A_RECORD
    except (OSError, ValueError, FormatError):
        return False


def cloze_example(
    passages: Sequence[BlankedPassage],
    books: Sequence[str] | None = None,
    parts: Sequence[str] | None = None,
) -> tuple[ClozeExample, ...]:
    """Without `books`, each passage is its own book."""
    texts = [text for one in passages for text in (*one.sentences, *one.candidates)]
    tokens = iter(_tokens(texts))
    examples = []
    for i, one in enumerate(passages):
        sentences = tuple(next(tokens) for _ in one.sentences)
        candidates = tuple(next(tokens) for _ in one.candidates)
        examples.append(
            ClozeExample(
                one, books[i] if books else one.id, parts[i] if parts else "", sentences, candidates
            )
        )
    return tuple(examples)


def _of_records(found: BlankedSet) -> ClozeEvaluationSet:
    examples = cloze_example(
        [one.passage for one in found.passages],
        [one.book_id for one in found.passages],
        [str(one.part) for one in found.passages],
    )
    measured, training = (
        [one for one in examples if (one.part == Part.TRAIN) == is_training]
        for is_training in (False, True)
    )
    return ClozeEvaluationSet(tuple(measured), tuple(training), found.digest)


def _tokens(texts: Sequence[str]) -> list[tuple[str, ...]]:
    cleaned = [" ".join(text.replace("\0", " ").split()) for text in texts]
    return [tuple(line.split()) for line in tokenize(normalize_many(cleaned)).lines]


def _blanks_digest(passages: Iterable[tuple[str, BlankedPassage]]) -> str:
    return _digest(
        repr((part, one.id, one.sentences, one.blanks, one.candidates, one.answers))
        for part, one in passages
    )
