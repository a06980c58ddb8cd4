"""What is on disk is what was written: damage of any stage's file, or of the release, is noticed, named, and made again or refused."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cloze_gen.errors import DamageError
from cloze_gen.store.artifacts import open_artifact
from cloze_gen.store.folder_replacement import find_change

Cli = Callable[..., Any]
Digests = Callable[[Path], dict[str, str]]


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def empty(path: Path) -> None:
    path.write_bytes(b"")


def delete(path: Path) -> None:
    path.unlink()


def garble(path: Path) -> None:
    path.write_bytes(bytes(range(256)) * 8)


SLOWER = ["cut", "empty", "delete", "garble"]  # what a flipped byte tells quickly, they tell again
EACH = ["flip", *(pytest.param(kind, marks=pytest.mark.slow) for kind in SLOWER)]
KINDS = {damage.__name__: damage for damage in (flip, cut, empty, delete, garble)}
STAGES = ["ingest-train", "ingest-source", "corpus-train", "corpus-source", "counts", "text", "lm", "index", "focus", "alternates",
          "screening", "forward", "contexts", "grooming", "choice"]  # fmt: skip


def artifact_of(run: Path, stage: str) -> Path:
    """A stage's artifact by the end of its link's name; of the ingest a book's, which the table of books tells of."""
    (link,) = [path for path in run.iterdir() if path.name.endswith(stage) and path.name[:2].isdigit()]
    folder = link.resolve()
    if "ingest" in stage:
        return (folder / json.loads((folder / "manifest.json").read_text())["holds"][0]).resolve()
    return folder


def largest(folder: Path) -> Path:
    return max(
        (path for path in folder.rglob("*") if path.is_file() and path.name != "manifest.json"), key=lambda path: path.stat().st_size
    )


@pytest.fixture(scope="module")
def shared(finished: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the finished run's output folder; each test puts back what it damaged."""
    out = tmp_path_factory.mktemp("damaged") / "out"
    shutil.copytree(finished.out, out, symlinks=True)
    return out


@pytest.fixture
def damaged(shared: Path, tmp_path: Path) -> Iterator[Callable[[Path, Callable[[Path], None]], None]]:
    """Damage files; they are put back when the test has ended."""
    kept: list[tuple[Path, Path]] = []

    def damage(path: Path, how: Callable[[Path], None]) -> None:
        kept.append((path, tmp_path / f"kept-{len(kept)}"))
        shutil.copy2(path, kept[-1][1])
        how(path)

    yield damage
    for path, copy in kept:
        shutil.copy2(copy, path)


@pytest.mark.parametrize("kind", EACH)
@pytest.mark.parametrize("file", ["payload", "manifest"])
@pytest.mark.parametrize("stage", STAGES)
def test_damage_of_a_stage_is_noticed(finished: Any, shared: Path, damaged: Any, cli: Cli, stage: str, file: str, kind: str) -> None:
    """Whoever opens the artifact is told its place, and a planned run says that the stage would run, and why."""
    run = shared / "runs" / finished.name
    folder = artifact_of(run, stage)
    damaged(largest(folder) if file == "payload" else folder / "manifest.json", KINDS[kind])
    with pytest.raises(DamageError, match=r"again") as caught:
        open_artifact(folder)
    assert str(folder) in str(caught.value)
    planned = cli("run", *finished.corpus.options, "--name", finished.name, "--out", shared, "--dry-run")
    label = stage.lstrip("0123456789-").replace("-", " ")
    (line,) = [line for line in planned.out.splitlines() if line[5:].startswith(f"{label} ")]
    assert "would run" in line
    assert str(folder) in line
    # A book is told of by the books kept, too: that table is looked at again when the book has been made again.
    beside = {"ingest train": "corpus train", "ingest source": "corpus source"}.get(label, label)
    others = [one[5:21].strip() for one in planned.out.splitlines() if "would run" in one and one != line]
    assert set(others) <= {beside}


RELEASED = ["questions.jsonl", "candidates.jsonl", "README.md", "signature.txt", "SHA256SUMS", "report.html",
            "tiny.machine_format.questions.txt", "tiny.lm_format.answers.txt", "harness/tiny.test.jsonl"]  # fmt: skip


@pytest.mark.parametrize("kind", EACH)
@pytest.mark.parametrize("file", [*(f"release/{name}" for name in RELEASED), "run.json", "manifest.json"])
def test_damage_of_a_release_is_noticed(finished: Any, shared: Path, damaged: Any, cli: Cli, file: str, kind: str) -> None:
    """The run is not finished any more, and says which file; what would read the file refuses it."""
    run = shared / "runs" / finished.name
    damaged(run / file, KINDS[kind])
    assert str(run / (file if (file, kind) != ("manifest.json", "delete") else "")).rstrip("/") in str(find_change(run))
    planned = cli("run", *finished.corpus.options, "--name", finished.name, "--out", shared, "--dry-run")
    assert planned.status == 0, planned.err
    assert "release          would be written" in planned.out
    refusing = ["report"] + (["evaluate"] if file.endswith(("questions.jsonl", "signature.txt")) and "machine" not in file else [])
    for command in refusing:
        refused = cli(command, finished.name, "--out", shared)
        assert refused.status != 0, command
        assert "Traceback" not in refused.err


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_everything_damaged_is_made_again(copied: Any, cli: Cli, digests: Digests, kind: str) -> None:
    """A file of every stage and the whole release damaged at once: all is named, set aside, and made again with the same bytes."""
    out, run = copied.out, copied.folder
    before = digests(out)
    folders = [artifact_of(run, stage) for stage in STAGES]
    for folder in folders:
        KINDS[kind](largest(folder))
    for name in RELEASED:
        KINDS[kind](run / "release" / name)
    done = cli("run", *copied.corpus.options, "--name", copied.name, "--out", out, "--workers", "1")
    assert done.status == 0, done.err
    assert [str(folder) for folder in folders if f"{folder}: damaged" not in done.err] == []
    assert len(list((out / "aside").iterdir())) == len(folders)
    assert done.err.count("changed by hand; kept as") == (0 if kind == "delete" else len(RELEASED))
    after = {name: digest for name, digest in digests(out).items() if not name.startswith("aside/") and ".kept-1" not in name}
    assert after == before


def test_what_was_never_written_by_us_is_never_taken_for_a_part(finished: Any, shared: Path) -> None:
    """A table that lies among the parts of another would be read with them: the artifact is not whole."""
    folder = artifact_of(shared / "runs" / finished.name, "alternates")
    part = next((folder / "alternates").iterdir())
    strange = part.with_name("part-99999.parquet")
    shutil.copyfile(part, strange)
    with pytest.raises(DamageError, match="part-99999"):
        open_artifact(folder)
    strange.unlink()
    open_artifact(folder)
