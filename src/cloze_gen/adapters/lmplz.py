"""KenLM's estimator `lmplz`, run as a program: found, started, listened to, and its complaints translated.

`lmplz` takes 80 % of the machine's memory and /tmp when it is not told otherwise, survives its parent, and aborts with a C++
message where the text is at fault. Here memory and temporary folder are always given, it dies with the process that started it
(Linux; elsewhere a killed parent leaves it to finish alone), and each known failure becomes one error that says what to do.
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

from cloze_gen.adapters.child_process import ended_on_error, is_program, running
from cloze_gen.errors import ClozeGenError, CorpusError, StoreError, ToolError

REMEDY = "build it with `make kenlm` (without a checkout: `cloze-gen doctor --fix`), or let CLOZE_GEN_LMPLZ name an lmplz"
_ARPA_BEGINS = b"\\data\\"
_KEPT_LINES = 6  # the last lines of its stderr that an error quotes; its longest complaint, the discounts', has four
_MOST_CHARS = 300  # of a line that an error quotes
_BAR_STEP = 10  # percent between two reports of one of its hundred-star bars


def find_lmplz() -> Path:
    """The `lmplz` to use: `$CLOZE_GEN_LMPLZ`, else the environment's own `bin`, else the PATH.

    Raises:
        ToolError: none of them has one, or the variable names something that cannot be run.
    """
    named = os.environ.get("CLOZE_GEN_LMPLZ")
    if named:
        if not is_program(Path(named)):
            raise ToolError(f"CLOZE_GEN_LMPLZ names {named[:_MOST_CHARS]}, which is no program that can be run; correct it or unset it.")
        return Path(named)
    own = Path(sys.prefix) / "bin" / "lmplz"
    if is_program(own):
        return own
    on_path = shutil.which("lmplz")
    if on_path is None:
        raise ToolError(f"lmplz, which estimates the language model, is neither in {own.parent} nor on the PATH; {REMEDY}.")
    return Path(on_path)


def binary_sha256(path: Path) -> str:
    """The sha256 of a program's bytes, in hexadecimal, for the manifest."""
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
        text: one sentence a line, tokens separated by single spaces, without `<s>`, `</s>` and `<unk>`.
        arpa: written by lmplz itself; after an error it may exist half written, so give a temporary name.
        order: n of the longest n-grams.
        memory: sorting memory in lmplz's way of writing it, such as "4G". The model does not depend on it.
        temp_dir: an existing folder for files of several times the text's size; they are nameless and vanish with the process.
        prune: the count at or below which n-grams are dropped, by order, as `--prune`; empty drops none.
        limit_vocab: a file of the words allowed, whitespace between them; n-grams with others are dropped.
        discount_fallback: use lmplz's default discounts where the text is too small to estimate them.
        on_line: gets lmplz's progress line by line as it comes, from a thread of its own; a bar as one line every ten percent.
        meanwhile: called once lmplz is at work, which keeps about one core busy. Where it fails, lmplz is ended.

    Raises:
        CorpusError: the text is too small or repetitive for Kneser-Ney discounts, or holds a reserved word.
        StoreError: no room or no permission for the model or the temporary files.
        ToolError: no lmplz, too little memory, killed from outside, or a failure unknown here, with its last lines.
    """
    program = find_lmplz()
    command = [str(program), "-o", str(order), "-S", memory, "-T", str(temp_dir) + os.sep, "--text", str(text), "--arpa", str(arpa)]
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
    _ask_written(arpa, program)


def _ask_written(arpa: Path, program: Path) -> None:
    """A program of that name that ends well need not be lmplz."""
    try:
        with arpa.open("rb") as file:
            begins = file.read(len(_ARPA_BEGINS))
    except OSError as error:
        raise ToolError(f"{program} ended without an error and wrote no model ({error.strerror}), so it is no lmplz; {REMEDY}.") from None
    if begins != _ARPA_BEGINS:
        raise ToolError(f"{program} ended without an error, but what it wrote is no ARPA file, so it is no lmplz; {REMEDY}.")


@contextlib.contextmanager
def _listened_to(process: subprocess.Popen[bytes], on_line: Callable[[str], None], last: collections.deque[str]) -> Iterator[None]:
    """Pass on what the child says while the caller does something else; left when the child has said all."""
    with ThreadPoolExecutor(1) as thread, ended_on_error(process):
        listening = thread.submit(_listen, process, on_line, last)
        yield
        listening.result()


def _listen(process: subprocess.Popen[bytes], on_line: Callable[[str], None], last: collections.deque[str]) -> None:
    assert process.stderr is not None
    stderr = process.stderr.fileno()
    with ended_on_error(process):  # or it would wait for ever to be heard
        for line, is_bar in _lines(iter(lambda: os.read(stderr, 65536), b"")):
            if not is_bar:
                last.append(line)
            on_line(line)


def _lines(chunks: Iterable[bytes]) -> Iterator[tuple[str, bool]]:
    r"""Lines of lmplz's stderr as (line, is_bar); its bars, stars that grow on one line, become one line every ten percent.

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
    """The number of stars, one a percent, of a line that is nothing but stars; else 0."""
    return 0 if piece.strip(b"*") else len(piece)


