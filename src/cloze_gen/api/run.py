"""Makes a run: from books and settings to a release."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cloze_gen.config import is_config_file, toml_value
from cloze_gen.corpus.books import read_books
from cloze_gen.corpus.dropped import dropped_text
from cloze_gen.corpus.folder import Location, find_files
from cloze_gen.engine.local import check_engine, engine_scope
from cloze_gen.engine.progress import Stopwatch, say
from cloze_gen.errors import CorpusError, UsageError
from cloze_gen.parsing import counted, name_list, quote
from cloze_gen.pipelines.run import RunTask, new_run
from cloze_gen.pipelines.stage import logged
from cloze_gen.pipelines.styles import style_of, style_of_run
from cloze_gen.records.rejection import FunnelStep, funnel_steps, funnel_text
from cloze_gen.records.release_facts import verdict_text
from cloze_gen.release.facts import MOST_SEED, read_record
from cloze_gen.release.signature import read_signature
from cloze_gen.store.locks import exclusive_lock
from cloze_gen.store.runs import (
    RELEASE,
    leads_to,
    name_lock,
    read_run,
    released_folder,
    stage_artifacts,
)
from cloze_gen.store.tables import unescape_cell

if TYPE_CHECKING:
    from cloze_gen.api.release import Release


@dataclass(frozen=True, slots=True)
class Run:
    """A finished run in its folder, `OUT/runs/NAME`."""

    folder: Path

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def signature(self) -> str:
        return read_signature(self.folder)

    @property
    def funnel(self) -> list[FunnelStep]:
        """How many items each stage saw, kept and rejected, and why."""
        artifacts = stage_artifacts(self.folder)
        return funnel_steps((label, artifact.manifest) for label, artifact in artifacts.items())

    @property
    def release(self) -> Release:
        from cloze_gen.api.release import load  # slow to import

        return load(self.folder)

    def __str__(self) -> str:
        """Funnel, verdict, signature and place, as `cloze-gen run` prints them."""
        verdict = read_record(released_folder(self.folder)).facts.verdict
        return "\n".join(
            [
                funnel_text(self.funnel, style_of_run(self.folder).legends),
                verdict_text(verdict),
                f"signature  {self.signature}",
                f"release    {self.folder / RELEASE}",
            ]
        )


def make(
    style: str | Path,
    *,
    source: str | Path = "",
    train: str | Path = "",
    books: str | Path = "",
    name: str = "",
    out: str | Path = "artifacts",
    settings: Mapping[str, Any] | None = None,
    seed: int = 1,
    workers: int = 2,
    strict: bool = False,
) -> Run:
    """Make a test set, as `cloze-gen run` does; finished stages are not made again.

    Args:
        style: a style, a built-in config or a TOML file.
        source, train, books: folder, file or pattern, as the options of `run`.
        settings: `group.key` -> value, e.g. ``{"choice.n_questions": 50}``.

    Raises:
        UsageError: wrong arguments or settings.
        CorpusError: unsuitable books.
        ClozeGenError: anything else that stops a run; its classes are in `cloze_gen.errors`.
    """
    task = prepared(
        config=str(style),
        name=name,
        out=Path(out),
        workers=workers,
        seed=seed,
        overrides=overrides_of(settings or {}),
        train=str(train),
        source=str(source),
        books=str(books),
        strict=strict,
    )
    return carry_out(task)


def overrides_of(settings: Mapping[str, Any]) -> list[str]:
    """Settings as `--set` takes them.

    >>> overrides_of({"input.text_column": "content", "grooming.classes": ("noun",)})
    ['input.text_column="content"', 'grooming.classes=["noun"]']
    """
    lines = []
    for name, value in settings.items():
        try:
            lines.append(f"{name}={toml_value(str(value) if isinstance(value, Path) else value)}")
        except (TypeError, ValueError) as error:
            raise UsageError(
                f"settings: {quote(name)} is {quote(repr(value))} ({error}). Give a text, a number, "
                "a truth value or a list of them."
            ) from None
    return lines


def prepared(*, config: str, **parameters: Any) -> RunTask:
    """The checked task of a run."""
    if not 0 <= parameters["seed"] <= MOST_SEED or parameters["workers"] < 1:
        raise UsageError(
            f"seed {parameters['seed']}, workers {parameters['workers']}: give a seed from 0 to "
            f"{MOST_SEED}, and one worker or more."
        )
    task = make_task(config=config, **parameters)
    check_engine(task.engine)
    check_two_sides(task)
    if task.sides.own_background:
        say(
            "no --train: the books of --source are also the background, with the settings of "
            f"{task.config_used}"
        )
    return task


def make_task(
    *, config: str, overrides: Sequence[str], out: Path, workers: int, name: str = "", **rest: Any
) -> RunTask:
    """The run as a Luigi task; `rest`: further parameters of `RunTask`."""
    style = style_of(config).name
    return new_run(
        style=style,
        config="" if config == style else config,  # empty: the one that suits the books
        overrides=overrides,
        out=str(out),
        processes=workers,
        name=name or Path(config).name.removesuffix(".toml"),
        **rest,
    )


def task_of_run(
    folder: Path, *, overrides: Sequence[str], workers: int = 2, plan_only: bool = False
) -> RunTask:
    written = read_run(folder)
    config = written["config"]
    if is_config_file(config):
        config = str(folder / unescape_cell(config))
    style = style_of_run(folder)
    links = {} if written["sample"] else {side: folder / f"corpus-{side}" for side in style.sides}
    # only one side if the books are their own background
    sides = {
        side: str(Location(link.resolve(), written["patterns"].get(side, "")))
        for side, link in links.items()
        if link.is_symlink()
    }
    return new_run(
        style=style.name,
        config=config,
        overrides=overrides,
        out=str(folder.parent.parent),
        seed=written["seed"],
        name=written["name"],
        processes=workers,
        plan_only=plan_only,
        **sides,
    )


def carry_out(task: RunTask) -> Run:
    """Run the stages that are not on disk, and write the release."""
    if task.strict:
        check_no_book_dropped(task)
    clock = Stopwatch()
    task.written()  # refuse a newer one
    task.store.sweep()
    done_before = task.complete()
    if not done_before:
        task.pipeline.check_early(task.stages)
        _run(task)
    say(
        f"{task.run_name}: {'nothing to do, all on disk' if done_before else 'done'} in "
        f"{clock.seconds:.1f} s"
    )
    return Run(task.folder)


def _run(task: RunTask) -> None:
    waits = f"another command is building a run named {task.run_name!r}; waiting for it to finish"
    with (
        task.store.in_use(),
        engine_scope(task.pipeline.engine) as engine,
        exclusive_lock(name_lock(task.folder), on_wait=lambda: say(waits)),
        logged(task.store, task.run_name),
    ):
        engine.share(task.store.store)
        task.pipeline.run(task.stages, root=task)
        task.store.sweep()  # temporary folders of dead workers of a cluster


def check_two_sides(task: RunTask) -> None:
    """UsageError if the sides share files and the overlap stage would drop these books."""
    across = task.settings.overlap.across
    splits = task.settings.input.keep_splits
    if set(task.sides.given) != {"train", "source"} or across == "keep" or splits:
        return
    train, source = Location.parse(task.train), Location.parse(task.source)
    shared = _shared_files(train, source)
    if not shared or (across == "drop_train" and train.pattern != source.pattern):
        return
    alone = ", or only --source, to use its books as background too"
    raise UsageError(
        f"--train and --source share {counted(len(shared), 'file')} "
        f"({name_list(sorted(map(repr, shared)))}): books on both sides would be dropped "
        f"(overlap.across = {across}). Give two folders{alone if task.of_style.own_background else ''}, "
        "or pass --set overlap.across=keep to keep the questions' sentences in the training text."
    )


def _shared_files(one: Location, other: Location) -> set[str]:
    """Files of both locations of one folder, by their paths below it."""
    roots = {os.path.realpath(one.root), os.path.realpath(other.root)}
    if len(roots) > 1 or not leads_to(one.root, Path.is_dir):
        return set()
    return set(find_files(one).books) & set(find_files(other).books)


def check_no_book_dropped(task: RunTask) -> None:
    """CorpusError if an earlier run without `--strict` dropped a book."""
    tables = [
        task.pipeline.open(stage)
        for stage in task.stages
        if stage.key.stage in {"ingest", "corpus", "partition"}
        if task.pipeline.is_complete(stage)
    ]
    rows = {(row["book_id"], row["reason"]): row for table in tables for row in read_books(table)}
    dropped = dropped_text(rows.values())
    if dropped:
        raise CorpusError(
            f"--strict: dropped {dropped}. Fix or remove these books, or run without --strict."
        )
