"""Pools of finished items, and other sets among them."""

import shutil

import pytest

from cloze_gen.errors import UsageError
from cloze_gen.evaluation.questions import QuestionSet
from cloze_gen.evaluation.sets import read_question_set
from cloze_gen.formats.msr import format_machine
from cloze_gen.formats.scde import format_published
from cloze_gen.judging.state import StudySettings
from cloze_gen.judging.study_agreement import item_digest
from cloze_gen.records.blanked_passage import BlankedPassage
from cloze_gen.records.judgement import StudyItem
from cloze_gen.release.study_items import (
    FILLING,
    READING,
    add_sets,
    draw_pool,
    passages_by_digest,
    questions_by_digest,
    set_name,
)
from cloze_gen.store.tables import read_jsonl


def items(n, *, prefix="b", source="mine"):
    return [
        StudyItem(
            f"{prefix}:{i}", ((prefix, 10 * i, 10 * i + 9),), {"text": f"{prefix} {i}"}, {}, source
        )
        for i in range(n)
    ]


def test_a_larger_pool_begins_with_the_smaller():
    """Each item's place is drawn by itself: more of them, or without one of them, the order stays."""
    every = items(30)
    small, whole = draw_pool(every, StudySettings(pool=10)), draw_pool(every, StudySettings())
    assert whole[:10] == small
    assert (
        sorted(one.id for one in whole)
        == sorted(one.id for one in every)
        != [one.id for one in whole]
    )
    assert draw_pool(every[1:], StudySettings()) == [one for one in whole if one != every[0]]
    assert draw_pool(every, StudySettings(seed=2)) != whole


def test_nobody_would_be_shown_two_that_overlap():
    twice = [
        StudyItem(f"{kind}:{i}", (("b", 10 * i, 10 * i + 9),), {}, {}, "mine")
        for i in range(20)
        for kind in ("one", "other")
    ]
    pool = draw_pool(twice, StudySettings(pool=15))
    assert len(pool) == len({one.spans for one in pool}) == 15
    assert {one.id.partition(":")[0] for one in pool} == {"one", "other"}
    assert len(draw_pool(twice, StudySettings())) == 20


def sets(tmp_path, *names):
    places = [tmp_path / name for name in names]
    for place in places:
        place.write_text("")
    return places


def test_other_sets_are_mixed_in(tmp_path):
    paths = sets(tmp_path, "dev set.txt", "mine.jsonl")
    found, digests = add_sets(
        items(12),
        StudySettings(pool=12),
        paths,
        file="x",
        read=lambda path: (path.name, items(40, prefix=path.stem[0], source="")),
    )
    assert digests == {"dev-set": "dev set.txt", "mine-2": "mine.jsonl"}
    by_source = {
        source: [one for one in found if one.source == source]
        for source in ("mine", "dev-set", "mine-2")
    }
    assert [len(some) for some in by_source.values()] == [12, 12, 12]
    assert all(one.id.startswith("dev-set/d:") and not one.spans for one in by_source["dev-set"])
    assert all(one.spans for one in by_source["mine"])
    places = {source: {found.index(one) for one in some} for source, some in by_source.items()}
    assert all(min(some) < 12 and max(some) >= 24 for some in places.values())


def test_a_set_is_asked_about_once(tmp_path):
    """The run's own set, or one that was named twice, under whatever name."""
    paths = sets(tmp_path, "a", "b")
    with pytest.raises(UsageError, match="b: the study contains this set already"):
        add_sets(
            items(3),
            StudySettings(),
            paths,
            file="x",
            read=lambda path: ("9f", items(3, prefix="c")),
        )
    with pytest.raises(UsageError, match="a: the study contains this set already"):
        add_sets(
            items(3),
            StudySettings(),
            paths,
            file="x",
            read=lambda path: ("9f", items(9, source="")),
        )


@pytest.mark.parametrize(
    ("name", "taken", "expected"),
    [
        ("release", (), "release-2"),
        ("a/../b\x1b", (), "a-..-b-"),
        ("\u2028", (), "-"),
        ("x" * 300, (), "x" * 80),
        ("x", ("x", "x-2"), "x-3"),
    ],
)
def test_a_name_means_one_thing(name, taken, expected):
    assert set_name(name, taken) == expected


def test_a_folder_without_the_file_is_told(tmp_path):
    """One message with what was expected."""
    with pytest.raises(UsageError, match=r"neither a run nor a release that contains x\.jsonl"):
        add_sets(
            items(3), StudySettings(), [tmp_path], file="x.jsonl", read=lambda path: ("9f", [])
        )


def test_a_question_is_shown_as_it_is_printed(finished):
    records = {one["id"]: one for one in read_jsonl(finished.release / "questions.jsonl")}
    items = READING.draw(finished.folder, StudySettings(pool=20))
    assert len(items) == 20
    for item in items:
        record = records[item.id]
        assert set(item.shown) == {"before", "after", "options"}
        assert f"{item.shown['before']}_____{item.shown['after']}" == record["input"]
        assert (item.shown["options"], item.key) == (
            record["options"],
            {"answer": record["answer_index"]},
        )
        assert item.spans == (
            (record["source"]["book_id"], record["source"]["start"], record["source"]["end"]),
        )
        assert item.source == "tiny"


