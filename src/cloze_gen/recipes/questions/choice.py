"""Choice of a question set by the configured method, and the facts to report about it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from cloze_gen.recipes.questions.impostor_draws import offered_draws
from cloze_gen.recipes.questions.matched_choice import ChoiceFacts, choose_matched
from cloze_gen.recipes.questions.printed_once import PRINTED_BEFORE, printed_before
from cloze_gen.recipes.questions.propensity import Each
from cloze_gen.recipes.questions.random_choice import (
    N_IMPOSTORS,
    ChoicePlan,
    ChoiceSettings,
    Chosen,
    FitItem,
    ScoredItem,
    choose_randomly,
    draw_impostors,
)
from cloze_gen.recipes.questions.set_size import is_hidden
from cloze_gen.records.rejection import Rejection

_NOTABLE_LEAK = 0.05  # difference of a score's share from chance that is reported
# A class is reported if this share of its questions, and of the set, is missing.
_NOTABLE_LACK, _NOTABLE_PART = 0.1, 0.02


def choose(
    items: Sequence[ScoredItem],
    plan: ChoicePlan,
    *,
    each: Each = map,
    say: Callable[[str], object] = lambda line: None,
) -> tuple[list[Chosen | Rejection], ChoiceFacts, Callable[[FitItem], tuple[str, ...]]]:
    """A verdict on each item, the facts of the set, and a function that draws an item's impostors."""
    settings = plan.settings
    if settings.method == "random":
        found = choose_randomly([one.item for one in items], plan)
        return found, ChoiceFacts(), lambda item: draw_impostors(item, plan)
    offered = offered_draws(items, plan)
    found, facts = choose_matched(items, offered, plan, each=each, say=say)
    return (
        found,
        facts,
        lambda item: tuple(item.candidates[place] for place in offered[item.id][0].tolist()),
    )


def without_reprints(
    items: Sequence[ScoredItem], tokens_of: Mapping[str, Sequence[str]]
) -> tuple[list[ScoredItem], list[Rejection]]:
    """The items that may be chosen, and rejections of sentences with the same text as an earlier one."""
    able = {
        one.item.id: one.item.sentence_id
        for one in items
        if len(one.item.candidates) >= N_IMPOSTORS
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


def choice_facts(facts: ChoiceFacts, settings: ChoiceSettings, *, n: int) -> dict[str, Any]:
    """The facts of a set of n questions, as JSON values."""
    rounds = [
        {"accuracy": round(one.accuracy, 4), "gain": round(one.gain, 4)} for one in facts.rounds
    ]
    classes = {
        name: {"wanted": wanted, "chosen": chosen}
        for name, (wanted, chosen) in facts.classes.items()
    }
    leak = facts.leak and {
        "check": round(facts.leak.accuracy, 4),
        "error": round(facts.leak.error, 4),
        "max_leak": settings.max_leak,
        "n": n,
        "auto": settings.n_questions == "auto",
        "sentences": facts.n_sentences,
        "tried": [
            {"n": size, "check": round(one.accuracy, 4), "error": round(one.error, 4)}
            for size, one in sorted(facts.tried.items())
        ],
    }
    return {
        "answer_shares": facts.shares,
        "rounds": rounds,
        "round_kept": facts.kept,
        "classes": classes,
        "leak": leak,
    }


def choice_lines(
    facts: ChoiceFacts, settings: ChoiceSettings, *, n: int, shares_are_set: bool
) -> Iterator[str]:
    """What to print about a set of n questions; `shares_are_set`: the user gave class shares."""
    chance, auto = 1 / (N_IMPOSTORS + 1), settings.n_questions == "auto"
    if facts.leak:
        found = (
            "a classifier trained on the options' scores finds the answer in "
            f"{facts.leak.accuracy:.1%} of the questions (chance: {chance:.0%}"
        )
        if facts.leak.accuracy > settings.max_leak:
            remedy = "Add books" if auto else 'Set choice.n_questions = "auto", or add books'
            yield f"warning: {found}, choice.max_leak: {settings.max_leak:.0%}). {remedy}"
        else:
            yield f"{found})"
    if auto and n:
        yield _size_line(facts, settings, n=n)
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
        if wanted - chosen > max(_NOTABLE_LACK * wanted, _NOTABLE_PART * n)
    ]
    if shares_are_set and missing:
        yield (
            f"choice.class_shares: too few questions of some classes: {', '.join(missing)}. Add "
            "books, or lower these shares"
        )


def _size_line(facts: ChoiceFacts, settings: ChoiceSettings, *, n: int) -> str:
    """What limits the size, and an estimate of what more books would give."""
    too_large = [
        (size, leak) for size, leak in facts.tried.items() if not is_hidden(leak, settings.max_leak)
    ]
    if too_large:
        size, leak = min(too_large)
        limit = (
            f"{n:,} questions; {size:,} would reveal too much (check {leak.accuracy:.1%} +- "
            f"{leak.error:.1%}, choice.max_leak {settings.max_leak:.0%})"
        )
    else:
        limit = (
            f"{n:,} questions, half of the sentences that offer one"
            f"{'' if facts.leak else '; too few to check whether scores reveal the answers'}"
        )
    return (
        f'choice.n_questions = "auto": {limit}. Estimate: the size grows with the sentences that '
        f"offer a question ({facts.n_sentences:,}), so twice the books give about {2 * n:,}"
    )
