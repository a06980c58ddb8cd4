"""The LAMBADA-style dataset (Paperno et al. 2016)."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

import luigi
from pydantic import Field

from cloze_gen.adapters.spacy_tagger import tagger_identity
from cloze_gen.corpus.offensive_words import words_digest
from cloze_gen.corpus.overlap import OverlapSettings
from cloze_gen.corpus.parse_book import BookReason, IngestSettings
from cloze_gen.corpus.partition import PartitionSettings
from cloze_gen.corpus.readers.reader import InputSettings
from cloze_gen.corpus.tagging import TaggerSettings
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.formats.lambada import ANSWER
from cloze_gen.formats.lambada_harness import RENDERINGS
from cloze_gen.judging.verdicts import VerdictFile
from cloze_gen.models.contexts import ContextSettings
from cloze_gen.models.language_model import LmSettings
from cloze_gen.models.networks import NetworksSettings, write_networks
from cloze_gen.pipelines.corpus import (
    Contexts,
    Counts,
    Index,
    Partition,
    TaggedCounts,
    Tagging,
    TrainingNovels,
    TrainingText,
)
from cloze_gen.pipelines.style_task import StyleTask
from cloze_gen.pipelines.task import StageTask
from cloze_gen.recipes.lambada.analysis import write_analysis
from cloze_gen.recipes.lambada.committee import (
    CACHE,
    GUESSED_BY,
    NETWORKS,
    NGRAM,
    PASSAGES_INPUT,
    CacheSettings,
    CommitteeSettings,
    label_of,
    write_cache_scores,
    write_committee,
    write_network_scores,
    write_ngram_scores,
)
from cloze_gen.recipes.lambada.guesses import OPEN, read_guessed, write_guesses
from cloze_gen.recipes.lambada.guessing import GuessingSettings, Verdict
from cloze_gen.recipes.lambada.outside_members import requests, write_outside_scores
from cloze_gen.recipes.lambada.paper_table import LAMBADA_TABLE_1
from cloze_gen.recipes.lambada.passage_set import ControlSettings, write_passage_set
from cloze_gen.recipes.lambada.passages import (
    PassageReason,
    PassagesSettings,
    write_passages,
)
from cloze_gen.recipes.lambada.people import GUESSING
from cloze_gen.recipes.lambada.ranking import (
    RankingReason,
    RankingSettings,
    TriggerSettings,
    write_ranking,
    write_tagged_novels,
)
from cloze_gen.recipes.lambada.release import (
    EXTRA_FILES_ALLOWED,
    FILE_DOCS,
    REFERENCE,
    STORE_FILES_ALLOWED,
    lambada_extra_files,
    lambada_files,
    lambada_store_files,
)
from cloze_gen.recipes.lambada.trace import TRACE
from cloze_gen.records.passage import Part
from cloze_gen.records.rejection import legends_of
from cloze_gen.release.items.passages import PASSAGE_ITEMS
from cloze_gen.release.settings import OrderedReleaseSettings
from cloze_gen.release.style import Facts, Requests, Style
from cloze_gen.settings import SettingsGroup
from cloze_gen.store.artifacts import ArtifactWriter


class LambadaLmSettings(LmSettings):
    order: int = Field(4, ge=2, le=5, description="n of the n-grams")


class LambadaSettings(SettingsGroup):
    input: InputSettings = InputSettings()
    ingest: IngestSettings = IngestSettings()
    overlap: OverlapSettings = OverlapSettings()
    partition: PartitionSettings = PartitionSettings()
    passages: PassagesSettings = PassagesSettings()
    lm: LambadaLmSettings = LambadaLmSettings()
    cache: CacheSettings = CacheSettings()
    networks: NetworksSettings = NetworksSettings()
    committee: CommitteeSettings = CommitteeSettings()
    tagger: TaggerSettings = TaggerSettings()
    contexts: ContextSettings = ContextSettings()
    triggers: TriggerSettings = TriggerSettings()
    ranking: RankingSettings = RankingSettings()
    guessing: GuessingSettings = GuessingSettings()
    control: ControlSettings = ControlSettings()
    release: OrderedReleaseSettings = OrderedReleaseSettings()

    @property
    def context_words(self) -> TriggerSettings:
        """Settings for the words that a context can suggest without containing them."""
        return self.triggers


class Passages(StyleTask):
    """3.1: passages, one for each sentence that can end one."""

    stage = "passages"
    group = "passages"
    version = 2
    needs = {"partition": Partition, "counts": Counts}
    write = staticmethod(write_passages)

    def settings(self) -> dict[str, Any]:
        return super().settings() | {
            "offensive_words": words_digest(self.all_settings.partition.offensive_words)
        }

    def given(self) -> dict[str, Any]:
        return super().given() | {"offensive": self.all_settings.partition.offensive_words}


class TaggedNovels(StyleTask):
    """The training novels that are tagged."""

    stage = "tagged_novels"
    needs = {"novels": TrainingNovels}
    write = staticmethod(write_tagged_novels)


class NovelTagging(Tagging):
    def inputs(self) -> dict[str, StageTask]:
        return {"corpus": self.clone(TaggedNovels)}


class NovelTaggedCounts(TaggedCounts):
    needs = {"tagging": (NovelTagging, "books"), "counts": Counts}


class NgramScores(StyleTask):
    stage = "scores_ngram"
    needs = {"passages": Passages, "counts": Counts, "index": Index}
    write = staticmethod(write_ngram_scores)


class CacheScores(StyleTask):
    stage = "scores_cache"
    group = "cache"
    needs = {"passages": Passages, "ngram": NgramScores}
    write = staticmethod(write_cache_scores)


class Networks(StyleTask):
    stage = "networks"
    group = "networks"
    version = 2
    draws = True
    needs = {"text": TrainingText, "counts": Counts}
    write = staticmethod(write_networks)

    @property
    def kinds(self) -> list[str]:
        return [member for member in NETWORKS if member in self.all_settings.committee.members]

    def settings(self) -> dict[str, Any]:
        return super().settings() | {"kinds": self.kinds}

    def given(self) -> dict[str, Any]:
        return super().given() | {"kinds": self.kinds}


class NetworkScores(StyleTask):
    stage = "scores_network"
    kind: Any = luigi.ChoiceParameter(choices=NETWORKS)
    needs = {"passages": Passages, "networks": Networks}
    write = staticmethod(write_network_scores)

    @property
    def label(self) -> str:
        return f"scores {self.kind}"

    def settings(self) -> dict[str, Any]:
        return {"kind": self.kind}

    def given(self) -> dict[str, Any]:
        return {"kind": self.kind}


class OutsideScores(StyleTask):
    """Scores of a causal model in a folder, or from a file; identified by content."""

    stage = "scores_outside"
    member = luigi.Parameter(description="hf:FOLDER or scores:FILE")
    needs = {"passages": Passages}

    @property
    def label(self) -> str:
        return f"scores {label_of(self.member)}"

    def settings(self) -> dict[str, Any]:
        digest = self.digest_of(self.member, setting="committee.members")
        return {"member": digest, "rendering": self.all_settings.committee.rendering}

    def work(self, writer: ArtifactWriter, ctx: StageContext) -> None:
        write_outside_scores(
            writer,
            ctx,
            **self.artifacts(),
            member=self.member,
            rendering=self.all_settings.committee.rendering,
        )
        self.check_unchanged(self.member, self.key.settings["member"], setting="committee.members")


class Committee(StyleTask):
    """3.1: rejects a passage that any member guesses."""

    stage = "committee"
    group = "committee"
    # The label of a member is covered here, its content as an input, the rendering in its scores.
    not_covered = frozenset({"members", "rendering"})

    def inputs(self) -> dict[str, StageTask]:
        built_in: dict[str, StageTask] = {
            NGRAM: self.clone(NgramScores),
            CACHE: self.clone(CacheScores),
        }
        built_in |= {kind: self.clone(NetworkScores, kind=kind) for kind in NETWORKS}
        members = {
            label_of(member): built_in.get(member) or self.clone(OutsideScores, member=member)
            for member in self.own.members
        }
        return {PASSAGES_INPUT: self.clone(Passages)} | members

    def settings(self) -> dict[str, Any]:
        """Members by label; the content of a user's folder is covered as an input."""
        return super().settings() | {"members": [label_of(member) for member in self.own.members]}

    def work(self, writer: ArtifactWriter, ctx: StageContext) -> None:
        scores = self.artifacts()
        write_committee(
            writer,
            ctx,
            passages=scores.pop(PASSAGES_INPUT),
            scores=scores,
            threshold=self.own.threshold,
        )


