"""The table of novels with domain, rate and part; and a part as a corpus."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from cloze_gen.corpus.books import book_folder, kept_books, read_books, read_type_counts
from cloze_gen.corpus.partition import (
    Novel,
    PartitionSettings,
    assign_splits,
    belong_together,
    domain_of,
    offensive_rate,
    write_part,
    write_partition,
)
from cloze_gen.corpus.volumes import work_of
from cloze_gen.errors import CorpusError
from cloze_gen.records.passage import Part
from cloze_gen.rng import derive_rng
from cloze_gen.word_tokens import is_word
from tests.corpus.conftest import novel


def column(artifact, name):
    return {row["book_id"]: row[name] for row in read_books(artifact)}


def test_every_novel_has_a_part(novels):
    """One of three, and each part has a novel; the manifest counts them."""
    found = novels.partition()
    parts = column(found, "part")
    assert {*parts.values()} == {"train", "development", "test"}
    assert found.facts["novels"] == {part: [*parts.values()].count(part) for part in Part}


def test_the_domain_is_the_manifests_or_the_folders(novels):
    """A genre that the manifest names counts before the folder; without either there is none."""
    (novels.books / "manifest.tsv").write_text(
        "file\tgenre\nRomance/novel1.txt\tComedy\nnovel2.txt\tHorror\n"
    )
    domains = column(novels.partition(), "domain")
    assert [domains[f"novel{i}"] for i in range(4)] == ["Romance", "Comedy", "Horror", ""]


@pytest.mark.parametrize(
    "folder",
    [
        "1/3/1342",
        "train",
        "dev",
        "cache/epub/1342",
        "epubtxt",
        "etext97",
        "ETEXT05",
        "gutenberg/etext90",
    ],
)
def test_a_folder_of_a_known_collection_is_no_domain(folder):
    assert domain_of({"file": f"{folder}/emma.txt", "genre": ""}) == ""


def test_kept_splits_decide_the_parts(novels):
    """The other novels are drawn; without the option the splits change nothing."""
    roles = dict(zip(range(6), ("train", "validation", "test") * 2, strict=True))
    listed = "".join(f"{'Romance/' * (i < 2)}novel{i}.txt\t{role}\n" for i, role in roles.items())
    before = column(novels.partition(), "part")
    (novels.books / "manifest.tsv").write_text(f"file\trole\n{listed}")
    assert column(novels.partition(), "part") == before
    kept = novels.stage(
        "partition",
        write_partition,
        corpus=novels.corpus(),
        settings=PartitionSettings(),
        offensive=frozenset(),
        seed=1,
        keep_splits=True,
    )
    parts = column(kept, "part")
    assert [parts[f"novel{i}"] for i in range(6)] == ["train", "development", "test"] * 2
    assert {parts["novel6"], parts["novel7"]} <= set(Part)


def test_novels_without_an_author_are_warned_of(novels, capsys):
    """With the remedy; not if authors do not count."""
    (novels.books / "manifest.tsv").write_text("file\tauthor\nnovel2.txt\tAnn Ray\n")
    novels.partition(by_author=False)
    assert "author" not in capsys.readouterr().err
    count = len(column(novels.partition(), "part"))
    said = " ".join(capsys.readouterr().err.split())
    assert f"warning: no author for {count - 1} of {count} books" in said
    assert "add a manifest.tsv with file and author" in said


def test_novels_of_one_author_fall_together(novels):
    """Where the manifest names authors."""
    listed = "".join(
        f"{'Romance/' * (i < 2)}novel{i}.txt\t{'Ouida' if i < 4 else ''}\n" for i in range(8)
    )
    (novels.books / "manifest.tsv").write_text(f"file\tauthor\n{listed}")
    for seed in (3, 5, 6):
        parts = column(novels.partition(seed=seed), "part")
        assert len({parts[f"novel{i}"] for i in range(4)}) == 1


def test_novels_that_share_text_fall_together(novels):
    """A seventh of each is the same story."""
    for name, first in (("long-a", 20), ("long-b", 30)):
        scenes = "\n\n".join(map(novel, (*range(first, first + 5), 40)))
        (novels.books / f"{name}.txt").write_text(scenes)
    for seed in range(1, 6):
        parts = column(novels.partition(seed=seed), "part")
        assert parts["long-a"] == parts["long-b"] != ""


def test_a_novel_is_dropped_by_the_rate_of_its_words(novels):
    once, often = novels.books / "novel6.txt", novels.books / "novel7.txt"
    once.write_text("The bastard ran. " + once.read_text())
    often.write_text(often.read_text().replace("That was on", "The bastard ran on"))
    found = novels.partition()
    assert column(found, "part")["novel7"] == ""
    assert column(found, "reason")["novel7"] == "offensive"
    assert column(found, "detail")["novel7"].endswith(
        "of its words are on the list, more than partition.max_offensive_rate = 0.001"
    )
    folder = next(
        book_folder(found, row) for row in kept_books(found) if row["book_id"] == "novel6"
    )
    words = sum(count for word, count in read_type_counts([folder])[0].items() if is_word(word))
    assert column(found, "offensive_rate")["novel6"] == f"{1 / words:.6f}"
    assert column(found, "status")["novel6"] == "kept"
    assert found.funnel == {"unit": "books", "seen": 8, "kept": 7, "rejected": {"offensive": 1}}


def test_the_rate_of_listed_words_may_be_the_limit(novels, tmp_path):
    """Twelve words in 96: an eighth, which nothing rounds."""
    (tmp_path / "listed.txt").write_text("lantern\n")
    line = "Her brother saw the lantern by the river. "
    (novels.books / "novel6.txt").write_text(line * 12)
    listed = str(tmp_path / "listed.txt")
    at, below = (
        novels.partition(max_offensive_rate=rate, offensive_words=listed) for rate in (0.125, 0.124)
    )
    assert column(at, "offensive_rate")["novel6"] == "0.125000"
    assert column(at, "status")["novel6"] == "kept"
    assert column(below, "reason")["novel6"] == "offensive"


def test_each_part_has_a_novel_whatever_the_shares(novels):
    """Where all draws fall to one part, the two others take a novel each."""
    parts = column(novels.partition(train_share=0.99, development_share=0.001), "part")
    assert sorted(parts.values()) == ["development", "test", *["train"] * 6]


def test_too_few_novels_that_can_be_parted_end_the_run(novels):
    """The message says how they fell, that one author's stay together, and what helps."""
    listed = "".join(
        f"{'Romance/' * (i < 2)}novel{i}.txt\t{'Ouida' if i < 4 else 'Ann Lee'}\n" for i in range(8)
    )
    (novels.books / "manifest.tsv").write_text(f"file\tauthor\n{listed}")
    said = r"of 8 novels none is in part .* Give more novels: at least three.* partition\.by_author = false, .* scs-style works with one book"
    with pytest.raises(CorpusError, match=said):
        novels.partition()
    assert {*column(novels.partition(by_author=False), "part").values()} == {*Part}


