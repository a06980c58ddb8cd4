"""What others said of an item, for whoever decides: counts and no names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cloze_gen.judging.groom import REASONS, RejectReason
from cloze_gen.records.judgement import Task


@dataclass(frozen=True, slots=True)
class ToldVotes:
    """What others said, in words.

    Attributes:
        n: how many they were.
        of_place: what was said of a candidate or an option, by its place in the list seen.
        more: what was said of the item as a whole, a line each.
    """

    n: int
    of_place: Mapping[int, str] = field(default_factory=dict)
    more: Sequence[str] = ()


def told_votes(task: Task, votes: Sequence[Mapping[str, Any]]) -> ToldVotes:
    """What others said (`Study.seen`, votes), in the words of the task.

    >>> told_votes(Task.GUESS, [{"guesses": ["key"]}, {"guesses": ["key", "door"]}, {"guesses": []}]).more
    ['key: 2', 'door: 1', 'no idea: 1']
    """
    if task is Task.GROOM:
        return _groom(votes)
    if task is Task.READ:
        return _read(votes)
    if task is Task.FILL:
        return _fill(votes)
    counts = Counter(guess for vote in votes for guess in vote["guesses"] or ["no idea"])
    return ToldVotes(len(votes), more=[f"{guess}: {n}" for guess, n in counts.most_common()])


def _groom(votes: Sequence[Mapping[str, Any]]) -> ToldVotes:
    picked = Counter(place for vote in votes for place in vote.get("picked", ()))
    rejected = [vote for vote in votes if "rejected" in vote]
    words = [
        f"rejected: {REASONS[RejectReason(vote['rejected'])]}" + (f" ({vote['note']})" if vote.get("note") else "") for vote in rejected
    ]
    return ToldVotes(len(votes), {place: f"picked by {n} of {len(votes)}" for place, n in picked.items()}, words)


def _read(votes: Sequence[Mapping[str, Any]]) -> ToldVotes:
    said: dict[int, list[str]] = {}
    for name, words in (("answer", "chosen by:"), ("fits_as_well", "fits as well:"), ("ungrammatical", "ungrammatical:")):
        places = [place for vote in votes for place in ([vote["answer"]] if name == "answer" else vote[name]) if place is not None]
        for place, n in sorted(Counter(places).items()):
            said.setdefault(place, []).append(f"{words} {n}")
    more = [f"{name}: {n}" for name in ("broken", "trivial") if (n := sum(vote[name] for vote in votes))]
    return ToldVotes(len(votes), {place: ", ".join(words) for place, words in said.items()}, more)


def _fill(votes: Sequence[Mapping[str, Any]]) -> ToldVotes:
    blanks = zip(*(vote["fills"] for vote in votes), strict=True)
    told = [", ".join(f"{chr(ord('A') + place)} {n}" for place, n in Counter(blank).most_common()) for blank in blanks]
    return ToldVotes(len(votes), more=[f"blank {number}: {words}" for number, words in enumerate(told, 1)])
