"""Artifacts: payload and manifest in one step."""

import errno
import hashlib
import json
import os
import threading
from dataclasses import replace

import pytest

from cloze_gen.errors import DamageError, StoreError
from cloze_gen.store import manifest
from cloze_gen.store.artifacts import ArtifactWriter, Store, open_artifact
from cloze_gen.store.fingerprint import StageKey
from cloze_gen.store.manifest import write_json

KEY = StageKey("counts", 3, {"b": 1, "a": [2]}, {"corpus": "ff"})


def write(store, key=KEY, text="x\n"):
    with store.writing(key) as writer:
        assert writer is not None
        writer.path("sub/table.txt").write_text(text)
        writer.rows["sub/table.txt"] = 1
        writer.funnel = {"unit": "words", "seen": 3, "kept": 1, "rejected": {"short": 2}}
        writer.facts["types"] = 5
        writer.versions["numpy"] = "2"


def test_the_manifest_says_everything(tmp_path):
    store = Store(tmp_path)
    write(store)
    text = (store.folder(KEY) / "manifest.json").read_text()
    assert json.loads(text) == {
        "schema": "cloze-gen/counts", "schema_version": 4, "holds": [], "fingerprint": KEY.fingerprint, "stage": "counts", "version": 3,
        "settings": {"b": 1, "a": [2]}, "inputs": {"corpus": "ff"}, "versions": {"numpy": "2"},
        "funnel": {"unit": "words", "seen": 3, "kept": 1, "rejected": {"short": 2}}, "facts": {"types": 5},
        "files": {"sub/table.txt": {"sha256": hashlib.sha256(b"x\n").hexdigest(), "bytes": 2, "rows": 1}},
    }  # fmt: skip
    assert store.open(KEY).facts == {"types": 5}
    assert store.open(KEY).funnel["kept"] == 1


def test_finished_is_never_written_again(tmp_path):
    """Who comes second gets None and changes nothing."""
    store = Store(tmp_path)
    write(store)
    before = (store.folder(KEY) / "manifest.json").stat().st_mtime_ns
    with store.writing(KEY) as writer:
        assert writer is None
    assert (store.folder(KEY) / "manifest.json").stat().st_mtime_ns == before


