"""Which sentences are taken out of a passage."""

from collections import Counter
from itertools import combinations, pairwise
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.english.cohesion import surface_ties
from cloze_gen.models.sentence_cues import tie
from cloze_gen.recipes.scde import blanks as module
from cloze_gen.recipes.scde.blanks import (
    BLANKS,
    SENTENCE_VERDICTS,
    BlankReason,
    BlanksSettings,
    allowed_sets,
    blank_reason,
    choose_blanks,
    draw_blanks,
    passage_reasons,
)
from cloze_gen.recipes.scde.passages import windows_by_book
from cloze_gen.recipes.tables import REJECTIONS
from cloze_gen.store.tables import read_parquet

SOUND = "The keeper lit the old lamp before the storm ."  # nine words, six of content
LINES = st.lists(
    st.sampled_from(["Pip", "Joe", "saw", "Joe's", "lamp", "he", "she", "him", ".", '"']),
    max_size=6,
)


def reason(line, *, in_speech=False, **settings):
    tokens = line.split()
    return blank_reason(
        tokens,
        surface_ties(tokens),
        in_speech=in_speech,
        settings=BlanksSettings(**settings),
    )


@pytest.mark.parametrize(
    ("line", "given", "wanted"),
    [
        (SOUND, {}, None),
        (SOUND.lower(), {"in_speech": True}, BlankReason.TORN),
        ('" ' + SOUND, {"in_speech": True}, BlankReason.HALF_SPEECH),
        (f'" {SOUND} "', {}, None),
        (SOUND, {"in_speech": True}, BlankReason.IN_SPEECH),
        (SOUND, {"min_words": 9, "max_words": 9}, None),
        (SOUND, {"min_words": 10}, BlankReason.SHORT),
        (SOUND, {"max_words": 8}, BlankReason.LONG),
        (SOUND, {"min_content_words": 6}, None),
        (SOUND, {"min_content_words": 7}, BlankReason.LITTLE_CONTENT),
        ("It was the lamp of the lamp of all lamps .", {}, BlankReason.LITTLE_CONTENT),
    ],
)
def test_each_sentence_that_can_be_no_blank_has_its_reason(line, given, wanted):
    assert reason(line, **given) == wanted


@given(st.lists(LINES, max_size=6))
def test_a_blank_brings_no_name_and_no_person_of_its_own(lines):
    """Nor is it at an edge of the passage."""
    sentences = [surface_ties(line) for line in lines]
    reasons = passage_reasons(sentences, [None] * len(lines))
    for i, (sentence, reason) in enumerate(zip(sentences, reasons, strict=True)):
        others = [other for k, other in enumerate(sentences) if k != i]
        names_known = all(
            any(name in other.names | {other.first_word} for other in others)
            for name in sentence.names
        )
        persons_known = all(
            any(person in other.persons for other in others) for person in sentence.persons
        )
        wanted = BlankReason.EDGE if i in (0, len(lines) - 1) else None
        if not persons_known:
            wanted = BlankReason.NEW_PERSON
        if not names_known:
            wanted = BlankReason.NEW_NAME
        assert reason == wanted


def test_the_reason_of_the_sentence_itself_comes_first():
    sentences = [surface_ties(line.split()) for line in ("Pip sat .", "Joe left .")]
    reasons = passage_reasons(sentences, [BlankReason.SHORT, None])
    assert reasons == [BlankReason.SHORT, BlankReason.EDGE]


# ---- draws


def allowed(places, count, pairs):
    """Of all choices those of which so many stand side by side and all others two apart."""
    found = set()
    for some in combinations(places, count):
        gaps = [b - a for a, b in pairwise(some)]
        if gaps.count(1) == pairs and all(gap == 1 or gap > 2 for gap in gaps):
            found.add(some)
    return found


def tuples(sets):
    return [tuple(row) for row in sets.tolist()]


@given(st.sets(st.integers(0, 18)).map(sorted), st.integers(1, 6), st.integers(0, 1))
def test_every_allowed_set_is_listed_once(places, count, pairs):
    sets = allowed_sets(places, count, pairs, np.random.default_rng(1))
    assert tuples(sets) == sorted(allowed(places, count, pairs))


def test_more_sets_than_memory_holds_are_drawn_from():
    """Twenty blanks of a long passage: different sets that reach over all of it."""
    found = draw_blanks(range(120), 20, np.random.default_rng(1))
    assert len(set(tuples(found))) == 60
    assert (np.diff(found, axis=1) > 2).all()
    assert abs(found.mean() - 59.5) < 4


