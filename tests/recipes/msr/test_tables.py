"""The middle stages over a finished run, compared with the model's single scores."""

import math
from collections import Counter

import pytest

from cloze_gen.corpus.option_words import OptionLimits
from cloze_gen.models.language_model import open_index
from cloze_gen.pipelines.holmes_style import HolmesSettings
from cloze_gen.recipes.msr.alternates import ALTERNATES
from cloze_gen.recipes.msr.focus import option_words
from cloze_gen.recipes.msr.forward import KEPT, SCORED, SCORED_ITEMS, ForwardReason
from cloze_gen.recipes.msr.tables import (
    FORWARD_SCORE,
    HISTORY_SCORE,
    ITEMS_A_PART,
    SENTENCE_SCORE,
    cut_in_parts,
)
from cloze_gen.recipes.tables import read_source_sentences
from cloze_gen.store.runs import read_run, stage_artifact
from cloze_gen.store.tables import FOCUS, read_parquet

LOOKED_AT = 25  # focus words that are asked one by one


@pytest.fixture(scope="module")
def stages(finished):
    return {
        name: stage_artifact(finished.folder, name)
        for name in ("counts", "focus", "index", "alternates", "forward")
    }


@pytest.fixture(scope="module")
def index(stages):
    return open_index(stages["index"])


@pytest.fixture(scope="module")
def focus(stages):
    return {row["id"]: row for row in read_parquet(stages["focus"].path(FOCUS)).to_pylist()}


def by_item(artifact, table):
    found = {}
    for row in read_parquet(artifact.path(table.folder)).to_pylist():
        found.setdefault(row["id"], []).append(row)
    return found


@pytest.fixture(scope="module")
def filled(stages):
    """The tokens of a focus word's sentence with another word in its place."""
    sentences = read_source_sentences(stages["focus"])

    def fill(row, word):
        tokens = list(sentences[row["sentence_id"]].tokens)
        tokens[row["position"]] = word
        return tokens

    return fill


def test_alternates_are_likely_words_after_the_history(
    stages,
    index,
    focus,
    finished,
):
    drawn = by_item(stages["alternates"], ALTERNATES)
    settings = HolmesSettings.model_validate(read_run(finished.folder)["settings"], strict=False)
    options = option_words(stages["counts"], OptionLimits.of(settings.focus))
    # so few books have fewer than are wanted
    expected = min(settings.alternates.count, len(options) - 1)
    assert list(drawn) == list(focus)
    for item_id, rows in list(drawn.items())[:LOOKED_AT]:
        words, scores = [row["word"] for row in rows], [row[HISTORY_SCORE] for row in rows]
        assert len(set(words)) == len(words) == expected
        assert focus[item_id]["word"] not in words
        assert scores == sorted(scores, reverse=True)
        model = index.next_word_log10_probs(
            [focus[item_id]["history1"], focus[item_id]["history2"]]
        )
        assert scores == pytest.approx(
            [float(model[index.id_of[word]]) for word in words], abs=1e-4
        )


def test_a_word_that_scores_best_is_screened_out(stages, index, focus):
    rows = read_parquet(stages["forward"].path(SCORED_ITEMS.name)).to_pylist()
    assert [row["id"] for row in rows] == list(focus)
    funnel = stages["forward"].funnel
    assert Counter(row["status"] for row in rows) == {KEPT: funnel["kept"]} | funnel["rejected"]
    drawn = by_item(stages["alternates"], ALTERNATES)
    best = [row for row in rows if row["status"] == ForwardReason.ANSWER_SCORES_BEST][:2]
    for row in [*rows[:3], *best]:
        item, words = focus[row["id"]], [alternate["word"] for alternate in drawn[row["id"]]]
        model = index.next_word_log10_probs([item["history1"], item["history2"]])
        own, others = (
            float(model[index.id_of[item["word"]]]),
            [float(model[index.id_of[word]]) for word in words],
        )
        assert row[HISTORY_SCORE] == pytest.approx(own, abs=1e-4)
        # words of the same frequency tie but for rounding
        least, most = (
            1 + sum(other > own + margin for other in others) for margin in (1e-5, -1e-5)
        )
        assert least <= row["answer_rank"] <= most
        assert (row["status"] == KEPT) == (own <= max(others))
    assert best


def test_forward_scores_are_of_what_passed(stages, finished):
    items = read_parquet(stages["forward"].path(SCORED_ITEMS.name)).to_pylist()
    passed = [row for row in items if row["status"] == KEPT]
    scored, drawn = by_item(stages["forward"], SCORED), by_item(stages["alternates"], ALTERNATES)
    keep = read_run(finished.folder)["settings"]["forward"]["keep"]
    assert len(passed) < len(drawn)
    assert [row["id"] for row in passed] == list(scored)
    for row in items:
        assert (row["forward_rank"] is None) == (row["status"] != KEPT)
    for answer in passed:
        rows = scored[answer["id"]]
        assert {row["word"] for row in rows} == {row["word"] for row in drawn[answer["id"]]}
        ranked = sorted(rows, key=lambda row: row["forward_rank"])
        assert [row["forward_rank"] for row in ranked] == list(range(1, len(rows) + 1))
        scores = [row[FORWARD_SCORE] for row in ranked]
        assert scores == sorted(scores, reverse=True)
        assert [row["kept"] for row in ranked] == [n < keep for n in range(len(ranked))]
        assert all(math.isnan(row[SENTENCE_SCORE]) != row["kept"] for row in rows)
        assert answer["forward_rank"] == 1 + sum(one > answer[FORWARD_SCORE] for one in scores)


def test_scores_are_the_models_own(stages, index, focus, filled):
    """P(next token | predecessor, option) and P(sentence) of one item's best alternate."""
    rows = read_parquet(stages["forward"].path(SCORED.folder)).to_pylist()
    row = next(row for row in rows if row["kept"])
    item = focus[row["id"]]
    model = index.next_word_log10_probs([item["history2"], row["word"]])
    following = index.ids([item["next_token"]])[0]
    assert row[FORWARD_SCORE] == pytest.approx(float(model[following]), abs=1e-4)
    sentence = index.score_sentence(filled(item, row["word"]))
    assert row[SENTENCE_SCORE] == pytest.approx(sentence, abs=1e-3)


# ---- tables in parts


@pytest.mark.parametrize(
    "n_items", [1, ITEMS_A_PART - 1, ITEMS_A_PART, ITEMS_A_PART + 1, 3 * ITEMS_A_PART]
)
def test_parts_hold_every_item_once(n_items):
    """In order, none empty, none beyond the last; each has a file of its own."""
    parts = cut_in_parts([(n_items, 0)])
    assert [i for part in parts for i in range(part.first, part.last)] == list(range(n_items))
    assert all(part.first < part.last for part in parts)
    assert len({part.file for part in parts}) == len(parts)


def test_a_part_has_words_of_one_model():
    """Where a model ends the part ends, however short, and the next begins there."""
    parts = cut_in_parts([(3, 1), (ITEMS_A_PART + 2, 2), (1, 1)])
    found = [(part.last - part.first, part.model, part.file) for part in parts]
    assert found == [(3, 1, "part-00000.parquet"), (ITEMS_A_PART, 2, "part-00001.parquet"), (2, 2, "part-00002.parquet"),
                     (1, 1, "part-00003.parquet")]  # fmt: skip
    assert [i for part in parts for i in range(part.first, part.last)] == list(
        range(ITEMS_A_PART + 6)
    )
