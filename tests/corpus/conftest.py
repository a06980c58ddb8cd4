"""A corpus of small novels in a store, and the first stages over it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from cloze_gen.corpus.frequencies import write_counts
from cloze_gen.corpus.ingest import write_ingest
from cloze_gen.corpus.offensive_words import offensive_words
from cloze_gen.corpus.overlap import write_overlap
from cloze_gen.corpus.parse_book import IngestSettings
from cloze_gen.corpus.partition import PartitionSettings, write_part, write_partition
from cloze_gen.records.passage import Part
from cloze_gen.store.artifacts import Store
from tests.support.books import collection
from tests.support.stage import made

_SCENES = (
    '"Who is there?" asked {name}. Nobody answered, and the {thing} of no {day} went out. It was '
    "{name} who found the {thing} again by candle-\n"
    "light, long after the other {day} had gone to bed.",
    "In the morning the {thing} was gone. {name} looked for it {day} times in the garden, but it "
    "was not in the {place}.\n\n"
    '"Ask the old man," said her sister. "He was up before the {day} of us. He may have seen it." '
    "They asked him, and he only shook his head.",
    "CHAPTER {number}\n\nThere was no wind. {name} walked to the {place} with the {thing} "
    "under her arm. She never came home again.",
)
_NAMES, _THINGS, _PLACES = (
    ("Jane", "Emma", "Anne", "Fanny", "Clara"),
    ("lantern", "kettle", "ladder", "parcel"),
    ("mill", "harbour", "wood"),
)


def novel(number):
    """A novel of thirty scenes; it shares hardly any eight words with the next ones."""
    scenes = [
        _SCENES[(number + i) % 3].format(
            name=_NAMES[(number * 3 + i) % 5],
            thing=_THINGS[(number + 2 * i) % 4],
            place=f"{_PLACES[i % 3]} of no {number}-{i}",
            number=i + 1,
            day=number * 100 + i,
        )
        for i in range(30)
    ]
    return "\n\n".join(
        f"{scene} That was on the day {number * 100 + i} of the year."
        for i, scene in enumerate(scenes)
    )


@dataclass
class Novels:
    """A folder of novels, and what the stages make of it."""

    books: Path
    store: Store

    def stage(self, name, write, **given):
        """The artifact of one stage, made where it is not there yet."""
        return made(self.store, name, write, **given)

    def corpus(self):
        own = self.stage(
            "ingest",
            write_ingest,
            books=collection(self.books, store=self.store).books,
            settings=IngestSettings(min_word_tokens=20),
        )
        return self.stage(
            "corpus",
            write_overlap,
            own=own,
            other=None,
            side="books",
        )

    def partition(self, *, seed=1, **settings):
        given = PartitionSettings.model_validate(settings)
        return self.stage(
            "partition",
            write_partition,
            corpus=self.corpus(),
            settings=given,
            offensive=offensive_words(given.offensive_words),
            seed=seed,
        )

    def counts(self, partition):
        return self.stage(
            "counts",
            write_counts,
            corpus=self.stage("novels", write_part, partition=partition, part=Part.TRAIN),
        )


def write_novels(books):
    """Eight novels, two of them in a folder of their own."""
    (books / "Romance").mkdir(parents=True)
    for number in range(8):
        (books / ("Romance" if number < 2 else "") / f"novel{number}.txt").write_text(novel(number))


@pytest.fixture
def novels(tmp_path):
    """Eight novels that a test may change."""
    write_novels(tmp_path / "books")
    return Novels(tmp_path / "books", Store(tmp_path / "out"))
