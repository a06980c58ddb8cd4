"""The SCS-style dataset (Argouarc'h 2018): raw text -> tags -> content vocabulary -> inflections -> sentences -> focus -> impostors -> set.

No stage of it knows a language model, a forward index or context vectors: that no statistic of word-to-word relations was used is the
point of this set.
"""

from __future__ import annotations

from typing import Any

import luigi

from cloze_gen.config import settings_dict
from cloze_gen.pipelines.corpus import Corpus, Counts, StyleTask, tagger_identity
from cloze_gen.pipelines.run import RunTask
from cloze_gen.pipelines.task import StageTask
from cloze_gen.recipes.scs.stages.books import read_reference, write_books
from cloze_gen.recipes.scs.stages.focus import write_focus
from cloze_gen.recipes.scs.stages.impostors import write_impostors
from cloze_gen.recipes.scs.stages.inflections import write_inflections
from cloze_gen.recipes.scs.stages.questions import write_questions
from cloze_gen.recipes.scs.stages.sentences import write_sentences
from cloze_gen.recipes.scs.stages.vocabulary import write_vocabulary
from cloze_gen.recipes.scs.steps.books import BooksSettings
from cloze_gen.recipes.scs.steps.focus import FocusSettings
from cloze_gen.recipes.scs.steps.impostors import ImpostorsSettings
from cloze_gen.recipes.scs.steps.inflections import InflectionsSettings
from cloze_gen.recipes.scs.steps.questions import QuestionsSettings
from cloze_gen.recipes.scs.steps.sentences import SentencesSettings
from cloze_gen.recipes.scs.steps.vocabulary import VocabularySettings
from cloze_gen.settings import SettingsGroup
from cloze_gen.stages.corpus.overlap import OverlapSettings
from cloze_gen.stages.corpus.tagged_counts import write_tagged_counts
from cloze_gen.stages.corpus.tags import TaggerSettings, write_tagging
from cloze_gen.stages.offensive_words import offensive_words
from cloze_gen.stages.release import SCS, ReleaseSettings, short_digest
from cloze_gen.stages.room import Room
from cloze_gen.store.artifacts import ArtifactWriter
from cloze_gen.text.parse_book import IngestSettings


class ScsSettings(SettingsGroup):
    """All settings of the style, one group a stage; each group's model stands above its step."""

    ingest: IngestSettings = IngestSettings()
    overlap: OverlapSettings = OverlapSettings()
    tagger: TaggerSettings = TaggerSettings()
    books: BooksSettings = BooksSettings()
    vocabulary: VocabularySettings = VocabularySettings()
    inflections: InflectionsSettings = InflectionsSettings()
    sentences: SentencesSettings = SentencesSettings()
    focus: FocusSettings = FocusSettings()
    impostors: ImpostorsSettings = ImpostorsSettings()
    questions: QuestionsSettings = QuestionsSettings()
    release: ReleaseSettings = ReleaseSettings()


class Tagging(StyleTask):
    """One Penn tag a token, kept one artifact a book."""

    stage = "tagging"
    side = luigi.ChoiceParameter(choices=["train", "source"])

    @property
    def label(self) -> str:
        return f"tagging {self.side}"

    def inputs(self) -> dict[str, StageTask]:
        return {"corpus": self.clone(Corpus, side=self.side)}

    def settings(self) -> dict[str, Any]:
        return {"tagger": tagger_identity(self.all_settings.tagger.name)}

    def work(self, writer: ArtifactWriter, room: Room) -> None:
        settings = self.all_settings.tagger
        write_tagging(writer, room, corpus=self.artifact("corpus"), settings=settings, identity=tagger_identity(settings.name))


class TaggedCounts(StyleTask):
    """Counts of (form, tag) and (lemma, class) in the training books."""

    stage = "tagged_counts"

    @property
    def label(self) -> str:
        return "tagged counts"

    def inputs(self) -> dict[str, StageTask]:
        return {"tagging": self.clone(Tagging, side="train"), "counts": self.clone(Counts)}

    def work(self, writer: ArtifactWriter, room: Room) -> None:
        write_tagged_counts(writer, room, tagging=self.artifact("tagging"), counts=self.artifact("counts"))


class Vocabulary(StyleTask):
    """The content vocabulary of 6,900 pairs."""

    stage = "vocabulary"
    version = 2

    def inputs(self) -> dict[str, StageTask]:
        return {"tagged": self.clone(TaggedCounts)}

    def settings(self) -> dict[str, Any]:
        return settings_dict(self.all_settings.vocabulary)

    def work(self, writer: ArtifactWriter, room: Room) -> None:
        write_vocabulary(writer, room, tagged=self.artifact("tagged"), settings=self.all_settings.vocabulary)


class Inflections(StyleTask):
    """The inflection table: (lemma, tag) -> form, count, source."""

    stage = "inflections"
    version = 2

    def inputs(self) -> dict[str, StageTask]:
        return {"tagged": self.clone(TaggedCounts), "vocabulary": self.clone(Vocabulary)}

    def settings(self) -> dict[str, Any]:
        return settings_dict(self.all_settings.inflections)

    def work(self, writer: ArtifactWriter, room: Room) -> None:
        write_inflections(
            writer, room, tagged=self.artifact("tagged"), vocabulary=self.artifact("vocabulary"), settings=self.all_settings.inflections
        )


