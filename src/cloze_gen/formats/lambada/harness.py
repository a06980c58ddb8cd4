"""Passages as tasks of EleutherAI's lm-evaluation-harness: one for each rendering, under names that say which.

``NAME_published`` has the form of the published files, ``NAME_cased`` that of the book (`rendering`). A model's accuracy differs by many
points between the two, so neither is called by the set's bare name. The continuation is scored as it stands, blank included, and nothing
follows it; `acc` asks that every token of it be the model's first choice, `perplexity` is over targets.

The harness measures one split of a task, so the validation passages have tasks of their own, ``NAME_validation_*``, and so has the control
set, ``NAME_control_*``. Each of the three has a group of its two renderings: whoever asks for the set gets the set, and nothing unfiltered.

Source: github.com/EleutherAI/lm-evaluation-harness, `lm_eval/tasks/lambada/` and `docs/task_guide.md` (`output_type: loglikelihood`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from cloze_gen.formats.harness_task import HarnessGroup, HarnessTask, folder_files, json_lines
from cloze_gen.formats.lambada.rendering import cased_context, published_tokens
from cloze_gen.records.passage import Passage

Rendering = Literal["published", "cased"]
RENDERINGS: tuple[Rendering, ...] = ("published", "cased")

_TOLD = {
    "published": "in the published form (small letters, cut as a treebank cuts)",
    "cased": "in the form that the book prints",
}
# The names of columns, not templates: what a template makes of a text that looks like a list of Python is that list.
_YAML = """\
output_type: loglikelihood
doc_to_text: context
doc_to_target: continuation
target_delimiter: ""
should_decontaminate: true
doc_to_decontamination_query: text
metric_list:
  - metric: acc
    aggregation: mean
    higher_is_better: true
  - metric: perplexity
    aggregation: perplexity
    higher_is_better: false
"""
_WHY_NO_MEAN = "Two forms of the same passages, whose figures differ by many points; their mean would be neither's, so none is given."
_COMMENT = (
    "acc is the figure to report: every token of the target is the model's first choice. perplexity is over targets, not over tokens.",
    "The continuation holds the blank before the target, so target_delimiter is empty.",
    "--apply_chat_template makes the passage a turn of the user's, and the target the start of the answer: no figure to set beside others.",
)


def harness_record(passage: Passage, rendering: Rendering) -> dict[str, str]:
    """``{id, text, context, continuation, target}``; `context` and `continuation` joined are `text`, which ends in `target`.

    >>> from cloze_gen.records.passage import Part
    >>> passage = Passage("b:1", "b", Part.TEST, (("Who", "?"), ('"', "Ann", ".", '"')), ("Who?", '"Ann."'), 1, 0, 1)
    >>> [harness_record(passage, rendering)["text"] for rendering in RENDERINGS]
    ['who ? `` ann', 'Who? "Ann']
    >>> [harness_record(passage, rendering)["continuation"] for rendering in RENDERINGS]
    [' ann', 'Ann']
    """
    context, continuation = asked_text(passage, rendering)
    return {
        "id": passage.id,
        "text": context + continuation,
        "context": context,
        "continuation": continuation,
        "target": continuation.strip(),
    }


def asked_text(passage: Passage, rendering: Rendering) -> tuple[str, str]:
    """What stands before the target, and the target with the blank before it, if one is: what a causal model is asked."""
    before, target = cased_context(passage), passage.target
    if rendering == "published":
        *words, target = published_tokens(passage)
        before = f"{' '.join(words)} "
    context = before.rstrip(" ")
    return context, f"{before[len(context) :]}{target}"


def harness_files(
    name: str,
    passages: Mapping[str, Sequence[Passage]],
    *,
    control: Sequence[Passage] = (),
    examples: Sequence[Passage] = (),
    version: str,
    signature: str = "",
    canary: str = "",
) -> dict[str, str]:
    """Path below ``harness/`` -> text; nothing where there is nothing to ask about.

    Args:
        name: of the set; a task's own name says set and rendering too.
        passages: split (``validation``, ``test``) -> its passages; a split that has none has no task.
        control: what nothing has filtered, for tasks of its own.
        examples: passages that none of these overlaps, for few-shot prompts of all tasks.
        version: of the dataset, kept in the tasks' metadata with `signature`.
        canary: a column of every record, if there is one.
    """
    asked: list[tuple[str, str, str, Sequence[Passage], str]] = [
        (name, name, "test", passages.get("test", ()), "the test passages"),
        (f"{name}_validation", name, "validation", passages.get("validation", ()), "the validation passages"),
        (f"{name}_control", f"{name}_control", "test", control, "the control set, which nothing has filtered,"),
    ]
    files: dict[str, str] = {}
    tasks: list[HarnessTask] = []
    groups: list[HarnessGroup] = []
    for prefix, owner, split, some, whom in asked:
        if not some:
            continue
        for rendering in RENDERINGS:
            file, shown = f"{owner}_{rendering}.{split}.jsonl", f"{name}_{rendering}.fewshot.jsonl" if examples else ""
            for path, of_file in ((file, some), (shown, examples)):
                if path:
                    files[path] = json_lines((harness_record(one, rendering) for one in of_file), canary)
            told = f"{whom} {_TOLD[rendering]}; `acc`, `perplexity`"
            named = f"{prefix}_{rendering}"
            tasks.append(HarnessTask(name=named, told=told, comment=_COMMENT, body=_YAML, split=split, file=file, examples=shown))
        members = [f"{prefix}_{rendering}" for rendering in RENDERINGS]
        groups.append(HarnessGroup(name=f"{prefix}_both", tasks=members, comment=[_WHY_NO_MEAN]))
    if not tasks:
        return {}
    scored = [task.name for task in tasks if task.name.endswith("_cased")]
    return files | folder_files(tasks, groups, items="passages.jsonl", scored=scored, version=version, signature=signature)
