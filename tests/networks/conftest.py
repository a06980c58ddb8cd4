"""Small networks with weights large enough to tell, and an optimizer that only writes gradients down."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from cloze_gen.networks.adagrad import Adagrad, Floats
from cloze_gen.networks.feedforward import FeedForwardNetwork, fresh_feedforward
from cloze_gen.networks.memory import MemoryNetwork, fresh_memory
from cloze_gen.networks.recurrent import RecurrentNetwork, fresh_recurrent
from cloze_gen.rng import derive_rng

BOUNDS = np.array([0, 1, 4, 9])  # classes of one, three and five words


class Recorder(Adagrad):
    """Moves nothing, and keeps the gradients: name -> array of the shape of the weights."""

    def __init__(self, weights: dict[str, Floats]) -> None:
        super().__init__(weights, {}, rate=0.0)
        self.gradients = {name: np.zeros_like(weight) for name, weight in weights.items()}

    def move(self, name: str, gradient: Floats) -> None:
        self.gradients[name] += gradient

    def move_rows(self, name: str, rows, gradient: Floats) -> None:  # type: ignore[no-untyped-def]
        self.gradients[name][rows] += gradient


def shaken(weights: dict[str, Floats]) -> dict[str, Floats]:
    """The weights with noise on all of them, those that begin at zero too."""
    rng = derive_rng(1, "test.shaken")
    return {name: weight + rng.normal(0, 0.4, weight.shape).astype(np.float32) for name, weight in weights.items()}


Made = tuple[FeedForwardNetwork | RecurrentNetwork | MemoryNetwork, dict[str, Floats]]


def check_slopes(learn: Callable[[Recorder], float], weights: dict[str, Floats], *, still: tuple[str, ...] = ()) -> None:
    """What `learn` would move every weight by is the slope of its loss, measured by moving the weight a little both ways.

    Args:
        still: names of weights that it leaves as they are.
    """
    recorder = Recorder(weights)
    learn(recorder)
    for name, weight in weights.items():
        if name in still:
            assert not recorder.gradients[name].any()
            continue
        for place in np.ndindex(*weight.shape):
            losses = []
            for change in (0.005, -0.005):
                before = weight[place]
                weight[place] = before + change
                losses.append(learn(Recorder(weights)))
                weight[place] = before
            assert recorder.gradients[name][place] == pytest.approx((losses[0] - losses[1]) / 0.01, abs=2e-4), (name, place)


@pytest.fixture(params=["feedforward", "recurrent", "memory"])
def make_network(request: pytest.FixtureRequest) -> Callable[[], Made]:
    """Makes a network of any kind that tells every word, over nine words, the same each time, and its weights."""

    def make() -> Made:
        rng = derive_rng(1, "test.networks")
        if request.param == "feedforward":
            weights = shaken(fresh_feedforward(BOUNDS, history=2, vector=3, hidden=4, rng=rng))
            return FeedForwardNetwork(weights, BOUNDS), weights
        if request.param == "memory":
            weights = shaken(fresh_memory(BOUNDS, memories=4, query=2, hops=2, vector=3, rng=rng))
            return MemoryNetwork(weights, BOUNDS), weights
        weights = shaken(fresh_recurrent(BOUNDS, vector=3, hidden=4, rng=rng))
        return RecurrentNetwork(weights, BOUNDS), weights

    return make
