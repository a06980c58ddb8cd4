"""`cloze-gen clean-exams`: collected passages of SCDE."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from cloze_gen.engine.progress import say
from cloze_gen.errors import UsageError
from cloze_gen.formats.scde import Rule, format_published, parse_collected
from cloze_gen.parsing import error_text
from cloze_gen.recipes.scde.cleaning import clean
from cloze_gen.store.files import new_file, read_regular_text


def clean_exams(exams: Path, to: Path) -> Iterator[str]:
    """Write the passages that pass to `to`; returns a line for each other one: eid and rule."""
    try:
        text = read_regular_text(exams, encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        cause = "not UTF-8" if isinstance(error, UnicodeError) else error_text(error)
        raise UsageError(
            f"{exams}: cannot be read ({cause}). Give a JSON file in SCDE's published layout."
        ) from None
    kept, rejected = clean(parse_collected(text, name=exams.name))
    with new_file(to, option="--to") as handle:
        handle.write(format_published(kept).encode())
    counts = Counter(rule for _, rule in rejected)
    for rule in Rule:
        say(f"clean-exams: {counts[rule]:,} rejected: {rule.legend}")
    say(f"clean-exams: {len(kept):,} of {len(kept) + len(rejected):,} passages written to {to}")
    return (f"eid {passage.eid}: {rule}" for passage, rule in rejected)
