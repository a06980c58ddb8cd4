"""The most plausible of four one-byte encodings, by the letters and marks that it makes in words."""

from __future__ import annotations

import re
from collections import Counter

# Tried in this order on equal evidence. All 13 of the 522 files with high bytes are one of these;
# none is UTF-8.
LEGACY_ENCODINGS = ("latin-1", "cp1252", "cp437", "mac_roman")

# How plausible an accented letter is inside a word of an English book: French and German loans
# first, rare letters last. `\x97` is an em dash in cp1252 and `ù` in cp437:
# "disgraced\x97but" must choose the dash.
_LETTER_PLAUSIBILITY = (
    dict.fromkeys("é", 2.0)
    | dict.fromkeys("èêëàâäáçñöôóüûîïíæœ", 1.2)
    | dict.fromkeys("øåãõßúÉÀÈÇÆŒÄÖÜ", 0.6)
)
_RARE_LETTER = 0.1
_DASHES = "—–"
_OPENING = "“‘«"
_CLOSING = "”’»"
_HIGH_BYTE = re.compile(r"[\x80-\xff]")
_MAX_EVIDENCE = 4000  # occurrences looked at; more never changed the choice


def most_plausible(text: str) -> tuple[str, str]:
    r"""The encoding of the bytes that `text` has as the characters U+0080 to U+00FF, and its scores.

    >>> most_plausible("He was disgraced\x97but alive.")
    ('cp1252', '1 high bytes: latin-1 -3.0, cp1252 0.5, cp437 0.1, mac_roman 0.4')
    """
    contexts: Counter[tuple[str, str, str]] = Counter()
    for seen, match in enumerate(_HIGH_BYTE.finditer(text)):
        if seen >= _MAX_EVIDENCE:
            break
        at = match.start()
        contexts[text[max(0, at - 1) : at], match.group(), text[at + 1 : at + 2]] += 1
    scores = {encoding: _score(encoding, contexts) for encoding in LEGACY_ENCODINGS}
    best = max(LEGACY_ENCODINGS, key=lambda name: round(scores[name], 6))  # the first on a tie
    scores_text = ", ".join(f"{name} {scores[name]:.1f}" for name in LEGACY_ENCODINGS)
    return best, f"{contexts.total()} high bytes: {scores_text}"


def read_as(text: str, encoding: str) -> str:
    r"""The text with U+0080 to U+00FF read as bytes of the encoding; without a character: U+FFFD.

    >>> read_as("d\x82collet\x82", "cp437")
    'décolleté'
    """
    # the same but for control characters, which no text has
    codec = "cp1252" if encoding == "latin-1" else encoding
    return text.translate(
        {byte: bytes([byte]).decode(codec, "replace") for byte in range(0x80, 0x100)}
    )


def _score(encoding: str, contexts: Counter[tuple[str, str, str]]) -> float:
    total = 0.0
    for (before, byte, after), count in sorted(contexts.items()):
        char = byte.encode("latin-1").decode(encoding, "replace")
        total += count * _plausibility(before, char, after)
    # A Mac file among Gutenberg's is rare (1 of the 534): it must win clearly, or its `ó` takes
    # the cp1252 dash.
    return total * 0.35 if encoding == "mac_roman" else total


def _plausibility(before: str, char: str, after: str) -> float:
    """Plausibility of `char` between its neighbours: 2 for `é` in a word, negative for rubbish."""
    inside_left, inside_right = before.isalpha(), after.isalpha()
    if char.isalpha():
        value = _LETTER_PLAUSIBILITY.get(char, _RARE_LETTER)
        if not (inside_left or inside_right):
            return value - 1.0
        if char == "à" and (inside_right or before not in "lj"):
            return _RARE_LETTER  # "voilà", "déjà"; elsewhere `\x85` is the dots of cp1252
        return -1.0 if char.isupper() and before.islower() else value
    if "\x80" <= char < "\xa0" or char == "\ufffd":
        return -3.0
    if char == "\xa0":
        return 0.5
    if char in _DASHES:
        return 0.5
    if char == "’":
        return 1.0 if inside_left else 0.0
    if char in _CLOSING:
        return 1.0 if not inside_right and before not in ("", " ", "\n") else -1.0
    if char in _OPENING:
        return 1.0 if not inside_left and inside_right else -1.0
    if char in "£½¼¾°§":
        return 1.0 if after.isdigit() or before.isdigit() else -0.5
    if char == "…":
        return 0.2
    return -1.0
