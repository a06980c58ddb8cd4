"""Make the pictures of a report that the pages show, `docs/pictures/*.png`: of the sample's run, evaluated, as a browser draws it.

    .venv/bin/python scripts/pictures.py [--out DIR]

DIR is an output folder that may hold the run `holmes-style` already; without it the sample is run and evaluated anew, which takes a minute
or two. It needs Chromium (Debian, Ubuntu: apt-get install chromium). The letters are those of the machine, so two machines' bytes differ.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from PIL import Image, ImageChops

PICTURES = Path(__file__).parents[1] / "docs" / "pictures"
STYLE = RUN = "holmes-style"
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
_ALONE = "header, nav, footer, section:not({0}) {{ display: none }} {0} {{ border: 0; margin: 0; padding: 0 }}"


@dataclass(frozen=True)
class View:
    """A part of the report.

    Attributes:
        css: hides the other parts.
        width: of the window in CSS pixels; the height is ample, and what is empty is cut away.
    """

    name: str
    css: str
    width: int


_QUESTION = 4  # of the sample questions, the one that is shown
VIEWS = (
    View("report", f"{_ALONE.format('#adversary')} header {{ display: block }}", 1160),
    View("funnel", f"{_ALONE.format('#funnel')} #funnel > :not(h2, .plot, figure) {{ display: none }}", 640),
    View(
        "question", f"{_ALONE.format('#samples')} #samples > :not(ol), .samples > li:not(:nth-child({_QUESTION})) {{ display: none }}", 1000
    ),
)


def find_browser() -> str:
    """The path of a browser; ends the program with a word where there is none."""
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        sys.exit(f"no browser here: none of {', '.join(BROWSERS)} is on the PATH. Debian, Ubuntu: apt-get install chromium")
    return found


def make_report(out: Path) -> Path:
    """The report of the sample's run in an output folder, which is made and evaluated where it is not there."""
    for words in (("run", STYLE), ("evaluate", RUN)):
        subprocess.run([sys.executable, "-m", "cloze_gen", *words, "--out", str(out)], check=True)
    return out / "runs" / RUN / "release" / "report.html"


def photograph(browser: str, report: str, view: View, place: Path) -> Image.Image:
    """One view of a report, without the empty space around it."""
    page, picture = place / f"{view.name}.html", place / f"{view.name}.png"
    page.write_text(report.replace("<details>", "<details open>").replace("</head>", f"<style>{view.css}</style></head>"), encoding="utf-8")
    window = (f"--user-data-dir={place / 'profile'}", f"--window-size={view.width},3000", f"--screenshot={picture}")
    subprocess.run([browser, *FLAGS, *window, page.as_uri()], check=True, stderr=subprocess.DEVNULL, timeout=120)
    drawn = Image.open(picture).convert("RGB")
    left, top, right, bottom = ImageChops.difference(drawn, Image.new("RGB", drawn.size, drawn.getpixel((0, 0)))).getbbox() or (0, 0, 1, 1)
    around = (max(0, left - MARGIN), max(0, top - MARGIN), min(drawn.width, right + MARGIN), min(drawn.height, bottom + MARGIN))
    return drawn.crop(around).quantize(COLOURS, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)


def main() -> None:
    """Write all views."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, help=f"output folder with a run {RUN}")
    out = parser.parse_args().out
    browser = find_browser()
    with tempfile.TemporaryDirectory() as folder:
        report = make_report(out or Path(folder) / "out").read_text(encoding="utf-8")
        drawn = {view.name: photograph(browser, report, view, Path(folder)) for view in VIEWS}
        PICTURES.mkdir(exist_ok=True)
        for name, picture in drawn.items():
            picture.save(PICTURES / f"{name}.png", optimize=True)
            print(f"{PICTURES / name}.png: {picture.width} x {picture.height}, {(PICTURES / f'{name}.png').stat().st_size:,} bytes")
    size = sum(path.stat().st_size for path in PICTURES.iterdir())
    if size > MOST_BYTES:
        sys.exit(f"{PICTURES}: {size:,} bytes, more than {MOST_BYTES:,}. Show less, or lower COLOURS.")


if __name__ == "__main__":
    main()
