"""`cloze-gen corpus` and `clean-exams`: inspect books, and clean collected passages of SCDE."""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path

import typer

from cloze_gen.adapters.terminal import show
from cloze_gen.corpus.collect import InputSettings, collect
from cloze_gen.corpus.folder import Location
from cloze_gen.corpus.inspect import inspection
from cloze_gen.engine.progress import say
from cloze_gen.errors import UsageError
from cloze_gen.formats.scde import format_published, parse_collected
from cloze_gen.parsing import error_text
from cloze_gen.recipes.scde.cleaning import Rule, clean
from cloze_gen.store.artifacts import Store
from cloze_gen.store.files import read_regular_text
from cloze_gen.store.folder_replacement import check_own_folder, own_folder_lock, replace_within
from cloze_gen.store.tables import write_jsonl


def inspect_books(place: str, *, settings: InputSettings) -> None:
    """Print the page of `cloze-gen corpus inspect`; exit with status 1 without a readable book."""
    with tempfile.TemporaryDirectory(prefix="cloze-gen-inspect-") as scratch:
        found = collect(Location.parse(place), Store(Path(scratch)), settings=settings, workers=2)
        show(inspection(found, settings))
    if not found.readable:
        raise typer.Exit(1)


# ---- `cloze-gen clean-exams`

CLEANED, REJECTED = "cleaned.json", "rejected.jsonl"
SCHEMA = "cloze-gen/cleaned-exams"


def clean_exams(exams: Path, out: Path | None) -> str:
    """Clean a file of passages; returns a table of the passages that each rule dropped.

    Writes to `out` (default: `NAME-cleaned` next to the file): `cleaned.json` in the published
    layout, and `rejected.jsonl` with `eid` and `rule`.
    """
    try:
        text = read_regular_text(exams, encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        cause = "not UTF-8" if isinstance(error, UnicodeError) else error_text(error)
        raise UsageError(
            f"{exams}: cannot be read ({cause}). Give a JSON file in SCDE's published layout."
        ) from None
    folder = exams.with_name(f"{exams.stem}-cleaned") if out is None else out
    check_own_folder(folder, SCHEMA, option="--out")
    kept, rejected = clean(parse_collected(text, name=exams.name))
    cleaned = format_published(kept)

    def write(partial: Path) -> None:
        (partial / CLEANED).write_text(cleaned, encoding="utf-8", newline="\n")
        rows = ({"eid": passage.eid, "rule": str(rule)} for passage, rule in rejected)
        write_jsonl(partial / REJECTED, rows)

    with own_folder_lock(folder, "clean-exams"):
        for line in replace_within(folder, SCHEMA, write):
            say(f"clean-exams: {line}")
    counts = Counter(rule for _, rule in rejected)
    rows = {"read": len(kept) + len(rejected)}
    rows |= {rule.replace("_", " "): counts[rule] for rule in Rule}
    rows["kept"] = len(kept)
    table = [f"{name:<28} {count:>9,}" for name, count in rows.items()]
    return "\n".join([*table, f"written to {folder}: {CLEANED}, {REJECTED}"])
