"""`cloze-gen run`: parameters in, Luigi's verdict out."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cloze_gen.adapters.terminal import show
from cloze_gen.commands.plan import plan_text
from cloze_gen.engine.local import check_engine
from cloze_gen.engine.progress import Stopwatch, say
from cloze_gen.errors import CorpusError, UsageError
from cloze_gen.pipelines.build import build, forget_what_was_read, given_back, log_file, logged
from cloze_gen.pipelines.run import RunTask, check_run_name
from cloze_gen.pipelines.styles import style_of
from cloze_gen.pipelines.task import current_engine, look_ahead
from cloze_gen.report.funnel import funnel_text
from cloze_gen.stages.corpus.book_table import read_books
from cloze_gen.stages.corpus.dropped import dropped_text
from cloze_gen.stages.release.signature import read_signature
from cloze_gen.store.artifacts import Store
from cloze_gen.store.locks import exclusive_lock
from cloze_gen.store.runs import RELEASE, leads_to, name_lock


def make_task(*, config: str, name: str, out: Path, workers: int, seed: int, overrides: Sequence[str], train: str = "", source: str = "",
              books: str = "", engine: str = "local", strict: bool = False) -> RunTask:  # fmt: skip
    """The run as a Luigi task. A style's own name means: its config on real corpora, its sample config without any."""
    forget_what_was_read()
    style = style_of(config)
    is_sample_config = config == style.sample_config and config != style.name
    default = config == style.name or (is_sample_config and not (train or source or books))
    task = RunTask(
        style=style.name,
        config="" if default else config,
        overrides=json.dumps(list(overrides)),
        train=train,
        source=source,
        books=books,
        out=str(out),
        seed=seed,
        processes=workers,
        engine=engine,
        strict=strict,
        name=name or Path(config).name.removesuffix(".toml"),
    )
    check_run_name(task.run_name)
    return task


def run(*, config: str, dry_run: bool, **parameters: Any) -> None:
    """Run what is not on disk yet.

    Raises:
        ClozeGenError: a stage failed; the first failure's own message.
    """
    if parameters["name"]:
        check_run_name(parameters["name"])
    task = make_task(config=config, **parameters)
    check_engine(task.engine)
    check_two_sides(task)
    if task.last.is_own_background:
        say(f"no --train: the books of --source are their own background, with the settings of {task.last.config_used}")
    if dry_run:
        show(plan_text(task))
        return
    if task.strict:
        check_no_book_dropped(task)
    carry_out(task)


def carry_out(task: RunTask) -> None:
    """Run what is not on disk yet, and tell the funnel, the signature and where the release lies.

    Raises:
        ClozeGenError: as `run`.
    """
    clock = Stopwatch()
    Store(Path(task.out)).sweep()
    for line in task.ignored_lines():
        say(line)
    task.description()  # all stages' keys: a file named by a setting that cannot be read is told before anything runs
    done_before = task.complete()
    if not done_before:
        look_ahead(task.last)
        waits = f"another command is making a run named {task.run_name!r}; waiting for its end"
        with (
            given_back(current_engine(task.engine, task.processes)) as engine,
            exclusive_lock(name_lock(task.folder), on_wait=lambda: say(waits)),
            logged(task.store, task.run_name),
        ):
            engine.share(task.store.store)
            build(task)
            task.store.sweep()  # what a worker of a cluster left that died on the way
    show(funnel_text(task.steps()))
    show(f"signature  {read_signature(task.folder)}")
    show(f"release    {task.folder / RELEASE}")
    say(f"{task.run_name}: {'nothing to do, all on disk' if done_before else 'done'} in {clock.seconds:.1f} s")
    if not done_before:
        say(f"log: {log_file(task.store, task.run_name)}")


def check_two_sides(task: RunTask) -> None:
    """Both sides of the books are two folders.

    Raises:
        UsageError: they are one, so that every book would be dropped as a book of the other side.
    """
    if set(task.of_style.sides) != {"train", "source"}:
        return
    across = task.all_settings.overlap.across
    alone = ", or --source alone, whose books are their own background then" if task.of_style.own_background else ""
    there = task.train and leads_to(Path(task.train), Path.is_dir)
    if there and across != "keep" and os.path.realpath(task.train) == os.path.realpath(task.source):
        raise UsageError(
            f"--train and --source are the same folder, {task.train}: a book on both sides is dropped (overlap.across = {across}), so none "
            f"would be left. Give two folders{alone}, or --set overlap.across=keep to let the questions stand in the training text."
        )


def check_no_book_dropped(task: RunTask) -> None:
    """`--strict` also speaks of books that an earlier run, less strict, dropped.

    Raises:
        CorpusError: naming every dropped book and its reason.
    """
    narrowing = task.of_style.narrowed.values()
    tables = [stage for stage in task.stages() if stage.stage in {"ingest", "corpus"} or stage.label in narrowing]
    rows = {(row["book_id"], row["reason"]): row for one in tables if one.complete() for row in read_books(one.store.open(one.key))}
    dropped = dropped_text(rows.values())
    if dropped:
        raise CorpusError(f"--strict: dropped {dropped}. Mend or remove these books, or run without --strict.")
