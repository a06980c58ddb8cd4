"""Models trained by the real `lmplz` on the embedded sample."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from cloze_gen.adapters.kenlm_model import KenlmModel
from cloze_gen.adapters.lmplz import find_lmplz, train_arpa
from cloze_gen.adapters.spacy_tokenizer import chunk_tokenizer
from cloze_gen.errors import ToolError
from cloze_gen.lm.forward_index import ForwardIndex
from cloze_gen.text.parse_book import IngestSettings, parse_book
from cloze_gen.text.tokens import ChunkMemo
from tests.small_models import index_of

SAMPLE = Path(__file__).parents[2] / "corpora" / "sample" / "train"


@dataclass(frozen=True, slots=True)
class Trained:
    """One model twice: KenLM's own view and the forward index."""

    kenlm: KenlmModel
    index: ForwardIndex
    sentences: list[list[str]]


@pytest.fixture(scope="session")
def sample_lines() -> list[str]:
    """The sample's training sentences, tokens joined by spaces."""
    memo = ChunkMemo(chunk_tokenizer())
    settings = IngestSettings()
    books = [parse_book(path.read_bytes(), book_id="b", settings=settings, memo=memo) for path in sorted(SAMPLE.glob("*.txt"))]
    return [line for book in books for line in book.tokens if "\u00ad" not in line]


@pytest.fixture(scope="session", params=[2, 3, 4])
def trained(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, sample_lines: list[str]) -> Trained:
    """A model of each order that a config may ask for."""
    try:
        find_lmplz()
    except ToolError as error:
        pytest.skip(str(error))
    folder = tmp_path_factory.mktemp(f"order{request.param}")
    (folder / "text").write_text("\n".join(sample_lines) + "\n", encoding="utf-8")
    options = {"order": request.param, "memory": "100M", "temp_dir": folder, "discount_fallback": True}
    train_arpa(text=folder / "text", arpa=folder / "arpa", on_line=lambda _: None, **options)  # type: ignore[arg-type]
    return Trained(KenlmModel(folder / "arpa"), index_of((folder / "arpa").read_bytes()), [line.split(" ") for line in sample_lines])
