"""Rivals as an artifact: every sentence near a passage with the verdict and the measures that its book gives it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cloze_gen.english.cohesion import surface_ties
from cloze_gen.english.stems import stem
from cloze_gen.recipes.scde.stages.book_reading import ReadBook, read_book
from cloze_gen.recipes.scde.stages.coherence import open_coherence, read_stems
from cloze_gen.recipes.scde.stages.rivals import MEASURES
from cloze_gen.recipes.scde.stages.tables import ANSWERS, CONSIDERED, Window, read_blanks, windows_by_book
from cloze_gen.recipes.scde.steps.propensity import traits
from cloze_gen.recipes.scde.steps.rivals import RivalsSettings
from cloze_gen.stages.corpus.book_table import book_folder, kept_books
from cloze_gen.stages.corpus.hyphens import HYPHENS, read_hyphen_forms
from cloze_gen.stats.cues import rarity_of
from cloze_gen.store.tables import read_parquet
from tests.recipes.scde.stages.conftest import Blanked

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
def test_the_sentences_near_a_passage_are_considered(sample: Blanked, settings: RivalsSettings) -> None:
    """All of its chapter that stand so far from its nearest edge, bounds inclusive, and no other; none of the passage itself."""
    found = read_parquet(sample.rivals(**settings.model_dump()).path(CONSIDERED)).to_pylist()
    wanted = []
    for window, book, _ in blanked_windows(sample):
        for i in range(len(book.texts)):
            distance = max(window.first - i, i - window.last)
            if settings.min_distance <= distance <= settings.max_distance and book.chapter[i] == book.chapter[window.first]:
                wanted.append((window.id, window.book_id, i, book.texts[i], len(book.texts[i])))
    assert [tuple(row[name] for name in ("id", "book_id", "sentence", "text", "characters")) for row in found] == wanted


def test_a_rival_brings_nothing_new(sample: Blanked, considered: list[dict[str, Any]]) -> None:
    """No name or person that its passage lacks, of the kind of its answers, not the words of one of its sentences."""
    rivals = [row for row in considered if row["verdict"] == "rival"]
    assert rivals
    for window, book, blanks in blanked_windows(sample):
        own = [surface_ties(book.text.tokens(i)) for i in range(window.first, window.last + 1)]
        for row in (row for row in rivals if row["id"] == window.id):
            ties = surface_ties(book.text.tokens(row["sentence"]))
            assert all(any(name in one.names | {one.first_word} for one in own) for name in ties.names)
            assert all(any(person in one.persons for one in own) for person in ties.persons)
            assert any((own[place].quotation_marks > 0) == (ties.quotation_marks > 0) for place in blanks)
            assert row["text"] not in book.texts[window.first : window.last + 1]
            assert row["traits"] == sorted(traits(book.text.tokens(row["sentence"]), ties))


def test_a_rival_goes_with_no_blank_as_its_answer_does(sample: Blanked, considered: list[dict[str, Any]]) -> None:
    """Its fit, reckoned from the model sentence by sentence, is below the bound; what reaches it is told so and is no rival."""
    model = open_coherence(sample.coherence.folder)
    compared = 0
    for window, book, blanks in blanked_windows(sample):

        def goes(sentence: int, blank: int, book: ReadBook = book, window: Window = window, blanks: tuple[int, ...] = blanks) -> float:
            last = [k for k in range(blank) if k not in blanks][-1:]
            following = [k for k in range(blank + 1, window.last - window.first + 1) if k not in blanks][:1]
            tokens = book.text.tokens
            sides = [model.follows([tokens(window.first + k)], [tokens(sentence)])[0][0, 0] for k in last]
            sides += [model.follows([tokens(window.first + k)], [tokens(sentence)])[1][0, 0] for k in following]
            return float(np.mean(sides))

        for row in (row for row in considered if row["id"] == window.id and row["fit"] is not None):
            fit = max(goes(row["sentence"], blank) - goes(window.first + blank, blank) for blank in blanks)
            assert row["fit"] == pytest.approx(fit, abs=1e-5)
            assert row["verdict"] == ("may_fit_a_blank" if row["fit"] >= RivalsSettings().max_fit else "rival")
            compared += 1
    assert compared == sum(row["verdict"] in ("rival", "may_fit_a_blank") for row in considered) > 0


def test_the_topic_is_that_of_all_shown_sentences(sample: Blanked, considered: list[dict[str, Any]]) -> None:
    """How well it goes behind and before each of them, on average, less how well the answers do."""
    model = open_coherence(sample.coherence.folder)
    for window, book, blanks in blanked_windows(sample):
        tokens = book.text.tokens
        shown = [tokens(i) for i in range(window.first, window.last + 1) if i - window.first not in blanks]

        def goes(sentences: Sequence[int], shown: list[Any] = shown, book: ReadBook = book) -> NDArray[np.float64]:
            return np.asarray(np.mean(model.follows(shown, [book.text.tokens(i) for i in sentences]), axis=(0, 1)))

        answers = goes([window.first + blank for blank in blanks]).mean()
        rows = [row for row in considered if row["id"] == window.id and row["topic"] is not None]
        found = [row["topic"] for row in rows]
        assert found == pytest.approx((goes([row["sentence"] for row in rows]) - answers).tolist() if rows else [], abs=1e-5)


def test_an_echo_is_of_the_sentences_that_are_shown(sample: Blanked, considered: list[dict[str, Any]]) -> None:
    """Which share of the squared rarities of a sentence's words of content, names left out, is of words that the passage shows."""
    rarity = rarity_of(*read_stems(sample.coherence.folder))
    echoes = []
    for window, book, blanks in blanked_windows(sample):
        places = [i for i in range(window.first, window.last + 1) if i - window.first not in blanks]
        shown = {word for i in places for word in surface_ties(book.text.tokens(i)).stems}
        for row in (row for row in considered if row["id"] == window.id and row["echo"] is not None):
            ties = surface_ties(book.text.tokens(row["sentence"]))
            own = ties.stems - {stem(name) for name in ties.names}
            every = sum(rarity(word) ** 2 for word in own)
            assert row["echo"] == pytest.approx(sum(rarity(word) ** 2 for word in own & shown) / every if every else 0, abs=1e-5)
            echoes.append(row["echo"])
    assert 0 == min(echoes) < max(echoes) <= 1


