r"""Words broken at line ends: joined or hyphenated, as the corpus has them elsewhere."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from cloze_gen.corpus.normalization import LINE_END_HYPHEN
from cloze_gen.store.artifacts import ArtifactWriter
from cloze_gen.store.tables import read_tsv, write_tsv


@dataclass(frozen=True, slots=True)
class HyphenDecision:
    """The form of a broken word, and case-folded counts of both forms away from line ends."""

    form: str
    joined_count: int
    hyphenated_count: int


_MIN_PART_COUNT = 5  # of a part that is a word


def resolve_hyphens(counts: Mapping[str, int]) -> dict[str, HyphenDecision]:
    r"""Decide every type that holds U+00AD (``candle\xadlight``).

    The more frequent form wins, possessive endings aside; equal counts keep the hyphen. With
    neither form attested the word is hyphenated if each part occurs `_MIN_PART_COUNT`
    times, else joined.

    >>> resolve_hyphens({"candle\xadlight": 1, "candlelight": 3, "Candle-light": 2})["candle\xadlight"].form
    'candlelight'
    >>> resolve_hyphens({"door\xadgod": 1, "door": 9, "god": 9})["door\xadgod"].form
    'door-god'
    """
    folded = Counter[str]()
    broken: list[str] = []
    for word, count in counts.items():
        if LINE_END_HYPHEN in word:
            broken.append(word)
        else:
            folded[word.casefold()] += count
    return {word: _decide(word, folded) for word in sorted(broken)}


def _decide(word: str, folded: Counter[str]) -> HyphenDecision:
    joined = word.replace(LINE_END_HYPHEN, "")
    hyphenated = word.replace(LINE_END_HYPHEN, "-")
    joined_count = _attested(joined, folded)
    hyphenated_count = _attested(hyphenated, folded)
    if joined_count or hyphenated_count:
        is_joined = joined_count > hyphenated_count
    else:
        parts = hyphenated.split("-")
        is_joined = any(_attested(part, folded) < _MIN_PART_COUNT for part in parts)
    return HyphenDecision(joined if is_joined else hyphenated, joined_count, hyphenated_count)


def _attested(word: str, folded: Counter[str]) -> int:
    """Tokens of the word in any case, with and without its possessive ending."""
    key = word.casefold()
    forms = {key, key.removesuffix("'s").removesuffix("'")}
    return sum(folded[form] for form in forms)


# ---- words that a line end broke

HYPHENS = "hyphens.tsv"


def write_hyphens(writer: ArtifactWriter, counts: Mapping[str, int]) -> dict[str, str]:
    """Write `hyphens.tsv` (``|`` in `broken` is the line end); returns the form of each type."""
    decisions = resolve_hyphens(counts)
    rows = (
        (
            token.replace(LINE_END_HYPHEN, "|"),
            counts[token],
            decision.joined_count,
            decision.hyphenated_count,
            decision.form,
        )
        for token, decision in decisions.items()
    )
    header = ("broken", "count", "joined_count", "hyphenated_count", "form")
    writer.rows[HYPHENS] = write_tsv(writer.path(HYPHENS), header, rows)
    return {token: decision.form for token, decision in decisions.items()}


@functools.lru_cache(maxsize=1)
def read_hyphen_forms(path: Path) -> Mapping[str, str]:
    """Broken type -> form, from `hyphens.tsv`."""
    return {row["broken"].replace("|", LINE_END_HYPHEN): row["form"] for row in read_tsv(path)}


def mend_token(token: str, forms: Mapping[str, str]) -> str:
    r"""A broken token in its decided form; a type that was never counted keeps its hyphen.

    >>> mend_token("lamp\xadlight", {"lamp\xadlight": "lamplight"}), mend_token("lamp\xadoil", {})
    ('lamplight', 'lamp-oil')
    """
    return forms.get(token, token.replace(LINE_END_HYPHEN, "-"))


def mend_line(line: str, forms: Mapping[str, str]) -> str:
    return " ".join(
        mend_token(token, forms) if LINE_END_HYPHEN in token else token for token in line.split(" ")
    )


def mend_text(text: str, line: str, forms: Mapping[str, str]) -> str:
    r"""A sentence's text with broken tokens in their decided form.

    >>> mend_text("By lamp\xadlight, he said.", "By lamp\xadlight , he said .", {"lamp\xadlight": "lamplight"})
    'By lamplight, he said.'
    """
    broken_words = {token for token in line.split(" ") if LINE_END_HYPHEN in token}
    # one may be the end of a longer one
    for broken in sorted(broken_words, key=lambda word: (-len(word), word)):
        text = text.replace(broken, mend_token(broken, forms))
    return text
