"""Questions as two tasks of EleutherAI's lm-evaluation-harness: the sentence by its likelihood, and options with letters.

``NAME`` scores ``choice`` given ``query`` and takes the best sum of log-probabilities (`acc`). So `query` is the sentence before the gap
and a choice is the option *with the rest of the sentence*: the sum then ranks the options as the whole-sentence score does, what stands
before the gap being the same for all. `acc_norm` divides by the choice's length in characters.

``NAME_letters`` shows the sentence with a blank and the options with letters, as examinations do; the choices are the letters. A base model
may be good at one and poor at the other, so they are two tasks, and a group of them has no figure of its own.

Bytes: between query and choice the harness puts `target_delimiter`, one space, so neither a query ends nor a choice begins with one; a gap
that comes first has an empty query.

Source: github.com/EleutherAI/lm-evaluation-harness, `docs/task_guide.md` (`output_type: multiple_choice`, `doc_to_text`, `doc_to_choice`,
`doc_to_target`).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from cloze_gen.formats.harness_task import CHOICE_YAML, CHOICE_YAML_BY_LENGTH, LETTERS, HarnessGroup, HarnessTask, folder_files, json_lines
from cloze_gen.formats.printed import as_printed, blanked_sentence
from cloze_gen.records.question import Question


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


def letters_record(question: Question) -> dict[str, Any]:
    """``{id, query, choices, gold}``: the sentence with a blank and its options, a letter for each of at most 26.

    >>> print(letters_record(Question("b:0:1", "b", ("We", "hide", "it", "."), 1, ("eat", "hide"), 1))["query"])
    We _____ it.
    <BLANKLINE>
    A. eat
    B. hide
    <BLANKLINE>
    The letter of the word that fills the blank:
    """
    letters = LETTERS[: len(question.options)]
    options = "\n".join(f"{letter}. {option}" for letter, option in zip(letters, question.options, strict=True))
    query = f"{blanked_sentence(question)}\n\n{options}\n\nThe letter of the word that fills the blank:"
    return {"id": question.id, "query": query, "choices": list(letters), "gold": question.answer_index}


def harness_files(
    name: str,
    questions: Sequence[Question],
    *,
    examples: Sequence[Question] = (),
    version: str,
    signature: str = "",
    canary: str = "",
) -> dict[str, str]:
    """Path below ``harness/`` -> text; without questions nothing, and no lettered task where one has more options than there are letters.

    Args:
        name: of the set, and of the task of likelihood.
        examples: questions that are not of the set, for few-shot prompts.
        version: of the dataset, kept in the tasks' metadata with `signature`.
        canary: a column of every record, if there is one.
    """
    if not questions:
        return {}
    splits = {"test": questions} | ({"fewshot": examples} if examples else {})
    records = {name: harness_record}
    tasks, groups = [_likelihood_task(name, splits)], []
    if max(len(question.options) for some in splits.values() for question in some) <= len(LETTERS):
        records[f"{name}_letters"] = letters_record
        tasks.append(_letters_task(f"{name}_letters", splits))
        comment = "Two ways of asking about the same sentences; the mean of their figures would be neither's, so none is given."
        groups.append(HarnessGroup(name=f"{name}_both", tasks=[task.name for task in tasks], comment=[comment]))
    files = {
        _file(task, split): json_lines(map(record, some), canary) for task, record in records.items() for split, some in splits.items()
    }
    return files | folder_files(tasks, groups, items="questions.jsonl", scored=[name], version=version, signature=signature)


def _file(task: str, split: str) -> str:
    return f"{task}.{split}.jsonl"


def _likelihood_task(name: str, splits: Collection[str]) -> HarnessTask:
    return HarnessTask(
        name=name,
        told="the sentence by its likelihood: what stands before the gap, then option and rest; `acc`",
        comment=[
            "acc is the figure to report: the option whose sentence has the highest sum of log-probabilities.",
            "acc_norm divides the sum by the characters of the option and of the rest of the sentence, which all options share.",
            "--apply_chat_template empties target_delimiter, which glues the option to the query, and cuts the sentence in two turns;",
            f"for a chat model take {name}_letters.",
        ],
        body=CHOICE_YAML_BY_LENGTH,
        file=_file(name, "test"),
        examples=_file(name, "fewshot") if "fewshot" in splits else "",
    )


def _letters_task(name: str, splits: Collection[str]) -> HarnessTask:
    return HarnessTask(
        name=name,
        told="the sentence with a blank, the options with letters; a letter is the answer; `acc`",
        comment=[
            "acc is the figure to report: the letter of the highest log-probability. Letters are equally long, so there is no acc_norm.",
            "--apply_chat_template empties target_delimiter: the letter then begins the model's turn, without a blank before it.",
        ],
        body=CHOICE_YAML,
        file=_file(name, "test"),
        examples=_file(name, "fewshot") if "fewshot" in splits else "",
    )
