"""The LAMBADA-style dataset (Paperno et al. 2016): novels -> parts -> passages -> committee -> set."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

from cloze_gen.adapters.tagger_identity import tagger_identity
from cloze_gen.formats.lambada.harness import RENDERINGS
from cloze_gen.formats.lambada.requests import ANSWER
from cloze_gen.formats.verdicts import VerdictFile
from cloze_gen.pipelines.corpus import Counts
from cloze_gen.pipelines.lambada_passages import Committee, NovelTaggedCounts, Passages
from cloze_gen.pipelines.models import Contexts, Index
from cloze_gen.pipelines.parts import Partition, TrainingNovels
from cloze_gen.pipelines.style_task import StyleTask
from cloze_gen.recipes.lambada.asking import ASKING
from cloze_gen.recipes.lambada.paper_table import LAMBADA_TABLE_1
from cloze_gen.recipes.lambada.release import (
    MAY_BE_TAKEN,
    MAY_STAND_BESIDE,
    REFERENCE,
    TOLD_FILES,
    LambadaReleaseSettings,
    lambada_beside,
    lambada_files,
    lambada_store_files,
)
from cloze_gen.recipes.lambada.stages.analysis import write_analysis
from cloze_gen.recipes.lambada.stages.guesses import write_guesses
from cloze_gen.recipes.lambada.stages.human_guesses import read_guessed
from cloze_gen.recipes.lambada.stages.outside_members import requests
from cloze_gen.recipes.lambada.stages.passage_set import write_passage_set
from cloze_gen.recipes.lambada.stages.published_novels import write_published_novels
from cloze_gen.recipes.lambada.stages.ranking import write_ranking
from cloze_gen.recipes.lambada.steps.committee import CACHE, FEEDFORWARD, NETWORKS, RECURRENT, CacheSettings, CommitteeSettings, label_of
from cloze_gen.recipes.lambada.steps.control import ControlSettings
from cloze_gen.recipes.lambada.steps.guessing import GuessingSettings
from cloze_gen.recipes.lambada.steps.passages import PassagesSettings
from cloze_gen.recipes.lambada.steps.ranking import RankingSettings, TriggerSettings
from cloze_gen.recipes.lambada.trace import TRACE
from cloze_gen.records.passage import Part
from cloze_gen.settings import IgnoredWhen, SettingsGroup
from cloze_gen.stages.corpus.overlap import IGNORED_OF_ONE_SIDE, OverlapSettings
from cloze_gen.stages.corpus.tags import TaggerSettings
from cloze_gen.stages.items.passages import PASSAGE_ITEMS
from cloze_gen.stages.models.contexts import ContextSettings
from cloze_gen.stages.models.language_model import LmSettings
from cloze_gen.stages.models.networks import NetworksSettings
from cloze_gen.stages.room import Room
from cloze_gen.stages.style import Facts, Requests, Style
from cloze_gen.store.artifacts import ArtifactWriter
from cloze_gen.text.parse_book import IngestSettings
from cloze_gen.text.partition import PartitionSettings


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

    ignored_when = (
        *IGNORED_OF_ONE_SIDE,
        IgnoredWhen(("cache.weight",), {"committee.members": lambda members: CACHE not in members}),
        IgnoredWhen(
            tuple(f"networks.{name}" for name in NetworksSettings.model_fields),
            {"committee.members": lambda members: not set(NETWORKS) & set(members)},
        ),
        IgnoredWhen(
            ("networks.history", "networks.feedforward_hidden", "networks.feedforward_words"),
            {"committee.members": lambda members: FEEDFORWARD not in members},
        ),
        IgnoredWhen(
            ("networks.recurrent_hidden", "networks.recurrent_words"), {"committee.members": lambda members: RECURRENT not in members}
        ),
    )

    @property
    def context_words(self) -> TriggerSettings:
        """The words that a context can speak of without naming them are those whose contexts are known."""
        return self.triggers


class Ranking(StyleTask):
    """The order in which people are asked, who are dear: not in the paper, whose order is random."""

    stage = "ranking"
    group = "ranking"
    version = 3
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
    version = 2
    needs = {"ranking": Ranking}

    @functools.cached_property
    def verdicts(self) -> VerdictFile | None:
        """Read once, for the fingerprint must be that of the verdicts that were counted."""
        return read_guessed(self.own.verdicts) if self.own.verdicts else None

    def settings(self) -> dict[str, Any]:
        """Who judged and by which rules; of a file of verdicts what it says, not where it lies; neither pages nor their pay."""
        return self.own.rules | ({"verdicts": self.verdicts.digest} if self.verdicts else {"judges": self.own.judges})

    def work(self, writer: ArtifactWriter, room: Room) -> None:
        write_guesses(writer, room, **self.artifacts(), settings=self.own, people=self.verdicts)


class PassageSet(StyleTask):
    """The passages that stand, and the control set."""

    stage = "passage_set"
    group = "control"
    version = 3
    draws = True
    needs = {"partition": Partition, "passages": Passages, "committee": Committee, "ranking": Ranking, "guesses": Guesses}
    write = staticmethod(write_passage_set)

    @property
    def label(self) -> str:
        return "passage set"

    def remedy(self) -> str:
        """Open passages are in no set once people have guessed."""
        waiting = "Collect more guesses (`cloze-gen judge status` tells what is open). " if self.all_settings.guessing.verdicts else ""
        return waiting + super().remedy()


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
    "none": "judged: none (no person has guessed, so nobody knows which targets a reader finds)",
    "machine": "judged: machine (a stand-in guessed every target from the passage and not from the sentence; no person has)",
    "human": "judged: human ({people}, {decided:,} decided, {kept:,} kept, {open:,} open, {not_asked:,} of these unasked)",
}


def model_name(settings: LambadaSettings, fingerprints: Mapping[str, str]) -> str:
    """The committee and who judged, for the signature."""
    judges = "human" if settings.guessing.verdicts else settings.guessing.judges
    return f"committee-{fingerprints['committee'][:8]},judged-{judges}"


def judged(facts: Facts) -> str:
    """Who has judged the passages."""
    told = facts["guesses"]
    subjects = told.get("subjects", 0)
    return JUDGED[told["judged"]].format(people=f"{subjects:,} judge{'s' * (subjects != 1)}", **told).removeprefix("judged: ")


def people(facts: Facts) -> Mapping[str, str]:
    """What people did, for the signature."""
    return {"judged": judged(facts)} if facts["guesses"]["judged"] == "human" else {}


def notes(settings: LambadaSettings, facts: Facts) -> Sequence[str]:
    """What a user of the set must know of the settings and of the guessing."""
    members = ", ".join(map(label_of, settings.committee.members))
    return [f"judged: {judged(facts)}", f"each of {members} gives every target less than {settings.committee.threshold}"]


def beside(settings: LambadaSettings) -> list[type[StyleTask]]:
    """What is made beside the set: its analysis, and the text of the training novels where it is asked for."""
    return [Analysis] if settings.release.train_text == "none" else [Analysis, PublishedNovels]


STYLE = Style(
    name="lambada-style",
    title="LAMBADA-style",
    paper="Paperno et al. 2016, The LAMBADA dataset: word prediction requiring a broad discourse context.",
    reference=REFERENCE,
    settings=LambadaSettings,
    sample_config="lambada-sample",
    sides=("books",),
    items=PASSAGE_ITEMS,
    last=PassageSet,
    files=lambada_files,
    beside_files=lambada_beside,
    may_stand_beside=MAY_STAND_BESIDE,
    may_be_taken=MAY_BE_TAKEN,
    judged=judged,
    people=people,
    store_files=lambada_store_files,
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
    requests=Requests("passages", RENDERINGS, requests, ANSWER, "add scores:FILE to committee.members"),
    asks=(ASKING,),
    notes=notes,
    model=model_name,
)