def test_a_part_is_a_corpus(novels):
    """Its table has the part's novels and no other, whole enough for whatever reads a corpus."""
    found = novels.partition()
    train = novels.stage("novels", write_part, partition=found, part=Part.TRAIN)
    assert (
        kept_books(train)
        == [row for row in kept_books(found) if row["part"] == "train"]
        == read_books(train)
    )
    assert novels.counts(found).facts["tokens"] > 1000


# ---- A novel's part hangs on its own draw

AUTHORS = st.sampled_from(["", "Ouida", "Jane Austen", "AUSTEN, JANE", "Anonymous", "unknown"])
NOVELS = st.lists(AUTHORS, min_size=1, max_size=12).map(
    lambda names: [Novel(f"b{i}", f"{i:x}", name) for i, name in enumerate(names)]
)


# with these each part has a novel by its own draw, whatever the seed
MANY = [Novel(f"many{i}", f"{i + 100:x}") for i in range(60)]


def deal(novels, *pairs, seed=1, **settings):
    return assign_splits(
        novels, sharing_text=pairs, settings=PartitionSettings.model_validate(settings), seed=seed
    )


@given(NOVELS, st.integers(0, 9), AUTHORS)
def test_a_novel_more_moves_no_other(novels, seed, author):
    """Whoever wrote it: their other novels stay where they are, and it joins them."""
    more = [Novel("new", "fff", author), *novels, *MANY]
    before, after = deal([*novels, *MANY], seed=seed), deal(more, seed=seed)
    assert {book: after[book] for book in before} == before


