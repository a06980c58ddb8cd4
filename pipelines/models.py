"""Models of the training text, for every style that needs one: the language model, its forward index, the context space of words."""

from __future__ import annotations

from typing import Any

from cloze_gen.adapters.lmplz import find_lmplz
from cloze_gen.config import settings_dict
from cloze_gen.pipelines.corpus import Corpus, Counts, TrainingText
from cloze_gen.pipelines.style_task import StyleTask
from cloze_gen.pipelines.task import StageTask, run_those_ready
from cloze_gen.stages.models.builtin_words import builtin_words_facts
from cloze_gen.stages.models.contexts import Background, background_of, write_context_vectors
from cloze_gen.stages.models.held_out import write_held_out_contexts, write_held_out_indexes, write_held_out_models
from cloze_gen.stages.models.index import write_index
from cloze_gen.stages.models.language_model import write_language_model
from cloze_gen.stages.room import Room
from cloze_gen.stats.option_words import OptionLimits
from cloze_gen.store.artifacts import ArtifactWriter


class LanguageModel(StyleTask):
    """KenLM's modified Kneser-Ney model of the training text; of books that are their own background a model without each."""

    stage = "lm"
    group = "lm"
    priority = 1  # before what can be done while lmplz works
    outside = True
    needs = {"text": TrainingText}

    def inputs(self) -> dict[str, StageTask]:
        return super().inputs() | ({"corpus": self.clone(Corpus, side="train")} if self.is_own_background else {})

    def settings(self) -> dict[str, Any]:
        several = {"models": self.all_settings.held_out.models} if self.is_own_background else {}
        return dict(self.own.model_dump(mode="json", exclude={"memory"})) | several  # the model is the same whatever the memory

    def look_ahead(self) -> None:
        find_lmplz()

    def work(self, writer: ArtifactWriter, room: Room) -> None:
        given = self.artifacts() | {"settings": self.own, "meanwhile": run_those_ready}
        if self.is_own_background:
            write_held_out_models(writer, room, **given, models=self.all_settings.held_out.models)
        else:
            write_language_model(writer, room, **given)


class Index(StyleTask):
    """The forward index of the model."""

    stage = "index"
    needs = {"model": LanguageModel}

    def work(self, writer: ArtifactWriter, room: Room) -> None:
        write = write_held_out_indexes if self.is_own_background else write_index
        write(writer, room, model=self.artifact("model"))


class Contexts(StyleTask):
    """The context space of words: likeness, topic, frames, neighbours. The settings of the style say of which words: `context_words`."""

    stage = "contexts"
    group = "contexts"
    version = 6
    needs = {"text": TrainingText, "counts": Counts}

    def inputs(self) -> dict[str, StageTask]:
        return super().inputs() | ({"corpus": self.clone(Corpus, side="train")} if self.is_own_background else {})

    def settings(self) -> dict[str, Any]:
        builtin = {} if background_of(self.own) is Background.CORPUS else {"builtin_words": builtin_words_facts()["sha256"]}
        several = {"models": self.all_settings.held_out.models} if self.is_own_background else {}
        limited = {name: value for name, value in settings_dict(self.all_settings.context_words).items() if hasattr(OptionLimits, name)}
        return settings_dict(self.own) | builtin | several | limited

    def work(self, writer: ArtifactWriter, room: Room) -> None:
        given = self.artifacts() | {"limits": self.all_settings.context_words, "settings": self.own}
        if self.is_own_background:
            write_held_out_contexts(writer, room, **given, models=self.all_settings.held_out.models)
        else:
            write_context_vectors(writer, room, **given)
