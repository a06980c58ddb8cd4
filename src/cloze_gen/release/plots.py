"""The report's plots as inline SVG by Matplotlib: equal bytes for equal figures.

The page's style sheet sets the colours; labels are ASCII.
"""

from __future__ import annotations

import contextlib
import io
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import matplotlib as mpl
import numpy as np
from markupsafe import escape
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullLocator

# Placeholders that the page's colours replace, for light and dark mode.
INK, MUTED, GRID, FIRST, SECOND = "#010101", "#020202", "#030303", "#040404", "#050505"
_PAGE_COLOURS = {
    INK: "var(--ink)",
    MUTED: "var(--muted)",
    GRID: "var(--line)",
    FIRST: "var(--first)",
    SECOND: "var(--second)",
}

# 4.2 inches (302 pt): on a phone's 358 px a 9 pt letter comes out at 11 px.
WIDTH_INCHES = 4.2

_SETTINGS: dict[Any, Any] = {
    "svg.fonttype": "none",  # small, and searchable
    "text.parse_math": False,  # print dollar signs as they are
    "font.size": 9,
    "text.color": INK, "axes.labelcolor": INK, "axes.edgecolor": MUTED, "xtick.color": MUTED, "ytick.color": MUTED,
    "xtick.labelcolor": INK, "ytick.labelcolor": INK, "grid.color": GRID, "axes.grid": True, "axes.axisbelow": True,
    "axes.spines.top": False, "axes.spines.right": False, "figure.facecolor": "none", "axes.facecolor": "none",
    "legend.frameon": False, "legend.labelcolor": INK,
}  # fmt: skip


@contextlib.contextmanager
def drawing() -> Iterator[None]:
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(_SETTINGS)
        yield


def new_figure(height_inches: float) -> Figure:
    figure = Figure(figsize=(WIDTH_INCHES, height_inches), layout="constrained")
    FigureCanvasSVG(figure)
    return figure


def svg_text(figure: Figure, *, name: str, label: str) -> str:
    """A figure as one `<svg>` element; `name` salts its ids, `label` is its alternative text."""
    buffer = io.StringIO()
    with mpl.rc_context({"svg.hashsalt": f"cloze-gen {name}"}):
        figure.savefig(
            buffer,
            format="svg",
            transparent=True,
            metadata={"Date": None, "Creator": None, "Format": None, "Type": None},
        )
    text = buffer.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    # Matplotlib's style sheet would apply to the whole page, and ids of groups (figure_1, ...) would
    # repeat in every plot.
    text = re.sub(r"<style[^>]*>.*?</style>", "", text, flags=re.DOTALL)
    text = re.sub(r'<g id="[^"]*"', "<g", text)
    text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    # the page's font in this size
    text = re.sub(r"font: (?:[a-z0-9]+ )?([0-9.]+px) [^;\"]*", r"font-size: \1", text)
    text = re.sub(r"font-family: [^;\"]*; ", "", text)
    for placeholder, colour in _PAGE_COLOURS.items():
        text = text.replace(placeholder, colour)
    head = re.search(r'viewBox="[^"]*"', text)
    if head is None:
        raise ValueError("matplotlib wrote an SVG without a viewBox")
    body = text[text.index(">") + 1 :]
    namespaces = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
    lines = (
        line.rstrip()
        for line in f'<svg {namespaces} {head[0]} role="img" aria-label="{escape(label)}">{body}'.splitlines()
    )
    return "\n".join(line for line in lines if line.strip())


def plain_label(label: str) -> str:
    """A label of at most 30 ASCII characters, since matplotlib warns where a font lacks a letter.

    >>> plain_label("mod\u00e8le de " + "x" * 40)
    'mod?le de xxxxxxxxxxxxxxxxx...'
    """
    text = re.sub(r"[^ -~]", "?", label)
    return text if len(text) <= 30 else text[:27] + "..."


