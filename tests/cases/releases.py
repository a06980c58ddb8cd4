"""A small release's facts, configs and hostile strings, for the tests of what is written of a
release.
"""

from dataclasses import replace

from cloze_gen.records.release_facts import Measured, PaperReference, ReleasedBook, ReleaseFacts

# What a title, a name or a licence may hold; each must come back as it was, or on one line, and
# change nothing around it.
HOSTILE = (
    "a \"b\": 'c'\n---\n{{ x }} {% y %} </script> \\",
    "x" * 10_000,
    "\U0001f600 \u2028\x85\x00\x07 \u00e9 \ufeff\uffff",
    "} and { %",
    "@type: $ref #x",
    "--- ",
    "- a: [",
    "yes",
    "0042",
    "2011-01-01",
)
PAPER = PaperReference(
    authors=("Doe, Jane", "The Group of R&D"),
    title="On {Blanks} & 50 % of them",
    year=2011,
    kind="techreport",
    venue="A House",
    number="7",
)
BOOKS = (
    ReleasedBook(side="train", book_id="t", file="t.txt", license="CC-BY-4.0", sha256="a" * 64),
    ReleasedBook(
        side="source",
        book_id="one",
        file="1.txt",
        title="One",
        author="A. B.",
        license="CC0-1.0",
        sha256="b" * 64,
        items=3,
    ),
    ReleasedBook(
        side="source", book_id="two", file="2.txt", license="cc0-1.0", sha256="c" * 64, items=1
    ),
    ReleasedBook(side="source", book_id="gone", file="3.txt", license="MIT", status="rejected"),
)
FACTS = ReleaseFacts(
    version="0.2.0",
    name="mine",
    style="toy-style",
    title="Toy-style",
    paper="Doe 2011, On blanks.",
    reference=PAPER,
    seed=1,
    signature="cloze-gen|v:0.2.0|style:toy|name:mine|n:4|set:5e10f7c9",
    canary="cloze-gen canary 1",
    settings={"release": {"harness": True}},
    noun="question",
    n_items=4,
    n_wanted=5,
    books=BOOKS,
    notes=("groomed: machine",),
)
TOLD = replace(
    FACTS,
    creator=("Doe, Jane", "The Group"),
    date="2026-11-22",
    url="https://example.org/sets/mine",
    measured=(
        Measured(name="length", kind="bias", accuracy=0.25, low=0.1, high=0.5, method="3 folds"),
    ),
    evaluated="A classifier picks the answer in 25 %.",
    judged="three teachers read every question",
)
CONFIGS = {
    "default": {"test": "parquet/questions.parquet"},
    "control": {"test": "parquet/control.parquet"},
}


def hostile_facts(words):
    """Whatever a book, a user or a style can write, written so."""
    book = ReleasedBook(
        side=words,
        book_id="b",
        file=words,
        title=words,
        author=words,
        year=words,
        etext=words,
        genre=words,
        license=words,
        items=1,
    )
    reference = PaperReference(
        authors=(words, f"{words}, {words}"), title=words, year=2011, venue=words, number=words
    )
    return replace(
        TOLD, name=words, title=words, paper=words, reference=reference, noun=words, books=(book,), notes=(words,), creator=(words,),
        judged=words, evaluated=words, date=words, url=words, overrides=(words,), settings={words: words}, canary=words,
    )  # fmt: skip
