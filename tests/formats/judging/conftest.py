"""One item of each task, as its judge sees it, with texts that a spreadsheet, XML or a prompt could take for something else."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cloze_gen.formats.judging.packet import PacketRow

WORDS = ["owl", "'Tis", "=lamp", "3", "sea", "Map", "cup", "-ear", "naïve", "@home"]


@pytest.fixture
def rows() -> dict[str, PacketRow]:
    """By task; the id of each assignment is the task's name."""
    return {
        "groom": PacketRow("groom", "bo", "groom", "", {"before": "=He said, “", "answer": "cat", "after": "” & <b>", "candidates": WORDS}),
        "guess": PacketRow("guess", "bo", "guess", "sentence", {"text": "He ate the _____, \"she\" said;\nso?", "guesses": 3}),
        "read": PacketRow("read", "bo", "read", "", {"before": "A ", "after": " sat.", "options": ["+cat", "owl", "bc", "I", "sea"]}),
        "fill": PacketRow(
            "fill", "bo", "fill", "",
            {
                "parts": ["It rained.", {"blank": 1}, "They left.", {"blank": 2}],
                "candidates": ["One; 2 two.", "1 One.", "Sun,\tsnow.", "=Four."],
            },
        ),
    }  # fmt: skip


@pytest.fixture
def packet_of(rows: dict[str, PacketRow]) -> Callable[[str], PacketRow | None]:
    """What the study knows of an assignment's id."""
    return rows.get