@given(NOVELS, st.data())
def test_the_order_of_the_novels_says_nothing(novels, data):
    """Neither that of the novels nor that of the pairs, nor which book of a pair stands first."""
    ids = st.sampled_from([novel.book_id for novel in novels])
    pairs = data.draw(st.lists(st.tuples(ids, ids), max_size=6))
    turned = [(b, a) for a, b in reversed(pairs)]
    assert deal(novels, *pairs) == deal(data.draw(st.permutations(novels)), *turned)


@given(NOVELS, st.data())
def test_what_belongs_together_falls_together(novels, data):
    ids = st.sampled_from([novel.book_id for novel in novels])
    pairs = data.draw(st.lists(st.tuples(ids, ids), max_size=6))
    groups = belong_together(novels, sharing_text=pairs, by_author=True)
    group_of = {novel.book_id: i for i, group in enumerate(groups) for novel in group}
    assert sorted(novel.book_id for group in groups for novel in group) == sorted(
        novel.book_id for novel in novels
    )
    assert all(group_of[a] == group_of[b] for a, b in pairs)
    for name in ("Ouida", "AUSTEN, JANE"):
        assert len({group_of[novel.book_id] for novel in novels if novel.author == name}) <= 1
    parts = deal(novels, *pairs)
    assert all(len({parts[novel.book_id] for novel in group}) == 1 for group in groups)


@given(NOVELS, st.integers(0, 99), st.booleans())
def test_three_novels_that_can_be_parted_fill_three_parts(novels, seed, by_author):
    """With fewer, no two of them fall to one part."""
    groups = belong_together(novels, sharing_text=[], by_author=by_author)
    parts = deal(novels, seed=seed, by_author=by_author)
    assert len({*parts.values()}) == min(3, len(groups))


@given(st.integers(0, 99), st.sampled_from([0.3, 0.5, 0.7]))
def test_where_no_part_is_empty_nothing_is_moved(seed, share):
    """Each novel is where its own draw put it: alone beside many others it is dealt alike."""
    one = Novel("one", "1f")
    parts = deal([one, *MANY], seed=seed, train_share=share, development_share=0.15)
    draw = derive_rng(seed, "lambada.partition", "novel 1f").random()
    drawn = Part.TRAIN if draw < share else Part.DEVELOPMENT if draw < share + 0.15 else Part.TEST
    assert parts["one"] == drawn


def test_nobody_is_no_author():
    unnamed = [
        Novel("a", "1", "Anonymous"),
        Novel("b", "2", "anonymous "),
        Novel("c", "3"),
        Novel("d", "4"),
    ]
    assert len(belong_together(unnamed, sharing_text=[], by_author=True)) == 4
    named = [Novel("a", "1", "Ouida"), Novel("b", "2", "Ouida")]
    assert len(belong_together(named, sharing_text=[], by_author=False)) == 2


def test_the_shares_are_those_asked_for():
    """Of 4,000 novels, within three standard deviations; another seed deals others."""
    novels = [Novel(f"b{i}", f"{i:x}") for i in range(4000)]
    dealt = deal(novels)
    sizes = Counter(dealt.values())
    assert abs(sizes[Part.TRAIN] - 2000) < 95
    assert abs(sizes[Part.DEVELOPMENT] - 1000) < 83
    assert sizes.total() == 4000
    moved = sum(part != dealt[book] for book, part in deal(novels, seed=2).items())
    assert 2300 < moved < 2700  # 5 in 8 are expected to


def test_a_copy_is_dealt_by_digest_not_by_name():
    """A file that is renamed stays where it is."""
    digests = [f"{i:x}" for i in range(200)]
    named, renamed = ([Novel(f"{prefix}{one}", one) for one in digests] for prefix in ("a", "b"))
    assert [*deal(named).values()] == [*deal(renamed).values()]


