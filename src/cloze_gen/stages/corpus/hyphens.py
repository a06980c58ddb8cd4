"""What becomes of words that a line end broke: the decisions as a table, and how lines are mended by them.

Ingest leaves such words with a mark inside (`text.normalize.LINE_END_HYPHEN`); counts of the whole corpus decide them (`text.hyphens`).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from cloze_gen.store.artifacts import ArtifactWriter
from cloze_gen.store.tables import read_tsv, write_tsv
from cloze_gen.text.hyphens import resolve_hyphens
from cloze_gen.text.normalize import LINE_END_HYPHEN

HYPHENS = "hyphens.tsv"


def write_hyphens(writer: ArtifactWriter, counts: Mapping[str, int]) -> dict[str, str]:
    """Decide all types that a line end broke and write `hyphens.tsv`; returns the form each is counted as.

    The table is for an auditor, a row a type, sorted: `broken` (``|`` where the line ended), `count`, `joined_count` and `hyphenated_count`
    of both forms elsewhere, the `form` chosen and the `reason`.
    """
    decisions = resolve_hyphens(counts)
    rows = (
        (token.replace(LINE_END_HYPHEN, "|"), counts[token], found.joined_count, found.hyphenated_count, found.form, found.reason)
        for token, found in sorted(decisions.items())
    )
    header = ("broken", "count", "joined_count", "hyphenated_count", "form", "reason")
    writer.rows[HYPHENS] = write_tsv(writer.path(HYPHENS), header, rows)
    return {token: decision.form for token, decision in decisions.items()}


def read_hyphen_forms(path: Path) -> dict[str, str]:
    """The decisions back from disk: broken type -> form."""
    return {row["broken"].replace("|", LINE_END_HYPHEN): row["form"] for row in read_tsv(path)}


def mend_token(token: str, forms: Mapping[str, str]) -> str:
    r"""A token that a line end broke, in its decided form; a type the corpus never counted keeps its hyphen.

    >>> mend_token("lamp\xadlight", {"lamp\xadlight": "lamplight"}), mend_token("lamp\xadoil", {})
    ('lamplight', 'lamp-oil')
    """
    return forms.get(token, token.replace(LINE_END_HYPHEN, "-"))


def mend_line(line: str, forms: Mapping[str, str]) -> str:
    """The tokens of a line, those that a line end broke in their decided form."""
    return " ".join(mend_token(token, forms) if LINE_END_HYPHEN in token else token for token in line.split(" "))


def mend_text(text: str, line: str, forms: Mapping[str, str]) -> str:
    r"""A sentence's text, the tokens that a line end broke in their decided form.

    Args:
        line: the sentence's tokens, joined by single spaces.

    >>> mend_text("By lamp\xadlight, he said.", "By lamp\xadlight , he said .", {"lamp\xadlight": "lamplight"})
    'By lamplight, he said.'
    """
    broken_words = {token for token in line.split(" ") if LINE_END_HYPHEN in token}
    for broken in sorted(broken_words, key=lambda word: (-len(word), word)):  # one may be the end of a longer one
        text = text.replace(broken, mend_token(broken, forms))
    return text
