"""The finished passages: those that no member of the committee has guessed, and the control set, as JSON lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from cloze_gen.errors import CorpusError
from cloze_gen.formats.lambada.jsonl import passage_record
from cloze_gen.recipes.lambada.stages.committee import read_survivors
from cloze_gen.recipes.lambada.stages.tables import PASSAGES, read_passages
from cloze_gen.recipes.lambada.steps.control import ControlSettings, draw_control
from cloze_gen.records.passage import Part
from cloze_gen.stages.corpus.book_table import read_books
from cloze_gen.stages.room import Room
from cloze_gen.stages.tables import CONTROL_SET, PASSAGE_SET
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, funnel
from cloze_gen.store.tables import read_parquet, write_jsonl

VALIDATION, TEST, CONTROL = "validation", "test", "control"


def write_passage_set(
    writer: ArtifactWriter,
    room: Room,
    *,
    partition: Artifact,
    passages: Artifact,
    committee: Artifact,
    settings: ControlSettings,
    seed: int,
) -> None:
    """Write the set that no person has judged, in order of book and sentence, and the control set.

    Files: `passages.jsonl`, the passages that no member of the committee has guessed (`formats.lambada.jsonl.passage_record`), with their
    `domain`, their `split` (``validation``: of the development novels, or ``test``) and `judged`, which is ``none``; `control.jsonl`, the
    same of passages of the test novels that nothing has filtered, their split ``control``.

    Raises:
        CorpusError: no passage survived the committee.
    """
    survivors = read_survivors(committee)
    table = read_parquet(passages.path(PASSAGES), columns=["id", "part"]).to_pydict()
    of_test = [passage_id for passage_id, part in zip(table["id"], table["part"], strict=True) if part == Part.TEST]
    control = frozenset(draw_control(of_test, settings=settings, seed=seed))
    if not survivors:
        raise CorpusError("no passage survived the committee. Give more novels, or raise committee.threshold.")
    domains = {row["book_id"]: row["domain"] for row in read_books(partition)}
    splits = {Part.DEVELOPMENT: VALIDATION, Part.TEST: TEST}
    writer.rows[PASSAGE_SET] = write_jsonl(writer.path(PASSAGE_SET), _records(passages, survivors, splits, domains))
    writer.rows[CONTROL_SET] = write_jsonl(writer.path(CONTROL_SET), _records(passages, control, {Part.TEST: CONTROL}, domains))
    writer.facts |= {"wanted": len(survivors), "control": len(control), "judged": "none"}
    writer.funnel = funnel("passages", kept=len(survivors), rejected={})
    room.say(f"{len(survivors):,} passages, {len(control):,} of control")


def _records(
    passages: Artifact, asked: frozenset[str], split_of: Mapping[Part, str], domains: Mapping[str, str]
) -> Iterator[dict[str, Any]]:
    for passage in read_passages(passages, which=asked.__contains__):
        yield passage_record(passage, domain=domains[passage.book_id], split=split_of[passage.part], judged="none")
