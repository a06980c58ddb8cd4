r"""Values of JSON as YAML that is read back as the same values, whatever their strings hold.

Every string stands on one line in double quotes, as JSON writes it: what a book or a user wrote never becomes a key, a document's end or
a number. Two things JSON lets stand that YAML does not: marks that YAML takes for a line's end (U+0085, U+2028, U+2029) and
characters that it calls not printable; they are escaped. Letters beyond 16 bits stand as themselves, since YAML reads ``\ud83d\ude00``
as two halves of a character.

Source: yaml.org/spec/1.2.2, 5.1 (character set) and 7.3.1 (double-quoted style).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from cloze_gen.formats.one_line import whole_characters

_PLAIN_KEY = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_TAKEN = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null"})  # words that YAML 1.1 takes for other values
_ESCAPED = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


def yaml_string(text: str) -> str:
    r"""A text in double quotes; half a character, which no file can hold, becomes U+FFFD.

    >>> print(yaml_string('a: "b"\n---'))
    "a: \"b\"\n---"
    """
    return _inline(text)


def yaml_lines(value: Mapping[str, Any]) -> list[str]:
    """The lines of a mapping, nested mappings and lists in blocks.

    Values are strings, whole numbers, booleans, null, lists and mappings with strings as keys. YAML reads no key of more than 1,024
    characters.

    >>> yaml_lines({"tags": ["a", "b"], "rows": 1, "configs": [{"name": "x", "files": {"test": "t"}}], "none": []})
    ['tags:', '- "a"', '- "b"', 'rows: 1', 'configs:', '- name: "x"', '  files:', '    test: "t"', 'none: []']
    """
    return [line for key, inner in value.items() for line in _entry(_key(key), inner)]


def _entry(key: str, value: Any) -> list[str]:
    if isinstance(value, Mapping) and value:
        return [f"{key}:", *(f"  {line}" for line in yaml_lines(value))]
    if _is_list(value) and value:
        return [f"{key}:", *(line for one in value for line in _item(one))]
    return [f"{key}: {_inline(value)}"]


def _item(value: Any) -> list[str]:
    if isinstance(value, Mapping) and value:
        first, *rest = yaml_lines(value)
        return [f"- {first}", *(f"  {line}" for line in rest)]
    return [f"- {_inline(value)}"]


def _inline(value: Any) -> str:
    """On one line, as JSON has it but for what YAML would not read so."""
    text = whole_characters(json.dumps(value, ensure_ascii=False))
    return _ESCAPED.sub(lambda mark: f"\\u{ord(mark[0]):04x}", text)


def _key(key: str) -> str:
    return key if _PLAIN_KEY.fullmatch(key) and key.casefold() not in _TAKEN else yaml_string(key)


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)
