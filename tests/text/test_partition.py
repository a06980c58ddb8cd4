"""A novel's part hangs on its own draw; those that belong together fall together; bad words count by rate."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from cloze_gen.records.passage import Part
from cloze_gen.rng import derive_rng
from cloze_gen.text.partition import Novel, PartitionSettings, belong_together, deal_parts, offensive_rate

AUTHORS = st.sampled_from(["", "Ouida", "Jane Austen", "AUSTEN, JANE", "Anonymous", "unknown"])
NOVELS = st.lists(AUTHORS, min_size=1, max_size=12).map(lambda names: [Novel(f"b{i}", f"{i:x}", name) for i, name in enumerate(names)])


MANY = [Novel(f"many{i}", f"{i + 100:x}") for i in range(60)]  # with these each part has a novel by its own draw, whatever the seed


def deal(novels: list[Novel], *pairs: tuple[str, str], seed: int = 1, **settings: float | bool) -> dict[str, Part]:
    return deal_parts(novels, sharing_text=pairs, settings=PartitionSettings.model_validate(settings), seed=seed)


@given(NOVELS, st.integers(0, 9), AUTHORS)
def test_a_novel_more_moves_no_other(novels: list[Novel], seed: int, author: str) -> None:
    """Whoever wrote it: their other novels stay where they are, and it joins them."""
    more = [Novel("new", "fff", author), *novels, *MANY]
    before, after = deal([*novels, *MANY], seed=seed), deal(more, seed=seed)
    assert {book: after[book] for book in before} == before


@given(NOVELS, st.data())
def test_the_order_of_the_novels_says_nothing(novels: list[Novel], data: st.DataObject) -> None:
    """Neither that of the novels nor that of the pairs, nor which book of a pair stands first."""
    ids = st.sampled_from([novel.book_id for novel in novels])
    pairs = data.draw(st.lists(st.tuples(ids, ids), max_size=6))
    turned = [(b, a) for a, b in reversed(pairs)]
    assert deal(novels, *pairs) == deal(data.draw(st.permutations(novels)), *turned)


@given(NOVELS, st.data())
def test_what_belongs_together_falls_together(novels: list[Novel], data: st.DataObject) -> None:
    """Each novel is in one group and each group in one part; two of one author, and both books of a pair, are in the same."""
    ids = st.sampled_from([novel.book_id for novel in novels])
    pairs = data.draw(st.lists(st.tuples(ids, ids), max_size=6))
    groups = belong_together(novels, sharing_text=pairs, by_author=True)
    group_of = {novel.book_id: i for i, group in enumerate(groups) for novel in group}
    assert sorted(novel.book_id for group in groups for novel in group) == sorted(novel.book_id for novel in novels)
    assert all(group_of[a] == group_of[b] for a, b in pairs)
    for name in ("Ouida", "AUSTEN, JANE"):
        assert len({group_of[novel.book_id] for novel in novels if novel.author == name}) <= 1
    parts = deal(novels, *pairs)
    assert all(len({parts[novel.book_id] for novel in group}) == 1 for group in groups)


@given(NOVELS, st.integers(0, 99), st.booleans())
def test_three_novels_that_can_be_parted_fill_three_parts(novels: list[Novel], seed: int, by_author: bool) -> None:
    """With fewer, no two of them fall to one part."""
    groups = belong_together(novels, sharing_text=[], by_author=by_author)
    parts = deal(novels, seed=seed, by_author=by_author)
    assert len({*parts.values()}) == min(3, len(groups))


@given(st.integers(0, 99), st.sampled_from([0.3, 0.5, 0.7]))
def test_where_no_part_is_empty_nothing_is_moved(seed: int, share: float) -> None:
    """Each novel is where its own draw put it: alone beside many others it is dealt alike."""
    one = Novel("one", "1f")
    parts = deal([one, *MANY], seed=seed, train_share=share, development_share=0.15)
    draw = derive_rng(seed, "lambada.partition", "novel 1f").random()
    drawn = Part.TRAIN if draw < share else Part.DEVELOPMENT if draw < share + 0.15 else Part.TEST
    assert parts["one"] == drawn


def test_nobody_is_no_author() -> None:
    """Two novels by nobody known have nothing in common, nor have two of one author where authors do not count."""
    unnamed = [Novel("a", "1", "Anonymous"), Novel("b", "2", "anonymous "), Novel("c", "3"), Novel("d", "4")]
    assert len(belong_together(unnamed, sharing_text=[], by_author=True)) == 4
    named = [Novel("a", "1", "Ouida"), Novel("b", "2", "Ouida")]
    assert len(belong_together(named, sharing_text=[], by_author=False)) == 2


def test_the_shares_are_those_asked_for() -> None:
    """Of 4,000 novels half, a quarter and a quarter, within three standard deviations; another seed deals others."""
    novels = [Novel(f"b{i}", f"{i:x}") for i in range(4000)]
    dealt = deal(novels)
    sizes = Counter(dealt.values())
    assert abs(sizes[Part.TRAIN] - 2000) < 95
    assert abs(sizes[Part.DEVELOPMENT] - 1000) < 83
    assert sizes.total() == 4000
    moved = sum(part != dealt[book] for book, part in deal(novels, seed=2).items())
    assert 2300 < moved < 2700  # 5 in 8 are expected to


def test_a_copy_is_dealt_by_digest_not_by_name() -> None:
    """A file that is renamed stays where it is."""
    digests = [f"{i:x}" for i in range(200)]
    named, renamed = ([Novel(f"{prefix}{one}", one) for one in digests] for prefix in ("a", "b"))
    assert [*deal(named).values()] == [*deal(renamed).values()]


@pytest.mark.parametrize(
    ("counts", "rate"),
    [
        ({"damn": 1, "Damn": 1, "DAMN": 1, "x": 1}, 0.75),
        ({"damned": 3, "x": 1}, 0.0),  # whole words
        ({"damn": 1, ",": 99}, 1.0),  # marks are no words
        ({}, 0.0),
    ],
)
def test_the_rate_counts_words_in_any_case(counts: dict[str, int], rate: float) -> None:
    """Listed words over word tokens."""
    assert offensive_rate(counts, {"damn"}) == rate


def test_shares_leave_a_test_set() -> None:
    """Settings that leave nothing for it are refused, and say which they are."""
    with pytest.raises(ValidationError, match=r"train_share = 0\.75 and development_share = 0\.25 leave no novel for the test set"):
        PartitionSettings(train_share=0.75)
