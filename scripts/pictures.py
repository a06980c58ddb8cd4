"""Make the pictures of a report that the pages show, `docs/pictures/*.png`: of the sample's run, as
a browser draws them.

    .venv/bin/python scripts/pictures.py [--report FILE] [--to DIR]

Without a report the sample is run, which takes half a minute. It needs Chromium (Debian, Ubuntu:
apt-get install chromium). Fonts differ from machine to machine, so the bytes do too. No picture
shows a signature or an accuracy, which change with every version.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from PIL import Image, ImageChops

PICTURES = Path(__file__).parents[1] / "docs" / "pictures"
STYLE = RUN = "holmes-style"
# the one that is shown; README.md has its trace, which CI compares with a run
QUESTION = "the-lost-luggage-of-penny-cross:70:2"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
# Alone with the page: no host is asked, nothing of an earlier call is known.
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--hide-scrollbars", "--host-resolver-rules=MAP * ~NOTFOUND",
    "--blink-settings=preferredColorScheme=1", "--force-device-scale-factor=1.5",
)  # fmt: skip
COLOURS = 64  # of the palette: a page has few
MARGIN = 24  # pixels left around what is drawn
MOST_BYTES = 300 * 1024  # of all pictures together

# Of the page, one section alone, without the line above it.
ALONE = (
    "header, nav, footer, section:not(#{0}) {{ display: none }} #{0} {{ border: 0; margin: 0; "
    "padding: 0 }} {1}"
)
# Of a question's trace, what needs no explanation: the place in the book and the candidates.
OTHER_FACTS = re.compile(r"<dt>(?!raw file|candidates,)[^<]*</dt><dd>.*?</dd>", re.DOTALL)


@dataclass(frozen=True)
class View:
    """A part of the report.

    Attributes:
        section: the id of the one section that is shown.
        css: hides parts of the section; `NUMBER` is the place of `QUESTION` among the sample
            questions.
        width: of the window in CSS pixels; the height is ample, and what is empty is cut away.
    """

    name: str
    section: str
    css: str
    width: int


VIEWS = (
    View("funnel", "funnel", "#funnel > :not(h2, .plot, figure) { display: none }", 640),
    View(
        "question",
        "samples",
        "#samples > :not(ol), .samples > li:not(:nth-child(NUMBER)), .samples .muted, "
        ".samples .scroll { display: none }",
        900,
    ),
)


def find_browser() -> str:
    """The path of a browser; ends the program with a word where there is none."""
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        sys.exit(
            f"no browser here: none of {', '.join(BROWSERS)} is on the PATH. Debian, Ubuntu: "
            "apt-get install chromium"
        )
    return found


def make_report(out: Path) -> Path:
    """The report of the sample, run into an output folder."""
    subprocess.run([sys.executable, "-m", "cloze_gen", "run", STYLE, "--out", str(out)], check=True)
    return out / "runs" / RUN / "release" / "report.html"


def place_of(question: str, report: str) -> int:
    """The place of a question among those that the report shows, from 1; ends the program with a
    word where it is none of them.
    """
    shown = re.findall(r"<code>cloze-gen trace (\S+) --run", report)
    if question not in shown:
        sys.exit(
            f"{question}: the report does not show this question. Choose one of these: "
            f"{', '.join(shown)}"
        )
    return shown.index(question) + 1


def photograph(browser: str, report: str, view: View, number: int, place: Path) -> Image.Image:
    """One view of a report, without the empty space around it."""
    page, picture = place / f"{view.name}.html", place / f"{view.name}.png"
    css = ALONE.format(view.section, view.css.replace("NUMBER", str(number)))
    shown = (
        OTHER_FACTS.sub("", report)
        .replace('<details class="key">', '<details class="key" open>')
        .replace("</head>", f"<style>{css}</style></head>")
    )
    page.write_text(shown, encoding="utf-8")
    window = (
        f"--user-data-dir={place / 'profile'}",
        f"--window-size={view.width},3000",
        f"--screenshot={picture}",
    )
    subprocess.run(
        [browser, *FLAGS, *window, page.as_uri()],
        check=True,
        stderr=subprocess.DEVNULL,
        timeout=120,
    )
    drawn = Image.open(picture).convert("RGB")
    left, top, right, bottom = ImageChops.difference(
        drawn, Image.new("RGB", drawn.size, drawn.getpixel((0, 0)))
    ).getbbox() or (0, 0, 1, 1)
    around = (
        max(0, left - MARGIN),
        max(0, top - MARGIN),
        min(drawn.width, right + MARGIN),
        min(drawn.height, bottom + MARGIN),
    )
    return drawn.crop(around).quantize(
        COLOURS, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE
    )


def main() -> None:
    """Write all views."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--report", type=Path, help="a report; without it, the sample is run")
    parser.add_argument("--question", default=QUESTION, help="the sample question that is shown")
    parser.add_argument("--to", type=Path, default=PICTURES, help="folder of the pictures")
    options = parser.parse_args()
    browser = find_browser()
    with tempfile.TemporaryDirectory() as folder:
        report = (options.report or make_report(Path(folder) / "out")).read_text(encoding="utf-8")
        number = place_of(options.question, report)
        drawn = {
            view.name: photograph(browser, report, view, number, Path(folder)) for view in VIEWS
        }
    options.to.mkdir(exist_ok=True)
    for name, picture in drawn.items():
        path = options.to / f"{name}.png"
        picture.save(path, optimize=True)
        print(f"{path}: {picture.width} x {picture.height}, {path.stat().st_size:,} bytes")
    size = sum(path.stat().st_size for path in options.to.iterdir())
    if size > MOST_BYTES:
        sys.exit(
            f"{options.to}: {size:,} bytes, more than {MOST_BYTES:,}. Show less, or lower COLOURS."
        )


if __name__ == "__main__":
    main()
