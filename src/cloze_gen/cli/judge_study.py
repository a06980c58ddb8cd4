"""`cloze-gen judge new | serve | status | apply`."""

from __future__ import annotations

import re
import shlex
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from cloze_gen.adapters.terminal import show
from cloze_gen.api.run import carry_out, task_of_run
from cloze_gen.cli.arguments import DEFAULT_OUT
from cloze_gen.engine.progress import say
from cloze_gen.errors import ClozeGenError, RefusedError, UsageError
from cloze_gen.judging.agreement_text import report_lines
from cloze_gen.judging.assignment import JudgesPerItem
from cloze_gen.judging.database import (
    JUDGEMENTS,
    StudyFacts,
    find_study,
    is_shut_out,
    issue,
    read_facts,
    revoke,
)
from cloze_gen.judging.state import (
    JudgeProgress,
    StudySettings,
    count_outcomes,
    judges_progress,
)
from cloze_gen.judging.study import (
    Study,
    StudySource,
    make_study,
    study_agreement,
)
from cloze_gen.judging.tasks import TASKS
from cloze_gen.judging.verdicts import parse_verdicts
from cloze_gen.parsing import error_text, quote
from cloze_gen.pipelines.run import RunTask
from cloze_gen.pipelines.styles import (
    find_style,
    style_of_run,
)
from cloze_gen.records.judgement import Judge, Role, Task
from cloze_gen.release.style import Style
from cloze_gen.store.artifacts import Store
from cloze_gen.store.files import open_regular
from cloze_gen.store.manifest import write_bytes
from cloze_gen.store.runs import (
    RUN_FILE,
    find_run,
    find_stage,
    is_run_name,
    leads_to,
    lies_in_output,
    read_run,
)
from cloze_gen.store.tables import parse_jsonl
from cloze_gen.text_layout import table_lines

_MOST_NAME_CHARS = 40
_WANTED_ITEMS = "Give the suspects.jsonl of `cloze-gen evaluate --items`."
_JUDGE = re.compile(rf"\w[\w.-]{{0,{_MOST_NAME_CHARS - 1}}}")


def study_source(
    style: Style, task: Task | None, name: str, *, prefer: Callable[[StudySource], bool]
) -> StudySource:
    """The style's source of studies of a task; of several, the first that `prefer` accepts."""
    found = [one for one in style.study_sources if task in {None, one.task}]
    if not found:
        has = ", ".join(str(one.task) for one in style.study_sources) or "none"
        raise UsageError(
            f"{name}: {style.name} has no judging task {quote(str(task))} (it has: {has})."
        )
    return next(filter(prefer, found), found[0])


def open_named_study(out: Path, study: str) -> tuple[Study, StudySource]:
    folder = find_study(out, study)
    facts = read_facts(folder)
    source = study_source(
        find_style(facts.style), facts.task, facts.name, prefer=lambda one: one.of in facts.of
    )
    return Study(folder, source.rule(facts)), source


def run_of(study: Study) -> Path:
    if study.folder.parent.name != JUDGEMENTS:
        raise UsageError(
            f"{study.folder}: not in an output folder, so its run cannot be found. Move it to "
            f"OUT/{JUDGEMENTS}/."
        )
    folder = find_run(study.folder.parent.parent, study.facts.run)
    return folder if lies_in_output(folder) else folder.resolve()


def warn_if_changed(study: Study, source: StudySource) -> None:
    try:
        run = run_of(study)
        found = fingerprint_of(run, source)
    except ClozeGenError as error:
        say(f"{study.facts.name}: cannot read its run ({error})")
        return
    made_of = study.facts.of.get(source.of)
    if found != made_of:
        say(
            f"{study.facts.name}: run {study.facts.run} has changed since the study was created "
            f"({source.of}: {(made_of or '-')[:12]} then, {found[:12]} now). The verdicts are about "
            "the old items."
        )


def fingerprint_of(run: Path, source: StudySource) -> str:
    return source.identity(run) if source.identity else stage_fingerprint(run, source.of)


def stage_fingerprint(run: Path, label: str) -> str:
    artifact = find_stage(run, label)
    return str(artifact.manifest["fingerprint"]) if artifact else ""


