"""Interrupt runs with Ctrl-C at hundreds of moments; each must end with one line, in time, leaving
nothing behind.

    python benchmarks/interrupts.py [--lines 200] [--random 100] [--double 50] [--imports 50]
        [--others 50] [--parallel 2] [--seed 1911]

Each interrupt goes to the whole process group, as from a terminal. Kinds of moments:

- lines: after a line of output, drawn evenly from an undisturbed run (all of the stages', a few of
lmplz's);
- random: uniform over the duration of an undisturbed run;
- double: the same, and a second one within half a second;
- imports: after the end of a module's import, from the program's first own line on;
- others: uniform over `evaluate`, `corpus rank`, `report` and `trace` of a finished run.

Exits with 1 if a run hangs, ends late, prints anything else, or leaves a process.
"""

from __future__ import annotations

import argparse
import collections
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from cloze_gen.interrupts import STOPPED

SAMPLE = Path(__file__).parents[1] / "corpora" / "sample"
BOOKS = ("train/01-the-ferrymans-ledger.txt", "train/02-a-house-in-mercer-row.txt",
    "train/03-the-surgeon-of-the-halcyon.txt",
         "source/the-clockmakers-debt.txt")  # fmt: skip
# No tagger (its model takes a second to load) and the least memory that lmplz accepts.
QUICK = (
    "--set",
    "grooming.tagger=none",
    "--set",
    "lm.memory=100M",
    "--set",
    "contexts.features=500",
    "--set",
    "contexts.dimensions=20",
)
PROMISED_SECONDS = 5.0
HANG_SECONDS = 30.0  # after the interrupt; then the run is killed and counted
START_SECONDS = 240.0  # for the moment to come
DOUBLE_WITHIN_SECONDS = 0.5
MARK = "CLOZE_GEN_INTERRUPTED_RUN"  # in the environment of a run and of all its children
KINDS = ("lines", "random", "double", "imports", "others")
_FIRST_OWN_IMPORT = "cloze_gen.interrupts"
_GARBAGE = ("Traceback", "Exception", "Error", "Warning", 'File "')


@dataclass(frozen=True, slots=True)
class Moment:
    """When a run is interrupted.

    Attributes:
        command: arguments of `cloze-gen`.
        line: stderr line after which the interrupt comes; 0: count seconds from the start.
        seconds: waited after that.
        again: seconds to the second interrupt, or None.
        imports: the lines are those of `python -X importtime`, from our first import on.
    """

    kind: str
    command: tuple[str, ...]
    line: int = 0
    seconds: float = 0.0
    again: float | None = None
    imports: bool = False


@dataclass(frozen=True, slots=True)
class End:
    """How an interrupted run ended.

    Attributes:
        sent: False when the run was over before its moment.
        status: as of Popen; negative: killed by a signal.
        seconds: from the first interrupt to the end.
        said: stderr, without the lines of `-X importtime`.
        survivors: command lines of processes that outlived it by a second.
    """

    moment: Moment
    sent: bool
    status: int
    seconds: float
    said: str
    survivors: tuple[str, ...]

    @property
    def over(self) -> bool:
        """The run had finished when the interrupt came."""
        return not self.sent or (self.status == 0 and STOPPED not in self.said)

    @property
    def hung(self) -> bool:
        return self.seconds >= HANG_SECONDS

    @property
    def traceback(self) -> bool:
        return any(
            word in line
            for line in self.said.splitlines()
            if not line.startswith("lm: ")
            for word in _GARBAGE
        )

    @property
    def one_line(self) -> bool:
        """Our line is there once, as the last one."""
        return self.said.count(STOPPED) == 1 and self.said.endswith(f"{STOPPED}\n")

    @property
    def good(self) -> bool:
        ended = self.status == 130 and self.one_line and not self.traceback and not self.survivors
        return self.over or (ended and self.seconds <= PROMISED_SECONDS)


