"""Mutations of a valid file: what damage, another program or an enemy may leave of it."""

import json
import random

# Values that parsers like least, as they stand in text and in binary files.
_PIECES = (
    *(b"\x00", b"\xff", b"\xff\xff\xff\xff", b"\x7f\xff\xff\xff", b"\n", b"\r", b"\t", b'"', b"\\"),
    *(b"{", b"}", b"[" * 200, b"]", b"<", b">", b"&#0;", b"&x;", b",", b":", b"=", b"'''"),
    *(b"null", b"true", b"NaN", b"1e999", b"-1", b"9" * 400, b'"\\ud800"', b"../../x", b"\xef\xbb\xbf"),
)  # fmt: skip


def mutations(data, *, count):
    """The file with one to four changes, `count` times; the same at each call."""
    rng = random.Random(1)
    for _ in range(count):
        changed = data
        for _ in range(rng.choice((1, 1, 2, 4))):
            changed = _changed(changed, rng)
        yield changed


def _changed(data, rng):
    start = rng.randrange(len(data) + 1)
    end = min(len(data), start + rng.choice((0, 1, 1, 4, 40)))
    way = rng.randrange(6)
    if way == 0:
        return data[:start]
    if way == 1:
        return data[:start] + data[end:]
    if way == 2:
        return data[:start] + data[start:end] * 3 + data[end:]
    if way == 3:
        return data[:start] + rng.randbytes(end - start) + data[end:]
    piece = rng.choice(_PIECES)
    return data[:start] + piece + data[end if way == 4 else start :]


_OTHER_TYPES = (None, True, -1, 1e300, "", "../x", [], {}, [[]])


def replaced_values(value):
    """A JSON value with each of its parts in turn replaced by other types, or left out."""
    yield from _OTHER_TYPES
    if isinstance(value, dict):
        for key, part in value.items():
            yield {name: other for name, other in value.items() if name != key}
            for other in replaced_values(part):
                yield value | {key: other}
    elif isinstance(value, list):
        for place, part in enumerate(value):
            for other in replaced_values(part):
                yield [*value[:place], other, *value[place + 1 :]]


def json_mutations(data):
    """The file with each value of its first line replaced in turn."""
    first, _, rest = data.partition(b"\n")
    for value in replaced_values(json.loads(first)):
        yield json.dumps(value).encode() + b"\n" + rest
