"""LAMBADA-style runs, end to end: the embedded sample, a few novels of a user's, novels that will not do."""

from __future__ import annotations

import hashlib
import itertools
import shutil
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cloze_gen.formats.lambada.plain_text import format_plain_text
from cloze_gen.formats.lambada.rendering import published_tokens
from cloze_gen.pipelines import lambada_passages
from cloze_gen.stages.items.passages import PASSAGE_ITEMS
from cloze_gen.store import checks
from cloze_gen.store.runs import stage_artifact
from cloze_gen.store.tables import read_jsonl, read_parquet, read_tsv
from tests.conftest import FinishedRun, Novels, without_canary
from tests.pipelines.test_kill import kill_after, processes_naming, start

Cli = Callable[..., Any]
SAMPLE = Path(__file__).parents[2] / "corpora" / "sample"
THREE = ("the-left-hand-glove", "the-brass-compass", "the-piano-at-thornhallow")  # one of each part
PUBLISHED = {
    "validation": "lambada_development_plain_text.txt",
    "test": "lambada_test_plain_text.txt",
    "control": "lambada_control_test_data_plain_text.txt",
}


def options(run: Any, out: Path, *, name: str = "tiny") -> tuple[Any, ...]:
    """The call that made a finished run, into any folder."""
    return "run", *run.corpus.options, "--name", name, "--out", out, "--workers", "1"


@pytest.fixture
def own(lambada: Any, tmp_path: Path) -> FinishedRun:
    """A copy of the finished run, with its books, that a test may change."""
    place = tmp_path / "own"
    shutil.copytree(lambada.out.parent, place, symlinks=True)
    return FinishedRun(Novels(place / "books"), place / "out", lambada.name, lambada.outcome)


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory, cli: Cli) -> Path:
    """The run of the embedded sample as a user makes it, without books or settings."""
    out = tmp_path_factory.mktemp("sample")
    outcome = cli("run", "lambada-style", "--out", out, "--workers", "2")
    assert outcome.status == 0, outcome.err
    return out / "runs" / "lambada-style"


# ---- the sample


@pytest.mark.slow
def test_the_sample_makes_a_set(sample: Path) -> None:
    """Thirty passages or more beside the control set, of several genres, no split empty; the published files say the same, line by line."""
    records = list(read_jsonl(sample / "release" / "passages.jsonl"))
    splits = Counter(record["split"] for record in records)
    assert splits["validation"] >= 10
    assert splits["test"] >= 10
    assert splits["validation"] + splits["test"] >= 30
    assert splits["control"] >= 30
    assert len({record["domain"] for record in records if record["split"] != "control"} - {""}) >= 4
    for split, file in PUBLISHED.items():
        lines = (sample / "release" / file).read_text(encoding="utf-8").splitlines()
        assert lines == [record["text"] for record in records if record["split"] == split]


@pytest.mark.slow
def test_the_sample_holds_what_the_set_is_about(sample: Path) -> None:
    """All four members were asked and none of them guesses a passage; a fifth of the targets or more stand in their contexts."""
    records = [record for record in read_jsonl(sample / "release" / "passages.jsonl") if record["split"] != "control"]
    assert all(record["scores"].keys() == {"ngram", "cache", "feedforward", "recurrent"} for record in records)
    assert max(max(record["scores"].values()) for record in records) < -2.756  # log10 of 0.00175
    inside = [record for record in records if record["target"].casefold() in record["text"].split()[:-1]]
    assert len(inside) >= len(records) / 5


@pytest.mark.slow
def test_an_author_of_the_sample_is_on_one_side(sample: Path) -> None:
    """The manifest names one author twice; each part has novels, and their genres are the domains."""
    rows = read_tsv(stage_artifact(sample, "partition").path("books.tsv"))
    authors = Counter(row["author"] for row in rows if row["author"])
    (twice,) = [author for author, count in authors.items() if count > 1]
    assert len({row["part"] for row in rows if row["author"] == twice}) == 1
    assert {row["part"] for row in rows} == {"train", "development", "test"}
    assert all(row["domain"] == row["genre"] != "" for row in rows)


# ---- a finished run


def test_the_release_can_be_checked(lambada: Any) -> None:
    """SHA256SUMS covers every file; the card says that nobody has judged."""
    sums = dict(line.split("  ")[::-1] for line in (lambada.release / "SHA256SUMS").read_text(encoding="utf-8").splitlines())
    there = {path.relative_to(lambada.release).as_posix() for path in lambada.release.rglob("*") if path.is_file()}
    assert set(sums) == there - {"SHA256SUMS"}
    for name, digest in sums.items():
        assert hashlib.sha256((lambada.release / name).read_bytes()).hexdigest() == digest
    assert "style:lambada" in (lambada.release / "signature.txt").read_text(encoding="utf-8")
    assert "judged: none" in (lambada.release / "README.md").read_text(encoding="utf-8")


