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

if TYPE_CHECKING:  # slow to import
    from cloze_gen.api.run import Run


def trace(
    run: Run | str | Path, item: Any, *, out: str | Path = "artifacts", alternates: bool = False
) -> str:
    """Every decision about an item of a run, as `cloze-gen trace` prints it.

    Args:
        run: a run, its name in `out`, or its folder.
        item: an item of a release, or the id of an item, a focus word or a sentence.
        alternates: with every row of long tables, such as the alternates of a word.

    Raises:
        UsageError: no such run or item.
    """
    name = str(getattr(run, "folder", run))
    return trace_item(Path(out), name, str(getattr(item, "id", item)), alternates=alternates)


def trace_item(out: Path, run: str | None, item_id: str, *, alternates: bool = False) -> str:
    """Every decision about one item or dropped record; `run` None: the latest run that has it."""
    folders = [find_run(out, run)] if run else run_folders(out)
    unread: dict[str, ClozeGenError] = {}
    for place, folder in enumerate(folders):
        try:
            style = style_of_run(folder)
            tables = list(find_tables(style, folder, item_id))
        except ClozeGenError as error:
            if run:
                raise
            unread[folder.name] = error
            continue
        if _has(tables, item_id):
            others = _others_with(folders[place + 1 :], item_id)
            note = f"(in the latest run; for another, pass --run NAME: {', '.join(others)})\n"
            head = f"{item_id} in run {folder.name}\n{note if others else ''}"
            return head + "\n".join(
                trace_lines(style, folder, item_id, tables, every_row=alternates)
            )
    read = [folder for folder in folders if folder.name not in unread]
    where = ", ".join(folder.name for folder in read) or f"any run of {out}"
    unseen = "".join(f" Not searched: {name} ({error})" for name, error in unread.items())
    raise UsageError(f"{quote(item_id)}: no such item in {where}. {_advice(read)}{unseen}")


def _has(tables: Sequence[ItemTable], item_id: str) -> bool:
    """Whether a row has this id; a word that is none has its sentence's rows."""
    return any(table.rows[0]["id"] == item_id for table in tables)


def _advice(folders: Sequence[Path]) -> str:
    """The file with ids of the latest run of each kind of item, and its first id."""
    places: dict[str, str] = {}
    for folder in folders:
        items = style_of_run(folder).items
        file = released_folder(folder) / items.file
        if items.file not in places:
            try:
                example = f", e.g. {next(read_jsonl(file))['id']}"
            except (OSError, ClozeGenError, StopIteration, KeyError):
                example = ""
            places[items.file] = f"{folder.name}/{file.parent.name}/{file.name}{example}"
    return f"Ids are in {', or '.join(places.values()) or 'the files of a release'}."


def _others_with(folders: Sequence[Path], item_id: str) -> list[str]:
    names = []
    for folder in folders:
        try:
            if _has(list(find_tables(style_of_run(folder), folder, item_id)), item_id):
                names.append(folder.name)
        except ClozeGenError:
            names.append(f"{folder.name} (cannot be read)")
    return names
