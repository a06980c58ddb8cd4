"""The report's page: its text, its escaping, and no external requests."""

from __future__ import annotations

import base64
import hashlib
import html.parser
import re
from dataclasses import replace

from cloze_gen.evaluation.blank_baselines import BLANK_BASELINES
from cloze_gen.evaluation.candidates import rules_for
from cloze_gen.evaluation.passage_baselines import PASSAGE_BASELINES
from cloze_gen.evaluation.passages import PassageEvaluation, PassageRow
from cloze_gen.evaluation.questions import word_baselines
from cloze_gen.recipes.lambada import analysis
from cloze_gen.recipes.scde import statistics
from cloze_gen.release.html import render_report
from cloze_gen.release.report_passages import Analysis, Measure
from cloze_gen.release.row_legends import row_legend
from tests.release.conftest import HOSTILE, question_row

VOID = {"meta", "link", "br", "img", "hr", "input", "path"}


class Page(html.parser.HTMLParser):
    """Elements, ids, links and unclosed tags of a page."""

    def __init__(self, text):
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.astray: list[str] = []
        self.text: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.astray.append(tag)

    def handle_data(self, data):
        self.text.append(data)

    def all(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]


def test_every_section_is_there(page):
    shown = Page(page)
    assert [one["id"] for one in shown.all("section")] == [
        "samples", "verdict", "adversary", "funnel", "distributions", "baselines", "rules", "books", "settings",
    ]  # fmt: skip
    text = " ".join("".join(shown.text).split())
    for part in (
        "cloze-gen|n:40",
        "The run requested 50",
        "word frequent",
        "Zweig & Burges 2011, Table 1",
        "He climbed the",
        "A warning.",
        "lm.order",
    ):
        assert part in text


def test_an_unmeasured_set_says_how_to_measure_it(page, data):
    bare = render_report(replace(data, evaluation=None))
    for shown, measured in ((page, True), (bare, False)):
        section = shown[
            shown.index('<section id="adversary"') : shown.index('<section id="funnel"')
        ]
        assert ("Not measured yet" in section) != measured
        assert ("adversary-scores" in section) == measured


def test_human_accuracy_is_in_the_paper_s_row(data):
    assert data.evaluation is not None
    row = question_row("human", "human", 0.875, 0.8, 0.95, note="3 judges, 120 verdicts")
    shown = render_report(
        replace(
            data,
            evaluation=data.evaluation.model_copy(
                update={"baselines": (*data.evaluation.baselines, row)}
            ),
        )
    )
    text = " ".join(
        "".join(
            Page(shown[shown.index('id="baselines"') : shown.index('<section id="rules"')]).text
        ).split()
    )
    assert "Humanpeople who answered the items of a study87.5 %80.0 to 95.0-4091 %" in text
    assert "Human: 3 judges, 120 verdicts." in text
    assert "for people, bootstrap over questions" in text
    assert "Human" not in shown[shown.index('<section id="rules"') :]


def test_equal_data_give_equal_bytes(data, page):
    """Nothing of the page depends on the clock, on chance or on what was drawn before."""
    assert render_report(replace(data, name="another", seed=data.seed + 1)) != page
    assert page == render_report(replace(data))


def test_the_page_makes_no_requests(page):
    """The only addresses are XML namespaces and anchors."""
    shown = Page(page)
    for tag, attributes in shown.elements:
        for name in ("src", "srcset", "href", "xlink:href", "action", "data", "poster"):
            value = attributes.get(name)
            assert value is None or value.startswith("#") or value == "data:,", (
                f"{tag} {name}={value}"
            )
    assert "url(http" not in page
    assert "@import" not in page


def test_only_our_script_can_run(page, hostile_page):
    """The policy names the hash of the one script, which is the same on every page."""
    scripts = re.findall(r"<script[^>]*>(.*?)</script>", hostile_page, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(scripts[0].encode()).digest()).decode()
    assert scripts == re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    policy = Page(hostile_page).all("meta")[2]["content"] or ""
    assert "default-src 'none'" in policy
    assert re.findall(r"script-src ([^;]*);", policy) == [f"'sha256-{digest}'"]


