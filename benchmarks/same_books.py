"""Write the same books as .txt, Parquet, JSONL.zst, EPUB and HTML, and compare what comes of them.

    python benchmarks/same_books.py write data/en100 DIR --books 20
    python benchmarks/same_books.py sentences DIR/txt DIR/html DIR/epub
    python benchmarks/same_books.py questions RUN RUN ...

`write` makes DIR/txt, DIR/parquet, DIR/jsonl, DIR/epub and DIR/html. HTML and EPUB are simple: a
block of indented lines is a `<pre>`, another a `<p>` with `<br>` behind short lines; an EPUB has a
document for each 200 blocks. The marks of `_italics_` are removed from all shapes, so that the texts
agree; with `--italics` they stay in the first three, and are `<i>` in HTML and EPUB. `sentences` reads the books of each folder
and prints, against the first folder, how many sentences are the same, and some that are not.
`questions` does so for the questions of finished runs, apart from ids and order of options, and says
of each that is missing whether the other text has its sentence (by letters and digits alone).
"""

from __future__ import annotations

import argparse
import html
import io
import json
import re
import sys
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from cloze_gen.adapters.spacy_tokenizer import chunk_tokenizer
from cloze_gen.corpus.books import SENTENCES, book_folder, kept_books
from cloze_gen.corpus.decoding import decode_book
from cloze_gen.corpus.parse_book import IngestSettings, parse_book
from cloze_gen.corpus.readers import read_book
from cloze_gen.corpus.readers.compressed import zstd
from cloze_gen.corpus.scan import scan
from cloze_gen.corpus.tokens import ChunkMemo
from cloze_gen.store.runs import stage_artifact
from cloze_gen.store.tables import read_jsonl, read_parquet

_BLOCK = re.compile(r"[^\n]*\S[^\n]*(?:\n[^\n]*\S[^\n]*)*")
_ITALICS = re.compile(r"_([^_<>]{1,300})_")
_SHORT_LINE_CHARS = 55  # a line that ends so early was ended on purpose
_BLOCKS_A_DOCUMENT = 200
_ROW_GROUP_BOOKS = 8
_CONTAINER = (
    '<?xml version="1.0"?><container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">'
    '<rootfiles><rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
)


def write_shapes(books: Sequence[Path], out: Path, *, italics: bool) -> None:
    """One folder a shape; FileExistsError if there is one already."""
    for shape in ("txt", "parquet", "jsonl", "epub", "html"):
        (out / shape).mkdir(parents=True)
    texts = {book.stem: decode_book(book.read_bytes()).text for book in books}
    if not italics:
        texts = {stem: _ITALICS.sub(r"\1", text) for stem, text in texts.items()}
    for stem, text in texts.items():
        (out / "txt" / f"{stem}.txt").write_bytes(text.encode())
        blocks = list(html_blocks(text))
        (out / "html" / f"{stem}.html").write_text(page(stem, blocks), encoding="utf-8")
        (out / "epub" / f"{stem}.epub").write_bytes(epub(stem, blocks))
    rows = [{"id": stem, "title": stem, "text": text} for stem, text in texts.items()]
    table = pa.table({name: [row[name] for row in rows] for name in ("id", "title", "text")})
    pq.write_table(table, out / "parquet" / "books.parquet", row_group_size=_ROW_GROUP_BOOKS)
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    (out / "jsonl" / "books.jsonl.zst").write_bytes(zstd.compress(lines.encode()))


def html_blocks(text: str) -> Iterator[str]:
    r"""The blocks of a text file as HTML.

    >>> list(html_blocks("Dear _Sir_,\nit was\n\n  a\n   b\n"))
    ['<p>Dear <i>Sir</i>,<br/>\nit was</p>', '<pre>  a\n   b</pre>']
    """
    for match in _BLOCK.finditer(text.replace("\r\n", "\n").replace("\r", "\n")):
        lines = _ITALICS.sub(r"<i>\1</i>", html.escape(match.group(), quote=False)).split("\n")
        if all(line.startswith((" ", "\t")) for line in lines):
            yield f"<pre>{chr(10).join(lines)}</pre>"
            continue
        ended = (f"{line}<br/>" if len(line) < _SHORT_LINE_CHARS else line for line in lines[:-1])
        yield f"<p>{chr(10).join([*ended, lines[-1]])}</p>"


def page(title: str, blocks: Sequence[str]) -> str:
    body = "\n".join(blocks)
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n<html xmlns="http://www.w3.org/1999/xhtml"><head>'
        f"<title>{html.escape(title)}</title></head>\n<body>\n{body}\n</body></html>\n"
    )


