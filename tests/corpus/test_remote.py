"""Books elsewhere: copied once into the store."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fsspec
import pytest

from cloze_gen.corpus import remote
from cloze_gen.corpus.remote import RemoteFile, is_copy, local_copy
from cloze_gen.corpus.scan import scan
from cloze_gen.errors import CorpusError, UsageError
from cloze_gen.store.artifacts import Store, open_artifact


@pytest.fixture
def server() -> Iterator[Any]:
    files = fsspec.filesystem("memory")
    files.store.clear()
    files.pseudo_dirs[:] = [""]
    for name in ("a.txt", "x/b.txt", "x/c.md", "metadata.csv", ".hidden.txt"):
        files.pipe(f"/books/{name}", name.encode())
    yield files
    files.store.clear()


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "out")


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths that are read from the server."""
    paths: list[str] = []
    plain = remote._Fsspec.open
    monkeypatch.setattr(
        remote._Fsspec, "open", lambda self, path: (paths.append(path), plain(self, path))[1]
    )
    return paths


def copy(address: str, store: Store) -> tuple[Any, list[str]]:
    said: list[str] = []
    return local_copy(address, store, say=said.append), said


@pytest.mark.parametrize(
    ("address", "books"),
    [
        ("memory://books", ["a.txt", "x/b.txt"]),
        ("memory://books/", ["a.txt", "x/b.txt"]),
        ("memory://books/*.txt", ["a.txt"]),
        ("memory://books/**/b.txt", ["x/b.txt"]),
        ("memory://books/x/b.txt", ["b.txt"]),
    ],
)
def test_books_elsewhere_are_a_location_of_the_store(
    server: Any, store: Store, address: str, books: list[str]
) -> None:
    """With the catalogues beside them, and without files of other kinds."""
    location, _ = copy(address, store)
    assert [book.file for book in scan(location).books] == books
    assert is_copy(location.root, store)
    assert not is_copy(location.root, Store(store.root / "other"))
    assert not list(location.root.rglob("*.md"))
    assert (location.root / "metadata.csv").exists() == (
        not address.endswith("b.txt") or "*" in address
    )
    assert open_artifact(location.root.parent, deep=True)


def test_nothing_is_copied_again_unless_the_listing_changes(
    server: Any, store: Store, opened: list[str]
) -> None:
    first, said = copy("memory://books", store)
    assert said == [f"memory://books: copying 3 files, 0.0 MB, to {store.store}"]
    assert len(opened) == 3
    assert copy("memory://books", store) == (first, [])
    assert len(opened) == 3
    server.pipe("/books/a.txt", b"longer than before")
    second, _ = copy("memory://books", store)
    assert second.root != first.root
    assert (second.root / "a.txt").read_bytes() == b"longer than before"


