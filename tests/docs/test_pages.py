"""Links, pictures, tables and versions on the pages are correct."""

import re
import subprocess
import sys
import tomllib

import pytest

from cloze_gen import __version__
from tests.conftest import ROOT

PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
_FENCED = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[[^\]]*\]\(([^()\s]+)\)")


def dead_links(text, page):
    """Links of a page to files or headings that do not exist."""
    wrong = []
    for target in _LINK.findall(_FENCED.sub("", text)):
        name, _, anchor = target.partition("#")
        if ":" in target:
            continue
        file = page.parent / name if name else page
        if not file.exists():
            wrong.append(target)
        elif anchor:
            linked = text if file == page else file.read_text(encoding="utf-8")
            if anchor not in anchors(linked):
                wrong.append(target)
    return wrong


def anchors(text):
    """The anchors of a page: those of its headings, numbered from the second on, and named ones."""
    found = set(re.findall(r'<a id="([^"]+)">', text))
    times = {}
    for title in re.findall(r"^#+ +(.*?) *#*$", _FENCED.sub("", text), re.MULTILINE):
        slug = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        number = times.setdefault(slug, 0)
        found.add(f"{slug}-{number}" if number else slug)
        times[slug] += 1
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page):
    assert dead_links(page.read_text(encoding="utf-8"), page) == []


@pytest.mark.parametrize(
    "target",
    ["docs/nowhere.md", "docs/tutorial.md#nowhere", "#nowhere"],
)
def test_dead_link_is_found(target):
    """A page that does not exist; a heading that does not, on another page and on this one."""
    right = "[this](docs/explanation/architecture.md#packages)"
    assert dead_links(f"# Page\n{right} [other]({target})\n", ROOT / "README.md") == [target]


def test_every_picture_is_shown():
    text = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    pictures = (*(ROOT / "docs" / "pictures").iterdir(), *(ROOT / "docs" / "figures").glob("*.svg"))
    assert [path.name for path in pictures if f"/{path.name})" not in text] == []


@pytest.mark.slow
def test_quality_page_shows_the_tables_of_the_readings():
    """Every table that the program prints."""
    program = [sys.executable, ROOT / "benchmarks" / "readings.py"]
    printed = subprocess.run(program, capture_output=True, text=True, check=True)
    page = (ROOT / "docs" / "explanation" / "quality.md").read_text(encoding="utf-8")
    tables = printed.stdout.strip().split("\n\n")
    assert [table for table in tables if table not in page] == []


def test_the_version_is_the_same_everywhere():
    """Package, pyproject.toml, citation and the wheel that the README installs."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert project["version"] == __version__
    assert f"\nversion: {__version__}\n" in citation
    wheels = re.findall(r"cloze_gen-([\d.]+)-py3", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert set(wheels) == {__version__}
