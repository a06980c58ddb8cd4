"""What the passages are like."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from cloze_gen.formats.lambada.plain_text import parse_plain_text, sentence_ends
from cloze_gen.recipes.lambada.steps.analysis import CLASSES, PAPER, Described, describe, draw_input, summarize, target_class

FORMS = {"lady": ("lady", "ladies"), "see": ("see", "saw")}


def facts(context: str, sentence: str, target: str, tag: str = "NN") -> Described:
    """Sentences of the context are written with `|` between them."""
    sentences = [one.split() for one in context.split("|")]
    return describe(sentences, sentence.split(), target, tokens=9, tag=tag, forms=FORMS.get(target.casefold(), ()))


@pytest.mark.parametrize(
    ("context", "target", "same", "lemma"),
    [
        ("Joe saw it .", "joe", True, True),
        ("two ladies .", "lady", False, True),
        ("two LADIES .", "Lady", False, True),
        ("a lady .", "see", False, False),
        ("the lady's hat .", "lady", True, True),
        ("the ladies' hats .", "lady", False, True),
        (". , .", "lady", False, False),
    ],
)
def test_target_or_lemma_in_context(context: str, target: str, same: bool, lemma: bool) -> None:
    """Letter case does not count; another form of the lemma counts as lemma only."""
    found = facts(context, "I hid the", target)
    assert (found.in_context, found.lemma_in_context) == (same, lemma)


def test_the_target_sentence_is_no_context() -> None:
    """A target that only its own sentence names is not in the context."""
    assert not facts("Joe hid it .", "the lamp by the", "lamp").in_context


@pytest.mark.parametrize(
    ("context", "sentence", "speech"), [('" No . "', "he hid the", True), ("no .", '" I hid the', True), ("Joe's .", "it 's", False)]
)
def test_direct_speech_has_a_quotation_mark(context: str, sentence: str, speech: bool) -> None:
    """In the context or before the target; an apostrophe inside a word is none."""
    assert facts(context, sentence, "lamp").direct_speech is speech


def test_shares_and_classes() -> None:
    """The classes of Figure 2 share the whole; pronouns are among the others."""
    found = summarize([facts("a .", "b", "c", tag) for tag in ("NNP", "NNS", "VBG", "JJR", "RB", "PRP", "CD", "NNPS")])
    assert [found[name] for name in CLASSES] == [0.25, 0.125, 0.125, 0.125, 0.125, 0.25]
    assert sum(found[name] for name in CLASSES) == 1
    assert found["pronoun"] == 0.125
    assert set(PAPER) <= set(found)
    assert target_class("XX") == "O"


def test_no_passages_have_no_measures() -> None:
    """Of nothing there is no mean."""
    assert summarize([]) == {}


@pytest.mark.parametrize(
    ("context", "sentence", "back"),
    [
        ("a lamp .|a door .", "the lamp by the", 0),
        ("a Lamp .|a door .", "by the", 2),
        ("a .|the lamp's oil .", "by the", 1),
        ("a .", "by", None),
    ],
)
def test_how_far_back_the_target_stands(context: str, sentence: str, back: int | None) -> None:
    """The last mention counts, in sentences from the target's own; context sentences are counted too."""
    found = facts(context, sentence, "lamp")
    assert (found.sentences_back, found.context_sentences) == (back, context.count("|") + 1)


def test_the_random_input_is_drawn_by_each_id() -> None:
    """One survivor more moves at most one other; a new seed draws anew; fewer than asked for are all taken."""
    ids = [f"b:{number}" for number in range(400)]
    drawn = draw_input(ids, seed=1, count=100)
    assert len(drawn) == 100
    assert len(drawn - draw_input([*ids, "c:1"], seed=1, count=100)) <= 1
    assert draw_input(ids, seed=2, count=100) != drawn
    assert draw_input(ids[:9], seed=1, count=100) == frozenset(ids[:9])


@pytest.mark.realdata
def test_the_published_set_is_as_the_paper_says(data_dir: Path) -> None:
    """Lengths, target in context and direct speech of the development set; 75.5 % of its lines hold a double quotation mark."""
    path = data_dir / "published" / "lambada-dev" / "lambada_development_plain_text.txt"
    if not path.is_file():
        pytest.skip("the published LAMBADA development set is not unpacked (make data SHARED=DIR)")
    listed = [
        replace(
            describe([tokens[:-1]], (), tokens[-1], tokens=len(tokens), tag="NN", forms=()), context_sentences=len(sentence_ends(tokens))
        )
        for tokens in parse_plain_text(path.read_text(encoding="utf-8"))
    ]
    found = summarize(listed)
    assert found["tokens"] == pytest.approx(PAPER["tokens"][0], abs=1.5)  # the final mark and the quotes behind it are cut
    assert found["context sentences"] == pytest.approx(PAPER["context sentences"][0], abs=0.05)
    assert found["target or lemma in context"] > PAPER["target or lemma in context"][0]  # type: ignore[operator]
    assert found["direct speech"] == pytest.approx(0.79, abs=0.04)  # single quotation marks too
