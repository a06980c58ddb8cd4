"""The trace of an SCS-style question: its tags, how the focus word was drawn, and the impostors that inflect like it."""

from __future__ import annotations

from collections.abc import Iterator

from cloze_gen.recipes.scs.stages.impostors import IMPOSTORS
from cloze_gen.stages.tables import QUESTIONS, REJECTED, SOURCE_SENTENCES
from cloze_gen.stages.trace import Traced, TraceSections, cell, find_question, find_row, tell_question, tell_rejection, tell_source

_WORDS = frozenset({"word", "lemma", "tag", "source"})  # columns that stand left


def tell_tagged_source(item: Traced) -> Iterator[str]:
    """Where the sentence stands, and its tags."""
    yield from tell_source(item)
    tagged = find_row(item.folder, "sentences", SOURCE_SENTENCES, item.row["sentence_id"])
    if tagged is not None:
        yield f"tags       {tagged['tags']}"


def tell_focus(item: Traced) -> Iterator[str]:
    """The focus word, its lemma, and from how many it was drawn."""
    focus = item.row
    yield f"focus      {focus['word']!r} at token {focus['position']}: count {focus['count']:,}, freq {focus['freq']:.3g}"
    yield (f"lemma      {focus['lemma']!r}, {focus['class']}, {focus['tag']}: freq {focus['lemma_freq']:.3g}; drawn from "
           f"{focus['eligible']} content words within the limits")  # fmt: skip
    yield f"place      {focus['place']}"


def tell_impostors(item: Traced) -> Iterator[str]:
    """The words drawn by the table of inflections."""
    rejected = item.find("impostors", REJECTED)
    if rejected:
        yield f"impostors  none: {rejected['reason']} {rejected['detail']}"
        return
    table = item.table("impostors", IMPOSTORS).drop(columns=["id"])
    settings = item.artifact("impostors").manifest["settings"]
    yield (f"impostors  {len(table)} drawn (impostor_draw = {settings['impostor_draw']}) from the forms that take the answer's tag, "
           f"{item.row['tag']}, at a freq from {settings['min_freq']:g} to {settings['max_freq']:g}; "
           "tag_count = tokens of the form with this tag in the training books")  # fmt: skip
    rows = [[cell(value, 0) for value in row.values()] for row in table.to_dict(orient="records")]
    yield from item.set_out(list(table.columns), rows, left=_WORDS)


def tell_outcome(item: Traced) -> Iterator[str]:
    """The question, or why there is none."""
    found = find_question(item, QUESTIONS)
    if found is None:
        yield tell_rejection(item, "questions", "no impostors")
        return
    yield from tell_question(found[1])
    yield f"outcome    question {found[0]} of the set"


TRACE = TraceSections(
    (tell_tagged_source, tell_focus, tell_impostors, tell_outcome),
    early=(("sentences", "the choice of sentences"), ("focus", "focus selection")),
)