_PER_MILLION = 1e6
_OURS: dict[str, Any] = {"marker": "o", "markersize": 5}
_PAPER: dict[str, Any] = {
    "marker": "D",
    "markersize": 6,
    "markerfacecolor": "none",
    "markeredgecolor": SECOND,
    "markeredgewidth": 1.4,
}


def frequency_plot(answer_freqs: Sequence[float], impostor_freqs: Sequence[float]) -> str:
    """Share of answers and of impostors by their frequency in the training corpus."""
    answers, impostors = _per_million(answer_freqs), _per_million(impostor_freqs)
    both = np.concatenate([answers, impostors])
    edges = np.geomspace(both.min() * 0.999, both.max() * 1.001, 13)
    with drawing():
        figure = new_figure(2.5)
        axes = figure.subplots()
        for values, colour, style, label in (
            (impostors, SECOND, "--", "impostors"),
            (answers, FIRST, "-", "answers"),
        ):
            shares = np.histogram(values, bins=edges)[0] / max(1, len(values))
            axes.stairs(
                100 * shares, edges, color=colour, linestyle=style, linewidth=1.8, label=label
            )
            axes.axvline(float(np.median(values)), color=colour, linestyle=style, linewidth=0.8)
        axes.set_xscale("log")
        axes.xaxis.set_major_locator(FixedLocator(_log_ticks(edges[0], edges[-1])))
        axes.xaxis.set_minor_locator(NullLocator())
        axes.xaxis.set_major_formatter(FuncFormatter(_short_count))
        axes.set_xlabel("occurrences in a million words, log scale")
        axes.set_ylabel("% of words")
        axes.set_ylim(bottom=0)
        figure.legend(loc="outside upper right", ncols=2)
        return svg_text(
            figure,
            name="frequency",
            label="Share of answers and of impostors by frequency; the thin lines are the medians",
        )


def count_plot(counts: Sequence[int], *, name: str, of: str, noun: str) -> str:
    """How many items have each number of tokens; `of`: what the tokens are of."""
    low, high = min(counts), max(counts)
    width = max(1, math.ceil((high - low + 1) / 16))
    with drawing():
        figure = new_figure(2.2)
        axes = figure.subplots()
        edges = np.arange(low, high + 1 + width, width) - 0.5
        axes.hist(counts, bins=list(edges), color=FIRST, rwidth=0.9)
        axes.set_xlabel(f"tokens of the {of}" + ("" if width == 1 else f", {width} to a bar"))
        axes.set_ylabel(noun)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.yaxis.set_major_locator(MaxNLocator(integer=True))
        label = f"Number of {noun} by the tokens of the {of}"
        return svg_text(figure, name=name, label=label)


def position_plot(answer_positions: Sequence[int]) -> str:
    """How often the answer is at each place; the line is a uniform distribution."""
    with drawing():
        figure = new_figure(2.2)
        axes = figure.subplots()
        letters = [chr(97 + place) for place in range(len(answer_positions))]
        bars = axes.bar(letters, answer_positions, color=FIRST, width=0.7)
        axes.bar_label(bars, fmt="{:,.0f}", padding=2, color=INK)
        axes.axhline(
            sum(answer_positions) / len(answer_positions),
            color=SECOND,
            linestyle="--",
            linewidth=1.2,
        )
        axes.set_ylim(top=1.18 * max(*answer_positions, 1))
        axes.set_xlabel("position of the answer among the options")
        axes.set_ylabel("questions")
        axes.grid(visible=False, axis="x")
        axes.yaxis.set_major_locator(MaxNLocator(integer=True))
        return svg_text(
            figure,
            name="position",
            label="Number of questions by the position of the answer; the dashed line is a uniform distribution",
        )


