"""What a release says of the settings that were given."""

from __future__ import annotations

import pytest

from cloze_gen.config import parse_settings
from cloze_gen.pipelines.styles import find_style
from cloze_gen.stages.release.publish import told_overrides


@pytest.mark.parametrize(
    ("given", "published"),
    [
        ('committee.members=["ngram","hf:/models/x"]', 'committee.members=["ngram", "hf:x"]'),
        ("committee.members = ['scores:../a/gpt2.jsonl', 'cache']", 'committee.members=["scores:gpt2.jsonl", "cache"]'),
        ('committee.members=["ngram","cache"]', 'committee.members=["ngram","cache"]'),
        ('partition.offensive_words="/home/ann/list.txt"', "partition.offensive_words=list.txt"),
        ("partition.offensive_words=/home/ann/3", 'partition.offensive_words="3"'),
        ("lm.prune=[0, 1]", "lm.prune=[0, 1]"),
        ('release.creators=["a/b"]', 'release.creators=["a/b"]'),
    ],
)
def test_overrides_can_be_given_again(given: str, published: str) -> None:
    """Folders of the user are left out of each value; what is left is accepted as it stands."""
    assert told_overrides([given]) == [published]
    model = find_style("lambada-style").settings
    parse_settings(model, "", where="x", overrides=[given])
    parse_settings(model, "", where="x", overrides=[published])


def test_the_form_of_the_release_is_left_out() -> None:
    """A full release is the same whether pointers were requested or not."""
    assert told_overrides(["release.text=pointers", "release.text = pointers", "lm.order=3"]) == ["lm.order=3"]
