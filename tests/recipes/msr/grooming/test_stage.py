"""The checks of machine grooming in their order, and the stage on a finished run."""

import math
from collections import Counter, defaultdict

import numpy as np
import pytest

from cloze_gen.adapters.spacy_tagger import tagger_identity
from cloze_gen.english.sentence_fitness import SentenceFault
from cloze_gen.recipes.msr.grooming import stage
from cloze_gen.recipes.msr.grooming.candidates import DECISIONS, GROOMED_ITEMS, MEASURES, read_items
from cloze_gen.recipes.msr.grooming.frames import Frame
from cloze_gen.recipes.msr.grooming.rules import AnswerFault, CandidateFault, GroomingSettings
from cloze_gen.recipes.msr.grooming.stage import (
    frequent_words,
    judge_answers,
    judge_articles,
    judge_by_expected_marks,
    judge_sentences,
    judge_tags,
    judge_words,
)
from cloze_gen.recipes.msr.tables import FIT, focus_parts
from cloze_gen.store.tables import read_parquet
from tests.recipes.msr.fakes import Books, Space, Tags, make_item, make_table

WINE = "He drank the wine of Spain ."
IN_SENTENCE = CandidateFault.IN_SENTENCE
SETTINGS = {"settings": GroomingSettings(), "frequent": ()}


def verdicts_of(table):
    return dict(zip(table.word.tolist(), map(str, table.verdict), strict=True))


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("He took the oars at dusk .", FIT),
        ("he took the oars at dusk .", SentenceFault.BEGINS_LOW),
        ("He took the oars , cur .", SentenceFault.OFFENSIVE),
    ],
)
def test_a_fault_of_a_sentence_is_one_of_all_its_items(line, fault):
    items = [make_item(line, "oars"), make_item(line, "took")]
    judge_sentences(items, offensive={"cur"})
    assert [item.fault for item in items] == [fault, fault]


@pytest.mark.parametrize(
    ("line", "answer", "fault"),
    [
        ("The plate fell here .", "plate", FIT),
        ("The brass plate fell .", "brass", AnswerFault.COMPOUND),
        ('The brass " plate " fell .', "brass", AnswerFault.COMPOUND),
        ("The plate fell here .", "fell", AnswerFault.CLASS_NOT_SELECTED),
        ("Because plate fell here .", "plate", SentenceFault.NO_MAIN_CLAUSE),
    ],
)
def test_faults_of_the_answer(line, answer, fault):
    """Of the printed sentence: quotes separate no compound."""
    tags = Tags(The="DT", brass="NN", plate="NN", fell="VBD")
    item = make_item(line, answer)
    judge_answers([item], tags, classes=("noun",))
    assert item.fault == fault


@pytest.mark.parametrize("line", ["She buried the plate here .", 'She buried " the plate " here .'])
def test_tag_and_frame_are_of_the_printed_sentence(line):
    item = make_item(line, "buried")
    judge_answers([item], Tags(She="PRP", buried="VBD", the="DT", plate="NN"))
    assert (item.tag, item.frame) == ("VBD", Frame.OBJECT)


def test_a_sentence_is_tagged_once_and_not_if_it_has_a_fault():
    tags = Tags(He="PRP", fell="VBD")
    items = [make_item("He fell here .", answer) for answer in ("fell", "here")]
    rejected = make_item("She fell .", "fell")
    rejected.fault = SentenceFault.BEGINS_LOW
    judge_answers([*items, rejected], tags)
    assert (tags.asked, rejected.fault) == (1, SentenceFault.BEGINS_LOW)


ARTICLES = [
    "He saw an owl here .",
    'He saw an " owl " here .',
    "He saw an -- owl here .",
    "He saw an ( owl ) here .",
]


@pytest.mark.parametrize("line", ARTICLES)
def test_the_article_is_the_one_that_is_printed(line):
    table = make_table((line, "owl", ["lamp", "idol"]))
    judge_words(table, ())
    assert verdicts_of(table) == {"lamp": CandidateFault.ARTICLE, "idol": FIT}


@pytest.mark.parametrize("line", ARTICLES)
def test_articles_alone_can_be_judged(line):
    """Then a form of the answer is fit, and nothing is measured."""
    table = make_table((line, "owl", ["lamp", "owls"]))
    judge_articles(table)
    assert verdicts_of(table) == {"lamp": CandidateFault.ARTICLE, "owls": FIT}
    assert table.tag.tolist() == ["", ""]
    assert np.isnan(table.measures).all()
    assert math.isnan(table.items[0].topicality)


def test_words_are_judged_in_their_own_item():
    table = make_table(
        (WINE, "wine", ["beer", "Spain", "cur", "dreadful"]),
        ("He came in the cold .", "cold", ["Spain", "dreadful"]),
    )
    table.items[0].tag = "NN"
    judge_words(table, {"cur"})
    assert table.verdict.tolist() == [
        FIT,
        IN_SENTENCE,
        CandidateFault.OFFENSIVE,
        CandidateFault.TAG_IMPOSSIBLE,
        FIT,
        FIT,
    ]


