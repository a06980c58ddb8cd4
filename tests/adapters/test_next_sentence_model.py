"""Next-sentence models in a folder: what a tiny one with random weights says, made here; without the extra nothing but its message."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from cloze_gen.adapters.model_pieces import Pieces
from cloze_gen.adapters.next_sentence_model import NextSentenceModel, is_next_sentence_model
from cloze_gen.errors import ModelError, ToolError

PAIRS = [("the cat sat on the mat", "the dog sat"), ("the dog sat", "the cat sat on the mat and the dog"), ("a mat", "a mat")]
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "a", "cat", "dog", "sat", "on", "mat", "and"]
installed = all(importlib.util.find_spec(name) for name in ("torch", "transformers"))
needs_extra = pytest.mark.skipif(not installed, reason="the extra is not here: pip install 'cloze-gen[hf]'")


def save_tokenizer(place: Path) -> None:
    import tokenizers
    import transformers

    own = tokenizers.Tokenizer(tokenizers.models.WordLevel({word: i for i, word in enumerate(WORDS)}, unk_token="[UNK]"))
    own.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    own.post_processor = tokenizers.processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=own, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]",
        model_input_names=["input_ids", "token_type_ids", "attention_mask"],
    ).save_pretrained(place)  # fmt: skip


def small_config() -> Any:
    import transformers

    return transformers.BertConfig(
        vocab_size=len(WORDS), hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=16, max_position_embeddings=24
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A BERT of two layers over a dozen words, with its next-sentence head, not trained at all."""
    import torch
    import transformers

    place = tmp_path_factory.mktemp("model")
    save_tokenizer(place)
    torch.manual_seed(1)
    transformers.BertForNextSentencePrediction(small_config()).save_pretrained(place)
    return place


@needs_extra
@pytest.mark.slow
def test_it_says_what_the_head_says(folder: Path) -> None:
    """Of pairs of several lengths in one batch: the model's own probability that the second follows, each pair asked alone."""
    import torch
    import transformers

    model: Any = transformers.BertForNextSentencePrediction.from_pretrained(folder).eval()
    tokenizer: Any = transformers.AutoTokenizer.from_pretrained(folder)
    with torch.inference_mode():
        alone = [float(model(**tokenizer(*pair, return_tensors="pt")).logits.log_softmax(dim=-1)[0, 0]) for pair in PAIRS]
    found = NextSentenceModel(folder).log_probs(PAIRS)
    assert found == pytest.approx(alone, abs=1e-5)
    assert len(set(found)) == len(found)


@needs_extra
@pytest.mark.slow
def test_a_text_is_cut_at_whole_pieces(folder: Path) -> None:
    """From the beginning or the end, as many pieces as asked for; nothing of it, or all of it."""
    pieces = Pieces(folder, "model")
    text = "the cat sat on the mat"
    assert (pieces.count(text), pieces.beginning(text, 2), pieces.end(text, 2)) == (6, "the cat", "the mat")
    assert (pieces.beginning(text, 0), pieces.end(text, 0), pieces.beginning(text, 6), pieces.end(text, 9)) == ("", "", text, text)


@needs_extra
@pytest.mark.slow
def test_a_folder_is_told_by_its_family(folder: Path, tmp_path: Path) -> None:
    """BERT's is one that has such a head; a folder of nothing is none, and says so when it is opened."""
    assert is_next_sentence_model(folder)
    assert not is_next_sentence_model(tmp_path)
    with pytest.raises(ModelError, match="no next-sentence model"):
        NextSentenceModel(tmp_path)


@needs_extra
@pytest.mark.slow
def test_weights_without_the_head_are_refused(tmp_path: Path) -> None:
    """A BERT saved without its head would be given one by chance, and say nothing."""
    import transformers

    save_tokenizer(tmp_path)
    transformers.BertForMaskedLM(small_config()).save_pretrained(tmp_path)
    with pytest.raises(ModelError, match="its weights lack"):
        NextSentenceModel(tmp_path)


@pytest.mark.skipif(installed, reason="the extra is here")
def test_without_the_extra_it_says_what_to_install(tmp_path: Path) -> None:
    """One message, before anything is looked for."""
    with pytest.raises(ToolError, match=r"pip install 'cloze-gen\[hf\]'"):
        is_next_sentence_model(tmp_path)
