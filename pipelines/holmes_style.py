"""The Holmes-style dataset (Zweig & Burges 2011): raw text, counts, language model, alternates, forward filter, grooming, set."""

from __future__ import annotations

import functools
from typing import Any, Self

from pydantic import model_validator

from cloze_gen.adapters.tagger_identity import tagger_identity
from cloze_gen.config import settings_dict
from cloze_gen.formats.verdicts import VerdictFile
from cloze_gen.pipelines.corpus import Corpus, Counts, TrainingText
from cloze_gen.pipelines.models import Contexts, Index
from cloze_gen.pipelines.style_task import StyleTask
from cloze_gen.pipelines.task import StageTask
from cloze_gen.recipes.msr.asking import GROOMING
from cloze_gen.recipes.msr.notes import held_out_notes, is_balanced, model_name, notes, people, warnings
from cloze_gen.recipes.msr.paper_table import MSR_TABLE_1
from cloze_gen.recipes.msr.release import REFERENCE, msr_files
from cloze_gen.recipes.msr.stages.alternates import write_alternates
from cloze_gen.recipes.msr.stages.choice import write_choice
from cloze_gen.recipes.msr.stages.focus import write_focus
from cloze_gen.recipes.msr.stages.forward import write_forward
from cloze_gen.recipes.msr.stages.grooming import write_grooming
from cloze_gen.recipes.msr.stages.human_grooming import read_groomed
from cloze_gen.recipes.msr.stages.screening import write_screening
from cloze_gen.recipes.msr.steps.alternates import AlternatesSettings
from cloze_gen.recipes.msr.steps.choice import ChoiceSettings
from cloze_gen.recipes.msr.steps.focus import FocusSettings
from cloze_gen.recipes.msr.steps.forward import ForwardSettings
from cloze_gen.recipes.msr.steps.grooming import GroomingSettings
from cloze_gen.recipes.msr.steps.screening import ScreeningSettings
from cloze_gen.recipes.msr.trace import TRACE
from cloze_gen.settings import IgnoredWhen, SettingsGroup
from cloze_gen.stages.asking.reading import READING
from cloze_gen.stages.corpus.held_out import HeldOutSettings
from cloze_gen.stages.corpus.overlap import IGNORED_WITHOUT_TRAIN, OverlapSettings
from cloze_gen.stages.items.questions import QUESTION_ITEMS
from cloze_gen.stages.models.contexts import BackgroundSettings
from cloze_gen.stages.models.language_model import LmSettings
from cloze_gen.stages.offensive_words import words_digest
from cloze_gen.stages.release.settings import OrderedReleaseSettings
from cloze_gen.stages.room import Room
from cloze_gen.stages.style import OwnBackground, Style
from cloze_gen.store.artifacts import ArtifactWriter
from cloze_gen.text.parse_book import IngestSettings


class HolmesSettings(SettingsGroup):
    """All settings of the style, one group a stage; each group's model stands above its step."""

    ingest: IngestSettings = IngestSettings()
    overlap: OverlapSettings = OverlapSettings()
    held_out: HeldOutSettings = HeldOutSettings()
    lm: LmSettings = LmSettings()
    contexts: BackgroundSettings = BackgroundSettings()
    focus: FocusSettings = FocusSettings()
    alternates: AlternatesSettings = AlternatesSettings()
    screening: ScreeningSettings = ScreeningSettings()
    forward: ForwardSettings = ForwardSettings()
    grooming: GroomingSettings = GroomingSettings()
    choice: ChoiceSettings = ChoiceSettings()
    release: OrderedReleaseSettings = OrderedReleaseSettings()

    @property
    def context_words(self) -> FocusSettings:
        """The words that may be options are those whose contexts are known."""
        return self.focus

    ignored_when = (
        IgnoredWhen(("focus.classes", "choice.class_shares"), {"grooming.tagger": ("none",)}),
        IgnoredWhen(("focus.classes",), {"grooming.judged": ("articles",)}),
        IgnoredWhen(("focus.classes",), {"grooming.verdicts": bool, "grooming.unjudged": ("left_out",)}),
        IgnoredWhen(("held_out.models",), {"--train": (True,)}),
        *IGNORED_WITHOUT_TRAIN,
    )

    @model_validator(mode="after")
    def _groups_agree(self) -> Self:
        """What one group asks for, another must not make impossible."""
        if self.forward.keep > self.alternates.count:
            raise ValueError(
                f"forward.keep = {self.forward.keep} is above alternates.count = {self.alternates.count}, and no more can be kept than "
                "there are: lower forward.keep or raise alternates.count"
            )
        if self.grooming.min_tokens > self.focus.max_tokens:
            raise ValueError(
                f"grooming.min_tokens = {self.grooming.min_tokens} is above focus.max_tokens = {self.focus.max_tokens}, "
                "so no sentence could pass"
            )
        if self.grooming.judged == "articles" and self.choice.method != "random":
            raise ValueError(
                f'choice.method = "{self.choice.method}" goes by what readers are expected to say, which grooming.judged = "articles" does '
                'not ask: set choice.method = "random", or grooming.judged = "all"'
            )
        return self


