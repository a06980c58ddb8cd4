"""Comparison of two runs: settings, funnel, baselines and shared items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

import numpy as np

from cloze_gen.evaluation.blanks import AnswerCounts, bootstrap_draws, paired_difference
from cloze_gen.evaluation.rows import Row
from cloze_gen.records.blanked_passage import SetBlankedPassage
from cloze_gen.records.question import Question
from cloze_gen.records.rejection import FunnelStep

# baseline with its context -> passage id -> numbers of blanks, right blanks, and blanks answered with
# a distractor
Answered = Mapping[str, Mapping[str, tuple[int, int, int]]]


def paired_lines(one: Answered, other: Answered, *, seed: int) -> Iterator[str]:
    """A line for each shared baseline: BA of both runs and the difference in points, 95 % interval.

    The bootstrap is by passage and paired. Passages are matched by id; their blanks and candidates
    may differ.
    """
    for name in one:
        shared = [passage for passage in one[name] if passage in other.get(name, {})]
        if shared:
            left, right = (
                _counts([of[name][passage] for passage in shared]) for of in (one, other)
            )
            gained, low, high = paired_difference(
                left, right, bootstrap_draws(len(shared), seed=seed)
            )
            shares = " -> ".join(
                f"{100 * float((side.right / side.blanks).mean()):.1f} %" for side in (left, right)
            )
            yield (
                f"{name:<28}{shares}, {100 * gained:+.1f} ({100 * low:+.1f} to {100 * high:+.1f}) "
                f"over {len(shared):,} passages"
            )


def _counts(passages: Sequence[tuple[int, int, int]]) -> AnswerCounts:
    table = np.array(passages, np.int64)
    return AnswerCounts(table[:, 0], table[:, 1], table[:, 2])


_SEPARATE_KINDS = ("adversary", "human")
_LEAST_LABEL, _LEAST_NAME = 28, 32  # widths of the names of baselines and settings


@dataclass(frozen=True, slots=True)
class ComparedPassage:
    """A passage up to its target; `scores`: committee member -> log10 P(target | passage)."""

    id: str
    split: str
    target: str
    text: str
    scores: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class RunFacts:
    """One run in a comparison; `settings`: stage.key -> value as JSON text."""

    name: str
    signature: str
    seed: int
    settings: Mapping[str, str]
    fingerprints: Mapping[str, str]
    steps: Sequence[FunnelStep]
    baselines: Sequence[Row]
    noun: str
    questions: Sequence[Question] = ()
    passages: Sequence[ComparedPassage] = ()
    blanked: Sequence[SetBlankedPassage] = ()
    answered: Answered = field(default_factory=dict)


def comparison_text(one: RunFacts, other: RunFacts) -> str:
    lines = [f"left   {one.signature}", f"right  {other.signature}"]
    adversaries, people, others = ([[row for row in run.baselines if _separate_kind(row) == kind] for run in (one, other)]
                                   for kind in (*_SEPARATE_KINDS, ""))  # fmt: skip
    for title, found in (
        *(
            [("accuracy of trained adversaries", _baselines(*adversaries))]
            if any(adversaries)
            else []
        ),
        *(
            [("human accuracy", _baselines(*people, missing_text="no human answers: {}"))]
            if any(people)
            else []
        ),
        ("different settings", _settings(one, other)),
        ("different stages", _stages(one, other)),
        ("funnel", _funnel(one, other)),
        ("baselines", _baselines(*others)),
        *_items(one, other),
    ):
        lines += ["", title, *(f"  {line}" for line in found)]
    return "\n".join(lines)


def _separate_kind(row: Row) -> str:
    return row.kind if row.kind in _SEPARATE_KINDS else ""


def _items(one: RunFacts, other: RunFacts) -> Iterator[tuple[str, Iterator[str]]]:
    kinds = [tuple(map(bool, (run.questions, run.passages, run.blanked))) for run in (one, other)]
    if one.noun != other.noun or (all(map(any, kinds)) and kinds[0] != kinds[1]):
        nouns = [f"blanked {run.noun}s" if run.blanked else f"{run.noun}s" for run in (one, other)]
        yield "items", iter([f"{nouns[0]} left, {nouns[1]} right: no shared items"])
    elif one.blanked or other.blanked:
        yield "passages", _blanked(one.blanked, other.blanked)
        if one.answered and other.answered:
            yield (
                "blank accuracy on passages in both",
                paired_lines(one.answered, other.answered, seed=one.seed),
            )
    elif one.passages or other.passages:
        yield "passages", _passages(one.passages, other.passages)
    else:
        yield f"{one.noun}s", _questions(one.questions, other.questions)


def _settings(one: RunFacts, other: RunFacts) -> Iterator[str]:
    left, right = (
        {"seed": str(one.seed), **one.settings},
        {"seed": str(other.seed), **other.settings},
    )
    names = [name for name in _all_of(left, right) if left.get(name) != right.get(name)]
    width = max([_LEAST_NAME, *map(len, names)])
    yield from (
        f"{name:<{width}} {left.get(name, '-')} -> {right.get(name, '-')}" for name in names
    )
    if not names:
        yield "none"


def _stages(one: RunFacts, other: RunFacts) -> Iterator[str]:
    """In run order: the earliest difference is the cause of those after it."""
    left, right = one.fingerprints, other.fingerprints
    names = [name for name in _all_of(left, right) if left.get(name) != right.get(name)]
    yield f"{len(_all_of(left, right)) - len(names)} stages have the same artifact in both"
    for name in names:
        yield (
            f"{name:<24} "
            f"{'only left' if name not in right else 'only right' if name not in left else 'differs'}"
        )


def _funnel(one: RunFacts, other: RunFacts) -> Iterator[str]:
    left, right = ({step.stage: step for step in run.steps} for run in (one, other))
    for name in _all_of(left, right):
        a, b = left.get(name), right.get(name)
        unit = a.unit if a else b.unit if b else ""
        kept = (a.kept if a else None, b.kept if b else None)
        yield f"{name:<22}{_count(kept[0]):>10} -> {_count(kept[1]):>10} {unit} kept{_change(*kept)}"
        before, after = (step.rejected if step else {} for step in (a, b))
        for reason in sorted(before.keys() | after.keys()):
            if before.get(reason, 0) != after.get(reason, 0):
                yield (
                    f"    {reason:<38} {before.get(reason, 0):>10,} -> {after.get(reason, 0):>10,}"
                )


def _baselines(
    one: Sequence[Row],
    other: Sequence[Row],
    *,
    missing_text: str = "not evaluated: {} (run cloze-gen evaluate RUN)",
) -> Iterator[str]:
    left, right = ({row.label: row.share for row in rows} for rows in (one, other))
    if not left or not right:
        missing = " and ".join(
            side for side, rows in (("left", left), ("right", right)) if not rows
        )
        yield missing_text.format(missing)
    width = max([_LEAST_LABEL, *(len(name) + 1 for name in _all_of(left, right))])
    for name in _all_of(left, right):
        a, b = left.get(name), right.get(name)
        mark = "  intervals do not overlap" if a and b and (a[2] < b[1] or b[2] < a[1]) else ""
        yield f"{name:<{width}}{_share(a):>8} -> {_share(b):>8}{mark}"


def _questions(one: Sequence[Question], other: Sequence[Question]) -> Iterator[str]:
    """Shared by id (book, sentence, position); the options may still differ."""
    left, right = (
        {question.id: question for question in one},
        {question.id: question for question in other},
    )
    shared = [item for item in left if item in right]
    same_options = [item for item in shared if set(left[item].options) == set(right[item].options)]
    same_order = [item for item in same_options if left[item].options == right[item].options]
    sentences = {(question.book_id, question.tokens) for question in one} & {
        (question.book_id, question.tokens) for question in other
    }
    yield f"{len(left):,} left, {len(right):,} right"
    yield (
        f"{len(shared):,} blanks in both; {len(same_options):,} of them with the same options, "
        f"{len(same_order):,} in the same order"
    )
    yield f"{len(sentences):,} sentences in both, with the same or another blank"
    yield from _only(list(left), list(right))


def _passages(one: Sequence[ComparedPassage], other: Sequence[ComparedPassage]) -> Iterator[str]:
    """Shared by id (book, sentence); text and scores may still differ."""
    left, right = ({passage.id: passage for passage in passages} for passages in (one, other))
    shared = [(left[item], right[item]) for item in left if item in right]
    sizes = [Counter(passage.split for passage in passages) for passages in (one, other)]
    for split in _all_of(*sizes):
        both = sum(a.split == b.split == split for a, b in shared)
        yield f"{split}: {sizes[0][split]:,} left, {sizes[1][split]:,} right, {both:,} in both"
    same_target, same_text = (
        sum(getattr(a, name) == getattr(b, name) for a, b in shared) for name in ("target", "text")
    )
    yield (
        f"{len(shared):,} passages in both; {same_target:,} of them with the same target, "
        f"{same_text:,} with the same text"
    )
    targets = [{passage.target.casefold() for passage in passages} for passages in (one, other)]
    yield (
        f"{len(targets[0]):,} different targets left, {len(targets[1]):,} right, "
        f"{len(targets[0] & targets[1]):,} in both"
    )
    for member in _all_of(
        *({name: 0 for a in passages for name in a.scores} for passages in (one, other))
    ):
        means = [
            _mean([p.scores[member] for p in passages if member in p.scores])
            for passages in (one, other)
        ]
        moved = sum(
            a.scores[member] != b.scores[member]
            for a, b in shared
            if member in a.scores and member in b.scores
        )
        yield (
            f"mean log10 P(target) by {member}: {means[0]} -> {means[1]}; {moved:,} passages in "
            "both have different scores"
        )
    yield from _only(list(left), list(right))


def _blanked(one: Sequence[SetBlankedPassage], other: Sequence[SetBlankedPassage]) -> Iterator[str]:
    """Shared by id (book, first sentence); blanks, candidates and their order may still differ."""
    left, right = ({passage.id: passage for passage in passages} for passages in (one, other))
    shared = [(left[item], right[item]) for item in left if item in right]
    sizes = [Counter(str(passage.part) for passage in passages) for passages in (one, other)]
    for part in _all_of(*sizes):
        yield (
            f"{part}: {sizes[0][part]:,} left, {sizes[1][part]:,} right, "
            f"{sum(a.part == b.part == part for a, b in shared):,} in both"
        )
    same_text = [(a, b) for a, b in shared if a.passage.sentences == b.passage.sentences]
    same_blanks = [(a, b) for a, b in same_text if a.passage.blanks == b.passage.blanks]
    same_candidates = [
        (a, b) for a, b in same_blanks if set(a.passage.candidates) == set(b.passage.candidates)
    ]
    same_order = sum(a.passage.candidates == b.passage.candidates for a, b in same_candidates)
    yield (
        f"{len(shared):,} passages in both; {len(same_text):,} of them with the same sentences, "
        f"{len(same_blanks):,} with the same blanks"
    )
    yield (
        f"{len(same_candidates):,} also with the same candidates, {same_order:,} in the same order"
    )
    yield from _only(list(left), list(right))


def _only(left: Sequence[str], right: Sequence[str]) -> Iterator[str]:
    for side, ids, rest in (("left", left, frozenset(right)), ("right", right, frozenset(left))):
        only = [item for item in ids if item not in rest]
        if only:
            yield (
                f"only {side}: "
                f"{', '.join(only[:3])}{f' and {len(only) - 3:,} more' if len(only) > 3 else ''}"
            )


def _mean(values: Sequence[float]) -> str:
    return f"{fmean(values):.3f}" if values else "-"


def _all_of(left: Mapping[str, object], right: Mapping[str, object]) -> list[str]:
    return list(dict.fromkeys([*left, *right]))


def _count(value: int | None) -> str:
    return "-" if value is None else f"{value:,}"


def _share(share: tuple[float, float, float] | None) -> str:
    return "-" if share is None else f"{100 * share[0]:.1f} %"


def _change(before: int | None, after: int | None) -> str:
    """How a count moved, as a signed percentage.

    >>> _change(100, 150), _change(100, 100), _change(0, 3)
    (' (+50 %)', '', '')
    """
    if not before or after is None or before == after:
        return ""
    return f" ({100 * (after - before) / before:+.3g} %)"
