"""The trace of a toy question."""

from cloze_gen.release.trace import (
    TraceSections,
    describe_question,
    describe_source,
    find_question,
)
from cloze_gen.store.tables import QUESTIONS


def describe_outcome(item):
    """The question."""
    found = find_question(item, QUESTIONS)
    yield from describe_question(found[1]) if found else ["outcome    no question"]


TRACE = TraceSections((describe_source, describe_outcome))
