"""What follows a head that our page could send, or goes over the wire as no page sends it: each
with the statuses that may answer it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.cases.hostile_request import NOTHING, Known, Make


def kinds(make: Make, known: Known) -> Iterator[tuple[Any, ...]]:
    kinds = (None, "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=a", "application/json; charset=utf-16",
             "application/jsonx", "application/json, text/plain", "application/json;a=b", "", "*/*")  # fmt: skip
    for kind in kinds:
        yield str(kind), 415, make.post(Content_Type=kind)
    yield "packed", 415, make.post(Content_Encoding="gzip")


def notation(make: Make, known: Known) -> Iterator[tuple[Any, ...]]:
    bodies = {
        "empty": b"", "none": b"null", "a list": b"[]", "a text": b'"a"', "a number": b"1", "words": b"verdict", "cut": make.body()[:-1],
        "two": make.body() * 2, "deep": b"[" * 30_000, "deep objects": b'{"id":' * 5_000, "bytes": b"\xff\xfe\x00", "null byte": b"\x00",
        "utf-16": make.body().decode().encode("utf-16"), "a comment": b"/*a*/" + make.body(),
        "a key twice": make.body().replace(b'"seconds"', b'"replaces": "", "seconds"'), "single quotes": make.body().replace(b'"', b"'"),
        "a key twice within": make.written("response", '{"guesses": ["a"], "guesses": ["b"]}'), "line": make.written("replaces", '"\n"'),
        "nan": make.written("seconds", "NaN"), "infinity": make.written("seconds", "Infinity"),
        "too large": make.written("seconds", "1e999"), "surrogate": b'"\xed\xa0\x80"',
        "digits": make.written("seconds", "9" * 5_000), "nan said": make.written("response", '{"guesses": NaN}'),
    }  # fmt: skip
    for name, body in bodies.items():
        yield name, 400, make.post(body)
        yield f"{name}, in chunks", 400, make.post(body, chunked=True)
    for name in ("id", "assignment", "replaces", "response", "seconds"):
        yield f"without {name}", 400, make.post(make.body(**{name: ...}))
        for value in (None, [], {}, True, -1, "a" * 200, "\x00", [[[]]]):
            if name != "response":
                yield f"{name} {str(value)[:6]}", 400, make.post(make.body(**{name: value}))
    yield "one more", 400, make.post(make.body(judge="bartholomew"))
    yield "proto", 400, make.post(make.body(__proto__={}))
    yield "capitals", 400, make.post(make.body(id="0B6F0C3E-1111-4222-8333-0123456789AB"))
    yield "a line after", 400, make.post(make.body(id="0b6f0c3e-1111-4222-8333-0123456789ab\n"))
    yield "surrogate id", 400, make.post(make.written("id", r'"\ud800"'))


def verdicts(make: Make, known: Known) -> Iterator[tuple[Any, ...]]:
    for name, item in {
        "another's": known.other_item,
        "foreign": known.foreign_item,
        "none": "0" * 12,
    }.items():
        yield f"of an item {name}", 404, make.post(make.body(assignment=item))
    response: tuple[Any, ...] = (
        None, [], "a", 1, {}, {"guesses": "a"}, {"guesses": None}, {"guesses": [1]}, {"guesses": ["a", "b"]}, {"guesses": ["a" * 101]},
        {"guesses": ["a" * 50_000]}, {"guesses": ["a"], "judge": "eve"}, {"picked": [0, 1, 2, 3]}, {"answer": 1}, {"fills": [0]},
        {"guesses": [["a"]]}, {"guesses": {"0": "a"}}, {"guesses": [True]}, {"guesses": [None]}, {"guesses": [10**400]}, {"": ["a"]},
        {"guesses": ["a"], "\x00": 1},
    )  # fmt: skip
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


def sizes(make: Make, known: Known) -> Iterator[tuple[Any, ...]]:
    large = make.body(replaces="a" * 70_000)
    yield "70 kB", 413, make.post(large)
    yield "70 kB in chunks", 413, make.post(large, chunked=True)
    yield "told a terabyte", 413, make.post(b"", Content_Length=str(10**12))
    yield "told more digits", (400, 413), make.post(b"", Content_Length="9" * 30)
    for length in ("-1", "+5", "0x10", "1e3", "", "5, 6", "\xb2"):
        yield f"length {length}", (400, 413), make.post(b"", Content_Length=length)
    yield (
        "two lengths",
        400,
        make.post().replace(b"Content-Length:", b"Content-Length: 3\r\nContent-Length:"),
    )
    yield (
        "100 headers",
        431,
        make.get("/").replace(
            b"Connection:", b"".join(b"X-%d: a\r\n" % n for n in range(100)) + b"Connection:"
        ),
    )
    yield "9 kB of header", 431, make.get("/", X="a" * 9_000)
    yield "20 kB of header", (400, 431), make.get("/", X="a" * 20_000)
    yield "a header without end", 400, make.get("/")[:-2] + b"X: " + b"a" * 100_000
    yield "GET with a body", 400, make.get("/", Content_Length="3") + b"abc"
    yield "GET in chunks", 400, make.get("/", Transfer_Encoding="chunked") + b"0\r\n\r\n"


def wires(make: Make, known: Known) -> Iterator[tuple[Any, ...]]:
    both = make.post(Transfer_Encoding="chunked")
    yield "length and chunks", 400, both
    yield "unknown coding", (400, 501), make.post(chunked=True, Transfer_Encoding="gzip")
    yield "two codings", (400, 501), make.post(chunked=True, Transfer_Encoding="gzip, chunked")
    yield "no chunk", 400, make.post(b"", chunked=True)[:-5] + b"zz\r\n\r\n"
    yield "negative chunk", 400, make.post(b"", chunked=True)[:-5] + b"-5\r\nabcde\r\n"
    yield (
        "chunk of a terabyte",
        (400, 408),
        make.post(b"", chunked=True)[:-5] + b"fffffffffff\r\nabc",
    )
    yield "chunk size without end", 400, make.post(b"", chunked=True)[:-5] + b"1" * 30_000
    for name, old, new in (
        ("bare line feeds", b"\r\n", b"\n"), ("folded", b"Connection:", b"X: a\r\n b\r\nConnection:"), ("null", b"close", b"cl\x00se"),
        ("blank before the colon", b"Host:", b"Host :"), ("no colon", b"Connection: close", b"Connection"), ("version 3", b"1.1", b"3.0"),
        ("no version", b" HTTP/1.1", b""), ("two blanks", b" HTTP", b"  HTTP"), ("carriage return", b"close", b"cl\rose"),
        ("no name", b"Connection:", b":"), ("bytes in a name", b"Connection", b"C\xf6nnection"),
    ):  # fmt: skip
        expected = (403, 421) if name == "bare line feeds" else 403 if name == "folded" else 400
        yield name, expected, make.get("/", session=False).replace(old, new)
    yield "garbage", 400, b"\x00\x01\x02\x03\r\n\r\n"
    yield "tls", 400, bytes.fromhex("16030100a5010000a10303") + b"\x00" * 32 + b"\r\n\r\n"
    yield "http/2", 400, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
    yield "broken off", (400, NOTHING), make.post()[:-20], True
    yield "broken off in the head", NOTHING, make.get("/")[:-20], True
    yield "slow body", 408, make.post()[:-20]
    yield "slow chunks", 408, make.post(chunked=True)[:-5]
    yield (
        "verdict after verdict",
        403,
        make.post(X_CSRF_Token="0", Connection="keep-alive"),
        make.post(X_CSRF_Token="0"),
    )
