"""The LAMBADA-style dataset (Paperno et al. 2016): novels -> parts -> passages -> committee -> set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import luigi

from cloze_gen.pipelines.corpus import Corpus, Counts, TrainingText
from cloze_gen.pipelines.models import Index
from cloze_gen.pipelines.style_task import StyleTask
from cloze_gen.pipelines.task import StageTask
from cloze_gen.recipes.lambada.release import lambada_files
from cloze_gen.recipes.lambada.stages.committee import write_committee
from cloze_gen.recipes.lambada.stages.members import write_cache_scores, write_network_scores, write_ngram_scores
from cloze_gen.recipes.lambada.stages.partition import write_part, write_partition
from cloze_gen.recipes.lambada.stages.passage_set import write_passage_set
from cloze_gen.recipes.lambada.stages.passages import write_passages
from cloze_gen.recipes.lambada.steps.committee import CACHE, NETWORKS, NGRAM, CacheSettings, CommitteeSettings
from cloze_gen.recipes.lambada.steps.control import ControlSettings
from cloze_gen.recipes.lambada.steps.partition import PartitionSettings
from cloze_gen.recipes.lambada.steps.passages import PassagesSettings
from cloze_gen.recipes.lambada.trace import TRACE
from cloze_gen.records.passage import Part
from cloze_gen.settings import SettingsGroup
from cloze_gen.stages.corpus.overlap import OverlapSettings
from cloze_gen.stages.item_kind import PASSAGE_ITEMS
from cloze_gen.stages.models.language_model import LmSettings
from cloze_gen.stages.models.networks import NetworksSettings, write_networks
from cloze_gen.stages.offensive_words import words_digest
from cloze_gen.stages.release import ReleaseSettings
from cloze_gen.stages.room import Room
from cloze_gen.stages.style import Style
from cloze_gen.store.artifacts import ArtifactWriter
from cloze_gen.text.parse_book import IngestSettings


class LambadaSettings(SettingsGroup):
    """All settings of the style, one group a stage; each group's model stands above its step."""

    ingest: IngestSettings = IngestSettings()
    overlap: OverlapSettings = OverlapSettings()
    partition: PartitionSettings = PartitionSettings()
    passages: PassagesSettings = PassagesSettings()
    lm: LmSettings = LmSettings(order=4)
    cache: CacheSettings = CacheSettings()
    networks: NetworksSettings = NetworksSettings()
    committee: CommitteeSettings = CommitteeSettings()
    control: ControlSettings = ControlSettings()
    release: ReleaseSettings = ReleaseSettings()


class Partition(StyleTask):
    """3.1: half of the novels for training, a quarter each for development and test."""

    stage = "partition"
    group = "partition"
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


class Passages(StyleTask):
    """3.1: every sentence asked whether it ends a passage."""

    stage = "passages"
    group = "passages"
    needs = {"partition": Partition, "counts": Counts}

    def settings(self) -> dict[str, Any]:
        return super().settings() | {"offensive_words": words_digest(self.all_settings.partition.offensive_words)}

    def work(self, writer: ArtifactWriter, room: Room) -> None:
        write_passages(writer, room, **self.artifacts(), settings=self.own, offensive=self.all_settings.partition.offensive_words)


class NgramScores(StyleTask):
    """A member of the committee: the 4-gram model."""

    stage = "scores_ngram"
    needs = {"passages": Passages, "counts": Counts, "index": Index}
    write = staticmethod(write_ngram_scores)

    @property
    def label(self) -> str:
        return "scores ngram"


class CacheScores(StyleTask):
    """A member of the committee: the 4-gram model with a cache."""

    stage = "scores_cache"
    group = "cache"
    needs = {"passages": Passages, "ngram": NgramScores}
    write = staticmethod(write_cache_scores)

    @property
    def label(self) -> str:
        return "scores cache"


class Networks(StyleTask):
    """The feed-forward and the recurrent network of the training novels."""

    stage = "networks"
    group = "networks"
    draws = True
    needs = {"text": TrainingText, "counts": Counts}

    @property
    def kinds(self) -> list[str]:
        return [member for member in NETWORKS if member in self.all_settings.committee.members]

    def settings(self) -> dict[str, Any]:
        return super().settings() | {"kinds": self.kinds}

    def work(self, writer: ArtifactWriter, room: Room) -> None:
        write_networks(writer, room, **self.artifacts(), settings=self.own, kinds=self.kinds, seed=self.seed)  # type: ignore[arg-type]


class NetworkScores(StyleTask):
    """A member of the committee: a network."""

    stage = "scores_network"
    kind: Any = luigi.ChoiceParameter(choices=NETWORKS)
    needs = {"passages": Passages, "networks": Networks}

    @property
    def label(self) -> str:
        return f"scores {self.kind}"

    def settings(self) -> dict[str, Any]:
        return {"kind": self.kind}

    def work(self, writer: ArtifactWriter, room: Room) -> None:
        write_network_scores(writer, room, **self.artifacts(), kind=self.kind)


class Committee(StyleTask):
    """3.1: a passage falls that any member guesses."""

    stage = "committee"
    group = "committee"

    def inputs(self) -> dict[str, StageTask]:
        members: dict[str, StageTask] = {NGRAM: self.clone(NgramScores), CACHE: self.clone(CacheScores)}
        members |= {kind: self.clone(NetworkScores, kind=kind) for kind in NETWORKS}
        return {"passages": self.clone(Passages)} | {member: members[member] for member in self.own.members}

    def work(self, writer: ArtifactWriter, room: Room) -> None:
        scores = self.artifacts()
        write_committee(writer, room, passages=scores.pop("passages"), scores=scores, settings=self.own)


class PassageSet(StyleTask):
    """The survivors and the control set; nobody has judged them."""

    stage = "passage_set"
    group = "control"
    draws = True
    needs = {"partition": Partition, "passages": Passages, "committee": Committee}
    write = staticmethod(write_passage_set)

    @property
    def label(self) -> str:
        return "passage set"


def model_name(settings: LambadaSettings, fingerprints: Mapping[str, str]) -> str:
    """The committee, for the signature."""
    return f"committee-{fingerprints['committee'][:8]}"


def notes(settings: LambadaSettings) -> Sequence[str]:
    """What a user of the set must know of the settings."""
    return [f"judged: none (no person has guessed); kept where each of {', '.join(settings.committee.members)} gives the target less than "
            f"{settings.committee.threshold}"]  # fmt: skip


STYLE = Style(
    name="lambada-style",
    title="LAMBADA-style",
    paper="Paperno et al. 2016, The LAMBADA dataset: word prediction requiring a broad discourse context.",
    settings=LambadaSettings,
    sample_config="lambada-sample",
    sides=("books",),
    items=PASSAGE_ITEMS,
    last=PassageSet,
    files=lambada_files,
    levels={"partition": "novels", "passages": "passages", "committee": "passages that no model guesses"},
    trace=TRACE,
    training=TrainingNovels,
    trained_on="training novels",
    notes=notes,
    model=model_name,
)
