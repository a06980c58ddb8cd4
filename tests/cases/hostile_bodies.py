"""What follows a head that our page could send, or goes over the wire as no page sends it: each
with the statuses that may answer it.
"""

from tests.cases.hostile_request import NOTHING


def notation(make, known):
    bodies = {
        "empty": b"", "none": b"null", "a list": b"[]", "a text": b'"a"', "cut": make.body()[:-1], "two": make.body() * 2,
        "deep": b"[" * 30_000, "bytes": b"\xff\xfe\x00", "utf-16": make.body().decode().encode("utf-16"),
        "a key twice": make.body().replace(b'"seconds"', b'"seconds": 1, "seconds"'),
        "a key twice within": make.written("response", '{"guesses": ["a"], "guesses": ["b"]}'),
        "nan": make.written("seconds", "NaN"), "too large": make.written("seconds", "1e999"), "surrogate": b'"\xed\xa0\x80"',
        "digits": make.written("seconds", "9" * 5_000), "nan said": make.written("response", '{"guesses": NaN}'),
    }  # fmt: skip
    for name, body in bodies.items():
        yield name, 400, make.post(body)
    yield "deep, in chunks", 400, make.post(bodies["deep"], chunked=True)
    for name in ("id", "assignment", "response", "seconds"):
        yield f"without {name}", 400, make.post(make.body(**{name: ...}))
        for value in (None, [], True, "a" * 200, "\x00"):
            if name != "response":
                yield f"{name} {str(value)[:6]}", 400, make.post(make.body(**{name: value}))
    yield "seconds -1", 400, make.post(make.body(seconds=-1))
    yield "one more", 400, make.post(make.body(judge="bartholomew"))
    yield "capitals", 400, make.post(make.body(id="0B6F0C3E-1111-4222-8333-0123456789AB"))
    yield "a line after", 400, make.post(make.body(id="0b6f0c3e-1111-4222-8333-0123456789ab\n"))
    yield "surrogate id", 400, make.post(make.written("id", r'"\ud800"'))


def verdicts(make, known):
    for name, item in {
        "another's": known.other_item,
        "foreign": known.foreign_item,
        "none": "0" * 12,
    }.items():
        yield f"of an item {name}", 403, make.post(make.body(assignment=item))
    response = (
        None,
        [],
        {},
        {"guesses": [1]},
        {"guesses": ["a" * 50_000]},
        {"guesses": ["a"], "judge": "eve"},
    )
    for value in response:
        yield f"saying {str(value)[:24]}", 422, make.post(make.body(response=value))
    yield (
        "saying half a character",
        400,
        make.post(make.written("response", r'{"\ud800": "\udfff"}')),
    )
    yield (
        "replayed with other words",
        422,
        make.post(
            make.body(
                id=known.verdict, assignment=known.answered_item, response={"guesses": ["other"]}
            )
        ),
    )
    yield "replayed on another item", 422, make.post(make.body(id=known.verdict))
    yield "another's id", 422, make.post(make.body(id=known.other_verdict))


def sizes(make, known):
    large = make.body(response="a" * 70_000)
    yield "70 kB", 413, make.post(large)
    yield "70 kB in chunks", 413, make.post(large, chunked=True)


def wires(make, known):
    """One request that the parser of the server refuses, and what it lets through."""
    yield "garbage", 400, b"\x00\x01\x02\x03\r\n\r\n"
    yield "broken off", (400, NOTHING), make.post()[:-20], True
