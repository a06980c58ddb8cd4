"""Measures for grooming: printed neighbours, and each word's corpus counts beside the answer's."""

import math
from collections import Counter, defaultdict
from pathlib import Path
from typing import cast

import numpy as np
import pytest

from cloze_gen.adapters.local_models import CausalModel
from cloze_gen.english.sentence_fitness import SentenceFault
from cloze_gen.english.word_lists import After, Before
from cloze_gen.recipes.msr.grooming import candidate_checks
from cloze_gen.recipes.msr.grooming.candidate_checks import (
    GroomShard,
    measures_of,
    place_of,
    printed_neighbour_pair,
    sentence_tags,
    window_tags,
)
from cloze_gen.recipes.msr.grooming.predicates import AnswerFault, CandidateFault, GroomingSettings
from cloze_gen.recipes.msr.grooming.reader_models import FEATURES, Opinion, features_of
from cloze_gen.recipes.msr.grooming.stage import write_grooming
from cloze_gen.recipes.msr.grooming.subcategorization import Frame
from cloze_gen.recipes.msr.tables import (
    DECISION_COLUMNS,
    DECISIONS,
    FIT,
    GROOMED,
    GROOMED_COLUMNS,
    MEASURES,
    Part,
)
from cloze_gen.store.artifacts import Store
from cloze_gen.store.runs import stage_artifact
from cloze_gen.store.tables import read_parquet
from tests.support.stage import made

WINE = "He drank the wine of Spain ."


def measured(item, index, space):
    found = measures_of([(item, item.candidates)], index, space)
    return {name: values.tolist() for name, values in found.items()}


@pytest.mark.parametrize(
    "line", [WINE, 'He drank the " wine " of Spain .', "He drank -- the ( wine ) of Spain ."]
)
def test_neighbours_are_those_that_are_printed(line, item_of, books, space):
    item, words = item_of(line, "wine", ["beer"]), space()
    assert printed_neighbour_pair(item) == ("the", "of")
    found = measured(item, books("the beer", "wine of"), words)
    assert (found["attested_before"], found["attested_after"]) == ([0, 1], [1, 0])
    assert words.beside == [("the", "before"), ("of", "after")]
    assert words.near == [(["drank", "the"], []), ([], ["of", "Spain"])]


def test_the_answer_comes_first_and_every_measure_has_all_words(item_of, books, space):
    """The answer is alike to itself; the models take all of it."""
    item = item_of(WINE, "wine", ["beer", "rug"])
    found = measures_of([(item, item.candidates)], books(), space(similar={"beer": 0.25}))
    assert {values.shape for values in found.values()} == {(3,)}
    assert found["similarity"].tolist() == [1, 0.25, 0]
    table = features_of(found, [place_of(item, frequent=())], np.array([3]))
    assert np.isfinite(table).all()


def test_ngrams_are_those_of_the_books_own_tokens(item_of, books, space):
    """Unlike the neighbours they include unprinted tokens, as in training."""
    item = item_of('He drank the " wine of Spain .', "wine", ["beer", "rug", "tea"])
    found = measured(item, books('the " beer', '" rug of', "tea of Spain"), space())
    assert found["attested_history"] == [0, 1, 0, 0]
    assert found["attested_around"] == [0, 0, 1, 0]
    assert found["attested_following"] == [0, 0, 0, 1]


def test_items_asked_together_have_what_they_have_alone(item_of, books, space):
    index = books("the beer", "wine of", "<s> He ran", "sat . </s>")
    items = [
        item_of(WINE, "wine", ["beer", "rug", "tea"]),
        item_of("He ran .", "ran", []),
        item_of("He ran .", "ran", ["sat"]),
    ]
    together = measures_of([(item, item.candidates) for item in items], index, space())
    alone = [measured(item, index, space()) for item in items]
    for name, values in together.items():
        assert values.tolist() == [value for found in alone for value in found[name]]
    nothing = measures_of([], index, space())
    assert {values.shape for values in nothing.values()} == {(0,)}
    assert features_of(nothing, [], np.zeros(0, np.int64)).shape == (0, len(FEATURES))


def test_near_a_sentences_edge_its_marks_stand_for_tokens(item_of, books, space):
    found = measured(
        item_of("He ran .", "ran", ["sat"]), books("<s> He ran", "sat . </s>"), space()
    )
    assert (found["attested_history"], found["attested_following"]) == ([1, 0], [0, 1])


