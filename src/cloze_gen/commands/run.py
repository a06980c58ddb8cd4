"""`cloze-gen run` and `cloze-gen explain`: parameters in, Luigi's verdict out."""

from __future__ import annotations

import contextlib
import importlib
import json
import logging
import os
import re
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import luigi
from luigi.task_register import Register

from cloze_gen import __version__
from cloze_gen.adapters.terminal import show
from cloze_gen.columns import wrap
from cloze_gen.config import STYLE, allowed_values, read_toml
from cloze_gen.engine.local import Engine, check_engine
from cloze_gen.engine.logbook import LOGS, keeping_log, note
from cloze_gen.engine.progress import Stopwatch, say
from cloze_gen.errors import ClozeGenError, CorpusError, UsageError
from cloze_gen.notation import shown
from cloze_gen.pipelines.corpus import Ingest, config_text, is_config_file, load_settings, scanned
from cloze_gen.pipelines.run import RELEASE, RunTask, check_run_name
from cloze_gen.pipelines.task import PipelineTask, StageTask, begin_build, break_off, current_engine, look_ahead
from cloze_gen.pipelines.worker import InProcessFactory
from cloze_gen.report.funnel import funnel_text
from cloze_gen.stages.corpus.book_table import read_books
from cloze_gen.stages.corpus.dropped import dropped_text
from cloze_gen.store.artifacts import Store
from cloze_gen.store.locks import exclusive_lock
from cloze_gen.store.runs import RUN_FILE, check_as_written, find_run, leads_to, name_lock, read_run

STYLES = {"holmes-style": "holmes_style", "scs-style": "scs_style"}
BOOK_STAGES = frozenset({"ingest", "corpus", "books"})  # those that write a table of books, and may drop some


def style_of(config: str) -> type[RunTask]:
    """The run task of a config: of a built-in one by its name; of a TOML file by the style it says, else by a word of its own name.

    Raises:
        UsageError: there is no such config or style, or a file says none.
    """
    if is_config_file(config):
        style = _said_style(config) or _named_style(config)
    else:
        config_text(config)  # a name that is none is told with those there are
        style = config.replace("-sample", "-style")
    return _style_class(STYLES[style], where=config)


def _style_class(module: str, *, where: str) -> type[RunTask]:
    if module not in STYLES.values():
        raise UsageError(f"{where}: {shown(module)} is no style of this version. Known: {', '.join(STYLES)}.")
    return importlib.import_module(f"cloze_gen.pipelines.{module}").STYLE


def _said_style(config: str) -> str | None:
    """What a TOML file gives as its `style`."""
    said = read_toml(config_text(config), where=config).get(STYLE)
    if said is not None and (not isinstance(said, str) or said not in STYLES):
        raise UsageError(f"{config}: style: {shown(said)} is no style. Known: {', '.join(STYLES)}.")
    return said


def _named_style(config: str) -> str:
    """The style whose word stands in a file's name: `holmes-2.toml`, `mine.scs.toml`."""
    words = re.split(r"[^a-z]+", Path(config).name.lower())
    found = [style for style in STYLES if style.removesuffix("-style") in words]
    if len(found) != 1:
        what = "names more than one style" if found else "says no style, and its name holds none"
        choice = " or ".join(f'style = "{style}"' for style in STYLES)
        raise UsageError(f"{config}: {what}. Write {choice} as its first line.")
    return found[0]


def make_task(*, config: str, train: str, source: str, name: str, out: Path, workers: int, seed: int, overrides: Sequence[str],
              engine: str = "local", strict: bool = False) -> RunTask:  # fmt: skip
    """The run as a Luigi task. A style's own name means: its config on real corpora, its sample config without any."""
    forget_what_was_read()
    style = style_of(config)
    default = config in {style.default_config, style.sample_config} and not (config == style.sample_config and train)
    task = style(
        config="" if default else config,
        overrides=json.dumps(list(overrides)),
        train=train,
        source=source,
        out=str(out),
        seed=seed,
        processes=workers,
        engine=engine,
        strict=strict,
        name=name or ("" if default else Path(config).name.removesuffix(".toml")),
    )
    check_run_name(task.run_name)
    return task


def forget_what_was_read() -> None:
    """Books and configs are read once a run; a second run of the same process must read them anew."""
    scanned.cache_clear()
    load_settings.cache_clear()
    Register.clear_instance_cache()  # type: ignore[no-untyped-call]


