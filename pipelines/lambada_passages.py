"""What a LAMBADA-style set is drawn from (Paperno et al. 2016, 3.1): passages, and the members of the committee that they must pass."""

from __future__ import annotations

from typing import Any

import luigi

from cloze_gen.errors import UsageError
from cloze_gen.notation import shown
from cloze_gen.pipelines.corpus import Counts, TaggedCounts, Tagging, TrainingText
from cloze_gen.pipelines.models import Index
from cloze_gen.pipelines.parts import Partition, TrainingNovels
from cloze_gen.pipelines.style_task import StyleTask
from cloze_gen.pipelines.task import StageTask, is_planning
from cloze_gen.recipes.lambada.stages.committee import write_committee
from cloze_gen.recipes.lambada.stages.members import write_cache_scores, write_network_scores, write_ngram_scores
from cloze_gen.recipes.lambada.stages.outside_members import outside_digest, write_outside_scores
from cloze_gen.recipes.lambada.stages.passages import write_passages
from cloze_gen.recipes.lambada.stages.tagged_novels import write_tagged_novels
from cloze_gen.recipes.lambada.steps.committee import CACHE, NETWORKS, NGRAM, PASSAGES_INPUT, label_of
from cloze_gen.stages.models.networks import write_networks
from cloze_gen.stages.offensive_words import words_digest
from cloze_gen.stages.room import Room
from cloze_gen.store.artifacts import ArtifactWriter

MOST_PLANNED_BYTES = 256 * 2**20  # of a member's files: a plan reads no more


class Passages(StyleTask):
    """3.1: every sentence asked whether it ends a passage."""

    stage = "passages"
    group = "passages"
    version = 2
    needs = {"partition": Partition, "counts": Counts}

    def settings(self) -> dict[str, Any]:
        return super().settings() | {"offensive_words": words_digest(self.all_settings.partition.offensive_words)}

    def work(self, writer: ArtifactWriter, room: Room) -> None:
        write_passages(writer, room, **self.artifacts(), settings=self.own, offensive=self.all_settings.partition.offensive_words)


class TaggedNovels(StyleTask):
    """As many of the training novels as are tagged."""

    stage = "tagged_novels"
    needs = {"novels": TrainingNovels}

    @property
    def label(self) -> str:
        return "tagged novels"

    def settings(self) -> dict[str, Any]:
        return {"tagged_tokens": self.all_settings.ranking.tagged_tokens}

    def work(self, writer: ArtifactWriter, room: Room) -> None:
        write_tagged_novels(writer, room, **self.artifacts(), settings=self.all_settings.ranking)


class NovelTagging(Tagging):
    """The tags of these novels."""

    def inputs(self) -> dict[str, StageTask]:
        return {"corpus": self.clone(TaggedNovels)}


class NovelTaggedCounts(TaggedCounts):
    """What class each word is of."""

    needs = {"tagging": (NovelTagging, "books"), "counts": Counts}


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


class OutsideScores(StyleTask):
    """A member of the committee: a causal model in a folder, or the answers of a file; known by their content."""

    stage = "scores_outside"
    member = luigi.Parameter(description="hf:FOLDER or scores:FILE")
    needs = {"passages": Passages}

    @property
    def label(self) -> str:
        return f"scores {label_of(self.member)}"

    def settings(self) -> dict[str, Any]:
        digest = outside_digest(self.member, self.store.store, most_bytes=MOST_PLANNED_BYTES if is_planning() else None)
        return {"member": digest, "rendering": self.all_settings.committee.rendering}

    def work(self, writer: ArtifactWriter, room: Room) -> None:
        write_outside_scores(writer, room, **self.artifacts(), member=self.member, rendering=self.all_settings.committee.rendering)
        if outside_digest(self.member, self.store.store) != self.key.settings["member"]:
            raise UsageError(f"committee.members: {shown(self.member)}: changed while it was read. Run again when nothing writes to it.")


class Committee(StyleTask):
    """3.1: a passage falls that any member guesses."""

    stage = "committee"
    group = "committee"

    def inputs(self) -> dict[str, StageTask]:
        ours: dict[str, StageTask] = {NGRAM: self.clone(NgramScores), CACHE: self.clone(CacheScores)}
        ours |= {kind: self.clone(NetworkScores, kind=kind) for kind in NETWORKS}
        members = {label_of(member): ours.get(member) or self.clone(OutsideScores, member=member) for member in self.own.members}
        return {PASSAGES_INPUT: self.clone(Passages)} | members

    def settings(self) -> dict[str, Any]:
        """Members by their labels: a folder of the user's is no setting, its content is an input's."""
        return {"members": [label_of(member) for member in self.own.members], "threshold": self.own.threshold}

    def work(self, writer: ArtifactWriter, room: Room) -> None:
        scores = self.artifacts()
        write_committee(writer, room, passages=scores.pop(PASSAGES_INPUT), scores=scores, threshold=self.own.threshold)