def test_topicality_is_with_the_other_words(item_of, books, space):
    """The answer does not speak for itself, though it stand twice."""
    words = space(topical={"oars": 0.75, "rug": 0.25})
    found = measured(item_of("The oars and oars fell .", "oars", ["rug", "lamp"]), books(), words)
    assert found["topicality"] == [0.75, 0.25, 0]
    assert words.others == [["The", "and", "oars", "fell", "."]]


def test_uses_are_of_places_like_this(item_of, books, space):
    after_article, alone = (
        {(Before.ARTICLE, After.CLOSED): 40},
        {(Before.SUBJECT, After.OBJECT): 40},
    )
    item = item_of("He drank a wine of Spain .", "wine", ["beer", "rug", "unheard"])
    found = measured(item, books(), space(wine=after_article, beer=after_article, rug=alone))
    for name in ("use_before", "use_after"):
        wine, beer, rug, unheard = found[name]
        assert wine == beer > unheard > rug


def test_a_frame_is_asked_of_each_word(item_of, books, space):
    words = space(
        buried={(Before.SUBJECT, After.OBJECT): 20}, slept={(Before.SUBJECT, After.CLOSED): 20}
    )
    item = item_of("I buried the dog .", "buried", ["slept"])
    assert measured(item, books(), words)["takes_frame"] == [1, 1]
    item.tag, item.frame = "VBD", Frame.OBJECT
    assert measured(item, books(), words)["takes_frame"] == [1, 0]


def test_what_is_known_of_the_place(item_of):
    item = item_of('He drank " a wine " of old Spain .', "wine", [])
    item.tag = "NN"
    found = place_of(item, frequent={"he", "a", "of"})
    assert (found.tokens, found.place, found.content_words) == (8, 3 / 8, 3)
    assert (found.tag, found.frame, found.before) == ("NN", None, Before.ARTICLE)


def test_a_sentence_is_tagged_once(item_of, tagger):
    """However many of its words are asked for."""
    tags = tagger(He="PRP", fell="VBD")
    items = [item_of("He fell here .", answer, []) for answer in ("fell", "here")]
    assert sentence_tags(items, tags) == {"b:1": ["PRP", "VBD", "IN", "IN"]}
    assert tags.asked == 1


@pytest.mark.parametrize("reach", [1, 2, 8])
def test_a_word_is_tagged_in_its_window(reach, item_of, tagger):
    early, late = (
        item_of("mother saw it there .", "mother", []),
        item_of("He saw it with the mother .", "mother", []),
    )
    tags = tagger(mother="NN", **{"sister's": "NN+POS"}, there="EX", the="DT")
    asked = [(early, "mother"), (early, "sister's"), (late, "there"), (late, "sister's")]
    assert window_tags(asked, tags, reach=reach) == ["NN", "NN+POS", "EX", "NN+POS"]


HERE = Path()
BARE = GroomingSettings(min_tokens=0)


def shard_of(*, classes=(), offensive="", **settings):
    """A shard of no file: the models are given by the test."""
    chosen = BARE.model_copy(update=settings)
    words = frozenset(offensive.split()), frozenset()
    return GroomShard(
        Part(0, 0, HERE), HERE, HERE, HERE, HERE, chosen, classes, *words, tagger_identity=""
    )


def verdicts_of(item):
    return dict(zip(item.candidates, map(str, item.verdicts), strict=True))


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("He took the oars at dusk .", FIT),
        ("he took the oars at dusk .", SentenceFault.BEGINS_LOW),
        ("He took the oars , cur .", SentenceFault.OFFENSIVE),
        ("He took the oars .", AnswerFault.TOO_LITTLE),
        ("he took the oars .", SentenceFault.BEGINS_LOW),
    ],
)
def test_the_sentence_is_asked_before_what_it_tells(line, fault, item_of):
    """Its own faults first, then whether it tells enough."""
    item = item_of(line, "oars", ["lamp"])
    candidate_checks.judge_sentences([item], shard_of(offensive="cur", min_tokens=6))
    assert item.fault == fault


ARTICLES = [
    "He saw an owl here .",
    'He saw an " owl " here .',
    "He saw an -- owl here .",
    "He saw an ( owl ) here .",
]


@pytest.mark.parametrize("line", ARTICLES)
def test_the_article_is_the_one_that_is_printed(line, item_of):
    item = item_of(line, "owl", ["lamp", "idol"])
    candidate_checks.judge_words(item, shard_of())
    assert verdicts_of(item) == {"lamp": CandidateFault.ARTICLE, "idol": FIT}


