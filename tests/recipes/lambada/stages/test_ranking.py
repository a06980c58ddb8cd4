"""The ranking as an artifact."""

from __future__ import annotations

import pytest

from cloze_gen.recipes.lambada.stages.ranking import texts_of
from cloze_gen.recipes.questions.printed_once import printed_before
from cloze_gen.records.passage import Part, Passage

CONTEXT, SENTENCE = ("Who was it that called ?", "Nobody knew ."), "It was only Ann ."


def passage(book: str, part: Part, *texts: str) -> Passage:
    return Passage(f"{book}:9", book, part, tuple(tuple(text.split()) for text in texts), texts, 3, 90, 98)


@pytest.mark.parametrize(
    ("texts", "again"),
    [
        ((*CONTEXT, SENTENCE), True),
        (("Who was it , that called ?", "NOBODY knew .", "It was only Ann !"), True),  # another edition's marks
        (("Another context .", SENTENCE), True),
        ((*CONTEXT, "It was only Bob ."), True),
        (("Nobody knew .", "It was only Bob ."), False),
        ((SENTENCE, "Nobody else was there ."), False),  # a target sentence may be another passage's context: passages overlap
    ],
)
def test_a_context_and_a_target_sentence_are_printed_once(texts: tuple[str, ...], again: bool) -> None:
    """Across the parts: what development prints, test does not print again."""
    listed = [passage("a", Part.DEVELOPMENT, *CONTEXT, SENTENCE), passage("b", Part.TEST, *texts)]
    assert printed_before((one.id, texts_of(one)) for one in listed) == ({"b:9": "a:9"} if again else {})
