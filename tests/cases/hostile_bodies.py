"""What follows a head that our page could send, or goes over the wire as no page sends it: each
with the statuses that may answer it.
"""

from tests.cases.hostile_request import NOTHING


def kinds(make, known):
    kinds = (None, "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=a", "application/json; charset=utf-16",
             "application/jsonx", "application/json, text/plain", "application/json;a=b", "", "*/*")  # fmt: skip
    for kind in kinds:
        yield str(kind), 415, make.post(Content_Type=kind)
    yield "packed", 415, make.post(Content_Encoding="gzip")


def notation(make, known):
    bodies = {
        "empty": b"", "none": b"null", "a list": b"[]", "a text": b'"a"', "cut": make.body()[:-1], "two": make.body() * 2,
        "deep": b"[" * 30_000, "bytes": b"\xff\xfe\x00", "utf-16": make.body().decode().encode("utf-16"),
        "a key twice": make.body().replace(b'"seconds"', b'"replaces": "", "seconds"'),
        "a key twice within": make.written("response", '{"guesses": ["a"], "guesses": ["b"]}'), "line": make.written("replaces", '"\n"'),
        "nan": make.written("seconds", "NaN"), "too large": make.written("seconds", "1e999"), "surrogate": b'"\xed\xa0\x80"',
        "digits": make.written("seconds", "9" * 5_000), "nan said": make.written("response", '{"guesses": NaN}'),
    }  # fmt: skip
    for name, body in bodies.items():
        yield name, 400, make.post(body)
    yield "deep, in chunks", 400, make.post(bodies["deep"], chunked=True)
    for name in ("id", "assignment", "replaces", "response", "seconds"):
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
        yield f"of an item {name}", 404, make.post(make.body(assignment=item))
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
    for name, seen in {"nothing": "", "another's": known.other_verdict, "none": "a"}.items():
        yield (
            f"replacing {name}",
            409,
            make.post(
                make.body(
                    assignment=known.answered_item, replaces=seen, response={"guesses": ["other"]}
                )
            ),
        )
    yield "replacing what is not there", 409, make.post(make.body(replaces=known.other_verdict))


def sizes(make, known):
    large = make.body(replaces="a" * 70_000)
    yield "70 kB", 413, make.post(large)
    yield "70 kB in chunks", 413, make.post(large, chunked=True)
    yield "told a terabyte", 413, make.post(b"", Content_Length=str(10**12))
    yield "told more digits", (400, 413), make.post(b"", Content_Length="9" * 30)
    yield (
        "100 headers",
        431,
        make.get("/").replace(
            b"Connection:", b"".join(b"X-%d: a\r\n" % n for n in range(100)) + b"Connection:"
        ),
    )
    yield "9 kB of header", 431, make.get("/", X="a" * 9_000)
    yield "GET with a body", 400, make.get("/", Content_Length="3") + b"abc"
    yield "GET in chunks", 400, make.get("/", Transfer_Encoding="chunked") + b"0\r\n\r\n"


def wires(make, known):
    """One request that the parser of the server refuses, and what it lets through."""
    yield "length and chunks", 400, make.post(Transfer_Encoding="chunked")
    yield "garbage", 400, b"\x00\x01\x02\x03\r\n\r\n"
    yield "broken off", (400, NOTHING), make.post()[:-20], True
    yield "slow body", 408, make.post()[:-20]
    yield "slow chunks", 408, make.post(chunked=True)[:-5]
    yield (
        "verdict after verdict",
        403,
        make.post(X_CSRF_Token="0", Connection="keep-alive"),
        make.post(X_CSRF_Token="0"),
    )
