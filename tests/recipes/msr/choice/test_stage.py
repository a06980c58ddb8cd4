"""The choice over a finished run's tables: impostors, questions, and reasons against the others."""

import math
import shutil
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest

from cloze_gen.english.penn_tags import coarse_class
from cloze_gen.errors import StoreError
from cloze_gen.recipes.msr.choice import (
    ChoiceSettings,
    read_choice_tables,
    scored_items,
    write_choice,
)
from cloze_gen.recipes.msr.grooming.candidates import DECISIONS, MEASURES
from cloze_gen.recipes.msr.tables import FIT, SCORES
from cloze_gen.recipes.questions.assemble import MOST_EXAMPLES
from cloze_gen.recipes.questions.random_choice import ChoiceReason
from cloze_gen.records.sentence import sentence_of
from cloze_gen.store.artifacts import Artifact, Store
from cloze_gen.store.runs import stage_artifact
from cloze_gen.store.tables import (
    CANDIDATES,
    FEWSHOT,
    QUESTIONS,
    REJECTED,
    read_jsonl,
    read_parquet,
    write_parquet,
)
from tests.support.stage import made


@pytest.fixture(scope="module")
def inputs(finished):
    return {
        name: stage_artifact(finished.folder, name)
        for name in ("counts", "focus", "forward", "grooming")
    }


@pytest.fixture(scope="module")
def tables(inputs):
    return read_choice_tables(**inputs)


@pytest.fixture(scope="module")
def chosen(inputs, tmp_path_factory):
    """The artifact of a choice by the settings given."""
    store = Store(tmp_path_factory.mktemp("choice"))

    def choose(**changed):
        settings = ChoiceSettings(n_questions=12, rounds=1, **changed)
        return made(store, "choice", write_choice, **inputs, settings=settings, seed=1)

    return choose


def impostors_of(artifact):
    questions = read_jsonl(artifact.path(QUESTIONS))
    return {
        word
        for question in questions
        for i, word in enumerate(question["options"])
        if i != question["answer_index"]
    }


@pytest.mark.parametrize("method", [pytest.param("matched", marks=pytest.mark.slow), "random"])
def test_examples_could_have_been_chosen(method, chosen, tables):
    artifact = chosen(method=method)
    asked, examples = (list(read_jsonl(artifact.path(file))) for file in (QUESTIONS, FEWSHOT))
    beyond = [
        row["id"]
        for row in read_parquet(artifact.path(REJECTED)).to_pylist()
        if row["reason"] == ChoiceReason.BEYOND_N
    ]
    assert len(examples) == MOST_EXAMPLES
    assert {one["id"] for one in examples} <= set(beyond)
    assert not {sentence_of(one["id"]) for one in examples} & {
        sentence_of(one["id"]) for one in asked
    }
    assert max(Counter(one["answer_index"] for one in examples).values()) == 2
    for one in examples:
        own = tables.candidates[
            (tables.candidates["id"] == one["id"]) & (tables.candidates["verdict"] == FIT)
        ]
        assert one.keys() == asked[0].keys()
        assert {word for word in one["options"] if word != one["answer"]} <= set(own["word"])


def test_items_hold_their_fit_candidates_and_their_scores(tables):
    items = scored_items(tables)
    assert [one.item.id for one in items] == tables.fit_ids
    freq = dict(zip(tables.counts.words, tables.counts.freq.tolist(), strict=True))
    for one in items[:40]:
        own = tables.candidates[tables.candidates["id"] == one.item.id]
        fit = own[own["verdict"] == FIT]
        assert list(one.item.candidates) == fit.sort_values("forward_rank")["word"].tolist()
        answer = (
            tables.screened.at[one.item.id, "answer_log10_prob"],
            *(tables.answers.at[one.item.id, name] for name in SCORES[1:]),
        )
        assert one.scores[:, :3] == pytest.approx(
            np.vstack([answer, fit[list(SCORES)].to_numpy(np.float64)])
        )
        words = (one.item.answer, *one.item.candidates)
        assert one.scores[:, 3:].tolist() == [[freq[word], len(word)] for word in words]
        assert one.item.word_class == coarse_class(tables.groomed.at[one.item.id, "answer_tag"])
        assert one.topicality.tolist() == pytest.approx(
            [tables.groomed.at[one.item.id, "answer_topicality"], *fit["topicality"]]
        )


