"""What the adversaries of a set say, in one line of words."""

from __future__ import annotations

from collections.abc import Mapping

Figure = tuple[float, float, float]  # accuracy and the bounds of its 95 % interval, corrected for the ways tried, shares of 1
# Shares of the answers that are given away, the others being guessed: from the first on they are many, from the second on most results
# would be of the scores. With five options they are reached at 28 % and 44 % right.
NOTABLE_SHARE, LARGE_SHARE = 0.1, 0.3

# Adversary -> what it is shown; the first that was tried speaks for the set.
_SHOWN = {
    "adversary-five": "the five scores (history, forward, sentence, frequency, length)",
    "adversary-ngrams": "the five scores and those of the n-gram baselines",
    "adversary-all": "the five scores, those of the n-gram baselines and that of LSA",
    "adversary-options": "the options alone", "adversary-length": "the options' length", "adversary-frequency": "the options' frequency",
    "adversary-history": "the history score", "adversary-forward": "the forward score", "adversary-generating": "the sentence score",
}  # fmt: skip
# What goes on behind the first.
_GOES_ON = {"adversary-ngrams": "those of the n-gram baselines too", "adversary-all": "that of LSA besides"}


def adversary_line(figures: Mapping[str, Figure], *, chance: float) -> str:
    """One line on the adversaries that were tried; empty without any.

    Args:
        figures: by the name of the row.
        chance: share of 1.

    >>> adversary_line({"adversary-five": (0.31, 0.28, 0.34)}, chance=0.2)  # doctest: +NORMALIZE_WHITESPACE
    'A classifier trained on the five scores (history, forward, sentence, frequency, length) picks the answer in 31 % (28-34);
    chance is 20 %. Clearly above chance, as if 14 % of the answers were given away: give this figure beside every result.'
    """
    first = next((name for name in _SHOWN if name in figures), None)
    if first is None:
        return ""
    more = [f", with {shown} in {_percent(figures[name])}" for name, shown in _GOES_ON.items() if name in figures]
    told = f"A classifier trained on {_SHOWN[first]} picks the answer in {_percent(figures[first])}"
    return f"{told}{''.join(more if first == 'adversary-five' else [])}; chance is {100 * chance:.0f} %. {_verdict(figures[first], chance)}"


def _percent(figure: Figure) -> str:
    accuracy, low, high = (f"{100 * share:.0f}" for share in figure)
    return f"{accuracy} % ({low}-{high})"


def _verdict(figure: Figure, chance: float) -> str:
    accuracy, low, high = figure
    if high < chance:
        return "Below chance, which gives no answer away: a set that was levelled as a whole is uneven in its parts."
    if low <= chance:
        return "No more often than guessing would, as far as these questions can tell."
    share = (accuracy - chance) / (1 - chance)
    given_away = f"above chance, as if {100 * share:.0f} % of the answers were given away"
    if share < NOTABLE_SHARE:
        return f"Slightly {given_away}."
    if share < LARGE_SHARE:
        return f"Clearly {given_away}: give this figure beside every result."
    return f"Far {given_away}: a good result on this set need not mean that sentences were understood."
