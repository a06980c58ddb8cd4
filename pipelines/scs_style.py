"""The SCS-style dataset (Argouarc'h 2018): raw text -> tags -> content vocabulary -> inflections -> sentences -> focus -> impostors -> set.

No stage of it knows a language model, a forward index or context vectors: that no statistic of word-to-word relations was used is the
point of this set.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from pydantic import model_validator

from cloze_gen.adapters.tagger_identity import tagger_identity
from cloze_gen.config import settings_dict
from cloze_gen.pipelines.corpus import Corpus, Counts, TaggedCounts, Tagging
from cloze_gen.pipelines.style_task import StyleTask
from cloze_gen.pipelines.task import StageTask
from cloze_gen.recipes.scs.release import REFERENCE, scs_files
from cloze_gen.recipes.scs.stages.books import read_reference, reference_counts, write_books
from cloze_gen.recipes.scs.stages.focus import write_focus
from cloze_gen.recipes.scs.stages.impostors import write_impostors
from cloze_gen.recipes.scs.stages.inflections import write_inflections
from cloze_gen.recipes.scs.stages.places import write_places
from cloze_gen.recipes.scs.stages.questions import write_questions
from cloze_gen.recipes.scs.stages.sentences import write_sentences
from cloze_gen.recipes.scs.stages.vocabulary import write_vocabulary
from cloze_gen.recipes.scs.steps.books import BooksSettings
from cloze_gen.recipes.scs.steps.focus import FocusSettings
from cloze_gen.recipes.scs.steps.impostors import ImpostorsSettings
from cloze_gen.recipes.scs.steps.inflections import InflectionsSettings
from cloze_gen.recipes.scs.steps.places import PlacesSettings
from cloze_gen.recipes.scs.steps.questions import QuestionsSettings
from cloze_gen.recipes.scs.steps.sentences import SentencesSettings
from cloze_gen.recipes.scs.steps.vocabulary import VocabularySettings
from cloze_gen.recipes.scs.trace import TRACE
from cloze_gen.settings import SettingsGroup
from cloze_gen.stages.asking.reading import READING
from cloze_gen.stages.corpus.overlap import IGNORED_WITHOUT_TRAIN, OverlapSettings
from cloze_gen.stages.corpus.tags import TaggerSettings
from cloze_gen.stages.items.questions import QUESTION_ITEMS
from cloze_gen.stages.offensive_words import words_digest
from cloze_gen.stages.release.settings import ReleaseSettings
from cloze_gen.stages.release.signature import short_digest
from cloze_gen.stages.room import Room
from cloze_gen.stages.style import Facts, OwnBackground, Style
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
    places: PlacesSettings = PlacesSettings()
    impostors: ImpostorsSettings = ImpostorsSettings()
    questions: QuestionsSettings = QuestionsSettings()
    release: ReleaseSettings = ReleaseSettings()

    ignored_when = IGNORED_WITHOUT_TRAIN

    @model_validator(mode="after")
    def _reference_is_given(self) -> Self:
        if self.vocabulary.source == "reference" and not self.books.reference:
            raise ValueError("vocabulary.source = reference asks for the words of a question set: name it in books.reference")
        return self


class Vocabulary(StyleTask):
    """The content vocabulary of 6,900 pairs."""

    stage = "vocabulary"
    group = "vocabulary"
    version = 2
    needs = {"tagged": TaggedCounts}

    @property
    def asks_reference(self) -> bool:
        return self.own.source == "reference"

    def digests(self) -> dict[str, str]:
        return {"reference": short_digest(read_reference(self.all_settings.books.reference))} if self.asks_reference else {}

    def work(self, writer: ArtifactWriter, room: Room) -> None:
        file, tagger = self.all_settings.books.reference, self.all_settings.tagger.name
        reference = reference_counts(file, tagger) if self.asks_reference else None
        write_vocabulary(writer, room, **self.artifacts(), settings=self.own, reference=reference)


class Inflections(StyleTask):
    """The inflection table: (lemma, tag) -> form, count, source."""

    stage = "inflections"
    group = "inflections"
    version = 2
    needs = {"tagged": TaggedCounts, "vocabulary": Vocabulary}
    write = staticmethod(write_inflections)


class Books(StyleTask):
    """Section 2: source books whose vocabulary is like the reference questions'. Stands in the DAG only when a reference is given."""

    stage = "books"
    group = "books"
    version = 2
    needs = {"source": (Corpus, "source"), "tagging": (Tagging, "source")}

    def digests(self) -> dict[str, str]:
        return {"reference": short_digest(read_reference(self.own.reference))}

    def settings(self) -> dict[str, Any]:
        tagger = tagger_identity(self.all_settings.tagger.name)
        return self.own.model_dump(mode="json", exclude={"reference"}) | {"tagger": tagger}

    def work(self, writer: ArtifactWriter, room: Room) -> None:
        write_books(writer, room, **self.artifacts(), settings=self.own, tagger=self.all_settings.tagger.name)


