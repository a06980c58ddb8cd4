"""A tagger is known without being loaded, as long as its files are those that its identity was recorded of."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from cloze_gen.adapters import tagger_identity as module
from cloze_gen.adapters.spacy_tagger import BUILTIN_FOLDER, load_tagger
from cloze_gen.adapters.tagger_identity import SCORES, model_digest, tagger_identity


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A copy of the built-in tagger, which is asked in its place; nothing may load the pipeline."""
    shutil.copytree(BUILTIN_FOLDER, tmp_path / "model")
    monkeypatch.setattr(module, "BUILTIN_FOLDER", tmp_path / "model")
    monkeypatch.setattr(module, "model_digest", lambda: model_digest(tmp_path / "model"))
    monkeypatch.setattr(module, "load_tagger", lambda name: pytest.fail("loaded") if name == "builtin" else load_tagger(name))
    tagger_identity.cache_clear()
    yield tmp_path / "model"
    tagger_identity.cache_clear()


def test_the_built_in_tagger_is_not_loaded(folder: Path) -> None:
    """And what is told is what the pipeline says of itself."""
    assert tagger_identity("builtin") == load_tagger().identity


@pytest.mark.parametrize("name", ["tagger/model", "tokenizer", "config.cfg", "vocab/strings.json"])
def test_a_changed_file_has_it_loaded(folder: Path, name: str) -> None:
    """A recorded identity is worth something of the very files only."""
    (folder / name).write_bytes((folder / name).read_bytes() + b" ")
    with pytest.raises(pytest.fail.Exception, match="loaded"):
        tagger_identity("builtin")


@pytest.mark.parametrize("text", ["", "[]", "{}", json.dumps({"model": "x"})])
def test_without_a_record_it_is_loaded(folder: Path, text: str) -> None:
    """A damaged installation says what is wrong when it is loaded, not here."""
    (folder / SCORES).write_text(text, encoding="utf-8")
    with pytest.raises(pytest.fail.Exception, match="loaded"):
        tagger_identity("builtin")
