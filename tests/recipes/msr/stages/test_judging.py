"""The judges of machine grooming: what a reader sees decides, tags and frames are asked in their order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from cloze_gen.engine.local import InProcessEngine
from cloze_gen.english.closed_classes import After, Before
from cloze_gen.english.sentence_fitness import SentenceFault
from cloze_gen.recipes.msr.stages import judging
from cloze_gen.recipes.msr.stages.groomed_items import GroomedItem, GroomShard
from cloze_gen.recipes.msr.stages.grooming import groom_shard, write_grooming
from cloze_gen.recipes.msr.stages.items import Part
from cloze_gen.recipes.msr.stages.tables import DECISIONS, FIT, GROOMED
from cloze_gen.recipes.msr.steps.grooming import CandidateFault, GroomingSettings
from cloze_gen.recipes.msr.steps.guideline_1_frames import Need, gives
from cloze_gen.records.sentence import Sentence
from cloze_gen.stages.models.contexts import read_company
from cloze_gen.stages.room import Room
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, Store
from cloze_gen.store.runs import read_run, stage_artifact
from cloze_gen.store.tables import read_parquet

HERE = Path()
BARE = GroomingSettings(min_tokens=0, min_content_words=0)


def item_of(line: str, answer: str, candidates: Sequence[str]) -> GroomedItem:
    tokens = tuple(line.split(" "))
    zeros = np.zeros(len(candidates))
    sentence = Sentence("b", 1, 0, len(line), 0, "prose", line, tokens)
    item = GroomedItem(f"b:1:{tokens.index(answer)}", answer, sentence, tokens.index(answer), list(candidates), zeros, zeros)
    item.topicality, item.verdicts = zeros.tolist(), [FIT] * len(candidates)
    return item


def shard_of(*, classes: tuple[str, ...] = (), frequent: str = "", **settings: Any) -> GroomShard:
    """A shard of no file: the judges' models are given by the test."""
    chosen = BARE.model_copy(update=settings)
    return GroomShard(Part(0, 0, HERE), HERE, HERE, HERE, HERE, chosen, classes, frozenset(), frozenset(frequent.split()))


class Bigrams:
    """An index that attests the pairs of some lines, each as often as chance would have it."""

    def __init__(self, *lines: str) -> None:
        pairs = {pair for line in lines for pair in zip(line.split(" "), line.split(" ")[1:], strict=False)}
        self._ids: dict[str, int] = {}
        self._pairs = {tuple(self.ids(pair)) for pair in sorted(pairs)}
        self.levels = [SimpleNamespace(log10_prob=np.zeros(100))]

    def ids(self, words: Iterable[str]) -> list[int]:
        return [self._ids.setdefault(word, len(self._ids)) for word in words]

    def attested(self, pairs: np.ndarray) -> np.ndarray:
        return np.array([tuple(pair) in self._pairs for pair in pairs.tolist()])

    def log10_probs(self, histories: np.ndarray, words: np.ndarray) -> np.ndarray:
        return np.zeros(len(words))


class Company:
    """Words that have nothing in common, with the frames that a test gives them."""

    def __init__(self, **frames: dict[tuple[Before, After], int]) -> None:
        self._frames = frames

    def similarity(self, words: Sequence[str], answer: str) -> np.ndarray:
        return np.zeros(len(words))

    def frames_of(self, word: str) -> np.ndarray:
        counts = np.zeros((len(Before), len(After)), np.int64)
        for place, count in self._frames.get(word, {}).items():
            counts[place] = count
        return counts


@dataclass(frozen=True)
class Found:
    tag: str
    clitics: tuple[str, ...] = ()


class Tags:
    """A tagger that goes by the word alone; `+` parts a clitic's tag."""

    def __init__(self, **tags: str) -> None:
        self._tags = tags

    def tag(self, sentences: Iterable[Sequence[str]]) -> Iterable[list[str]]:
        return ([self._tags.get(token, "IN").split("+")[0] for token in tokens] for tokens in sentences)

    def tag_with_clitics(self, sentences: Iterable[Sequence[str]]) -> Iterable[list[Found]]:
        for tokens in sentences:
            parts = [self._tags.get(token, "IN").split("+") for token in tokens]
            yield [Found(first, tuple(rest)) for first, *rest in parts]


