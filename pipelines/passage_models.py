"""The models of the passage and blank baselines as tasks."""

from __future__ import annotations

from typing import Any

import luigi

from cloze_gen.adapters.lmplz import find_lmplz
from cloze_gen.evaluation import blank_baselines as of_blanks
from cloze_gen.evaluation.blank_models import BLANK_LSA, write_blank_lsa
from cloze_gen.evaluation.passage_baselines import NETWORK_KINDS, NGRAMS, TEXT
from cloze_gen.evaluation.passage_models import (
    BLANK_NGRAMS,
    PASSAGE_NETWORKS,
    PASSAGE_NGRAMS,
    write_passage_network,
    write_passage_ngrams,
    write_passage_text,
    write_sentence_counts,
)
from cloze_gen.pipelines.baseline_models import CorpusCounts, CorpusText, FromCorpus
from cloze_gen.pipelines.task import StageTask


class PassageText(FromCorpus):
    """The training sentences in lower case."""

    stage = "passage-text"
    needs = {"text": CorpusText, "counts": CorpusCounts}
    write = staticmethod(write_passage_text)


class PassageNgrams(FromCorpus):
    stage = "passage-ngrams"
    outside = True
    needs = {"text": PassageText}
    write = staticmethod(write_passage_ngrams)
    sizes = PASSAGE_NGRAMS

    def look_ahead(self) -> None:
        find_lmplz()


class PassageNetwork(FromCorpus):
    stage = "passage-network"
    draws = True
    sizes = PASSAGE_NETWORKS
    needs = {"text": PassageText}
    write = staticmethod(write_passage_network)
    kind: Any = luigi.ChoiceParameter(choices=list(NETWORK_KINDS.values()))

    @property
    def label(self) -> str:
        return f"passage-network {self.kind}"

    def settings(self) -> dict[str, Any]:
        return super().settings() | {"kind": self.kind}

    def given(self) -> dict[str, Any]:
        return super().given() | {"kind": self.kind}


class SentenceCounts(FromCorpus):
    stage = "sentence-counts"
    needs = {"text": PassageText}
    write = staticmethod(write_sentence_counts)


class BlankNgrams(PassageNgrams):
    """The n-gram baseline of passages with a lower order."""

    sizes = BLANK_NGRAMS


class BlankLsa(FromCorpus):
    """LSA word vectors for the coherence of sentences."""

    stage = "blank-lsa"
    version = 2
    sizes = BLANK_LSA
    needs = {"text": PassageText, "counts": SentenceCounts}
    write = staticmethod(write_blank_lsa)


def passage_tasks(base: FromCorpus, *, seed: int) -> dict[str, StageTask]:
    """The models by their names in `evaluate.passage_baselines`."""
    tasks = {TEXT: base.clone(PassageText), NGRAMS: base.clone(PassageNgrams)}
    for kind in NETWORK_KINDS.values():
        tasks[kind] = base.clone(PassageNetwork, kind=kind, seed=seed)
    return tasks


def blank_tasks(base: FromCorpus) -> dict[str, StageTask]:
    """The models by their names in `evaluate.blank_baselines`."""
    tasks = {of_blanks.TEXT: SentenceCounts, of_blanks.NGRAMS: BlankNgrams, of_blanks.LSA: BlankLsa}
    return {name: base.clone(task) for name, task in tasks.items()}
