"""A style (a recipe as users see it), and the finished run and set that it publishes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from cloze_gen.corpus import artifacts as corpus_artifacts
from cloze_gen.models import artifacts as model_artifacts
from cloze_gen.store.artifacts import Artifact, Store
from cloze_gen.store.file_docs import StageDoc
from cloze_gen.store.tables import CANDIDATES, FEWSHOT

if TYPE_CHECKING:  # slow to import
    from pydantic import BaseModel

    from cloze_gen.corpus.folder import Location
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
    """A finished run.

    Attributes:
        settings: settings of the style; groups are attributes.
        artifacts: label of each stage -> its artifact, in the order of the run.
        books, store: where the books that items are drawn from and their texts are.
        overrides: the user's `group.key=value`.
    """

    name: str
    seed: int
    settings: Any
    artifacts: Artifacts
    books: Location
    store: Store
    sample: bool
    overrides: Sequence[str]


SHARED_STAGES = {**corpus_artifacts.STAGES, **model_artifacts.STAGES}  # of several styles
Artifacts = Mapping[str, Artifact]  # label of a stage -> its artifact
Facts = Mapping[str, Mapping[str, Any]]  # label of a stage -> the facts of its artifact


def facts_of(artifacts: Artifacts) -> dict[str, Mapping[str, Any]]:
    return {label: artifact.facts for label, artifact in artifacts.items()}


def fingerprints_of(artifacts: Artifacts) -> dict[str, str]:
    return {label: artifact.manifest["fingerprint"] for label, artifact in artifacts.items()}


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

    Requirements: `settings` has the groups `input`, `ingest`, `overlap` and `release`; the stages
    of a side are labelled `ingest SIDE` and `corpus SIDE`; a stage `partition` may drop more books
    of the last side; the last stage has the fact `wanted` and a funnel. A fact `candidates_funnel`
    is a second funnel of its stage.

    Attributes:
        name: on the command line; also the config's and (with `_`) the DAG module's name.
        sides: folders of books, as command-line options; items are drawn from the last.
        own_background: None: training books are required.
        stage_docs: name of each stage of the recipe -> its files and their columns.
        stages: adds the stages of a run to a pipeline: (pipeline, books, settings).
        last: label of the stage whose artifact holds the finished items.
        new_settings: a config's settings -> changes (`group.key=value`) for a folder of `cloze-gen new`.
        files: finished set -> place in the release -> text or lines of the paper's own files.
        store_files: place in the release -> its text, which the items do not give.
        extra_files: other record files of the last stage for the release, if they have records.
        judged: facts of each stage -> the human work on the items, or a text that begins with
            ``machine`` or ``none``.
        file_docs: file -> its description on the card; `{name}` is the run's name, `{n}` the number of items.
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
    store_files: Mapping[str, Callable[[Artifacts], str]] = field(default_factory=dict)
    extra_files: tuple[str, ...] = (CANDIDATES, FEWSHOT)
    order: Callable[[Any], str] = lambda settings: str(settings.release.order)
    judged: Callable[[Facts], str] = lambda facts: "machine"
    own_background: OwnBackground | None = None
    table: PaperTable | PassageTable | BlankTable | None = None
    new_settings: Callable[[Any], Sequence[str]] = lambda settings: ()
    file_docs: Mapping[str, str] = field(default_factory=dict)
    card_tables: Callable[[Artifacts], Sequence[CardTable]] = lambda artifacts: ()
    requests: Requests | None = None
    study_sources: tuple[StudySource, ...] = ()
    notes: Callable[[Any, Facts], Sequence[str]] = lambda settings, facts: ()
    warnings: Callable[[Mapping[str, Any]], Sequence[str]] = lambda settings: ()
    model: Callable[[Any, Mapping[str, str]], str] = lambda settings, fingerprints: "none"

    def stage_doc(self, stage: str) -> StageDoc:
        """The files of a stage; a stage without a description has none."""
        return {**SHARED_STAGES, **self.stage_docs}.get(stage, StageDoc("", ()))

    @property
    def drawn_from(self) -> str:
        return self.sides[-1]

    def is_own_background(self, fingerprints: Mapping[str, str]) -> bool:
        """Whether no training books were given: both sides have the same fingerprint."""
        prints = {fingerprints.get(f"corpus {side}") for side in self.sides}
        return len(self.sides) == 2 and len(prints) == 1

    def last_books(self, labels: Collection[str]) -> dict[str, str]:
        """Side -> the last stage that drops books of it."""
        last = {side: f"corpus {side}" for side in self.sides if f"corpus {side}" in labels}
        return last | ({self.drawn_from: "partition"} if "partition" in labels else {})
