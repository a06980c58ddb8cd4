"""Studies served on loopback, and a judge's browser that says what it is told to."""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
import sqlite3
import uuid
from dataclasses import dataclass, field

from cloze_gen.judging.database import DATABASE, issue
from cloze_gen.judging.study import Study
from cloze_gen.judging.web.app import make_app
from cloze_gen.judging.web.serve import listen, origin_of, running


@dataclass(frozen=True, slots=True)
class Served:
    """A study that answers at an address."""

    study: Study
    host: str
    port: int
    origin: str
    opened: list[Browser] = field(default_factory=list)

    def browser(self, judge):
        """A browser of a judge who has followed a new link."""
        browser = self.stranger()
        browser.enter(issue(self.study.store.database, judge))
        return browser

    def stranger(self):
        """A browser that nobody knows."""
        self.opened.append(Browser(self.host, self.port, self.origin))
        return self.opened[-1]


@dataclass(slots=True)
class Reply:
    """What came back."""

    status: int
    headers: dict[str, str]
    text: str

    @property
    def json(self):
        return json.loads(self.text)


@dataclass(slots=True)
class Browser:
    """Keeps its connection and a cookie."""

    host: str
    port: int
    origin: str
    cookie: str = ""
    _connection: http.client.HTTPConnection | None = field(default=None)

    def enter(self, token):
        reply = self.get(f"/enter/{token}")
        assert reply.status == 303, reply
        self.cookie = reply.headers["set-cookie"].split(";")[0]

    def get(self, path, **headers):
        return self.send("GET", path, None, headers)

    def first(self):
        """The address where this judge goes on, its page loaded."""
        address = self.get("/").headers["location"]
        self.get(address)
        return address

    def verdict(
        self,
        address,
        response,
        *,
        name="",
        seconds=2.0,
    ):
        record = {
            "id": name or str(uuid.uuid4()), "assignment": address.removeprefix("/item/"), "response": response,
            "seconds": seconds,
        }  # fmt: skip
        headers = {"Content-Type": "application/json", "Origin": self.origin}
        return self.send("POST", "/verdict", json.dumps(record).encode(), headers)

    def send(self, method, path, body, headers):
        host = self.origin.partition("//")[2]
        self._connection = self._connection or http.client.HTTPConnection(
            self.host, self.port, timeout=30
        )
        cookie = {"Cookie": self.cookie} if self.cookie else {}
        try:
            self._connection.request(method, path, body, {"Host": host, **cookie, **headers})
            answer = self._connection.getresponse()
            text = answer.read().decode()
        except (OSError, http.client.HTTPException):
            self.close()
            raise
        return Reply(
            answer.status, {name.lower(): value for name, value in answer.getheaders()}, text
        )

    def close(self):
        if self._connection is not None:
            self._connection.close()
        self._connection = None


@contextlib.contextmanager
def served(
    study,
    *,
    origin="",
    **more,
):
    """Serve a study while inside."""
    listener = listen("127.0.0.1", 0)
    with contextlib.closing(study), contextlib.closing(listener):
        where = origin_of(listener, origin)
        with running(make_app(study, origin=where, **more), listener):
            place = Served(study, *listener.getsockname(), where)
            try:
                yield place
            finally:
                for browser in place.opened:
                    browser.close()


def exchange(address, *parts, ends=False, seconds=10.0):
    """Send bytes as they are and read until the other side closes; its bytes.

    Args:
        ends: nothing more is sent afterwards, and the other side is told so.
    """
    with socket.create_connection(address, seconds) as connection:
        chunks = []
        try:
            for part in parts:
                connection.sendall(part)
            if ends:
                connection.shutdown(socket.SHUT_WR)
            while chunk := connection.recv(65536):
                chunks.append(chunk)
        except (ConnectionResetError, BrokenPipeError):  # it had seen enough
            pass
    return b"".join(chunks)


def rows(folder):
    """Every row of a study's database, by table."""
    with contextlib.closing(
        sqlite3.connect(f"{(folder / DATABASE).absolute().as_uri()}?mode=ro", uri=True)
    ) as connection:
        tables = [
            name
            for (name,) in connection.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
            )
        ]
        return {
            name: connection.execute(f"SELECT * FROM {name} ORDER BY rowid").fetchall()
            for name in tables
        }
