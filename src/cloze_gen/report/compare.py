"""Two runs side by side: which settings differ, how funnel and baselines moved, which of their items are shared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from cloze_gen.records.blanked_passage import SetBlankedPassage
from cloze_gen.records.question import Question
from cloze_gen.report.compare_answers import Answered, paired_lines
from cloze_gen.report.data import EvaluationRow
from cloze_gen.report.funnel import FunnelStep

_APART = ("adversary", "human")
_LEAST_LABEL, _LEAST_NAME = 28, 32  # columns of a baseline's name, and of a setting's


@dataclass(frozen=True, slots=True)
class ComparedPassage:
    """A passage as two runs may share it: by its id it ends in the same sentence of the same book.

    Attributes:
        text: the passage up to its target, as the book has it.
        scores: committee member -> log10 P(target | passage).
    """

    id: str
    split: str
    target: str
    text: str
    scores: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What a comparison reads of one run.

    Attributes:
        settings: stage.key -> value as JSON text.
        fingerprints: stage label -> fingerprint of its artifact.
        noun: of one of its items.
        questions, passages, blanked: its items, as what they are; the others are empty.
        answered: how its baselines answered its blanked passages.
    """

    name: str
    signature: str
    seed: int
    settings: Mapping[str, str]
    fingerprints: Mapping[str, str]
    steps: Sequence[FunnelStep]
    baselines: Sequence[EvaluationRow]
    noun: str
    questions: Sequence[Question] = ()
    passages: Sequence[ComparedPassage] = ()
    blanked: Sequence[SetBlankedPassage] = ()
    answered: Answered = field(default_factory=dict)


def comparison_text(one: RunFacts, other: RunFacts) -> str:
    """The comparison for a terminal, `one` left and `other` right."""
    lines = [f"left   {one.signature}", f"right  {other.signature}"]
    adversaries, people, others = ([[row for row in run.baselines if _apart(row) == apart] for run in (one, other)]
                                   for apart in (*_APART, ""))  # fmt: skip
    for title, found in (
        *([("a trained adversary picks the answer in", _baselines(*adversaries))] if any(adversaries) else []),
        *([("people get right", _baselines(*people, lacks="nobody was asked: {}"))] if any(people) else []),
        ("settings that differ", _settings(one, other)),
        ("stages made of something else", _stages(one, other)),
        ("funnel", _funnel(one, other)),
        ("baselines", _baselines(*others)),
        *_items(one, other),
    ):
        lines += ["", title, *(f"  {line}" for line in found)]
    return "\n".join(lines)


def _apart(row: EvaluationRow) -> str:
    """The kind of a row that is not to be read among the others; empty of these."""
    return row.kind if row.kind in _APART else ""


def _items(one: RunFacts, other: RunFacts) -> Iterator[tuple[str, Iterator[str]]]:
    kinds = [tuple(map(bool, (run.questions, run.passages, run.blanked))) for run in (one, other)]
    if one.noun != other.noun or (all(map(any, kinds)) and kinds[0] != kinds[1]):
        what = [f"blanked {run.noun}s" if run.blanked else f"{run.noun}s" for run in (one, other)]
        yield "items", iter([f"{what[0]} left, {what[1]} right: none can be the same"])
    elif one.blanked or other.blanked:
        yield "passages", _blanked(one.blanked, other.blanked)
        if one.answered and other.answered:
            yield "blank accuracy on passages in both", paired_lines(one.answered, other.answered, seed=one.seed)
    elif one.passages or other.passages:
        yield "passages", _passages(one.passages, other.passages)
    else:
        yield f"{one.noun}s", _questions(one.questions, other.questions)


def _settings(one: RunFacts, other: RunFacts) -> Iterator[str]:
    left, right = {"seed": str(one.seed), **one.settings}, {"seed": str(other.seed), **other.settings}
    names = [name for name in _all_of(left, right) if left.get(name) != right.get(name)]
    width = max([_LEAST_NAME, *map(len, names)])
    yield from (f"{name:<{width}} {left.get(name, '-')} -> {right.get(name, '-')}" for name in names)
    if not names:
        yield "none"


def _stages(one: RunFacts, other: RunFacts) -> Iterator[str]:
    """The earliest difference is the cause of those after it, so the stages come in the order of the run."""
    left, right = one.fingerprints, other.fingerprints
    names = [name for name in _all_of(left, right) if left.get(name) != right.get(name)]
    yield f"{len(_all_of(left, right)) - len(names)} stages are the same artifact in both"
    for name in names:
        yield f"{name:<24} {'only left' if name not in right else 'only right' if name not in left else 'differs'}"


def _funnel(one: RunFacts, other: RunFacts) -> Iterator[str]:
    left, right = ({step.stage: step for step in run.steps} for run in (one, other))
    for name in _all_of(left, right):
        a, b = left.get(name), right.get(name)
        unit = a.unit if a else b.unit if b else ""
        kept = (a.kept if a else None, b.kept if b else None)
        yield f"{name:<22}{_count(kept[0]):>10} -> {_count(kept[1]):>10} {unit} kept{_moved(*kept)}"
        before, after = (step.rejected if step else {} for step in (a, b))
        for reason in sorted(before.keys() | after.keys()):
            if before.get(reason, 0) != after.get(reason, 0):
                yield f"    {reason:<38} {before.get(reason, 0):>10,} -> {after.get(reason, 0):>10,}"


