"""Releases as they say they are, and made again from their books."""

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from cloze_gen.cli import release as run_again_module
from cloze_gen.cli.release import check_names_no_file
from cloze_gen.errors import UsageError
from cloze_gen.pipelines.styles import find_style, style_names
from cloze_gen.release.books import BooksFound
from cloze_gen.release.facts import read_record
from cloze_gen.release.signature import write_checksums
from tests.cases.releases import FACTS
from tests.conftest import SAMPLE


@pytest.fixture
def release(finished, tmp_path):
    """A copy of a release, far from its run."""
    return Path(shutil.copytree(finished.release, tmp_path / "release"))


def lines(outcome):
    """Check -> ok or FAILED."""
    return {
        words[1]: words[0]
        for line in outcome.out.splitlines()
        if not line.startswith(" ") and len(words := line.split()) > 1
    }


@pytest.mark.slow
@pytest.mark.parametrize("style", style_names())
def test_a_release_of_each_style_is_as_it_says(style, finished_run, tmp_path, cli):
    """Without its run, with the books."""
    found = next((finished_run(style) / "runs").glob("*/release"))
    release = shutil.copytree(found, tmp_path / "release")
    outcome = cli("verify", release, "--books", SAMPLE)
    assert outcome.status == 0, outcome.out + outcome.err
    # SCDE-style shows its training passages
    fewshot = {"few-shot": "ok"} if (release / "fewshot.jsonl").exists() else {}
    assert bool(fewshot) == (style != "scde-style")
    beside = {"derived": "ok"} if set(read_record(release).derived) - {"fewshot.jsonl"} else {}
    checks = ("files", "signature", "items", "formats", "documents", "others", "text")
    assert lines(outcome) == dict.fromkeys(checks, "ok") | fewshot | beside


@pytest.mark.thorough
def test_a_set_is_rebuilt(finished, release, cli):
    outcome = cli("verify", release, "--books", finished.corpus.train.parent, "--deep")
    assert outcome.status == 0, outcome.out + outcome.err
    assert lines(outcome)["again"] == "ok"
    edit(release / "release.json", lambda facts: facts["settings"]["choice"].update(n_questions=3))
    outcome = cli("verify", release, "--books", finished.corpus.train.parent, "--deep")
    assert (outcome.status, lines(outcome)["again"]) == (1, "FAILED")
    assert "the first stage with other counts is choice" in outcome.out
    assert "candidates.jsonl: differs from the rebuilt file" in outcome.out


def edit(path, change, *, line=None):
    """Change a JSON file or a line of JSON lines, and rewrite the folder's checksums."""
    texts = (
        [path.read_text(encoding="utf-8")]
        if line is None
        else path.read_text(encoding="utf-8").splitlines(keepends=True)
    )
    value = json.loads(texts[line or 0])
    change(value)
    texts[line or 0] = (
        json.dumps(value, ensure_ascii=False, indent=1 if line is None else None) + "\n"
    )
    path.write_text("".join(texts), encoding="utf-8")
    write_checksums(path.parent)


def shift(record):
    record["source"]["start"] += 1


def reword(record):
    record["source"]["text"] = record["source"]["text"].replace("the", "a", 1)
    record["source"]["tokens"] = [
        "a" if one == "the" else one for one in record["source"]["tokens"]
    ]


def another_option(record):
    wrong = (record["answer_index"] + 1) % len(record["options"])
    record["options"][wrong] = "teapot"


@pytest.mark.parametrize(
    ("change", "line", "check", "what"),
    [
        (
            lambda folder: (folder / "signature.txt").write_text("other\n"),
            None,
            "files",
            "signature.txt: checksum differs",
        ),
        (lambda folder: (folder / "report.html").unlink(), None, "files", "report.html: missing"),
        (lambda folder: (folder / "SHA256SUMS").unlink(), None, "files", "SHA256SUMS: missing"),
        (shift, 0, "text", "different text at characters"),
        (reword, 0, "text", "different text at characters"),
        (another_option, 2, "formats", ": does not match the items"),
        (lambda record: record.update(canary="x"), 1, "items", "has another canary"),
        (lambda facts: facts.update(n_items=7), "release.json", "items", "release.json has 7"),
        (
            lambda facts: facts.update(canary="y"),
            "release.json",
            "signature",
            "does not match the signature",
        ),
        (
            lambda facts: facts["books"][-1].update(book_id="z"),
            "release.json",
            "items",
            "release.json has no book",
        ),
        (
            lambda facts: facts.update(seed=2),
            "release.json",
            "items",
            "the shuffled order of seed 2",
        ),
    ],
)
def test_what_differs_is_found(
    change,
    line,
    check,
    what,
    release,
    cli,
):
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


def test_a_published_item_among_the_examples_is_found(release, cli):
    """Even where the checksums are renewed."""
    published = json.loads(
        (release / "questions.jsonl").read_text(encoding="utf-8").splitlines()[0]
    )
    edit(release / "fewshot.jsonl", lambda record: record.update(published), line=0)
    outcome = cli("verify", release)
    assert (outcome.status, lines(outcome)["few-shot"]) == (1, "FAILED"), outcome.out + outcome.err
    assert f"fewshot.jsonl: {published['id']} is also an item of the set" in outcome.out


