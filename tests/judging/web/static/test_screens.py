"""What the page looks like: widths, letters, colours, and what a screen reader is told."""

import pytest

from cloze_gen.records.judgement import Task
from tests.judging.web.static.conftest import axe_findings, goes_on, ready

pytestmark = pytest.mark.thorough

TASKS = list(Task)
WIDTH = "() => [document.documentElement.scrollWidth, innerWidth]"


def busy(page, task):
    """Puts an item into a state in which most of what can be shown is."""
    keys = {Task.GROOM: "471o2", Task.GUESS: "word", Task.READ: "1f2u3t", Task.FILL: "b"}[task]
    page.keyboard.type(keys)
    if task is not Task.GUESS:
        page.keyboard.press("Enter")


@pytest.mark.parametrize("task", TASKS)
def test_nothing_is_wider_than_a_phone(task, served, sit):
    """... also at 200 % text and zoom; what one taps is large enough."""
    page = sit(
        served(task, n=1), viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True
    )
    busy(page, task)
    assert axe_findings(page) == []
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
@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize(
    ("scheme", "paper"), [("light", "rgb(252, 251, 248)"), ("dark", "rgb(21, 24, 28)")]
)
def test_every_page_can_be_read_by_everyone(
    task,
    width,
    scheme,
    paper,
    served,
    sit,
):
    """Axe finds nothing on an item, a busy one and the help."""
    page = sit(
        served(task, n=1, show_machine=task is Task.GROOM),
        viewport={"width": width, "height": 800},
        color_scheme=scheme,
        reduced_motion="reduce",  # no colour on its way to another
    )
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == paper
    found = axe_findings(page)
    busy(page, task)
    found += axe_findings(page)
    page.click("#keys")
    found += axe_findings(page)
    assert found == []


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_last_pages_can_be_read_by_everyone(width, scheme, served, sit):
    """... when all is done, while others are at work, and when a link is refused; faint text is found."""
    for judges in ("ann", "ann,bob"):
        study = served(Task.GUESS, n=1, judges=judges)
        page = sit(study, cut=True, viewport={"width": width, "height": 800}, color_scheme=scheme)
        page.keyboard.press("-")
        goes_on(page)
        assert page.url.endswith("/done")
        assert axe_findings(page) == []
        page.goto(f"{study.origin}/enter/nobody")
        assert axe_findings(page) == []
        page.evaluate("document.body.style.color = 'var(--line)'")
        assert any(one.startswith("color-contrast") for one in axe_findings(page))


def test_colours_that_the_reader_forces(served, sit):
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
def test_what_a_screen_reader_is_told(task, served, sit):
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
    assert len(set(names)) == len(names)
    assert "status" in [role for role, _ in told]
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
def test_focus_goes_as_one_reads(task, served, sit):
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


def test_without_a_script(served, sit):
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
def test_the_owners_page(width, scheme, task, served, sit):
    """No scripts, no cut table, nothing for axe, and no token in the address."""
    study = served(task, n=2, judges="ann,bob," + "Maximiliane-" * 3)
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
    assert axe_findings(page) == []
