"""KenLM's estimator `lmplz` as a child process with given memory and temporary folder, which dies
with its parent and whose known failures become errors with a remedy.
"""

from __future__ import annotations

import collections
import contextlib
import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from cloze_gen.errors import ClozeGenError, CorpusError, StoreError, ToolError
from cloze_gen.interrupts import held

# Runs in a fresh interpreter: `preexec_fn` is unsafe with threads, and pyarrow and BLAS always have
# some. The parent's id shows whether it died before the call. Without prctl, as on macOS, SIGPIPE,
# which Python ignores, ends the program when it next writes to a parent that is gone.
_LAUNCHER = """\
import os, signal, sys
signal.signal(signal.SIGPIPE, signal.SIG_DFL)
parent, command = int(sys.argv[1]), sys.argv[2:]
if sys.platform == "linux":
    import ctypes
    PR_SET_PDEATHSIG, SIGKILL = 1, 9
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        sys.exit(1)
os.execv(command[0], command)
"""
REMEDY = (
    "build it with `make kenlm` (without a checkout: `cloze-gen doctor --fix`), or set "
    "CLOZE_GEN_LMPLZ to an existing lmplz"
)
# last lines of stderr that an error quotes; the longest message, on discounts, has four
_KEPT_LINES = 6
_MOST_CHARS = 300  # of a line that an error quotes
# A pattern in the output or the status, the kind of the error, and its message.
_KNOWN_FAILURES: tuple[tuple[str, type[ClozeGenError], str], ...] = (
    (
        "Kneser-Ney discounts|discount out of range",
        CorpusError,
        "{text}: too small or too repetitive to estimate Kneser-Ney discounts. Add text or remove "
        "duplicates. To use fixed discounts: --set lm.discount_fallback=true.",
    ),
    (
        "No space left|Disk quota|File too large",
        StoreError,
        "lmplz ran out of disk space; it needs several times the size of {text} next to the "
        "output. Free space, or choose another --out.",
    ),
    (
        "MallocException|more conservative -S|bad_alloc|SIGKILL",
        ToolError,
        "lmplz ran out of memory; set lm.memory lower than {memory} or free memory, and run again.",
    ),
    (
        "error while loading shared libraries|Library not loaded",
        ToolError,
        f"lmplz cannot start because a library that it needs is missing; {REMEDY}.",
    ),
)


def find_lmplz() -> Path:
    """`$CLOZE_GEN_LMPLZ`, else `lmplz` in the environment's `bin` or on the PATH; or ToolError."""
    name = os.environ.get("CLOZE_GEN_LMPLZ") or "lmplz"
    own_bin = Path(sys.prefix) / "bin"
    program = shutil.which(name, path=f"{own_bin}{os.pathsep}{os.environ.get('PATH', '')}")
    if program is None:
        raise ToolError(
            f"{name[:_MOST_CHARS]}, which estimates the language model, is missing: no such "
            f"program in {own_bin} or on the PATH; {REMEDY}."
        )
    return Path(program)


def binary_sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def train_arpa(
    *,
    text: Path,
    arpa: Path,
    order: int,
    memory: str,
    temp_dir: Path,
    prune: Sequence[int] = (),
    limit_vocab: Path | None = None,
    discount_fallback: bool = False,
    on_line: Callable[[str], None],
    meanwhile: Callable[[], None] = lambda: None,
) -> None:
    """Estimate a modified Kneser-Ney model of `text` and write it to `arpa`.

    Args:
        text: one sentence a line, space-separated tokens, without `<s>`, `</s>` and `<unk>`.
        arpa: may be incomplete after an error, so give a temporary name.
        memory: sorting memory such as "4G"; does not change the model.
        temp_dir: needs several times the text's size.
        prune: per order, the count at or below which n-grams are dropped; empty for none.
        limit_vocab: a file of the allowed words; other n-grams are dropped.
        discount_fallback: default discounts if the text is too small to estimate them.
        on_line: gets each line that lmplz prints, from another thread; a phase as "2/5 Sorting".
        meanwhile: called while lmplz runs; if it fails, lmplz is killed.
    Raises:
        CorpusError: the text is too small or repetitive.
        StoreError: no space for the model or the temporary files.
        ToolError: lmplz is missing or failed.
    """
    command = [
        str(find_lmplz()),
        "-o",
        str(order),
        "-S",
        memory,
        "-T",
        str(temp_dir) + os.sep,
        "--text",
        str(text),
        "--arpa",
        str(arpa),
    ]
    if prune:
        command += ["--prune", *(str(count) for count in prune)]
    if limit_vocab is not None:
        command += ["--limit_vocab_file", str(limit_vocab)]
    if discount_fallback:
        command.append("--discount_fallback")
    with contextlib.ExitStack() as stack:
        with held():  # an interrupt comes before the start or after the child is registered
            process = stack.enter_context(_start(command))
            listener = stack.enter_context(ThreadPoolExecutor(1))
            stack.callback(
                process.kill
            )  # first at the end; a process that has ended stays as it is
        assert process.stderr is not None
        listening = listener.submit(_listen, process.stderr, on_line)
        meanwhile()
        last_lines = listening.result()
        process.wait()
    if process.returncode != 0:
        raise explain_failure(process.returncode, last_lines, text=text, memory=memory)


def _start(command: Sequence[str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", _LAUNCHER, str(os.getpid()), *command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
        env={**os.environ, "LC_ALL": "C"},
    )


def _listen(stderr: Iterable[str], on_line: Callable[[str], None]) -> list[str]:
    r"""Pass on the lines, without the progress bars; returns the last ones.

    >>> stderr = ["=== 1/5 Counting and sorting n-grams ===\n", "----5---10--\n", "****\n", "done\n"]
    >>> _listen(stderr, lambda line: None)
    ['1/5 Counting and sorting n-grams', 'done']
    """
    last = collections.deque[str](maxlen=_KEPT_LINES)
    for line in stderr:
        text = line.strip("= \n")
        if text.strip("*-0123456789"):
            last.append(text)
            on_line(text)
    return list(last)


def explain_failure(
    status: int, last_lines: Sequence[str], *, text: Path, memory: str
) -> ClozeGenError:
    """The error for lmplz's exit status (negative: a signal) and the end of its stderr.

    >>> output = ["threw FormatLoadException.", "Special word <s> is not allowed in the corpus."]
    >>> print(explain_failure(1, output, text=Path("train.txt"), memory="4G"))
    lmplz failed on train.txt.
    Status 1, output: threw FormatLoadException. | Special word <s> is not allowed in the corpus.
    """
    ended = signal.Signals(-status).name if status < 0 else str(status)
    output = " | ".join(line[:_MOST_CHARS] for line in last_lines) or "nothing"
    details = f"Status {ended}, output: {output}"
    for pattern, kind, message in _KNOWN_FAILURES:
        if re.search(pattern, details):
            return kind(f"{message.format(text=text, memory=memory)}\n{details}")
    return ToolError(f"lmplz failed on {text}.\n{details}")
