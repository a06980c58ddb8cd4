"""Traces an item: every decision about it, from the raw file to the release."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cloze_gen.errors import ClozeGenError, UsageError
from cloze_gen.parsing import quote
from cloze_gen.pipelines.styles import style_of_run
from cloze_gen.release.trace import ItemTable, find_tables, trace_lines
from cloze_gen.store.runs import find_run, released_folder, run_folders
from cloze_gen.store.tables import read_jsonl
from cloze_gen.text_layout import printable

if TYPE_CHECKING:  # slow to import
    from cloze_gen.api.run import Run


def trace(
    run: Run | str | Path | None,
    item: Any,
    *,
    out: str | Path = "artifacts",
    alternates: bool = False,
) -> str:
    """Every decision about an item of a run, as `cloze-gen trace` prints it.

    Args:
        run: a run, its name in `out`, or its folder; None: the latest run in `out` that has the item.
        item: an item of a release, or the id of an item, a focus word or a sentence.
        alternates: with every row of long tables, such as the alternates of a word.

    Raises:
        UsageError: no such run or item.
    """
    out = Path(out)
    item_id = str(getattr(item, "id", item))
    place: Any = getattr(run, "folder", run)
    folders = [find_run(out, place)] if run else run_folders(out)
    tables_of: dict[Path, list[ItemTable]] = {}
    unread: dict[Path, ClozeGenError] = {}
    for folder in folders:
        try:
            tables = list(find_tables(style_of_run(folder), folder, item_id))
        except ClozeGenError as error:
            if run:
                raise
            unread[folder] = error
            continue
        # a word that is none has its sentence's rows
        if any(table.rows[0]["id"] == item_id for table in tables):
            tables_of[folder] = tables
    if not tables_of:
        read = [folder for folder in folders if folder not in unread]
        where = ", ".join(folder.name for folder in read) or f"any run of {out}"
        unseen = "".join(f" Not searched: {path.name} ({error})" for path, error in unread.items())
        raise UsageError(f"{quote(item_id)}: no such item in {where}. {_advice(read)}{unseen}")
    folder, *others = tables_of
    lines = [f"{item_id} in run {folder.name}"]
    if others:
        names = ", ".join(other.name for other in others)
        lines.append(f"(in the latest run; for another, pass --run NAME: {names})")
    lines += trace_lines(
        style_of_run(folder), folder, item_id, tables_of[folder], every_row=alternates
    )
    return "\n".join(map(printable, lines))


def _advice(folders: Sequence[Path]) -> str:
    """The file with ids of the latest run, and its first id."""
    for folder in folders:
        file = released_folder(folder) / style_of_run(folder).items.file
        try:
            example = next(read_jsonl(file))["id"]
        except (OSError, ClozeGenError, StopIteration, KeyError):
            continue
        return f"Ids are in {file}, e.g. {example}."
    return "Ids are in the files of a release."
