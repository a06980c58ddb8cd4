"""Make the pictures of the judges' page that `docs/how-to/judging.md` shows, `docs/pictures/judge-*.png`,
as a browser draws them.

    .venv/bin/python scripts/judge_pictures.py STUDY... [--out DIR]

STUDY is the folder of a study, which is served meanwhile, or a judge's link to one that is served
already. Of each the first open item is drawn at a desk in the light, half answered; of the last one
on a phone in the dark as well. Nothing is saved. It needs Chromium (Debian, Ubuntu: apt-get install
chromium) and playwright. The letters are those of the machine, so two machines' bytes differ.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from PIL import Image

PICTURES = Path(__file__).parents[1] / "docs" / "pictures"
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync")  # fmt: skip
DESK = {"viewport": {"width": 1200, "height": 760}, "color_scheme": "light"}
PHONE = {
    "viewport": {"width": 360, "height": 740},
    "color_scheme": "dark",
    "device_scale_factor": 1.5,
    "is_mobile": True,
    "has_touch": True,
}
# what a judge may have typed by then
KEYS = {"groom": "4712", "guess": "", "read": "1", "fill": "a"}
COLOURS = 48  # of the palette: a page has few
MOST_BYTES = 80_000


@contextlib.contextmanager
def link_to(study: str) -> Iterator[str]:
    """A judge's link to a study; one in a folder is served while inside."""
    if study.startswith("http"):
        yield study
        return
    call = [sys.executable, "-m", "cloze_gen", "judge", "serve", study, "--port", "0"]
    with subprocess.Popen(call, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            found = next(
                (
                    found
                    for line in server.stdout
                    if (found := re.search(r"https?://\S+/enter/\S+", line))
                ),
                None,
            )
            if found is None:
                raise SystemExit(f"{study}: cannot be served; see above")
            yield found[0]
        finally:
            server.send_signal(signal.SIGINT)


def draw(browser: Any, link: str, out: Path, *, phone: bool) -> None:
    """The first open item behind a link, as a PNG of few colours."""
    context = browser.new_context(**(PHONE if phone else DESK))
    page = context.new_page()
    page.goto(link)
    task = page.get_attribute("#item[data-ready]", "data-task")
    page.keyboard.type(KEYS[task])
    image = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    context.close()
    name = f"judge-{task}{'-phone' if phone else ''}.png"
    image.quantize(COLOURS, dither=Image.Dither.NONE).save(out / name, optimize=True)
    size = (out / name).stat().st_size
    sys.stdout.write(f"{name}: {size:,} bytes\n")
    if size > MOST_BYTES:
        raise SystemExit(
            f"{name}: more than {MOST_BYTES:,} bytes. Take an item of less text, or fewer colours."
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("studies", nargs="+", metavar="STUDY")
    parser.add_argument("--out", type=Path, default=PICTURES)
    told = parser.parse_args()
    from playwright.sync_api import sync_playwright

    path = shutil.which("chromium")
    if path is None:
        raise SystemExit("no chromium; Debian, Ubuntu: apt-get install chromium")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=list(FLAGS))
        for at, study in enumerate(told.studies, 1):
            with link_to(study) as link:
                draw(browser, link, told.out, phone=False)
                if at == len(told.studies):
                    draw(browser, link, told.out, phone=True)
        browser.close()


if __name__ == "__main__":
    main()
