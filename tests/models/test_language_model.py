from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from cloze_gen.engine.local import make_engine
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.errors import ModelError
from cloze_gen.models import language_model
from cloze_gen.models.arpa import ArpaBlock, read_blocks
from cloze_gen.models.language_model import (
    LmSettings,
    read_levels,
    write_language_model,
    write_levels,
)
from cloze_gen.store.artifacts import ArtifactWriter, Store

ARPA = (
    b"\\data\\\nngram 1=5\nngram "
    b"2=3\n\n\\1-grams:\n-2\t<unk>\t0\n0\t<s>\t-0.1\n-1\t</s>\t0\n-0.5\tsea\t-0.2\n-0.7\tlamp\t-0.3\n"
    b"\n\\2-grams:\n-0.4\tsea lamp\n-0.3\t<s> sea\n-0.6\tlamp </s>\n\n\\end\\\n"
)


@pytest.mark.parametrize("piece", [len(ARPA), 40])
def test_arrays_are_sorted_and_are_those_of_numpy(tmp_path, piece):
    blocks = read_blocks(iter([ARPA[i : i + piece] for i in range(0, len(ARPA), piece)]))
    assert write_levels(tmp_path, blocks) == [5, 3]
    index = read_levels(tmp_path, order=2)
    assert index.words == ["<unk>", "<s>", "</s>", "sea", "lamp"]
    assert index.levels[1].key.tolist() == [1 * 5 + 3, 3 * 5 + 4, 4 * 5 + 2]
    assert index.levels[1].log10_prob.tolist() == pytest.approx([-0.3, -0.4, -0.6])
    assert index.levels[0].log10_backoff.tolist() == pytest.approx([0, -0.1, 0, -0.2, -0.3])
    for path in sorted(tmp_path.glob("*.npy")):
        np.save(tmp_path / "again.npy", np.load(path))
        assert path.read_bytes() == (tmp_path / "again.npy").read_bytes()
    (tmp_path / "again.npy").unlink()
    names = {
        f"{n}grams.{array}.npy" for n in (1, 2) for array in ("key", "log10_prob", "log10_backoff")
    }
    assert {path.name for path in tmp_path.iterdir()} == {"words.txt"} | names


def test_the_time_is_that_of_lmplz(tmp_path, monkeypatch, capsys):
    """Not of what runs meanwhile, which may take longer."""
    clock = SimpleNamespace(seconds=12.0)

    def train_arpa(*, arpa, on_line, meanwhile, **rest):
        on_line("done")
        meanwhile()
        arpa.write_bytes(ARPA)

    monkeypatch.setattr(language_model, "Stopwatch", lambda: clock)
    monkeypatch.setattr(language_model, "train_arpa", train_arpa)
    ctx = StageContext(
        Store(tmp_path),
        make_engine("local", workers=1),
        "lm",
        meanwhile=lambda: setattr(clock, "seconds", 1321.0),
    )
    text = SimpleNamespace(path=lambda name: tmp_path / name)
    write_language_model(
        ArtifactWriter(tmp_path / "lm"), ctx, text=text, settings=LmSettings(order=2)
    )
    assert "8 n-grams of order 2 in 12 s" in capsys.readouterr().err


def test_a_model_without_unigrams_is_refused(tmp_path):
    blocks = [block for block in read_blocks(iter([ARPA])) if block.order > 1]
    assert isinstance(blocks[0], ArpaBlock)
    with pytest.raises(ModelError, match="no unigram section"):
        write_levels(tmp_path, blocks)
