"""The ranking as an artifact."""

from __future__ import annotations

from cloze_gen.recipes.lambada.stages.ranking import first_of_each_text
from cloze_gen.records.passage import Part, Passage


def passage(number: int, *texts: str) -> Passage:
    return Passage(f"b:{number}", "b", Part.TEST, tuple(tuple(text.split()) for text in texts), texts, 0, 9 * number, 9 * number + 8)


def test_a_text_is_looked_at_once() -> None:
    """Of passages with one text the first goes on, and the others are put down; a text cut otherwise is another."""
    said_before: set[str] = set()
    listed = [passage(1, "Who ?", "Ann ."), passage(2, "Who ?", "Bob ."), passage(3, "Who ?", "Ann ."), passage(4, "Who ? Ann .")]
    assert [one.id for one in first_of_each_text(listed, said_before)] == ["b:1", "b:2", "b:4"]
    assert said_before == {"b:3"}
