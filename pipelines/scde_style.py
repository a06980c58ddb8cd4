"""The SCDE-style dataset (Kong et al. 2020): books -> parts -> passages -> blanks -> distractors -> blanked passages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

from pydantic import model_validator

from cloze_gen.evaluate.blanks.user_scores import ANSWER
from cloze_gen.pipelines.corpus import Counts, TrainingText
from cloze_gen.pipelines.parts import Partition, TrainingNovels
from cloze_gen.pipelines.style_task import StyleTask
from cloze_gen.recipes.scde.paper_table import SCDE_TABLES
from cloze_gen.recipes.scde.release import DISTRACTORS, REFERENCE, TOLD_FILES, ScdeReleaseSettings, scde_files, statistics_table
from cloze_gen.recipes.scde.stages.blanked_passages import write_blanked_passages
from cloze_gen.recipes.scde.stages.blanks import write_blanks
from cloze_gen.recipes.scde.stages.coherence import write_coherence
from cloze_gen.recipes.scde.stages.distractors import write_distractors
from cloze_gen.recipes.scde.stages.passages import write_passages
from cloze_gen.recipes.scde.stages.requests import requests
from cloze_gen.recipes.scde.stages.rivals import write_rivals
from cloze_gen.recipes.scde.stages.statistics import write_statistics
from cloze_gen.recipes.scde.steps.assembly import AssemblySettings
from cloze_gen.recipes.scde.steps.blanks import BlanksSettings
from cloze_gen.recipes.scde.steps.coherence import CoherenceSettings
from cloze_gen.recipes.scde.steps.distractors import DistractorsSettings
from cloze_gen.recipes.scde.steps.passages import PassagesSettings
from cloze_gen.recipes.scde.steps.rivals import RivalsSettings
from cloze_gen.recipes.scde.trace import TRACE
from cloze_gen.settings import SettingsGroup
from cloze_gen.stages.asking.filling import FILLING
from cloze_gen.stages.corpus.overlap import IGNORED_OF_ONE_SIDE, OverlapSettings
from cloze_gen.stages.items.blanked_passages import BLANKED_ITEMS
from cloze_gen.stages.offensive_words import words_digest
from cloze_gen.stages.room import Room
from cloze_gen.stages.style import Facts, Requests, Style
from cloze_gen.store.artifacts import ArtifactWriter
from cloze_gen.text.parse_book import IngestSettings
from cloze_gen.text.partition import PartitionSettings


class ScdeSettings(SettingsGroup):
    """All settings of the style, one group a stage; each group's model stands above its step."""

    ingest: IngestSettings = IngestSettings()
    overlap: OverlapSettings = OverlapSettings()
    partition: PartitionSettings = PartitionSettings(development_share=0.1)
    passages: PassagesSettings = PassagesSettings()
    coherence: CoherenceSettings = CoherenceSettings()
    blanks: BlanksSettings = BlanksSettings()
    rivals: RivalsSettings = RivalsSettings()
    distractors: DistractorsSettings = DistractorsSettings()
    assembly: AssemblySettings = AssemblySettings()
    release: ScdeReleaseSettings = ScdeReleaseSettings()

    ignored_when = IGNORED_OF_ONE_SIDE

    @model_validator(mode="after")
    def _blanks_find_room(self) -> Self:
        if self.blanks.least_sentences > self.passages.max_sentences:
            raise ValueError(
                f"blanks.count = {self.blanks.count} blanks with blanks.min_between = {self.blanks.min_between} need "
                f"{self.blanks.least_sentences} sentences, and passages.max_sentences = {self.passages.max_sentences} allows fewer"
            )
        return self


class Passages(StyleTask):
    """5.7: windows of 10 to 30 sentences."""

    stage = "passages"
    group = "passages"
    draws = True
    needs = {"partition": Partition, "counts": Counts}

    def settings(self) -> dict[str, Any]:
        return super().settings() | {"offensive_words": words_digest(self.all_settings.partition.offensive_words)}

    def work(self, writer: ArtifactWriter, room: Room) -> None:
        offensive = self.all_settings.partition.offensive_words
        write_passages(writer, room, **self.artifacts(), settings=self.own, offensive=offensive, seed=self.seed)


