"""Build the documentation as a static site with search: `make docs`.

    python scripts/build_site.py [--to site] [--pages DIR]

The pages are copied to a temporary folder, the reference is written there from the code, and Sphinx
builds the site. Warnings are errors: a dead link, a page that is missing, or one that is not in `NAV`.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable
from pathlib import Path, PurePosixPath

from reference import PAGES as REFERENCE
from reference import write_pages

ROOT = Path(__file__).resolve().parents[1]
DOCS = "docs"
PROJECT_PAGES = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md")
NAV = {
    "Tutorial": ("tutorial",),
    "How-to guides": tuple(
        f"how-to/{page}"
        for page in ("own-books", "book-formats", "few-books", "python", "cluster", "judging", "clean-set", "quiz", "publishing", "exams", "evaluating-models")
    ),
    "Reference": (*(f"reference/{name.removesuffix('.md')}" for name in REFERENCE), "benchmarks"),
    "Explanation": tuple(
        f"explanation/{page}"
        for page in ("holmes", "grooming", "matched-choice", "scs", "lambada", "scde", "papers", "alignment", "evaluation", "quality", "tagger", "architecture")
    ),
    "Project": tuple(name.removesuffix(".md") for name in PROJECT_PAGES),
}  # fmt: skip
_FENCED = re.compile(r"(^(?:```|~~~).*?^(?:```|~~~)$)", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^()\s]+)\)")
_SOURCE = re.compile(r'((?:src|href)=")([^"]+)(")')


def place_of(path: PurePosixPath) -> PurePosixPath | None:
    """Where a file of the repository is in the site; None if it is not there.

    >>> [str(place_of(PurePosixPath(name))) for name in ("docs/how-to/judging.md", "README.md", "src/a.py")]
    ['how-to/judging.md', 'README.md', 'None']
    """
    if path.parts[:1] == (DOCS,):
        return PurePosixPath(*path.parts[1:])
    return path if str(path) in PROJECT_PAGES else None


def site_text(
    text: str, page: PurePosixPath, *, exists: Callable[[PurePosixPath], bool], repository: str
) -> str:
    """A page with its links as the site needs them.

    A link to a file outside the site leads to the repository, if it has an address; else only its
    text is left.

    >>> links = "[a](../how-to/b.md#c) [code](../../src/a.py) [log](../../CHANGELOG.md) [top](#x)"
    >>> site_text(links, PurePosixPath("docs/explanation/x.md"), exists=lambda path: True, repository="")
    '[a](../how-to/b.md#c) code [log](../CHANGELOG.md) [top](#x)'
    """

    def target_of(target: str) -> str:
        """The new target; empty for a file outside the site."""
        path, hash_, anchor = target.partition("#")
        if not path or re.match(r"[a-z]+:", path):
            return target
        meant = PurePosixPath(os.path.normpath(page.parent / path))
        if not exists(meant):
            return target  # Sphinx reports it
        place, own = place_of(meant), place_of(page)
        if place is None or own is None:
            return f"{repository}/blob/main/{meant}" if repository else ""
        return os.path.relpath(place, own.parent) + hash_ + anchor

    def link(found: re.Match[str]) -> str:
        target = target_of(found[3])
        return f"{found[1]}[{found[2]}]({target})" if target else found[2]

    def source(found: re.Match[str]) -> str:
        return f"{found[1]}{target_of(found[2])}{found[3]}"

    parts = _FENCED.split(text)
    parts[::2] = [_SOURCE.sub(source, _LINK.sub(link, part)) for part in parts[::2]]
    return "".join(parts)


def navigation() -> str:
    groups = ("\n".join(pages) for pages in NAV.values())
    return "".join(
        f"\n```{{toctree}}\n:hidden:\n:caption: {title}\n\n{pages}\n```\n"
        for title, pages in zip(NAV, groups, strict=True)
    )


def copy_pages(pages: Path, folder: Path) -> None:
    """Copy `docs/` and the project's pages, with links for the site, and write the reference."""
    urls = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"].get(
        "urls", {}
    )
    repository = urls.get("Repository", "").rstrip("/")
    generated = {PurePosixPath(DOCS, "reference", name) for name in REFERENCE}

    def exists(path: PurePosixPath) -> bool:
        return path in generated or (pages / path).exists() or (ROOT / path).exists()

    shutil.copytree(pages / DOCS, folder, dirs_exist_ok=True)
    for path in [*sorted((pages / DOCS).rglob("*.md")), *(pages / name for name in PROJECT_PAGES)]:
        page = PurePosixPath(path.relative_to(pages).as_posix())
        place = place_of(page)
        assert place is not None
        text = site_text(
            path.read_text(encoding="utf-8"), page, exists=exists, repository=repository
        )
        text += navigation() if str(place) == "index.md" else ""
        (folder / place).write_text(text, encoding="utf-8")
    write_pages(folder / "reference")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--to", type=Path, default=ROOT / "site", metavar="DIR", help="folder of the site"
    )
    parser.add_argument(
        "--pages", type=Path, default=ROOT, metavar="DIR", help="folder with README.md and docs/"
    )
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "source"
        copy_pages(args.pages, source)
        command = [
            sys.executable,
            "-m",
            "sphinx",
            "--fail-on-warning",
            "--keep-going",
            "--fresh-env",
            "--quiet",
            "--jobs",
            "auto",
        ]
        shutil.rmtree(args.to, ignore_errors=True)
        status = subprocess.run(
            [*command, "-d", str(Path(folder) / "trees"), str(source), str(args.to)], check=False
        ).returncode
    if status == 0:
        print(f"{args.to}/index.html")
    return status


if __name__ == "__main__":
    sys.exit(main())