@pytest.mark.parametrize(
    ("counts", "rate"),
    [
        ({"damn": 1, "Damn": 1, "DAMN": 1, "x": 1}, 0.75),
        ({"damned": 3, "x": 1}, 0.0),  # whole words
        ({"damn": 1, ",": 99}, 1.0),  # marks are no words
        ({}, 0.0),
    ],
)
def test_the_rate_counts_words_in_any_case(counts, rate):
    """Listed words over word tokens."""
    assert offensive_rate(counts, {"damn"}) == rate


def test_shares_leave_a_test_set():
    """Settings that leave nothing for it are refused, and say which they are."""
    with pytest.raises(
        ValidationError,
        match=r"train_share = 0\.75 and development_share = 0\.25 leave no novel for the test set",
    ):
        PartitionSettings(train_share=0.75)


def test_a_book_of_two_authors_ties_the_books_of_both():
    groups = belong_together(
        [
            Novel("a", "1", "Twain, Mark"),
            Novel("b", "2", "Twain, Mark; Warner, Charles Dudley"),
            Novel("c", "3", "Charles Dudley Warner"),
            Novel("d", "4", "Various; Anonymous"),
            Novel("e", "5", "Anonymous"),
        ],
        sharing_text=[],
        by_author=True,
    )
    assert [[novel.book_id for novel in group] for group in groups] == [
        ["a", "b", "c"],
        ["d"],
        ["e"],
    ]


VOLUMES = [
    ("The Mill, Volume 1", "The Mill, Volume 2"),
    ("The Mill. Vol. I", "THE MILL. VOL. II."),
    ("The Mill; Part the First", "The Mill: Part the Second"),
    ("The Mill, Volume 1/2", "The Mill, Volume 2/2"),
    ("The Mill, Volume 1: The Race", "The Mill, Volume 2: The Flood"),
    ("The Mill. In Two Volumes. Vol. 1", "The Mill -- Volume 02 (of 2)"),
    ("Volume I of The Mill", "The Second Volume of the Mill"),
    ("The Mill [Vol. 1 of 3]", "The Mill, Book Third"),
]


@pytest.mark.parametrize("titles", VOLUMES)
@pytest.mark.parametrize("authors", [("", ""), ("Ann Ray", "Ray, Ann")])
def test_volumes_of_one_work_belong_together(titles, authors):
    works = [work_of({"file": "1.txt", "title": title}) for title in titles]
    assert works == ["mill", "mill"]
    novels = [
        Novel(title, title, author, work)
        for title, author, work in zip(titles, authors, works, strict=True)
    ]
    novels += [Novel("other", "3", "Tom Dee", "mill"), Novel("pond", "4", "", "pond")]
    groups = belong_together(novels, sharing_text=[], by_author=False)
    assert [len(group) for group in groups] == [2, 1, 1]


@pytest.mark.parametrize(
    ("row", "work"),
    [
        ({"file": "the-mill-v2.txt"}, "mill"),
        ({"file": "x/the_mill_vol_ii.txt.gz", "title": "The Mill"}, "mill"),
        ({"file": "x.zip", "member": "the mill volume 2.txt"}, "mill"),
        ({"file": "mill.txt", "title": "The Mill"}, ""),
        ({"file": "vol1.txt"}, ""),
        ({"file": "1.txt", "title": "A Part of the Mill"}, ""),
        ({"file": "corpus_book_12.txt"}, ""),  # books of a collection are numbered like that
        ({"file": "x/part-00001.txt"}, ""),
        ({"file": "books.parquet", "member": "17:text"}, ""),
    ],
)
def test_volumes_are_known_by_title_or_file(row, work):
    assert work_of(row) == work


def test_volumes_in_a_folder_get_one_part(novels):
    """Whatever the seed; their titles are those of the manifest."""
    listed = "".join(f"novel{i}.txt\tThe Mill, Volume {i}\n" for i in range(2, 6))
    (novels.books / "manifest.tsv").write_text(f"file\ttitle\n{listed}")
    for seed in (1, 2, 3):
        parts = column(novels.partition(seed=seed), "part")
        assert len({parts[f"novel{i}"] for i in range(2, 6)}) == 1
