"""Blanked passages as two tasks of EleutherAI's lm-evaluation-harness: each blank by itself, and the whole passage at once.

``NAME_blanks`` is multiple choice by likelihood, a document a blank. `query` is the passage with that blank marked, the other blanks left
out, and a question; a choice is a candidate. `acc` takes the best sum of log-probabilities, `acc_norm` divides it by the candidate's length
in characters, and candidates differ in length a good deal. Each blank is asked alone, so a candidate may be taken for two of them: `acc` is
the share of all blanks (the micro average) that a solver gets right which assigns nothing. What a joint decoder makes of the same
log-probabilities is for ``cloze-gen evaluate --scores`` to say.

``NAME_passage`` is generation, a document a passage: all blanks are marked with their numbers, the candidates have letters, and the letters
are asked for in the order of the blanks. `exact_match` asks that all be right, which is the paper's PA; what is no letter is not compared,
so ``1-F, 2-E`` is ``F E``. The harness counts no single blanks here.

Both put one blank between query and answer (`target_delimiter`), which ``--apply_chat_template`` takes away.

Source: Kong, Gangal & Hovy 2020, 5.2 (BA, PA); github.com/EleutherAI/lm-evaluation-harness, `docs/task_guide.md` (`multiple_choice`,
`generate_until`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from cloze_gen.errors import FormatError
from cloze_gen.formats.scde.published import without_marks
from cloze_gen.records.blanked_passage import BlankedPassage

_MARK = "_____"
_SPLITS = {"train": "training_split", "validation": "validation_split", "test": "test_split"}  # as the harness calls them
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

_BLANKS_YAML = """\
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
"""
_PASSAGE_YAML = """\
output_type: generate_until
doc_to_text: query
doc_to_target: answer
target_delimiter: " "
generation_kwargs:
  until: ["\\n"]
  do_sample: false
  max_gen_toks: 64
metric_list:
  - metric: exact_match
    aggregation: mean
    higher_is_better: true
    regexes_to_ignore: ["[^A-Za-z]"]
    ignore_case: true
"""


def blank_records(passage: BlankedPassage) -> Iterator[dict[str, Any]]:
    """``{id, query, choices, gold}`` of each blank; `id` is ``PASSAGE:BLANK``, the blank from 1.

    >>> passage = BlankedPassage("b:4", ("It rained.", "We left.", "So?"), (0, 2), ("Jane sang.", "It rained.", "So?"), (1, 2))
    >>> [(record["id"], record["choices"][record["gold"]]) for record in blank_records(passage)]
    [('b:4:1', 'It rained.'), ('b:4:2', 'So?')]
    >>> print(next(blank_records(passage))["query"])
    _____ We left.
    <BLANKLINE>
    The sentence that stands at _____ is:
    """
    passage = without_marks(passage)
    for number, (blank, answer) in enumerate(zip(passage.blanks, passage.answers, strict=True), 1):
        texts = [_MARK if place == blank else sentence for place, sentence in enumerate(passage.shown)]
        text = " ".join(sentence for sentence in texts if sentence is not None)
        query = f"{text}\n\nThe sentence that stands at {_MARK} is:"
        yield {"id": f"{passage.id}:{number}", "query": query, "choices": list(passage.candidates), "gold": answer}


def passage_record(passage: BlankedPassage) -> dict[str, str]:
    """``{id, query, answer}``: all blanks and candidates, and the letters of the answers in the order of the blanks.

    Raises:
        FormatError: more candidates than letters.

    >>> passage = BlankedPassage("b:4", ("It rained.", "We left.", "So?"), (0, 2), ("Jane sang.", "It rained.", "So?"), (1, 2))
    >>> print(passage_record(passage)["query"], passage_record(passage)["answer"])
    Each blank of this passage is filled by one of the sentences listed below it, and no sentence fills two.
    <BLANKLINE>
    __1__ We left. __2__
    <BLANKLINE>
    A. Jane sang.
    B. It rained.
    C. So?
    <BLANKLINE>
    The letters of the sentences that fill blanks 1 to 2, in this order: B C
    """
    passage = without_marks(passage)
    if len(passage.candidates) > len(_LETTERS):
        found = f"passage {passage.id}: has {len(passage.candidates)} candidates"
        raise FormatError(f"{found}, and a task of whole passages has letters for {len(_LETTERS)}; set release.harness = false")
    numbers = {place: f"__{number}__" for number, place in enumerate(passage.blanks, 1)}
    text = " ".join(numbers.get(place, sentence) for place, sentence in enumerate(passage.sentences))
    candidates = "\n".join(f"{letter}. {candidate}" for letter, candidate in zip(_LETTERS, passage.candidates, strict=False))
    asked = f"The letters of the sentences that fill blanks 1 to {len(passage.blanks)}, in this order:"
    told = "Each blank of this passage is filled by one of the sentences listed below it, and no sentence fills two."
    answer = " ".join(_LETTERS[place] for place in passage.answers)
    return {"id": passage.id, "query": f"{told}\n\n{text}\n\n{candidates}\n\n{asked}", "answer": answer}


def harness_files(name: str, passages: Mapping[str, Sequence[BlankedPassage]], *, version: str, signature: str = "") -> dict[str, str]:
    """File name -> text: the YAML of both tasks and the JSON lines of each split.

    Args:
        passages: split (``train``, which examples are drawn from, ``validation``, ``test``) -> its passages.
        version: of the dataset, kept in the tasks' metadata with `signature`.
    """
    files: dict[str, str] = {}
    for task, yaml, records in (
        (f"{name}_blanks", _BLANKS_YAML, blank_records),
        (f"{name}_passage", _PASSAGE_YAML, lambda passage: [passage_record(passage)]),
    ):
        for split, some in passages.items():
            lines = (json.dumps(record, ensure_ascii=False) for passage in some for record in records(passage))
            files[f"{task}.{split}.jsonl"] = "".join(f"{line}\n" for line in lines)
        files[f"{task}.yaml"] = _head(task, passages) + yaml + _metadata(version, signature)
    return files


def _head(task: str, splits: Mapping[str, Any]) -> str:
    """Paths of the records are relative to the folder the harness is called from. Strings are written as JSON, which YAML reads."""
    paths = "".join(f"    {split}: {json.dumps(f'{task}.{split}.jsonl')}\n" for split in splits)
    used = "".join(f"{_SPLITS[split]}: {split}\n" for split in splits)
    return f"task: {json.dumps(task)}\ndataset_path: json\ndataset_kwargs:\n  data_files:\n{paths}{used}"


def _metadata(version: str, signature: str) -> str:
    return f"metadata:\n  version: {json.dumps(version)}\n  signature: {json.dumps(signature)}\n"
