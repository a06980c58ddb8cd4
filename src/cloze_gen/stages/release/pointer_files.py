"""What a release of pointers is made of: its files, and which fields of its records are places."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cloze_gen.stages.items.kind import ItemKind, Span
from cloze_gen.stages.tables import CANDIDATES

POINTERS, FIGURES = "pointers.jsonl", "report.json"
_CANDIDATE_TEXTS = ("text",)  # the sentence; a candidate is a word of the vocabulary
Texts = Callable[[Span], str]  # of a span of a book its normalized text


def pointers_file(file: str) -> str:
    """Where the pointers of a file of records stand: ``candidates.jsonl`` in ``candidates.pointers.jsonl``."""
    return file.replace(".jsonl", f".{POINTERS}")


def text_fields(file: str, kind: ItemKind) -> tuple[Sequence[str], Sequence[str]]:
    """Fields that hold text, and that are derived, of the records beside the items: candidates, or items that fell."""
    return (_CANDIDATE_TEXTS, ()) if file == CANDIDATES else (kind.texts, kind.derived)
