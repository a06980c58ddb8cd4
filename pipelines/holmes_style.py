"""The Holmes-style dataset (Zweig & Burges 2011)."""

from __future__ import annotations

import functools
from typing import Any, Self

from pydantic import model_validator

from cloze_gen.adapters.spacy_tagger import tagger_identity
from cloze_gen.corpus.cross_fitting import CrossFittingSettings, check_several
from cloze_gen.corpus.offensive_words import offensive_words, words_digest
from cloze_gen.corpus.overlap import OverlapSettings
from cloze_gen.corpus.parse_book import BookReason, IngestSettings
from cloze_gen.corpus.readers.reader import InputSettings
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.english.sentence_fitness import SentenceFault
from cloze_gen.judging.tasks.groom import RejectReason
from cloze_gen.judging.verdicts import VerdictFile
from cloze_gen.models.contexts import BackgroundSettings
from cloze_gen.models.language_model import LmSettings
from cloze_gen.pipelines.corpus import Contexts, Corpus, Counts, Index, Ingest, TrainingText
from cloze_gen.pipelines.style_task import StyleTask
from cloze_gen.pipelines.task import StageTask
from cloze_gen.recipes.msr.alternates import AlternatesSettings, write_alternates
from cloze_gen.recipes.msr.choice import ChoiceSettings, write_choice, write_pool
from cloze_gen.recipes.msr.focus import FocusReason, FocusSettings, write_focus
from cloze_gen.recipes.msr.forward import ForwardReason, ForwardSettings, write_forward
from cloze_gen.recipes.msr.grooming.people import JUDGED_AS, JudgingReason, read_groomed
from cloze_gen.recipes.msr.grooming.rules import AnswerFault, CandidateFault, GroomingSettings
from cloze_gen.recipes.msr.grooming.stage import write_grooming
from cloze_gen.recipes.msr.grooming.study import GROOMING
from cloze_gen.recipes.msr.paper_table import MSR_TABLE_1
from cloze_gen.recipes.msr.release import (
    REFERENCE,
    held_out_notes,
    is_balanced,
    model_name,
    msr_files,
    notes,
    people,
    warnings,
)
from cloze_gen.recipes.msr.screening import write_screening
from cloze_gen.recipes.msr.tables import ScreeningReason
from cloze_gen.recipes.msr.trace import TRACE
from cloze_gen.recipes.questions.pool import PoolReason, read_pool_verdicts
from cloze_gen.recipes.questions.printed_once import RepeatReason
from cloze_gen.recipes.questions.random_choice import ChoiceReason
from cloze_gen.records.rejection import legends_of
from cloze_gen.release.items.questions import QUESTION_ITEMS
from cloze_gen.release.settings import OrderedReleaseSettings
from cloze_gen.release.study_items import POOL_READING, READING
from cloze_gen.release.style import OwnBackground, Style
from cloze_gen.settings import SettingsGroup
from cloze_gen.store.artifacts import ArtifactWriter

_MODEL = "grooming.language_model"


class HolmesSettings(SettingsGroup):
    input: InputSettings = InputSettings()
    ingest: IngestSettings = IngestSettings()
    overlap: OverlapSettings = OverlapSettings()
    cross_fitting: CrossFittingSettings = CrossFittingSettings()
    lm: LmSettings = LmSettings()
    contexts: BackgroundSettings = BackgroundSettings()
    focus: FocusSettings = FocusSettings()
    alternates: AlternatesSettings = AlternatesSettings()
    forward: ForwardSettings = ForwardSettings()
    grooming: GroomingSettings = GroomingSettings()
    choice: ChoiceSettings = ChoiceSettings()
    release: OrderedReleaseSettings = OrderedReleaseSettings()

    @property
    def context_words(self) -> FocusSettings:
        """The words that may be options."""
        return self.focus

    @model_validator(mode="after")
    def _groups_agree(self) -> Self:
        """Reject combinations of groups that no item can satisfy."""
        if self.forward.keep > self.alternates.count:
            raise ValueError(
                f"forward.keep = {self.forward.keep} exceeds alternates.count = "
                f"{self.alternates.count}. Lower forward.keep or raise alternates.count"
            )
        if self.grooming.checks == "articles" and self.choice.method != "random":
            raise ValueError(
                f'choice.method = "{self.choice.method}" needs the reader models, which '
                'grooming.checks = "articles" turns off. Set choice.method = "random", or grooming.checks = "all"'
            )
        return self


class Focus(StyleTask):
    """Step 1: the infrequent words of the source sentences."""

    stage = "focus"
    group = "focus"
    version = 7
    needs = {"source": (Corpus, "source"), "counts": Counts}
    write = staticmethod(write_focus)

    def inputs(self) -> dict[str, StageTask]:
        own = {"text": self.clone(TrainingText)} if self.is_own_background else {}
        return super().inputs() | own

    def settings(self) -> dict[str, Any]:
        more: dict[str, Any] = {}
        if self.is_own_background:
            more = {"groups": self.all_settings.cross_fitting.groups}
        return super().settings() | more

    def given(self) -> dict[str, Any]:
        return super().given() | {"n_groups": self.all_settings.cross_fitting.groups}

    def look_ahead(self) -> None:
        if self.is_own_background:
            books, _ = self.clone(Ingest, side="source").books_found()
            check_several([book.book_id for book in books])


