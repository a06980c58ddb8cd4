"""How a command ends: every mistake is one message and an exit status, and what nobody foresaw is one line and a file."""

from __future__ import annotations

import errno
import sys
import tempfile
import traceback
from collections.abc import Callable
from typing import Any

import typer

from cloze_gen import __version__, interrupts
from cloze_gen.adapters.terminal import show
from cloze_gen.errors import ClozeGenError, StoreError
from cloze_gen.notation import shown

_NO_MEMORY = (
    "not enough memory. What was finished stays. Free memory, or run again with fewer --workers, fewer or smaller input files, or smaller "
    "settings (`cloze-gen settings` lists them)."
)
_INTERRUPTED = 130  # as the shell has it: 128 and SIGINT's number
# What the parser raises: the oldest ancestor that can show itself. It has no name that old versions of Typer, which build on click, and
# new ones, which bring a copy of their own, both tell.
_ParserError: Any = next(kind for kind in reversed(typer.BadParameter.__mro__) if "show" in vars(kind))


class Ended(Exception):
    """Carries an end of a command past the parser."""

    def __init__(self, how: BaseException) -> None:
        super().__init__(how)
        self.how = how


def guarded(call: Callable[[], object]) -> int:
    """Run a call and turn its end into an exit status, told on stderr where it failed.

    Raises:
        Exception: what is no user's mistake and no refusal of the machine.
    """
    try:
        result = _unwrapped(call)
    except _ParserError as error:
        error.show()
        return int(error.exit_code)
    except ClozeGenError as error:
        show(f"cloze-gen: {error}", sys.stderr)
        return error.exit_status
    except (KeyboardInterrupt, typer.Abort):
        result = _INTERRUPTED
    except MemoryError:
        show(f"cloze-gen: {_NO_MEMORY}", sys.stderr)
        return StoreError.exit_status
    except BrokenPipeError:
        return 0
    except OSError as error:
        show(f"cloze-gen: {_explain_os_error(error)}", sys.stderr)
        return StoreError.exit_status
    if result == _INTERRUPTED:  # Typer may have turned Ctrl-C into this status already
        show(interrupts.STOPPED, sys.stderr)
    return result if isinstance(result, int) else 0


def _unwrapped(call: Callable[[], object]) -> object:
    try:
        return call()
    except Ended as ended:
        how = ended.how
    raise how  # here, out of the except clause, with no other context than its own


def written_down(error: Exception) -> str:
    """One line about an error that nobody foresaw, and its traceback in a file that only its owner reads."""
    what = f"an error that was not foreseen, {' '.join(f'{type(error).__name__}: {error}'.split())[:200]}."
    text = "".join(traceback.format_exception(error))
    try:
        handle, path = tempfile.mkstemp(prefix="cloze-gen-", suffix=".txt")
        with open(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(f"cloze-gen {__version__}, Python {sys.version}\n{text}")
    except OSError as refused:
        return f"{what} Where it came from could not be written down ({refused}). Please report it; what was finished stays."
    return f"{what} Where it came from is written in {path}; please report it with that file. What was finished stays."


def _explain_os_error(error: OSError) -> str:
    """One message for what the machine refused. numpy tells a full disk by `N requested and M written`, without an error number."""
    full = error.errno in {errno.ENOSPC, errno.EDQUOT} or "No space left" in str(error) or "requested and" in str(error)
    if full:
        return f"the disk is full ({error}). Free space or choose another --out, then run again; what was finished stays."
    place = f": {shown(str(error.filename), most_chars=300)}" if error.filename else ""
    said = f"{error.strerror}{place}" if error.strerror else str(error)
    return f"cannot read or write: {said}. Mend this or choose another --out, then run again; what was finished stays."
