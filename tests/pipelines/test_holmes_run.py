"""What a Holmes-style run makes: questions, candidates, published files, the paper's own set."""

import itertools
import json
import re
import shutil
from pathlib import Path

import pandas as pd
import pytest

from cloze_gen.api.run import make_task
from cloze_gen.formats.msr import format_human, format_lm, format_machine
from cloze_gen.formats.printed_tokens import rendered_tokens
from cloze_gen.pipelines.holmes_style import HolmesSettings, notes, warnings
from cloze_gen.pipelines.styles import load_settings, style_of
from cloze_gen.release.items.questions import QUESTION_ITEMS
from cloze_gen.store.runs import read_run, stage_artifact
from cloze_gen.store.tables import read_jsonl, read_parquet
from tests.conftest import SAMPLE


@pytest.fixture(scope="module")
def questions(finished):
    return list(read_jsonl(finished.release / "questions.jsonl"))


def test_the_published_formats(finished):
    asked = QUESTION_ITEMS.read(finished.release)
    chosen = QUESTION_ITEMS.read(stage_artifact(finished.folder, "choice").folder)
    assert asked != chosen
    assert sorted(asked, key=lambda one: one.id) == sorted(chosen, key=lambda one: one.id)
    for label, formatted in (
        ("machine", format_machine(asked)),
        ("human", format_human(asked)),
        ("lm", format_lm(asked)),
    ):
        for part, text in zip(("questions", "answers"), formatted, strict=True):
            path = finished.release / f"{finished.name}.{label}_format.{part}.txt"
            assert path.read_bytes() == text.encode("ascii")
            assert path.stat().st_size > 0


def test_questions_are_whole(questions):
    assert len(questions) >= 20
    assert len({question["id"] for question in questions}) == len(questions)
    for question in questions:
        assert re.fullmatch(r"[A-Za-z0-9._:-]+", question["id"])
        assert (
            question["tokens"][question["position"]]
            == question["answer"]
            == question["options"][question["answer_index"]]
        )
        assert len(set(question["options"])) == len(question["options"]) == 5
        assert not set(question["tokens"]) & set(question["options"]) - {question["answer"]}
        assert 6 <= len(question["tokens"]) <= 36
        assert question["tokens"][-1] == "."
        assert question["position"] < len(question["tokens"]) - 2
        source = question["source"]
        assert list(rendered_tokens(tuple(source["tokens"]))) == question["tokens"]
        assert source["tokens"][source["position"]] == question["answer"]
        assert (
            question["id"] == f"{source['book_id']}:{source['sentence_index']}:{source['position']}"
        )


def test_provenance_leads_to_the_raw_file(finished, questions):
    """The character span in the raw file holds the sentence's words in order."""
    (book,) = finished.corpus.source.glob("*.txt")
    raw = book.read_bytes().decode("utf-8-sig")
    for question in questions:
        marked = raw[question["source"]["start"] : question["source"]["end"]]
        # a footnote's mark is not part of the sentence
        span = re.sub(r"\[\d+\]|[^a-z0-9]", "", marked.lower())
        assert span == re.sub(r"[^a-z0-9]", "", question["source"]["text"].lower())


def test_every_option_is_rare_and_attested(finished, questions):
    """Answers and impostors obey the same limits: unequal ones leak the answer."""
    settings = json.loads((finished.folder / "run.json").read_text())["settings"]["focus"]
    for option in itertools.chain.from_iterable(
        question["option_scores"] for question in questions
    ):
        assert option["freq"] < settings["max_freq"]
        assert option["count"] >= settings["min_count"]


def test_what_lmplz_says_is_in_the_log(finished):
    path = finished.out / "logs" / "tiny.log"
    said = finished.outcome.err.splitlines()
    assert said[-2] == f"log: {path}"
    assert said[-1].startswith("tiny: done in ")
    heading, *lines = path.read_text(encoding="utf-8").splitlines()
    assert re.fullmatch(r"== \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC  cloze-gen \S+, tiny", heading)
    logged = [re.sub(r"^ *\d+\.\d s  ", "", line) for line in lines]
    # all but what is printed before the log is opened and after it is closed
    found = [line for line in said[:-1] if not line.startswith(("train: ", "source: "))]
    # two stages that end at once may stand in another order in the log
    assert sorted(line for line in logged if line in said) == sorted(found)
    assert any(line.startswith("lm: Unigram tokens ") for line in logged)
    assert not any("Unigram" in line for line in said)


def test_what_needs_no_model_is_done_while_it_is_estimated(finished):
    """Contexts and focus words are made beside `lmplz`, and once only."""
    said = finished.outcome.err
    for stage in ("contexts: ", "focus: "):
        assert said.count(f"\n{stage}") == 1
        assert said.index(f"\n{stage}") < said.index("n-grams of order 3")


# ---- as published

CONFIG = "holmes-2011"
# The embedded books are few: wider limits than the paper's, a small model, few questions.
SMALL = (
    "focus.max_freq=1e-3",
    "lm.discount_fallback=true",
    "lm.memory=256M",
    "choice.n_questions=20",
)


