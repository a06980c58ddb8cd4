"""The trace of a toy question."""

from __future__ import annotations

from collections.abc import Iterator

from cloze_gen.stages.tables import QUESTIONS
from cloze_gen.stages.trace import Traced, TraceSections, find_question, tell_question, tell_source


def tell_outcome(item: Traced) -> Iterator[str]:
    """The question."""
    found = find_question(item, QUESTIONS)
    yield from tell_question(found[1]) if found else ["outcome    no question"]


TRACE = TraceSections((tell_source, tell_outcome))
