"""The published files of a LAMBADA set, as `lambada-style` releases them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cloze_gen.corpus.frequencies import read_counts
from cloze_gen.formats.lambada import (
    format_plain_text,
    format_vocabulary,
    published_counts,
    published_tokens,
)
from cloze_gen.parsing import counted
from cloze_gen.recipes.lambada.committee import label_of
from cloze_gen.recipes.lambada.passage_set import REJECTED_SET
from cloze_gen.records.passage import Split
from cloze_gen.records.release_facts import PaperReference
from cloze_gen.release.style import Artifacts, Facts, PublishedSet

REFERENCE = PaperReference(
    authors=(
        "Paperno, Denis",
        "Kruszewski, Germán",
        "Lazaridou, Angeliki",
        "Pham, Ngoc Quan",
        "Bernardi, Raffaella",
        "Pezzelle, Sandro",
        "Baroni, Marco",
        "Boleda, Gemma",
        "Fernández, Raquel",
    ),
    title="The LAMBADA dataset: Word prediction requiring a broad discourse context",
    year=2016,
    kind="inproceedings",
    venue="Proceedings of the 54th Annual Meeting of the Association for Computational Linguistics",
)

DEVELOPMENT_FILE = "lambada_development_plain_text.txt"
TEST_FILE = "lambada_test_plain_text.txt"
CONTROL_FILE = "lambada_control_test_data_plain_text.txt"
REJECTED_FILE = "rejected_plain_text.txt"
VOCABULARY = "lambada-vocab-2.txt"
PLAIN_TEXT = {
    Split.VALIDATION: DEVELOPMENT_FILE,
    Split.TEST: TEST_FILE,
    Split.CONTROL: CONTROL_FILE,
}
FILE_DOCS = {
    DEVELOPMENT_FILE: "passages of the development novels in the published form, one a line; the "
    "last word is the target.",
    TEST_FILE: "passages of the test novels, in the same form.",
    CONTROL_FILE: "control set: passages of the test novels, drawn before the committee, for "
    "comparison; not part of the set.",
    REJECTED_FILE: "passages that guessing rejected, in the same form.",
    VOCABULARY: "one line for each word of the training novels in the published tokenization: the "
    "word, a tab, its count.",
}


def lambada_files(run: PublishedSet) -> dict[str, str]:
    files = {
        file: format_plain_text(
            published_tokens(item.passage) for item in run.items if item.split == split
        )
        for split, file in PLAIN_TEXT.items()
    }
    if REJECTED_SET in run.derived:
        files[REJECTED_FILE] = format_plain_text(
            record["text"].split(" ") for record in run.derived[REJECTED_SET]
        )
    return files


def vocabulary_text(artifacts: Artifacts) -> str:
    counts = read_counts(artifacts["counts"])
    return format_vocabulary(
        published_counts(zip(counts.words, counts.count.tolist(), strict=True))
    )


# ---- notes on a set, from its settings and facts

JUDGED = {
    "none": "none (no person has guessed the targets, so some may be impossible to guess)",
    "human": "human ({people}, {decided:,} decided, {kept:,} kept, {open:,} open, "
    "{not_shown:,} of these not shown to anyone)",
}


def model_name(settings: Any, fingerprints: Mapping[str, str]) -> str:
    judges = "human" if settings.guessing.verdicts else "none"
    return f"committee-{fingerprints['committee'][:8]},judged-{judges}"


def judged(facts: Facts) -> str:
    guesses = facts["guesses"]
    judges = counted(guesses.get("subjects", 0), "judge")
    return JUDGED[guesses["judged"]].format(people=judges, **guesses)


def notes(settings: Any, facts: Facts) -> Sequence[str]:
    members = ", ".join(map(label_of, settings.committee.members))
    return [
        f"judged: {judged(facts)}",
        f"committee: {members}; each gives every target a probability below "
        f"{settings.committee.threshold}",
    ]
