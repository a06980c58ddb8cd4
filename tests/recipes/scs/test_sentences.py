"""Which sentences serve the SCS set."""

import pytest

from cloze_gen.english.sentence_fitness import SentenceFault
from cloze_gen.recipes.scs.sentences import SentenceReason as Reason
from cloze_gen.recipes.scs.sentences import (
    SentencesSettings,
    content_fault,
    fault_of_sentence,
    shape_fault,
    thinned_out,
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
    [("VBD", None), ("MD", Reason.NO_VERB), ("NN", Reason.NO_VERB), ("VBG", Reason.NO_FINITE_VERB)],
)
def test_a_verb_and_a_finite_one(verb, reason):
    """At least one verb (3.1), and by default a finite one."""
    assert content_fault(*tagged(6, verb=verb), vocabulary=VOCABULARY, settings=SETTINGS) == reason


def test_the_paper_asks_for_no_finite_verb():
    """The setting gives the paper's own rule."""
    assert (
        content_fault(
            *tagged(6, verb="VBG"),
            vocabulary=VOCABULARY,
            settings=SentencesSettings(require_finite_verb=False),
        )
        is None
    )


@pytest.mark.parametrize(
    ("kind", "tokens", "reason"),
    [
        ("prose", "He ran .", None),
        ("verse", "He ran .", Reason.NOT_PROSE),
        ("prose", "Zoé ran .", Reason.NOT_ASCII),
        ("prose", "He ran :", Reason.NO_FINAL_STOP),
    ],
)
def test_what_can_be_seen_without_tags(kind, tokens, reason):
    """Prose, ASCII and a final stop."""
    assert shape_fault(Sentence("b", 0, 0, 9, 0, kind, tokens, tuple(tokens.split()))) == reason


def test_thinning_depends_on_the_sentence_alone():
    ids = [f"book:{i}" for i in range(2000)]
    kept = {one for one in ids if not thinned_out(one, keep_share=0.25)}
    assert 400 < len(kept) < 600
    assert kept == {one for one in reversed(ids) if not thinned_out(one, keep_share=0.25)}
    assert kept <= {one for one in ids if not thinned_out(one, keep_share=0.5)}
    assert not any(thinned_out(one, keep_share=1.0) for one in ids)


@pytest.mark.parametrize(
    ("line", "kind", "keep_share", "fault"),
    [
        ("Old dogs saw small cats .", "prose", 1, None),
        ("Old dogs saw small cats .", "prose", 1e-9, Reason.THINNED),
        ("Old dogs saw small cats .", "verse", 1e-9, Reason.NOT_PROSE),
        ("old dogs saw small cats .", "prose", 1e-9, SentenceFault.BEGINS_LOW),
        ("Old dogs saw small curs .", "prose", 1e-9, SentenceFault.OFFENSIVE),
        ("Old dogs saw cats .", "prose", 1e-9, Reason.FEW_CONTENT_WORDS),
    ],
)
def test_the_first_reason_against_a_sentence(line, kind, keep_share, fault):
    """Shape before sense, sense before content words, and only what passes them all is thinned out."""
    tokens = tuple(line.split(" "))
    found = fault_of_sentence(
        Sentence("b", 0, 0, 9, 0, kind, line, tokens),
        ["VBD" if token == "saw" else "." if token == "." else "NNS" for token in tokens],
        pair_of=lambda token, tag: (token, tag),
        vocabulary={(word, tag) for word in line.split(" ")[:-1] for tag in ("NNS", "VBD")},
        offensive={"curs"},
        settings=SentencesSettings(min_content_words=5, keep_share=keep_share),
    )
    assert found == fault