def test_a_passage_leads_back_to_its_book(lambada: Any) -> None:
    """The characters that a passage names are its text and the final marks, line ends aside; the records give the published line again."""
    raw = {path.stem: path.read_text(encoding="ascii") for path in lambada.corpus.books.glob("*.txt")}
    for record in read_jsonl(lambada.release / "passages.jsonl"):
        found = " ".join(raw[record["book_id"]][record["start"] : record["end"]].split())
        assert found.startswith(record["cased"])
        assert len(found) - len(record["cased"]) <= 3
        assert record["cased"] == record["context"] + record["target"]
    for split, file in PUBLISHED.items():
        passages = [published_tokens(one.passage) for one in PASSAGE_ITEMS.read(lambada.release) if one.split == split]
        assert format_plain_text(passages) == (lambada.release / file).read_text(encoding="utf-8")


def test_nothing_is_printed_twice(lambada: Any) -> None:
    """Passages of the set, and of the control set, may touch in their book but share no sentence."""
    spans: dict[tuple[bool, str], list[tuple[int, int]]] = {}
    for record in read_jsonl(lambada.release / "passages.jsonl"):
        spans.setdefault((record["split"] == "control", record["book_id"]), []).append((record["start"], record["end"]))
    assert all(before[1] <= after[0] for found in spans.values() for before, after in itertools.pairwise(sorted(found)))


def test_a_rerun_and_another_name_run_no_stage(own: FinishedRun, cli: Cli) -> None:
    """The store stays as it is; a run of another name has the same passages, and its harness tasks bear that name."""
    before = sorted(path.name for path in (own.out / "store").iterdir())
    assert cli(*options(own, own.out)).status == 0  # the copy's link to the books leads elsewhere
    assert "nothing to do" in cli(*options(own, own.out)).err
    assert cli(*options(own, own.out, name="other")).status == 0
    assert sorted(path.name for path in (own.out / "store").iterdir()) == before
    other = own.out / "runs" / "other" / "release"
    assert without_canary(other / "passages.jsonl") == without_canary(own.release / "passages.jsonl")
    assert (other / "harness/other_published.yaml").is_file()


def test_a_dry_run_tells_every_stage_and_writes_nothing(own: FinishedRun, tmp_path: Path, cli: Cli) -> None:
    """Of a run that is not there each stage never ran; of one that is, a setting of the ranking touches what comes after it."""
    told = cli(*options(own, tmp_path / "new"), "--dry-run")
    assert told.status == 0
    assert told.out.count("would run: never ran") == len(list(own.folder.glob("[0-9][0-9]-*")))
    assert not (tmp_path / "new").exists()
    told = cli(*options(own, own.out), "--dry-run", "--set", "ranking.max_same_target=1")
    again = [line.split("would run")[0].split(maxsplit=1)[1].strip() for line in told.out.splitlines() if "would run" in line]
    assert again == ["ranking", "guesses", "passage set", "analysis"]


