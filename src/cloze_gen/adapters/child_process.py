"""Programs run as children: they die with the process that started them, and are ended when it leaves them early.

Elsewhere than on Linux a child whose parent is killed outright finishes alone.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from cloze_gen.interrupts import held

# Runs in a fresh interpreter, because code between fork and exec (`preexec_fn`) is unsafe in a process that has threads, and
# pyarrow's and BLAS's are always there. A parent that died before the call is noticed by its number.
_LAUNCHER = """\
import os, sys
parent, command = int(sys.argv[1]), sys.argv[2:]
if sys.platform == "linux":
    import ctypes
    PR_SET_PDEATHSIG, SIGKILL = 1, 9
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        sys.exit(1)
try:
    os.execv(command[0], command)
except OSError as error:
    sys.exit(f"{command[0]} cannot be started: {error.strerror}")
"""


def is_program(path: Path) -> bool:
    """Whether a file can be run; what can be no path, as a name of 5,000 letters, cannot."""
    try:
        return path.is_file() and os.access(path, os.X_OK)
    except OSError:
        return False


@contextlib.contextmanager
def running(command: Sequence[str]) -> Iterator[subprocess.Popen[bytes]]:
    """A child whose stderr the caller reads; left when it has ended, killed when the caller fails or is interrupted."""
    launch = [sys.executable, "-I", "-S", "-c", _LAUNCHER, str(os.getpid()), *command]
    quiet = subprocess.DEVNULL
    environment = {**os.environ, "LC_ALL": "C"}
    with contextlib.ExitStack() as stack:
        with held():  # an interrupt finds no child, or one that is known and killed
            process = subprocess.Popen(launch, stdin=quiet, stdout=quiet, stderr=subprocess.PIPE, env=environment)
            stack.enter_context(process)
            stack.enter_context(ended_on_error(process))
        yield process


@contextlib.contextmanager
def ended_on_error(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """Kill the child when what is done here fails."""
    try:
        yield
    except BaseException:
        process.kill()
        raise
