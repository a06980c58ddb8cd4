"""Machine grooming of items: the predicates are asked in their order, of what is still fit."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from cloze_gen.engine.local import InProcessEngine
from cloze_gen.english.closed_classes import After, Before
from cloze_gen.english.sentence_fitness import SentenceFault
from cloze_gen.recipes.msr.stages import verdicts
from cloze_gen.recipes.msr.stages.groomed_items import GroomedItem, GroomShard
from cloze_gen.recipes.msr.stages.grooming import write_grooming
from cloze_gen.recipes.msr.stages.parts import Part
from cloze_gen.recipes.msr.stages.tables import DECISION_COLUMNS, DECISIONS, FIT, GROOMED, GROOMED_COLUMNS
from cloze_gen.recipes.msr.steps.grooming import GroomingSettings
from cloze_gen.recipes.msr.steps.unfit_answers import AnswerFault
from cloze_gen.recipes.msr.steps.unfit_impostors import CandidateFault
from cloze_gen.recipes.msr.steps.word_place import Frame, takes_frame
from cloze_gen.stages.models.contexts import read_word_knowledge
from cloze_gen.stages.room import Room
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, Store
from cloze_gen.store.runs import read_run, stage_artifact
from cloze_gen.store.tables import read_parquet

HERE = Path()
BARE = GroomingSettings(min_tokens=0, min_content_words=0)


def shard_of(*, classes: tuple[str, ...] = (), frequent: str = "", offensive: str = "", **settings: Any) -> GroomShard:
    """A shard of no file: the models are given by the test."""
    chosen = BARE.model_copy(update=settings)
    words = frozenset(offensive.split()), frozenset(frequent.split())
    return GroomShard(Part(0, 0, HERE), HERE, HERE, HERE, HERE, chosen, classes, *words)


def verdicts_of(item: GroomedItem) -> dict[str, str]:
    return dict(zip(item.candidates, map(str, item.verdicts), strict=True))


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("He took the oars at dusk .", FIT),
        ("he took the oars at dusk .", SentenceFault.BEGINS_LOW),
        ("He took the oars , cur .", SentenceFault.OFFENSIVE),
        ("He had the oars at dusk .", AnswerFault.TOO_LITTLE),
        ("he had the oars at dusk .", SentenceFault.BEGINS_LOW),
    ],
)
def test_the_sentence_is_asked_before_what_it_tells(line: str, fault: str, item_of: Any) -> None:
    """Its own faults first, then whether it tells enough of this blank."""
    item = item_of(line, "oars", ["lamp"])
    verdicts.judge_sentences([item], shard_of(frequent="he the at had", offensive="cur", min_content_words=2))
    assert item.fault == fault


@pytest.mark.parametrize(("topicality", "fault"), [(0.69, FIT), (0.7, AnswerFault.TOLD_BY_TOPIC)])
def test_an_answer_that_its_topic_tells(topicality: float, fault: str, item_of: Any, space: Any) -> None:
    """The measure is kept whatever it says; the candidates' own is what they are judged by later."""
    item = item_of("He took the oars .", "oars", ["lamp", "rug"])
    verdicts.judge_topic(item, shard_of(max_answer_topicality=0.7), space(topical={"oars": topicality, "rug": 0.4}))
    assert (item.fault, item.answer_topicality, item.topicality) == (fault, topicality, [0.0, 0.4])


@pytest.mark.parametrize(
    "line", ["He saw an owl here .", 'He saw an " owl " here .', "He saw an -- owl here .", "He saw an ( owl ) here ."]
)
def test_the_article_is_the_one_that_is_printed(line: str, item_of: Any, bigrams: Any, space: Any) -> None:
    """Quotes, dashes and brackets are not printed, so `an` stands before the blank whatever was between."""
    item = item_of(line, "owl", ["lamp", "idol"])
    verdicts.judge_words(item, shard_of(require_attested=False), bigrams(), space())
    assert verdicts_of(item) == {"lamp": CandidateFault.ARTICLE, "idol": FIT}


