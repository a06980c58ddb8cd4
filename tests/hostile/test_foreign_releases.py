"""Releases and runs that somebody else damaged on purpose: one message, a status, and nothing
outside the release read or written.

A case is a row of `CASES`: its name, what is copied (a full release, one of pointers, or an output
    folder with its run), the damage, the
calls that must refuse it, and words of their message. The rule that the cases test is that of
`release.folder`.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cloze_gen.store.folder_replacement import write_own
from cloze_gen.store.manifest import write_manifest
from cloze_gen.store.runs import RUN_SCHEMA
from tests.conftest import FinishedRun, Outcome, call_cli, made_once

SECRET = b"the user's secret\n"
SPARSE = 200 << 30
VERIFY, BOOKS, DEEP = (
    ("verify", "{it}"),
    ("verify", "{it}", "--books", "{books}"),
    ("verify", "{it}", "--books", "{books}", "--deep"),
)
FILL, ASK = (
    ("fill", "{it}", "--books", "{books}", "--to", "{to}"),
    ("contamination", "{it}", "--requests", "{to}"),
)
RUN = "{it}/runs/tiny"
EVALUATE = ("evaluate", RUN, "--only", "bias", "--write-to", "{to}", "--workers", "1")
EVALUATE_IT = ("evaluate", "{it}", "--only", "random", "--write-to", "{to}")
COMPARE, REPORT = ("compare", RUN, RUN), ("report", RUN)
Damage = Callable[[Path], object]


@dataclass(frozen=True)
class Case:
    """One hostile folder."""

    name: str
    what: str  # full, pointers, out
    damage: Damage
    calls: tuple[tuple[str, ...], ...]
    said: str


# ---- damage


def resum(folder: Path) -> None:
    """Renew the checksums of the files that are listed and small; a link gets the sum of what it
    leads to.
    """
    lines = (folder / "SHA256SUMS").read_text().splitlines()
    with open(folder / "SHA256SUMS", "w") as handle:
        for line in lines:
            digest, name = line.split("  ", 1)
            path = folder / name
            if path.is_file() and path.stat().st_size < 10**8:
                digest = hashlib.sha256(path.read_bytes()).hexdigest()
            handle.write(f"{digest}  {name}\n")


def listed(folder: Path, name: str) -> None:
    with open(folder / "SHA256SUMS", "a") as handle:
        handle.write(f"{'0' * 64}  {name}\n")


def link(name: str, to: str, *, list_it: bool = False, replace: bool = False) -> Damage:
    """A link in the release; `{secret}` is a file outside it, `{outside}` a folder."""

    def damage(folder: Path) -> None:
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        if path.is_dir():
            shutil.rmtree(path)
        elif replace:
            path.unlink()
        outside = folder.parent / "outside"
        path.symlink_to(
            to.replace("{secret}", str(outside / "secret.txt")).replace("{outside}", str(outside))
        )
        if list_it:
            listed(folder, name)
            resum(folder)

    return damage


def special(name: str, make: Callable[[Path], object]) -> Damage:
    def damage(folder: Path) -> None:
        (folder / name).unlink(missing_ok=True)
        try:
            make(folder / name)
        except PermissionError:
            pytest.skip("only root can make a device")

    return damage


def make_socket(path: Path) -> None:
    place = Path.cwd()
    os.chdir(path.parent)  # the path of a socket may have some 100 characters
    try:
        with socket.socket(socket.AF_UNIX) as one:
            one.bind(path.name)
    finally:
        os.chdir(place)


def sparse(name: str, size: int = SPARSE, *, list_it: bool = True) -> Damage:
    def damage(folder: Path) -> None:
        (folder / name).touch()
        os.truncate(folder / name, size)
        if list_it:
            listed(folder, name)

    return damage


def text(name: str, content: str | bytes, *, list_it: bool = False) -> Damage:
    def damage(folder: Path) -> None:
        (folder / name).write_bytes(
            content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass")
        )
        if name != "SHA256SUMS":
            if list_it:
                listed(folder, name)
            resum(folder)

    return damage


def edited(name: str, change: Callable[[Any], object], *, line: int | None = None) -> Damage:
    """A JSON file, or a line of JSON lines, changed in place; the checksums fit."""

    def damage(folder: Path) -> None:
        path = folder / name
        texts = [path.read_text()] if line is None else path.read_text().splitlines(keepends=True)
        value = json.loads(texts[line or 0])
        change(value)
        texts[line or 0] = (
            json.dumps(value, ensure_ascii=False, indent=1 if line is None else None) + "\n"
        )
        path.write_text("".join(texts))
        resum(folder)

    return damage


def record(**changes: Any) -> Damage:
    return edited("release.json", lambda value: value.update(changes))


def setting(group: str, **changes: Any) -> Damage:
    return edited(
        "release.json", lambda value: value["settings"].setdefault(group, {}).update(changes)
    )


def raw(old: str, new: str) -> Damage:
    """A change of the text of `release.json`, which need not stay JSON."""

    def damage(folder: Path) -> None:
        path = folder / "release.json"
        assert old in path.read_text()
        path.write_text(path.read_text().replace(old, new, 1))
        resum(folder)

    return damage


def several(*damages: Damage) -> Damage:
    def damage(folder: Path) -> None:
        for one in damages:
            one(folder)

    return damage


def taken(name: str, content: str = "import os\n") -> Damage:
    """A file that `release.json` says the store gave, with its checksums."""

    def add(value: Any) -> None:
        value["taken"].append(name)
        value["full"][name] = hashlib.sha256(content.encode()).hexdigest()

    return several(
        lambda folder: (folder / name).parent.mkdir(exist_ok=True),
        text(name, content, list_it=True),
        edited("release.json", add),
    )


def pointer(change: Callable[[Any], object]) -> Damage:
    return edited("pointers.jsonl", change, line=0)


def candidates(**changes: Any) -> Damage:
    return edited("candidates.jsonl", lambda value: value.update(changes), line=3)


def source_text(*places: Any) -> Damage:
    return pointer(lambda one: one["source"].update(text=list(places)))


def book(number: int, **changes: Any) -> Damage:
    return edited("release.json", lambda value: value["books"][number].update(changes))


def whole_book(folder: Path) -> None:
    """Every item points to the whole book, and there are many more of them."""
    path = folder / "pointers.jsonl"
    first = json.loads(path.read_text().splitlines()[0])
    first["source"] |= {"start": 0, "end": 24_000, "text": [0, 1]}
    path.write_text(
        "".join(json.dumps(first | {"id": f"{first['id']}{n}"}) + "\n" for n in range(200))
    )
    resum(folder)


def deep_folder(folder: Path) -> None:
    (folder / "/".join(["a"] * 12)).mkdir(parents=True)


def five_gibibytes(folder: Path) -> None:
    edited("release.json", lambda value: value.update(n_items=10**6))(folder)
    for number in range(5):
        sparse(f"{number}.bin", 1 << 30)(folder)


def unfolding_parquet(folder: Path) -> None:
    """Another column as a Parquet file of a few kilobytes with 100,000 rows."""
    path = folder / "parquet" / "questions.parquet"
    pq.write_table(pa.table({"id": pa.array(["x" * 1000] * 100_000).dictionary_encode()}), path)
    resum(folder)


def other_parquet(folder: Path) -> None:
    path = folder / "parquet" / "questions.parquet"
    table = pq.read_table(path)
    pq.write_table(
        table.set_column(
            table.schema.get_field_index("answer"), "answer", pa.array(["teapot"] * len(table))
        ),
        path,
    )
    resum(folder)


def no_parquet(folder: Path) -> None:
    path = folder / "parquet" / "questions.parquet"
    text(f"parquet/{path.name}", b"PAR1")(folder)


def key_twice(folder: Path) -> None:
    path = folder / "questions.jsonl"
    text(path.name, path.read_text().replace('{"id"', '{"id": "x", "id"', 1))(folder)


def without_a_row(folder: Path) -> None:
    path = folder / "candidates.jsonl"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[1:]))
    resum(folder)


def not_said_to_stand_beside(folder: Path) -> None:
    text("candidates.jsonl", '{"answer": "garbage"}\n')(folder)
    record(derived=[])(folder)


def of_run(damage: Damage) -> Damage:
    """A damage of the run in an output folder; its manifest is made to fit."""

    def damage_run(out: Path) -> None:
        run = out / "runs" / "tiny"
        damage(run)
        write_own(run, RUN_SCHEMA)

    return damage_run


def run_link(name: str, to: str = "{secret}") -> Damage:
    def damage(run: Path) -> None:
        path = run / name
        if path.is_dir() and not path.is_symlink():
            shutil.move(path, run.parents[2] / "outside" / path.name)
        else:
            path.unlink(missing_ok=True)
        outside = run.parents[2] / "outside"
        path.symlink_to(
            to.replace("{secret}", str(outside / "secret.txt")).replace("{outside}", str(outside))
        )

    return of_run(damage)


def pipe_for_questions(out: Path) -> None:
    special("runs/tiny/release/questions.jsonl", os.mkfifo)(out)


def victim(out: Path) -> None:
    """The manifest of the run names a file beside its folder."""
    run = out / "runs" / "tiny"
    (run.parent / "victim.txt").write_text("the user's")
    record = json.loads((run / "manifest.json").read_text())
    record.pop("seal")
    record["files"]["../victim.txt"] = {
        "sha256": hashlib.sha256(b"the user's").hexdigest(),
        "bytes": 10,
    }
    write_manifest(run / "manifest.json", record)


def stage_elsewhere(run: Path) -> None:
    stage = next(path for path in sorted(run.iterdir()) if path.name.endswith("-choice"))
    shutil.copytree(stage.resolve(), run.parents[2] / "outside" / "choice")
    stage.unlink()
    stage.symlink_to("../../../outside/choice")


# ---- the table

EITHER = (VERIFY, FILL)  # of a release of pointers
CASES = [
    # links, and what is no file
    Case("a link that is taken", "pointers",
         several(link("harness/x.txt", "{secret}"), record(taken=["harness/x.txt"])), EITHER, "is a link"),
    Case("a link that is listed", "pointers", link("x.txt", "{secret}", list_it=True), EITHER, "is a link"),
    Case("a link beside", "full", link("x.txt", "{secret}"), (VERIFY, EVALUATE_IT), "is a link"),
    Case("changed items", "full", lambda it: (it / "questions.jsonl").write_text("{}"), (EVALUATE_IT,), "checksum differs"),
    Case("pointers to items", "pointers", lambda it: None, (EVALUATE_IT,), "contains pointers to text"),
    Case("a link to nowhere", "full", link("x.txt", "/nowhere/at/all"), (VERIFY,), "is a link"),
    Case("a link to a device", "pointers", link("x.txt", "/dev/zero"), EITHER, "is a link"),
    Case("linked checksums", "pointers", link("SHA256SUMS", "{secret}", replace=True), EITHER, "is a link"),
    Case("a linked record", "pointers", link("release.json", "{secret}", replace=True), EITHER, "is a link"),
    Case("linked pointers", "pointers", link("pointers.jsonl", "{secret}", replace=True), EITHER, "is a link"),
    Case("linked figures", "pointers", link("report.json", "{secret}", replace=True), EITHER, "is a link"),
    Case("a linked signature", "full",
         link("signature.txt", "{secret}", replace=True, list_it=True), (VERIFY,), "is a link"),
    Case("linked questions", "full", link("questions.jsonl", "{secret}", replace=True), (VERIFY, BOOKS), "is a link"),
    Case("a linked folder", "full", link("parquet", "{outside}"), (VERIFY,), "is a link"),
    Case("a link to its own folder", "full", link("x", "."), (VERIFY,), "is a link"),
    Case("a named pipe", "pointers", special("x.txt", os.mkfifo), EITHER, "a named pipe"),
    Case("a named pipe for pointers", "pointers", special("pointers.jsonl", os.mkfifo), EITHER, "a named pipe"),
    Case("a socket", "full", special("x.txt", make_socket), (VERIFY,), "a socket"),
    Case("a device", "full",
         special("x.txt", lambda path: os.mknod(path, 0o020644, os.makedev(1, 5))), (VERIFY,), "a device"),
    # sizes
    Case("200 GiB, listed", "pointers", sparse("x.txt"), EITHER, "the limit for a file of a release of 42 items"),
    Case("200 GiB of pointers", "pointers", sparse("pointers.jsonl", list_it=False), EITHER, "the limit for a file"),
    Case("200 GiB of record", "pointers", sparse("release.json", list_it=False), EITHER, "more than the"),
    Case("200 GiB of checksums", "pointers", sparse("SHA256SUMS", list_it=False), EITHER, "more than the"),
    Case("5 GiB together", "full", five_gibibytes, (VERIFY,), "the limit for a release is"),
    Case("folders in folders", "full", deep_folder, (VERIFY,), "nested in more than"),
    Case("large figures", "pointers", text("report.json", " " * (5 << 20)), (FILL,), "report.json: has 5,242,880 bytes"),
    # what release.json says
    Case("a key twice", "pointers", raw('"name"', '"name": "a", "name"'), EITHER, "the key 'name' is there twice"),
    Case("a key twice, deep", "full", raw('"book_id"', '"book_id": "a", "book_id"'), (VERIFY,), "is there twice"),
    Case("text for true", "full", record(sample="yes"), (VERIFY,), "sample: Input should be a valid boolean"),
    Case("text for a seed", "full", record(seed="1"), (VERIFY,), "seed: Input should be a valid integer"),
    Case("a fraction for a count", "full", record(n_items=54.5), (VERIFY,), "n_items"),
    Case("true for a count", "full", record(n_items=True), (VERIFY,), "n_items"),
    Case("a number for a name", "full", record(name=7), (VERIFY,), "name"),
    Case("a seed below 0", "full", record(seed=-1), (VERIFY,), "seed"),
    Case("an enormous seed", "full", record(seed=2**70), (VERIFY,), "seed"),
    Case("a count below 0", "full", record(n_items=-1), (VERIFY,), "n_items is -1"),
    Case("a name that leads out", "pointers", record(name="../../evil"), EITHER, "is not a valid run name"),
    Case("an unknown style", "pointers", record(style="evil-style"), EITHER, "is not a style"),
    Case("a style that leads out", "pointers", record(style="../holmes-style"), EITHER, "is not a style"),
    Case("another schema", "full", record(schema="other/thing"), (VERIFY,), "the schema is"),
    Case("an unknown text", "full", record(text="maybe"), (VERIFY,), "text is"),
    Case("settings that are none", "full", record(settings={"focus": 5}), (VERIFY,), "must be groups of settings"),
    Case("a setting of the release that is none", "full",
         setting("release", order=7), (VERIFY,), "invalid settings of the group release"),
    Case("derived: absolute", "pointers", record(derived=["/etc/passwd"]), EITHER, "is not a file name inside the release"),
    Case("derived: leads out", "pointers",
         record(derived=["../secret.jsonl"]), EITHER, "is not a file name inside the release"),
    Case("derived: our own program", "pointers",
         record(derived=["inspect_task.py"]), EITHER, "`derived` lists 'inspect_task.py'"),
    Case("derived: twice", "full", record(derived=["candidates.jsonl"] * 2), (VERIFY,), "`derived` lists a file twice"),
    Case("derived: a number", "full", record(derived=[1]), (VERIFY,), "derived"),
    Case("taken: leads out", "pointers", record(taken=["../.bashrc"]), EITHER, "is not a file name inside the release"),
    Case("taken: a program", "pointers", taken("inspect_task.py"), EITHER, "`taken` lists 'inspect_task.py'"),
    Case("taken: a harness task", "pointers", taken("harness/evil.py"), EITHER, "`taken` lists 'harness/evil.py'"),
    Case("taken: a document", "pointers", record(taken=["README.md"]), EITHER, "`taken` lists 'README.md'"),
    Case("taken: of another style", "pointers",
         taken("lambada-vocab-2.txt"), EITHER, "`taken` lists 'lambada-vocab-2.txt'"),
    Case("full: leads out", "pointers", record(full={"../x": "0"}), EITHER, "is not a file name inside the release"),
    Case("a book that leads out", "pointers", book(0, file="../x"), EITHER, "inside the release"),
    Case("a side that leads out", "full", book(0, side="a/b"), (VERIFY,), "not a valid side of books"),
    Case("books that are none", "full", record(books="all"), (VERIFY,), "books"),
    Case("brackets", "pointers", text("release.json", "[" * 100_000), EITHER, "nested too deep"),
    Case("half a character", "full", raw("Holmes-style (MSR)", "\\ud800"), (VERIFY,), "half a character"),
    Case("no UTF-8", "pointers", text("release.json", b"\xff\xfe"), EITHER, "not UTF-8"),
    Case("no JSON", "pointers", text("release.json", "{"), EITHER, "not a valid release.json"),
    Case("a list", "pointers", text("release.json", "[]"), EITHER, "not a valid release.json"),
    Case("a number of 5,000 digits", "full",
         raw('"seed": 1', f'"seed": {"9" * 5000}'), (VERIFY,), "more digits than can be read"),
    Case("no record", "pointers", lambda folder: (folder / "release.json").unlink(), EITHER, "has no release.json"),
    Case("a key that is not known", "full", record(evil="x"), (VERIFY,), "release.json: differs from the document"),
    # SHA256SUMS
    Case("sums: lead out", "pointers",
         lambda folder: listed(folder, "../secret.txt"), EITHER, "is not inside this folder"),
    Case("sums: absolute", "pointers",
         lambda folder: listed(folder, "/etc/passwd"), EITHER, "is not inside this folder"),
    Case("sums: twice", "pointers", lambda folder: listed(folder, "pointers.jsonl"), EITHER, "is listed twice"),
    Case("sums: garbage", "pointers", text("SHA256SUMS", "x\n"), EITHER, "SHA256SUMS, line 1"),
    Case("sums: bytes", "pointers", text("SHA256SUMS", b"\xff\x00"), EITHER, "SHA256SUMS, line 1"),
    Case("sums: empty", "pointers", text("SHA256SUMS", ""), EITHER, "missing or empty"),
    Case("sums: none", "pointers", lambda folder: (folder / "SHA256SUMS").unlink(), EITHER, "missing or empty"),
    Case("sums: a file that is gone", "pointers",
         lambda folder: (folder / "report.json").unlink(), EITHER, "report.json"),
    Case("sums: other bytes", "pointers",
         lambda folder: (folder / "pointers.jsonl").write_text("{}\n"), EITHER, "checksum differs"),
    # pointers
    Case("a pointer bomb", "pointers",
         pointer(lambda one: one["source"].update(text=[0, 20] * 300_000)), (FILL, BOOKS), "the slices have 6,000,000 char"),
    Case("a bomb of tokens", "pointers",
         pointer(lambda one: one.update(tokens=[[0, 100]] * 9000)), (FILL, BOOKS), "`tokens`: the slices have 900,000"),
    Case("the whole book, again and again", "pointers", whole_book, (FILL, BOOKS), "more than 64 times its characters"),
    Case("a text for a place", "pointers", source_text("a text of mine"), (FILL,), "is not a valid offset"),
    Case("a place below 0", "pointers", source_text(-5, 3), (FILL,), "is not a valid offset"),
    Case("an end before its start", "pointers", source_text(9, 3), (FILL,), "is not a valid offset"),
    Case("a place behind the end", "pointers", source_text(5, 10**9), (FILL,), "of its spans"),
    Case("a slice without an end", "pointers", source_text(0), (FILL,), "a slice has no end"),
    Case("a fraction for a place", "pointers", source_text(0.5, 3), (FILL,), "is not a valid offset"),
    Case("a span that is none", "pointers",
         pointer(lambda one: one["source"].update(start="x")), (FILL, BOOKS), "pointers.jsonl, line 1"),
    Case("a span behind the book", "pointers",
         pointer(lambda one: one["source"].update(end=10**12)), (FILL,), "are not a span of its"),
    Case("a span of no book", "pointers",
         pointer(lambda one: one["source"].update(book_id="../x")), (FILL,), "has its bytes"),
    Case("a span of a list", "pointers",
         pointer(lambda one: one["source"].update(book_id=["x"])), (FILL,), "pointers.jsonl, line 1"),
    Case("no source", "pointers", pointer(lambda one: one.pop("source")), (FILL, BOOKS), "pointers.jsonl, line 1"),
    Case("an id that is a list", "pointers",
         pointer(lambda one: one.update(id=["x"])), (FILL,), "pointers.jsonl, line 1"),
    Case("an item that is a list", "pointers", text("pointers.jsonl", "[]\n"), (VERIFY, FILL), "is no JSON object"),
    Case("pointers that are no JSON", "pointers", text("pointers.jsonl", "{\n"), (VERIFY, FILL), "not JSON"),
    Case("another option", "pointers", pointer(lambda one: one["options"].__setitem__(one["answer_index"] - 1, "teapot")), (FILL,), "differ"),
    Case("a file that is not rebuilt", "pointers",
         edited("release.json", lambda value: value["full"].update({"more.jsonl": "0" * 64})), (FILL,), "original release: more.jsonl"),
    Case("figures of another shape", "pointers",
         text("report.json", '{"levels": 7}'), (FILL,), "not the figures of a report"),
    # what follows from the items
    Case("candidates: another answer", "full", candidates(answer="teapot"), (VERIFY, BOOKS), "the answer differs"),
    Case("candidates: another sentence", "full", candidates(text="x"), (VERIFY,), "the sentence differs"),
    Case("candidates: none", "full", candidates(candidates=[]), (VERIFY,), "is not a candidate"),
    Case("candidates: a row less", "full", without_a_row, (VERIFY,), "its ids and their order differ"),
    Case("candidates: another shape", "full", candidates(candidates=7), (VERIFY,), "has an unexpected form"),
    Case("candidates that nothing names", "full",
         not_said_to_stand_beside, (VERIFY,), "candidates.jsonl: cannot be derived"),
    Case("a file that follows from nothing", "full",
         text("evil.py", "import os\n", list_it=True), (VERIFY,), "evil.py: cannot be derived"),
    Case("a file beside the pointers", "pointers",
         text("evil.py", "import os\n", list_it=True), (VERIFY,), "evil.py: cannot be derived"),
    Case("another program", "full",
         text("inspect_task.py", "import os\n"), (VERIFY,), "inspect_task.py: does not match the items"),
    Case("another card", "full", text("README.md", "# hello\n"), (VERIFY,), "README.md: does not contain"),
    Case("another card of pointers", "pointers",
         text("README.md", "# hello\n"), (VERIFY,), "README.md: differs from the document"),
    Case("another description", "full",
         text("croissant.json", "{}\n"), (VERIFY,), "croissant.json: differs from the document"),
    Case("other rows in Parquet", "full", other_parquet, (VERIFY,), "parquet: does not match the items"),
    Case("Parquet that unfolds", "full", unfolding_parquet, (VERIFY,), "parquet: does not match the items"),
    Case("no Parquet", "full", no_parquet, (VERIFY,), "does not match the items"),
    Case("a question of another shape", "full",
         edited("questions.jsonl", lambda one: one.update(source=7), line=0), (VERIFY,), "has an unexpected form"),
    Case("a key twice in a question", "full", key_twice, (VERIFY,), "questions.jsonl, line 1: not JSON (the key 'id' is there twice)"),
    Case("a key twice in a candidate", "full", text("candidates.jsonl", b'{"id": "a", "id": "b"}'), (VERIFY,),
         "candidates.jsonl, line 1: not JSON (the key 'id' is there twice). Download the "
             "release again."),
    # --deep
    Case("deep: verdicts", "full",
         setting("grooming", verdicts="/etc/passwd"), (DEEP,), "grooming.verdicts = '/etc/passwd': --deep does not open files"),
    Case("deep: words", "full",
         setting("grooming", offensive_words="list.txt"), (DEEP,), "grooming.offensive_words = 'list.txt'"),
    Case("deep: a tagger", "full", setting("grooming", tagger="../model"), (DEEP,), "grooming.tagger = '../model'"),
    Case("deep: of pointers", "pointers",
         setting("grooming", verdicts="v.jsonl"), (DEEP,), "grooming.verdicts = 'v.jsonl'"),
    Case("deep: memory", "full", setting("lm", memory="900G"), (DEEP,), "[lm] needs about 900 GiB"),
    Case("deep: dimensions", "full",
         setting("contexts", dimensions=2000, features=65_536), (DEEP,), "[contexts] takes up to"),
    Case("deep: alternates", "full", setting("alternates", count=10_000), (DEEP,), "[alternates] takes up to 67 times"),
    Case("deep: draws", "full", setting("choice", draws=10_000), (DEEP,), "[choice] takes up to"),
    Case("deep: no such setting", "full", setting("choice", evil=1), (DEEP,), "choice.evil: no such setting"),
    Case("deep: no such group", "full", setting("x]\nevil = 1\n[y", z=1), (DEEP,), "release.json"),
    Case("deep: a book under no name", "full", book(0, file="a\\x00b"), (DEEP,), "release.json"),
    Case("deep: a book that is not there", "full", book(-1, sha256="0" * 64), (DEEP,), "no file has the same bytes as"),
    # a run, in an output folder
    Case("run: a linked signature", "out",
         run_link("release/signature.txt"), (EVALUATE, COMPARE, REPORT), "signature.txt: "),
    Case("run: linked questions", "out",
         run_link("release/questions.jsonl"), (EVALUATE, COMPARE, REPORT), "questions.jsonl: "),
    Case("run: a linked record", "out", run_link("release/release.json"), (REPORT,), "release.json: "),
    Case("run: a linked description", "out", run_link("run.json"), (EVALUATE, COMPARE, REPORT), "run.json: a link"),
    Case("run: a linked release", "out",
         run_link("release", "{outside}/release"), (EVALUATE, COMPARE, REPORT), "a link"),
    Case("run: a linked evaluation", "out",
         run_link("evaluation", "{outside}"), (COMPARE, REPORT), "a link that leaves the output folder"),
    Case("run: a stage elsewhere", "out",
         of_run(stage_elsewhere), (COMPARE, REPORT), "a link that leaves the output folder"),
    Case("run: a pipe for questions", "out", pipe_for_questions, (EVALUATE, COMPARE, REPORT), "questions.jsonl: "),
    Case("run: a manifest that leads out", "out", victim, (EVALUATE, COMPARE, REPORT), "names '../victim.txt'"),
    # contamination
    Case("ask: linked questions", "full",
         link("questions.jsonl", "{secret}", replace=True, list_it=True), (ASK,), "a link, not a file"),
    Case("ask: a linked record", "full", link("release.json", "{secret}", replace=True), (ASK,), "a link, not a file"),
    Case("ask: linked sums", "full", link("SHA256SUMS", "{secret}", replace=True), (ASK,), "a link, not a file"),
    Case("ask: a link to nowhere", "full",
         link("release.json", "/nowhere", replace=True), (ASK,), "a link, not a file"),
    Case("ask: a linked folder", "full",
         link("sub", "{outside}"), ((*ASK, "--file", "sub/secret.txt"),), "a link, not a folder"),
    Case("ask: a name that leads out", "full",
         lambda folder: None, ((*ASK, "--file", "../outside/secret.txt"),), "not inside the release"),
    Case("ask: 200 GiB", "full", sparse("questions.jsonl", list_it=False), (ASK,), "more than the"),
    Case("ask: an order twice", "full",
         raw('"order": "shuffled"', '"order": "corpus", "order": "shuffled"'), (ASK,), "is there twice"),
]  # fmt: skip


# ---- what every case is held to


@pytest.fixture(scope="session")
def sources(finished: FinishedRun, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A full release, one of pointers of the same set, and the output folder of the run."""

    def make(place: Path) -> Outcome:
        shutil.copytree(finished.out.parent, place, symlinks=True)
        options = [
            str(one).replace(str(finished.out.parent), str(place))
            for one in finished.corpus.options
        ]
        return call_cli(
            "run",
            *options,
            "--name",
            "pointed",
            "--out",
            place / "out",
            "--workers",
            "1",
            "--set",
            "release.text=pointers",
        )

    place, _ = made_once(tmp_path_factory, "pointed", make)
    return {
        "full": finished.release,
        "pointers": place / "out" / "runs" / "pointed" / "release",
        "out": finished.out,
    }


def everything(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Every file and link of the folder of a case but the release itself."""
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink() or not path.is_file():
            yield name, b""
        elif not name.startswith("it/"):
            yield name, path.read_bytes()


@pytest.mark.timeout(60)
@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_it_is_refused(
    case: Case,
    sources: dict[str, Path],
    finished: FinishedRun,
    tmp_path: Path,
    cli: Callable[..., Outcome],
) -> None:
    """With one message and a status; nothing is written, and what lies outside stays unread."""
    it = Path(shutil.copytree(sources[case.what], tmp_path / "it", symlinks=True))
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.txt").write_bytes(SECRET)
    case.damage(it)
    before = dict(everything(tmp_path))
    books = finished.corpus.train.parent  # type: ignore[union-attr]
    for call in case.calls:
        outcome = cli(*(part.format(it=it, books=books, to=tmp_path / "to") for part in call))
        said = outcome.out + outcome.err
        assert outcome.status in {1, 2}, said
        assert case.said in said
        assert "unexpected error" not in said
        assert "Traceback" not in said
        assert SECRET.decode().strip() not in said
        assert sum(line.startswith("cloze-gen: ") for line in outcome.err.splitlines()) <= 1
        assert dict(everything(tmp_path)) == before
