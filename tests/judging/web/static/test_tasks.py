"""Each task from its first item to its last, by the keyboard alone and by touch."""

import pytest

from cloze_gen.records.judgement import Task
from tests.judging.web.static.conftest import goes_on, ready

pytestmark = pytest.mark.thorough


def press(page, *keys):
    for key in keys:
        page.keyboard.press(key)


def words_at(page, *numbers):
    words = page.locator(".candidates .word").all_inner_texts()
    return {words[number - 1] for number in numbers}


def words_at_all(page, *numbers):
    """As `words_at`, hidden candidates counted too."""
    boxes = page.locator("[name=picked]")
    return {boxes.nth(number - 1).get_attribute("value") for number in numbers}


def test_grooming_by_keys(served, sit):
    study = served(Task.GROOM, n=4)
    page = sit(study)
    press(page, "7", "1", "2", "3", "Space")  # 7, 12, 3
    assert page.inner_text("#count") == "3 of 4 picked"
    press(page, "Enter")
    assert page.inner_text("#status") == "Pick exactly 4 (1 missing), or reject the sentence."
    press(page, "2")
    assert "2_" in page.inner_text("#typed")
    press(page, "Backspace", "3", "0")
    first = words_at(page, 3, 7, 12, 30)
    goes_on(page)
    press(page, "o", "Tab", "Tab")
    press(page, "Shift+Tab", "Shift+Tab", "x")
    assert page.evaluate("document.activeElement.id") == "note"
    page.keyboard.type("four? see 2")
    goes_on(page)
    press(
        page, "ArrowRight", "Space", "ArrowDown", "Space", "ArrowRight", "Space", "ArrowUp", "Space"
    )
    columns = page.evaluate(
        "getComputedStyle(document.querySelector('.candidates')).gridTemplateColumns.split(' "
        "').length"
    )
    third = words_at(page, 1, 1 + columns, 2 + columns, 2)
    goes_on(page)
    press(page, "e", "g", "Enter")  # no reason has an e; the sentence breaks the grammar
    page.wait_for_url("**/done")
    one, two, three, four = study.current_response()
    assert (set(one["picked"]), set(three["picked"])) == (first, third)
    assert two == {"rejected": "other", "note": "four? see 2"}
    assert four == {"rejected": "ungrammatical", "note": ""}


def test_a_pair_of_digits_that_is_no_number_settles_the_first(served, sit):
    """`3`, a pause, `15` picks 3 and 15, not 5; `2` and `8` pick 28; `3` and `9` are two."""
    study = served(Task.GROOM, n=1)
    page = sit(study)
    press(page, "3", "1")
    assert page.inner_text("#count") == "1 of 4 picked"
    assert "1_" in page.inner_text("#typed")
    press(page, "5", "2", "8")
    assert page.inner_text("#count") == "3 of 4 picked"
    press(page, "3", "9", "7")  # 3 is let go
    expected = words_at(page, 7, 9, 15, 28)
    goes_on(page)
    assert set(study.current_response()[0]["picked"]) == expected