def _with_end(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The chunks and a last line end, so that an unfinished line is seen too."""
    yield from chunks
    yield b"\n"


def explain_failure(status: int, last_lines: Sequence[str], *, text: Path, memory: str) -> ClozeGenError:
    """The error that says what went wrong, from lmplz's exit status (negative: a signal) and the end of its stderr.

    >>> said = ["threw FormatLoadException.", "Special word <s> is not allowed in the corpus.  I plan to ..."]
    >>> print(explain_failure(-6, said, text=Path("train.txt"), memory="4G"))
    train.txt: holds <s> as a word, which lmplz reserves for itself; remove it from the text.
    lmplz said: threw FormatLoadException. | Special word <s> is not allowed in the corpus.  I plan to ...
    """
    said = " | ".join(line[:_MOST_CHARS] for line in last_lines if line) or "nothing"
    quoted = f"\nlmplz said: {said}"
    if "Kneser-Ney discounts" in said or "discount out of range" in said:
        return CorpusError(
            f"{text}: too small or too repetitive to estimate Kneser-Ney discounts; give more text or take out duplicates. "
            f"`cloze-gen run` can use fixed ones: --set lm.discount_fallback=true.{quoted}"
        )
    reserved = re.search(r"Special word (\S+) is not allowed", said)
    if reserved:
        return CorpusError(f"{text}: holds {reserved[1]} as a word, which lmplz reserves for itself; remove it from the text.{quoted}")
    if re.search(r"support was not compiled in|looks like a (gzip|bzip|xz)|[Gg][Zz]ip|zlib", said):
        return CorpusError(f"{text}: is compressed, and this lmplz cannot read that; give it plain text.{quoted}")
    if re.search(r"No space left|Disk quota|File too large", said):
        return StoreError(
            f"lmplz ran out of disk space; it needs several times the size of {text.name} beside the output. Free some, or "
            f"choose another --out.{quoted}"
        )
    if re.search(r"(Permission denied|Read-only file system|No such file or directory|Is a directory)", said):
        return StoreError(f"lmplz cannot open one of its files: {last_lines[-1]}. Check that the folder exists and can be written.{quoted}")
    if re.search(r"parse .* into a memory size|SizeParseError", said):
        return ToolError(f"lmplz does not understand lm.memory = {memory!r}; write a number and K, M or G, such as 4G.{quoted}")
    if "exceeds total memory" in said or "minimum block" in said:
        return ToolError(
            f"lm.memory = {memory} is too little for lmplz, whatever the text; 100M is the least that serves, 4G is good.{quoted}"
        )
    if "MallocException" in said or "more conservative -S" in said or "bad_alloc" in said or status == -signal.SIGKILL:
        reason = (
            "was killed, most likely for want of memory" if status == -signal.SIGKILL else f"was refused the memory it asked for ({memory})"
        )
        return ToolError(f"lmplz {reason}; set lm.memory lower than {memory} or free memory, and run again.{quoted}")
    if "error while loading shared libraries" in said or "Library not loaded" in said:
        return ToolError(f"lmplz cannot start because a library it was built with is gone; {REMEDY}.{quoted}")
    how = f"was ended by {signal.Signals(-status).name}" if status < 0 else f"failed with status {status}"
    return ToolError(f"lmplz {how} on {text}.{quoted}")
