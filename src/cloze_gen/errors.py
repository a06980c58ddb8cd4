"""What can go wrong, one class a kind. Every message says what, where, why and what to do next.

`exit_status` is what the command line returns: 2 when the call itself was wrong, 1 when the run could not go on.
"""

from __future__ import annotations


class ClozeGenError(Exception):
    """Base of every error a user may meet; shown as one message, without a traceback."""

    exit_status = 1


class UsageError(ClozeGenError):
    """The command was called wrongly: a missing folder, a bad run name, an unknown item."""

    exit_status = 2


class RefusedError(ClozeGenError):
    """A part of what was given was refused, as told before line by line; the rest was taken and stays."""


class ConfigError(UsageError):
    """A setting is unknown, mistyped or contradicts another; names its path and the known keys."""


class CorpusError(ClozeGenError):
    """The texts cannot serve: no book left, or text too small for what was asked of it."""


class BookError(ClozeGenError):
    """One book cannot be read. Becomes an audit row with its reason; never ends a run by itself.

    Attributes:
        reason: a member of `text.audit.BookReason`, as its string value.
    """

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason

    def __reduce__(self) -> tuple[type[BookError], tuple[str, str]]:
        return type(self), (self.reason, str(self))  # as pickle would rebuild it, from `args` alone, the reason would be missing


class ModelError(ClozeGenError):
    """A language model, tagger or index is missing, broken or belongs to other data."""


class ToolError(ClozeGenError):
    """An outside program (`lmplz`, a Dask cluster) is missing or failed."""


class StoreError(ClozeGenError):
    """The output folder cannot be written or holds something that is not ours."""


class DamageError(StoreError):
    """Something on disk is not what was written there.

    Attributes:
        what: how it differs, as a sentence; the message adds what to do.
    """

    def __init__(self, what: str) -> None:
        super().__init__(f"{what} Run again to have it made anew.")
        self.what = what

    def __reduce__(self) -> tuple[type[DamageError], tuple[str]]:
        return type(self), (self.what,)  # pickle would pass the whole message, and the advice would stand there twice


class FormatError(ClozeGenError):
    """A file does not follow its published format; names the file, the line and what was expected."""
