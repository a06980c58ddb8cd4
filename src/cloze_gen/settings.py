"""The base class of all settings: strict types, no unknown keys, no infinity, no empty ranges.

The limits `MOST_COUNTED` and `MOST_EACH` catch typing errors.
"""

from __future__ import annotations

from typing import Annotated, Any, Self, TypeVar

from pydantic import BaseModel, ConfigDict, model_validator

# Words, sentences, questions. The 522 books of the MSR challenge have 41 million words; 10**9 words
# are about 12,000 books.
MOST_COUNTED = 10**9
# Rows per item (alternates, draws). The largest number in the papers is 150.
MOST_EACH = 10_000

T = TypeVar("T")
_UNHASHED = "unhashed"
# A setting that does not change what its stage writes, or a path: the stage gets its content too.
Unhashed = Annotated[T, _UNHASHED]


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

    def hashed(self) -> dict[str, Any]:
        """The settings that are part of a stage's fingerprint, as JSON values."""
        fields = type(self).model_fields
        names = {name for name, field in fields.items() if _UNHASHED not in field.metadata}
        return self.model_dump(mode="json", include=names)
