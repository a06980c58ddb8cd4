"""SCDE passages as tasks of lm-evaluation-harness.

``NAME_blanks`` is multiple choice by likelihood: `acc` is blank accuracy without joint decoding.
``NAME_passage`` generates the letters of all blanks: `exact_match` is the paper's PA (Kong, Gangal
& Hovy 2020, 5.2).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from cloze_gen.errors import FormatError
from cloze_gen.formats.harness import (
    BLIND_COMMENT,
    CHOICE_YAML_BY_LENGTH,
    LETTERS,
    HarnessGroup,
    HarnessTask,
    blind_group,
    blind_split,
    folder_files,
    json_lines,
    others,
)
from cloze_gen.formats.questions import BLANK_MARK
from cloze_gen.formats.scde import without_marks
from cloze_gen.records.blanked_passage import BlankedPassage

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
_BLANKS_COMMENT = (
    "Report acc: the share of blanks with the highest sum of log-probabilities for the answer; "
    "each blank is scored alone.",
    "acc_norm divides the sum by the number of characters of the candidate; candidates differ "
    "much in length.",
    "With --apply_chat_template the candidate begins the turn of the model, without a space "
    "before it.",
)
_PASSAGE_COMMENT = (
    "exact_match: all letters of the passage are right; other characters are ignored.",
)
BLIND = {
    "options": "control: the candidates of each blank without a passage",
    "passage": "control: the candidates of each blank with a blank of another passage (`other`)",
}
_WHY_NO_MEAN = "One task counts blanks, the other whole passages, so the group has no mean."


def blank_records(passage: BlankedPassage) -> Iterator[dict[str, Any]]:
    """``{id, query, choices, gold}`` of each blank; `id` is ``PASSAGE:BLANK``, the blank from 1.

    The query marks this blank and leaves out the other blanks.

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
        texts = [
            BLANK_MARK if place == blank else sentence
            for place, sentence in enumerate(passage.shown)
        ]
        text = " ".join(sentence for sentence in texts if sentence is not None)
        query = f"{text}\n\nThe sentence that stands at {BLANK_MARK} is:"
        yield {
            "id": f"{passage.id}:{number}",
            "query": query,
            "choices": list(passage.candidates),
            "gold": answer,
        }


def blind_records(
    passage: BlankedPassage, other: BlankedPassage
) -> dict[str, list[dict[str, Any]]]:
    """Controls, a record for each blank: the candidates alone, and with a blank of another passage.

    >>> passage = BlankedPassage("b:4", ("It rained.", "So?"), (0,), ("Jane sang.", "It rained."), (1,))
    >>> other = BlankedPassage("c:1", ("We left.", "Oh."), (1,), ("Oh.", "Ah."), (0,))
    >>> [(record["query"][:14], record["choices"][record["gold"]]) for [record] in blind_records(passage, other).values()]
    [('', 'It rained.'), ('We left. _____', 'It rained.')]
    """
    own, borrowed = list(blank_records(passage)), [one["query"] for one in blank_records(other)]
    return {
        "options": [{**one, "query": ""} for one in own],
        "passage": [
            {**one, "query": borrowed[place % len(borrowed)], "other": other.id}
            for place, one in enumerate(own)
        ],
    }