class Sentences(StyleTask):
    """Section 3.1: sentences with 6 to 12 content words, a verb and few names; one in four."""

    stage = "sentences"
    group = "sentences"
    version = 4
    needs = {"source": (Corpus, "source"), "tagging": (Tagging, "source"), "counts": Counts, "vocabulary": Vocabulary}
    write = staticmethod(write_sentences)

    def inputs(self) -> dict[str, StageTask]:
        chosen = {"source": self.clone(Books)} if self.all_settings.books.reference else {}
        return super().inputs() | chosen

    def settings(self) -> dict[str, Any]:
        return settings_dict(self.own) | {"offensive_words": words_digest(self.all_settings.sentences.offensive_words)}


class Places(StyleTask):
    """Where the training books put each content word: no settings, for how it is read is asked by focus and impostors."""

    stage = "places"
    version = 3
    needs = {"corpus": (Corpus, "train"), "tagging": (Tagging, "train"), "vocabulary": Vocabulary}
    write = staticmethod(write_places)


class AsksPlaces(StyleTask):
    """A stage that asks what places words take."""

    def settings(self) -> dict[str, Any]:
        return super().settings() | {f"places.{key}": value for key, value in settings_dict(self.all_settings.places).items()}


class Focus(AsksPlaces):
    """Section 3.2: one random content word a sentence."""

    stage = "focus"
    group = "focus"
    version = 5
    draws = True
    needs = {"sentences": Sentences, "vocabulary": Vocabulary, "inflections": Inflections, "counts": Counts, "places": Places}

    def work(self, writer: ArtifactWriter, room: Room) -> None:
        write_focus(writer, room, **self.artifacts(), settings=self.own, places_settings=self.all_settings.places, seed=self.seed)


class Impostors(AsksPlaces):
    """Section 3.3: four words of the same class and inflection."""

    stage = "impostors"
    group = "impostors"
    version = 7
    draws = True
    needs = {"focus": Focus, "inflections": Inflections, "vocabulary": Vocabulary, "counts": Counts, "places": Places}

    def settings(self) -> dict[str, Any]:
        limits = self.all_settings.focus.model_dump(include={"min_freq", "max_freq"})
        return super().settings() | limits | {"offensive_words": words_digest(self.all_settings.sentences.offensive_words)}

    def work(self, writer: ArtifactWriter, room: Room) -> None:
        limits, offensive = self.all_settings.focus, self.all_settings.sentences.offensive_words
        write_impostors(
            writer, room, **self.artifacts(), limits=limits, settings=self.own, places_settings=self.all_settings.places,
            offensive=offensive, seed=self.seed,
        )  # fmt: skip


class Questions(StyleTask):
    """Section 3.4: the first 6,000, answers dealt over the positions."""

    stage = "questions"
    group = "questions"
    version = 4
    draws = True
    needs = {"focus": Focus, "impostors": Impostors}
    write = staticmethod(write_questions)


def model_name(settings: ScsSettings, fingerprints: Mapping[str, str]) -> str:
    """The tagger, for the signature: no other model is behind the set."""
    return tagger_identity(settings.tagger.name)


def notes(settings: ScsSettings, facts: Facts) -> list[str]:
    """What a user of the set must know of the settings."""
    draw, books = settings.impostors.impostor_draw, settings.books
    chosen = "no reference question set"
    if books.reference:
        chosen = f"a reference question set (cosine above {books.min_similarity}, coverage above {books.min_coverage})"
    return [
        "groomed: machine (no human has judged the candidates)",
        f"impostors: {draw}; of the answer's class and inflection, no statistic of word-to-word relations used",
        f"tagger: {tagger_identity(settings.tagger.name)}",
        f"source books chosen by: {chosen}",
    ]


STYLE = Style(
    name="scs-style",
    title="SCS-style",
    paper="Argouarc'h 2018, A new Sentence Completion Set of 6000 questions.",
    reference=REFERENCE,
    settings=ScsSettings,
    sample_config="scs-sample",
    own_background=OwnBackground("scs-style", lambda facts: ["No statistic of word-to-word relations was used: none had to be held out."]),
    sides=("train", "source"),
    narrowed={"source": "books"},
    items=QUESTION_ITEMS,
    last=Questions,
    files=scs_files,
    order=lambda settings: "shuffled" if settings.questions.order == "mixed" else "corpus",
    levels={
        "books": "books like the reference",
        "sentences": "sentences chosen",
        "focus": "focus words",
        "impostors": "words with impostors",
        "questions": "questions",
    },
    trace=TRACE,
    notes=notes,
    model=model_name,
    trained_on="corpus train",
    asks=(READING,),
)
