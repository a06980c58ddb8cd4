"""Sentences that look as if they answered a blank, and answer none."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from cloze_gen.corpus.books import book_folder, kept_books
from cloze_gen.corpus.hyphens import HYPHENS, read_hyphen_forms
from cloze_gen.english.cohesion import surface_ties
from cloze_gen.english.content_words import stem
from cloze_gen.models.sentence_cues import rarity_of
from cloze_gen.recipes.scde.coherence import open_coherence, read_stems
from cloze_gen.recipes.scde.passages import (
    ANSWERS,
    CONSIDERED,
    ReadBook,
    Window,
    read_blanks,
    read_book,
    windows_by_book,
)
from cloze_gen.recipes.scde.propensity import traits
from cloze_gen.recipes.scde.rivals import (
    MEASURES,
    RivalReason,
    RivalsSettings,
    echo,
    fit,
    hardness,
    mismatch_reason,
    passage_ties,
)
from cloze_gen.store.tables import read_parquet
from tests.recipes.scde.conftest import Blanked

PASSAGE = ["Pip saw Joe .", "She gave Joe the lamp .", '" Go , " said he .', "They slept ."]
NUMBERS = st.lists(st.floats(-5, 5).map(lambda number: round(number, 3)), min_size=2, max_size=8)


def unlike(line: str, answers: tuple[int, ...] = (0, 2)) -> RivalReason | None:
    ties = [surface_ties(one.split()) for one in PASSAGE]
    shows = passage_ties(ties, [ties[i] for i in answers], PASSAGE)
    return mismatch_reason(surface_ties(line.split()), line, shows)


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("Then she met Pip and Joe .", None),
        ("Then Biddy left .", RivalReason.NEW_NAME),
        ("Biddy left .", None),  # a capital that its place forces names nobody
        ("We left with Biddy .", RivalReason.NEW_NAME),
        ("We left .", RivalReason.NEW_PERSON),
        ("They slept .", RivalReason.IN_PRINT),
        ('" No , " said she .', None),
    ],
)
def test_a_rival_brings_nothing_new(line: str, wanted: RivalReason | None) -> None:
    assert unlike(line) == wanted


@pytest.mark.parametrize(
    ("answers", "speech", "telling"),
    [((0, 1), False, True), ((2,), True, False), ((0, 2), True, True)],
)
def test_a_rival_is_of_the_kind_of_the_answers(
    answers: tuple[int, ...], speech: bool, telling: bool
) -> None:
    """Speech where an answer is speech, else where one is not."""
    assert (unlike('" No , " said she .', answers) is None) == speech
    assert (unlike("Then she met Pip .", answers) is None) == telling


@given(st.integers(1, 4), st.integers(0, 4), st.integers(0, 2**32))
def test_fit_is_at_the_blank_where_it_is_most(answers: int, further: int, seed: int) -> None:
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
        (
            "They lit lamps and a boat .",
            9 / 11,
        ),  # a rare word that is shown beside two common ones that are not
        ("They saw a boat .", 0),
        ("They saw Joe at the lamp .", 9 / 10),  # a name counts neither as said again nor as new
        ("They saw Joe .", 0),
        ("They were he and she .", 0),
    ],
)
def test_an_echo_is_a_share_of_rare_words(line: str, wanted: float) -> None:
    shown = [
        surface_ties(one.split()) for one in ("She gave Joe the lamp .", "The lamp burnt for Joe .")
    ]
    assert echo(
        [surface_ties(line.split())], shown, lambda stem: 3.0 if stem == "lamp" else 1.0
    ).tolist() == [pytest.approx(wanted)]


@given(NUMBERS, st.data())
def test_each_measure_of_hardness_weighs_alike(one: list[float], data: st.DataObject) -> None:
    other = data.draw(
        st.lists(
            st.floats(-5, 5).map(lambda number: round(number, 3)),
            min_size=len(one),
            max_size=len(one),
        )
    )
    found = hardness(np.array(one), np.array(other))
    assert found.mean() == pytest.approx(0, abs=1e-6)
    assert hardness(np.array(one) * 7 + 3, np.array(other)) == pytest.approx(found, abs=1e-6)
    for i in range(len(one)):
        for j in range(len(one)):
            if one[i] > one[j] and other[i] > other[j]:
                assert found[i] > found[j]


def test_nobody_is_measured_where_nobody_is() -> None:
    """No candidates, no hardness; one alone is as hard as the mean."""
    assert hardness(np.zeros(0), np.zeros(0)).tolist() == []
    assert hardness(np.array([4.0]), np.array([2.0])).tolist() == [0.0]


def test_a_measure_that_is_the_same_for_all_makes_none_harder() -> None:
    """Though its mean, as a machine reckons it, is not quite the number itself."""
    assert hardness(np.full(3, 2.848), np.zeros(3)).tolist() == [0.0, 0.0, 0.0]


CLOSE = RivalsSettings(min_distance=2, max_distance=12)


@pytest.fixture(scope="module")
def considered(sample: Blanked) -> list[dict[str, Any]]:
    return read_parquet(sample.rivals().path(CONSIDERED)).to_pylist()


def blanked_windows(sample: Blanked) -> Iterator[tuple[Window, ReadBook, tuple[int, ...]]]:
    """Every passage that has blanks, with its book and its blanks."""
    blanks, windows = read_blanks(sample.blanks()), windows_by_book(sample.passages)
    forms = read_hyphen_forms(sample.passages.path(HYPHENS))
    for of in kept_books(sample.partition):
        book = read_book(book_folder(sample.partition, of), forms)
        for window in windows.get(of["book_id"], []):
            if window.id in blanks:
                yield window, book, blanks[window.id]


@pytest.mark.parametrize("settings", [RivalsSettings(), CLOSE])
def test_the_sentences_near_a_passage_are_considered(
    sample: Blanked, settings: RivalsSettings
) -> None:
    found = read_parquet(sample.rivals(**settings.model_dump()).path(CONSIDERED)).to_pylist()
    wanted = []
    for window, book, _ in blanked_windows(sample):
        for i in range(len(book.texts)):
            distance = max(window.first - i, i - window.last)
            if (
                settings.min_distance <= distance <= settings.max_distance
                and book.chapter[i] == book.chapter[window.first]
            ):
                wanted.append((window.id, window.book_id, i, book.texts[i], len(book.texts[i])))
    assert [
        tuple(row[name] for name in ("id", "book_id", "sentence", "text", "characters"))
        for row in found
    ] == wanted


def test_a_rival_found_brings_nothing_new(
    sample: Blanked, considered: list[dict[str, Any]]
) -> None:
    rivals = [row for row in considered if row["verdict"] == "rival"]
    assert rivals
    for window, book, blanks in blanked_windows(sample):
        own = [surface_ties(book.text.tokens(i)) for i in range(window.first, window.last + 1)]
        for row in (row for row in rivals if row["id"] == window.id):
            ties = surface_ties(book.text.tokens(row["sentence"]))
            assert all(
                any(name in one.names | {one.first_word} for one in own) for name in ties.names
            )
            assert all(any(person in one.persons for one in own) for person in ties.persons)
            assert any(
                (own[place].quotation_marks > 0) == (ties.quotation_marks > 0) for place in blanks
            )
            assert row["text"] not in book.texts[window.first : window.last + 1]
            assert row["traits"] == sorted(traits(book.text.tokens(row["sentence"]), ties))


def test_a_rival_goes_with_no_blank_as_its_answer_does(
    sample: Blanked, considered: list[dict[str, Any]]
) -> None:
    model = open_coherence(sample.coherence.folder)
    compared = 0
    for window, book, blanks in blanked_windows(sample):

        def goes(
            sentence: int,
            blank: int,
            book: ReadBook = book,
            window: Window = window,
            blanks: tuple[int, ...] = blanks,
        ) -> float:
            last = [k for k in range(blank) if k not in blanks][-1:]
            following = [
                k for k in range(blank + 1, window.last - window.first + 1) if k not in blanks
            ][:1]
            tokens = book.text.tokens
            sides = [
                model.follows([tokens(window.first + k)], [tokens(sentence)])[0][0, 0] for k in last
            ]
            sides += [
                model.follows([tokens(window.first + k)], [tokens(sentence)])[1][0, 0]
                for k in following
            ]
            return float(np.mean(sides))

        for row in (row for row in considered if row["id"] == window.id and row["fit"] is not None):
            fit = max(
                goes(row["sentence"], blank) - goes(window.first + blank, blank) for blank in blanks
            )
            assert row["fit"] == pytest.approx(fit, abs=1e-5)
            assert row["verdict"] == (
                "may_fit_a_blank" if row["fit"] >= RivalsSettings().max_fit else "rival"
            )
            compared += 1
    assert compared == sum(row["verdict"] in ("rival", "may_fit_a_blank") for row in considered) > 0


def test_the_topic_is_that_of_all_shown_sentences(
    sample: Blanked, considered: list[dict[str, Any]]
) -> None:
    """How well it goes after and before each of them, on average, less how well the answers do."""
    model = open_coherence(sample.coherence.folder)
    for window, book, blanks in blanked_windows(sample):
        tokens = book.text.tokens
        shown = [
            tokens(i)
            for i in range(window.first, window.last + 1)
            if i - window.first not in blanks
        ]

        def goes(
            sentences: Sequence[int], shown: list[Any] = shown, book: ReadBook = book
        ) -> NDArray[np.float64]:
            return np.asarray(
                np.mean(model.follows(shown, [book.text.tokens(i) for i in sentences]), axis=(0, 1))
            )

        answers = goes([window.first + blank for blank in blanks]).mean()
        rows = [row for row in considered if row["id"] == window.id and row["topic"] is not None]
        found = [row["topic"] for row in rows]
        assert found == pytest.approx(
            (goes([row["sentence"] for row in rows]) - answers).tolist() if rows else [], abs=1e-5
        )


def test_an_echo_is_of_the_sentences_that_are_shown(
    sample: Blanked, considered: list[dict[str, Any]]
) -> None:
    rarity = rarity_of(*read_stems(sample.coherence.folder))
    echoes = []
    for window, book, blanks in blanked_windows(sample):
        places = [i for i in range(window.first, window.last + 1) if i - window.first not in blanks]
        shown = {word for i in places for word in surface_ties(book.text.tokens(i)).stems}
        for row in (
            row for row in considered if row["id"] == window.id and row["echo"] is not None
        ):
            ties = surface_ties(book.text.tokens(row["sentence"]))
            own = ties.stems - {stem(name) for name in ties.names}
            every = sum(rarity(word) ** 2 for word in own)
            assert row["echo"] == pytest.approx(
                sum(rarity(word) ** 2 for word in own & shown) / every if every else 0, abs=1e-5
            )
            echoes.append(row["echo"])
    assert 0 == min(echoes) < max(echoes) <= 1


def test_nearness_falls_with_the_distance(
    sample: Blanked, considered: list[dict[str, Any]]
) -> None:
    """Minus the logarithm of the sentences from the nearest edge of the passage."""
    windows = {window.id: window for window, _, _ in blanked_windows(sample)}
    for row in (row for row in considered if row["nearness"] is not None):
        window = windows[row["id"]]
        distance = min(abs(row["sentence"] - edge) for edge in (window.first, window.last))
        assert row["nearness"] == pytest.approx(-math.log(distance), abs=1e-5)


def test_what_is_measured_is_measured_whole(considered: list[dict[str, Any]]) -> None:
    """Rivals, and what may fit a blank, by every measure; nobody else by any."""
    for row in considered:
        assert {row[name] is not None for name in MEASURES} == {
            row["verdict"] in ("rival", "may_fit_a_blank")
        }


def test_hardness_is_of_the_rivals_of_a_passage(considered: list[dict[str, Any]]) -> None:
    """Mean 0 over them; four measures weigh alike, the surface nothing."""
    by_passage: dict[str, list[dict[str, Any]]] = {}
    for row in considered:
        assert (
            (row["hardness"] is not None)
            == (row["verdict"] == "rival")
            == (row["traits"] is not None)
        )
        if row["verdict"] == "rival":
            by_passage.setdefault(row["id"], []).append(row)
    for rivals in by_passage.values():
        measures = np.array(
            [[row[name] for name in ("fit", "topic", "echo", "nearness")] for row in rivals]
        )
        spread = measures.std(axis=0)
        wanted = ((measures - measures.mean(axis=0)) / np.where(spread > 0, spread, 1)).mean(axis=1)
        assert [row["hardness"] for row in rivals] == pytest.approx(wanted.tolist(), abs=1e-3)


def test_answers_are_the_sentences_at_the_blanks(sample: Blanked) -> None:
    """In the order of the blanks, with their lengths and what they show alone."""
    wanted = []
    for window, book, blanks in blanked_windows(sample):
        for number, place in enumerate(blanks):
            i = window.first + place
            shows = sorted(traits(book.text.tokens(i), surface_ties(book.text.tokens(i))))
            wanted.append(
                {
                    "id": window.id,
                    "blank": number,
                    "sentence": i,
                    "characters": len(book.texts[i]),
                    "traits": shows,
                }
            )
    assert read_parquet(sample.rivals().path(ANSWERS)).to_pylist() == wanted


def test_the_funnel_counts_every_sentence_considered(
    sample: Blanked, considered: list[dict[str, Any]]
) -> None:
    """Rivals as kept, each other verdict by its name."""
    funnel = sample.rivals().funnel
    verdicts = Counter(row["verdict"] for row in considered)
    assert funnel["kept"] == verdicts.pop("rival")
    assert funnel["rejected"] == verdicts
    assert funnel["seen"] == len(considered)
