"""Pages are short and written in the usual words: length, sentences, words of a private idiom."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "docs" / "reference"  # generated from the code
PAGES = [
    *(ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md")),
    *(page for page in sorted((ROOT / "docs").rglob("*.md")) if page.parent != REFERENCE),
]
ALL_PAGES_WORDS = 25_000
PAGE_WORDS, README_WORDS = 1_500, 900
# Recipes and papers may be longer.
LONG = {f"docs/explanation/{name}.md" for name in ("holmes", "scs", "lambada", "scde", "papers")}
SENTENCE_WORDS = 40
IDIOM_PER_10_000 = 20
IDIOM = frozenset(
    "told tell tells said says asked asks stands stand beside nobody whoever whatever dealt laid anew heard strangers worth wish speaks "
    "house floor floors wing wings law laws room rooms".split()
)
UNUSUAL_STARTS = ("Whoever", "Of ", "What ", "Where ")

# Fenced, or indented by four spaces after an empty line.
_BLOCK = re.compile(r"^(```|~~~).*?^\1[ \t]*$|(?<=\n\n)(?: {4}[^\n]*\n)+", re.MULTILINE | re.DOTALL)
_TARGET = re.compile(r"\]\([^()\s]*\)")
_CODE = re.compile(r"`[^`\n]*`")
_WORD = re.compile(r"[A-Za-z]+(?:'[a-z]+)?")
_NEW_TEXT = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*#>]|\d+\.) )|\||\n(?=\|)")
_SENTENCE_END = re.compile(r"""(?<=[.!?])["')*]*\s+(?=["'(*`\[]*[A-Z0-9])""")


def words(text: str) -> list[str]:
    """The words that a reader sees, with those of commands and without targets of links.

    >>> words("See [the *page*](docs/page.md), or `make test`.")
    ['See', 'the', 'page', 'or', 'make', 'test']
    """
    return _WORD.findall(_TARGET.sub("]", text))


def idiom(text: str) -> list[str]:
    """Words of the private idiom, in lower case, outside of code."""
    return [
        word for word in map(str.lower, words(_CODE.sub("", _BLOCK.sub("", text)))) if word in IDIOM
    ]


def sentences(text: str) -> Iterator[str]:
    """Sentences outside of blocks; an item of a list and a cell of a table end one too.

    >>> list(sentences("# Head\\n\\nOne two.\\nThree\\nfour. `five`\\n- six\\n\\n| a | b |\\n"))
    ['# Head', 'One two.', 'Three four. `five`', '- six', 'a', 'b']
    """
    for part in _NEW_TEXT.split(_BLOCK.sub("\n\n", text)):
        yield from filter(None, _SENTENCE_END.split(" ".join(part.split())))


def long_sentences(text: str) -> list[str]:
    return [one for one in sentences(text) if len(words(_CODE.sub("x", one))) > SENTENCE_WORDS]


def unusual_starts(text: str) -> list[str]:
    """Sentences that do not begin with their subject. Questions, headings and heads of tables are
    free.
    """
    return [
        one
        for one in sentences(text)
        if one.lstrip("-*> ").startswith(UNUSUAL_STARTS) and one.endswith((".", ":", ";"))
    ]


@pytest.fixture(params=PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def page(request: pytest.FixtureRequest) -> Path:
    return Path(request.param)


def test_a_page_is_short(page: Path) -> None:
    """At most 1,500 words, README 900; pages of recipes and papers may be longer."""
    name, count = page.relative_to(ROOT).as_posix(), len(words(page.read_text(encoding="utf-8")))
    most = README_WORDS if name == "README.md" else PAGE_WORDS
    assert name in LONG or count <= most, f"{count} words"


def test_all_pages_are_short() -> None:
    """At most 25,000 words together, without the generated reference."""
    counts = {page.name: len(words(page.read_text(encoding="utf-8"))) for page in PAGES}
    assert sum(counts.values()) <= ALL_PAGES_WORDS, counts


def test_sentences_are_short(page: Path) -> None:
    """At most 40 words; the rule is about 20."""
    wrong = long_sentences(page.read_text(encoding="utf-8"))
    assert not wrong, "\n".join(wrong)


def test_sentences_begin_with_their_subject(page: Path) -> None:
    """None begins with What, Whoever, Where or Of."""
    wrong = unusual_starts(page.read_text(encoding="utf-8"))
    assert not wrong, "\n".join(wrong)


def test_words_are_the_usual_ones(page: Path) -> None:
    """At most 20 words of the idiom in 10,000, on each page; one is allowed on a short page."""
    text = page.read_text(encoding="utf-8")
    found = idiom(text)
    assert len(found) <= max(1, IDIOM_PER_10_000 * len(words(text)) / 1e4), found


def test_breaches_are_found() -> None:
    """A long sentence, an unusual first word and a word of the idiom, each in a list or a table."""
    assert long_sentences("- " + "word " * 41 + ".\n")
    assert not long_sentences("word " * 30 + ".\n\n" + "word " * 30 + ".\n")
    assert unusual_starts("| Of these, none is left. |\n") == ["Of these, none is left."]
    assert not unusual_starts("## What is new?\n\nIt works. Office hours.\n")
    assert idiom("He **told** us, `said` and ```tell```.\n```\nasked\n```\n") == ["told"]