def blank_plot(blank_places: Sequence[float]) -> str:
    with drawing():
        figure = new_figure(2.2)
        axes = figure.subplots()
        axes.hist(
            [100 * place for place in blank_places],
            bins=list(range(0, 101, 10)),
            color=FIRST,
            rwidth=0.9,
        )
        axes.set_xlabel("position of the blank in its sentence, % of its tokens")
        axes.set_ylabel("questions")
        axes.yaxis.set_major_locator(MaxNLocator(integer=True))
        return svg_text(
            figure,
            name="blank",
            label="Number of questions by the position of the blank in its sentence",
        )


@dataclass(frozen=True, slots=True)
class AccuracyRow:
    """A row of an accuracy plot: (value, low, high) of this set, and the paper's figure."""

    label: str
    ours: tuple[float, float, float] | None
    paper: float | None = None


def accuracy_plot(
    rows: Sequence[AccuracyRow],
    *,
    name: str,
    what: str,
    chance: float | None,
    people: float | None = None,
) -> str:
    """Accuracies with 95 % intervals, the paper's figures, chance, and the paper's people."""
    with drawing():
        figure = new_figure(0.8 + 0.25 * max(1, len(rows)))
        axes = figure.subplots()
        for place, row in enumerate(rows):
            if row.ours is not None:
                value, low, high = (100 * share for share in row.ours)
                axes.plot(
                    [low, high], [place, place], color=FIRST, linewidth=2, solid_capstyle="butt"
                )
                axes.plot([value], [place], color=FIRST, linestyle="none", **_OURS)
            if row.paper is not None:
                axes.plot([100 * row.paper], [place], linestyle="none", **_PAPER)
        if any(row.ours for row in rows):
            axes.plot([], [], color=FIRST, linewidth=2, label="this set, 95 %", **_OURS)
        if any(row.paper is not None for row in rows):
            axes.plot([], [], linestyle="none", label="the paper's set", **_PAPER)
        if people is not None:
            axes.axvline(
                100 * people,
                color=SECOND,
                linestyle="--",
                linewidth=1.2,
                label="people, paper's set",
            )
        if chance is not None:
            axes.axvline(100 * chance, color=MUTED, linestyle=":", linewidth=1.2, label="chance")
        axes.set_yticks(range(len(rows)), [plain_label(row.label) for row in rows])
        axes.set_ylim(len(rows) - 0.4, -0.6)
        highest = [row.ours[2] for row in rows if row.ours]
        highest += [row.paper for row in rows if row.paper is not None]
        axes.set_xlim(0, min(101, 100 * max([*highest, chance or 0, people or 0]) + 4))
        axes.set_xlabel(f"{what}, %")
        axes.tick_params(axis="y", length=0)
        figure.legend(loc="outside upper left", ncols=3, handlelength=1.4, columnspacing=1.2)
        label = f"{what.capitalize()} of each row in percent with its 95 % interval"
        return svg_text(figure, name=f"{name} {' '.join(row.label for row in rows)}", label=label)


def _per_million(freqs: Sequence[float]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """A count of 0 becomes the least frequency, since a log scale has no zero."""
    values = np.asarray(freqs, dtype=np.float64) * _PER_MILLION
    known = values[values > 0]
    return np.maximum(values, known.min() if len(known) else 1.0)


def _log_ticks(low: float, high: float) -> list[float]:
    """Round numbers: 1, 2 and 5 of each power of ten, or only powers over more than two.

    >>> _log_ticks(80, 900), _log_ticks(0.5, 4000)
    ([100.0, 200.0, 500.0], [1.0, 10.0, 100.0, 1000.0])
    """
    digits = (1, 2, 5) if high < 100 * low else (1,)
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    return [
        float(f"{digit}e{power}")
        for power in powers
        for digit in digits
        if low <= digit * 10.0**power <= high
    ]


def _short_count(value: float, _: object = None) -> str:
    for limit, letter in ((1e6, " M"), (1e3, " k")):
        if value >= limit:
            return f"{value / limit:g}{letter}"
    return f"{value:g}"
