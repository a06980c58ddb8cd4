"""The files of the stages that read and count books."""

from __future__ import annotations

from cloze_gen.corpus.manifest import FACTS
from cloze_gen.store.file_docs import FileDoc, StageDoc

_AUDIT_COLUMNS = {
    "body_share": "float?: characters of the sentences / characters of the file",
    "footer_marker": "text?: the line that ends the book; empty if none was found",
    "function_word_share": "float?: English function words / word tokens; about 0.5 in English prose",
    "header_marker": "text?: the line that begins the book; empty if none was found",
    "lost_chars": "int?: characters that became U+FFFD or a question mark inside a word",
    "removed": "text?: characters of the decoded file that each rule removed: `licence 18,420; footnotes 2,114`",
    "residual_boilerplate": "int?: remaining tokens about licences and e-texts",
    "sentences": "int?: sentences, headings included",
    "tokens": "int?: tokens, headings included",
    "unknown_word_share": "float?: different words in small letters that are in no list / word tokens; over "
    "0.01 in text from OCR",
    "warnings": "text?: what is doubtful in a kept book: one paragraph, a play, licence text",
    "word_tokens": "int?: tokens with a letter or a digit",
}
BOOK_COLUMNS = {
    "book_id": "text: id of the book: from the manifest or the table, else made from the file's name",
    "file": "text: path below the corpus folder; control characters are escaped (`\\t`, `\\n`, `\\xNN`)",
    "member": "text?: path in an archive, or number of a row; empty where the file is the book",
    "digest": "text: sha256 of the book's own bytes, unpacked; empty if they cannot be read",
    "text": "text: the UTF-8 text in which `start` and `end` count characters, relative to this folder; empty: the file itself, perhaps compressed",
    "folder": "text: the book's artifact, relative to this one; empty for a dropped book",
    **dict.fromkeys(
        FACTS, "text?: from the manifest, else the catalogue, the file itself or its folder"
    ),
    "detail": "text?: a sentence about the reason",
    "encoding": "text?: the encoding that was detected",
    "encoding_evidence": "text?: the evidence for this encoding",
    "reason": "text?: why the book was dropped; empty for a kept book",
    "status": "text: `kept` or `rejected`",
    **_AUDIT_COLUMNS,
}
PARTITION_COLUMNS = {
    **BOOK_COLUMNS,
    "domain": "text: genre of the manifest, or the first folder below the corpus folder",
    "offensive_rate": "float: listed words / word tokens",
    "part": "text: `train`, `development` or `test`; empty for a dropped book",
}
HYPHENS = FileDoc(
    "hyphens.tsv",
    "Words that a line end breaks, one row a type.",
    {
        "broken": "text: the word with `|` at the break",
        "count": "int: how often it occurs broken",
        "joined_count": "int: tokens of the joined form elsewhere",
        "hyphenated_count": "int: tokens of the hyphenated form elsewhere",
        "form": "text: the more frequent form; if neither occurs elsewhere, hyphenated where both parts are words",
    },
    example="any|body\t1\t9\t0\tanybody",
)
_OVERLAPS = FileDoc(
    "overlaps.tsv",
    "Pairs of books that share text, one row a pair.",
    {
        "book_a": "text: id of the first book",
        "book_b": "text: id of the second book",
        "containment_a_in_b": "float: share of the first book's sampled 8-word shingles that the second has",
        "containment_b_in_a": "float: share of the second book's sampled 8-word shingles that the first has",
        "where": "text: `within` this folder, or `across` to the other folder",
    },
)

