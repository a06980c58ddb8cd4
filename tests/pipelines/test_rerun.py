"""Runs after the first: exactly what depends on a change is made again."""

import json
import shutil

import pytest

from cloze_gen.api.run import make_task
from cloze_gen.records.release_facts import RELEASE_FORMAT
from cloze_gen.store.folder_replacement import write_entries
from cloze_gen.store.manifest import write_json
from cloze_gen.store.runs import RUN_SCHEMA, stage_artifact
from cloze_gen.store.tables import read_parquet
from tests.conftest import SAMPLE
from tests.pipelines.test_finished_run import would_run


def store_state(out):
    """Every file of the store with the time it was written."""
    return {
        path.relative_to(out).as_posix(): path.lstat().st_mtime_ns
        for path in (out / "store").rglob("*")
        if path.is_file() and ".locks" not in path.parts
    }


def new_stages(before, out):
    """Stages that the store holds more of than before; what was there must not have been touched."""
    after = store_state(out)
    assert {name: after.get(name) for name in before} == before
    return {name.split("/")[1].rpartition("-")[0] for name in after.keys() - before.keys()}


def as_if_written(folder, change):
    """Change `run.json`, and record it as unchanged since it was written."""
    described = json.loads((folder / "run.json").read_text())
    change(described)
    write_json(folder / "run.json", described)
    write_entries(folder, RUN_SCHEMA)


def test_a_run_of_a_newer_version_is_refused(copied, cli):
    folder, newer = copied.out / "runs" / "tiny", RELEASE_FORMAT + 1
    as_if_written(folder, lambda described: described.update(release_format=newer))
    before = (folder / "run.json").read_bytes()
    line = f"A newer version of cloze-gen wrote this release (format {newer};"
    for words in (
        copied.call(),
        copied.call("--dry-run"),
        ("explain", "tiny", "--out", copied.out),
    ):
        done = cli(*words)
        assert done.status == 2
        assert line in done.err
        assert "Upgrade cloze-gen." in done.err
    assert (folder / "run.json").read_bytes() == before


@pytest.mark.slow
def test_a_changed_setting_reruns_from_its_stage_on(copied, cli, tmp_path):
    bound, before = 0.1, store_state(copied.out)
    (tmp_path / "words.txt").write_text("clock\n")
    changes = (
        "forward.keep=20",
        f"grooming.max_ambiguity={bound}",
        f"grooming.offensive_words={tmp_path / 'words.txt'}",
    )
    changed = cli(*copied.call(*(part for one in changes for part in ("--set", one))))
    assert changed.status == 0, changed.err
    assert new_stages(before, copied.out) == {"forward", "grooming", "choice"}
    said = [
        (row["verdict"], row["fits_as_well"])
        for row in read_parquet(
            stage_artifact(copied.folder, "grooming").path("decisions")
        ).to_pylist()
    ]
    fallen = [share for verdict, share in said if verdict == "candidate_fits_as_well"]
    assert fallen
    assert min(fallen) >= bound > max(share for verdict, share in said if verdict == "fit")
    published = (path for path in copied.release.rglob("*") if path.is_file())
    assert not [path for path in published if str(tmp_path).encode() in path.read_bytes()]
    before = store_state(copied.out)
    assert cli(*copied.call()).status == 0
    assert new_stages(before, copied.out) == set()


FROM_FORWARD = ["forward", "grooming", "choice"]


@pytest.mark.parametrize(
    ("options", "stages"),
    [
        (("--seed", "2"), ["alternates", *FROM_FORWARD]),
        (("--set", "forward.keep=20"), FROM_FORWARD),
        (("--set", "grooming.max_ambiguity=0.5"), ["grooming", "choice"]),
        (("--set", "choice.n_questions=10"), ["choice"]),
        (("--set", "lm.memory=110M"), []),
        (("--set", "release.harness=false"), []),
        (("--name", "renamed", "--workers", "2"), []),
    ],
)
def test_exactly_what_depends_on_it_is_made_again(finished, cli, options, stages):
    assert would_run(cli(*finished.call("--dry-run", *options)).out) == stages


def test_a_list_of_words_is_known_by_its_content(finished, tmp_path):
    """A changed list of offensive words grooms anew; the same list in another place does not."""

    def keys(text, name):
        (tmp_path / name).write_text(text)
        task = task_of(finished, f"grooming.offensive_words={tmp_path / name}")
        return {stage.label: stage.key.fingerprint for stage in task.stages}

    first = keys("clock\n", "a.txt")
    assert keys("# moved\nclock\n\n", "b.txt") == first
    other = keys("clock\ndebt\n", "b.txt")
    assert {label for label in first if first[label] != other[label]} == {"grooming", "choice"}


def task_of(run, *overrides):
    """The run as the command line plans it."""
    config, _, train, _, source, *settings = run.corpus.options
    return make_task(
        config=config,
        train=train,
        source=source,
        name=run.name,
        out=run.out,
        workers=1,
        seed=1,
        overrides=[*settings[1::2], *overrides],
    )


def test_one_new_book_is_one_book_read(copied, cli):
    """The books that were there are not read again; what is made of the training text is."""
    book = SAMPLE / "train" / "04-the-orchard-thieves.txt"
    shutil.copyfile(book, copied.corpus.folders[0] / book.name)
    model = ["ingest train", "corpus train", "counts", "text", "lm", "index"]
    of_both = {"corpus source", "contexts", "focus", "alternates", *FROM_FORWARD}
    planned = would_run(cli(*copied.call("--dry-run")).out)
    assert set(planned) == {*model, *of_both}
    before = store_state(copied.out)
    run = task_of(copied).pipeline
    run.run([run.labelled("ingest train")])
    assert new_stages(before, copied.out) == {"books", "book", "ingest"}  # it is no UTF-8
    books = {name.split("/")[2] for name in store_state(copied.out).keys() - before.keys() if name.startswith("store/book-")}  # fmt: skip
    assert len(books) == 1


@pytest.mark.slow
def test_a_deleted_artifact_is_made_again_with_the_same_bytes(copied, cli, digests):
    """Even one far below a finished run."""
    before = digests(copied.out)
    shutil.rmtree((copied.folder / "01-ingest-train").resolve())
    shutil.rmtree(next(copied.folder.glob("*-counts")).resolve())
    assert cli(*copied.call()).status == 0
    assert digests(copied.out) == before