@pytest.fixture
def expect(monkeypatch):
    """Readers with given shares of `fits_as_well` and of `ungrammatical`."""

    def expect(fits_as_well, ungrammatical):
        marks = {
            "fits_as_well": np.array(fits_as_well),
            "ungrammatical": np.array(ungrammatical),
            "plausible": np.full(len(fits_as_well), 0.5),
        }
        monkeypatch.setattr(stage, "predict_marks", lambda *_: marks)

    return expect


def test_expected_marks_have_limits(expect):
    """Limits are exclusive, `fits_as_well` is first, and measures are kept whatever the verdict."""
    table = make_table((WINE, "wine", ["beer", "port", "sleep", "gin"]))
    expect([0.09, 0.1, 0.09, 0.1], [0.19, 0.19, 0.2, 0.2])
    words = Space(similar={"port": 0.75}, topical={"wine": 0.5, "beer": 0.25})
    settings = GroomingSettings(max_ambiguity=0.1, max_ungrammatical=0.2)
    judge_by_expected_marks(table, Books(), words, settings=settings, frequent=())
    assert table.verdict.tolist() == [
        FIT,
        CandidateFault.FITS_AS_WELL,
        CandidateFault.UNGRAMMATICAL,
        CandidateFault.FITS_AS_WELL,
    ]
    assert table.items[0].topicality == 0.5
    assert table.measures.tolist() == [
        [0, 0.25, 0.09, 0.19, 0.5],
        [0.75, 0, 0.1, 0.19, 0.5],
        [0, 0, 0.09, 0.2, 0.5],
        [0, 0, 0.1, 0.2, 0.5],
    ]


def test_limits_of_one_are_off(expect):
    table = make_table((WINE, "wine", ["beer"]))
    expect([0.999999], [0.999999])
    settings = GroomingSettings(max_ambiguity=1, max_ungrammatical=1)
    judge_by_expected_marks(table, Books(), Space(), settings=settings, frequent=())
    assert table.verdict.tolist() == [FIT]


def test_only_open_candidates_are_measured(expect):
    """The first fault stays. An item without candidates still gets its answer's topicality."""
    table = make_table((WINE, "wine", ["drinks", "beer"]), (WINE, "wine", ["drinks"]))
    table.verdict[[0, 2]] = IN_SENTENCE
    expect([0.5], [0.5])
    judge_by_expected_marks(table, Books(), Space(topical={"wine": 0.5}), **SETTINGS)
    assert table.verdict.tolist() == [IN_SENTENCE, CandidateFault.FITS_AS_WELL, IN_SENTENCE]
    assert np.isnan(table.measures[[0, 2]]).all()
    assert table.measures[1].tolist() == [0, 0, 0.5, 0.5, 0.5]
    assert [item.topicality for item in table.items] == [0.5, 0.5]


def test_a_language_model_scores_the_open_candidates():
    """A word as probable as the answer fits as well; one candidate makes no question."""
    calls = []

    class Model:
        def fills(self, left, words, right):
            calls.append((left, words, right))
            likely = {"wine", "port"}
            return np.array([(-2.0, -9.0) if w in likely else (-7.0, -12.0) for w in words])

    words = ["drinks", "beer", "port", "milk", "water"]
    table = make_table((WINE, "wine", words), (WINE, "wine", ["beer"]))
    table.verdict[0] = IN_SENTENCE
    judge_by_expected_marks(table, Books(), Space(), **SETTINGS)
    assert table.verdict[2] == FIT
    before = table.measures[5].copy()
    judge_by_expected_marks(table, Books(), Space(), **SETTINGS, language_model=Model())
    assert calls == [("He drank the ", ["wine", *words[1:]], " of Spain.")]
    fits_as_well = table.measures[:, MEASURES.index("fits_as_well")]
    assert fits_as_well[2] > 20 * max(fits_as_well[[1, 3, 4]])
    assert table.verdict[:3].tolist() == [IN_SENTENCE, CandidateFault.UNGRAMMATICAL, FIT]
    assert np.isnan(table.measures[0]).all()
    assert np.array_equal(table.measures[5], before)


def test_a_candidate_takes_the_answers_tag():
    """Clitics are part of it: `sister's` is no impostor of `mother`."""
    tags = Tags(mother="NN", father="NN", saw="VBD", **{"sister's": "NN+POS"})
    table = make_table(("He saw the mother there .", "mother", ["father", "sister's", "saw"]))
    judge_tags(table, tags)
    assert verdicts_of(table) == {
        "father": FIT,
        "sister's": CandidateFault.TAG,
        "saw": CandidateFault.TAG,
    }
    assert table.items[0].window_tag == "NN"
    assert table.tag.tolist() == ["NN", "NN+POS", "VBD"]


