"""Errors, one class a kind. Every message names the fault, its place and the next step.

`exit_status`: 2 if the call itself was wrong, 1 if the run could not go on.
"""

from __future__ import annotations


class ClozeGenError(Exception):
    """Base of every error a user may meet; shown as one message, without a traceback."""

    exit_status = 1


class UsageError(ClozeGenError):
    """The command was called wrongly: a missing folder, a bad run name, an unknown item."""

    exit_status = 2


class NoBooksError(UsageError):
    """A location has no file of books."""


class RefusedError(ClozeGenError):
    """Part of the input was refused, as reported line by line; the rest was accepted."""


class ConfigError(UsageError):
    """A setting is unknown, mistyped or contradicts another; names its path and the known keys."""


class CorpusError(ClozeGenError):
    """The texts are unsuitable: no book left, or too little text."""


class BookError(ClozeGenError):
    """One book cannot be read: an audit row with a `BookReason`, never the end of a run."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason

    def __reduce__(self) -> tuple[type[BookError], tuple[str, str]]:
        # pickle rebuilds from `args` alone, without the reason
        return type(self), (self.reason, str(self))


class ModelError(ClozeGenError):
    """A language model, tagger or index is missing, broken or belongs to other data."""


class ToolError(ClozeGenError):
    """An outside program (`lmplz`, a Dask cluster) is missing or failed."""


class StoreError(ClozeGenError):
    """The output folder cannot be written or holds something that is not ours."""


class DamageError(StoreError):
    """Something on disk was changed; `what` describes it; the message adds the remedy."""

    def __init__(self, what: str) -> None:
        super().__init__(f"{what} Run again to rebuild it.")
        self.what = what

    def __reduce__(self) -> tuple[type[DamageError], tuple[str]]:
        return type(self), (self.what,)  # pickle would add the advice twice


class FormatError(ClozeGenError):
    """A file does not follow its published format; names file, line and expected form."""
