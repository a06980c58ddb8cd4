"""The committee's verdicts, and what its members read."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from cloze_gen.recipes.lambada.steps.committee import CommitteeSettings, ask_committee, has_guessed, passage_ids

PROBS = st.lists(st.floats(1e-9, 1.0), min_size=3, max_size=3)


def test_the_threshold_is_inclusive() -> None:
    """A target of exactly 0.00175 is guessed, as the paper writes it; a little less is not."""
    threshold = CommitteeSettings().threshold
    assert has_guessed(np.log10([0.00175, 0.001749]), threshold=threshold).tolist() == [True, False]


@given(st.lists(PROBS, min_size=1, max_size=20))
def test_one_member_is_enough(probs: list[list[float]]) -> None:
    """A passage is kept exactly when each alone would keep it, so all together keep no more than the strictest."""
    table = np.array(probs).T
    verdicts = ask_committee(dict(zip("abc", np.log10(table), strict=True)), threshold=0.01)
    assert verdicts.kept.tolist() == [max(row) < 0.01 for row in probs]
    assert verdicts.kept.mean() <= min(verdicts.survival.values())
    assert verdicts.survival == pytest.approx(dict(zip("abc", (table < 0.01).mean(axis=1), strict=True)))


def test_a_passage_is_put_down_to_the_first_who_guessed_it() -> None:
    """In the order in which the members are given; a kept one to nobody."""
    verdicts = ask_committee({"a": np.log10([0.1, 0.001, 0.001]), "b": np.log10([0.1, 0.1, 0.001])}, threshold=0.01)
    assert verdicts.guessed_by.tolist() == [0, 1, -1]


def test_no_passages_no_verdicts() -> None:
    """An empty corpus is told as such: nothing kept, nothing guessed."""
    verdicts = ask_committee({"a": np.zeros(0)}, threshold=0.01)
    assert (len(verdicts.kept), dict(verdicts.survival)) == (0, {"a": 1.0})


@pytest.mark.parametrize("members", [(), ("ngram", "oracle"), ("ngram", "ngram"), ("hf:",), ("scores:a/x.jsonl", "hf:b/x")])
def test_members_are_known_and_named_once(members: tuple[str, ...]) -> None:
    """Nobody, a stranger, one twice, one without a name, two of one name: told before anything is trained."""
    with pytest.raises(ValidationError):
        CommitteeSettings(members=members)


@pytest.mark.parametrize("label", ["kept", "id", "passages", "ngram", "x" * 101])
@pytest.mark.parametrize("member", ["scores:answers/{}.jsonl", "hf:models/{}"])
def test_a_member_takes_no_name_that_is_in_use(member: str, label: str) -> None:
    """Its label becomes a column beside `id` and `kept`, an input beside the passages, and part of a file's name."""
    with pytest.raises(ValidationError, match=r"would be called '.*rename the file or folder"):
        CommitteeSettings(members=(member.format(label),))


def test_models_of_others_may_be_members() -> None:
    """A folder, a file of answers; several of each."""
    members = ("ngram", "hf:models/one", "hf:models/two", "scores:three.jsonl")
    assert CommitteeSettings(members=members).members == members


@given(st.lists(st.lists(st.integers(1, 9), min_size=1, max_size=4), min_size=1, max_size=6), st.data())
def test_a_member_reads_from_the_passage_to_its_target(sentences: list[list[int]], data: st.DataObject) -> None:
    """Every span of whole sentences and a part of the last, with the end of a sentence before it, also at the very beginning."""
    numbers = np.array([number for sentence in sentences for number in (*sentence, 0)], np.uint32)
    starts = np.concatenate([[0], np.cumsum([len(sentence) + 1 for sentence in sentences])])
    first = data.draw(st.integers(0, len(sentences) - 1))
    last = data.draw(st.integers(first, len(sentences) - 1))
    target = int(starts[last]) + data.draw(st.integers(0, len(sentences[last]) - 1))
    spans = np.array([starts[first], starts[0]]), np.array([target, starts[0]])
    ids, lengths = passage_ids(numbers, *spans)
    assert ids.tolist() == [0, *numbers[starts[first] : target + 1].tolist(), 0, int(numbers[0])]
    assert lengths.tolist() == [len(ids) - 2, 2]
