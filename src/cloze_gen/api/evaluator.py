"""The evaluation of any kind of items: the request, the protocol of a kind, and the output."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from cloze_gen import __version__
from cloze_gen.engine.progress import Stopwatch, say
from cloze_gen.errors import ClozeGenError, FormatError, UsageError
from cloze_gen.evaluation.people import SetVerdicts, verdicts_on_set
from cloze_gen.evaluation.rows import BY_BOOK, EVALUATION_VERSION, Result, Row
from cloze_gen.evaluation.rows import Evaluation as Record
from cloze_gen.evaluation.selection import HUMAN, Named, left_out_lines
from cloze_gen.judging.study import read_verdicts
from cloze_gen.judging.study_agreement import ItemVerdicts, parse_verdict_row
from cloze_gen.judging.verdicts import VerdictFile
from cloze_gen.parsing import error_text, name_list, quote
from cloze_gen.pipelines.evaluation_models import (
    TrainingBooks,
    books_of_folder,
    books_of_run,
    fit_models,
)
from cloze_gen.pipelines.run import renew_report
from cloze_gen.pipelines.stage import Stage
from cloze_gen.pipelines.styles import style_of_run
from cloze_gen.records.judgement import Task
from cloze_gen.records.release_facts import verdict_text
from cloze_gen.release.documents import REPORT
from cloze_gen.release.facts import read_record
from cloze_gen.release.signature import SIGNATURE, read_signature
from cloze_gen.store.artifacts import Artifact, Store
from cloze_gen.store.files import read_regular_text
from cloze_gen.store.folder_replacement import (
    check_own_folder,
    find_change,
    own_folder_lock,
    replace_entries,
)
from cloze_gen.store.locks import exclusive_lock
from cloze_gen.store.manifest import MANIFEST, write_json
from cloze_gen.store.runs import (
    EVALUATION_FILE,
    EVALUATION_SCHEMA,
    RELEASE,
    RUN_FILE,
    Digested,
    check_as_written,
    evaluation_place,
    lies_in_output,
    read_run,
    released_folder,
    run_lock,
)
from cloze_gen.store.tables import escape_cell, read_jsonl, write_jsonl

if TYPE_CHECKING:
    import pandas as pd

PREDICTIONS = "predictions.jsonl"
# Fields other than baselines that are kept from an earlier evaluation unless measured again.
_KEPT = ("rules", "candidates", "people")


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """The user's request.

    Attributes:
        train: folder of books, or a training file; empty: the run's own.
        only: names and kinds of baselines; empty: the default rows.
        people: file of human verdicts.
        write_to: output folder; None: the default one.
    """

    answers: Path | None
    train: str
    only: Sequence[str]
    scores: Sequence[Path]
    people: Path | None
    out: Path
    workers: int
    seed: int
    write_to: Path | None


@dataclass(frozen=True, slots=True)
class Source:
    """A file of items, or the items of a run's release; `described`: its `run.json`."""

    path: Path
    run: Path | None = None
    described: Mapping[str, Any] | None = None

    @classmethod
    def of_run(cls, run: Path) -> Source:
        file, released = style_of_run(run).items.file, released_folder(run)
        described = read_run(run)
        check_as_written(run, RUN_FILE, f"{released.name}/{file}", f"{released.name}/{SIGNATURE}")
        return cls(released / file, run, described)

    def signature(self, noun: str, digest: str, n: int) -> str:
        """The run's signature; for a file one with the digest of its contents."""
        if self.run is None:
            return f"cloze-gen|v:{__version__}|n:{n}|{noun}:{digest}"
        return read_signature(self.run)

    def training_books(self, train: str, request: Request) -> TrainingBooks | None:
        """The books of `train`, else the run's own; None if there is none (a run without its store)."""
        run, described = self.run, self.described
        if run is None or described is None:
            return books_of_folder(train, request.out, request.workers) if train else None
        if train:
            out = run.parent.parent if lies_in_output(run) else request.out
            return books_of_folder(train, out, request.workers)
        if not lies_in_output(run):
            return None
        style = style_of_run(run)
        alone = style.is_own_background(
            {stage["label"]: stage["fingerprint"] for stage in described["stages"]}
        )
        left_out = style.last if alone else ""
        return books_of_run(run, described, workers=request.workers, left_out=left_out)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Data:
    """The items and the training books; the text's fingerprint goes into the signature."""

    items: Digested
    run: Path | None
    training_books: TrainingBooks | None
    signature: str

    @property
    def name(self) -> str:
        """The run's name; for a file the digest of its contents."""
        return self.run.name if self.run else self.items.digest

    @property
    def trained(self) -> str:
        if self.training_books is None:
            return ""
        left_out = "|without:items" if self.training_books.left_out else ""
        return f"|trained:{self.training_books.text.key.fingerprint[:8]}{left_out}"


