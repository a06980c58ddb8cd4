"""`cloze-gen settings`: every setting of a style with its value, its bounds and its meaning."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cloze_gen.columns import wrap
from cloze_gen.config import STYLE, allowed_values, toml_value
from cloze_gen.engine.progress import say
from cloze_gen.pipelines.build import forget_what_was_read
from cloze_gen.pipelines.styles import ignored_lines, load_settings, style_names, style_of


def settings_text(config: str, *, columns: int | None = None) -> str:
    """Every setting of a config with its value, what it may be and its meaning, as TOML that is a config itself.

    Args:
        columns: of the screen; a meaning that has no room beside its value stands above it.
    """
    forget_what_was_read()
    style = style_of(config)
    settings = load_settings(style.settings, config, "[]")
    for line in ignored_lines(style, config):
        say(line)
    said = f'{STYLE} = "{style.name}"'
    lines = [*_with_meaning(said, f"{', '.join(style_names())}: whose settings these are", columns), ""]
    for group, value in settings:
        lines.append(f"[{group}]")
        for name, field in type(value).model_fields.items():
            value_text = toml_value(value.model_dump(mode="json")[name])
            lines += _with_meaning(f"{name} = {value_text}", f"{allowed_values(field)}: {field.description}", columns)
        lines.append("")
    return "\n".join(lines)


def toml_of(style: str, settings: Mapping[str, Mapping[str, Any]]) -> str:
    """Settings, values of JSON, as a config; what is null is left out, for TOML has no such value.

    >>> print(toml_of("toy-style", {"focus": {"min_count": 2, "max_freq": None}}))
    style = "toy-style"
    [focus]
    min_count = 2
    <BLANKLINE>
    """
    lines = [f'{STYLE} = "{style}"']
    for group, values in settings.items():
        lines += [f"[{group}]", *(f"{name} = {toml_value(value)}" for name, value in values.items() if value is not None)]
    return "\n".join([*lines, ""])


def _with_meaning(line: str, meaning: str, columns: int | None) -> list[str]:
    """A line of TOML with its comment: beside it where both fit, else above.

    >>> _with_meaning("keep = 30", "alternates retained", 80), _with_meaning("keep = 30", "alternates retained", 20)
    (['keep = 30  # alternates retained'], ['# alternates', '# retained', 'keep = 30'])
    """
    both = f"{line}  # {meaning}".rstrip(" #")
    if columns is None or len(both) <= columns:
        return [both]
    return [*(f"# {part}" for part in wrap(meaning, columns - len("# "), indent=0)), line]
