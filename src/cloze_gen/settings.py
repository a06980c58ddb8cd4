"""The base class of all settings: strict types, no unknown keys, no infinity, no empty ranges.

The limits `MOST_COUNTED` and `MOST_EACH` catch typing errors.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self, get_args, get_origin

from pydantic import BaseModel, ConfigDict, model_validator

# Words, sentences, questions. The 522 books of the MSR challenge have 41 million words; 10**9 words
# are about 12,000 books.
MOST_COUNTED = 10**9
# Rows per item (alternates, draws). The largest number in the papers is 150.
MOST_EACH = 10_000


@dataclass(frozen=True, slots=True)
class IgnoredWhen:
    """Settings that are not read if other settings have certain values.

    Attributes:
        names: ``key`` in a group, ``group.key`` in a style's settings.
        when: setting -> its values, or a test of its value; all must match. A key with ``--`` is
            an option of the run; its value is whether it was given. Empty: never read.
    """

    names: tuple[str, ...]
    when: Mapping[str, tuple[Any, ...] | Callable[[Any], bool]]

    def reason(self, settings: BaseModel, options: Mapping[str, bool], prefix: str) -> str | None:
        """Why the settings are ignored; None if they are read, or an option is unknown."""
        conditions = []
        for key, values in self.when.items():
            is_option = key.startswith("--")
            if is_option and key not in options:
                return None
            value = options[key] if is_option else operator.attrgetter(key)(settings)
            if not (values(value) if callable(values) else value in values):
                return None
            conditions.append(
                f"a run {'with' if value else 'without'} {key}"
                if is_option
                else f"{prefix}{key} = {_value_text(value)}"
            )
        return f"{' and '.join(conditions) or 'this style'} {'do' if len(conditions) > 1 else 'does'} not read it"


def _value_text(value: Any) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(_value_text, value)) or "[]"
    return str(value).lower() if isinstance(value, bool) else str(value) if value != "" else '""'


def types_of(words: int) -> int:
    """Estimated number of word types by Heaps' formula, with constants for novels.

    >>> types_of(41_000_000), types_of(12_000)
    (512240, 8720)
    """
    return min(words, 80 * math.isqrt(words))


class SettingsGroup(BaseModel):
    """The settings of one step: frozen and strict (`true` and `"3"` are not numbers).

    >>> class Lengths(SettingsGroup):
    ...     min_tokens: int = 6
    ...     max_tokens: int = 36
    >>> try:
    ...     Lengths(min_tokens=40)
    ... except ValueError as error:
    ...     print(str(error).splitlines()[1].split("[")[0].strip())
    Value error, min_tokens = 40 is above max_tokens = 36, so no value is allowed
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)
    ignored_when: ClassVar[tuple[IgnoredWhen, ...]] = ()

    def memory_bytes(self, words: int) -> int:
        """Upper estimate of the memory for a corpus of `words` words, beyond the text itself."""
        return 0

    @model_validator(mode="after")
    def _ranges_are_not_empty(self) -> Self:
        """Refuse a `min_x` above its `max_x`."""
        for name in type(self).model_fields:
            most = f"max_{name.removeprefix('min_')}"
            if (
                name.startswith("min_")
                and most in type(self).model_fields
                and getattr(self, name) > getattr(self, most)
            ):
                raise ValueError(
                    f"{name} = {getattr(self, name)} is above {most} = {getattr(self, most)}, "
                    "so no value is allowed"
                )
        return self

    @model_validator(mode="after")
    def _choices_are_named_once(self) -> Self:
        for name, field in type(self).model_fields.items():
            if (
                get_origin(field.annotation) is tuple
                and get_origin(get_args(field.annotation)[0]) is Literal
            ):
                value = getattr(self, name)
                again = sorted({one for one in value if value.count(one) > 1})
                if again:
                    raise ValueError(f"{name} has {', '.join(again)} twice. Give each value once.")
        return self


def ignored_settings(settings: SettingsGroup, options: Mapping[str, bool]) -> dict[str, str]:
    """Ignored setting -> why; `options`: option of the run -> whether given; absent: unknown."""
    groups = {f"{name}.": group for name, group in settings if isinstance(group, SettingsGroup)}
    found: dict[str, str] = {}
    for prefix, group in {"": settings, **groups}.items():
        for rule in group.ignored_when:
            reason = rule.reason(group, options, prefix)
            if reason is not None:
                found |= {
                    f"{prefix}{name}": reason
                    for name in rule.names
                    if f"{prefix}{name}" not in found
                }
    return found


def without_ignored(settings: SettingsGroup, ignored: Collection[str]) -> SettingsGroup:
    """The same settings with these (`group.key`) at the default of their class.

    A step that gets the result cannot depend on an ignored setting.
    """
    changes: dict[str, dict[str, Any]] = {}
    for name in ignored:
        group, _, key = name.partition(".")
        field = type(getattr(settings, group)).model_fields[key]
        changes.setdefault(group, {})[key] = field.get_default(call_default_factory=True)
    return settings.model_copy(
        update={
            group: getattr(settings, group).model_copy(update=values)
            for group, values in changes.items()
        }
    )
