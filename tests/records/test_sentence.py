"""Stretches of books that are spoken for."""

import random

from cloze_gen.records.spans import TakenSpans


def test_neighbours_tell_what_a_look_at_all_spans_tells():
    """Whatever order they come in, spans of one character too, and each of them added twice."""
    rng = random.Random(1)
    edges = sorted(rng.sample(range(400), 120))
    spans = list(zip(edges[::2], edges[1::2], strict=True))
    added = [*spans, *spans]
    rng.shuffle(added)
    taken = TakenSpans([("a", *span) for span in added])
    for start in range(400):
        for end in (start + 1, start + 2, start + 9, start + 200):
            assert taken.overlaps("a", start, end) == any(
                first < end and start < last for first, last in spans
            ), (start, end)
    assert not taken.overlaps("b", 0, 400)