@pytest.mark.parametrize("room", [0, 1, 3])
def test_sets_that_hardly_fit_are_found(room):
    """Twenty blanks in sixty places leave little room for a wrong beginning."""
    found = draw_blanks(range(1 + 19 * 3 + room), 20, np.random.default_rng(1))
    assert len(found) == min(60, comb(20 + room, room))


def test_the_share_of_blanks_beside_another_is_the_paper_s(monkeypatch):
    """Over many passages, within three standard errors."""
    monkeypatch.setattr(module, "_ADJACENT_SHARE", 0.2)
    passages = 1500
    first = [draw_blanks(range(20), 5, np.random.default_rng(seed))[0] for seed in range(passages)]
    share = sum(2 * int((np.diff(row) == 1).sum()) for row in first) / (5 * passages)
    assert share == pytest.approx(0.2, abs=3 * 0.4 * (0.5 * 0.5 / passages) ** 0.5)


def test_a_pair_is_left_out_where_none_fits(monkeypatch):
    monkeypatch.setattr(module, "_ADJACENT_SHARE", 0.4)  # always a pair
    found = draw_blanks([0, 3, 6, 9, 12], 5, np.random.default_rng(1))
    assert tuples(found) == [(0, 3, 6, 9, 12)]


def test_every_choice_that_is_allowed_is_drawn_as_often(monkeypatch):
    monkeypatch.setattr(module, "_ADJACENT_SHARE", 0)
    first = Counter(
        tuples(draw_blanks(range(11), 3, rng))[0] for rng in map(np.random.default_rng, range(2000))
    )
    assert set(first) == allowed(range(11), 3, 0)
    assert len(first) == 35
    error = (2000 / 35 * (1 - 1 / 35)) ** 0.5
    assert all(abs(count - 2000 / 35) < 4.5 * error for count in first.values())


# ---- the choice among draws

PASSAGE = [
    "The keeper lit the lamp .", "His lamp was old .", "The keeper left the lamp to burn .",
    "Joe stood at the forge .", "So Joe struck the iron in his forge .", "The iron in the forge rang for Joe .",
    '" Who is there ? " she asked .', '" It is I , " she heard him say .', '" Go away , " she said .',
    "Nobody knew .", "The sea was calm at noon .", "A ship came by .",
]  # fmt: skip
PLACES = [1, 4, 7, 9, 10]


def setting(seed, *, misled=False):
    """Draws of three places, a surface that misleads if the answers are swapped, no coherence."""
    ties = [surface_ties(line.split()) for line in PASSAGE]
    rng = np.random.default_rng(seed)
    draws = np.array(
        rng.permutation([some for some in combinations(PLACES, 3) if some[-2:] != (9, 10)])
    )
    tied = tie(
        ties,
        [ties[place] for place in (rng.permutation(PLACES) if misled else PLACES)],
        lambda _: 3.0,
    )
    after, before = rng.uniform(-1, 1, (2, len(PASSAGE), len(PLACES)))
    return {"draws": draws, "places": PLACES, "ties": tied, "after": after, "before": before}


def chosen(given, seed, draws=None, **settings):
    made = BlanksSettings(count=3, **settings)
    draws = given["draws"] if draws is None else draws
    return choose_blanks(
        **(given | {"draws": draws}), settings=made, rng=np.random.default_rng(seed)
    )


@given(st.integers(0, 200))
def test_the_surface_gives_away_as_many_as_a_blind_deal(seed):
    """Nearest to the passage's own deal, then the widest margin."""
    given = setting(seed, misled=True)
    found = chosen(given, seed)
    each = [chosen(given, seed, given["draws"][i : i + 1]) for i in range(len(given["draws"]))]
    assert {one.by_chance for one in each} == {found.by_chance}
    nearest = min(abs(one.solved - one.by_chance) for one in each)
    assert found == max(
        (one for one in each if abs(one.solved - one.by_chance) == nearest),
        key=lambda one: one.margin,
    )
    if any(one.solved == one.by_chance for one in each):
        assert found.solved == found.by_chance


def test_a_random_choice_is_the_first_draw():
    """As the paper's, whatever the surface gives away."""
    for seed in range(20):
        given = setting(seed)
        assert chosen(given, seed, choice="random").blanks == tuple(given["draws"][0])


def test_a_blind_deal_gets_one_right_on_average():
    """Fixed points of a permutation have mean 1 and variance 1."""
    given = setting(1)
    wanted = [chosen(given, seed, choice="random").by_chance for seed in range(900)]
    assert np.mean(wanted) == pytest.approx(1, abs=0.1)
    assert set(wanted) == {0, 1, 3}


def test_what_the_surface_gives_away_is_counted():
    assert chosen(setting(1), 1, np.array([[1, 4, 7]])).solved == 3