def parse_judges(names: Sequence[str], known: Iterable[Judge] = ()) -> list[Judge]:
    """People by name in NFC, without repeats; UsageError if two names differ only in case."""
    spelled = {one.name.casefold(): one.name for one in known}
    found: dict[str, None] = {}
    for name in (unicodedata.normalize("NFC", one.strip()) for one in names if one.strip()):
        if not _JUDGE.fullmatch(name):
            raise UsageError(
                f"judge {quote(name)}: use at most {_MOST_NAME_CHARS} letters, digits, . _ and -, "
                "starting with a letter or digit (the name is part of file names)"
            )
        if spelled.setdefault(name.casefold(), name) != name:
            raise UsageError(
                f"judge {quote(name)}: differs from {quote(spelled[name.casefold()])} only in case. "
                "Use one spelling."
            )
        found[name] = None
    return [Judge(name, Role.JUDGE) for name in found]


def roles_agree(study: Study, judges: Sequence[Judge]) -> None:
    known = study.state().judges
    for one in judges:
        if one.name in known and known[one.name].role is not one.role:
            raise UsageError(
                f"{quote(one.name)}: already {known[one.name].role} in this study, so it cannot be "
                f"{one.role} too. Use another name."
            )


def study_title(facts: StudyFacts) -> str:
    return f"{facts.name} ({facts.task}, {facts.items:,} items of {facts.run})"


# ---- `cloze-gen judge new | serve | status`


def new(
    out: Path, run: str, *, task: Task | None, name: str, judges: Sequence[str], others: Sequence[Path], settings: Mapping[str, Any], items_file: Path | None = None,
) -> None:  # fmt: skip
    """Make a study of a run's items, mixed with `others` (names of runs, or paths), with judges.

    `items_file`: JSON lines with the `id` of each item, in the order of the study.
    """
    folder = _run_folder(out, run)
    style = style_of_run(folder)
    run_settings = read_run(folder)["settings"]
    source = study_source(
        style,
        task,
        folder.name,
        prefer=lambda one: one.draw_named is not None if items_file else True,
    )
    people = parse_judges(judges)
    n_judges = len(people)
    if (
        n_judges
        and settings.get("each") is None
        and "each" not in TASKS[source.task].unused_options
    ):
        settings = {**settings, "each": n_judges}
    made = StudySettings.model_validate(
        {name: value for name, value in settings.items() if value is not None}
    )
    _check_task(source.task, settings)
    name = name or f"{folder.name}-{source.task}"
    if not is_run_name(name):
        raise UsageError(f"study name {quote(name)}: use only A-Z a-z 0-9 . _ - (and not . or ..)")
    of = {source.of: fingerprint_of(folder, source)}
    if items_file is None:
        items = source.draw(folder, made)
    else:
        if others:
            raise UsageError("--with: has no effect with --items. Leave it out.")
        if source.draw_named is None:
            raise UsageError(f"--items: not available for the task {source.task}; leave it out.")
        items = source.draw_named(folder, _ids_in(items_file)[: made.pool or None])
    if others:
        if source.draw_others is None:
            raise UsageError(f"--with: not available for the task {source.task}; leave it out.")
        items, of_others = source.draw_others(
            items, made, [_other_set(folder.parent.parent, one) for one in others]
        )
        of |= of_others
    facts = make_study(
        folder.parent.parent / JUDGEMENTS / name, items, task=source.task, run=folder.name, style=style.name, of=of, settings=made,
        rules=source.rules(run_settings),
    )  # fmt: skip
    study, _ = open_named_study(folder.parent.parent, name)
    study.add_judges(people)
    study.close()
    say(f"{study_title(facts)}: {study.folder}")
    if isinstance(source.rule(facts), JudgesPerItem) and 0 < n_judges < made.each:
        say(
            f"Each item needs {made.each} judges but you named {n_judges}. Add judges "
            f"(cloze-gen judge serve {name} --judges NAMES), or use --each {n_judges}."
        )
    out_option = [] if out == DEFAULT_OUT else ["--out", str(out)]
    say(
        "next: "
        f"{shlex.join(['cloze-gen', 'judge', 'serve', name, *out_option, *([] if people else ['--judges', 'ann,bob'])])}"
    )


