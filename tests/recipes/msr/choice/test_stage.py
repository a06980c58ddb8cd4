"""The choice over a finished run's tables: the pool, questions, and reasons against the others."""

import math
from collections import Counter

import numpy as np
import pyarrow.compute as pc
import pytest

from cloze_gen.corpus.frequencies import read_counts
from cloze_gen.english.penn_tags import coarse_class
from cloze_gen.recipes.common import MOST_EXAMPLES
from cloze_gen.recipes.msr.choice.pool import pool_of, read_candidates, read_items
from cloze_gen.recipes.msr.choice.settings import ChoiceReason, ChoiceSettings
from cloze_gen.recipes.msr.choice.stage import write_choice
from cloze_gen.recipes.msr.tables import FIT, SCORES
from cloze_gen.records.sentence import sentence_of
from cloze_gen.store.artifacts import Store
from cloze_gen.store.runs import stage_artifact
from cloze_gen.store.tables import (
    CANDIDATES,
    FEWSHOT,
    QUESTIONS,
    REJECTED,
    read_jsonl,
    read_parquet,
)
from tests.support.stage import made


@pytest.fixture(scope="module")
def inputs(finished):
    return {
        name: stage_artifact(finished.folder, name)
        for name in ("counts", "focus", "forward", "grooming")
    }


@pytest.fixture(scope="module")
def items(inputs):
    return read_items(inputs["focus"], inputs["forward"], inputs["grooming"])


@pytest.fixture(scope="module")
def candidates(items, inputs):
    return read_candidates(items, inputs["forward"], inputs["grooming"])


@pytest.fixture(scope="module")
def chosen(inputs, tmp_path_factory):
    """The artifact of a choice by the settings given."""
    store = Store(tmp_path_factory.mktemp("choice"))

    def choose(**changed):
        settings = ChoiceSettings(n_questions=12, **changed)
        return made(store, "choice", write_choice, **inputs, settings=settings, seed=1)

    return choose


def rows_of(candidates, item_id):
    return candidates.filter(pc.field("id") == item_id).to_pylist()


def test_the_pool_holds_fit_candidates_with_their_scores(inputs, items, candidates):
    counts = read_counts(inputs["counts"])
    freq = dict(zip(counts.words, counts.freq.tolist(), strict=True))
    pool = pool_of(items, candidates, counts)
    assert pool.id.tolist() == items["id"].to_pylist()
    assert pool.sentence.tolist() == sorted(map(sentence_of, pool.id.tolist()))
    for item, rows in zip(items.to_pylist()[:30], pool.rows()[:30], strict=True):
        fit = [row for row in rows_of(candidates, item["id"]) if row["verdict"] == FIT]
        fit.sort(key=lambda row: row["forward_rank"])
        words = [item["word"], *(row["word"] for row in fit)]
        assert pool.word[rows].tolist() == words
        answer = [item[name] for name in SCORES]
        scores = [answer, *([row[name] for name in SCORES] for row in fit)]
        assert pool.scores[rows][:, :3].tolist() == scores
        of_words = np.array([[math.log10(freq[word]), len(word)] for word in words])
        assert pool.scores[rows][:, 3:] == pytest.approx(of_words)
        topicality = [item["topicality"], *(row["topicality"] for row in fit)]
        assert pool.topicality[rows].tolist() == pytest.approx(topicality)
    assert pool.word_class.tolist() == list(map(coarse_class, items["answer_tag"].to_pylist()))
    some = np.arange(len(pool)) % 3 == 1
    part = pool.only(some[pool.item])
    assert part.id.tolist() == pool.id[some].tolist()
    assert part.word[part.rows()[4]].tolist() == pool.word[pool.rows()[13]].tolist()


@pytest.mark.parametrize("method", ["matched", "random"])
def test_questions_examples_and_rejections(method, chosen, items, candidates):
    artifact = chosen(method=method)
    questions = list(read_jsonl(artifact.path(QUESTIONS)))
    examples = list(read_jsonl(artifact.path(FEWSHOT)))
    ids = [question["id"] for question in questions]
    rejected = dict(
        zip(
            *read_parquet(artifact.path(REJECTED)).select(["id", "reason"]).to_pydict().values(),
            strict=True,
        )
    )
    assert sorted([*ids, *rejected]) == sorted(items["id"].to_pylist())
    assert artifact.funnel["rejected"] == dict(sorted(Counter(rejected.values()).items()))
    assert artifact.funnel["kept"] == len(ids) == artifact.facts["wanted"] == 12
    sentences = [sentence_of(question["id"]) for question in questions + examples]
    assert len(set(sentences)) == 12 + MOST_EXAMPLES
    assert {rejected[one["id"]] for one in examples} == {ChoiceReason.BEYOND_N}
    positions = Counter(question["answer_index"] for question in questions)
    assert sorted(positions.values()) == [2, 2, 2, 3, 3]
    for question in questions + examples:
        scores = {row["word"]: row for row in rows_of(candidates, question["id"])}
        for option, listed in zip(question["options"], question["option_scores"], strict=True):
            assert listed["word"] == option
            if option != question["answer"]:
                assert scores[option]["verdict"] == FIT
                assert [listed[name] for name in SCORES] == [
                    round(scores[option][name], 5) for name in SCORES
                ]


def test_impostors_are_within_the_limits(chosen, candidates):
    artifact = chosen(max_triviality=0.5)
    assert artifact.funnel["rejected"][ChoiceReason.NO_FOUR] > 0
    questions = read_jsonl(artifact.path(QUESTIONS))
    listings = read_jsonl(artifact.path(CANDIDATES))
    for question, listing in zip(questions, listings, strict=True):
        assert (question["id"], question["answer"]) == (listing["id"], listing["answer"])
        assert len(listing["candidates"]) == len(rows_of(candidates, question["id"]))
        of_word = {candidate["word"]: candidate for candidate in listing["candidates"]}
        shown = [of_word[word] for word in question["options"] if word != question["answer"]]
        assert math.prod(1 - one["plausible"] for one in shown) < 0.5
        clear = math.prod(1 - one["fits_as_well"] for one in shown)
        assert 1 - clear < ChoiceSettings().max_ambiguity


def test_limits_that_no_draw_meets_leave_nothing(chosen, items):
    artifact = chosen(max_ambiguity=1e-9)
    assert artifact.funnel["kept"] == 0
    assert sum(artifact.funnel["rejected"].values()) == len(items)
    assert not list(read_jsonl(artifact.path(QUESTIONS)))