class Books(StyleTask):
    """Section 2: source books whose vocabulary is like the reference questions'. Stands in the DAG only when a reference is given."""

    stage = "books"
    version = 2

    def inputs(self) -> dict[str, StageTask]:
        return {"source": self.clone(Corpus, side="source"), "tagging": self.clone(Tagging, side="source")}

    def digests(self) -> dict[str, str]:
        return {"reference": short_digest(read_reference(self.all_settings.books.reference))}

    def settings(self) -> dict[str, Any]:
        return self.all_settings.books.model_dump(mode="json", exclude={"reference"}) | {
            "tagger": tagger_identity(self.all_settings.tagger.name)
        }

    def work(self, writer: ArtifactWriter, room: Room) -> None:
        settings = self.all_settings
        source, tagging = self.artifact("source"), self.artifact("tagging")
        write_books(writer, room, source=source, tagging=tagging, settings=settings.books, tagger=settings.tagger.name)


class Sentences(StyleTask):
    """Section 3.1: sentences with 6 to 12 content words, a verb and few names; one in four."""

    stage = "sentences"
    version = 3

    def inputs(self) -> dict[str, StageTask]:
        source = self.clone(Books) if self.all_settings.books.reference else self.clone(Corpus, side="source")
        tagging = self.clone(Tagging, side="source")
        return {"source": source, "tagging": tagging, "counts": self.clone(Counts), "vocabulary": self.clone(Vocabulary)}

    def settings(self) -> dict[str, Any]:
        return settings_dict(self.all_settings.sentences) | {"offensive_words": offensive_digest(self.all_settings)}

    def work(self, writer: ArtifactWriter, room: Room) -> None:
        inputs = {name: self.artifact(name) for name in self.inputs()}
        write_sentences(writer, room, **inputs, settings=self.all_settings.sentences)


class Focus(StyleTask):
    """Section 3.2: one random content word a sentence."""

    stage = "focus"
    version = 3
    draws = True

    def inputs(self) -> dict[str, StageTask]:
        names = {"sentences": Sentences, "vocabulary": Vocabulary, "inflections": Inflections, "counts": Counts}
        return {name: self.clone(task) for name, task in names.items()}

    def settings(self) -> dict[str, Any]:
        return settings_dict(self.all_settings.focus)

    def work(self, writer: ArtifactWriter, room: Room) -> None:
        inputs = {name: self.artifact(name) for name in self.inputs()}
        write_focus(writer, room, **inputs, settings=self.all_settings.focus, seed=self.seed)


class Impostors(StyleTask):
    """Section 3.3: four words of the same class and inflection."""

    stage = "impostors"
    version = 3
    draws = True

    def inputs(self) -> dict[str, StageTask]:
        names = {"focus": Focus, "inflections": Inflections, "vocabulary": Vocabulary, "counts": Counts}
        return {name: self.clone(task) for name, task in names.items()}

    def settings(self) -> dict[str, Any]:
        limits = self.all_settings.focus.model_dump(include={"min_freq", "max_freq"})
        return settings_dict(self.all_settings.impostors) | limits | {"offensive_words": offensive_digest(self.all_settings)}

    def work(self, writer: ArtifactWriter, room: Room) -> None:
        settings = self.all_settings
        inputs = {name: self.artifact(name) for name in self.inputs()}
        offensive = settings.sentences.offensive_words
        write_impostors(writer, room, **inputs, limits=settings.focus, settings=settings.impostors, offensive=offensive, seed=self.seed)


class Questions(StyleTask):
    """Section 3.4: the first 6,000, answers dealt over the positions."""

    stage = "questions"
    version = 2
    draws = True

    def inputs(self) -> dict[str, StageTask]:
        return {"focus": self.clone(Focus), "impostors": self.clone(Impostors)}

    def settings(self) -> dict[str, Any]:
        return settings_dict(self.all_settings.questions)

    def work(self, writer: ArtifactWriter, room: Room) -> None:
        inputs = {name: self.artifact(name) for name in self.inputs()}
        write_questions(writer, room, **inputs, settings=self.all_settings.questions, seed=self.seed)


def offensive_digest(settings: ScsSettings) -> str:
    """The list of words that stay out, by content: a file's name is no setting."""
    return short_digest(sorted(offensive_words(settings.sentences.offensive_words)))


class ScsStyle(RunTask):
    """The run: links to every stage, and the release."""

    model = ScsSettings
    default_config, sample_config = "scs-style", "scs-sample"
    style_name = "scs_style"
    release_format = SCS
    questions_task = Questions

    def model_name(self) -> str:
        return tagger_identity(self.all_settings.tagger.name)

    def style_notes(self) -> list[str]:
        settings = self.all_settings
        draw, books = settings.impostors.impostor_draw, settings.books
        chosen = "no reference question set"
        if books.reference:
            chosen = f"a reference question set (cosine above {books.min_similarity}, coverage above {books.min_coverage})"
        return [
            f"impostors: {draw}; of the answer's class and inflection, no statistic of word-to-word relations used",
            f"tagger: {self.model_name()}",
            f"source books chosen by: {chosen}",
        ]


STYLE = ScsStyle
