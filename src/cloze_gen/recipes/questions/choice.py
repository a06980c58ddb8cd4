"""Choice of a question set by the configured method, and the facts to report about it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from cloze_gen.recipes.questions.balance import choose_balanced
from cloze_gen.recipes.questions.impostor_draws import offered_draws
from cloze_gen.recipes.questions.matched_choice import ChoiceFacts, choose_matched
from cloze_gen.recipes.questions.printed_once import PRINTED_BEFORE, printed_before
from cloze_gen.recipes.questions.propensity import Each
from cloze_gen.recipes.questions.random_choice import (
    ChoicePlan,
    Chosen,
    FitItem,
    ScoredItem,
    choose_randomly,
    draw_impostors,
)
from cloze_gen.records.rejection import Rejection

_NOTABLE_LEAK = (
    0.05  # difference from chance that is reported, for a score's share or the check's accuracy
)
_NOTABLE_LACK = 0.9  # a class with less than this share of its wanted questions is reported


def choose(
    items: Sequence[ScoredItem], plan: ChoicePlan, *, each: Each = map
) -> tuple[list[Chosen | Rejection], ChoiceFacts, Callable[[FitItem], tuple[str, ...]]]:
    """A verdict on each item, the facts of the set, and a function that draws an item's impostors."""
    settings = plan.settings
    if settings.method == "random":
        found = choose_randomly([one.item for one in items], plan)
        return found, ChoiceFacts(), lambda item: draw_impostors(item, plan)
    offered = offered_draws(items, plan)
    if settings.method == "matched":
        found, facts = choose_matched(items, offered, plan, each=each)
    else:
        found, shares = choose_balanced(items, offered, plan)
        facts = ChoiceFacts(shares=shares)
    return (
        found,
        facts,
        lambda item: tuple(item.candidates[place] for place in offered[item.id][0].tolist()),
    )


def without_reprints(
    items: Sequence[ScoredItem], tokens_of: Mapping[str, Sequence[str]], *, n_impostors: int
) -> tuple[list[ScoredItem], list[Rejection]]:
    """The items that may be chosen, and rejections of sentences with the same text as an earlier one."""
    able = {
        one.item.id: one.item.sentence_id
        for one in items
        if len(one.item.candidates) >= n_impostors
    }
    first_print = printed_before(
        (sentence_id, [tokens_of[sentence_id]]) for sentence_id in sorted(set(able.values()))
    )
    reprints = {
        item_id: first_print[sentence_id]
        for item_id, sentence_id in able.items()
        if sentence_id in first_print
    }
    rejected = [Rejection(item_id, PRINTED_BEFORE, first) for item_id, first in reprints.items()]
    return [one for one in items if one.item.id not in reprints], rejected


def choice_facts(facts: ChoiceFacts) -> dict[str, Any]:
    rounds = [
        {"accuracy": round(one.accuracy, 4), "gain": round(one.gain, 4)} for one in facts.rounds
    ]
    classes = {
        name: {"wanted": wanted, "chosen": chosen}
        for name, (wanted, chosen) in facts.classes.items()
    }
    return {
        "answer_shares": facts.shares,
        "rounds": rounds,
        "round_kept": facts.kept,
        "classes": classes,
    }


def choice_lines(facts: ChoiceFacts, *, chance: float) -> Iterator[str]:
    if facts.kept is not None:
        accuracy = facts.rounds[facts.kept].accuracy
        advice = (
            ""
            if accuracy <= chance + _NOTABLE_LEAK
            else ". Add books: there are too few groomed sentences to balance the set"
        )
        yield (
            "a classifier trained on the options' scores finds the answer in "
            f"{accuracy:.1%} of the questions (chance: {chance:.0%}){advice}"
        )
    name, share = max(
        facts.shares.items(), key=lambda pair: abs(pair[1] - chance), default=("", chance)
    )
    if abs(share - chance) > _NOTABLE_LEAK:
        yield (
            f"{name} in {share:.0%} of the questions (chance: {chance:.0%}). Add books: there are "
            "too few groomed sentences to balance the set"
        )
    missing = [
        f"{name} {chosen:,} of {wanted:,}"
        for name, (wanted, chosen) in facts.classes.items()
        if chosen < _NOTABLE_LACK * wanted
    ]
    if missing:
        yield (
            f"choice.class_shares: too few questions of some classes: {', '.join(missing)}. Add "
            "books, or lower these shares"
        )
