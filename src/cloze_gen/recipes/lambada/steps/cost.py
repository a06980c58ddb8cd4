"""What guessing costs: before it begins, from the shares that a corpus loses in each step, and while it goes on (LAMBADA 3.1)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from cloze_gen.recipes.lambada.steps.guessing import Condition, GuessingRule, GuessingSettings
from cloze_gen.records.judgement import Assignment, Kind

# Of the passages shown in step 1: "84-86% items were discarded at step 1, an additional 6-7% at step 2 and another 3-5% at step 3", the
# last so that one in 25 is kept.
PAPER_DROPPED = (0.85, 0.065, 0.045)


@dataclass(frozen=True, slots=True)
class Cost:
    """What is paid.

    Attributes:
        passages: shown in step 1.
        kept: of them, expected.
        pages: of passages and of sentences, fractions of pages counted.
        usd: with fees.
    """

    passages: float
    kept: float
    pages: tuple[float, float]
    usd: float

    @property
    def usd_per_kept(self) -> float:
        """NaN where none is kept."""
        return self.usd / self.kept if self.kept else float("nan")


def expected_cost(passages: float, settings: GuessingSettings, dropped: tuple[float, float, float] = PAPER_DROPPED) -> Cost:
    """What it costs to have some passages guessed.

    Every sentence of step 3 is taken to be shown to all its subjects, though a right guess spares the rest: an upper bound. On the paper's
    own shares and pay it is $0.79 for a kept passage, and the paper paid 1.24: hence `fee_factor`.

    Args:
        dropped: shares of `passages` that fall in steps 1, 2 and 3.

    >>> round(expected_cost(25, GuessingSettings(fee_factor=1)).usd_per_kept, 2), round(expected_cost(25, GuessingSettings()).usd, 2)
    (0.79, 1.24)
    """
    first, second, third = dropped
    shown = [passages]
    for _ in range(settings.passage_subjects - 1):
        shown.append(shown[-1] - passages * (first if len(shown) == 1 else 0))
    alone = passages * max(0.0, 1 - first - (second if settings.passage_subjects > 1 else 0))
    sentence_pages = alone * settings.sentence_subjects / settings.sentences_per_page
    pages = (sum(shown) / settings.passages_per_page, sentence_pages)
    return Cost(passages, alone - passages * third, pages, _usd(pages, settings))


def spent(assignments: Iterable[Assignment], *, kept: int, settings: GuessingSettings) -> Cost:
    """What the assignments of people cost so far, page by page: what one of them was shown in one condition, the page begun paid whole.

    Items that only ask for attention stand on the pages of the others and are not paid for.

    >>> shown = [Assignment(f"{n:012x}", "ann", f"b:{n}", "passage", Kind.FIRST, n) for n in range(1, 12)]
    >>> spent(shown, kept=0, settings=GuessingSettings(fee_factor=1))
    Cost(passages=11, kept=0, pages=(2, 0), usd=0.44)
    """
    shown = [one for one in assignments if one.kind is Kind.FIRST]
    pages, rule = Counter[str](), GuessingRule(settings)
    for (_, condition), count in Counter((one.judge, one.condition) for one in shown).items():
        pages[condition] += math.ceil(count / rule.page(condition))
    passages = len({one.item for one in shown if one.condition == Condition.PASSAGE})
    counts = (pages[Condition.PASSAGE], pages[Condition.SENTENCE])
    return Cost(passages, kept, counts, _usd(counts, settings))


def _usd(pages: tuple[float, float], settings: GuessingSettings) -> float:
    return settings.fee_factor * (pages[0] * settings.passage_page_usd + pages[1] * settings.sentence_page_usd)
