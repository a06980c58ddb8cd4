"""Passages as two tasks of EleutherAI's lm-evaluation-harness: one for each rendering, under names that say which.

``NAME_published`` has the form of the published files, ``NAME_cased`` that of the book (`rendering`). A model's accuracy differs by many
points between the two, so neither is called by the set's bare name. The continuation is scored as it stands, blank included, and nothing
follows it; `acc` asks that every token of it be the model's first choice, `perplexity` is over targets.

Source: github.com/EleutherAI/lm-evaluation-harness, `lm_eval/tasks/lambada/` and `docs/task_guide.md` (`output_type: loglikelihood`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Literal

from cloze_gen.formats.lambada.rendering import cased_context, published_tokens
from cloze_gen.records.passage import Passage

Rendering = Literal["published", "cased"]
RENDERINGS: tuple[Rendering, ...] = ("published", "cased")


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


def task_name(name: str, rendering: Rendering) -> str:
    """Name of the task of one rendering, as given to ``--tasks``."""
    return f"{name}_{rendering}"


def task_yaml(name: str, rendering: Rendering, *, data_files: Mapping[str, str], version: str, signature: str = "") -> str:
    """The harness's task file for records of `harness_record`.

    Args:
        name: of the set; the task's own name says the rendering too (`task_name`).
        data_files: ``validation`` and ``test`` -> path of the records, relative to the folder the harness is called from.
        version: of the dataset, kept in the task's metadata with `signature`.

    Strings are written as JSON, which YAML reads as they are.
    """
    splits = "".join(f"    {split}: {json.dumps(path)}\n" for split, path in data_files.items())
    used = "".join(f"{split}_split: {split}\n" for split in data_files)
    return f"""\
task: {json.dumps(task_name(name, rendering))}
dataset_path: json
dataset_kwargs:
  data_files:
{splits}{used}output_type: loglikelihood
doc_to_text: "{{{{context}}}}"
doc_to_target: "{{{{continuation}}}}"
should_decontaminate: true
doc_to_decontamination_query: "{{{{text}}}}"
metric_list:
  - metric: perplexity
    aggregation: perplexity
    higher_is_better: false
  - metric: acc
    aggregation: mean
    higher_is_better: true
metadata:
  version: {json.dumps(version)}
  rendering: {json.dumps(rendering)}
  signature: {json.dumps(signature)}
"""


def harness_files(name: str, passages: Mapping[str, Sequence[Passage]], *, version: str, signature: str = "") -> dict[str, str]:
    """File name -> text: the YAML of both tasks and the JSON lines of each split.

    Args:
        passages: split (``validation``, ``test``) -> its passages.
    """
    files: dict[str, str] = {}
    for rendering in RENDERINGS:
        data_files = {split: f"{task_name(name, rendering)}.{split}.jsonl" for split in passages}
        for split, path in data_files.items():
            lines = (json.dumps(harness_record(passage, rendering), ensure_ascii=False) for passage in passages[split])
            files[path] = "".join(f"{line}\n" for line in lines)
        yaml = task_yaml(name, rendering, data_files=data_files, version=version, signature=signature)
        files[f"{task_name(name, rendering)}.yaml"] = yaml
    return files
