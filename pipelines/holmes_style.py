"""The Holmes-style dataset (Zweig & Burges 2011): raw text, counts, language model, alternates, forward filter, grooming, set."""

from __future__ import annotations

import hashlib
from typing import Any, Self

from pydantic import model_validator

from cloze_gen.adapters.lmplz import find_lmplz
from cloze_gen.config import settings_dict
from cloze_gen.pipelines.corpus import Corpus, Counts, StyleTask, TrainingText, tagger_identity
from cloze_gen.pipelines.run import RunTask
from cloze_gen.pipelines.task import StageTask, run_those_ready
from cloze_gen.recipes.msr.stages.alternates import write_alternates
from cloze_gen.recipes.msr.stages.choice import write_choice
from cloze_gen.recipes.msr.stages.focus import write_focus
from cloze_gen.recipes.msr.stages.forward import write_forward
from cloze_gen.recipes.msr.stages.grooming import write_grooming
from cloze_gen.recipes.msr.stages.screening import write_screening
from cloze_gen.recipes.msr.steps.alternates import AlternatesSettings
from cloze_gen.recipes.msr.steps.choice import ChoiceSettings
from cloze_gen.recipes.msr.steps.focus import FocusSettings
from cloze_gen.recipes.msr.steps.forward import ForwardSettings
from cloze_gen.recipes.msr.steps.grooming import GroomingSettings
from cloze_gen.recipes.msr.steps.screening import ScreeningSettings
from cloze_gen.settings import SettingsGroup
from cloze_gen.stages.corpus.overlap import OverlapSettings
from cloze_gen.stages.models.contexts import ContextSettings, write_context_vectors
from cloze_gen.stages.models.index import write_index
from cloze_gen.stages.models.language_model import LmSettings, write_language_model
from cloze_gen.stages.offensive_words import offensive_words
from cloze_gen.stages.release import HOLMES, ReleaseSettings
from cloze_gen.stages.room import Room
from cloze_gen.store.artifacts import ArtifactWriter
from cloze_gen.text.parse_book import IngestSettings


class HolmesSettings(SettingsGroup):
    """All settings of the style, one group a stage; each group's model stands above its step."""

    ingest: IngestSettings = IngestSettings()
    overlap: OverlapSettings = OverlapSettings()
    lm: LmSettings = LmSettings()
    contexts: ContextSettings = ContextSettings()
    focus: FocusSettings = FocusSettings()
    alternates: AlternatesSettings = AlternatesSettings()
    screening: ScreeningSettings = ScreeningSettings()
    forward: ForwardSettings = ForwardSettings()
    grooming: GroomingSettings = GroomingSettings()
    choice: ChoiceSettings = ChoiceSettings()
    release: ReleaseSettings = ReleaseSettings()

    @model_validator(mode="after")
    def _groups_agree(self) -> Self:
        """What one group asks for, another must not make impossible."""
        if self.grooming.min_tokens > self.focus.max_tokens:
            raise ValueError(
                f"grooming.min_tokens = {self.grooming.min_tokens} is above focus.max_tokens = {self.focus.max_tokens}, "
                "so no sentence could pass"
            )
        return self


def list_digest(setting: str) -> str:
    """The offensive words that a setting names, as a digest: a list moved elsewhere is the same list, a longer one another."""
    words = "\n".join(sorted(offensive_words(setting)))
    return hashlib.blake2b(words.encode(), digest_size=16).hexdigest()


class LanguageModel(StyleTask):
    """KenLM's modified Kneser-Ney model of the training text."""

    stage = "lm"
    priority = 1  # before what can be done while lmplz works

    def inputs(self) -> dict[str, StageTask]:
        return {"text": self.clone(TrainingText)}

    def settings(self) -> dict[str, Any]:
        return self.all_settings.lm.model_dump(mode="json", exclude={"memory"})  # the model is the same whatever the memory

    def look_ahead(self) -> None:
        find_lmplz()

    def work(self, writer: ArtifactWriter, room: Room) -> None:
        text, others = self.artifact("text"), [self.clone(Contexts), self.clone(Focus)]
        write_language_model(writer, room, text=text, settings=self.all_settings.lm, meanwhile=lambda: run_those_ready(others))


class Index(StyleTask):
    """The forward index of the model."""

    stage = "index"

    def inputs(self) -> dict[str, StageTask]:
        return {"model": self.clone(LanguageModel)}

    def work(self, writer: ArtifactWriter, room: Room) -> None:
        write_index(writer, room, model=self.artifact("model"))


class Contexts(StyleTask):
    """The context space of the words that may be options: vectors, associations, frame cues."""

    stage = "contexts"
    version = 3

    def inputs(self) -> dict[str, StageTask]:
        return {"text": self.clone(TrainingText), "counts": self.clone(Counts)}

    def settings(self) -> dict[str, Any]:
        focus = self.all_settings.focus
        return settings_dict(self.all_settings.contexts) | focus.model_dump(include={"max_freq", "min_count", "proper_names"})

    def work(self, writer: ArtifactWriter, room: Room) -> None:
        settings = self.all_settings
        text, counts = self.artifact("text"), self.artifact("counts")
        write_context_vectors(writer, room, text=text, counts=counts, limits=settings.focus, settings=settings.contexts)


