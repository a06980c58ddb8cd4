"""`cloze-gen run`, `explain` and `settings`."""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from cloze_gen.adapters.terminal import show
from cloze_gen.cli.explain import plan_text
from cloze_gen.config import STYLE, allowed_values, is_config_file, toml_value
from cloze_gen.corpus.books import read_books
from cloze_gen.corpus.dropped import dropped_text
from cloze_gen.corpus.folder import scan_folder
from cloze_gen.corpus.location import Location, is_address
from cloze_gen.corpus.remote import local_copy
from cloze_gen.corpus.stems import is_stems_folder
from cloze_gen.engine.local import check_engine, engine_scope
from cloze_gen.engine.progress import Stopwatch, say
from cloze_gen.errors import CorpusError, UsageError
from cloze_gen.parsing import name_list
from cloze_gen.pipelines.rates import (
    LEAST_BYTES,
    minutes_text,
    note_rate,
    rate_name,
    read_rates,
    size_of_books,
)
from cloze_gen.pipelines.run import RunTask, check_run_name
from cloze_gen.pipelines.style_task import (
    ignored_lines,
    load_settings,
    report_old_names,
    style_names,
    style_of,
    style_of_run,
)
from cloze_gen.pipelines.task import Build, StageTask, build, log_file, logged, look_ahead
from cloze_gen.records.rejection import funnel_text
from cloze_gen.records.release_facts import verdict_text
from cloze_gen.release.facts import read_record
from cloze_gen.release.signature import read_signature
from cloze_gen.store.artifacts import Store
from cloze_gen.store.locks import exclusive_lock
from cloze_gen.store.runs import (
    RELEASE,
    find_run,
    leads_to,
    name_lock,
    read_run,
    released_folder,
)
from cloze_gen.store.tables import unescape_cell
from cloze_gen.text_layout import wrap


def explain(out: Path, run_name: str, overrides: Sequence[str]) -> str:
    folder = find_run(out, run_name)
    task = task_of_run(folder, overrides=[*read_run(folder)["overrides"], *overrides])
    report_old_names(
        task.of_style,
        task.last.config_used,
        json.dumps(list(overrides)),
    )
    return plan_text(task)


def task_of_run(folder: Path, *, overrides: Sequence[str], workers: int = 2) -> RunTask:
    written = read_run(folder)
    config = written["config"]
    if is_config_file(config):
        config = str(folder / unescape_cell(config))
    style = style_of_run(folder)
    links = {} if written["sample"] else {side: folder / f"corpus-{side}" for side in style.sides}
    patterns = written.get("patterns", {})
    sides = {
        side: str(Location(link.resolve(), patterns.get(side, "")))
        for side, link in links.items()
        if link.is_symlink()
    }  # only one side if the books are their own background
    source = sides.get("source", "")
    if source and is_stems_folder(Path(source), Store(folder.parent.parent)):
        sides["stems"] = sides.pop("source")
    return RunTask(build=Build(), style=style.name, config=config, overrides=json.dumps(list(overrides)), out=str(folder.parent.parent),
                   seed=written["seed"], name=written["name"], processes=workers, **sides)  # fmt: skip


# ---- `cloze-gen run`


