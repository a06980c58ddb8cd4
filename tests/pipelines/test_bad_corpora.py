"""Folders of books as people have them: told in one message before anything is written, or in a line while the run goes on."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cloze_gen.stages.corpus import ingest
from cloze_gen.store.corpus import read_book


def refused(outcome: Any, status: int) -> str:
    """The one message that ended a call."""
    assert outcome.status == status, outcome.err
    assert outcome.err.count("cloze-gen: ") == 1
    return outcome.err[outcome.err.index("cloze-gen: ") :]


@pytest.mark.parametrize("out", ["books/train/artifacts", "books/train", "link/source/artifacts"])
def test_an_output_folder_among_the_books_is_refused(
    tmp_path: Path, corpus: Any, cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, out: str
) -> None:
    """The next run would read this one's files as books: nothing is written, and the message names another place."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "link").symlink_to("books")
    before = sorted(tmp_path.rglob("*"))
    said = refused(cli("run", *corpus.options, "--out", out, "--workers", "1"), 2)
    assert "lies inside the folder of books" in said
    assert "--out" in said
    assert sorted(tmp_path.rglob("*")) == before


def test_books_out_of_a_store_are_refused(copied: Any, cli: Callable[..., Any]) -> None:
    """A run's own files are no corpus for another."""
    options = ("--train", next(copied.out.glob("store/text-*")), "--source", copied.corpus.source, "--out", copied.out)
    assert "lies inside" in refused(cli("run", "holmes-sample", *options), 2)
    assert "lies inside" in refused(cli("corpus", "rank", copied.corpus.source, "--reference", "x", "--out", copied.corpus.source), 2)


def test_a_file_in_place_of_a_folder_is_said_to_be_one(corpus: Any, tmp_path: Path, cli: Callable[..., Any]) -> None:
    """It is there, so `no such folder` would be untrue."""
    book = next(corpus.train.iterdir())
    for options in (("--train", book, "--source", corpus.source), ("--train", corpus.train, "--source", book)):
        assert f"{book.name}: a file, not a folder" in refused(cli("run", "holmes-sample", *options, "--out", tmp_path / "out"), 2)


def test_a_missing_or_binary_manifest_is_named(corpus: Any, tmp_path: Path, cli: Callable[..., Any]) -> None:
    """The message speaks of the manifest and not of another output folder."""
    (tmp_path / "binary").write_bytes(bytes(range(256)))
    os.mkfifo(tmp_path / "pipe")
    for name in ("gone", "binary", "pipe", "."):
        said = refused(cli("corpus", "verify", corpus.train, "--manifest", tmp_path / name), 2)
        assert "--out" not in said
        assert str(tmp_path / name) in said


def test_a_dry_run_waits_for_no_pipe_and_says_what_is_not_read(corpus: Any, tmp_path: Path, cli: Callable[..., Any]) -> None:
    """A pipe and an endless device count as books that cannot be read; other files are told in one line, at every run."""
    os.mkfifo(corpus.train / "pipe.txt")
    (corpus.train / "zero.TXT").symlink_to("/dev/zero")
    for n in range(300):
        (corpus.train / f"{n}.html").write_text("<p>")
    for _ in range(2):
        outcome = cli("run", *corpus.options, "--out", tmp_path / "out", "--dry-run")
        assert outcome.status == 0, outcome.err
        (line,) = outcome.err.splitlines()
        assert line == f"{corpus.train}: passed over 300 of other kinds than .txt and .txt.gz (300 .html)"


def test_a_title_changed_in_the_manifest_is_not_overlooked(copied: Any, cli: Callable[..., Any]) -> None:
    """The table of books holds what the manifest says, so its stage is to run again; checksums that agree say nothing new."""
    manifest = copied.corpus.source / "manifest.tsv"
    (book,) = copied.corpus.source.iterdir()

    def planned() -> list[str]:
        told = cli("explain", "tiny", "--out", copied.out).out
        return [line for line in told.splitlines() if "ingest" in line and "would run" in line]

    manifest.write_text(f"file\tsha256\n{book.name}\t{hashlib.sha256(book.read_bytes()).hexdigest()}\n")
    assert planned() == []
    manifest.write_text(f"file\ttitle\n{book.name}\tThe Debt\n")
    (line,) = planned()
    assert "ingest source" in line
    assert "manifest" in line


@pytest.mark.slow
def test_a_book_that_changes_while_it_is_read_ends_the_run(
    corpus: Any, finished: Any, tmp_path: Path, cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One message; when the file is as it was the run goes on and ends with the bytes of an undisturbed one."""
    book = sorted(corpus.train.iterdir())[1]
    text = book.read_bytes()
    call = ("run", *corpus.options, "--name", "tiny", "--out", tmp_path / "out", "--workers", "1")

    def disturbed(*arguments: Any, **options: Any) -> Any:
        book.write_bytes(text[: len(text) // 2])
        return read_book(*arguments, **options)

    with monkeypatch.context() as patch:
        patch.setattr(ingest, "read_book", disturbed)
        said = refused(cli(*call), 1)
    assert f"{book}: changed while it was read" in said
    assert "run again" in said
    book.write_bytes(text)
    assert cli(*call).status == 0
    release = tmp_path / "out" / "runs" / "tiny" / "release" / "SHA256SUMS"
    assert release.read_bytes() == (finished.release / "SHA256SUMS").read_bytes()


@pytest.mark.slow
def test_a_raw_file_that_changed_is_not_quoted_by_the_trace(copied: Any, cli: Callable[..., Any]) -> None:
    """The characters at the sentence's place are another text's by now."""
    item = (copied.release / "questions.jsonl").read_text().split('"')[3]
    (book,) = copied.corpus.source.iterdir()
    for link in copied.folder.glob("corpus-*"):
        side = link.name.removeprefix("corpus-")
        link.unlink()
        link.symlink_to(copied.corpus.train.parent / side)
    assert "changed" not in cli("trace", item, "--out", copied.out).out
    book.write_bytes(b"Another beginning. " + book.read_bytes())
    traced = cli("trace", item, "--out", copied.out)
    assert traced.status == 0
    assert "the raw file cannot be read here" in traced.out
    assert "changed" in traced.out


def test_a_name_cannot_command_the_terminal(corpus: Any, tmp_path: Path, cli: Callable[..., Any]) -> None:
    """Line ends and escape sequences in file names are shown as what they are, in warnings as in the notes on the folder."""
    (corpus.train / "a\x1b[2J\n.txt").write_text("short")
    (corpus.train / ".a\x1b[2J\n.txt").write_text("short")
    shutil.copyfile(next(corpus.source.iterdir()), corpus.train / "b.x\x1b[2J\n")
    (corpus.train / "manifest.tsv").write_text("file\ttitle\nb\x1b[2J\tB\n")
    os.mkfifo(corpus.train / "c\x1b[2J.txt")
    outcome = cli("run", *corpus.options, "--strict", "--out", tmp_path / "out", "--workers", "1")
    assert outcome.status == 1
    assert "\x1b" not in outcome.err
    assert "nearly_empty" in outcome.err
