"""What every group of settings has in common: nothing unknown, nothing turned into another kind, no infinity, no empty range.

A group stands above its step. Its bounds are of two kinds: what the step can mean (a share lies between 0 and 1), and what no corpus of
books can need (`MOST_COUNTED`, `MOST_EACH`), so that a slip of the finger is told at once and not after hours, or by lack of memory.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self, get_args, get_origin

from pydantic import BaseModel, ConfigDict, model_validator

MOST_COUNTED = 10**9  # words, sentences, questions: 41 million words are the 522 books of the challenge, 10**9 some 12,000 books
MOST_EACH = 10_000  # rows kept for each of thousands of items (alternates, draws): the papers' largest is 150


@dataclass(frozen=True, slots=True)
class IgnoredWhen:
    """Settings that no step reads while other settings have certain values.

    Attributes:
        names: the settings, as seen from where the rule is declared: ``key`` in a group, ``group.key`` in a style's settings.
        when: setting -> the values with which `names` are not read, or a test of its value; all must hold. A key that begins with ``--`` is
            an option of the run, and its value whether it was given. Without any, `names` are never read.
    """

    names: tuple[str, ...]
    when: Mapping[str, tuple[Any, ...] | Callable[[Any], bool]]

    def reason(self, settings: BaseModel, options: Mapping[str, bool], prefix: str) -> str | None:
        """Why the settings are ignored; None where they are read, or where the option that decides is not known."""
        told = []
        for key, values in self.when.items():
            is_option = key.startswith("--")
            if is_option and key not in options:
                return None
            value = options[key] if is_option else operator.attrgetter(key)(settings)
            if not (values(value) if callable(values) else value in values):
                return None
            told.append(f"a run {'with' if value else 'without'} {key}" if is_option else f"{prefix}{key} = {_value_text(value)}")
        return f"{' and '.join(told) or 'this style'} {'do' if len(told) > 1 else 'does'} not read it"


def _value_text(value: Any) -> str:
    """A setting's value in a message.

    >>> _value_text("random"), _value_text(True), _value_text(("ngram", "cache")), _value_text(1e-3), _value_text("")
    ('random', 'true', 'ngram, cache', '0.001', '""')
    """
    if isinstance(value, tuple):
        return ", ".join(map(_value_text, value)) or "[]"
    return str(value).lower() if isinstance(value, bool) else str(value) if value != "" else '""'


def types_of(words: int) -> int:
    """How many different words a text of so many words has at most; an estimate, by Heaps' law with the figures of novels.

    >>> types_of(41_000_000), types_of(12_000)
    (512240, 8720)
    """
    return min(words, 80 * math.isqrt(words))


class SettingsGroup(BaseModel):
    """The settings of one step. Frozen; `true` is no number, `"3"` is none either.

    >>> class Lengths(SettingsGroup):
    ...     min_tokens: int = 6
    ...     max_tokens: int = 36
    >>> try:
    ...     Lengths(min_tokens=40)
    ... except ValueError as error:
    ...     print(str(error).splitlines()[1].split("[")[0].strip())
    Value error, min_tokens = 40 is above max_tokens = 36, so nothing could pass
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)
    ignored_when: ClassVar[tuple[IgnoredWhen, ...]] = ()

    def memory_bytes(self, words: int) -> int:
        """Memory that these settings ask for where the text has so many words, beside what any text takes; an estimate, not too low.

        Only groups ask for any whose tables grow with a setting.
        """
        return 0

    @model_validator(mode="after")
    def _ranges_hold_something(self) -> Self:
        """Of two settings `min_x` and `max_x` the first is not above the second."""
        for name in type(self).model_fields:
            most = f"max_{name.removeprefix('min_')}"
            if name.startswith("min_") and most in type(self).model_fields and getattr(self, name) > getattr(self, most):
                raise ValueError(f"{name} = {getattr(self, name)} is above {most} = {getattr(self, most)}, so nothing could pass")
        return self

    @model_validator(mode="after")
    def _choices_are_named_once(self) -> Self:
        """A list of some of a few words names none of them twice."""
        for name, field in type(self).model_fields.items():
            if get_origin(field.annotation) is tuple and get_origin(get_args(field.annotation)[0]) is Literal:
                value = getattr(self, name)
                again = sorted({one for one in value if value.count(one) > 1})
                if again:
                    raise ValueError(f"{name} names {', '.join(again)} twice; name each once")
        return self


def ignored_settings(settings: SettingsGroup, options: Mapping[str, bool]) -> dict[str, str]:
    """`group.key` of each setting of a style that no step reads with these settings -> why.

    Args:
        options: option of the run, such as ``--train`` -> whether it was given; one that is not known decides nothing.
    """
    groups = {f"{name}.": group for name, group in settings if isinstance(group, SettingsGroup)}
    found: dict[str, str] = {}
    for prefix, group in {"": settings, **groups}.items():
        for rule in group.ignored_when:
            reason = rule.reason(group, options, prefix)
            if reason is not None:
                found |= {f"{prefix}{name}": reason for name in rule.names if f"{prefix}{name}" not in found}
    return found