D = TypeVar("D", bound=Data)
B = TypeVar("B", bound=Named)
R = TypeVar("R", bound=Result)
E = TypeVar("E", bound=Record)


class Kind(Protocol[D, B, R, E]):
    """A kind of items: questions, passages or blanked passages.

    Attributes:
        items, seeded: their name in `evaluation.json`, and the seed's in the signature.
        scores_form: the form of a file of scores, for messages.
    """

    items: str
    seeded: str
    scores_form: str
    task: Task | None

    def read(self, source: Source, request: Request) -> D:
        """Read the items; UsageError for an unsuitable option, FormatError for damaged items."""

    def choose(self, data: D, request: Request) -> tuple[list[B], dict[str, str]]:
        """Baselines to measure, and name -> reason for the omitted; UsageError for unknown names."""

    def models(self, data: D, chosen: Sequence[B], request: Request) -> Mapping[str, Stage]:
        """Name -> model to train on `data.training_books`, for the chosen baselines."""

    def score(
        self, data: D, chosen: Sequence[B], models: Mapping[str, Artifact], request: Request
    ) -> list[R]:
        """Measure baselines, in the order of the table."""

    def given(self, path: Path, text: str, data: D, request: Request) -> list[R]:
        """Measure a user's own scores; FormatError if they do not match the items."""

    def by_digest(self, data: D) -> Mapping[str, Any]:
        """`item_digest` -> item."""

    def people(self, found: People, data: D, request: Request) -> tuple[Row, dict[str, Any]]:
        """The row of people, and further values of the record's `people`."""

    def record(
        self, data: D, results: Sequence[R], models: Mapping[str, Artifact], request: Request, known: Mapping[str, Any]
    ) -> E:  # fmt: skip
        """The whole evaluation; `known`: the fields that all kinds share."""

    def table(self, record: E) -> list[str]:
        """The table of all rows except the row of people."""

    def people_table(self, record: E) -> list[str]:
        """The table of people."""


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """A finished evaluation.

    Attributes:
        folder: of `evaluation.json` and `predictions.jsonl`.
        record: the contents of `evaluation.json`.
        verdict: of the run's updated report; empty without one.
    """

    folder: Path
    record: Record = field(repr=False)
    verdict: Sequence[str]
    _kind: Kind[Any, Any, Any, Any] = field(repr=False)

    def to_pandas(self) -> pd.DataFrame:
        """One row a baseline, with its share of right answers and its 95 % interval."""
        import pandas as pd

        return pd.DataFrame.from_records([row.model_dump() for row in self.record.baselines])

    def __str__(self) -> str:
        """The tables that `cloze-gen evaluate` prints."""
        kind, record = self._kind, self.record
        lines = [*kind.table(record), *left_out_lines(record.left_out)]
        if record.predicted and all(row.book_margin is None for row in record.predicted):
            lines.append(f"{BY_BOOK}: not known, because fewer than two books are known")
        lines += kind.people_table(record) if record.people else []
        lines += [verdict_text(self.verdict)] if self.verdict else []
        return "\n".join([*lines, f"signature  {record.signature}", f"written to {self.folder}"])


