"""`cloze-gen export`: a sample of a release as a quiz for people."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from pathlib import Path

from cloze_gen.api.evaluate import source_of
from cloze_gen.api.release import open_full
from cloze_gen.cli.evaluate_items import analysed_file
from cloze_gen.engine.progress import say
from cloze_gen.errors import UsageError
from cloze_gen.parsing import error_text, one_line, quote
from cloze_gen.release.export import FORMATS, Filters, Range, draw_questions
from cloze_gen.release.folder import untrusted_input
from cloze_gen.release.items.kind import ItemKind
from cloze_gen.store.artifacts import Store
from cloze_gen.store.files import MAX_TEXT_BYTES, new_file, open_regular
from cloze_gen.store.runs import RELEASE_FILE, RUN_FILE, leads_to

_ENDINGS = {".csv": "csv", ".xml": "moodle-xml", ".html": "print", ".htm": "print"}
_EXAMPLES = {"--length": "8-20", "--difficulty": "0.2-0.8"}
_RANGE = re.compile(r"(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)")


def parse_range(option: str, text: str) -> Range | None:
    """
    >>> parse_range("--length", "8-20"), parse_range("--length", "")
    ((8.0, 20.0), None)
    """
    if not text:
        return None
    found = _RANGE.fullmatch(text)
    if found is None or float(found[1]) > float(found[2]):
        raise UsageError(
            f"{option} {quote(text)}: not a range. Give LEAST-MOST, e.g. {_EXAMPLES[option]}."
        )
    return float(found[1]), float(found[2])


def ids_of(given: Sequence[str]) -> list[str]:
    """Ids, where `NAME.csv` stands for those of an exported file; UsageError if it is none."""
    return [
        item for one in given for item in (_ids_in(Path(one)) if one.endswith(".csv") else [one])
    ]


def _ids_in(path: Path) -> list[str]:
    try:
        with open_regular(path) as handle:
            text = handle.read(MAX_TEXT_BYTES).decode("utf-8-sig")
        header = text.partition("\n")[0]
        # a spreadsheet may change it
        delimiter = ";" if ";" in header and "," not in header else ","
        rows = list(csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise UsageError(f"--skip {path}: cannot be read ({error_text(error)}).") from None
    if not rows or "id" not in rows[0]:
        raise UsageError(
            f"--skip {path}: no column `id`. Give a .csv that `export` wrote, or an id."
        )
    return [row["id"] or "" for row in rows]


def export(
    release: str, *, out: Path, n: int, format: str, title: str, seed: int, to: Path | None,
    filters: Filters,
) -> str:  # fmt: skip
    """Write the sample to `to` and return a message; without `to`, return the sample."""
    format = _format(format, to)
    kind, data, name = _read(release, out, analysed=filters.difficulty is not None)
    with untrusted_input(Path(release)):
        questions, fitting, of_set = draw_questions(kind, data, n=n, seed=seed, filters=filters)
        written = FORMATS[format](questions, one_line(title) or one_line(name))
    if fitting < n:
        say(f"of {of_set:,} {kind.noun}s in the set, {fitting:,} fit, fewer than --n {n:,}")
    if to is None:
        return written.decode()
    with new_file(to, option="--to") as handle:
        handle.write(written)
    return f"{to}: {len(questions):,} of {fitting:,} {kind.noun}s"


def _format(given: str, to: Path | None) -> str:
    """The format of an option, else of the file's ending, else `print`; UsageError if they differ."""
    ending = to.suffix.lower() if to else ".html"
    of_file = _ENDINGS.get(ending, "")
    format = "moodle-xml" if given.lower() == "moodle" else given.lower()
    if given and format not in FORMATS:
        raise UsageError(f"--format {quote(given)}: unknown. Choose from: {', '.join(FORMATS)}.")
    if not (format or of_file):
        raise UsageError(
            f"--to {to}: no format has this ending. Give --format, or one of: {', '.join(_ENDINGS)}."
        )
    if to and format and of_file and format != of_file:
        raise UsageError(
            f"--to {to}: {ending} is the ending of {of_file}, but --format is {format}. Change one."
        )
    return format or of_file


def _read(place: str, out: Path, *, analysed: bool) -> tuple[ItemKind, bytes, str]:
    """The items of a run, a release or a file of items: their kind, JSON lines and title."""
    folder = Path(place)
    if leads_to(folder / RELEASE_FILE, Path.is_file) and not leads_to(
        Store(out).runs / place / RUN_FILE, Path.is_file
    ):
        with untrusted_input(folder):
            release, style = open_full(folder, "export")
            return style.items, release.read(style.items.file), release.record.facts.name
    source, kind = source_of(place, out)
    run = source.run
    path = (analysed and run and analysed_file(source, kind, out)) or source.path
    try:
        with open_regular(path) as handle:
            data = handle.read(MAX_TEXT_BYTES + 1)
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error_text(error)}).") from None
    if len(data) > MAX_TEXT_BYTES:
        raise UsageError(f"{path}: larger than {MAX_TEXT_BYTES >> 20:,} MiB.")
    return kind, data, path.stem if run is None else run.name
