"""What several judges' verdicts on one item come to, and which items someone else should decide.

Votes count one a judge, and *most* is more than half, always: with an even number of judges, half of them decide nothing. An adjudicator,
who is asked after all have finished, decides alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cloze_gen.errors import UsageError
from cloze_gen.judging.groom import N_PICKED, RejectReason
from cloze_gen.records.judgement import Task

FIT = "fit"
JUDGES_DISAGREE = "judges_disagree"
_MARKS = {"fits_as_well": "fitting as well", "ungrammatical": "ungrammatical"}

SaidBy = Mapping[str, Mapping[str, Any]]  # judge -> said


@dataclass(frozen=True, slots=True)
class Groomed:
    """What became of an item that people groomed.

    Attributes:
        verdict: "fit", a reason of its rejection, or "judges_disagree": neither kept nor rejected by most, or kept by most without enough
            candidates that most of these picked.
        picked: the impostors, best forward score first; empty unless fit.
        votes: candidate -> how many picked it, of those who kept the item; most votes first, then best forward score.
        judges: who judged it, the adjudicator not counted.
    """

    verdict: str
    picked: tuple[str, ...]
    votes: Mapping[str, int]
    judges: int
    adjudicated: bool


@dataclass(frozen=True, slots=True)
class ReadItem:
    """What became of an item that people read.

    Attributes:
        answer: the option that more chose than any other; None where two lead, or nobody chose.
        fits_as_well, ungrammatical: options so marked by most of those who chose an answer.
        broken: by most of the readers.
        trivial: by most of those who chose an answer.
        votes: option -> how many chose it.
    """

    answer: int | None
    fits_as_well: tuple[int, ...]
    ungrammatical: tuple[int, ...]
    broken: bool
    trivial: bool
    votes: Mapping[int, int]
    judges: int
    adjudicated: bool


def groomed(
    said: SaidBy, adjudicated: Mapping[str, Any] | None = None, *, candidates: Sequence[str], n_impostors: int = N_PICKED
) -> Groomed:
    """An item's verdict, by most of the judges or by the adjudicator. Of reasons given as often the first in `RejectReason` is told.

    Args:
        said: judge -> "picked" or "rejected" (a groom verdict, canonical).
        candidates: best forward score first; of more than `n_impostors` that most picked, those with the most votes are taken, and of equal
            votes the better score.
    Raises:
        UsageError: nobody has judged the item.

    >>> said = {"ann": {"picked": ["a", "b", "c", "d"]}, "bob": {"picked": ["b", "c", "d", "e"]}, "cyd": {"picked": ["a", "c", "d", "e"]}}
    >>> groomed(said, candidates="edcbaf").picked
    ('e', 'd', 'c', 'b')
    >>> groomed({"ann": {"rejected": "offensive"}, "bob": said["bob"]}, candidates="edcbaf").verdict
    'judges_disagree'
    """
    if not said and adjudicated is None:
        raise UsageError("an item that nobody has judged has no verdict; leave it out")
    votes = _votes(said.values(), candidates)
    if adjudicated is not None:
        verdict, picked = adjudicated.get("rejected", FIT), adjudicated.get("picked", ())
    else:
        verdict, picked = _by_most(said, votes, n_impostors)
    rank = {word: place for place, word in enumerate(candidates)}
    return Groomed(verdict, tuple(sorted(picked, key=rank.__getitem__)), votes, len(said), adjudicated is not None)


def _by_most(said: SaidBy, votes: Mapping[str, int], n_impostors: int) -> tuple[str, Sequence[str]]:
    given = [RejectReason(one["rejected"]) for one in said.values() if "rejected" in one]
    kept = len(said) - len(given)
    if len(given) > kept:
        return max(RejectReason, key=given.count), ()  # of equals the first
    picked = [word for word, count in votes.items() if 2 * count > kept][:n_impostors]
    return (FIT, picked) if kept > len(given) and len(picked) == n_impostors else (JUDGES_DISAGREE, ())


def _votes(said: Iterable[Mapping[str, Any]], candidates: Sequence[str]) -> dict[str, int]:
    """Candidate -> votes, most first, then in the order of the candidates."""
    counts = Counter(word for one in said for word in one.get("picked", ()))
    return {word: counts[word] for word in sorted((word for word in candidates if counts[word]), key=lambda word: -counts[word])}


def read_item(said: SaidBy, adjudicated: Mapping[str, Any] | None = None) -> ReadItem:
    """What readers found, most of them or the adjudicator.

    Raises:
        UsageError: nobody has read the item.

    >>> one = {"answer": 2, "fits_as_well": [0], "ungrammatical": [], "broken": False, "trivial": False}
    >>> found = read_item({"ann": one, "bob": one, "cyd": {**one, "answer": 0, "fits_as_well": []}})
    >>> found.answer, found.fits_as_well, found.votes
    (2, (0,), {0: 1, 2: 2})
    """
    if not said and adjudicated is None:
        raise UsageError("an item that nobody has read has no verdict; leave it out")
    deciding = [adjudicated] if adjudicated is not None else list(said.values())
    answered = [one for one in deciding if one["answer"] is not None]
    return ReadItem(
        _leader(_answers(deciding)),
        _marked_by_most(answered, "fits_as_well"),
        _marked_by_most(answered, "ungrammatical"),
        broken=_most(one["broken"] for one in deciding),
        trivial=_most(one["trivial"] for one in answered),
        votes=_answers(said.values()),
        judges=len(said),
        adjudicated=adjudicated is not None,
    )


def filled(said: SaidBy, adjudicated: Mapping[str, Any] | None = None) -> tuple[int | None, ...]:
    """Of each blank of a passage the candidate that most put there, or the adjudicator; None where there is none.

    >>> filled({"ann": {"fills": [0, 1]}, "bob": {"fills": [0, 2]}, "cyd": {"fills": [3, 4]}})
    (0, None)
    """
    if adjudicated is not None:
        return tuple(adjudicated["fills"])
    columns = zip(*(one["fills"] for one in said.values()), strict=True)
    return tuple(next((fill for fill, count in Counter(column).items() if 2 * count > len(said)), None) for column in columns)


def worth_adjudicating(task: Task, said: Mapping[str, SaidBy], *, n_impostors: int = N_PICKED) -> dict[str, str]:
    """Items that their judges leave open, with the reason in words, in the order of their ids. Of an item with one judge there is none.

    Args:
        said: item -> judge -> said; of items without an adjudication.

    >>> kept, rejected = {"picked": ["a", "b", "c", "d"]}, {"rejected": "offensive"}
    >>> worth_adjudicating(Task.GROOM, {"i": {"ann": kept, "bob": rejected}, "j": {"ann": kept, "bob": kept}})
    {'i': '1 of 2 kept it, 1 rejected it'}
    """
    if task not in _OPEN:
        return {}  # guesses are right or wrong
    found = {item: _OPEN[task](said[item], n_impostors) for item in sorted(said) if len(said[item]) > 1}
    return {item: reason for item, reason in found.items() if reason}


def _groom_open(said: SaidBy, n_impostors: int) -> str:
    kept = [one["picked"] for one in said.values() if "picked" in one]
    rejected = len(said) - len(kept)
    if rejected == len(kept):
        return f"{len(kept)} of {len(said)} kept it, {rejected} rejected it"
    enough = sum(2 * count > len(kept) for count in Counter(word for picked in kept for word in picked).values())
    return f"{enough} of {n_impostors} candidates picked by most" if rejected < len(kept) and enough < n_impostors else ""


def _read_open(said: SaidBy, n_impostors: int) -> str:
    answered = [one for one in said.values() if one["answer"] is not None]
    votes = _answers(said.values())
    faults = []
    if 2 * (len(said) - len(answered)) == len(said):
        faults.append("half called it broken")
    if answered and _leader(votes) is None:
        leaders = [f"{option + 1}" for option, count in votes.items() if count == max(votes.values())]
        faults.append(f"options {' and '.join(leaders)} chosen by as many")
    for name, words in _MARKS.items():
        halves = [f"{option + 1}" for option, count in _marked(answered, name).items() if 2 * count == len(answered)]
        faults += [f"{' and '.join(halves)} marked {words} by half"] if halves else []
    return "; ".join(faults)


def _fill_open(said: SaidBy, n_impostors: int) -> str:
    blanks = [f"{blank}" for blank, fill in enumerate(filled(said), 1) if fill is None]
    return f"no candidate of most for blank {', '.join(blanks)}" if blanks else ""


_OPEN = {Task.GROOM: _groom_open, Task.READ: _read_open, Task.FILL: _fill_open}


def _answers(said: Iterable[Mapping[str, Any]]) -> dict[int, int]:
    return dict(sorted(Counter(one["answer"] for one in said if one["answer"] is not None).items()))


def _leader(votes: Mapping[int, int]) -> int | None:
    best = [option for option, count in votes.items() if count == max(votes.values())]
    return best[0] if len(best) == 1 else None


def _marked(answered: Sequence[Mapping[str, Any]], name: str) -> dict[int, int]:
    return dict(sorted(Counter(option for one in answered for option in set(one[name])).items()))


def _marked_by_most(answered: Sequence[Mapping[str, Any]], name: str) -> tuple[int, ...]:
    return tuple(option for option, count in _marked(answered, name).items() if 2 * count > len(answered))


def _most(said: Iterable[bool]) -> bool:
    listed = list(said)
    return 2 * sum(listed) > len(listed)
