from __future__ import annotations

import pytest

from cloze_gen.adapters.kenlm_model import KenlmModel
from cloze_gen.errors import ModelError

# log10 probability, n-gram, log10 backoff; the last two lines hold the only bigrams.
ARPA = """\\data\\
ngram 1=6
ngram 2=3

\\1-grams:
-2.0\t<unk>\t0
0\t<s>\t-0.5
-1.0\t</s>\t0
-0.7\tthe\t-0.25
-0.9\tdog\t-0.125
-1.5\tnan\t0

\\2-grams:
-0.2\t<s> the
-0.3\tthe dog
-0.4\tdog </s>

\\end\\
"""


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "a model.arpa"
    path.write_text(ARPA)
    return KenlmModel(path)


@pytest.mark.parametrize(
    ("history", "word", "expected_log10"),
    [
        (["the"], "dog", -0.3),
        (["<s>"], "the", -0.2),
        ([], "the", -0.7),
        (["dog"], "the", -0.125 - 0.7),  # backed off
        (["<s>", "nan", "the"], "dog", -0.3),  # only the last order - 1 tokens count
        (["<s>"], "cat", -0.5 - 2.0),  # out of vocabulary: <unk>
        (["cat"], "dog", -0.9),  # <unk> has no backoff weight here
        (["dog"], "</s>", -0.4),
        (["the"], "two words", -0.25 - 2.0),  # one unknown word, not split
    ],
)
def test_log10_prob(model, history, word, expected_log10):
    assert model.log10_prob(history, word) == pytest.approx(expected_log10, abs=1e-6)


def test_answers_do_not_depend_on_what_was_asked_before(model):
    first = model.log10_prob(["the"], "dog")
    model.score_sentence(["dog", "the", "cat"])
    assert model.log10_prob(["the"], "dog") == first


@pytest.mark.parametrize(
    ("tokens", "expected_log10"), [(["the", "dog"], -0.2 - 0.3 - 0.4), ([], -0.5 - 1.0)]
)
def test_sentence_includes_its_end(model, tokens, expected_log10):
    assert model.score_sentence(tokens) == pytest.approx(expected_log10, abs=1e-6)


def test_loading_is_quiet(tmp_path, capfd):
    path = tmp_path / "m.arpa"
    path.write_text(ARPA)
    KenlmModel(path)
    assert capfd.readouterr() == ("", "")


def test_unreadable_models_are_one_message(tmp_path):
    with pytest.raises(ModelError, match=r"none\.arpa: KenLM cannot read"):
        KenlmModel(tmp_path / "none.arpa")
    path = tmp_path / "text.arpa"
    path.write_text("It was a dark and stormy night.\n")
    with pytest.raises(ModelError, match=r"text\.arpa: KenLM cannot read"):
        KenlmModel(path)
