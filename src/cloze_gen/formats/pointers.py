"""Records without the text of books: every text is written as the places where its characters stand in the spans that it came from.

A reference is the normalized text of a record's spans, one after the other; whoever has the books can make it. A text becomes a flat list
of places in it, start and end by turns: ``[0, 130]`` is the reference's first 130 characters, ``[0, 4, "-", 5, 9]`` two slices and a
character between them. A character stands for itself only where the reference lacks it (a hyphen that a line end took away, the full stop
that the challenge's form puts for a question mark), so no list says anything of a book to somebody who does not have it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from cloze_gen.errors import FormatError
from cloze_gen.notation import shown

Places = list[int | str]
_BETWEEN = "\n"  # between the texts of two spans; no normalized text holds one


def reference_text(texts: Sequence[str]) -> str:
    """The texts of a record's spans as one, in which its own texts are found."""
    return _BETWEEN.join(texts)


def text_places(text: str, reference: str, start: int = 0) -> Places:
    """Where a text's characters stand in the reference: the longest slices that are found, from the left.

    Args:
        start: where to look first; the rest is looked through from the beginning.

    >>> text_places("We saw Ann.", "We saw Ann. We left.")
    [0, 11]
    >>> text_places("to-day!", "We left to\\xadday.")
    [8, 10, '-', 11, 14, '!']
    """
    places: Places = []
    done = 0
    while done < len(text):
        length, at = _longest_slice(text[done:], reference, start)
        if length:
            start = at + length
            places += [at, start]
        else:
            places.append(text[done])
        done += max(1, length)
    return places or [""]


def _longest_slice(text: str, reference: str, start: int) -> tuple[int, int]:
    """(characters, place) of the longest beginning of `text` that stands in the reference; (0, 0) where its first character does not."""
    shortest, longest = 0, len(text)
    if text in reference:
        shortest = longest
    while shortest < longest:  # a beginning that is there has all its own beginnings there
        middle = (shortest + longest + 1) // 2
        if text[:middle] in reference:
            shortest = middle
        else:
            longest = middle - 1
    if not shortest:
        return 0, 0
    at = reference.find(text[:shortest], start)
    return shortest, at if at >= 0 else reference.find(text[:shortest])


def text_at(places: Any, reference: str, *, where: str) -> str:
    """The text of a list of places.

    Raises:
        FormatError: this is no list of places in this reference; says `where`.

    >>> text_at([8, 10, "-", 11, 14, "!"], "We left to\\xadday.", where="here")
    'to-day!'
    """
    parts, waiting = [], None
    for place in places if isinstance(places, list) else [None]:
        if isinstance(place, str) and waiting is None and len(place) <= 1:
            parts.append(place)
        elif type(place) is not int or not (waiting or 0) <= place <= len(reference):
            raise FormatError(f"{where}: {shown(place)} is no place in the {len(reference)} characters of its spans")
        elif waiting is None:
            waiting = place
        else:
            parts.append(reference[waiting:place])
            waiting = None
    if waiting is not None:
        raise FormatError(f"{where}: a slice without an end")
    return "".join(parts)


def _sliced_chars(value: Any) -> int:
    """Characters in the slices of lists of places, at any depth."""
    if not isinstance(value, list):
        return 0
    places = [one for one in value if type(one) is int]
    own = sum(max(0, end - start) for start, end in zip(places[::2], places[1::2], strict=False))
    return own + sum(map(_sliced_chars, value))


def pointer_record(record: Mapping[str, Any], reference: str, *, texts: Sequence[str], derived: Sequence[str]) -> dict[str, Any]:
    """A record with places for its texts, and null for what is made of them.

    Args:
        texts: fields that hold text, ``source.text`` one of the object in the field ``source``; a field that is missing is passed over.
        derived: fields that can be made again from the record.

    >>> record = {"id": "b:1", "input": "It _____.", "tokens": ["It", "rained", "."], "source": {"text": "It rained."}}
    >>> pointer_record(record, "It rained.", texts=("tokens", "source.text"), derived=("input",))
    {'id': 'b:1', 'input': None, 'tokens': [[0, 2], [3, 9], [9, 10]], 'source': {'text': [0, 10]}}
    """
    without = {name: None if name in derived else value for name, value in record.items()}
    return _changed(without, texts, lambda value, _: _places_of(value, reference))


def filled_record(record: Mapping[str, Any], reference: str, *, texts: Sequence[str], where: str) -> dict[str, Any]:
    """A record of `pointer_record` with its texts; what was derived is still null.

    Raises:
        FormatError: a field holds no places of this reference, or its texts are longer together than the reference, so that a small file
            could become an enormous one; names `where` and the field.
    """

    def filled(value: Any, name: str) -> Any:
        place = f"{where}, `{name}`"
        length = _sliced_chars(value)
        if length > len(reference):
            raise FormatError(f"{place}: quotes {length:,} characters of the {len(reference):,} of its spans")
        return _texts_of(value, reference, place)

    return _changed(record, texts, filled)


def _changed(record: Mapping[str, Any], texts: Sequence[str], change: Callable[[Any, str], Any]) -> dict[str, Any]:
    changed = dict(record)
    for name in texts:
        outer, dot, inner = name.partition(".")
        if dot and isinstance(changed.get(outer), Mapping) and inner in changed[outer]:
            changed[outer] = {**changed[outer], inner: change(changed[outer][inner], name)}
        elif not dot and outer in changed:
            changed[outer] = change(changed[outer], name)
    return changed


def _places_of(value: Any, reference: str) -> Any:
    """Strings become places, at any depth of lists; a list's strings are looked for one behind the other, for tokens follow each other."""
    if isinstance(value, str):
        return text_places(value, reference)
    if not isinstance(value, list):
        return value
    found, start = [], 0
    for one in value:
        places = text_places(one, reference, start) if isinstance(one, str) else _places_of(one, reference)
        start = places[-1] if isinstance(one, str) and places and isinstance(places[-1], int) else start
        found.append(places)
    return found


def _texts_of(value: Any, reference: str, where: str) -> Any:
    if not isinstance(value, list):
        return value
    if all(one is None or isinstance(one, list) for one in value):
        return [_texts_of(one, reference, where) for one in value]
    return text_at(value, reference, where=where)