def test_groomers_may_hide_what_the_machine_rejected(served, sit):
    """By key or checkbox. What is picked stays and is sent; the browser remembers the choice."""
    study = served(Task.GROOM, n=2, show_machine=True)
    page = sit(study)
    boxes = page.locator("[name=picked]")
    refused = [n + 1 for n in range(30) if boxes.nth(n).get_attribute("data-refused") is not None]
    fit = [n for n in range(1, 31) if n not in refused]
    assert len(refused) == 12
    place = lambda number: page.locator(f".candidates li:nth-child({number})")  # noqa: E731
    chosen = [refused[3], fit[5], fit[6], fit[7]]
    place(chosen[0]).locator("label").click()
    press(page, "h")
    assert page.is_checked("#hide")
    assert page.locator(".candidates li:visible").count() == 30 - 12 + 1
    assert place(chosen[0]).is_visible()
    assert page.inner_text("#count") == "1 of 4 picked"
    press(page, *str(refused[-1]), *(["Space"] if refused[-1] < 4 else []))  # hidden: not picked
    assert page.inner_text("#typed") == f"{refused[-1]} is hidden"
    boxes.nth(fit[0] - 1).focus()
    press(page, "ArrowRight")  # over the hidden ones
    assert {page.evaluate("document.activeElement.value")} == words_at_all(
        page, min(n for n in [*fit, chosen[0]] if n > fit[0])
    )
    page.focus("#hide")
    press(page, "Space")
    assert page.locator(".candidates li:visible").count() == 30
    press(page, "h")
    for number in chosen[1:]:
        place(number).locator("label").click()
    expected = words_at_all(page, *chosen)
    goes_on(page)
    assert set(study.current_response()[0]["picked"]) == expected
    assert page.is_checked("#hide")  # on the next item
    assert page.locator(".candidates li:visible").count() == 18
    goes_on(page, lambda: press(page, "Backspace"))  # a saved answer keeps its hidden pick
    assert page.locator(".candidates li:visible").count() == 19
    assert page.inner_text("#count") == "4 of 4 picked"
    bob = sit(study, "bob")
    assert not bob.is_checked("#hide")
    bob.close()


def test_without_the_machines_verdicts_there_is_nothing_to_hide(served, sit):
    page = sit(served(Task.GROOM, n=1))
    press(page, "h")
    assert page.locator("#hide").count() == 0
    assert page.locator(".candidates li:visible").count() == 30


def test_what_was_missing_is_not_shown_once_it_is_mended(served, sit):
    page = sit(served(Task.GROOM, n=1))
    press(page, "5", "6", "7", "8")
    for act in (
        lambda: press(page, "a"),
        lambda: page.click("#reject >> text=Fewer than four candidates"),
        lambda: press(page, "8"),
    ):
        # picked, and no reason to reject
        press(page, "4", *(["4"] if page.locator("[name=picked]").nth(3).is_checked() else []))
        press(page, "Enter")
        assert page.inner_text("#status") == "Pick exactly 4 (remove 1), or reject the sentence."
        act()
        assert page.inner_text("#status") == ""


def test_the_candidate_in_focus_stands_in_the_sentence(served, sit):
    """... under the pointer too, and nothing below moves for it."""
    page = sit(served(Task.GROOM))
    (word,) = words_at(page, 12)
    top = page.locator("#candidates").bounding_box()["y"]
    press(page, "1", "2")
    assert page.inner_text("#preview").endswith(f"they saw the {word} at dawn.")
    page.hover(".candidates li:nth-child(5)")
    assert words_at(page, 5).pop() in page.inner_text("#preview")
    assert page.locator("#candidates").bounding_box()["y"] == top
    page.mouse.move(2, 2)
    press(page, "Escape")
    assert page.inner_text("#preview") == ""


def test_who_goes_on_picking_does_not_reject(served, sit):
    """The last thing said counts, and what was picked is not lost by a reason taken back."""
    study = served(Task.GROOM, n=1)
    page = sit(study)
    press(page, "4", "5", "6", "a", "7")
    expected = words_at(page, 4, 5, 6, 7)
    goes_on(page)
    assert set(study.current_response()[0]["picked"]) == expected


def test_guessing_by_keys(served, sit):
    study = served(Task.GUESS, n=3)
    page = sit(study)
    press(page, "Enter")
    assert "No idea" in page.inner_text("#status")
    page.keyboard.type("key")
    goes_on(page)
    press(page, "-")
    goes_on(page)
    page.keyboard.type("half-penny")
    press(page, "Enter")
    page.wait_for_url("**/done")
    assert [one["guesses"] for one in study.current_response()] == [["key"], [], ["half-penny"]]
    assert page.inner_text("h1") in {"All done. Thank you!", "Nothing to do right now"}