def test_questions_come_first_and_keep_their_key(data):
    """The filter offers each value once, as text; before the key is opened nothing names it."""
    shown = replace(data.samples[0], book='B"><b>', kind="noun")
    more = (
        shown,
        replace(shown, id="b:2:1", book="A"),
        replace(data.samples[0], kind="verb"),
    )
    page = render_report(replace(data, samples=more))
    section = page[page.index("<main") : page.index('<section id="verdict"')]
    parsed = Page(section[section.index("<section") :])
    assert [one["name"] for one in parsed.all("select")] == ["kind", "book"]
    assert len(parsed.all("option")) == 1 + 2 + 1 + 3
    assert [one["data-book"] for one in parsed.all("li") if "data-book" in one] == [
        'B"><b>',
        "A",
        "A Book",
    ]
    assert not parsed.all("b")
    before_the_key = section[: section.index('<details class="key">')]
    assert "hill" in before_the_key
    assert "<strong>" not in before_the_key
    assert "climbed the hill" not in before_the_key
    assert all("open" not in one for one in parsed.all("details"))


def test_a_release_of_pointers_says_how_to_get_its_questions(data):
    page = render_report(replace(data, samples=()), without_text=True)
    text = " ".join("".join(Page(page).text).split())
    assert "cloze-gen fill PATH/OF/THIS/FOLDER --books FOLDER/OF/THE/BOOKS" in text
    assert "climbed" not in page
    assert not Page(page).all("select")


def test_every_row_is_explained():
    """A new baseline, rule or measure needs a line; an unknown name counts as the user's."""
    names = [
        *(one.name for one in (*word_baselines(5), *PASSAGE_BASELINES, *BLANK_BASELINES, *rules_for(7))), *analysis.PAPER, *analysis.CLASSES,
        *statistics.PAPER, "human",
    ]  # fmt: skip
    assert [name for name in names if row_legend(name) == row_legend("mine")] == []


def test_text_of_books_stays_text(page, hostile_page):
    shown = Page(hostile_page)
    assert {tag for tag, _ in shown.elements} <= {tag for tag, _ in Page(page).elements}
    assert not any(name.startswith("on") for _, attributes in shown.elements for name in attributes)
    text = "".join(shown.text)
    assert "<script>alert(1)</script>" in text
    assert "{{ 7*7 }}" in text
    assert "49" not in text.split("drawn with seed")[1].split("Verdict")[0]


def test_the_page_is_well_formed(page, hostile_page):
    """Tags nest, ids are there once, links within the page lead somewhere."""
    for text in (page, hostile_page):
        shown = Page(text)
        assert shown.astray == []
        assert shown.open == []
        ids = [attributes["id"] for _, attributes in shown.elements if "id" in attributes]
        assert len(ids) == len(set(ids))
        links = {
            attributes.get(name) or ""
            for _, attributes in shown.elements
            for name in ("href", "xlink:href")
        }
        assert {link[1:] for link in links if link.startswith("#")} <= set(ids)
        assert {
            attributes["aria-labelledby"]
            for _, attributes in shown.elements
            if "aria-labelledby" in attributes
        } <= set(ids)


def test_pictures_and_tables_are_accessible(page):
    """A picture repeats figures of its row, so readers skip it; distributions are tables."""
    shown = Page(page)
    assert shown.all("svg")
    assert all(one.get("aria-hidden") == "true" for one in shown.all("svg"))
    assert [one.get("class") for one in shown.all("table")].count("distribution") == 4
    assert len(shown.all("thead")) == len(shown.all("table"))
    assert all(one.get("scope") in {"col", "row"} for one in shown.all("th"))
    assert shown.all("html")[0]["lang"] == "en"
    assert len(shown.all("h1")) == 1


def test_what_is_missing_is_left_out(data):
    """A style without options, scores, an evaluation or a paper's table still has its page."""
    bare = replace(
        data, paper=None, n_options=0, answer_freqs=(), impostor_freqs=(), sentence_tokens=(), answer_positions=(),
        blank_places=(), books=(), evaluation=None, samples=(), audits=(), overrides=(), warnings=(),
    )  # fmt: skip
    page = Page(render_report(bare))
    assert [one["id"] for one in page.all("section")] == [
        "samples", "verdict", "funnel", "baselines", "settings",
    ]  # fmt: skip
    assert "The set has no questions." in "".join(page.text)
    assert "distribution" not in [one.get("class") for one in page.all("table")]
    assert "cloze-gen evaluate mine" in "".join(page.text)


