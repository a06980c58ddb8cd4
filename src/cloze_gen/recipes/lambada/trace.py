"""The trace of a passage: its span, and what each member of the committee thinks of its target."""

from __future__ import annotations

from collections.abc import Iterator

from cloze_gen.recipes.lambada.stages.decisions import VERDICTS
from cloze_gen.recipes.lambada.stages.tables import PASSAGES
from cloze_gen.stages.trace import Traced, TraceSections


def tell_passage(item: Traced) -> Iterator[str]:
    """Book, span and sentences."""
    row = item.row
    yield f"book       {row['book_id']}, part {row['part']}, characters {row['start']}-{row['end']}"
    yield f"sentences  {row['first_sentence']} to {row['sentence']}: {row['context_tokens']} tokens of context, target {row['target']!r}"


def tell_committee(item: Traced) -> Iterator[str]:
    """Each member's P(target)."""
    verdict = item.find("committee", VERDICTS)
    if verdict:
        for member, log10_prob in verdict.items():
            if member not in {"id", "kept"}:
                yield f"{member:<10} P(target | passage) = {10**log10_prob:.3g}"
        yield f"outcome    {'kept' if verdict['kept'] else 'guessed by a member'}"


TRACE = TraceSections((tell_passage, tell_committee), early=(("passages", "the cutting of passages"),), items=("passages", PASSAGES))
