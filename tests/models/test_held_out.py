from __future__ import annotations

import numpy as np
import pytest

from cloze_gen.corpus.arrays import line_ids
from cloze_gen.corpus.cross_fitting import of_model, read_groups
from cloze_gen.corpus.training_text import TEXT, TOKENS
from cloze_gen.engine.local import InProcessEngine
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.models.held_out import write_held_out, write_held_out_indexes
from cloze_gen.models.language_model import ARPA, LmSettings, open_index, write_language_model
from cloze_gen.store.artifacts import Artifact, Store
from cloze_gen.store.fingerprint import StageKey
from cloze_gen.store.tables import write_parquet, write_tsv

BOOKS = {
    "a": ["he saw the owl by the sea .", "the lamp burned ."],
    "b": ["he saw the owl in the wood .", "the pike swam ."],
    "c": ["she saw the pike by the sea .", "the lamp burned low ."],
}
SETTINGS = LmSettings(memory="100M", discount_fallback=True)


def artifact(store, stage, files):
    key = StageKey(stage, 1)
    with store.writing(key) as writer:
        assert writer is not None
        for name, content in files.items():
            writer.path(name).write_text(content, encoding="utf-8")
    return store.open(key)


def lines(*books):
    return "".join(f"{line}\n" for book in books for line in BOOKS[book])


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The store, the models and their indexes."""
    place = tmp_path_factory.mktemp("held-out")
    store = Store(place / "out")
    ctx = StageContext(store, InProcessEngine(), "lm")
    for book, own in BOOKS.items():
        (place / book).mkdir()
        write_parquet(
            place / book / "sentences.parquet", {"kind": ["prose"] * len(own), "tokens": own}
        )
    write_tsv(
        place / "books.tsv",
        ("book_id", "status", "folder"),
        [(book, "kept", book) for book in BOOKS],
    )
    text, corpus = artifact(store, "text", {TEXT: lines(*BOOKS)}), Artifact(place, {})
    words = sorted(set(lines(*BOOKS).split()))
    np.save(
        text.folder / TOKENS,
        line_ids(lines(*BOOKS).splitlines(), {word: i for i, word in enumerate(words, 1)}),
    )
    keys = StageKey("lm", 1), StageKey("index", 1)
    with store.writing(keys[0]) as writer:
        assert writer is not None
        arguments = {"text": text, "corpus": corpus, "settings": SETTINGS}
        write_held_out(writer, ctx, write=write_language_model, **arguments)
    with store.writing(keys[1]) as writer:
        assert writer is not None
        write_held_out_indexes(writer, ctx, model=store.open(keys[0]))
    return store, store.open(keys[0]), store.open(keys[1])


@pytest.mark.parametrize(("group", "others"), [(1, "bc"), (2, "ac"), (3, "ab")])
def test_a_model_is_that_of_the_other_books(made, group, others):
    store, models, _ = made
    key = StageKey(f"alone-{group}", 1)
    with store.writing(key) as writer:
        assert writer is not None
        text = artifact(store, f"others-{group}", {TEXT: lines(*others)})
        write_language_model(
            writer, StageContext(store, InProcessEngine(), "lm"), text=text, settings=SETTINGS
        )
    assert (
        of_model(models, group).path(ARPA).read_bytes() == store.open(key).path(ARPA).read_bytes()
    )


def attested(index, ngram):
    return bool(index.attested(np.array([index.ids(ngram.split(" "))]))[0])


def test_what_one_book_holds_is_no_evidence_for_its_own_questions(
    made,
):
    """`in the wood` is in b only, `the lamp burned` in a and c, `saw the owl` in a and b."""
    _, _, indexes = made
    models = {
        book: open_index(of_model(indexes, number)) for book, number in read_groups(indexes).items()
    }
    known = {
        ngram: "".join(book for book in models if attested(models[book], ngram))
        for ngram in ("in the wood", "the lamp burned", "saw the owl", "lamp burned low")
    }
    assert known == {
        "in the wood": "ac",
        "the lamp burned": "abc",
        "saw the owl": "abc",
        "lamp burned low": "ab",
    }
    assert "wood" not in models["b"].id_of


def test_a_distribution_of_any_model_sums_to_one(made):
    _, _, indexes = made
    for number in (1, 2, 3):
        index = open_index(of_model(indexes, number))
        for history in (["saw", "the"], ["in", "the"], ["the", "wood"]):
            assert (
                10.0 ** index.next_word_log10_probs(history).astype(np.float64)
            ).sum() == pytest.approx(1.0, abs=1e-4)
