"""Nothing foreign can command the terminal, and no line of a result is broken or cut."""

import json
import os
import shutil
import unicodedata

import pytest

from cloze_gen.store.tables import read_jsonl
from tests.conftest import SAMPLE

HOSTILE_TITLE = "The \x1b[2JClockmaker\x9b31m\u202e 時計屋の借金"
HOSTILE_FILE = "lamp\x1b[31m\tat\nskerry 岬の灯火.txt"


def controls(text):
    return [one for one in text if one != "\n" and unicodedata.category(one) in ("Cc", "Cf")]


@pytest.mark.slow
def test_no_command_prints_a_control_character(tmp_path, cli, finished):
    """Of a title, an author or a file's name."""
    source, out = tmp_path / "source", tmp_path / "out"
    source.mkdir()
    shutil.copyfile(SAMPLE / "source" / "the-clockmakers-debt.txt", source / "debt.txt")
    shutil.copyfile(SAMPLE / "source" / "the-lamp-at-skerry-point.txt", source / HOSTILE_FILE)
    (source / "empty\x1b[2J.txt").write_text("")
    (source / "manifest.tsv").write_text(
        f"file\ttitle\tauthor\ndebt.txt\t{HOSTILE_TITLE}\tA. \x1b]0;Nym\n", encoding="utf-8"
    )
    books = ("--train", finished.corpus.train, "--source", source, *finished.corpus.options[5:])
    call = ("run", "holmes-sample", *books, "--out", out, "--name", "hostile", "--workers", "1")
    made = cli(*call)
    assert made.status == 0, made.err
    folder = out / "runs" / "hostile"
    ids = [record["id"] for record in read_jsonl(folder / "release" / "questions.jsonl")]
    assert len({one.split(":")[0] for one in ids}) == 2
    stages = json.loads((folder / "run.json").read_text())["stages"]
    calls = [
        (*call, "--dry-run"),
        ("corpus", "inspect", source),
        ("runs", "--out", out),
        ("show", "hostile", "--out", out),
        *(("show", "hostile", stage["label"].replace(" ", "-"), "--out", out) for stage in stages),
        ("explain", "hostile", "--out", out),
        ("compare", finished.folder, folder),
        *(("trace", one, "--out", out, "--alternates") for one in (ids[0], ids[-1])),
    ]
    printed = [made, *(cli(*one) for one in calls)]
    assert [one for one in printed if one.status or controls(one.out + one.err)] == []
    assert any("book: The \\x1b[2JClockmaker\\x9b31m\\u202e 時計屋" in one.out for one in printed)


def test_what_a_user_typed_cannot_either(cli, finished):
    outcome = cli("trace", "\x1b[31mno:1:2", "--out", finished.out)
    assert (outcome.status, controls(outcome.err)) == (2, [])
    assert "\\x1b[31mno:1:2" in outcome.err
    assert "\\udcff" in cli("trace", os.fsdecode(b"\xff"), "--out", finished.out).err


def test_lines_are_whole(finished, cli):
    question = next(read_jsonl(finished.release / "questions.jsonl"))
    signature = (finished.release / "signature.txt").read_text().strip()
    assert f"signature  {signature}\n" in finished.outcome.out
    [_, line] = cli("runs", "--out", finished.out).out.splitlines()
    assert (line.split()[0], line.split()[-1]) == ("tiny", signature)
    traced = cli("trace", question["id"], "--out", finished.out).out
    assert question["source"]["text"] in " ".join(traced.split())
    # the release has another order
    candidates = next(read_jsonl(next(finished.folder.glob("*-choice")) / "candidates.jsonl"))
    shown = cli("show", "tiny", "choice", "--rows", "1", "--out", finished.out).out
    assert f"    candidates: {json.dumps(candidates['candidates'], ensure_ascii=False)}\n" in shown
