"""The page in a real browser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.thorough

# Tells the width of the document in a frame of a given width, its folded parts opened.
WRAPPER = """<!doctype html><body><iframe id="page" src="{page}" style="width:{width}px;height:800px;border:0"></iframe><p id="found"></p>
<script>document.getElementById("page").onload = function () {{
  const inside = this.contentDocument;
  inside.querySelectorAll("details").forEach(one => one.open = true);
  const colours = getComputedStyle(inside.querySelector("figure svg text")).fill + " on " + getComputedStyle(inside.body).backgroundColor;
  document.getElementById("found").textContent = "width " + inside.documentElement.scrollWidth + ", " + colours;
}};</script>"""


def test_it_opens_without_a_console_line_or_a_request(
    page: str, open_page: Callable[..., Any], tmp_path: Path
) -> None:
    """A report prints nothing on the console and makes no requests."""
    file = tmp_path / "report.html"
    file.write_text(page, encoding="utf-8")
    opened = open_page(file)
    assert opened.console == ()
    assert opened.requests == ()
    assert opened.dom.count("<svg") == 8


def test_text_of_books_does_nothing(
    hostile_page: str, open_page: Callable[..., Any], tmp_path: Path
) -> None:
    """Markup and template marks in titles, sentences, options and names are shown as they are."""
    file = tmp_path / "report.html"
    file.write_text(hostile_page, encoding="utf-8")
    opened = open_page(file)
    assert opened.console == ()
    assert opened.requests == ()
    assert "<script" not in opened.dom
    assert "<img" not in opened.dom
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in opened.dom
    assert "{{ 7*7 }}" in opened.dom


def test_the_browser_would_tell(open_page: Callable[..., Any], tmp_path: Path) -> None:
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
    width: int,
    scheme: str,
    colours: str,
    hostile_page: str,
    open_page: Callable[..., Any],
    tmp_path: Path,
) -> None:
    """Nothing reaches beyond the screen's edge, even unfolded, and the plots' letters take the
    page's colours.
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


@pytest.mark.slow
def test_a_hostile_book_goes_through_the_whole_pipeline(
    corpus: Any, cli: Callable[..., Any], open_page: Callable[..., Any], tmp_path: Path
) -> None:
    """A book whose text, title and file name are markup ends as text in the report of its run."""
    (original,) = corpus.source.glob("*.txt")
    text = original.read_text(encoding="utf-8-sig")
    spiked = text.replace(
        ", ", ", <script>alert(1)</script> {{ 7*7 }} ", 3
    )  # more of them, and the book is taken for a page of the web
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
    assert "<script" not in opened.dom
    assert "<img" not in opened.dom
