"""SCDE-style runs, end to end: the sample, a user's novels, unsuitable novels."""

import itertools
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from cloze_gen.formats.scde import parse_published
from cloze_gen.records.passage import Part
from cloze_gen.release.items.blanked_passages import BLANKED_ITEMS
from cloze_gen.store.runs import stage_artifact
from cloze_gen.store.tables import read_parquet, read_tsv
from tests.conftest import blanked

SAMPLE = Path(__file__).parents[2] / "corpora" / "sample"
PUBLISHED = {Part.TRAIN: "train.json", Part.DEVELOPMENT: "dev.json", Part.TEST: "test.json"}


def passages_of(folder):
    """The set of a run."""
    return BLANKED_ITEMS.read(folder / "release")


@pytest.fixture
def own(scde, tmp_path):
    """A copy of the finished run, with its books, that a test may change."""
    return scde.copy(tmp_path / "own")


@pytest.fixture(scope="module")
def sample(tmp_path_factory, cli):
    """The run of the embedded sample as a user makes it, without books or settings."""
    out = tmp_path_factory.mktemp("sample")
    outcome = cli("run", "scde-style", "--out", out, "--workers", "2")
    assert outcome.status == 0, outcome.err
    return out / "runs" / "scde-style"


# ---- the sample


@pytest.mark.thorough
def test_the_sample_makes_a_set(sample):
    """Ten passages or more, every split with some, each with five blanks and two distractors."""
    passages = passages_of(sample)
    assert len(passages) >= 10
    assert {one.part for one in passages} == set(Part)
    assert {(len(one.passage.blanks), len(one.passage.distractors)) for one in passages} == {(5, 2)}


# ---- a finished run


def test_the_published_files_are_the_set(scde):
    """Passage by passage in the set's order, an `eid` being the place within its split."""
    passages = passages_of(scde.folder)
    for part, file in PUBLISHED.items():
        found = parse_published((scde.release / file).read_text(encoding="ascii"))
        wanted = [one.passage for one in passages if one.part == part]
        assert found == [replace(one, id=str(i)) for i, one in enumerate(wanted)]


def test_every_sentence_leads_back_to_its_book(scde):
    """The characters that a sentence or a candidate names are its text, line ends aside."""
    raw = {path.stem: path.read_text(encoding="ascii") for path in scde.corpus.books.glob("*.txt")}
    for one in passages_of(scde.folder):
        told = [
            *zip(one.passage.sentences, one.sources, strict=True),
            *zip(one.passage.candidates, one.candidate_sources, strict=True),
        ]
        for text, source in told:
            assert _plain(raw[source.book_id][source.start : source.end]) == _plain(text)


def _plain(text):
    """What line ends, marks of emphasis and the mending of broken words leave as it is."""
    return "".join(letter for letter in text if not letter.isspace() and letter not in "-_*")


def test_a_passage_is_a_window_of_its_book(scde):
    spans = {}
    for one in passages_of(scde.folder):
        indices = [source.index for source in one.sources]
        assert 10 <= len(indices) <= 30
        assert indices == list(range(indices[0], indices[-1] + 1))
        assert one.id == f"{one.book_id}:{indices[0]}"
        assert not any(
            {place, place + 1, place + 2} <= set(one.passage.blanks) for place in one.passage.blanks
        )
        distractors = [one.candidate_sources[place] for place in one.passage.distractors]
        assert not any(
            source.book_id == one.book_id and source.index in indices for source in distractors
        )
        spans.setdefault(one.book_id, []).append((indices[0], indices[-1]))
    assert all(
        before[1] < after[0]
        for found in spans.values()
        for before, after in itertools.pairwise(sorted(found))
    )


@pytest.mark.parametrize(("kind", "said"), [("random", "RandomDt"), ("none", "RemoveDt")])
def test_the_paper_s_own_ablations_are_settings(own, cli, kind, said):
    done = cli(*own.call("--set", f"distractors.kind={kind}", name=kind))
    assert done.status == 0, done.err
    hard, others = (
        {one.id: one for one in passages_of(own.out / "runs" / name)} for name in ("tiny", kind)
    )
    assert hard.keys() <= others.keys()
    for one in others.values():
        assert len(one.passage.distractors) == (0 if kind == "none" else 2)
        assert all(
            one.candidate_sources[place] not in one.sources for place in one.passage.distractors
        )
        assert one.id not in hard or hard[one.id].passage.blanks == one.passage.blanks
    assert said in (own.out / "runs" / kind / "release" / "README.md").read_text(encoding="utf-8")


