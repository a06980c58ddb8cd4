"""A well-behaved request, to be spoilt in one place, and what somebody hostile may know."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

NOTHING = 0  # the connection is closed without a word


@dataclass(frozen=True, slots=True)
class Known:
    """What somebody hostile may know: a cookie of one's own, and more than anybody should.

    Attributes:
        open_item, answered_item, verdict: of the judge's own items and verdict.
        other_*: of another judge; foreign_*: of another study; revoked_*: of a judge who was shut
            out.
    """

    host: str
    cookie: str
    open_item: str
    answered_item: str
    verdict: str
    response: Mapping[str, Any]
    token: str
    item_id: str
    other_item: str
    other_verdict: str
    foreign_token: str
    foreign_item: str
    revoked_token: str
    digest: str

    @property
    def cookie_name(self):
        return self.cookie.split("=")[0]


@dataclass(frozen=True, slots=True)
class Request:
    """One of them, in the parts in which it is sent.

    Attributes:
        ends: nothing follows, and the other side is told so; else it is left to wait.
    """

    name: str
    statuses: tuple[int, ...]
    parts: tuple[bytes, ...]
    ends: bool = False


@dataclass(frozen=True, slots=True)
class Make:
    """Well-behaved requests, to be spoilt in one place."""

    known: Known
    headers: Mapping[str, str] = field(default_factory=dict)

    def get(
        self,
        path,
        *,
        method="GET",
        session=True,
        version="1.1",
        **spoilt,
    ):
        own = {
            "Host": self.known.host,
            "Connection": "close",
            **({"Cookie": self.known.cookie} if session else {}),
        }
        return head_of(method, path, version, own, spoilt)

    def post(
        self,
        body=None,
        *,
        path="/verdict",
        chunked=False,
        **spoilt,
    ):
        body = self.body() if body is None else body
        own = {
            "Host": self.known.host, "Connection": "close", "Cookie": self.known.cookie, "Origin": f"http://{self.known.host}",
            "Content-Type": "application/json",
        }  # fmt: skip
        own |= {"Transfer-Encoding": "chunked"} if chunked else {"Content-Length": str(len(body))}
        sent = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body) if chunked else body
        return head_of("POST", path, "1.1", own, spoilt) + sent

    def body(self, **spoilt):
        own = {
            "id": "0b6f0c3e-1111-4222-8333-0123456789ab", "assignment": self.known.open_item, "response": self.known.response,
            "seconds": 2.5,
        }  # fmt: skip
        return json.dumps(
            {name: value for name, value in {**own, **spoilt}.items() if value is not ...}
        ).encode()

    def written(self, name, json_text):
        """A body in which a value is written as no honest program writes it."""
        return self.body(**{name: "PLACE"}).replace(
            b'"PLACE"', json_text.encode("utf-8", "surrogatepass")
        )


def head_of(
    method,
    path,
    version,
    own,
    spoilt,
):
    told = {**own, **{name.replace("_", "-"): value for name, value in spoilt.items()}}
    kept = {}
    # the spoilt one takes the other's place, whatever its capitals
    for name, value in told.items():
        for same in [one for one in kept if one.lower() == name.lower()]:
            del kept[same]
        if value is not None:
            kept[name] = value
    lines = "".join(f"{name}: {value}\r\n" for name, value in kept.items()).encode("latin-1")
    return (
        f"{method} ".encode()
        + (path.encode() if isinstance(path, str) else path)
        + f" HTTP/{version}\r\n".encode()
        + lines
        + b"\r\n"
    )