def make_task(*, config: str, name: str, out: Path, workers: int, seed: int, overrides: Sequence[str], train: str = "", source: str = "",
              books: str = "", stems: str = "", engine: str = "local", strict: bool = False) -> RunTask:  # fmt: skip
    """The run as a Luigi task; a style without books uses its sample config."""
    style = style_of(config)
    is_sample_config = config == style.sample_config and config != style.name
    default = config == style.name or (is_sample_config and not (train or source or books or stems))
    task = RunTask(
        build=Build(),
        style=style.name,
        config="" if default else config,
        overrides=json.dumps(list(overrides)),
        train=train,
        source=source,
        books=books,
        stems=stems,
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
    if parameters["name"]:
        check_run_name(parameters["name"])
    task = make_task(config=config, **parameters)
    check_engine(task.engine)
    report_old_names(task.of_style, task.last.config_used, task.overrides)
    task = with_local_books(task)
    check_two_sides(task)
    if task.last.is_own_background:
        say(
            "no --train: the books of --source are also the background, with the settings of "
            f"{task.last.config_used}"
        )
    if dry_run:
        show(plan_text(task, with_costs=True))
        return
    if task.strict:
        check_no_book_dropped(task)
    carry_out(task)


def input_overrides(text_column: str, title_column: str, keep_splits: bool) -> list[str]:
    """The short options as settings.

    >>> input_overrides("content", "", True)
    ['input.text_column="content"', 'input.keep_splits=true']
    """
    given = {
        "text_column": text_column,
        "title_column": title_column,
        "keep_splits": keep_splits,
    }
    return [f"input.{name}={toml_value(value)}" for name, value in given.items() if value]


def located(place: str, out: Path) -> Location:
    """Where books are, as a user typed it; books at an address are copied to the store first."""
    if is_address(place):
        return local_copy(place, Store(out), say=say)
    return Location.parse(place)


def with_local_books(task: RunTask) -> RunTask:
    """The same run on copies of the books that are elsewhere."""
    remote = [side for side in task.last.given_sides() if is_address(getattr(task, side))]
    copies = {side: str(located(getattr(task, side), Path(task.out))) for side in remote}
    return cast("RunTask", task.clone(**copies)) if copies else task


def carry_out(task: RunTask) -> None:
    """Run the task, then print the funnel, the verdict, the signature and the release's folder."""
    clock = Stopwatch()
    Store(Path(task.out)).sweep()
    for line in task.ignored_lines():
        say(line)
    task.check_not_newer()
    # Compute all stages' keys first: an unreadable file in a setting is then an error before any work.
    task.description()
    done_before = task.complete()
    if not done_before:
        look_ahead(task.last)
        waits = (
            f"another command is building a run named {task.run_name!r}; waiting for it to finish"
        )
        with (
            engine_scope(task.build.engine(task.engine, task.processes)) as engine,
            exclusive_lock(name_lock(task.folder), on_wait=lambda: say(waits)),
            logged(task.store, task.run_name),
        ):
            engine.share(task.store.store)
            task.build.announce = announcer(task.stages())
            build(task)
            task.store.sweep()  # temporary folders of dead workers of a cluster
    show(funnel_text(task.steps(), task.of_style.legends))
    show(verdict_text(read_record(released_folder(task.folder)).facts.verdict))
    show(f"signature  {read_signature(task.folder)}")
    show(f"release    {task.folder / RELEASE}")
    say(
        f"{task.run_name}: {'nothing to do, all on disk' if done_before else 'done'} in "
        f"{clock.seconds:.1f} s"
    )
    if not done_before:
        say(f"log: {log_file(task.store, task.run_name)}")


def announcer(stages: Sequence[StageTask]) -> Callable[[StageTask], Callable[[float], None]]:
    """Prints `stage 7 of 15: alternates`, with the time left if earlier runs measured all stages
    that are left; records how long each stage takes.
    """
    numbers = {stage.task_id: number for number, stage in enumerate(stages, 1)}
    size, begun = size_of_books(stages), set[str]()

    def announce(stage: StageTask) -> Callable[[float], None]:
        begun.add(stage.task_id)
        line = f"stage {numbers[stage.task_id]} of {len(stages)}: {stage.label}"
        rates = read_rates(stage.store) if size >= LEAST_BYTES else {}
        left = [one for one in stages if one.task_id not in begun and not one.complete()]
        names = [rate_name(one) for one in (stage, *left)]
        if all(name in rates for name in names):
            seconds = size * sum(rates[name][0] for name in names)
            line += f", about {minutes_text(seconds)} left"
        say(line)
        measured = functools.partial(note_rate, stage, size=size)
        return measured if size >= LEAST_BYTES else lambda seconds: None

    return announce


def check_two_sides(task: RunTask) -> None:
    """UsageError if the sides share files and the overlap stage would drop these books."""
    across = task.all_settings.overlap.across
    splits = task.all_settings.input.keep_splits
    if (
        task.stems
        or set(task.last.given_sides()) != {"train", "source"}
        or across == "keep"
        or splits
    ):
        return
    train, source = Location.parse(task.train), Location.parse(task.source)
    shared = _shared_files(train, source)
    if not shared or (across == "drop_train" and train.pattern != source.pattern):
        return
    alone = (
        ", or only --source, to use its books as background too"
        if task.of_style.own_background
        else ""
    )
    same = os.path.realpath(train.root) == os.path.realpath(source.root)
    if same and train.pattern == source.pattern:
        what = f"--train and --source are the same folder, {train}. Every book"
    else:
        count = len(shared)
        what = (
            f"--train and --source share {f'{count:,} files' if count > 1 else 'the file'} "
            f"({name_list(sorted(map(repr, shared)))}). {'Each' if count > 1 else 'It'}"
        )
    raise UsageError(
        f"{what} would be dropped, "
        f"because books on both sides are dropped (overlap.across = {across}). Give two "
        f"folders{alone}, or pass --set overlap.across=keep to keep the questions' sentences in "
        "the training text."
    )


def _shared_files(one: Location, other: Location) -> set[str]:
    """Files of both locations of one folder, by their paths below it."""
    roots = {os.path.realpath(one.root), os.path.realpath(other.root)}
    if len(roots) > 1 or not leads_to(one.root, Path.is_dir):
        return set()
    return set(scan_folder(one).books) & set(scan_folder(other).books)


def check_no_book_dropped(task: RunTask) -> None:
    """CorpusError if an earlier run without `--strict` dropped a book."""
    filtering = task.of_style.filtered_by.values()
    tables = [
        stage
        for stage in task.stages()
        if stage.stage in {"ingest", "corpus"} or stage.label in filtering
    ]
    rows = {
        (row["book_id"], row["reason"]): row
        for one in tables
        if one.complete()
        for row in read_books(one.store.open(one.key))
    }
    dropped = dropped_text(rows.values())
    if dropped:
        raise CorpusError(
            f"--strict: dropped {dropped}. Fix or remove these books, or run without --strict."
        )


# ---- `cloze-gen settings`


def settings_text(config: str, *, columns: int | None = None, new: bool = False) -> str:
    """Every setting with value, bounds and description, as a TOML config `columns` wide.

    `new`: with the style's changes for a new folder.
    """
    style = style_of(config)
    report_old_names(style, config)
    settings = load_settings(style.settings, config, "[]")
    if new:
        changes = json.dumps(style.new_settings(settings))
        settings = load_settings(style.settings, config, changes)
    for line in ignored_lines(style, config):
        say(line)
    style_line = f'{STYLE} = "{style.name}"'
    lines = [
        *_with_description(
            style_line, f"{', '.join(style_names())}: style of these settings", columns
        ),
        "",
    ]
    for group, value in settings:
        lines.append(f"[{group}]")
        for name, field in type(value).model_fields.items():
            value_text = toml_value(value.model_dump(mode="json")[name])
            lines += _with_description(
                f"{name} = {value_text}", f"{allowed_values(field)}: {field.description}", columns
            )
        lines.append("")
    return "\n".join(lines)


def toml_of(style: str, settings: Mapping[str, Mapping[str, Any]]) -> str:
    """Settings with JSON values as a TOML config; nulls are left out, since TOML has none.

    >>> print(toml_of("toy-style", {"focus": {"min_count": 2, "max_freq": None}}))
    style = "toy-style"
    [focus]
    min_count = 2
    <BLANKLINE>
    """
    lines = [f'{STYLE} = "{style}"']
    for group, values in settings.items():
        lines += [
            f"[{group}]",
            *(
                f"{name} = {toml_value(value)}"
                for name, value in values.items()
                if value is not None
            ),
        ]
    return "\n".join([*lines, ""])


def _with_description(line: str, description: str, columns: int | None) -> list[str]:
    """A line of TOML with its description: on the same line if it fits, else above.

    >>> _with_description("keep = 30", "alternates retained", 80), _with_description("keep = 30", "alternates retained", 20)
    (['keep = 30  # alternates retained'], ['# alternates', '# retained', 'keep = 30'])
    """
    both = f"{line}  # {description}".rstrip(" #")
    if columns is None or len(both) <= columns:
        return [both]
    return [*(f"# {part}" for part in wrap(description, columns - len("# "), indent=0)), line]