def judge_words(item: GroomedItem, index: Bigrams, monkeypatch: pytest.MonkeyPatch, **settings: Any) -> dict[str, str]:
    monkeypatch.setattr(judging, "worker_index", lambda folder: index)
    monkeypatch.setattr(judging, "_company", lambda folder: Company())
    judging.judge_words(item, shard_of(**settings))
    return dict(zip(item.candidates, map(str, item.verdicts), strict=True))


def judge_tags(
    item: GroomedItem, monkeypatch: pytest.MonkeyPatch, tags: Tags, *, company: Company | None = None, **settings: Any
) -> dict[str, str]:
    monkeypatch.setattr(judging, "_tagger", lambda name: tags)
    monkeypatch.setattr(judging, "_company", lambda folder: company or Company())
    judging.judge_tags([item], shard_of(frames=company is not None, **settings))
    return dict(zip(item.candidates, map(str, item.verdicts), strict=True))


@pytest.mark.parametrize(
    "line", ["He saw an owl here .", 'He saw an " owl " here .', "He saw an -- owl here .", "He saw an ( owl ) here ."]
)
def test_the_article_is_the_one_that_is_printed(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Quotes, dashes and brackets are not printed, so `an` stands before the blank whatever was between."""
    found = judge_words(item_of(line, "owl", ["lamp", "idol"]), Bigrams(), monkeypatch, require_attested=False)
    assert found == {"lamp": CandidateFault.ARTICLE, "idol": FIT}


@pytest.mark.parametrize("line", ["He drank the wine of Spain here .", 'He drank the " wine " of Spain here .'])
def test_neighbours_are_those_that_are_printed(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside a frequent neighbour a word must be attested, beside a rarer one it must not: a mark that is deleted is no neighbour."""
    books = Bigrams("the beer of", 'the rug " of')
    found = judge_words(item_of(line, "wine", ["beer", "rug"]), books, monkeypatch, frequent="the of")
    assert found == {"beer": FIT, "rug": CandidateFault.UNATTESTED}
    found = judge_words(item_of(line, "wine", ["beer", "rug"]), books, monkeypatch, require_attested=False)
    assert found == {"beer": CandidateFault.COLLOCATION, "rug": CandidateFault.COLLOCATION}


VERBS = Tags(I="PRP", my="PRP$", travelled="VBD", wandered="VBD", buried="VBD", walks="VBZ", lamp="VBD", roamed="VBD")
NO_OBJECT = {(Before.SUBJECT, After.CLOSED): 20}
FRAMES = Company(travelled=NO_OBJECT, wandered=NO_OBJECT, buried={(Before.SUBJECT, After.OBJECT): 20}, roamed={})


def test_a_candidate_takes_the_answers_tag_and_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another tag; a tag that no dictionary lists; an object that the place has not; too few uses to tell."""
    item = item_of("I travelled in my youth .", "travelled", ["wandered", "walks", "lamp", "buried", "roamed"])
    found = judge_tags(item, monkeypatch, VERBS, company=FRAMES)
    assert item.fault == FIT
    assert (item.answer_tag, item.need) == ("VBD", Need.NO_OBJECT)
    assert found == {
        "wandered": FIT,
        "walks": CandidateFault.TAG,
        "lamp": CandidateFault.TAG_IMPOSSIBLE,
        "buried": CandidateFault.FRAME,
        "roamed": CandidateFault.FRAME,
    }
    assert item.tags == ["VBD", "VBZ", "VBD", "VBD", "VBD"]


def test_past_forms_must_be_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """`hidden` is no past tense, `painted` is one: where the tagger took the one for the other, only `painted` stands for `buried`."""
    tags = Tags(The="DT", plate="NN", was="VBD", buried="VBN", hidden="VBN", painted="VBN")
    found = judge_tags(item_of("The plate was buried here .", "buried", ["hidden", "painted"]), monkeypatch, tags)
    assert found == {"hidden": CandidateFault.TAG_IMPOSSIBLE, "painted": FIT}


def test_frames_can_be_turned_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """Then a verb's object is nobody's business."""
    found = judge_tags(item_of("I travelled in my youth .", "travelled", ["buried"]), monkeypatch, VERBS)
    assert found == {"buried": FIT}


def test_what_fell_before_is_left_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first fault stands; the tagger does not see such a candidate."""
    item = item_of("I travelled in my youth .", "travelled", ["walks", "wandered"])
    item.verdicts[0] = CandidateFault.ARTICLE
    judge_tags(item, monkeypatch, VERBS, company=FRAMES)
    assert item.verdicts == [CandidateFault.ARTICLE, FIT]
    assert item.tags == ["", "VBD"]


def test_a_clitic_is_part_of_the_tag(monkeypatch: pytest.MonkeyPatch) -> None:
    """`mother's` is no impostor of `mother`."""
    tags = Tags(He="PRP", saw="VBD", the="DT", mother="NN", father="NN", **{"sister's": "NN+POS"})
    found = judge_tags(item_of("He saw the mother there .", "mother", ["father", "sister's"]), monkeypatch, tags)
    assert found == {"father": FIT, "sister's": CandidateFault.TAG}


@pytest.mark.parametrize(
    ("line", "answer", "fault"),
    [
        ("The brass plate fell .", "brass", judging.COMPOUND),
        ('The brass " plate " fell .', "brass", judging.COMPOUND),
        ("The plate fell here .", "fell", judging.CLASS_NOT_ASKED),
        ("The plate across copper fell .", "across", judging.TAG_DOUBTFUL),
        ("Because plate fell here .", "plate", SentenceFault.NO_MAIN_CLAUSE),
        ("She buried it up here .", "buried", judging.FRAME_UNCLEAR),
        ("She travelled the plate here .", "travelled", judging.FRAME_UNCLEAR),
        ('She travelled " the plate " here .', "travelled", judging.FRAME_UNCLEAR),
    ],
)
def test_faults_of_the_answer(line: str, answer: str, fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A compound, another class, a doubtful tag, a fragment, a place that asks for more or other than the answer is seen to give."""
    tags = Tags(
        The="DT", the="DT", brass="NN", plate="NN", fell="VBD", across="NN", copper="NN", She="PRP", buried="VBD", it="PRP", travelled="VBD"
    )
    company = Company(travelled=NO_OBJECT, buried={(Before.SUBJECT, After.OBJECT): 20}, plate={(Before.ARTICLE, After.CLOSED): 20})
    item = item_of(line, answer, ["lamp"])
    judge_tags(item, monkeypatch, tags, company=company, classes=("noun",) if fault != judging.FRAME_UNCLEAR else ())
    assert item.fault == fault


@pytest.fixture(scope="module")
def groomed(finished: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[Artifact, Any]:
    """The finished run's candidates groomed with the tagger and with frames."""
    names = ("focus", "index", "contexts", "forward", "counts")
    inputs = {name: stage_artifact(finished.folder, name) for name in names}
    settings = read_run(finished.folder)["settings"]["grooming"] | {"tagger": "builtin", "frames": True}
    folder = tmp_path_factory.mktemp("groomed")
    shard = groom_shard(GroomingSettings.model_validate(settings), (), **inputs)
    writer = ArtifactWriter(folder)
    write_grooming(writer, Room(Store(folder), InProcessEngine(), "grooming"), shard=shard)
    return Artifact(folder, {"funnel": writer.funnel, "facts": writer.facts}), read_company(inputs["contexts"])


def test_a_groomed_corpus_obeys_tags_and_frames(groomed: tuple[Artifact, Any]) -> None:
    """A fit candidate has the answer's tag and is used as the place asks; where a frame breaks, the counts speak against it."""
    artifact, company = groomed
    items = {row["id"]: row for row in read_parquet(artifact.path(GROOMED)).to_pylist()}
    rows = read_parquet(artifact.path(DECISIONS)).to_pylist()
    seen: Counter[str] = Counter()
    for row in rows:
        item = items[row["id"]]
        if item["verdict"] != FIT or row["verdict"] not in (FIT, CandidateFault.FRAME):
            continue
        assert row["tag"] == item["answer_tag"]
        if item["place_asks_for"]:
            tag, need = row["tag"].split("+")[0], Need(item["place_asks_for"])
            used = gives(company.frames_of(row["word"]), tag=tag, need=need, transitive_share=0.3)
            assert used == (row["verdict"] == FIT)
            seen[row["verdict"]] += 1
    assert min(seen[FIT], seen[str(CandidateFault.FRAME)]) > 20
    assert artifact.funnel["rejected"][judging.FRAME_UNCLEAR] > 20