@pytest.fixture
def settings():
    return load_settings(HolmesSettings, CONFIG)


def test_it_is_found_by_its_name():
    """A built-in config that is neither a style nor a style's sample."""
    assert style_of(CONFIG).name == "holmes-style"
    task = make_task(
        config=CONFIG,
        train="a",
        source="b",
        name="",
        out=Path("nowhere"),
        workers=1,
        seed=1,
        overrides=(),
    )
    assert (task.style, task.config, task.run_name) == ("holmes-style", CONFIG, CONFIG)


def test_its_card_says_so(settings):
    """That no human groomed, and that no machine did; of a groomed set nothing of the kind."""
    facts = {"grooming": {}}
    (told,) = notes(settings, facts)
    assert told.startswith("unfiltered")
    assert "ambiguous" in warnings(settings.model_dump())[0]
    assert not any("unfiltered" in note for note in notes(HolmesSettings(), facts))
    assert warnings(HolmesSettings().model_dump()) == []


def test_what_readers_would_say_is_asked_where_the_choice_goes_by_it(
    cli,
):
    """A matched choice of ungroomed candidates is refused before anything is read."""
    done = cli("run", "holmes-style", "--set", "grooming.checks=articles", "--dry-run")
    assert done.status == 2
    assert 'Set choice.method = "random"' in done.err


@pytest.mark.slow
def test_of_its_steps_none_grooms(finished, cli, tmp_path):
    """No sentence falls after the screening, candidates by a/an alone; the release says what it is."""
    books = ("--train", finished.corpus.train, "--source", finished.corpus.source)
    changed = [word for setting in SMALL for word in ("--set", setting)]
    done = cli("run", CONFIG, *books, *changed, "--out", tmp_path / "out", "--workers", "1")
    assert done.status == 0, done.err
    run = tmp_path / "out" / "runs" / CONFIG
    grooming = stage_artifact(run, "grooming")
    assert not grooming.funnel["rejected"]
    assert list(grooming.facts["candidates_funnel"]["rejected"]) == ["candidate_breaks_a_an"]
    assert sum(1 for _ in read_jsonl(run / "release" / "questions.jsonl")) == 20
    assert "unfiltered" in (run / "release" / "README.md").read_text(encoding="utf-8")
    assert read_run(run)["style"] == "holmes-style"


# ---- more books

BOOK, SECOND = "the-clockmakers-debt", "zz-again"
SETTINGS = ("--set", "choice.n_questions=200")
TABLES = [
    ("focus", "focus.parquet"), ("focus", "rejected.parquet"), ("focus", "sentences.parquet"), ("alternates", "alternates"),
    ("forward", "items.parquet"), ("forward", "scored"), ("grooming", "decisions"), ("grooming", "items.parquet"),
]  # fmt: skip


@pytest.fixture(scope="module")
def more(finished, cli, tmp_path_factory):
    """The finished run beside one over its source book, other books, and excerpts of them all."""
    run = finished.copy(tmp_path_factory.mktemp("more") / "copy")
    source = run.corpus.folders[1]
    shutil.rmtree(source)
    shutil.copytree(SAMPLE / "source", source)
    texts = [path.read_text(encoding="utf-8") for path in sorted(source.iterdir())]
    excerpts = [text[len(text) // 2 : len(text) * 7 // 10].partition("\n\n")[2] for text in texts]
    (source / f"{SECOND}.txt").write_text("\n\n".join(excerpts), encoding="utf-8")
    outcome = cli(*run.call(*SETTINGS, "--set", "choice.method=random", name="loose"))
    assert outcome.status == 0, outcome.err
    return run


def of_book(out, run, stage, file, book=BOOK):
    table = read_parquet(stage_artifact(out / "runs" / run, stage).path(file)).to_pandas()
    table = table.astype({name: str for name in table if str(table[name].dtype) == "category"})
    return table[table["id"].str.startswith(f"{book}:")].reset_index(drop=True)


@pytest.mark.slow
def test_another_book_changes_no_candidate(finished, more):
    """Given the same counts and model, every verdict up to the choice is the record's own."""
    for stage, file in TABLES:
        alone = of_book(finished.out, finished.name, stage, file)
        assert len(alone) > 20
        pd.testing.assert_frame_equal(of_book(more.out, "loose", stage, file), alone)


@pytest.mark.slow
def test_no_sentence_is_printed_in_two_questions(more):
    """Of a sentence and its second printing one is asked; the other is told which."""
    loose = more.out / "runs" / "loose"
    records = list(read_jsonl(loose / "release" / "questions.jsonl"))
    printed = [tuple(record["tokens"]) for record in records]
    assert len(set(printed)) == len(printed) > 60
    rejected = read_parquet(stage_artifact(loose, "choice").path("rejected.parquet")).to_pandas()
    again = rejected[rejected["reason"].astype(str) == "sentence_printed_before"]
    assert len(again) > 20
    assert all(
        item.startswith(f"{SECOND}:") and not first.startswith(f"{SECOND}:")
        for item, first in zip(again["id"], again["detail"], strict=True)
    )
