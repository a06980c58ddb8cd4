"""The SCDE-style dataset (Kong et al. 2020)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

from pydantic import Field, model_validator

from cloze_gen.corpus.offensive_words import words_digest
from cloze_gen.corpus.overlap import OverlapSettings
from cloze_gen.corpus.parse_book import BookReason, IngestSettings
from cloze_gen.corpus.partition import PartitionSettings
from cloze_gen.corpus.readers.reader import InputSettings
from cloze_gen.evaluation.user_scores import ANSWER
from cloze_gen.pipelines.corpus import Counts, Partition, TrainingNovels, TrainingText
from cloze_gen.pipelines.style_task import StyleTask
from cloze_gen.recipes.questions.printed_once import RepeatReason
from cloze_gen.recipes.scde import blanks, passages
from cloze_gen.recipes.scde.blanked_passages import (
    AssemblyReason,
    AssemblySettings,
    requests,
    write_blanked_passages,
)
from cloze_gen.recipes.scde.blanks import BlankReason, BlanksSettings, write_blanks
from cloze_gen.recipes.scde.coherence import CoherenceSettings, write_coherence
from cloze_gen.recipes.scde.distractors import (
    DistractorReason,
    DistractorsSettings,
    write_distractors,
)
from cloze_gen.recipes.scde.paper_table import SCDE_TABLES
from cloze_gen.recipes.scde.passages import PassagesSettings, write_passages
from cloze_gen.recipes.scde.release import (
    DISTRACTORS,
    FILE_DOCS,
    REFERENCE,
    scde_files,
    statistics_table,
)
from cloze_gen.recipes.scde.rivals import RivalReason, RivalsSettings, write_rivals
from cloze_gen.recipes.scde.statistics import write_statistics
from cloze_gen.recipes.scde.trace import TRACE
from cloze_gen.records.rejection import legends_of
from cloze_gen.release.items.blanked_passages import BLANKED_ITEMS
from cloze_gen.release.settings import OrderedReleaseSettings
from cloze_gen.release.study_items import FILLING
from cloze_gen.release.style import Facts, Requests, Style
from cloze_gen.settings import SettingsGroup


class ScdePartitionSettings(PartitionSettings):
    development_share: float = Field(
        0.1, gt=0, lt=1, description="share of the novels for the development set"
    )


class ScdeSettings(SettingsGroup):
    input: InputSettings = InputSettings()
    ingest: IngestSettings = IngestSettings()
    overlap: OverlapSettings = OverlapSettings()
    partition: ScdePartitionSettings = ScdePartitionSettings()
    passages: PassagesSettings = PassagesSettings()
    coherence: CoherenceSettings = CoherenceSettings()
    blanks: BlanksSettings = BlanksSettings()
    rivals: RivalsSettings = RivalsSettings()
    distractors: DistractorsSettings = DistractorsSettings()
    assembly: AssemblySettings = AssemblySettings()
    release: OrderedReleaseSettings = OrderedReleaseSettings()

    @model_validator(mode="after")
    def _blanks_fit(self) -> Self:
        if self.blanks.least_sentences > self.passages.max_sentences:
            raise ValueError(
                f"blanks.count = {self.blanks.count} with blanks.min_gap = "
                f"{self.blanks.min_gap} needs {self.blanks.least_sentences} sentences, "
                f"but passages.max_sentences = {self.passages.max_sentences}. Raise "
                "passages.max_sentences or lower blanks.count"
            )
        return self


class Passages(StyleTask):
    """5.7: windows of 10 to 30 sentences."""

    stage = "passages"
    group = "passages"
    draws = True
    needs = {"partition": Partition, "counts": Counts}
    write = staticmethod(write_passages)

    def settings(self) -> dict[str, Any]:
        return super().settings() | {
            "offensive_words": words_digest(self.all_settings.partition.offensive_words)
        }

    def given(self) -> dict[str, Any]:
        return super().given() | {"offensive": self.all_settings.partition.offensive_words}


class Coherence(StyleTask):
    """A coherence model trained on the training novels; no baseline uses it."""

    stage = "coherence"
    group = "coherence"
    draws = True
    needs = {"text": TrainingText, "counts": Counts}
    write = staticmethod(write_coherence)


class Blanks(StyleTask):
    """5.7: five sentences of each passage, never three in a row."""

    stage = "blanks"
    group = "blanks"
    draws = True
    needs = {"partition": Partition, "passages": Passages, "coherence": Coherence}
    write = staticmethod(write_blanks)


class Rivals(StyleTask):
    """Sentences near a passage that seem to answer a blank; not in the paper."""

    stage = "rivals"
    group = "rivals"
    version = 2
    # other kinds of distractors need no rivals; `write_distractors` reports missing ones of kind hard
    may_keep_nothing = True
    also_reads = {
        name: f"blanks.{name}" for name in ("min_words", "max_words", "min_content_words")
    }
    needs = {"partition": Partition, "passages": Passages, "blanks": Blanks, "coherence": Coherence}
    write = staticmethod(write_rivals)

    def given(self) -> dict[str, Any]:
        return super().given() | {"of_blanks": self.all_settings.blanks}


class Distractors(StyleTask):
    """Candidates that answer no blank; the paper leaves generating them to future work."""

    stage = "distractors"
    group = "distractors"
    version = 2
    draws = True
    needs = {"passages": Passages, "rivals": Rivals}
    write = staticmethod(write_distractors)


class BlankedPassages(StyleTask):
    """3.1: answers and distractors as one shuffled list of candidates."""

    stage = "blanked_passages"
    group = "assembly"
    version = 2
    draws = True
    needs = {
        "partition": Partition,
        "passages": Passages,
        "blanks": Blanks,
        "distractors": Distractors,
    }
    write = staticmethod(write_blanked_passages)


class Statistics(StyleTask):
    stage = "statistics"
    needs = {"finished": BlankedPassages}
    write = staticmethod(write_statistics)


def model_name(settings: ScdeSettings, fingerprints: Mapping[str, str]) -> str:
    """Model and kind of the distractors, for the signature."""
    return f"coherence-{fingerprints['coherence'][:8]},distractors-{settings.distractors.kind}"


def notes(settings: ScdeSettings, facts: Facts) -> Sequence[str]:
    return [DISTRACTORS[settings.distractors.kind]]


LEGENDS = legends_of(
    BookReason,
    passages.PassageReason,
    blanks.PassageReason,
    BlankReason,
    RivalReason,
    DistractorReason,
    RepeatReason,
    AssemblyReason,
)

STYLE = Style(
    name="scde-style",
    title="SCDE-style",
    paper="Kong et al. 2020, SCDE: sentence cloze dataset with high quality distractors from "
    "examinations.",
    reference=REFERENCE,
    settings=ScdeSettings,
    sample_config="scde-sample",
    sides=("books",),
    items=BLANKED_ITEMS,
    last=BlankedPassages,
    files=scde_files,
    file_docs=FILE_DOCS,
    card_tables=statistics_table,
    extra_stages=(Statistics,),
    filtered_by={"books": "partition"},
    trace=TRACE,
    legends=LEGENDS,
    table=SCDE_TABLES,
    requests=Requests(
        "blanked passages",
        ("cased",),
        requests,
        ANSWER,
        "pass the file to `cloze-gen evaluate` with --scores",
    ),
    training=TrainingNovels,
    trained_on="training novels",
    study_sources=(FILLING,),
    notes=notes,
    model=model_name,
)
