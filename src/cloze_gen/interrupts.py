"""Ctrl-C and SIGTERM end the program soon, with one line, a shell's status and no process left.

Python's one exception in the main thread unwinds what is open. It can get lost (in a library that
catches everything) or come late (a long call into C), so a thread that the signal wakes ends the
program after `GRACE_SECONDS`. This must be in force before anything heavy is imported, so it
imports the standard library alone.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import select
import signal
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any, NoReturn

STOPPED = "cloze-gen: stopped. Finished stages are kept; run again to continue."
GRACE_SECONDS = 3.0  # the documented limit is five seconds; a busy machine may wake the guard late
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class _Program:
    """State of the handlers; `silence` replaces others' output after a signal."""

    came: int | None = None
    over = False
    leaving = threading.Lock()
    silence: Any = None


def listen() -> None:
    """From now on Ctrl-C and SIGTERM raise KeyboardInterrupt once. Main thread only.

    A signal that the parent process had ignored (`nohup`) stays ignored.
    """
    _Program.silence = open(os.devnull, "w")  # noqa: SIM115 - for the rest of the program
    read_end, wakes = os.pipe()
    os.set_blocking(wakes, False)
    # Python writes to it when a signal arrives
    signal.set_wakeup_fd(wakes, warn_on_full_buffer=False)
    threading.Thread(target=_guard, args=(read_end,), name="interrupts", daemon=True).start()
    # runs last at exit: after it Python removes its handlers, and a signal would kill the process
    atexit.register(_ignore)
    for number in _SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _handle)


def came() -> int | None:
    """The number of the signal that ends this program."""
    return _Program.came


def done() -> None:
    """From now on a signal ends the program at once."""
    _Program.over = True


def leave(number: int) -> NoReturn:
    """End now, with one line: the interpreter's own exit can wait for threads indefinitely."""
    if not _Program.leaving.acquire(blocking=False):  # the other thread is ending the program
        time.sleep(1)
        os._exit(128 + number)
    try:
        if "multiprocessing" in sys.modules:
            for child in sys.modules["multiprocessing"].active_children():
                child.kill()
        if select.select([], [2], [], 0.5)[1]:  # writing to a pipe without a reader would block
            os.write(2, f"{STOPPED}\n".encode())
    finally:
        os._exit(128 + number)


@contextlib.contextmanager
def held() -> Iterator[None]:
    """Delay signals, for instance while a child process is started.

    The mask alone is not enough: another thread may take the signal, and Python then runs the
    handler in the main thread. It is set too, because a child inherits it.
    """
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, [])
    waiting: list[int] = []
    with (
        _noted(waiting)
        if threading.current_thread() is threading.main_thread()
        else contextlib.nullcontext()
    ):
        try:
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    for number in waiting[:1]:
        signal.raise_signal(number)


@contextlib.contextmanager
def _noted(waiting: list[int]) -> Iterator[None]:
    """Signals are recorded, not handled."""
    handlers = {number: signal.getsignal(number) for number in _SIGNALS}
    ours = {number: handler for number, handler in handlers.items() if callable(handler)}
    for number in ours:
        signal.signal(number, lambda number, _: waiting.append(number))
    try:
        yield
    finally:
        for number, handler in ours.items():
            signal.signal(number, handler)


def _handle(number: int, _: object) -> None:
    if _Program.came is not None:
        return
    _Program.came = number
    sys.stderr = _Program.silence
    if _Program.over:
        leave(number)
    raise KeyboardInterrupt


def _ignore() -> None:
    for number in _SIGNALS:
        if signal.getsignal(number) is _handle:
            signal.signal(number, signal.SIG_IGN)


def _guard(read_end: int) -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    while (number := os.read(read_end, 1)[0]) not in _SIGNALS:
        pass
    deadline = time.monotonic() + GRACE_SECONDS
    while time.monotonic() < deadline:
        time.sleep(0.1)
        # if another thread got the signal, the main thread waits in a call that only its own ends
        if _Program.came is None:
            signal.pthread_kill(threading.main_thread().ident or 0, number)
    leave(number)
