"""Run a command followed by the words of the environment variable ARGS, so that `make` hands a
user's words on as they were typed.

    ARGS="--set 'a=two words'" python scripts/with_args.py cloze-gen run holmes-style

Quotes and backslashes group as in a shell; nothing is expanded: a `$`, a `*` or a `;` is itself.
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Sequence


def command_line(command: Sequence[str], args: str) -> list[str]:
    r"""The command and the words of `args`.

    >>> command_line(["cloze-gen", "run"], "--set a='$b c' * \"it's\" x\\ y ''")
    ['cloze-gen', 'run', '--set', 'a=$b c', '*', "it's", 'x y', '']

    Raises:
        ValueError: a quote is not closed.
    """
    return [*command, *shlex.split(args)]


if __name__ == "__main__":
    args = os.environ.get("ARGS", "")
    try:
        line = command_line(sys.argv[1:], args)
    except ValueError as error:
        sys.exit(
            f"make: ARGS={args} cannot be split into words ({error}); quote as in a shell, "
            "such as ARGS=\"--set 'a=two words'\"."
        )
    os.execvp(line[0], line)
