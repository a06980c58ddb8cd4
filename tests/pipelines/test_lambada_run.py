"""LAMBADA-style runs, end to end: the sample, a user's novels, unsuitable novels."""

import itertools
import shutil
from collections import Counter
from pathlib import Path

import pytest

from cloze_gen.formats.lambada import format_plain_text, published_tokens
from cloze_gen.release.items.passages import PASSAGE_ITEMS
from cloze_gen.store.runs import stage_artifact
from cloze_gen.store.tables import read_jsonl, read_parquet, read_tsv
from tests.conftest import Novels
from tests.pipelines.test_finished_run import refused

SAMPLE = Path(__file__).parents[2] / "corpora" / "sample"
PUBLISHED = {
    "validation": "lambada_development_plain_text.txt",
    "test": "lambada_test_plain_text.txt",
    "control": "lambada_control_test_data_plain_text.txt",
}


@pytest.fixture
def own(lambada, tmp_path):
    """A copy of the finished run, with its books, that a test may change."""
    return lambada.copy(tmp_path / "own")


@pytest.fixture(scope="module")
def sample(tmp_path_factory, cli):
    """The run of the embedded sample as a user makes it, without books or settings."""
    out = tmp_path_factory.mktemp("sample")
    outcome = cli("run", "lambada-style", "--out", out, "--workers", "2")
    assert outcome.status == 0, outcome.err
    return out / "runs" / "lambada-style"


# ---- the sample


@pytest.mark.thorough
def test_the_sample_makes_a_set(sample):
    records = list(read_jsonl(sample / "release" / "passages.jsonl"))
    splits = Counter(record["split"] for record in records)
    assert splits["validation"] >= 10
    assert splits["test"] >= 10
    assert splits["validation"] + splits["test"] >= 25
    assert splits["control"] >= 30
    assert len({record["domain"] for record in records if record["split"] != "control"} - {""}) >= 4
    for split, file in PUBLISHED.items():
        lines = (sample / "release" / file).read_text(encoding="utf-8").splitlines()
        assert lines == [record["text"] for record in records if record["split"] == split]


@pytest.mark.thorough
def test_the_sample_holds_what_the_set_is_about(sample):
    """No member guesses a passage; at least a fifth of the targets are in their contexts."""
    records = [
        record
        for record in read_jsonl(sample / "release" / "passages.jsonl")
        if record["split"] != "control"
    ]
    assert all(
        record["scores"].keys() == {"ngram", "cache", "feedforward", "recurrent"}
        for record in records
    )
    assert max(max(record["scores"].values()) for record in records) < -2.756  # log10 of 0.00175
    inside = [
        record for record in records if record["target"].casefold() in record["text"].split()[:-1]
    ]
    assert len(inside) >= len(records) / 5


# ---- a finished run


def test_a_passage_leads_back_to_its_book(lambada):
    raw = {
        path.stem: path.read_text(encoding="ascii") for path in lambada.corpus.books.glob("*.txt")
    }
    for record in read_jsonl(lambada.release / "passages.jsonl"):
        found = " ".join(raw[record["book_id"]][record["start"] : record["end"]].split())
        assert found.startswith(record["cased"])
        assert len(found) - len(record["cased"]) <= 3
        assert record["cased"] == record["context"] + record["target"]
    for split, file in PUBLISHED.items():
        passages = [
            published_tokens(one.passage)
            for one in PASSAGE_ITEMS.read(lambada.release)
            if one.split == split
        ]
        assert format_plain_text(passages) == (lambada.release / file).read_text(encoding="utf-8")


def test_nothing_is_printed_twice(lambada):
    """Passages of the set, and of the control set, may touch in their book but share no sentence."""
    spans = {}
    for record in read_jsonl(lambada.release / "passages.jsonl"):
        spans.setdefault((record["split"] == "control", record["book_id"]), []).append(
            (record["start"], record["end"])
        )
    assert all(
        before[1] <= after[0]
        for found in spans.values()
        for before, after in itertools.pairwise(sorted(found))
    )


# ---- other novels