def test_a_stopped_copy_goes_on_with_the_next_file(
    server: Any, store: Store, opened: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = remote._copied

    def stopping(server: Any, file: RemoteFile, staged: Path, free: int) -> Iterator[int]:
        if file.name == "x/b.txt":
            (staged / ".partial").write_bytes(b"ha")
            raise KeyboardInterrupt
        yield from plain(server, file, staged, free)

    monkeypatch.setattr(remote, "_copied", stopping)
    with pytest.raises(KeyboardInterrupt):
        copy("memory://books", store)
    monkeypatch.setattr(remote, "_copied", plain)
    store.sweep()
    location, said = copy("memory://books", store)
    assert said == [
        f"memory://books: copying 1 file, 0.0 MB, to {store.store}; 2 are there already"
    ]
    assert opened == ["/books/a.txt", "/books/metadata.csv", "/books/x/b.txt"]
    assert (location.root / "x/b.txt").read_bytes() == b"x/b.txt"
    assert [path.name for path in (store.store / ".copies").iterdir()] == []


class Hostile:
    """A server that lists and sends whatever it likes."""

    def __init__(self, *files: RemoteFile, data: bytes = b"data") -> None:
        self.files, self.data = files, data

    def list(self, path: str) -> Iterator[RemoteFile]:
        yield from self.files

    def open(self, path: str) -> io.BytesIO:
        return io.BytesIO(self.data)


def named(name: str, size: int = 4) -> RemoteFile:
    return RemoteFile(name, f"/books/{name}", size, "1")


@pytest.mark.parametrize(
    "name",
    ["../../evil.txt", "/etc/evil.txt", "a//evil.txt", "x/../evil.txt", "ev\0il.txt", "ev\nil.txt",
     "e" * 300 + ".txt", "\ud800.txt", "good.txt/evil.txt"],
)  # fmt: skip
def test_a_listed_name_becomes_no_path_outside(
    store: Store, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    found = Hostile(named("good.txt"), named(name))
    monkeypatch.setattr(remote, "_connected", lambda address: (found, "/books", ""))
    location, said = copy("memory://books", store)
    everything = [path for path in store.root.parent.rglob("*.txt") if path.is_file()]
    assert everything == [location.root / "good.txt"]
    assert "skipped files whose names cannot be those of local files" in said[0]


@pytest.mark.parametrize(("size", "said"), [(3, "more than 4"), (5, "4 bytes")])
def test_a_file_of_another_size_than_listed_is_not_kept(
    store: Store, monkeypatch: pytest.MonkeyPatch, size: int, said: str
) -> None:
    found = Hostile(named("a.txt", size))
    monkeypatch.setattr(remote, "_connected", lambda address: (found, "/books", ""))
    with pytest.raises(CorpusError, match=f"{said}.* listed {size}"):
        copy("memory://books", store)
    assert not [path for path in store.root.rglob("*") if path.is_file() and path.suffix == ".txt"]


def test_more_than_the_free_disk_is_refused_before_a_byte_is_copied(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = Hostile(named("a.txt", 10**18))
    monkeypatch.setattr(remote, "_connected", lambda address: (found, "/books", ""))
    with pytest.raises(
        UsageError, match=r"1,000,000,000\.0 GB are to be copied and .* GB are free"
    ):
        copy("memory://books", store)


SECRET = "memory://KEY:hush@books?token=t0p%20secret&x=1"


def test_credentials_are_neither_printed_nor_stored(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither with success nor with an error whose message repeats the address."""
    monkeypatch.setattr(
        remote, "_connected", lambda address: (Hostile(named("a.txt")), "/books", "")
    )
    location, said = copy(SECRET, store)

    def refuse(address: str) -> None:
        raise PermissionError(f"403 for {address} (t0p secret)")

    monkeypatch.setattr(remote, "_connected", refuse)
    with pytest.raises(
        UsageError, match=r"memory://books: cannot be read \(PermissionError"
    ) as caught:
        copy(SECRET, store)
    manifest = (location.root.parent / "manifest.json").read_text()
    assert json.loads(manifest)["facts"]["address"] == "memory://books"
    for text in (*said, str(caught.value), manifest, str(location)):
        assert not [one for one in ("KEY", "hush", "t0p", "secret") if one in text]
    assert caught.value.__suppress_context__


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("memory://gone", "memory://gone: nothing is there"),
        ("memory://books/*.epub", r"no file of books there\. There are 2 \.txt, 1 \.md"),
        ("hf://datasets/a/b", r"needs packages .*pip install 'cloze-gen\[remote\]'"),
        ("nope://a/b", r"nope://a/b: 'nope://' is not a known kind of address\. Use s3://"),
        ("simplecache::memory://books", "addresses with `::` are not read"),
    ],
)
def test_what_cannot_be_copied_is_one_message(
    server: Any, store: Store, monkeypatch: pytest.MonkeyPatch, address: str, said: str
) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(UsageError, match=said) as caught:
        copy(address, store)
    assert "\n" not in str(caught.value)


def test_a_missing_package_is_one_message(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    with pytest.raises(UsageError, match=r"pip install 'cloze-gen\[remote\]'"):
        copy("memory://books", store)