def interrupted(moment: Moment) -> End:
    """Start the command, interrupt it and report its end, within time limits."""
    mark = uuid.uuid4().hex
    options = ["-X", "importtime"] if moment.imports else []
    command = [sys.executable, *options, "-m", "cloze_gen", *moment.command]
    environment = {**os.environ, MARK: mark}
    process = subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
        env=environment,
        text=True,
        errors="replace",
    )
    said: list[str] = []
    reached = threading.Event()
    listener = threading.Thread(target=_listen, args=(process, moment, said, reached))
    listener.start()
    reached.wait(START_SECONDS)
    time.sleep(moment.seconds)
    start = time.monotonic()
    sent = _interrupt(process)
    if moment.again is not None:
        time.sleep(moment.again)
        _interrupt(process)
    try:
        process.wait(HANG_SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
    seconds = time.monotonic() - start
    survivors = _survivors(mark, wait_seconds=1.0)
    for pid in survivors:
        os.kill(pid, signal.SIGKILL)
    listener.join()
    process.wait()
    text = "".join(line for line in said if not line.startswith("import time:"))
    return End(moment, sent, process.returncode, seconds, text, tuple(survivors.values()))


def _listen(
    process: subprocess.Popen[str], moment: Moment, said: list[str], reached: threading.Event
) -> None:
    """Collect stderr; set the event when the moment's line arrives."""
    assert process.stderr is not None
    if not moment.line:
        reached.set()
    number = 0
    with process.stderr:
        for line in process.stderr:
            said.append(line)
            if number or not moment.imports or line.rstrip().endswith(_FIRST_OWN_IMPORT):
                number += 1
            if number == moment.line:
                reached.set()
    reached.set()


def _interrupt(process: subprocess.Popen[str]) -> bool:
    if process.poll() is not None:
        return False
    os.killpg(process.pid, signal.SIGINT)
    return True


def _survivors(mark: str, *, wait_seconds: float) -> dict[int, str]:
    """Processes, by id, that carry the mark after a grace period."""
    deadline = time.monotonic() + wait_seconds
    while (found := _marked(mark)) and time.monotonic() < deadline:
        time.sleep(0.05)
    return found


def _marked(mark: str) -> dict[int, str]:
    found = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                if f"{MARK}={mark}".encode() in (folder / "environ").read_bytes():
                    found[int(folder.name)] = (
                        (folder / "cmdline")
                        .read_bytes()
                        .replace(b"\0", b" ")
                        .decode(errors="replace")
                    )
            except OSError:  # it is gone, or somebody else's
                continue
    return found


def make_books(folder: Path) -> tuple[str, ...]:
    """The corpus and settings of all runs, as arguments of `run`."""
    for book in BOOKS:
        (folder / book).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(SAMPLE / book, folder / book)
    return (
        "holmes-sample",
        "--train",
        str(folder / "train"),
        "--source",
        str(folder / "source"),
        *QUICK,
    )


@dataclass(frozen=True, slots=True)
class Undisturbed:
    """A finished run as the basis of moments.

    Attributes:
        lines: numbers of the lines to interrupt at.
        seconds: its duration.
        import_count: import lines from our first on.
        others: commands on the finished run.
    """

    options: tuple[str, ...]
    lines: tuple[int, ...]
    seconds: float
    import_count: int
    others: tuple[tuple[str, ...], ...]


def undisturbed(place: Path) -> Undisturbed:
    """Run once without an interrupt."""
    options = make_books(place / "books")
    out = place / "finished"
    command = [
        sys.executable,
        "-X",
        "importtime",
        "-m",
        "cloze_gen",
        "run",
        *options,
        "--name",
        "tiny",
        "--out",
        str(out),
        "--workers",
        "2",
    ]
    start = time.monotonic()
    done = subprocess.run(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=True
    )
    seconds = time.monotonic() - start
    imports = [line for line in done.stderr.splitlines() if line.startswith("import time:")]
    first = next(i for i, line in enumerate(imports) if line.endswith(_FIRST_OWN_IMPORT))
    said = [line for line in done.stderr.splitlines() if not line.startswith("import time:")]
    numbers = {number for number, line in enumerate(said, 1) if not line.startswith("lm: ")}
    from_lmplz = [number for number in range(1, len(said)) if number not in numbers]
    reference = str(out / "runs" / "tiny" / "release" / "questions.jsonl")
    with open(reference) as handle:
        item = handle.readline().split('"id": "')[1].split('"')[0]
    others = (
        ("evaluate", "tiny", "--out", str(out), "--workers", "2"),
        (
            "corpus",
            "rank",
            str(place / "books" / "train"),
            "--reference",
            reference,
            "--workers",
            "2",
        ),
        ("report", "tiny", "--out", str(out)),
        ("trace", item, "--out", str(out)),
    )
    return Undisturbed(
        options,
        tuple(sorted([*numbers, *from_lmplz[::8]]))[:-1],
        seconds,
        len(imports) - first,
        others,
    )


def moments(
    kind: str, count: int, known: Undisturbed, place: Path, draw: random.Random
) -> Iterator[Moment]:
    """Seeded moments of one kind, each with its own output folder."""
    for number in range(count):
        out = place / f"{kind}-{number}"
        run = (
            "run",
            *known.options,
            "--name",
            "tiny",
            "--out",
            str(out),
            "--workers",
            str(1 + number % 2),
        )
        if kind == "lines":
            yield Moment(kind, run, line=draw.choice(known.lines))
        elif kind == "random":
            yield Moment(kind, run, line=1, imports=True, seconds=draw.uniform(0, known.seconds))
        elif kind == "double":
            again = draw.uniform(0, DOUBLE_WITHIN_SECONDS)
            yield Moment(
                kind, run, line=1, imports=True, seconds=draw.uniform(0, known.seconds), again=again
            )
        elif kind == "imports":
            yield Moment(kind, run, line=draw.randrange(1, known.import_count), imports=True)
        else:
            other = known.others[number % len(known.others)]
            if other[:2] == ("corpus", "rank"):
                other = (*other, "--out", str(out))
            if other[0] == "evaluate":
                other = (*other, "--write-to", str(out))
            yield Moment(
                f"{kind}: {other[0]}",
                other,
                line=1,
                imports=True,
                seconds=draw.uniform(0, known.seconds / 5),
            )


def table(ends: Sequence[End]) -> str:
    """Counts by kind of the runs still at work when interrupted, and how they ended."""
    heads = (
        "kind",
        "sent",
        "over before",
        "status 130",
        "slowest s",
        "hangs",
        "tracebacks",
        "not one line",
        "survivors",
    )
    groups: dict[str, list[End]] = collections.defaultdict(list)
    for end in ends:
        groups[end.moment.kind].append(end)
    rows = [heads]
    for kind, group in [*groups.items(), ("all", list(ends))]:
        real = [end for end in group if not end.over]
        slowest = max((end.seconds for end in real), default=0.0)
        counts = [
            len(real),
            len(group) - len(real),
            sum(end.status == 130 for end in real),
            f"{slowest:.2f}",
        ]
        counts += [
            sum(end.hung for end in real),
            sum(end.traceback for end in real),
            sum(not end.one_line for end in real),
        ]
        counts += [sum(len(end.survivors) for end in real)]
        rows.append((kind, *map(str, counts)))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        for row in rows
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for kind, count in zip(KINDS, (200, 100, 50, 50, 50), strict=True):
        parser.add_argument(f"--{kind}", type=int, default=count)
    parser.add_argument("--parallel", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1911)
    asked = parser.parse_args()
    signal.signal(
        signal.SIGINT, signal.default_int_handler
    )  # a script's background job has it ignored, and would hand that down
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(asked.parallel) as pool:
        place = Path(folder)
        known = undisturbed(place)
        draw = random.Random(asked.seed)
        planned = [
            moment
            for kind in KINDS
            for moment in moments(kind, getattr(asked, kind), known, place, draw)
        ]
        ends: list[End] = []
        try:
            for end in pool.map(interrupted, planned):
                ends.append(end)
                if not end.good:
                    print(
                        f"{end.moment}: status {end.status}, {end.seconds:.2f} s, "
                        f"{end.survivors}\n{end.said}\n",
                        flush=True,
                    )
        except KeyboardInterrupt:  # the table of those so far
            pool.shutdown(cancel_futures=True)
        print(table(ends))
    return int(not all(end.good for end in ends))


if __name__ == "__main__":
    sys.exit(main())
