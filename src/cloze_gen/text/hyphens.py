r"""Words broken at line ends: joined or hyphenated, as the corpus has them elsewhere.

Ingest leaves U+00AD where a word was broken (``candle\xadlight``). Once the counts of the whole corpus are known, each such type is
decided.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from cloze_gen.text.normalize import LINE_END_HYPHEN

_CLITICS = ("'s", "s'", "'")


class HyphenReason(StrEnum):
    JOINED_ATTESTED = "joined_attested"
    HYPHENATED_ATTESTED = "hyphenated_attested"
    PARTS_ARE_WORDS = "parts_are_words"
    PARTS_ARE_NOT_WORDS = "parts_are_not_words"


@dataclass(frozen=True, slots=True)
class HyphenDecision:
    """What a broken word becomes.

    Attributes:
        form: the word as it will stand, joined or with a plain hyphen.
        reason: which evidence decided.
        joined_count, hyphenated_count: case-folded counts of both forms away from line ends.
    """

    form: str
    reason: HyphenReason
    joined_count: int
    hyphenated_count: int


def resolve_hyphens(counts: Mapping[str, int], *, min_part_count: int = 5) -> dict[str, HyphenDecision]:
    r"""Decide every type that holds U+00AD.

    The more attested form wins, an even count keeps the hyphen (the printer set one). Attested forms are looked up without a
    possessive ending too. With neither form attested the word is hyphenated when every part is a word of the corpus (at least
    `min_part_count` times: ``door`` and ``bell``), joined when one is not (``con`` and ``sternation``).

    Args:
        counts: surface counts of all token types of the corpus.
        min_part_count: how often a part must occur to be called a word.

    >>> resolve_hyphens({"candle\xadlight": 1, "candlelight": 3, "Candle-light": 2})["candle\xadlight"].form
    'candlelight'
    >>> resolve_hyphens({"door\xadgod": 1, "door": 9, "god": 9})["door\xadgod"].form
    'door-god'
    """
    folded: dict[str, int] = {}
    broken: list[str] = []
    for word, count in counts.items():
        if LINE_END_HYPHEN in word:
            broken.append(word)
            continue
        key = word.casefold()
        folded[key] = folded.get(key, 0) + count
    return {word: _decide(word, folded, min_part_count) for word in sorted(broken)}


def _decide(word: str, folded: Mapping[str, int], min_part_count: int) -> HyphenDecision:
    joined, hyphenated = word.replace(LINE_END_HYPHEN, ""), word.replace(LINE_END_HYPHEN, "-")
    joined_count, hyphenated_count = _attested(joined, folded), _attested(hyphenated, folded)
    if joined_count or hyphenated_count:
        if joined_count > hyphenated_count:
            return HyphenDecision(joined, HyphenReason.JOINED_ATTESTED, joined_count, hyphenated_count)
        return HyphenDecision(hyphenated, HyphenReason.HYPHENATED_ATTESTED, joined_count, hyphenated_count)
    parts = hyphenated.casefold().split("-")
    if all(_attested(part, folded) >= min_part_count for part in parts):
        return HyphenDecision(hyphenated, HyphenReason.PARTS_ARE_WORDS, 0, 0)
    return HyphenDecision(joined, HyphenReason.PARTS_ARE_NOT_WORDS, 0, 0)


def _attested(word: str, folded: Mapping[str, int]) -> int:
    """Case-folded count of a word, with and without its possessive ending."""
    key = word.casefold()
    total = folded.get(key, 0)
    for clitic in _CLITICS:
        if key.endswith(clitic) and len(key) > len(clitic):
            bare = key[: -len(clitic)]
            return total + folded.get(bare if clitic != "s'" else bare + "s", 0)
    return total
