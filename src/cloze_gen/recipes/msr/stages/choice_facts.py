"""What the choice leaves, as facts of its artifact and in the words of the run's last lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cloze_gen.recipes.msr.steps.matched_choice import MatchedFacts

_NOTABLE_LEAK = 0.05  # of a score's highest or lowest share from chance, or of the check from it: said at the end of the choice
_NOTABLE_LACK = 0.9  # of the questions wanted of a class: where fewer are there it is said


def choice_facts(left: MatchedFacts) -> dict[str, Any]:
    """`answer_shares`, and of a matched choice `rounds`, `round_kept` and `classes` (docs/artifacts.md)."""
    rounds = [{"told": round(one.told, 4), "gain": round(one.gain, 4)} for one in left.rounds]
    classes = {name: {"wanted": wanted, "chosen": chosen} for name, (wanted, chosen) in left.classes.items()}
    return {"answer_shares": left.shares, "rounds": rounds, "round_kept": left.kept, "classes": classes}


def told_of_choice(left: MatchedFacts, *, chance: float) -> Iterator[str]:
    """What a user must know of the choice before anything else, a line each."""
    if left.kept is not None:
        told = left.rounds[left.kept].told
        hidden = told <= chance + _NOTABLE_LEAK
        yield (f"a classifier trained on the options' scores finds the answer in {told:.1%} of the questions, chance is {chance:.0%}: "
               + ("next to nothing" if hidden else "too few groomed sentences to hide it (docs/balance.md)"))  # fmt: skip
    name, share = max(left.shares.items(), key=lambda pair: abs(pair[1] - chance), default=("", chance))
    if abs(share - chance) > _NOTABLE_LEAK:
        yield f"{name} in {share:.0%} of the questions, chance is {chance:.0%}: too few groomed sentences to level it (docs/balance.md)"
    lacking = [f"{name} {chosen:,} of {wanted:,}" for name, (wanted, chosen) in left.classes.items() if chosen < _NOTABLE_LACK * wanted]
    if lacking:
        yield f"fewer than asked for by choice.class_shares: {', '.join(lacking)}; the other classes have their questions"