@pytest.mark.parametrize("line", ARTICLES)
def test_articles_alone_can_be_judged(line, item_of):
    """Then a form of the answer is fit, and nothing is measured."""
    item = item_of(line, "owl", ["lamp", "owls"])
    candidate_checks.judge_articles(item)
    assert verdicts_of(item) == {"lamp": CandidateFault.ARTICLE, "owls": FIT}
    assert item.tags == ["", ""]
    assert np.isnan([*item.measured.ravel(), item.answer_topicality]).all()
    assert item.measured.shape == (2, len(MEASURES))


def test_words_are_judged_by_their_letters_and_by_the_dictionary(item_of):
    """In the sentence already; on the list; no noun. Without a tag there is nothing to look up."""
    item = item_of(
        "He drank the wine of Spain .", "wine", ["beer", "drinks", "Spain", "cur", "dreadful"]
    )
    item.tag = "NN"
    candidate_checks.judge_words(item, shard_of(offensive="cur"))
    expected = {
        "beer": FIT,
        "drinks": FIT,
        "Spain": CandidateFault.IN_SENTENCE,
        "cur": CandidateFault.OFFENSIVE,
    }
    assert verdicts_of(item) == expected | {
        "drinks": CandidateFault.TAG_IMPOSSIBLE,
        "dreadful": CandidateFault.TAG_IMPOSSIBLE,
    }
    item.tag = ""
    candidate_checks.judge_words(item, shard_of(offensive="cur"))
    assert verdicts_of(item) == expected | {"dreadful": FIT}


def test_past_forms_must_be_alike(item_of):
    """`hidden` is no past tense, `painted` is: only `painted` may replace `buried`."""
    item = item_of("The plate was buried here .", "buried", ["hidden", "painted"])
    item.tag = "VBN"
    candidate_checks.judge_words(item, shard_of())
    assert verdicts_of(item) == {"hidden": CandidateFault.TAG_IMPOSSIBLE, "painted": FIT}


@pytest.fixture
def says(monkeypatch):
    """Readers with given shares of `fits_as_well` and of `ungrammatical`."""

    def say(fits_as_well, ungrammatical):
        shares = (np.array(fits_as_well), np.array(ungrammatical), np.full(len(fits_as_well), 0.5))
        monkeypatch.setattr(candidate_checks, "opinion", lambda *_: Opinion(*shares))

    return say


def test_readers_opinion_meets_the_bounds(item_of, books, space, says):
    """Each bound has its verdict; what was measured is kept beside it, whatever the verdict."""
    item = item_of("He drank the wine of Spain .", "wine", ["beer", "port", "sleep"])
    says([0.01, 0.5, 0.01], [0.02, 0.02, 0.5])
    candidate_checks.judge_by_readers(
        [item],
        shard_of(),
        books(),
        space(similar={"port": 0.75}, topical={"wine": 0.5, "beer": 0.25}),
    )
    assert verdicts_of(item) == {
        "beer": FIT,
        "port": CandidateFault.FITS_AS_WELL,
        "sleep": CandidateFault.UNGRAMMATICAL,
    }
    assert item.answer_topicality == 0.5
    expected = [[0, 0.25, 0.01, 0.02, 0.5], [0.75, 0, 0.5, 0.02, 0.5], [0, 0, 0.01, 0.5, 0.5]]
    assert item.measured.tolist() == expected


def test_readers_are_asked_of_what_is_left(item_of, books, space, says):
    """The first fault stands, and nothing is measured of such a candidate."""
    item = item_of("He drank the wine of Spain .", "wine", ["drinks", "beer"])
    item.verdicts[0] = CandidateFault.IN_SENTENCE
    says([0.5], [0.5])
    candidate_checks.judge_by_readers([item], shard_of(), books(), space())
    assert item.verdicts == [CandidateFault.IN_SENTENCE, CandidateFault.FITS_AS_WELL]
    assert np.isnan(item.measured[0]).all()
    assert item.measured[1].tolist() == [0, 0, 0.5, 0.5, 0.5]


def test_an_item_without_candidates_left_is_still_measured(item_of, books, space):
    """The answer's own topicality is told all the same."""
    item = item_of("He drank the wine of Spain .", "wine", ["drinks"])
    item.verdicts[0] = CandidateFault.IN_SENTENCE
    candidate_checks.judge_by_readers([item], shard_of(), books(), space(topical={"wine": 0.5}))
    assert (item.answer_topicality, item.verdicts) == (0.5, [CandidateFault.IN_SENTENCE])


