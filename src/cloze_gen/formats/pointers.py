"""Records without text: a text is a list of offsets into the normalized text of its spans.

``[0, 130]`` means characters 0 to 130 of the reference; ``[0, 4, "-", 5, 9]`` two slices with a
character between them. Only characters missing from the reference are written out, so the lists do
not reveal the text.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from cloze_gen.errors import FormatError
from cloze_gen.parsing import quote

Places = list[int | str]
_BETWEEN = "\n"  # separates the texts of two spans; normalized texts have no line end


def reference_text(texts: Sequence[str]) -> str:
    return _BETWEEN.join(texts)


def text_places(text: str, reference: str, start: int = 0) -> Places:
    """Offsets of a text in the reference: longest slices from the left; search begins at `start`.

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
    """``(length, offset)`` of the longest prefix of `text` in the reference; (0, 0) if none."""
    shortest, longest = 0, len(text)
    if text in reference:
        shortest = longest
    while shortest < longest:  # if a prefix is found, all shorter ones are
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
    """The text of a list of offsets; FormatError if they do not fit the reference.

    >>> text_at([8, 10, "-", 11, 14, "!"], "We left to\\xadday.", where="here")
    'to-day!'
    """
    parts, slice_start = [], None
    for place in places if isinstance(places, list) else [None]:
        if isinstance(place, str) and slice_start is None and len(place) <= 1:
            parts.append(place)
        elif type(place) is not int or not (slice_start or 0) <= place <= len(reference):
            raise FormatError(
                f"{where}: {quote(place)} is not a valid offset into its spans, which have "
                f"{len(reference)} characters; download the file again"
            )
        elif slice_start is None:
            slice_start = place
        else:
            parts.append(reference[slice_start:place])
            slice_start = None
    if slice_start is not None:
        raise FormatError(f"{where}: a slice has no end; download the file again")
    return "".join(parts)


def _sliced_chars(value: Any) -> int:
    if not isinstance(value, list):
        return 0
    places = [one for one in value if type(one) is int]
    own = sum(max(0, end - start) for start, end in zip(places[::2], places[1::2], strict=False))
    return own + sum(map(_sliced_chars, value))


def pointer_record(
    record: Mapping[str, Any], reference: str, *, texts: Sequence[str], derived: Sequence[str]
) -> dict[str, Any]:
    """A record with offsets for its `texts`, and null for its `derived` fields.

    >>> record = {"id": "b:1", "input": "It _____.", "tokens": ["It", "rained", "."], "source": {"text": "It rained."}}
    >>> pointer_record(record, "It rained.", texts=("tokens", "source.text"), derived=("input",))
    {'id': 'b:1', 'input': None, 'tokens': [[0, 2], [3, 9], [9, 10]], 'source': {'text': [0, 10]}}
    """
    without = {name: None if name in derived else value for name, value in record.items()}
    return _changed(without, texts, lambda value, _: _places_of(value, reference))


def filled_record(
    record: Mapping[str, Any], reference: str, *, texts: Sequence[str], where: str
) -> dict[str, Any]:
    """Restore the texts of a `pointer_record`; derived fields stay null.

    FormatError if a field is longer than the reference, to limit the output of a small file.
    """

    def filled(value: Any, name: str) -> Any:
        place = f"{where}, `{name}`"
        length = _sliced_chars(value)
        if length > len(reference):
            raise FormatError(
                f"{place}: the slices have {length:,} characters, more than the "
                f"{len(reference):,} of its spans"
            )
        return _texts_of(value, reference, place)

    return _changed(record, texts, filled)


def _changed(
    record: Mapping[str, Any], texts: Sequence[str], change: Callable[[Any, str], Any]
) -> dict[str, Any]:
    changed = dict(record)
    for name in texts:
        outer, dot, inner = name.partition(".")
        if dot and isinstance(changed.get(outer), Mapping) and inner in changed[outer]:
            changed[outer] = {**changed[outer], inner: change(changed[outer][inner], name)}
        elif not dot and outer in changed:
            changed[outer] = change(changed[outer], name)
    return changed


def _places_of(value: Any, reference: str) -> Any:
    """Replace strings by offsets, in lists of any depth; each search begins after the previous."""
    if isinstance(value, str):
        return text_places(value, reference)
    if not isinstance(value, list):
        return value
    found, start = [], 0
    for one in value:
        places = (
            text_places(one, reference, start)
            if isinstance(one, str)
            else _places_of(one, reference)
        )
        start = (
            places[-1] if isinstance(one, str) and places and isinstance(places[-1], int) else start
        )
        found.append(places)
    return found


def _texts_of(value: Any, reference: str, where: str) -> Any:
    if not isinstance(value, list):
        return value
    if all(one is None or isinstance(one, list) for one in value):
        return [_texts_of(one, reference, where) for one in value]
    return text_at(value, reference, where=where)
