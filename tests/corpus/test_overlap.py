"""Which books of one side go on: none that the other side holds, and of copies among the rest one."""

import numpy as np
import pytest

from cloze_gen.corpus.books import read_books
from cloze_gen.corpus.content_sketch import content_sketch
from cloze_gen.corpus.overlap import OVERLAPS, write_overlap
from cloze_gen.engine.local import InProcessEngine
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, Store
from cloze_gen.store.tables import read_tsv, write_parquet, write_tsv

WORDS = np.random.default_rng(11).integers(1, 2**32, size=60_000, dtype=np.uint64)
NOVEL, OTHER, TRAINING = (0, 20_000), (40_000, 60_000), (20_000, 40_000)
ANTHOLOGY = (0, 40_000)  # the novel, and the training book after it


COLUMNS = ("book_id", "file", "status", "reason", "detail", "tokens", "folder")


def ingested(folder, *, words=None, **spans):
    """An ingest of books that are spans of one text; `words`: book -> a word that it has."""
    for book, (start, end) in spans.items():
        (folder / book).mkdir(parents=True)
        np.save(folder / book / "sketch.npy", content_sketch(WORDS[start:end]))
        write_parquet(folder / book / "types.parquet", {"word": [(words or {}).get(book, "the")]})
    rows = [
        (book, f"{book}.txt", "kept", "", "", end - start, book)
        for book, (start, end) in sorted(spans.items())
    ]
    write_tsv(folder / "books.tsv", COLUMNS, rows)
    return Artifact(folder, {})


def decide(tmp_path, **given):
    """Each book's reason, empty where it goes on, and the folder of the artifact."""
    writer = overlap_of(tmp_path, **given)
    return {
        row["book_id"]: row["reason"] for row in read_books(Artifact(writer.folder, {}))
    }, writer.folder


def overlap_of(
    tmp_path,
    *,
    side="source",
    other,
    own=None,
    keep_across=False,
):
    """The overlap of three books with another side, as it was written."""
    own = own or ingested(tmp_path / "own", anthology=ANTHOLOGY, novel=NOVEL, other=OTHER)
    folder = tmp_path / "out"
    folder.mkdir()
    ctx = StageContext(Store(tmp_path), InProcessEngine(), "corpus")
    writer = ArtifactWriter(folder)
    write_overlap(
        writer,
        ctx,
        own=own,
        other=other,
        side=side,
        keep_across=keep_across,
    )
    return writer


def test_an_anthology_takes_no_clean_book_with_it(tmp_path):
    reasons, folder = decide(tmp_path, other=ingested(tmp_path / "train", trained=TRAINING))
    assert reasons == {"anthology": "overlaps_train", "novel": "", "other": ""}
    found = {(row["book_a"], row["book_b"], row["where"]) for row in read_tsv(folder / OVERLAPS)}
    assert found == {("anthology", "novel", "within"), ("anthology", "trained", "across")}


def test_the_training_book_with_most_of_the_text_is_named(tmp_path):
    other = ingested(tmp_path / "train", half=(5_000, 20_000), whole=NOVEL, xtra=(10_000, 30_000))
    writer = overlap_of(
        tmp_path, own=ingested(tmp_path / "own", novel=NOVEL, rest=OTHER), other=other
    )
    assert read_books(Artifact(writer.folder, {}))[0]["detail"] == "shares text with whole (100%)"


def test_the_training_side_is_decided_alike(tmp_path):
    """Where overlap costs training books, the same rule holds for them."""
    reasons, _ = decide(
        tmp_path,
        side="train",
        other=ingested(tmp_path / "source", seed=TRAINING),
    )
    assert reasons == {"anthology": "overlaps_source", "novel": "", "other": ""}


def test_of_very_many_copies_the_longest_stays(tmp_path):
    """Text in more than fifty books is boilerplate, but not that of copies."""
    copies = {f"copy{n:02}": (0, 20_000 + 10 * n) for n in range(60)}
    reasons, _ = decide(tmp_path, own=ingested(tmp_path / "own", **copies), other=None)
    assert [book for book, reason in reasons.items() if not reason] == ["copy59"]
    assert set(reasons.values()) == {"", "duplicate_of"}


def test_without_the_other_side_only_copies_go(tmp_path):
    """Alone, the anthology holds the novel, and the novel goes."""
    reasons, _ = decide(tmp_path, other=None)
    assert reasons == {"anthology": "", "novel": "duplicate_of", "other": ""}


@pytest.mark.parametrize(
    ("keep_across", "dropped", "leaks"),
    [
        (True, {"novel": "duplicate_of"}, ["anthology"]),
        (False, {"anthology": "overlaps_train"}, []),
    ],
)
def test_a_book_that_stays_on_both_sides_is_a_leak(tmp_path, keep_across, dropped, leaks):
    """The card and the report print it."""
    writer = overlap_of(
        tmp_path, other=ingested(tmp_path / "train", trained=TRAINING), keep_across=keep_across
    )
    rows = read_books(Artifact(writer.folder, {}))
    assert {row["book_id"]: row["reason"] for row in rows if row["reason"]} == dropped
    assert writer.facts["kept_despite_overlap"] == leaks