STAGES = {
    "books": StageDoc(
        "The texts of a file that is not UTF-8 text, in `store/books-FINGERPRINT/ITEM/`. `ITEM` is the first "
        "24 digits of the file's sha256, so each file is unpacked once.",
        (
            FileDoc(
                "books.jsonl",
                "One row a book, in the file's order.",
                {
                    "member": "string: path in an archive, or number of a row; empty where the file is the book",
                    "format": "string: how the bytes became text: `text`, `html`, `epub`, or `sentences` for a part of a file with one sentence a line",
                    "sha256": "string: of the book's own bytes, unpacked; empty if they cannot be read",
                    "text": "string: its text below `text/`; empty if it cannot be read",
                    "encoding": "string?: the encoding that was detected",
                    "evidence": "string?: the evidence for this encoding, and what was repaired",
                    "fault": "list?: reason and detail of a book that cannot be read; else null",
                    "facts": "dict: id, title, author and more, as the file gives them",
                },
            ),
            FileDoc("text/", "The texts in UTF-8, by number of the row."),
        ),
        {
            "shape": "format of the file in words",
            "skipped": "why entries are not read -> their names; an empty name is the file",
        },
    ),
    "book": StageDoc(
        "One artifact for each book and ingest settings, in `store/book-FINGERPRINT/ITEM/`. `ITEM` is the "
        "first 24 digits of the sha256 of the book's bytes, so each text is parsed once. The facts are "
        "columns of `books.tsv` (see ingest).",
        (
            FileDoc(
                "sentences.parquet",
                "The sentences in the order of the text. A soft hyphen (U+00AD) in `tokens` marks a word that "
                "a line end breaks.",
                {
                    "index": "int32: index of the sentence in the book",
                    "start": "int32: first character of the sentence in the text of the book",
                    "end": "int32: character after its last one",
                    "paragraph": "int32: index of the paragraph in the book",
                    "kind": "string: `prose`, `verse`, `heading`, or `other` for a paragraph with a placeholder (`<DW64>`)",
                    "text": "string: normalized text with its own spacing",
                    "tokens": "string: tokens joined by single spaces",
                },
                example='{"index": 25, "start": 2802, "end": 2881, "paragraph": 12, "kind": "prose", '
                '"text": "It stood upon the bench, ...", "tokens": "It stood upon the bench , ..."}',
                optional=True,
            ),
            FileDoc(
                "types.parquet",
                "Words and marks of prose and verse, sorted.",
                {
                    "word": "string: surface form",
                    "count": "int32: tokens",
                    "initial_count": "int32: tokens that begin a sentence or a quotation",
                },
                example='{"word": "She", "count": 25, "initial_count": 24}',
                optional=True,
            ),
            FileDoc(
                "sketch.npy",
                "Sorted hashes of a sample of the book's 8-word shingles, for the detection of overlap.",
                array="uint64 (hashes)",
                optional=True,
            ),
        ),
        {name: about.partition(": ")[2] for name, about in _AUDIT_COLUMNS.items()},
    ),
    "ingest": StageDoc(
        "Removes headers and footers from every book and splits its text into sentences and tokens.",
        (
            FileDoc(
                "books.tsv",
                "One row a book, kept or dropped. Columns that are empty for every book are left out.",
                BOOK_COLUMNS,
            ),
        ),
        {"sentences": "of all kept books", "tokens": "of all kept books"},
    ),
    "corpus": StageDoc(
        "Compares the contents of the books and drops duplicates and overlapping books.",
        (FileDoc("books.tsv", "As in ingest.", BOOK_COLUMNS), _OVERLAPS),
        {
            "kept_despite_overlap": "books that `overlap.across = keep` let through",
        },
    ),
    "counts": StageDoc(
        "Counts the words of the training books.",
        (
            FileDoc(
                "counts.tsv",
                "Words and marks, by descending count, then by word. Cells have no quoting.",
                {
                    "word": "text: surface form",
                    "count": "int: tokens of this form",
                    "folded_count": "int: tokens of all forms that are equal but for letter case; 0 for marks",
                    "freq": "float: `folded_count` / word tokens of the corpus",
                    "lower_share": "float: share of the non-initial tokens in lower case; near 0 for names",
                },
                example="bench\t15\t15\t0.000352319\t1",
            ),
            HYPHENS,
        ),
        {
            "tokens": "of the training books",
            "types": "surface forms",
            "word_tokens": "tokens with a letter or a digit",
        },
    ),
    "text": StageDoc(
        "Writes the training text.",
        (
            FileDoc(
                "sentences.txt",
                "The training sentences, one a line: tokens joined by single spaces, no headings. `lmplz` reads it.",
                example="My name is Enoch Tarrant .",
            ),
            FileDoc(
                "tokens.npy",
                "The same text as numbers: the row in `counts.tsv` from 1, and 0 after each sentence.",
                array="uint32 (tokens)",
            ),
        ),
        {"sentences": "of the training text", "tokens": "of the training text"},
    ),
    "tags": StageDoc(
        "The tags of a book, in `store/tags-FINGERPRINT/ITEM/`.",
        (
            FileDoc(
                "tags.parquet",
                "One row for each sentence of the book's `sentences.parquet`.",
                {"tags": "string: Penn tags joined by single spaces"},
            ),
            FileDoc(
                "types.parquet",
                "Words with tags, headings left out.",
                {"word": "string: surface form", "tag": "string: Penn tag", "count": "int64: tokens"},
            ),
        ),
        {"tokens": "tokens of the book"},
    ),
    "tagging": StageDoc(
        "Tags the books.",
        (
            FileDoc(
                "books.tsv",
                "The kept books and their tags.",
                {
                    "book_id": "text: id of the book",
                    "folder": "text: the artifact with the tags, relative to this one",
                },
            ),
        ),
        {
            "tagger": "name, version and digest of the tagger",
            "tokens": "tagged tokens",
        },
    ),
    "tagged_counts": StageDoc(
        "Counts forms and lemmas of the tagged training books. A class is noun, verb, adjective, adverb, "
        "proper_noun or function.",
        (
            FileDoc(
                "forms.tsv",
                "Case-folded forms by tag.",
                {"form": "text: case-folded form", "tag": "text: Penn tag", "count": "int: tokens"},
            ),
            FileDoc(
                "lemmas.tsv",
                "Lemmas by class.",
                {
                    "lemma": "text: lemma",
                    "class": "text: class of the word",
                    "count": "int: tokens",
                },
            ),
        ),
        {"word_tokens": "tokens with a letter or a digit"},
    ),
    "partition": StageDoc(
        "Splits the books into training, development and test books.",
        (
            FileDoc(
                "books.tsv",
                "As in ingest, with three more columns.",
                PARTITION_COLUMNS,
            ),
        ),
        {
            "novels": "books of each part",
        },
    ),
    "training_novels": StageDoc(
        "Selects the training books.",
        (FileDoc("books.tsv", "The rows of one part of the partition.", PARTITION_COLUMNS),),
    ),
}  # fmt: skip
