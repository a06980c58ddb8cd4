"""The sample items of a report: drawn by the seed, with the short form of their trace."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from cloze_gen.english.penn_tags import coarse_class
from cloze_gen.formats.lambada import cased_context
from cloze_gen.records.blanked_passage import SentenceSource, SetBlankedPassage
from cloze_gen.records.passage import SetPassage
from cloze_gen.records.question import Question
from cloze_gen.rng import derive_rng

SAMPLE_COUNT = 20


@dataclass(frozen=True, slots=True)
class Gap:
    """A gap in a sample's text; `label` is read aloud."""

    label: str
    number: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """An item as a reader meets it, and the key with its answer.

    Attributes:
        kind: the value of the report's first filter, e.g. the word class.
        about: what is shown beside the book.
        answer: an option with its letter; empty where the quotation shows the answer.
        quotation: the text of the book before the answer, the answer, and the text after it.
        scores: rows of cells, one an option; `score_columns` is their header.
        answer_row: place of the answer among the scores.
    """

    id: str
    book: str
    kind: str = ""
    about: tuple[str, ...] = ()
    paragraphs: tuple[tuple[str | Gap, ...], ...]
    options: tuple[str, ...] = ()
    answer: str = ""
    quotation: tuple[str, str, str] = ("", "", "")
    facts: tuple[tuple[str, str], ...] = ()
    score_columns: tuple[str, ...] = ()
    scores: tuple[tuple[str, ...], ...] = ()
    answer_row: int = -1


def draw_samples(n: int, *, seed: int, count: int = SAMPLE_COUNT) -> list[int]:
    """Indices of `count` of `n` questions, or of all, drawn without replacement, in order.

    >>> draw_samples(3, seed=1)
    [0, 1, 2]
    >>> len(set(draw_samples(1040, seed=1)))
    20
    """
    return sorted(
        derive_rng(seed, "report.samples").choice(n, size=min(n, count), replace=False).tolist()
    )


def _raw_file(file: str, start: int, end: int) -> tuple[tuple[str, str], ...]:
    span = f"characters {start:,} to {end:,}"
    return (("raw file", ", ".join(part for part in (file, span) if part)),)


# ---- questions

# Fields that a sample shows in other places.
_NOT_FACTS = frozenset(
    {
        "id",
        "input",
        "canary",
        "book_id",
        "tokens",
        "position",
        "options",
        "answer_index",
        "answer",
        "source",
        "option_scores",
    }
)


def sample_question(
    question: Question,
    record: Mapping[str, Any],
    *,
    candidates: Mapping[str, Any] | None = None,
    book: str = "",
    file: str = "",
) -> Sample:
    """One question for the report; extra fields of `record` become facts, source or scores."""
    before, after = stem_around_blank(question.tokens, question.position)
    source = record.get("source", {})
    place = (
        _raw_file(file, source["start"], source["end"]) if {"start", "end"} <= source.keys() else ()
    )
    scores = record.get("option_scores") or []
    columns = tuple(dict.fromkeys(name for row in scores for name in row))
    own = tuple(
        (_plain_name(name), text)
        for name, value in record.items()
        if name not in _NOT_FACTS and (text := _fact(value))
    )
    return Sample(
        id=question.id,
        book=book or question.book_id,
        kind=_word_class(record),
        paragraphs=((before, Gap("blank"), after),),
        options=question.options,
        answer=f"{chr(97 + question.answer_index)}) {question.answer}",
        quotation=(source.get("text", ""), "", ""),
        facts=(*place, *own, *_by_verdict((candidates or {}).get("candidates") or [])),
        score_columns=tuple(_plain_name(name) for name in columns),
        scores=tuple(tuple(_fact(row.get(name)) for name in columns) for row in scores),
        answer_row=question.answer_index,
    )


def _word_class(record: Mapping[str, Any]) -> str:
    """
    >>> _word_class({"answer_tag": "NNP"}), _word_class({"answer_class": "verb"}), _word_class({})
    ('proper noun', 'verb', '')
    """
    tag = str(record.get("answer_tag") or "")
    return _plain_name(str(record.get("answer_class") or (coarse_class(tag) if tag else "")))


