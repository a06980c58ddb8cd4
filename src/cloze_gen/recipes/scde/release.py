"""The published files of an SCDE set, as `scde-style` releases them, and the table of its statistics for the card."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import Literal

from pydantic import Field

from cloze_gen.formats.scde.features import FeatureTable, feature_lines
from cloze_gen.formats.scde.published import format_published
from cloze_gen.notation import parse_json
from cloze_gen.records.passage import Part
from cloze_gen.records.release_facts import PaperReference
from cloze_gen.report.blanked_passages import statistics_from_record
from cloze_gen.report.card import CardTable
from cloze_gen.stages.finished_run import FinishedRun, PublishedSet
from cloze_gen.stages.release.settings import OrderedReleaseSettings
from cloze_gen.stages.tables import STATISTICS

REFERENCE = PaperReference(
    authors=("Kong, Xiang", "Gangal, Varun", "Hovy, Eduard"),
    title="SCDE: Sentence Cloze Dataset with High Quality Distractors From Examinations",
    year=2020,
    kind="conference-paper",
    venue="Proceedings of the 58th Annual Meeting of the Association for Computational Linguistics",
    doi="10.18653/v1/2020.acl-main.502",
)

SPLITS = {Part.TRAIN: "train", Part.DEVELOPMENT: "dev", Part.TEST: "test"}
PUBLISHED = {part: f"{split}.json" for part, split in SPLITS.items()}
FEATURES = "features"
TOLD_FILES = {
    PUBLISHED[Part.TRAIN]: "the passages of the training books in the published layout, answers included.",
    PUBLISHED[Part.DEVELOPMENT]: "those of the development books.",
    PUBLISHED[Part.TEST]: "those of the test books.",
    FEATURES: "pairs of a context and a candidate for who trains a model of their own, a TSV file a split and context (`test.apn.tsv`); "
    "label 0 is right.",
}
# distractors.kind -> what a user of the set must know of its distractors.
DISTRACTORS = {
    "hard": "distractors: hard. They are this project's own and not the paper's, whose distractors are teachers' and which defers making "
    "any (5.7): sentences of the passage's own book that resemble the answers and that a model of coherence lets fit no blank",
    "random": "distractors: random, sentences of other passages drawn by the seed; the paper's RandomDt (5.6)",
    "none": "distractors: none, every candidate answers a blank; the paper's RemoveDt (5.6)",
}


class ScdeReleaseSettings(OrderedReleaseSettings):
    """Settings of the release of an SCDE set."""

    features: tuple[Literal["sp", "sn", "ap", "an", "spn", "apn"], ...] = Field(
        ("sp", "sn", "ap", "an", "spn", "apn"),
        strict=False,  # TOML has lists and no tuples; what stands in the list is held to the letter all the same
        description="which tables of pairs are released: with the sentence before or behind the blank (sp, sn), with all of them (ap, an), "
        "with both sides (spn, apn); 2,000 passages have 0.3 GB of all six",
    )


def scde_files(run: PublishedSet) -> dict[str, str | Iterable[str]]:
    """The three splits in the published layout, and the feature tables that were asked for, a line after the other."""
    of_part = {part: [one.passage for one in run.items if one.part == part] for part in PUBLISHED}
    files: dict[str, str | Iterable[str]] = {file: format_published(of_part[part]) for part, file in PUBLISHED.items()}
    for part, table in itertools.product(PUBLISHED, map(FeatureTable, run.release.features)):
        lines = feature_lines(of_part[part], table)
        files[f"{FEATURES}/{SPLITS[part]}.{table}.tsv"] = (f"{line}\n" for line in lines)
    return files


def statistics_table(run: FinishedRun) -> Sequence[CardTable]:
    """Table 3 of the set beside the paper's, for the card."""
    found = statistics_from_record(parse_json(run.artifacts["statistics"].path(STATISTICS).read_bytes()))
    text = f"Beside the paper's set ({found.source}). Words stand between spaces; *words per passage* are those that a reader meets."
    return [CardTable("Statistics", text, ("measure", *found.columns), tuple((measure, *figures) for measure, figures in found.rows))]
