"""Damage of any stage's file or of the release is detected, and rebuilt or refused."""

import json
import shutil
from itertools import cycle

import pytest


def flip(path):
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def cut(path):
    path.write_bytes(path.read_bytes()[:-1])


def empty(path):
    path.write_bytes(b"")


def delete(path):
    path.unlink()


def garble(path):
    path.write_bytes(bytes(range(256)) * 8)


SIZES = {damage.__name__: damage for damage in (cut, empty, delete, garble)}
KINDS = SIZES | {"flip": flip}
STAGES = ["ingest-train", "ingest-source", "corpus-train", "corpus-source", "counts", "text", "lm", "index", "focus", "alternates",
          "forward", "contexts", "grooming", "choice"]  # fmt: skip
RELEASED = ["questions.jsonl", "candidates.jsonl", "README.md", "signature.txt", "SHA256SUMS", "report.html",
            "tiny.machine_format.questions.txt", "tiny.lm_format.answers.txt", "harness/tiny.test.jsonl"]  # fmt: skip
OF_A_RUN = [*(f"release/{name}" for name in RELEASED), "run.json"]


def artifact_of(run, stage):
    """A stage's artifact by the end of its link's name; for the ingest a book's."""
    (link,) = [
        path for path in run.iterdir() if path.name.endswith(stage) and path.name[:2].isdigit()
    ]
    folder = link.resolve()
    if "ingest" in stage:
        return (folder / json.loads((folder / "manifest.json").read_text())["holds"][0]).resolve()
    return folder


def file_of(folder, file):
    """The manifest of an artifact or its largest other file."""
    manifest = folder / "manifest.json"
    if file == "manifest":
        return manifest
    payload = (path for path in folder.rglob("*") if path.is_file() and path != manifest)
    return max(payload, key=lambda path: path.stat().st_size)


@pytest.fixture(scope="module")
def shared(finished, tmp_path_factory):
    """A copy of the finished run; each test puts back what it damaged."""
    return finished.copy(tmp_path_factory.mktemp("damaged") / "copy")


@pytest.fixture
def damaged(tmp_path):
    """Damage a file in a way; it is put back before the next one, and at the end."""
    kept = []

    def put_back():
        while kept:
            shutil.copy2(tmp_path / "kept", kept.pop())

    def damage(path, kind):
        put_back()
        shutil.copy2(path, tmp_path / "kept")
        kept.append(path)
        KINDS[kind](path)

    yield damage
    put_back()


@pytest.mark.parametrize(
    ("stage", "file", "kind"), [*zip(STAGES, cycle(["payload", "manifest"]), cycle(SIZES))]
)
def test_a_damaged_stage_would_run_again(shared, damaged, cli, stage, file, kind):
    """A planned run says that this stage would run, and why, and no other."""
    folder = artifact_of(shared.folder, stage)
    damaged(file_of(folder, file), kind)
    planned = cli(*shared.call("--dry-run"))
    label = stage.replace("-", " ")
    (line,) = [line for line in planned.out.splitlines() if line[5:].startswith(f"{label} ")]
    assert "would run" in line
    assert str(folder) in line
    # The table of the books kept names a book too: it is looked at again when the book has been
    # made again.
    beside = {"ingest train": "corpus train", "ingest source": "corpus source"}.get(label, label)
    others = [
        one[5:21].strip() for one in planned.out.splitlines() if "would run" in one and one != line
    ]
    assert set(others) <= {beside}


@pytest.mark.parametrize(
    ("file", "kind"), [*zip(OF_A_RUN, cycle(KINDS)), ("manifest.json", "empty")]
)
def test_a_damaged_release_is_written_again_and_not_read(shared, damaged, cli, file, kind):
    """The run is not finished any more; what would read the file refuses it."""
    damaged(shared.folder / file, kind)
    planned = cli(*shared.call("--dry-run"))
    assert planned.status == 0, planned.err
    assert "release          would be written" in planned.out
    read = file in {"release/questions.jsonl", "release/signature.txt"}
    for command in ["report", *(["evaluate"] if read else [])]:
        refused = cli(command, shared.name, "--out", shared.out)
        assert refused.status != 0, command
        assert "Traceback" not in refused.err


@pytest.mark.parametrize(
    "kind",
    ["cut", pytest.param("delete", marks=pytest.mark.thorough)],
)
@pytest.mark.slow
def test_everything_damaged_is_made_again(copied, cli, digests, kind):
    before = digests(copied.out)
    folders = [artifact_of(copied.folder, stage) for stage in STAGES]
    for folder in folders:
        KINDS[kind](file_of(folder, "payload"))
    for name in RELEASED:
        KINDS[kind](copied.release / name)
    done = cli(*copied.call())
    assert done.status == 0, done.err
    assert [str(folder) for folder in folders if f"{folder}: damaged" not in done.err] == []
    assert ("release: differs from what was written" in done.err) == (kind != "delete")
    assert (copied.folder / "release.aside-1").is_dir() == (kind != "delete")
    after = {
        name: digest
        for name, digest in digests(copied.out).items()
        if "/release.aside-1/" not in name
    }
    assert after == before
