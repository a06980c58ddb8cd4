"""Sentences that look as if they answered a blank, and answer none."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from cloze_gen.corpus.hyphens import HYPHENS
from cloze_gen.english.cohesion import surface_ties
from cloze_gen.recipes.scde import blanks
from cloze_gen.recipes.scde.blanks import read_blanks
from cloze_gen.recipes.scde.coherence import open_coherence
from cloze_gen.recipes.scde.passages import (
    novels_of,
    read_novel,
    windows_by_book,
)
from cloze_gen.recipes.scde.rivals import (
    CANDIDATES,
    MEASURES,
    RivalReason,
    RivalsSettings,
    echo,
    fit,
    hardness,
    mismatch_reasons,
)
from tests.recipes.scde.conftest import rows

PASSAGE = ["Pip saw Joe .", "She gave Joe the lamp .", '" Go , " said he .', "They slept ."]
NUMBERS = st.lists(st.floats(-5, 5).map(lambda number: round(number, 3)), min_size=2, max_size=8)


def unlike(line, answers=(0, 2)):
    ties = [surface_ties(one.split()) for one in PASSAGE]
    (reason,) = mismatch_reasons([surface_ties(line.split())], ties, [ties[i] for i in answers])
    return reason


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("Then she met Pip and Joe .", None),
        ("Then Biddy left .", RivalReason.NEW_NAME),
        ("Biddy left .", None),  # a capital that its place forces names nobody
        ("We left with Biddy .", RivalReason.NEW_NAME),
        ("We left .", RivalReason.NEW_PERSON),
        ('" No , " said she .', None),
    ],
)
def test_a_rival_brings_nothing_new(line, wanted):
    assert unlike(line) == wanted


@pytest.mark.parametrize(
    ("answers", "speech", "telling"),
    [((0, 1), False, True), ((2,), True, False), ((0, 2), True, True)],
)
def test_a_rival_is_of_the_kind_of_the_answers(answers, speech, telling):
    """Speech where an answer is speech, else where one is not."""
    assert (unlike('" No , " said she .', answers) is None) == speech
    assert (unlike("Then she met Pip .", answers) is None) == telling


@given(st.integers(1, 4), st.integers(0, 4), st.integers(0, 2**32))
def test_fit_is_at_the_blank_where_it_is_most(answers, further, seed):
    """Above that of the blank's own answer."""
    coherences = np.random.default_rng(seed).uniform(-1, 1, (answers, answers + further))
    wanted = [
        max(coherences[blank, answers + c] - coherences[blank, blank] for blank in range(answers))
        for c in range(further)
    ]
    assert fit(coherences, answers).tolist() == pytest.approx(wanted)


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        # a rare word that is shown beside two common ones that are not
        ("They lit lamps and a boat .", 9 / 11),
        ("They saw a boat .", 0),
        ("They saw Joe at the lamp .", 9 / 10),  # a name counts neither as said again nor as new
        ("They saw Joe .", 0),
        ("They were he and she .", 0),
    ],
)
def test_an_echo_is_a_share_of_rare_words(line, wanted):
    shown = [
        surface_ties(one.split()) for one in ("She gave Joe the lamp .", "The lamp burnt for Joe .")
    ]
    assert echo(
        [surface_ties(line.split())], shown, lambda stem: 3.0 if stem == "lamp" else 1.0
    ).tolist() == [pytest.approx(wanted)]


@given(NUMBERS, st.data())
def test_each_measure_of_hardness_weighs_alike(one, data):
    other = data.draw(
        st.lists(
            st.floats(-5, 5).map(lambda number: round(number, 3)),
            min_size=len(one),
            max_size=len(one),
        )
    )
    found = hardness(np.array([one, other]))
    assert found.mean() == pytest.approx(0, abs=1e-6)
    assert hardness(np.array([np.array(one) * 7 + 3, other])) == pytest.approx(found, abs=1e-6)
    for i in range(len(one)):
        for j in range(len(one)):
            if one[i] > one[j] and other[i] > other[j]:
                assert found[i] > found[j]


def test_nobody_is_measured_where_nobody_is():
    """No candidates, no hardness; one alone is as hard as the mean."""
    assert hardness(np.zeros((2, 0))).tolist() == []
    assert hardness(np.array([[4.0], [2.0]])).tolist() == [0.0]


def test_a_measure_that_is_the_same_for_all_makes_none_harder():
    """Though its mean, as a machine reckons it, is not quite the number itself."""
    assert hardness(np.array([[2.848] * 3, [0.0] * 3])).tolist() == [0.0, 0.0, 0.0]


@pytest.fixture(scope="module")
def considered(sample):
    return nearby(sample.rivals())


def nearby(artifact):
    return [row for row in rows(artifact, CANDIDATES) if row["verdict"] != "answer"]


def test_a_distance_that_allows_no_rival_is_refused():
    """The sentences next to a passage are its context, so none of them is a rival."""
    with pytest.raises(ValidationError, match="max_distance"):
        RivalsSettings(max_distance=1)


