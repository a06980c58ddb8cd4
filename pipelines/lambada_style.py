"""The LAMBADA-style dataset (Paperno et al. 2016)."""

from __future__ import annotations

from pydantic import Field

from cloze_gen.adapters.spacy_tagger import tagger_identity
from cloze_gen.corpus.option_words import OptionLimits
from cloze_gen.corpus.parse_book import BookReason
from cloze_gen.corpus.partition import PartitionSettings
from cloze_gen.formats.lambada import ANSWER
from cloze_gen.formats.lambada_harness import RENDERINGS
from cloze_gen.models.contexts import ContextSettings
from cloze_gen.models.language_model import LmSettings
from cloze_gen.models.networks import NetworksSettings, write_networks
from cloze_gen.pipelines.books import Books, BookSettings, corpora
from cloze_gen.pipelines.shared import (
    contexts,
    count_words,
    ngram_index,
    partition,
    people_of,
    tagged_counts,
    tagging,
    training_novels,
    training_text,
    word_list,
)
from cloze_gen.pipelines.stage import Pipeline, Stage
from cloze_gen.recipes.lambada.analysis import write_analysis
from cloze_gen.recipes.lambada.artifacts import STAGES
from cloze_gen.recipes.lambada.committee import (
    GUESSED_BY,
    CacheSettings,
    CommitteeSettings,
    label_of,
    write_committee,
)
from cloze_gen.recipes.lambada.guesses import OPEN, read_guessed, write_guesses
from cloze_gen.recipes.lambada.guessing import GuessingSettings, Verdict
from cloze_gen.recipes.lambada.members import MEMBERS, NETWORKS, write_scores
from cloze_gen.recipes.lambada.outside_members import requests, write_outside_scores
from cloze_gen.recipes.lambada.paper_table import LAMBADA_TABLE_1
from cloze_gen.recipes.lambada.passage_set import REJECTED_SET, ControlSettings, write_passage_set
from cloze_gen.recipes.lambada.passages import (
    PassageReason,
    PassagesSettings,
    write_passages,
)
from cloze_gen.recipes.lambada.people import GUESSING
from cloze_gen.recipes.lambada.ranking import (
    RankingReason,
    RankingSettings,
    write_ranking,
    write_tagged_novels,
)
from cloze_gen.recipes.lambada.release import (
    FILE_DOCS,
    REFERENCE,
    VOCABULARY,
    judged,
    lambada_files,
    model_name,
    notes,
    vocabulary_text,
)
from cloze_gen.records.rejection import legends_of
from cloze_gen.release.items.passages import PASSAGE_ITEMS
from cloze_gen.release.settings import OrderedReleaseSettings
from cloze_gen.release.style import Requests, Style
from cloze_gen.store.tables import FEWSHOT

# Words that may be associated with a passage: rarer than one in a thousand. They need enough tokens to
# show associations: 50 in the 29.4 million of 337 novels.
TRIGGERS = OptionLimits(max_freq=1e-3, min_count=4, min_freq=1.7e-6, allow_proper_names=False)


class LambadaLmSettings(LmSettings):
    order: int = Field(4, ge=2, le=5, description="n of the n-grams")


class LambadaSettings(BookSettings):
    partition: PartitionSettings = PartitionSettings()
    passages: PassagesSettings = PassagesSettings()
    lm: LambadaLmSettings = LambadaLmSettings()
    cache: CacheSettings = CacheSettings()
    networks: NetworksSettings = NetworksSettings()
    committee: CommitteeSettings = CommitteeSettings()
    contexts: ContextSettings = ContextSettings()
    ranking: RankingSettings = RankingSettings()
    guessing: GuessingSettings = GuessingSettings()
    control: ControlSettings = ControlSettings()
    release: OrderedReleaseSettings = OrderedReleaseSettings()


