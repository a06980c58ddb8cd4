"""The judging tasks, by name."""

from __future__ import annotations

from collections.abc import Mapping

from cloze_gen.judging.tasks.fill import FILL
from cloze_gen.judging.tasks.groom import GROOM
from cloze_gen.judging.tasks.guess import GUESS
from cloze_gen.judging.tasks.read import READ
from cloze_gen.judging.tasks.task import JudgingTask
from cloze_gen.records.judgement import Task

TASKS: Mapping[Task, JudgingTask] = {task.name: task for task in (GROOM, GUESS, READ, FILL)}
