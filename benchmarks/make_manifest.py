"""Write a manifest of Project Gutenberg books: names, titles, numbers, sizes, checksums; no text.

    python benchmarks/make_manifest.py --train data/holmes-training --source data/holmes-seeds --out
        corpora/holmes/manifest.tsv
    python benchmarks/make_manifest.py --source data/scs-books --out corpora/scs/manifest.tsv

Title, author and number come from the file's header, else the cell is empty. `year` is always
empty, because headers date the electronic edition.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from cloze_gen.corpus.decoding import flatten
from cloze_gen.corpus.readers import read_book
from cloze_gen.corpus.scan import BookFile, scan_corpus
from cloze_gen.store.manifest import file_sha256
from cloze_gen.store.tables import escape_cell, write_tsv

COLUMNS = ("file", "book_id", "title", "author", "year", "etext", "bytes", "sha256", "role")
_HEAD_CHARS = 13_500  # the longest header among the 534 ends there
_MAX_BLOCK_LINES = 8  # of title, author and number together
_MONTH = r"(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*\.?"
_NUMBER = re.compile(r"\[[ ]*(?:etext|ebook|e-text)[ ]*#[ ]*(\d+)", re.IGNORECASE)
_BARE_NUMBER = re.compile(r"\d{4}[ ]+(?:etext|ebook|e-text)[ ]*#[ ]*(\d+)", re.IGNORECASE)
_DATE = re.compile(rf"^[ *]*{_MONTH}[ ,\d]*\[?\Z", re.IGNORECASE | re.MULTILINE)
# Without a number the block of title and author ends at the date, or at the line that names the
# etext's file.
_BLOCK_END = re.compile(
    rf"^[ *]*{_MONTH}[ ]*(?:\d+,?[ ]*|,[ ]*)?\d{{4}}|^[^\n]*project gutenberg[^\n]*\n+[^\n]*should be named",
    re.IGNORECASE | re.MULTILINE,
)
# Lines that are no title: the licence, volunteers' names, the name of a series.
_NOT_A_TITLE = re.compile(
    r"gutenberg|donations|^etexts?\b|\betext\b|electronic texts|copyright|do not remove|header|readers|volunteers|small print"
    r"|should be named|^association|released|edition"
    r"|http|@|^\W*$|^#\d|in our series|contacting|corrected|versions based|updated|remain anonymous|unless you",
    re.IGNORECASE,
)
_FIRST_LINE = re.compile(
    r"project gutenberg(?:['\u2019;]?s)?[ ,]*(?:(?:etexts?|ebook|e-text)\b[ ,]*)?(?:of[ ]+|from[ ]+)?(?P<title>\w[^\n]+)",
    re.IGNORECASE,
)
_BY = re.compile(r"^(?P<title>.*?)[,;.*]*[ ]*(?:\[?[Ee]dited)?\s+(?:by|By|BY)\s+(?P<author>\S.*)$")
_BY_LINE = re.compile(r"^by\b\s*(?P<author>.*)$", re.IGNORECASE)
_REMARK = re.compile(
    rf"\s*[\[(][^\])]*[\])]?|\]$|[ ]author of .*|[ ,]+{_MONTH},?[ ]+\d{{4}}|[ ,]+trans\.?[ ].*",
    re.IGNORECASE,
)


def header_facts(head: str) -> dict[str, str]:
    r"""Title, author and etext number of a header.

    >>> header_facts("Title: The Sign of the Four\n\nAuthor: A. C. Doyle\n\nRelease Date: March, 2000 [EBook #2097]\n")
    {'title': 'The Sign of the Four', 'author': 'A. C. Doyle', 'etext': '2097'}
    >>> header_facts("*The Project Gutenberg Etext of Youth, by Conrad*\n\nYouth\nby Joseph Conrad\n\nMay, 1996 [Etext #525]")
    {'title': 'Youth', 'author': 'Joseph Conrad', 'etext': '525'}
    >>> header_facts("***This is the Project Gutenberg Etext of Aesop's Fables***\n")
    {'title': "Aesop's Fables", 'author': '', 'etext': ''}
    """
    number = _NUMBER.search(head) or _BARE_NUMBER.search(head)
    title, author = _labelled(head)
    end = number or _BLOCK_END.search(head)
    if not title and end:
        before = head[: end.start()]
        title, author = _block_before(_DATE.sub("", before))
    first_title, first_author = _first_line(head)
    return {
        "title": title or first_title,
        "author": author or first_author,
        "etext": number.group(1) if number else "",
    }


def _labelled(head: str) -> tuple[str, str]:
    """`Title:` and `Author:` of newer headers, without subtitles."""
    found = (
        re.search(rf"^{label}:[ ]*(\S[^\n]*)", head, re.MULTILINE) for label in ("Title", "Author")
    )
    title, author = (_clean(match.group(1)) if match else "" for match in found)
    return title, author


def _block_before(head: str) -> tuple[str, str]:
    """The lines directly above the number: a title, then `by` and the author."""
    block: list[str] = []
    for line in reversed(
        [line.strip() for line in head.split("\n") if line.strip()][-_MAX_BLOCK_LINES:]
    ):
        if _NOT_A_TITLE.search(line):
            break
        block.insert(0, line)
    for i, line in enumerate(block):
        by = _BY_LINE.match(line)
        if by:
            title = re.sub(r",[ ]*by[ ].*", "", " ".join(block[:i]), flags=re.IGNORECASE)
            return _clean(title), _author(by["author"] or " ".join(block[i + 1 : i + 2]))
    return _split_author(" ".join(block))


def _first_line(head: str) -> tuple[str, str]:
    """The line that names the etext; often only the author's surname."""
    found = (_split_author(match["title"]) for match in _FIRST_LINE.finditer(head))
    return next(
        ((title, author) for title, author in found if title and not _NOT_A_TITLE.search(title)),
        ("", ""),
    )


def _split_author(text: str) -> tuple[str, str]:
    match = _BY.match(text.strip(" *"))
    title, author = (_clean(match["title"]), match["author"]) if match else (_clean(text), "")
    return ("" if title[:1].islower() else title), _author(
        author
    )  # a title begins with a capital; a line of prose need not


def _author(text: str) -> str:
    return _clean(_REMARK.sub("", text))


def _clean(text: str) -> str:
    return " ".join(text.split()).strip(" *,;:_")


def row(book: BookFile, role: str) -> tuple[str, ...]:
    """One line of the manifest."""
    facts = header_facts(flatten(read_book(book.path, book.member).decode().text)[:_HEAD_CHARS])
    copy = {"bytes": str(book.path.stat().st_size), "sha256": file_sha256(book.path)}
    values = {**facts, **copy, "file": book.file, "book_id": book.book_id, "year": "", "role": role}
    return tuple(escape_cell(values[name]) for name in COLUMNS)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--train", type=Path, help="folder of the training books")
    parser.add_argument(
        "--source", type=Path, help="folder of the books that questions are drawn from"
    )
    parser.add_argument("--out", type=Path, required=True, help="manifest to write")
    args = parser.parse_args()
    sides = [
        (role, folder)
        for role, folder in (("train", args.train), ("source", args.source))
        if folder
    ]
    rows = [row(book, role) for role, folder in sides for book in scan_corpus(folder)]
    args.out.parent.mkdir(parents=True, exist_ok=True)
    write_tsv(args.out, COLUMNS, rows)
    empty = {name: sum(not line[i] for line in rows) for i, name in enumerate(COLUMNS[2:6], 2)}
    print(f"{len(rows)} books; empty cells: {empty}")


if __name__ == "__main__":
    main()
