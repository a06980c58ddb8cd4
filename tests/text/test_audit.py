"""What the audit row measures."""

from __future__ import annotations

from cloze_gen.text.audit import BookReason, count_residual_boilerplate


def test_licence_left_in_the_text_is_counted() -> None:
    """Tokens that no novel has are what is left of the licence."""
    assert count_residual_boilerplate({"Gutenberg": 2, "etext": 1, "night": 5}) == 3


def test_reasons_read_aloud() -> None:
    """A reason is a lower-case key of the funnel."""
    assert all(reason.value == reason.name.lower() for reason in BookReason)