@pytest.mark.parametrize("most", [80, 12])
def test_sentences_of_the_chapter_near_a_passage_are_considered(sample, most):
    blanked = read_blanks(sample.blanks())
    near = {}
    for row in nearby(sample.rivals(max_distance=most)):
        near.setdefault(row["id"], []).append(row["sentence"])
    windows = windows_by_book(sample.passages)
    for novel in novels_of(sample.partition):
        book = read_novel(novel, sample.passages.path(HYPHENS))
        chapters = np.cumsum([kind == "heading" for kind in book.text.kinds])
        for window in windows.get(novel.id, []):
            before = range(window.first - most, window.first - 1)
            after = range(window.last + 2, window.last + most + 1)
            chapter = np.flatnonzero(chapters == chapters[window.first]).tolist()
            wanted = {*before, *after} & {*chapter} if window.id in blanked else set()
            assert near.get(window.id, []) == sorted(wanted)


def test_measures_decide_the_verdict(considered):
    """Rivals and sentences that may fit a blank have all measures, the others none."""
    for row in considered:
        measured = row["verdict"] in ("rival", "may_fit_a_blank")
        assert {row[name] is not None for name in MEASURES} == {measured}
        assert (row["hardness"] is not None) == (row["traits"] is not None)
        assert (row["hardness"] is not None) == (row["verdict"] == "rival")
        if measured:
            fits = row["fit"] >= RivalsSettings().max_fit
            assert fits == (row["verdict"] == "may_fit_a_blank")
            assert 0 <= row["echo"] <= 1
            first = int(row["id"].rpartition(":")[2])
            if row["sentence"] < first:
                assert row["nearness"] == pytest.approx(-math.log(first - row["sentence"]))


def test_topic_and_fit_are_relative_to_the_answers(sample, considered):
    """One passage by hand: coherence of each rival with the shown sentences, minus the answers'."""
    model = open_coherence(sample.coherence)
    name = next(row["id"] for row in considered if row["verdict"] == "rival")
    book_id = name.rpartition(":")[0]
    window = next(one for one in windows_by_book(sample.passages)[book_id] if one.id == name)
    novel = next(novel for novel in novels_of(sample.partition) if novel.id == book_id)
    book = read_novel(novel, sample.passages.path(HYPHENS))
    answers = [window.first + place for place in read_blanks(sample.blanks())[name]]
    shown = [i for i in range(window.first, window.last + 1) if i not in answers]
    tokens = book.text.tokens
    some = [row for row in considered if row["id"] == name and row["topic"] is not None]
    listed = [*answers, *(row["sentence"] for row in some)]
    after, before = model.follows([tokens(i) for i in shown], [tokens(i) for i in listed])
    topics = (after + before).mean(axis=0) / 2
    topics = topics[5:] - topics[:5].mean()
    assert [row["topic"] for row in some] == pytest.approx(topics.tolist(), abs=1e-5)
    fits = []
    for blank, answer in enumerate(answers):
        sides = [after[k] for k, i in enumerate(shown) if i < answer][-1:]
        sides += [before[k] for k, i in enumerate(shown) if i > answer][:1]
        coheres = np.mean(sides, axis=0)
        fits.append(coheres[5:] - coheres[blank])
    assert [row["fit"] for row in some] == pytest.approx(np.max(fits, axis=0).tolist(), abs=1e-5)


def test_hardness_has_mean_zero_over_the_rivals_of_a_passage(considered):
    by_passage = {}
    for row in considered:
        if row["verdict"] == "rival":
            by_passage.setdefault(row["id"], []).append(row["hardness"])
    assert all(np.mean(some) == pytest.approx(0, abs=1e-3) for some in by_passage.values())


def test_rivals_of_a_passage_are_different_sentences(sample, considered, monkeypatch):
    """Of equal ones the nearest is kept; a sentence that the passage prints is none."""
    name, count = Counter(row["id"] for row in considered if row["verdict"] == "rival").most_common(
        1
    )[0]
    assert count >= 3
    book_id = name.rpartition(":")[0]
    window = next(one for one in windows_by_book(sample.passages)[book_id] if one.id == name)
    rivals = [row for row in considered if row["id"] == name and row["verdict"] == "rival"]
    rivals.sort(key=lambda row: -row["nearness"])
    near, far, printed = (rivals[k]["sentence"] for k in (0, -1, -2))

    def with_copies(novel, hyphens):
        book = read_novel(novel, hyphens)
        if novel.id == book_id:
            book.texts[far] = book.texts[near]
            book.texts[printed] = book.texts[window.first]
        return book

    monkeypatch.setattr(blanks, "read_novel", with_copies)
    verdicts = {
        row["sentence"]: row["verdict"]
        for row in nearby(sample.rivals(max_fit=1.9))
        if row["id"] == name
    }
    assert verdicts[near] == "rival"
    assert verdicts[far] == verdicts[printed] == "already_in_passage"


def test_answers_are_the_sentences_at_the_blanks(sample):
    places = {}
    for row in rows(sample.rivals(), CANDIDATES):
        if row["verdict"] == "answer":
            places.setdefault(row["id"], []).append(row["sentence"])
            assert row["traits"] == sorted(row["traits"])
            assert row["characters"] == len(row["text"])
    wanted = {
        name: [int(name.rpartition(":")[2]) + place for place in of_passage]
        for name, of_passage in read_blanks(sample.blanks()).items()
    }
    assert places == wanted


def test_the_funnel_counts_every_sentence_considered(sample, considered):
    funnel = sample.rivals().funnel
    verdicts = Counter(row["verdict"] for row in considered)
    assert (funnel["seen"], funnel["kept"]) == (len(considered), verdicts.pop("rival"))
    assert funnel["rejected"] == verdicts