class Ranking(StyleTask):
    """The order in which people judge passages; not in the paper, whose order is random."""

    stage = "ranking"
    group = "ranking"
    version = 5
    draws = True
    also_reads = {
        name: f"guessing.{name}"
        for name in ("passage_subjects", "sentence_subjects", "sentence_guesses")
    }
    needs = {
        "passages": Passages,
        "committee": Committee,
        "index": Index,
        "counts": Counts,
        "tagged_counts": NovelTaggedCounts,
        "contexts": Contexts,
    }
    write = staticmethod(write_ranking)

    def given(self) -> dict[str, Any]:
        return super().given() | {"guessing": self.all_settings.guessing}

    def remedy(self) -> str:
        return f"{super().remedy()} A number as ranking.n_passages ranks passages of any kind."


class Guesses(StyleTask):
    """3.1: two people guess the target from the passage, ten miss it given the sentence."""

    stage = "guesses"
    group = "guessing"
    version = 2
    not_covered = frozenset(GuessingSettings.model_fields) - {"judges", *GuessingSettings().rules}
    needs = {"ranking": Ranking}
    write = staticmethod(write_guesses)

    @functools.cached_property
    def verdicts(self) -> VerdictFile | None:
        """Read once, so that the fingerprint covers the verdicts that are counted."""
        return read_guessed(self.own.verdicts) if self.own.verdicts else None

    def settings(self) -> dict[str, Any]:
        """Judges and rules; not paths, pages or pay."""
        return super().settings() | ({"verdicts": self.verdicts.digest} if self.verdicts else {})

    def given(self) -> dict[str, Any]:
        return super().given() | {"people": self.verdicts}