def test_words_are_judged_by_their_measures(item_of: Any, bigrams: Any, space: Any) -> None:
    """Unattested beside a frequent word; in the sentence already; topical: each its own verdict."""
    item = item_of("He drank the wine of Spain .", "wine", ["beer", "rug", "drinking", "Spain", "tea"])
    item.topicality = [0.0, 0.0, 0.0, 0.0, 0.9]
    books = bigrams("the beer of", "the drinking of", "the Spain of", "the tea of")
    verdicts.judge_words(item, shard_of(frequent="the of"), books, space())
    assert verdicts_of(item) == {
        "beer": FIT,
        "rug": CandidateFault.UNATTESTED,
        "drinking": FIT,
        "Spain": CandidateFault.IN_SENTENCE,
        "tea": CandidateFault.TOPICAL,
    }


NO_OBJECT = {(Before.SUBJECT, After.CLOSED): 20}
WITH_OBJECT = {(Before.SUBJECT, After.OBJECT): 20}


@pytest.fixture
def verbs(tagger: Any) -> Any:
    return tagger(I="PRP", my="PRP$", travelled="VBD", wandered="VBD", buried="VBD", walks="VBZ", lamp="VBD", roamed="VBD")


@pytest.fixture
def used(space: Any) -> Any:
    """How the verbs are used in the books; `roamed` hardly ever."""
    return space(travelled=NO_OBJECT, wandered=NO_OBJECT, buried=WITH_OBJECT, roamed={(Before.SUBJECT, After.CLOSED): 4})


def test_a_candidate_takes_the_answers_tag_and_frame(item_of: Any, verbs: Any, used: Any) -> None:
    """Another tag; a tag that no dictionary lists; an object that the place has not; too few uses to tell."""
    item = item_of("I travelled in my youth .", "travelled", ["wandered", "walks", "lamp", "buried", "roamed"])
    verdicts.judge_tags([item], shard_of(), verbs, used)
    assert item.fault == FIT
    assert (item.tag, item.answer_tag, item.frame) == ("VBD", "VBD", Frame.NO_OBJECT)
    assert verdicts_of(item) == {
        "wandered": FIT,
        "walks": CandidateFault.TAG,
        "lamp": CandidateFault.TAG_IMPOSSIBLE,
        "buried": CandidateFault.FRAME,
        "roamed": CandidateFault.FRAME,
    }
    assert item.tags == ["VBD", "VBZ", "VBD", "VBD", "VBD"]


def test_a_tag_that_the_word_cannot_have(item_of: Any, tagger: Any, space: Any) -> None:
    """Whatever the tagger makes of its neighbours, `dreadful` is no noun."""
    tags = tagger(He="PRP", saw="VBD", the="DT", mother="NN", father="NN", dreadful="NN")
    item = item_of("He saw the mother there .", "mother", ["father", "dreadful"])
    verdicts.judge_tags([item], shard_of(frames=False), tags, space())
    assert verdicts_of(item) == {"father": FIT, "dreadful": CandidateFault.TAG_IMPOSSIBLE}


@pytest.mark.parametrize(("share", "verdict"), [(0.2, CandidateFault.FRAME), (0.21, FIT)])
def test_the_bound_of_transitive_verbs_is_the_settings(share: float, verdict: str, item_of: Any, verbs: Any, space: Any) -> None:
    """A verb with an object in one use of five stands without one only where that is below the bound."""
    item = item_of("I travelled in my youth .", "travelled", ["wandered"])
    cues = space(travelled=NO_OBJECT, wandered={(Before.SUBJECT, After.CLOSED): 16, (Before.SUBJECT, After.OBJECT): 4})
    verdicts.judge_tags([item], shard_of(transitive_share=share), verbs, cues)
    assert verdicts_of(item) == {"wandered": verdict}


def test_frames_can_be_turned_off(item_of: Any, verbs: Any, used: Any) -> None:
    """Then a verb's object is nobody's business, and what the place asks for is still told."""
    item = item_of("I travelled in my youth .", "travelled", ["buried"])
    verdicts.judge_tags([item], shard_of(frames=False), verbs, used)
    assert verdicts_of(item) == {"buried": FIT}
    assert item.frame is Frame.NO_OBJECT


def test_where_no_frame_is_asked_every_word_takes_it(item_of: Any, tagger: Any, space: Any) -> None:
    """An adjective's place asks for none: that nothing is known of the words does not matter."""
    tags = tagger(It="PRP", was="VBD", cold="JJ", old="JJ")
    item = item_of("It was cold here .", "cold", ["old"])
    verdicts.judge_tags([item], shard_of(), tags, space())
    assert (item.fault, item.frame, verdicts_of(item)) == (FIT, None, {"old": FIT})


