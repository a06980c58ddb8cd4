"""Records of `evaluation.json`, which `cloze-gen evaluate` writes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Protocol, Self

from pydantic import BaseModel, ConfigDict, ValidationError

from cloze_gen.errors import FormatError
from cloze_gen.parsing import quote

# Raise it if the meaning of a row changes, or the built-in tagger.
EVALUATION_VERSION = 8


class Recorded(BaseModel):
    """A JSON object of `evaluation.json`; unset fields are left out."""

    model_config = ConfigDict(frozen=True, allow_inf_nan=False)


class Row(Recorded):
    """Results of one baseline; shares are between 0 and 1.

    Attributes:
        source: the section of the paper; empty without one.
        note: for people, the source of the annotations; for others, why a figure is missing.
        book_margin: half-width of the main figure's 95 % interval, clustered by book; None for one
            book, or if not measured.
    """

    name: str
    kind: str
    source: str = ""
    note: str = ""
    book_margin: float | None = None

    @property
    def label(self) -> str:
        return self.name

    @property
    def share(self) -> tuple[float, float, float] | None:
        """Main figure with its 95 % interval; None if not measured."""
        raise NotImplementedError

    @property
    def method(self) -> str:
        """How it was measured, for the card; may be empty."""
        raise NotImplementedError


BY_BOOK = "± by book"  # column of `book_margin`


def margin_cell(row: Row) -> str:
    return "-" if row.book_margin is None else f"{100 * row.book_margin:.2f}"


class Result(Protocol):
    @property
    def row(self) -> Row: ...

    def predictions(self) -> Iterator[dict[str, Any]]: ...


class Evaluation(Recorded):
    """All of `evaluation.json`."""

    of: ClassVar[str] = ""  # kind of items, for messages

    version: int = 0
    items: str = ""
    n: int
    signature: str = ""
    fitted: Sequence[Mapping[str, Any]] = ()
    left_out: Mapping[str, str] = {}
    people: Mapping[str, Any] | None = None
    baselines: tuple[Row, ...]

    @property
    def compared(self) -> Sequence[Row]:
        """The rows that `compare` shows."""
        return self.baselines

    @property
    def predicted(self) -> Sequence[Row]:
        return self.baselines

    @classmethod
    def from_record(cls, record: Any, *, where: str) -> Self:
        """Validate the JSON value of a file; errors name `where`."""
        try:
            return cls.model_validate(record)
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(map(str, first["loc"])) or "the object"
            raise FormatError(
                f"{where}: not an evaluation{cls.of} ({quote(place)}: {first['msg']}). Run "
                "`cloze-gen evaluate` again."
            ) from None

    def record(self) -> dict[str, Any]:
        return self.model_dump(exclude_unset=True)
