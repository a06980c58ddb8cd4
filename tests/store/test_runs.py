"""A run's description that was changed by hand."""

import json

import pytest

from cloze_gen.errors import UsageError
from cloze_gen.store.runs import read_run

STAGE = {
    "number": 1, "label": "ingest train", "folder": "ingest-0f", "fingerprint": "0f", "stage": "ingest", "version": 2,
    "settings": {"strip_boilerplate": True, "prune": [0, 1]}, "inputs": {"a": "b"},
}  # fmt: skip
RUN = {
    "name": "mine", "style": "holmes-style", "config": "holmes-style", "overrides": ["lm.order=3"], "seed": 1, "sample": False,
    "patterns": {"train": "*.txt"},
    "settings": {"lm": {"order": 3}}, "stages": [STAGE],
}  # fmt: skip


def test_a_run_is_read_as_it_was_written(tmp_path):
    """What is well-formed comes back whole."""
    (tmp_path / "run.json").write_text(json.dumps(RUN))
    assert read_run(tmp_path) == RUN


@pytest.mark.parametrize("key", [*RUN, *(f"stages.{key}" for key in STAGE)])
@pytest.mark.parametrize(
    "change",
    [lambda record, key: record.pop(key), lambda record, key: record.update({key: {"~": [{}]}})],
)
def test_whatever_is_missing_or_of_another_shape_is_named(tmp_path, key, change):
    """One message with the file, the key and what to do."""
    run = json.loads(json.dumps(RUN))
    change(run["stages"][0] if "." in key else run, key.rpartition(".")[2])
    (tmp_path / "run.json").write_text(json.dumps(run))
    with pytest.raises(
        UsageError,
        match=rf"run\.json: not the description of a run: .*{key.rpartition('.')[2]}.*Run again",
    ):
        read_run(tmp_path)