def epub(title: str, blocks: Sequence[str]) -> bytes:
    """An EPUB 3 whose bytes depend on title and blocks alone."""
    starts = range(0, max(1, len(blocks)), _BLOCKS_A_DOCUMENT)
    names = [f"text-{number}.xhtml" for number in range(1, len(starts) + 1)]
    links = "".join(f'<li><a href="{name}">{name}</a></li>' for name in names)
    items = "".join(
        f'<item id="t{at}" href="{name}" media-type="application/xhtml+xml"/>'
        for at, name in enumerate(names)
    )
    refs = "".join(f'<itemref idref="t{at}"/>' for at in range(len(names)))
    opf = (
        '<?xml version="1.0"?><package version="3.0" xmlns="http://www.idpf.org/2007/opf" unique-identifier="id">'
        '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f'<dc:identifier id="id">{html.escape(title)}</dc:identifier><dc:title>{html.escape(title)}</dc:title>'
        "<dc:language>en</dc:language></metadata>"
        '<manifest><item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>'
        f'{items}</manifest><spine><itemref idref="nav"/>{refs}</spine></package>'
    )
    files = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": _CONTAINER,
        "book.opf": opf,
        "nav.xhtml": page(title, [f"<nav><ol>{links}</ol></nav>"]),
    } | {
        name: page(title, blocks[start : start + _BLOCKS_A_DOCUMENT])
        for name, start in zip(names, starts, strict=True)
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, text in files.items():
            method = zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED
            archive.writestr(zipfile.ZipInfo(name), text, method)
    return out.getvalue()


# ---- compare


def folder_sentences(folder: Path) -> Counter[Any]:
    """(book, kind, tokens) of every sentence of a folder of books."""
    memo = ChunkMemo(chunk_tokenizer())
    found: Counter[Any] = Counter()
    for book in scan(folder).books:
        raw = read_book(book.path, book.member)
        parsed = parse_book(
            raw.data, settings=IngestSettings(), memo=memo, decode=raw.reader.decode
        )
        if parsed.audit.reason:
            sys.stdout.write(f"{book.path}: {parsed.audit.reason}: {parsed.audit.detail}\n")
        found.update((book.book_id, *one) for one in zip(parsed.kind, parsed.tokens, strict=True))
    return found


def letters(text: str) -> str:
    """Questions join broken words and may drop quotation marks."""
    return "".join(filter(str.isalnum, text)).lower()


def run_questions(run: Path) -> Counter[Any]:
    """(sentence, word position, options in order of the alphabet) of every question of a run."""
    return Counter(
        (" ".join(one["tokens"]), one["position"], *sorted(one["options"]))
        for one in read_jsonl(run / "release" / "questions.jsonl")
    )


def run_sentences(run: Path) -> set[str]:
    artifact = stage_artifact(run, "corpus source")
    return {
        letters(tokens)
        for row in kept_books(artifact)
        for tokens in read_parquet(book_folder(artifact, row) / SENTENCES)["tokens"].to_pylist()
    }


def compare(
    found: Mapping[str, Counter[Any]],
    noun: str,
    shown: int,
    explain: Callable[[str, Any], str],
) -> Iterator[str]:
    """Each place against the first; `explain` says why a place lacks an item."""
    first, *others = found
    yield f"{first}: {found[first].total():,} {noun}"
    for other in others:
        for place, lacks in ((first, other), (other, first)):
            alone = found[place] - found[lacks]
            share = 1 - alone.total() / max(1, found[place].total())
            yield (
                f"{other}: {found[other].total():,} {noun}; of {place} {alone.total():,} are not in "
                f"{lacks} ({share:.2%} are)"
            )
            reasons = Counter(explain(lacks, item) for item in alone.elements())
            yield from (f"  {count:,} {reason}" for reason, count in reasons.most_common())
            yield from (f"    {' | '.join(map(str, item))}" for item in list(alone)[:shown])


def compare_sentences(folders: Sequence[Path], shown: int) -> Iterator[str]:
    found = {str(folder): folder_sentences(folder) for folder in folders}
    any_kind = {
        place: {(book, tokens) for book, _, tokens in sentences}
        for place, sentences in found.items()
    }

    def explain(lacks: str, item: Any) -> str:
        book, kind, tokens = item
        alike = (book, tokens) in any_kind[lacks]
        return f"read as {kind} and there as another kind" if alike else f"{kind}, not there"

    yield from compare(found, "sentences", shown, explain)


def compare_questions(runs: Sequence[Path], shown: int) -> Iterator[str]:
    sentences = {str(run): run_sentences(run) for run in runs}
    questions = {str(run): run_questions(run) for run in runs}

    def explain(lacks: str, item: Any) -> str:
        if letters(item[0]) not in sentences[lacks]:
            return "whose sentence the other text does not have"
        if any(one[:2] == item[:2] for one in questions[lacks]):
            return "with the same blank and other options"
        return "whose sentence the other text has, but no question of it was chosen"

    yield from compare(questions, "questions", shown, explain)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    write = commands.add_parser("write")
    write.add_argument("folder", type=Path, help="of .txt books")
    write.add_argument("out", type=Path)
    write.add_argument("--books", type=int, default=20, help="the first by name")
    write.add_argument("--italics", action="store_true", help="keep italics, in each shape's way")
    for name in ("sentences", "questions"):
        command = commands.add_parser(name)
        command.add_argument("places", type=Path, nargs="+", help="folders of books, or of runs")
        command.add_argument("--show", type=int, default=5, help="differences to print")
    options = parser.parse_args()
    if options.command == "write":
        paths = sorted(options.folder.glob("*.txt"))[: options.books]
        if not paths:
            parser.error(f"{options.folder}: no .txt file")
        write_shapes(paths, options.out, italics=options.italics)
        lines: Iterator[str] = iter([f"{len(paths)} books in {options.out}"])
    elif options.command == "sentences":
        lines = compare_sentences(options.places, options.show)
    else:
        lines = compare_questions(options.places, options.show)
    for line in lines:
        sys.stdout.write(f"{line}\n")


if __name__ == "__main__":
    main()
