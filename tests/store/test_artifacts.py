"""Artifacts: payload and manifest in one step."""

from __future__ import annotations

import hashlib
import json
import threading
from pathlib import Path

import pytest

from cloze_gen.errors import StoreError
from cloze_gen.store.artifacts import ArtifactWriter, Store, open_artifact, write_json
from cloze_gen.store.keys import StageKey

KEY = StageKey("counts", 3, {"b": 1, "a": [2]}, {"corpus": "ff"}, 7)


def write(store: Store, key: StageKey = KEY, text: str = "x\n") -> None:
    with store.writing(key) as writer:
        assert writer is not None
        writer.path("sub/table.txt").write_text(text)
        writer.rows["sub/table.txt"] = 1
        writer.funnel = {"unit": "words", "seen": 3, "kept": 1, "rejected": {"short": 2}}
        writer.facts["types"] = 5
        writer.versions["numpy"] = "2"


def test_the_manifest_says_everything(tmp_path: Path) -> None:
    """Schema, settings, seed, inputs, versions, funnel, and of each file its checksum, size and rows."""
    store = Store(tmp_path)
    write(store)
    manifest = json.loads((store.folder(KEY) / "manifest.json").read_text())
    assert manifest == {
        "schema": "cloze-gen/counts", "schema_version": 1, "fingerprint": KEY.fingerprint, "stage": "counts", "version": 3,
        "settings": {"b": 1, "a": [2]}, "inputs": {"corpus": "ff"}, "seed": 7, "versions": {"numpy": "2"},
        "funnel": {"unit": "words", "seen": 3, "kept": 1, "rejected": {"short": 2}}, "facts": {"types": 5},
        "files": {"sub/table.txt": {"sha256": hashlib.sha256(b"x\n").hexdigest(), "bytes": 2, "rows": 1}},
    }  # fmt: skip
    assert store.open(KEY).facts == {"types": 5}
    assert store.open(KEY).funnel["kept"] == 1


def test_finished_is_never_written_again(tmp_path: Path) -> None:
    """Who comes second gets None and changes nothing."""
    store = Store(tmp_path)
    write(store)
    before = (store.folder(KEY) / "manifest.json").stat().st_mtime_ns
    with store.writing(KEY) as writer:
        assert writer is None
    assert (store.folder(KEY) / "manifest.json").stat().st_mtime_ns == before


def test_a_failed_writer_leaves_no_artifact(tmp_path: Path) -> None:
    """An error in the middle leaves the store as it was."""
    store = Store(tmp_path)

    def fail() -> None:
        with store.writing(KEY) as writer:
            assert writer is not None
            writer.path("x").write_text("half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert not store.is_complete(KEY)
    assert [path.name for path in store.store.iterdir()] == [".locks"]


def test_a_folder_without_a_manifest_is_made_again(tmp_path: Path) -> None:
    """Half a folder, however it came about, is no artifact."""
    store = Store(tmp_path)
    store.folder(KEY).mkdir(parents=True)
    (store.folder(KEY) / "stale").write_text("x")
    assert not store.is_complete(KEY)
    write(store)
    assert not (store.folder(KEY) / "stale").exists()
    assert store.is_complete(KEY)


def test_a_book_finished_meanwhile_is_not_touched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Books take no lock: when another run finishes one between our look and our writing, its folder stays."""
    store, key = Store(tmp_path), StageKey("book", 1, item="b1")
    looks = []

    def late(self: Store, key: StageKey) -> bool:
        looks.append(key)
        if len(looks) == 1:
            monkeypatch.undo()
            write(store, key, "first\n")
            return False
        return (self.folder(key) / "manifest.json").is_file()

    monkeypatch.setattr(Store, "is_complete", late)
    write(store, key, "second\n")
    assert (store.folder(key) / "sub" / "table.txt").read_text() == "first\n"
    assert [path.name for path in store.folder(key).parent.iterdir()] == ["b1"]


def test_two_writers_of_one_stage_take_turns(tmp_path: Path) -> None:
    """Of many threads on one stage one writes, the others wait and find it done."""
    store, wrote = Store(tmp_path), []

    def work() -> None:
        with store.writing(KEY) as writer:
            if writer is not None:
                wrote.append(1)
                writer.path("x").write_text("x")

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrote == [1]


def test_a_funnel_that_does_not_add_up_is_refused(tmp_path: Path) -> None:
    """Seen is kept plus the rejected, always."""
    store = Store(tmp_path)

    def fail() -> None:
        with store.writing(KEY) as writer:
            assert writer is not None
            writer.funnel = {"unit": "words", "seen": 3, "kept": 1, "rejected": {"short": 1}}

    with pytest.raises(StoreError, match="does not add up"):
        fail()
    assert not store.is_complete(KEY)


@pytest.mark.parametrize(("text", "said"), [(None, "no finished artifact"), ("{", "not readable as JSON")])
def test_broken_artifacts_are_told(tmp_path: Path, text: str | None, said: str) -> None:
    """A missing or broken manifest names the folder and what to do."""
    if text is not None:
        (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(StoreError, match=said) as caught:
        open_artifact(tmp_path)
    assert str(tmp_path) in str(caught.value)
    assert "again" in str(caught.value)


def test_a_missing_payload_is_told(tmp_path: Path) -> None:
    """A file deleted from a finished artifact is named with the way to rebuild it."""
    store = Store(tmp_path)
    write(store)
    (store.folder(KEY) / "sub" / "table.txt").unlink()
    with pytest.raises(StoreError, match=r"table\.txt: missing"):
        store.open(KEY).path("sub/table.txt")


def test_json_has_one_spelling(tmp_path: Path) -> None:
    """Sorted keys, letters as themselves, and no temporary file left."""
    write_json(tmp_path / "a" / "x.json", {"b": "é", "a": 1})
    assert (tmp_path / "a" / "x.json").read_text(encoding="utf-8") == '{\n  "a": 1,\n  "b": "é"\n}\n'
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["x.json"]


def test_writer_makes_the_folders_of_its_files(tmp_path: Path) -> None:
    """A payload may lie in folders."""
    assert ArtifactWriter(tmp_path).path("a/b/c").parent.is_dir()
