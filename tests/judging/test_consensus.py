"""What verdicts on one item come to, beside votes counted by hand."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.errors import UsageError
from cloze_gen.judging.consensus import FIT, JUDGES_DISAGREE, filled, groomed, read_item, worth_adjudicating
from cloze_gen.judging.groom import RejectReason
from cloze_gen.records.judgement import Task
from tests.judging.conftest import read_verdict

WORDS = tuple("abcdefgh")
PICKS = st.lists(st.sampled_from(WORDS), min_size=4, max_size=4, unique=True).map(lambda words: {"picked": sorted(words)})
REJECTIONS = st.sampled_from(list(RejectReason)).map(lambda reason: {"rejected": str(reason), "note": ""})
GROOMED = st.lists(PICKS | REJECTIONS, min_size=1, max_size=7).map(lambda said: {f"judge{n}": one for n, one in enumerate(said)})
READ = st.lists(
    st.builds(read_verdict, st.integers(0, 4), fits_as_well=st.just([])) | st.just(read_verdict(None, broken=True)), min_size=1, max_size=7
).map(lambda said: {f"judge{n}": one for n, one in enumerate(said)})


def picked(words: str) -> dict[str, Any]:
    """A judge keeps the item."""
    return {"picked": list(words)}


def rejected(reason: RejectReason) -> dict[str, Any]:
    """A judge rejects it."""
    return {"rejected": str(reason), "note": ""}


@given(GROOMED)
def test_a_verdict_is_that_of_most(said: dict[str, Any]) -> None:
    """Rejected by more than half: a reason that no other is given more often than. Kept by more than half: fit if four have more than half
    of their votes, and then no candidate left out has more than one taken.
    """
    found = groomed(said, candidates=WORDS)
    kept = [one["picked"] for one in said.values() if "picked" in one]
    reasons = Counter(one["rejected"] for one in said.values() if "rejected" in one)
    votes = Counter(word for words in kept for word in words)
    enough = {word for word, count in votes.items() if count > len(kept) / 2}
    assert dict(found.votes) == votes
    assert found.judges == len(said)
    if len(kept) * 2 < len(said):
        assert reasons[found.verdict] == max(reasons.values())
    else:
        assert found.verdict == (FIT if len(kept) * 2 > len(said) and len(enough) >= 4 else JUDGES_DISAGREE)
    if found.verdict == FIT:
        assert len(found.picked) == 4
        assert {*found.picked} <= enough
        assert min(votes[word] for word in found.picked) >= max((votes[word] for word in enough - {*found.picked}), default=0)
    else:
        assert found.picked == ()


@given(GROOMED)
def test_what_is_settled_needs_no_adjudicator(said: dict[str, Any]) -> None:
    """Of items with two judges or more, exactly those on which judges disagree are worth adjudicating."""
    wanted = groomed(said, candidates=WORDS).verdict == JUDGES_DISAGREE and len(said) > 1
    assert bool(worth_adjudicating(Task.GROOM, {"i": said})) == wanted


def test_too_many_are_cut_by_votes_and_then_by_score() -> None:
    """Six with two votes of three each: the four with the best forward scores, told in their order."""
    said = {"ann": picked("abcd"), "bob": picked("cdef"), "cyd": picked("abef")}
    assert groomed(said, candidates="fhbdagec").picked == ("f", "b", "d", "a")
    assert groomed({**said, "dot": picked("abcd"), "eve": picked("abcd")}, candidates="fhbdagec").picked == ("b", "d", "a", "c")


def test_of_reasons_given_as_often_the_first_guideline_counts() -> None:
    """The order of the reasons, not of the judges, decides."""
    said = {"ann": rejected(RejectReason.BROKEN), "bob": rejected(RejectReason.UNGRAMMATICAL)}
    assert groomed(said, candidates=WORDS).verdict == RejectReason.UNGRAMMATICAL


def test_an_adjudicator_decides_alone() -> None:
    """Against all judges, both ways; the judges' votes are still told."""
    keep, reject = {"ann": picked("abcd"), "bob": picked("abcd")}, {"ann": rejected(RejectReason.OFFENSIVE)}
    against = groomed(keep, rejected(RejectReason.BROKEN), candidates=WORDS)
    assert (against.verdict, against.picked, against.judges, against.adjudicated) == (RejectReason.BROKEN, (), 2, True)
    assert against.votes == dict.fromkeys("abcd", 2)
    for_it = groomed(reject, picked("hgab"), candidates=WORDS)
    assert (for_it.verdict, for_it.picked, for_it.adjudicated) == (FIT, ("a", "b", "g", "h"), True)
    assert read_item({"ann": read_verdict(1)}, read_verdict(2, ungrammatical=[0])).answer == 2
    assert filled({"ann": {"fills": [1, 0]}}, {"fills": [2, 3]}) == (2, 3)


