"""A style: all that the commands know of a recipe. Every DAG file in `pipelines/` ends in one, and nothing else names a recipe."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel

from cloze_gen.records.release_facts import PaperReference
from cloze_gen.report.card import CardTable
from cloze_gen.report.paper_table import BlankTable, PaperTable, PassageTable
from cloze_gen.stages.finished_run import FinishedRun, FromStore, PublishedSet
from cloze_gen.stages.items.kind import ItemKind
from cloze_gen.stages.tables import CANDIDATES, FEWSHOT
from cloze_gen.stages.trace import TraceSections
from cloze_gen.store.artifacts import Artifact
from cloze_gen.studies.asking import Asking

Facts = Mapping[str, Mapping[str, Any]]  # label of a stage -> the facts of its artifact


def beside_kept(finished: Artifact) -> Sequence[str]:
    """The candidates of the items, for who grooms by hand, and the few-shot examples, where the last stage kept some."""
    return [file for file in (CANDIDATES, FEWSHOT) if (path := finished.folder / file).exists() and path.stat().st_size]


@dataclass(frozen=True, slots=True)
class Requests:
    """How a style asks a model of somebody else's.

    Attributes:
        stage: label of the stage whose records are asked about.
        renderings: the forms in which they can be asked.
        write: (that stage's artifact, rendering) -> a JSON object a line, a record each.
        answer: the JSON object that is expected back.
        then: what is done with the file of answers.
    """

    stage: str
    renderings: Sequence[str]
    write: Callable[[Artifact, Any], Iterable[str]]
    answer: str
    then: str


@dataclass(frozen=True, slots=True)
class OwnBackground:
    """How a style does without training books: those that items are drawn from serve in their stead.

    Attributes:
        config: the built-in config that serves where none is named.
        notes: facts of each stage -> what a user of the set must know of it.
    """

    config: str
    notes: Callable[[Facts], Sequence[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """One recipe, as a user meets it.

    What is relied on besides: `settings` has the groups `ingest`, `release` and, of two sides, `overlap`; the stages of a side are labelled
    `ingest SIDE` and `corpus SIDE`; the last stage tells in its facts how many items were `wanted`, and writes a funnel; a stage's fact
    `candidates_funnel` is a second level of the funnel's picture.

    Attributes:
        name: what is typed, and the name of its config; the DAG stands in the module of the same name, `-` as `_`.
        title: its name on the card.
        paper: the paper, as the card cites it.
        settings: the model of all its settings, one group a stage.
        sample_config: the config that serves with the embedded sample.
        sides: the folders of books it reads, as options of the command line; items are drawn from the last.
        own_background: how it does without training books; None: they are asked for.
        articles: the setting (`group.key`) that is ``jsonl`` where the folder of books holds articles as JSON; empty: it never does.
        narrowed: side -> stage that drops books of it after the comparison of contents.
        items: what its items are.
        last: the Luigi task whose artifact holds the finished items.
        beside: settings -> Luigi tasks of stages that come after `last`: what tells of the finished items, or is published beside them.
        files: a finished set -> place in the release -> text, or its lines: the files that the paper published.
        store_files: a finished run -> place in the release -> what it takes from the store.
        beside_files: the last stage's artifact -> its files of records that are released beside the items.
        may_stand_beside: the files that `beside_files` may name.
        may_be_taken: the files that `store_files` may give; one that ends in ``/`` is a folder of them.
        reference: the paper, with its parts, for a bibliography.
        order: settings -> of the items in the release: ``shuffled`` or ``corpus``.
        people: facts of each stage -> what people did (``groomed``) -> in words, for the signature; empty where nobody was asked.
        judged: facts of each stage -> who has judged the items: ``machine``, or what people did.
        told_files: of these files, what the card says of each; in a name `{name}` is the run's, and one that was not written is not told.
        card_tables: a finished run -> tables of its own that the card shows.
        gives_items: whether items are drawn from a kept book of that side, by its row in the table of books.
        levels: stage -> what its kept items are, for the picture of the funnel; a stage that is not named is no level of it.
        trace: the sections of an item's trace.
        table: the paper's own table of baselines; None where it has none.
        training: the Luigi task that keeps the books which models are made of; None: the corpus of the side `train`.
        trained_on: the stage whose books the baselines of an evaluation are trained on; empty: none but those of `--train`.
        requests: how a model of somebody else's is asked; None where none is.
        is_balanced: (settings as `run.json` has them) -> whether the choice of the set levels simple scores.
        asks: the tasks of its judges; empty where nobody is asked about its items.
        notes: (settings, facts of each stage) -> what a user of the set must know.
        warnings: of its settings as `run.json` has them, what the report says on top.
        model: (settings, fingerprint of each stage) -> the model behind the set, for its signature.
    """

    name: str
    title: str
    paper: str
    settings: type[BaseModel]
    sample_config: str
    sides: tuple[str, ...]
    items: ItemKind
    last: Any
    files: Callable[[PublishedSet], Mapping[str, str | Iterable[str]]]
    levels: Mapping[str, str]
    trace: TraceSections
    reference: PaperReference | None = None
    store_files: Callable[[FinishedRun], Mapping[str, str | FromStore]] = lambda run: {}
    beside_files: Callable[[Artifact], Sequence[str]] = beside_kept
    may_stand_beside: tuple[str, ...] = (CANDIDATES, FEWSHOT)
    may_be_taken: tuple[str, ...] = ()
    order: Callable[[Any], str] = lambda settings: str(settings.release.order)
    people: Callable[[Facts], Mapping[str, str]] = lambda facts: {}
    judged: Callable[[Facts], str] = lambda facts: "machine"
    own_background: OwnBackground | None = None
    articles: str = ""
    narrowed: Mapping[str, str] = field(default_factory=dict)
    table: PaperTable | PassageTable | BlankTable | None = None
    beside: Callable[[Any], Sequence[Any]] = lambda settings: ()
    told_files: Mapping[str, str] = field(default_factory=dict)
    card_tables: Callable[[FinishedRun], Sequence[CardTable]] = lambda run: ()
    gives_items: Callable[[Mapping[str, str]], bool] = lambda row: True
    training: Any = None
    trained_on: str = ""
    requests: Requests | None = None
    is_balanced: Callable[[Mapping[str, Any]], bool] = lambda settings: False
    asks: tuple[Asking, ...] = ()
    notes: Callable[[Any, Facts], Sequence[str]] = lambda settings, facts: ()
    warnings: Callable[[Mapping[str, Any]], Sequence[str]] = lambda settings: ()
    model: Callable[[Any, Mapping[str, str]], str] = lambda settings, fingerprints: "none"

    @property
    def short_name(self) -> str:
        """As it stands in a signature."""
        return self.name.removesuffix("-style")

    @property
    def drawn_from(self) -> str:
        """The side of the books that items are drawn from."""
        return self.sides[-1]

    def is_own_background(self, fingerprints: Mapping[str, str]) -> bool:
        """Whether one artifact is the books of both sides, by the fingerprint of each stage's: no training books were given."""
        return len({fingerprints[f"corpus {side}"] for side in self.sides if f"corpus {side}" in fingerprints}) < len(self.sides) == 2

    def background_notes(self, fingerprints: Mapping[str, str], facts: Facts) -> list[str]:
        """What must be known of a set whose books were their own background; nothing of another."""
        if self.own_background is None or not self.is_own_background(fingerprints):
            return []
        return [
            f"background: the {self.drawn_from} books themselves, since no training books were given. What is counted of words counts a "
            "question's own book too.",
            *self.own_background.notes(facts),
            "The baselines of `cloze-gen evaluate` are trained on these books without the questions' own sentences; the rest of each "
            "question's book stays in their text, so they know its matter better than of a book that they never saw.",
        ]

    def last_books(self, labels: Collection[str]) -> dict[str, str]:
        """side -> the stage with the last word on its books, among the stages that a run has."""
        narrowed = {side: label for side, label in self.narrowed.items() if label in labels}
        return {side: f"corpus {side}" for side in self.sides if f"corpus {side}" in labels} | narrowed
