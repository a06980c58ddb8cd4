"""The published files of a LAMBADA set, as `lambada-style` releases them: one passage a line."""

from __future__ import annotations

from collections.abc import Sequence

from cloze_gen.formats.lambada.plain_text import format_plain_text
from cloze_gen.formats.lambada.rendering import published_tokens
from cloze_gen.records.passage import Part, Passage


def lambada_files(name: str, passages: Sequence[Passage], seed: int) -> dict[str, str]:
    """Development and test passages, named as the paper's are; nothing in them is drawn."""
    named = {"development": Part.DEVELOPMENT, "test": Part.TEST}
    return {
        f"lambada_{label}_plain_text.txt": format_plain_text(published_tokens(one) for one in passages if one.part == part)
        for label, part in named.items()
    }
