"""Sets of passages read for evaluation."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from cloze_gen.formats.lambada.jsonl import parse_passages
from cloze_gen.records.passage import SetPassage


@dataclass(frozen=True, slots=True, eq=False)
class PassageSet:
    """Passages, known by what stands in them."""

    passages: tuple[SetPassage, ...]

    @property
    def digest(self) -> str:
        """16 hexadecimal digits over the passages themselves."""
        lines = (repr((str(one.split), one.id, one.passage.sentences, one.passage.target_at)) for one in self.passages)
        return hashlib.blake2b("\n".join(lines).encode(), digest_size=8).hexdigest()


def read_passage_set(path: Path) -> PassageSet:
    """The passages of a `passages.jsonl`.

    Raises:
        FormatError: it does not follow its format.
    """
    with open(path, encoding="utf-8") as handle:
        return PassageSet(tuple(parse_passages(handle, name=path.name)))
