"""The pages of the site: where they are, and where their links lead."""

from __future__ import annotations

import re
import sys
from pathlib import Path, PurePosixPath

import pytest

SCRIPTS = Path(__file__).parents[2] / "scripts"
sys.path.insert(0, str(SCRIPTS))
import build_site  # noqa: E402

REPOSITORY = "https://example.org/cloze-gen"


@pytest.mark.parametrize(
    ("page", "text", "expected"),
    [
        ("README.md", "[a](docs/how-to/judging.md#start)", "[a](how-to/judging.md#start)"),
        ("docs/how-to/x.md", "[a](judging.md)", "[a](judging.md)"),
        ("docs/how-to/x.md", "[a](../../README.md)", "[a](../README.md)"),
        ("docs/x.md", "![A picture](pictures/a.png)", "![A picture](pictures/a.png)"),
        ("README.md", '<img src="docs/pictures/a.png">', '<img src="pictures/a.png">'),
        ("docs/x.md", "[code](../src/a.py) and [web](https://example.org)", "code and [web](https://example.org)"),
        ("docs/x.md", "[top](#top)", "[top](#top)"),
        ("docs/x.md", "```\n[a](../README.md)\n```\n", "```\n[a](../README.md)\n```\n"),
    ],
)  # fmt: skip
def test_links_lead_to_the_same_page(page: str, text: str, expected: str) -> None:
    changed = build_site.site_text(
        text, PurePosixPath(page), exists=lambda path: True, repository=""
    )
    assert changed == expected


def test_code_is_linked_to_the_repository_if_it_has_an_address() -> None:
    text = build_site.site_text(
        "[a](../src/a.py)", PurePosixPath("docs/x.md"), exists=lambda path: True, repository=REPOSITORY
    )  # fmt: skip
    assert text == f"[a]({REPOSITORY}/blob/main/src/a.py)"


def test_a_dead_link_is_left_for_sphinx() -> None:
    text = "[a](gone.md) [b](../src/gone.py)"
    page = PurePosixPath("docs/x.md")
    assert build_site.site_text(text, page, exists=lambda path: False, repository="") == text


def test_each_page_is_once_in_the_navigation() -> None:
    pages = [page for group in build_site.NAV.values() for page in group]
    assert len(pages) == len(set(pages))
    assert re.findall(r"^[\w/-]+$", build_site.navigation(), re.MULTILINE) == pages