# ---- other novels


@pytest.mark.slow
def test_one_novel_more_changes_no_other(own, cli):
    shutil.copyfile(
        SAMPLE / "train" / "02-a-house-in-mercer-row.txt", own.corpus.books / "mercer.txt"
    )
    done = cli(*own.call(name="more"))
    assert done.status == 0, done.err
    parts, windows, blanks = [], [], []
    for name in ("tiny", "more"):
        run = own.out / "runs" / name
        rows = read_tsv(stage_artifact(run, "partition").path("books.tsv"))
        parts.append({row["book_id"]: row["part"] for row in rows})
        for found, stage, file in (
            (windows, "passages", "passages.parquet"),
            (blanks, "blanks", "blanks.parquet"),
        ):
            table = read_parquet(stage_artifact(run, stage).path(file)).to_pylist()
            found.append([row for row in table if row["book_id"] != "mercer"])
    assert parts[1].pop("mercer") != "train"
    assert parts[0] == parts[1]
    assert windows[0] == windows[1]
    assert blanks[0] == blanks[1]


# Marks of blanks, of models, of templates, shells and terminals: no sentence with one is whole, so
# none is printed as a passage's.
HOSTILE = (
    "He had written {{text}} and %s and $(ls) and `ls` upon the back of the \u202eother\u202c "
    "letter, and \U0001f600 at the corner of it.",
    "She read =SUM(A1:A9), and alert(1), and a \x1b[2J, and \\N, and a nul \x00, and two || "
    "marks, with a \t between them, and wondered.",
    "Then came <script>alert(1) in a hand that nobody in the house had ever seen before that "
    "other day.",
    "Nobody in the house could say what <1> or <2> meant, and nobody in the street had seen "
    "the man who came to fetch the letter.",
)


def hostile(tale):
    """A tale of other names, with hostile paragraphs and a mark of a blank for a paragraph."""
    paragraphs = tale.replace("Letitia", "Octavia").replace("Cecily", "Ursula").split("\n\n")
    woven = (
        f"{own}\n\n{HOSTILE[n // 6 % 4]}" if n % 6 == 5 else own for n, own in enumerate(paragraphs)
    )
    return "\n\n".join([*woven, "<1>"])


@pytest.mark.slow
def test_whatever_a_novel_holds_is_no_blank_and_no_markup(scde, tmp_path, cli):
    books, out = tmp_path / "books", tmp_path / "out"
    shutil.copytree(scde.corpus.books, books)
    with open(books / "manifest.tsv", "a", encoding="utf-8") as manifest:
        for name in ("the-left-hand-glove", "the-watch-in-the-wall"):
            text = hostile((books / f"{name}.txt").read_text(encoding="ascii"))
            (books / f"{name}.txt").unlink()  # else one of the two is a duplicate
            (books / f"hostile-{name}.txt").write_text(text, encoding="utf-8")
            manifest.write(
                f'hostile-{name}.txt\tA | "B" <script>alert(1)</script> '
                '{{7*7}}\t\u202eNym\tGhost | <b>"Stories"\n'
            )
    loose = ("--set", "assembly.n_passages=999")
    done = cli(
        "run", *blanked(books).options, *loose, "--out", out, "--name", "hostile", "--workers", "1"
    )
    assert done.status == 0, done.err
    release = out / "runs" / "hostile" / "release"
    passages = passages_of(release.parent)
    ids = [one.id for one in passages if one.book_id.startswith("hostile")]
    assert len(ids) >= 3
    texts = " ".join(text for one in passages for text in one.passage.sentences)
    assert not any(mark in texts for mark in ("<1>", "<script>", "{{text}}", "\x1b"))
    for part, file in PUBLISHED.items():
        found = parse_published((release / file).read_text(encoding="ascii"))
        assert [one.shown for one in found] == [
            one.passage.shown for one in passages if one.part == part
        ]
    page = (release / "report.html").read_text(encoding="utf-8")
    assert page.count("<script") == 1  # the filter of the report
    assert "&lt;script&gt;alert(1)" in page
    assert "{{7*7}}" in page
    for item in ids:
        traced = cli("trace", item, "--out", out)
        assert traced.status == 0, traced.err
        assert not {"\x1b", "\u202e", "\x00"} & set(traced.out)
