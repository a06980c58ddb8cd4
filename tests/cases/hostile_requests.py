"""Requests that no page of ours sends, byte for byte, each with the statuses that may answer it."""

from tests.cases.hostile_bodies import notation, sizes, verdicts, wires
from tests.cases.hostile_request import Make, Request


def hostile_requests(known):
    """All of them."""
    make = Make(known)
    for group in (
        tokens,
        cookies,
        paths,
        hosts,
        methods,
        origins,
        notation,
        verdicts,
        sizes,
        wires,
    ):
        for name, statuses, *parts in group(make, known):
            told = (statuses,) if isinstance(statuses, int) else statuses
            yield Request(
                f"{group.__name__}: {name}",
                told,
                tuple(part for part in parts if isinstance(part, bytes)),
                parts[-1] is True,
            )


def tokens(make, known):
    tokens = {
        "nobody's": "A" * 43, "long": "A" * 900, "null": "%00", "up": "..%2f..%2fstudy.sqlite", "revoked": known.revoked_token,
        "foreign": known.foreign_token, "sql": "'%20OR%201=1--", "digest": known.digest,
        "one more": f"{known.token}A", "one less": known.token[:-1], "a line": f"{known.token}%0d%0aSet-Cookie:%20a=b",
        "other case": known.token.swapcase(), "not utf-8": "%ff%fe", "empty": "",
    }  # fmt: skip
    for name, token in tokens.items():
        yield name, 404, make.get(f"/enter/{token}", session=False)
    yield "sent", 405, make.post(path=f"/enter/{known.token}")
    yield "in the query", 404, make.get(f"/enter?token={known.token}", session=False)


def cookies(make, known):
    secrets = {
        "revoked": known.revoked_token, "foreign": known.foreign_token, "the digest": known.digest, "empty": "",
        "long": "A" * 5000, "sql": "'--", "bytes": "\xff\xfe",
    }  # fmt: skip
    for name, secret in secrets.items():
        yield name, 403, make.get("/", Cookie=f"{known.cookie_name}={secret}")
    yield "revoked, verdict", 403, make.post(Cookie=f"{known.cookie_name}={known.revoked_token}")
    for path in ("/", "/done", f"/item/{known.open_item}"):
        yield f"none, {path[:5]}", 403, make.get(path, session=False)
    yield "none, verdict", 403, make.post(Cookie=None)
    yield "other name", 403, make.get("/", Cookie=f"session={known.cookie.split('=')[1]}")


def paths(make, known):
    items = (
        known.other_item,
        known.foreign_item,
        "0" * 12,
        known.item_id,
        "..%2f..%2fstudy.sqlite",
        "%ff",
    )
    for item in items:
        yield f"/item/{item[:8]}", 404, make.get(f"/item/{item}")
    paths = (
        "/item/../../../etc/passwd", "/static/../app.py", "/static/..%2fapp.py", "/static/%2e%2e/pages.py", "/static//etc/passwd",
        "/static/page.js%00.css", "/static/", "/study.sqlite", "//evil.example/", "/verdict/", "/.git/config",
    )  # fmt: skip
    for path in paths:
        yield path, 404, make.get(path)
    yield "elsewhere", 404, make.get("http://evil.example/")
    yield "no path", 404, make.get("*")
    yield "a line", 404, make.get("/item/a%0d%0aSet-Cookie:%20a=b")
    yield "long", 404, make.get(f"/item/{'a' * 2000}")


def hosts(make, known):
    name, port = known.host.split(":")
    for host in (
        "evil.example",
        f"localhost:{port}",
        name,
        f"a@{known.host}",
        f"{known.host}.",
        "",
    ):
        yield host or "empty", (400, 421), make.get("/", Host=host)
    yield "evil.example, verdict", 421, make.post(Host="evil.example")
    yield (
        "forwarded",
        421,
        make.get(
            "/", Host="evil.example", X_Forwarded_Host=known.host, Forwarded=f"host={known.host}"
        ),
    )
    yield "none, old", 421, make.get("/", Host=None, version="1.0")


def methods(make, known):
    for method in ("PUT", "OPTIONS", "get"):
        yield method, 405, make.get(f"/item/{known.open_item}", method=method)
        yield f"{method} verdict", 405, make.post().replace(b"POST", method.encode(), 1)
    for path in ("/", "/done", f"/item/{known.open_item}", "/favicon.ico"):
        yield f"POST {path[:5]}", 405, make.post(path=path)
    yield "GET verdict", 405, make.get("/verdict")


def origins(make, known):
    own = f"http://{known.host}"
    for origin in (None, "null", "http://evil.example", f"https://{known.host}", f"{own}/"):
        yield f"origin {origin}", 403, make.post(Origin=origin)
