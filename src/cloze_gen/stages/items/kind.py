"""A shape of item, as a release knows it: the file that holds it, how it is read, what other people's tools and the card are told of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cloze_gen.errors import FormatError
from cloze_gen.formats.features import Columns, Feature, features_of
from cloze_gen.notation import reason
from cloze_gen.store.files import read_below
from cloze_gen.store.runs import Digested

Record = dict[str, Any]
Span = tuple[str, int, int]  # book id; start and end in the decoded raw file, end exclusive


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldTask:
    """What a task's files are told of their set.

    Attributes:
        canary: the set's GUID, which stands in every record.
    """

    name: str
    version: str
    signature: str
    canary: str

    def description(self, items: str) -> str:
        """One line about the set; `items` says how many of what it holds."""
        return f"{items}, made from books by cloze-gen {self.version}. Signature: {self.signature}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemKind:
    """A shape of item.

    Attributes:
        noun: of one, for a person; of several with an s.
        file: in the last stage's artifact and in the release: JSON lines, one an item.
        parse: lines of that file -> items, each with an `id` and a `book_id`.
        read_set: file -> the items as they are evaluated, known by a digest of what they are.
        released: (item, its record in the last stage's artifact) -> its record in the release.
        split_of: the split that an item stands in.
        splits: of the items, config -> split -> file of the release that holds them, as the card's head names them.
        split_records: of the items, file -> its records, of these files those that are not `file` itself.
        main_tasks: run's name -> the task, or group, of lm-evaluation-harness that a stranger asks first; and inspect-ai's.
        harness: (items, items that few-shot prompts show, what their tasks are told) -> place below ``harness/`` -> text: tasks of
            lm-evaluation-harness.
        inspect: (items, what their tasks are told) -> place in the release -> text: tasks of inspect-ai.
        task: what the hub of `datasets` calls its task.
        described: of the items of a set, what each is, for the card's first line.
        balance: of the items of a set, how evenly what could be guessed is spread, for the card.
        notes: of the items of a set, what a user must know of any such set, a line each, for the card.
        example: of an item, how a reader meets it, lines of plain text.
        columns_told: column of the split files -> what it holds, in words.
        counts: whether an item is one of the set; others, of a control set, stand beside it in its file.
        spans: of a record, where in the books its text stands.
        quoted: of a record, (span, the texts that it quotes, which are all of it) of each span that it quotes.
        misquoted: of a record, what of it is not as in the sentence that it quotes, in words.
        texts: fields of a record that hold text of those spans, ``source.text`` being one of a field's own.
        derived: fields that hold such text too and that `released` makes from the item; the others hold none.
        candidate_faults: (record of an item, what `candidates.jsonl` holds of it) -> how they disagree, in words.
        types: columns whose type the rows may not show, since their lists can all be empty.
        told_files: file of the release -> what the card says of it; in a name `{name}` is the run's, and what was not written is not told.
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
    harness: Callable[[Sequence[Any], Sequence[Any], ToldTask], Mapping[str, str]]
    inspect: Callable[[Sequence[Any], ToldTask], Mapping[str, str]]
    task: str
    described: Callable[[Sequence[Any]], str]
    balance: Callable[[Sequence[Any]], str]
    notes: Callable[[Sequence[Any]], Sequence[str]]
    example: Callable[[Any], Sequence[str]]
    columns_told: Mapping[str, str]
    counts: Callable[[Any], bool]
    spans: Callable[[Record], Sequence[Span]]
    quoted: Callable[[Record], Sequence[tuple[Span, Sequence[str]]]]
    misquoted: Callable[[Record], Sequence[str]]
    texts: Sequence[str]
    derived: Sequence[str]
    told_files: Mapping[str, str]
    candidate_faults: Callable[[Record, Mapping[str, Any]], Sequence[str]] = lambda item, candidates: ()
    types: Mapping[str, Feature] = field(default_factory=dict)

    def columns(self, records: Iterable[Record]) -> Columns:
        """The columns of records of a split, or of all splits of a config."""
        found = features_of(records).types
        return Columns({name: self.types.get(name, feature) for name, feature in found.items()})

    def read(self, folder: Path) -> list[Any]:
        """The items of an artifact or a release.

        Raises:
            FormatError: the file does not follow its format, or is no text.
        """
        try:
            return self.items_of(read_below(folder, self.file))
        except OSError as error:
            raise FormatError(f"{folder / self.file}: cannot be read ({reason(error)})") from None

    def items_of(self, data: bytes) -> list[Any]:
        """The items of the bytes of `file`.

        Raises:
            FormatError: they do not follow the format, or are no text.
        """
        try:
            return list(self.parse(data.decode("utf-8").split("\n")))  # not splitlines: U+2028 may stand inside a string
        except UnicodeDecodeError as error:
            raise FormatError(f"{self.file}: {reason(error)}") from None
