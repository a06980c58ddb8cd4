"""The keys of all stages are as pinned; files and texts are compared by `make pins`."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType

import pytest

PROGRAM = Path(__file__).parents[2] / "scripts" / "pins.py"


@pytest.fixture(scope="module")
def pins() -> ModuleType:
    spec = importlib.util.spec_from_file_location("pins", PROGRAM)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_keys_are_as_pinned(pins: ModuleType) -> None:
    """No stage of a built-in config has another version, setting or input than its pin: else `make
    pins-update`, and say why.
    """
    assert pins.moved_keys(pins.read_pins()["keys"], pins.stage_keys()) == []


def test_a_changed_setting_names_its_stage(pins: ModuleType) -> None:
    """Later stages follow, and are only counted."""
    keys = pins.stage_keys()
    name = next(
        name for name in keys if name.startswith("holmes-style/") and name.endswith(" forward")
    )
    pinned = (
        keys
        | {name: keys[name].replace('"keep":30', '"keep":31')}
        | {name.replace("forward", "gone"): "f version=1"}
    )
    assert pins.moved_keys(pinned, keys) == [
        f"changed: {name}: {pinned[name].partition(' ')[2]} -> {keys[name].partition(' ')[2]}",
        f"gone: {name.replace('forward', 'gone')}",
    ]


def test_times_and_packages_are_no_content(pins: ModuleType, tmp_path: Path) -> None:
    """Of a manifest its files' names, settings and facts count, of an evaluation all but seconds
    and what this call trained.
    """
    manifest = {
        "files": {"a": {"sha256": "1"}},
        "versions": {"numpy": "1"},
        "seal": "1",
        "facts": {"kept": 3},
    }
    places = [tmp_path / "manifest.json", tmp_path / "evaluation.json"]

    def content(*records: object) -> list[bytes]:
        for place, record in zip(places, records, strict=True):
            place.write_text(json.dumps(record))
        return [pins._content(place) for place in places]

    before = content(manifest, {"baselines": [{"accuracy": 0.2, "seconds": 1.0}], "fitted": []})
    same = content(
        manifest | {"versions": {"numpy": "2"}, "seal": "2"},
        {"baselines": [{"accuracy": 0.2, "seconds": 2.0}], "fitted": ["lsa"]},
    )
    other = content(
        manifest | {"facts": {"kept": 4}},
        {"baselines": [{"accuracy": 0.3, "seconds": 1.0}], "fitted": []},
    )
    assert before == same
    assert all(one != another for one, another in zip(before, other, strict=True))


def test_an_update_keeps_only_what_all_kernels_give(pins: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                                    capsys: pytest.CaptureFixture[str]) -> None:  # fmt: skip
    """A file that differs by kernel is listed as varying, and a later check does not count it as
    new.
    """
    found = {name: {"keys": {"k": "f v"}, "files": {"a/01-x": "1", "a/02-y": str(number)}, "texts": {"help": "h"}}
             for number, name in enumerate(pins.KERNELS)}  # fmt: skip
    monkeypatch.setattr(pins, "PINS", tmp_path / "pins")
    monkeypatch.setattr(
        pins,
        "collect",
        lambda place, _environment, workers=1: found.get(place.name, found["as found"]),
    )
    assert pins.update() == 0
    assert json.loads((tmp_path / "pins" / "files.json").read_text()) == {"a/01-x": "1"}
    assert pins.check() == 0
    found["as found"]["files"] |= {"a/01-x": "2"}
    assert pins.check() == 1
    assert "files: changed: a/01-x" in capsys.readouterr().out
