"""Pages out, answers in, and what they cost."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.errors import FormatError
from cloze_gen.formats.lambada.packets import (
    GAP,
    TORN,
    blanked_text,
    ledger_jsonl,
    packet_rows,
    packets_csv,
    packets_jsonl,
    parse_answers,
    parse_ledger,
    torn_end,
)
from cloze_gen.recipes.lambada.steps.assignment import assign, hand_out, progress, replay, take_answers
from cloze_gen.recipes.lambada.steps.cost import PAPER_DROPPED, expected_cost, spent
from cloze_gen.recipes.lambada.steps.guessing import Case, GuessingSettings, Verdict, verdict
from cloze_gen.records.guess_page import Condition, Event, Origin, PageAnswer, Withdrawal
from cloze_gen.records.passage import Part, Passage

SETTINGS = GuessingSettings(sentence_subjects=2, sentence_subjects_at_once=2)
ITEM = Passage("b:7", "b", Part.TEST, (("Who", "hid", "?"), ('"', "Not", "Ann", ".", '"')), ("Who hid?", '"Not Ann."'), 2, 5, 23)


def cases_of(n: int, gap: int = 1) -> dict[str, Case]:
    return {f"b:{i}": Case(f"b:{i}", "menu", "b", 10 * i, 10 * i + 10 - gap) for i in range(n)}


@given(st.integers(1, 45), st.integers(1, 6), st.integers(1, 3), st.integers(-8, 1))
def test_pages_are_dealt_fairly(n: int, subjects: int, pages_each: int, gap: int) -> None:
    """Each passage once, nobody more than their pages, no short page but the last, and nobody two texts that overlap."""
    cases = cases_of(n, gap)
    pages = assign(cases.values(), [f"s{i}" for i in range(subjects)], Condition.PASSAGE, settings=SETTINGS, pages_each=pages_each)
    dealt = [passage for page in pages for passage in page.passage_ids]
    assert len(set(dealt)) == len(dealt)
    assert gap < 1 or len(dealt) == min(n, subjects * pages_each * 10)
    for subject in {page.subject for page in pages}:
        own = [page for page in pages if page.subject == subject]
        assert len(own) <= pages_each
        assert all(len(page.passage_ids) == 10 for page in own[:-1])
        spans = sorted((cases[passage].start, cases[passage].end) for page in own for passage in page.passage_ids)
        assert all(before[1] <= after[0] for before, after in pairwise(spans))
    assert set(hand_out(cases, pages, SETTINGS)) == set(dealt)
    again = assign(list(cases.values()), [f"s{i}" for i in range(subjects)], Condition.PASSAGE, settings=SETTINGS, pages_each=pages_each)
    assert again == pages


def test_a_whole_run_of_guessing() -> None:
    """Round by round until all is decided; nobody on both sides of an item; answers again change nothing."""
    cases, pages, sides = cases_of(30), {}, {}
    subjects = [f"s{i}" for i in range(9)]
    for _ in range(40):
        for condition in Condition:
            dealt = assign(cases.values(), subjects, condition, settings=SETTINGS, pages_each=2)
            cases |= hand_out(cases, dealt, SETTINGS)
            pages |= {page.id: page for page in dealt}
            for page in dealt:
                for passage in page.passage_ids:
                    assert sides.setdefault((page.subject, passage), condition) is condition
            given_answers = [
                PageAnswer(page.id, item, ("menu" if condition is Condition.PASSAGE and int(passage[2:]) % 3 else "lamp",), page.subject)
                for page in dealt
                for item, passage in enumerate(page.passage_ids, 1)
            ]
            changed, taken, refused = take_answers(cases, pages, given_answers, SETTINGS)
            assert (taken, refused) == (given_answers, [])
            cases |= changed
            unchanged, taken, refused = take_answers(cases, pages, given_answers, SETTINGS)
            assert (unchanged, taken, {one.reason for one in refused} <= {"answer_was_taken_before"}) == ({}, [], True)
    verdicts = [verdict(case, SETTINGS) for case in cases.values()]
    assert verdicts == [Verdict.KEPT if n % 3 else Verdict.MISSED for n in range(30)]


def test_strange_answers_are_refused_with_a_reason() -> None:
    """An unknown page, an item that the page has not, somebody else's page."""
    cases = cases_of(2)
    [page] = assign(cases.values(), ["ann"], Condition.PASSAGE, settings=SETTINGS)
    cases |= hand_out(cases, [page], SETTINGS)
    asked = [("ff", 1, ""), (page.id, 3, ""), (page.id, 0, ""), (page.id, 1, "bob")]
    strange = [PageAnswer(name, item, ("x",), subject) for name, item, subject in asked]
    changed, taken, refused = take_answers(cases, {page.id: page}, strange, SETTINGS)
    assert (changed, taken) == ({}, [])
    assert [one.reason for one in refused] == ["page_was_not_handed_out", "no_such_item", "no_such_item", "page_belongs_to_another_subject"]


