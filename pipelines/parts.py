"""The tasks of the styles that deal one folder of novels into train, development and test."""

from __future__ import annotations

from typing import Any

from cloze_gen.pipelines.corpus import Corpus
from cloze_gen.pipelines.style_task import StyleTask
from cloze_gen.records.passage import Part
from cloze_gen.stages.corpus.partition import write_part, write_partition
from cloze_gen.stages.offensive_words import words_digest
from cloze_gen.stages.room import Room
from cloze_gen.store.artifacts import ArtifactWriter


class Partition(StyleTask):
    """Every novel in one of three parts, by its own draw."""

    stage = "partition"
    group = "partition"
    version = 2
    draws = True
    needs = {"corpus": (Corpus, "books")}
    write = staticmethod(write_partition)

    def settings(self) -> dict[str, Any]:
        return super().settings() | {"offensive_words": words_digest(self.own.offensive_words)}


class TrainingNovels(StyleTask):
    """The novels that models are made of."""

    stage = "training_novels"
    needs = {"partition": Partition}

    @property
    def label(self) -> str:
        return "training novels"

    def work(self, writer: ArtifactWriter, room: Room) -> None:
        write_part(writer, room, partition=self.artifact("partition"), part=Part.TRAIN)