def test_an_unmeasured_set_shows_the_paper_s_figures(data):
    """Before an evaluation the paper's own figures are shown, and named as the paper's."""
    text = " ".join("".join(Page(render_report(replace(data, evaluation=None))).text).split())
    assert "Not measured yet" in text
    assert "91 %" in text
    assert "95 %" not in text


def test_a_page_of_passages_has_no_questions(passages):
    shown = Page(render_report(passages))
    assert [one["id"] for one in shown.all("section")] == [
        "samples",
        "verdict",
        "funnel",
        "distributions",
        "analysis",
        "baselines",
        "books",
        "settings",
    ]
    text = " ".join("".join(shown.text).split())
    assert "question" not in text.lower()
    for part in (
        "40 passages, from 1 book", "kept by cache alone 55.0 %", "Paperno et al. 2016, 3.2", "Paperno et al. 2016, Table 1",
        "who hid ? it was ann", "P(target), ngram", "Passages by book",
    ):  # fmt: skip
        assert part in text.replace("alone55", "alone 55")
    assert [one.get("class") for one in shown.all("table")].count("distribution") == 1
    assert all(one.get("scope") in {"col", "row"} for one in shown.all("th"))


def test_the_two_sets_share_a_table(passages):
    page = render_report(passages)
    section = page[page.index('<section id="baselines"') : page.index('<section id="books"')]
    head, *rows = [
        Page(row).text
        for row in section[section.index("<table") : section.index("</table>")].split("<tr>")[1:]
    ]
    cells = [[cell for cell in row if cell.strip()] for row in rows]
    assert [row.pop(1) for row in cells] == [
        "a 5-gram model of the training novels", "a method of the paper", "takes the last name of the context",
    ]  # fmt: skip
    assert {len(row) for row in cells} == {len([cell for cell in head if cell.strip()])} == {17}
    assert cells[0] == ["N-gram", "0.0", "0.0 to 9.0", "-", "3,126", "993", "0.1", "3,125", "993",
                        "20.0", "10.0 to 40.0", "-", "285", "17", "19.1", "285", "17"]  # fmt: skip
    assert cells[1] == ["RNN", *"-----", "0.0", "14,725", "7,831", *"-----", "15.4", "277", "24"]
    assert cells[2] == ["last name", *"-" * 16]


def test_hostile_passages_stay_text(passages):
    """A measure's and a baseline's name hold no element."""
    script, image, dollars = HOSTILE[0], HOSTILE[3], HOSTILE[5]
    assert passages.passages is not None
    row = PassageRow(
        name=f"{script}{dollars}", set="control", kind="model", n=1, correct=None, accuracy=0.5, low=0.4, high=0.6,
        perplexity=1.0, median_rank=1.0, coverage=1.0, note=image,
    )  # fmt: skip
    analysis = Analysis(script, 1, 1, (Measure(image, True, 0.1, 0.1, None, None),))
    evil = replace(
        passages.passages,
        evaluation=PassageEvaluation(signature=image, n=1, baselines=(row,)),
        analysis=analysis,
    )
    steps = (replace(passages.steps[0], survival={script: 0.5}),)
    shown, harmless = (
        Page(render_report(replace(passages, passages=evil, steps=steps))),
        Page(render_report(passages)),
    )
    assert shown.astray == shown.open == []
    assert {tag for tag, _ in shown.elements} <= {tag for tag, _ in harmless.elements}
    assert not any(name.startswith("on") for _, attributes in shown.elements for name in attributes)
    assert "<script>alert(1)</script>" in "".join(shown.text)
    assert "49" not in "".join(shown.text).split("drawn with seed")[1].split("Verdict")[0]


def test_passages_without_an_evaluation_have_a_page(passages):
    """Without an analysis, an evaluation or a single passage; the paper's own figures stay."""
    assert passages.passages is not None
    bare = replace(
        passages,
        passages=replace(passages.passages, tokens=(), analysis=None, evaluation=None),
        samples=(),
        books=(),
    )
    page = Page(render_report(bare))
    assert [one["id"] for one in page.all("section")] == [
        "samples",
        "verdict",
        "funnel",
        "baselines",
        "books",
        "settings",
    ]
    text = " ".join("".join(page.text).split())
    assert "cloze-gen evaluate mine" in text
    assert "14,725" in text
