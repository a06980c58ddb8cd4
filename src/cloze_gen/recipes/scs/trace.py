"""The trace of an SCS-style question: tags, focus word, impostors, outcome."""

from __future__ import annotations

from collections.abc import Iterator

from cloze_gen.recipes.scs.impostors import IMPOSTORS
from cloze_gen.recipes.scs.screen import SCREENED
from cloze_gen.release.trace import (
    Traced,
    TraceSections,
    cell,
    describe_question,
    describe_rejection,
    describe_source,
    find_question,
    find_row,
)
from cloze_gen.store.tables import QUESTIONS, REJECTED, SOURCE_SENTENCES

_WORDS = frozenset({"word", "lemma", "tag", "source"})  # left-aligned columns


def describe_tagged_source(item: Traced) -> Iterator[str]:
    yield from describe_source(item)
    tagged = find_row(item.folder, "sentences", SOURCE_SENTENCES, item.row["sentence_id"])
    if tagged is not None:
        yield f"tags       {tagged['tags']}"


def describe_focus(item: Traced) -> Iterator[str]:
    focus = item.row
    yield (
        f"focus      {focus['word']!r} at token {focus['position']}: count {focus['count']:,}, "
        f"freq {focus['freq']:.3g}"
    )
    yield (
        f"lemma      {focus['lemma']!r}, {focus['class']}, {focus['tag']}: freq "
        f"{focus['lemma_freq']:.3g}; drawn from "
        f"{focus['eligible']} content words within the limits"
    )
    yield f"place      {focus['place']}"


def describe_impostors(item: Traced) -> Iterator[str]:
    rejected = item.find("impostors", REJECTED)
    if rejected:
        yield f"impostors  none: {rejected['reason']} {rejected['detail']}"
        return
    table = item.rows("impostors", IMPOSTORS)
    settings = item.artifact("impostors").manifest["settings"]
    yield (
        f"impostors  {len(table)} drawn (impostor_draw = {settings['impostor_draw']}) from "
        f"forms with the answer's tag, {item.row['tag']}, and a freq from "
        f"{settings['min_freq']:g} to {settings['max_freq']:g}; "
        "tag_count = tokens of the form with this tag in the training books"
    )
    rows = [[cell(value, 0) for value in row.values()] for row in table]
    if table:
        yield from item.set_out(list(table[0]), rows, left=_WORDS)


def describe_screen(item: Traced) -> Iterator[str]:
    screened = item.find("screen", SCREENED)
    if screened is None:
        return
    limit = item.artifact("screen").manifest["settings"]["max_ambiguity"]
    yield (
        f"screen     {'passes' if screened['kept'] else 'dropped'}: a second answer for "
        f"{screened['ambiguity']:.1%} of readers expected, limit {limit:.1%}"
    )


def describe_outcome(item: Traced) -> Iterator[str]:
    found = find_question(item, QUESTIONS)
    if found is None:
        dropped = item.find("screen", REJECTED)
        yield describe_rejection(item, "screen" if dropped else "questions", "no impostors")
        return
    yield from describe_question(found[1])
    yield f"outcome    question {found[0]} of the set"


TRACE = TraceSections(
    (describe_tagged_source, describe_focus, describe_impostors, describe_screen, describe_outcome),
    early=(("sentences", "the choice of sentences"), ("focus", "focus selection")),
)
