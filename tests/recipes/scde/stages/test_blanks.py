"""Blanks as an artifact: of every sentence a verdict that agrees with the book, of every passage what became of it."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from cloze_gen.english.cohesion import surface_ties
from cloze_gen.errors import CorpusError
from cloze_gen.recipes.scde.stages.book_reading import read_book
from cloze_gen.recipes.scde.stages.tables import BLANKS, VERDICTS, windows_by_book
from cloze_gen.recipes.scde.steps.blanks import BlanksSettings, blank_reason, new_here
from cloze_gen.stages.corpus.book_table import book_folder, kept_books
from cloze_gen.stages.corpus.hyphens import HYPHENS, read_hyphen_forms
from cloze_gen.stages.tables import REJECTED
from cloze_gen.store.artifacts import Artifact
from cloze_gen.store.tables import read_parquet
from cloze_gen.text.sentence_traits import sentence_traits
from tests.recipes.scde.stages.conftest import Blanked


def verdicts_of(artifact: Artifact) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for row in read_parquet(artifact.path(VERDICTS)).to_pylist():
        own = found.setdefault(row["id"], [])
        assert row["sentence"] == len(own)
        own.append(row["verdict"])
    return found


def rows(artifact: Artifact, name: str = BLANKS) -> list[dict[str, Any]]:
    return read_parquet(artifact.path(name)).to_pylist()


@pytest.mark.parametrize("settings", [{}, {"edges": True, "min_words": 9}])
def test_every_sentence_has_the_verdict_that_the_book_gives_it(sample: Blanked, settings: dict[str, Any]) -> None:
    """The reason why it can be no blank, edges of the passage last; of those without a reason the blanks are told from the others."""
    artifact = sample.blanks(**settings)
    verdicts = verdicts_of(artifact)
    blanks = {row["id"]: row["blanks"] for row in rows(artifact)}
    windows = windows_by_book(sample.passages)
    forms = read_hyphen_forms(sample.passages.path(HYPHENS))
    made = BlanksSettings(**settings)
    assert set(verdicts) == {window.id for some in windows.values() for window in some}
    for of in kept_books(sample.partition):
        book = read_book(book_folder(sample.partition, of), forms)
        traits = sentence_traits(book.text, offensive=())
        for window in windows.get(of["book_id"], []):
            own = range(window.first, window.last + 1)
            ties = [surface_ties(book.text.tokens(i)) for i in own]
            wanted = []
            for place, (i, new) in enumerate(zip(own, new_here(ties), strict=True)):
                whole, in_speech = bool(traits.whole[i]), bool(traits.in_speech[i])
                reason = blank_reason(book.text.tokens(i), ties[place], whole=whole, in_speech=in_speech, settings=made) or new
                if not made.edges and i in (window.first, window.last):
                    reason = reason or "edge_of_the_passage"  # type: ignore[assignment]
                wanted.append(str(reason) if reason else "blank" if place in blanks.get(window.id, ()) else "not_drawn")
            assert verdicts[window.id] == wanted


def test_a_passage_has_its_blanks_or_is_rejected(sample: Blanked) -> None:
    """Five rising places, never three in a row; of those without the number of sentences that could be blanks is told, and the funnel
    counts both."""
    artifact = sample.blanks()
    verdicts, found, rejected = verdicts_of(artifact), rows(artifact), rows(artifact, REJECTED)
    for row in found:
        assert len(row["blanks"]) == 5
        assert row["blanks"] == sorted(set(row["blanks"]))
        assert not any({place, place + 1, place + 2} <= set(row["blanks"]) for place in row["blanks"])
        assert (row["book_id"], 0 <= row["solved"] <= 5, 0 <= row["wanted"] <= 5) == (row["id"].rpartition(":")[0], True, True)
    assert all(row["detail"] == str(verdicts[row["id"]].count("not_drawn")) for row in rejected)
    assert [row["id"] for row in found] == [name for name in verdicts if name not in {row["id"] for row in rejected}]
    assert artifact.funnel["kept"] == len(found)
    assert artifact.funnel["rejected"] == Counter(row["reason"] for row in rejected)


def test_the_facts_are_those_of_the_tables(sample: Blanked) -> None:
    """Verdicts by name, and which share of blanks the surface solves and stands beside another."""
    artifact = sample.blanks(adjacent_share=0.4)
    found = rows(artifact)
    beside = sum({place - 1, place + 1} & set(row["blanks"]) != set() for row in found for place in row["blanks"])
    assert beside
    assert artifact.facts["beside_another"] == pytest.approx(beside / (5 * len(found)), abs=1e-4)
    assert artifact.facts["solved_by_surface"] == pytest.approx(sum(row["solved"] for row in found) / (5 * len(found)), abs=1e-4)
    assert artifact.facts["sentences"] == Counter(verdict for own in verdicts_of(artifact).values() for verdict in own)


def test_the_surface_gives_away_what_a_blind_deal_does(sample: Blanked) -> None:
    """Nearer than in a random choice, of the same passages."""
    off = [sum(abs(row["solved"] - row["wanted"]) for row in rows(sample.blanks(choice=choice))) for choice in ("unguessable", "random")]
    assert off[0] < off[1] / 2


def test_passages_without_blanks_end_the_run(sample: Blanked) -> None:
    """And the message says what helps."""
    with pytest.raises(
        CorpusError, match=r"no passage has 20 sentences that can be blanks \(69 passages looked at\)\. Lower blanks\.count"
    ):
        sample.blanks(count=20)
