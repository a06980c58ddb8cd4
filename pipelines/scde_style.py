"""The SCDE-style dataset (Kong et al. 2020)."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from cloze_gen.corpus.parse_book import BookReason
from cloze_gen.corpus.partition import PartitionSettings
from cloze_gen.evaluation.user_scores import BLANKS_ANSWER
from cloze_gen.formats.harness import LETTERS
from cloze_gen.pipelines.books import Books, BookSettings, corpora
from cloze_gen.pipelines.shared import (
    count_words,
    partition,
    training_novels,
    training_text,
    word_list,
)
from cloze_gen.pipelines.stage import Pipeline
from cloze_gen.recipes.common import RepeatReason
from cloze_gen.recipes.scde import blanks, passages
from cloze_gen.recipes.scde.artifacts import STAGES
from cloze_gen.recipes.scde.blanked_passages import (
    AssemblyReason,
    AssemblySettings,
    requests,
    write_blanked_passages,
)
from cloze_gen.recipes.scde.blanks import BlankReason, BlanksSettings, write_blanks
from cloze_gen.recipes.scde.coherence import write_coherence
from cloze_gen.recipes.scde.distractors import (
    DistractorReason,
    DistractorsSettings,
    write_distractors,
)
from cloze_gen.recipes.scde.paper_table import SCDE_TABLES
from cloze_gen.recipes.scde.passages import PassagesSettings, write_passages
from cloze_gen.recipes.scde.release import (
    FILE_DOCS,
    REFERENCE,
    model_name,
    notes,
    scde_files,
)
from cloze_gen.recipes.scde.rivals import RivalReason, RivalsSettings, write_rivals
from cloze_gen.recipes.scde.statistics import statistics_tables
from cloze_gen.records.rejection import legends_of
from cloze_gen.release.items.blanked_passages import BLANKED_ITEMS
from cloze_gen.release.settings import OrderedReleaseSettings
from cloze_gen.release.study_items import FILLING
from cloze_gen.release.style import Requests, Style


class ScdePartitionSettings(PartitionSettings):
    development_share: float = Field(
        0.1, gt=0, lt=1, description="share of the novels for the development set"
    )


class ScdeSettings(BookSettings):
    partition: ScdePartitionSettings = ScdePartitionSettings()
    passages: PassagesSettings = PassagesSettings()
    blanks: BlanksSettings = BlanksSettings()
    rivals: RivalsSettings = RivalsSettings()
    distractors: DistractorsSettings = DistractorsSettings()
    assembly: AssemblySettings = AssemblySettings()
    release: OrderedReleaseSettings = OrderedReleaseSettings()

    @model_validator(mode="after")
    def _blanks_fit(self) -> Self:
        if self.blanks.least_sentences > self.passages.max_sentences:
            raise ValueError(
                f"blanks.count = {self.blanks.count} needs {self.blanks.least_sentences} sentences "
                f"(two between blanks), but passages.max_sentences = {self.passages.max_sentences}. "
                "Raise passages.max_sentences or lower blanks.count"
            )
        return self

    @model_validator(mode="after")
    def _candidates_have_letters(self) -> Self:
        distractors = 0 if self.distractors.kind == "none" else self.distractors.count
        candidates = self.blanks.count + distractors
        if self.release.harness and candidates > len(LETTERS):
            raise ValueError(
                f"blanks.count = {self.blanks.count} and distractors.count = {distractors} make "
                f"{candidates} candidates, but a harness task has letters for only "
                f"{len(LETTERS)}. Lower one of them or set release.harness = false"
            )
        return self


def stages(run: Pipeline, books: Books, s: ScdeSettings) -> None:
    """The steps of the paper, in order."""
    corpus = corpora(run, books, s)["books"]
    parts = partition(run, corpus, s.partition, keep_splits=s.input.keep_splits)
    novels = training_novels(run, parts)
    counts = count_words(run, novels)
    text = training_text(run, novels, counts)
    # 5.7: windows of 10 to 30 sentences.
    windows = run.stage(
        "passages",
        write_passages,
        v=4,
        advice="Lower passages.min_sentences or raise passages.max_sentences.",
        partition=parts,
        counts=counts,
        settings=s.passages,
        offensive=word_list(s.partition.offensive_words),
        seed=run.seed,
    )
    # A coherence model trained on the training novels; no baseline uses it.
    coherence = run.stage(
        "coherence",
        write_coherence,
        v=3,
        text=text,
        counts=counts,
        seed=run.seed,
    )
    # 5.7: five sentences of each passage, never three in a row.
    blanks = run.stage(
        "blanks",
        write_blanks,
        v=3,
        partition=parts,
        passages=windows,
        coherence=coherence,
        settings=s.blanks,
        seed=run.seed,
    )
    # Sentences near a passage that seem to answer a blank; not in the paper. Other kinds of
    # distractors need none; `write_distractors` reports missing ones of kind hard.
    rivals = run.stage(
        "rivals",
        write_rivals,
        v=5,
        may_keep_nothing=True,
        partition=parts,
        passages=windows,
        blanks=blanks,
        coherence=coherence,
        settings=s.rivals,
        of_blanks=s.blanks,
    )
    # Candidates that answer no blank; the paper leaves generating them to future work.
    distractors = run.stage(
        "distractors",
        write_distractors,
        v=4,
        rivals=rivals,
        settings=s.distractors,
        seed=run.seed,
    )
    # 3.1: answers and distractors as one shuffled list of candidates.
    run.stage(
        "blanked_passages",
        write_blanked_passages,
        v=4,
        partition=parts,
        passages=windows,
        blanks=blanks,
        distractors=distractors,
        settings=s.assembly,
        seed=run.seed,
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
    stages=stages,
    last="blanked passages",
    files=scde_files,
    file_docs=FILE_DOCS,
    card_tables=statistics_tables,
    stage_docs=STAGES,
    legends=legends_of(
        BookReason,
        passages.PassageReason,
        blanks.PassageReason,
        BlankReason,
        RivalReason,
        DistractorReason,
        RepeatReason,
        AssemblyReason,
    ),
    table=SCDE_TABLES,
    requests=Requests(
        "blanked passages",
        ("cased",),
        requests,
        BLANKS_ANSWER,
        "pass the file to `cloze-gen evaluate` with --scores",
    ),
    study_sources=(FILLING,),
    notes=notes,
    model=model_name,
)
