"""`cloze-gen trace`: one item's whole life, read back from the artifacts of its run; the sections are the style's own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from cloze_gen.errors import ClozeGenError, UsageError
from cloze_gen.notation import shown
from cloze_gen.pipelines.styles import find_style, style_names, style_of_run
from cloze_gen.stages.style import Style
from cloze_gen.stages.trace import Traced, find_row
from cloze_gen.store.runs import find_run, run_folders


def trace_item(out: Path, run: str | None, item_id: str, *, alternates: bool = False, columns: int | None = None) -> str:
    """Everything that was decided about one item, whether it is in the set or not; of a record that became no item, why.

    Args:
        run: its name or path; without one, the run written last that has the item.
        alternates: also list every alternate with its scores.
        columns: of the screen, for tables and the raw text.

    Raises:
        UsageError: no run has the item, or alternates are asked for of a style that has none.
    """
    named = [find_run(out, run)] if run else []
    if not item_id.isascii():  # a byte that is no text, too: nothing could look it up
        raise UsageError(f"{shown(item_id)}: no such item. {_where_ids_stand(named)}")
    folders = named or run_folders(out)
    unread: dict[str, ClozeGenError] = {}
    for place, folder in enumerate(folders):
        try:
            found = _find(folder, item_id)
        except ClozeGenError as error:
            unread[folder.name] = error
            continue
        if found is not None:
            style, row = found
            if alternates and not style.trace.in_full:
                raise UsageError(f"--alternates: a {style.items.noun} of {style.name} has none; leave it out.")
            item = Traced(folder, item_id, row, style.drawn_from, in_full=alternates, columns=columns)
            return "\n".join(_lines(style, item, _that_have(folders[place + 1 :], item_id)))
    if run and unread:
        raise unread.popitem()[1]
    folders = [folder for folder in folders if folder.name not in unread]
    for folder in folders:
        told = style_of_run(folder).trace.early_end(folder, item_id)
        if told is not None:
            return f"{item_id} in {folder.name}: {told}"
    where = ", ".join(folder.name for folder in folders) or f"any run of {out}"
    unseen = "".join(f" Not looked at: {name} ({error})" for name, error in unread.items())
    raise UsageError(f"{shown(item_id)}: no such item in {where}. {_where_ids_stand(folders)}{unseen}")


def _where_ids_stand(folders: Sequence[Path]) -> str:
    """Where a user finds the ids of these runs' items; without any run, of every style's."""
    styles = [style_of_run(folder) for folder in folders] or [find_style(name) for name in style_names()]
    places = dict.fromkeys(f"release/{style.items.file}, e.g. {style.trace.id_form}" for style in styles)
    return f"Ids stand in {', or in '.join(places)}."


def _find(folder: Path, item_id: str) -> tuple[Style, dict[str, Any]] | None:
    """The style of a run that has the item, and the item's row."""
    style = style_of_run(folder)
    stage, file = style.trace.items
    row = find_row(folder, stage, file, item_id)
    return None if row is None else (style, row)


def _that_have(folders: Sequence[Path], item_id: str) -> list[str]:
    """Names of the older runs that have the item too; one whose artifacts cannot be read is named as such."""
    names = []
    for folder in folders:
        try:
            if _find(folder, item_id) is not None:
                names.append(folder.name)
        except ClozeGenError:
            names.append(f"{folder.name} (cannot be read)")
    return names


def _lines(style: Style, item: Traced, others: Sequence[str]) -> Iterator[str]:
    yield f"{item.id} in run {item.folder.name}"
    if others:
        yield f"(the run written last of those that have it; also in {', '.join(others)}: --run NAME)"
    for section in (*style.trace.sections, *(style.trace.in_full if item.in_full else ())):
        lines = list(section(item))
        if lines:
            yield ""
            yield from lines
