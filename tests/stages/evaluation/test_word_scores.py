"""The scores of the table's rows: each rule chooses what its name says, by the scores that the questions or the models tell."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from cloze_gen.evaluate.question_set import QuestionSet
from cloze_gen.evaluate.words.baselines import word_baselines
from cloze_gen.records.question import Question
from cloze_gen.stages.evaluation.word_scores import Scorer, judge

RULES = {row.name: row for row in word_baselines(3)}
SCORES = ("freq", "history_log10_prob", "forward_log10_prob", "sentence_log10_prob")


def asked(question: Question, rows: list[tuple[float, ...]]) -> QuestionSet:
    """One question whose record tells the four scores of every option."""
    told = [{"word": word} | dict(zip(SCORES, row, strict=True)) for word, row in zip(question.options, rows, strict=True)]
    return QuestionSet((question,), ({"option_scores": told},))


ITEM = Question("b:1:2", "b", ("It", "was", "an", "odd", "one", "."), 3, ("odd", "lengthy", "go"), 0)
SET = asked(ITEM, [(0.1, -3.0, -1.0, -20.0), (0.3, -2.0, -3.0, -30.0), (0.2, -1.0, -2.0, -10.0)])


@pytest.mark.parametrize(
    ("rule", "word"),
    [
        ("most-frequent", "lengthy"), ("least-frequent", "odd"), ("longest", "lengthy"), ("shortest", "go"), ("position-a", "odd"),
        ("position-c", "go"), ("a-an-agreement", "odd"), ("history-highest", "go"), ("history-lowest", "odd"), ("forward-highest", "odd"),
        ("forward-lowest", "lengthy"), ("generating-highest", "go"), ("generating-lowest", "lengthy"),
    ],
)  # fmt: skip
def test_a_rule_chooses_what_its_name_says(rule: str, word: str) -> None:
    """The option named by the rule, of scores that differ throughout."""
    found = judge(RULES[rule], Scorer(SET, {}), SET, seed=1)
    assert ITEM.options[int(found.choices[0])] == word


def test_rules_of_tags_read_each_option_in_its_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    """The odd one has a tag of its own where it stands; the majority has not."""
    seen: list[tuple[str, ...]] = []

    def tag(sentences: Any) -> Any:
        for tokens in sentences:
            seen.append(tuple(tokens))
            yield ["VB" if token == "go" else "JJ" for token in tokens]

    monkeypatch.setattr("cloze_gen.adapters.spacy_tagger.load_tagger", lambda name: SimpleNamespace(tag=tag))
    scorer = Scorer(SET, {})
    assert ITEM.options[int(judge(RULES["odd-tag-out"], scorer, SET, seed=1).choices[0])] == "go"
    assert ITEM.options[int(judge(RULES["majority-tag"], scorer, SET, seed=1).choices[0])] in ("odd", "lengthy")
    assert seen == [ITEM.blank.filled(option) for option in ITEM.options]
