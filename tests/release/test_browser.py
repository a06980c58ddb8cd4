"""The page in a real browser."""

import re
from dataclasses import replace

import pytest

from cloze_gen.release.export import to_print
from cloze_gen.release.html import render_report
from tests.formats.test_quiz import CHOICE, MATCHING, WRITTEN
from tests.judging.web.static.conftest import axe_findings, chromium  # noqa: F401 - a fixture
from tests.release.test_report_passages import ONE, of_blanked

pytestmark = pytest.mark.thorough

# Tells the width of the document in a frame of a given width, its folded parts opened.
WRAPPER = """<!doctype html><body><iframe id="page" src="{page}" style="width:{width}px;height:800px;border:0"></iframe><p id="found"></p>
<script>document.getElementById("page").onload = function () {{
  const inside = this.contentDocument;
  inside.querySelectorAll("details").forEach(one => one.open = true);
  const colours = getComputedStyle(inside.querySelector(".distribution td")).color + " on " + getComputedStyle(inside.body).backgroundColor;
  document.getElementById("found").textContent = "width " + inside.documentElement.scrollWidth + ", " + colours;
}};</script>"""


def test_it_opens_without_a_console_line_or_a_request(page, open_page, tmp_path):
    """A report prints nothing on the console and makes no requests."""
    file = tmp_path / "report.html"
    file.write_text(page, encoding="utf-8")
    opened = open_page(file)
    assert opened.console == ()
    assert opened.requests == ()
    assert opened.dom.count("<svg") == 7


def test_text_of_books_does_nothing(hostile_page, open_page, tmp_path):
    """Markup and template marks in titles, sentences, options and names are shown as they are."""
    file = tmp_path / "report.html"
    file.write_text(hostile_page, encoding="utf-8")
    opened = open_page(file)
    assert opened.console == ()
    assert opened.requests == ()
    assert opened.dom.count("<script") == 1
    assert "<img" not in opened.dom
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in opened.dom
    assert "{{ 7*7 }}" in opened.dom


def test_the_browser_would_tell(open_page, tmp_path):
    """The two tests above can fail: a page with a script and a picture from elsewhere is caught by
    both means.
    """
    file = tmp_path / "bad.html"
    file.write_text(
        '<!doctype html><img src="http://127.0.0.1:9/x.png"><script>console.log("here")</script>',
        encoding="utf-8",
    )
    opened = open_page(file)
    assert any('"here"' in line for line in opened.console)
    assert "http://127.0.0.1:9/x.png" in opened.requests


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize(
    ("scheme", "colours"),
    [
        ("1", "rgb(27, 31, 36) on rgb(255, 255, 255)"),
        ("0", "rgb(230, 235, 241) on rgb(18, 22, 28)"),
    ],
)
def test_it_fits_phone_and_desk_in_light_and_dark(
    width,
    scheme,
    colours,
    hostile_page,
    open_page,
    tmp_path,
):
    """Nothing reaches beyond the screen's edge, even unfolded, and letters take the page's
    colours.
    """
    file, wrapper = tmp_path / "report.html", tmp_path / "wrapper.html"
    file.write_text(hostile_page, encoding="utf-8")
    wrapper.write_text(WRAPPER.format(page=file.as_uri(), width=width), encoding="utf-8")
    opened = open_page(
        wrapper,
        "--hide-scrollbars",
        "--window-size=1400,900",
        f"--blink-settings=preferredColorScheme={scheme}",
    )
    assert f'<p id="found">width {width}, {colours}</p>' in opened.dom


# What axe does not check: tables that are cut without a sign, and a page wider than the screen. Takes
# the shadows of that sign away, so that axe measures the contrast of the tables.
CUT = """
() => {
  const found = [];
  for (const one of document.querySelectorAll("body *")) {
    const style = getComputedStyle(one), cut = one.scrollWidth > one.clientWidth + 1 && /auto|scroll/.test(style.overflowX);
    if (cut && !(one.tabIndex === 0 && style.backgroundImage.includes("gradient"))) found.push(`cut: ${one.outerHTML.slice(0, 80)}`);
  }
  if (document.documentElement.scrollWidth > innerWidth) found.push(`page of ${document.documentElement.scrollWidth} pixels`);
  for (const one of document.querySelectorAll(".scroll")) one.style.background = "none";
  return found;
}
"""


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_kind_of_page_can_be_read_by_everyone(
    width,
    scheme,
    data,
    hostile_page,
    passages,
    chromium,  # noqa: F811
    tmp_path,
):
    """With the keys open, for questions, both kinds of passages, pointers and the printed quiz; a
    bad page fails.
    """
    pages = {
        "questions": hostile_page,
        "passages": render_report(passages),
        "blanks": render_report(of_blanked(data, ONE)),
        "pointers": render_report(replace(data, samples=()), without_text=True),
        "quiz": to_print([CHOICE, MATCHING, WRITTEN], "Chapter 3").decode(),
        "bad": re.sub("--muted: #[0-9a-f]*", "--muted: #777777", hostile_page)
        .replace("<label>", "<b>")
        .replace("linear-gradient(", "none("),
    }
    context = chromium.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
    found = {}
    for name, text in pages.items():
        (tmp_path / f"{name}.html").write_text(text, encoding="utf-8")
        page = context.new_page()
        page.goto((tmp_path / f"{name}.html").as_uri())
        page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
        found[name] = page.evaluate(CUT) + axe_findings(page)
    context.close()
    bad = {one.partition(":")[0] for one in found.pop("bad")}
    assert bad >= {"label", "color-contrast"} | ({"cut"} if width == 390 else set())
    assert not any(found.values()), found


