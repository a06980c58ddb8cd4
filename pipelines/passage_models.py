"""The models that passages and blanks are asked of, as tasks: training text in small letters -> n-gram models, networks, vectors."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import luigi

from cloze_gen.adapters.lmplz import find_lmplz
from cloze_gen.evaluate.blanks import baselines as of_blanks
from cloze_gen.evaluate.passages.baselines import CBOW, NETWORK_KINDS, NGRAMS, SUPERVISED_CBOW, TEXT
from cloze_gen.pipelines.baseline_models import CorpusCounts, CorpusText, FromCorpus
from cloze_gen.pipelines.task import StageTask
from cloze_gen.stages.evaluation.blank_lsa import BLANK_LSA, write_blank_lsa
from cloze_gen.stages.evaluation.passage_models import BLANK_NGRAMS, PASSAGE_NGRAMS, write_passage_ngrams, write_passage_text
from cloze_gen.stages.evaluation.passage_networks import PASSAGE_NETWORKS, write_passage_network
from cloze_gen.stages.evaluation.sentence_counts import write_sentence_counts
from cloze_gen.stages.room import Room
from cloze_gen.store.artifacts import ArtifactWriter


class PassageText(FromCorpus):
    """The training sentences in small letters."""

    stage = "passage-text"

    def inputs(self) -> dict[str, StageTask]:
        return {"text": self.clone(CorpusText), "counts": self.clone(CorpusCounts)}

    def work(self, writer: ArtifactWriter, room: Room) -> None:
        write_passage_text(writer, room, text=self.artifact("text"), counts=self.artifact("counts"))


class OverPassageText(FromCorpus):
    """A model of the text in small letters."""

    def inputs(self) -> dict[str, StageTask]:
        return {"text": self.clone(PassageText)}


class PassageNgrams(OverPassageText):
    """The n-gram baseline."""

    stage = "passage-ngrams"
    outside = True
    sizes = PASSAGE_NGRAMS

    def settings(self) -> dict[str, Any]:
        return asdict(self.sizes)

    def look_ahead(self) -> None:
        find_lmplz()

    def work(self, writer: ArtifactWriter, room: Room) -> None:
        write_passage_ngrams(writer, room, text=self.artifact("text"), sizes=self.sizes)


class PassageNetwork(OverPassageText):
    """A network baseline, or CBOW; supervised CBOW starts from CBOW's vectors."""

    stage = "passage-network"
    draws = True
    kind: Any = luigi.ChoiceParameter(choices=list(NETWORK_KINDS.values()))

    @property
    def label(self) -> str:
        return f"passage-network {self.kind}"

    def inputs(self) -> dict[str, StageTask]:
        cbow = {CBOW: self.clone(PassageNetwork, kind=CBOW)} if self.kind == SUPERVISED_CBOW else {}
        return super().inputs() | cbow

    def settings(self) -> dict[str, Any]:
        return asdict(PASSAGE_NETWORKS) | {"kind": self.kind}

    def work(self, writer: ArtifactWriter, room: Room) -> None:
        inputs = {name: self.artifact(name) for name in self.inputs()}
        write_passage_network(writer, room, **inputs, sizes=PASSAGE_NETWORKS, kind=self.kind, seed=self.seed)


class SentenceCounts(OverPassageText):
    """Words and the sentences that they stand in."""

    stage = "sentence-counts"

    def work(self, writer: ArtifactWriter, room: Room) -> None:
        write_sentence_counts(writer, room, text=self.artifact("text"))


class BlankNgrams(PassageNgrams):
    """As the n-gram baseline of passages, of a lower order."""

    sizes = BLANK_NGRAMS


class BlankLsa(FromCorpus):
    """Word vectors for the coherence of sentences."""

    stage = "blank-lsa"

    def inputs(self) -> dict[str, StageTask]:
        return {"text": self.clone(PassageText), "counts": self.clone(SentenceCounts)}

    def settings(self) -> dict[str, Any]:
        return asdict(BLANK_LSA)

    def work(self, writer: ArtifactWriter, room: Room) -> None:
        write_blank_lsa(writer, room, text=self.artifact("text"), counts=self.artifact("counts"), sizes=BLANK_LSA)


def passage_tasks(base: FromCorpus, *, seed: int) -> dict[str, StageTask]:
    """The models by the names that `evaluate.passages.baselines` knows them by.

    Args:
        seed: of the networks' first weights.
    """
    networks = {kind: base.clone(PassageNetwork, kind=kind, seed=seed) for kind in NETWORK_KINDS.values()}
    return {TEXT: base.clone(PassageText), NGRAMS: base.clone(PassageNgrams), **networks}


def blank_tasks(base: FromCorpus) -> dict[str, StageTask]:
    """The models by the names that `evaluate.blanks.baselines` knows them by."""
    tasks = {of_blanks.TEXT: SentenceCounts, of_blanks.NGRAMS: BlankNgrams, of_blanks.LSA: BlankLsa}
    return {name: base.clone(task) for name, task in tasks.items()}
