"""spaCy's tokenizer with English rules for whole words, as in the MSR files: clitics, hyphens and
the stops of abbreviations stay attached, dashes are split off.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from cloze_gen.english.word_lists import TOKEN_ABBREVIATIONS

if TYPE_CHECKING:
    from spacy.tokenizer import Tokenizer

# Words with an apostrophe of their own at the start; elsewhere it is a quotation mark. Only words
# that are none without it ('and, 'as, 'er more often open a quotation), and 'till and 'cause.
_ELISIONS = """tis twas twere twill twould tisn't twasn't twon't twouldn't tain't em til till cause
    bout neath gainst midst mongst
    twixt tween pon un uns ud ull ll ve re d s m im ave avin ad e'd ouse orse orses ome ow owever
    ard ead eart eard undred appen appened
    alf ope igh old'st nother nuff cept scuse spose
    lowed specially n fraid clock coz cos cuz ee erself imself prentice prentices oman umble
    zackly""".split()
_LEADING_APOSTROPHE = r"'(?!(?i:" + "|".join(sorted(map(re.escape, _ELISIONS))) + r")(?![A-Za-z]))"

_PREFIXES = (
    r"\.\.+", r"--+", r'"', r"`+", _LEADING_APOSTROPHE, r"[(\[{<>)\]}]", r"[,;:!?]", r"\.(?!\d)",
    r"[*#%=+~|\\^@_/]", r"&(?!c\b)",
    r"[£$€§¶†‡¿¡«»„“”‘…—–]", r"-(?![\d-])",
)  # fmt: skip
# After s an apostrophe is more often a possessive than a quotation mark (a closing mark follows
# punctuation); so after "in" (goin') and in short words that drop a letter.
_SHORT_DROPS = (
    "o th an wi ha ol mo t d y tho thro altho fo ca sha aroun roun po yo mos jus lan ev aft owd "
    "awa fu fro nex las bes"
).split()
_TRAILING_APOSTROPHE = (
    "(?<![sS])(?<![A-Za-z]in)(?<![A-Z]IN)"
    + "".join(rf"(?<!\b{drop})(?<!\b{drop.capitalize()})" for drop in sorted(_SHORT_DROPS))
    + "'"
)
_SUFFIXES = (
    r"\.\.+", r"--+", r'"', r"`+", _TRAILING_APOSTROPHE,
    r"(?<=[.,;:!?\"-])'", r"[)\]}>(\[{<]", r"[,;:!?]", r"\.", r"[*#%=+~|\\^@_/]", r"&",
    r"[†‡«»“”’…—–]", r"(?<!-)-",
)  # fmt: skip
_INFIXES = (
    r"\.\.+", r"--+", r'"', r"[()\[\]{}<>]", r"[!?]+(?=[A-Za-z'\"])", r"[.,;:](?=\")",
    r"(?<=[^\W\d_])[,;:](?=[^\W\d_])",
    r"(?<=[^\W\d_])[,;](?=\d)", r"(?<=\d)[,;:](?=[^\W\d_])", r"(?<=[a-z])\.(?=[A-Z])",
    r"(?<=[,;])'(?=[A-Za-z])", r"[…—–=]",
)  # fmt: skip
# Initials and dotted abbreviations are whole: J. U.S. i.e. p.m. Ph.D. "I." is the pronoun at the
# end of a sentence.
_DOTTED = re.compile(r"(?:[A-HJ-ZÀ-Þ]\.|(?:[A-Za-z]{1,2}\.){2,}|(?:[A-Za-z]\.){2,}[A-Za-z])$")
_SIMPLE = re.compile(
    rf"((?:[\"(]|{_LEADING_APOSTROPHE})*)([A-Za-z]+(?:[-'\xad][A-Za-z]+)*)(?:(\.)([,;:!?)\"']*)|([,;:!?)\"][,;:!?)\"']*))?"
)
_MAX_CHUNK_CHARS = 1000  # the longest chunk of the 534 books has 109 characters
_EXTRA = ("&c.", "o'clock", "Ph.D.")


def build_tokenizer() -> Tokenizer:
    """The project's tokenizer; it treats chunks between spaces independently.

    >>> [token.text for token in build_tokenizer()('"To-morrow," said Mr. J. Holmes, "\\'tis o\\'clock!"')][:8]
    ['"', 'To-morrow', ',', '"', 'said', 'Mr.', 'J.', 'Holmes']
    """
    # here, because spaCy takes a second to load and most commands do not need it
    from spacy.symbols import ORTH
    from spacy.tokenizer import Tokenizer
    from spacy.vocab import Vocab

    rules = {word: [{ORTH: word}] for word in (*TOKEN_ABBREVIATIONS, *_EXTRA)}
    return Tokenizer(
        Vocab(),
        rules=rules,
        prefix_search=re.compile("|".join(f"^(?:{piece})" for piece in _PREFIXES)).search,
        suffix_search=re.compile("|".join(f"(?:{piece})$" for piece in _SUFFIXES)).search,
        infix_finditer=re.compile("|".join(_INFIXES)).finditer,
        token_match=_DOTTED.match,
        url_match=None,
    )


def chunk_tokenizer() -> Callable[[str], tuple[str, ...]]:
    """`build_tokenizer` for one space-free chunk; six times as fast, for most chunks are a word with
    outer marks. An overlong chunk is one token, because the tokenizer takes quadratic time.
    """
    tokenizer = build_tokenizer()
    rules = frozenset(tokenizer.rules)

    def tokenize_chunk(chunk: str) -> tuple[str, ...]:
        if len(chunk) > _MAX_CHUNK_CHARS:
            return (chunk,)
        match = _SIMPLE.fullmatch(chunk)
        if match is None:
            return tuple(token.text for token in tokenizer(chunk))
        before, core, stop, after_stop, after = match.groups("")
        if stop and (len(core) == 1 or core + stop in rules):
            return tuple(token.text for token in tokenizer(chunk))
        return (*before, core, *stop, *after_stop, *after)

    return tokenize_chunk