def serve(
    out: Path, study: str, *, host: str, port: int, origin: str, judges: Sequence[str], revoked: Sequence[str],
) -> None:  # fmt: skip
    """Serve a study until Ctrl-C, with a new link for each judge. Old links stay valid.

    `origin`: address of a reverse proxy, if any. Links of `revoked` judges end at
    once, also in other processes, until they are named as judges again.
    """
    from cloze_gen.judging.web.serve import serve as serve_study

    opened, source = open_named_study(out, study)
    try:
        add_judges(opened, parse_judges(judges, opened.state().judges.values()))
        database = opened.store.database
        invited = [
            name
            for name in _remaining_people(opened, revoked)
            if name in judges or not is_shut_out(database, name)
        ]
        warn_if_changed(opened, source)
        for name in revoked:
            say(f"{name}: locked out; links ended: {revoke(database, name):,}")
        if not invited:
            raise UsageError(
                f"{opened.facts.name}: the study has no judges. Add some: --judges ann,bob."
            )
        serve_study(
            opened, host=host, port=port, origin=origin, is_right=source.is_right, links=lambda: {name: issue(database, name) for name in invited},
            show=show,
        )  # fmt: skip
    finally:
        opened.close()


def status(out: Path, study: str) -> None:
    """Print the progress and, once there are verdicts, the judges' agreement."""
    opened, source = open_named_study(out, study)
    warn_if_changed(opened, source)
    lines = list(status_lines(opened))
    if opened.state().verdicts:
        found = study_agreement(opened, is_right=source.is_right)
        lines += ["", *report_lines(found)]
    show("\n".join(lines))


def add_judges(study: Study, judges: Sequence[Judge]) -> None:
    roles_agree(study, judges)
    study.add_judges(judges)


def _ids_in(path: Path) -> list[str]:
    """The ids of the items in a file such as suspects.jsonl, each once."""
    try:
        with open_regular(path) as handle:
            ids = [one["id"] for one in parse_jsonl(handle, where=str(path), advice=_WANTED_ITEMS)]
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error_text(error)}). {_WANTED_ITEMS}") from None
    except KeyError:
        raise UsageError(f"{path}: a line has no `id`. {_WANTED_ITEMS}") from None
    if not ids:
        raise UsageError(f"{path}: names no items, so there is nothing to judge.")
    bad = next((one for one in ids if not isinstance(one, str)), None)
    if bad is not None:
        raise UsageError(f"{path}: {quote(bad)} is no id. {_WANTED_ITEMS}")
    return list(dict.fromkeys(ids))


def _run_folder(out: Path, run: str) -> Path:
    folder = find_run(out, run)
    folder = folder if lies_in_output(folder) else folder.resolve()
    if not lies_in_output(folder):
        raise UsageError(
            f"{folder}: not in an output folder, which must contain the stages and the study. "
            "Pass the folder as --out."
        )
    return folder


def _other_set(out: Path, path: Path) -> Path:
    run = Store(out).runs / path
    return run if leads_to(run / RUN_FILE, Path.is_file) else path


def _remaining_people(study: Study, revoked: Sequence[str]) -> list[str]:
    people = [one.name for one in study.state().judges.values() if one.role is not Role.MACHINE]
    unknown = [name for name in revoked if name not in people]
    if unknown:
        raise UsageError(
            f"--revoke: no such judge: {quote(unknown[0])}. See `cloze-gen judge status "
            f"{study.facts.name}`."
        )
    return [name for name in people if name not in revoked]


def _check_task(task: Task, given: Mapping[str, Any]) -> None:
    unused = [name for name in TASKS[task].unused_options if given.get(name) not in {None, False}]
    if unused:
        reason = (
            "guessing uses the settings guessing.* of the run"
            if unused == ["each"]
            else "it is for grooming only"
        )
        raise UsageError(
            f"--{unused[0].replace('_', '-')}: has no effect for the task {task} ({reason}). "
            "Leave it out."
        )


def status_lines(study: Study) -> Iterator[str]:
    state, facts = study.state(), study.facts
    yield (
        f"study      {facts.name}: {facts.task}, {facts.style} {facts.run}; "
        f"{len(state.cases):,} items"
    )
    for name, count in count_outcomes(state).items():
        yield f"  {count:>8,}  {name}"
    yield ""
    header = ["judge", "role", "assigned", "answered", "due"]
    yield from table_lines(
        header,
        [_judge_cells(one) for one in judges_progress(state)],
        left=frozenset({"judge", "role"}),
    )


