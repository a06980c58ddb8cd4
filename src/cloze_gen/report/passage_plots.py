"""The pictures of a set of passages. Each takes plain numbers and returns one inline SVG; all labels are ours."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from cloze_gen.report.passages import Analysis
from cloze_gen.report.svg import FIRST, SECOND, drawing, new_figure, svg_text

CLASSES = {
    "PN": "proper noun", "CN": "common noun", "V": "verb", "J": "adjective", "R": "adverb", "O": "other",
}  # fmt: skip
_BAR = 0.38


def classes_plot(analysis: Analysis) -> str:
    """Targets by part of speech: the kept, the random sample, and where the paper's kept stand."""
    measures = {one.name: one for one in analysis.measures if one.name in CLASSES}
    shown = [measures[name] for name in CLASSES if name in measures]
    with drawing():
        figure = new_figure(2.6)
        axes = figure.subplots()
        places = range(len(shown))
        _pair(axes, [100 * (one.kept or 0) for one in shown], [100 * (one.random or 0) for one in shown])
        told = [(place, 100 * one.paper_kept) for place, one in zip(places, shown, strict=True) if one.paper_kept is not None]
        axes.plot([place - _BAR / 2 for place, _ in told], [share for _, share in told], marker="D", markersize=6, markerfacecolor="none",
                  markeredgecolor=SECOND, markeredgewidth=1.4, linestyle="none", label="the paper's kept")  # fmt: skip
        axes.set_xticks(list(places), [CLASSES[one.name].replace(" ", "\n") for one in shown])
        axes.set_ylabel("% of targets")
        axes.grid(visible=False, axis="x")
        figure.legend(loc="outside upper right", ncols=3)
        return svg_text(figure, name="classes", label="Targets by part of speech, kept beside random; the table holds the same numbers")


def places_plot(analysis: Analysis) -> str:
    """Where the target stands last before it is asked for, in sentences back; the last bar is of those that stand nowhere."""
    labels = [*(str(number) for number in range(len(analysis.back_kept) - 1)), "nowhere"]
    with drawing():
        figure = new_figure(2.4)
        axes = figure.subplots()
        _pair(axes, _shares(analysis.back_kept), _shares(analysis.back_random))
        axes.set_xticks(range(len(labels)), labels)
        axes.set_xlabel("sentences back to where the target stands last")
        axes.set_ylabel("% of targets")
        axes.grid(visible=False, axis="x")
        figure.legend(loc="outside upper right", ncols=2)
        return svg_text(figure, name="places", label="Share of the targets by how many sentences back they stand last")


def tokens_plot(tokens: Sequence[int]) -> str:
    """Number of passages by their length."""
    with drawing():
        figure = new_figure(2.2)
        axes = figure.subplots()
        low, high = min(tokens), max(tokens)
        width = max(1, -(-(high - low + 1) // 16))
        axes.hist(tokens, bins=[low - 0.5 + width * number for number in range((high - low) // width + 2)], color=FIRST, rwidth=0.9)
        axes.set_xlabel("tokens of the passage" + ("" if width == 1 else f", {width} to a bar"))
        axes.set_ylabel("passages")
        axes.yaxis.set_major_locator(MaxNLocator(integer=True))
        return svg_text(figure, name="tokens", label="Number of passages by their length in tokens")


def _pair(axes: Axes, kept: Sequence[float], random: Sequence[float]) -> None:
    """Two bars a place: of the kept, left, and of the random sample."""
    for values, shift, colour, label in ((kept, -_BAR / 2, FIRST, "kept"), (random, _BAR / 2, SECOND, "random")):
        axes.bar([place + shift for place in range(len(values))], values, width=_BAR, color=colour, label=label)


def _shares(counts: Sequence[int]) -> list[float]:
    return [100 * count / max(1, sum(counts)) for count in counts]
