"""KenLM's programs as child processes: `lmplz` estimates a model, `build_binary` makes it fast to
open. They die with their parent, and their known failures become errors with a remedy.
"""

from __future__ import annotations

import collections
import contextlib
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
# A pattern in the output or the status, the class of the error, and its message.
_KNOWN_FAILURES: tuple[tuple[str, type[ClozeGenError], str], ...] = (
    (
        "Kneser-Ney discounts|discount out of range",
        CorpusError,
        "{file}: too small or too repetitive to estimate Kneser-Ney discounts. Add text or remove "
        "duplicates. To use fixed discounts: --set lm.discount_fallback=true.",
    ),
    (
        "No space left|Disk quota|File too large",
        StoreError,
        "{program} ran out of disk space; it needs several times the size of {file} next to the "
        "output. Free space, or choose another --out.",
    ),
    (
        "MallocException|more conservative -S|bad_alloc|SIGKILL",
        ToolError,
        "{program} ran out of memory; set lm.memory lower than {memory} or free memory, and run "
        "again.",
    ),
    (
        "error while loading shared libraries|Library not loaded",
        ToolError,
        f"{{program}} cannot start because a library that it needs is missing; {REMEDY}.",
    ),
)


def find_lmplz() -> Path:
    """`$CLOZE_GEN_LMPLZ`, else `lmplz` in the environment's `bin` or on the PATH; or ToolError."""
    return _find(os.environ.get("CLOZE_GEN_LMPLZ") or "lmplz", Path(sys.prefix) / "bin")


def find_build_binary() -> Path:
    """The `build_binary` next to the `lmplz` in use, else on the PATH; or ToolError."""
    return _find("build_binary", find_lmplz().parent)


def _find(name: str, folder: Path) -> Path:
    program = shutil.which(name, path=f"{folder}{os.pathsep}{os.environ.get('PATH', '')}")
    if program is None:
        raise ToolError(
            f"KenLM's program {name[:_MOST_CHARS]} is missing: it is not in {folder} or on the "
            f"PATH, or cannot be executed; {REMEDY}."
        )
    return Path(program)


def require_start(program: Path) -> None:
    """ToolError if `program` does not start, as after an upgrade of Boost, or is not lmplz."""
    try:
        command = [str(program), "--help"]
        output = subprocess.run(command, capture_output=True, text=True, check=False).stderr
    except OSError as error:
        output = str(error)
    if "Builds unpruned language models" not in output:
        raise ToolError(f"{program} does not start ({output.strip()[-_MOST_CHARS:]}); {REMEDY}.")


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
    arguments = ["-o", str(order), "--text", str(text), "--arpa", str(arpa)]
    if prune:
        arguments += ["--prune", *(str(count) for count in prune)]
    if limit_vocab is not None:
        arguments += ["--limit_vocab_file", str(limit_vocab)]
    if discount_fallback:
        arguments.append("--discount_fallback")
    _run(
        find_lmplz(),
        arguments,
        file=text,
        memory=memory,
        temp_dir=temp_dir,
        on_line=on_line,
        meanwhile=meanwhile,
    )


def build_trie(*, arpa: Path, binary: Path, memory: str, temp_dir: Path) -> None:
    """Write `arpa` as an unquantized trie with the same scores, which opens at once.

    Raises:
        StoreError, ToolError: as for `train_arpa`.
    """
    arguments = ["trie", str(arpa), str(binary)]
    _run(find_build_binary(), arguments, file=arpa, memory=memory, temp_dir=temp_dir)


def _run(
    program: Path,
    arguments: Sequence[str],
    *,
    file: Path,
    memory: str,
    temp_dir: Path,
    on_line: Callable[[str], None] = lambda _: None,
    meanwhile: Callable[[], None] = lambda: None,
) -> None:
    """Run a program of KenLM's on its input `file`."""
    command = [str(program), "-S", memory, "-T", f"{temp_dir}{os.sep}", *arguments]
    with contextlib.ExitStack() as stack:
        with held():  # an interrupt comes before the start or after the child is registered
            process = stack.enter_context(_start(command))
            listener = stack.enter_context(ThreadPoolExecutor(1))
            # called first of the three: the others wait for the process
            stack.callback(process.kill)
        assert process.stderr is not None
        listening = listener.submit(_listen, process.stderr, on_line)
        meanwhile()
        last_lines = listening.result()
        process.wait()
    if process.returncode != 0:
        raise explain_failure(program.name, process.returncode, last_lines, file, memory)


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
    program: str, status: int, last_lines: Sequence[str], file: Path, memory: str
) -> ClozeGenError:
    """The error for the exit status (negative: a signal) and the end of the output.

    >>> output = ["threw FormatLoadException.", "Special word <s> is not allowed in the corpus."]
    >>> print(explain_failure("lmplz", 1, output, Path("train.txt"), "4G"))
    lmplz failed on train.txt.
    Status 1, output: threw FormatLoadException. | Special word <s> is not allowed in the corpus.
    """
    ended = signal.Signals(-status).name if status < 0 else str(status)
    output = " | ".join(line[:_MOST_CHARS] for line in last_lines) or "nothing"
    details = f"Status {ended}, output: {output}"
    for pattern, error, message in _KNOWN_FAILURES:
        if re.search(pattern, details):
            text = message.format(program=program, file=file, memory=memory)
            return error(f"{text}\n{details}")
    return ToolError(f"{program} failed on {file}.\n{details}")