def test_a_language_model_scores_what_is_left(item_of, books, space):
    """A word that it finds as likely as the answer fits as well; words that were out stay out."""
    asked = []

    class Model:
        def fills(self, left, words, right):
            asked.append((left, words, right))
            return np.array([(-2.0, -9.0) if word in {"wine", "port"} else (-7.0, -12.0) for word in words])  # fmt: skip

    words = ["drinks", "beer", "port", "milk", "water"]
    item, other = item_of(WINE, "wine", words), item_of(WINE, "wine", ["beer"])
    item.verdicts[0] = CandidateFault.IN_SENTENCE
    candidate_checks.judge_by_readers([item, other], shard_of(), books(), space())
    assert item.verdicts[2] == FIT
    before = other.measured.copy()
    model = cast("CausalModel", Model())
    candidate_checks.judge_by_language_model([item, other], shard_of(), books(), space(), model)
    assert asked == [("He drank the ", ["wine", *words[1:]], " of Spain.")]
    fits_as_well = item.measured[:, MEASURES.index("fits_as_well")]
    assert fits_as_well[2] > 20 * max(fits_as_well[1], *fits_as_well[3:])
    assert item.verdicts[0] == CandidateFault.IN_SENTENCE
    assert item.verdicts[1] == CandidateFault.UNGRAMMATICAL
    assert item.verdicts[2] == FIT
    assert np.isnan(item.measured[0]).all()
    assert np.array_equal(other.measured, before)  # one candidate makes no question


def test_a_candidate_takes_the_answers_tag(item_of, tagger):
    """Clitics are part of it: `sister's` is no impostor of `mother`."""
    tags = tagger(
        He="PRP",
        saw="VBD",
        the="DT",
        mother="NN",
        father="NN",
        there="EX",
        **{"sister's": "NN+POS"},
    )
    item = item_of("He saw the mother there .", "mother", ["father", "sister's", "saw"])
    candidate_checks.judge_tags([item], shard_of(), tags)
    assert verdicts_of(item) == {
        "father": FIT,
        "sister's": CandidateFault.TAG,
        "saw": CandidateFault.TAG,
    }
    assert (item.answer_tag, item.tags) == ("NN", ["NN", "NN+POS", "VBD"])


def test_each_tag_goes_to_its_own_item(item_of, tagger):
    """Though a candidate between them fell before, which the tagger does not see."""
    tags = tagger(travelled="VBD", wandered="VBD", walks="VBZ")
    items = [
        item_of("I travelled in here .", "travelled", ["walks", "wandered"]),
        item_of("I walks in here .", "walks", ["wandered", "travelled"]),
    ]
    items[0].verdicts[0] = CandidateFault.ARTICLE
    candidate_checks.judge_tags(items, shard_of(), tags)
    assert [item.verdicts for item in items] == [
        [CandidateFault.ARTICLE, FIT],
        [CandidateFault.TAG, CandidateFault.TAG],
    ]
    assert [item.tags for item in items] == [["", "VBD"], ["VBD", "VBD"]]
    assert tags.asked == 5  # two answers and three candidates


@pytest.mark.parametrize(
    ("line", "answer", "fault"),
    [
        ("The plate fell here .", "plate", FIT),
        ("The brass plate fell .", "brass", AnswerFault.COMPOUND),
        ('The brass " plate " fell .', "brass", AnswerFault.COMPOUND),
        ("The plate fell here .", "fell", AnswerFault.CLASS_NOT_SELECTED),
        ("The plate across copper fell .", "across", AnswerFault.TAG_DOUBTFUL),
        ("The plate spread here .", "spread", AnswerFault.TAG_DOUBTFUL),
        ("Because plate fell here .", "plate", SentenceFault.NO_MAIN_CLAUSE),
        ("She buried the plate here .", "buried", FIT),
    ],
)
def test_faults_of_the_answer(line, answer, fault, item_of, tagger):
    """A compound, another class, a doubtful tag, a fragment."""
    tagged = (
        "The/DT the/DT She/PRP brass/NN plate/NN across/NN copper/NN fell/VBD buried/VBD spread/VBD"
    )
    tags = tagger(**dict(pair.split("/") for pair in tagged.split()))
    item = item_of(line, answer, ["lamp"])
    candidate_checks.judge_answers(
        [item], shard_of(classes=() if answer in ("buried", "spread") else ("noun",)), tags
    )
    assert item.fault == fault


