"""What the page looks like: widths, letters, colours, and what a screen reader is told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from cloze_gen.records.judgement import Task
from tests.judging.web.static.conftest import ready

pytestmark = pytest.mark.thorough

TASKS = list(Task)
WIDTH = "() => [document.documentElement.scrollWidth, innerWidth]"
# Controls that one can hit, and their sizes; what hides in the help is no target while that is
# shut.
TARGETS = """() => [...document.querySelectorAll("button, a, input, summary")].filter(one => one.checkVisibility()).map(one => {
  const box = (one.closest("label:not(.note)") ?? one).getBoundingClientRect();
  return [one.id || one.name || one.textContent.trim(), Math.round(box.width), Math.round(box.height)];
})"""
# Every piece of text with the contrast of its colour to what it stands on (WCAG 2.2, 1.4.3), and
# what it needs: 3 where large, else 4.5.
CONTRAST = """() => {
  const rgba = words => { const found = words.match(/[\\d.]+/g).map(Number); return [...found.slice(0, 3), found[3] ?? 1]; };
  const over = (top, below) => [0, 1, 2].map(i => top[i] * top[3] + below[i] * (1 - top[3]));
  const light = colour => {
    const [r, g, b] = colour.map(one => (one /= 255) <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node; (node = walker.nextNode());) {
    const one = node.parentElement, style = getComputedStyle(one);
    const seen = one.checkVisibility({ opacityProperty: true, visibilityProperty: true });
    if (!node.data.trim() || !seen || one.closest(".aside, :disabled")) continue;
    let paper = [255, 255, 255], opacity = 1;
    const chain = [];
    for (let up = one; up; up = up.parentElement) chain.unshift(up);
    for (const up of chain) {
      paper = over(rgba(getComputedStyle(up).backgroundColor), paper);
      opacity *= Number(getComputedStyle(up).opacity);
    }
    const ink = rgba(style.color);
    const [a, b] = [light(over([...ink.slice(0, 3), ink[3] * opacity], paper)), light(paper)].sort((x, y) => y - x);
    const size = parseFloat(style.fontSize), large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    found.push([node.data.trim().slice(0, 30), (a + 0.05) / (b + 0.05), large ? 3 : 4.5]);
  }
  return found;
}"""


def busy(page: Any, task: Task) -> None:
    """Puts an item into a state in which most of what can be shown is."""
    keys = {Task.GROOM: "471o2", Task.GUESS: "word", Task.READ: "1f2u3t", Task.FILL: "b"}[task]
    page.keyboard.type(keys)
    if task is not Task.GUESS:
        page.keyboard.press("Enter")


@pytest.mark.parametrize("task", TASKS)
def test_nothing_is_wider_than_a_phone(
    task: Task, served: Callable[..., Any], sit: Callable[..., Any]
) -> None:
    """Targets are 24 pixels or more (WCAG 2.2, 2.5.8), also at 200 % text and zoom."""
    page = sit(
        served(task, n=1), viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True
    )
    busy(page, task)
    targets = page.evaluate(TARGETS)
    assert len(targets) >= 3
    assert [one for one in targets if min(one[1:]) < 24] == []
    for width, height, letters in (
        (360, 740, "100%"),
        (360, 740, "200%"),
        (640, 450, "100%"),
        (1280, 900, "200%"),
        (320, 256, "100%"),
    ):
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate("size => { document.documentElement.style.fontSize = size }", letters)
        scrolled, inner = page.evaluate(WIDTH)
        assert (scrolled, inner) == (width, width), (width, letters)
    page.click("#keys")
    assert page.locator("#help").bounding_box()["width"] <= 320


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize(
    ("scheme", "paper"), [("light", "rgb(252, 251, 248)"), ("dark", "rgb(21, 24, 28)")]
)
def test_contrast(
    task: Task, scheme: str, paper: str, served: Callable[..., Any], sit: Callable[..., Any]
) -> None:
    """WCAG 2.2 AA, light and dark, in every state."""
    page = sit(
        served(task, n=1), color_scheme=scheme, reduced_motion="reduce"
    )  # no colour on its way to another
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == paper
    busy(page, task)
    texts = page.evaluate(CONTRAST)
    page.click("#keys")
    texts += page.evaluate(CONTRAST)
    assert len(texts) > 20
    assert [one for one in texts if one[1] < one[2]] == []


def test_colours_that_the_reader_forces(
    served: Callable[..., Any], sit: Callable[..., Any]
) -> None:
    page = sit(served(Task.FILL, n=1), forced_colors="active", reduced_motion="reduce")
    style = (
        "name => [...document.querySelectorAll('.blank')].map(one => getComputedStyle(one)[name])"
    )
    assert page.evaluate(style, "outlineStyle") == ["solid", "none"]
    assert set(
        page.evaluate(
            "[...document.querySelectorAll('*')].map(one => "
            "getComputedStyle(one).transitionDuration)"
        )
    ) == {"0s"}


@pytest.mark.parametrize("task", TASKS)
def test_what_a_screen_reader_is_told(
    task: Task, served: Callable[..., Any], sit: Callable[..., Any]
) -> None:
    page = sit(served(task, n=1))
    tree = page.context.new_cdp_session(page).send("Accessibility.getFullAXTree")["nodes"]
    told = [
        (one["role"]["value"], one.get("name", {}).get("value", ""))
        for one in tree
        if not one["ignored"] and "role" in one
    ]
    controls = {
        "button",
        "checkbox",
        "radio",
        "textbox",
        "link",
        "progressbar",
        "DisclosureTriangle",
    }
    names = [name for role, name in told if role in controls]
    assert len(names) >= 5
    assert [pair for pair in told if pair[0] in controls and not pair[1].strip()] == []
    assert len(set(names)) == len(names)
    roles = [role for role, _ in told]
    assert (
        roles.count("banner"),
        roles.count("main"),
        roles.count("heading") >= 1,
        roles.count("status") >= 1,
    ) == (1, 1, True, True)
    assert page.locator("h1").count() == 1
    assert page.get_attribute("html", "lang") == "en"
    first = {
        Task.GROOM: "checkbox",
        Task.GUESS: "textbox",
        Task.READ: "radio",
        Task.FILL: "button",
    }[task]
    response = {
        Task.GROOM: "1 ",
        Task.GUESS: "One word",
        Task.READ: "carriage",
        Task.FILL: "Blank 1: empty",
    }[task]
    assert any(name.startswith(response) for role, name in told if role == first)


@pytest.mark.parametrize("task", TASKS)
def test_focus_goes_as_one_reads(
    task: Task, served: Callable[..., Any], sit: Callable[..., Any]
) -> None:
    page = sit(served(task, n=2), viewport={"width": 1000, "height": 640})
    page.evaluate("document.activeElement.blur()")
    places = []
    look = """() => { const one = document.activeElement, all = [...document.querySelectorAll("*")], box = one.getBoundingClientRect();
      const ring = getComputedStyle(one.closest(".candidates label") ?? one);
      const hit = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
      const own = hit && (one.contains(hit) || hit.contains(one) || one.closest("label")?.contains(hit));
      return [all.indexOf(one), ring.outlineStyle, Boolean(own)] }"""
    for _ in range(60):
        page.keyboard.press("Tab")
        place, ring, seen = page.evaluate(look)
        if page.evaluate("document.activeElement === document.body"):
            break
        assert (ring, seen) == ("solid", True), page.evaluate("document.activeElement.outerHTML")
        places.append(place)
    assert places == sorted(set(places))
    assert (
        page.evaluate("document.querySelectorAll('[tabindex]:not([tabindex=\"-1\"])').length") == 0
    )
    assert len(places) >= 3


def test_without_a_script(served: Callable[..., Any], sit: Callable[..., Any]) -> None:
    """Where scripts are off the page says plainly that it needs them."""
    study = served(Task.READ, n=1)
    page = sit(study)
    plain = page.context.browser.new_context(java_script_enabled=False).new_page()
    plain.goto(study.link("bob"))
    assert "needs JavaScript" in plain.inner_text("main")
    plain.context.close()
    ready(page)


@pytest.mark.parametrize(
    ("width", "scheme", "task"),
    [
        (320, "light", Task.READ),
        (390, "light", Task.READ),
        (390, "dark", Task.GROOM),
        (1280, "dark", Task.GUESS),
    ],
)
def test_the_owners_page(
    width: int, scheme: str, task: Task, served: Callable[..., Any], sit: Callable[..., Any]
) -> None:
    """No scripts, no cut table, enough contrast, and no token in the address."""
    study = served(task, n=2, judges="ann,bob," + "Maximiliane-" * 3, attention=0.5)
    page = sit(study, viewport={"width": width, "height": 740}, color_scheme=scheme)
    page.goto(f"{study.origin}/owner/owners-token")
    assert page.url == f"{study.origin}/owner"
    assert page.locator("script").count() == 0
    assert page.locator("main table").count() == 2
    scrolled, inner = page.evaluate(WIDTH)
    assert (scrolled, inner) == (width, width)
    assert page.evaluate(
        "[...document.querySelectorAll('table')].every(one => one.getBoundingClientRect().right <= innerWidth)"
    )
    wraps = page.evaluate("getComputedStyle(document.querySelector('td')).overflowWrap")
    assert (wraps == "anywhere") == (width == 320)  # at 390 no word of a table is broken
    assert [one for one in page.evaluate(CONTRAST) if one[1] < one[2]] == []
