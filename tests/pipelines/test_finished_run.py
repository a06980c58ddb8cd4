"""What every finished run leaves on disk, and what happens when it is made again, of all styles."""

import hashlib
import os
import shutil

import pytest

from cloze_gen.corpus import folder as corpus_folder
from cloze_gen.pipelines.styles import find_style, style_names
from cloze_gen.store.artifacts import open_artifact
from tests.conftest import FinishedRun, without_canary

# A setting of each style, and the stages that would run when it changes.
LATE = {
    "holmes-style": ("choice.n_questions=10", ["choice"]),
    "lambada-style": (
        "ranking.max_rule_share=0.5",
        ["ranking", "guesses", "passage set", "analysis"],
    ),
    "scde-style": ("distractors.count=3", ["distractors", "blanked passages"]),
    "scs-style": ("draw.method=uniform", ["draw", "questions"]),
}
# A line of each card.
CARD = {
    "holmes-style": "groomed: machine",
    "lambada-style": "judged: none",
    "scde-style": "| 5,959 (4,790 / 511 / 658) |",
    "scs-style": "judged: none",
}


@pytest.fixture(params=style_names())
def style(request):
    return request.param


@pytest.fixture
def run(style, run_of):
    return run_of(style)


@pytest.fixture
def own(run, tmp_path):
    """A copy that a test may change."""
    return run.copy(tmp_path / "own")


def stage_folders(run):
    return sorted(path for path in run.folder.iterdir() if path.name[:2].isdigit())


def would_run(plan):
    """The stages that a dry run names."""
    return [
        line.split("would run")[0].split(maxsplit=1)[1].strip()
        for line in plan.splitlines()
        if "would run" in line
    ]


def refused(outcome, status):
    """The one message that ended a call."""
    assert outcome.status == status, outcome.err
    assert outcome.err.count("cloze-gen: ") == 1
    return str(outcome.err[outcome.err.index("cloze-gen: ") :])


# ---- on disk


def test_links_are_numbered_relative_and_whole(run):
    """A run is a folder of numbered links to the stages it used, in order, and links to its books."""
    links = stage_folders(run)
    assert [int(link.name[:2]) for link in links] == list(range(1, len(links) + 1))
    assert all(
        link.is_symlink()
        and not link.readlink().is_absolute()
        and (link / "manifest.json").is_file()
        for link in links
    )
    books = {link.resolve() for link in run.folder.glob("corpus-*")}
    assert books == {folder.resolve() for folder in run.corpus.folders}


def test_every_file_is_in_its_manifest(run):
    artifacts = [path.parent for path in run.out.joinpath("store").rglob("manifest.json")]
    assert len(artifacts) > 15
    for folder in artifacts:
        artifact = open_artifact(folder)
        on_disk = {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in folder.rglob("*")
            if path.is_file() and path != folder / "manifest.json"
        }
        told = {
            name: (facts["sha256"], facts["bytes"])
            for name, facts in artifact.manifest["files"].items()
        }
        assert told == {
            name: (hashlib.sha256(data).hexdigest(), len(data)) for name, data in on_disk.items()
        }
        if funnel := artifact.funnel:
            assert funnel["seen"] == funnel["kept"] + sum(funnel["rejected"].values())


def test_no_path_of_the_machine_and_no_time(run):
    """The log excepted: the same run elsewhere gives the same bytes."""
    place = str(run.out.parent).encode()
    for path in run.out.rglob("*"):
        if path.is_file() and not path.is_symlink() and path.parent != run.out / "logs":
            assert place not in path.read_bytes(), path


def test_nothing_temporary_is_left(run):
    """Only locks, which are empty, and the notes of what was checked are hidden, both in the store."""
    names = [path.relative_to(run.out).as_posix() for path in run.out.rglob("*")]
    assert [name for name in names if "~" in name or "partial" in name] == []
    hidden = {name for name in names if name.rpartition("/")[2].startswith(".")}
    assert hidden == {"store/.locks"}
    locks = (run.out / "store" / ".locks").iterdir()
    assert [path for path in locks if path.stat().st_size] == []


