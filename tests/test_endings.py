"""How a command ends."""

from __future__ import annotations

import numpy as np
import pytest

from cloze_gen.endings import guarded
from cloze_gen.engine.local import LocalEngine


def ask_for_too_much(_: int) -> None:
    """In this process or in a worker."""
    np.empty(1 << 60, np.uint8)


@pytest.mark.parametrize("workers", [0, 1])
def test_lack_of_memory_is_one_message(workers: int, capsys: pytest.CaptureFixture[str]) -> None:
    """In the program and in a worker process; the status is 1 and nothing points to a fault of ours."""
    engine = LocalEngine(workers) if workers else None
    status = guarded(lambda: list(engine.map(ask_for_too_much, [1])) if engine else ask_for_too_much(1))
    if engine:
        engine.abandon()
    said = capsys.readouterr().err
    assert (status, said.count("\n")) == (1, 1)
    assert said.startswith("cloze-gen: not enough memory (Unable to allocate 1.00 EiB")
    assert "Use fewer --workers" in said