def run(*, config: str, dry_run: bool, **parameters: Any) -> None:
    """Run what is not on disk yet.

    Raises:
        ClozeGenError: a stage failed; the first failure's own message.
    """
    clock = Stopwatch()
    if parameters["name"]:
        check_run_name(parameters["name"])
    task = make_task(config=config, **parameters)
    check_engine(task.engine)
    check_two_sides(task)
    if dry_run:
        show(plan_text(task))
        return
    if task.strict:
        check_no_book_dropped(task.stages())
    Store(Path(task.out)).sweep()
    task.description()  # all stages' keys: a file named by a setting that cannot be read is told before anything runs
    done_before = task.complete()
    if not done_before:
        look_ahead(task.questions)
        waits = f"another command is making a run named {task.run_name!r}; waiting for its end"
        with (
            given_back(current_engine(task.engine, task.processes)) as engine,
            exclusive_lock(name_lock(task.folder), on_wait=lambda: say(waits)),
            logged(task.store, task.run_name),
        ):
            engine.share(task.store.store)
            build(task)
    show(funnel_text(task.steps()))
    show(f"signature  {task.signature()}")
    show(f"release    {task.folder / RELEASE}")
    say(f"{task.run_name}: {'nothing to do, all on disk' if done_before else 'done'} in {clock.seconds:.1f} s")
    if not done_before:
        say(f"log: {log_file(task.store, task.run_name)}")


def log_file(store: Store, name: str) -> Path:
    """Where it is told what was said while a run was made; beside the store, for it tells times."""
    return store.root / LOGS / f"{name}.log"


@contextlib.contextmanager
def logged(store: Store, name: str) -> Iterator[None]:
    """Keep the log of a run; where the run fails, the log is named before the failure is told."""
    path = log_file(store, name)
    with keeping_log(path, f"cloze-gen {__version__}, {name}"):
        try:
            yield
        except ClozeGenError as error:
            note(str(error))
            say(f"log: {path}")
            raise


def check_two_sides(task: RunTask) -> None:
    """
    Raises:
        UsageError: both sides are one folder, so that every book would be dropped as a book of the other side.
    """
    across = task.all_settings.overlap.across
    there = task.train and leads_to(Path(task.train), Path.is_dir)
    if there and across != "keep" and os.path.realpath(task.train) == os.path.realpath(task.source):
        raise UsageError(
            f"--train and --source are the same folder, {task.train}: a book on both sides is dropped (overlap.across = {across}), so none "
            "would be left. Give two folders, or --set overlap.across=keep to let the questions stand in the training text."
        )


@contextlib.contextmanager
def given_back(engine: Engine) -> Iterator[Engine]:
    """The run's engine is given back at its end; where the run is broken off, its processes are ended at once."""
    try:
        yield engine
    except BaseException:
        engine.abandon()
        raise
    else:
        engine.close()
    finally:
        current_engine.cache_clear()


def check_no_book_dropped(stages: Sequence[StageTask]) -> None:
    """`--strict` also speaks of books that an earlier run, less strict, dropped.

    Raises:
        CorpusError: naming every dropped book and its reason.
    """
    looked_at = [stage for stage in stages if stage.stage in BOOK_STAGES and stage.complete()]
    rows = {(row["book_id"], row["reason"]): row for stage in looked_at for row in read_books(stage.store.open(stage.key))}
    dropped = dropped_text(rows.values())
    if dropped:
        raise CorpusError(f"--strict: dropped {dropped}. Mend or remove these books, or run without --strict.")


def build(task: luigi.Task) -> None:
    """Let Luigi order the stages in this process; the first failure comes out as it was raised."""
    failures: list[BaseException] = []
    begin_build()

    @PipelineTask.event_handler(luigi.Event.BROKEN_TASK)  # a task whose inputs or settings could not even be named
    @PipelineTask.event_handler(luigi.Event.FAILURE)
    def remember(_: luigi.Task, error: BaseException) -> None:
        failures.append(error)
        break_off()

    logging.getLogger("luigi").setLevel(logging.CRITICAL)
    logging.getLogger("luigi-interface").setLevel(logging.CRITICAL)
    options = {"local_scheduler": True, "workers": 1, "no_lock": True, "detailed_summary": True, "log_level": "CRITICAL"}
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", module="luigi")
            result = luigi.build([task], InProcessFactory(), **options)  # type: ignore[no-untyped-call]
    finally:
        for event in (luigi.Event.FAILURE, luigi.Event.BROKEN_TASK):
            PipelineTask.remove_event_handler(event, remember)
    if failures:
        raise failures[0]
    if result.status not in {luigi.LuigiStatusCode.SUCCESS, luigi.LuigiStatusCode.SUCCESS_WITH_RETRY}:
        raise ClozeGenError(f"the pipeline did not finish: {result.one_line_summary}")


