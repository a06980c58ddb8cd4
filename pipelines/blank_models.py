"""The models that scorers of blanks are made from, as tasks: the training text in small letters, its n-gram model, word vectors."""

from __future__ import annotations

from cloze_gen.evaluate.blanks.baselines import LSA, NGRAMS, TEXT
from cloze_gen.pipelines.baseline_models import FromCorpus, Lsa
from cloze_gen.pipelines.passage_models import PassageNgrams, PassageText
from cloze_gen.pipelines.task import StageTask


def blank_tasks(base: FromCorpus) -> dict[str, StageTask]:
    """The models by the names that `evaluate.blanks.baselines` knows them by."""
    return {TEXT: base.clone(PassageText), NGRAMS: base.clone(PassageNgrams), LSA: base.clone(Lsa)}
