"""Pools of finished items, and other sets among them."""

from __future__ import annotations

from pathlib import Path

import pytest

from cloze_gen.errors import UsageError
from cloze_gen.judging.settings import StudySettings
from cloze_gen.records.judgement import StudyItem
from cloze_gen.stages.asking.drawing import add_sets, draw_pool, set_name


def items(n: int, *, prefix: str = "b", source: str = "mine") -> list[StudyItem]:
    return [StudyItem(f"{prefix}:{i}", ((prefix, 10 * i, 10 * i + 9),), {"text": f"{prefix} {i}"}, {}, source) for i in range(n)]


def test_a_larger_pool_begins_with_the_smaller() -> None:
    """Each item's place is drawn by itself: more of them, or without one of them, the order stays."""
    every = items(30)
    small, whole = draw_pool(every, StudySettings(pool=10)), draw_pool(every, StudySettings())
    assert whole[:10] == small
    assert sorted(one.id for one in whole) == sorted(one.id for one in every) != [one.id for one in whole]
    assert draw_pool(every[1:], StudySettings()) == [one for one in whole if one != every[0]]
    assert draw_pool(every, StudySettings(seed=2)) != whole


def test_nobody_would_be_shown_two_that_overlap() -> None:
    """Of items that share a sentence one is taken, whichever comes first; a pool is filled all the same."""
    twice = [StudyItem(f"{kind}:{i}", (("b", 10 * i, 10 * i + 9),), {}, {}, "mine") for i in range(20) for kind in ("one", "other")]
    pool = draw_pool(twice, StudySettings(pool=15))
    assert len(pool) == len({one.spans for one in pool}) == 15
    assert {one.id.partition(":")[0] for one in pool} == {"one", "other"}
    assert len(draw_pool(twice, StudySettings())) == 20


def sets(tmp_path: Path, *names: str) -> list[Path]:
    places = [tmp_path / name for name in names]
    for place in places:
        place.write_text("")
    return places


def test_other_sets_are_mixed_in(tmp_path: Path) -> None:
    """As many of each as the pool, under names of their own, without a place in any book, all over the study."""
    paths = sets(tmp_path, "dev set.txt", "mine.jsonl")
    found, digests = add_sets(
        items(12), StudySettings(pool=12), paths, file="x", read=lambda path: (path.name, items(40, prefix=path.stem[0], source=""))
    )
    assert digests == {"dev-set": "dev set.txt", "mine-2": "mine.jsonl"}
    by_source = {source: [one for one in found if one.source == source] for source in ("mine", "dev-set", "mine-2")}
    assert [len(some) for some in by_source.values()] == [12, 12, 12]
    assert all(one.id.startswith("dev-set/d:") and not one.spans for one in by_source["dev-set"])
    assert all(one.spans for one in by_source["mine"])
    places = {source: {found.index(one) for one in some} for source, some in by_source.items()}
    assert all(min(some) < 12 and max(some) >= 24 for some in places.values())


def test_a_set_is_asked_about_once(tmp_path: Path) -> None:
    """The run's own set, or one that was named twice, under whatever name."""
    paths = sets(tmp_path, "a", "b")
    with pytest.raises(UsageError, match="b: holds a set that the study has already"):
        add_sets(items(3), StudySettings(), paths, file="x", read=lambda path: ("9f", items(3, prefix="c")))
    with pytest.raises(UsageError, match="a: holds a set that the study has already"):
        add_sets(items(3), StudySettings(), paths, file="x", read=lambda path: ("9f", items(9, source="")))


@pytest.mark.parametrize(
    ("name", "taken", "expected"),
    [
        ("attention", (), "attention-2"),
        ("release", (), "release-2"),
        ("a/../b\x1b", (), "a-..-b-"),
        ("\u2028", (), "-"),
        ("x" * 300, (), "x" * 80),
        ("x", ("x", "x-2"), "x-3"),
    ],
)
def test_a_name_means_one_thing(name: str, taken: tuple[str, ...], expected: str) -> None:
    """None that a study keeps for something else, none that another set has; short, and of letters that any file bears."""
    assert set_name(name, taken) == expected


def test_a_folder_without_the_file_is_told(tmp_path: Path) -> None:
    """One message with what was expected."""
    with pytest.raises(UsageError, match=r"neither a run nor a release with a x\.jsonl"):
        add_sets(items(3), StudySettings(), [tmp_path], file="x.jsonl", read=lambda path: ("9f", []))