def test_a_repeated_sentence_is_found(release, cli):
    """Under another id."""
    path = release / "questions.jsonl"
    first, *rest = path.read_text(encoding="utf-8").splitlines(keepends=True)
    record = json.loads(first)
    path.write_text(
        "".join([first, json.dumps(record | {"id": record["id"] + "0"}) + "\n", *rest]),
        encoding="utf-8",
    )
    write_checksums(release)
    outcome = cli("verify", release)
    assert f"{record['id']}0: has the same text as {record['id']}" in outcome.out


def test_a_file_of_the_user_is_no_difference(release, cli):
    """It is reported by name, is not read, and stays."""
    (release / "notes.txt").write_text("mine")
    (release / "x\x1b[2J.bin").touch()
    # 200 GiB that take no room; reading them would take minutes
    os.truncate(release / "x\x1b[2J.bin", 200 << 30)
    outcome = cli("verify", release)
    assert outcome.status == 0
    assert r"not listed and not checked: notes.txt, x\x1b[2J.bin" in outcome.out
    assert (release / "notes.txt").read_text() == "mine"


def test_books_that_are_needed_are_named(release, tmp_path, cli):
    """--deep without books, a folder without them, a hostile name in release.json."""
    assert "Give their folder: --books DIR" in cli("verify", release, "--deep").err
    (tmp_path / "empty").mkdir()
    assert (
        "no file has the same bytes as" in cli("verify", release, "--books", tmp_path / "empty").err
    )
    edit(
        release / "release.json",
        lambda facts: facts["books"][0].update(file=facts["books"][1]["file"]),
    )
    outcome = cli("verify", release, "--books", SAMPLE, "--deep")
    assert (outcome.status, "is not a valid and unique file name" in outcome.err) == (2, True)


def test_what_the_signature_names_is_looked_at(release, cli):
    """Even if an option is changed in every file, checksums included."""
    edit(release / "questions.jsonl", another_option, line=2)
    assert "the signature has" in cli("verify", release).out
    card = release / "README.md"
    card.write_text(
        card.read_text(encoding="utf-8").replace("5 options", "6 options"), encoding="utf-8"
    )
    write_checksums(release)
    assert (
        "README.md: differs from the document that release.json and the items give"
        in cli("verify", release).out
    )


# ---- run again


def check(style, changes):
    settings = find_style(style).settings().model_dump(mode="json")
    for group, values in changes.items():
        settings[group] |= values
    check_names_no_file(replace(FACTS, style=style, settings=settings), find_style(style))


@pytest.mark.parametrize("style", style_names())
def test_the_default_settings_are_allowed(style):
    check(style, {})


@pytest.mark.parametrize(
    ("style", "changes", "said"),
    [
        ("lambada-style", {"committee": {"members": ["ngram", "scores:/etc/passwd"]}}, "committee.members = 'scores:/etc/passwd'"),
        ("lambada-style", {"committee": {"members": ["hf:pythia-70m"]}}, "committee.members = 'hf:pythia-70m'"),
        ("lambada-style", {"guessing": {"verdicts": "v.jsonl"}}, "guessing.verdicts = 'v.jsonl'"),
        ("lambada-style", {"partition": {"offensive_words": "list.txt"}}, "partition.offensive_words = 'list.txt'"),
        ("scs-style", {"sentences": {"offensive_words": "x"}}, "sentences.offensive_words = 'x'"),
    ],
)  # fmt: skip
def test_what_is_refused(style, changes, said):
    """Settings that name a file, model or program."""
    with pytest.raises(UsageError, match=said):
        check(style, changes)


@pytest.mark.parametrize("style", style_names())
def test_every_free_text_is_taken_for_a_file(style):
    """So that a new setting that names a file is refused too."""
    model = find_style(style).settings
    texts = [
        (group, name)
        for group, field in model.model_fields.items()
        for name, one in group_fields(field.annotation)
        if one.annotation is str
        and not any(hasattr(rule, "pattern") for rule in one.metadata)
        and group not in {"release", "input"}  # names, addresses, columns
    ]
    assert texts
    for group, name in texts:
        with pytest.raises(UsageError, match=f"{group}.{name} = 'x': --deep does not open files"):
            check(style, {group: {name: "x"}})


def test_a_set_of_the_sample_is_made_of_the_sample(tmp_path, monkeypatch):
    """Whatever books are given: those of the user lack what the sample's own manifest says."""

    class Called(Exception):
        pass

    def make_task(**given):
        raise Called(given["train"], given["source"])

    monkeypatch.setattr(run_again_module, "make_task", make_task)
    style = find_style("scs-style")
    facts = replace(
        FACTS, style=style.name, settings=style.settings().model_dump(mode="json"), sample=True
    )
    release = SimpleNamespace(record=SimpleNamespace(facts=facts))
    with pytest.raises(Called) as called:
        run_again_module.rebuild(
            release, style, BooksFound(tmp_path, {}), tmp_path / "run", workers=1
        )
    assert called.value.args == ("", "")


def group_fields(model):
    return list(model.model_fields.items()) if model is not None else []
