"""Serve a study on the network from one process, until Ctrl-C."""

from __future__ import annotations

import contextlib
import ipaddress
import logging
import re
import secrets
import socket
import threading
import urllib.parse
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import uvicorn
from starlette.types import ASGIApp

from cloze_gen.errors import UsageError
from cloze_gen.judging.study import Study
from cloze_gen.judging.tasks.task import IsRight
from cloze_gen.judging.web.app import OWNER, make_app
from cloze_gen.parsing import error_text, quote

_ORIGIN = re.compile(r"https?://([a-z0-9.-]+|\[[0-9a-f:.]+\])(:[0-9]+)?/?", re.IGNORECASE)
_USUAL = {"http": 80, "https": 443}
_NO_TLS = (
    "warning: without TLS, others on the network can read links, names and verdicts, and can "
    "judge under the name of someone else. Put a reverse proxy with TLS in front and pass its "
    "address: --origin https://..."
)
_IDLE_SECONDS = 75  # idle connections are cheap, and judges need time to think
_MOST_CONNECTIONS = 500  # a browser opens up to six; above the limit the status is 503
_MOST_WAITING = 100  # backlog of new connections
_MOST_HEAD_BYTES = 16 * 1024
_END_SECONDS = 1  # for open replies after Ctrl-C; the program must end within three


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; port 0: any free port. UsageError: address invalid or in use."""
    if not 0 <= port < 2**16:
        raise UsageError(f"--port {port}: expected 0 to 65535; 0 chooses a free port.")
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.socket(family, kind, protocol)
    except (OSError, UnicodeError) as error:
        raise UsageError(
            f"--host {quote(host)}: not an address of this machine ({error_text(error)}). Leave "
            "--host out to listen on this machine only."
        ) from None
    try:
        # so that the port is free immediately after a server ends
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(_MOST_WAITING)
    except OSError as error:
        listener.close()
        raise UsageError(
            f"cannot listen on {host}, port {port} ({error_text(error)}). Another program may use "
            "the port, or this study is served already. Choose another --port, or --port 0 for a "
            "free one."
        ) from None
    return listener


def origin_of(listener: socket.socket, proxy_origin: str) -> str:
    """The server's address for judges, as browsers write it; UsageError if it is unknown.

    `proxy_origin`: address of a reverse proxy, `https://judges.example.org`; empty without one.
    """
    host, port = str(listener.getsockname()[0]), int(listener.getsockname()[1])
    if not proxy_origin:
        if ipaddress.ip_address(host).is_unspecified:
            raise UsageError(
                f"--host {host}: listens on all addresses of this machine. Add the address that "
                f"judges use: --origin http://NAME:{port}."
            )
        return f"http://{f'[{host}]' if ':' in host else host}{f':{port}' if port != 80 else ''}"
    try:
        parts = urllib.parse.urlsplit(proxy_origin.removesuffix("/"))
        name, port = parts.hostname or "", parts.port or 0
    except ValueError:
        name = ""
    if not name or not _ORIGIN.fullmatch(proxy_origin):
        raise UsageError(
            f"--origin {quote(proxy_origin)}: expected http://NAME or https://NAME, with an "
            "optional port and no path."
        )
    name = f"[{name}]" if ":" in name else name
    return f"{parts.scheme}://{name}{f':{port}' if port not in {0, _USUAL[parts.scheme]} else ''}"


def warning(listener: socket.socket, origin: str) -> str:
    """A warning if other machines can reach the page without TLS; else empty."""
    here_alone = ipaddress.ip_address(str(listener.getsockname()[0])).is_loopback
    return "" if here_alone or origin.startswith("https:") else _NO_TLS


@contextlib.contextmanager
def running(app: ASGIApp, listener: socket.socket) -> Iterator[threading.Event]:
    """Serve in a thread; yields an event that is set if the server stops by itself.

    In a thread, uvicorn does not install signal handlers.
    """
    logging.getLogger("uvicorn.error").addHandler(logging.NullHandler())
    config = uvicorn.Config(
        app, http="h11", loop="asyncio", ws="none", lifespan="off", interface="asgi3", log_config=None, log_level="critical",
        access_log=False, server_header=False, proxy_headers=False, timeout_keep_alive=_IDLE_SECONDS,
        timeout_graceful_shutdown=_END_SECONDS,
        limit_concurrency=_MOST_CONNECTIONS + 1,  # refuses from this number on
        h11_max_incomplete_event_size=_MOST_HEAD_BYTES, backlog=_MOST_WAITING,
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


def serve(
    study: Study,
    *,
    host: str,
    port: int,
    origin: str,
    links: Callable[[], Mapping[str, str]],
    show: Callable[[str], Any],
    is_right: IsRight = str.__eq__,
) -> None:
    """Serve a study until the program is interrupted.

    `links` issues judge -> token. It is called after the socket listens, so that a failure issues no
    links.

    Raises:
        UsageError: cannot listen on this address, or the origin is invalid.
        KeyboardInterrupt: Ctrl-C or SIGTERM.
    """
    listener = listen(host, port)
    with contextlib.closing(listener):
        where = origin_of(listener, origin)
        owner = secrets.token_urlsafe()
        app = make_app(study, origin=where, owner=owner, is_right=is_right)
        with running(app, listener) as ended:
            for judge, token in links().items():
                show(f"{judge}: {where}/enter/{token}")
            show(f"Progress and agreement, for you only: {where}{OWNER}/{owner}")
            if notice := warning(listener, where):
                show(notice)
            show(
                f"Serving study {study.facts.name} at {where}. Press Ctrl-C to stop. The judges' "
                "links stay valid when you serve it again; yours ends."
            )
            ended.wait()
