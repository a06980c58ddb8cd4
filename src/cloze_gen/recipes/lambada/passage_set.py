"""The set and its control set: unfiltered passages of the same test novels (LAMBADA 4)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field

from cloze_gen.corpus.books import read_books
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.formats.lambada import passage_record
from cloze_gen.recipes.common import MOST_EXAMPLES, printed_before
from cloze_gen.recipes.lambada.committee import VERDICTS
from cloze_gen.recipes.lambada.guesses import OPEN
from cloze_gen.recipes.lambada.guessing import Verdict
from cloze_gen.recipes.lambada.passages import PASSAGES, read_passages
from cloze_gen.recipes.lambada.ranking import SIGNALS, texts_of
from cloze_gen.records.passage import SPLIT_OF, Part, Passage, Split
from cloze_gen.records.spans import TakenSpans
from cloze_gen.rng import derive_rng, stable_fraction
from cloze_gen.settings import MOST_COUNTED, SettingsGroup
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, funnel
from cloze_gen.store.tables import FEWSHOT, PASSAGE_SET, read_parquet, write_jsonl


class ControlSettings(SettingsGroup):
    n_passages: int = Field(
        5000,
        ge=0,
        le=MOST_COUNTED,
        description="passages of the control set; section 4",
    )


class Place(NamedTuple):
    """Characters `start` to `end`, exclusive, of a book."""

    id: str
    book_id: str
    start: int
    end: int


def draw_control(places: Iterable[Place], *, settings: ControlSettings, seed: int) -> list[str]:
    """Ids of random passages of `places` that do not overlap, sorted by their draws.

    >>> some = draw_control([Place(name, "b", 10 * i, 10 * i + 15) for i, name in enumerate("abcdefgh")],
    ...                     settings=ControlSettings(n_passages=9), seed=1)
    >>> 3 <= len(some) <= 4
    True
    """
    drawn: list[str] = []
    taken = TakenSpans()
    for place in sorted(
        places, key=lambda one: stable_fraction(f"lambada.control\x1f{seed}", one.id)
    ):
        if len(drawn) == settings.n_passages:
            break
        if not taken.overlaps(*place[1:]):
            taken.add(*place[1:])
            drawn.append(place.id)
    return drawn


REJECTED_SET = "rejected.jsonl"
_SIGNALS = ("read_prob", "alone_prob", "expected_yield")


@dataclass(frozen=True, slots=True)
class _PassageFacts:
    judged: str
    domains: Mapping[str, str]
    scores: Mapping[str, Mapping[str, float]]
    signals: Mapping[str, Mapping[str, float]]
    verdicts: Mapping[str, str]

    def record(self, passage: Passage, split: Split) -> dict[str, Any]:
        verdict = (
            {}
            if split == Split.CONTROL
            else {
                "verdict": self.verdicts.get(passage.id, OPEN),
                "signals": self.signals[passage.id],
            }
        )
        return passage_record(
            passage,
            split=str(split),
            domain=self.domains[passage.book_id],
            judged=self.judged if verdict and passage.id in self.verdicts else "none",
            scores=self.scores[passage.id],
            **verdict,
        )


def read_verdicts(guesses: Artifact) -> dict[str, str]:
    table = read_parquet(guesses.path(VERDICTS)).to_pydict()
    return dict(zip(table["id"], table["verdict"], strict=True))


def write_passage_set(
    writer: ArtifactWriter,
    ctx: StageContext,
    *,
    partition: Artifact,
    passages: Artifact,
    committee: Artifact,
    ranking: Artifact,
    guesses: Artifact,
    settings: ControlSettings,
    seed: int,
) -> None:
    """Write the set, the passages that guessing rejected, and few-shot examples.

    Omits control passages with the context or target sentence of another passage. Omits passages
    without a verdict as soon as others have one.
    """
    verdicts, judged = read_verdicts(guesses), str(guesses.facts["judged"])
    kept_verdicts = {OPEN} if judged == "none" else {Verdict.KEPT}
    chosen = [one for one, verdict in verdicts.items() if verdict in kept_verdicts]
    rejected = [one for one, verdict in verdicts.items() if verdict not in {OPEN, Verdict.KEPT}]
    table = read_parquet(passages.path(PASSAGES), columns=["id", "book_id", "start", "end", "part"])
    of_test = table.filter(pc.field("part") == str(Part.TEST)).drop_columns(["part"]).to_pydict()
    control = draw_control(map(Place, *of_test.values()), settings=settings, seed=seed)
    of_development = table.filter(pc.field("part") == str(Part.DEVELOPMENT))["id"]
    fewshot = _fewshot_candidates(
        ranking,
        of_head=verdicts,
        chosen=frozenset(chosen),
        of_development=of_development,
        seed=seed,
    )
    needed = frozenset((*chosen, *rejected, *control, *fewshot))
    found = {passage.id: passage for passage in read_passages(passages, which=needed.__contains__)}
    repeated = printed_before((one, texts_of(found[one])) for one in (*chosen, *control, *fewshot))
    drawn, control = control, [one for one in control if one not in repeated]
    known = _PassageFacts(
        judged,
        {row["book_id"]: row["domain"] for row in read_books(partition)},
        _rows(committee, VERDICTS, needed, without=("kept",)),
        _rows(ranking, SIGNALS, needed, only=_SIGNALS),
        verdicts,
    )
    writer.rows[PASSAGE_SET] = write_jsonl(
        writer.path(PASSAGE_SET),
        (
            *_of_parts(chosen, found, known),
            *(known.record(found[one], Split.CONTROL) for one in control),
        ),
    )
    writer.rows[REJECTED_SET] = write_jsonl(
        writer.path(REJECTED_SET), _of_parts(rejected, found, known)
    )
    shown = [found[one] for one in fewshot if one not in repeated][:MOST_EXAMPLES]
    writer.rows[FEWSHOT] = write_jsonl(
        writer.path(FEWSHOT), (known.record(one, Split.VALIDATION) for one in shown)
    )
    open_count = len(verdicts) - len(chosen) - len(rejected)
    writer.facts |= {"wanted": len(chosen), "control": len(control), "judged": judged}
    if len(drawn) > len(control):
        writer.facts["control_printed_before"] = len(drawn) - len(control)
    writer.funnel = funnel(
        "passages", kept=len(chosen), rejected={OPEN: open_count} if open_count else {}
    )
    ctx.say(f"{len(chosen):,} passages, judged: {judged}; {len(control):,} control passages")


def _of_parts(
    ids: list[str], found: Mapping[str, Passage], known: _PassageFacts
) -> Iterator[dict[str, Any]]:
    for part, split in SPLIT_OF.items():
        yield from (known.record(found[one], split) for one in ids if found[one].part == part)


def _fewshot_candidates(
    ranking: Artifact,
    *,
    of_head: Collection[str],
    chosen: Collection[str],
    of_development: pa.ChunkedArray,
    seed: int,
) -> list[str]:
    """Few-shot candidates, more than needed: some may repeat a passage of another edition."""
    table = read_parquet(
        ranking.path(SIGNALS), columns=["id", "book_id", "start", "end", "target", "expected_yield"]
    )
    rows = table.filter(pc.is_in(table["id"], of_development)).to_pylist()
    books = {row["book_id"] for row in rows if row["id"] in chosen}
    taken = TakenSpans(
        (row["book_id"], row["start"], row["end"]) for row in rows if row["id"] in of_head
    )
    left = [row for row in rows if row["id"] not in of_head and row["book_id"] in books]
    found: dict[str, str] = {}  # target -> passage
    for row in sorted(
        left,
        key=lambda row: (-row["expected_yield"], derive_rng(seed, "fewshot", row["id"]).random()),
    ):
        span = row["book_id"], row["start"], row["end"]
        if row["target"] not in found and not taken.overlaps(*span):
            taken.add(*span)
            found[row["target"]] = row["id"]
        if len(found) == 4 * MOST_EXAMPLES:
            break
    return list(found.values())


def _rows(
    artifact: Artifact,
    file: str,
    needed: frozenset[str],
    *,
    without: tuple[str, ...] = (),
    only: tuple[str, ...] = (),
) -> dict[str, dict[str, float]]:
    table = read_parquet(artifact.path(file), columns=["id", *only] if only else None).drop_columns(
        list(without)
    )
    rows = table.filter(pc.is_in(table["id"], pa.array(sorted(needed)))).to_pylist()
    return {
        row.pop("id"): {name: float(f"{value:.4g}") for name, value in row.items()} for row in rows
    }
