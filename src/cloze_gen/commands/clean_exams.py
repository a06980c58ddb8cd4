"""`cloze-gen clean-exams`: collected examinations in, those that can be used out, in the published layout, and why the others cannot."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from cloze_gen.commands.own_folder import check_own_folder, own_folder_lock
from cloze_gen.engine.progress import say
from cloze_gen.errors import UsageError
from cloze_gen.formats.scde.exams import parse_exams
from cloze_gen.formats.scde.published import format_published
from cloze_gen.notation import reason
from cloze_gen.recipes.scde.steps.cleaning import CleanedExaminations, Rule, clean
from cloze_gen.records.examination import Examination
from cloze_gen.store.files import read_regular_text
from cloze_gen.store.folder_replacement import replace_published
from cloze_gen.store.tables import write_jsonl, write_tsv

CLEANED, REJECTED, COUNTS = "cleaned.json", "rejected.jsonl", "counts.tsv"
SCHEMA = "cloze-gen/cleaned-exams"
COLUMNS = ("rule", "passages", "blanks")
READ, LEFT = "read", "left"

Row = tuple[str, int, int]


def clean_exams(exams: Path, out: Path | None) -> str:
    """Clean a file of examinations; returns how many passages and blanks each rule took, and what is left.

    Written into `out`, by default a folder beside the file, `NAME-cleaned`:
        `cleaned.json`: what is left, in the published layout.
        `rejected.jsonl`: `item` (its place in the file, from 1), `eid`, `rule`, `detail`.
        `counts.tsv`: `rule`, `passages`, `blanks`; what was `read` first, what is `left` last.

    Raises:
        UsageError: the file cannot be read or holds no passage, or the folder holds other things.
        FormatError: the file does not follow its format (`formats.scde.exams`).
    """
    try:
        text = read_regular_text(exams, encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        said = "not UTF-8" if isinstance(error, UnicodeError) else reason(error)
        raise UsageError(f"{exams}: cannot be read ({said}). Give a JSON file of examinations (docs/exams.md).") from None
    folder = exams.with_name(f"{exams.stem}-cleaned") if out is None else out
    check_own_folder(folder, SCHEMA, option="--out")
    read = parse_exams(text, name=exams.name)
    if not read:
        raise UsageError(f"{exams}: holds no passage")
    cleaned = clean(read)
    if cleaned.is_numbered_anew:
        say("clean-exams: not every passage that is left has an eid of its own; cleaned.json numbers them from 0")
    rows = list(_rows(read, cleaned))
    _write(folder, cleaned, rows)
    return "\n".join([*_table(rows), _mended(cleaned), f"written to {folder}: {CLEANED}, {REJECTED}, {COUNTS}"])


def _rows(read: list[Examination], cleaned: CleanedExaminations) -> Iterator[Row]:
    """Passages and blanks that were read, that each rule took, and that are left."""
    yield READ, len(read), _blanks(read)
    passages = Counter(one.rule for one in cleaned.rejected)
    for rule in Rule:
        yield rule, passages[rule], _blanks(one.examination for one in cleaned.rejected if one.rule == rule)
    yield LEFT, len(cleaned.left), sum(len(one.blanks) for one in cleaned.left)


def _blanks(examinations: Iterable[Examination]) -> int:
    return sum(len(one.blanks) for one in examinations)


def _table(rows: list[Row]) -> Iterator[str]:
    yield f"{COLUMNS[0]:<28} {COLUMNS[1]:>9} {COLUMNS[2]:>9}"
    for rule, passages, blanks in rows:
        yield f"{rule.replace('_', ' '):<28} {passages:>9,} {blanks:>9,}"


def _mended(cleaned: CleanedExaminations) -> str:
    return f"stray marks mended: {sum(cleaned.marks):,}, in {sum(map(bool, cleaned.marks)):,} of the passages that are left"


def _write(folder: Path, cleaned: CleanedExaminations, rows: list[Row]) -> None:
    def write(partial: Path) -> None:
        (partial / CLEANED).write_text(format_published(cleaned.left), encoding="utf-8", newline="\n")
        rejected = ((one.examination, one) for one in cleaned.rejected)
        write_jsonl(
            partial / REJECTED,
            ({"item": exam.item, "eid": exam.eid, "rule": str(one.rule), "detail": one.detail} for exam, one in rejected),
        )
        write_tsv(partial / COUNTS, COLUMNS, rows)

    with own_folder_lock(folder, "clean-exams"):
        for line in replace_published(folder, SCHEMA, write):
            say(f"clean-exams: {line}")
