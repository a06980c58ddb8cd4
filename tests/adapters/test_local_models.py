from __future__ import annotations

import importlib.util
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cloze_gen.adapters.local_models import (
    CausalModel,
    NextSentenceModel,
    Tokenizer,
    is_next_sentence_model,
)
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
def gpt2(tmp_path_factory: pytest.TempPathFactory) -> Path:
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


def one_by_one(gpt2: Path, context: str, continuation: str) -> float:
    """log10 P from the model alone, a piece at a time."""
    import torch
    import transformers

    model: Any = transformers.GPT2LMHeadModel.from_pretrained(gpt2).eval()
    tokenizer: Any = transformers.PreTrainedTokenizerFast.from_pretrained(gpt2)
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
def test_probabilities_are_those_of_the_model(gpt2: Path) -> None:
    found = CausalModel(gpt2).log10_probs(TEXTS)
    assert found == pytest.approx([one_by_one(gpt2, *text) for text in TEXTS], abs=1e-4)


@needs_extra
@pytest.mark.slow
def test_the_first_choice_is_what_the_model_would_write(gpt2: Path) -> None:
    import torch
    import transformers

    tokenizer: Any = transformers.PreTrainedTokenizerFast.from_pretrained(gpt2)
    network: Any = transformers.GPT2LMHeadModel.from_pretrained(gpt2).eval()
    texts, likeliest = [], []
    words = (
        "the dog on the mat sat on the cat and the cat on the dog and the dog on the mat".split()
    )
    for context in (" ".join(words[:n]) for n in range(1, len(words))):
        pieces = [0, *tokenizer(context)["input_ids"]]
        with torch.inference_mode():
            order = network(torch.tensor([pieces])).logits[0, -1].argsort(descending=True).tolist()
        for piece in order:
            text = tokenizer.decode([piece])
            if (
                text.isascii()
                and text
                and [0, *tokenizer(context + text)["input_ids"]] == [*pieces, piece]
            ):
                texts.append((context, text))
                likeliest.append(piece == order[0])
    _, right = CausalModel(gpt2).guesses(texts)
    assert right.tolist() == likeliest
    assert any(likeliest)
    first = texts[likeliest.index(True)]
    assert not CausalModel(gpt2).guesses([(first[0], f"{first[1]}~")])[1].any()


@needs_extra
@pytest.mark.slow
def test_a_blank_counts_on_either_side(gpt2: Path) -> None:
    model = CausalModel(gpt2)
    one, other = model.log10_probs([("The cat sat on the ", "mat"), ("The cat sat on the", " mat")])
    assert one == pytest.approx(other, abs=1e-6)


@needs_extra
@pytest.mark.slow
def test_words_that_fill_a_blank(gpt2: Path) -> None:
    words, after = ["mat", "cat", "dog"], " sat on the mat"
    found = CausalModel(gpt2).fills("The cat on the ", words, after)
    own = [one_by_one(gpt2, "The cat on the ", word) for word in words]
    rest = [one_by_one(gpt2, f"The cat on the {word}", after) for word in words]
    assert found == pytest.approx(np.column_stack([own, rest]), abs=1e-4)


@needs_extra
@pytest.mark.slow
def test_a_long_text_loses_its_beginning(gpt2: Path) -> None:
    model = CausalModel(gpt2)
    long, longer = model.log10_probs(
        [("the cat " * 60, "dog"), ("the dog " + "the cat " * 60, "dog")]
    )
    assert math.isfinite(long)
    assert long == pytest.approx(longer, abs=1e-6)