def test_the_margin_is_that_of_the_answers_over_the_next():
    """By hand: a sentence's fit is its mean coherence with both neighbours of the blank."""
    given = setting(1)
    after, before = np.zeros((2, len(PASSAGE), len(PLACES)))
    after[0, 0], before[2, 0] = 0.6, 0.4  # the answer of the first blank: 0.5
    after[0, 1] = 0.2  # the second's, in the first blank: 0.1
    before[5, 2] = -0.8  # the third's, in the second blank
    after[6, 2], after[6, 0] = 0.2, 0.6  # the third blank: its own answer 0.1, the first's 0.3
    found = chosen(given | {"after": after, "before": before}, 1, np.array([[1, 4, 7]]))
    assert found.margin == pytest.approx((0.5 - 0.1 + 0.0 - 0.0 + 0.1 - 0.3) / 3)


def test_one_blank_has_no_next():
    """Its margin is how well its own answer goes with it, above the least coherence, -1."""
    given = setting(1)
    after, before = np.zeros((2, len(PASSAGE), len(PLACES)))
    after[3, 1], before[5, 1] = 0.5, 0.3
    made = given | {"after": after, "before": before, "draws": np.array([[4]])}
    found = choose_blanks(**made, settings=BlanksSettings(count=1), rng=np.random.default_rng(1))
    assert (found.blanks, found.solved, found.by_chance) == ((4,), 1, 1)
    assert found.margin == pytest.approx(1.4)


def verdicts_of(artifact):
    found = {}
    for row in read_parquet(artifact.path(SENTENCE_VERDICTS.name)).to_pylist():
        own = found.setdefault(row["id"], [])
        assert row["sentence"] == len(own)
        own.append(row["verdict"])
    return found


def rows(artifact, table=BLANKS):
    return read_parquet(artifact.path(table.name)).to_pylist()


def test_every_sentence_of_a_passage_has_a_verdict(sample):
    artifact = sample.blanks()
    verdicts = verdicts_of(artifact)
    blanks = {row["id"]: row["blanks"] for row in rows(artifact)}
    windows = [one for some in windows_by_book(sample.passages).values() for one in some]
    assert {one.id: one.last - one.first + 1 for one in windows} == {
        name: len(own) for name, own in verdicts.items()
    }
    assert {verdict for own in verdicts.values() for verdict in own} <= {
        *BlankReason,
        "blank",
        "not_drawn",
    }
    for name, own in verdicts.items():
        assert [k for k, one in enumerate(own) if one == "blank"] == blanks.get(name, [])
        assert {own[0], own[-1]} <= {*BlankReason}


def test_a_passage_has_its_blanks_or_is_rejected(own_sample, monkeypatch):
    monkeypatch.setattr(module, "_ADJACENT_SHARE", 0.4)
    artifact = own_sample.blanks()
    verdicts, found, rejected = verdicts_of(artifact), rows(artifact), rows(artifact, REJECTIONS)
    steps = [np.diff(row["blanks"]) for row in found]
    assert all(len(row) == 4 and (row > 0).all() for row in steps)
    assert not any((row[1:] + row[:-1] == 2).any() for row in steps)  # never three in a row
    assert all(row["detail"] == str(verdicts[row["id"]].count("not_drawn")) for row in rejected)
    out = {row["id"] for row in rejected}
    assert [row["id"] for row in found] == [name for name in verdicts if name not in out]
    assert (artifact.funnel["kept"], artifact.funnel["rejected"]) == (
        len(found),
        Counter(row["reason"] for row in rejected),
    )
    assert any((row == 1).any() for row in steps)


def test_the_surface_gives_away_what_a_blind_deal_does(sample):
    """Nearer than in a random choice, of the same passages."""
    off = [
        sum(abs(row["solved"] - row["by_chance"]) for row in rows(sample.blanks(choice=choice)))
        for choice in ("unguessable", "random")
    ]
    assert off[0] < off[1] / 2


def test_a_passage_is_rejected_for_too_few_sentences_or_for_their_places(sample):
    """Enough sentences that stand too close to each other are not too few."""
    reasons = {row["id"]: row for row in rows(sample.blanks(), REJECTIONS)}.values()
    enough = {row["reason"]: {int(row["detail"]) >= 5} for row in reasons}
    assert enough == {"too_few_sentences_can_be_blanks": {False}, "sentences_too_close": {True}}
    for row in reasons:
        assert (int(row["detail"]) >= 5) == (row["reason"] == "sentences_too_close")


def test_passages_without_blanks_are_rejected(sample):
    artifact = sample.blanks(count=20)
    assert (rows(artifact), artifact.funnel["kept"]) == ([], 0)
    assert len(rows(artifact, REJECTIONS)) == artifact.funnel["seen"] == 69
