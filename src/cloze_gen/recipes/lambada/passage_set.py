"""The set and its control set: unfiltered passages of the same test novels (LAMBADA 4)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
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
from cloze_gen.recipes.lambada.guesses import GUESSED, OPEN
from cloze_gen.recipes.lambada.guessing import Verdict
from cloze_gen.recipes.lambada.passages import PASSAGES, read_passages
from cloze_gen.recipes.lambada.ranking import SIGNALS, texts_of
from cloze_gen.records.passage import SPLIT_OF, Part, Passage, Split
from cloze_gen.records.spans import TakenSpans
from cloze_gen.rng import stable_fraction
from cloze_gen.settings import MOST_COUNTED, SettingsGroup
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, funnel
from cloze_gen.store.tables import FEWSHOT, PASSAGE_SET, read_parquet, write_jsonl

REJECTED_SET = "rejected.jsonl"
_PLACE = ["id", "book_id", "start", "end"]
_SIGNALS = ["read_prob", "alone_prob", "expected_yield"]  # of the records of the set


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
    purpose = f"lambada.control\x1f{seed}"
    for place in sorted(places, key=lambda place: stable_fraction(purpose, place.id)):
        if len(drawn) == settings.n_passages:
            break
        if not taken.overlaps(*place[1:]):
            taken.add(*place[1:])
            drawn.append(place.id)
    return drawn


def draw_fewshot(
    examined: Iterable[Mapping[str, Any]],
    *,
    ranked: Collection[str],
    books: Collection[str],
    seed: int,
) -> list[str]:
    """Ids of development passages that are not ranked, of other targets, by their expected yield.

    There are more than the set shows: some may repeat a passage of another edition.

    Args:
        examined: rows of `SIGNALS`.
        books: a release lists only the books of its passages.
    """
    rows = [row for row in examined if row["book_id"] in books]
    taken = TakenSpans(
        (row["book_id"], row["start"], row["end"]) for row in rows if row["id"] in ranked
    )
    purpose = f"fewshot\x1f{seed}"
    left = [row for row in rows if row["id"] not in ranked]
    left.sort(key=lambda row: (-row["expected_yield"], stable_fraction(purpose, row["id"])))
    drawn: dict[str, str] = {}  # target -> passage
    for row in left:
        span = (row["book_id"], row["start"], row["end"])
        if row["target"] not in drawn and not taken.overlaps(*span):
            taken.add(*span)
            drawn[row["target"]] = row["id"]
    return list(drawn.values())[: 4 * MOST_EXAMPLES]


@dataclass(frozen=True, slots=True)
class _Records:
    """Makes the records of passages; each mapping is by id of the passage, `domains` by book."""

    passages: Mapping[str, Passage]
    domains: Mapping[str, str]
    scores: Mapping[str, Mapping[str, float]]
    signals: Mapping[str, Mapping[str, float]]
    verdicts: Mapping[str, str]
    judged: str

    def of_split(self, ids: Iterable[str], split: Split) -> list[dict[str, Any]]:
        return [self._record(self.passages[passage_id], split) for passage_id in ids]

    def of_parts(self, ids: Collection[str]) -> list[dict[str, Any]]:
        """The records of each part's split, one split after the other."""
        records = []
        for part, split in SPLIT_OF.items():
            of_part = [one for one in ids if self.passages[one].part == part]
            records += self.of_split(of_part, split)
        return records

    def _record(self, passage: Passage, split: Split) -> dict[str, Any]:
        record = passage_record(
            passage,
            split=str(split),
            domain=self.domains[passage.book_id],
            judged="none",
            scores=self.scores[passage.id],
        )
        if split == Split.CONTROL:
            return record
        if passage.id in self.verdicts:
            record["judged"] = self.judged
        record["verdict"] = self.verdicts.get(passage.id, OPEN)
        record["signals"] = self.signals[passage.id]
        return record


def _by_id(table: pa.Table, ids: pa.Array) -> dict[str, dict[str, float]]:
    """Id -> the other columns of its row, to four digits."""
    rows = table.filter(pc.is_in(table["id"], ids)).to_pylist()
    return {
        row.pop("id"): {name: float(f"{value:.4g}") for name, value in row.items()} for row in rows
    }


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
    wanted: int,
    seed: int,
) -> None:
    """Write the set, the passages that guessing rejected, and few-shot examples.

    Omits control passages with the context or target sentence of another passage. Omits passages
    without a verdict as soon as others have one.
    """
    judged = str(guesses.facts["judged"])
    table = GUESSED.read(guesses.path(GUESSED.name)).to_pydict()
    verdicts = dict(zip(table["id"], table["verdict"], strict=True))
    kept_as = OPEN if judged == "none" else Verdict.KEPT
    chosen = [one for one, verdict in verdicts.items() if verdict == kept_as]
    rejected = [one for one, verdict in verdicts.items() if verdict not in {OPEN, Verdict.KEPT}]
    places = PASSAGES.read(passages.path(PASSAGES.name), [*_PLACE, "part"])
    is_test = pc.equal(places["part"].cast(pa.string()), str(Part.TEST))
    test_places = places.filter(is_test).select(_PLACE).to_pylist()
    drawn = draw_control((Place(**row) for row in test_places), settings=settings, seed=seed)
    signals = SIGNALS.read(ranking.path(SIGNALS.name))
    of_development = pc.is_in(signals["id"], places.filter(pc.invert(is_test))["id"])
    examined = signals.filter(of_development).to_pylist()
    candidates = draw_fewshot(
        examined,
        ranked=verdicts,
        books={row["book_id"] for row in examined if verdicts.get(row["id"]) == kept_as},
        seed=seed,
    )
    needed = {*chosen, *rejected, *drawn, *candidates}
    found = {one.id: one for one in read_passages(passages, which=needed.__contains__)}
    repeated = printed_before((one, texts_of(found[one])) for one in (*chosen, *drawn, *candidates))
    control = [one for one in drawn if one not in repeated]
    fewshot = [one for one in candidates if one not in repeated][:MOST_EXAMPLES]
    scores = read_parquet(committee.path(VERDICTS)).drop_columns(["kept"])
    ids = pa.array(sorted(needed), pa.string())
    records = _Records(
        found,
        {row["book_id"]: row["domain"] for row in read_books(partition)},
        _by_id(scores, ids),
        _by_id(signals.select(["id", *_SIGNALS]), ids),
        verdicts,
        judged,
    )
    files = {
        PASSAGE_SET: records.of_parts(chosen) + records.of_split(control, Split.CONTROL),
        REJECTED_SET: records.of_parts(rejected),
        FEWSHOT: records.of_split(fewshot, Split.VALIDATION),
    }
    for name, of_file in files.items():
        writer.rows[name] = write_jsonl(writer.path(name), of_file)
    n_open = len(verdicts) - len(chosen) - len(rejected)
    writer.facts |= {"wanted": wanted, "control": len(control), "judged": judged}
    writer.funnel = funnel("passages", kept=len(chosen), rejected={OPEN: n_open} if n_open else {})
    ctx.say(f"{len(chosen):,} passages, judged: {judged}; {len(control):,} control passages")
