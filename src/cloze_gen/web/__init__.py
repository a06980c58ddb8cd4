"""The judges' side in the browser: one item a screen, every verdict on the disk before the next is shown, and nobody let in without a link.

Raises on import:
    ToolError: starlette or uvicorn is not installed.
"""

from __future__ import annotations

from importlib.util import find_spec

from cloze_gen.errors import ToolError

if any(find_spec(library) is None for library in ("starlette", "uvicorn", "anyio")):
    raise ToolError('the judges\' page needs starlette and uvicorn, which are not here. Run: pip install "cloze-gen[judge]"')
