"""Matplotlib figures as inline SVG: equal bytes for equal figures, colours left to the page, nothing fetched from anywhere."""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Iterator
from typing import Any

import matplotlib as mpl
from markupsafe import escape
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

# Stand-ins that the page's own colours replace, so that a plot follows light and dark. Any other colour would stay as it is.
INK, MUTED, GRID, FIRST, SECOND = "#010101", "#020202", "#030303", "#040404", "#050505"
_PAGE_COLOURS = {INK: "var(--ink)", MUTED: "var(--muted)", GRID: "var(--line)", FIRST: "var(--first)", SECOND: "var(--second)"}

# 4.2 inches (302 pt): on a phone's 358 px a 9 pt letter comes out at 11 px.
WIDTH_INCHES = 4.2

_SETTINGS: dict[Any, Any] = {
    "svg.fonttype": "none",  # letters stay letters: small, and found by a search in the page
    "text.parse_math": False,  # a dollar sign is a dollar sign
    "font.size": 9,
    "text.color": INK, "axes.labelcolor": INK, "axes.edgecolor": MUTED, "xtick.color": MUTED, "ytick.color": MUTED,
    "xtick.labelcolor": INK, "ytick.labelcolor": INK, "grid.color": GRID, "axes.grid": True, "axes.axisbelow": True,
    "axes.spines.top": False, "axes.spines.right": False, "figure.facecolor": "none", "axes.facecolor": "none",
    "legend.frameon": False, "legend.labelcolor": INK,
}  # fmt: skip


@contextlib.contextmanager
def drawing() -> Iterator[None]:
    """Matplotlib's own defaults with the report's, whatever a user's matplotlibrc says; put back afterwards."""
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(_SETTINGS)
        yield


def new_figure(height_inches: float) -> Figure:
    """An empty figure of the report's width; axes share the room without overlap."""
    figure = Figure(figsize=(WIDTH_INCHES, height_inches), layout="constrained")
    FigureCanvasSVG(figure)
    return figure


def svg_text(figure: Figure, *, name: str, label: str) -> str:
    """A figure as one `<svg>` element for an HTML page.

    Args:
        name: salt of the ids inside, so that two plots of a page never share one.
        label: what a reader who cannot see it is told.
    """
    buffer = io.StringIO()
    with mpl.rc_context({"svg.hashsalt": f"cloze-gen {name}"}):
        figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    text = buffer.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    # Matplotlib's style sheet would reach the whole page, and its groups' names (figure_1, ...) would be there once a plot.
    text = re.sub(r"<style[^>]*>.*?</style>", "", text, flags=re.DOTALL)
    text = re.sub(r'<g id="[^"]*"', "<g", text)
    text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    text = re.sub(r"font: (?:[a-z0-9]+ )?([0-9.]+px) [^;\"]*", r"font-size: \1", text)  # the page's own letters, in this size
    text = re.sub(r"font-family: [^;\"]*; ", "", text)
    for stand_in, colour in _PAGE_COLOURS.items():
        text = text.replace(stand_in, colour)
    head = re.search(r'viewBox="[^"]*"', text)
    if head is None:
        raise ValueError("matplotlib wrote an SVG without a viewBox")
    body = text[text.index(">") + 1 :]
    namespaces = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
    lines = (line.rstrip() for line in f'<svg {namespaces} {head[0]} role="img" aria-label="{escape(label)}">{body}'.splitlines())
    return "\n".join(line for line in lines if line.strip())


def plain_label(label: str) -> str:
    """A label of at most 30 plain ASCII characters: a font that lacks a letter would make matplotlib warn.

    >>> plain_label("mod\u00e8le de " + "x" * 40)
    'mod?le de xxxxxxxxxxxxxxxxx...'
    """
    text = re.sub(r"[^ -~]", "?", label)
    return text if len(text) <= 30 else text[:27] + "..."
