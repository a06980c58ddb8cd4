from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cloze_gen.adapters import lmplz
from cloze_gen.adapters.lmplz import (
    explain_failure,
    find_build_binary,
    find_lmplz,
    require_start,
    train_arpa,
)
from cloze_gen.errors import CorpusError, StoreError, ToolError


def program(path, script="exit 0"):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def small_text(path, *, n_lines=400):
    """Zipfian text, so that discounts can be estimated."""
    rng = random.Random(5)
    words = [f"w{rank}" for rank in range(300)]
    weights = [1 / (rank + 1) for rank in range(300)]
    path.write_text(
        "".join(" ".join(rng.choices(words, weights, k=9)) + " .\n" for _ in range(n_lines))
    )
    return path


@pytest.fixture
def real_lmplz():
    try:
        return find_lmplz()
    except ToolError as error:
        pytest.skip(str(error))


@pytest.fixture
def bare(tmp_path, monkeypatch):
    """The prefix of an environment without lmplz."""
    monkeypatch.delenv("CLOZE_GEN_LMPLZ", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "env"))
    return tmp_path


def test_search_order(bare, monkeypatch):
    on_path = program(bare / "path" / "lmplz")
    assert find_lmplz() == on_path
    own = program(bare / "env" / "bin" / "lmplz")
    assert find_lmplz() == own
    named = program(bare / "elsewhere" / "my lmplz")
    monkeypatch.setenv("CLOZE_GEN_LMPLZ", str(named))
    assert find_lmplz() == named


def test_build_binary_is_searched_beside_lmplz_first(bare, monkeypatch):
    program(bare / "path" / "lmplz")
    with pytest.raises(ToolError, match=r"build_binary is missing.*make kenlm"):
        find_build_binary()
    on_path = program(bare / "path" / "build_binary")
    monkeypatch.setenv("CLOZE_GEN_LMPLZ", str(program(bare / "elsewhere" / "lmplz")))
    assert find_build_binary() == on_path
    beside = program(bare / "elsewhere" / "build_binary")
    assert find_build_binary() == beside


def test_missing_names_the_mending_command(bare):
    with pytest.raises(ToolError, match="make kenlm"):
        find_lmplz()


def test_variable_that_names_nothing_is_an_error(bare, monkeypatch):
    program(bare / "env" / "bin" / "lmplz")
    monkeypatch.setenv("CLOZE_GEN_LMPLZ", str(bare / "typo"))
    with pytest.raises(ToolError, match=r"typo is missing.*CLOZE_GEN_LMPLZ"):
        find_lmplz()


def train(
    tmp_path,
    text,
    said,
    *,
    order=3,
    memory="100M",
    **options,
):
    arpa = tmp_path / "a model.arpa"
    train_arpa(
        text=text,
        arpa=arpa,
        order=order,
        memory=memory,
        temp_dir=tmp_path,
        on_line=said.append,
        **options,
    )
    return arpa.read_text()


@pytest.mark.usefixtures("real_lmplz")
def test_trains_and_streams_progress(tmp_path):
    text = small_text(tmp_path / "some text.txt")
    said = []
    assert "\\3-grams:" in train(tmp_path, text, said)
    phases = [line for line in said if line[1:3] == "/5"]
    assert phases[0] == "1/5 Counting and sorting n-grams"
    assert len(phases) == 5
    assert not any("***" in line or "---" in line for line in said)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a model.arpa", "some text.txt"]


@pytest.mark.usefixtures("real_lmplz")
def test_pruning_and_a_vocabulary_drop_ngrams(tmp_path):
    text = small_text(tmp_path / "text.txt")
    full, pruned = train(tmp_path, text, []), train(tmp_path, text, [], prune=(0, 0, 1))
    (tmp_path / "vocab").write_text("w0 w1 .")
    limited = train(tmp_path, text, [], limit_vocab=tmp_path / "vocab")
    assert len(full) > len(pruned)
    assert "\tw0 w1\t" in limited
    assert "w2 w1" in full
    assert "w2 w1" not in limited


@pytest.mark.usefixtures("real_lmplz")
def test_tiny_text_suggests_the_fallback_and_the_fallback_works(tmp_path):
    text = tmp_path / "tiny.txt"
    text.write_text("a b c\n")
    with pytest.raises(CorpusError, match=r"tiny\.txt: too small.*lm\.discount_fallback=true"):
        train(tmp_path, text, [])
    assert "\\3-grams:" in train(tmp_path, text, [], discount_fallback=True)


@pytest.mark.usefixtures("real_lmplz")
def test_full_disk(tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=40k", "tmpfs", disk], capture_output=True, check=False
    )
    if mounted.returncode != 0:
        pytest.skip("mounting a small tmpfs needs root")
    try:
        with pytest.raises(StoreError, match="ran out of disk space"):
            train_arpa(
                text=small_text(tmp_path / "text.txt"),
                arpa=disk / "x",
                order=3,
                memory="100M",
                temp_dir=tmp_path,
                on_line=lambda _: None,
            )
    finally:
        subprocess.run(["umount", disk], check=True)


