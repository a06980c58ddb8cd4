"""Studies of invented items, for the tests of all rooms that show or take judgements."""

from __future__ import annotations

import contextlib
import sqlite3
from dataclasses import replace
from typing import Any

from cloze_gen.judging.assignment import JudgesPerItem
from cloze_gen.judging.database import DATABASE, read_facts
from cloze_gen.judging.state import StudySettings
from cloze_gen.judging.study import Study, make_study
from cloze_gen.records.judgement import Judge, Role, StudyItem, Task

WORDS = [
    f"{first}{last}"
    for first in ("sand", "moon", "wind", "rain", "snow")
    for last in ("bow", "mill", "light", "fall", "shoe", "ward")
]

STYLES = {
    Task.GROOM: "holmes-style",
    Task.READ: "holmes-style",
    Task.GUESS: "lambada-style",
    Task.FILL: "scde-style",
}


def item(task, number):
    """An item of a task; its text stands alone in its book."""
    shown: dict[str, Any]
    key: dict[str, Any]
    if task is Task.GROOM:
        shown, key = (
            {
                "before": f"On day {number} they saw the",
                "answer": "harbour",
                "after": "at dawn.",
                "candidates": WORDS,
            },
            {},
        )
    elif task is Task.GUESS:
        sentence = f"At last she found the _____ of house {number}."
        passage = f"She had lost her key. {sentence}"
        shown, key = (
            {"passage": passage, "sentence": sentence, "guesses": {"passage": 1, "sentence": 3}},
            {"target": "key"},
        )
    elif task is Task.READ:
        shown = {
            "before": f"On day {number} they rowed the",
            "after": "ashore.",
            "options": ["carriage", "boat", "skiff", "hat", "owl"],
        }
        key = {"answer": 1}
    else:
        parts = [
            f"It was day {number}.",
            {"blank": 1},
            "Nobody spoke.",
            {"blank": 2},
            "So it ended.",
        ]
        shown, key = (
            {
                "parts": parts,
                "candidates": ["Rain fell.", "A dog ran.", "Ann wept.", "It was late."],
            },
            {"answers": [2, 0]},
        )
    return StudyItem(f"b{number}:1", ((f"b{number}", 0, 90),), shown, key, "tiny")


def with_machine(item):
    """The same item of grooming, of whose candidates a machine rejects every second of the first 24."""
    verdicts = {
        word: "fit" if number >= 24 else ("tag", "not_judged")[number % 2]
        for number, word in enumerate(WORDS)
    }
    return replace(item, shown={**item.shown, "machine": verdicts})


def rule_of(task, each=3):
    """Each item judged by so many; of guessing from the passage."""
    return JudgesPerItem(each, "passage" if task is Task.GUESS else "")


def rule_of_folder(folder):
    """The rule of a study that `make_tiny_study` made."""
    facts = read_facts(folder)
    return rule_of(facts.task, StudySettings.model_validate(dict(facts.settings)).each)


def make_tiny_study(
    folder,
    task=Task.READ,
    *,
    n=6,
    judges="ann,bob,cara",
    **settings,
):
    """An open study of n items in a new folder."""
    made = StudySettings(**settings)
    items = [item(task, number) for number in range(1, n + 1)]
    if made.show_machine:
        items = [with_machine(one) for one in items]
    make_study(
        folder, items, task=task, run="tiny", style=STYLES[task], of={"release": "0" * 32},
        settings=made, rules={"sentence_guesses": 3} if task is Task.GUESS else {},
    )  # fmt: skip
    study = Study(folder, rule_of(task, made.each))
    study.add_judges([Judge(name, Role.JUDGE) for name in judges.split(",")])
    return study


def make_old(study):
    """Date all assignments of a study back to the year 2000; other processes see it at once."""
    with contextlib.closing(sqlite3.connect(study.folder / DATABASE)) as other, other:
        other.execute("UPDATE assignments SET made_at = '2000-01-01T00:00:00.000+00:00'")


def response(task):
    """Something that a judge may say of such an item."""
    return {
        Task.GROOM: {"picked": [WORDS[0], WORDS[3], WORDS[7], WORDS[11]]},
        Task.GUESS: {"guesses": ["key"]},
        Task.READ: {
            "answer": 1,
            "fits_as_well": [2],
            "ungrammatical": [],
            "broken": False,
            "trivial": False,
        },
        Task.FILL: {"fills": [2, 0]},
    }[task]
