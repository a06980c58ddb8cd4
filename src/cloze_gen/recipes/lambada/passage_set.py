"""The set and its control set: passages of the test novels before the committee (LAMBADA 4)."""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterable, Mapping
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
from cloze_gen.records.passage import SPLIT_OF, Part, Split
from cloze_gen.records.spans import TakenSpans
from cloze_gen.rng import seeded_fraction
from cloze_gen.settings import MOST_COUNTED, SettingsGroup
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, funnel
from cloze_gen.store.tables import FEWSHOT, PASSAGE_SET, read_parquet, write_jsonl

REJECTED_SET = "rejected.jsonl"
_SPAN = ["id", "book_id", "start", "end"]
_SIGNALS = ["read_prob", "alone_prob", "expected_yield"]  # of the records of the set


class ControlSettings(SettingsGroup):
    n_passages: int = Field(
        5000,
        ge=0,
        le=MOST_COUNTED,
        description="passages of the control set; section 4",
    )


class PassageSpan(NamedTuple):
    """Characters `start` to `end`, exclusive, of a book."""

    id: str
    book_id: str
    start: int
    end: int


def draw_control(
    spans: Iterable[PassageSpan], *, settings: ControlSettings, seed: int
) -> list[str]:
    """Ids of random passages that do not overlap, sorted by their draws.

    >>> some = draw_control([PassageSpan(name, "b", 10 * i, 10 * i + 15) for i, name in enumerate("abcdefgh")],
    ...                     settings=ControlSettings(n_passages=9), seed=1)
    >>> 3 <= len(some) <= 4
    True
    """
    drawn: list[str] = []
    taken = TakenSpans()
    draw_of = functools.partial(seeded_fraction, "lambada.control", seed=seed)
    for span in sorted(spans, key=lambda span: draw_of(span.id)):
        if len(drawn) == settings.n_passages:
            break
        if not taken.overlaps(*span[1:]):
            taken.add(*span[1:])
            drawn.append(span.id)
    return drawn


def draw_fewshot(
    examined: Iterable[Mapping[str, Any]],
    *,
    ranked: Collection[str],
    books: Collection[str],
    seed: int,
) -> list[str]:
    """Ids of development passages that are not ranked, each with another target, by expected yield.

    There are more than the set shows: some may repeat a passage of another edition.

    Args:
        examined: rows of `SIGNALS`.
        books: a release lists only the books of its passages.
    """
    rows = [row for row in examined if row["book_id"] in books]
    taken = TakenSpans(
        (row["book_id"], row["start"], row["end"]) for row in rows if row["id"] in ranked
    )
    draw_of = functools.partial(seeded_fraction, "fewshot", seed=seed)
    left = [row for row in rows if row["id"] not in ranked]
    left.sort(key=lambda row: (-row["expected_yield"], draw_of(row["id"])))
    drawn: dict[str, str] = {}  # target -> passage
    for row in left:
        span = (row["book_id"], row["start"], row["end"])
        if row["target"] not in drawn and not taken.overlaps(*span):
            taken.add(*span)
            drawn[row["target"]] = row["id"]
    return list(drawn.values())[: 4 * MOST_EXAMPLES]


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
    chosen = [item for item, verdict in verdicts.items() if verdict == kept_as]
    rejected = [item for item, verdict in verdicts.items() if verdict not in {OPEN, Verdict.KEPT}]
    rows = PASSAGES.read(passages.path(PASSAGES.name), [*_SPAN, "part"])
    is_test = pc.equal(rows["part"].cast(pa.string()), str(Part.TEST))
    test_rows = rows.filter(is_test).select(_SPAN).to_pylist()
    drawn = draw_control((PassageSpan(**row) for row in test_rows), settings=settings, seed=seed)
    signals = SIGNALS.read(ranking.path(SIGNALS.name))
    of_development = pc.is_in(signals["id"], rows.filter(pc.invert(is_test))["id"])
    examined = signals.filter(of_development).to_pylist()
    candidates = draw_fewshot(
        examined,
        ranked=verdicts,
        books={row["book_id"] for row in examined if verdicts.get(row["id"]) == kept_as},
        seed=seed,
    )
    needed = {*chosen, *rejected, *drawn, *candidates}
    passage_of = {
        passage.id: passage for passage in read_passages(passages, which=needed.__contains__)
    }
    repeated = printed_before(
        (item, texts_of(passage_of[item])) for item in (*chosen, *drawn, *candidates)
    )
    control = [item for item in drawn if item not in repeated]
    fewshot = [item for item in candidates if item not in repeated][:MOST_EXAMPLES]
    ids = pa.array(sorted(needed), pa.string())
    scores = _by_id(read_parquet(committee.path(VERDICTS)).drop_columns(["kept"]), ids)
    signals_of = _by_id(signals.select(["id", *_SIGNALS]), ids)
    domains = {row["book_id"]: row["domain"] for row in read_books(partition)}

    def record(passage_id: str, split: Split, judged: str, **more: Any) -> dict[str, Any]:
        passage = passage_of[passage_id]
        return passage_record(
            passage,
            split=str(split),
            domain=domains[passage.book_id],
            judged=judged,
            scores=scores[passage_id],
            **more,
        )

    def ranked_records(ids: Iterable[str]) -> list[dict[str, Any]]:
        """One split after the other."""
        return [
            record(item, split, judged, verdict=verdicts[item], signals=signals_of[item])
            for part, split in SPLIT_OF.items()
            for item in ids
            if passage_of[item].part == part
        ]

    control_records = [record(item, Split.CONTROL, "none") for item in control]
    fewshot_records = [
        record(item, Split.VALIDATION, "none", verdict=OPEN, signals=signals_of[item])
        for item in fewshot
    ]
    files = {
        PASSAGE_SET: ranked_records(chosen) + control_records,
        REJECTED_SET: ranked_records(rejected),
        FEWSHOT: fewshot_records,
    }
    for name, records in files.items():
        writer.rows[name] = write_jsonl(writer.path(name), records)
    n_open = len(verdicts) - len(chosen) - len(rejected)
    writer.facts |= {"wanted": wanted, "control": len(control), "judged": judged}
    writer.funnel = funnel("passages", kept=len(chosen), rejected={OPEN: n_open} if n_open else {})
    ctx.say(f"{len(chosen):,} passages, judged: {judged}; {len(control):,} control passages")
