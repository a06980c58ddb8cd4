"""Checks of a release that need only its folder."""

import pytest

from cloze_gen.release.checks import check_fewshot
from cloze_gen.release.items.passages import PASSAGE_ITEMS
from cloze_gen.release.items.questions import QUESTION_ITEMS
from cloze_gen.release.style import PublishedSet
from cloze_gen.store.tables import FEWSHOT


def question(sentence, position, text, *, book="b", canary="guid"):
    start = 100 * sentence
    source = {"book_id": book, "start": start, "end": start + len(text), "text": text}
    return {"id": f"{book}:{sentence}:{position}", "source": source, "canary": canary}


def passage(name, start, end, text, *, canary="guid"):
    return {
        "id": name,
        "book_id": "b",
        "start": start,
        "end": end,
        "texts": [text],
        "canary": canary,
    }


def found(kind, published, *examples):
    made = PublishedSet(
        name="mine",
        items=[],
        seed=1,
        release=None,
        records=published,
        canary="guid",
        derived={FEWSHOT: examples},
    )
    return check_fewshot(kind, made).differences


QUESTIONS = [question(1, 2, "She hid the lamp."), question(2, 1, "He left.")]
PASSAGES = [
    passage("b:7", 500, 600, "Ann left."),
    passage("b:5", 450, 520, "Who left?"),
    passage("b:6", 510, 540, "No one."),
    passage("b:90", 9000, 9100, "So it was."),
]


@pytest.mark.parametrize(
    ("example", "what"),
    [
        (QUESTIONS[1], "b:2:1 is also an item of the set"),
        (question(1, 3, "She hid the lamp."), "b:1:3 is also an item of the set"),
        (question(8, 2, "She hid -- the LAMP!", book="c"), "c:8:2 is also an item of the set"),
        (question(1, 0, "hid the"), "b:1:0 overlaps an item of the set in its book"),
        (question(3, 1, "It rained.", canary="other"), "b:3:1 has another canary"),
    ],
)
def test_a_published_sentence_is_no_example(example, what):
    """Nor another word of it, the same words in another edition, or a part of it."""
    assert found(QUESTION_ITEMS, QUESTIONS, question(4, 1, "It snowed."), example) == (
        f"{FEWSHOT}: {what}",
    )


@pytest.mark.parametrize("span", [(400, 451), (599, 700), (470, 480), (300, 9999)])
def test_an_example_shares_no_text_with_a_passage(span):
    """Any overlap, also if passages of the set overlap each other."""
    assert len(found(PASSAGE_ITEMS, PASSAGES, passage("b:8", *span, "It rained."))) == 1


def test_spare_items_are_examples():
    """Of the same books, between the passages of the set."""
    assert found(QUESTION_ITEMS, QUESTIONS, question(3, 2, "She hid the boat.")) == ()
    assert (
        found(
            PASSAGE_ITEMS,
            PASSAGES,
            passage("b:8", 600, 700, "It rained."),
            passage("b:3", 0, 450, "It snowed."),
        )
        == ()
    )