def test_the_release_can_be_checked(style, run, digests):
    """`SHA256SUMS` covers every other file; signature and card say which style it is and who judged."""
    lines = (run.release / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
    sums = {name: digest for digest, name in (line.split("  ", 1) for line in lines)}
    found = digests(run.release)
    assert sums == {name: digest for name, digest in found.items() if name != "SHA256SUMS"}
    signature = (run.release / "signature.txt").read_text(encoding="utf-8").strip()
    card = (run.release / "README.md").read_text(encoding="utf-8")
    assert f"style:{style.removesuffix('-style')}|" in signature
    assert signature in card
    assert CARD[style] in card


# ---- made again


def written_at(out):
    """The time of every file below the output folder, notes of checks excepted."""
    return {path: path.lstat().st_mtime_ns for path in out.rglob("*")}


def test_a_rerun_and_another_name_run_no_stage(style, own, cli):
    before, stored = written_at(own.out), sorted((own.out / "store").iterdir())
    again = cli(*own.call())
    assert again.status == 0, again.err
    assert "nothing to do" in again.err
    assert again.out.splitlines()[:-1] == own.outcome.out.splitlines()[:-1]
    assert written_at(own.out) == before
    assert cli(*own.call(name="other")).status == 0
    assert sorted((own.out / "store").iterdir()) == stored
    other = own.out / "runs" / "other" / "release"
    file = find_style(style).items.file
    assert without_canary(other / file) == without_canary(own.release / file)
    assert "name:other|" in (other / "signature.txt").read_text(encoding="utf-8")
    named = {path.name for path in own.release.rglob(f"{own.name}[._]*")}
    assert named
    assert {path.name for path in other.rglob("other[._]*")} == {
        name.replace(own.name, "other", 1) for name in named
    }


def test_a_dry_run_tells_every_stage_and_writes_nothing(style, own, tmp_path, cli):
    planned = cli(*own.call("--dry-run", out=tmp_path / "new"))
    assert planned.status == 0
    assert planned.out.count("would run: never ran") == len(stage_folders(own))
    assert not (tmp_path / "new").exists()
    setting, stages = LATE[style]
    changed = cli(*own.call("--dry-run", "--set", setting))
    assert would_run(changed.out) == stages
    assert "this run replaces the set of this name, which differs: " in changed.err
    assert f"{setting.split('=')[0].split('.')[1]} " in changed.err
    assert "replaces" not in cli(*own.call("--dry-run")).err
    sample = cli("run", style, "--name", own.name, "--out", own.out)
    assert "Nothing was run. Give --" in refused(sample, 2)


def test_strict_is_content_with_good_books_and_names_a_bad_one(own, cli):
    """Where nothing is dropped strictness changes nothing; a blank book ends the run."""
    assert cli(*own.call("--strict")).status == 0
    (own.corpus.folders[-1] / "blank.txt").write_text(" ")
    assert "blank (empty: " in refused(cli(*own.call("--strict", name="strict")), 1)


@pytest.mark.slow
@pytest.mark.parametrize(
    "style",
    [
        "holmes-style",
        *(
            pytest.param(name, marks=pytest.mark.thorough)
            for name in style_names()
            if name != "holmes-style"
        ),
    ],
)
def test_workers_and_the_order_of_files_change_no_byte(run, tmp_path, cli, digests, monkeypatch):
    """Two workers over files that are written and found in another order leave what one leaves."""
    walk = os.walk

    def backwards(root, **options):
        for folder, folders, names in walk(root, **options):
            folders.sort(reverse=True)
            yield folder, folders, sorted(names, reverse=True)

    monkeypatch.setattr(corpus_folder.os, "walk", backwards)
    for folder in run.corpus.folders:
        place = tmp_path / folder.relative_to(run.out.parent)
        place.mkdir(parents=True)
        for book in sorted(folder.iterdir(), reverse=True):
            shutil.copyfile(book, place / book.name)
    moved = FinishedRun(run.corpus.below(tmp_path / "books"), tmp_path / "out", run.name, run.outcome)  # fmt: skip
    done = cli(*moved.call("--workers", "2"))
    assert done.status == 0, done.err
    first, second = digests(run.out), digests(moved.out)
    assert first.keys() == second.keys()
    differing = {name for name in first if first[name] != second[name]}
    assert not {name for name in differing if not name.startswith(f"runs/{run.name}/corpus-")}


# ---- books that will not do

THREE = ("the-left-hand-glove", "the-brass-compass", "the-piano-at-thornhallow")  # one of each part


@pytest.mark.parametrize(
    ("style", "novels", "settings", "status", "said"),
    [
        *(
            (style, *case)
            for style in ("lambada-style", "scde-style")
            for case in [
                ((), {}, 2, "no file of books"),
                (("the-piano-at-thornhallow",), {}, 1, "of 1 novel none is in part train or development (0 train, 0 development, 1 test). Give more"),
                (("blank", "short"), {}, 1, "0 of 2 books can be used: blank (empty: add the text"),
            ]
        ),
        ("lambada-style", THREE, {"passages.min_context_tokens": 9000, "passages.max_context_tokens": 9999}, 1, "passages: none of 331 sentences is kept"),
        ("lambada-style", THREE, {"committee.threshold": 1e-9, "committee.members": '["ngram"]'}, 1, "committee: none of "),
    ],
)  # fmt: skip
def test_too_little_is_told(
    run,
    tmp_path,
    cli,
    novels,
    settings,
    status,
    said,
):
    (books,) = run.corpus.folders
    place = tmp_path / "books"
    place.mkdir()
    shutil.copyfile(books / "manifest.tsv", place / "manifest.tsv")
    for name in novels:
        text = {"blank": " ", "short": "It was late. "}.get(name) or (
            books / f"{name}.txt"
        ).read_text(encoding="ascii")
        (place / f"{name}.txt").write_text(text, encoding="ascii")
    changes = [part for name, value in settings.items() for part in ("--set", f"{name}={value}")]
    few = FinishedRun(run.corpus.below(place), tmp_path / "out", run.name, run.outcome)
    assert said in refused(cli(*few.call(*changes)), status)
