"""Ctrl-C and SIGTERM end the program: soon, with one line, the status that a shell expects, and no process left.

Python turns Ctrl-C into an exception in the main thread, wherever that happens to be. Three things follow, and each is met here:

- the exception unwinds what is open (half-written artifacts, worker processes), but it comes once: whoever is impatient must not break off
  the clearing up;
- it can get lost (in a destructor, or in a library that catches everything) or come late (a long call into C), so a guard, a thread that
  the signal's arrival wakes, ends the program after `GRACE_SECONDS` in any case;
- after it nothing but our line may be said: threads and libraries that stumble over the end fall silent.

Nothing here imports more than the interpreter has at hand, for it must be in force before anything heavy is imported.
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

STOPPED = "cloze-gen: stopped; what was finished stays, run again to go on"
GRACE_SECONDS = 3.0  # five were promised; on a busy machine the rest goes by before the guard is awake
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class _Program:
    """What the handlers know.

    Attributes:
        came: the first signal's number.
        over: the work is done and nothing is left to unwind.
        leaving: held by the one thread that ends the program.
        silence: where what others say goes after a signal; opened before one can come.
    """

    came: int | None = None
    over = False
    leaving = threading.Lock()
    silence: Any = None


def listen() -> None:
    """From now on Ctrl-C and SIGTERM raise KeyboardInterrupt once, and the program ends soon after. Main thread only.

    A signal that the caller's parent had ignored (`nohup`, a background job of a script) stays ignored.
    """
    _Program.silence = open(os.devnull, "w")  # noqa: SIM115 - for the rest of the program
    heard, wakes = os.pipe()
    os.set_blocking(wakes, False)
    signal.set_wakeup_fd(wakes, warn_on_full_buffer=False)  # written to when a signal arrives, whatever the main thread is at
    threading.Thread(target=_guard, args=(heard,), name="interrupts", daemon=True).start()
    atexit.register(_ignore)  # the first registered is the last called: then Python takes its handlers away, and a signal would kill
    for number in _SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _handle)


def came() -> int | None:
    """The number of the signal that ends this program."""
    return _Program.came


def done() -> None:
    """The work is over: from now on a signal ends the program on the spot."""
    _Program.over = True


def leave(number: int) -> NoReturn:
    """End this program and its worker processes now, with our one line. The interpreter's own way out is not taken: it waits for threads
    and finalizers, and one that was interrupted can wait for ever."""
    if not _Program.leaving.acquire(blocking=False):  # the other thread is at it
        time.sleep(1)
        os._exit(128 + number)
    try:
        if "multiprocessing" in sys.modules:
            for child in sys.modules["multiprocessing"].active_children():
                child.kill()
        if select.select([], [2], [], 0.5)[1]:  # a pipe that nobody reads would hold us here
            os.write(2, f"{STOPPED}\n".encode())
    finally:
        os._exit(128 + number)


@contextlib.contextmanager
def held() -> Iterator[None]:
    """Signals wait inside, for instance while a child process is being started, which must not be left half known.

    The main thread's signal mask alone would not do: any other thread may take the signal, and Python then runs the handler in the main
    thread all the same. The mask is set too, because a child inherits it: Ctrl-C at a terminal, sent to all processes there, ends a child
    neither while it is importing, with a traceback, nor before its parent knows; the parent ends it.
    """
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, [])
    waiting: list[int] = []
    with _noted(waiting) if threading.current_thread() is threading.main_thread() else contextlib.nullcontext():
        try:
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    for number in waiting[:1]:
        signal.raise_signal(number)


@contextlib.contextmanager
def _noted(waiting: list[int]) -> Iterator[None]:
    """Signals are written down, not handled."""
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


def _guard(heard: int) -> None:
    """Wait for a signal; then give the main thread its time, and end the program."""
    signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    while (number := os.read(heard, 1)[0]) not in _SIGNALS:
        pass
    deadline = time.monotonic() + GRACE_SECONDS
    while time.monotonic() < deadline:
        time.sleep(0.1)
        if _Program.came is None:  # the signal went to another thread, while the main thread waits in a call that only its own ends
            signal.pthread_kill(threading.main_thread().ident or 0, number)
    leave(number)
