"""The end of a command: one message and an exit status; unexpected errors also write a file."""

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
from cloze_gen.parsing import quote

_INTERRUPTED = 130  # as in a shell: 128 plus SIGINT's number
# The parser's error class. Its name differs between versions of Typer (click, or a bundled copy), so
# take the oldest ancestor with a method `show`.
ParserError: Any = next(
    kind for kind in reversed(typer.BadParameter.__mro__) if "show" in vars(kind)
)


class Exit(Exception):
    def __init__(self, how: BaseException) -> None:
        super().__init__(how)
        self.how = how


def run_and_report(call: Callable[[], object]) -> int:
    """Run a call and turn its end into an exit status; unexpected exceptions are raised."""
    try:
        result = _unwrapped(call)
    except ParserError as error:
        error.show()
        return int(error.exit_code)
    except ClozeGenError as error:
        show(f"cloze-gen: {error}", sys.stderr)
        return error.exit_status
    except (KeyboardInterrupt, typer.Abort):
        result = _INTERRUPTED
    except BrokenPipeError:
        return 0
    except MemoryError as error:
        show(f"cloze-gen: {_explain_memory_error(error)}", sys.stderr)
        return ClozeGenError.exit_status
    except OSError as error:
        show(f"cloze-gen: {_explain_os_error(error)}", sys.stderr)
        return StoreError.exit_status
    if result == _INTERRUPTED:  # Typer may have turned Ctrl-C into this status already
        show(interrupts.STOPPED, sys.stderr)
    return result if isinstance(result, int) else 0


def _unwrapped(call: Callable[[], object]) -> object:
    try:
        return call()
    except Exit as ended:
        how = ended.how
    raise how  # outside the except clause, so that it has no other context


def write_crash_report(error: Exception) -> str:
    """One line about an unexpected error; its traceback is in a file that only its owner reads."""
    what = f"unexpected error: {' '.join(f'{type(error).__name__}: {error}'.split())[:200]}."
    text = "".join(traceback.format_exception(error))
    try:
        handle, path = tempfile.mkstemp(prefix="cloze-gen-", suffix=".txt")
        with open(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(f"cloze-gen {__version__}, Python {sys.version}\n{text}")
    except OSError as refused:
        return (
            f"{what} The traceback could not be saved ({refused}). Please report this. "
            "Finished work is kept."
        )
    return (
        f"{what} The traceback is in {path}; please report it with that file. "
        "Finished work is kept."
    )


def _explain_memory_error(error: MemoryError | OSError) -> str:
    place = "".join(f"{note}: " for note in getattr(error, "__notes__", ()))
    detail = " ".join(str(error).split())
    what = f"not enough memory ({detail})" if detail else "not enough memory"
    return (
        f"{place}{what}. Use fewer --workers, use fewer or smaller books, or lower the "
        "settings that decide sizes (vocabularies, vectors, "
        "hidden units, dimensions, features, pools), then run again. Finished work is kept."
    )


def _explain_os_error(error: OSError) -> str:
    """One message; for a full disk numpy says `N requested and M written`, without errno."""
    if error.errno == errno.ENOMEM:
        return _explain_memory_error(error)
    full = (
        error.errno in {errno.ENOSPC, errno.EDQUOT}
        or "No space left" in str(error)
        or "requested and" in str(error)
    )
    if full:
        return (
            f"the disk is full ({error}). Free space or choose another --out, then run again. "
            "Finished work is kept."
        )
    place = f": {quote(str(error.filename), most_chars=300)}" if error.filename else ""
    detail = f"{error.strerror}{place}" if error.strerror else str(error)
    return (
        f"cannot read or write: {detail}. Fix this or choose another --out, then run again. "
        "Finished work is kept."
    )