def test_past_forms_must_be_alike(item_of: Any, tagger: Any, space: Any) -> None:
    """`hidden` is no past tense, `painted` is one: where the tagger took the one for the other, only `painted` stands for `buried`."""
    tags = tagger(The="DT", plate="NN", was="VBD", buried="VBN", hidden="VBN", painted="VBN")
    item = item_of("The plate was buried here .", "buried", ["hidden", "painted"])
    verdicts.judge_tags([item], shard_of(frames=False), tags, space())
    assert verdicts_of(item) == {"hidden": CandidateFault.TAG_IMPOSSIBLE, "painted": FIT}


def test_what_fell_before_is_left_as_it_is(item_of: Any, verbs: Any, used: Any) -> None:
    """The first fault stands; the tagger does not see such a candidate."""
    item = item_of("I travelled in my youth .", "travelled", ["walks", "wandered"])
    item.verdicts[0] = CandidateFault.ARTICLE
    verdicts.judge_tags([item], shard_of(), verbs, used)
    assert item.verdicts == [CandidateFault.ARTICLE, FIT]
    assert item.tags == ["", "VBD"]
    assert verbs.asked == 3  # the sentence, the answer and one candidate


def test_of_a_fallen_item_no_candidate_is_asked(item_of: Any, tagger: Any, used: Any) -> None:
    """Each tag goes to its own item though one between them fell."""
    tags = tagger(I="PRP", it="PRP", travelled="VBD", wandered="VBD", buried="VBD", roamed="VBD", walks="VBZ")
    items = [
        item_of("I travelled in here .", "travelled", ["wandered", "walks"]),
        item_of("I buried in here .", "buried", ["wandered"]),
        item_of("I wandered in here .", "wandered", ["walks", "travelled"]),
    ]
    for number, item in enumerate(items):
        item.sentence = type(item.sentence)("b", number, 0, 1, 0, "prose", item.sentence.text, item.sentence.tokens)
    verdicts.judge_tags(items, shard_of(), tags, used)
    assert [item.fault for item in items] == [FIT, AnswerFault.FRAME_UNCLEAR, FIT]
    assert [item.tags for item in items] == [["VBD", "VBZ"], [""], ["VBZ", "VBD"]]
    assert tags.asked == len(items) + 6


def test_a_clitic_is_part_of_the_tag(item_of: Any, tagger: Any, space: Any) -> None:
    """`mother's` is no impostor of `mother`."""
    tags = tagger(He="PRP", saw="VBD", the="DT", mother="NN", father="NN", **{"sister's": "NN+POS"})
    item = item_of("He saw the mother there .", "mother", ["father", "sister's"])
    verdicts.judge_tags([item], shard_of(frames=False), tags, space())
    assert verdicts_of(item) == {"father": FIT, "sister's": CandidateFault.TAG}


@pytest.mark.parametrize(
    ("line", "answer", "fault"),
    [
        ("The plate fell here .", "plate", FIT),
        ("The brass plate fell .", "brass", AnswerFault.COMPOUND),
        ('The brass " plate " fell .', "brass", AnswerFault.COMPOUND),
        ("The plate fell here .", "fell", AnswerFault.CLASS_NOT_ASKED),
        ("The plate across copper fell .", "across", AnswerFault.TAG_DOUBTFUL),
        ("The plate spread here .", "spread", AnswerFault.TAG_DOUBTFUL),
        ("Because plate fell here .", "plate", SentenceFault.NO_MAIN_CLAUSE),
        ("She buried it up here .", "buried", AnswerFault.FRAME_UNCLEAR),
        ("She travelled the plate here .", "travelled", AnswerFault.FRAME_UNCLEAR),
        ('She travelled " the plate " here .', "travelled", AnswerFault.FRAME_UNCLEAR),
        ("She buried the plate here .", "buried", FIT),
    ],
)
def test_faults_of_the_answer(line: str, answer: str, fault: str, item_of: Any, tagger: Any, space: Any) -> None:
    """A compound, another class, a doubtful tag, a fragment, a place that asks for more or other than the answer is seen to take."""
    tagged = "The/DT the/DT She/PRP it/PRP brass/NN plate/NN across/NN copper/NN fell/VBD buried/VBD travelled/VBD spread/VBD"
    tags = tagger(**dict(pair.split("/") for pair in tagged.split()))
    cues = space(travelled=NO_OBJECT, buried=WITH_OBJECT, plate={(Before.DETERMINER, After.CLOSED): 20})
    item = item_of(line, answer, ["lamp"])
    verdicts.judge_tags([item], shard_of(classes=() if answer in ("buried", "travelled", "spread") else ("noun",)), tags, cues)
    assert item.fault == fault


