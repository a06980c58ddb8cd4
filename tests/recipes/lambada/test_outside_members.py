"""Members from outside: what they are asked, and what is made of their answers."""

import json
import os
from pathlib import Path

import numpy as np
import pytest

from cloze_gen.errors import FormatError, UsageError
from cloze_gen.formats.lambada import cased_text
from cloze_gen.recipes.lambada import outside_members as stage
from cloze_gen.recipes.lambada.committee import VERDICTS, label_of, write_committee
from cloze_gen.recipes.lambada.members import SCORES
from cloze_gen.recipes.lambada.outside_members import (
    OUTSIDE_SCORES,
    requests,
    write_outside_scores,
)
from cloze_gen.recipes.lambada.passages import read_passages
from cloze_gen.store.manifest import outside_digest
from cloze_gen.store.tables import read_parquet
from tests.recipes.lambada.conftest import make_novels


@pytest.fixture(scope="module")
def novels(tmp_path_factory):
    return make_novels(tmp_path_factory.mktemp("novels"))


@pytest.fixture(scope="module")
def passages(novels):
    return novels.passages(novels.partition())


def score(novels, passages, member):
    return novels.stage(
        "outside_scores",
        write_outside_scores,
        passages=passages,
        member=member,
    )


def log10_probs(artifact):
    return OUTSIDE_SCORES.read(artifact.path(OUTSIDE_SCORES.name))["log10_prob"].to_pylist()


def test_answers_come_back_as_scores(novels, passages, tmp_path):
    asked = [json.loads(line) for line in requests(passages, "cased")]
    assert [(one["id"], one["continuation"].strip()) for one in asked] == [
        (p.id, p.target) for p in read_passages(passages)
    ]
    answers = {one["id"]: -float(len(one["continuation"])) for one in asked}
    file = tmp_path / "theirs.jsonl"
    file.write_text(
        "".join(
            json.dumps({"id": key, "log10_prob": answers[key]}) + "\n" for key in sorted(answers)
        )
    )
    member = f"scores:{file}"
    artifact = score(novels, passages, member)
    assert log10_probs(artifact) == list(answers.values())
    unread = dict.fromkeys(SCORES.names, np.zeros(len(answers), np.float32)) | {"id": list(answers)}
    own = novels.stage("scores", lambda writer, ctx: SCORES.write(writer, unread))
    verdicts = novels.stage(
        "verdicts",
        write_committee,
        scores=own,
        outside={label_of(member): artifact},
        members=[label_of(member)],
        threshold=1e-4,
        cache_weight=0.05,
    )
    table = read_parquet(verdicts.path(VERDICTS))
    assert table.column_names == ["id", "kept", "theirs"]
    assert table["kept"].to_pylist() == [log10_prob < -4 for log10_prob in answers.values()]


def test_a_file_that_cannot_serve_is_told(novels, passages, tmp_path):
    """Not there, or not all passages in it."""
    with pytest.raises(UsageError, match="cannot be read"):
        score(novels, passages, f"scores:{tmp_path}/gone.jsonl")
    (tmp_path / "few.jsonl").write_text('{"id": "nobody:1", "log10_prob": -1}\n')
    with pytest.raises(FormatError, match=r"few\.jsonl: .* passages have no answer"):
        score(novels, passages, f"scores:{tmp_path}/few.jsonl")


def test_a_causal_model_is_asked_about_every_passage(novels, passages, monkeypatch):
    """In their order, some at a time, each with its own text."""
    sizes = []

    class Parrot:
        """Finds short texts the likelier."""

        def __init__(self, folder):
            assert folder == Path("models/parrot")

        def log10_probs(self, texts):
            sizes.append(len(texts))
            return np.array([-float(len(context) + len(target)) for context, target in texts])

    monkeypatch.setattr(stage, "CausalModel", Parrot)
    artifact = score(novels, passages, "hf:models/parrot")
    expected = [-float(len(cased_text(passage))) for passage in read_passages(passages)]
    assert log10_probs(artifact) == pytest.approx(expected, abs=1e-6)
    assert sum(sizes) == len(expected) > max(sizes) == 256


@pytest.fixture
def model(tmp_path):
    """A folder of two files that were written some time ago."""
    folder = tmp_path / "models" / "tiny"
    (folder / "more").mkdir(parents=True)
    for name, text in {"config.json": "{}", "more/weights.bin": "0123456789"}.items():
        (folder / name).write_text(text)
    return f"hf:{folder}"


def test_a_model_is_known_by_its_content(model):
    """A changed file changes the digest, although its size and times are the same."""
    weights = Path(model.removeprefix("hf:")) / "more" / "weights.bin"
    times = weights.stat()
    before = outside_digest(model, setting="committee.members")
    weights.write_text("9876543210")
    os.utime(weights, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert outside_digest(model, setting="committee.members") != before