def measure(kind: Kind[D, B, R, E], data: D, request: Request) -> Evaluation:
    """Evaluate, and write `evaluation.json` and `predictions.jsonl`."""
    clock = Stopwatch()
    chosen, left_out = kind.choose(data, request)
    store = Store(request.out) if data.training_books is None else data.training_books.run.store
    # The user's own files first, so that errors in them appear before the training.
    given = [one for path in request.scores for one in _given(kind, path, data, request)]
    human, people = _people(kind, data, request)
    models, fitted = _trained(kind, data, chosen, request)
    with store.in_use() if models else contextlib.nullcontext():
        ours = kind.score(data, chosen, models, request)
    results = [*ours, *given]
    rows = [one.row for one in results]
    known = {
        "version": EVALUATION_VERSION,
        "items": kind.items,
        "signature": f"{data.signature}{data.trained}|{kind.seeded}:{request.seed}",
        "fitted": fitted,
        "left_out": left_out,
        "baselines": (*rows, *human),
    } | people
    record = kind.record(data, results, models, request, known)
    folder = request.write_to or _default_folder(data, store)
    predicted = record.predicted
    lines = (
        line
        for one, row in zip(results, rows, strict=True)
        if row in predicted
        for line in one.predictions()
    )
    write_evaluation(folder, record.record(), lines)
    say(f"evaluate: done in {clock.seconds:.1f} s")
    verdict = _update_report(data, folder) if request.write_to is None else ()
    return Evaluation(folder, record, verdict, kind)


def machines(record: Record) -> list[Any]:
    return [row for row in record.baselines if row.kind != HUMAN]


def _given(kind: Kind[D, B, R, E], path: Path, data: D, request: Request) -> list[R]:
    text = read_scores(path, expected=kind.scores_form)
    return kind.given(path, text, data, request)


def _people(kind: Kind[D, B, R, E], data: D, request: Request) -> tuple[list[Row], dict[str, Any]]:
    if kind.task is None or request.people is None:
        return [], {}
    found = read_people(request.people, kind.task, kind.by_digest(data), name=data.name)
    row, more = kind.people(found, data, request)
    return [row], {"people": found.record | more}


def _trained(
    kind: Kind[D, B, R, E], data: D, chosen: Sequence[B], request: Request
) -> tuple[dict[str, Artifact], list[dict[str, Any]]]:
    models = {} if data.training_books is None else kind.models(data, chosen, request)
    if data.training_books is None or not models:
        return {}, []
    return fit_models(data.training_books.run, models, log_name=f"evaluate-{data.name}")


# ---- the user's files


@dataclass(frozen=True, slots=True)
class People:
    file: VerdictFile
    judged: tuple[ItemVerdicts, ...]
    found: SetVerdicts

    @property
    def record(self) -> dict[str, Any]:
        found = {
            "set": self.found.name,
            "items": len(self.found.items),
            "other_items": self.found.others,
        }
        return {
            "task": str(self.file.task),
            "judged": self.file.summary,
            "digest": self.file.digest,
            **found,
        }


def read_people(path: Path, task: Task, known: Collection[str], *, name: str) -> People:
    """Human verdicts on a set; `known`: `item_digest` of its items. At least one must occur."""
    file = read_verdicts(path, task=task, given_as="--people")
    try:
        judged = tuple(parse_verdict_row(row, task) for row in file.rows)
    except FormatError as error:
        raise FormatError(f"{path.name}: {error}") from None
    if file.models:
        judged = tuple(_of_people(judged, set(file.rules["models"])))
        say(
            f"evaluate: the verdicts of {name_list([quote(name) for name in file.models])} are left "
            f"out: the row {HUMAN} is about people"
        )
        if not judged:
            raise UsageError(f"{path.name}: has only verdicts of models. Let people judge.")
    found = verdicts_on_set(judged, known, name=name, file=path.name)
    if found.others:
        say(
            f"evaluate: {found.others:,} judged items of {found.name} are left out because they are "
            "not in this version of the set"
        )
    return People(file, judged, found)


def _of_people(judged: Sequence[ItemVerdicts], models: Collection[str]) -> Iterator[ItemVerdicts]:
    for one in judged:
        people = {judge: given for judge, given in one.responses.items() if judge not in models}
        if people:
            yield replace(one, responses=people)


