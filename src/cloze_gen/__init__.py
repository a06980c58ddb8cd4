"""Cloze test sets from raw books.

>>> import cloze_gen
>>> cloze_gen.__all__
['ClozeGenError', 'Evaluation', 'Release', 'Run', '__version__', 'evaluate', 'load', 'make', 'trace']
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cloze_gen.api.evaluate import evaluate
    from cloze_gen.api.evaluator import Evaluation
    from cloze_gen.api.release import Release, load
    from cloze_gen.api.run import Run, make
    from cloze_gen.api.trace import trace
    from cloze_gen.errors import ClozeGenError

__version__ = "0.2.0"
__all__ = [
    "ClozeGenError",
    "Evaluation",
    "Release",
    "Run",
    "__version__",
    "evaluate",
    "load",
    "make",
    "trace",
]
_PLACES = {
    "ClozeGenError": "errors",
    "Evaluation": "api.evaluator",
    "Release": "api.release",
    "Run": "api.run",
    "evaluate": "api.evaluate",
    "load": "api.release",
    "make": "api.run",
    "trace": "api.trace",
}


def __getattr__(name: str) -> Any:
    """Import what is used only when it is used: the whole takes seconds."""
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_PLACES[name]}"), name)
