"""A report's data made by hand, and pages opened in headless Chromium."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import dataclass, replace

import pytest

from cloze_gen.evaluation.passages import PassageEvaluation, PassageRow
from cloze_gen.evaluation.questions import QuestionEvaluation, QuestionRow
from cloze_gen.records.rejection import FunnelStep
from cloze_gen.release.html import render_report
from cloze_gen.release.paper_figures import (
    PaperFigure,
    PaperTable,
    PassageFigure,
    PassageTable,
    SetFigures,
)
from cloze_gen.release.report_data import AuditTable, ReportData, StageRow
from cloze_gen.release.report_passages import Analysis, Measure, PassageFigures
from cloze_gen.release.samples import Gap, Sample

TABLE = PaperTable(
    "Zweig & Burges 2011, Table 1",
    1040,
    (PaperFigure("Human", 0.91, "human"), PaperFigure("Smoothed 4-gram", 0.39, "smoothed-4gram")),
)

# Without these, Chromium sends requests to its maker's hosts; what is left of that is
# refused by the resolver rule.
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--allow-file-access-from-files", "--host-resolver-rules=MAP * ~NOTFOUND",
         "--enable-logging=stderr")  # fmt: skip
HOSTILE = (
    "<script>alert(1)</script>",
    "{{ 7*7 }}",
    "{% raw %}",
    '"><img src=http://127.0.0.1:9/x onerror=alert(1)>',
    "a & b 'c'",
    "$x^2$ \u6f22\u5b57",
)


def question_row(name, kind, accuracy, low, high, n=40, **more):
    return QuestionRow(
        name=name, kind=kind, accuracy=accuracy, low=low, high=high, n=n, chance=0.2, **more
    )


@dataclass(frozen=True, slots=True)
class Opened:
    """A page in Chromium: `dom` as text, `console` lines, `requests` that the page made."""

    dom: str
    console: tuple[str, ...]
    requests: tuple[str, ...]


@pytest.fixture(scope="session")
def open_page(tmp_path_factory):
    """Open a file in headless Chromium; skips where there is none."""
    program = (
        shutil.which("chromium")
        or shutil.which("chromium-browser")
        or shutil.which("google-chrome")
    )
    if program is None:
        pytest.skip(
            "no Chromium here (Debian: apt-get install chromium): the page was not opened in "
            "a browser"
        )

    def opened(page, *flags):
        place = tmp_path_factory.mktemp("chromium")
        log = place / "net.json"
        command = [
            program,
            *FLAGS,
            f"--user-data-dir={place / 'profile'}",
            f"--log-net-log={log}",
            *flags,
            "--dump-dom",
            page.as_uri(),
        ]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
        events = json.loads(log.read_text(encoding="utf-8"))["events"]
        started = [
            event["params"]
            for event in events
            if "url" in event.get("params", {}) and "initiator" in event["params"]
        ]
        requested = {params["url"] for params in started if params["initiator"] != "not an origin"}
        return Opened(
            done.stdout,
            tuple(line for line in done.stderr.splitlines() if ":CONSOLE:" in line),
            tuple(sorted(requested)),
        )

    return opened


@pytest.fixture(scope="session")
def evaluation():
    """Baselines of the paper's and of others, and a rule of each kind."""
    return QuestionEvaluation(signature="sig|n:40", n=40, chance=0.2, baselines=(
        question_row("adversary-scores", "adversary", 0.45, 0.31, 0.6, family="trees", folds="item"),
        question_row("lsa", "baseline", 0.5, 0.35, 0.65),
        question_row("mine", "baseline", 0.25, 0.14, 0.4),
        question_row("most-frequent", "balanced", 0.2, 0.1, 0.35),
        question_row("odd-tag-out", "bias", 0.3, 0.2, 0.45),
    ))  # fmt: skip


@pytest.fixture(scope="session")
def data(evaluation):
    """A small report with something in every place."""
    sample = Sample(
        id="b:1:2", book="A Book", paragraphs=(("He climbed the ", Gap("blank"), "."),), options=("hill", "sea"), answer="a) hill",
        quotation=("He climbed the hill.", "", ""), facts=(("raw file", "b.txt, characters 0 to 20"), ("candidates, fit", "sea, lake")),
        score_columns=("word", "freq"), scores=(("hill", "1e-05"), ("sea", "2e-05")), answer_row=0,
    )  # fmt: skip
    return ReportData(
        name="mine", paper=TABLE, signature="cloze-gen|n:40", seed=1, n_questions=40, n_wanted=50, n_options=2,
        steps=(FunnelStep("focus", "words", 100, 40, {"word_frequent": 55, "word_without_two_predecessors": 5}),),
        answer_freqs=(1e-5, 2e-5, 0.0), impostor_freqs=(2e-5, 4e-5, 9e-5), sentence_tokens=(7, 9, 9, 30), answer_positions=(20, 20),
        blank_places=(0.1, 0.5, 0.9), books=(("b", "A Book", 40),), evaluation=evaluation, samples=(sample,),
        audits=(AuditTable("source", ("book_id", "encoding"), (("b", "ascii"),), 0),), stages=(StageRow("01-focus", "00ff", "rows 40"),),
        settings=(("lm.order", "3"),), overrides=("lm.order=3",), warnings=("A warning.",),
    )  # fmt: skip