def test_nearness_falls_with_the_distance(sample: Blanked, considered: list[dict[str, Any]]) -> None:
    """Minus the logarithm of the sentences from the nearest edge of the passage."""
    windows = {window.id: window for window, _, _ in blanked_windows(sample)}
    for row in (row for row in considered if row["nearness"] is not None):
        window = windows[row["id"]]
        distance = min(abs(row["sentence"] - edge) for edge in (window.first, window.last))
        assert row["nearness"] == pytest.approx(-math.log(distance), abs=1e-5)


def test_what_is_measured_is_measured_whole(considered: list[dict[str, Any]]) -> None:
    """Rivals, and what may fit a blank, by every measure; nobody else by any."""
    for row in considered:
        assert {row[name] is not None for name in MEASURES} == {row["verdict"] in ("rival", "may_fit_a_blank")}


def test_hardness_is_of_the_rivals_of_a_passage(considered: list[dict[str, Any]]) -> None:
    """Of mean 0 among them, and of nobody else; four measures weigh alike, and what the surface shows weighs nothing."""
    by_passage: dict[str, list[dict[str, Any]]] = {}
    for row in considered:
        assert (row["hardness"] is not None) == (row["verdict"] == "rival") == (row["traits"] is not None)
        if row["verdict"] == "rival":
            by_passage.setdefault(row["id"], []).append(row)
    for rivals in by_passage.values():
        measures = np.array([[row[name] for name in ("fit", "topic", "echo", "nearness")] for row in rivals])
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
            wanted.append({"id": window.id, "blank": number, "sentence": i, "characters": len(book.texts[i]), "traits": shows})
    assert read_parquet(sample.rivals().path(ANSWERS)).to_pylist() == wanted


def test_the_funnel_counts_every_sentence_considered(sample: Blanked, considered: list[dict[str, Any]]) -> None:
    """Rivals as kept, each other verdict by its name."""
    funnel = sample.rivals().funnel
    verdicts = Counter(row["verdict"] for row in considered)
    assert funnel["kept"] == verdicts.pop("rival")
    assert funnel["rejected"] == verdicts
    assert funnel["seen"] == len(considered)