@pytest.mark.parametrize("line", ["She buried the plate here .", 'She buried " the plate " here .'])
def test_what_the_place_asks_for_is_learnt(line, item_of, tagger):
    """Of the printed sentence: quotes stand between no verb and its object."""
    item = item_of(line, "buried", ["lamp"])
    candidate_checks.judge_answers(
        [item], shard_of(), tagger(She="PRP", buried="VBD", the="DT", plate="NN")
    )
    assert (item.tag, item.frame) == ("VBD", Frame.OBJECT)


@pytest.fixture(scope="module")
def groom(finished, tmp_path_factory):
    """The finished run's candidates groomed by the settings given."""
    names = ("focus", "index", "contexts", "forward", "counts")
    inputs = {name: stage_artifact(finished.folder, name) for name in names}

    store = Store(tmp_path_factory.mktemp("groomed"))

    def groom(**changed):
        settings = GroomingSettings(**changed)
        return made(store, "grooming", write_grooming, **inputs, settings=settings, classes=())

    return groom


@pytest.fixture(scope="module")
def groomed(groom):
    return groom(min_tokens=12, max_ambiguity=0.1, max_ungrammatical=0.1)


def rows_of(artifact, name):
    return list(read_parquet(artifact.path(name)).to_pylist())


def test_a_groomed_corpus_obeys_tags_and_bounds(groomed):
    """A fit candidate has the answer's tag and is below both bounds; what fell by a bound is not."""
    items = {row["id"]: row for row in rows_of(groomed, GROOMED)}
    rows = rows_of(groomed, DECISIONS)
    assert set(rows[0]) == set(DECISION_COLUMNS)
    assert set(next(iter(items.values()))) == set(GROOMED_COLUMNS)
    by_verdict = defaultdict(list)
    for row in rows:
        by_verdict[row["verdict"]].append(row)
    assert all(row["tag"] == items[row["id"]]["answer_tag"] for row in by_verdict[FIT])
    assert all(
        row["tag"] != items[row["id"]]["answer_tag"] for row in by_verdict[CandidateFault.TAG]
    )
    assert all(row["fits_as_well"] < 0.1 and row["ungrammatical"] < 0.1 for row in by_verdict[FIT])
    assert all(row["fits_as_well"] >= 0.1 for row in by_verdict[CandidateFault.FITS_AS_WELL])
    assert all(row["ungrammatical"] >= 0.1 for row in by_verdict[CandidateFault.UNGRAMMATICAL])
    assert all(math.isnan(row["fits_as_well"]) for row in by_verdict[CandidateFault.TAG_IMPOSSIBLE])
    assert (
        min(len(by_verdict[verdict]) for verdict in (FIT, *CandidateFault) if verdict in TRIED) > 5
    )


TRIED = {
    FIT,
    CandidateFault.TAG,
    CandidateFault.TAG_IMPOSSIBLE,
    CandidateFault.FITS_AS_WELL,
    CandidateFault.UNGRAMMATICAL,
}


def test_the_funnels_count_every_verdict(groomed):
    """What was seen is what the tables hold, of focus words and of candidates."""
    for name, funnel in (
        (GROOMED, groomed.funnel),
        (DECISIONS, groomed.facts["candidates_funnel"]),
    ):
        counts = Counter(row["verdict"] for row in rows_of(groomed, name))
        assert counts == Counter(funnel["rejected"]) + Counter({FIT: funnel["kept"]})
        assert counts.total() == funnel["seen"]


def test_candidates_are_judged_where_sentence_and_answer_are_fit(groomed):
    """No verdict on a candidate of an item that fell, and the fit ones are counted."""
    items, rows = rows_of(groomed, GROOMED), rows_of(groomed, DECISIONS)
    assert {row["id"] for row in rows} == {item["id"] for item in items if item["verdict"] == FIT}
    fit = Counter(row["id"] for row in rows if row["verdict"] == FIT)
    assert {item["id"]: item["fit_candidates"] for item in items} == {
        item["id"]: fit[item["id"]] for item in items
    }
    assert groomed.funnel["rejected"][AnswerFault.TOO_LITTLE] > 5


def test_of_the_papers_own_set_only_articles_are_judged(groom):
    artifact = groom(checks="articles", tagger="none", min_tokens=20)
    items, rows = rows_of(artifact, GROOMED), rows_of(artifact, DECISIONS)
    assert {item["verdict"] for item in items} == {FIT}
    assert {row["verdict"] for row in rows} == {FIT, CandidateFault.ARTICLE}
    assert {row["id"] for row in rows} == {item["id"] for item in items}
    assert {row["tag"] for row in rows} == {""}
