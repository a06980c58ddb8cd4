"""A release checked by who has only the folder."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cloze_gen.pipelines.styles import style_names
from cloze_gen.stages.release.checksums import write_checksums
from cloze_gen.stages.release.facts import read_record
from tests.conftest import SAMPLE, FinishedRun, Outcome

Cli = Callable[..., Outcome]


@pytest.fixture
def release(finished: FinishedRun, tmp_path: Path) -> Path:
    """A copy of a release, far from its run."""
    return Path(shutil.copytree(finished.release, tmp_path / "release"))


def lines(outcome: Outcome) -> dict[str, str]:
    """Check -> ok or FAILED."""
    return {words[1]: words[0] for line in outcome.out.splitlines() if not line.startswith(" ") and len(words := line.split()) > 1}


@pytest.mark.slow
@pytest.mark.parametrize("style", style_names())
def test_a_release_of_each_style_is_as_it_says(style: str, finished_run: Callable[[str], Path], tmp_path: Path, cli: Cli) -> None:
    """Without its run, beside the books."""
    found = next((finished_run(style) / "runs").glob("*/release"))
    release = shutil.copytree(found, tmp_path / "release")
    outcome = cli("verify", release, "--books", SAMPLE)
    assert outcome.status == 0, outcome.out + outcome.err
    fewshot = {"few-shot": "ok"} if (release / "fewshot.jsonl").exists() else {}  # SCDE-style shows its training passages
    assert bool(fewshot) == (style != "scde-style")
    beside = {"beside": "ok"} if set(read_record(release).beside) - {"fewshot.jsonl"} else {}
    checks = ("files", "signature", "items", "formats", "documents", "others", "text")
    assert lines(outcome) == dict.fromkeys(checks, "ok") | fewshot | beside


@pytest.mark.slow
def test_a_set_is_made_again(finished: FinishedRun, release: Path, cli: Cli) -> None:
    """From its own settings and the user's books, which lie under other names; a changed setting gives another set."""
    outcome = cli("verify", release, "--books", finished.corpus.train.parent, "--deep")  # type: ignore[union-attr]
    assert outcome.status == 0, outcome.out + outcome.err
    assert lines(outcome)["again"] == "ok"
    edit(release / "release.json", lambda facts: facts["settings"]["choice"].update(n_questions=3))
    outcome = cli("verify", release, "--books", finished.corpus.train.parent, "--deep")  # type: ignore[union-attr]
    assert (outcome.status, lines(outcome)["again"]) == (1, "FAILED")
    assert "candidates.jsonl: other bytes than when the set is made again" in outcome.out


def edit(path: Path, change: Callable[[Any], None], *, line: int | None = None) -> None:
    """Change a JSON file, or a line of JSON lines, and give the folder the checksums of what it then holds."""
    texts = [path.read_text(encoding="utf-8")] if line is None else path.read_text(encoding="utf-8").splitlines(keepends=True)
    value = json.loads(texts[line or 0])
    change(value)
    texts[line or 0] = json.dumps(value, ensure_ascii=False, indent=1 if line is None else None) + "\n"
    path.write_text("".join(texts), encoding="utf-8")
    write_checksums(path.parent)


def shift(record: Any) -> None:
    record["source"]["start"] += 1


def reword(record: Any) -> None:
    record["source"]["text"] = record["source"]["text"].replace("the", "a", 1)
    record["source"]["tokens"] = ["a" if one == "the" else one for one in record["source"]["tokens"]]


def another_option(record: Any) -> None:
    wrong = (record["answer_index"] + 1) % len(record["options"])
    record["options"][wrong] = "teapot"


@pytest.mark.parametrize(
    ("change", "line", "check", "what"),
    [
        (lambda folder: (folder / "signature.txt").write_text("other\n"), None, "files", "signature.txt: other bytes"),
        (lambda folder: (folder / "report.html").unlink(), None, "files", "report.html: missing"),
        (lambda folder: (folder / "SHA256SUMS").unlink(), None, "files", "SHA256SUMS: missing"),
        (shift, 0, "text", "another text at characters"),
        (reword, 0, "text", "another text at characters"),
        (another_option, 2, "formats", ": not what the items give"),
        (lambda record: record.update(canary="x"), 1, "items", "bears another canary"),
        (lambda facts: facts.update(n_items=7), "release.json", "items", "release.json tells 7"),
        (lambda facts: facts.update(canary="y"), "release.json", "signature", "is not that of its signature"),
        (lambda facts: facts["books"][-1].update(book_id="z"), "release.json", "items", "which release.json does not name"),
        (lambda facts: facts.update(seed=2), "release.json", "items", "the order that seed 2 draws"),
    ],
)
def test_what_differs_is_found(
    change: Callable[[Any], Any], line: int | str | None, check: str, what: str, release: Path, cli: Cli
) -> None:
    """A byte, a span, a word, an option, a count, an order: by the check whose business it is, and the status is 1."""
    if line is None:
        change(release)
    elif isinstance(line, int):
        edit(release / "questions.jsonl", change, line=line)
    else:
        edit(release / line, change)
    books = ("--books", SAMPLE) if check == "text" else ()
    outcome = cli("verify", release, *books)
    assert (outcome.status, lines(outcome)[check]) == (1, "FAILED"), outcome.out + outcome.err
    assert what in outcome.out


