"""Given stems: sentences with one blank and its answer, such as an item bank.

A file has a JSON object a line, or is an answers file of MSR's machine format. The stems, their
blanks filled, become one book of the store: its line N is line N of the file.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cloze_gen.corpus.normalization import normalize_sentence
from cloze_gen.corpus.scan import BookFile, book_id_from_name
from cloze_gen.errors import UsageError
from cloze_gen.parsing import ParseError, error_text, parse_json, quote
from cloze_gen.store.artifacts import Store
from cloze_gen.store.files import MAX_TEXT_BYTES, open_regular
from cloze_gen.store.fingerprint import StageKey
from cloze_gen.store.tables import escape_cell
from cloze_gen.word_tokens import is_word

STEMS, TEXTS, COPY = "stems", "texts", "stems.jsonl"
_EXAMPLE = '{"id": "7", "text": "He could _____ to it.", "answer": "swear"}'
_BLANK = re.compile(r"__+")
_MACHINE = re.compile(r"([0-9]{1,9})[a-z]\) (.+)")
_BRACKETED = re.compile(r"\[([^\[\]]*)\]")
_JOINS = re.compile(r"[^\W_]|['’-]")  # a word goes on with these


@dataclass(frozen=True, slots=True)
class Stem:
    """One stem. `text` is its normalized sentence with the answer, which begins at `start`."""

    line: int
    id: str
    text: str
    start: int
    answer: str

    def position(self, tokens: Sequence[str]) -> int | None:
        """The token that is the answer in its blank; None if the blank is not one token.

        >>> Stem(1, "1", "No, no one saw.", 4, "no").position(("No", ",", "no", "one", "saw", "."))
        2
        """
        before = len(self.text[: self.start].replace(" ", ""))
        for place, token in enumerate(tokens):
            if before <= 0:
                whole = before == 0 and token.casefold() == self.answer.casefold()
                return place if whole else None
            before -= len(token)
        return None


@dataclass(frozen=True, slots=True)
class GivenStems:
    """The stems of a file, in its order; `name` is the file's name."""

    name: str
    stems: tuple[Stem, ...]

    @property
    def text(self) -> bytes:
        """The book: a stem a line, as in the file; other lines are empty."""
        lines = [""] * self.stems[-1].line
        for stem in self.stems:
            lines[stem.line - 1] = stem.text
        return "".join(f"{line}\n" for line in lines).encode()

    @property
    def digest(self) -> str:
        return hashlib.sha256(repr((self.name, self.stems)).encode()).hexdigest()

    @property
    def _key(self) -> StageKey:
        return StageKey(STEMS, 1, {}, {STEMS: self.digest})

    def folder(self, store: Store) -> Path:
        return store.folder(self._key) / TEXTS

    def book(self, store: Store) -> BookFile:
        book_id = book_id_from_name(f"{self.name}.txt")
        facts = (("title", f"the stems of {escape_cell(self.name)}"),)
        return BookFile(self.folder(store), f"{book_id}.txt", book_id, facts)

    def write(self, store: Store) -> None:
        """Write the book and a copy of the stems, unless they are there."""
        with store.writing(self._key) as writer:
            if writer is None:
                return
            writer.path(f"{TEXTS}/{self.book(store).file}").write_bytes(self.text)
            records = [{"name": self.name}, *map(_record, self.stems)]
            lines = (json.dumps(record, ensure_ascii=False) for record in records)
            copy = writer.path(COPY)
            copy.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def _record(stem: Stem) -> dict[str, Any]:
    return {name: getattr(stem, name) for name in Stem.__slots__}


def is_stems_folder(folder: Path, store: Store) -> bool:
    """Whether `GivenStems.write` made this folder in this store."""
    real = Path(os.path.realpath(folder))
    return (
        real.name == TEXTS
        and real.parent.name.startswith(f"{STEMS}-")
        and real.parents[1] == Path(os.path.realpath(store.store))
    )


