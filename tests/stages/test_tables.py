"""Sentences and rejections on disk and back."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.records.sentence import Sentence, sentence_of
from cloze_gen.stages.tables import SOURCE_SENTENCES, read_source_sentences, sentence_columns
from cloze_gen.store.artifacts import Artifact
from cloze_gen.store.tables import write_parquet

TOKENS = st.lists(st.sampled_from(["He", "to-day", "'em", "--", "été", "."]), min_size=1, max_size=6).map(tuple)
SENTENCES = st.lists(
    st.builds(
        Sentence,
        st.sampled_from(["a", "pg0042", "x:y"]),
        st.integers(0, 9),
        st.integers(0, 10**6),
        st.integers(0, 10**6),
        st.integers(0, 9),
        st.sampled_from(["prose", "verse"]),
        st.text(max_size=9),
        TOKENS,
    ),
    unique_by=lambda sentence: sentence.id,
)


@given(SENTENCES)
def test_sentences_come_back_as_they_were(sentences: list[Sentence]) -> None:
    """Every field, in the same order, by id."""
    with tempfile.TemporaryDirectory() as folder:
        write_parquet(Path(folder) / SOURCE_SENTENCES, sentence_columns(sentences))
        found = read_source_sentences(Artifact(Path(folder), {}))
    assert list(found.values()) == sentences
    assert list(found) == [sentence.id for sentence in sentences]


@given(SENTENCES, st.integers(0, 200))
def test_an_item_names_its_sentence(sentences: list[Sentence], position: int) -> None:
    """A book's id may hold colons of its own."""
    for sentence in sentences:
        assert sentence_of(f"{sentence.id}:{position}") == sentence.id
