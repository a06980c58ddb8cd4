"""A kind of item: its file, its reader, and its exports for other tools."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from cloze_gen.errors import FormatError
from cloze_gen.formats.quiz import QuizQuestion
from cloze_gen.parsing import error_text
from cloze_gen.records.release_facts import ReleasedBook
from cloze_gen.release.samples import Sample
from cloze_gen.store.files import read_below
from cloze_gen.store.runs import Digested

Record = dict[str, Any]
Span = tuple[str, int, int]  # book id; start and end in the text of the book, end exclusive


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskInfo:
    """The description of the set in task files; `canary` is its GUID, `seed` that of the run."""

    name: str
    version: str
    signature: str
    canary: str
    seed: int = 0

    @property
    def of_harness(self) -> dict[str, Any]:
        return {
            "version": self.version,
            "signature": self.signature,
            "canary": self.canary,
            "seed": self.seed,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemKind:
    """A kind of item.

    Attributes:
        noun: singular; the plural adds an s.
        file: JSON lines, one an item, in the last stage's artifact and in the release.
        released: (item, its record in the last stage's artifact) -> its record in the release.
        splits: items -> config -> split -> file of the release, for the card's head.
        split_records: items -> file -> its records, for files other than `file`.
        main_tasks: run's name -> main task or group of lm-evaluation-harness, and of inspect-ai.
        harness: (items, few-shot items, task info) -> place below ``harness/`` -> text.
        inspect: (items, task info) -> place in the release -> text.
        quiz: (item, its record) -> a question for people.
        sample: (item, its record, its candidates or {}, its book) -> a sample of the report.
        kind_label: what `kind` of a sample is.
        compared: item -> its parts by name, as `cloze-gen compare` compares them.
        counts: whether an item belongs to the set and not to a control set in the same file.
        quoted: record -> (span, the texts that together make it up) of each quoted span.
        misquoted: record -> its differences from the sentence that it quotes, as text.
        texts: fields of a record with text of its `spans`; ``source.text`` is nested.
        derived: fields with such text that `released` computes from the item.
        types: types of columns whose lists can all be empty.
    """

    noun: str
    file: str
    parse: Callable[[Iterable[str]], Iterable[Any]]
    read_set: Callable[[Path], Digested]
    released: Callable[[Any, Record], Record]
    split_of: Callable[[Any], str]
    splits: Callable[[Sequence[Any]], Mapping[str, Mapping[str, str]]]
    split_records: Callable[[Sequence[Any]], Mapping[str, Sequence[Record]]]
    main_tasks: Callable[[str], tuple[str, str]]
    harness: Callable[[Sequence[Any], Sequence[Any], TaskInfo], Mapping[str, str]]
    inspect: Callable[[Sequence[Any], TaskInfo], Mapping[str, str]]
    task: str
    described: Callable[[Sequence[Any]], str]
    balance: Callable[[Sequence[Any]], str]
    notes: Callable[[Sequence[Any]], Sequence[str]]
    example: Callable[[Any], Sequence[str]]
    quiz: Callable[[Any, Record], QuizQuestion]
    compared: Callable[[Any], Mapping[str, Any]]
    sample: Callable[[Any, Record, Mapping[str, Any], ReleasedBook], Sample]
    kind_label: str
    column_docs: Mapping[str, str]
    counts: Callable[[Any], bool]
    spans: Callable[[Record], Sequence[Span]]
    quoted: Callable[[Record], Sequence[tuple[Span, Sequence[str]]]]
    misquoted: Callable[[Record], Sequence[str]]
    texts: Sequence[str]
    derived: Sequence[str]
    file_docs: Mapping[str, str]
    candidate_faults: Callable[[Record, Mapping[str, Any]], Sequence[str]] = (
        lambda item, candidates: ()
    )
    types: Mapping[str, pa.DataType] = field(default_factory=dict)

    def schema(self, records: Sequence[Record]) -> pa.Schema:
        """The columns of records in order of first appearance, with types that fit every row."""
        names = dict.fromkeys(name for record in records for name in record)
        return pa.schema(
            (name, self.types.get(name) or pa.array([one.get(name) for one in records]).type)
            for name in names
        )

    def read(self, folder: Path) -> list[Any]:
        try:
            return self.items_of(read_below(folder, self.file))
        except OSError as error:
            raise FormatError(
                f"{folder / self.file}: cannot be read ({error_text(error)})"
            ) from None

    def items_of(self, data: bytes) -> list[Any]:
        """The items of the bytes of `file`; FormatError if they do not follow the format."""
        try:
            # not splitlines: a string may contain U+2028
            return list(self.parse(data.decode("utf-8").split("\n")))
        except UnicodeDecodeError as error:
            raise FormatError(f"{self.file}: {error_text(error)}") from None
