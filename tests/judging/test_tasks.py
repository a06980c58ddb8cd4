"""What judges may say of the items of each task."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.errors import FormatError, UsageError
from cloze_gen.judging.assignment import shown_order
from cloze_gen.judging.tasks import TASKS
from cloze_gen.judging.tasks.groom import FIT, JUDGES_DISAGREE, RejectReason, groomed
from cloze_gen.judging.tasks.read import read_item
from cloze_gen.judging.tasks.task import Judged
from cloze_gen.records.judgement import StudyItem, Task
from tests.judging.conftest import read_verdict

SHOWN = {
    Task.GROOM: {
        "before": "A",
        "answer": "cat",
        "after": "sat.",
        "candidates": [f"word{n}" for n in range(30)],
    },
    Task.GUESS: {
        "passage": "A cat sat. The _____.",
        "sentence": "The _____.",
        "guesses": {"passage": 1, "sentence": 3},
    },
    Task.READ: {"before": "A", "after": "sat.", "options": ["cat", "owl", "map", "cup", "sea"]},
    Task.FILL: {"parts": ["A.", {"blank": 1}, {"blank": 2}], "candidates": ["B.", "C.", "D."]},
}
FOUR = ["word0", "word1", "word2", "word3"]
WHOLE = {"answer": 1, "fits_as_well": [], "ungrammatical": [], "broken": False, "trivial": False}


def take(task, response):
    return TASKS[task].parse(response, SHOWN[task], "sentence" if task is Task.GUESS else "")


@pytest.mark.parametrize(
    ("task", "response", "says"),
    [
        (
            Task.GROOM,
            {"picked": FOUR, "rejected": "other"},
            "expected `picked` with four candidates, or `rejected`",
        ),
        (
            Task.GROOM,
            {"picked": FOUR, "note": "odd"},
            "expected `picked` with four candidates, or `rejected`",
        ),
        (Task.GROOM, {"picked": FOUR[1:]}, "expected 4 different candidates"),
        (Task.GROOM, {"picked": [*FOUR[1:], "word2"]}, "expected 4 different candidates"),
        (Task.GROOM, {"picked": [*FOUR, "word2"]}, "expected 4 different candidates"),
        (Task.GROOM, {"picked": [*FOUR, "word4"]}, "expected 4 different candidates"),
        (Task.GROOM, {"rejected": "dull"}, "`rejected` with one of"),
        (Task.GROOM, {"rejected": ["other"]}, "`rejected` with one of"),
        (Task.GROOM, {"rejected": "other", "note": "x" * 201}, "at most 200 characters"),
        (Task.GROOM, {}, "expected `picked` with four candidates, or `rejected`"),
        (Task.GUESS, {"guesses": ["a", "b", "c", "d"]}, "at most 3 words"),
        (Task.GUESS, {"guesses": "cat"}, "at most 3 words"),
        (Task.GUESS, {"guesses": ["x" * 101]}, "at most 100 characters"),
        (
            Task.GUESS,
            {"guesses": ["cat", "black\u00a0cat"]},
            "expected one word, found 'black cat'",
        ),
        (Task.READ, {**WHOLE, "answer": None}, "mark the question as broken"),
        (Task.READ, {**WHOLE, "answer": 5}, "answer: expected different whole numbers from 0 to 4"),
        (Task.READ, {**WHOLE, "fits_as_well": [1]}, "the answer itself"),
        (Task.READ, {**WHOLE, "ungrammatical": [1]}, "the answer itself"),
        (
            Task.READ,
            {**WHOLE, "fits_as_well": [2], "trivial": True},
            "not possible with an option that fits as well",
        ),
        (Task.READ, {**WHOLE, "broken": 1}, "true or false"),
        (Task.FILL, {"fills": [0]}, "each of the 2 blanks"),
        (Task.FILL, {"fills": [1, 1]}, "different whole numbers"),
        (Task.FILL, {"fills": [1, 3]}, "from 0 to 2"),
        *((Task.GROOM, {"picked": value}, "expected") for value in (3, "word1", None, {})),
        *((Task.GROOM, {"picked": [*FOUR[1:], value]}, "is not a candidate") for value in ("cat", 0, True, 3.0, ["word0"], 10**400)),
        (Task.GROOM, {"rejected": "other", "note": 3}, "at most 200 characters"),
        *((Task.GUESS, {"guesses": value}, "guess") for value in ([3], None)),
        *((Task.READ, {"answer": value}, "answer") for value in (-1, "f", "b", "", True, None, 1.0)),
        *((Task.READ, {**WHOLE, name: value}, name) for name in ("fits_as_well", "ungrammatical") for value in (2, "b", [5], ["f"], None, [[]])),
        *((Task.READ, {**WHOLE, name: value}, "true or false") for name in ("broken", "trivial") for value in (1, "yes", None)),
        (Task.READ, {"answer": 9, "broken": True}, "answer"),
        (Task.READ, {**WHOLE, "fits": []}, "expected an object with"),
        *((Task.FILL, {"fills": value}, "fills") for value in ([0, 1, 2], [-1, 0], ["0", 1], "01", [0, None])),
        *((task, {"other": 1}, "expected an object with") for task in Task),
        *((task, None, "expected an object with") for task in Task),
        *((task, 3, "expected an object with") for task in Task),
    ],
)  # fmt: skip
def test_what_can_not_be_said_is_refused(task, response, says):
    """The message names the field and what it may hold."""
    with pytest.raises(FormatError, match=says):
        take(task, response)


@pytest.mark.parametrize(
    ("task", "response", "words"),
    [
        (Task.GROOM, {"picked": FOUR[::-1]}, {"picked": FOUR}),
        (
            Task.GROOM,
            {"rejected": "other", "note": " a\u202e \ud800b\n"},
            {"rejected": "other", "note": "a b"},
        ),
        (Task.GUESS, {"guesses": ["-", " ", "Cafe\u0301 "]}, {"guesses": ["Caf\u00e9"]}),
        (Task.READ, {"answer": None, "broken": True}, {**WHOLE, "answer": None, "broken": True}),
        (Task.READ, {"answer": 1, "ungrammatical": [4, 2]}, {**WHOLE, "ungrammatical": [2, 4]}),
    ],
)
def test_what_is_said_is_tidied(task, response, words):
    assert take(task, response) == words


def test_every_judge_has_an_order():
    """Of the same item another for another judge, and for another item another for the same judge."""
    orders = [
        shown_order(1, judge, item, 30) for judge in ("ann", "bob") for item in ("b:7", "b:8")
    ]
    assert len({tuple(order) for order in orders}) == 4


KEPT, REJECTED = {"picked": ["a", "b", "c", "d"]}, {"rejected": "offensive", "note": "?"}
TALLIES = [
    (Task.GROOM, {}, KEPT, {"rejected": (0, 1)}),
    (Task.GROOM, {}, REJECTED, {"rejected": (1, 1)}),
    (Task.READ, {"answer": 1}, read_verdict(None, broken=True), {"broken": (1, 1)}),
    (
        Task.READ,
        {"answer": 1},
        read_verdict(1, fits_as_well=[0, 2]),
        {
            "broken": (0, 1),
            "right": (1, 1),
            "fits as well": (1, 1),
            "ungrammatical": (0, 1),
            "trivial": (0, 1),
        },
    ),
    (
        Task.READ,
        {},
        read_verdict(3, ungrammatical=[0], trivial=True),
        {"broken": (0, 1), "fits as well": (0, 1), "ungrammatical": (1, 1), "trivial": (1, 1)},
    ),
    (
        Task.FILL,
        {"answers": [2, 0]},
        {"fills": [2, 0]},
        {"blanks right": (2, 2), "passages right": (1, 1)},
    ),
    (Task.FILL, {}, {"fills": [2, 0]}, {}),
    (Task.GUESS, {"target": "lamp"}, {"guesses": ["oil", "lamp"]}, {"sentence, right": (1, 1)}),
    (Task.GUESS, {"target": "lamp"}, {"guesses": []}, {"sentence, right": (0, 1)}),
]


@pytest.mark.parametrize(("task", "key", "response", "counts"), TALLIES)
def test_what_is_counted(
    task,
    key,
    response,
    counts,
):
    """What the key cannot tell is not counted, nor what a judge was not asked."""
    assert (
        TASKS[task].tally(Judged(StudyItem("i", (), {}, key, "run"), "ann", response, "sentence"))
        == counts
    )


WORDS = tuple("abcdefgh")
PICKS = st.lists(st.sampled_from(WORDS), min_size=4, max_size=4, unique=True).map(
    lambda words: {"picked": sorted(words)}
)
REJECTIONS = st.sampled_from(list(RejectReason)).map(
    lambda reason: {"rejected": str(reason), "note": ""}
)
GROOMED = st.lists(PICKS | REJECTIONS, min_size=1, max_size=7).map(
    lambda response: {f"judge{n}": one for n, one in enumerate(response)}
)
READ = st.lists(
    st.builds(read_verdict, st.integers(0, 4), fits_as_well=st.just([]))
    | st.just(read_verdict(None, broken=True)),
    min_size=1,
    max_size=7,
).map(lambda response: {f"judge{n}": one for n, one in enumerate(response)})


def picked(words):
    """A judge keeps the item."""
    return {"picked": list(words)}


def rejected(reason):
    """A judge rejects it."""
    return {"rejected": str(reason), "note": ""}


@given(GROOMED)
def test_a_verdict_is_that_of_most(response):
    """Fit if four have over half of the keepers' votes; none left out has more than one taken."""
    found = groomed(response, candidates=WORDS)
    kept = [one["picked"] for one in response.values() if "picked" in one]
    reasons = Counter(one["rejected"] for one in response.values() if "rejected" in one)
    votes = Counter(word for words in kept for word in words)
    enough = {word for word, count in votes.items() if count > len(kept) / 2}
    assert dict(found.votes) == votes
    assert found.judges == len(response)
    if len(kept) * 2 < len(response):
        assert reasons[found.verdict] == max(reasons.values())
    else:
        assert found.verdict == (
            FIT if len(kept) * 2 > len(response) and len(enough) >= 4 else JUDGES_DISAGREE
        )
    if found.verdict == FIT:
        assert len(found.picked) == 4
        assert {*found.picked} <= enough
        assert min(votes[word] for word in found.picked) >= max(
            (votes[word] for word in enough - {*found.picked}), default=0
        )
    else:
        assert found.picked == ()


