"""`cloze-gen run`, `explain` and `settings`."""

from __future__ import annotations

import json
import shlex
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from cloze_gen.adapters.terminal import show
from cloze_gen.api.run import carry_out, overrides_of, prepared, task_of_run
from cloze_gen.cli.arguments import DEFAULT_OUT
from cloze_gen.cli.explain import plan_text, replaced_text, was_sample
from cloze_gen.config import STYLE, allowed_values, toml_value
from cloze_gen.engine.progress import say
from cloze_gen.errors import UsageError
from cloze_gen.pipelines.styles import load_settings, style_names, style_of
from cloze_gen.store.runs import find_run, read_run


def explain(out: Path, run_name: str, overrides: Sequence[str]) -> str:
    folder = find_run(out, run_name)
    task = task_of_run(folder, overrides=[*read_run(folder)["overrides"], *overrides])
    return plan_text(task)


# ---- `cloze-gen run`


def run(*, config: str, dry_run: bool, **parameters: Any) -> None:
    task = prepared(config=config, **parameters)
    if task.sides.is_sample and config != task.of_style.sample_config:
        books = f"--{task.of_style.drawn_from}"
        if not was_sample(task):
            raise UsageError(
                f"no {books} given: the set {task.run_name} of other books would be replaced by one of the "
                f"embedded sample. Nothing was run. Give {books}, or another --name."
            )
        say(f"no {books} given: using the embedded sample")
    if replaced := replaced_text(task):
        say(replaced)
    if dry_run:
        show(plan_text(task))
        task.pipeline.check_early(task.stages)
        return
    made = carry_out(task)
    show(str(made))
    out = [] if task.store.root == DEFAULT_OUT else ["--out", str(task.store.root)]
    export = ["cloze-gen", "export", made.name, *out, "--to", "quiz.html"]
    say(f"for a quiz for people: {shlex.join(export)}")


def input_overrides(text_column: str, keep_splits: bool) -> list[str]:
    """The short options as settings.

    >>> input_overrides("content", True)
    ['input.text_column="content"', 'input.keep_splits=true']
    """
    given = {
        "input.text_column": text_column,
        "input.keep_splits": keep_splits,
    }
    return overrides_of({name: value for name, value in given.items() if value})


# ---- `cloze-gen settings`

_MOST_CHARS = 100  # of a line with its description


def settings_text(config: str, *, new: bool = False) -> str:
    """Every setting with value, bounds and description, as a TOML config.

    `new`: with the style's changes for a new folder.
    """
    style = style_of(config)
    settings = load_settings(style.settings, config, "[]")
    if new:
        changes = json.dumps(style.new_settings(settings))
        settings = load_settings(style.settings, config, changes)
    style_line = f'{STYLE} = "{style.name}"'
    lines = [
        *_with_description(style_line, f"{', '.join(style_names())}: style of these settings"),
        "",
    ]
    for group, value in settings:
        lines.append(f"[{group}]")
        for name, field in type(value).model_fields.items():
            value_text = toml_value(value.model_dump(mode="json")[name])
            lines += _with_description(
                f"{name} = {value_text}", f"{allowed_values(field)}; {field.description}"
            )
        lines.append("")
    return "\n".join(lines)


def toml_of(style: str, settings: Mapping[str, Mapping[str, Any]]) -> str:
    """Settings with JSON values as a TOML config; nulls are left out, since TOML has none.

    >>> print(toml_of("toy-style", {"focus": {"min_count": 2, "max_freq": None}}))
    style = "toy-style"
    [focus]
    min_count = 2
    <BLANKLINE>
    """
    lines = [f'{STYLE} = "{style}"']
    for group, values in settings.items():
        lines += [
            f"[{group}]",
            *(
                f"{name} = {toml_value(value)}"
                for name, value in values.items()
                if value is not None
            ),
        ]
    return "\n".join([*lines, ""])


def _with_description(line: str, description: str) -> list[str]:
    """A line of TOML with its description: on the same line if it fits, else above.

    >>> _with_description("keep = 30", "alternates retained")
    ['keep = 30  # alternates retained']
    """
    both = f"{line}  # {description}".rstrip(" #")
    if len(both) <= _MOST_CHARS:
        return [both]
    return [*(f"# {part}" for part in textwrap.wrap(description, _MOST_CHARS - 2)), line]
