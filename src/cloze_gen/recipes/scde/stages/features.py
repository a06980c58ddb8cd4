"""Pairs of texts with labels for who trains a model of their own, as an artifact: they are many times the size of the set."""

from __future__ import annotations

from collections.abc import Sequence

from cloze_gen.formats.scde.features import FeatureTable, feature_lines
from cloze_gen.formats.scde.jsonl import parse_passages
from cloze_gen.records.passage import Part
from cloze_gen.stages.room import Room
from cloze_gen.stages.tables import PASSAGE_SET
from cloze_gen.store.artifacts import Artifact, ArtifactWriter

SPLITS = {Part.TRAIN: "train", Part.DEVELOPMENT: "dev", Part.TEST: "test"}


def features_file(part: Part, table: FeatureTable) -> str:
    """The name of a table of a split.

    >>> features_file(Part.DEVELOPMENT, FeatureTable.APN)
    'dev.apn.tsv'
    """
    return f"{SPLITS[part]}.{table}.tsv"


def write_features(writer: ArtifactWriter, room: Room, *, finished: Artifact, tables: Sequence[FeatureTable]) -> None:
    """Write the tables that were asked for, of each split.

    Files, a table and split each: `train.sp.tsv`, `train.sn.tsv`, `train.ap.tsv`, `train.an.tsv`, `train.spn.tsv`, `train.apn.tsv`,
    `dev.sp.tsv`, `dev.sn.tsv`, `dev.ap.tsv`, `dev.an.tsv`, `dev.spn.tsv`, `dev.apn.tsv`, `test.sp.tsv`, `test.sn.tsv`, `test.ap.tsv`,
    `test.an.tsv`, `test.spn.tsv`, `test.apn.tsv`: `id`, `text_a`, `text_b`, `label` (0 where the candidate is the answer), as
    `formats.scde.features` tells.

    Args:
        finished: the blanked passages.
    """
    with open(finished.path(PASSAGE_SET), encoding="utf-8") as handle:
        passages = list(parse_passages(handle))
    for part in Part:
        of_part = [one.passage for one in passages if one.part == part]
        for table in tables:
            name = features_file(part, table)
            with open(writer.path(name), "w", encoding="utf-8", newline="\n") as handle:
                rows = sum(handle.write(f"{line}\n") > 0 for line in feature_lines(of_part, table)) - 1
            writer.rows[name] = rows
    room.say(f"{sum(writer.rows.values()):,} pairs in {len(writer.rows)} tables")
