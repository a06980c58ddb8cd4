"""Input as a stranger's machine, a slip of the finger or a full disk makes it: one proper message
each, no traceback, no hang.

A case is a line of `cases/*.jsonl`, named for the entrance:

- ``label``: what is wrong, unique in its file;
- ``call``: the arguments of the command line, with ``{tmp}`` (a folder of the case's own, where the
  call is made), ``{run}``, ``{out}`` (a finished run and its output folder), ``{train}``,
  ``{source}`` (its books) and ``{quick}`` (settings that make a run short);
- ``files``: path -> content, see `content`. Below ``{run}`` or ``{out}`` the case gets a copy of
  the run's folder to damage, and the folder's manifest is made to fit, as another version of the
  program would leave it, unless the case says ``unsealed``;
- ``env``: environment variables; ``program``: the call is made by a process of its own (bytes that
  are no text: ``{"bytes": hex}``);
- ``status``, ``said``: exit status (a list where several are right) and words of the message;
  ``unsaid``: words that may not be there;
- ``parser``: the command line's parser refuses it, in its own form; ``writes``: the call may leave
  files behind; ``rewrites``: it may also change the run it is told to work on; ``executable``:
  files that are programs.
"""

from __future__ import annotations

import base64
import contextlib
import gzip
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from cloze_gen.store.folder_replacement import write_own

CASES = Path(__file__).with_name("cases")
MOST_LINES, MOST_CHARS = 12, 1000  # of a message, beside the paths in it
SECONDS = 60  # a call that takes longer hangs; the slowest takes two
QUICK = "lm.memory=100M", "grooming.tagger=none", "contexts.features=500", "contexts.dimensions=20"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a case happens.

    Attributes:
        names: what stands for the placeholders of a call.
        run: the finished run's folder that may be damaged here, or None before it is needed.
    """

    tmp: Path
    names: dict[str, str]

    def filled(self, text: str) -> str:
        for name, value in self.names.items():
            text = text.replace(f"{{{name}}}", value)
        return text

    def argument(self, given: Any) -> list[str | bytes]:
        if isinstance(given, dict | list):
            return [
                bytes.fromhex(given["bytes"])
                if isinstance(given, dict) and "bytes" in given
                else content(given, self).decode()
            ]
        return (
            [part for one in QUICK for part in ("--set", one)]
            if given == "{quick}"
            else [self.filled(given)]
        )


def read_cases() -> Iterator[Any]:
    """Every case, with the entrance and the label for its name; `make test` runs one in
    four of each entrance.
    """
    for file in sorted(CASES.glob("*.jsonl")):
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines()):
            case = json.loads(line)
            rare = number % 4 or case.get("program")
            yield pytest.param(
                case,
                id=f"{file.stem}: {case['label']}",
                marks=[pytest.mark.thorough] if rare else [],
            )


def content(given: Any, place: Place) -> bytes:
    """The bytes that a case means: a text, or an object with one way to make them."""
    if isinstance(given, str):
        return place.filled(given).encode("utf-8")
    if isinstance(given, list):
        return b"".join(content(part, place) for part in given)
    (way, value), *_ = given.items()
    if way == "repeat":
        return value[0].encode() * int(value[1])
    if way == "numbered":
        return "".join(str(value[0]).replace("{n}", str(n)) for n in range(int(value[1]))).encode()
    if way == "base64":
        return base64.b64decode(value)
    if way == "encoded":
        return str(value[0]).encode(value[1])
    if way == "gzip":
        return gzip.compress(content(value, place), mtime=0)[: given.get("cut")]
    if way == "question":
        return json.dumps(changed(QUESTION, value)).encode() + b"\n"
    if way == "changed":  # the JSON that lies there, with some values set or taken out
        return json.dumps(
            changed(json.loads(Path(place.filled(given["of"])).read_bytes()), value)
        ).encode()
    raise AssertionError(f"no way to make {way!r}")


QUESTION = {
    "id": "b:0:2", "book_id": "b", "tokens": ["I", "could", "climb", "it", "."], "position": 2,
    "options": ["write", "climb", "see", "be", "go"], "answer_index": 1,
}  # fmt: skip


def spelt_out(value: Any) -> Any:
    """A value of a case in full: a text that is repeated many times stands there as ``{"repeat":
    [text, times]}``.
    """
    if isinstance(value, dict) and value.keys() == {"repeat"}:
        return str(value["repeat"][0]) * int(value["repeat"][1])
    return [spelt_out(one) for one in value] if isinstance(value, list) else value


def changed(record: Any, changes: dict[str, Any]) -> Any:
    """A copy with the values at dotted paths set; None as ``{"gone": true}`` takes a key out."""
    record = json.loads(json.dumps(record))
    for path, value in changes.items():
        *keys, last = path.split(".")
        at = record
        for key in keys:
            at = at[int(key)] if isinstance(at, list) else at[key]
        if value == {"gone": True}:
            del at[last]
        else:
            at[int(last) if isinstance(at, list) else last] = spelt_out(value)
    return record


def put(path: Path, given: Any, place: Place) -> None:
    """Lay a case's file down, over what is there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    special = given if isinstance(given, dict) else {}
    data = (
        b""
        if special.keys() & {"fifo", "folder", "socket", "link", "gone", "sparse"}
        else content(given, place)
    )
    if path.is_symlink() or path.is_file():
        path.unlink()
    elif path.is_dir():
        shutil.rmtree(path)
    if "fifo" in special:
        os.mkfifo(path)
    elif "folder" in special:
        path.mkdir()
    elif "socket" in special:
        with (
            contextlib.chdir(path.parent),
            socket.socket(socket.AF_UNIX) as listener,
        ):  # its path may have 108 bytes
            listener.bind(path.name)
    elif "link" in special:
        path.symlink_to(place.filled(special["link"]))
    elif "sparse" in special:
        with open(path, "wb") as handle:
            handle.truncate(special["sparse"])
    elif "gone" not in special:
        path.write_bytes(data)


