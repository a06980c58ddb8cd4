"""The control draw."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.recipes.lambada.passage_set import ControlSettings, draw_control


def span(passage_id, start, end):
    return {"id": passage_id, "book_id": "b", "start": start, "end": end}


PLACES = st.lists(st.integers(0, 500), unique=True, max_size=60).map(
    lambda starts: [span(f"b:{n}", n, n + 4) for n in starts]
)


@given(PLACES, st.integers(0, 40), st.integers(0, 5))
def test_the_draw_hangs_on_the_ids_alone(places, n, seed):
    settings = ControlSettings(n_passages=n)
    drawn = draw_control(places, settings=settings, seed=seed)
    chosen = [row for row in places if row["id"] in set(drawn)]
    assert len(chosen) == len(drawn) <= n
    assert not any(
        row is not other and row["start"] < other["end"] and other["start"] < row["end"]
        for row in chosen
        for other in chosen
    )
    left_out = [row for row in places if row not in chosen]
    if len(drawn) < n:
        assert all(
            any(row["start"] < other["end"] and other["start"] < row["end"] for other in chosen)
            for row in left_out
        )
    assert drawn == draw_control(places[::-1], settings=settings, seed=seed)
    assert drawn == draw_control(
        [row for row in places if row not in left_out[:3]], settings=settings, seed=seed
    )


def test_every_passage_is_as_likely():
    """Over 400 seeds each of 20 passages is drawn about a quarter of the times."""
    places = [span(f"b:{n}", 9 * n, 9 * n + 9) for n in range(20)]
    times = Counter(
        one
        for seed in range(400)
        for one in draw_control(places, settings=ControlSettings(n_passages=5), seed=seed)
    )
    assert set(times) == {row["id"] for row in places}
    # 100 expected, standard deviation 8.7
    assert all(60 <= count <= 140 for count in times.values())