def test_a_published_item_among_the_examples_is_found(release: Path, cli: Cli) -> None:
    """Even where the checksums are renewed."""
    published = json.loads((release / "questions.jsonl").read_text(encoding="utf-8").splitlines()[0])
    edit(release / "fewshot.jsonl", lambda record: record.update(published), line=0)
    outcome = cli("verify", release)
    assert (outcome.status, lines(outcome)["few-shot"]) == (1, "FAILED"), outcome.out + outcome.err
    assert f"fewshot.jsonl: {published['id']} is printed in the set too" in outcome.out


def test_a_sentence_that_is_printed_twice_is_found(release: Path, cli: Cli) -> None:
    """Under another id."""
    path = release / "questions.jsonl"
    first, *rest = path.read_text(encoding="utf-8").splitlines(keepends=True)
    record = json.loads(first)
    path.write_text("".join([first, json.dumps(record | {"id": record["id"] + "0"}) + "\n", *rest]), encoding="utf-8")
    write_checksums(release)
    outcome = cli("verify", release)
    assert f"{record['id']}0: prints the sentences of {record['id']}" in outcome.out


def test_what_a_person_laid_there_is_no_difference(release: Path, cli: Cli) -> None:
    """It is reported by name, is not read, and stays."""
    (release / "notes.txt").write_text("mine")
    (release / "x\x1b[2J.bin").touch()
    os.truncate(release / "x\x1b[2J.bin", 200 << 30)  # 200 GiB that take no room; reading them would take minutes
    outcome = cli("verify", release)
    assert outcome.status == 0
    assert r"beside them notes.txt, x\x1b[2J.bin, which no checksum covers" in outcome.out
    assert (release / "notes.txt").read_text() == "mine"


@pytest.mark.parametrize(
    ("make", "what"),
    [
        (lambda folder: shutil.rmtree(folder), "release"),
        (lambda folder: (folder / "release.json").unlink(), "no release.json in it"),
        (lambda folder: (folder / "release.json").write_text("{"), "not what a release says of itself"),
        (lambda folder: (folder / "questions.jsonl").write_text("[]\n"), "questions.jsonl: other bytes than SHA256SUMS lists"),
        (lambda folder: (folder / "questions.jsonl").unlink(), "questions.jsonl: missing"),
        (lambda folder: (folder / "SHA256SUMS").write_text("x\n"), "SHA256SUMS, line 1"),
    ],
)
def test_what_is_no_release_is_told(make: Callable[[Path], Any], what: str, release: Path, cli: Cli) -> None:
    """In a message that names it, not in a traceback."""
    make(release)
    outcome = cli("verify", release)
    assert outcome.status in {1, 2}
    assert what in outcome.err + outcome.out
    assert "not foreseen" not in outcome.err


def test_books_that_are_needed_are_named(release: Path, tmp_path: Path, cli: Cli) -> None:
    """--deep without books, a folder without them, a hostile name in release.json."""
    assert "give --books DIR" in cli("verify", release, "--deep").err
    (tmp_path / "empty").mkdir()
    assert "lacks, by their bytes" in cli("verify", release, "--books", tmp_path / "empty").err
    edit(release / "release.json", lambda facts: facts["books"][0].update(file=facts["books"][1]["file"]))
    outcome = cli("verify", release, "--books", SAMPLE, "--deep")
    assert (outcome.status, "is no name of its own" in outcome.err) == (2, True)


@pytest.mark.parametrize(
    "change",
    [
        lambda record: record.pop("source"),
        lambda record: record["source"].update(text=None),
        lambda record: record.update(answer_rank=10**30),
        lambda record: record["source"].update(start="x"),
    ],
)
def test_a_record_of_another_shape_is_one_message(change: Callable[[Any], Any], release: Path, cli: Cli) -> None:
    """Not an error that nobody foresaw."""
    edit(release / "questions.jsonl", change, line=0)
    outcome = cli("verify", release, "--books", SAMPLE)
    assert outcome.status == 1
    assert "not foreseen" not in outcome.err
    assert "FAILED" in outcome.out or "has not the shape" in outcome.err


def test_what_the_signature_names_is_looked_at(release: Path, cli: Cli) -> None:
    """An option changed in every file, checksums and all, is not the set of the signature; nor is a card with another figure in it."""
    edit(release / "questions.jsonl", another_option, line=2)
    assert "its items are not those of the signature" in cli("verify", release).out
    card = release / "README.md"
    card.write_text(card.read_text(encoding="utf-8").replace("5 options", "6 options"), encoding="utf-8")
    write_checksums(release)
    assert "README.md: tells other things than release.json and the items" in cli("verify", release).out
