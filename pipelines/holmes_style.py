"""The Holmes-style dataset (Zweig & Burges 2011)."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import Self

from pydantic import model_validator

from cloze_gen.adapters.spacy_tagger import tagger_identity
from cloze_gen.corpus.cross_fitting import check_several
from cloze_gen.corpus.option_words import OptionLimits
from cloze_gen.corpus.parse_book import BookReason
from cloze_gen.english.sentence_fitness import SentenceFault
from cloze_gen.judging.tasks.groom import RejectReason
from cloze_gen.models.contexts import BackgroundSettings
from cloze_gen.models.language_model import LmSettings
from cloze_gen.pipelines.books import Books, BookSettings, book_ids, corpora
from cloze_gen.pipelines.shared import (
    contexts,
    count_words,
    ngram_index,
    people_of,
    training_text,
    word_list,
)
from cloze_gen.pipelines.stage import Pipeline
from cloze_gen.recipes.common import RepeatReason
from cloze_gen.recipes.msr.alternates import AlternatesSettings, write_alternates
from cloze_gen.recipes.msr.artifacts import FILE_DOCS, STAGES
from cloze_gen.recipes.msr.choice.readers import ReaderReason, read_reader_verdicts
from cloze_gen.recipes.msr.choice.settings import ChoiceReason, ChoiceSettings
from cloze_gen.recipes.msr.choice.stage import write_choice
from cloze_gen.recipes.msr.focus import FocusReason, FocusSettings, write_focus
from cloze_gen.recipes.msr.forward import ForwardReason, ForwardSettings, write_forward
from cloze_gen.recipes.msr.grooming.people import GROOMING, JUDGED_AS, JudgingReason, read_groomed
from cloze_gen.recipes.msr.grooming.rules import AnswerFault, CandidateFault, GroomingSettings
from cloze_gen.recipes.msr.grooming.stage import write_grooming
from cloze_gen.recipes.msr.paper_table import MSR_TABLE_1
from cloze_gen.recipes.msr.release import (
    REFERENCE,
    held_out_notes,
    judged,
    model_name,
    msr_files,
    notes,
    warnings,
)
from cloze_gen.records.rejection import legends_of
from cloze_gen.release.items.questions import QUESTION_ITEMS
from cloze_gen.release.settings import OrderedReleaseSettings
from cloze_gen.release.study_items import READING
from cloze_gen.release.style import OwnBackground, Style


class HolmesSettings(BookSettings):
    lm: LmSettings = LmSettings()
    contexts: BackgroundSettings = BackgroundSettings()
    focus: FocusSettings = FocusSettings()
    alternates: AlternatesSettings = AlternatesSettings()
    forward: ForwardSettings = ForwardSettings()
    grooming: GroomingSettings = GroomingSettings()
    choice: ChoiceSettings = ChoiceSettings()
    release: OrderedReleaseSettings = OrderedReleaseSettings()

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


def stages(run: Pipeline, books: Books, s: HolmesSettings) -> None:
    """The steps of the paper, in order."""
    kept = corpora(run, books, s)
    train = kept["train"]
    # Without training books, a question is made by models that have not read its book.
    held_out = train if books.own_background else None
    counts = count_words(run, train)
    text = training_text(run, train, counts)
    index = ngram_index(run, text, s.lm, held_out=held_out)
    limits = OptionLimits.of(s.focus)
    knowledge = contexts(run, text, counts, s.contexts, limits, held_out=held_out)
    # Step 1: the infrequent words of the source sentences.
    focus = run.stage(
        "focus",
        write_focus,
        v=10,
        check=functools.partial(check_several, book_ids(run, "source")) if held_out else None,
        source=kept["source"],
        counts=counts,
        settings=s.focus,
    )
    # Step 2: 150 distinct rare words a focus word, sampled from the model. Alternates must be
    # words that could be answers.
    alternates = run.stage(
        "alternates",
        write_alternates,
        v=6,
        focus=focus,
        index=index,
        counts=counts,
        limits=limits,
        settings=s.alternates,
        seed=run.seed,
    )
    # Steps 3 to 5: reject where the right word scores best; forward scores, the best 30 retained.
    forward = run.stage(
        "forward",
        write_forward,
        v=5,
        focus=focus,
        index=index,
        alternates=alternates,
        settings=s.forward,
    )
    # Section 2.3 by machine: a verdict on every retained candidate and every sentence.
    grooming = run.stage(
        "grooming",
        write_grooming,
        v=20,
        focus=focus,
        counts=counts,
        index=index,
        contexts=knowledge,
        forward=forward,
        settings=s.grooming,
        offensive=word_list(s.grooming.offensive_words),
        tagger_identity=tagger_identity() if s.grooming.tagger == "builtin" else "",
        language_model=run.file_input(s.grooming.language_model, setting="grooming.language_model"),
        people=people_of(s.grooming.verdicts, read_groomed),
    )
    # Section 2.3 and guideline 7: four impostors, one focus word a sentence, n questions.
    run.stage(
        "choice",
        write_choice,
        v=16,
        counts=counts,
        focus=focus,
        forward=forward,
        grooming=grooming,
        settings=s.choice,
        readers=people_of(s.choice.verdicts, read_reader_verdicts),
        seed=run.seed,
    )


def _new_settings(settings: HolmesSettings) -> tuple[str, ...]:
    """As many questions as a user's own books allow, where the config has the paper's number."""
    choice = settings.choice
    is_default = choice.n_questions == ChoiceSettings().n_questions
    return ("choice.n_questions=auto",) if is_default and choice.method == "matched" else ()


STYLE = Style(
    name="holmes-style",
    title="Holmes-style (MSR)",
    paper="Zweig & Burges 2011, MSR-TR-2011-129.",
    reference=REFERENCE,
    settings=HolmesSettings,
    sample_config="holmes-sample",
    own_background=OwnBackground("holmes-few-books", held_out_notes),
    new_settings=_new_settings,
    sides=("train", "source"),
    items=QUESTION_ITEMS,
    stages=stages,
    last="choice",
    files=msr_files,
    file_docs=FILE_DOCS,
    stage_docs=STAGES,
    legends=legends_of(
        BookReason,
        FocusReason,
        ForwardReason,
        SentenceFault,
        AnswerFault,
        CandidateFault,
        JudgingReason,
        RepeatReason,
        ReaderReason,
        ChoiceReason,
        more={f"{JUDGED_AS}{one}": f"the judges rejected it: {one.legend}" for one in RejectReason},
    ),
    table=MSR_TABLE_1,
    notes=notes,
    warnings=warnings,
    study_sources=(GROOMING, replace(READING, setting="choice.verdicts")),
    judged=judged,
    model=model_name,
)
