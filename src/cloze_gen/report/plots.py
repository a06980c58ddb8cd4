"""The pictures of a report. Each takes plain numbers and returns one inline SVG; labels are ours or reduced to plain ASCII."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullLocator

from cloze_gen.report.data import EvaluationRow
from cloze_gen.report.paper_table import PaperTable
from cloze_gen.report.svg import FIRST, INK, MUTED, SECOND, drawing, new_figure, plain_label, svg_text

_PER_MILLION = 1e6


def funnel_plot(levels: Sequence[tuple[str, int]]) -> str:
    """How many there are at each level, from books to questions, on a log scale (the levels differ by six orders of magnitude)."""
    with drawing():
        figure = new_figure(0.55 + 0.26 * len(levels))
        axes = figure.subplots()
        counts = [max(count, 0.8) for _, count in levels]
        places = range(len(levels))
        axes.barh(places, counts, left=0.7, height=0.7, color=FIRST, log=True)
        for place, (_, count) in zip(places, levels, strict=True):
            axes.annotate(f"{count:,}", (max(count, 0.8) + 0.7, place), xytext=(4, 0), textcoords="offset points", va="center", color=INK)
        axes.set_yticks(list(places), [plain_label(label) for label, _ in levels])
        axes.invert_yaxis()
        axes.set_xlim(0.7, 14 * max(counts, default=1))  # room for the largest number behind its bar
        axes.xaxis.set_major_formatter(FuncFormatter(_short_count))
        axes.xaxis.set_minor_locator(NullLocator())
        axes.set_xlabel("count, log scale")
        axes.grid(visible=False, axis="y")
        axes.tick_params(axis="y", length=0)
        return svg_text(figure, name="funnel", label="One bar a level of the funnel, its number beside it, on a log scale")


def frequency_plot(answer_freqs: Sequence[float], impostor_freqs: Sequence[float]) -> str:
    """Share of answers and of impostors by their frequency in the training corpus."""
    answers, impostors = _per_million(answer_freqs), _per_million(impostor_freqs)
    both = np.concatenate([answers, impostors])
    edges = np.geomspace(both.min() * 0.999, both.max() * 1.001, 13)
    with drawing():
        figure = new_figure(2.5)
        axes = figure.subplots()
        for values, colour, style, label in ((impostors, SECOND, "--", "impostors"), (answers, FIRST, "-", "answers")):
            shares = np.histogram(values, bins=edges)[0] / max(1, len(values))
            axes.stairs(100 * shares, edges, color=colour, linestyle=style, linewidth=1.8, label=label)
            axes.axvline(float(np.median(values)), color=colour, linestyle=style, linewidth=0.8)
        axes.set_xscale("log")
        axes.xaxis.set_major_locator(FixedLocator(_log_ticks(edges[0], edges[-1])))
        axes.xaxis.set_minor_locator(NullLocator())
        axes.xaxis.set_major_formatter(FuncFormatter(_short_count))
        axes.set_xlabel("occurrences in a million words, log scale")
        axes.set_ylabel("% of words")
        axes.set_ylim(bottom=0)
        figure.legend(loc="outside upper right", ncols=2)
        return svg_text(figure, name="frequency", label="Share of answers and of impostors by frequency; the thin lines are the medians")


def length_plot(sentence_tokens: Sequence[int]) -> str:
    """Number of questions by the length of their sentence."""
    low, high = min(sentence_tokens), max(sentence_tokens)
    width = max(1, math.ceil((high - low + 1) / 16))
    with drawing():
        figure = new_figure(2.2)
        axes = figure.subplots()
        axes.hist(sentence_tokens, bins=list(np.arange(low, high + 1 + width, width) - 0.5), color=FIRST, rwidth=0.9)
        axes.set_xlabel("tokens in the sentence" + ("" if width == 1 else f", {width} to a bar"))
        axes.set_ylabel("questions")
        _whole_numbers(axes)
        return svg_text(figure, name="length", label="Number of questions by sentence length in tokens")


def position_plot(answer_positions: Sequence[int]) -> str:
    """How often the answer is printed at each place; the line is an even deal."""
    with drawing():
        figure = new_figure(2.2)
        axes = figure.subplots()
        letters = [chr(97 + place) for place in range(len(answer_positions))]
        bars = axes.bar(letters, answer_positions, color=FIRST, width=0.7)
        axes.bar_label(bars, fmt="{:,.0f}", padding=2, color=INK)
        axes.axhline(sum(answer_positions) / len(answer_positions), color=SECOND, linestyle="--", linewidth=1.2)
        axes.set_ylim(top=1.18 * max(*answer_positions, 1))
        axes.set_xlabel("place of the answer among the options")
        axes.set_ylabel("questions")
        axes.grid(visible=False, axis="x")
        axes.yaxis.set_major_locator(MaxNLocator(integer=True))
        return svg_text(figure, name="position", label="Number of questions by the answer's place; the dashed line is an even deal")


def blank_plot(blank_places: Sequence[float]) -> str:
    """Number of questions by the place of the blank in its sentence."""
    with drawing():
        figure = new_figure(2.2)
        axes = figure.subplots()
        axes.hist([100 * place for place in blank_places], bins=list(range(0, 101, 10)), color=FIRST, rwidth=0.9)
        axes.set_xlabel("place of the blank in its sentence, % of its tokens")
        axes.set_ylabel("questions")
        axes.yaxis.set_major_locator(MaxNLocator(integer=True))
        return svg_text(figure, name="blank", label="Number of questions by the place of the blank in its sentence")


def baseline_plot(baselines: Sequence[EvaluationRow], *, chance: float, paper: PaperTable | None, labels: Mapping[str, str]) -> str:
    """Accuracies with their 95 % intervals; the paper's figures as open diamonds, chance as a dotted line.

    Args:
        labels: our name -> what to print; a paper's row that we did not measure gets a row of its own.
    """
    figures = {figure.baseline or figure.label: figure for figure in (paper.figures if paper else ())}
    measured = {row.name: row for row in baselines}
    names = list(dict.fromkeys([*figures, *measured]))
    with drawing():
        figure = new_figure(0.8 + 0.25 * len(names))
        axes = figure.subplots()
        for place, name in enumerate(names):
            if row := measured.get(name):
                axes.plot([100 * row.low, 100 * row.high], [place, place], color=FIRST, linewidth=2, solid_capstyle="butt")
                axes.plot([100 * row.accuracy], [place], marker="o", markersize=5, color=FIRST, linestyle="none")
            if name in figures:
                axes.plot([100 * figures[name].accuracy], [place], marker="D", markersize=6, markerfacecolor="none", markeredgecolor=SECOND,
                          markeredgewidth=1.4, linestyle="none")  # fmt: skip
        axes.axvline(100 * chance, color=MUTED, linestyle=":", linewidth=1.2)
        axes.set_yticks(range(len(names)), [plain_label(labels.get(name, name)) for name in names])
        axes.set_ylim(len(names) - 0.4, -0.6)
        furthest = max([row.high for row in baselines] + [one.accuracy for one in figures.values()] + [chance])
        axes.set_xlim(0, min(101, 100 * furthest + 4))
        axes.set_xlabel("% right")
        axes.tick_params(axis="y", length=0)
        _key(axes, ours=bool(measured), paper=bool(figures))
        label = "Accuracy of each row in percent with its 95 % interval; the table holds the same numbers"
        return svg_text(figure, name="baselines " + " ".join(names), label=label)


def _key(axes: Axes, *, ours: bool, paper: bool) -> None:
    if ours:
        axes.plot([], [], marker="o", markersize=5, color=FIRST, linewidth=2, label="this set, 95 %")
    if paper:
        axes.plot([], [], marker="D", markersize=6, markerfacecolor="none", markeredgecolor=SECOND, markeredgewidth=1.4, linestyle="none",
                  label="the paper's set")  # fmt: skip
    axes.plot([], [], color=MUTED, linestyle=":", linewidth=1.2, label="chance")
    axes.figure.legend(loc="outside upper left", ncols=3, handlelength=1.4, columnspacing=1.2)


def _per_million(freqs: Sequence[float]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """A word of count 0 (unknown to the training corpus) is put at the least frequency there is: a log scale has no zero."""
    values = np.asarray(freqs, dtype=np.float64) * _PER_MILLION
    known = values[values > 0]
    return np.maximum(values, known.min() if len(known) else 1.0)


def _log_ticks(low: float, high: float) -> list[float]:
    """Round numbers between two bounds: 1, 2 and 5 of each power of ten, or the powers alone over more than two of them.

    >>> _log_ticks(80, 900), _log_ticks(0.5, 4000)
    ([100.0, 200.0, 500.0], [1.0, 10.0, 100.0, 1000.0])
    """
    digits = (1, 2, 5) if high < 100 * low else (1,)
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    return [float(f"{digit}e{power}") for power in powers for digit in digits if low <= digit * 10.0**power <= high]


def _whole_numbers(axes: Axes) -> None:
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))


def _short_count(value: float, _: object = None) -> str:
    """A number as an axis shows it.

    >>> [_short_count(value) for value in (0.1, 5, 20_000, 3e6)]
    ['0.1', '5', '20 k', '3 M']
    """
    for limit, letter in ((1e6, " M"), (1e3, " k")):
        if value >= limit:
            return f"{value / limit:g}{letter}"
    return f"{value:g}"
