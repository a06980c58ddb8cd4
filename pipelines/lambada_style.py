"""The LAMBADA-style dataset (Paperno et al. 2016): novels -> parts -> passages -> committee -> set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import luigi

from cloze_gen.pipelines.corpus import Corpus, Counts, TaggedCounts, Tagging, TrainingText
from cloze_gen.pipelines.models import Contexts, Index
from cloze_gen.pipelines.style_task import StyleTask, tagger_identity
from cloze_gen.pipelines.task import StageTask
from cloze_gen.recipes.lambada.paper_table import LAMBADA_TABLE_1
from cloze_gen.recipes.lambada.release import TOLD_FILES, LambadaReleaseSettings, lambada_files
from cloze_gen.recipes.lambada.stages.analysis import write_analysis
from cloze_gen.recipes.lambada.stages.committee import write_committee
from cloze_gen.recipes.lambada.stages.guesses import write_guesses
from cloze_gen.recipes.lambada.stages.members import write_cache_scores, write_network_scores, write_ngram_scores
from cloze_gen.recipes.lambada.stages.outside_members import outside_digest, write_outside_scores
from cloze_gen.recipes.lambada.stages.partition import write_part, write_partition
from cloze_gen.recipes.lambada.stages.passage_set import write_passage_set
from cloze_gen.recipes.lambada.stages.passages import write_passages
from cloze_gen.recipes.lambada.stages.published_novels import write_published_novels
from cloze_gen.recipes.lambada.stages.ranking import write_ranking
from cloze_gen.recipes.lambada.stages.tagged_novels import write_tagged_novels
from cloze_gen.recipes.lambada.steps.committee import CACHE, NETWORKS, NGRAM, CacheSettings, CommitteeSettings, label_of
from cloze_gen.recipes.lambada.steps.control import ControlSettings
from cloze_gen.recipes.lambada.steps.guessing import GuessingSettings
from cloze_gen.recipes.lambada.steps.partition import PartitionSettings
from cloze_gen.recipes.lambada.steps.passages import PassagesSettings
from cloze_gen.recipes.lambada.steps.ranking import RankingSettings, TriggerSettings
from cloze_gen.recipes.lambada.trace import TRACE
from cloze_gen.records.passage import Part
from cloze_gen.settings import SettingsGroup
from cloze_gen.stages.corpus.overlap import OverlapSettings
from cloze_gen.stages.corpus.tags import TaggerSettings
from cloze_gen.stages.item_kind import PASSAGE_ITEMS
from cloze_gen.stages.models.contexts import ContextSettings
from cloze_gen.stages.models.language_model import LmSettings
from cloze_gen.stages.models.networks import NetworksSettings, write_networks
from cloze_gen.stages.offensive_words import words_digest
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
    tagger: TaggerSettings = TaggerSettings()
    contexts: ContextSettings = ContextSettings()
    triggers: TriggerSettings = TriggerSettings()
    ranking: RankingSettings = RankingSettings()
    guessing: GuessingSettings = GuessingSettings()
    control: ControlSettings = ControlSettings()
    release: LambadaReleaseSettings = LambadaReleaseSettings()

    @property
    def context_words(self) -> TriggerSettings:
        """The words that a context can speak of without naming them are those whose contexts are known."""
        return self.triggers


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


class OutsideScores(StyleTask):
    """A member of the committee: a causal model in a folder, or the answers of a file; known by their content."""

    stage = "scores_outside"
    member = luigi.Parameter(description="hf:FOLDER or scores:FILE")
    needs = {"passages": Passages}

    @property
    def label(self) -> str:
        return f"scores {label_of(self.member)}"

    def settings(self) -> dict[str, Any]:
        return {"member": outside_digest(self.member), "rendering": self.all_settings.committee.rendering}

    def work(self, writer: ArtifactWriter, room: Room) -> None:
        write_outside_scores(writer, room, **self.artifacts(), member=self.member, rendering=self.all_settings.committee.rendering)


class Committee(StyleTask):
    """3.1: a passage falls that any member guesses."""

    stage = "committee"
    group = "committee"

    def inputs(self) -> dict[str, StageTask]:
        ours: dict[str, StageTask] = {NGRAM: self.clone(NgramScores), CACHE: self.clone(CacheScores)}
        ours |= {kind: self.clone(NetworkScores, kind=kind) for kind in NETWORKS}
        members = {label_of(member): ours.get(member) or self.clone(OutsideScores, member=member) for member in self.own.members}
        return {"passages": self.clone(Passages)} | members

    def settings(self) -> dict[str, Any]:
        """Members by their labels: a folder of the user's is no setting, its content is an input's."""
        return {"members": [label_of(member) for member in self.own.members], "threshold": self.own.threshold}

    def work(self, writer: ArtifactWriter, room: Room) -> None:
        scores = self.artifacts()
        write_committee(writer, room, passages=scores.pop("passages"), scores=scores, threshold=self.own.threshold)


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


class Ranking(StyleTask):
    """The order in which people are asked, who are dear: not in the paper, whose order is random."""

    stage = "ranking"
    group = "ranking"
    draws = True
    needs = {
        "passages": Passages,
        "committee": Committee,
        "index": Index,
        "counts": Counts,
        "tagged_counts": NovelTaggedCounts,
        "contexts": Contexts,
    }

    def settings(self) -> dict[str, Any]:
        steps = self.all_settings.guessing.model_dump(include={"passage_subjects", "sentence_subjects", "sentence_guesses"})
        return {name: value for name, value in super().settings().items() if name != "tagged_tokens"} | steps

    def work(self, writer: ArtifactWriter, room: Room) -> None:
        write_ranking(writer, room, **self.artifacts(), settings=self.own, guessing=self.all_settings.guessing, seed=self.seed)


class Guesses(StyleTask):
    """3.1: two subjects who guess from the passage, ten who do not from the sentence."""

    stage = "guesses"
    group = "guessing"
    needs = {"ranking": Ranking}
    write = staticmethod(write_guesses)


class PassageSet(StyleTask):
    """The passages that stand, and the control set."""

    stage = "passage_set"
    group = "control"
    version = 2
    draws = True
    needs = {"partition": Partition, "passages": Passages, "committee": Committee, "ranking": Ranking, "guesses": Guesses}
    write = staticmethod(write_passage_set)

    @property
    def label(self) -> str:
        return "passage set"


class Analysis(StyleTask):
    """3.2, 3.3: what the passages are like, beside a random sample of what people could be asked about."""

    stage = "analysis"
    group = "tagger"
    draws = True
    needs = {"passages": Passages, "committee": Committee, "finished": PassageSet}
    write = staticmethod(write_analysis)

    def settings(self) -> dict[str, Any]:
        return {"tagger": tagger_identity(self.own.name)}


class PublishedNovels(StyleTask):
    """The training novels as the published ones are tokenized, where they are to be released."""

    stage = "published_novels"
    needs = {"novels": TrainingNovels, "counts": Counts}
    write = staticmethod(write_published_novels)

    @property
    def label(self) -> str:
        return "published novels"


JUDGED = {
    "none": "judged: none (nobody has guessed; the passages stand in the order in which people would be asked)",
    "machine": "judged: machine (a stand-in guessed every target from the passage and not from the sentence; no person has)",
}


def model_name(settings: LambadaSettings, fingerprints: Mapping[str, str]) -> str:
    """The committee, for the signature."""
    return f"committee-{fingerprints['committee'][:8]}"


def notes(settings: LambadaSettings) -> Sequence[str]:
    """What a user of the set must know of the settings."""
    members = ", ".join(map(label_of, settings.committee.members))
    return [JUDGED[settings.guessing.judges], f"each of {members} gives every target less than {settings.committee.threshold}"]


def beside(settings: LambadaSettings) -> list[type[StyleTask]]:
    """What is made beside the set: its analysis, and the text of the training novels where it is asked for."""
    return [Analysis] if settings.release.train_text == "none" else [Analysis, PublishedNovels]


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
    told_files=TOLD_FILES,
    beside=beside,
    narrowed={"books": "partition"},
    gives_items=lambda row: row["part"] != Part.TRAIN,
    levels={
        "partition": "novels",
        "passages": "passages",
        "committee": "passages that no model guesses",
        "ranking": "to be guessed",
        "guesses": "that stand",
    },
    trace=TRACE,
    table=LAMBADA_TABLE_1,
    training=TrainingNovels,
    trained_on="training novels",
    notes=notes,
    model=model_name,
)
