"""Many judges at once: is every answered verdict in the database, and how long does an answer take?

    python benchmarks/judge_load.py [--judges 50] [--seconds 120] [--items 20000] [--pace 1.0]
        [--clients 2] [--seed 1]

A grooming study of invented sentences is served by `cloze-gen judge serve`. Each judge keeps a
connection open, sends a verdict every `--pace` seconds and loads the next page, as a browser does;
judges are threads of `--clients` processes. Prints request counts, latencies and the time to the
first page. Exits with 1 if a verdict was lost, doubled or never answered.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import json
import multiprocessing
import os
import queue
import random
import re
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cloze_gen.judging.assignment import JudgesPerItem
from cloze_gen.judging.state import StudySettings
from cloze_gen.judging.study import make_study, open_study
from cloze_gen.records.judgement import Judge, Role, StudyItem, Task

_CSRF = re.compile(r'data-csrf="([0-9a-f]{64})"')
_N_CANDIDATES, _SENTENCE_WORDS = 30, 24
_START_SECONDS = 120.0


@dataclass(frozen=True, slots=True)
class Timed:
    """One request: method, purpose, status, and seconds until the whole reply was read."""

    kind: str
    status: int
    seconds: float


def make(folder: Path, *, judges: Sequence[str], items: int, seed: int) -> None:
    """A study of invented sentences."""
    draw = random.Random(seed)
    letters = "abcdefghijklmnoprstuvw"
    words = sorted({"".join(draw.choices(letters, k=draw.randint(3, 9))) for _ in range(5_000)})

    def item(number: int) -> StudyItem:
        text, candidates = draw.choices(words, k=_SENTENCE_WORDS), draw.sample(words, _N_CANDIDATES)
        shown = {
            "before": " ".join(text[:12]),
            "answer": text[12],
            "after": " ".join(text[13:]),
            "candidates": candidates,
        }
        book = f"book{number % 40}"
        return StudyItem(
            f"{book}:{number}:7", ((book, 200 * number, 200 * number + 150),), shown, {}, "invented"
        )

    made = StudySettings(seed=seed, attention=0.02, repeats=0.05)
    make_study(
        folder, [item(number) for number in range(items)], task=Task.GROOM, run="invented",
        style="holmes-style", of={"forward": "0" * 64},
        settings=made, rules={},
    )  # fmt: skip
    study = open_study(folder, JudgesPerItem(made.each))
    study.add_judges([Judge(name, Role.JUDGE) for name in judges])
    study.close()


@contextlib.contextmanager
def server(folder: Path, judges: int) -> Iterator[tuple[dict[str, str], float, int]]:
    """A server as a context: a link per judge, seconds until it printed the last, and its process
    id.
    """
    started = time.perf_counter()
    command = [sys.executable, "-m", "cloze_gen", "judge", "serve", str(folder), "--port", "0"]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert process.stdout is not None
    try:
        links = dict(process.stdout.readline().strip().split(": ", 1) for _ in range(judges))
        yield links, time.perf_counter() - started, process.pid
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(30)


def cpu_seconds(process: int) -> float:
    """CPU seconds of a process so far, all threads."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Page:
    """A judge's browser."""

    def __init__(self, link: str) -> None:
        _, _, place, _, token = link.split("/")
        self.place, self.timed = place, list[Timed]()
        self.connection = http.client.HTTPConnection(place, timeout=30)
        status, headers, _ = self.ask("enter", "GET", f"/enter/{token}", cookie="")
        assert status == 303, status
        self.cookie, self.csrf = headers["set-cookie"].split(";")[0], ""

    def ask(
        self,
        kind: str,
        method: str,
        path: str,
        body: bytes | None = None,
        cookie: str | None = None,
    ) -> tuple[int, Any, str]:
        headers = {"Cookie": self.cookie if cookie is None else cookie}
        if body is not None:
            headers |= {
                "Content-Type": "application/json",
                "Origin": f"http://{self.place}",
                "X-CSRF-Token": self.csrf,
            }
        started = time.perf_counter()
        self.connection.request(method, path, body, headers)
        reply = self.connection.getresponse()
        text = reply.read().decode()
        self.timed.append(Timed(kind, reply.status, time.perf_counter() - started))
        return reply.status, reply.headers, text

    def load(self, address: str) -> None:
        _, _, text = self.ask("page", "GET", address)
        found = _CSRF.search(text)
        self.csrf = found[1] if found else self.csrf


