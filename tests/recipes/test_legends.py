"""Every reason that a stage can write has a legend."""

import re

import pytest

from cloze_gen.judging.tasks.groom import RejectReason
from cloze_gen.pipelines.styles import find_style, style_names
from cloze_gen.records.rejection import Reason, legend_of

MOST_CHARS = 90
IDIOM = re.compile(
    r"\b(told|tells?|said|says|ask(s|ed)|stands?|beside|nobody|whoever|whatever|dealt|laid|anew|"
    r"heard|strangers|worth|wish|speaks|house|floor|wing|law|room)\b"
)


def every(kind=Reason):
    """All reasons; `style_names` has imported the modules of all stages."""
    for one in kind.__subclasses__():
        yield from one
        yield from every(one)


def test_every_reason_has_a_legend():
    for name in style_names():
        find_style(name)
    found = [one for one in every() if one.__module__.startswith("cloze_gen.")]
    assert len(found) > 100
    for one in found:
        assert one.legend, one
        assert len(one.legend) <= MOST_CHARS, one
        assert not IDIOM.search(one.legend.casefold()), one


@pytest.mark.parametrize("name", style_names())
def test_a_style_explains_its_reasons(name):
    legends = find_style(name).legends
    assert legends["nearly_empty"]
    assert all(0 < len(legend) <= MOST_CHARS for legend in legends.values())


def test_names_with_a_part_of_their_own():
    """Reasons with a member's or a judge's part."""
    assert legend_of("guessed_by_hf:gpt2", find_style("lambada-style").legends)
    legends = find_style("holmes-style").legends
    assert all(legend_of(f"judges_say_{reason}", legends) for reason in RejectReason)
    assert legend_of("unheard_of", legends) == ""
