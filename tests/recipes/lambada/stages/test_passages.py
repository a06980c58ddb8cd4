"""Passages as an artifact: records, rejections and numbers that agree with each other and with the books."""

from __future__ import annotations

import pytest

from cloze_gen.engine.local import LocalEngine
from cloze_gen.errors import CorpusError
from cloze_gen.recipes.lambada.stages.passages import write_passages
from cloze_gen.recipes.lambada.stages.tables import PASSAGES, TOKENS, read_numbered, read_passages
from cloze_gen.recipes.lambada.steps.passages import PassagesSettings
from cloze_gen.records.passage import Part
from cloze_gen.stages.corpus.book_table import kept_books
from cloze_gen.stages.corpus.counts import read_counts
from cloze_gen.stages.corpus.hyphens import HYPHENS, read_hyphen_forms
from cloze_gen.stages.room import Room
from cloze_gen.stages.tables import REJECTED, SOURCE_SENTENCES
from cloze_gen.store.keys import StageKey
from cloze_gen.store.tables import read_parquet
from tests.recipes.lambada.stages.conftest import SMALL, Novels


def test_records_come_from_the_books(novels: Novels) -> None:
    """Each passage's span of the raw file begins with its first word and ends with its last mark, and its part is its novel's."""
    partition = novels.partition()
    passages = list(read_passages(novels.passages(partition)))
    rows = {row["book_id"]: row for row in kept_books(partition)}
    assert {passage.part for passage in passages} == {Part.DEVELOPMENT, Part.TEST}
    for passage in passages:
        row = rows[passage.book_id]
        assert row["part"] == passage.part
        raw = (novels.books / row["file"]).read_text()[passage.start : passage.end]
        assert raw.startswith(passage.sentences[0][0])
        assert raw.endswith(passage.target_sentence[-1])
        assert " ".join(raw.replace("candle-\n", "candle").split()).startswith(passage.texts[0])
        assert passage.opening + passage.target + passage.closing == passage.texts[-1]
        assert len(passage.context) >= SMALL.min_context_tokens
        assert passage.id.startswith(f"{passage.book_id}:")
    assert {passage.target for passage in passages} >= {"Jane", "head", "us", "bed"}


def test_numbers_are_the_words(novels: Novels) -> None:
    """What stands before the target, number by number, is what the record says; unknown words have the one number behind all others."""
    partition = novels.partition()
    artifact = novels.passages(partition)
    words = read_counts(novels.counts(partition)).words
    numbered, passages = read_numbered(artifact), list(read_passages(artifact))
    assert numbered.ids.to_pylist() == [passage.id for passage in passages]
    unknown = 0
    for i, passage in enumerate(passages):
        numbers = numbered.before_target(i).tolist()
        assert numbers.count(0) == len(passage.sentences) - 1
        for word, number in zip(passage.before_target, [one for one in numbers if one], strict=True):
            assert word == words[number - 1] if number <= len(words) else word not in words
            unknown += number == len(words) + 1
        target = int(numbered.numbers[numbered.target[i]])
        assert passage.target == words[target - 1] if target <= len(words) else passage.target not in words
    assert unknown


def test_every_sentence_is_accounted_for(novels: Novels) -> None:
    """Kept and rejected together are the sentences of the development and test novels, each once."""
    partition = novels.partition()
    artifact = novels.passages(partition)
    kept = read_parquet(artifact.path(PASSAGES))["id"].to_pylist()
    rejected = read_parquet(artifact.path(REJECTED))
    ids = kept + rejected["id"].to_pylist()
    expected = [f"{row['book_id']}:{i}" for row in kept_books(partition) if row["part"] != "train" for i in range(int(row["sentences"]))]
    assert sorted(ids) == sorted(expected)
    counted = {name: rejected["reason"].to_pylist().count(name) for name in set(rejected["reason"].to_pylist())}
    assert artifact.funnel == {"unit": "sentences", "seen": len(ids), "kept": len(kept), "rejected": counted}
    assert sum(artifact.facts["passages"].values()) == len(kept)


def test_training_novels_may_be_asked_for(novels: Novels) -> None:
    """As an artifact of their own, for a model that learns from passages."""
    partition = novels.partition()
    given = {"counts": novels.counts(partition), "settings": SMALL, "offensive": "builtin", "parts": (Part.TRAIN,)}
    artifact = novels.stage("passages", write_passages, partition=partition, **given)
    assert {passage.part for passage in read_passages(artifact)} == {Part.TRAIN}
    assert artifact.facts["passages"] == {"train": artifact.funnel["kept"]}


def test_sentences_are_kept_that_a_passage_shows(novels: Novels) -> None:
    """Each once, and no other; a word that a line end broke stands in its decided form in text and tokens."""
    artifact = novels.passages(novels.partition())
    table = read_parquet(artifact.path(PASSAGES))
    spans = zip(*(table[name].to_pylist() for name in ("book_id", "first_sentence", "sentence")), strict=True)
    shown = {(book, index) for book, first, last in spans for index in range(first, last + 1)}
    sentences = read_parquet(artifact.path(SOURCE_SENTENCES))
    found = [*zip(sentences["book_id"].to_pylist(), sentences["index"].to_pylist(), strict=True)]
    assert (len(found), {*found}) == (len(shown), shown)
    broken = [
        (text, line) for text, line in zip(*(sentences[name].to_pylist() for name in ("text", "tokens")), strict=True) if "candle" in line
    ]
    (form,) = read_hyphen_forms(artifact.path(HYPHENS)).values()
    assert broken
    assert all(f"{form}," in text and f" {form} ," in line for text, line in broken)


def test_asking_for_some_passages_gives_those(novels: Novels) -> None:
    """In their order, each as it is among all."""
    artifact = novels.passages(novels.partition())
    passages = list(read_passages(artifact))
    assert [*read_passages(artifact, which={passage.id for passage in passages[::7]}.__contains__)] == passages[::7]


@pytest.mark.slow
def test_two_workers_write_the_same_bytes(novels: Novels) -> None:
    """Novels may be cut anywhere and in any order."""
    partition = novels.partition()
    one, counts = novels.passages(partition), novels.counts(partition)
    engine, key = LocalEngine(2), StageKey("passages", 1, {"workers": "2"})
    with novels.store.writing(key) as writer:
        assert writer is not None
        room = Room(novels.store, engine, "passages")
        write_passages(writer, room, partition=partition, counts=counts, settings=SMALL, offensive="builtin")
    engine.close()
    two = novels.store.open(key)
    assert two.manifest["files"] == one.manifest["files"]
    assert {PASSAGES, TOKENS, SOURCE_SENTENCES, REJECTED} < two.manifest["files"].keys()


def test_no_passage_at_all_ends_the_run(novels: Novels) -> None:
    """With the reasons counted, and what would help."""
    with pytest.raises(CorpusError, match=r"no sentence .* ends a passage \(context_cut_by_chapter [\d,]+, .*\)\. Lower passages"):
        novels.passages(novels.partition(), PassagesSettings(min_context_tokens=9000, max_context_tokens=9001))