@needs_extra
@pytest.mark.slow
def test_a_folder_that_is_no_model_is_told(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no causal language model"):
        CausalModel(tmp_path)
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(ModelError, match="cannot be read as a causal language model"):
        CausalModel(tmp_path)


@needs_extra
@pytest.mark.slow
@pytest.mark.parametrize("file", ["model.safetensors", "tokenizer.json", "config.json"])
def test_a_file_cut_short_is_told(file: str, gpt2: Path, tmp_path: Path) -> None:
    for path in gpt2.iterdir():
        (tmp_path / path.name).write_bytes(
            path.read_bytes()[: path.stat().st_size // 2 if path.name == file else None]
        )
    with pytest.raises(
        ModelError,
        match=f"^{re.escape(str(tmp_path))}: cannot be read as a causal language model: .+",
    ):
        CausalModel(tmp_path)


PAIRS = [
    ("the cat sat on the mat", "the dog sat"),
    ("the dog sat", "the cat sat on the mat and the dog"),
    ("a mat", "a mat"),
]
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "a", "cat", "dog", "sat", "on", "mat", "and"]


def save_tokenizer(place: Path) -> None:
    import tokenizers
    import transformers

    own = tokenizers.Tokenizer(
        tokenizers.models.WordLevel({word: i for i, word in enumerate(WORDS)}, unk_token="[UNK]")
    )
    own.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    own.post_processor = tokenizers.processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=own, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]",
        sep_token="[SEP]",
        model_input_names=["input_ids", "token_type_ids", "attention_mask"],
    ).save_pretrained(place)  # fmt: skip


def small_config() -> Any:
    import transformers

    return transformers.BertConfig(
        vocab_size=len(WORDS),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=24,
    )


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An untrained BERT of two layers over a dozen words, with its next-sentence head."""
    import torch
    import transformers

    place = tmp_path_factory.mktemp("model")
    save_tokenizer(place)
    torch.manual_seed(1)
    transformers.BertForNextSentencePrediction(small_config()).save_pretrained(place)
    return place


@needs_extra
@pytest.mark.slow
def test_it_says_what_the_head_says(bert: Path) -> None:
    import torch
    import transformers

    model: Any = transformers.BertForNextSentencePrediction.from_pretrained(bert).eval()
    tokenizer: Any = transformers.AutoTokenizer.from_pretrained(bert)
    with torch.inference_mode():
        alone = [
            float(model(**tokenizer(*pair, return_tensors="pt")).logits.log_softmax(dim=-1)[0, 0])
            for pair in PAIRS
        ]
    found = NextSentenceModel(bert).log_probs(PAIRS)
    assert found == pytest.approx(alone, abs=1e-5)
    assert len(set(found)) == len(found)


@needs_extra
@pytest.mark.slow
def test_a_text_is_cut_at_whole_pieces(bert: Path) -> None:
    pieces = Tokenizer(bert, "model")
    text = "the cat sat on the mat"
    assert (pieces.count(text), pieces.beginning(text, 2), pieces.end(text, 2)) == (
        6,
        "the cat",
        "the mat",
    )
    assert (
        pieces.beginning(text, 0),
        pieces.end(text, 0),
        pieces.beginning(text, 6),
        pieces.end(text, 9),
    ) == ("", "", text, text)


@needs_extra
@pytest.mark.slow
def test_a_folder_is_told_by_its_family(bert: Path, tmp_path: Path) -> None:
    assert is_next_sentence_model(bert)
    assert not is_next_sentence_model(tmp_path)
    with pytest.raises(ModelError, match="no next-sentence model"):
        NextSentenceModel(tmp_path)


@needs_extra
@pytest.mark.slow
def test_weights_without_the_head_are_refused(tmp_path: Path) -> None:
    """transformers would initialise the head at random without an error."""
    import transformers

    save_tokenizer(tmp_path)
    transformers.BertForMaskedLM(small_config()).save_pretrained(tmp_path)
    with pytest.raises(ModelError, match="its weights lack"):
        NextSentenceModel(tmp_path)


@pytest.mark.skipif(installed, reason="the extra is here")
@pytest.mark.parametrize("use", [CausalModel, is_next_sentence_model])
def test_without_the_extra_it_says_what_to_install(
    tmp_path: Path, use: Callable[[Path], object]
) -> None:
    with pytest.raises(ToolError, match=r"pip install 'cloze-gen\[hf\]'"):
        use(tmp_path)