def _baselines(
    one: Sequence[EvaluationRow], other: Sequence[EvaluationRow], *, lacks: str = "not evaluated: {} (cloze-gen evaluate RUN)"
) -> Iterator[str]:
    left, right = ({row.name: row for row in rows} for rows in (one, other))
    if not left or not right:
        missing = " and ".join(side for side, rows in (("left", left), ("right", right)) if not rows)
        yield lacks.format(missing)
    width = max([_LEAST_LABEL, *(len(name) + 1 for name in _all_of(left, right))])
    for name in _all_of(left, right):
        a, b = left.get(name), right.get(name)
        apart = "  intervals apart" if a and b and (a.high < b.low or b.high < a.low) else ""
        yield f"{name:<{width}}{_share(a):>8} -> {_share(b):>8}{apart}"


def _questions(one: Sequence[Question], other: Sequence[Question]) -> Iterator[str]:
    """Shared by id (book, sentence, position): the same blank. An id's options may still differ."""
    left, right = {question.id: question for question in one}, {question.id: question for question in other}
    shared = [item for item in left if item in right]
    same_options = [item for item in shared if set(left[item].options) == set(right[item].options)]
    same_order = [item for item in same_options if left[item].options == right[item].options]
    sentences = {(question.book_id, question.tokens) for question in one} & {(question.book_id, question.tokens) for question in other}
    yield f"{len(left):,} left, {len(right):,} right"
    yield f"{len(shared):,} blanks in both; {len(same_options):,} of them with the same options, {len(same_order):,} in the same order"
    yield f"{len(sentences):,} sentences in both, whichever word is blank"
    yield from _only(list(left), list(right))


def _passages(one: Sequence[ComparedPassage], other: Sequence[ComparedPassage]) -> Iterator[str]:
    """Shared by id (book, sentence): they end in the same word of the same sentence. Their beginnings and scores may still differ."""
    left, right = ({passage.id: passage for passage in passages} for passages in (one, other))
    shared = [(left[item], right[item]) for item in left if item in right]
    sizes = [Counter(passage.split for passage in passages) for passages in (one, other)]
    for split in _all_of(*sizes):
        both = sum(a.split == b.split == split for a, b in shared)
        yield f"{split}: {sizes[0][split]:,} left, {sizes[1][split]:,} right, {both:,} in both"
    same_target, same_text = (sum(getattr(a, name) == getattr(b, name) for a, b in shared) for name in ("target", "text"))
    yield f"{len(shared):,} passages in both; {same_target:,} of them with the same target, {same_text:,} with the same text"
    targets = [{passage.target.casefold() for passage in passages} for passages in (one, other)]
    yield f"{len(targets[0]):,} different targets left, {len(targets[1]):,} right, {len(targets[0] & targets[1]):,} in both"
    for member in _all_of(*({name: 0 for a in passages for name in a.scores} for passages in (one, other))):
        means = [_mean([p.scores[member] for p in passages if member in p.scores]) for passages in (one, other)]
        moved = sum(a.scores[member] != b.scores[member] for a, b in shared if member in a.scores and member in b.scores)
        yield f"mean log10 P(target) by {member}: {means[0]} -> {means[1]}; {moved:,} of those in both are scored otherwise"
    yield from _only(list(left), list(right))


def _blanked(one: Sequence[SetBlankedPassage], other: Sequence[SetBlankedPassage]) -> Iterator[str]:
    """Shared by id (book, first sentence). What was blanked, what else is offered and in which order may still differ."""
    left, right = ({passage.id: passage for passage in passages} for passages in (one, other))
    shared = [(left[item], right[item]) for item in left if item in right]
    sizes = [Counter(str(passage.part) for passage in passages) for passages in (one, other)]
    for part in _all_of(*sizes):
        yield f"{part}: {sizes[0][part]:,} left, {sizes[1][part]:,} right, {sum(a.part == b.part == part for a, b in shared):,} in both"
    same_text = [(a, b) for a, b in shared if a.passage.sentences == b.passage.sentences]
    same_blanks = [(a, b) for a, b in same_text if a.passage.blanks == b.passage.blanks]
    same_candidates = [(a, b) for a, b in same_blanks if set(a.passage.candidates) == set(b.passage.candidates)]
    same_order = sum(a.passage.candidates == b.passage.candidates for a, b in same_candidates)
    yield f"{len(shared):,} passages in both; {len(same_text):,} of them with the same sentences, {len(same_blanks):,} with the same blanks"
    yield f"{len(same_candidates):,} with the same candidates besides, {same_order:,} in the same order"
    yield from _only(list(left), list(right))


def _only(left: Sequence[str], right: Sequence[str]) -> Iterator[str]:
    """The first items that one side alone has."""
    for side, ids, rest in (("left", left, frozenset(right)), ("right", right, frozenset(left))):
        only = [item for item in ids if item not in rest]
        if only:
            yield f"only {side}: {', '.join(only[:3])}{f' and {len(only) - 3:,} more' if len(only) > 3 else ''}"


def _mean(values: Sequence[float]) -> str:
    return f"{fmean(values):.3f}" if values else "-"


def _all_of(left: Mapping[str, object], right: Mapping[str, object]) -> list[str]:
    """Keys of both, in the order of the first, then of the second."""
    return list(dict.fromkeys([*left, *right]))


def _count(value: int | None) -> str:
    return "-" if value is None else f"{value:,}"


def _share(row: EvaluationRow | None) -> str:
    return "-" if row is None else f"{100 * row.accuracy:.1f} %"


def _moved(before: int | None, after: int | None) -> str:
    """How a count moved, as a signed percentage.

    >>> _moved(100, 150), _moved(100, 100), _moved(0, 3)
    (' (+50 %)', '', '')
    """
    if not before or after is None or before == after:
        return ""
    return f" ({100 * (after - before) / before:+.3g} %)"
