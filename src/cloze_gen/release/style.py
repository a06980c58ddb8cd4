"""A style (a recipe as users see it), and the finished run and set that it publishes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from cloze_gen.corpus import artifacts as corpus_artifacts
from cloze_gen.models import artifacts as model_artifacts
from cloze_gen.store.artifacts import Artifact
from cloze_gen.store.file_docs import StageDoc
from cloze_gen.store.tables import CANDIDATES, FEWSHOT

if TYPE_CHECKING:  # slow to import
    from pydantic import BaseModel

    from cloze_gen.judging.study import StudySource
    from cloze_gen.records.release_facts import PaperReference
    from cloze_gen.release.card import CardTable
    from cloze_gen.release.items.kind import ItemKind
    from cloze_gen.release.paper_figures import BlankTable, PaperTable, PassageTable


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedSet:
    """A finished set in memory; `derived`: file of the last stage -> its published records."""

    name: str
    items: Sequence[Any]
    seed: int
    release: Any
    records: Sequence[dict[str, Any]] = ()
    canary: str = ""
    derived: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)

    @property
    def examples(self) -> list[dict[str, Any]]:
        return [dict(record) for record in self.derived.get(FEWSHOT, ())]


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedRun:
    published: PublishedSet
    settings: Any
    artifacts: Mapping[str, Artifact]


SHARED_STAGES = {**corpus_artifacts.STAGES, **model_artifacts.STAGES}  # of several styles
Facts = Mapping[str, Mapping[str, Any]]  # label of a stage -> the facts of its artifact


def kept_extra_files(finished: Artifact) -> Sequence[str]:
    """Files of candidates (for grooming by hand) and few-shot examples, if any."""
    return [
        file
        for file in (CANDIDATES, FEWSHOT)
        if (path := finished.folder / file).exists() and path.stat().st_size
    ]


@dataclass(frozen=True, slots=True)
class Requests:
    """Prompts for a user's own model; `write`: (the stage's artifact, rendering) -> JSON lines."""

    stage: str
    renderings: Sequence[str]
    write: Callable[[Artifact, Any], Iterable[str]]
    answer: str
    then: str


@dataclass(frozen=True, slots=True)
class OwnBackground:
    config: str
    notes: Callable[[Facts], Sequence[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """A recipe as users see it.

    Requirements: `settings` has the groups `ingest`, `release` and, with two sides, `overlap`;
    the stages of a side are labelled `ingest SIDE` and `corpus SIDE`; the last stage has the fact
    `wanted` and a funnel. A fact `candidates_funnel` is a second funnel of its stage.

    Attributes:
        name: on the command line; also the config's and (with `_`) the DAG module's name.
        sides: folders of books, as command-line options; items are drawn from the last.
        own_background: None: training books are required.
        stage_docs: name of each stage of the recipe -> its files and their columns.
        filtered_by: side -> stage that drops books of it after the comparison of contents.
        stages: adds the stages of a run to a pipeline: (pipeline, books, settings).
        last: label of the stage whose artifact holds the finished items.
        new_settings: a config's settings -> changes (`group.key=value`) for a folder of `cloze-gen new`.
        files: finished set -> place in the release -> text or lines of the paper's own files.
        store_files: finished run -> place in the release -> text that the items do not give.
        extra_files: the last stage's artifact -> its other record files for the release.
        extra_files_allowed: the files that `extra_files` may return.
        store_files_allowed: the files that `store_files` may return.
        people: facts of each stage -> human work for the signature, e.g. ``groomed`` -> text.
        has_items: row of the last books table -> whether items may be drawn from the book.
        judged: facts of each stage -> ``machine``, or the human work on the items.
        file_docs: file -> its description on the card; `{name}` is the run's name.
        trained_on: the stage whose books train the baselines; empty: only those of `--train`.
    """

    name: str
    title: str
    paper: str
    settings: type[BaseModel]
    sample_config: str
    sides: tuple[str, ...]
    items: ItemKind
    stages: Callable[[Any, Any, Any], None]
    last: str
    files: Callable[[PublishedSet], Mapping[str, str | Iterable[str]]]
    stage_docs: Mapping[str, StageDoc]
    legends: Mapping[str, str] = field(default_factory=dict)
    reference: PaperReference | None = None
    store_files: Callable[[FinishedRun], Mapping[str, str]] = lambda run: {}
    extra_files: Callable[[Artifact], Sequence[str]] = kept_extra_files
    extra_files_allowed: tuple[str, ...] = (CANDIDATES, FEWSHOT)
    store_files_allowed: tuple[str, ...] = ()
    order: Callable[[Any], str] = lambda settings: str(settings.release.order)
    people: Callable[[Facts], Mapping[str, str]] = lambda facts: {}
    judged: Callable[[Facts], str] = lambda facts: "machine"
    own_background: OwnBackground | None = None
    filtered_by: Mapping[str, str] = field(default_factory=dict)
    table: PaperTable | PassageTable | BlankTable | None = None
    new_settings: Callable[[Any], Sequence[str]] = lambda settings: ()
    file_docs: Mapping[str, str] = field(default_factory=dict)
    card_tables: Callable[[FinishedRun], Sequence[CardTable]] = lambda run: ()
    has_items: Callable[[Mapping[str, str]], bool] = lambda row: True
    trained_on: str = ""
    requests: Requests | None = None
    is_balanced: Callable[[Mapping[str, Any]], bool] = lambda settings: False
    study_sources: tuple[StudySource, ...] = ()
    notes: Callable[[Any, Facts], Sequence[str]] = lambda settings, facts: ()
    warnings: Callable[[Mapping[str, Any]], Sequence[str]] = lambda settings: ()
    model: Callable[[Any, Mapping[str, str]], str] = lambda settings, fingerprints: "none"

    @property
    def short_name(self) -> str:
        return self.name.removesuffix("-style")

    def stage_doc(self, stage: str) -> StageDoc:
        """The files of a stage: `scores` describes `scores_ngram`; a stage without one has none."""
        docs = {**SHARED_STAGES, **self.stage_docs}
        return docs.get(stage) or docs.get(stage.partition("_")[0]) or StageDoc("", ())

    @property
    def drawn_from(self) -> str:
        return self.sides[-1]

    def is_own_background(self, fingerprints: Mapping[str, str]) -> bool:
        """Whether no training books were given: both sides have the same fingerprint."""
        return (
            len(
                {
                    fingerprints[f"corpus {side}"]
                    for side in self.sides
                    if f"corpus {side}" in fingerprints
                }
            )
            < len(self.sides)
            == 2
        )

    def background_notes(self, fingerprints: Mapping[str, str], facts: Facts) -> list[str]:
        if self.own_background is None or not self.is_own_background(fingerprints):
            return []
        return [
            f"background: no training books were given, so the {self.drawn_from} books are also "
            "the background. Word counts include each question's own book.",
            *self.own_background.notes(facts),
            "`cloze-gen evaluate` trains its baselines on these books without the sentences of the "
            "questions. The baselines see the rest of each question's book, so their accuracy is "
            "higher than on an unseen book.",
        ]

    def last_books(self, labels: Collection[str]) -> dict[str, str]:
        filtered_by = {side: label for side, label in self.filtered_by.items() if label in labels}
        return {
            side: f"corpus {side}" for side in self.sides if f"corpus {side}" in labels
        } | filtered_by
