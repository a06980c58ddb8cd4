"""Cleaning of collected passages by the rules of Kong et al. 2020, 3.2, in the paper's order.

Our reading: *duplicate passages* have the same letters, digits and places of blanks; the first is
kept. *Missing or null candidates* are a missing list, or a null or empty candidate. The paper's rule
on two OCR readings of an image does not apply: the published layout has one reading. Separate
punctuation marks stay, as in the published files.
"""

from __future__ import annotations

from collections.abc import Iterable

from cloze_gen.formats.scde import CollectedPassage, Rule
from cloze_gen.records.blanked_passage import BlankedPassage


def clean(
    passages: Iterable[CollectedPassage],
) -> tuple[list[BlankedPassage], list[tuple[CollectedPassage, Rule]]]:
    """The passages that pass, and the others with the first rule that rejects them.

    >>> good = CollectedPassage(1, ["We left.", "<1>", "."], ["Jane sang.", "It rained."], [(1, 1)])
    >>> copy = CollectedPassage(2, ["We left.", "<1>"])
    >>> kept, rejected = clean([good, copy])
    >>> kept[0].sentences, [str(rule) for _, rule in rejected]
    (('We left.', 'It rained.', '.'), ['duplicate_passage'])
    """
    texts: set[str] = set()
    kept: list[BlankedPassage] = []
    rejected: list[tuple[CollectedPassage, Rule]] = []
    for passage in passages:
        text = _letters(passage)
        rule = Rule.DUPLICATE_PASSAGE if text in texts else passage.broken_rule
        texts.add(text)
        if rule is None:
            kept.append(passage.filled())
        else:
            rejected.append((passage, rule))
    return kept, rejected


def _letters(item: CollectedPassage) -> str:
    blanked = frozenset(item.blanks)
    texts = (
        "<>" if i in blanked else "".join(filter(str.isalnum, text.casefold()))
        for i, text in enumerate(item.passage)
    )
    return "".join(texts)