def _judge_cells(one: JudgeProgress) -> list[str]:
    return [
        one.judge.name,
        str(one.judge.role),
        f"{one.assigned:,}",
        f"{one.answered:,}",
        f"{one.due:,}",
    ]


# ---- `cloze-gen judge apply`


def apply(out: Path, study: str, *, overrides: Sequence[str], make: bool, workers: int) -> None:
    """Write a study's verdicts and rebuild its run with them, or print the command for it.

    RefusedError if unrelated stages would run again too.
    """
    opened, source = open_named_study(out, study)
    warn_if_changed(opened, source)
    file = write_verdicts(opened, source)
    if not source.rerun_stage:
        _show_uses(opened, source, file)
        return
    run = run_of(opened)
    own = {source.setting, *(one.partition("=")[0].strip() for one in overrides)}
    kept = [one for one in read_run(run)["overrides"] if one.partition("=")[0].strip() not in own]
    task = task_of_run(
        run, overrides=[*kept, f"{source.setting}={file}", *overrides], workers=workers
    )
    others = _stages_besides(task, source) if make else []
    if others or not make:
        show(_command_line(task))
    if others:
        raise RefusedError(
            f"{task.run_name}: not rebuilt, because stages that do not depend on the verdicts would "
            f"run again: {', '.join(others)}. The verdicts are written. `cloze-gen explain` shows "
            "the changes; the command above rebuilds the run."
        )
    if make:
        show(str(carry_out(task)))


def _show_uses(study: Study, source: StudySource, file: Path) -> None:
    """The commands that use verdicts on a finished set."""
    say(
        f"{study.facts.name}: these verdicts are for the evaluation, which compares people with the "
        "baselines. Run:"
    )
    place = str(study.folder.parent.parent)
    command = ["cloze-gen", "evaluate", study.facts.run, "--out", place, "--people", str(file)]
    show(shlex.join(command))
    if source.setting:
        option = shlex.join(["--set", f"{source.setting}={file}"])
        say(
            f"{study.facts.name}: to choose a smaller set from what the readers left, repeat the run "
            f"under another --name, with fewer questions and {option}"
        )


def write_verdicts(study: Study, source: StudySource) -> Path:
    """Write the verdict file, named by its digest; UsageError if it was edited."""
    text = source.verdicts(study)
    verdicts = parse_verdicts(text, task=study.facts.task)
    if not verdicts.rows:
        raise UsageError(
            f"{study.facts.name}: no verdicts yet. Let people judge with `cloze-gen judge serve "
            f"{study.facts.name}`."
        )
    file = (study.folder / f"verdicts-{verdicts.digest[:12]}.jsonl").resolve()
    if not file.exists():
        write_bytes(file, text.encode())
    elif file.read_bytes() != text.encode():
        raise UsageError(
            f"{file}: was changed after it was written. Move it elsewhere; the study still has "
            "all verdicts."
        )
    say(f"{study.facts.name}: {len(verdicts.rows):,} items judged: {verdicts.summary}; {file}")
    return file


def _stages_besides(task: RunTask, source: StudySource) -> list[str]:
    """Labels of missing stages that do not depend on the verdicts."""
    following = set[str]()
    for stage in task.stages:
        if stage.label == source.rerun_stage or any(
            earlier.label in following for earlier in stage.inputs
        ):
            following.add(stage.label)
    return [
        stage.label
        for stage in task.stages
        if stage.label not in following and not task.pipeline.is_complete(stage)
    ]


def _command_line(task: RunTask) -> str:
    sides = [
        (f"--{side}", getattr(task, side)) for side in task.of_style.sides if getattr(task, side)
    ]
    options = [*sides, ("--name", task.run_name), ("--out", task.out), ("--seed", str(task.seed))]
    options += [("--set", one) for one in task.overrides]
    return shlex.join(
        [
            "cloze-gen",
            "run",
            task.config or task.style,
            *(word for option in options for word in option),
        ]
    )