class Focus(StyleTask):
    """Step 1: the infrequent words of the source sentences."""

    stage = "focus"
    version = 2

    def inputs(self) -> dict[str, StageTask]:
        return {"source": self.clone(Corpus, side="source"), "counts": self.clone(Counts)}

    def settings(self) -> dict[str, Any]:
        return self.all_settings.focus.model_dump(mode="json", exclude={"classes"})

    def work(self, writer: ArtifactWriter, room: Room) -> None:
        write_focus(writer, room, source=self.artifact("source"), counts=self.artifact("counts"), settings=self.all_settings.focus)


class Alternates(StyleTask):
    """Step 2: 150 distinct rare words a focus word, sampled from the model."""

    stage = "alternates"
    version = 2
    draws = True

    def inputs(self) -> dict[str, StageTask]:
        return {"focus": self.clone(Focus), "index": self.clone(Index), "counts": self.clone(Counts)}

    def settings(self) -> dict[str, Any]:
        return settings_dict(self.all_settings.alternates)

    def work(self, writer: ArtifactWriter, room: Room) -> None:
        settings, inputs = self.all_settings, {name: self.artifact(name) for name in self.inputs()}
        write_alternates(writer, room, **inputs, limits=settings.focus, settings=settings.alternates, seed=self.seed)


class Screening(StyleTask):
    """Step 3: reject where the right word scores best."""

    stage = "screening"

    def inputs(self) -> dict[str, StageTask]:
        return self.clone(Alternates).inputs() | {"upstream": self.clone(Alternates)}

    def settings(self) -> dict[str, Any]:
        return settings_dict(self.all_settings.screening)

    def work(self, writer: ArtifactWriter, room: Room) -> None:
        inputs = {name: self.artifact(name) for name in ("focus", "index")}
        write_screening(writer, room, **inputs, alternates=self.artifact("upstream"), settings=self.all_settings.screening)


class Forward(StyleTask):
    """Steps 4 and 5: forward scores, the best 30 retained."""

    stage = "forward"

    def inputs(self) -> dict[str, StageTask]:
        return self.clone(Screening).inputs() | {"passed": self.clone(Screening)}

    def settings(self) -> dict[str, Any]:
        return settings_dict(self.all_settings.forward)

    def work(self, writer: ArtifactWriter, room: Room) -> None:
        inputs = {name: self.artifact(name) for name in ("focus", "index")}
        drawn = {"alternates": self.artifact("upstream"), "screening": self.artifact("passed")}
        write_forward(writer, room, **inputs, **drawn, settings=self.all_settings.forward)


class Grooming(StyleTask):
    """MSR 2.3, by machine: a verdict on every retained candidate and every sentence."""

    stage = "grooming"
    version = 9

    def inputs(self) -> dict[str, StageTask]:
        names = {"focus": Focus, "counts": Counts, "index": Index, "contexts": Contexts, "forward": Forward}
        return {name: self.clone(task) for name, task in names.items()}

    def settings(self) -> dict[str, Any]:
        grooming = self.all_settings.grooming
        listed = {"offensive_words": list_digest(grooming.offensive_words)}  # a list is known by its words, not by its path
        tagger = {} if grooming.tagger == "none" else {"tagger_identity": tagger_identity(grooming.tagger)}
        return settings_dict(grooming) | listed | tagger | {"classes": list(self.all_settings.focus.classes)}

    def work(self, writer: ArtifactWriter, room: Room) -> None:
        settings, inputs = self.all_settings, {name: self.artifact(name) for name in self.inputs()}
        write_grooming(writer, room, **inputs, settings=settings.grooming, classes=settings.focus.classes)


class Choice(StyleTask):
    """MSR 2.3 and guideline 7: four impostors, one focus word a sentence, n questions; positions dealt."""

    stage = "choice"
    version = 3
    draws = True

    def inputs(self) -> dict[str, StageTask]:
        names = {"counts": Counts, "focus": Focus, "screening": Screening, "forward": Forward, "grooming": Grooming}
        return {name: self.clone(task) for name, task in names.items()}

    def settings(self) -> dict[str, Any]:
        return settings_dict(self.all_settings.choice)

    def work(self, writer: ArtifactWriter, room: Room) -> None:
        inputs = {name: self.artifact(name) for name in self.inputs()}
        write_choice(writer, room, **inputs, settings=self.all_settings.choice, seed=self.seed)


class HolmesStyle(RunTask):
    """The run: links to every stage, and the release."""

    model = HolmesSettings
    default_config, sample_config = "holmes-style", "holmes-sample"
    style_name = "holmes_style"
    release_format = HOLMES
    questions_task = Choice

    def model_name(self) -> str:
        return f"kn{self.all_settings.lm.order}-{next(task for task in self.stages() if task.label == 'lm').key.fingerprint[:8]}"

    def style_notes(self) -> list[str]:
        tagger = self.all_settings.grooming.tagger
        if tagger == "none":
            unasked = ["focus.classes: not asked for, since the tagger is off"] if self.all_settings.focus.classes else []
            return ["tagger: off, so impostors were not tested for their part of speech", *unasked]
        return [f"tagger: {tagger}; every impostor takes the answer's Penn tag in its sentence"]


STYLE = HolmesStyle
