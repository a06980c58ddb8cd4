"""The control draw."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.recipes.lambada.steps.control import ControlSettings, draw_control

IDS = st.lists(st.integers(0, 500).map(lambda n: f"b:{n}"), unique=True, max_size=60)


@given(IDS, st.integers(0, 40), st.integers(0, 5))
def test_the_draw_hangs_on_the_ids_alone(ids: list[str], n: int, seed: int) -> None:
    """As many as asked for where there are as many, whatever their order; without an undrawn passage the draw is the same."""
    settings = ControlSettings(n_passages=n)
    drawn = draw_control(ids, settings=settings, seed=seed)
    assert len(set(drawn)) == len(drawn) == min(n, len(ids))
    assert drawn == draw_control(ids[::-1], settings=settings, seed=seed)
    left_out = set(ids) - set(drawn)
    assert drawn == draw_control([one for one in ids if one not in set(list(left_out)[:3])], settings=settings, seed=seed)


def test_every_passage_is_as_likely() -> None:
    """Over 400 seeds each of 20 passages is drawn about a quarter of the times."""
    ids = [f"b:{n}" for n in range(20)]
    times = Counter(one for seed in range(400) for one in draw_control(ids, settings=ControlSettings(n_passages=5), seed=seed))
    assert set(times) == set(ids)
    assert all(60 <= count <= 140 for count in times.values())  # 100 expected, standard deviation 8.7