def stem_around_blank(tokens: Sequence[str], position: int) -> tuple[str, str]:
    """The sentence before and after the blank, spaced as in print.

    >>> stem_around_blank(("I", "see", ",", "said", "he", "."), 3)
    ('I see, ', ' he.')
    >>> stem_around_blank(("He", "came", "."), 1)
    ('He ', '.')
    """
    before, after = (
        _attached(part)
        for part in (" ".join(tokens[:position]), " " + " ".join(tokens[position + 1 :]))
    )
    return f"{before} " if before else "", after.rstrip()


def _attached(text: str) -> str:
    return re.sub(r" ([,;:.?!])(?= |$)", r"\1", text)


def _by_verdict(candidates: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    words: dict[str, list[str]] = {}
    for candidate in candidates:
        verdict = _plain_name(str(candidate.get("verdict", "retained")))
        words.setdefault(verdict, []).append(str(candidate["word"]))
    return [(f"candidates, {verdict}", ", ".join(some)) for verdict, some in words.items()]


def _plain_name(name: str) -> str:
    return name.replace("_", " ")


def _fact(value: Any) -> str:
    """A value on one line; empty where it has no short form.

    >>> [_fact(value) for value in ("NN", 3.14159265, 12, ["the", "weather"], {"a": 1}, None)]
    ['NN', '3.14159', '12', 'the / weather', '', '']
    """
    if isinstance(value, list) and all(isinstance(one, str | int | float) for one in value):
        return " / ".join(_fact(one) for one in value)
    if isinstance(value, float):
        return f"{value:.6g}"
    return str(value) if isinstance(value, str | int) else ""


# ---- passages


def sample_passage(
    one: SetPassage, record: Mapping[str, Any], *, book: str = "", file: str = ""
) -> Sample:
    """The text after the target is only in the key, because guessers do not see it."""
    passage, before = one.passage, cased_context(one.passage)
    facts = [
        ("published form", str(record["text"])),
        *_raw_file(file, passage.start, passage.end),
        ("verdict", _plain_name(str(record.get("verdict", "")))),
    ]
    for member, log10_prob in record.get("scores", {}).items():
        facts.append((f"P(target), {member}", f"{10**log10_prob:.3g}"))
    for name, value in record.get("signals", {}).items():
        facts.append((_plain_name(name), f"{value:.4g}"))
    return Sample(
        id=one.id,
        book=book or one.book_id,
        kind=str(one.split),
        about=tuple(filter(None, (one.domain, str(one.split)))),
        paragraphs=((before, Gap("target")),),
        quotation=(before, passage.target, passage.closing),
        facts=tuple(fact for fact in facts if fact[1]),
    )


# ---- blanked passages


def sample_blanks(one: SetBlankedPassage, *, book: str = "", file: str = "") -> Sample:
    passage = one.passage
    gaps = {place: Gap(f"blank {i}", str(i)) for i, place in enumerate(passage.blanks, 1)}
    answered = {answer: number for number, answer in enumerate(passage.answers, 1)}
    parts = (gaps.get(place, sentence) for place, sentence in enumerate(passage.sentences))
    paragraphs = groupby(zip(one.paragraphs, parts, strict=True), key=lambda pair: pair[0])
    facts = []
    for i, source in enumerate(one.candidate_sources):
        use = f"blank {answered[i]}" if i in answered else "distractor"
        facts.append((f"{chr(97 + i)}, {use}", _place(source, one)))
    return Sample(
        id=one.id,
        book=book or one.book_id,
        kind=str(one.part),
        about=tuple(filter(None, (one.domain, str(one.part)))),
        paragraphs=tuple(
            tuple(sentence for _, sentence in of_paragraph) for _, of_paragraph in paragraphs
        ),
        options=passage.candidates,
        facts=(*facts, *_raw_file(file, one.sources[0].start, one.sources[-1].end)),
    )


def _place(source: SentenceSource, one: SetBlankedPassage) -> str:
    if source.book_id != one.book_id:
        return f"sentence {source.index} of {source.book_id}"
    first, last = one.sources[0].index, one.sources[-1].index
    if source.index < first:
        return f"sentence {source.index}, {first - source.index} before the passage"
    return f"sentence {source.index}" + (
        f", {source.index - last} after the passage" if source.index > last else ""
    )