def plan_text(task: RunTask) -> str:
    """What would run, stage by stage, and why."""
    before = _earlier(task.folder)
    lines = [f"{task.run_name}: in {task.out}"]
    for number, stage in enumerate(task.stages(), 1):
        state = "on disk" if stage.complete() else f"would run: {_why(stage, before)}"
        lines.append(f"  {number:02} {stage.label:<16} {state}")
    return "\n".join([*lines, f"     release          {'as on disk' if task.complete() else 'would be written'}"])


def _earlier(folder: Path) -> dict[str, Any] | None:
    """What the run of this name says of itself; None without one, or where it can no longer be read and will be written anew."""
    try:
        check_as_written(folder, RUN_FILE)
        return read_run(folder)
    except UsageError:
        return None


def _why(stage: StageTask, before: dict[str, Any] | None) -> str:
    old = next((one for one in (before or {}).get("stages", []) if one["label"] == stage.label), None)
    if old is None:
        return "never ran"
    new = stage.key.described()
    reasons = []
    if old["version"] != new["version"]:
        reasons.append(f"code version {old['version']} -> {new['version']}")
    if old["seed"] != new["seed"]:
        reasons.append(f"seed {old['seed']} -> {new['seed']}")
    before, now = old["settings"], new["settings"]
    names = [name for name in sorted(before.keys() | now.keys()) if before.get(name) != now.get(name)]
    reasons += [f"{name} {before.get(name)!r} -> {now.get(name)!r}" for name in names]
    reasons += _changed_inputs(stage, old["inputs"], dict(new["inputs"]))
    return "; ".join(reasons) or stage.store.fault(stage.key) or "its artifact is missing"


def _changed_inputs(stage: StageTask, old: dict[str, str], new: dict[str, str]) -> list[str]:
    if not isinstance(stage, Ingest):
        return [f"input {name} changed" for name in sorted(old.keys() | new.keys()) if old.get(name) != new.get(name)]
    groups = {"added": sorted(new.keys() - old.keys()), "removed": sorted(old.keys() - new.keys()),
              "changed": sorted(name for name in old.keys() & new.keys() if old[name] != new[name])}  # fmt: skip
    return [f"{len(books)} books {what} ({', '.join(book.split(' ')[0] for book in books[:3])}{', ...' if len(books) > 3 else ''})"
            for what, books in groups.items() if books]  # fmt: skip


def explain(out: Path, run_name: str, overrides: Sequence[str]) -> str:
    """Which stages of a finished run would run again, with its config, books and code as they are now."""
    forget_what_was_read()
    folder = find_run(out, run_name)
    written = read_run(folder)
    config = written["config"]
    if config.endswith(".toml"):
        config = str(folder / config)
    style = _style_class(written["style"], where=str(folder / RUN_FILE))
    sides = {side: "" if written["sample"] else str((folder / f"corpus-{side}").resolve()) for side in ("train", "source")}
    task = style(config=config, overrides=json.dumps([*written["overrides"], *overrides]), out=str(folder.parent.parent),
                 seed=written["seed"], name=written["name"], **sides)  # fmt: skip
    return plan_text(task)


def settings_text(config: str, *, columns: int | None = None) -> str:
    """Every setting of a config with its value, what it may be and its meaning, as TOML that is a config itself.

    Args:
        columns: of the screen; a meaning that has no room beside its value stands above it.
    """
    forget_what_was_read()
    style = style_of(config)
    settings = load_settings(style.model, config, "[]")
    said = f'{STYLE} = "{style.style_name.replace("_", "-")}"'
    lines = [*_with_meaning(said, f"{', '.join(STYLES)}: whose settings these are", columns), ""]
    for group, value in settings:
        lines.append(f"[{group}]")
        for name, field in type(value).model_fields.items():
            value_text = json.dumps(value.model_dump(mode="json")[name], ensure_ascii=False)
            lines += _with_meaning(f"{name} = {value_text}", f"{allowed_values(field)}: {field.description}", columns)
        lines.append("")
    return "\n".join(lines)


def _with_meaning(line: str, meaning: str, columns: int | None) -> list[str]:
    """A line of TOML with its comment: beside it where both fit, else above.

    >>> _with_meaning("keep = 30", "alternates retained", 80), _with_meaning("keep = 30", "alternates retained", 20)
    (['keep = 30  # alternates retained'], ['# alternates', '# retained', 'keep = 30'])
    """
    both = f"{line}  # {meaning}".rstrip(" #")
    if columns is None or len(both) <= columns:
        return [both]
    return [*(f"# {part}" for part in wrap(meaning, columns - len("# "), indent=0)), line]
