"""The pictures of a report."""

import re
from xml.etree import ElementTree

import matplotlib as mpl
import pytest

from cloze_gen.release import plots
from cloze_gen.release.plots import (
    AccuracyRow,
    drawing,
    new_figure,
    svg_text,
)

# The plots: equal bytes, colours of the page, no stray markup, no warning for any text


def all_plots():
    return {
        "frequency": plots.frequency_plot([1e-6, 1e-5], [3e-6, 0.0]),
        "length": plots.count_plot([7, 7, 7], name="length", of="sentence", noun="questions"),
        "position": plots.position_plot([3, 0, 2]),
        "blank": plots.blank_plot([0.0, 1.0]),
        "baselines": plots.accuracy_plot(
            [AccuracyRow("LSA", (0.3, 0.2, 0.4), 0.49), AccuracyRow("RNN", None, 0.6)],
            name="baselines",
            what="accuracy",
            chance=0.2,
            people=0.9,
        ),
    }


def test_plots_are_equal_bytes():
    """Drawn twice, and under another matplotlibrc, a plot is the same text."""
    first = all_plots()
    with mpl.rc_context(
        {"font.size": 20, "axes.facecolor": "red", "svg.fonttype": "path", "axes.linewidth": 5}
    ):
        assert all_plots() == first


def test_plots_are_whole_and_without_names_that_clash():
    seen = set()
    for name, svg in all_plots().items():
        root = ElementTree.fromstring(svg)
        assert root.tag.endswith("svg")
        ids = {element.attrib["id"] for element in root.iter() if "id" in element.attrib}
        assert not ids & seen, name
        seen |= ids
        assert (
            set(re.findall(r"url\(#([^)]+)\)", svg))
            | set(re.findall(r'xlink:href="#([^"]+)"', svg))
            <= ids
        )


def test_colours_follow_the_page():
    """No fixed colour, so that light and dark pages both work; no date and no program."""
    for name, svg in all_plots().items():
        assert re.findall(r"#[0-9a-fA-F]{6}\b", svg) == [], name
        assert "var(--ink)" in svg
        assert "<style" not in svg
        assert "<metadata" not in svg
        assert not re.search(r"DejaVu|\d{4}-\d\d-\d\d", svg)


@pytest.mark.parametrize(
    "label", ["$x^2$ and $", "\u6f22\u5b57", "<script>", "a & b", "x" * 200, ""]
)
def test_any_label_can_be_drawn(label):
    rows = [AccuracyRow(label, (0.3, 0.2, 0.4))]
    ElementTree.fromstring(plots.accuracy_plot(rows, name="x", what="accuracy", chance=None))


def test_a_label_for_those_who_cannot_see_is_escaped():
    """Quotation marks and angle brackets in a plot's label do not leave its attribute."""
    with drawing():
        root = ElementTree.fromstring(svg_text(new_figure(1), name="x", label='a "b" <c>'))
    assert root.attrib["aria-label"] == 'a "b" <c>'


def test_drawing_leaves_matplotlib_as_it_was():
    """A caller's own matplotlib settings are back after a report."""
    with mpl.rc_context({"font.size": 17}):
        plots.position_plot([1, 2])
        assert mpl.rcParams["font.size"] == 17


# The pictures of passages


@pytest.mark.parametrize("tokens", [(70,), (70, 70), (51, 300), tuple(range(60, 90))])
def test_lengths_of_any_spread_are_drawn(tokens):
    """One passage, equal ones, two far apart."""
    assert plots.count_plot(tokens, name="x", of="passage", noun="passages").startswith("<svg")
