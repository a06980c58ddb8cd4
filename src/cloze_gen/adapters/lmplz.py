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
from collections.abc import Callable, Iterable, Iterator, Sequence
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
try:
    os.execv(command[0], command)
except OSError as error:
    sys.exit(f"{command[0]} cannot be started: {error.strerror}")
"""


def is_program(path: Path) -> bool:
    """Whether a path is an executable file."""
    try:
        return path.is_file() and os.access(path, os.X_OK)
    except OSError:
        return False


@contextlib.contextmanager
def running(command: Sequence[str]) -> Iterator[subprocess.Popen[bytes]]:
    """A child process, killed when the caller fails or is interrupted."""
    launch = [sys.executable, "-I", "-S", "-c", _LAUNCHER, str(os.getpid()), *command]
    quiet = subprocess.DEVNULL
    environment = {**os.environ, "LC_ALL": "C"}
    with contextlib.ExitStack() as stack:
        with held():  # an interrupt comes before the start or after the child is registered
            process = subprocess.Popen(
                launch, stdin=quiet, stdout=quiet, stderr=subprocess.PIPE, env=environment
            )
            stack.enter_context(process)
            stack.enter_context(ended_on_error(process))
        yield process


@contextlib.contextmanager
def ended_on_error(process: subprocess.Popen[bytes]) -> Iterator[None]:
    try:
        yield
    except BaseException:
        process.kill()
        raise


REMEDY = (
    "build it with `make kenlm` (without a checkout: `cloze-gen doctor --fix`), or set "
    "CLOZE_GEN_LMPLZ to an existing lmplz"
)
_ARPA_BEGINS = b"\\data\\"
# last lines of stderr that an error quotes; the longest message, on discounts, has four
_KEPT_LINES = 6
_MOST_CHARS = 300  # of a line that an error quotes
_BAR_STEP = 10  # percent between two reports of a progress bar


def find_lmplz() -> Path:
    """`$CLOZE_GEN_LMPLZ`, else `lmplz` in the environment's `bin` or on the PATH; or ToolError."""
    named = os.environ.get("CLOZE_GEN_LMPLZ")
    if named:
        if not is_program(Path(named)):
            raise ToolError(
                f"CLOZE_GEN_LMPLZ names {named[:_MOST_CHARS]}, which is not a program that can "
                "be run; correct it or unset it."
            )
        return Path(named)
    own = Path(sys.prefix) / "bin" / "lmplz"
    if is_program(own):
        return own
    on_path = shutil.which("lmplz")
    if on_path is None:
        raise ToolError(
            f"lmplz, which estimates the language model, is missing: not in {own.parent} and not on "
            f"the PATH; {REMEDY}."
        )
    return Path(on_path)


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
        on_line: gets each line of progress, from another thread.
        meanwhile: called while lmplz runs; if it fails, lmplz is killed.
    Raises:
        CorpusError: the text is too small or repetitive, or holds a reserved word.
        StoreError: no space or no permission for the model or the temporary files.
    """
    program = find_lmplz()
    command = [
        str(program),
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
    last: collections.deque[str] = collections.deque(maxlen=_KEPT_LINES)
    with running(command) as process, _listened_to(process, on_line, last):
        meanwhile()
    if process.returncode != 0:
        raise explain_failure(process.returncode, list(last), text=text, memory=memory)
    _require_written(arpa, program)


def _require_written(arpa: Path, program: Path) -> None:
    """Check the output: another program of that name may also exit with 0."""
    try:
        with arpa.open("rb") as file:
            begins = file.read(len(_ARPA_BEGINS))
    except OSError as error:
        raise ToolError(
            f"{program} exited with status 0 but wrote no model ({error.strerror}), so it "
            f"is not lmplz; {REMEDY}."
        ) from None
    if begins != _ARPA_BEGINS:
        raise ToolError(
            f"{program} exited with status 0, but its output is not an ARPA file, so it is "
            f"not lmplz; {REMEDY}."
        )


@contextlib.contextmanager
def _listened_to(
    process: subprocess.Popen[bytes], on_line: Callable[[str], None], last: collections.deque[str]
) -> Iterator[None]:
    with ThreadPoolExecutor(1) as thread, ended_on_error(process):
        listening = thread.submit(_listen, process, on_line, last)
        yield
        listening.result()


def _listen(
    process: subprocess.Popen[bytes], on_line: Callable[[str], None], last: collections.deque[str]
) -> None:
    assert process.stderr is not None
    stderr = process.stderr.fileno()
    with ended_on_error(process):  # otherwise it blocks on a full pipe
        for line, is_bar in _lines(iter(lambda: os.read(stderr, 65536), b"")):
            if not is_bar:
                last.append(line)
            on_line(line)


def _lines(chunks: Iterable[bytes]) -> Iterator[tuple[str, bool]]:
    r"""Lines of lmplz's stderr as (line, is_bar); a growing bar gives a line every ten percent.

    >>> stderr = [b"=== 1/5 Counting and sorting n-grams ===\nRead", b"ing a.txt\n----5---10\n", b"*" * 12, b"*" * 88 + b"\ndone"]
    >>> [line for line, _ in _lines(stderr)][1:4]
    ['Reading a.txt', '1/5 Counting and sorting n-grams: 10 %', '1/5 Counting and sorting n-grams: 20 %']
    >>> [line for line, _ in _lines(stderr)][-2:]
    ['1/5 Counting and sorting n-grams: 100 %', 'done']
    """
    rest, stage, shown = b"", "lmplz", 0
    for chunk in _with_end(chunks):
        *whole, rest = re.split(rb"[\r\n]", rest + chunk)
        for piece in whole:
            percent = _bar_percent(piece)
            for step in range(shown + _BAR_STEP, percent + 1, _BAR_STEP):
                yield f"{stage}: {step} %", True
            shown = 0
            line = piece.decode("utf-8", errors="replace").strip()
            if line.startswith("==="):
                stage = line = line.strip("= ")
            if line and not percent and not line.startswith("----5"):
                yield line, False
        for step in range(shown + _BAR_STEP, _bar_percent(rest) + 1, _BAR_STEP):
            yield f"{stage}: {step} %", True
            shown = step


def _bar_percent(piece: bytes) -> int:
    return 0 if piece.strip(b"*") else len(piece)


def _with_end(chunks: Iterable[bytes]) -> Iterator[bytes]:
    yield from chunks
    yield b"\n"


def explain_failure(
    status: int, last_lines: Sequence[str], *, text: Path, memory: str
) -> ClozeGenError:
    """The error for lmplz's exit status (negative: a signal) and the end of its stderr.

    >>> output = ["threw FormatLoadException.", "Special word <s> is not allowed in the corpus.  I plan to ..."]
    >>> print(explain_failure(-6, output, text=Path("train.txt"), memory="4G"))
    train.txt: holds <s> as a word, which lmplz reserves. Remove it from the text.
    Output of lmplz: threw FormatLoadException. | Special word <s> is not allowed in the corpus.  I plan to ...
    """
    output = " | ".join(line[:_MOST_CHARS] for line in last_lines if line) or "nothing"
    quoted = f"\nOutput of lmplz: {output}"
    if "Kneser-Ney discounts" in output or "discount out of range" in output:
        return CorpusError(
            f"{text}: too small or too repetitive to estimate Kneser-Ney discounts. Add "
            "text or remove duplicates. "
            f"To use fixed discounts: --set lm.discount_fallback=true.{quoted}"
        )
    reserved = re.search(r"Special word (\S+) is not allowed", output)
    if reserved:
        return CorpusError(
            f"{text}: holds {reserved[1]} as a word, which lmplz reserves. Remove "
            f"it from the text.{quoted}"
        )
    if re.search(r"No space left|Disk quota|File too large", output):
        return StoreError(
            f"lmplz ran out of disk space; it needs several times the size of {text.name} "
            "next to the output. Free space, or "
            f"choose another --out.{quoted}"
        )
    if (
        "MallocException" in output
        or "more conservative -S" in output
        or "bad_alloc" in output
        or status == -signal.SIGKILL
    ):
        reason = (
            "was killed, most likely because memory ran out"
            if status == -signal.SIGKILL
            else f"could not allocate {memory} of memory"
        )
        return ToolError(
            f"lmplz {reason}; set lm.memory lower than {memory} or free memory, and run "
            f"again.{quoted}"
        )
    if "error while loading shared libraries" in output or "Library not loaded" in output:
        return ToolError(
            f"lmplz cannot start because a library that it needs is missing; {REMEDY}.{quoted}"
        )
    how = (
        f"was ended by {signal.Signals(-status).name}"
        if status < 0
        else f"failed with status {status}"
    )
    return ToolError(f"lmplz {how} on {text}.{quoted}")
