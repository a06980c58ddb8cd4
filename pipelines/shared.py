"""The stages that recipes share: counts, training text, tags, parts of novels, and models."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from cloze_gen.adapters.lmplz import find_lmplz
from cloze_gen.adapters.spacy_tagger import tagger_identity
from cloze_gen.corpus.frequencies import write_counts, write_tagged_counts
from cloze_gen.corpus.offensive_words import offensive_words, words_digest
from cloze_gen.corpus.option_words import OptionLimits
from cloze_gen.corpus.partition import PartitionSettings, write_part, write_partition
from cloze_gen.corpus.tagging import write_tagging
from cloze_gen.corpus.training_text import write_training_text
from cloze_gen.judging.verdicts import VerdictFile
from cloze_gen.models.contexts import (
    Background,
    ContextSettings,
    background_of,
    builtin_words_facts,
    write_context_vectors,
)
from cloze_gen.models.held_out import write_held_out, write_held_out_indexes
from cloze_gen.models.language_model import LmSettings, write_index, write_language_model
from cloze_gen.pipelines.stage import Content, Pipeline, Stage
from cloze_gen.records.passage import Part


def word_list(setting: str) -> Content:
    """The words of a setting `offensive_words`."""
    words = offensive_words(setting)
    return Content(words, words_digest(words))


def builtin_words() -> Content:
    """The facts of the words that ship with the package."""
    facts = builtin_words_facts()
    return Content(facts, facts["sha256"])


def people_of(file: str, read: Callable[[str], VerdictFile]) -> Content | None:
    """People's verdicts in a file that a setting names; None without one."""
    if not file:
        return None
    verdicts = read(file)
    return Content(verdicts, verdicts.digest)


def count_words(run: Pipeline, corpus: Stage) -> Stage:
    """Surface and case-folded counts of the training books."""
    return run.stage("counts", write_counts, v=3, corpus=corpus)


def training_text(run: Pipeline, corpus: Stage, counts: Stage) -> Stage:
    """One sentence a line, for the models."""
    return run.stage("text", write_training_text, corpus=corpus, counts=counts)


def tagging(run: Pipeline, corpus: Stage, side: str) -> Stage:
    """One Penn tag a token; an artifact a book."""
    return run.stage(
        "tagging",
        write_tagging,
        v=2,
        label=f"tagging {side}",
        corpus=corpus,
        tagger_identity=tagger_identity(),
    )


def tagged_counts(run: Pipeline, tags: Stage, counts: Stage) -> Stage:
    """Counts of the training books by word and tag."""
    return run.stage("tagged_counts", write_tagged_counts, v=2, tagging=tags, counts=counts)


def partition(
    run: Pipeline, corpus: Stage, settings: PartitionSettings, *, keep_splits: bool
) -> Stage:
    """Novels for training, development and test."""
    return run.stage(
        "partition",
        write_partition,
        v=5,
        corpus=corpus,
        settings=settings,
        offensive=word_list(settings.offensive_words),
        keep_splits=keep_splits,
        seed=run.seed,
    )


def training_novels(run: Pipeline, parts: Stage) -> Stage:
    """The novels that the models are made of."""
    return run.stage("training_novels", write_part, partition=parts, part=Part.TRAIN)


def _model(
    run: Pipeline, name: str, write: Callable[..., None], corpus: Stage | None, **arguments: Any
) -> Stage:
    """A model of the whole text; of a corpus, one for each group of its books, of the others' text."""
    if corpus is None:
        return run.stage(name, write, **arguments)
    return run.stage(
        name, functools.partial(write_held_out, write=write), corpus=corpus, **arguments
    )


def ngram_index(
    run: Pipeline, text: Stage, settings: LmSettings, *, held_out: Stage | None = None
) -> Stage:
    """KenLM's modified Kneser-Ney model as sorted arrays for many look-ups.

    While `lmplz` works, other stages run. `held_out`: corpus of which each group has its own model.
    """
    model = _model(
        run,
        "lm",
        write_language_model,
        held_out,
        waits=True,
        check=find_lmplz,
        text=text,
        settings=settings,
    )
    return run.stage("index", write_held_out_indexes if held_out else write_index, model=model)


def contexts(
    run: Pipeline,
    text: Stage,
    counts: Stage,
    settings: ContextSettings,
    limits: OptionLimits,
    *,
    held_out: Stage | None = None,
) -> Stage:
    """Similarity, topic, frames and neighbours of the words within the limits.

    `held_out`: as for `ngram_index`.
    """
    from_books = background_of(settings) is Background.CORPUS
    return _model(
        run,
        "contexts",
        write_context_vectors,
        held_out,
        v=9,
        text=text,
        counts=counts,
        settings=settings,
        limits=limits,
        builtin_words=None if from_books else builtin_words(),
    )