def read_stems(place: str, store: Store) -> GivenStems:
    """The stems of a file, or those that an earlier run copied to this folder of the store.

    Raises:
        UsageError: no readable file, or a line that is no stem.
    """
    path = Path(place)
    if is_stems_folder(path, store):
        copy = Path(os.path.realpath(path)).parent / COPY
        head, *records = map(json.loads, copy.read_text(encoding="utf-8").splitlines())
        return GivenStems(head["name"], tuple(Stem(**record) for record in records))
    where = escape_cell(place)
    stems = tuple(_stems(_content(path, where), where))
    if not stems:
        raise UsageError(f"{where}: no stems. Each line is a stem, such as {_EXAMPLE}.")
    seen: dict[str, Stem] = {}
    for stem in stems:
        first = seen.setdefault(stem.id, stem)
        if first is not stem:
            raise UsageError(
                f"{where}, line {stem.line:,}: repeats the id {quote(stem.id)} of line "
                f"{first.line:,}. Give each stem its own id; of MSR's files give the answers."
            )
    return GivenStems(path.name, stems)


def _content(path: Path, where: str) -> bytes:
    try:
        with open_regular(path) as file:
            data = file.read(MAX_TEXT_BYTES + 1)
    except (OSError, ValueError) as error:
        raise UsageError(f"{where}: cannot be read ({error_text(error)}). Give a file.") from None
    if len(data) > MAX_TEXT_BYTES:
        raise UsageError(f"{where}: larger than {MAX_TEXT_BYTES // 2**20:,} MiB; split the file.")
    return data.removeprefix(b"\xef\xbb\xbf")


def _stems(data: bytes, where: str) -> Iterator[Stem]:
    for number, line in enumerate(data.split(b"\n"), 1):
        if line.strip():
            try:
                yield _stem(number, line)
            except ValueError as error:
                raise UsageError(f"{where}, line {number:,}: {error}") from None


def _stem(number: int, line: bytes) -> Stem:
    """The stem of a line; ValueError says what is wrong with it."""
    try:
        text = line.decode().strip()
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8, byte {error.start}. Save the file as UTF-8.") from None
    machine = _MACHINE.fullmatch(text)
    name, before, answer, after = _machine(*machine.groups()) if machine else _json(text)
    if not is_word(answer) or answer.split() != [answer]:
        raise ValueError(f"the answer is {quote(answer)}. It must be one word.")
    answer = normalize_sentence(answer)
    before, after = " ".join(f"{before}|".split())[:-1], " ".join(f"|{after}".split())[1:]
    filled = f"{before}{answer}{after}"
    if not filled.isprintable():
        raise ValueError("has a control character. Remove it.")
    normal = normalize_sentence(filled)
    start = len(normalize_sentence(before)) + before.endswith(" ")
    if _JOINS.match(before[-1:]) or _JOINS.match(after) or not normal.startswith(answer, start):
        raise ValueError(
            f"the blank of {quote(filled)} is part of a longer word. The answer must be a whole "
            'word, such as "mother\'s".'
        )
    return Stem(number, name or str(number), normal, start, answer)


def _machine(number: str, sentence: str) -> tuple[str, str, str, str]:
    before, answer, after = _around(_BRACKETED, sentence, "word in brackets")
    return number, before, answer[1:-1], after


def _json(line: str) -> tuple[str, str, str, str]:
    try:
        record = parse_json(line)
    except ParseError as error:
        reason = re.sub(r" at line 1, column", " at column", str(error))
        raise ValueError(f"not JSON ({reason}). A stem is a line such as {_EXAMPLE}.") from None
    if not isinstance(record, dict):
        raise ValueError(f"{quote(record)} is not an object such as {_EXAMPLE}.")
    for name in ("text", "answer"):
        if not isinstance(record.get(name), str):
            found = quote(record[name]) if name in record else "missing"
            raise ValueError(f"`{name}` is {found}; expected text, as in {_EXAMPLE}.")
    own = record.get("id", "")
    if isinstance(own, bool) or not isinstance(own, str | int):
        raise ValueError(f"`id` is {quote(own)}; expected text or a whole number.")
    before, _, after = _around(_BLANK, record["text"], "blank (two or more underscores)")
    return str(own), before, record["answer"], after


def _around(mark: re.Pattern[str], text: str, what: str) -> tuple[str, str, str]:
    found = list(mark.finditer(text))
    if len(found) != 1:
        raise ValueError(f"{quote(text)} has {len(found) or 'no'} {what}. It needs exactly one.")
    return text[: found[0].start()], found[0][0], text[found[0].end() :]
