"""A new study: its items and those that ask for attention, written in one step; its judges are added after."""

from __future__ import annotations

import math
import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from cloze_gen.errors import UsageError
from cloze_gen.judging.attention import attention_items
from cloze_gen.judging.settings import StudySettings
from cloze_gen.records.judgement import StudyItem, Task
from cloze_gen.store.judgements.study_file import SCHEMA, StudyFacts, write_study_file
from cloze_gen.store.judgements.study_store import create_store, items_digest
from cloze_gen.store.locks import partial_folder, publish_folder


def make_study(
    folder: Path, items: Sequence[StudyItem], *, task: Task, run: str, style: str, of: Mapping[str, str], settings: StudySettings,
    rules: Mapping[str, Any],
) -> StudyFacts:  # fmt: skip
    """Write a study into a folder that is not there yet and that nobody else of this machine can look into: keys and names are in it.

    Args:
        of: as `StudyFacts.of`.
    Raises:
        UsageError: the folder is there, or there is nothing to ask about.
    """
    if folder.exists() or folder.is_symlink():
        raise UsageError(f"{folder}: is there already. Nothing was written; name the new study with --name.")
    if not items:
        raise UsageError(f"{run}: nothing to ask about. Nothing was written.")
    checks = attention_items(task, math.ceil(settings.attention * len(items)), seed=settings.seed, guesses=items[0].shown.get("guesses"))
    asked = [*items, *checks]
    facts = StudyFacts(
        schema=SCHEMA, name=folder.name, task=task, run=run, style=style, of=dict(of), settings=settings.model_dump(mode="json"),
        rules=dict(rules), secret=secrets.token_hex(16), items=len(asked), digest=items_digest(asked),
    )  # fmt: skip
    with partial_folder(folder, mode=0o700) as partial:
        create_store(partial, asked)
        write_study_file(partial, facts)
        if not publish_folder(partial, folder):
            raise UsageError(f"{folder}: was made by another command meanwhile. Nothing was written.")
    return facts