@pytest.fixture(scope="module")
def groomed(finished: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[Artifact, Any]:
    """The finished run's candidates groomed with the tagger and with frames."""
    names = ("focus", "index", "contexts", "forward", "counts")
    inputs = {name: stage_artifact(finished.folder, name) for name in names}
    settings = read_run(finished.folder)["settings"]["grooming"] | {"tagger": "builtin", "frames": True, "max_answer_topicality": 0.7}
    folder = tmp_path_factory.mktemp("groomed")
    writer, room = ArtifactWriter(folder), Room(Store(folder), InProcessEngine(), "grooming")
    write_grooming(writer, room, **inputs, settings=GroomingSettings.model_validate(settings), classes=())
    return Artifact(folder, {"funnel": writer.funnel, "facts": writer.facts}), read_word_knowledge(inputs["contexts"])


def test_a_groomed_corpus_obeys_tags_and_frames(groomed: tuple[Artifact, Any]) -> None:
    """A fit candidate has the answer's tag and is used as the place asks; where a frame breaks, the counts speak against it."""
    artifact, space = groomed
    items = {row["id"]: row for row in read_parquet(artifact.path(GROOMED)).to_pylist()}
    rows = read_parquet(artifact.path(DECISIONS)).to_pylist()
    assert set(rows[0]) == set(DECISION_COLUMNS)
    assert set(next(iter(items.values()))) == set(GROOMED_COLUMNS)
    seen: Counter[str] = Counter()
    for row in rows:
        item = items[row["id"]]
        if item["verdict"] != FIT or row["verdict"] not in (FIT, CandidateFault.FRAME):
            continue
        assert row["tag"] == item["answer_tag"]
        if item["place_asks_for"]:
            tag, frame = row["tag"].split("+")[0], Frame(item["place_asks_for"])
            used = takes_frame(space.frame_cues_of(row["word"]), tag=tag, frame=frame, transitive_share=0.3)
            assert used == (row["verdict"] == FIT)
            seen[row["verdict"]] += 1
    assert min(seen[FIT], seen[str(CandidateFault.FRAME)]) > 20
    assert artifact.funnel["rejected"][AnswerFault.FRAME_UNCLEAR] > 20


def test_the_funnels_count_every_verdict(groomed: tuple[Artifact, Any]) -> None:
    """What was seen is what the tables hold, of focus words and of candidates."""
    artifact, _ = groomed
    for name, funnel in ((GROOMED, artifact.funnel), (DECISIONS, artifact.facts["candidates_funnel"])):
        counts = Counter(read_parquet(artifact.path(name))["verdict"].to_pylist())
        assert counts == Counter(funnel["rejected"]) + Counter({FIT: funnel["kept"]})
        assert counts.total() == funnel["seen"]


def test_candidates_are_judged_where_the_sentence_is_fit_without_a_tagger(groomed: tuple[Artifact, Any]) -> None:
    """No verdict on a candidate of a sentence that fell before, and none is counted as fit where the item fell after."""
    artifact, _ = groomed
    untagged = {*SentenceFault} - {SentenceFault.NO_MAIN_CLAUSE} | {AnswerFault.TOO_LITTLE, AnswerFault.TOLD_BY_TOPIC}
    items = read_parquet(artifact.path(GROOMED)).to_pylist()
    rows = read_parquet(artifact.path(DECISIONS)).to_pylist()
    assert {row["id"] for row in rows} == {item["id"] for item in items if item["verdict"] not in untagged}
    fit = Counter(row["id"] for row in rows if row["verdict"] == FIT)
    assert {item["id"]: item["fit_candidates"] for item in items} == {
        item["id"]: fit[item["id"]] if item["verdict"] == FIT else 0 for item in items
    }
    assert artifact.funnel["rejected"][AnswerFault.TOLD_BY_TOPIC] > 5
