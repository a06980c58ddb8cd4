"""Finding and opening studies for the commands, with the rule that their style asks by."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from pathlib import Path

from cloze_gen.engine.progress import say
from cloze_gen.errors import ClozeGenError, UsageError
from cloze_gen.notation import shown
from cloze_gen.pipelines.styles import find_style
from cloze_gen.records.judgement import Judge, Role, Task
from cloze_gen.stages.style import Style
from cloze_gen.store.judgements.study_file import JUDGEMENTS, StudyFacts, find_study, read_study_file
from cloze_gen.store.runs import find_run, find_stage, lies_in_output
from cloze_gen.studies.asking import Asking
from cloze_gen.studies.study import Study, open_study

MOST_NAME_CHARS = 40
_JUDGE = re.compile(rf"\w[\w.-]{{0,{MOST_NAME_CHARS - 1}}}")


def asking_of(style: Style, task: Task | None, whose: str) -> Asking:
    """The task of a style's judges.

    Args:
        task: None: the style's first.
    Raises:
        UsageError: the style has no such task; lists those it has.
    """
    found = next((one for one in style.asks if task in {None, one.task}), None)
    if found is None:
        has = ", ".join(str(one.task) for one in style.asks) or "none"
        raise UsageError(f"{whose}: {style.name} has no task {shown(str(task))} for judges (it has: {has}).")
    return found


def open_for(out: Path, study: str) -> tuple[Study, Asking]:
    """A study by name or path, open, and how its style asks.

    Raises:
        UsageError: there is none, or it is damaged.
    """
    folder = find_study(out, study)
    facts = read_study_file(folder)
    asking = asking_of(find_style(facts.style), facts.task, facts.name)
    return open_study(folder, asking.rule(facts)), asking


def run_of(study: Study) -> Path:
    """The folder of a study's run, in the output folder that the study lies in.

    Raises:
        UsageError: the study or the run was moved elsewhere.
    """
    if study.folder.parent.name != JUDGEMENTS:
        raise UsageError(f"{study.folder}: lies in no output folder, where its run would be. Lay it into OUT/{JUDGEMENTS}/.")
    folder = find_run(study.folder.parent.parent, study.facts.run)
    return folder if lies_in_output(folder) else folder.resolve()


def say_if_changed(study: Study, asking: Asking) -> None:
    """Tell whether the run has changed since the study was made."""
    try:
        run = run_of(study)
        found = fingerprint_of(run, asking)
    except ClozeGenError as error:
        say(f"{study.facts.name}: its run cannot be looked at ({error})")
        return
    made_of = study.facts.of.get(asking.of)
    if found != made_of:
        say(
            f"{study.facts.name}: run {study.facts.run} has changed since the study was made ({asking.of}: {(made_of or '-')[:12]} then, "
            f"{found[:12]} now). What its judges say is of the items as they were."
        )


def fingerprint_of(run: Path, asking: Asking) -> str:
    """What a study's items are drawn from, as it is now: the fingerprint of a stage, or the digest of the released set."""
    return asking.identity(run) if asking.identity else stage_fingerprint(run, asking.of)


def stage_fingerprint(run: Path, label: str) -> str:
    artifact = find_stage(run, label)
    return str(artifact.manifest["fingerprint"]) if artifact else ""


def judges_named(names: Sequence[str], role: Role, known: Sequence[Judge] = ()) -> list[Judge]:
    """Judges by their names, each once, in one form of Unicode.

    Raises:
        UsageError: a name cannot serve, or is another judge's but for small and capital letters.
    """
    spelled = {one.name.casefold(): one.name for one in known}
    found: dict[str, None] = {}
    for name in (unicodedata.normalize("NFC", one.strip()) for one in names if one.strip()):
        if not _JUDGE.fullmatch(name):
            raise UsageError(
                f"judge {shown(name)}: use at most {MOST_NAME_CHARS} letters, digits, . _ and -, a letter or digit first; files bear "
                "the name"
            )
        if spelled.setdefault(name.casefold(), name) != name:
            raise UsageError(f"judge {shown(name)}: is {shown(spelled[name.casefold()])} the same person? Write a name one way.")
        found[name] = None
    return [Judge(name, role) for name in found]


def roles_agree(study: Study, judges: Sequence[Judge]) -> None:
    """Ask that nobody changes role.

    Raises:
        UsageError: somebody is asked in another role already.
    """
    known = study.standing().judges
    for one in judges:
        if one.name in known and known[one.name].role is not one.role:
            raise UsageError(f"{shown(one.name)} is asked as {known[one.name].role} in this study; nobody can be {one.role} too.")


def told_of(facts: StudyFacts) -> str:
    """A study in a few words."""
    return f"{facts.name} ({facts.task}, {facts.items:,} items of {facts.run})"
