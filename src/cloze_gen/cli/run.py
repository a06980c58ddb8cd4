"""`cloze-gen run`, `explain` and `settings`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from cloze_gen.adapters.terminal import show
from cloze_gen.api.run import carry_out, overrides_of, prepared, task_of_run
from cloze_gen.cli.explain import plan_text, replaced_text, was_sample
from cloze_gen.config import STYLE, allowed_values, toml_value
from cloze_gen.engine.progress import say
from cloze_gen.errors import UsageError
from cloze_gen.pipelines.styles import load_settings, style_names, style_of
from cloze_gen.store.runs import find_run, read_run


def explain(out: Path, run_name: str, overrides: Sequence[str]) -> str:
    folder = find_run(out, run_name)
    overrides = [*read_run(folder)["overrides"], *overrides]
    task = task_of_run(folder, overrides=overrides, plan_only=True)
    return plan_text(task)


# ---- `cloze-gen run`


def run(
    *,
    config: str,
    overrides: Sequence[str],
    text_column: str,
    keep_splits: bool,
    dry_run: bool,
    **parameters: Any,
) -> None:
    options = {"input.text_column": text_column, "input.keep_splits": keep_splits}
    by_options = overrides_of({name: value for name, value in options.items() if value})
    task = prepared(
        config=config, overrides=[*overrides, *by_options], plan_only=dry_run, **parameters
    )
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
    show(str(carry_out(task)))


# ---- `cloze-gen settings`


def settings_text(config: str, *, new: bool = False) -> str:
    """Every setting with value, bounds and description, as a TOML config.

    `new`: with the style's changes for a new folder.
    """
    style = style_of(config)
    settings = load_settings(style.settings, config)
    if new:
        settings = load_settings(style.settings, config, style.new_settings(settings))
    lines = [f'{STYLE} = "{style.name}"  # {", ".join(style_names())}', ""]
    for group, values in settings:
        lines.append(f"[{group}]")
        for name, value in values.model_dump(mode="json").items():
            meaning = type(values).model_fields[name].description
            allowed = allowed_values(type(values), name)
            lines.append(f"{name} = {toml_value(value)}  # {allowed}; {meaning}")
        lines.append("")
    return "\n".join(lines)


def toml_of(style: str, settings: Mapping[str, Mapping[str, Any]]) -> str:
    """Settings with JSON values as a TOML config.

    >>> print(toml_of("toy-style", {"focus": {"min_count": 2}}))
    style = "toy-style"
    [focus]
    min_count = 2
    <BLANKLINE>
    """
    lines = [f'{STYLE} = "{style}"']
    for group, values in settings.items():
        lines.append(f"[{group}]")
        lines += [f"{name} = {toml_value(value)}" for name, value in values.items()]
    return "\n".join([*lines, ""])
