"""The published files of a LAMBADA set, as `lambada-style` releases them: one passage a line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cloze_gen.formats.lambada.jsonl import parse_passages
from cloze_gen.formats.lambada.plain_text import format_plain_text
from cloze_gen.formats.lambada.rendering import published_tokens
from cloze_gen.records.passage import Part, Passage
from cloze_gen.stages.tables import CONTROL_SET


def lambada_files(name: str, passages: Sequence[Passage], seed: int, finished: Path) -> dict[str, str]:
    """Development, test and control passages, named as the paper's are; nothing in them is drawn."""
    with open(finished / CONTROL_SET, encoding="utf-8") as handle:
        control = list(parse_passages(handle, name=CONTROL_SET))
    named = {
        "lambada_development_plain_text.txt": [one for one in passages if one.part == Part.DEVELOPMENT],
        "lambada_test_plain_text.txt": [one for one in passages if one.part == Part.TEST],
        "lambada_control_test_data_plain_text.txt": control,
    }
    return {file: format_plain_text(map(published_tokens, chosen)) for file, chosen in named.items()}