@pytest.fixture(scope="session")
def hostile(data):
    """A report in which every text from a book, file name or user is markup."""
    script, braces, block, image, marks, dollars = HOSTILE
    sample = replace(
        data.samples[0], id=script, book=image, about=(dollars, script), paragraphs=((f"{script} ", Gap(script, image), f" {braces}"),),
        options=(image, block), answer=script, quotation=(script, image, braces), facts=((marks, script), (block, script)),
        scores=((script, dollars), (image, "1")),
    )  # fmt: skip
    evil = question_row(f"{script}{dollars}", "baseline", 0.5, 0.4, 0.6)
    assert data.evaluation is not None
    return replace(
        data, signature=f"{script}{braces}", books=((script, braces, 3), (image, dollars, 1)), samples=(sample,), overrides=(script,),
        steps=(FunnelStep(script, braces, 2, 1, {image: 1}),), warnings=(f"Leak: {image}",),
        audits=(AuditTable(script, (block, image), ((script * 3, braces), (image, dollars)), 1),), settings=((braces, script),),
        stages=(StageRow(script, braces, image),), evaluation=data.evaluation.model_copy(update={"baselines": (evil,), "signature": image}),
    )  # fmt: skip


@pytest.fixture(scope="session")
def page(data):
    """The page of `data`, drawn once."""
    return render_report(data)


@pytest.fixture(scope="session")
def hostile_page(hostile):
    """The page of `hostile`, drawn once."""
    return render_report(hostile)


@pytest.fixture(scope="session")
def passages(data):
    """A small report of passages with something in every place."""
    measures = (
        Measure("tokens", False, 83.5, 83.8, 75.4, None),
        Measure("PN", True, 0.5, 0.2, 0.48, None),
        Measure("CN", True, 0.5, 0.8, 0.37, None),
        Measure("direct speech", True, 0.7, None, 0.71, 0.61),
    )
    sample = Sample(
        id="b:7", book="A Book", kind="test", about=("Mystery", "test"), paragraphs=(("Who hid? It was ", Gap("target")),),
        quotation=("Who hid? It was ", "Ann", "."), facts=(("published form", "who hid ? it was ann"), ("P(target), ngram", "0.001")),
    )  # fmt: skip
    figures = ("accuracy", "low", "high", "perplexity", "median_rank", "coverage")
    model = {"name": "n-gram", "kind": "model", "correct": None}
    rows = (
        PassageRow(
            set="passages", n=40, **model, **dict(zip(figures, (0.0, 0.0, 0.09, 3125.5, 993.0, 0.9), strict=True))
        ),
        PassageRow(
            set="control", n=9, **model, **dict(zip(figures, (0.2, 0.1, 0.4, 285.0, 17.0, 0.9), strict=True))
        ),
        PassageRow(
            name="last name", set="passages", kind="rule", n=40, correct=None, note="in small letters", **dict.fromkeys(figures)
        ),
    )  # fmt: skip
    of_paper = (
        PassageFigure("N-gram", "n-gram", SetFigures(0.001, 3125, 993), SetFigures(0.191, 285, 17)),
        PassageFigure("RNN", "", SetFigures(0, 14725, 7831), SetFigures(0.154, 277, 24)),
    )
    figures = PassageFigures(
        tokens=(70, 80, 120),
        analysis=Analysis("Paperno et al. 2016, 3.2", 40, 99, measures),
        evaluation=PassageEvaluation(signature="sig|n:40", n=49, baselines=rows),
        paper=PassageTable("Paperno et al. 2016, Table 1", of_paper),
    )
    step = FunnelStep(
        "committee", "passages", 100, 40, {"guessed_by_ngram": 60}, {"ngram": 0.4, "cache": 0.55}
    )
    return replace(
        data, noun="passage", kind_label="Split", paper=None, evaluation=None, samples=(sample,), n_options=0, answer_freqs=(), impostor_freqs=(), sentence_tokens=(),
        answer_positions=(), blank_places=(), steps=(step,), passages=figures,
    )  # fmt: skip