def test_each_tag_goes_to_its_own_item():
    """A candidate that was rejected before is not tagged."""
    tags = Tags(travelled="VBD", wandered="VBD", walks="VBZ")
    table = make_table(
        ("I travelled in here .", "travelled", ["walks", "wandered"]),
        ("I walks in here .", "walks", ["wandered", "travelled"]),
    )
    table.verdict[0] = CandidateFault.ARTICLE
    judge_tags(table, tags)
    tag = CandidateFault.TAG
    assert table.verdict.tolist() == [CandidateFault.ARTICLE, FIT, tag, tag]
    assert table.tag.tolist() == ["", "VBD", "VBD", "VBD"]
    assert tags.asked == 5  # two answers and three candidates


# ---- the stage on a finished run


@pytest.fixture(scope="module")
def groomed(groom):
    return groom(tagger_identity(), max_ambiguity=0.1, max_ungrammatical=0.1)


def rows_of(artifact, table):
    return list(read_parquet(artifact.path(table.folder)).to_pylist())


def test_the_retained_candidates_are_read_best_first(inputs):
    """Compared with a plain loop over the rows of `scored`."""
    (part,) = focus_parts(inputs["focus"], inputs["index"])
    items = read_items(inputs["focus"], inputs["forward"], part)
    ranked = defaultdict(list)
    for row in read_parquet(inputs["forward"].path("scored")).to_pylist():
        if row["kept"]:
            ranked[row["id"]].append((row["forward_rank"], row["word"]))
    expected = {item: [word for _, word in sorted(rows)] for item, rows in ranked.items()}
    assert {item.id: item.words for item in items} == expected
    answers = read_parquet(inputs["focus"].path("focus.parquet")).to_pylist()
    word_of = {row["id"]: row["word"] for row in answers}
    assert all(item.answer == word_of[item.id] for item in items)


def test_frequent_words_are_a_thousandth_of_the_text(inputs):
    words = frequent_words(inputs["counts"])
    assert {"the", "of", "was"} < words
    assert "lamp" not in words


def test_a_groomed_corpus_obeys_tags_and_limits(groomed):
    """A fit candidate has the answer's tag and is below both limits; a rejected one is not."""
    items = {row["id"]: row for row in rows_of(groomed, GROOMED_ITEMS)}
    by_verdict = defaultdict(list)
    for row in rows_of(groomed, DECISIONS):
        by_verdict[row["verdict"]].append(row)
    same, other = by_verdict[FIT], by_verdict[CandidateFault.TAG]
    assert all(row["tag"] == items[row["id"]]["answer_tag"] for row in same)
    assert all(row["tag"] != items[row["id"]]["answer_tag"] for row in other)
    assert all(row["fits_as_well"] < 0.1 and row["ungrammatical"] < 0.1 for row in same)
    assert all(row["fits_as_well"] >= 0.1 for row in by_verdict[CandidateFault.FITS_AS_WELL])
    assert all(row["ungrammatical"] >= 0.1 for row in by_verdict[CandidateFault.UNGRAMMATICAL])
    impossible = by_verdict[CandidateFault.TAG_IMPOSSIBLE]
    assert all(math.isnan(row["fits_as_well"]) for row in impossible)
    tried = [FIT, CandidateFault.TAG, CandidateFault.TAG_IMPOSSIBLE]
    tried += [CandidateFault.FITS_AS_WELL, CandidateFault.UNGRAMMATICAL]
    assert min(len(by_verdict[verdict]) for verdict in tried) > 5
    assert by_verdict[CandidateFault.OFFENSIVE] or groomed.funnel["rejected"]["sentence_offensive"]


def test_the_funnels_count_every_verdict(groomed):
    funnels = [(GROOMED_ITEMS, groomed.funnel), (DECISIONS, groomed.facts["candidates_funnel"])]
    for table, funnel in funnels:
        counts = Counter(row["verdict"] for row in rows_of(groomed, table))
        assert counts == Counter(funnel["rejected"]) + Counter({FIT: funnel["kept"]})
        assert counts.total() == funnel["seen"]


def test_candidates_are_judged_where_sentence_and_answer_are_fit(groomed):
    items, rows = rows_of(groomed, GROOMED_ITEMS), rows_of(groomed, DECISIONS)
    assert {row["id"] for row in rows} == {item["id"] for item in items if item["verdict"] == FIT}


def test_only_selected_classes_of_answers_are_kept(groom):
    artifact = groom(tagger_identity(), classes=("noun",))
    tags = {row["answer_tag"] for row in rows_of(artifact, GROOMED_ITEMS) if row["verdict"] == FIT}
    assert tags
    assert all(tag.startswith("NN") for tag in tags)
    assert artifact.funnel["rejected"][AnswerFault.CLASS_NOT_SELECTED] > 5


def test_of_the_papers_own_set_only_articles_are_judged(groom):
    artifact = groom(checks="articles")
    items, rows = rows_of(artifact, GROOMED_ITEMS), rows_of(artifact, DECISIONS)
    assert {item["verdict"] for item in items} == {FIT}
    assert {row["verdict"] for row in rows} == {FIT, CandidateFault.ARTICLE}
    assert {row["id"] for row in rows} == {item["id"] for item in items}
    assert {row["tag"] for row in rows} == {""}