def test_the_set_is_that_of_the_signature(finished):
    """What a study remembers of it stands at the end of the signature."""
    assert READING.identity is not None
    assert (
        (finished.release / "signature.txt")
        .read_text()
        .strip()
        .endswith(f"|set:{READING.identity(finished.folder)}")
    )


def test_a_set_that_was_changed_is_not_read(copied):
    """One message; nobody reads what the run has not made."""
    file = copied.release / "questions.jsonl"
    file.write_text(
        "".join(file.read_text(encoding="utf-8").splitlines(keepends=True)[1:]), encoding="utf-8"
    )
    with pytest.raises(UsageError, match=r"questions\.jsonl"):
        READING.draw(copied.folder, StudySettings())


def test_a_published_file_is_read_among_them(finished, tmp_path):
    """Its answers beside it are the key; its questions are known again whatever file they stand in."""
    own = READING.draw(finished.folder, StudySettings(pool=5))
    others = read_question_set(finished.release / "questions.jsonl").questions[-9:]
    for part, text in zip(("questions", "answers"), format_machine(others), strict=True):
        (tmp_path / f"dev.{part}.txt").write_text(text, encoding="utf-8")
    mixed, digests = READING.draw_others(
        own, StudySettings(pool=5), [tmp_path / "dev.questions.txt"]
    )
    assert list(digests) == ["dev.questions"]
    added = [one for one in mixed if one.source == "dev.questions"]
    known = questions_by_digest(QuestionSet(others))
    assert len(added) == 5
    assert all(
        known[item_digest(one.shown, one.key)].answer_index == one.key["answer"] for one in added
    )
    (tmp_path / "dev.answers.txt").unlink()
    with pytest.raises(UsageError, match="no answers file found in the same folder"):
        READING.draw_others(own, StudySettings(), [tmp_path / "dev.questions.txt"])


def test_a_run_of_other_items_is_told(finished, scde):
    """A run of passages has no questions to read."""
    with pytest.raises(UsageError, match=r"items of another kind; it has no questions\.jsonl"):
        READING.draw_others(
            READING.draw(finished.folder, StudySettings(pool=2)), StudySettings(), [scde.folder]
        )


@pytest.mark.parametrize("inside", ["", "release"])
def test_a_run_and_its_release_are_called_alike(finished, tmp_path, inside):
    """By the run's name, never `release`."""
    shutil.copytree(finished.folder, tmp_path / "theirs", symlinks=True)
    own = StudyItem("b:1:1", (), {}, {}, "mine")
    mixed, digests = READING.draw_others(
        [own], StudySettings(pool=2), [tmp_path / "theirs" / inside]
    )
    assert list(digests) == ["theirs"]
    assert len(mixed) == 3


def test_a_passage_is_shown_without_its_answers(scde):
    records = {one["id"]: one for one in read_jsonl(scde.release / "passages.jsonl")}
    items = FILLING.draw(scde.folder, StudySettings())
    assert len(items) > 5
    for item in items:
        record = records[item.id]
        assert record["part"] != "train"
        assert set(item.shown) == {"parts", "candidates"}
        assert [part for part in item.shown["parts"] if isinstance(part, str)] == [
            text for text in record["passage"] if text is not None
        ]
        numbers = {
            part["blank"]: place
            for place, part in enumerate(item.shown["parts"])
            if isinstance(part, dict)
        }
        assert [numbers[n] for n in range(1, len(numbers) + 1)] == record["blanks"]
        assert item.key == {"answers": record["answers"]}
    assert FILLING.identity is not None
    assert (
        (scde.release / "signature.txt")
        .read_text()
        .strip()
        .endswith(f"|set:{FILLING.identity(scde.folder)}")
    )


def test_no_two_passages_share_a_sentence(scde):
    """Neither in their text nor in their candidates."""
    spans = [span for item in FILLING.draw(scde.folder, StudySettings()) for span in item.spans]
    assert len(spans) == len(set(spans))


def test_published_passages_are_mixed_in(scde, tmp_path):
    """A file in the published layout, as it is evaluated: its stray full stops are not shown."""
    passage = BlankedPassage(
        "4",
        ("It rained.", "Nobody came.", ".", "So it ended."),
        (1,),
        ("Ann wept.", "Nobody came."),
        (1,),
    )
    (tmp_path / "dev.json").write_text(format_published([passage]), encoding="utf-8")
    mixed, digests = FILLING.draw_others(
        FILLING.draw(scde.folder, StudySettings(pool=3)),
        StudySettings(pool=3),
        [tmp_path / "dev.json"],
    )
    assert list(digests) == ["dev"]
    [added] = [one for one in mixed if one.source == "dev"]
    assert added.id == "dev/4"
    assert added.shown == {
        "parts": ["It rained.", {"blank": 1}, "So it ended."],
        "candidates": ["Ann wept.", "Nobody came."],
    }
    assert added.key == {"answers": [1]}


@pytest.mark.parametrize(
    "change", [{"answers": (0,)}, {"candidates": ("Bob wept.", "Nobody came.")}]
)
def test_another_passage_has_another_digest(change):
    """Other candidates or another key under the same id."""
    values = {"id": "4", "sentences": ("A.", "Nobody came."), "blanks": (1,), "candidates": ("Ann wept.", "Nobody came."),
                              "answers": (1,)}  # fmt: skip
    assert (
        len(passages_by_digest([BlankedPassage(**values), BlankedPassage(**values | change)])) == 2
    )