def listing(folder: Path) -> dict[str, bytes | str]:
    """What lies in a folder: files with their bytes (the large ones with their size), links with
    their targets, others by their kind.
    """
    found: dict[str, bytes | str] = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink():
            found[name] = f"-> {path.readlink()}"
        elif path.is_file():
            found[name] = (
                path.read_bytes() if path.stat().st_size < 1e7 else f"{path.stat().st_size} bytes"
            )
        else:
            found[name] = "folder" if path.is_dir() else "special"
    return found


@contextlib.contextmanager
def time_limit(seconds: int) -> Iterator[None]:
    """End what hangs inside, an `open` that waits for a pipe's writer too."""

    def stop(_: int, frame: FrameType | None) -> None:
        raise AssertionError(
            f"hangs after {seconds} s in {frame.f_code.co_qualname if frame else '?'}"
        )

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@pytest.fixture
def place(
    finished: Any, tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Place:
    """The case's folder with its files; a copy of the run where the case damages it (the store,
    which it only reads, is linked).
    """
    case = request.getfixturevalue("case")
    out = finished.out
    if any(path.startswith(("{run}", "{out}")) for path in case.get("files", {})):
        out = tmp_path / "out"
        shutil.copytree(finished.folder, out / "runs" / finished.name, symlinks=True)
        (out / "store").symlink_to(finished.out / "store")
    names = {
        "tmp": tmp_path,
        "out": out,
        "run": out / "runs" / finished.name,
        "train": finished.corpus.train,
        "source": finished.corpus.source,
    }
    here = Place(
        tmp_path, {name: str(path) for name, path in names.items()} | {"name": finished.name}
    )
    for path, given in case.get("files", {}).items():
        put(tmp_path / here.filled(path), given, here)
    if out != finished.out and not case.get("unsealed"):
        for folder in (out / "runs" / finished.name / "evaluation", out / "runs" / finished.name):
            if folder.is_dir():
                write_own(
                    folder,
                    "cloze-gen/evaluation" if folder.name == "evaluation" else "cloze-gen/run",
                )
    monkeypatch.chdir(tmp_path)
    for name, value in case.get("env", {}).items():
        monkeypatch.setenv(name, here.filled(spelt_out(value)))
    return here


@pytest.mark.parametrize("case", [*read_cases()])
def test_hostile_input(case: dict[str, Any], place: Place, cli: Callable[..., Any]) -> None:
    """One message with the status and the words, on stderr, of a length to read; nothing hangs, and
    nothing of the user's changes.
    """
    arguments = [part for given in case["call"] for part in place.argument(given)]
    for path in case.get("executable", []):
        (place.tmp / path).chmod(0o755)
    before = listing(place.tmp)
    with time_limit(SECONDS):
        status, out, err = (
            call_program(arguments) if case.get("program") else call_here(cli, arguments)
        )
    said = f"{out}\n{err}"
    assert "Traceback" not in said, said
    expected = case["status"] if isinstance(case["status"], list) else [case["status"]]
    assert status in expected, said
    message = said if status == 0 or case.get("parser") else told_once(err)
    assert [words for words in case.get("said", []) if place.filled(words) not in message] == [], (
        message
    )
    assert [words for words in case.get("unsaid", []) if place.filled(words) in said] == []
    after = {} if case.get("rewrites") else listing(place.tmp)
    assert {name for name in before if name in after and after[name] != before[name]} == set()
    assert case.get("rewrites") or case.get("writes") or after.keys() == before.keys()


def call_here(cli: Callable[..., Any], arguments: list[str | bytes]) -> tuple[int, str, str]:
    outcome = cli(*(one if isinstance(one, str) else os.fsdecode(one) for one in arguments))
    return outcome.status, outcome.out, outcome.err


def call_program(arguments: list[str | bytes]) -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, "-m", "cloze_gen", *arguments],
        capture_output=True,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    return done.returncode, *(
        stream.decode("utf-8", "backslashreplace") for stream in (done.stdout, done.stderr)
    )


def told_once(err: str) -> str:
    """The error that ended a call: told once, in a few lines that can be read."""
    assert err.count("cloze-gen: ") == 1, err
    message = err[err.index("cloze-gen: ") :]
    lines = message.splitlines()
    assert len(lines) <= MOST_LINES, message
    assert max(len(line) for line in lines) <= MOST_CHARS, message
    return message


def test_cases_are_told_apart() -> None:
    """No label twice, and as many cases as the campaign promises."""
    names = [parameter.id for parameter in read_cases()]
    assert len(set(names)) == len(names)
    assert len(names) >= 400
