"""The corpus of small novels, and the stages of the recipe over it."""

import pytest

from cloze_gen.corpus.offensive_words import offensive_words
from cloze_gen.recipes.lambada.passages import PassagesSettings, write_passages
from cloze_gen.store.artifacts import Store
from tests.corpus.conftest import Novels as NovelsInParts
from tests.corpus.conftest import write_novels

SMALL = PassagesSettings(min_context_tokens=12, min_target_sentence_tokens=5)


class Novels(NovelsInParts):
    """And the passages of the recipe."""

    def passages(self, partition, settings=SMALL):
        counts = self.counts(partition)
        return self.stage(
            "passages",
            write_passages,
            partition=partition,
            counts=counts,
            settings=settings,
            offensive=offensive_words("builtin"),
        )


def make_novels(folder):
    """Eight novels, two of them in a folder of their own."""
    write_novels(folder / "books")
    return Novels(folder / "books", Store(folder / "out"))


@pytest.fixture
def novels(tmp_path):
    """Eight novels that a test may change."""
    return make_novels(tmp_path)