def test_too_many_are_cut_by_votes_and_then_by_score():
    """Six with two votes of three each: the four with the best forward scores, told in their order."""
    response = {"ann": picked("abcd"), "bob": picked("cdef"), "cyd": picked("abef")}
    assert groomed(response, candidates="fhbdagec").picked == ("f", "b", "d", "a")
    assert groomed(
        {**response, "dot": picked("abcd"), "eve": picked("abcd")}, candidates="fhbdagec"
    ).picked == ("b", "d", "a", "c")


def test_of_reasons_given_as_often_the_first_guideline_counts():
    """The order of the reasons, not of the judges, decides."""
    response = {"ann": rejected(RejectReason.BROKEN), "bob": rejected(RejectReason.UNGRAMMATICAL)}
    assert groomed(response, candidates=WORDS).verdict == RejectReason.UNGRAMMATICAL


def test_what_nobody_judged_has_no_verdict():
    """A caller's mistake, told as one."""
    with pytest.raises(UsageError, match="without verdicts"):
        groomed({}, candidates=WORDS)
    with pytest.raises(UsageError, match="without verdicts"):
        read_item({})


@given(READ)
def test_an_answer_leads_alone(response):
    """The answer has more votes than any other option; where two lead there is none."""
    found = read_item(response)
    votes = Counter(one["answer"] for one in response.values() if one["answer"] is not None)
    ranked = votes.most_common()
    alone = len(ranked) == 1 or (len(ranked) > 1 and ranked[0][1] > ranked[1][1])
    assert found.answer == (ranked[0][0] if alone else None)
    assert found.broken == (sum(one["broken"] for one in response.values()) > len(response) / 2)
    assert dict(found.votes) == votes


def test_marks_count_among_those_who_answered():
    marks = read_verdict(1, fits_as_well=[0], ungrammatical=[3], trivial=False)
    response = {
        "ann": marks,
        "bob": marks,
        "cyd": read_verdict(1, ungrammatical=[4]),
        "dot": read_verdict(None, broken=True),
    }
    found = read_item(response)
    assert (found.fits_as_well, found.ungrammatical, found.broken, found.trivial) == (
        (0,),
        (3,),
        False,
        False,
    )
    assert read_item({"ann": marks, "bob": read_verdict(1)}).fits_as_well == ()
