"""`cloze-gen judge new | status | agree | cost | withdraw`: a study made, and how it stands."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from cloze_gen.adapters.terminal import show
from cloze_gen.commands.arguments import DEFAULT_OUT
from cloze_gen.commands.studies import asking_of, fingerprint_of, judges_named, open_for, roles_agree, say_if_changed, told_of
from cloze_gen.engine.progress import say
from cloze_gen.errors import UsageError
from cloze_gen.judging.agreement_text import report_lines
from cloze_gen.judging.assignment import EachJudged
from cloze_gen.judging.settings import StudySettings
from cloze_gen.notation import shown
from cloze_gen.pipelines.build import forget_what_was_read
from cloze_gen.pipelines.styles import load_settings, style_of, style_of_run
from cloze_gen.records.judgement import Judge, Role, Task
from cloze_gen.store.artifacts import Store
from cloze_gen.store.judgements.study_file import JUDGEMENTS
from cloze_gen.store.runs import RUN_FILE, find_run, is_run_name, leads_to, lies_in_output, read_run
from cloze_gen.studies.agreement import measured, numbers_of
from cloze_gen.studies.make import make_study
from cloze_gen.studies.study import Study
from cloze_gen.studies.told import cost_lines, standing_lines


def new(
    out: Path, run: str, *, task: str, name: str, judges: Sequence[str], adjudicators: Sequence[str], others: Sequence[Path],
    settings: Mapping[str, Any],
) -> None:  # fmt: skip
    """Make a study of a run's items and name its judges; nothing is asked yet.

    Args:
        others: sets that are read among the run's own: names of runs, or paths.
    Raises:
        UsageError: an option cannot serve, or a study of this name is there.
    """
    folder = _run_folder(out, run)
    style = style_of_run(folder)
    asking = asking_of(style, _task(task), folder.name)
    made = _settings(settings)
    _check_task(asking.task, settings)
    name = name or f"{folder.name}-{asking.task}"
    if not is_run_name(name):
        raise UsageError(f"study name {shown(name)}: use only A-Z a-z 0-9 . _ - (and not . or ..)")
    people = people_named(judges, adjudicators)
    of = {asking.of: fingerprint_of(folder, asking)}
    items = asking.draw(folder, made)
    if others:
        if asking.draw_others is None:
            raise UsageError(f"--with: items of a study that is to {asking.task} are of its run alone; leave it out.")
        items, of_others = asking.draw_others(items, made, [_other_set(folder.parent.parent, one) for one in others])
        of |= of_others
    facts = make_study(
        folder.parent.parent / JUDGEMENTS / name, items, task=asking.task, run=folder.name, style=style.name, of=of, settings=made,
        rules=asking.rules(read_run(folder)["settings"]),
    )  # fmt: skip
    study, _ = open_for(folder.parent.parent, name)
    study.add_judges(people)
    study.close()
    say(f"{told_of(facts)}: {study.folder}")
    n_judges = sum(one.role is Role.JUDGE for one in people)
    if isinstance(asking.rule(facts), EachJudged) and 0 < n_judges < made.each:
        say(
            f"{made.each} judges are asked about an item and {n_judges} are named: none is finished, and no adjudicator asked, until more "
            f"come (cloze-gen judge serve {name} --judges)"
        )
    place = [] if out == DEFAULT_OUT else ["--out", str(out)]
    say(f"next: {shlex.join(['cloze-gen', 'judge', 'serve', name, *place, *([] if people else ['--judges', 'ann,bob'])])}")


def status(out: Path, study: str) -> None:
    """Tell how a study stands."""
    opened, asking = open_for(out, study)
    say_if_changed(opened, asking)
    show("\n".join(standing_lines(opened)))


def agree(out: Path, study: str, *, names: bool, columns: int | None) -> None:
    """Tell how far a study's judges agree.

    Args:
        names: tell the judges' names; else numbers, in the order in which they were first asked.
        columns: of the screen that it is for; None where nobody looks.
    """
    opened, asking = open_for(out, study)
    found = measured(opened, is_right=asking.is_right, called=None if names else _numbered(opened))
    show("\n".join(report_lines(found, columns=columns)))


def cost(out: Path, study: str, *, usd_per_hour: float | None) -> None:
    """Tell what a study has cost and will cost, in hours, and by the pay of its paper where that tells one."""
    opened, asking = open_for(out, study)
    lines = list(cost_lines(opened, usd_per_hour=usd_per_hour))
    show("\n".join([*lines, *(["", *asking.cost(opened.facts.rules, None, opened)] if asking.cost else [])]))


def expected_cost(config: str, items: int, overrides: Sequence[str]) -> None:
    """Tell what asking about so many items is expected to cost, before there is a study.

    Raises:
        UsageError: the style's paper says nothing of pay.
    """
    forget_what_was_read()
    style = style_of(config)
    asking = next((one for one in style.asks if one.cost), None)
    if asking is None or asking.cost is None:
        raise UsageError(f"{config}: its paper tells no pay. `cloze-gen judge cost STUDY` tells the hours of a study that has begun.")
    settings = load_settings(style.settings, config, json.dumps(list(overrides)))
    show("\n".join(asking.cost(asking.rules(settings.model_dump(mode="json")), items, None)))


def withdraw(out: Path, study: str, judges: Sequence[str]) -> None:
    """Wait no longer for what some judges have not answered.

    Raises:
        UsageError: one is no judge of this study.
    """
    opened, _ = open_for(out, study)
    unknown = [name for name in judges if name not in opened.standing().judges]
    if unknown:
        raise UsageError(f"no such judge: {shown(unknown[0])}. `cloze-gen judge status {opened.facts.name}` lists them.")
    for name in judges:
        count = opened.withdraw(name)
        say(f"{name}: {f'{count:,} items waited for no longer' if count else 'nothing was waited for'}")


def add_judges(study: Study, judges: Sequence[Judge]) -> None:
    """More judges for a study that is under way.

    Raises:
        UsageError: one has another role there.
    """
    roles_agree(study, judges)
    study.add_judges(judges)


def people_named(judges: Sequence[str], adjudicators: Sequence[str], known: Sequence[Judge] = ()) -> list[Judge]:
    """Judges and adjudicators by their names.

    Raises:
        UsageError: a name cannot serve, or is asked for in both roles.
    """
    people = judges_named(judges, Role.JUDGE, known)
    deciding = judges_named(adjudicators, Role.ADJUDICATOR, [*known, *people])
    both = {one.name for one in people} & {one.name for one in deciding}
    if both:
        raise UsageError(f"{', '.join(sorted(both))}: cannot judge and adjudicate in one study; nothing was written.")
    return [*people, *deciding]


def _run_folder(out: Path, run: str) -> Path:
    folder = find_run(out, run)
    folder = folder if lies_in_output(folder) else folder.resolve()
    if not lies_in_output(folder):
        raise UsageError(f"{folder}: lies in no output folder, where its stages are and a study can lie. Name a run by its --out.")
    return folder


def _other_set(out: Path, path: Path) -> Path:
    """A run of this name in the same output folder, or else the path itself."""
    run = Store(out).runs / path
    return run if leads_to(run / RUN_FILE, Path.is_file) else path


def _check_task(task: Task, given: Mapping[str, Any]) -> None:
    """Ask that no option is given that this task does not hear.

    Raises:
        UsageError: one is.
    """
    deaf = [name for name in ("draw", "show_machine") if given.get(name) and task is not Task.GROOM]
    deaf += ["each"] if given.get("each") is not None and task is Task.GUESS else []
    if deaf:
        said = "guessing.* of the run says how many guess" if deaf == ["each"] else "it is for grooming"
        raise UsageError(f"--{deaf[0].replace('_', '-')}: a study that is to {task} does not hear it ({said}); leave it out.")


def _task(task: str) -> Task | None:
    if task not in {"", *Task}:
        raise UsageError(f"--task {shown(task)}: expected {', '.join(Task)}")
    return Task(task) if task else None


def _settings(given: Mapping[str, Any]) -> StudySettings:
    try:
        return StudySettings.model_validate({name: value for name, value in given.items() if value is not None})
    except ValidationError as error:
        first = error.errors()[0]
        option = "-".join(str(part).replace("_", "-") for part in first["loc"])
        raise UsageError(f"--{option}: {first['msg']}, found {shown(first.get('input'))}") from None


def _numbered(study: Study) -> Mapping[str, str]:
    return {name: f"judge {number}" for name, number in numbers_of(study.standing()).items()}