def test_decisions_on_other_candidates_are_told(inputs, tmp_path):
    """A word that was not retained would get another's scores."""
    grooming = inputs["grooming"]
    folder = tmp_path / "grooming"
    shutil.copytree(grooming.folder, folder)
    part = next(path for path in sorted((folder / DECISIONS.folder).iterdir()))
    decided = read_parquet(part).to_pydict()
    write_parquet(part, decided | {"word": ["aardvark" for _ in decided["word"]]})
    with pytest.raises(StoreError, match="its candidates differ from those of"):
        read_choice_tables(**(inputs | {"grooming": Artifact(folder, grooming.manifest)}))


def test_a_part_without_a_decision_joins_the_others(inputs, tables, tmp_path):
    """Regression: such a part had columns without a type."""
    grooming = inputs["grooming"]
    folder = tmp_path / "grooming"
    shutil.copytree(grooming.folder, folder)
    empty = {
        name: pa.array([], pa.null() if name in {"verdict", "tag"} else pa.string())
        for name in DECISIONS.names
    }
    write_parquet(
        folder / DECISIONS.folder / "part-99999.parquet",
        empty | {name: pa.array([], pa.float32()) for name in MEASURES},
    )
    joined = read_choice_tables(**(inputs | {"grooming": Artifact(folder, grooming.manifest)}))
    assert joined.candidates.equals(tables.candidates)


def test_every_fit_focus_word_is_accounted_for(chosen, tables):
    """A question or a rejection with its reason, and the funnel counts them."""
    artifact = chosen()
    ids = [question["id"] for question in read_jsonl(artifact.path(QUESTIONS))]
    rejected = read_parquet(artifact.path(REJECTED)).to_pydict()
    assert sorted([*ids, *rejected["id"]]) == sorted(tables.fit_ids)
    assert artifact.funnel["rejected"] == dict(sorted(Counter(rejected["reason"]).items()))
    assert artifact.funnel["kept"] == len(ids) == 12


def test_a_question_tells_what_every_option_scored(chosen, tables):
    artifact = chosen()
    for question, listed in zip(
        read_jsonl(artifact.path(QUESTIONS)), read_jsonl(artifact.path(CANDIDATES)), strict=True
    ):
        assert question["id"] == listed["id"]
        assert len(listed["candidates"]) == int((tables.candidates["id"] == question["id"]).sum())
        by_word = {candidate["word"]: candidate for candidate in listed["candidates"]}
        for i, option in enumerate(question["option_scores"]):
            assert option["word"] == question["options"][i]
            if i != question["answer_index"]:
                assert by_word[option["word"]]["verdict"] == FIT
                assert [option[name] for name in SCORES] == [
                    by_word[option["word"]][name] for name in SCORES
                ]
        assert question["options"][question["answer_index"]] == listed["answer"]


def test_focus_words_without_a_four_to_offer_are_counted(chosen, tables):
    artifact = chosen(max_triviality=0.5)
    rejected = read_parquet(artifact.path(REJECTED)).to_pydict()
    without = {
        key
        for key, reason in zip(rejected["id"], rejected["reason"], strict=True)
        if reason == ChoiceReason.NO_FOUR
    }
    assert artifact.funnel["rejected"][ChoiceReason.NO_FOUR] == len(without) > 0
    for one in scored_items(tables):
        if one.item.id in without:
            assert len(one.item.candidates) >= 4
    for question, listed in zip(
        read_jsonl(artifact.path(QUESTIONS)), read_jsonl(artifact.path(CANDIDATES)), strict=True
    ):
        by_word = {candidate["word"]: candidate for candidate in listed["candidates"]}
        impostors = [
            by_word[word]
            for i, word in enumerate(question["options"])
            if i != question["answer_index"]
        ]
        assert math.prod(1 - one["plausible"] for one in impostors) < 0.5
        assert (
            1 - math.prod(1 - one["fits_as_well"] for one in impostors)
            < ChoiceSettings().max_ambiguity
        )
