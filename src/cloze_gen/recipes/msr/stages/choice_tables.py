"""What the choice looks at, read once: the tables of the earlier stages by focus word, and every fit item with its scores."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cloze_gen.english.penn_tags import coarse_class
from cloze_gen.errors import StoreError
from cloze_gen.recipes.msr.stages.parts import part_paths
from cloze_gen.recipes.msr.stages.tables import (
    ANSWERS,
    DECISION_COLUMNS,
    DECISIONS,
    FIT,
    FORWARD_SCORE,
    GROOMED,
    SCORED,
    SCORES,
    SCREENED,
    SENTENCE_SCORE,
)
from cloze_gen.recipes.msr.steps.choice import FitItem, ScoredItem
from cloze_gen.records.sentence import Sentence
from cloze_gen.stages.corpus.counts import read_counts
from cloze_gen.stages.tables import FOCUS, read_source_sentences
from cloze_gen.stats.counts import CountTable
from cloze_gen.store.artifacts import Artifact
from cloze_gen.store.tables import read_parquet

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class ChoiceTables:
    """The earlier stages' tables.

    Attributes:
        sentences: those that hold a focus word, by id.
        focus, screened, answers, groomed: a row a focus word, by its id.
        candidates: a row a retained candidate of the focus words in fit sentences, with scores and decision; by `id`, best forward score
            first.
    """

    counts: CountTable
    sentences: Mapping[str, Sentence]
    focus: pd.DataFrame
    screened: pd.DataFrame
    answers: pd.DataFrame
    groomed: pd.DataFrame
    candidates: pd.DataFrame

    @property
    def fit_ids(self) -> list[str]:
        """The focus words in fit sentences, in their order."""
        return list(self.groomed.index[self.groomed["verdict"] == FIT])


def read_choice_tables(*, counts: Artifact, focus: Artifact, screening: Artifact, forward: Artifact, grooming: Artifact) -> ChoiceTables:
    groomed = _by_id(grooming, GROOMED)
    return ChoiceTables(
        counts=read_counts(counts),
        sentences=read_source_sentences(focus),
        focus=_by_id(focus, FOCUS),
        screened=_by_id(screening, SCREENED),
        answers=_by_id(forward, ANSWERS),
        groomed=groomed,
        candidates=_candidates(forward, grooming, set(groomed.index[groomed["verdict"] == FIT])),
    )


def _by_id(artifact: Artifact, name: str) -> pd.DataFrame:
    return read_parquet(artifact.path(name)).to_pandas().set_index("id")


def _candidates(forward: Artifact, grooming: Artifact, fit: Collection[str]) -> pd.DataFrame:
    """The candidates of the fit focus words by id and forward rank: scores and decisions side by side."""
    ids = pa.array(sorted(fit), pa.string())
    scored = _of_fit(part_paths(forward, SCORED), ids, only=pc.field("kept")).drop_columns(["kept"])
    decided = _of_fit(part_paths(grooming, DECISIONS), ids)  # of each focus word by forward rank already
    scored = scored.take(np.lexsort([scored["forward_rank"].to_numpy(), pc.index_in(scored["id"], ids).to_numpy()]))
    decided = decided.take(np.argsort(pc.index_in(decided["id"], ids).to_numpy(), kind="stable"))
    if scored.select(["id", "word"]) != decided.select(["id", "word"]):
        raise StoreError(
            f"{grooming.folder}: does not decide on the candidates that {forward.folder} retains. Move both folders away, and run again."
        )
    for name in DECISION_COLUMNS[2:]:
        scored = scored.append_column(name, decided[name])
    return scored.to_pandas()


def _of_fit(parts: Sequence[Path], ids: pa.Array, *, only: pc.Expression | None = None) -> pa.Table:
    """The rows of the focus words in `ids`, and of these only some; words spelt out, so that parts with dictionaries of their own join."""
    tables = []
    for part in parts:
        table = read_parquet(part) if only is None else read_parquet(part).filter(only)
        spelt = {name: table[name].cast(pa.string()) for name in ("id", "word")}
        table = pa.table({name: spelt.get(name, table[name]) for name in table.column_names})
        tables.append(table.filter(pc.is_in(table["id"], ids)))
    return pa.concat_tables(tables, promote_options="default")  # a part without a row may have columns of no type


def scored_items(tables: ChoiceTables, *, same_vocabulary: bool) -> list[ScoredItem]:
    """Every item in a fit sentence with its fit candidates and the scores of its words (BALANCED_SCORES), in the order of the focus words.

    Args:
        same_vocabulary: only words that are the answer of a fit item may be candidates; else a word that no question could ask for, foreign
            to these books or never fit there, gives an impostor away. Of the Holmes focus words that offer a four a third are lost.
    """
    fit = tables.candidates[tables.candidates["verdict"] == FIT]
    if same_vocabulary:
        fit = fit[fit["word"].isin(set(tables.focus.loc[tables.fit_ids, "word"]))]
    freq = dict(zip(tables.counts.words, tables.counts.freq.tolist(), strict=True))
    words, scores = fit["word"].to_numpy(), fit[list(SCORES)].to_numpy(np.float64)
    fits_as_well, plausible, topicality = (fit[name].to_numpy(np.float64) for name in ("fits_as_well", "plausible", "topicality"))
    columns = np.column_stack([scores, [freq[word] for word in words], [len(word) for word in words]])  # as BALANCED_SCORES
    rows = fit.groupby("id", sort=False).indices
    of_answers = tables.answers.join(tables.screened["answer_log10_prob"])[["answer_log10_prob", FORWARD_SCORE, SENTENCE_SCORE]]
    answer_scores = dict(zip(of_answers.index, of_answers.to_numpy(np.float64), strict=True))
    about = tables.focus.loc[tables.fit_ids, ["sentence_id", "word"]]
    items = []
    groomed = tables.groomed.loc[tables.fit_ids, ["answer_tag", "answer_topicality"]].to_numpy()
    for item_id, (sentence_id, answer), (tag, of_answer) in zip(about.index, about.to_numpy(), groomed, strict=True):
        place = rows.get(item_id, np.zeros(0, np.int64))
        own = np.append(answer_scores[item_id], [freq[answer], len(answer)])
        item = FitItem(item_id, sentence_id, answer, tuple(words[place]), coarse_class(tag))
        topic = np.append(of_answer, topicality[place]).astype(np.float64)
        items.append(ScoredItem(item, np.vstack([own, columns[place]]), fits_as_well[place], plausible[place], topic))
    return items
