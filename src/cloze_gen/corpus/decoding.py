"""Bytes of one book to text and to flat text; all offsets of the project count the characters of
``raw.decode(encoding)``, and `flatten` keeps them.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from cloze_gen.errors import BookError

# Tried in this order on equal evidence. All 13 of the 522 files with high bytes are one of these;
# none is UTF-8.
LEGACY_ENCODINGS = ("latin-1", "cp1252", "cp437", "mac_roman")

# How plausible an accented letter is inside a word of an English book: French and German loans
# first, rare letters last. `\x97` is an em dash in cp1252 and `ù` in cp437:
# "disgraced\x97but" must choose the dash.
_LETTER_WELCOME = (
    dict.fromkeys("é", 2.0)
    | dict.fromkeys("èêëàâäáçñöôóüûîïíæœ", 1.2)
    | dict.fromkeys("øåãõßúÉÀÈÇÆŒÄÖÜ", 0.6)
)
_RARE_LETTER = 0.1
_DASHES = "—–"
_OPENING = "“‘«"
_CLOSING = "”’»"
_HIGH_RUN = re.compile(rb"[\x80-\xff]")
_MAX_EVIDENCE = 4000  # occurrences looked at; more never changed the choice

# Bytes that no text holds: more than one control byte in 200 is a program, an image or UTF-16
# without its mark.
_BINARY_CONTROL_SHARE = 0.005
_TEXT_BYTES = bytes(range(0x20, 0x7F)) + b"\t\n\r\f\v\x1a" + bytes(range(0x80, 0x100))

# stands for a soft hyphen or zero-width character of the input until `normalize` drops it
_SOFT_HYPHEN_MARK = "\x7f"
_SPACES = "\t\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000\ufffd"
_BREAKS = "\r\x0b\x0c\x85\u2028\u2029"
_NOTHING = "\xad\u200b\u200c\u200d\u2060\ufeff\u200e\u200f\u202a\u202b\u202c\u202d\u202e"
_FLAT = (
    dict.fromkeys((*range(0x20), *range(0x7F, 0xA0)), " ")
    | {ord(char): " " for char in _SPACES}
    | {ord(char): "\n" for char in _BREAKS + "\n"}
    | {ord(char): _SOFT_HYPHEN_MARK for char in _NOTHING}
    | {ord(char): '"' for char in "“”„‟«»″"}
    | {ord(char): "'" for char in "‘’‚‛′´ʼ"}
    | {ord("\u2010"): "-", ord("\u2011"): "-", ord("ʹ"): "'"}
)
_PLAIN_BYTES = b"\n" + bytes(range(0x20, 0x7F))
_NOT_PLAIN = re.compile(r"[\n\x20-\x7e]+")  # without these only the special characters are left
_MANY_KINDS = (
    64  # kinds of special characters from which one `str.translate` is faster than replacing each
)
# CP437 accents that lost their high bit on the way (`d\x02collet\x02`): repaired only behind a
# lower-case letter.
_LOST_HIGH_BIT = re.compile(r"(?<=[a-z])[\x01-\x08\x10\x11\x13\x14\x16\x17](?=[a-z\s.,;:!?'\"-])")


@dataclass(frozen=True, slots=True)
class Decoded:
    """A decoded book; `text` is verbatim, `evidence` says why this encoding was chosen."""

    text: str
    encoding: str
    evidence: str


def decode_book(raw: bytes) -> Decoded:
    r"""Decode by byte-order mark, else as valid UTF-8, else in the most plausible legacy encoding;
    BookError if ``empty`` or ``binary``.

    >>> decode_book("Châlons".encode("cp437")).text
    'Châlons'
    >>> decode_book(b"He was disgraced\x97but alive.").encoding
    'cp1252'
    """
    if not raw.strip(b" \t\r\n\f\v\x1a\x00"):
        raise BookError("empty", "the file is empty")
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        try:
            return Decoded(raw.decode("utf-16"), "utf-16", "byte-order mark")
        except UnicodeDecodeError as error:
            raise BookError(
                "binary", f"starts with a UTF-16 mark but is not UTF-16: {error.reason}"
            ) from error
    control_count = len(raw.translate(None, _TEXT_BYTES))
    if control_count > _BINARY_CONTROL_SHARE * len(raw) and control_count > 8:
        raise BookError("binary", f"{control_count} control bytes in {len(raw)}: not a text file")
    if raw.isascii():
        return Decoded(raw.decode("ascii"), "ascii", "no high bytes")
    marked = raw.startswith(b"\xef\xbb\xbf")
    try:
        text = raw.decode("utf-8-sig" if marked else "utf-8")
    except UnicodeDecodeError:
        return _decode_legacy(raw)
    return Decoded(
        text, "utf-8-sig" if marked else "utf-8", "byte-order mark" if marked else "valid UTF-8"
    )


def flatten(text: str) -> str:
    r"""Same-length text of plain spaces, newlines and straight quotes, without control characters.

    >>> flatten("a\tb\r\nc\rd “e”")
    'a b \nc\nd "e"'
    >>> len(flatten("x\u2028\xad\x1a")) == 4
    True
    """
    flat = text.replace("\r\n", " \n")
    if "\r" in flat:
        flat = flat.replace("\r", "\n")
    special = (
        flat.encode().translate(None, _PLAIN_BYTES) if flat.isascii() else _NOT_PLAIN.sub("", flat)
    )
    if not special:
        return flat
    kinds = set(special if isinstance(special, str) else special.decode())
    if min(kinds) < " ":  # looking for them takes longer than all else
        flat = _LOST_HIGH_BIT.sub(_restore_high_bit, flat)
    replaced = sorted(char for char in kinds if ord(char) in _FLAT)
    if len(replaced) > _MANY_KINDS:
        return flat.translate(_FLAT)
    for char in replaced:
        flat = flat.replace(char, _FLAT[ord(char)])
    return flat


def _restore_high_bit(match: re.Match[str]) -> str:
    return bytes([ord(match.group()) | 0x80]).decode("cp437")


def _decode_legacy(raw: bytes) -> Decoded:
    contexts: Counter[tuple[str, int, str]] = Counter()
    for seen, match in enumerate(_HIGH_RUN.finditer(raw)):
        if seen >= _MAX_EVIDENCE:
            break
        at = match.start()
        around = (
            raw[max(0, at - 1) : at].decode("latin-1"),
            raw[at],
            raw[at + 1 : at + 2].decode("latin-1"),
        )
        contexts[around] += 1
    scores: dict[str, float] = {}
    for encoding in LEGACY_ENCODINGS:
        total = 0.0
        for (before, byte, after), count in sorted(contexts.items()):
            try:
                char = bytes([byte]).decode(encoding)
            except UnicodeDecodeError:
                total = float("-inf")
                break
            total += count * _welcome(before, char, after)
        # A Mac file among Gutenberg's is rare (1 of the 534): it must win clearly, or its `ó` takes
        # the cp1252 dash.
        scores[encoding] = total * 0.35 if encoding == "mac_roman" else total
    # latin-1 decodes anything, so a finite score always exists.
    best = max(
        LEGACY_ENCODINGS, key=lambda name: (round(scores[name], 6), -LEGACY_ENCODINGS.index(name))
    )
    scores_text = ", ".join(f"{name} {scores[name]:.1f}" for name in LEGACY_ENCODINGS)
    return Decoded(raw.decode(best), best, f"{sum(contexts.values())} high bytes: {scores_text}")


def _welcome(before: str, char: str, after: str) -> float:
    """Plausibility of `char` between its neighbours: 2 for `é` in a word, negative for rubbish."""
    inside_left, inside_right = before.isalpha(), after.isalpha()
    if char.isalpha():
        value = _LETTER_WELCOME.get(char, _RARE_LETTER)
        if not (inside_left or inside_right):
            return value - 1.0
        if char.isupper() and (
            before.islower()
            or (not inside_left and after.isupper() and before not in ("", " ", "\n", '"'))
        ):
            return -1.0
        return value
    if "\x80" <= char < "\xa0":
        return -3.0
    if char == "\xa0":
        return 0.5 if not inside_left else 0.0
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
