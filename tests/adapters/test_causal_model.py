"""Causal models in a folder: probabilities of a tiny one with random weights, made here; without the extra nothing but its message."""

from __future__ import annotations

import importlib.util
import math
import re
from pathlib import Path
from typing import Any

import pytest

from cloze_gen.adapters.causal_model import CausalModel
from cloze_gen.errors import ModelError, ToolError

TEXTS = [("The cat sat on the ", "mat"), ("The cat", " sat"), ("the dog on the mat sat on the cat ", "dog"), ("", "cat")]
installed = all(importlib.util.find_spec(name) for name in ("torch", "transformers"))
needs_extra = pytest.mark.skipif(not installed, reason="the extra is not here: pip install 'cloze-gen[hf]'")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A GPT-2 of two layers over pairs of letters, not trained at all."""
    import tokenizers
    import torch
    import transformers

    place = tmp_path_factory.mktemp("model")
    own = tokenizers.Tokenizer(tokenizers.models.BPE())
    own.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=290, special_tokens=["<s>"], initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(), show_progress=False
    )
    own.train_from_iterator([context + continuation for context, continuation in TEXTS], trainer)
    transformers.PreTrainedTokenizerFast(tokenizer_object=own, bos_token="<s>").save_pretrained(place)
    torch.manual_seed(1)
    config = transformers.GPT2Config(vocab_size=290, n_positions=32, n_embd=16, n_layer=2, n_head=2, bos_token_id=0, eos_token_id=0)
    transformers.GPT2LMHeadModel(config).save_pretrained(place)
    return place


def one_by_one(folder: Path, context: str, continuation: str) -> float:
    """log10 P by the model alone: a piece at a time, each after all before it."""
    import torch
    import transformers

    model: Any = transformers.GPT2LMHeadModel.from_pretrained(folder).eval()
    tokenizer: Any = transformers.PreTrainedTokenizerFast.from_pretrained(folder)
    pieces = [0, *tokenizer(context + continuation)["input_ids"]]
    spans = [(0, 0), *tokenizer(context + continuation, return_offsets_mapping=True)["offset_mapping"]]
    total = 0.0
    with torch.inference_mode():
        for place in range(1, len(pieces)):
            if spans[place][1] > len(context):
                logits = model(torch.tensor([pieces[:place]])).logits[0, -1].double()
                total += float(torch.log_softmax(logits, dim=-1)[pieces[place]])
    return total / math.log(10)


@needs_extra
@pytest.mark.slow
def test_probabilities_are_those_of_the_model(folder: Path) -> None:
    """Of texts of several lengths in one batch, some with no context, the model's own, asked a piece at a time."""
    found = CausalModel(folder).log10_probs(TEXTS)
    assert found == pytest.approx([one_by_one(folder, *text) for text in TEXTS], abs=1e-4)


@needs_extra
@pytest.mark.slow
def test_the_first_choice_is_what_the_model_would_write(folder: Path) -> None:
    """After each context the likeliest piece is right and the others are not; of two pieces both have to be."""
    import torch
    import transformers

    tokenizer: Any = transformers.PreTrainedTokenizerFast.from_pretrained(folder)
    network: Any = transformers.GPT2LMHeadModel.from_pretrained(folder).eval()
    texts, likeliest = [], []
    words = "the dog on the mat sat on the cat and the cat on the dog and the dog on the mat".split()
    for context in (" ".join(words[:n]) for n in range(1, len(words))):
        pieces = [0, *tokenizer(context)["input_ids"]]
        with torch.inference_mode():
            order = network(torch.tensor([pieces])).logits[0, -1].argsort(descending=True).tolist()
        for piece in order:
            text = tokenizer.decode([piece])
            if text.isascii() and text and [0, *tokenizer(context + text)["input_ids"]] == [*pieces, piece]:
                texts.append((context, text))
                likeliest.append(piece == order[0])
    _, right = CausalModel(folder).guesses(texts)
    assert right.tolist() == likeliest
    assert any(likeliest)
    first = texts[likeliest.index(True)]
    assert not CausalModel(folder).guesses([(first[0], f"{first[1]}~")])[1].any()


@needs_extra
@pytest.mark.slow
def test_a_blank_counts_on_either_side(folder: Path) -> None:
    """The piece ` mat` is the continuation's, whichever side the blank is written on."""
    model = CausalModel(folder)
    one, other = model.log10_probs([("The cat sat on the ", "mat"), ("The cat sat on the", " mat")])
    assert one == pytest.approx(other, abs=1e-6)


@needs_extra
@pytest.mark.slow
def test_a_long_text_loses_its_beginning(folder: Path) -> None:
    """More pieces than the model can see: scored after those that it can, not refused."""
    model = CausalModel(folder)
    long, longer = model.log10_probs([("the cat " * 60, "dog"), ("the dog " + "the cat " * 60, "dog")])
    assert math.isfinite(long)
    assert long == pytest.approx(longer, abs=1e-6)


@needs_extra
@pytest.mark.slow
def test_a_folder_that_is_no_model_is_told(tmp_path: Path) -> None:
    """Empty, or with a config that means nothing: one message with the folder's name."""
    with pytest.raises(ModelError, match="no causal language model"):
        CausalModel(tmp_path)
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(ModelError, match="cannot be read as a causal language model"):
        CausalModel(tmp_path)


@needs_extra
@pytest.mark.slow
@pytest.mark.parametrize("file", ["model.safetensors", "tokenizer.json", "config.json"])
def test_a_file_cut_short_is_told(file: str, folder: Path, tmp_path: Path) -> None:
    """As a download that broke off leaves it: one message with the folder's name, whatever the libraries raise."""
    for path in folder.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes()[: path.stat().st_size // 2 if path.name == file else None])
    with pytest.raises(ModelError, match=f"^{re.escape(str(tmp_path))}: cannot be read as a causal language model: .+"):
        CausalModel(tmp_path)


@pytest.mark.skipif(installed, reason="the extra is here")
def test_without_the_extra_it_says_what_to_install(tmp_path: Path) -> None:
    """One message, before anything is looked for."""
    with pytest.raises(ToolError, match=r"pip install 'cloze-gen\[hf\]'"):
        CausalModel(tmp_path)
