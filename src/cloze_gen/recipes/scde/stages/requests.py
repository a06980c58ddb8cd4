"""What a model of somebody else's is asked about the finished set."""

from __future__ import annotations

from collections.abc import Iterator

from cloze_gen.formats.scde.requests import format_requests
from cloze_gen.stages.evaluation.blank_sets import read_asked_blanks
from cloze_gen.stages.tables import PASSAGE_SET
from cloze_gen.store.artifacts import Artifact


def requests(finished: Artifact, rendering: str) -> Iterator[str]:
    """Every passage that is measured, as it is printed, a JSON object each; those to learn from stand in the set with their key."""
    return format_requests(one.passage for one in read_asked_blanks(finished.path(PASSAGE_SET)).passages)