def test_pages_dealt_from_other_cases_are_refused() -> None:
    """Handing a page out twice would ask a subject twice."""
    cases = cases_of(2)
    pages = assign(cases.values(), ["ann"], Condition.PASSAGE, settings=SETTINGS)
    with pytest.raises(ValueError, match="seen"):
        hand_out(cases | hand_out(cases, pages, SETTINGS), pages, SETTINGS)


def test_a_subject_sees_no_more_than_it_may() -> None:
    """Neither the id, nor the book, nor the target; of step 3 the sentence alone; the marks behind the gap stay."""
    case = Case("b:7", "Ann", "b", 5, 23)
    [page] = assign([case], ["s1"], Condition.PASSAGE, settings=SETTINGS)
    [row] = packet_rows([page], {"b:7": ITEM}.__getitem__, sentence_guesses=SETTINGS.sentence_guesses)
    assert row["text"] == f'Who hid? "Not {GAP}."'
    assert blanked_text(ITEM, Condition.SENTENCE) == f'"Not {GAP}."'
    assert "b:7" not in packets_jsonl([row])
    assert "Ann" not in packets_csv([row])


def test_both_forms_of_answers_are_read() -> None:
    """The table that was handed out comes back filled in; an empty row is not answered, a dash is no idea."""
    cases = cases_of(3)
    pages = assign([replace(case) for case in cases.values()], ["s1"], Condition.PASSAGE, settings=SETTINGS)
    rows = list(packet_rows(pages, lambda _: ITEM, sentence_guesses=SETTINGS.sentence_guesses))
    table = list(csv.DictReader(io.StringIO(packets_csv(rows))))
    table[0]["guess_1"], table[2]["guess_1"] = " menu ", "-"
    filled = io.StringIO()
    writer = csv.DictWriter(filled, list(table[0]))
    writer.writeheader()
    writer.writerows(table)
    page = pages[0].id
    assert parse_answers(filled.getvalue()) == [PageAnswer(page, 1, ("menu",), "s1"), PageAnswer(page, 3, ("",), "s1")]
    lines = "".join(json.dumps({"page": page, "item": item, "guesses": [said]}) + "\n\n" for item, said in ((1, "menu"), (3, "-")))
    assert parse_answers(f"\ufeff{lines}") == [PageAnswer(page, 1, ("menu",)), PageAnswer(page, 3, ("",))]


@pytest.mark.parametrize(
    "text",
    [
        "", "menu\n", "page,item\n3f,1\n", '{"page": "3f"}', '{"page": "3f", "item": true, "guesses": ["a"]}',
        '{"page": 3, "item": 1, "guesses": []}', '{"page": "3f", "item": 1, "guesses": [1]}', '{"page": "3f", "item": 1, "guesses": "a"}',
        "{", '{"a": 1}\n[]', "page,item,guess_1\n3f,one,menu\n",
        f'page,item,guess_1\n"{"x" * 140_000}\n', f"page,item,guess_1\n3f,1,{'x' * 101}\n",
    ],
)  # fmt: skip
def test_other_texts_are_refused(text: str) -> None:
    """What is no answer is named with its file."""
    with pytest.raises(FormatError, match=r"bob\.csv"):
        parse_answers(text, name="bob.csv")


