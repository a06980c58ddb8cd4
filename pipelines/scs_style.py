"""The SCS-style dataset (Argouarc'h 2018). Questions are drawn without statistics of word-to-word
relations. The screen, which only drops questions, uses those of the built-in words.
"""

from __future__ import annotations

from cloze_gen.corpus.parse_book import BookReason
from cloze_gen.english.sentence_fitness import SentenceFault
from cloze_gen.pipelines.books import Books, BookSettings, corpora
from cloze_gen.pipelines.shared import builtin_words, count_words, tagged_counts, tagging, word_list
from cloze_gen.pipelines.stage import Pipeline
from cloze_gen.recipes.common import RepeatReason
from cloze_gen.recipes.scs.artifacts import FILE_DOCS, STAGES
from cloze_gen.recipes.scs.draw import DrawReason, DrawSettings, write_draw
from cloze_gen.recipes.scs.inflections import FormStatus, InflectionsSettings, write_inflections
from cloze_gen.recipes.scs.place_counts import write_places
from cloze_gen.recipes.scs.place_table import PlacesSettings
from cloze_gen.recipes.scs.questions import QuestionReason, QuestionsSettings, write_questions
from cloze_gen.recipes.scs.release import REFERENCE, model_name, notes, scs_files
from cloze_gen.recipes.scs.sentences import SentenceReason, SentencesSettings, write_sentences
from cloze_gen.recipes.scs.vocabulary import VocabularyReason, VocabularySettings, write_vocabulary
from cloze_gen.records.rejection import legends_of
from cloze_gen.release.items.questions import QUESTION_ITEMS
from cloze_gen.release.settings import SHUFFLED, ReleaseSettings
from cloze_gen.release.study_items import READING
from cloze_gen.release.style import OwnBackground, Style


class ScsSettings(BookSettings):
    vocabulary: VocabularySettings = VocabularySettings()
    inflections: InflectionsSettings = InflectionsSettings()
    sentences: SentencesSettings = SentencesSettings()
    places: PlacesSettings = PlacesSettings()
    draw: DrawSettings = DrawSettings()
    questions: QuestionsSettings = QuestionsSettings()
    release: ReleaseSettings = ReleaseSettings()


def stages(run: Pipeline, books: Books, s: ScsSettings) -> None:
    """The steps of the paper, in order."""
    kept = corpora(run, books, s)
    offensive = word_list(s.sentences.offensive_words)
    counts = count_words(run, kept["train"])
    train_tags = tagging(run, kept["train"], "train")
    source_tags = tagging(run, kept["source"], "source")
    tagged = tagged_counts(run, train_tags, counts)
    # The content vocabulary of 6,900 pairs, and the inflection table: (lemma, tag) -> form.
    vocabulary = run.stage(
        "vocabulary", write_vocabulary, v=5, tagged=tagged, settings=s.vocabulary
    )
    inflections = run.stage(
        "inflections",
        write_inflections,
        v=4,
        tagged=tagged,
        vocabulary=vocabulary,
        settings=s.inflections,
    )
    # Section 3.1: sentences with 6 to 12 content words, a verb and few names.
    sentences = run.stage(
        "sentences",
        write_sentences,
        v=8,
        source=kept["source"],
        tagging=source_tags,
        counts=counts,
        vocabulary=vocabulary,
        settings=s.sentences,
        offensive=offensive,
    )
    # The places of content words in the training books.
    places = run.stage(
        "places",
        write_places,
        v=5,
        corpus=kept["train"],
        tagging=train_tags,
        vocabulary=vocabulary,
    )
    # Sections 3.2 and 3.3: one random content word a sentence, and four words of the same class
    # and inflection. Ours: questions in which readers would find a second answer are dropped.
    draw = run.stage(
        "draw",
        write_draw,
        sentences=sentences,
        vocabulary=vocabulary,
        inflections=inflections,
        counts=counts,
        places=places,
        offensive=offensive,
        builtin_words=builtin_words(),
        settings=s.draw,
        places_settings=s.places,
        seed=run.seed,
    )
    # Section 3.4: the first 6,000, answer positions balanced.
    run.stage(
        "questions",
        write_questions,
        v=7,
        draw=draw,
        sentences=sentences,
        settings=s.questions,
        seed=run.seed,
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
    stages=stages,
    last="questions",
    files=scs_files,
    order=lambda settings: SHUFFLED,
    file_docs=FILE_DOCS,
    stage_docs=STAGES,
    legends=legends_of(
        BookReason,
        VocabularyReason,
        SentenceReason,
        SentenceFault,
        FormStatus,
        DrawReason,
        RepeatReason,
        QuestionReason,
    ),
    notes=notes,
    model=model_name,
    study_sources=(READING,),
)
