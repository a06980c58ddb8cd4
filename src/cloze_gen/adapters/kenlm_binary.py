"""KenLM's `build_binary`: an ARPA file as a memory-mapped trie, which opens in a moment where the text takes a minute."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from cloze_gen.adapters.child_process import is_program, running
from cloze_gen.adapters.lmplz import find_lmplz
from cloze_gen.errors import StoreError, ToolError


def find_build_binary() -> Path:
    """The `build_binary` beside the `lmplz` in use (both are built together), else the one on the PATH.

    Raises:
        ToolError: there is none.
    """
    beside = find_lmplz().with_name("build_binary")
    if is_program(beside):
        return beside
    on_path = shutil.which("build_binary")
    if on_path is None:
        raise ToolError(f"build_binary, which makes a language model fast to open, is neither beside lmplz ({beside.parent}) nor on the "
                        "PATH; build both with `make kenlm` (without a checkout: `cloze-gen doctor --fix`).")  # fmt: skip
    return Path(on_path)


def build_trie(*, arpa: Path, binary: Path, memory: str, temp_dir: Path) -> None:
    """Write `arpa` as KenLM's trie, unquantized, so that it scores as the ARPA file does.

    Args:
        memory: sorting memory, such as "1G"; the same file whatever it is.
        temp_dir: an existing folder.
    Raises:
        StoreError: no room on the disk.
        ToolError: no build_binary, or it failed; with what it said.
    """
    program = find_build_binary()
    command = [str(program), "-S", memory, "-T", str(temp_dir) + os.sep, "trie", str(arpa), str(binary)]
    with running(command) as process:
        assert process.stderr is not None
        said = process.stderr.read().decode("utf-8", errors="replace").strip()
    if process.returncode != 0:
        last = " | ".join(line for line in said.splitlines()[-4:] if line.strip("*-=0123456789 ")) or "nothing"
        if "No space left" in said or "Disk quota" in said:
            raise StoreError(f"build_binary ran out of disk space on {binary.name}. Free some, or choose another --out.\nit said: {last}")
        raise ToolError(f"build_binary failed with status {process.returncode} on {arpa}.\nit said: {last}")
