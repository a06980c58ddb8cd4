"""The table of novels: each with its domain, its rate and its part; and a part as a corpus of its own."""

from __future__ import annotations

import pytest

from cloze_gen.errors import CorpusError
from cloze_gen.records.passage import Part
from cloze_gen.stages.corpus.book_files import read_type_counts
from cloze_gen.stages.corpus.book_table import book_folder, kept_books, read_books
from cloze_gen.stages.corpus.partition import write_part
from cloze_gen.store.artifacts import Artifact
from cloze_gen.words import is_word
from tests.stages.corpus.conftest import Novels, novel


def column(artifact: Artifact, name: str) -> dict[str, str]:
    return {row["book_id"]: row[name] for row in read_books(artifact)}


def test_every_novel_has_a_part(novels: Novels) -> None:
    """One of three, and each part has a novel; the manifest counts them and their tokens."""
    found = novels.partition()
    parts = column(found, "part")
    assert {*parts.values()} == {"train", "development", "test"}
    assert found.facts["novels"] == {part: [*parts.values()].count(part) for part in Part}
    assert sum(found.facts["tokens"].values()) == sum(map(int, column(found, "tokens").values()))


def test_the_domain_is_the_manifests_or_the_folders(novels: Novels) -> None:
    """A genre that the manifest names counts before the folder; without either there is none."""
    (novels.books / "manifest.tsv").write_text("file\tgenre\nRomance/novel1.txt\tComedy\nnovel2.txt\tHorror\n")
    domains = column(novels.partition(), "domain")
    assert [domains[f"novel{i}"] for i in range(4)] == ["Romance", "Comedy", "Horror", ""]


def test_novels_of_one_author_fall_together(novels: Novels) -> None:
    """Where the manifest names authors; any seed, as long as no part stays empty."""
    listed = "".join(f"{'Romance/' * (i < 2)}novel{i}.txt\t{'Ouida' if i < 4 else ''}\n" for i in range(8))
    (novels.books / "manifest.tsv").write_text(f"file\tauthor\n{listed}")
    for seed in (3, 5, 6):
        try:
            parts = column(novels.partition(seed=seed), "part")
        except CorpusError:
            continue
        assert len({parts[f"novel{i}"] for i in range(4)}) == 1


def test_novels_that_share_text_fall_together(novels: Novels) -> None:
    """A copy with a page more, whatever its name."""
    (novels.books / "a-copy.txt").write_text(novel(5) + "\n\nThe end of it was that they all went home and slept until noon.")
    for seed in range(1, 6):
        try:
            parts = column(novels.partition(seed=seed), "part")
        except CorpusError:
            continue
        assert parts["a-copy"] == parts["novel5"]


def test_a_novel_is_dropped_by_the_rate_of_its_words(novels: Novels) -> None:
    """One hit in a novel does no harm, a hit in every scene does; the row says how many and how many would be allowed."""
    once, often = novels.books / "novel6.txt", novels.books / "novel7.txt"
    once.write_text("The bastard ran. " + once.read_text())
    often.write_text(often.read_text().replace("That was on", "The bastard ran on"))
    found = novels.partition()
    assert column(found, "part")["novel7"] == ""
    assert column(found, "reason")["novel7"] == "offensive"
    assert column(found, "detail")["novel7"].endswith("of its words are listed, more than max_offensive_rate = 0.001")
    folder = next(book_folder(found, row) for row in kept_books(found) if row["book_id"] == "novel6")
    words = sum(count for word, count in read_type_counts([folder])[0].items() if is_word(word))
    assert column(found, "offensive_rate")["novel6"] == f"{1 / words:.6f}"
    assert column(found, "status")["novel6"] == "kept"
    assert found.funnel == {"unit": "books", "seen": 8, "kept": 7, "rejected": {"offensive": 1}}


def test_each_part_has_a_novel_whatever_the_shares(novels: Novels) -> None:
    """Where all draws fall to one part, the two others take a novel each."""
    parts = column(novels.partition(train_share=0.99, development_share=0.001), "part")
    assert sorted(parts.values()) == ["development", "test", *["train"] * 6]


def test_too_few_novels_that_can_be_parted_end_the_run(novels: Novels) -> None:
    """The message says how they fell, that one author's stay together, and what helps."""
    listed = "".join(f"{'Romance/' * (i < 2)}novel{i}.txt\t{'Ouida' if i < 4 else 'Ann Lee'}\n" for i in range(8))
    (novels.books / "manifest.tsv").write_text(f"file\tauthor\n{listed}")
    said = r"of 8 novels none fell to .* Of these, 2 can be parted: .* Give more novels: .* partition\.by_author = false"
    with pytest.raises(CorpusError, match=said):
        novels.partition()
    assert {*column(novels.partition(by_author=False), "part").values()} == {*Part}


def test_a_part_is_a_corpus(novels: Novels) -> None:
    """Its table has the part's novels and no other, whole enough for whatever reads a corpus."""
    found = novels.partition()
    train = novels.stage("novels", write_part, partition=found, part=Part.TRAIN)
    assert kept_books(train) == [row for row in kept_books(found) if row["part"] == "train"] == read_books(train)
    assert novels.counts(found).facts["tokens"] > 1000
