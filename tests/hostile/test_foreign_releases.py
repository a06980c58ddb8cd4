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
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cloze_gen.store.folder_replacement import write_entries
from cloze_gen.store.manifest import write_json
from cloze_gen.store.runs import RUN_SCHEMA
from tests.conftest import call_cli, made_once

SECRET = b"the user's secret\n"
SPARSE = 200 << 30
VERIFY, BOOKS, DEEP = (
    ("verify", "{it}"),
    ("verify", "{it}", "--books", "{books}"),
    ("verify", "{it}", "--books", "{books}", "--deep"),
)
FILL, ASK = (
    ("fill", "{it}", "--books", "{books}", "--to", "{to}"),
    ("contamination", "write", "{it}", "{to}"),
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


def resum(folder):
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


def listed(folder, name):
    with open(folder / "SHA256SUMS", "a") as handle:
        handle.write(f"{'0' * 64}  {name}\n")


def link(name, to, *, list_it=False, replace=False):
    """A link in the release; `{secret}` is a file outside it, `{outside}` a folder."""

    def damage(folder):
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


def special(name, make):
    def damage(folder):
        (folder / name).unlink(missing_ok=True)
        try:
            make(folder / name)
        except PermissionError:
            pytest.skip("only root can make a device")

    return damage


def sparse(name, size=SPARSE, *, list_it=True):
    def damage(folder):
        (folder / name).touch()
        os.truncate(folder / name, size)
        if list_it:
            listed(folder, name)

    return damage


def text(name, content, *, list_it=False):
    def damage(folder):
        (folder / name).write_bytes(
            content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass")
        )
        if name != "SHA256SUMS":
            if list_it:
                listed(folder, name)
            resum(folder)

    return damage


def edited(name, change, *, line=None):
    """A JSON file, or a line of JSON lines, changed in place; the checksums fit."""

    def damage(folder):
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


def record(**changes):
    return edited("release.json", lambda value: value.update(changes))


def setting(group, **changes):
    return edited(
        "release.json", lambda value: value["settings"].setdefault(group, {}).update(changes)
    )


def raw(old, new):
    """A change of the text of `release.json`, which need not stay JSON."""

    def damage(folder):
        path = folder / "release.json"
        assert old in path.read_text()
        path.write_text(path.read_text().replace(old, new, 1))
        resum(folder)

    return damage


def several(*damages):
    def damage(folder):
        for one in damages:
            one(folder)

    return damage


def taken(name, content="import os\n"):
    """A file that `release.json` says the store gave, with its checksums."""

    def add(value):
        value["taken"].append(name)
        value["full"][name] = hashlib.sha256(content.encode()).hexdigest()

    return several(
        lambda folder: (folder / name).parent.mkdir(exist_ok=True),
        text(name, content, list_it=True),
        edited("release.json", add),
    )


def pointer(change):
    return edited("pointers.jsonl", change, line=0)


def candidates(**changes):
    return edited("candidates.jsonl", lambda value: value.update(changes), line=3)


def source_text(*places):
    return pointer(lambda one: one["source"].update(text=list(places)))


def book(number, **changes):
    return edited("release.json", lambda value: value["books"][number].update(changes))


def whole_book(folder):
    """Every item points to the whole book, and there are many more of them."""
    path = folder / "pointers.jsonl"
    first = json.loads(path.read_text().splitlines()[0])
    first["source"] |= {"start": 0, "end": 24_000, "text": [0, 1]}
    path.write_text(
        "".join(json.dumps(first | {"id": f"{first['id']}{n}"}) + "\n" for n in range(200))
    )
    resum(folder)


def unfolding_parquet(folder):
    """Another column as a Parquet file of a few kilobytes with 100,000 rows."""
    path = folder / "parquet" / "questions.parquet"
    pq.write_table(pa.table({"id": pa.array(["x" * 1000] * 100_000).dictionary_encode()}), path)
    resum(folder)


def other_parquet(folder):
    path = folder / "parquet" / "questions.parquet"
    table = pq.read_table(path)
    pq.write_table(
        table.set_column(
            table.schema.get_field_index("answer"), "answer", pa.array(["teapot"] * len(table))
        ),
        path,
    )
    resum(folder)


def of_run(damage):
    """A damage of the run in an output folder; its manifest is made to fit."""

    def damage_run(out):
        run = out / "runs" / "tiny"
        damage(run)
        write_entries(run, RUN_SCHEMA)

    return damage_run


def run_link(name, to="{secret}"):
    def damage(run):
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


def pipe_for_questions(out):
    special("runs/tiny/release/questions.jsonl", os.mkfifo)(out)


def victim(out):
    """The manifest of the run names a file beside its folder."""
    run = out / "runs" / "tiny"
    (run.parent / "victim.txt").write_text("the user's")
    record = json.loads((run / "manifest.json").read_text())
    record["entries"]["../victim.txt"] = hashlib.sha256(b"the user's").hexdigest()
    write_json(run / "manifest.json", record)


def stage_elsewhere(run):
    stage = next(path for path in sorted(run.iterdir()) if path.name.endswith("-choice"))
    shutil.copytree(stage.resolve(), run.parents[2] / "outside" / "choice")
    stage.unlink()
    stage.symlink_to("../../../outside/choice")


# ---- the table

EITHER = (VERIFY, FILL)  # of a release of pointers
LINK = "a link, not a file"
OUTSIDE = "is not a file name inside the release"
CASES = [
    # links, and what is no file
    Case("a link that is listed", "pointers", link("x.txt", "{secret}", list_it=True), EITHER, LINK),
    Case("linked checksums", "pointers", link("SHA256SUMS", "{secret}", replace=True), EITHER, LINK),
    Case("a linked record", "pointers", link("release.json", "{secret}", replace=True), EITHER, LINK),
    Case("a linked folder", "full", link("parquet", "{outside}"), (VERIFY, EVALUATE_IT), "a link, not a folder"),
    Case("a named pipe for pointers", "pointers", special("pointers.jsonl", os.mkfifo), EITHER, "a named pipe"),
    # sizes
    Case("200 GiB, listed", "pointers", sparse("x.txt"), EITHER, "the limit for a file of this release"),
    Case("200 GiB of record", "pointers", sparse("release.json", list_it=False), EITHER, "more than the"),
    Case("200 GiB of checksums", "pointers", sparse("SHA256SUMS", list_it=False), EITHER, "more than the"),
    # release.json
    Case("no record", "pointers", lambda folder: (folder / "release.json").unlink(), EITHER, "has no release.json"),
    Case("no JSON", "pointers", text("release.json", "{"), EITHER, "not a valid release.json"),
    Case("brackets", "pointers", text("release.json", "[" * 100_000), EITHER, "nested too deep"),
    Case("a key twice", "pointers", raw('"name"', '"name": "a", "name"'), EITHER, "the key 'name' is there twice"),
    Case("text for a seed", "full", record(seed="1"), (VERIFY,), "seed: Input should be a valid integer"),
    Case("an enormous seed", "full", record(seed=2**70), (VERIFY,), "seed"),
    Case("a name that leads out", "pointers", record(name="../../evil"), EITHER, "is not a valid run name"),
    Case("a style that leads out", "pointers", record(style="../holmes-style"), EITHER, "is not a style"),
    Case("settings that are none", "full", record(settings={"focus": 5}), (VERIFY,), "must be groups of settings"),
    Case("a setting of the release that is none", "full",
         setting("release", order=7), (VERIFY,), "invalid settings of the group release"),
    Case("derived: leads out", "pointers", record(derived=["../secret.jsonl"]), EITHER, OUTSIDE),
    Case("derived: our own program", "pointers",
         record(derived=["inspect_task.py"]), EITHER, "`derived` lists 'inspect_task.py'"),
    Case("taken: a harness task", "pointers", taken("harness/evil.py"), EITHER, "`taken` lists 'harness/evil.py'"),
    Case("full: leads out", "pointers", record(full={"../x": "0"}), EITHER, OUTSIDE),
    Case("a side that leads out", "full", book(0, side="a/b"), (VERIFY,), "not a valid side of books"),
    Case("a key that is not known", "full", record(evil="x"), (VERIFY,), "release.json: differs from the document"),
    # SHA256SUMS
    Case("sums: lead out", "pointers",
         lambda folder: listed(folder, "../secret.txt"), EITHER, "is not inside this folder"),
    Case("sums: garbage", "pointers", text("SHA256SUMS", b"\xff\x00"), EITHER, "SHA256SUMS, line 1"),
    Case("sums: none", "pointers", lambda folder: (folder / "SHA256SUMS").unlink(), EITHER, "missing or empty"),
    Case("sums: a file that is gone", "pointers",
         lambda folder: (folder / "pointers.jsonl").unlink(), EITHER, "pointers.jsonl"),
    Case("sums: other bytes", "full",
         lambda folder: (folder / "questions.jsonl").write_text("{}"), (VERIFY, EVALUATE_IT), "checksum differs"),
    # pointers
    Case("a pointer bomb", "pointers",
         pointer(lambda one: one["source"].update(text=[0, 20] * 300_000)), (FILL, BOOKS), "the slices have 6,000,000 char"),
    Case("the whole book, again and again", "pointers", whole_book, (FILL, BOOKS), "more than 64 times its characters"),
    Case("a place behind the end", "pointers", source_text(5, 10**9), (FILL,), "of its spans"),
    Case("a span behind the book", "pointers",
         pointer(lambda one: one["source"].update(end=10**12)), (FILL,), "are not a span of its"),
    Case("a span of a list", "pointers",
         pointer(lambda one: one["source"].update(book_id=["x"])), (FILL,), "pointers.jsonl, line 1"),
    Case("another option", "pointers",
         pointer(lambda one: one["options"].__setitem__(one["answer_index"] - 1, "teapot")), (FILL,), "differ"),
    Case("another card of pointers", "pointers",
         text("README.md", "# hello\n"), (VERIFY,), "README.md: differs from the document"),
    # what follows from the items
    Case("candidates: another answer", "full", candidates(answer="teapot"), (VERIFY, BOOKS), "the answer differs"),
    Case("candidates: another shape", "full", candidates(candidates=7), (VERIFY,), "has an unexpected form"),
    Case("a file that follows from nothing", "full",
         text("evil.py", "import os\n", list_it=True), (VERIFY,), "evil.py: cannot be derived"),
    Case("another program", "full",
         text("inspect_task.py", "import os\n"), (VERIFY,), "inspect_task.py: does not match the items"),
    Case("other rows in Parquet", "full", other_parquet, (VERIFY,), "parquet: does not match the items"),
    Case("Parquet that unfolds", "full", unfolding_parquet, (VERIFY,), "parquet: does not match the items"),
    Case("no Parquet", "full", text("parquet/questions.parquet", b"PAR1"), (VERIFY,), "does not match the items"),
    Case("a question of another shape", "full",
         edited("questions.jsonl", lambda one: one.update(source=7), line=0), (VERIFY,), "has an unexpected form"),
    # --deep
    Case("deep: verdicts", "full",
         setting("grooming", verdicts="/etc/passwd"), (DEEP,), "grooming.verdicts = '/etc/passwd': --deep does not open files"),
    Case("deep: no such group", "full", setting("x]\nevil = 1\n[y", z=1), (DEEP,), "release.json"),
    Case("deep: a book under no name", "full", book(0, file="a\\x00b"), (DEEP,), "release.json"),
    # a run, in an output folder
    Case("run: linked questions", "out",
         run_link("release/questions.jsonl"), (EVALUATE, COMPARE, REPORT), "questions.jsonl: "),
    Case("run: a linked description", "out", run_link("run.json"), (EVALUATE, COMPARE, REPORT), "run.json: a link"),
    Case("run: a stage elsewhere", "out",
         of_run(stage_elsewhere), (COMPARE, REPORT), "a link that leaves the output folder"),
    Case("run: a pipe for questions", "out", pipe_for_questions, (EVALUATE, COMPARE, REPORT), "questions.jsonl: "),
    Case("run: a manifest that leads out", "out", victim, (EVALUATE, COMPARE, REPORT), "names '../victim.txt'"),
    # contamination
    Case("ask: linked questions", "full",
         link("questions.jsonl", "{secret}", replace=True, list_it=True), (ASK,), "a link, not a file"),
    Case("ask: a name that leads out", "full",
         lambda folder: None, ((*ASK, "--file", "../outside/secret.txt"),), "not inside the release"),
    Case("ask: 200 GiB", "full", sparse("questions.jsonl", list_it=False), (ASK,), "more than the"),
]  # fmt: skip


# ---- what every case is held to


@pytest.fixture(scope="session")
def sources(finished, tmp_path_factory):
    """A full release, one of pointers of the same set, and the output folder of the run."""

    def make(place):
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


def everything(folder):
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
    case,
    sources,
    finished,
    tmp_path,
    cli,
):
    """With one message and a status; nothing is written, and what lies outside stays unread."""
    it = Path(shutil.copytree(sources[case.what], tmp_path / "it", symlinks=True))
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.txt").write_bytes(SECRET)
    case.damage(it)
    before = dict(everything(tmp_path))
    books = finished.corpus.train.parent
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