def stages(run: Pipeline, books: Books, s: LambadaSettings) -> None:
    """The steps of the paper, in order."""
    corpus = corpora(run, books, s)["books"]
    parts = partition(run, corpus, s.partition, keep_splits=s.input.keep_splits)
    novels = training_novels(run, parts)
    counts = count_words(run, novels)
    text = training_text(run, novels, counts)
    index = ngram_index(run, text, s.lm)
    space = contexts(run, text, counts, s.contexts, TRIGGERS)
    # 3.1: passages, one for each sentence that can end one.
    passages = run.stage(
        "passages",
        write_passages,
        v=6,
        partition=parts,
        counts=counts,
        settings=s.passages,
        offensive=word_list(s.partition.offensive_words),
    )
    # 3.1: a passage that any member of the committee guesses is rejected.
    members = s.committee.members
    kinds = [kind for kind in NETWORKS if kind in members]
    networks = None
    if kinds:
        networks = run.stage(
            "networks",
            write_networks,
            v=2,
            text=text,
            counts=counts,
            settings=s.networks,
            kinds=kinds,
            seed=run.seed,
        )
    scores = run.stage(
        "scores", write_scores, passages=passages, index=index, networks=networks, kinds=kinds
    )
    committee = run.stage(
        "committee",
        write_committee,
        v=3,
        scores=scores,
        outside=outside_scores(run, passages, s.committee),
        members=[label_of(member) for member in members],
        threshold=s.committee.threshold,
        cache_weight=s.cache.weight,
    )
    # The order in which people judge passages; not in the paper, whose order is random.
    chosen_novels = run.stage("tagged_novels", write_tagged_novels, novels=novels)
    tags = tagged_counts(run, tagging(run, chosen_novels, "books"), counts)
    ranking = run.stage(
        "ranking",
        write_ranking,
        v=8,
        advice='ranking.order = "random" ranks passages of any kind.',
        passages=passages,
        committee=committee,
        index=index,
        counts=counts,
        tagged_counts=tags,
        contexts=space,
        settings=s.ranking,
        guessing=s.guessing,
        seed=run.seed,
    )
    # 3.1: two people guess the target from the passage, ten miss it given the sentence.
    guesses = run.stage(
        "guesses",
        write_guesses,
        v=4,
        ranking=ranking,
        settings=s.guessing,
        people=people_of(s.guessing.verdicts, read_guessed),
    )
    collect = (
        "Run `cloze-gen judge status` to see the open passages and collect more guesses: passages "
        "without a verdict are left out."
    )
    finished = run.stage(
        "passage_set",
        write_passage_set,
        v=5,
        advice=collect if s.guessing.verdicts else "",
        partition=parts,
        passages=passages,
        committee=committee,
        ranking=ranking,
        guesses=guesses,
        settings=s.control,
        wanted=s.ranking.n_passages,
        seed=run.seed,
    )
    # 3.2, 3.3: compares the set with a random sample of the passages before judging.
    run.stage(
        "analysis",
        write_analysis,
        v=5,
        passages=passages,
        committee=committee,
        finished=finished,
        tagger_identity=tagger_identity(),
        seed=run.seed,
    )


def outside_scores(run: Pipeline, passages: Stage, settings: CommitteeSettings) -> dict[str, Stage]:
    """Label of each member of the user -> the stage of its scores."""
    return {
        label_of(member): run.stage(
            "outside_scores",
            write_outside_scores,
            label=f"scores {label_of(member)}",
            passages=passages,
            member=run.file_input(member, setting="committee.members"),
        )
        for member in settings.members
        if member not in MEMBERS
    }


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
    stages=stages,
    last="passage set",
    files=lambada_files,
    extra_files=(FEWSHOT, REJECTED_SET),
    store_files={VOCABULARY: vocabulary_text},
    judged=judged,
    file_docs=FILE_DOCS,
    stage_docs=STAGES,
    legends=legends_of(
        BookReason,
        PassageReason,
        RankingReason,
        Verdict,
        more={
            OPEN: "readers have not yet answered (or only in part)",
            f"{GUESSED_BY}*": "this model gives the target a probability of committee.threshold or "
            "more",
        },
    ),
    table=LAMBADA_TABLE_1,
    requests=Requests(
        "passages", RENDERINGS, requests, ANSWER, "add scores:FILE to committee.members"
    ),
    study_sources=(GUESSING,),
    notes=notes,
    model=model_name,
)
