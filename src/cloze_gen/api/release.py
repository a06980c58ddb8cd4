"""Reads a release: its facts, its items as records, and tables for other libraries."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cloze_gen.corpus.folder import check_folder
from cloze_gen.errors import ToolError, UsageError
from cloze_gen.parsing import quote
from cloze_gen.pipelines.styles import find_style
from cloze_gen.records.release_facts import ReleaseFacts
from cloze_gen.release.folder import ReleaseFolder, check_names, untrusted_input
from cloze_gen.release.style import PublishedSet, Style
from cloze_gen.release.write import read_published, split_tables
from cloze_gen.store.runs import find_release

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True, eq=False)
class Release:
    """A full release in its folder.

    Attributes:
        facts: the contents of `release.json`, without the funnel.
    """

    folder: Path
    facts: ReleaseFacts = field(repr=False)
    _style: Style = field(repr=False)
    _published: PublishedSet = field(repr=False)

    @property
    def items(self) -> Sequence[Any]:
        """The items in published order: `Question`, `SetPassage` or `SetBlankedPassage`, frozen."""
        return tuple(self._published.items)

    def to_pandas(self) -> pd.DataFrame:
        """The published records, one row an item; docs/reference/artifacts.md has the columns."""
        import pandas as pd

        return pd.DataFrame.from_records(self._published.records)

    def to_datasets(self, config: str = "default") -> Any:
        """A `datasets.DatasetDict` of the splits of a config; the card lists the configs.

        Raises:
            ToolError: the package `datasets` is not installed.
        """
        try:
            datasets = importlib.import_module("datasets")
        except ImportError as error:
            raise ToolError(
                f"to_datasets needs the package datasets ({error}). Install it: pip install datasets"
            ) from None
        tables = list(split_tables(self._style.items, self._published))
        chosen = {one.split: datasets.Dataset(one.table) for one in tables if one.config == config}
        if not chosen:
            known = ", ".join(dict.fromkeys(one.config for one in tables))
            raise UsageError(f"{self.folder}: has no config {quote(config)}. Its configs: {known}.")
        return datasets.DatasetDict(chosen)


def load(release: str | Path, *, out: str | Path = "artifacts") -> Release:
    """Read the full release in a folder, or of a run by its folder or its name in `out`.

    Raises:
        UsageError: no such folder, or a release of pointers.
        FormatError: a file is missing, was changed, or does not follow its format.
    """
    folder = find_release(Path(out), release)
    check_folder(folder, f"Give the folder of a release or of a run, or a run's name in {out}.")
    with untrusted_input(folder):
        found, style = open_full(folder, "load")
        published = read_published(found.read, style=style, record=found.record)
        return Release(folder, found.record.facts, style, published)


def open_full(folder: Path, use: str) -> tuple[ReleaseFolder, Style]:
    """Open a release that contains its text; UsageError for pointers, which cannot be put to `use`."""
    found = ReleaseFolder.open(folder)
    style = find_style(found.record.facts.style)
    check_names(found.record, style, where=folder)
    if found.record.facts.text == "pointers":
        raise UsageError(
            f"{folder}: contains pointers to text, but no text. Rebuild the full set with "
            f"`cloze-gen fill`, then {use} that."
        )
    return found, style
