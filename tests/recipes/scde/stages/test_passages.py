"""Windows as an artifact: rows that agree with the books, and of every other stretch the reason."""

from __future__ import annotations

from collections import Counter

import pytest

from cloze_gen.engine.local import LocalEngine
from cloze_gen.errors import CorpusError
from cloze_gen.recipes.scde.stages.book_reading import read_book
from cloze_gen.recipes.scde.stages.passages import PASSAGES, write_passages
from cloze_gen.recipes.scde.steps.passages import PassagesSettings
from cloze_gen.records.passage import Part
from cloze_gen.stages.corpus.book_table import book_folder, kept_books
from cloze_gen.stages.corpus.hyphens import HYPHENS, read_hyphen_forms
from cloze_gen.stages.room import Room
from cloze_gen.stages.tables import REJECTED
from cloze_gen.store.artifacts import Artifact
from cloze_gen.store.keys import StageKey
from cloze_gen.store.tables import read_parquet
from cloze_gen.words import is_word
from tests.recipes.scde.stages.conftest import SMALL, Novels
from tests.stages.corpus.conftest import novel


def rows(artifact: Artifact) -> list[dict[str, object]]:
    return read_parquet(artifact.path(PASSAGES)).to_pylist()


def test_rows_are_spans_of_the_books(novels: Novels) -> None:
    """Part and domain are the novel's, in order of book and place; the span is that of its sentences, the words are theirs."""
    partition = novels.partition()
    artifact = novels.passages(partition)
    books = {row["book_id"]: row for row in kept_books(partition)}
    forms = read_hyphen_forms(artifact.path(HYPHENS))
    assert [(row["book_id"], row["first"]) for row in rows(artifact)] == sorted((row["book_id"], row["first"]) for row in rows(artifact))
    assert {row["domain"] for row in rows(artifact)} == {"Romance", ""}
    for row in rows(artifact):
        of = books[row["book_id"]]
        book = read_book(book_folder(partition, of), forms)
        own = range(row["first"], row["last"] + 1)
        assert row["id"] == f"{of['book_id']}:{row['first']}"
        assert (row["part"], row["domain"], row["sentences"]) == (of["part"], of["domain"], len(own))
        assert row["words"] == sum(is_word(word) for i in own for word in book.text.tokens(i))
        raw = " ".join((novels.books / of["file"]).read_text()[row["start"] : row["end"]].split()).replace("candle- light", "candlelight")
        assert raw.replace("--", " -- ") == " ".join(book.texts[row["first"] : row["last"] + 1]).replace("--", " -- ")


def test_the_funnel_is_the_tables(novels: Novels) -> None:
    """Kept and rejected as the tables have them; the facts count each part and tell the mean of words and sentences."""
    artifact = novels.passages(novels.partition())
    found = rows(artifact)
    assert artifact.funnel["kept"] == len(found)
    assert artifact.funnel["rejected"] == Counter(read_parquet(artifact.path(REJECTED))["reason"].to_pylist())
    assert artifact.facts["passages"] == {part: sum(row["part"] == part for row in found) for part in Part}
    assert artifact.facts["mean_words"] == pytest.approx(sum(row["words"] for row in found) / len(found), abs=1e-4)
    assert artifact.facts["mean_sentences"] == pytest.approx(sum(row["sentences"] for row in found) / len(found), abs=1e-4)


def test_a_book_more_changes_no_other_books_windows(novels: Novels) -> None:
    """Given the same counts; every row of the others is there as it was."""
    before = novels.partition()
    counts = novels.counts(before)
    few = rows(novels.passages(before, counts=counts))
    (novels.books / "more.txt").write_text(novel(11))
    many = rows(novels.passages(novels.partition(), counts=counts))
    assert [row for row in many if row["book_id"] != "more"] == few
    assert len(many) > len(few)


@pytest.mark.slow
def test_workers_change_no_byte(novels: Novels) -> None:
    """Two processes write what one does."""
    partition = novels.partition()
    alone, counts = novels.passages(partition), novels.counts(partition)
    engine = LocalEngine(2)
    try:
        with novels.store.writing(StageKey("passages", 1, {"by": "two"}, {})) as writer:
            assert writer is not None
            room = Room(novels.store, engine, "passages")
            write_passages(writer, room, partition=partition, counts=counts, settings=SMALL, offensive="builtin", seed=1)
            names = (PASSAGES, REJECTED, HYPHENS)
            assert [writer.path(name).read_bytes() for name in names] == [alone.path(name).read_bytes() for name in names]
    finally:
        engine.close()


def test_a_part_without_a_passage_ends_the_run(novels: Novels) -> None:
    """And the message says what stretches were rejected for, and what helps."""
    partition = novels.partition()
    with pytest.raises(
        CorpusError, match=r"no train and no development and no test book gives a passage \(.*cut_short.*Lower passages\.min_"
    ):
        novels.passages(partition, PassagesSettings(min_sentences=900, max_sentences=1000))
