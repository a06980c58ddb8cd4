"""Which sentences serve the SCS set."""

import pytest

from cloze_gen.english.sentence_fitness import SentenceFault
from cloze_gen.recipes.scs.sentences import SentenceReason as Reason
from cloze_gen.recipes.scs.sentences import (
    SentencesSettings,
    content_fault,
    fault_of_sentence,
)
from cloze_gen.records.sentence import Sentence

SETTINGS = SentencesSettings()
VOCABULARY = {("thing", "noun")}


def tagged(content, *, names=0, verb="VBD"):
    """A sentence of so many content words and names, with one verb that is no content word."""
    tags = ["NN"] * content + ["NNP"] * names + [verb]
    return tags, [("thing", "noun")] * content + [("ann", "proper_noun")] * names + [("be", "verb")]


@pytest.mark.parametrize(
    ("content", "reason"),
    [(5, Reason.FEW_CONTENT_WORDS), (6, None), (12, None), (13, Reason.MANY_CONTENT_WORDS)],
)
def test_six_to_twelve_content_words(content, reason):
    """Both limits are included (3.1)."""
    assert content_fault(*tagged(content), vocabulary=VOCABULARY, settings=SETTINGS) == reason


@pytest.mark.parametrize(("names", "reason"), [(2, None), (3, Reason.PROPER_NOUNS)])
def test_at_most_two_proper_nouns(names, reason):
    """No more than 2 proper nouns (3.1)."""
    assert (
        content_fault(*tagged(6, names=names), vocabulary=VOCABULARY, settings=SETTINGS) == reason
    )


@pytest.mark.parametrize(
    ("verb", "reason"),
    [
        ("VBD", None),
        ("MD", Reason.NO_FINITE_VERB),
        ("NN", Reason.NO_FINITE_VERB),
        ("VBG", Reason.NO_FINITE_VERB),
    ],
)
def test_a_verb_and_a_finite_one(verb, reason):
    """At least one verb (3.1); ours: a finite one, or a modal with it."""
    assert content_fault(*tagged(6, verb=verb), vocabulary=VOCABULARY, settings=SETTINGS) == reason


@pytest.mark.parametrize(
    ("line", "kind", "fault"),
    [
        ("Old dogs saw small cats .", "prose", None),
        ("Old dogs saw cats .", "verse", SentenceFault.NOT_PROSE),
        ("old dogs saw cats .", "prose", SentenceFault.BEGINS_LOW),
        ("Old dogs saw curs .", "prose", SentenceFault.OFFENSIVE),
        ("Old dogs saw cats .", "prose", Reason.FEW_CONTENT_WORDS),
    ],
)
def test_the_first_reason_against_a_sentence(line, kind, fault):
    """Shape before sense, sense before content words."""
    tags = {"Old": "JJ", "old": "JJ", "small": "JJ", "saw": "VBD", ".": "."}
    tokens = tuple(line.split(" "))
    vocabulary = {
        ("old", "adjective"),
        ("small", "adjective"),
        ("see", "verb"),
        ("dog", "noun"),
        ("cat", "noun"),
    }
    result = fault_of_sentence(
        Sentence("b", 0, 0, 9, 0, kind, line, tokens),
        [tags.get(token, "NNS") for token in tokens],
        vocabulary=vocabulary,
        offensive={"curs"},
        settings=SentencesSettings(min_content_words=5),
    )
    assert result == fault
