"""Traces an item: every decision about it, from the raw file to the release."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cloze_gen.errors import ClozeGenError, UsageError
from cloze_gen.parsing import quote
from cloze_gen.pipelines.styles import find_style, style_names, style_of_run
from cloze_gen.release.style import Style
from cloze_gen.release.trace import Traced, find_row
from cloze_gen.store.runs import find_run, run_folders

if TYPE_CHECKING:  # slow to import
    from cloze_gen.api.run import Run


def trace(
    run: Run | str | Path, item: Any, *, out: str | Path = "artifacts", alternates: bool = False
) -> str:
    """Every decision about an item of a run, as `cloze-gen trace` prints it.

    Args:
        run: a run, its name in `out`, or its folder.
        item: an item of a release, or the id of an item, a focus word or a sentence.
        alternates: with every alternate and the reason it was dropped (holmes-style).

    Raises:
        UsageError: no such run or item.
    """
    name = str(getattr(run, "folder", run))
    return trace_item(Path(out), name, str(getattr(item, "id", item)), alternates=alternates)


def trace_item(
    out: Path,
    run: str | None,
    item_id: str,
    *,
    alternates: bool = False,
) -> str:
    """Every decision about one item or dropped record; `run` None: the latest run that has it."""
    named = [find_run(out, run)] if run else []
    if not item_id.isascii():  # also undecodable bytes
        raise UsageError(f"{quote(item_id)}: no such item. {_files_with_ids(named)}")
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
                raise UsageError(
                    f"--alternates: a {style.items.noun} of {style.name} has none. Leave it out."
                )
            item = Traced(folder, item_id, row, style.drawn_from, in_full=alternates)
            return "\n".join(_lines(style, item, _others_with(folders[place + 1 :], item_id)))
    if run and unread:
        raise unread.popitem()[1]
    folders = [folder for folder in folders if folder.name not in unread]
    for folder in folders:
        outcome = style_of_run(folder).trace.early_rejection(folder, item_id)
        if outcome is not None:
            return f"{item_id} in {folder.name}: {outcome}"
    where = ", ".join(folder.name for folder in folders) or f"any run of {out}"
    unseen = "".join(f" Not searched: {name} ({error})" for name, error in unread.items())
    raise UsageError(
        f"{quote(item_id)}: no such item in {where}. {_files_with_ids(folders)}{unseen}"
    )


def _files_with_ids(folders: Sequence[Path]) -> str:
    styles = [style_of_run(folder) for folder in folders] or [
        find_style(name) for name in style_names()
    ]
    places = dict.fromkeys(
        f"release/{style.items.file}, e.g. {style.trace.id_form}" for style in styles
    )
    return f"Find ids in {', or in '.join(places)}."


def _find(folder: Path, item_id: str) -> tuple[Style, dict[str, Any]] | None:
    style = style_of_run(folder)
    stage, file = style.trace.items
    row = find_row(folder, stage, file, item_id)
    return None if row is None else (style, row)


def _others_with(folders: Sequence[Path], item_id: str) -> list[str]:
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
        yield (f"(in the latest run; for another, pass --run NAME: {', '.join(others)})")
    for section in (*style.trace.sections, *(style.trace.in_full if item.in_full else ())):
        lines = list(section(item))
        if lines:
            yield ""
            yield from lines