@pytest.mark.slow
def test_one_novel_more_moves_no_other(own, cli):
    shutil.copyfile(
        SAMPLE / "train" / "04-the-orchard-thieves.txt", own.corpus.books / "orchard.txt"
    )
    done = cli(*own.call(name="more"))
    assert done.status == 0, done.err
    card = (own.out / "runs" / "more" / "release" / "README.md").read_text(encoding="utf-8")
    assert "no author for 1 of 9 books" in " ".join(card.split())
    parts, passages = [], []
    for name in ("tiny", "more"):
        rows = read_tsv(stage_artifact(own.out / "runs" / name, "partition").path("books.tsv"))
        parts.append({row["book_id"]: row["part"] for row in rows if row["book_id"] != "orchard"})
        table = read_parquet(
            stage_artifact(own.out / "runs" / name, "passages").path("passages.parquet")
        ).to_pylist()
        passages.append(
            [
                (row["id"], row["start"], row["end"], row["target"])
                for row in table
                if row["book_id"] != "orchard"
            ]
        )
    assert parts[0] == parts[1]
    assert passages[0] == passages[1]


# ---- novels that will not do


@pytest.mark.parametrize(
    ("folders", "said"),
    [
        (("--train", "--source"), "--train: lambada-style does not read it. Give --books, or none"),
        (("--train",), "--train: lambada-style does not read it. Give --books, or none"),
        (
            ("--books", "--source"),
            "--source: lambada-style does not read it. Give --books, or none",
        ),
    ],
)
def test_sides_are_not_for_novels(tmp_path, cli, folders, said):
    given = [part for folder in folders for part in (folder, tmp_path)]
    assert said in refused(cli("run", "lambada-style", *given, "--out", tmp_path / "out"), 2)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("style", ["holmes-style", "scs-style"])
def test_novels_are_not_for_sides(tmp_path, cli, style):
    """And the other way round."""
    said = refused(cli("run", style, "--books", tmp_path, "--out", tmp_path / "out"), 2)
    assert f"--books: {style} does not read it. Give --train and --source, " in said


# A page of tags would be dropped as markup; what is said in words for a model, a shell or a
# terminal is woven into every chapter.
TAGS = (
    'He said "<s> </s> <unk> <script>" to the man, who had a caf\u00e9 upon the corner of the '
    "other street."
)
HOSTILE = (
    'He said "\t || \\N {{text}} %s $(ls) `ls`" to the \u202eother\u202c man, who had a '
    "caf\u00e9 \U0001f600 at the corner of the street.",
    "She wrote =SUM(A1:A9), and 'alert(1)' \u2028 besides, with a nul \x00 and an escape "
    "\x1b[2J, upon the back of his letter.",
    "It was \u201cquite \u2018another\u2019 matter\u201d, he thought \u2014 so it was \u2026 "
    "when they all went to look for the letter.",
    "Nobody in the house had seen the letter, and nobody in the street had seen the man who "
    "came to fetch the other letter.",
)


def hostile(tale):
    """A tale of other names, each paragraph followed by a hostile one."""
    paragraphs = tale.replace("Letitia", "Octavia").replace("Cecily", "Ursula").split("\n\n")
    return "\n\n".join(
        [*(part for n, own in enumerate(paragraphs) for part in (own, HOSTILE[n % 4])), TAGS]
    )


@pytest.mark.slow
def test_whatever_a_novel_holds_stays_one_line_a_passage(lambada, tmp_path, cli):
    """Special tokens, line separators, escapes, templates, direction marks."""
    books, out = tmp_path / "books", tmp_path / "out"
    shutil.copytree(lambada.corpus.books, books)
    with open(books / "manifest.tsv", "a", encoding="utf-8") as manifest:
        for name, author in (
            ("the-left-hand-glove", "Harriet Bowden"),
            ("the-watch-in-the-wall", "Agnes Hollin"),
        ):
            text = hostile((books / f"{name}.txt").read_text(encoding="ascii"))
            (books / f"{name}.txt").unlink()  # else one of the two is a duplicate
            (books / f"hostile-{name}.txt").write_text(text, encoding="utf-8")
            manifest.write(f'hostile-{name}.txt\tA | "B"\t{author}\tGhost | "Stories"\n')
    loose = ("--set", "control.n_passages=200")
    done = cli(
        "run", *Novels(books).options, *loose, "--out", out, "--name", "hostile", "--workers", "1"
    )
    assert done.status == 0, done.err
    rows = read_tsv(stage_artifact(out / "runs" / "hostile", "partition").path("books.tsv"))
    assert [row["part"] for row in rows if row["book_id"].startswith("hostile")] == [
        "train",
        "test",
    ]
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
