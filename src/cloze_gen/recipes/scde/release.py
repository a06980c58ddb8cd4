"""The published files of an SCDE set, and the notes on its distractors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cloze_gen.formats.scde import format_published
from cloze_gen.records.passage import Part
from cloze_gen.records.release_facts import PaperReference
from cloze_gen.release.style import Facts, PublishedSet

REFERENCE = PaperReference(
    authors=("Kong, Xiang", "Gangal, Varun", "Hovy, Eduard"),
    title="SCDE: Sentence Cloze Dataset with High Quality Distractors From Examinations",
    year=2020,
    kind="inproceedings",
    venue="Proceedings of the 58th Annual Meeting of the Association for Computational Linguistics",
    doi="10.18653/v1/2020.acl-main.502",
)

PUBLISHED = {Part.TRAIN: "train.json", Part.DEVELOPMENT: "dev.json", Part.TEST: "test.json"}
FILE_DOCS = {
    PUBLISHED[Part.TRAIN]: "passages of the training books in the published layout, with answers.",
    PUBLISHED[Part.DEVELOPMENT]: "passages of the development books.",
    PUBLISHED[Part.TEST]: "passages of the test books.",
}
# distractors.kind -> a note for users of the set.
DISTRACTORS = {
    "hard": "distractors: hard. They are sentences of the same book that resemble the answers but, "
    "by a coherence model, fit no blank much better than its answer (`rivals.max_fit`). The method "
    "is ours: teachers wrote the paper's distractors, and section 5.7 leaves their generation to "
    "future work",
    "random": "distractors: random, answers of passages of other books (RandomDt, section 5.6)",
    "none": "distractors: none, every candidate answers a blank (RemoveDt, section 5.6)",
}


def scde_files(run: PublishedSet) -> dict[str, str]:
    return {
        file: format_published([item.passage for item in run.items if item.part == part])
        for part, file in PUBLISHED.items()
    }


def model_name(settings: Any, fingerprints: Mapping[str, str]) -> str:
    """Model and kind of the distractors, for the signature."""
    return f"coherence-{fingerprints['coherence'][:8]},distractors-{settings.distractors.kind}"


def notes(settings: Any, facts: Facts) -> Sequence[str]:
    return [DISTRACTORS[settings.distractors.kind]]
