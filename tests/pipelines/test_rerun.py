"""Runs after the first: what is on disk is not made again, and what is made does not depend on workers or order."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cloze_gen.records.release_facts import RELEASE_FORMAT
from cloze_gen.store import corpus_folder
from cloze_gen.store.folder_replacement import write_own
from cloze_gen.store.manifest import write_json
from cloze_gen.store.runs import RUN_SCHEMA, stage_artifact
from cloze_gen.store.tables import read_parquet


def store_state(out: Path) -> dict[str, int]:
    """Every file of the store with the time it was written."""
    return {
        path.relative_to(out).as_posix(): path.lstat().st_mtime_ns
        for path in (out / "store").rglob("*")
        if path.is_file() and not {".locks", ".checked"} & set(path.parts)
    }


def new_stages(before: dict[str, int], out: Path) -> set[str]:
    """Stages that the store holds more of than before; what was there must not have been touched."""
    after = store_state(out)
    assert {name: after.get(name) for name in before} == before
    return {name.split("/")[1].rpartition("-")[0] for name in after.keys() - before.keys()}


def written_at(out: Path) -> dict[Path, int]:
    """Everything below the output folder with the time it was written; not the notes of what was checked, which are renewed."""
    return {path: path.lstat().st_mtime_ns for path in out.rglob("*") if ".checked" not in path.parts}


def test_a_rerun_does_nothing(copied: Any, cli: Callable[..., Any]) -> None:
    """With nothing changed no file is written, and the same result is told."""
    before = written_at(copied.out)
    again = cli("run", *copied.corpus.options, "--name", "tiny", "--out", copied.out, "--workers", "1")
    assert again.status == 0
    assert "nothing to do" in again.err
    assert again.out.splitlines()[:-1] == copied.outcome.out.splitlines()[:-1]
    assert written_at(copied.out) == before


def test_a_release_of_an_older_version_is_written_anew(copied: Any, cli: Callable[..., Any]) -> None:
    """One of another format is, and one line says so; no stage runs for it, and `explain` foretells it."""
    folder, before = copied.out / "runs" / "tiny", store_state(copied.out)
    described = json.loads((folder / "run.json").read_text())
    release = (folder / "release" / "release.json").read_text()
    assert described["release_format"] == json.loads(release)["format_version"]
    del described["release_format"]
    write_json(folder / "run.json", described)
    (folder / "release" / "release.json").write_text("{}")
    write_own(folder, RUN_SCHEMA)
    line = f"The release is in format 1, and this version writes format {RELEASE_FORMAT}."
    assert f"would be written: {line}" in cli("explain", "tiny", "--out", copied.out).out
    again = cli("run", *copied.corpus.options, "--name", "tiny", "--out", copied.out, "--workers", "1")
    assert again.status == 0
    assert again.err.count(line) == 1
    assert "nothing to do" not in again.err
    assert (folder / "release" / "release.json").read_text() == release
    assert store_state(copied.out) == before
    assert "nothing to do" in cli("run", *copied.corpus.options, "--name", "tiny", "--out", copied.out, "--workers", "1").err


@pytest.mark.slow
def test_a_changed_setting_reruns_from_its_stage_on(copied: Any, cli: Callable[..., Any]) -> None:
    """`forward.keep` touches forward, grooming and choice; going back finds the old results."""
    before = store_state(copied.out)
    changed = cli("run", *copied.corpus.options, "--name", "tiny", "--out", copied.out, "--workers", "1", "--set", "forward.keep=20")
    assert changed.status == 0, changed.err
    assert new_stages(before, copied.out) == {"forward", "grooming", "choice"}
    before = store_state(copied.out)
    assert cli("run", *copied.corpus.options, "--name", "tiny", "--out", copied.out, "--workers", "1").status == 0
    assert new_stages(before, copied.out) == set()


@pytest.mark.parametrize(
    ("options", "stages"),
    [
        pytest.param(("--seed", "2"), {"alternates", "screening", "forward", "grooming", "choice"}, marks=pytest.mark.slow),
        (("--set", "grooming.max_ambiguity=0.5"), {"grooming", "choice"}),
        (("--set", "choice.n_questions=10"), {"choice"}),
        (("--set", "lm.memory=110M"), set()),
        (("--set", "release.harness=false"), set()),
        (("--workers", "1", "--name", "renamed"), set()),
    ],
)
@pytest.mark.slow
def test_exactly_what_depends_on_it_is_made_again(copied: Any, cli: Callable[..., Any], options: tuple[str, ...], stages: set[str]) -> None:
    """The seed touches what draws; memory, the release's settings and the run's name touch nothing in the store."""
    before = store_state(copied.out)
    done = cli("run", *copied.corpus.options, "--name", "tiny", "--out", copied.out, "--workers", "1", *options)
    assert done.status == 0, done.err
    assert new_stages(before, copied.out) == stages


def test_a_renamed_run_says_its_name_in_its_release(copied: Any, cli: Callable[..., Any]) -> None:
    """Renaming writes another run folder beside the first, with files of its own name and the same questions."""
    assert cli("run", *copied.corpus.options, "--name", "other", "--out", copied.out, "--workers", "1").status == 0
    other = copied.out / "runs" / "other" / "release"
    assert (other / "other.machine_format.questions.txt").read_bytes() == (
        copied.release / "tiny.machine_format.questions.txt"
    ).read_bytes()
    assert "name:other|" in (other / "signature.txt").read_text()


@pytest.mark.slow
def test_one_new_book_is_one_book_read(copied: Any, cli: Callable[..., Any]) -> None:
    """The books that were there are not read again."""
    before = store_state(copied.out)
    sample = Path(__file__).parents[2] / "corpora" / "sample" / "train" / "04-the-orchard-thieves.txt"
    shutil.copyfile(sample, copied.corpus.train / sample.name)
    done = cli("run", *copied.corpus.options, "--name", "tiny", "--out", copied.out, "--workers", "1")
    assert done.status == 0, done.err
    model = {"book", "ingest", "corpus", "counts", "text", "lm", "index", "contexts"}
    assert new_stages(before, copied.out) == model | {"focus", "alternates", "screening", "forward", "grooming", "choice"}
    after = store_state(copied.out)
    assert len({name.split("/")[2] for name in after.keys() - before.keys() if name.startswith("store/book-")}) == 1


@pytest.mark.slow
def test_a_deleted_artifact_is_made_again_with_the_same_bytes(
    copied: Any, cli: Callable[..., Any], digests: Callable[[Path], dict[str, str]]
) -> None:
    """Even one far below a finished run."""
    before = digests(copied.out)
    ingest = (copied.folder / "01-ingest-train").resolve()
    shutil.rmtree(ingest)
    shutil.rmtree(next(copied.folder.glob("*-counts")).resolve())
    assert cli("run", *copied.corpus.options, "--name", "tiny", "--out", copied.out, "--workers", "1").status == 0
    assert digests(copied.out) == before


@pytest.mark.slow
def test_two_workers_and_another_order_give_the_same_bytes(
    finished: Any, tmp_path: Path, cli: Callable[..., Any], digests: Callable[[Path], dict[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every file under the output folder; only where the links to the books lead may differ."""
    walk = os.walk

    def backwards(root: Path, **options: Any) -> Iterator[tuple[str, list[str], list[str]]]:
        for folder, folders, names in walk(root, **options):
            folders.sort(reverse=True)
            yield folder, folders, sorted(names, reverse=True)

    monkeypatch.setattr(corpus_folder.os, "walk", backwards)
    for side in ("train", "source"):  # written in another order too
        (tmp_path / side).mkdir()
        for book in sorted(getattr(finished.corpus, side).iterdir(), reverse=True):
            shutil.copyfile(book, tmp_path / side / book.name)
    options = (*finished.corpus.options[:2], str(tmp_path / "train"), "--source", str(tmp_path / "source"), *finished.corpus.options[5:])
    done = cli("run", *options, "--name", "tiny", "--out", tmp_path / "out", "--workers", "2")
    assert done.status == 0, done.err
    first, second = digests(finished.out), digests(tmp_path / "out")
    assert first.keys() == second.keys()
    assert {name for name in first if first[name] != second[name]} <= {"runs/tiny/corpus-train", "runs/tiny/corpus-source"}


