"""`cloze-gen` as a program: signals are handled before anything heavy is imported."""

from __future__ import annotations

import os
import sys
from typing import NoReturn


def main() -> NoReturn:
    """Entry point: an error or an interrupt prints one message and sets the exit status."""
    try:
        from cloze_gen import interrupts

        interrupts.listen()
    except KeyboardInterrupt:  # nothing is open yet
        os.write(2, b"cloze-gen: stopped\n")
        os._exit(130)
    status = 1
    try:
        from cloze_gen.cli.app import call

        status = call()
        interrupts.done()
    except BaseException:
        # A library may raise an error of its own on an interrupt; any error after an interrupt is
        # its consequence.
        if interrupts.came() is None:
            raise
    number = interrupts.came()
    if number is not None:
        interrupts.leave(number)
    sys.exit(status)


if __name__ == "__main__":
    main()
