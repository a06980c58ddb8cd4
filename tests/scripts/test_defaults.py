"""A changed default needs a new version of its stage."""

from __future__ import annotations

import copy
import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

PROGRAM = Path(__file__).parents[2] / "scripts" / "defaults.py"


@pytest.fixture(scope="module")
def defaults() -> ModuleType:
    spec = importlib.util.spec_from_file_location("defaults", PROGRAM)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_changed_default_has_a_new_version(defaults: ModuleType) -> None:
    pinned, found = defaults.read_pinned(), defaults.stage_defaults()
    lines = defaults.forgotten(pinned, found)
    assert not lines, "\n".join(lines)
    assert pinned == found, f"tests/pins/defaults.json is not up to date: run `{defaults.RENEW}`"


PINNED = {"corpus/lm": {"version": 1, "defaults": {"order": 3, "prune": []}}}


@pytest.mark.parametrize(
    ("found", "change"),
    [
        ({"order": 4, "prune": []}, "the default of order changed from 3 to 4"),
        ({"order": 3}, "the setting prune is gone"),
        ({"order": 3, "prune": [], "new": 0}, ""),
    ],
)
def test_what_needs_a_new_version(
    defaults: ModuleType, found: dict[str, object], change: str
) -> None:
    """A changed default and a setting that is gone; a new setting does not."""
    now = copy.deepcopy(PINNED) | {"corpus/lm": {"version": 1, "defaults": found}}
    lines = defaults.forgotten(PINNED, now)
    assert [line.partition(", but")[0] for line in lines] == [f"corpus/lm: {change}"] * bool(change)
    assert all(line.endswith("then run `python scripts/defaults.py update`.") for line in lines)
    raised = {"corpus/lm": {"version": 2, "defaults": found}}
    assert defaults.forgotten(PINNED, raised) == []


def test_nothing_is_pinned_over_a_forgotten_version(
    defaults: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """`update` refuses and leaves the file."""
    file = tmp_path / "defaults.json"
    monkeypatch.setattr(defaults, "FILE", file)
    assert defaults.update() == 0
    before = file.read_text()
    pinned = defaults.read_pinned()
    pinned["corpus/lm"]["defaults"]["order"] = 5
    monkeypatch.setattr(defaults, "read_pinned", lambda: pinned)
    assert defaults.update() == 1
    assert "corpus/lm: the default of order changed from 5 to 3" in capsys.readouterr().out
    assert file.read_text() == before
