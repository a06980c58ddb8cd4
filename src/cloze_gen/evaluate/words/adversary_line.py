"""What the adversaries of a set say, in one line of words."""

from __future__ import annotations

from collections.abc import Mapping

Figure = tuple[float, float, float]  # accuracy and the bounds of its 95 % interval, shares of 1

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
    chance is 20 %: more often than chance, so the scores give answers away to who understands no sentence.'
    """
    first = next((name for name in _SHOWN if name in figures), None)
    if first is None:
        return ""
    more = [f", with {shown} in {_percent(figures[name])}" for name, shown in _GOES_ON.items() if name in figures]
    told = f"A classifier trained on {_SHOWN[first]} picks the answer in {_percent(figures[first])}"
    return f"{told}{''.join(more if first == 'adversary-five' else [])}; chance is {100 * chance:.0f} %: {_verdict(figures[first], chance)}"


def _percent(figure: Figure) -> str:
    accuracy, low, high = (f"{100 * share:.0f}" for share in figure)
    return f"{accuracy} % ({low}-{high})"


def _verdict(figure: Figure, chance: float) -> str:
    _, low, high = figure
    if low > chance:
        return "more often than chance, so the scores give answers away to who understands no sentence."
    if high < chance:
        return "below chance no answer is given away; a set that was levelled as a whole is uneven in its parts."
    return "no more often than guessing would, as far as these questions can tell."