class Alternates(StyleTask):
    """Step 2: 150 distinct rare words a focus word, sampled from the model."""

    stage = "alternates"
    group = "alternates"
    version = 4
    draws = True
    needs = {"focus": Focus, "index": Index, "counts": Counts}
    write = staticmethod(write_alternates)

    def given(self) -> dict[str, Any]:
        # alternates must be words that could be answers
        return super().given() | {"limits": self.all_settings.focus}


class Screening(StyleTask):
    """Step 3: reject where the right word scores best."""

    stage = "screening"
    needs = {"focus": Focus, "index": Index, "alternates": Alternates}
    write = staticmethod(write_screening)


class Forward(StyleTask):
    """Steps 4 and 5: forward scores, the best 30 retained."""

    stage = "forward"
    group = "forward"
    needs = {"focus": Focus, "index": Index, "alternates": Alternates, "screening": Screening}
    write = staticmethod(write_forward)


class Grooming(StyleTask):
    """MSR 2.3, by machine: a verdict on every retained candidate and every sentence."""

    stage = "grooming"
    group = "grooming"
    version = 16
    not_covered = frozenset({"verdicts", "offensive_words", "language_model"})  # by their content
    needs = {
        "focus": Focus,
        "counts": Counts,
        "index": Index,
        "contexts": Contexts,
        "forward": Forward,
    }
    write = staticmethod(write_grooming)

    @functools.cached_property
    def people(self) -> VerdictFile | None:
        """Read once, so that the fingerprint is of the verdicts counted."""
        return read_groomed(self.own.verdicts) if self.own.verdicts else None

    def settings(self) -> dict[str, Any]:
        derived = {"offensive_words": words_digest(self.own.offensive_words)}
        if self.tagger != "none":
            derived["tagger_identity"] = tagger_identity(self.tagger)
        if self.people:
            derived["people"] = self.people.digest
        if self.own.language_model:
            derived["language_model"] = self.digest_of(self.own.language_model, setting=_MODEL)
        return super().settings() | derived

    def work(self, writer: ArtifactWriter, ctx: StageContext) -> None:
        super().work(writer, ctx)
        if model := self.own.language_model:
            self.check_unchanged(model, self.key.settings["language_model"], setting=_MODEL)

    @property
    def tagger(self) -> str:
        articles_alone = self.own.checks == "articles" and not self.own.verdicts
        return "none" if articles_alone else str(self.own.tagger)

    def given(self) -> dict[str, Any]:
        return super().given() | {
            "offensive": offensive_words(self.own.offensive_words),
            "tagger_identity": "" if self.tagger == "none" else tagger_identity(self.tagger),
            "people": self.people,
        }


class Pool(StyleTask):
    """More questions than the set needs, for readers (choice.pool)."""

    stage = "pool"
    group = "choice"
    version = 3
    draws = True
    not_covered = frozenset({"verdicts", "max_marked"})
    needs = {
        "counts": Counts,
        "focus": Focus,
        "screening": Screening,
        "forward": Forward,
        "grooming": Grooming,
    }
    write = staticmethod(write_pool)


class Choice(Pool):
    """MSR 2.3 and guideline 7: four impostors, one focus word a sentence, n questions."""

    stage = "choice"
    group = "choice"
    version = 12
    not_covered = frozenset({"verdicts"})  # covered by its content
    write = staticmethod(write_choice)

    def inputs(self) -> dict[str, StageTask]:
        return super().inputs() | ({"pool": self.clone(Pool)} if self.own.pool > 1 else {})

    @functools.cached_property
    def people(self) -> VerdictFile | None:
        """Read once, so that the fingerprint is of the verdicts counted."""
        return read_pool_verdicts(self.own.verdicts) if self.own.verdicts else None

    def settings(self) -> dict[str, Any]:
        return super().settings() | ({"people": self.people.digest} if self.people else {})

    def given(self) -> dict[str, Any]:
        return super().given() | {"people": self.people}


LEGENDS = legends_of(
    BookReason,
    FocusReason,
    ScreeningReason,
    ForwardReason,
    SentenceFault,
    AnswerFault,
    CandidateFault,
    JudgingReason,
    RepeatReason,
    PoolReason,
    ChoiceReason,
    more={f"{JUDGED_AS}{one}": f"the judges rejected it: {one.legend}" for one in RejectReason},
)

STYLE = Style(
    name="holmes-style",
    title="Holmes-style (MSR)",
    paper="Zweig & Burges 2011, MSR-TR-2011-129.",
    reference=REFERENCE,
    settings=HolmesSettings,
    sample_config="holmes-sample",
    own_background=OwnBackground("holmes-few-books", held_out_notes),
    new_settings=lambda settings: (
        ("choice.n_questions=auto",)
        if settings.choice.method == "matched" and settings.choice.n_questions == 1040
        else ()
    ),
    sides=("train", "source"),
    items=QUESTION_ITEMS,
    last=Choice,
    files=msr_files,
    trace=TRACE,
    legends=LEGENDS,
    table=MSR_TABLE_1,
    notes=notes,
    warnings=warnings,
    is_balanced=is_balanced,
    people=people,
    study_sources=(GROOMING, POOL_READING, READING),
    judged=lambda facts: people(facts).get("groomed", "machine"),
    trained_on="corpus train",
    model=model_name,
)