def test_what_nobody_judged_has_no_verdict() -> None:
    """A caller's mistake, told as one."""
    with pytest.raises(UsageError, match="nobody has judged"):
        groomed({}, candidates=WORDS)
    with pytest.raises(UsageError, match="nobody has read"):
        read_item({})


@given(READ)
def test_an_answer_leads_alone(said: dict[str, Any]) -> None:
    """The answer has more votes than any other option; where two lead there is none."""
    found = read_item(said)
    votes = Counter(one["answer"] for one in said.values() if one["answer"] is not None)
    ranked = votes.most_common()
    alone = len(ranked) == 1 or (len(ranked) > 1 and ranked[0][1] > ranked[1][1])
    assert found.answer == (ranked[0][0] if alone else None)
    assert found.broken == (sum(one["broken"] for one in said.values()) > len(said) / 2)
    assert dict(found.votes) == votes


def test_marks_count_among_those_who_answered() -> None:
    """Two of the three who chose an answer mark an option: it is marked, whatever those say who called the sentence broken."""
    marks = read_verdict(1, fits_as_well=[0], ungrammatical=[3], trivial=False)
    said = {"ann": marks, "bob": marks, "cyd": read_verdict(1, ungrammatical=[4]), "dot": read_verdict(None, broken=True)}
    found = read_item(said)
    assert (found.fits_as_well, found.ungrammatical, found.broken, found.trivial) == ((0,), (3,), False, False)
    assert read_item({"ann": marks, "bob": read_verdict(1)}).fits_as_well == ()


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ([read_verdict(1), read_verdict(2)], "options 2 and 3 chosen by as many"),
        ([read_verdict(1), read_verdict(1), read_verdict(2), read_verdict(2), read_verdict(4)], "options 2 and 3 chosen by as many"),
        ([read_verdict(1), read_verdict(None, broken=True)], "half called it broken"),
        ([read_verdict(1, fits_as_well=[0]), read_verdict(1)], "1 marked fitting as well by half"),
        ([read_verdict(1, ungrammatical=[0, 4]), read_verdict(1)], "1 and 5 marked ungrammatical by half"),
        ([read_verdict(1), read_verdict(1), read_verdict(2)], None),
        ([read_verdict(1)], None),
    ],
)
def test_readers_who_leave_something_open(said: list[dict[str, Any]], reason: str | None) -> None:
    """Ties are told in words, in the numbers that readers see; one reader leaves nothing open."""
    found = worth_adjudicating(Task.READ, {"q": {f"judge{n}": one for n, one in enumerate(said)}})
    assert found.get("q") == reason


def test_groomers_who_leave_something_open() -> None:
    """Kept by all with too few candidates in common, and kept by as many as rejected it; told in the order of the ids."""
    said = {
        "j": {"ann": picked("abcd"), "bob": picked("abef")},
        "i": {"ann": picked("abcd"), "bob": rejected(RejectReason.OTHER)},
        "k": {"ann": picked("abcd"), "bob": picked("abcd")},
    }
    found = worth_adjudicating(Task.GROOM, said)
    assert list(found.items()) == [("i", "1 of 2 kept it, 1 rejected it"), ("j", "2 of 4 candidates picked by most")]


def test_blanks_without_a_candidate_of_most() -> None:
    """Counted from 1; of guesses nothing is ever open, for the key decides."""
    said = {"p": {"ann": {"fills": [0, 1, 2]}, "bob": {"fills": [0, 2, 1]}}}
    assert worth_adjudicating(Task.FILL, said) == {"p": "no candidate of most for blank 2, 3"}
    assert worth_adjudicating(Task.GUESS, {"g": {"ann": {"guesses": ["a"]}, "bob": {"guesses": []}}}) == {}
