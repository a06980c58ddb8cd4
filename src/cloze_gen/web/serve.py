"""A study on the network: one process that listens, until Ctrl-C."""

from __future__ import annotations

import contextlib
import ipaddress
import logging
import re
import resource
import socket
import threading
import urllib.parse
from asyncio import TimerHandle, Transport
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar, cast

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from cloze_gen.errors import UsageError
from cloze_gen.notation import reason, shown
from cloze_gen.studies.study import Study
from cloze_gen.web.app import make_app
from cloze_gen.web.security import HEADERS

_ORIGIN = re.compile(r"https?://([a-z0-9.-]+|\[[0-9a-f:.]+\])(:[0-9]+)?/?", re.IGNORECASE)
_USUAL = {"http": 80, "https": 443}
_IN_THE_OPEN = (
    "Without TLS in front, links, names and verdicts travel in the open: whoever is on the network between can read them and judge in "
    "others' names. Put a reverse proxy with TLS before it, and tell its address by --origin https://..."
)
_IDLE_SECONDS = 75  # a connection that waits for the judge to think costs little
_MOST_CONNECTIONS = 500  # of six that a browser opens
_MOST_WAITING = 100  # connections that are taken on at once
_OTHER_FILES = 60  # that we have open ourselves, about
_MOST_HEAD_BYTES = 16 * 1024
_END_SECONDS = 1  # for replies under way, after Ctrl-C; the program promises to end within three


