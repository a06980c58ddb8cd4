"""What a location of books contains, in words: `cloze-gen corpus inspect`, and the first lines of
a run.
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable, Iterator

from cloze_gen.corpus.collect import Book, Collection, InputSettings, read_text
from cloze_gen.corpus.decoding import flatten
from cloze_gen.corpus.dropped import REMEDIES
from cloze_gen.corpus.gutenberg import find_body
from cloze_gen.corpus.normalization import normalize_sentence
from cloze_gen.parsing import NAMED, counted, name_list, one_line, quote
from cloze_gen.text_layout import cut

FACTS = ("title", "author", "year", "genre", "language", "license")
_EXAMPLES = 5
_LEAST_BOOKS = 2  # of holmes-style; docs/how-to/few-books.md
_MANY_BOOKS = 10  # enough for lambada-style
_TITLE_COLUMNS, _TEXT_COLUMNS = 60, 100
_SHOWN_CHARS = 5_000  # normalized for the one line that is shown: blank lines may be many
_LINES_OF_A_RUN = 5  # of what is skipped; all are in `cloze-gen corpus inspect`
_SENTENCES = "one sentence per line, without books: use it with --train, as background only"


def summary(found: Collection) -> list[str]:
    """Two to four lines for the beginning of a run, and more for much that is skipped."""
    shapes = "; ".join(_shapes(found)) or "no readable file"
    lines = [f"{_books(found)} in {found.location}, {_size(found.bytes)} ({shapes})"]
    if found.has_sentences:
        lines.append(_SENTENCES)
    counts = _metadata(found)
    if counts:
        metadata = ", ".join(f"{fact} {count:,}" for fact, count in counts.items())
        lines.append(f"metadata (books that have it): {metadata}")
    if faults := [quote(book.place) for book in found.books if book.fault]:
        lines.append(f"{counted(len(faults), 'book')} cannot be read: {name_list(faults)}")
    other = [*(f"skipped {line}" for line in found.skipped), *found.notes]
    lines += other[:_LINES_OF_A_RUN]
    if len(other) > _LINES_OF_A_RUN:
        lines.append(
            f"{len(other) - _LINES_OF_A_RUN:,} more lines: {_command('corpus inspect', str(found.location))}"
        )
    return lines


def inspection(found: Collection, settings: InputSettings) -> str:
    """A page about a location: formats, metadata, what is skipped, advice, and examples."""
    counts = _metadata(found)
    metadata = "none; a manifest.tsv can give title, author and more"
    if counts:
        numbers = ", ".join(f"{fact} {counts.get(fact, 0):,}" for fact in FACTS)
        metadata = f"books that have it: {numbers}"
    advice = f"{_SENTENCES}. Questions need books: give them with --source."
    examples = found.readable[:: max(1, len(found.readable) // _EXAMPLES)][:_EXAMPLES]
    sections = {
        "formats": _shapes(found),
        "unreadable": _unreadable(found),
        "metadata": [metadata] if found.readable else [],
        "skipped": found.skipped,
        "warnings": found.notes,
        "advice": [advice] if found.has_sentences else [],
        "examples": (line for book in examples for line in _example(book)),
        "next": _next(found, settings),
    }
    lines = [f"{found.location}: {_books(found)}, {_size(found.bytes)}", ""]
    for label, section in sections.items():
        lines += _section(label, section)
    return "\n".join(lines)


def _section(label: str, lines: Iterable[str]) -> list[str]:
    """A label and its lines, aligned.

    >>> print("\\n".join(_section("skipped", ["2 .md", "1 hidden"])))
    skipped      2 .md
                 1 hidden
    """
    return [f"{label if at == 0 else '':<13}{line}" for at, line in enumerate(lines)]


def _books(found: Collection) -> str:
    return counted(len(found.readable), "book")


def _unreadable(found: Collection) -> Iterator[str]:
    """Books that cannot be read, why, and what to do."""
    faults = [(book.place, book.fault) for book in found.books if book.fault]
    for place, (reason, detail) in faults[:NAMED]:
        remedy = f" ({REMEDIES[reason]})" if reason in REMEDIES else ""
        yield f"{quote(place, most_chars=300)}: {one_line(detail)}{remedy}"
    if more := len(faults[NAMED:]):
        yield f"and {more:,} more"


def _size(count: int) -> str:
    """
    >>> _size(999), _size(214_300_000)
    ('999 bytes', '214.3 MB')
    """
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= size:
            return f"{count / size:.1f} {unit}"
    return counted(count, "byte")


def _shapes(found: Collection) -> Iterator[str]:
    """The formats of the files, that of most books first."""
    ranked = sorted(found.shapes.items(), key=lambda item: (-item[1][1], item[0]))
    for shape, (files, books) in ranked:
        several = f", {counted(books, 'book')}" if books != files else ""
        yield f"{shape}: {counted(files, 'file')}{several}"


def _metadata(found: Collection) -> dict[str, int]:
    """How many of the books have each fact that any of them has."""
    counts = Counter(name for book in found.readable for name in book.facts)
    return {fact: counts[fact] for fact in FACTS if counts[fact]}


def _example(book: Book) -> Iterator[str]:
    title = book.facts.get("title", "")
    if title and "author" in book.facts:
        title += f", by {book.facts['author']}"
    title = cut(one_line(title), _TITLE_COLUMNS)
    yield f"{book.book_id}{f'  {title}' if title else ''}"
    yield f"    {cut(_beginning(book), _TEXT_COLUMNS)}"


def _beginning(book: Book) -> str:
    """The beginning of the text after Project Gutenberg's header and credits."""
    flat = flatten(read_text(book))
    body = find_body(flat)
    text, at = "", body.start
    for part in body.skipped:
        text += flat[at : part.start]
        at = part.end
    text += flat[at : body.end]
    return one_line(normalize_sentence(text[:_SHOWN_CHARS])) or "(no text)"


def _next(found: Collection, settings: InputSettings) -> Iterator[str]:
    place = str(found.location)
    if found.has_sentences:
        yield _command("run holmes-style --source BOOKS --train", place)
        return
    options = ["--keep-splits"] * settings.keep_splits
    if settings.text_column:
        options += ["--text-column", settings.text_column]
    if len(found.readable) < _LEAST_BOOKS:
        yield "for a quiz, one book is enough (scs-style); to compare models, give three or more"
        if found.readable:
            yield _command("run scs-style --source", place, *options)
        return
    background = ["--train", place] if settings.keep_splits else []
    yield _command("run holmes-style", *background, "--source", place, *options)
    if settings.keep_splits or len(found.readable) >= _MANY_BOOKS:
        yield _command("run lambada-style --books", place, *options)


def _command(words: str, *values: str) -> str:
    return f"cloze-gen {words} {shlex.join(values)}"
