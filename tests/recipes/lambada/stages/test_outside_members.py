"""Members from outside: what they are asked, and what is made of their answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cloze_gen.errors import FormatError, UsageError
from cloze_gen.formats.lambada.rendering import cased_text
from cloze_gen.recipes.lambada.stages import outside_members as stage
from cloze_gen.recipes.lambada.stages.committee import write_committee
from cloze_gen.recipes.lambada.stages.decisions import VERDICTS
from cloze_gen.recipes.lambada.stages.members import read_scores
from cloze_gen.recipes.lambada.stages.outside_members import requests, write_causal_scores, write_given_scores
from cloze_gen.recipes.lambada.stages.tables import read_passages
from cloze_gen.recipes.lambada.steps.committee import label_of
from cloze_gen.store.artifacts import Artifact
from cloze_gen.store.tables import read_parquet
from tests.recipes.lambada.stages.conftest import Novels, make_novels


@pytest.fixture(scope="module")
def novels(tmp_path_factory: pytest.TempPathFactory) -> Novels:
    return make_novels(tmp_path_factory.mktemp("novels"))


@pytest.fixture(scope="module")
def passages(novels: Novels) -> Artifact:
    return novels.passages(novels.partition())


def test_answers_come_back_as_scores(novels: Novels, passages: Artifact, tmp_path: Path) -> None:
    """A passage a line out, an answer a line in, in any order; the committee hears them under the file's name."""
    asked = [json.loads(line) for line in requests(passages, "cased")]
    assert [(one["id"], one["continuation"].strip()) for one in asked] == [(p.id, p.target) for p in read_passages(passages)]
    answers = {one["id"]: -float(len(one["continuation"])) for one in asked}
    file = tmp_path / "theirs.jsonl"
    file.write_text("".join(json.dumps({"id": key, "log10_prob": answers[key]}) + "\n" for key in sorted(answers)))
    artifact = novels.stage("theirs", write_given_scores, passages=passages, file=file)
    assert read_scores(artifact)[0].tolist() == list(answers.values())
    label = label_of(f"scores:{file}")
    verdicts = novels.stage("verdicts", write_committee, passages=passages, scores={label: artifact}, threshold=1e-4)
    table = read_parquet(verdicts.path(VERDICTS))
    assert table.column_names == ["id", "kept", "theirs"]
    assert table["kept"].to_pylist() == [score < -4 for score in answers.values()]


def test_a_file_that_cannot_serve_is_told(novels: Novels, passages: Artifact, tmp_path: Path) -> None:
    """Not there, or not all passages in it."""
    with pytest.raises(UsageError, match="cannot be read"):
        novels.stage("gone", write_given_scores, passages=passages, file=tmp_path / "gone.jsonl")
    (tmp_path / "few.jsonl").write_text('{"id": "nobody:1", "log10_prob": -1}\n')
    with pytest.raises(FormatError, match=r"few\.jsonl: no answer for"):
        novels.stage("few", write_given_scores, passages=passages, file=tmp_path / "few.jsonl")


def test_a_causal_model_is_asked_about_every_passage(novels: Novels, passages: Artifact, monkeypatch: pytest.MonkeyPatch) -> None:
    """In their order, some at a time, each with its own text."""
    sizes = []

    class Parrot:
        """Finds short texts the likelier."""

        def __init__(self, folder: Path) -> None:
            assert folder == Path("models/parrot")

        def log10_probs(self, texts: Any) -> np.ndarray:
            sizes.append(len(texts))
            return np.array([-float(len(context) + len(target)) for context, target in texts])

    monkeypatch.setattr(stage, "CausalModel", Parrot)
    artifact = novels.stage("parrot", write_causal_scores, passages=passages, folder=Path("models/parrot"), rendering="cased")
    expected = [-float(len(cased_text(passage))) for passage in read_passages(passages)]
    assert read_scores(artifact)[0] == pytest.approx(expected, abs=1e-6)
    assert sum(sizes) == len(expected) > max(sizes) == 256
