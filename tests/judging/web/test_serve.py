"""A study on the network: start, end, and what a killed server has kept."""

from __future__ import annotations

import collections
import contextlib
import http.client
import random
import signal
import socket
import subprocess
import sys
import threading
import time
import uuid
from pathlib import Path

import pytest

from cloze_gen.errors import UsageError
from cloze_gen.interrupts import STOPPED
from cloze_gen.judging.database import issue
from cloze_gen.judging.web.serve import listen, origin_of, serve, warning
from cloze_gen.records.judgement import Task
from tests.cases.served import Browser, rows, served
from tests.cases.studies import make_tiny_study, response

ROOT = Path(__file__).parents[3]
_KILLS, _JUDGES = 20, ("ann", "bob", "cara", "dan")


def test_a_taken_port_is_told(tmp_path):
    """The message names the port and what to do; no link was made for nothing."""
    study = make_tiny_study(tmp_path / "study")
    with contextlib.closing(study), contextlib.closing(listen("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(UsageError, match=rf"port {port} .*--port 0"):
            serve(
                study,
                host="127.0.0.1",
                port=port,
                origin="",
                links=lambda: pytest.fail("a link was made"),
                show=print,
            )


@pytest.mark.parametrize(
    ("host", "port"),
    [("no.such.host.invalid", 8000), ("203.0.113.7", 8000), ("127.0.0.1", 99999), ("a" * 300, 1)],
)
def test_an_address_that_is_not_ours_is_told(host, port):
    """A name that is nowhere, an address of another machine, a port that is none."""
    with pytest.raises(UsageError, match=r"--host|--port"):
        listen(host, port)


def test_origins_are_as_browsers_tell_them():
    with (
        contextlib.closing(listen("127.0.0.1", 0)) as here,
        contextlib.closing(listen("0.0.0.0", 0)) as everywhere,
    ):
        assert origin_of(here, "") == f"http://127.0.0.1:{here.getsockname()[1]}"
        assert origin_of(here, "https://Judges.Example.org:443/") == "https://judges.example.org"
        assert origin_of(here, "http://[::1]:8000") == "http://[::1]:8000"
        with pytest.raises(UsageError, match="--origin"):
            origin_of(everywhere, "")


@pytest.mark.parametrize(
    "told",
    [
        "judges.example.org",
        "ftp://a",
        "https://a/b",
        "https://a?b",
        "https://a@b",
        "https://",
        "http://a:99999",
        "https://a b",
    ],
)
def test_other_origins_are_refused(told):
    """With a path, a user, no name: the message says what is expected."""
    with (
        contextlib.closing(listen("127.0.0.1", 0)) as here,
        pytest.raises(UsageError, match="expected http"),
    ):
        origin_of(here, told)


def test_open_networks_are_warned_of():
    """Only where something beside this machine can listen in."""
    with (
        contextlib.closing(listen("127.0.0.1", 0)) as here,
        contextlib.closing(listen("0.0.0.0", 0)) as everywhere,
    ):
        assert warning(here, "http://127.0.0.1:1") == ""
        assert warning(everywhere, "https://judges.example.org") == ""
        assert "TLS" in warning(everywhere, "http://192.0.2.1:8000")


@contextlib.contextmanager
def program(folder, *arguments):
    """A server of its own, killed at the end in any case."""
    command = [sys.executable, "-m", "tests.cases.serve_program", str(folder), *arguments]
    process = subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


@pytest.mark.slow
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_it_ends_in_time(number, status, tmp_path):
    make_tiny_study(tmp_path / "study", judges="ann").close()
    with program(tmp_path / "study", "0", "read") as process:
        assert process.stdout is not None
        link = process.stdout.readline()
        judge, _, address = link.strip().partition(": ")
        host, port = address.split("/")[2].split(":")
        browser = Browser(host, int(port), f"http://{host}:{port}")
        browser.enter(address.rpartition("/")[2])
        page = browser.first()
        with (
            socket.create_connection((host, int(port))) as waiting,
            socket.create_connection((host, int(port))) as silent,
        ):
            head = (
                f"Host: {host}:{port}\r\nOrigin: http://{host}:{port}\r\nContent-Type: "
                "application/json\r\nContent-Length: 50"
            )
            waiting.sendall(f"POST /verdict HTTP/1.1\r\n{head}\r\n\r\n".encode())
            silent.sendall(b"GET")
            started = time.monotonic()
            process.send_signal(number)
            _, told = process.communicate(timeout=30)
            took = time.monotonic() - started
        browser.close()
    assert judge == "ann"
    assert page.startswith("/item/")
    assert (process.returncode, told) == (status, f"{STOPPED}\n")
    assert took < 5  # three are promised; the machine may be busy


class Persistent(threading.Thread):
    """A judge whose browser sends each verdict until it is taken, whatever happens to the server."""

    def __init__(self, browser, address, stop):
        super().__init__()
        self.browser, self.address, self.stop = browser, address, stop
        self.taken: list[str] = []
        self.sent_again = 0

    def run(self):
        while self.address != "/done" and not self.stop.is_set():
            name = str(uuid.uuid4())
            self.address = self._send(name)
            self.taken.append(name)
        self.browser.close()

    def _send(self, name):
        while True:
            try:
                reply = self.browser.verdict(self.address, response(Task.READ), name=name)
            except (OSError, http.client.HTTPException):
                self.sent_again += 1
                time.sleep(0.02)
                continue
            assert reply.status == 200, reply
            return str(reply.json["next"])


@pytest.mark.thorough
def test_a_killed_server_loses_no_verdict(tmp_path):
    study = make_tiny_study(
        tmp_path / "study", n=2000, judges=",".join(_JUDGES), each=len(_JUDGES), page=3
    )
    tokens = [issue(study.store.database, name) for name in _JUDGES]
    study.close()
    with contextlib.closing(listen("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    stop, draw, judges = threading.Event(), random.Random(20), list[Persistent]()
    for kill in range(_KILLS + 1):
        with program(tmp_path / "study", str(port), "read") as process:
            assert process.stdout is not None
            assert process.stdout.readline().startswith("ann: "), process.communicate()
            if not judges:
                for token in tokens:
                    browser = Browser("127.0.0.1", port, f"http://127.0.0.1:{port}")
                    browser.enter(token)
                    judges.append(Persistent(browser, browser.first(), stop))
                    judges[-1].start()
            if kill < _KILLS:
                time.sleep(draw.uniform(0.0, 0.4))
                process.kill()
                continue
            stop.set()
            for judge in judges:
                judge.join(60)
    taken = [name for judge in judges for name in judge.taken]
    found = rows(tmp_path / "study")["verdicts"]
    assert sum(judge.sent_again for judge in judges) >= _KILLS
    assert len(taken) > _KILLS
    assert set(taken) == {name for _, name, *_ in found}
    assert max(collections.Counter(assignment for _, _, assignment, *_ in found).values()) == 1


@contextlib.contextmanager
def sockets(address, n, text):
    """So many connections, each of which says a few words and then nothing."""
    with contextlib.ExitStack() as stack:
        found = []
        for _ in range(n):
            found.append(stack.enter_context(socket.create_connection(address, 10)))
            found[-1].sendall(text)
        yield found


def test_too_many_connections_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("cloze_gen.judging.web.serve._MOST_CONNECTIONS", 5)
    with served(make_tiny_study(tmp_path / "study")) as place:
        ann = place.browser("ann")
        ann.close()
        with sockets((place.host, place.port), 5, b"GET / HT"):
            assert ann.get("/").status == 503
            ann.close()
        deadline = time.monotonic() + 10
        while ann.get("/").status == 503:
            ann.close()
            assert time.monotonic() < deadline
