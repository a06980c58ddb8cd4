"""Sample questions of a report: drawn by the seed, told with the short form of their trace."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from cloze_gen.records.question import Question
from cloze_gen.report.data import SampleQuestion
from cloze_gen.rng import derive_rng

SAMPLE_COUNT = 20
# Told in their own places of a sample, so not again among its facts.
_TOLD = frozenset(
    {"id", "input", "canary", "book_id", "tokens", "position", "options", "answer_index", "answer", "source", "option_scores"}
)


def draw_samples(n: int, *, seed: int, count: int = SAMPLE_COUNT) -> list[int]:
    """Indices of `count` of `n` questions (all, when there are fewer), drawn without replacement, in the set's order.

    >>> draw_samples(3, seed=1)
    [0, 1, 2]
    >>> len(set(draw_samples(1040, seed=1)))
    20
    """
    return sorted(derive_rng(seed, "report.samples").choice(n, size=min(n, count), replace=False).tolist())


def sample_question(
    question: Question, record: Mapping[str, Any], *, candidates: Mapping[str, Any] | None = None, book: str = "", file: str = ""
) -> SampleQuestion:
    """One question for the report.

    Args:
        record: its line of ``questions.jsonl``; whatever it holds beyond the question becomes a fact, a source or a row of scores.
        candidates: its line of ``candidates.jsonl``, if the run has one.
        book: title of the book, or its id; `file`: name of its raw file.
    """
    before, after = stem_around_blank(question.tokens, question.position)
    source = record.get("source", {})
    span = f"characters {source['start']:,} to {source['end']:,}" if {"start", "end"} <= source.keys() else ""
    scores = record.get("option_scores") or []
    columns = tuple(dict.fromkeys(name for row in scores for name in row))
    return SampleQuestion(
        id=question.id,
        book=book or question.book_id,
        before=before,
        after=after,
        options=question.options,
        answer_index=question.answer_index,
        source=source.get("text", ""),
        place=", ".join(part for part in (file, span) if part),
        facts=tuple((_words(name), text) for name, value in record.items() if name not in _TOLD and (text := _fact(value))),
        score_columns=tuple(_words(name) for name in columns),
        score_rows=tuple(tuple(_fact(row.get(name)) for name in columns) for row in scores),
        candidates=_by_verdict((candidates or {}).get("candidates") or []),
    )


def stem_around_blank(tokens: Sequence[str], position: int) -> tuple[str, str]:
    """The sentence before and after the blank, marks attached to their words for a reader.

    >>> stem_around_blank(("I", "see", ",", "said", "he", "."), 3)
    ('I see, ', ' he.')
    >>> stem_around_blank(("He", "came", "."), 1)
    ('He ', '.')
    """
    before, after = (_attached(part) for part in (" ".join(tokens[:position]), " " + " ".join(tokens[position + 1 :])))
    return f"{before} " if before else "", after.rstrip()


def _attached(text: str) -> str:
    return re.sub(r" ([,;:.?!])(?= |$)", r"\1", text)


def _by_verdict(candidates: Sequence[Mapping[str, Any]]) -> tuple[tuple[str, str], ...]:
    """Words by verdict, each list in the order given (the best forward score first)."""
    words: dict[str, list[str]] = {}
    for candidate in candidates:
        words.setdefault(_words(str(candidate.get("verdict", "retained"))), []).append(str(candidate["word"]))
    return tuple((verdict, ", ".join(found)) for verdict, found in words.items())


def _words(name: str) -> str:
    return name.replace("_", " ")


def _fact(value: Any) -> str:
    """A value in one line; empty for what a line cannot tell.

    >>> [_fact(value) for value in ("NN", 3.14159265, 12, ["the", "weather"], {"a": 1}, None)]
    ['NN', '3.14159', '12', 'the / weather', '', '']
    """
    if isinstance(value, list) and all(isinstance(one, str | int | float) for one in value):
        return " / ".join(_fact(one) for one in value)
    if isinstance(value, float):
        return f"{value:.6g}"
    return str(value) if isinstance(value, str | int) else ""