def judge(
    link: str,
    *,
    seconds: float,
    pace: float,
    draw: random.Random,
    told: list[tuple[list[Timed], list[str], int]],
) -> None:
    """Judge at a pace for some time; appends answered and unanswered verdicts to `told`."""
    page, taken, failed = Page(link), list[str](), 0
    address = page.ask("first", "GET", "/")[1]["location"]
    page.load(address)
    begun = time.perf_counter() + draw.uniform(0, pace)
    for turn in range(int(seconds / pace)):
        time.sleep(max(0.0, begun + turn * pace - time.perf_counter()))
        if address == "/done":
            break
        name = str(uuid.uuid4())
        record = {"id": name, "assignment": address[6:], "replaces": "",
        "response": {"picked": sorted(draw.sample(range(_N_CANDIDATES), 4))},
                  "seconds": pace}  # fmt: skip
        status, _, text = page.ask("verdict", "POST", "/verdict", json.dumps(record).encode())
        if status != 200:
            failed += 1
            continue
        taken.append(name)
        address = json.loads(text)["next"]
        page.load(address)
    told.append((page.timed, taken, failed))


def client(links: Sequence[str], seed: int, seconds: float, pace: float, replies: Any) -> None:
    """Some judges in one process, a thread each."""
    told: list[tuple[list[Timed], list[str], int]] = []

    def work(link: str, number: int) -> None:
        judge(link, seconds=seconds, pace=pace, draw=random.Random(seed + number), told=told)

    threads = [
        threading.Thread(target=work, args=(link, number)) for number, link in enumerate(links)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    replies.put((len(links) - len(told), told))


def percentile(values: Sequence[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def table(timed: Sequence[Timed]) -> str:
    """Requests by kind, with milliseconds."""
    rows = [("request", "count", "median ms", "p95 ms", "p99 ms", "max ms")]
    for kind in [*dict.fromkeys(one.kind for one in timed), "all"]:
        took = [1000 * one.seconds for one in timed if kind in {one.kind, "all"}]
        figures = (
            statistics.median(took),
            percentile(took, 0.95),
            percentile(took, 0.99),
            max(took),
        )
        rows.append((kind, f"{len(took):,}", *(f"{figure:.1f}" for figure in figures)))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        for row in rows
    )


def written(folder: Path) -> list[str]:
    """Ids of the verdicts in the database, in order."""
    with contextlib.closing(sqlite3.connect(folder / "study.sqlite")) as connection:
        return [name for (name,) in connection.execute("SELECT id FROM verdicts ORDER BY number")]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for option, usual in (
        ("judges", 50),
        ("seconds", 120),
        ("items", 20_000),
        ("clients", 2),
        ("seed", 1),
    ):
        parser.add_argument(f"--{option}", type=int, default=usual)
    parser.add_argument("--pace", type=float, default=1.0)
    asked = parser.parse_args()
    names = [f"judge{n:03d}" for n in range(asked.judges)]
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "study"
        make(folder, judges=names, items=asked.items, seed=asked.seed)
        load = os.getloadavg()[0]
        with server(folder, asked.judges) as (links, start_seconds, process_id):
            began = time.perf_counter()
            page = Page(links[names[0]])
            page.load(page.ask("first", "GET", "/")[1]["location"])
            first_seconds = time.perf_counter() - began
            page.connection.close()
            used_seconds, replies = cpu_seconds(process_id), multiprocessing.Queue()
            processes = [
                multiprocessing.Process(
                    target=client,
                    args=(
                        [links[name] for name in names[n :: asked.clients]],
                        100 * n,
                        asked.seconds,
                        asked.pace,
                        replies,
                    ),
                )
                for n in range(asked.clients)
            ]
            for process in processes:
                process.start()
            try:
                parts = [replies.get(timeout=asked.seconds + _START_SECONDS) for _ in processes]
            except queue.Empty:
                print("a client never told what it did")
                return 1
            used_seconds = cpu_seconds(process_id) - used_seconds
        found = written(folder)
    told = [one for _, ones in parts for one in ones]
    taken = [name for _, names_taken, _ in told for name in names_taken]
    broken = sum(lost for lost, _ in parts) + sum(failed for *_, failed in told)
    lost, twice = len(set(taken) - set(found)), len(found) - len(set(found))
    print(table([one for timed, *_ in told for one in timed]))
    print(
        f"{asked.items:,} items: served {start_seconds:.1f} s after the command, first page "
        f"{1000 * first_seconds:.0f} ms after its link"
    )
    print(
        f"verdicts answered {len(taken):,}, in the database {len(found):,}; lost {lost}, "
        f"twice {twice}, not answered {broken}"
    )
    n_requests = sum(len(timed) for timed, *_ in told)
    print(
        f"the server used {used_seconds:.1f} s of CPU, {1000 * used_seconds / n_requests:.2f} "
        "ms a request"
    )
    print(
        f"cores {os.cpu_count()}; load when it began {load:.1f}, when it ended "
        f"{os.getloadavg()[0]:.1f}"
    )
    return int(bool(lost or twice or broken or set(found) - set(taken)))


if __name__ == "__main__":
    sys.exit(main())
