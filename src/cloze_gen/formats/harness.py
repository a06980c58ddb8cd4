"""Questions as a multiple-choice task of EleutherAI's lm-evaluation-harness: one JSON object a question and the task's YAML.

The harness scores ``choice`` given ``query`` and takes the best sum of log-probabilities (`acc`). So `query` is the sentence before the
gap and a choice is the option *with the rest of the sentence*: the sum then ranks the options as the whole-sentence score does, what
stands before the gap being the same for all. `acc_norm` divides by the choice's length in characters.

Bytes: between query and choice the harness puts `target_delimiter`, one space, so neither a query ends nor a choice begins with one; a gap
that comes first has an empty query.

Source: github.com/EleutherAI/lm-evaluation-harness, `docs/task_guide.md` (`output_type: multiple_choice`, `doc_to_text`, `doc_to_choice`,
`doc_to_target`, and `dataset_path: json` with `data_files` for local data).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from cloze_gen.records.question import Question

_ATTACHED_LEFT = frozenset({",", ";", ".", ":", "?", "!", ")"})  # marks that follow their word without a space in print
_ATTACHED_RIGHT = frozenset({"("})


def harness_record(question: Question) -> dict[str, Any]:
    """``{id, query, choices, gold}``: text up to the gap, option and rest for every option, index of the right one.

    Tokens are joined as in print (`as_printed`), since the harness's models were trained on running text.

    >>> tokens = ("Holmes", ",", "we", "hide", "it", ".")
    >>> harness_record(Question("b:0:3", "b", tokens, 3, ("eat", "hide"), 1))["query"]
    'Holmes, we'
    >>> harness_record(Question("b:0:3", "b", tokens, 3, ("eat", "hide"), 1))["choices"]
    ['eat it.', 'hide it.']
    """
    position = question.position
    return {
        "id": question.id,
        "query": as_printed(question.tokens[:position]),
        "choices": [as_printed((option, *question.tokens[position + 1 :])) for option in question.options],
        "gold": question.answer_index,
    }


def as_printed(tokens: Sequence[str]) -> str:
    """Tokens with the spaces of print around the marks that remain in the MSR rendering.

    >>> as_printed(("Ah", ",", "yes", "."))
    'Ah, yes.'
    """
    text = ""
    glue = True
    for token in tokens:
        text += token if glue or token in _ATTACHED_LEFT else f" {token}"
        glue = token in _ATTACHED_RIGHT
    return text


def task_yaml(*, task: str, data_file: str, version: str, signature: str = "") -> str:
    """The harness's task file for records of `harness_record` kept in `data_file` (JSON Lines).

    Args:
        task: name of the task, as given to ``--tasks``.
        data_file: path of the records, relative to the folder the harness is called from.
        version: of the dataset, kept in the task's metadata with `signature`.

    Strings are written as JSON, which YAML reads as they are.
    """
    return f"""\
task: {json.dumps(task)}
dataset_path: json
dataset_kwargs:
  data_files:
    test: {json.dumps(data_file)}
test_split: test
output_type: multiple_choice
doc_to_text: query
doc_to_choice: choices
doc_to_target: gold
target_delimiter: " "
metric_list:
  - metric: acc
    aggregation: mean
    higher_is_better: true
  - metric: acc_norm
    aggregation: mean
    higher_is_better: true
metadata:
  version: {json.dumps(version)}
  signature: {json.dumps(signature)}
"""
