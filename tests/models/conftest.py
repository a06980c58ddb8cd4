from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from cloze_gen.adapters.kenlm_model import KenlmModel
from cloze_gen.adapters.lmplz import find_lmplz, train_arpa
from cloze_gen.corpus.decoding import decode_book
from cloze_gen.corpus.parse_book import IngestSettings, parse_book
from cloze_gen.errors import ToolError
from cloze_gen.models.network_layers import (
    Adagrad,
    FeedForwardNetwork,
    RecurrentNetwork,
    fresh_feedforward,
    fresh_recurrent,
)
from cloze_gen.models.ngram_index import ForwardIndex
from cloze_gen.rng import derive_rng
from tests.small_models import index_of

SAMPLE = Path(__file__).parents[2] / "corpora" / "sample" / "train"


@dataclass(frozen=True, slots=True)
class Trained:
    """One model as KenLM's scorer and as forward index."""

    kenlm: KenlmModel
    index: ForwardIndex
    sentences: list[list[str]]


@pytest.fixture(scope="session")
def sample_lines():
    """The sample's training sentences, tokens joined by spaces."""
    settings = IngestSettings()
    books = [
        parse_book(decode_book(path.read_bytes()).text, settings=settings)
        for path in sorted(SAMPLE.glob("*.txt"))
    ]
    return [line for book in books for line in book.tokens if "\u00ad" not in line]


@pytest.fixture(scope="session", params=[2, 3, 4])
def trained(
    request,
    tmp_path_factory,
    sample_lines,
):
    """A model of each order that a config allows."""
    try:
        find_lmplz()
    except ToolError as error:
        pytest.skip(str(error))
    folder = tmp_path_factory.mktemp(f"order{request.param}")
    (folder / "text").write_text("\n".join(sample_lines) + "\n", encoding="utf-8")
    options = {
        "order": request.param,
        "memory": "100M",
        "temp_dir": folder,
        "discount_fallback": True,
    }
    train_arpa(text=folder / "text", arpa=folder / "arpa", on_line=lambda _: None, **options)
    return Trained(
        KenlmModel(folder / "arpa"),
        index_of((folder / "arpa").read_bytes()),
        [line.split(" ") for line in sample_lines],
    )


# ----

BOUNDS = np.array([0, 1, 4, 9])  # classes of one, three and five words


class Recorder(Adagrad):
    """An optimizer that only records gradients: name -> array of the shape of the weights."""

    def __init__(self, weights):
        super().__init__(weights, rate=0.0)
        self.gradients = {name: np.zeros_like(weight) for name, weight in weights.items()}

    def move(self, name, gradient):
        self.gradients[name] += gradient

    def move_rows(self, name, rows, gradient):
        self.gradients[name][rows] += gradient


def shaken(weights):
    """Noise on all weights, also on those that start at zero."""
    rng = derive_rng(1, "test.shaken")
    return {
        name: weight + rng.normal(0, 0.4, weight.shape).astype(np.float32)
        for name, weight in weights.items()
    }


def check_slopes(learn, weights):
    """The gradient equals the numerical slope of the loss."""
    recorder = Recorder(weights)
    learn(recorder)
    for name, weight in weights.items():
        for place in np.ndindex(*weight.shape):
            losses = []
            for change in (0.005, -0.005):
                before = weight[place]
                weight[place] = before + change
                losses.append(learn(Recorder(weights)))
                weight[place] = before
            assert recorder.gradients[name][place] == pytest.approx(
                (losses[0] - losses[1]) / 0.01, abs=2e-4
            ), (name, place)


@pytest.fixture(params=["feedforward", "recurrent"])
def make_network(request):
    """A maker of any network over nine words, with its weights, deterministic."""

    def make():
        rng = derive_rng(1, "test.networks")
        if request.param == "feedforward":
            weights = shaken(fresh_feedforward(BOUNDS, history=2, vector=3, hidden=4, rng=rng))
            return FeedForwardNetwork(weights, BOUNDS), weights
        weights = shaken(fresh_recurrent(BOUNDS, vector=3, hidden=4, rng=rng))
        return RecurrentNetwork(weights, BOUNDS), weights

    return make