class Coherence(StyleTask):
    """Which sentence goes with which: a model of the training novels that no report asks."""

    stage = "coherence"
    group = "coherence"
    draws = True
    needs = {"text": TrainingText, "counts": Counts}
    write = staticmethod(write_coherence)


class Blanks(StyleTask):
    """5.7: five sentences of a passage, never three in a row."""

    stage = "blanks"
    group = "blanks"
    draws = True
    needs = {"partition": Partition, "passages": Passages, "coherence": Coherence}
    write = staticmethod(write_blanks)


class Rivals(StyleTask):
    """Sentences near a passage that look as if they answered a blank; not in the paper."""

    stage = "rivals"
    group = "rivals"
    version = 2
    may_keep_nothing = True  # distractors of other kinds need none; `write_distractors` says where those of kind hard are missing
    needs = {"partition": Partition, "passages": Passages, "blanks": Blanks, "coherence": Coherence}

    def settings(self) -> dict[str, Any]:
        return super().settings() | self.all_settings.blanks.model_dump(include={"min_words", "max_words", "min_content_words"})

    def work(self, writer: ArtifactWriter, room: Room) -> None:
        write_rivals(writer, room, **self.artifacts(), settings=self.own, of_blanks=self.all_settings.blanks)


class Distractors(StyleTask):
    """Candidates that answer no blank; the paper defers making any."""

    stage = "distractors"
    group = "distractors"
    version = 2
    draws = True
    needs = {"passages": Passages, "rivals": Rivals}
    write = staticmethod(write_distractors)


class BlankedPassages(StyleTask):
    """3.1: answers and distractors as one list of candidates, in a drawn order."""

    stage = "blanked_passages"
    group = "assembly"
    version = 2
    draws = True
    needs = {"partition": Partition, "passages": Passages, "blanks": Blanks, "distractors": Distractors}
    write = staticmethod(write_blanked_passages)

    @property
    def label(self) -> str:
        return "blanked passages"


class Statistics(StyleTask):
    """Table 3: what the set is like."""

    stage = "statistics"
    needs = {"finished": BlankedPassages}
    write = staticmethod(write_statistics)


def model_name(settings: ScdeSettings, fingerprints: Mapping[str, str]) -> str:
    """What the distractors were chosen by, for the signature."""
    return f"coherence-{fingerprints['coherence'][:8]},distractors-{settings.distractors.kind}"


def notes(settings: ScdeSettings, facts: Facts) -> Sequence[str]:
    """What a user of the set must know: whose distractors they are."""
    return [DISTRACTORS[settings.distractors.kind]]


STYLE = Style(
    name="scde-style",
    title="SCDE-style",
    paper="Kong et al. 2020, SCDE: sentence cloze dataset with high quality distractors from examinations.",
    reference=REFERENCE,
    settings=ScdeSettings,
    sample_config="scde-sample",
    sides=("books",),
    items=BLANKED_ITEMS,
    last=BlankedPassages,
    files=scde_files,
    told_files=TOLD_FILES,
    card_tables=statistics_table,
    beside=lambda settings: [Statistics],
    articles="passages.source",
    narrowed={"books": "partition"},
    levels={
        "partition": "novels",
        "passages": "passages",
        "blanks": "with blanks",
        "distractors": "with distractors",
        "blanked passages": "of the set",
    },
    trace=TRACE,
    table=SCDE_TABLES,
    requests=Requests("blanked passages", ("cased",), requests, ANSWER, "give the file to `cloze-gen evaluate` with --scores"),
    training=TrainingNovels,
    trained_on="training novels",
    asks=(FILLING,),
    notes=notes,
    model=model_name,
)