class Connection(H11Protocol):
    """One connection, which does not wait for ever for the head of a request, and says of broken ones what every reply says.

    Attributes:
        head_seconds: for the head of a request to come; its body: `security.Bounds`.
    """

    head_seconds: ClassVar[float] = 10.0
    _late: TimerHandle | None = None
    _since = 0.0  # when it began

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._since = self.loop.time()
        if len(self.connections) > most_connections():
            self._make_room()
        self._late = self.loop.call_later(self.head_seconds, self._give_up)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def _watch(self) -> None:
        """Wait so long for the rest of a head of which a part has come."""
        if self.conn.their_state is not h11.IDLE or not self.conn.trailing_data[0]:
            self._stop_waiting()
        elif self._late is None:
            self._late = self.loop.call_later(self.head_seconds, self._give_up)

    def send_400_response(self, msg: str) -> None:
        self._refuse(400, msg)

    def _make_room(self) -> None:
        """Close the oldest of the other connections, of those that wait if there are any.

        So whoever holds many keeps nobody out, for a newcomer is answered; a browser that lost a connection opens another and sends again.
        """
        others = [one for one in self.connections if isinstance(one, Connection) and one is not self]
        oldest = min([one for one in others if one.is_waiting] or others, key=lambda one: one._since)
        self.connections.discard(oldest)  # it is told that it is lost a little later
        oldest._stop_waiting()
        oldest.transport.abort()

    @property
    def is_waiting(self) -> bool:
        """Whether the other side is to go on: with a request, with the rest of one, or with reading the reply."""
        cycle = cast("RequestResponseCycle | None", self.cycle)  # None before the first request
        return cycle is None or cycle.response_complete or cycle.more_body or self.flow.write_paused

    def _give_up(self) -> None:
        self._late = None
        self._refuse(408, "The request took too long to come.")

    def _refuse(self, status: int, words: str) -> None:
        """A reply to what is no request, and the end of the connection."""
        if self.conn.our_state in {h11.IDLE, h11.SEND_RESPONSE}:  # else a reply is under way
            head = [(b"content-type", b"text/plain; charset=utf-8"), (b"cache-control", b"no-store"), (b"connection", b"close"), *HEADERS]
            for event in (h11.Response(status_code=status, headers=head), h11.Data(data=words.encode()), h11.EndOfMessage()):
                self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    def _stop_waiting(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None


def most_connections() -> int:
    """How many are held at a time; fewer where this process may have few files open."""
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return _MOST_CONNECTIONS if files == resource.RLIM_INFINITY else max(1, min(_MOST_CONNECTIONS, files - _MOST_WAITING - _OTHER_FILES))


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens; port 0 takes a free one.

    Raises:
        UsageError: there is no such address here, or another program listens there.
    """
    if not 0 <= port < 2**16:
        raise UsageError(f"--port {port}: expected 0, for a free one, to 65535.")
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        listener = socket.socket(family, kind, protocol)
    except (OSError, UnicodeError) as error:
        raise UsageError(
            f"--host {shown(host)}: no address of this machine ({reason(error)}). Leave it out to listen here alone."
        ) from None
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # a server that has just ended does not hold the port
        listener.bind(address)
        listener.listen(_MOST_WAITING)
    except OSError as error:
        listener.close()
        raise UsageError(
            f"cannot listen at {host}, port {port} ({reason(error)}). Another program may be there, such as this study served twice; "
            "give another --port, or --port 0 for a free one."
        ) from None
    return listener


def origin_of(listener: socket.socket, told: str) -> str:
    """Where judges reach what listens, as browsers tell it.

    Args:
        told: the address before a reverse proxy, `https://judges.example.org`; empty for what listens itself.
    Raises:
        UsageError: it is no such address, or none can be told.
    """
    host, port = str(listener.getsockname()[0]), int(listener.getsockname()[1])
    if not told:
        if ipaddress.ip_address(host).is_unspecified:
            raise UsageError(
                f"--host {host} is every address of this machine. Say by --origin under which one judges come: http://NAME:{port}."
            )
        return f"http://{f'[{host}]' if ':' in host else host}{f':{port}' if port != 80 else ''}"
    try:
        parts = urllib.parse.urlsplit(told.removesuffix("/"))
        name, port = parts.hostname or "", parts.port or 0
    except ValueError:
        name = ""
    if not name or not _ORIGIN.fullmatch(told):
        raise UsageError(f"--origin {shown(told)}: expected http:// or https://, a name, perhaps a port, and no more.")
    name = f"[{name}]" if ":" in name else name
    return f"{parts.scheme}://{name}{f':{port}' if port not in {0, _USUAL[parts.scheme]} else ''}"


def warning(listener: socket.socket, origin: str) -> str:
    """What whoever serves must know of how open it is; empty where there is nothing."""
    here_alone = ipaddress.ip_address(str(listener.getsockname()[0])).is_loopback
    return "" if here_alone or origin.startswith("https:") else _IN_THE_OPEN


@contextlib.contextmanager
def running(app: ASGIApp, listener: socket.socket) -> Iterator[threading.Event]:
    """Answer requests in a thread while inside; yields what is set when that ends by itself.

    In a thread, for there uvicorn leaves signals alone, which the program listens to itself.
    """
    logging.getLogger("uvicorn.error").addHandler(logging.NullHandler())
    config = uvicorn.Config(
        app, http=Connection, loop="asyncio", ws="none", lifespan="off", interface="asgi3", log_config=None, log_level="critical",
        access_log=False, server_header=False, proxy_headers=False, timeout_keep_alive=_IDLE_SECONDS,
        timeout_graceful_shutdown=_END_SECONDS, h11_max_incomplete_event_size=_MOST_HEAD_BYTES, backlog=_MOST_WAITING,
    )  # fmt: skip
    server, ended = uvicorn.Server(config), threading.Event()

    def run() -> None:
        try:
            server.run(sockets=[listener])
        finally:
            ended.set()

    thread = threading.Thread(target=run, name="judge", daemon=True)
    thread.start()
    try:
        yield ended
    finally:
        server.should_exit = True
        thread.join(2 * _END_SECONDS)


def serve(study: Study, *, host: str, port: int, origin: str, links: Callable[[], Mapping[str, str]], tell: Callable[[str], Any]) -> None:
    """Serve a study until the program is interrupted.

    Args:
        port: 0 for a free one.
        origin: as `origin_of` is told.
        links: makes judge -> token; asked when it listens, so that a port that is taken costs none.
        tell: is handed the lines to show: a link for each judge, and what to know.
    Raises:
        UsageError: it cannot listen there, or the origin is no address.
        KeyboardInterrupt: Ctrl-C or SIGTERM.
    """
    listener = listen(host, port)
    with contextlib.closing(listener):
        where = origin_of(listener, origin)
        app = make_app(study, origin=where)
        with running(app, listener) as ended:
            for judge, token in links().items():
                tell(f"{judge}: {where}/enter/{token}")
            if said := warning(listener, where):
                tell(said)
            tell(f"Study {study.facts.name} is served at {where}. Ctrl-C ends it; links stay good, and it may be served again.")
            ended.wait()