@pytest.mark.slow
def test_a_list_of_words_is_known_by_its_content(copied: Any, cli: Callable[..., Any], tmp_path: Path) -> None:
    """A changed list of offensive words grooms anew; the same list in another place does not."""
    options = ("run", *copied.corpus.options, "--name", "tiny", "--out", copied.out, "--workers", "1", "--set")
    (tmp_path / "a.txt").write_text("clock\n")
    assert cli(*options, f"grooming.offensive_words={tmp_path / 'a.txt'}").status == 0
    before = store_state(copied.out)
    (tmp_path / "b.txt").write_text("# moved\nclock\n\n")
    assert cli(*options, f"grooming.offensive_words={tmp_path / 'b.txt'}").status == 0
    assert new_stages(before, copied.out) == set()
    published = copied.out / "runs" / "tiny" / "release"
    assert not [path.name for path in published.rglob("*") if path.is_file() and str(tmp_path).encode() in path.read_bytes()]
    (tmp_path / "b.txt").write_text("clock\ndebt\n")
    assert cli(*options, f"grooming.offensive_words={tmp_path / 'b.txt'}").status == 0
    assert new_stages(before, copied.out) == {"grooming", "choice"}


@pytest.mark.slow
def test_candidates_fall_by_what_readers_would_say(copied: Any, cli: Callable[..., Any]) -> None:
    """What `max_ambiguity` rejects is that likely to fit as well; what stays fit is not."""
    bound = 0.1
    options = ("run", *copied.corpus.options, "--name", "tiny", "--out", copied.out, "--workers", "1")
    assert cli(*options, "--set", f"grooming.max_ambiguity={bound}").status == 0
    grooming = stage_artifact(copied.out / "runs" / "tiny", "grooming")
    said = [(row["verdict"], row["fits_as_well"]) for row in read_parquet(grooming.path("decisions")).to_pylist()]
    fallen = [share for verdict, share in said if verdict == "candidate_fits_as_well"]
    assert fallen
    assert min(fallen) >= bound > max(share for verdict, share in said if verdict == "fit")
