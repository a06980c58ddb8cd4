"""What of an item leaves the study."""

from __future__ import annotations

from cloze_gen.formats.judging.packet import PacketRow, blanks_of, choices_of, packet_row, text_of


def test_a_judge_sees_the_fields_of_the_task_and_no_other() -> None:
    """The key and whatever else an item carries stay in the study, for every task."""
    secret = {"target": "menu", "key": {"answer": 1}, "source": "pg42", "expected": {}}
    items = {
        "groom": {"before": "A ", "answer": "b", "after": ".", "candidates": ["c"]},
        "guess": {"text": "P", "guesses": 1},
        "read": {"before": "A ", "after": ".", "options": ["b", "c"]},
        "fill": {"parts": ["A.", {"blank": 1}], "candidates": ["B."]},
    }
    for task, item in items.items():
        row = packet_row({**item, **secret, "instruction": "do"}, assignment="1", judge="", task=task, condition="passage")
        assert not secret.keys() & row.shown.keys()
        assert row.shown["instruction"] == "do"


def test_texts_are_put_together_as_they_stand(rows: dict[str, PacketRow]) -> None:
    """A gap stands in a sentence exactly where the word stood; sentences of a passage are kept apart."""
    assert text_of(rows["groom"]) == "=He said, “_____” & <b>"
    assert text_of(rows["fill"]) == "It rained. (1) _____ They left. (2) _____"
    assert [blanks_of(rows[task]) for task in rows] == [0, 0, 0, 2]
    assert [len(choices_of(rows[task])) for task in rows] == [10, 0, 5, 4]