def test_a_failed_writer_leaves_no_artifact(tmp_path):
    """An error in the middle leaves the store as it was."""
    store = Store(tmp_path)

    def fail():
        with store.writing(KEY) as writer:
            assert writer is not None
            writer.path("x").write_text("half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert not store.is_complete(KEY)
    assert [path.name for path in store.store.iterdir()] == [".locks"]


def lay_folder(place):
    place.mkdir(parents=True)
    (place / "note").write_text("mine")


def lay_file(place):
    place.parent.mkdir(parents=True)
    place.write_text("mine")


def lay_link(place):
    place.parent.mkdir(parents=True)
    place.symlink_to("nowhere")


@pytest.mark.parametrize("lay", [lay_folder, lay_file, lay_link])
def test_what_stands_in_an_artifacts_place_is_replaced(tmp_path, lay):
    store, said = Store(tmp_path), []
    lay(store.folder(KEY))
    assert not store.is_complete(KEY)
    with store.writing(KEY, say=said.append) as writer:
        assert writer is not None
    assert store.is_complete(KEY)
    assert len(said) == 1
    assert [path.name for path in store.store.iterdir() if path.name != ".locks"] == [
        store.folder(KEY).name
    ]


DAMAGES = {
    "payload cut": lambda folder: (folder / "sub" / "table.txt").write_text("x"),
    "payload emptied": lambda folder: (folder / "sub" / "table.txt").write_text(""),
    "payload deleted": lambda folder: (folder / "sub" / "table.txt").unlink(),
    "payload a link to its like": lambda folder: replace_by_link(folder / "sub" / "table.txt"),
    "manifest cut": lambda folder: (folder / "manifest.json").write_text("{"),
    "manifest emptied": lambda folder: (folder / "manifest.json").write_text(""),
    "manifest deleted": lambda folder: (folder / "manifest.json").unlink(),
    "manifest binary": lambda folder: (folder / "manifest.json").write_bytes(bytes(range(256))),
    "manifest a list": lambda folder: (folder / "manifest.json").write_text("[]\n"),
    "manifest nested": lambda folder: (folder / "manifest.json").write_text("[" * 9000 + "]" * 9000),
    "manifest without files": lambda folder: rewrite(folder, {"files": None}),
    "a file without its size": lambda folder: rewrite(folder, {"files": {"sub/table.txt": {}}}),
    "another schema": lambda folder: rewrite(folder, {"schema_version": 99}),
    "another stage": lambda folder: rewrite(folder, {"stage": "focus", "schema": "cloze-gen/focus"}),
    "another setting": lambda folder: rewrite(folder, {"settings": {"b": 2}}),
    "another's artifact": lambda folder: rewrite(folder, {"version": 8, "fingerprint": replace(KEY, version=8).fingerprint}),
}  # fmt: skip


def flip(path):
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def replace_by_link(path):
    path.rename(path.parent.parent / "moved")
    path.symlink_to(path.parent.parent / "moved")


def rewrite(folder, change):
    manifest = json.loads((folder / "manifest.json").read_text())
    write_json(folder / "manifest.json", manifest | change)


@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_is_noticed_told_and_mended(tmp_path, damage):
    store, said = Store(tmp_path), []
    write(store)
    DAMAGES[damage](store.folder(KEY))
    assert not store.is_complete(KEY)
    with pytest.raises(DamageError) as caught:
        store.open(KEY)
    assert str(store.folder(KEY)) in str(caught.value)
    assert "Run again" in str(caught.value)
    with store.writing(KEY, say=said.append) as writer:
        assert writer is not None
        writer.path("sub/table.txt").write_text("x\n")
    assert store.is_complete(KEY)
    assert str(store.folder(KEY)) in said[0]
    assert "Rebuilding it" in said[0]


@pytest.mark.parametrize("number", [errno.EMFILE, errno.EACCES, errno.ESTALE])
def test_a_refusal_of_the_moment_is_no_damage(tmp_path, monkeypatch, number):
    store = Store(tmp_path)
    write(store)

    lstat = os.lstat

    def refused(path):
        if str(path).endswith("table.txt"):
            raise OSError(number, os.strerror(number), str(path))
        return lstat(path)

    with monkeypatch.context() as refusing:
        refusing.setattr(manifest.os, "lstat", refused)
        with pytest.raises(StoreError, match="cannot be read now") as caught:
            store.is_complete(KEY)
    assert not isinstance(caught.value, DamageError)
    assert store.is_complete(KEY)


def test_a_file_that_cannot_be_read_is_a_fault_of_its_artifact(tmp_path, monkeypatch):
    """So that a deep check of the store goes on with the other artifacts."""
    store = Store(tmp_path)
    write(store)

    def fail(path):
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(manifest, "file_sha256", fail)
    with pytest.raises(DamageError, match="cannot be read"):
        open_artifact(store.folder(KEY), deep=True)


def test_a_changed_byte_is_noticed_by_a_deep_check(tmp_path):
    store = Store(tmp_path)
    write(store)
    flip(store.folder(KEY) / "sub" / "table.txt")
    open_artifact(store.folder(KEY))
    with pytest.raises(DamageError, match="its sha256 is another"):
        open_artifact(store.folder(KEY), deep=True)


def test_an_artifact_is_whole_while_those_it_tells_of_are(tmp_path):
    store, book = Store(tmp_path), StageKey("book", 1, item="b1")
    write(store, book)
    with store.writing(KEY) as writer:
        assert writer is not None
        writer.holds.append("../" + book.folder_name)
    assert store.is_complete(KEY)
    (store.folder(book) / "sub" / "table.txt").write_text("longer\n")
    assert not store.is_complete(KEY)
    with store.writing(KEY) as writer:
        assert writer is not None
        writer.holds.append("../" + book.folder_name)
        write(store, book)
    assert store.is_complete(KEY)


def test_a_book_finished_meanwhile_is_not_touched(tmp_path, monkeypatch):
    """Books take no lock."""
    store, key = Store(tmp_path), StageKey("book", 1, item="b1")
    looks = []

    def late(self, key):
        looks.append(key)
        monkeypatch.undo()
        write(store, key, "first\n")
        return ""

    monkeypatch.setattr(Store, "fault", late)
    write(store, key, "second\n")
    assert (store.folder(key) / "sub" / "table.txt").read_text() == "first\n"
    assert [path.name for path in store.folder(key).parent.iterdir()] == ["b1"]


def test_two_writers_of_one_stage_take_turns(tmp_path):
    """Of many threads on one stage one writes, the others wait and find it done."""
    store, wrote = Store(tmp_path), []

    def work():
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


def test_a_funnel_that_does_not_add_up_is_refused(tmp_path):
    """Seen is kept plus the rejected, always."""
    store = Store(tmp_path)

    def fail():
        with store.writing(KEY) as writer:
            assert writer is not None
            writer.funnel = {"unit": "words", "seen": 3, "kept": 1, "rejected": {"short": 1}}

    with pytest.raises(StoreError, match="does not add up"):
        fail()
    assert not store.is_complete(KEY)


@pytest.mark.parametrize(
    ("text", "said"), [(None, "nothing finished here"), ("{", "not readable as a manifest")]
)
def test_broken_artifacts_are_told(tmp_path, text, said):
    """A missing or broken manifest names the folder and what to do."""
    if text is not None:
        (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(StoreError, match=said) as caught:
        open_artifact(tmp_path)
    assert str(tmp_path) in str(caught.value)
    assert "again" in str(caught.value)


def test_a_missing_payload_is_told(tmp_path):
    """A file deleted from a finished artifact is named with the way to rebuild it."""
    store = Store(tmp_path)
    write(store)
    artifact = store.open(KEY)
    (store.folder(KEY) / "sub" / "table.txt").unlink()
    with pytest.raises(StoreError, match=r"table\.txt: missing"):
        artifact.path("sub/table.txt")


def test_json_has_one_spelling(tmp_path):
    """Sorted keys, letters as themselves, and no temporary file left."""
    write_json(tmp_path / "a" / "x.json", {"b": "é", "a": 1})
    assert (tmp_path / "a" / "x.json").read_text(
        encoding="utf-8"
    ) == '{\n  "a": 1,\n  "b": "é"\n}\n'
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["x.json"]


def test_writer_makes_the_folders_of_its_files(tmp_path):
    """A payload may lie in folders."""
    assert ArtifactWriter(tmp_path).path("a/b/c").parent.is_dir()