class Focus(StyleTask):
    """Step 1: the infrequent words of the source sentences."""

    stage = "focus"
    group = "focus"
    version = 5
    needs = {"source": (Corpus, "source"), "counts": Counts}

    def inputs(self) -> dict[str, StageTask]:
        return super().inputs() | ({"text": self.clone(TrainingText)} if self.is_own_background else {})

    def settings(self) -> dict[str, Any]:
        several = {"models": self.all_settings.held_out.models} if self.is_own_background else {}
        return dict(self.own.model_dump(mode="json", exclude={"classes"})) | several  # classes: asked for in grooming, of tagged sentences

    def work(self, writer: ArtifactWriter, room: Room) -> None:
        write_focus(writer, room, **self.artifacts(), settings=self.own, models=self.all_settings.held_out.models)


class Alternates(StyleTask):
    """Step 2: 150 distinct rare words a focus word, sampled from the model."""

    stage = "alternates"
    group = "alternates"
    version = 3
    draws = True
    needs = {"focus": Focus, "index": Index, "counts": Counts}

    def work(self, writer: ArtifactWriter, room: Room) -> None:
        limits = self.all_settings.focus  # an alternate is a word that could have been an answer
        write_alternates(writer, room, **self.artifacts(), limits=limits, settings=self.own, seed=self.seed)


class Screening(StyleTask):
    """Step 3: reject where the right word scores best."""

    stage = "screening"
    group = "screening"
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
    version = 15
    needs = {"focus": Focus, "counts": Counts, "index": Index, "contexts": Contexts, "forward": Forward}

    @functools.cached_property
    def people(self) -> VerdictFile | None:
        """Read once, for the fingerprint must be that of the verdicts that were counted."""
        return read_groomed(self.own.verdicts) if self.own.verdicts else None

    def settings(self) -> dict[str, Any]:
        listed = {"offensive_words": words_digest(self.own.offensive_words)}  # a list is known by its words, not by its path
        tagger = {} if self.own.tagger == "none" else {"tagger_identity": tagger_identity(self.own.tagger)}
        asked = {"people": self.people.digest, "unjudged": self.own.unjudged} if self.people else {}
        own = {name: value for name, value in settings_dict(self.own).items() if name not in {"verdicts", "unjudged"}}
        return own | listed | tagger | asked | {"classes": list(self.all_settings.focus.classes)}

    def work(self, writer: ArtifactWriter, room: Room) -> None:
        write_grooming(writer, room, **self.artifacts(), settings=self.own, classes=self.all_settings.focus.classes, people=self.people)


class Choice(StyleTask):
    """MSR 2.3 and guideline 7: four impostors, one focus word a sentence, n questions; positions dealt."""

    stage = "choice"
    group = "choice"
    version = 9
    draws = True
    needs = {"counts": Counts, "focus": Focus, "screening": Screening, "forward": Forward, "grooming": Grooming}
    write = staticmethod(write_choice)


STYLE = Style(
    name="holmes-style",
    title="Holmes-style (MSR)",
    paper="Zweig & Burges 2011, MSR-TR-2011-129.",
    reference=REFERENCE,
    settings=HolmesSettings,
    sample_config="holmes-sample",
    own_background=OwnBackground("holmes-few-books", held_out_notes),
    sides=("train", "source"),
    items=QUESTION_ITEMS,
    last=Choice,
    files=msr_files,
    levels={
        "focus": "focus words",
        "alternates": "alternates sampled",
        "screening": "screened focus words",
        "forward": "with forward scores",
        "grooming": "groomed focus words",
        "choice": "questions",
    },
    trace=TRACE,
    table=MSR_TABLE_1,
    notes=notes,
    warnings=warnings,
    is_balanced=is_balanced,
    people=people,
    asks=(GROOMING, READING),
    judged=lambda facts: people(facts).get("groomed", "machine"),
    trained_on="corpus train",
    model=model_name,
)