class PassageSet(StyleTask):
    stage = "passage_set"
    group = "control"
    version = 3
    draws = True
    needs = {
        "partition": Partition,
        "passages": Passages,
        "committee": Committee,
        "ranking": Ranking,
        "guesses": Guesses,
    }
    write = staticmethod(write_passage_set)

    def remedy(self) -> str:
        """Passages without a verdict are left out once people have guessed."""
        advice = (
            "Run `cloze-gen judge status` to see the open passages and collect more guesses. "
            if self.all_settings.guessing.verdicts
            else ""
        )
        return advice + super().remedy()


class Analysis(StyleTask):
    """3.2, 3.3: compares the set with a random sample of the passages before judging."""

    stage = "analysis"
    group = "tagger"
    version = 2
    not_covered = frozenset({"name"})  # covered with the versions of its parts
    draws = True
    needs = {"passages": Passages, "committee": Committee, "finished": PassageSet}
    write = staticmethod(write_analysis)

    def settings(self) -> dict[str, Any]:
        return super().settings() | {"tagger": tagger_identity(self.own.name)}


JUDGED = {
    "none": "judged: none (no person has guessed the targets, so some may be impossible to guess)",
    "machine": "judged: machine (a model of a reader guessed every target from the passage but not "
    "from its sentence alone; no person has judged them)",
    "human": "judged: human ({people}, {decided:,} decided, {kept:,} kept, {open:,} open, "
    "{not_shown:,} of these not shown to anyone)",
}


def model_name(settings: LambadaSettings, fingerprints: Mapping[str, str]) -> str:
    judges = "human" if settings.guessing.verdicts else settings.guessing.judges
    return f"committee-{fingerprints['committee'][:8]},judged-{judges}"


def judged(facts: Facts) -> str:
    guesses = facts["guesses"]
    subjects = guesses.get("subjects", 0)
    return (
        JUDGED[guesses["judged"]]
        .format(people=f"{subjects:,} judge{'s' * (subjects != 1)}", **guesses)
        .removeprefix("judged: ")
    )


def people(facts: Facts) -> Mapping[str, str]:
    """The human judgements, for the signature."""
    return {"judged": judged(facts)} if facts["guesses"]["judged"] == "human" else {}


def notes(settings: LambadaSettings, facts: Facts) -> Sequence[str]:
    members = ", ".join(map(label_of, settings.committee.members))
    return [
        f"judged: {judged(facts)}",
        f"committee: {members}; each gives every target a probability below "
        f"{settings.committee.threshold}",
    ]


LEGENDS = legends_of(
    BookReason,
    PassageReason,
    RankingReason,
    Verdict,
    more={
        OPEN: "readers have not yet answered (or only in part)",
        f"{GUESSED_BY}*": "this model gives the target a probability of committee.threshold or "
        "more",
    },
)

STYLE = Style(
    name="lambada-style",
    title="LAMBADA-style",
    paper="Paperno et al. 2016, The LAMBADA dataset: word prediction requiring a broad discourse "
    "context.",
    reference=REFERENCE,
    settings=LambadaSettings,
    sample_config="lambada-sample",
    sides=("books",),
    items=PASSAGE_ITEMS,
    last=PassageSet,
    files=lambada_files,
    extra_files=lambada_extra_files,
    extra_files_allowed=EXTRA_FILES_ALLOWED,
    store_files_allowed=STORE_FILES_ALLOWED,
    judged=judged,
    people=people,
    store_files=lambada_store_files,
    file_docs=FILE_DOCS,
    extra_stages=(Analysis,),
    filtered_by={"books": "partition"},
    has_items=lambda row: row["part"] != Part.TRAIN,
    trace=TRACE,
    legends=LEGENDS,
    table=LAMBADA_TABLE_1,
    training=TrainingNovels,
    trained_on="training novels",
    requests=Requests(
        "passages", RENDERINGS, requests, ANSWER, "add scores:FILE to committee.members"
    ),
    study_sources=(GUESSING,),
    notes=notes,
    model=model_name,
)
