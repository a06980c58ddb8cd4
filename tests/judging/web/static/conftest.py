"""The judges' page in a real browser, beside a real server."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from cloze_gen.judging.database import StudyStore, issue, revoke
from tests.cases.studies import make_tiny_study

ROOT = Path(__file__).parents[4]
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip


@pytest.fixture(
    scope="module"
)  # while it lives, an event loop runs in this thread, and no test elsewhere can start one
def chromium():
    """Debian's Chromium, or the one that CLOZE_GEN_CHROMIUM names."""
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="playwright is not installed (pip install playwright)"
    )
    path = os.environ.get("CLOZE_GEN_CHROMIUM") or shutil.which("chromium")
    if path is None:
        pytest.skip("no chromium (apt-get install chromium, or name it in CLOZE_GEN_CHROMIUM)")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=list(FLAGS))
        yield browser
        browser.close()


def axe_findings(page):
    """What axe-core finds on the page as it is, by all its rules that are no experiments, and where
    a gradient keeps it from measuring the contrast.
    """
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    # Its rule of WCAG 2.2 is off until asked for.
    options = {
        "rules": {"target-size": {"enabled": True}},
        "resultTypes": ["violations", "incomplete"],
    }
    response = axe.run(page, options=options).response
    found = [(rule["id"], node) for rule in response["violations"] for node in rule["nodes"]]
    found += [
        ("gradient", node)
        for rule in response["incomplete"]
        for node in rule["nodes"]
        if rule["id"] == "color-contrast" and node["any"][0]["data"]["messageKey"] == "bgGradient"
    ]
    return [
        f"{rule}: {node['html'][:90]} {node.get('failureSummary', '')[:200]}"
        for rule, node in found
    ]


@dataclass
class Served:
    """A study at work: its process, its port and what is written down."""

    folder: Path
    port: int
    parent: subprocess.Popen[str]
    child: int = 0

    @property
    def origin(self):
        return f"http://127.0.0.1:{self.port}"

    def start_replying(self, *replies):
        """In place of the server, one that answers verdicts so, each with the next (status, text); the
        last serves for all further ones.
        """
        self.kill()
        self.folder.with_suffix(".replies").write_text(json.dumps(replies), encoding="utf-8")
        self.start("reply")

    def start(self, how="serve"):
        assert self.parent.stdin is not None
        assert self.parent.stdout is not None
        self.parent.stdin.write(f"{how} {self.port} {self.folder}\n")
        self.parent.stdin.flush()
        self.child = int(self.parent.stdout.readline())
        assert self.child

    def kill(self):
        """By SIGKILL; gone when this returns, and its port free."""
        self.signal(signal.SIGKILL)
        with contextlib.suppress(ProcessLookupError):
            while True:
                os.kill(self.child, 0)
                time.sleep(0.002)

    def signal(self, number):
        os.kill(self.child, number)

    def stop(self):
        """By SIGSTOP; when this returns it does nothing more, and is still there."""
        self.signal(signal.SIGSTOP)
        threads = Path(f"/proc/{self.child}/task")
        while any(
            (one / "stat").read_text().rsplit(")", 1)[1].split()[0] != "T"
            for one in threads.iterdir()
        ):
            time.sleep(0.002)

    @contextlib.contextmanager
    def store(self):
        store = StudyStore(self.folder)
        yield store
        store.database.close()

    def link(self, judge):
        with self.store() as store:
            return f"{self.origin}/enter/{issue(store.database, judge)}"

    def shut_out(self, judge):
        with self.store() as store:
            revoke(store.database, judge)

    def written(self):
        """Judge -> the assignments of all written verdicts in order, duplicates included."""
        with self.store() as store, store.database.reading() as connection:
            order = (
                "SELECT judge, assignment FROM verdicts JOIN assignments ON assignments.id = "
                "assignment ORDER BY place"
            )
            rows = connection.execute(order).fetchall()
        return {judge: [one for whose, one in rows if whose == judge] for judge, _ in rows}

    def current_response(self, judge="ann"):
        """What a judge said last, in the judge's order."""
        with self.store() as store:
            latest, mine = (
                store.verdicts(),
                [one for one in store.assignments() if one.judge == judge],
            )
        return [
            dict(latest[one.id].response)
            for one in sorted(mine, key=lambda one: one.place)
            if one.id in latest
        ]


@pytest.fixture(scope="session")
def server():
    """The process whose children serve."""
    program = str(ROOT / "tests/judging/web/static/serving.py")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        [sys.executable, program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    ) as process:
        yield process


@pytest.fixture
def served(tmp_path, server):
    """Makes a study of invented items and serves it until the test ends."""
    studies = []

    def serve(task, **more):
        folder = tmp_path / f"study{len(studies)}"
        make_tiny_study(folder, task, **more).close()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        studies.append(one := Served(folder, port, server))
        one.start()
        return one

    yield serve
    for one in studies:
        with contextlib.suppress(ProcessLookupError):
            one.kill()


@dataclass
class Watched:
    """What a page did that it should not."""

    origin: str
    away: list[str] = field(default_factory=list)
    console: list[str] = field(default_factory=list)

    def watch(self, page):
        # the second: what the browser shows where there is no server
        ours = (f"{self.origin}/", "chrome-error:")
        page.on(
            "request",
            lambda request: None if request.url.startswith(ours) else self.away.append(request.url),
        )
        page.on("console", lambda line: self.console.append(f"{line.type}: {line.text}"))
        page.on("pageerror", lambda error: self.console.append(f"uncaught: {error}"))


@pytest.fixture
def sit(chromium):
    """Open a judge's link in its own browser; console output or foreign requests fail the test,
    except lost requests with `cut=True`.
    """
    contexts = []

    def open_link(study, judge="ann", *, cut=False, **more):
        context = chromium.new_context(**{"viewport": {"width": 1280, "height": 900}, **more})
        context.set_default_timeout(15_000)
        watched = Watched(study.origin)
        context.on("page", watched.watch)
        contexts.append((context, watched, cut))
        page = context.new_page()
        page.goto(study.link(judge))
        ready(page)
        return page

    yield open_link
    for context, watched, cut in contexts:
        context.close()
        assert watched.away == []
        assert [
            line for line in watched.console if not (cut and "Failed to load resource" in line)
        ] == []


def block_verdicts(page):
    """The browser itself lets no verdict out, until the result is called. (A handler of `page.route`
    answers from this process, which may be busy for longer than the page waits.)
    """
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.setBlockedURLs", {"urls": ["*/verdict"]})
    return lambda: session.send("Network.setBlockedURLs", {"urls": []})


def ready(page):
    """Waits until the script has taken an item, or the page is none."""
    page.wait_for_function(
        "() => document.querySelector('#item')?.dataset.ready === 'yes' || "
        "!document.querySelector('#item')"
    )


def goes_on(page, act=None):
    """Does what saves and waits until the next page is ready."""
    before = page.url
    (act or (lambda: page.keyboard.press("Enter")))()
    page.wait_for_url(lambda url: url != before)
    ready(page)
