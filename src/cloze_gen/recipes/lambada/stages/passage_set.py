"""The finished set: the passages that stand, the control set, and those that fell when they were guessed at, as JSON lines."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from cloze_gen.formats.lambada.jsonl import passage_record
from cloze_gen.recipes.lambada.stages.decisions import OPEN, SIGNALS, VERDICTS, read_verdicts
from cloze_gen.recipes.lambada.stages.ranking import texts_of
from cloze_gen.recipes.lambada.stages.tables import PASSAGES, read_passages
from cloze_gen.recipes.lambada.steps.control import ControlSettings, Place, draw_control
from cloze_gen.recipes.lambada.steps.guessing import Verdict
from cloze_gen.recipes.questions.fewshot import MOST_EXAMPLES
from cloze_gen.recipes.questions.printed_once import printed_before
from cloze_gen.records.passage import SPLIT_OF, Part, Passage, Split
from cloze_gen.records.spans import TakenSpans
from cloze_gen.rng import derive_rng
from cloze_gen.stages.corpus.book_table import read_books
from cloze_gen.stages.room import Room
from cloze_gen.stages.tables import FEWSHOT, PASSAGE_SET
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, funnel
from cloze_gen.store.tables import read_parquet, write_jsonl

REJECTED_SET = "rejected.jsonl"
_SIGNALS = ("read_prob", "alone_prob", "expected_yield")


@dataclass(frozen=True, slots=True)
class _Known:
    """What a record says of a passage besides the passage.

    Attributes:
        scores: id -> committee member -> log10 P(target | passage), of every passage.
        signals: id -> signal -> value, of those that were looked at.
        verdicts: id -> verdict, of the head in its order.
    """

    judged: str
    domains: Mapping[str, str]
    scores: Mapping[str, Mapping[str, float]]
    signals: Mapping[str, Mapping[str, float]]
    verdicts: Mapping[str, str]

    def record(self, passage: Passage, split: Split) -> dict[str, Any]:
        verdict = {} if split == Split.CONTROL else {"verdict": self.verdicts.get(passage.id, OPEN), "signals": self.signals[passage.id]}
        return passage_record(
            passage,
            split=str(split),
            domain=self.domains[passage.book_id],
            judged=self.judged if verdict and passage.id in self.verdicts else "none",
            scores=self.scores[passage.id],
            **verdict,
        )


def write_passage_set(
    writer: ArtifactWriter,
    room: Room,
    *,
    partition: Artifact,
    passages: Artifact,
    committee: Artifact,
    ranking: Artifact,
    guesses: Artifact,
    settings: ControlSettings,
    seed: int,
) -> None:
    """Write the set and what fell last.

    Files: `passages.jsonl`, a JSON object a passage (`formats.lambada.jsonl.passage_record`) with its `split` (``validation``: of the
    development novels, ``test``, ``control``), `domain`, `judged` (``none``, ``machine``, ``human``), `scores` (committee member -> log10
    P(target | passage)) and, not of control, `verdict` (``kept``, or ``open`` where nobody has decided) and `signals`
    (`write_ranking`'s `read_prob`, `alone_prob`, `expected_yield`). The splits follow each other; within one the passages stand in the
    order of the ranking, those of control in the order of their draws, without those that print the context or the target sentence of
    another (the fact `control_printed_before` counts them). `rejected.jsonl`, the same of the passages that fell when they were
    guessed at, `verdict` saying how. Once anybody has judged, a passage that is still open is in neither. `fewshot.jsonl`, the same of
    a few passages of the development novels that the ranking left out, that overlap none of the head and print nothing of the set: examples
    for prompts.
    """
    verdicts, judged = read_verdicts(guesses), str(guesses.facts["judged"])
    standing = {OPEN} if judged == "none" else {Verdict.KEPT}
    chosen = [one for one, verdict in verdicts.items() if verdict in standing]
    fallen = [one for one, verdict in verdicts.items() if verdict not in {OPEN, Verdict.KEPT}]
    table = read_parquet(passages.path(PASSAGES), columns=["id", "book_id", "start", "end", "part"])
    of_test = table.filter(pc.field("part") == str(Part.TEST)).drop_columns(["part"]).to_pydict()
    control = draw_control(map(Place, *of_test.values()), settings=settings, seed=seed)
    of_development = table.filter(pc.field("part") == str(Part.DEVELOPMENT))["id"]
    spare = _spare(ranking, of_head=verdicts, chosen=frozenset(chosen), of_development=of_development, seed=seed)
    asked = frozenset((*chosen, *fallen, *control, *spare))
    found = {passage.id: passage for passage in read_passages(passages, which=asked.__contains__)}
    repeated = printed_before((one, texts_of(found[one])) for one in (*chosen, *control, *spare))
    drawn, control = control, [one for one in control if one not in repeated]
    known = _Known(
        judged,
        {row["book_id"]: row["domain"] for row in read_books(partition)},
        _rows(committee, VERDICTS, asked, without=("kept",)),
        _rows(ranking, SIGNALS, asked, only=_SIGNALS),
        verdicts,
    )
    writer.rows[PASSAGE_SET] = write_jsonl(
        writer.path(PASSAGE_SET), (*_of_parts(chosen, found, known), *(known.record(found[one], Split.CONTROL) for one in control))
    )
    writer.rows[REJECTED_SET] = write_jsonl(writer.path(REJECTED_SET), _of_parts(fallen, found, known))
    shown = [found[one] for one in spare if one not in repeated][:MOST_EXAMPLES]
    writer.rows[FEWSHOT] = write_jsonl(writer.path(FEWSHOT), (known.record(one, Split.VALIDATION) for one in shown))
    left = len(verdicts) - len(chosen) - len(fallen)
    writer.facts |= {"wanted": len(chosen), "control": len(control), "judged": judged}
    if len(drawn) > len(control):
        writer.facts["control_printed_before"] = len(drawn) - len(control)
    writer.funnel = funnel("passages", kept=len(chosen), rejected={OPEN: left} if left else {})
    room.say(f"{len(chosen):,} passages, judged: {judged}; {len(control):,} of control")


def _of_parts(ids: list[str], found: Mapping[str, Passage], known: _Known) -> Iterator[dict[str, Any]]:
    """Records of passages, development before test."""
    for part, split in SPLIT_OF.items():
        yield from (known.record(found[one], split) for one in ids if found[one].part == part)


def _spare(
    ranking: Artifact, *, of_head: Collection[str], chosen: Collection[str], of_development: pa.ChunkedArray, seed: int
) -> list[str]:
    """Passages that the ranking left out, likeliest to be guessed first, of books with a chosen one; none overlaps the head or another.

    A few more than are shown, for some may be printed as a passage of the set in another edition.
    """
    table = read_parquet(ranking.path(SIGNALS), columns=["id", "book_id", "start", "end", "target", "expected_yield"])
    rows = table.filter(pc.is_in(table["id"], of_development)).to_pylist()
    books = {row["book_id"] for row in rows if row["id"] in chosen}
    taken = TakenSpans((row["book_id"], row["start"], row["end"]) for row in rows if row["id"] in of_head)
    left = [row for row in rows if row["id"] not in of_head and row["book_id"] in books]
    found: dict[str, str] = {}  # target -> passage
    for row in sorted(left, key=lambda row: (-row["expected_yield"], derive_rng(seed, "fewshot", row["id"]).random())):
        span = row["book_id"], row["start"], row["end"]
        if row["target"] not in found and not taken.overlaps(*span):
            taken.add(*span)
            found[row["target"]] = row["id"]
        if len(found) == 4 * MOST_EXAMPLES:
            break
    return list(found.values())


def _rows(
    artifact: Artifact, file: str, asked: frozenset[str], *, without: tuple[str, ...] = (), only: tuple[str, ...] = ()
) -> dict[str, dict[str, float]]:
    """Id -> column -> number, rounded to what tells, of the passages asked for."""
    table = read_parquet(artifact.path(file), columns=["id", *only] if only else None).drop_columns(list(without))
    rows = table.filter(pc.is_in(table["id"], pa.array(sorted(asked)))).to_pylist()
    return {row.pop("id"): {name: float(f"{value:.4g}") for name, value in row.items()} for row in rows}