def test_a_guess_of_two_words_is_refused(served, sit):
    """No target has two, so it could only be wrong; the judge mends it."""
    study = served(Task.GUESS, n=1)
    page = sit(study)
    page.keyboard.type("front door")
    press(page, "Enter")
    assert page.inner_text("#status") == "Write one word only, not “front door”."
    assert page.evaluate("document.activeElement.name") == "guess"
    press(page, "Control+a")
    page.keyboard.type(" door ")
    assert page.inner_text("#status") == ""
    goes_on(page)
    assert study.current_response()[0]["guesses"] == ["door"]


def test_reading_by_keys(served, sit):
    study = served(Task.READ, n=3)
    page = sit(study)
    press(page, "f", "3", "Enter")
    assert page.inner_text("#status") == "Choose the answer, or mark the question as broken."
    press(page, "2", "u", "1", "u", "2")  # the last of them is the answer itself
    assert page.inner_text("#typed") == "that is your answer"
    goes_on(page)
    press(page, "b")
    goes_on(page)
    press(page, "2", "f", "4", "t", "Enter")
    assert "not trivial" in page.inner_text("#status")
    press(page, "f", "4", "Enter")
    page.wait_for_url("**/done")
    nothing = {"fits_as_well": [], "ungrammatical": [], "broken": False, "trivial": False}
    assert study.current_response() == [
        {**nothing, "answer": 1, "fits_as_well": [2], "ungrammatical": [0]},
        {**nothing, "answer": None, "broken": True},
        {**nothing, "answer": 1, "trivial": True},
    ]


def test_filling_by_keys(served, sit):
    study = served(Task.FILL, n=2)
    page = sit(study)
    press(page, "c", "a")
    assert page.locator(".blank").all_inner_texts() == ["1 C Ann wept.", "2 A Rain fell."]
    press(page, "2", "c")
    assert page.locator(".blank").all_inner_texts() == ["1", "2 C Ann wept."]
    press(page, "Enter")
    assert page.inner_text("#status") == "Blank 1 is empty."
    press(page, "Control+z", "Delete", "d")
    goes_on(page)
    press(page, "A", "B", "Enter")
    page.wait_for_url("**/done")
    assert [one["fills"] for one in study.current_response()] == [[2, 3], [0, 1]]


def test_back_and_on(served, sit):
    study = served(Task.READ, n=3)
    page = sit(study)
    first = page.url
    press(page, "1")
    goes_on(page)
    press(page, "3")
    goes_on(page, lambda: page.keyboard.press("Backspace"))
    assert page.url == first
    assert page.is_checked("[name=answer][value='0']")
    press(page, "4")
    goes_on(page)
    assert page.is_checked("[name=answer][value='2']")  # the draft of the second
    assert [one["answer"] for one in study.current_response()] == [3]
    assert len(study.written()["ann"]) == 2


def test_help_and_single_keys(served, sit):
    """Single keys may be turned off (WCAG 2.1.4) and stay off."""
    page = sit(served(Task.GROOM))
    press(page, "?")
    assert page.locator("#help .guidelines li:visible").count() == 7
    press(page, "4")  # reaches nothing behind it
    page.uncheck("#single-keys")
    press(page, "Escape", "4")
    assert page.inner_text("#count") == "0 of 4 picked"
    page.reload()
    ready(page)
    press(page, "4")
    assert page.inner_text("#count") == "0 of 4 picked"


@pytest.mark.parametrize("task", list(Task))
def test_by_touch_on_a_phone(task, served, sit):
    """All of a task with a finger on a screen of 360 x 740 pixels."""
    study = served(task, n=2)
    page = sit(study, viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    for _ in range(2):
        if task is Task.GUESS:
            page.tap("text=No idea")
        elif task is Task.GROOM:
            for place in (1, 9, 16, 30):
                page.tap(f".candidates li:nth-child({place}) label")
        elif task is Task.READ:
            page.tap("li:nth-child(2) .answer")
            page.tap("li:nth-child(3) label:has([name=fits_as_well])")
        else:
            page.tap(".candidate >> nth=2")
            page.tap(".candidate >> nth=0")
        goes_on(page, lambda: page.tap("#save"))
    assert page.url.endswith("/done")
    assert len(study.current_response()) == 2
