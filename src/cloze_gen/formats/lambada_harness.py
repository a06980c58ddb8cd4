"""LAMBADA passages as tasks of lm-evaluation-harness, one per rendering and split."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from cloze_gen.formats.harness import (
    BLIND_COMMENT,
    HarnessGroup,
    HarnessTask,
    blind_group,
    blind_split,
    folder_files,
    json_lines,
    others,
)
from cloze_gen.formats.lambada import cased_context, published_tokens
from cloze_gen.records.passage import Passage

Rendering = Literal["published", "cased"]
RENDERINGS: tuple[Rendering, ...] = ("published", "cased")

_RENDERING_NAMES = {
    "published": "in the published form (lower case, Penn Treebank tokens)",
    "cased": "as printed in the book",
}
# Column names, not templates: a template parses a text that looks like a list as a list.
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
BLIND = {
    "sentence": "control: the target sentence without the sentences before it",
    "context": "control: the target sentence after the context of another passage (`other`)",
}
_WHY_NO_MEAN = (
    "Two forms of the same passages. Their figures differ by many points, so the group has no mean."
)
_COMMENT = (
    "Report acc: every token of the target is the first choice of the model. perplexity is over "
    "targets, not over tokens.",
    "The continuation includes the space before the target, so target_delimiter is empty.",
    "Do not use --apply_chat_template: the passage becomes a turn of the user, and the figures "
    "are not comparable.",
)


def harness_record(passage: Passage, rendering: Rendering) -> dict[str, str]:
    """``{id, text, context, continuation, target}``; `context` + `continuation` = `text`.

    >>> from cloze_gen.records.passage import Part
    >>> passage = Passage("b:1", "b", Part.TEST, (("Who", "?"), ('"', "Ann", ".", '"')), ("Who?", '"Ann."'), 1, 0, 1)
    >>> [harness_record(passage, rendering)["text"] for rendering in RENDERINGS]
    ['who ? `` ann', 'Who? "Ann']
    >>> [harness_record(passage, rendering)["continuation"] for rendering in RENDERINGS]
    [' ann', 'Ann']
    """
    return _record(passage.id, *prompt_text(passage, rendering))


def blind_records(passage: Passage, other: Passage) -> dict[str, dict[str, str]]:
    """Controls: the target sentence alone, and after the sentences before another passage's target.

    >>> from cloze_gen.records.passage import Part
    >>> one = Passage("b:1", "b", Part.TEST, (("Who", "?"), ("I", "am", ".")), ("Who?", "I am."), 1, 0, 1)
    >>> two = Passage("c:1", "c", Part.TEST, (("It", "rained", "."), ("Oh", ".")), ("It rained.", "Oh."), 0, 0, 1)
    >>> [record["text"] for record in blind_records(one, two).values()]
    ['I am', 'It rained. I am']
    """
    elsewhere = "".join(f"{text} " for text in other.texts[:-1])
    alone, after = (
        _record(passage.id, *_split(f"{before}{passage.opening}", passage.target))
        for before in ("", elsewhere)
    )
    return {"sentence": alone, "context": {**after, "other": other.id}}


def _record(record_id: str, context: str, continuation: str) -> dict[str, str]:
    return {
        "id": record_id,
        "text": context + continuation,
        "context": context,
        "continuation": continuation,
        "target": continuation.strip(),
    }


def prompt_text(passage: Passage, rendering: Rendering) -> tuple[str, str]:
    """Context for a causal model, and the target with the space before it, if any."""
    before, target = cased_context(passage), passage.target
    if rendering == "published":
        *words, target = published_tokens(passage)
        before = f"{' '.join(words)} "
    return _split(before, target)


def _split(before: str, target: str) -> tuple[str, str]:
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
    seed: int = 0,
) -> dict[str, str]:
    """Path below ``harness/`` -> text; `passages`: split (``validation``, ``test``) -> passages.

    `control`: unfiltered passages, with their own tasks. `examples`: few-shot examples, which must
    not overlap the others.
    """
    selected: list[tuple[str, str, str, Sequence[Passage], str]] = [
        (name, name, "test", passages.get("test", ()), "the test passages"),
        (
            f"{name}_validation",
            name,
            "validation",
            passages.get("validation", ()),
            "the validation passages",
        ),
        (
            f"{name}_control",
            f"{name}_control",
            "test",
            control,
            "the unfiltered control set",
        ),
    ]
    files: dict[str, str] = {}
    tasks: list[HarnessTask] = []
    groups: list[HarnessGroup] = []
    for prefix, owner, split, some, items in selected:
        if not some:
            continue
        for rendering in RENDERINGS:
            file, examples_file = (
                f"{owner}_{rendering}.{split}.jsonl",
                f"{name}_{rendering}.fewshot.jsonl" if examples else "",
            )
            for path, of_file in ((file, some), (examples_file, examples)):
                if path:
                    files[path] = json_lines(
                        (harness_record(one, rendering) for one in of_file), canary
                    )
            description = (
                f"{items} {_RENDERING_NAMES[rendering]}; `acc`, `perplexity`, `bits_per_byte`"
            )
            task_name = f"{prefix}_{rendering}"
            tasks.append(
                HarnessTask(
                    name=task_name,
                    description=description,
                    comment=_COMMENT,
                    body=_YAML,
                    results="target_results",
                    split=split,
                    file=file,
                    examples=examples_file,
                )
            )
        members = [f"{prefix}_{rendering}" for rendering in RENDERINGS]
        groups.append(HarnessGroup(name=f"{prefix}_both", tasks=members, comment=[_WHY_NO_MEAN]))
    if not tasks:
        return {}
    scored = [task.name for task in tasks if task.name.endswith("_cased")]
    if split := blind_split({split: len(some) for split, some in passages.items()}):
        some = passages[split]
        of_id = {one.id: one for one in some}
        other = others({one.id: one.book_id for one in some}, seed=seed)
        blind = _blind_tasks(name, split)
        tasks += blind
        groups.append(blind_group(name, blind))
        for kind, task in zip(BLIND, blind, strict=True):
            records = (blind_records(one, of_id[other[one.id]])[kind] for one in some)
            files[task.file] = json_lines(records, canary)
    return files | folder_files(
        tasks, groups, items="passages.jsonl", scored=scored, version=version, signature=signature
    )


def _blind_tasks(name: str, split: str) -> list[HarnessTask]:
    return [
        HarnessTask(
            name=f"{name}_blind_{kind}",
            description=f"{text}, {_RENDERING_NAMES['cased']}; `acc`, `perplexity`, `bits_per_byte`",
            comment=[*BLIND_COMMENT, *_COMMENT],
            body=_YAML,
            results="target_results",
            split=split,
            file=f"{name}_blind_{kind}.{split}.jsonl",
        )
        for kind, text in BLIND.items()
    ]
