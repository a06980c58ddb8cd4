"""Blanked passages as tasks of EleutherAI's lm-evaluation-harness: each blank by itself, and the whole passage at once.

``NAME_blanks`` is multiple choice by likelihood, a document a blank. `query` is the passage with that blank marked, the other blanks left
out, and a question; a choice is a candidate. `acc` takes the best sum of log-probabilities, `acc_norm` divides it by the candidate's length
in characters, and candidates differ in length a good deal. Each blank is asked alone, so a candidate may be taken for two of them: `acc` is
the share of all blanks (the micro average) that a solver gets right which assigns nothing. What a joint decoder makes of the same
log-probabilities is for ``cloze-gen evaluate --scores`` to say.

``NAME_passage`` is generation, a document a passage: all blanks are marked with their numbers, the candidates have letters, and the letters
are asked for in the order of the blanks. `exact_match` asks that all be right, which is the paper's PA; what is no letter is not compared,
so ``1-F, 2-E`` is ``F E``. The harness counts no single blanks here. `acc` and `exact_match` are shares of different things, blanks and
passages, so the group of both has no figure.

The harness measures one split of a task, so the validation passages have tasks of their own, ``NAME_validation_*``. Few-shot examples are
the training passages, which no task measures and whose books give no other passage.

Between query and choice stands one blank (`target_delimiter`), which ``--apply_chat_template`` takes away.

Source: Kong, Gangal & Hovy 2020, 5.2 (BA, PA); github.com/EleutherAI/lm-evaluation-harness, `docs/task_guide.md` (`multiple_choice`,
`generate_until`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from cloze_gen.errors import FormatError
from cloze_gen.formats.harness_task import CHOICE_YAML_BY_LENGTH, LETTERS, HarnessGroup, HarnessTask, folder_files, json_lines
from cloze_gen.formats.printed import BLANK_MARK
from cloze_gen.formats.scde.published import without_marks
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
    "acc is the figure to report: of all blanks, each asked alone, the share whose answer has the highest sum of log-probabilities.",
    "acc_norm divides the sum by the characters of the candidate, and candidates differ in length a good deal.",
    "--apply_chat_template empties target_delimiter, which glues the candidate to the query: it then begins the model's turn.",
)
_PASSAGE_COMMENT = ("exact_match: all letters of the passage are right; what is no letter is not compared.",)
_WHY_NO_MEAN = "One counts blanks, the other whole passages; the mean of their figures would count nothing, so none is given."


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
        texts = [BLANK_MARK if place == blank else sentence for place, sentence in enumerate(passage.shown)]
        text = " ".join(sentence for sentence in texts if sentence is not None)
        query = f"{text}\n\nThe sentence that stands at {BLANK_MARK} is:"
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
    if len(passage.candidates) > len(LETTERS):
        found = f"passage {passage.id}: has {len(passage.candidates)} candidates"
        raise FormatError(f"{found}, and a task of whole passages has letters for {len(LETTERS)}; set release.harness = false")
    numbers = {place: f"__{number}__" for number, place in enumerate(passage.blanks, 1)}
    text = " ".join(numbers.get(place, sentence) for place, sentence in enumerate(passage.sentences))
    candidates = "\n".join(f"{letter}. {candidate}" for letter, candidate in zip(LETTERS, passage.candidates, strict=False))
    asked = f"The letters of the sentences that fill blanks 1 to {len(passage.blanks)}, in this order:"
    told = "Each blank of this passage is filled by one of the sentences listed below it, and no sentence fills two."
    answer = " ".join(LETTERS[place] for place in passage.answers)
    return {"id": passage.id, "query": f"{told}\n\n{text}\n\n{candidates}\n\n{asked}", "answer": answer}


def harness_files(
    name: str, passages: Mapping[str, Sequence[BlankedPassage]], *, version: str, signature: str = "", canary: str = ""
) -> dict[str, str]:
    """Path below ``harness/`` -> text; nothing where there is nothing to ask about.

    Args:
        passages: split (``train``, the few-shot examples, ``validation``, ``test``) -> its passages; one that has none has no task.
        version: of the dataset, kept in the tasks' metadata with `signature`.
        canary: a column of every record, if there is one.
    """
    splits = {split: some for split in ("train", "validation", "test") if (some := passages.get(split))}
    files: dict[str, str] = {}
    tasks: list[HarnessTask] = []
    groups: list[HarnessGroup] = []
    for prefix, asked in ((name, "test"), (f"{name}_validation", "validation")):
        if asked not in splits:
            continue
        two = [task(name, prefix, asked, with_examples="train" in splits) for task in (_blanks_task, _passage_task)]
        tasks += two
        groups.append(HarnessGroup(name=f"{prefix}_both", tasks=[task.name for task in two], comment=[_WHY_NO_MEAN]))
    if not tasks:
        return {}
    asked_records: dict[str, Callable[[BlankedPassage], Iterator[dict[str, Any]]]]
    asked_records = {"blanks": blank_records, "passage": lambda passage: iter([passage_record(passage)])}
    for kind, records in asked_records.items():
        for split, found in splits.items():
            lines = (record for passage in found for record in records(passage))
            files[f"{name}_{kind}.{split}.jsonl"] = json_lines(lines, canary)
    scored = [task.name for task in tasks if task.name.endswith("_blanks")]
    return files | folder_files(tasks, groups, items="passages.jsonl", scored=scored, version=version, signature=signature)


def _blanks_task(name: str, prefix: str, asked: str, *, with_examples: bool) -> HarnessTask:
    return HarnessTask(
        name=f"{prefix}_blanks",
        told=f"each blank of the {asked} passages by itself, by the likelihood of the candidates; `acc`",
        comment=_BLANKS_COMMENT,
        body=CHOICE_YAML_BY_LENGTH,
        split=asked,
        file=f"{name}_blanks.{asked}.jsonl",
        examples=f"{name}_blanks.train.jsonl" if with_examples else "",
    )


def _passage_task(name: str, prefix: str, asked: str, *, with_examples: bool) -> HarnessTask:
    return HarnessTask(
        name=f"{prefix}_passage",
        told=f"all blanks of each of the {asked} passages at once, answered in letters; `exact_match`",
        comment=_PASSAGE_COMMENT,
        body=_PASSAGE_YAML,
        split=asked,
        file=f"{name}_passage.{asked}.jsonl",
        examples=f"{name}_passage.train.jsonl" if with_examples else "",
    )
