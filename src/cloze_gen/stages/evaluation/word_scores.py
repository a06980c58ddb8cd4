"""The scores of the baselines of a word in a blank: read from the questions' records, or made from the models, which are opened here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cloze_gen.engine.progress import Stopwatch
from cloze_gen.evaluate.question_set import QuestionSet
from cloze_gen.evaluate.results import Baseline, BaselineResult, judge_scores
from cloze_gen.evaluate.words.adversary import AdversaryResult, try_adversary
from cloze_gen.evaluate.words.adversary_features import Features, log10_freqs, option_features, value_features
from cloze_gen.evaluate.words.baselines import ADVERSARIES, LETTERS, RANKED, RECORDED
from cloze_gen.evaluate.words.bias_rules import (
    article_scores,
    freq_lookup,
    frequency_scores,
    length_scores,
    majority_tag_scores,
    odd_one_out_scores,
    position_scores,
)
from cloze_gen.evaluate.words.lm_scores import forward_scores, history_scores, sentence_scores
from cloze_gen.evaluate.words.lsa import lsa_scores
from cloze_gen.evaluate.words.ngram_match import match_scores
from cloze_gen.evaluate.words.option_classifier import book_folds, options_only_scores, rank_scores
from cloze_gen.stages.corpus.counts import read_counts
from cloze_gen.stages.evaluation.opened_models import IndexModel, open_evaluation_lm, open_lsa, open_match_index
from cloze_gen.stages.models.index import open_index
from cloze_gen.store.artifacts import Artifact

Scores = NDArray[np.float64]


class Scorer:
    """Option scores by name, each computed once, with the seconds it took (opening its model included)."""

    def __init__(self, question_set: QuestionSet, models: Mapping[str, Artifact], *, tagger: str = "builtin") -> None:
        self._set, self._models, self._tagger = question_set, models, tagger
        self._questions = question_set.questions
        self._done: dict[str, tuple[Scores, float]] = {}
        self._opened: dict[str, Any] = {}

    def scores(self, name: str) -> tuple[Scores, float]:
        """float64, shape (n, k), and seconds; what one score takes from another is not counted twice."""
        if name not in self._done:
            clock, before = Stopwatch(), sum(seconds for _, seconds in self._done.values())
            found = self._compute(name)
            self._done[name] = found, clock.seconds - (sum(seconds for _, seconds in self._done.values()) - before)
        return self._done[name]

    def features(self, adversary: str) -> Features:
        """What an adversary is shown of every option, in the order of the questions and their options."""
        names = ADVERSARIES[adversary]
        if names:
            return value_features([log10_freqs(self.scores(name)[0]) if name == "frequency" else self.scores(name)[0] for name in names])
        return option_features([question.options for question in self._questions], self._once("lone tags", self._read_lone_tags))

    def _compute(self, name: str) -> Scores:
        told = self._set.recorded(RECORDED[name]) if name in RECORDED else None
        if told is not None:
            return told
        if name.startswith("position-"):
            return position_scores(self._questions, LETTERS.index(name[-1]))
        makers: dict[str, Callable[[], Scores]] = {
            "generating": lambda: sentence_scores(self._language_model(), self._questions),
            "history": lambda: history_scores(self._language_model(), self._questions),
            "forward": lambda: forward_scores(self._language_model(), self._questions),
            "smoothed-3gram": lambda: sentence_scores(open_evaluation_lm(self._models["3gram"]), self._questions),
            "smoothed-4gram": lambda: sentence_scores(open_evaluation_lm(self._models["4gram"]), self._questions),
            "simple-4gram": self._match,
            "lsa": self._lsa,
            "frequency": lambda: frequency_scores(self._questions, self._freq_of()),
            "length": lambda: length_scores(self._questions),
            "odd-tag-out": lambda: odd_one_out_scores(self._tags()),
            "majority-tag": lambda: majority_tag_scores(self._tags()),
            "a-an-agreement": lambda: article_scores(self._questions),
            "options-only": lambda: options_only_scores(self._questions, book_folds(self._questions), freq_of=self._freq_of()),
            "ranks": self._ranks,
        }
        return makers[name]()

    def _match(self) -> Scores:
        hashes, vocabulary = open_match_index(self._models["match"])
        return match_scores(hashes, self._questions, vocabulary)

    def _lsa(self) -> Scores:
        vectors, rows = open_lsa(self._models["lsa"])
        return lsa_scores(vectors, self._questions, rows)

    def _ranks(self) -> Scores:
        return rank_scores([self.scores(name)[0] for name in RANKED], self._questions, book_folds(self._questions))

    def _language_model(self) -> IndexModel:
        return self._once("index", lambda: IndexModel(open_index(self._models["index"])))

    def _freq_of(self) -> Callable[[str], float]:
        return self._once("freq", self._read_freqs)

    def _read_freqs(self) -> Callable[[str], float]:
        told = self._set.recorded(RECORDED["frequency"])
        if told is not None:
            options = (option for question in self._questions for option in question.options)
            return freq_lookup({option.casefold(): freq for option, freq in zip(options, told[~np.isnan(told)].tolist(), strict=True)})
        table = read_counts(self._models["counts"])
        return freq_lookup({word.casefold(): freq for word, freq in zip(table.words, table.freq.tolist(), strict=True)})

    def _tags(self) -> list[list[str]]:
        return self._once("tags", self._read_tags)

    def _read_tags(self) -> list[list[str]]:
        """The tag of every option in its sentence, the option standing in the gap."""
        from cloze_gen.adapters.spacy_tagger import load_tagger  # here, for spaCy takes a second to load and only two rules need it

        pairs = [(question, option) for question in self._questions for option in question.options]
        tagged = load_tagger(self._tagger).tag(question.blank.filled(option) for question, option in pairs)
        flat = [tags[question.position] for (question, _), tags in zip(pairs, tagged, strict=True)]
        starts = np.cumsum([0, *(len(question.options) for question in self._questions)]).tolist()
        return [flat[start:end] for start, end in pairwise(starts)]

    def _read_lone_tags(self) -> list[list[str]]:
        """The tag of every option, the word standing alone: read in its sentence it would tell of the sentence too."""
        from cloze_gen.adapters.spacy_tagger import load_tagger

        words = sorted({option for question in self._questions for option in question.options})
        tags = {word: tag for word, (tag, *_) in zip(words, load_tagger(self._tagger).tag((word,) for word in words), strict=True)}
        return [[tags[option] for option in question.options] for question in self._questions]

    def _once(self, name: str, open_it: Callable[[], Any]) -> Any:
        if name not in self._opened:
            self._opened[name] = open_it()
        return self._opened[name]


def judge(baseline: Baseline, scorer: Scorer, question_set: QuestionSet, *, seed: int) -> BaselineResult:
    """One baseline's result, its scores made or read."""
    scores, seconds = scorer.scores(baseline.score)
    return judge_scores(baseline, scores, question_set.questions, seed=seed, seconds=seconds)


def judge_adversary(baseline: Baseline, scorer: Scorer, question_set: QuestionSet, *, seed: int) -> AdversaryResult:
    """One adversary's result; its seconds are those of training, the scores that it is shown having rows of their own."""
    features = scorer.features(baseline.score)
    clock = Stopwatch()
    return replace(try_adversary(baseline, features, question_set.questions, seed=seed), seconds=clock.seconds)
