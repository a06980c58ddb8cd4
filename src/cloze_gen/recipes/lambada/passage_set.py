"""The set and its control set: passages of the test novels before the committee (LAMBADA 4)."""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterable, Mapping
from typing import Any

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
from cloze_gen.recipes.lambada.passages import PASSAGES, SPAN, Row, first_apart, read_passages
from cloze_gen.recipes.lambada.ranking import SIGNALS, texts_of
from cloze_gen.records.passage import SPLIT_OF, Part, Split
from cloze_gen.rng import seeded_fraction
from cloze_gen.settings import MOST_COUNTED, SettingsGroup
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, funnel
from cloze_gen.store.tables import FEWSHOT, PASSAGE_SET, read_parquet, write_jsonl

REJECTED_SET = "rejected.jsonl"
_SIGNALS = ["read_prob", "alone_prob", "expected_yield"]  # of the records of the set


class ControlSettings(SettingsGroup):
    n_passages: int = Field(
        5000,
        ge=0,
        le=MOST_COUNTED,
        description="passages of the control set; section 4",
    )


def draw_control(rows: Iterable[Row], *, settings: ControlSettings, seed: int) -> list[str]:
    """Ids of random passages (rows of `PASSAGES`) that do not overlap, sorted by their draws.

    >>> rows = [{"id": name, "book_id": "b", "start": 10 * i, "end": 10 * i + 15} for i, name in enumerate("abcdefgh")]
    >>> 3 <= len(draw_control(rows, settings=ControlSettings(n_passages=9), seed=1)) <= 4
    True
    """
    draw_of = functools.partial(seeded_fraction, "lambada.control", seed=seed)
    ordered = sorted(rows, key=lambda row: draw_of(row["id"]))
    return first_apart(ordered, most=settings.n_passages)


def draw_fewshot(
    examined: Iterable[Row], *, ranked: Collection[str], books: Collection[str]
) -> list[str]:
    """Ids of passages that are not ranked, each with another target, by expected yield.

    There are more than the set shows: some may repeat a passage of another edition.

    Args:
        examined: rows of `PASSAGES` with their signals.
        books: a release lists only the books of its passages.
    """
    rows = [row for row in examined if row["book_id"] in books]
    left = [row for row in rows if row["id"] not in ranked]
    of_target: dict[str, Row] = {}
    for row in sorted(left, key=lambda row: -row["expected_yield"]):
        of_target.setdefault(row["target"], row)
    taken = [row for row in rows if row["id"] in ranked]
    return first_apart(of_target.values(), most=4 * MOST_EXAMPLES, taken=taken)


def _four_digits(row: Mapping[str, float]) -> dict[str, float]:
    return {name: float(f"{value:.4g}") for name, value in row.items()}


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
    guessed = GUESSED.read(guesses.path(GUESSED.name)).to_pylist()
    verdicts = {row["id"]: row["verdict"] for row in guessed}
    kept_as = OPEN if judged == "none" else Verdict.KEPT
    chosen = [item for item, verdict in verdicts.items() if verdict == kept_as]
    rejected = [item for item, verdict in verdicts.items() if verdict not in {OPEN, Verdict.KEPT}]
    rows = PASSAGES.read(passages.path(PASSAGES.name), [*SPAN, "part"])
    is_test = pc.equal(rows["part"].cast(pa.string()), str(Part.TEST))
    drawn = draw_control(rows.filter(is_test).to_pylist(), settings=settings, seed=seed)
    development = rows.filter(pc.invert(is_test)).to_pylist()
    signals = {row["id"]: row for row in SIGNALS.read(ranking.path(SIGNALS.name)).to_pylist()}
    examined = [row | signals[row["id"]] for row in development if row["id"] in signals]
    candidates = draw_fewshot(
        examined,
        ranked=verdicts,
        books={row["book_id"] for row in examined if verdicts.get(row["id"]) == kept_as},
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
    table = read_parquet(committee.path(VERDICTS)).drop_columns(["kept"])
    scored = table.filter(pc.is_in(table["id"], pa.array(needed, pa.string()))).to_pylist()
    scores = {row.pop("id"): _four_digits(row) for row in scored}
    domains = {row["book_id"]: row["domain"] for row in read_books(partition)}

    def record(passage_id: str, judged: str, *, is_control: bool = False) -> dict[str, Any]:
        passage = passage_of[passage_id]
        fields: dict[str, Any] = {
            "split": str(Split.CONTROL if is_control else SPLIT_OF[passage.part]),
            "domain": domains[passage.book_id],
            "judged": judged,
            "scores": scores[passage_id],
        }
        if not is_control:
            fields["verdict"] = verdicts.get(passage_id, OPEN)
            fields["signals"] = _four_digits({name: signals[passage_id][name] for name in _SIGNALS})
        return passage_record(passage, **fields)

    def records(ids: Iterable[str], judged: str) -> list[dict[str, Any]]:
        """One split after the other."""
        ordered = sorted(ids, key=lambda item: passage_of[item].part)
        return [record(item, judged) for item in ordered]

    control_records = [record(item, "none", is_control=True) for item in control]
    files = {
        PASSAGE_SET: records(chosen, judged) + control_records,
        REJECTED_SET: records(rejected, judged),
        FEWSHOT: records(fewshot, "none"),
    }
    for name, of_file in files.items():
        writer.rows[name] = write_jsonl(writer.path(name), of_file)
    n_open = len(verdicts) - len(chosen) - len(rejected)
    writer.facts |= {"wanted": wanted, "control": len(control), "judged": judged}
    writer.funnel = funnel("passages", kept=len(chosen), rejected={OPEN: n_open} if n_open else {})
    ctx.say(f"{len(chosen):,} passages, judged: {judged}; {len(control):,} control passages")
