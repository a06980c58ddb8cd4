"""Packets and verdicts as JSON lines."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from cloze_gen.errors import FormatError
from cloze_gen.formats.judging.jsonl import packets_jsonl, parse_verdicts_jsonl
from cloze_gen.formats.judging.packet import PacketRow, VerdictRow

PacketOf = Callable[[str], PacketRow | None]


def test_a_packet_that_is_answered_comes_back(rows: dict[str, PacketRow], packet_of: PacketOf) -> None:
    """Who answers in the packet itself sends it back; what is still null is not answered."""
    lines = [json.loads(line) for line in packets_jsonl(rows.values()).splitlines()]
    assert [(line["assignment"], line["judge"], line["task"], line["condition"], line["said"]) for line in lines] == [
        (row.assignment, "bo", row.task, row.condition, None) for row in rows.values()
    ]
    assert [line["shown"] for line in lines] == [row.shown for row in rows.values()]
    lines[1] |= {"said": {"guesses": ["menu"]}, "seconds": 3, "id": "0f"}
    lines[3] |= {"said": {"fills": [1, 2]}, "judge": ""}
    text = "".join(f"{json.dumps(line)}\n\n" for line in lines)
    assert parse_verdicts_jsonl(f"\ufeff{text}", packet_of) == [
        VerdictRow("guess", {"guesses": ["menu"]}, "bo", 3.0, "0f"),
        VerdictRow("fill", {"fills": [1, 2]}, "bo", None, ""),
    ]


@pytest.mark.parametrize(
    "line",
    [
        "{", "[]", "3", "{}", '{"assignment": "guess"}', '{"said": {"guesses": []}}', '{"assignment": "nobody", "said": null}',
        '{"assignment": "guess", "said": {"guesses": "menu"}}', '{"assignment": "guess", "said": [], "judge": "bo"}',
        '{"assignment": "guess", "said": {"guesses": []}, "judge": "ann"}',
        '{"assignment": "guess", "said": {"guesses": []}, "seconds": -1}',
        '{"assignment": "guess", "said": {"guesses": []}, "id": 3}', '{"assignment": "guess", "said": {"guesses": []}, "id": false}',
        '{"assignment": "guess", "said": {"guesses": ["a"]}, "said": {"guesses": ["b"]}}',
        '{"assignment": "guess", "said": {"guesses": ["a"], "guesses": ["b"]}}',
        '{"assignment": "guess", "said": {"guesses": []}, "id": "a\\nb"}',
        '{"assignment": "guess", "said": {"guesses": ["\\ud800"]}}',
        '{"assignment": "guess", "said": {"guesses": []}, "seconds": NaN}', "[" * 5000, '{"assignment": ' + "9" * 5000 + "}",
    ],
)  # fmt: skip
def test_other_lines_are_refused(packet_of: PacketOf, line: str) -> None:
    """What is no verdict is named with file and line."""
    with pytest.raises(FormatError, match=r"^bob\.jsonl, line 2: "):
        parse_verdicts_jsonl(f'{{"assignment": "read", "said": null}}\n{line}\n', packet_of, name="bob.jsonl")