def test_the_filter_and_the_key_need_only_a_keyboard(
    data,
    chromium,  # noqa: F811
    tmp_path,
):
    """A search reads what is printed and not the key; Enter opens the key; nothing is refused."""
    one = data.samples[0]
    more = (
        replace(one, kind="noun"),
        replace(
            one, id="b:2:1", paragraphs=(("We drank it.",),), options=("tea", "ink"), kind="noun"
        ),
        replace(
            one, id="b:3:1", paragraphs=(("They will.",),), options=("go", "Rest"), kind="verb"
        ),
    )
    file = tmp_path / "report.html"
    file.write_text(render_report(replace(data, samples=more)), encoding="utf-8")
    page = chromium.new_page(viewport={"width": 390, "height": 800})
    printed = []
    page.on("console", lambda message: printed.append(message.text))
    page.goto(file.as_uri())

    def shown():
        items = page.locator(".samples > li")
        return [place for place in range(items.count()) if items.nth(place).is_visible()]

    def press_tab_to(selector):
        for _ in range(60):
            page.keyboard.press("Tab")
            if page.evaluate("(selector) => document.activeElement.matches(selector)", selector):
                return
        raise AssertionError(f"the Tab key never reaches {selector}")

    assert shown() == [0, 1, 2]
    press_tab_to("select[name=kind]")
    page.keyboard.type("verb")
    assert shown() == [2]
    assert page.locator("[role=status]").inner_text() == "1 of 3 shown"
    page.keyboard.press("Home")
    press_tab_to("input[name=text]")
    page.keyboard.type("  REST ")
    assert shown() == [2]
    page.keyboard.press("Control+a")
    page.keyboard.type("climbed the hill")  # the sentence with its answer is only in the keys
    assert shown() == []
    page.keyboard.press("Enter")
    page.keyboard.press("Control+a")
    page.keyboard.type("tea")
    assert shown() == [1]
    press_tab_to("summary")
    key = page.locator(".samples > li:visible .key dl")
    assert not key.is_visible()
    page.keyboard.press("Enter")
    assert key.is_visible()
    assert printed == []
    page.close()


@pytest.mark.slow
def test_a_hostile_book_goes_through_the_whole_pipeline(corpus, cli, open_page, tmp_path):
    """A book whose text, title and file name are markup ends as text in the report of its run."""
    (original,) = corpus.source.glob("*.txt")
    text = original.read_text(encoding="utf-8-sig")
    # more of them, and the book is taken for a page of the web
    spiked = text.replace(", ", ", <script>alert(1)</script> {{ 7*7 }} ", 3)
    original.unlink()
    name = "<img src=x onerror=alert(1)> {{ 7*7 }}.txt"
    (corpus.source / name).write_text(spiked, encoding="utf-8")
    manifest = (
        "file\tbook_id\ttitle\n" + f"{name}\tspiked\t<script>alert(2)</script>{{{{ 6*7 }}}}\n"
    )
    (corpus.source / "manifest.tsv").write_text(manifest, encoding="utf-8")
    outcome = cli(
        "run",
        *corpus.options,
        "--set",
        "choice.n_questions=400",
        "--out",
        tmp_path / "out",
        "--workers",
        "1",
    )
    assert outcome.status == 0, outcome.err
    (page,) = tmp_path.glob("out/runs/*/release/report.html")
    text = page.read_text(encoding="utf-8")
    assert "&lt;script&gt;alert(2)&lt;/script&gt;{{ 6*7 }}" in text
    assert "&lt;img src=x onerror=alert(1)&gt; {{ 7*7 }}.txt" in text
    opened = open_page(page)
    assert opened.console == ()
    assert opened.requests == ()
    assert opened.dom.count("<script") == 1
    assert "<img" not in opened.dom
