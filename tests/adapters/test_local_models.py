from __future__ import annotations

import importlib.util
import math
import re

import numpy as np
import pytest

from cloze_gen.adapters.local_models import CausalModel
from cloze_gen.errors import ModelError, ToolError

TEXTS = [
    ("The cat sat on the ", "mat"),
    ("The cat", " sat"),
    ("the dog on the mat sat on the cat ", "dog"),
    ("", "cat"),
]
installed = all(importlib.util.find_spec(name) for name in ("torch", "transformers"))
needs_extra = pytest.mark.skipif(
    not installed, reason="the extra is not here: pip install 'cloze-gen[hf]'"
)


@pytest.fixture(scope="module")
def gpt2(tmp_path_factory):
    """An untrained GPT-2 of two layers over pairs of letters."""
    import tokenizers
    import torch
    import transformers

    place = tmp_path_factory.mktemp("model")
    own = tokenizers.Tokenizer(tokenizers.models.BPE())
    own.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=290,
        special_tokens=["<s>"],
        initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    own.train_from_iterator([context + continuation for context, continuation in TEXTS], trainer)
    transformers.PreTrainedTokenizerFast(tokenizer_object=own, bos_token="<s>").save_pretrained(
        place
    )
    torch.manual_seed(1)
    config = transformers.GPT2Config(
        vocab_size=290,
        n_positions=32,
        n_embd=16,
        n_layer=2,
        n_head=2,
        bos_token_id=0,
        eos_token_id=0,
    )
    transformers.GPT2LMHeadModel(config).save_pretrained(place)
    return place


def one_by_one(gpt2, context, continuation):
    """log10 P from the model alone, a piece at a time."""
    import torch
    import transformers

    model = transformers.GPT2LMHeadModel.from_pretrained(gpt2).eval()
    tokenizer = transformers.PreTrainedTokenizerFast.from_pretrained(gpt2)
    pieces = [0, *tokenizer(context + continuation)["input_ids"]]
    spans = [
        (0, 0),
        *tokenizer(context + continuation, return_offsets_mapping=True)["offset_mapping"],
    ]
    total = 0.0
    with torch.inference_mode():
        for place in range(1, len(pieces)):
            if spans[place][1] > len(context):
                logits = model(torch.tensor([pieces[:place]])).logits[0, -1].double()
                total += float(torch.log_softmax(logits, dim=-1)[pieces[place]])
    return total / math.log(10)


@needs_extra
@pytest.mark.slow
def test_probabilities_are_those_of_the_model(gpt2):
    found = CausalModel(gpt2).log10_probs(TEXTS)
    assert found == pytest.approx([one_by_one(gpt2, *text) for text in TEXTS], abs=1e-4)


@needs_extra
@pytest.mark.slow
def test_a_blank_counts_on_either_side(gpt2):
    model = CausalModel(gpt2)
    one, other = model.log10_probs([("The cat sat on the ", "mat"), ("The cat sat on the", " mat")])
    assert one == pytest.approx(other, abs=1e-6)


@needs_extra
@pytest.mark.slow
def test_words_that_fill_a_blank(gpt2):
    words, after = ["mat", "cat", "dog"], " sat on the mat"
    found = CausalModel(gpt2).fills("The cat on the ", words, after)
    own = [one_by_one(gpt2, "The cat on the ", word) for word in words]
    rest = [one_by_one(gpt2, f"The cat on the {word}", after) for word in words]
    assert found == pytest.approx(np.column_stack([own, rest]), abs=1e-4)


@needs_extra
@pytest.mark.slow
def test_a_long_text_loses_its_beginning(gpt2):
    model = CausalModel(gpt2)
    long, longer = model.log10_probs(
        [("the cat " * 60, "dog"), ("the dog " + "the cat " * 60, "dog")]
    )
    assert math.isfinite(long)
    assert long == pytest.approx(longer, abs=1e-6)


@needs_extra
@pytest.mark.slow
def test_a_folder_that_is_no_model_is_told(tmp_path):
    with pytest.raises(ModelError, match="no causal language model"):
        CausalModel(tmp_path)
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(ModelError, match="cannot be read as a causal language model"):
        CausalModel(tmp_path)


@needs_extra
@pytest.mark.slow
@pytest.mark.parametrize("file", ["model.safetensors", "tokenizer.json", "config.json"])
def test_a_file_cut_short_is_told(file, gpt2, tmp_path):
    for path in gpt2.iterdir():
        (tmp_path / path.name).write_bytes(
            path.read_bytes()[: path.stat().st_size // 2 if path.name == file else None]
        )
    with pytest.raises(
        ModelError,
        match=f"^{re.escape(str(tmp_path))}: cannot be read as a causal language model: .+",
    ):
        CausalModel(tmp_path)


@pytest.mark.skipif(installed, reason="the extra is here")
def test_without_the_extra_it_says_what_to_install(tmp_path):
    with pytest.raises(ToolError, match=r"pip install 'cloze-gen\[hf\]'"):
        CausalModel(tmp_path)
