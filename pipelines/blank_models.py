"""The models that scorers of blanks are made from, as tasks: text in small letters -> counts by sentence, n-gram model, vectors."""

from __future__ import annotations

from typing import Any

from cloze_gen.config import settings_dict
from cloze_gen.evaluate.blanks.baselines import LSA, NGRAMS, TEXT
from cloze_gen.pipelines.baseline_models import FromCorpus
from cloze_gen.pipelines.passage_models import OverPassageText, PassageNgrams, PassageText
from cloze_gen.pipelines.task import StageTask
from cloze_gen.stages.evaluation.blank_models import BLANK_LSA, BLANK_NGRAMS, write_blank_lsa, write_sentence_counts
from cloze_gen.stages.evaluation.passage_models import write_passage_ngrams
from cloze_gen.stages.room import Room
from cloze_gen.store.artifacts import ArtifactWriter


class SentenceCounts(OverPassageText):
    """Words and the sentences that they stand in."""

    stage = "sentence-counts"

    def work(self, writer: ArtifactWriter, room: Room) -> None:
        write_sentence_counts(writer, room, text=self.artifact("text"))


class BlankNgrams(PassageNgrams):
    """As the n-gram baseline of passages, of a lower order."""

    def settings(self) -> dict[str, Any]:
        return settings_dict(BLANK_NGRAMS)

    def work(self, writer: ArtifactWriter, room: Room) -> None:
        write_passage_ngrams(writer, room, text=self.artifact("text"), settings=BLANK_NGRAMS)


class BlankLsa(FromCorpus):
    """Word vectors for the coherence of sentences."""

    stage = "blank-lsa"

    def inputs(self) -> dict[str, StageTask]:
        return {"text": self.clone(PassageText), "counts": self.clone(SentenceCounts)}

    def settings(self) -> dict[str, Any]:
        return settings_dict(BLANK_LSA)

    def work(self, writer: ArtifactWriter, room: Room) -> None:
        write_blank_lsa(writer, room, text=self.artifact("text"), counts=self.artifact("counts"), settings=BLANK_LSA)


def blank_tasks(base: FromCorpus) -> dict[str, StageTask]:
    """The models by the names that `evaluate.blanks.baselines` knows them by."""
    return {TEXT: base.clone(SentenceCounts), NGRAMS: base.clone(BlankNgrams), LSA: base.clone(BlankLsa)}
