"""Sets of blanked passages read for evaluation: a release's or anyone's `passages.jsonl`."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from cloze_gen.formats.scde.jsonl import parse_passages
from cloze_gen.records.blanked_passage import SetBlankedPassage


@dataclass(frozen=True, slots=True, eq=False)
class BlankedSet:
    """Blanked passages, known by what stands in them."""

    passages: tuple[SetBlankedPassage, ...]

    @property
    def digest(self) -> str:
        """16 hexadecimal digits over the passages themselves, what a reader of one is shown and what is right."""
        asked = (one.passage for one in self.passages)
        lines = (repr((one.id, one.shown, one.blanks, one.candidates, one.answers)) for one in asked)
        return hashlib.blake2b("\n".join(lines).encode(), digest_size=8).hexdigest()


def read_blanked_set(path: Path) -> BlankedSet:
    """The passages of a `passages.jsonl`.

    Raises:
        FormatError: it does not follow its format.
    """
    with open(path, encoding="utf-8") as handle:
        return BlankedSet(tuple(parse_passages(handle, name=path.name)))