def user_row(path: Path) -> tuple[str, str, str]:
    """Name, kind and source of the row of a user's scores; the file name is untrusted."""
    return f"user:{escape_cell(path.stem)}", "user", escape_cell(path.name)


def check_apart(names: Sequence[str]) -> None:
    """UsageError if two files would give rows of one name."""
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UsageError(
            f"Two files would give the same row {quote(twice)}. Rename one, or evaluate them in two "
            "calls."
        )


def read_scores(path: Path, *, expected: str) -> str:
    try:
        return read_regular_text(path, encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        packed = isinstance(error, UnicodeDecodeError) and error.object[:2] == b"\x1f\x8b"
        why = "gzip-compressed; unpack it" if packed else error_text(error)
        raise UsageError(
            f"{path}: cannot be read as a file of scores ({why}). Give {expected}."
        ) from None


# ---- the evaluation's folder


def check_write_to(folder: Path) -> None:
    """UsageError unless the folder is new, is empty or contains an evaluation."""
    check_own_folder(folder, EVALUATION_SCHEMA, option="--write-to")


def write_evaluation(
    folder: Path, record: dict[str, Any], predictions: Iterable[Mapping[str, Any]]
) -> None:
    """Write `evaluation.json` and `predictions.jsonl` (one row per prediction) atomically.

    Keeps rows of an earlier evaluation with the same signature unless they were measured again.
    """
    rows = list(predictions)
    with own_folder_lock(folder):
        old = _earlier(folder, record["signature"])
        if old:
            record = {name: old[name] for name in _KEPT if name in old} | record
            names = {row["name"] for row in record["baselines"]}
            kept = [row for row in old["baselines"] if row["name"] not in names]
            if kept:
                # adversaries first
                together = sorted(
                    [*record["baselines"], *kept], key=lambda row: row["kind"] != "adversary"
                )
                record = record | {"baselines": together}
                if "left_out" in record:
                    there = {row["name"] for row in kept}
                    record["left_out"] = {
                        name: why for name, why in record["left_out"].items() if name not in there
                    }
                rows += [
                    row for row in read_jsonl(folder / PREDICTIONS) if row["baseline"] not in names
                ]

        def write(partial: Path) -> None:
            write_json(partial / EVALUATION_FILE, record)
            write_jsonl(partial / PREDICTIONS, rows)

        for line in replace_entries(folder, EVALUATION_SCHEMA, write):
            say(f"evaluate: {line}")


def _default_folder(data: Data, store: Store) -> Path:
    if data.run is None:
        return store.root / "evaluations" / data.items.digest
    out = data.run.parent.parent if lies_in_output(data.run) else store.root
    return evaluation_place(out, data.run.name, data.items)


def _update_report(data: Data, evaluation: Path) -> tuple[str, ...]:
    """Add the evaluation to the run's report, unless its store is missing; return the verdict."""
    run = data.run
    if run is None:
        return ()
    if not lies_in_output(run):
        say(
            f"report: not updated, because {run} is not in an output folder and its stages are missing"
        )
        return ()
    try:
        with exclusive_lock(run_lock(run)):
            items = style_of_run(run).items
            if items.read_set(released_folder(run) / items.file).digest != data.items.digest:
                say(
                    "report: not updated, because the run was rebuilt in the meantime with other "
                    f"{items.noun}s"
                )
                return ()
            renew_report(run, evaluation)
            verdict = read_record(released_folder(run)).facts.verdict
        say(f"report: card and report of the release updated: {run / RELEASE / REPORT}")
        return verdict
    except ClozeGenError as error:
        say(f"report: not updated: {error}")
        return ()


def _earlier(folder: Path, signature: str) -> dict[str, Any]:
    """The intact earlier evaluation with this signature (items, training books, seed); else empty."""
    if not (folder / MANIFEST).exists():
        return {}
    changed = find_change(folder)
    if changed:
        say(f"evaluate: {changed} The earlier evaluation is ignored.")
        return {}
    found = json.loads((folder / EVALUATION_FILE).read_text(encoding="utf-8"))
    return (
        found
        if (found["signature"], found.get("version")) == (signature, EVALUATION_VERSION)
        else {}
    )
