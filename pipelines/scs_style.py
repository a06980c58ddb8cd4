"""The SCS-style dataset (Argouarc'h 2018). No stage up to `impostors` uses statistics of
word-to-word relations. The screen, which only drops questions, uses those of the built-in words.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cloze_gen.adapters.spacy_tagger import tagger_identity
from cloze_gen.corpus.offensive_words import words_digest
from cloze_gen.corpus.overlap import OverlapSettings
from cloze_gen.corpus.parse_book import BookReason, IngestSettings
from cloze_gen.corpus.readers.reader import InputSettings
from cloze_gen.corpus.tagging import TaggerSettings
from cloze_gen.english.sentence_fitness import SentenceFault
from cloze_gen.models.contexts import builtin_words_facts
from cloze_gen.pipelines.corpus import Corpus, Counts, TaggedCounts, Tagging
from cloze_gen.pipelines.style_task import StyleTask
from cloze_gen.pipelines.task import StageTask
from cloze_gen.recipes.questions.printed_once import RepeatReason
from cloze_gen.recipes.scs.artifacts import STAGES
from cloze_gen.recipes.scs.focus import FocusReason, FocusSettings, LimitReason, write_focus
from cloze_gen.recipes.scs.impostors import (
    ImpostorReason,
    ImpostorsSettings,
    Refusal,
    write_impostors,
)
from cloze_gen.recipes.scs.inflections import FormStatus, InflectionsSettings, write_inflections
from cloze_gen.recipes.scs.places import PlacesSettings, write_places
from cloze_gen.recipes.scs.questions import QuestionReason, QuestionsSettings, write_questions
from cloze_gen.recipes.scs.release import REFERENCE, scs_files
from cloze_gen.recipes.scs.screen import ScreenReason, ScreenSettings, write_screen
from cloze_gen.recipes.scs.sentences import SentenceReason, SentencesSettings, write_sentences
from cloze_gen.recipes.scs.vocabulary import VocabularyReason, VocabularySettings, write_vocabulary
from cloze_gen.records.rejection import legends_of
from cloze_gen.release.items.questions import QUESTION_ITEMS
from cloze_gen.release.settings import ReleaseSettings
from cloze_gen.release.study_items import READING
from cloze_gen.release.style import Facts, OwnBackground, Style
from cloze_gen.settings import SettingsGroup


class ScsSettings(SettingsGroup):
    input: InputSettings = InputSettings()
    ingest: IngestSettings = IngestSettings()
    overlap: OverlapSettings = OverlapSettings()
    tagger: TaggerSettings = TaggerSettings()
    vocabulary: VocabularySettings = VocabularySettings()
    inflections: InflectionsSettings = InflectionsSettings()
    sentences: SentencesSettings = SentencesSettings()
    focus: FocusSettings = FocusSettings()
    places: PlacesSettings = PlacesSettings()
    impostors: ImpostorsSettings = ImpostorsSettings()
    screen: ScreenSettings = ScreenSettings()
    questions: QuestionsSettings = QuestionsSettings()
    release: ReleaseSettings = ReleaseSettings()


class Vocabulary(StyleTask):
    """The content vocabulary of 6,900 pairs."""

    stage = "vocabulary"
    group = "vocabulary"
    version = 3
    needs = {"tagged": TaggedCounts}
    write = staticmethod(write_vocabulary)


class Inflections(StyleTask):
    """The inflection table: (lemma, tag) -> form, count, source."""

    stage = "inflections"
    group = "inflections"
    version = 2
    needs = {"tagged": TaggedCounts, "vocabulary": Vocabulary}
    write = staticmethod(write_inflections)


class Sentences(StyleTask):
    """Section 3.1: sentences with 6 to 12 content words, a verb and few names."""

    stage = "sentences"
    group = "sentences"
    version = 5
    not_covered = frozenset({"offensive_words"})  # covered by its words
    needs = {
        "source": (Corpus, "source"),
        "tagging": (Tagging, "source"),
        "counts": Counts,
        "vocabulary": Vocabulary,
    }
    write = staticmethod(write_sentences)

    def settings(self) -> dict[str, Any]:
        return super().settings() | {
            "offensive_words": words_digest(self.all_settings.sentences.offensive_words)
        }


class Places(StyleTask):
    """The places of content words in the training books; focus and impostors set their use."""

    stage = "places"
    version = 3
    needs = {"corpus": (Corpus, "train"), "tagging": (Tagging, "train"), "vocabulary": Vocabulary}
    write = staticmethod(write_places)


OF_PLACES = {f"places.{name}": f"places.{name}" for name in PlacesSettings.model_fields}


class NeedsPlaces(StyleTask):
    also_reads = OF_PLACES

    def given(self) -> dict[str, Any]:
        return super().given() | {"places_settings": self.all_settings.places}


class Focus(NeedsPlaces):
    """Section 3.2: one random content word a sentence."""

    stage = "focus"
    group = "focus"
    version = 5
    draws = True
    needs = {
        "sentences": Sentences,
        "vocabulary": Vocabulary,
        "inflections": Inflections,
        "counts": Counts,
        "places": Places,
    }
    write = staticmethod(write_focus)


class Impostors(NeedsPlaces):
    """Section 3.3: four words of the same class and inflection."""

    stage = "impostors"
    group = "impostors"
    version = 7
    draws = True
    also_reads = OF_PLACES | {"min_freq": "focus.min_freq", "max_freq": "focus.max_freq"}
    needs = {
        "focus": Focus,
        "inflections": Inflections,
        "vocabulary": Vocabulary,
        "counts": Counts,
        "places": Places,
    }
    write = staticmethod(write_impostors)

    def settings(self) -> dict[str, Any]:
        return super().settings() | {
            "offensive_words": words_digest(self.all_settings.sentences.offensive_words)
        }

    def given(self) -> dict[str, Any]:
        limits, offensive = self.all_settings.focus, self.all_settings.sentences.offensive_words
        return super().given() | {"limits": limits, "offensive": offensive}


class Screen(StyleTask):
    """Ours: drops questions in which readers would find a second answer. Nothing is drawn."""

    stage = "screen"
    group = "screen"
    version = 2
    needs = {"focus": Focus, "impostors": Impostors}
    write = staticmethod(write_screen)

    def settings(self) -> dict[str, Any]:
        return super().settings() | {"builtin_words": builtin_words_facts()["sha256"]}


class Questions(StyleTask):
    """Section 3.4: the first 6,000, answer positions balanced."""

    stage = "questions"
    group = "questions"
    version = 5
    draws = True
    needs = {"focus": Focus, "impostors": Impostors}
    write = staticmethod(write_questions)

    def inputs(self) -> dict[str, StageTask]:
        screened = {"screen": self.clone(Screen)} if self.all_settings.screen.is_on else {}
        return super().inputs() | screened

    def artifacts(self) -> dict[str, Any]:
        return {"screen": None} | super().artifacts()


def model_name(settings: ScsSettings, fingerprints: Mapping[str, str]) -> str:
    """The tagger, the only model behind the set, for the signature."""
    return tagger_identity(settings.tagger.name)


def notes(settings: ScsSettings, facts: Facts) -> list[str]:
    draw = settings.impostors.impostor_draw
    limit = settings.screen.max_ambiguity
    screen = "off"
    if settings.screen.is_on:
        screen = (
            "machine; dropped questions in which a model of readers' marks expects that more than "
            f"{limit:.0%} of readers find a second answer. The model uses statistics of word pairs "
            "(built-in words); screen.max_ambiguity = 1 turns it off"
        )
    return [
        "groomed: machine (no human has judged the candidates)",
        f"impostors: {draw}; of the answer's class and inflection, no statistic of "
        "word-to-word relations used",
        f"screen: {screen}",
        f"tagger: {tagger_identity(settings.tagger.name)}",
    ]


LEGENDS = legends_of(
    BookReason,
    VocabularyReason,
    SentenceReason,
    SentenceFault,
    FormStatus,
    LimitReason,
    FocusReason,
    ImpostorReason,
    Refusal,
    ScreenReason,
    RepeatReason,
    QuestionReason,
)

STYLE = Style(
    name="scs-style",
    title="SCS-style",
    paper="Argouarc'h 2018, A new Sentence Completion Set of 6000 questions.",
    reference=REFERENCE,
    settings=ScsSettings,
    sample_config="scs-sample",
    own_background=OwnBackground(
        "scs-style",
        lambda facts: [
            (
                "No statistic of word-to-word relations was made from these books, so no books "
                "had to be held out."
            )
        ],
    ),
    sides=("train", "source"),
    items=QUESTION_ITEMS,
    last=Questions,
    files=scs_files,
    order=lambda settings: "shuffled" if settings.questions.order == "mixed" else "corpus",
    stage_docs=STAGES,
    legends=LEGENDS,
    notes=notes,
    model=model_name,
    trained_on="corpus train",
    study_sources=(READING,),
)
