"""`cloze-gen` as a program: signals are listened to before anything heavy is imported, and every end has one line and a status."""

from __future__ import annotations

import os
import sys
from typing import NoReturn


def main() -> NoReturn:
    """Entry point: a mistake or an interrupt is one message and a status, never a traceback."""
    try:
        from cloze_gen import interrupts

        interrupts.listen()
    except KeyboardInterrupt:  # nothing is open yet
        os.write(2, b"cloze-gen: stopped\n")
        os._exit(130)
    status = 1
    try:
        from cloze_gen.cli import call

        status = call()
        interrupts.done()
    except BaseException:
        # A library may answer an interrupt with an error of its own; whatever comes after one is its consequence.
        if interrupts.came() is None:
            raise
    number = interrupts.came()
    if number is not None:
        interrupts.leave(number)
    sys.exit(status)


if __name__ == "__main__":
    main()