@pytest.mark.parametrize(
    ("script", "kind", "message"),
    [
        ("kill -KILL $$", ToolError, "ran out of memory; set lm.memory lower than 100M"),
        ("kill -TERM $$", ToolError, "SIGTERM"),
        (
            "echo 'odd thing' >&2; exit 3",
            ToolError,
            r"failed on .*text\.txt\.\nStatus 3, output: odd thing",
        ),
        (
            "echo 'lmplz: error while loading shared libraries: libboost' >&2; exit 127",
            ToolError,
            "make kenlm",
        ),
        ("echo 'Try a more conservative -S' >&2; exit 1", ToolError, "ran out of memory"),
        ("echo 'write failed: No space left on device' >&2; exit 1", StoreError, "disk space"),
    ],
)
def test_failures_are_told_in_one_message(
    tmp_path,
    monkeypatch,
    script,
    kind,
    message,
):
    monkeypatch.setenv("CLOZE_GEN_LMPLZ", str(program(tmp_path / "fake", script)))
    with pytest.raises(kind, match=message):
        train(tmp_path, small_text(tmp_path / "text.txt", n_lines=1), [])


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("echo 'error while loading shared libraries: libboost' >&2; exit 127", "libboost"),
        ("exit 0", "make kenlm"),
        (None, "make kenlm"),
    ],
    ids=["library", "other program", "no program"],
)
def test_a_program_that_does_not_start_is_reported(tmp_path, script, message):
    """For `doctor`; also a program of another kind, and one of another machine."""
    fake = program(tmp_path / "lmplz", script or "")
    if script is None:
        fake.write_bytes(b"\x7fELF")
    with pytest.raises(ToolError, match=message):
        require_start(fake)


def test_unknown_signal_is_named():
    error = explain_failure("lmplz", -signal.SIGSEGV, [], Path("t"), "1G")
    assert "SIGSEGV" in str(error)


def test_leaves_no_child_when_the_listener_fails(tmp_path, monkeypatch):
    script = f"echo $$ > '{tmp_path}/pid'; echo started >&2; exec sleep 60"
    monkeypatch.setenv("CLOZE_GEN_LMPLZ", str(program(tmp_path / "fake", script)))

    def fail(line):
        raise KeyboardInterrupt(line)

    with pytest.raises(KeyboardInterrupt):
        train_arpa(
            text=tmp_path / "t",
            arpa=tmp_path / "a",
            order=2,
            memory="1G",
            temp_dir=tmp_path,
            on_line=fail,
        )
    assert not is_alive(int((tmp_path / "pid").read_text()))


def test_leaves_no_child_when_what_is_done_meanwhile_fails(tmp_path, monkeypatch):
    monkeypatch.setenv(
        "CLOZE_GEN_LMPLZ",
        str(
            program(
                tmp_path / "fake",
                f"echo $$ > '{tmp_path}/p'; mv '{tmp_path}/p' '{tmp_path}/pid'; exec sleep 60",
            )
        ),
    )

    def fail():
        wait_for((tmp_path / "pid").exists)
        assert is_alive(int((tmp_path / "pid").read_text()))
        raise StoreError("no room")

    started = time.monotonic()
    with pytest.raises(StoreError, match="no room"):
        train_arpa(
            text=tmp_path / "t",
            arpa=tmp_path / "a",
            order=2,
            memory="1G",
            temp_dir=tmp_path,
            on_line=print,
            meanwhile=fail,
        )
    assert time.monotonic() - started < 30, "lmplz was waited for, not ended"
    assert not is_alive(int((tmp_path / "pid").read_text()))


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.parametrize(
    ("platform", "works"),
    [("linux", "exec sleep 60"), ("darwin", "while :; do echo on >&2; sleep 0.1; done")],
)
def test_dies_with_its_parent(platform, works, tmp_path):
    """At once, or without prctl with the next line of progress."""
    fake = program(
        tmp_path / "fake",
        f"echo $$ > '{tmp_path}/pid'; mv '{tmp_path}/pid' '{tmp_path}/child'; {works}",
    )
    code = (
        "from pathlib import Path; from cloze_gen.adapters import lmplz; p = Path('.')\n"
        f"lmplz._LAUNCHER = lmplz._LAUNCHER.replace('sys.platform', repr({platform!r}))\n"
        "lmplz.train_arpa(text=p, arpa=p, order=2, memory='1G', temp_dir=p, on_line=print)"
    )
    source_root = str(Path(lmplz.__file__).parents[2])
    environment = {**os.environ, "CLOZE_GEN_LMPLZ": str(fake), "PYTHONPATH": source_root}
    with subprocess.Popen([sys.executable, "-c", code], env=environment) as parent:
        wait_for(lambda: (tmp_path / "child").exists() or parent.poll() is not None)
        child = int((tmp_path / "child").read_text())
        assert is_alive(child)
        parent.kill()
    wait_for(lambda: not is_alive(child))


def is_alive(pid):
    """False also for a zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def wait_for(condition, *, seconds=10):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "nothing happened in time"
        time.sleep(0.02)