def test_a_dry_run_reads_no_large_model(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The model's files are new, so its stage would run; none of their bytes is read to say so."""
    weights = tmp_path / "models" / "tiny" / "weights.bin"
    weights.parent.mkdir(parents=True)
    weights.write_bytes(b"weights")
    read: list[Path] = []
    monkeypatch.setattr(lambada_passages, "MOST_PLANNED_BYTES", 0)
    monkeypatch.setattr(checks, "file_sha256", lambda path: read.append(path) or "")
    member = f'committee.members=["ngram","hf:{weights.parent}"]'
    told = cli("run", "lambada-sample", "--dry-run", "--out", tmp_path / "out", "--set", member)
    assert (told.status, weights in read) == (0, False)
    assert "scores tiny      would run" in told.out


def test_strict_is_content_with_good_novels_and_names_a_bad_one(own: FinishedRun, cli: Cli) -> None:
    """Where nothing is dropped strictness changes nothing; a blank novel ends the run."""
    assert cli(*options(own, own.out), "--strict").status == 0
    (own.corpus.books / "blank.txt").write_text(" ")
    assert "blank (empty)" in refused(cli(*options(own, own.out, name="strict"), "--strict"), 1)


# ---- whatever happens to it, the same bytes


def changed(first: dict[str, str], second: dict[str, str]) -> set[str]:
    """Files that two folders do not have alike."""
    return {name for name in first.keys() | second.keys() if first.get(name) != second.get(name)}


@pytest.mark.slow
def test_workers_and_the_order_of_files_change_no_byte(
    lambada: Any, tmp_path: Path, cli: Cli, digests: Callable[[Path], dict[str, str]]
) -> None:
    """Two workers over files that were written in another order leave what one worker leaves."""
    (tmp_path / "books").mkdir()
    for book in sorted(lambada.corpus.books.iterdir(), reverse=True):
        shutil.copyfile(book, tmp_path / "books" / book.name)
    done = cli("run", *Novels(tmp_path / "books").options, "--name", "tiny", "--out", tmp_path / "out", "--workers", "2")
    assert done.status == 0, done.err
    assert changed(digests(lambada.out), digests(tmp_path / "out")) <= {"runs/tiny/corpus-books"}


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc and relies on PDEATHSIG")
@pytest.mark.parametrize(
    ("stage", "wait_seconds", "workers"), [("passages", 0.1, 2), ("networks", 0.05, 1), ("committee", 0.3, 2), ("ranking", 0, 1)]
)
def test_a_killed_run_ends_as_an_undisturbed_one(
    lambada: Any,
    tmp_path: Path,
    cli: Cli,
    digests: Callable[[Path], dict[str, str]],
    stage: str,
    wait_seconds: float,
    workers: int,
) -> None:
    """A kill of the whole process group behind a stage's line, while the next one works; then a run to the end."""
    out = tmp_path / "out"
    with start(lambada.corpus.options, out, workers) as process:
        assert kill_after(process, stage, wait_seconds), "the run was over before its kill"
    assert processes_naming(str(out)) == []
    again = cli(*options(lambada, out))
    assert again.status == 0, again.err
    assert changed(digests(lambada.out), digests(out)) <= {"runs/tiny/corpus-books"}
    assert [path for path in out.rglob(".*") if path.name not in {".locks", ".checked"}] == []


@pytest.mark.slow
def test_one_novel_more_moves_no_other(own: FinishedRun, cli: Cli) -> None:
    """Each novel has the part that it had, and the same passages, whatever the models now make of them."""
    shutil.copyfile(SAMPLE / "train" / "04-the-orchard-thieves.txt", own.corpus.books / "orchard.txt")
    done = cli(*options(own, own.out, name="more"))
    assert done.status == 0, done.err
    parts, passages = [], []
    for name in ("tiny", "more"):
        rows = read_tsv(stage_artifact(own.out / "runs" / name, "partition").path("books.tsv"))
        parts.append({row["book_id"]: row["part"] for row in rows if row["book_id"] != "orchard"})
        table = read_parquet(stage_artifact(own.out / "runs" / name, "passages").path("passages.parquet")).to_pylist()
        passages.append([(row["id"], row["start"], row["end"], row["target"]) for row in table if row["book_id"] != "orchard"])
    assert parts[0] == parts[1]
    assert passages[0] == passages[1]


# ---- novels that will not do


def refused(outcome: Any, status: int) -> str:
    """The one message that ended a call."""
    assert outcome.status == status, outcome.err
    assert outcome.err.count("cloze-gen: ") == 1
    return outcome.err[outcome.err.index("cloze-gen: ") :]


@pytest.mark.parametrize(
    ("folders", "said"),
    [
        (("--train", "--source"), "--train: lambada-style does not read it. Give --books, or none"),
        (("--train",), "--train: lambada-style does not read it. Give --books, or none"),
        (("--books", "--source"), "--source: lambada-style does not read it. Give --books, or none"),
    ],
)
def test_sides_are_not_for_novels(tmp_path: Path, cli: Cli, folders: tuple[str, ...], said: str) -> None:
    """Folders of the other styles are refused before anything is read, whether the novels are there or not."""
    given = [part for folder in folders for part in (folder, tmp_path)]
    assert said in refused(cli("run", "lambada-style", *given, "--out", tmp_path / "out"), 2)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("style", ["holmes-style", "scs-style"])
def test_novels_are_not_for_sides(tmp_path: Path, cli: Cli, style: str) -> None:
    """And the other way round."""
    said = refused(cli("run", style, "--books", tmp_path, "--out", tmp_path / "out"), 2)
    assert f"--books: {style} does not read it. Give --train and --source, or neither" in said


@pytest.mark.parametrize(
    ("novels", "settings", "status", "said"),
    [
        ((), {}, 2, "no .txt or .txt.gz file"),
        (("the-piano-at-thornhallow",), {}, 1, "of 1 novel none fell to train or development (0 train, 0 development, 1 test). Give more"),
        (("blank", "short"), {}, 1, "no book is left of 2: blank (empty), short (nearly_empty)"),
        (THREE, {"passages.min_context_tokens": 9000, "passages.max_context_tokens": 9999}, 1, "no sentence of the development and"),
        (THREE, {"committee.threshold": 1e-9, "committee.members": '["ngram"]'}, 1, "committee: none of "),
    ],
)  # fmt: skip
def test_too_little_is_told(
    lambada: Any, tmp_path: Path, cli: Cli, novels: tuple[str, ...], settings: dict[str, Any], status: int, said: str
) -> None:
    """No books, one novel, novels that are too short, bounds that no passage keeps, models that guess all: what is missing, what helps."""
    (tmp_path / "books").mkdir()
    shutil.copyfile(lambada.corpus.books / "manifest.tsv", tmp_path / "books" / "manifest.tsv")
    for name in novels:
        text = {"blank": " ", "short": "It was late. "}.get(name) or (lambada.corpus.books / f"{name}.txt").read_text(encoding="ascii")
        (tmp_path / "books" / f"{name}.txt").write_text(text, encoding="ascii")
    changes = [part for name, value in settings.items() for part in ("--set", f"{name}={value}")]
    call = ("run", "lambada-sample", "--books", tmp_path / "books", "--out", tmp_path / "out", "--workers", "1", *changes)
    assert said in refused(cli(*call), status)


# A page of tags would be dropped as markup; what is said in words for a model, a shell or a terminal is woven into every chapter.
TAGS = 'He said "<s> </s> <unk> <script>" to the man, who had a caf\u00e9 upon the corner of the other street.'
HOSTILE = (
    'He said "\t || \\N {{text}} %s $(ls) `ls`" to the \u202eother\u202c man, who had a caf\u00e9 \U0001f600 at the corner of the street.',
    "She wrote =SUM(A1:A9), and 'alert(1)' \u2028 besides, with a nul \x00 and an escape \x1b[2J, upon the back of his letter.",
    "It was \u201cquite \u2018another\u2019 matter\u201d, he thought \u2014 so it was \u2026 when they all went to look for the letter.",
    "Nobody in the house had seen the letter, and nobody in the street had seen the man who came to fetch the other letter.",
)


def hostile(tale: str) -> str:
    """A tale of other names, each paragraph followed by a hostile one."""
    paragraphs = tale.replace("Letitia", "Octavia").replace("Cecily", "Ursula").split("\n\n")
    return "\n\n".join([*(part for n, own in enumerate(paragraphs) for part in (own, HOSTILE[n % 4])), TAGS])


@pytest.mark.slow
def test_whatever_a_novel_holds_stays_one_line_a_passage(lambada: Any, tmp_path: Path, cli: Cli) -> None:
    """Markers of models, line separators, escapes, templates, direction marks, in a training and in a test novel: no line is torn."""
    books, out = tmp_path / "books", tmp_path / "out"
    shutil.copytree(lambada.corpus.books, books)
    with open(books / "manifest.tsv", "a", encoding="utf-8") as manifest:
        for name, author in (("the-left-hand-glove", "Harriet Bowden"), ("the-watch-in-the-wall", "Agnes Hollin")):
            text = hostile((books / f"{name}.txt").read_text(encoding="ascii"))
            (books / f"hostile-{name}.txt").write_text(text, encoding="utf-8")
            manifest.write(f'hostile-{name}.txt\tA | "B"\t{author}\tGhost | "Stories"\n')
    loose = ("--set", "overlap.within=keep", "--set", "partition.min_containment=1", "--set", "control.n_passages=200")
    done = cli("run", *Novels(books).options, *loose, "--out", out, "--name", "hostile", "--workers", "1")
    assert done.status == 0, done.err
    rows = read_tsv(stage_artifact(out / "runs" / "hostile", "partition").path("books.tsv"))
    assert [row["part"] for row in rows if row["book_id"].startswith("hostile")] == ["train", "test"]
    release = out / "runs" / "hostile" / "release"
    records = list(read_jsonl(release / "passages.jsonl"))
    ids = [record["id"] for record in records if record["book_id"].startswith("hostile")]
    assert len(ids) > 10
    for split, file in PUBLISHED.items():
        lines = (release / file).read_bytes().decode("utf-8").removesuffix("\n").split("\n")
        assert lines == [record["text"] for record in records if record["split"] == split]
        assert all(line.split(" ")[-1].isalpha() and "  " not in line for line in lines)
    traced = cli("trace", ids[0], "--out", out)
    assert traced.status == 0, traced.err
    assert not {"\x1b", "\u202e", "\x00"} & set(traced.out)