def passage_record(passage: BlankedPassage) -> dict[str, str]:
    """``{id, query, answer}``: the letters of all blanks in order.

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
    if len(passage.candidates) > len(LETTERS):
        raise FormatError(
            f"passage {passage.id} has {len(passage.candidates)} candidates, but a harness task has "
            f"letters for only {len(LETTERS)}; set release.harness = false"
        )
    numbers = {place: f"__{number}__" for number, place in enumerate(passage.blanks, 1)}
    text = " ".join(
        numbers.get(place, sentence) for place, sentence in enumerate(passage.sentences)
    )
    candidates = "\n".join(
        f"{letter}. {candidate}"
        for letter, candidate in zip(LETTERS, passage.candidates, strict=False)
    )
    request = (
        f"The letters of the sentences that fill blanks 1 to {len(passage.blanks)}, in this order:"
    )
    instruction = (
        "Each blank of this passage is filled by one of the sentences listed below it, and no "
        "sentence fills two."
    )
    answer = " ".join(LETTERS[place] for place in passage.answers)
    return {
        "id": passage.id,
        "query": f"{instruction}\n\n{text}\n\n{candidates}\n\n{request}",
        "answer": answer,
    }


def harness_files(
    name: str,
    passages: Mapping[str, Sequence[BlankedPassage]],
    *,
    version: str,
    signature: str = "",
    canary: str = "",
    seed: int = 0,
) -> dict[str, str]:
    """Path below ``harness/`` -> text; `passages`: split -> passages, ``train`` for few-shot."""
    splits = {
        split: some for split in ("train", "validation", "test") if (some := passages.get(split))
    }
    files: dict[str, str] = {}
    tasks: list[HarnessTask] = []
    groups: list[HarnessGroup] = []
    for prefix, split in ((name, "test"), (f"{name}_validation", "validation")):
        if split not in splits:
            continue
        two = [
            task(name, prefix, split, with_examples="train" in splits)
            for task in (_blanks_task, _passage_task)
        ]
        tasks += two
        groups.append(
            HarnessGroup(
                name=f"{prefix}_both", tasks=[task.name for task in two], comment=[_WHY_NO_MEAN]
            )
        )
    if not tasks:
        return {}
    prompt_records: dict[str, Callable[[BlankedPassage], Iterator[dict[str, Any]]]]
    prompt_records = {
        "blanks": blank_records,
        "passage": lambda passage: iter([passage_record(passage)]),
    }
    for kind, records in prompt_records.items():
        for split, found in splits.items():
            lines = (record for passage in found for record in records(passage))
            files[f"{name}_{kind}.{split}.jsonl"] = json_lines(lines, canary)
    scored = [task.name for task in tasks if task.name.endswith("_blanks")]
    if split := blind_split({split: len(some) for split, some in splits.items()}):
        of_id = {one.id: one for one in splits[split]}
        other = others({one: one.rpartition(":")[0] for one in of_id}, seed=seed)
        blind = _blind_tasks(name, split)
        tasks += blind
        groups.append(blind_group(name, blind))
        for kind, task in zip(BLIND, blind, strict=True):
            lines = (
                record
                for one in of_id.values()
                for record in blind_records(one, of_id[other[one.id]])[kind]
            )
            files[task.file] = json_lines(lines, canary)
    return files | folder_files(
        tasks, groups, items="passages.jsonl", scored=scored, version=version, signature=signature
    )


def _blanks_task(name: str, prefix: str, split: str, *, with_examples: bool) -> HarnessTask:
    return HarnessTask(
        name=f"{prefix}_blanks",
        description=f"each blank of the {split} passages alone, by the likelihood of the candidates; "
        "`acc`, `bits_per_byte`",
        comment=_BLANKS_COMMENT,
        body=CHOICE_YAML_BY_LENGTH,
        results="option_results_by_length",
        split=split,
        file=f"{name}_blanks.{split}.jsonl",
        examples=f"{name}_blanks.train.jsonl" if with_examples else "",
    )


def _passage_task(name: str, prefix: str, split: str, *, with_examples: bool) -> HarnessTask:
    return HarnessTask(
        name=f"{prefix}_passage",
        description=f"all blanks of each {split} passage together, answered with letters; "
        "`exact_match`",
        comment=_PASSAGE_COMMENT,
        body=_PASSAGE_YAML,
        split=split,
        file=f"{name}_passage.{split}.jsonl",
        examples=f"{name}_passage.train.jsonl" if with_examples else "",
    )


def _blind_tasks(name: str, split: str) -> list[HarnessTask]:
    return [
        HarnessTask(
            name=f"{name}_blind_{kind}",
            description=f"{text}; `acc`, `bits_per_byte`",
            comment=[*BLIND_COMMENT, *_BLANKS_COMMENT],
            body=CHOICE_YAML_BY_LENGTH,
            results="option_results_by_length",
            split=split,
            file=f"{name}_blind_{kind}.{split}.jsonl",
        )
        for kind, text in BLIND.items()
    ]
