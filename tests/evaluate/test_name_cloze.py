"""Name cloze: which passages are drawn, what counts as the name, and scores by book."""

from __future__ import annotations

from collections import Counter

import pytest

from cloze_gen.evaluation.name_cloze import (
    ALL_PASSAGES,
    FEWEST_PASSAGES,
    MOST_PASSAGES,
    BookScore,
    NamePassage,
    book_scores,
    capitalized,
    correlation,
    given_name,
    name_passages,
)
from cloze_gen.records.sentence import Sentence


def sentence(index: int, text: str, *, kind: str = "prose") -> Sentence:
    return Sentence("b", index, 0, 1, 0, kind, text, tuple(text.split()))


FILLER = "and so they went on along the road for a while and spoke of nothing at all ."
COUNTS = Counter(
    (
        f"{FILLER} she doctor then saw the Emma Emma Emma Dr Paris".lower().replace("emma", "Emma")
    ).split()
)


def drawn(*texts: str, counts: Counter[str] = COUNTS) -> list[NamePassage]:
    return name_passages(
        [sentence(n, text) for n, text in enumerate(texts)], counts, seed=1, n_books=1
    )


def test_the_only_name_is_masked() -> None:
    """A passage of 40 to 60 tokens of sentences in a row."""
    (found,) = drawn(FILLER, f"Then she saw Emma's , {FILLER}", FILLER)
    assert found.name == "Emma"
    assert found.text.count("[MASK]") == 1
    assert "Emma" not in found.text
    assert "[MASK]'s" in found.prompt
    assert 40 <= len(found.text.split()) <= 60


@pytest.mark.parametrize(
    "text",
    [
        FILLER,
        f"Then she saw Emma and Emma , {FILLER}",
        f"Then she saw Emma and Jane , {FILLER}",
        f"Then she saw Emma and the Doctor , {FILLER}",
        f"Then she saw Emma on Sunday , {FILLER}",
        f"Emma saw the doctor , {FILLER}",
        f"Then she saw Zora , {FILLER}",
    ],
)
def test_another_passage_is_not_drawn(text: str) -> None:
    """No name, the name twice, another capital, the name at the beginning, a rare name."""
    assert drawn(FILLER, text, FILLER) == []


def test_headings_end_a_passage() -> None:
    named = f"Then she saw Emma , {FILLER}"
    lines = [sentence(0, FILLER), sentence(1, "A HEADING", kind="heading"), sentence(2, named)]
    assert name_passages(lines, COUNTS, seed=1, n_books=1) == []


def test_at_most_a_hundred_of_a_book_by_the_seed() -> None:
    """Passages share no sentence; another seed draws others."""
    lines = [
        sentence(n, f"Then she saw Emma , {FILLER}" if n % 3 == 1 else FILLER) for n in range(600)
    ]
    one, again, other = (name_passages(lines, COUNTS, seed=seed, n_books=1) for seed in (1, 1, 2))
    assert one == again != other
    assert len(one) == MOST_PASSAGES
    assert len({passage.id for passage in one}) == MOST_PASSAGES
    many = name_passages(lines, COUNTS, seed=1, n_books=50)
    assert len(many) == ALL_PASSAGES // 50
    assert len(name_passages(lines, COUNTS, seed=1, n_books=10_000)) == FEWEST_PASSAGES


def test_the_pronoun_is_no_name() -> None:
    assert capitalized("Then I said , I'll go ; Emma knew".split(), {"then", "knew"}) == ["Emma"]


@pytest.mark.parametrize(
    ("answer", "name"),
    [
        ("<name>Emma</name> or", "Emma"),
        ("Emma Woodhouse", "Emma"),
        ("\n", ""),
        ("[MASK]", ""),
        (3, ""),
        ("I think it is <name>Garrod</name>.", "Garrod"),
        ("The name is <Name> Garrod </NAME>", "Garrod"),
        ("<name>Garrod", "Garrod"),
        ("The name is Garrod", ""),
        ("So <name> </name>", ""),
    ],
)
def test_an_answer_is_read(answer: object, name: str) -> None:
    assert given_name(answer) == name


@pytest.mark.parametrize(("right", "stands_out"), [(40, False), (41, False), (70, True)])
def test_a_book_is_measured_against_the_best_constant_answer(right: int, stands_out: bool) -> None:
    """A model that always says Holmes is right as often, and not above it."""
    names = ["Holmes"] * 40 + [f"Name{n}" for n in range(60)]
    passages = [NamePassage(f"name:a:{n}", "a", "", name) for n, name in enumerate(names)]
    said = (
        ["holmes"] * 40
        + [f"<name>{n}</name>" for n in names[40:right]]
        + ["Holmes"] * (100 - right)
    )
    answers = {one.id: answer for one, answer in zip(passages, said, strict=True)}
    (score,) = book_scores(passages, answers)
    assert (score.correct, score.best_constant) == (right, 0.4)
    above, low, high = score.above
    assert above == pytest.approx(right / 100 - 0.4)
    assert low < above < high
    assert (low > 0) == stands_out


def test_scores_by_book_need_the_exact_name() -> None:
    passages = [
        NamePassage(f"name:{book}:{n}", book, "", "Emma") for book in "ab" for n in range(3)
    ]
    given = ["Emma", "Emmas", None, "Emma", "so <name>emma</name>", 3]
    answers = dict(zip([one.id for one in passages], given, strict=True))
    assert book_scores(passages, answers) == [BookScore("b", 3, 2, 3), BookScore("a", 3, 1, 3)]


def test_the_correlation_is_by_book() -> None:
    """None with few books or without a difference."""
    scores = [BookScore(f"b{n}", 10, n) for n in range(6)]
    right = {f"b{n}": [1.0] * n + [0.0] * (6 - n) for n in range(6)}
    found = correlation(scores, right)
    assert found is not None
    assert (found[0], found[2]) == (pytest.approx(1.0), 6)
    assert correlation(scores[:4], right) is None
    assert correlation(scores, {book: [1.0] for book in right}) is None
