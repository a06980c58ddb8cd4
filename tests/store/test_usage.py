"""`cloze-gen runs` and `clean`: what runs use of the disk, and what none uses."""

import re
import shutil

import pytest

from cloze_gen.store.artifacts import Store
from cloze_gen.store.usage import Usage, size_of

CALL = ("--set", "choice.method=random", "--set", "choice.n_questions=3")


@pytest.fixture
def two(copied, cli):
    """An output folder with two runs that differ in their last stage."""
    assert cli(*copied.call(*CALL, name="other")).status == 0
    return copied


@pytest.mark.slow
def test_sizes_are_of_the_run_alone_and_shared(two, cli):
    """Together they are all that is in the store and in the runs."""
    sizes = Usage(two.out).sizes()
    (own, shared), (other, also) = (sizes[two.out / "runs" / name] for name in ("tiny", "other"))
    hidden = size_of(two.out / "store" / ".locks")
    assert shared == also > 0
    assert own + other + shared == sum(map(size_of, (two.out / "store", two.out / "runs"))) - hidden
    printed = cli("runs", "--out", two.out).out
    assert re.search(rf"^tiny +{own / 1e6:.1f} +{shared / 1e6:.1f}  cloze-gen", printed, re.M)


@pytest.mark.slow
def test_only_what_no_run_uses_is_removed(two, cli, digests):
    """Listed first; then removed; the other run stays as it was, and is complete."""
    before = digests(two.out)
    nothing = cli("clean", "--out", two.out)
    assert nothing.out == "no run uses 0.0 MB\n"
    gone = {path.name for path in Usage(two.out).used_by(two.out / "runs" / "other")}
    gone -= {path.name for path in Usage(two.out).used_by(two.folder)}
    [last] = gone
    shutil.rmtree(two.out / "runs" / "other")
    listed = cli("clean", "--out", two.out)
    assert f"store/{last}\n" in listed.out
    assert "--yes removes them" in " ".join(listed.out.split())
    assert (two.out / "store" / last).is_dir()
    assert cli("clean", "--yes", "--out", two.out).out.startswith(listed.out.split("no run")[0])
    kept = {name: one for name, one in before.items() if last not in name and "other/" not in name}
    assert digests(two.out) == kept
    assert "nothing to do" in cli(*two.call()).err


@pytest.mark.slow
def test_what_is_not_ours_stays(copied, cli, tmp_path):
    """Folders without our manifest, changed artifacts, links, and a user's file in an artifact."""
    shutil.rmtree(copied.folder)
    store, mine = copied.out / "store", tmp_path / "mine"
    mine.mkdir()
    (mine / "book.txt").write_text("mine", encoding="utf-8")
    (store / "notes").mkdir()
    (store / "focus-0123456789abcdef").mkdir()
    (store / "focus-0123456789abcdef" / "a.txt").write_text("mine", encoding="utf-8")
    (store / "text-0123456789abcdef").symlink_to(mine)
    moved = next(store.glob("lm-*"))
    moved.rename(store / "lm-0123456789abcdef")
    counts, index, forward = (
        next(store.glob(f"{one}-*")) for one in ("counts", "index", "forward")
    )
    (counts / "remarks.txt").write_text("mine", encoding="utf-8")
    (index / "manifest.json").write_text("{}", encoding="utf-8")
    (forward / "linked").symlink_to(mine)
    killed = store / ".lm-0123456789abcdef~partial-01234567"
    killed.mkdir()
    outcome = cli("clean", "--yes", "--out", copied.out)
    assert outcome.status == 0, outcome.err
    left = {path.name for path in store.iterdir() if path.name != ".locks"}
    assert left == {
        *("notes", "focus-0123456789abcdef", "text-0123456789abcdef", "lm-0123456789abcdef"),
        *(counts.name, index.name, forward.name),
    }
    assert outcome.out.count("left: ") == 6
    assert [path.name for path in mine.iterdir()] == ["book.txt"]


@pytest.mark.slow
def test_nothing_is_removed_while_a_command_works(copied, cli):
    """Its artifacts belong to no run yet."""
    shutil.rmtree(copied.folder)
    with Store(copied.out).in_use():
        outcome = cli("clean", "--yes", "--out", copied.out)
    assert outcome.status == 1
    assert "another command works with this output folder" in outcome.err
    assert cli(*copied.call()).status == 0


@pytest.mark.slow
def test_a_run_that_cannot_be_read_keeps_everything(copied, cli):
    """What it uses is not known; `runs` lists it without sizes."""
    (copied.folder / "run.json").write_text("{}", encoding="utf-8")
    outcome = cli("clean", "--yes", "--out", copied.out)
    assert outcome.status == 2
    assert "run.json" in outcome.err
    assert len(list(find_names(copied.out))) > 10
    assert "?" in cli("runs", "--out", copied.out).out


def find_names(out):
    return sorted(path.name for path in (out / "store").glob("*-*"))


def test_a_folder_without_a_store_is_refused(tmp_path, cli):
    outcome = cli("clean", "--out", tmp_path / "nowhere")
    assert outcome.status == 2
    assert "no folder `store`" in outcome.err
    assert not (tmp_path / "nowhere").exists()