@pytest.mark.parametrize(("own", "other"), [(26, 26), (1, 60), (60, 1)])
def test_a_leak_is_found_however_many_copies_there_are(tmp_path, own, other):
    """Every copy of a training book goes, and the clean book stays."""
    copies = {f"copy{i:02}": NOVEL for i in range(own)}
    trained = ingested(tmp_path / "train", **{f"trained{i:02}": NOVEL for i in range(other)})
    reasons, _ = decide(
        tmp_path, own=ingested(tmp_path / "own", **copies, clean=OTHER), other=trained
    )
    assert reasons == dict.fromkeys(copies, "overlaps_train") | {"clean": ""}


def parts_of(count):
    return {f"part{i}": (i * 5_000, (i + 1) * 5_000) for i in range(count)}


@pytest.mark.parametrize(("count", "falls"), [(4, False), (5, True), (9, True)])
def test_a_collection_of_several_books_falls_and_takes_none_with_it(tmp_path, count, falls):
    """A whole genre in one file; a volume of a few books is a book, and contains them."""
    parts = parts_of(count)
    own = ingested(tmp_path / "own", genre=(0, 45_000), **parts)
    reasons, _ = decide(tmp_path, own=own, other=None)
    expected = {"genre": "aggregate"} if falls else dict.fromkeys(parts, "duplicate_of")
    assert {book: reason for book, reason in reasons.items() if reason} == expected


def test_copies_of_one_book_make_no_collection(tmp_path):
    """A longer edition with eight copies of a part is a book, as before."""
    copies = {f"copy{i}": (0, 5_000) for i in range(8)}
    own = ingested(tmp_path / "own", longer=(0, 20_000), **copies)
    reasons, _ = decide(tmp_path, own=own, other=None)
    assert [book for book, reason in reasons.items() if not reason] == ["longer"]


def test_two_editions_of_a_collection_both_fall(tmp_path):
    """And a stump loses to the whole book, not to the collection."""
    own = ingested(
        tmp_path / "own",
        **parts_of(9),
        all1=(0, 45_000),
        all2=(0, 44_000),
        stump=(0, 1_500),
    )
    reasons, folder = decide(tmp_path, own=own, other=None)
    details = {row["book_id"]: row["detail"] for row in read_books(Artifact(folder, {}))}
    assert {book: reason for book, reason in reasons.items() if reason} == {
        "all1": "aggregate",
        "all2": "aggregate",
        "stump": "duplicate_of",
    }
    assert details["stump"].startswith("of part0: 100%")
    assert details["all1"].startswith("contains 9 books: part0, part1")


@pytest.mark.parametrize(
    ("worse", "better", "words"),
    [
        ("7mill10", "8mill10", {"8mill10": "café"}),
        ("pandp09", "pandp11", {}),
        ("pandp11", "pandp09", {"pandp09": "naïve"}),  # accents before the number
        ("1342", "1342-8", {"1342-8": "fiancé"}),
        ("1342-8", "1342-0", {"1342-0": "Zoë"}),
        ("hist10", "hist11b", {"hist10": "£10", "hist11b": "“ten”"}),  # marks are no accents
    ],
)
def test_of_two_editions_the_better_stays(tmp_path, worse, better, words):
    """Even if it is a little shorter."""
    own = ingested(tmp_path / "own", words=words, **{worse: (0, 20_000), better: (0, 18_000)})
    reasons, _ = decide(tmp_path, own=own, other=None)
    assert reasons == {worse: "duplicate_of", better: ""}


def test_a_part_of_a_book_is_no_edition_of_it(tmp_path):
    """The whole book stays, although the part has accents and a higher number."""
    own = ingested(
        tmp_path / "own", words={"pandp12": "café"}, pandp10=(0, 20_000), pandp12=(0, 10_000)
    )
    reasons, _ = decide(tmp_path, own=own, other=None)
    assert reasons == {"pandp10": "", "pandp12": "duplicate_of"}


def test_one_id_on_both_sides_names_two_books(tmp_path):
    own = ingested(tmp_path / "own", same=NOVEL, trained=OTHER)
    reasons, folder = decide(
        tmp_path, own=own, other=ingested(tmp_path / "train", same=TRAINING, trained=NOVEL)
    )
    assert reasons == {"same": "overlaps_train", "trained": ""}
    (row,) = read_tsv(folder / OVERLAPS)
    assert (row["book_a"], row["book_b"], row["where"]) == ("same", "trained", "across")
