"""Guessing by people: what the judges of a study answered, read back from the file that a run is given (LAMBADA 3.1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cloze_gen.errors import FormatError, UsageError
from cloze_gen.formats.verdicts import VerdictFile
from cloze_gen.judging.assignment import Answer, Case
from cloze_gen.notation import shown
from cloze_gen.recipes.lambada.stages.decisions import SIGNALS, read_ranking
from cloze_gen.recipes.lambada.steps.guessing import Condition, GuessingSettings
from cloze_gen.records.judgement import Task
from cloze_gen.stages.room import Room
from cloze_gen.store.artifacts import Artifact
from cloze_gen.store.tables import read_parquet
from cloze_gen.studies.verdict_file import read_verdicts


def read_guessed(path: str) -> VerdictFile:
    """What people guessed.

    Raises:
        UsageError: the file cannot be read.
        FormatError: it holds no such verdicts; names the file, and the passage where it is one.
    """
    file = read_verdicts(path, task=Task.GUESS, given_as="guessing.verdicts")
    for row in file.rows:
        answers = row.get("answers")
        if not isinstance(answers, list) or not all(_is_answer(one) for one in answers):
            raise FormatError(f"{path}: {shown(row['id'])} has no list of people's guesses, found {shown(dict(row))}")
        if len({one["judge"] for one in answers}) < len(answers):
            raise FormatError(f"{path}: {shown(row['id'])} was answered twice by one judge; nobody is asked about a passage twice")
    return file


def judged_cases(ranking: Artifact, people: VerdictFile, settings: GuessingSettings, room: Room) -> list[Case]:
    """The passages that anybody was asked about with their answers, in the order of the ranking; a judge's name is a number.

    Raises:
        UsageError: people were asked about passages that are not in the head of this ranking, or by other rules.
    """
    where = f"guessing.verdicts: {shown(settings.verdicts, most_chars=300)}"
    others = [name for name, value in settings.rules.items() if people.rules.get(name) != value]
    if others:
        raise UsageError(
            f"{where}: people were asked with guessing.{others[0]} = {shown(people.rules.get(others[0]))}, and it is "
            f"{settings.rules[others[0]]} now. How many are asked and in which steps (guessing.*) stays as it was when the study was made; "
            "set it back."
        )
    table = read_parquet(ranking.path(SIGNALS), columns=["id", "target"])
    targets = dict(zip(*table.to_pydict().values(), strict=True))
    rows, head = {row["id"]: row for row in people.rows}, dict.fromkeys(read_ranking(ranking))
    foreign = [one for one in rows if one not in head]
    if foreign:
        raise UsageError(
            f"{where}: {len(foreign):,} of the {len(rows):,} passages that people were asked about are not in the head of this run's "
            f"ranking, the first {shown(foreign[0])}. It belongs to another run, or the ranking has changed since: give the run its old "
            "books and settings, or make a study of what it has now."
        )
    if people.of.get("ranking") != ranking.manifest["fingerprint"]:
        room.say(
            f"the ranking has changed since the study was made ({shown(people.of.get('ranking'))} -> {ranking.manifest['fingerprint']}). "
            "All passages that people were asked about are still in its head; texts and order may be others."
        )
    return [_case(rows[one], targets[one]) for one in head if one in rows]


def _is_answer(one: Any) -> bool:
    """Whether it is an answer, in the shape of the task and of nobody's name."""
    if not isinstance(one, Mapping) or type(one.get("judge")) is not int or one.get("condition") not in list(Condition):
        return False
    return isinstance(one.get("guesses"), list) and all(isinstance(guess, str) for guess in one["guesses"])


def _case(row: Mapping[str, Any], target: str) -> Case:
    answers = (Answer(str(one["judge"]), one["condition"], {"guesses": one["guesses"]}) for one in row["answers"])
    return Case(row["id"], (), {"target": target}, answers=tuple(answers))
