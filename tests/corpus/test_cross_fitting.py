"""Cross-fitting: the group of each book, and the words that its model lacks."""

import numpy as np
import pytest

from cloze_gen.corpus.cross_fitting import (
    group_of_lines,
    held_out_groups,
    write_other_text,
)
from cloze_gen.corpus.frequencies import read_counts, write_counts
from cloze_gen.corpus.training_text import TEXT, TOKENS, write_training_text
from cloze_gen.engine.local import InProcessEngine
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.errors import CorpusError
from cloze_gen.store.artifacts import Artifact, Store
from cloze_gen.store.fingerprint import StageKey
from cloze_gen.store.tables import write_parquet, write_tsv

BOOKS = {
    "a": ["the owl sat .", "the lamp ."],
    "b": ["the pike sat ."],
    "c": ["the owl swam .", "the pike .", "the sea ."],
}


def books_artifact(folder, books, *, heading=""):
    """A table of books and their sentences, each after a heading where one is given."""
    for book, lines in books.items():
        (folder / book).mkdir(parents=True)
        kinds = ["heading"] * bool(heading) + ["prose"] * len(lines)
        write_parquet(
            folder / book / "sentences.parquet",
            {"kind": kinds, "tokens": [heading] * bool(heading) + lines},
        )
        words = sorted({word for line in lines for word in line.split(" ")})
        counts = [sum(line.split(" ").count(word) for line in lines) for word in words]
        write_parquet(
            folder / book / "types.parquet",
            {"word": words, "count": counts, "initial_count": [0] * len(words)},
        )
    rows = [(book, "kept", "", "", book) for book in books]
    write_tsv(folder / "books.tsv", ("book_id", "status", "reason", "detail", "folder"), rows)
    return Artifact(folder, {})


def text_of(tmp_path, corpus):
    """The training text of the books, and their counts."""
    store = Store(tmp_path / "out")
    ctx = StageContext(store, InProcessEngine(), "text")
    keys = StageKey("counts", 1), StageKey("text", 1)
    with store.writing(keys[0]) as writer:
        assert writer is not None
        write_counts(writer, ctx, corpus=corpus)
    counts = store.open(keys[0])
    with store.writing(keys[1]) as writer:
        assert writer is not None
        write_training_text(writer, ctx, corpus=corpus, counts=counts)
    return store.open(keys[1]), counts


def test_few_books_have_a_group_each_and_many_are_dealt_in_turn(tmp_path):
    """As many groups as books, and no more than eight."""
    corpus = books_artifact(tmp_path, {book: ["the sea ."] for book in "abcdefghij"})
    groups = [1, 2, 3, 4, 5, 6, 7, 8, 1, 2]
    assert held_out_groups(corpus) == dict(zip("abcdefghij", groups, strict=True))


def test_one_book_is_told_what_to_do(tmp_path):
    """There is no other book to learn from."""
    with pytest.raises(
        CorpusError,
        match=r"a is the only book.*two source books or more.*--train DIR.*scs-style works with one book",
    ):
        held_out_groups(books_artifact(tmp_path, {"a": BOOKS["a"]}))


@pytest.mark.parametrize("group", [1, 2, 3])
def test_the_others_are_all_lines_but_those_of_the_group(tmp_path, group):
    """Each group's lines go, wherever they stand, and headings are none."""
    corpus = books_artifact(tmp_path / "books", BOOKS, heading="the whale .")
    text, counts = text_of(tmp_path, corpus)
    of_lines = group_of_lines(corpus, held_out_groups(corpus))
    assert of_lines.tolist() == [1, 1, 2, 3, 3, 3]
    (tmp_path / "others").mkdir()
    others = write_other_text(tmp_path / "others", text=text, of_lines=of_lines, group=group)
    left = others.path(TEXT).read_text(encoding="utf-8").splitlines()
    assert left == [line for book, own in BOOKS.items() if book != "abc"[group - 1] for line in own]
    words = {i + 1: word for i, word in enumerate(read_counts(counts).words)} | {0: "\n"}
    assert " ".join(words[i] for i in np.load(others.path(TOKENS)).tolist()).split(" \n") == [
        *_joined(left),
        "",
    ]


def _joined(lines):
    """Lines as the numbers spell them: all but the first after the space that follows a line's end."""
    return [line if i == 0 else f" {line}" for i, line in enumerate(lines)]