def test_the_papers_own_cost_comes_out() -> None:
    """On its shares and pay $0.79 are explained of the $1.24 that an item cost; one in 25 is kept."""
    listed = expected_cost(25, GuessingSettings(fee_factor=1))
    assert listed.kept == pytest.approx(1)
    assert listed.usd_per_kept == pytest.approx(0.79, abs=0.005)
    assert expected_cost(25, GuessingSettings()).usd_per_kept == pytest.approx(1.24, abs=0.005)
    assert sum(PAPER_DROPPED) == pytest.approx(0.96)


def test_pages_are_paid_whole() -> None:
    """So far: three pages, each at its price, with fees."""
    cost = spent([Condition.PASSAGE, Condition.SENTENCE, Condition.PASSAGE], passages=12, kept=3, settings=GuessingSettings(fee_factor=2))
    assert cost.usd == pytest.approx(2 * (0.22 + 0.22 + 0.15))
    assert cost.usd_per_kept == pytest.approx(cost.usd / 3)


def test_a_ledger_brings_everything_back() -> None:
    """What happened, written and read, leads to the same cases and pages; answers twice over change nothing."""
    start = cases_of(12)
    events: list[Event] = []
    now, pages = dict(start), {}
    for turn, subjects in enumerate((["ann"], ["bob", "cid"], ["dot", "eve"], ["fay", "gus"])):
        for condition in Condition:
            dealt = assign(now.values(), subjects, condition, settings=SETTINGS)
            answers = [PageAnswer(page.id, item, ("menu",), page.subject) for page in dealt for item in range(1, len(page.passage_ids))]
            events += [*dealt, *answers, *answers, *(Withdrawal(page.id) for page in dealt[turn % 2 :])]
            now, pages = replay(start, events, SETTINGS)
    assert parse_ledger(ledger_jsonl(events)) == events
    assert replay(start, parse_ledger(ledger_jsonl(events)), SETTINGS) == (now, pages)
    counts = progress(now.values(), SETTINGS)
    assert sum(counts.values()) == len(start)
    assert counts[Verdict.GUESSED_ALONE] > 0
    assert sum(len(case.withdrawn) for case in now.values()) > 0


def test_a_torn_line_counts_for_nothing() -> None:
    """Torn at any byte: the events before it stand, also after others were added behind the mark."""
    whole = ledger_jsonl([Origin("3cc3"), PageAnswer("3f", 1, ("caf\u00e9",), "Zo\u00eb")])
    events = parse_ledger(whole)
    more = ledger_jsonl([Withdrawal("3f")])
    for size in range(len(whole)):
        left = whole[:size]
        assert parse_ledger(left) == events[: left.count("\n")]
        assert left == left[: left.rfind("\n") + 1] + torn_end(left)
        if torn_end(left):
            assert parse_ledger(f"{left}{TORN}\n{more}") == [*events[: left.count("\n")], Withdrawal("3f")]


def test_a_table_of_another_country_is_read() -> None:
    """Some spreadsheets write semicolons, or tabs; a comma in a text is no matter."""
    for mark in ";\t":
        text = f'page{mark}item{mark}text{mark}guess_1\n3f{mark}1{mark}"a, b"{mark}menu\n'
        assert parse_answers(text) == [PageAnswer("3f", 1, ("menu",))]


@pytest.mark.parametrize(
    "line", ["{", "[]", "{}", '{"asked": "3f"}', '{"page": "3f"}', '{"asked": "3f", "subject": "a", "condition": "x", "passages": ["b:1"]}']
)
def test_a_broken_ledger_is_told(line: str) -> None:
    """What is no event is named with file and line."""
    with pytest.raises(FormatError, match=r"answers\.jsonl, line 2"):
        parse_ledger(f'{{"withdrawn": "3f"}}\n{line}\n', name="answers.jsonl")
