"""Machine grooming of some items: predicates in order, then the reader models."""

from __future__ import annotations

import functools
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.compute as pc

from cloze_gen.adapters.inflector import can_have_tag, is_doubtful, same_past_forms
from cloze_gen.adapters.local_models import CausalModel
from cloze_gen.adapters.tagging import Tagger
from cloze_gen.corpus.normalization import printed_neighbours, rendered_positions
from cloze_gen.english.articles import breaks_article
from cloze_gen.english.content_words import stem
from cloze_gen.english.penn_tags import PAST
from cloze_gen.english.sentence_fitness import SentenceFault, lacks_main_clause, sentence_fault
from cloze_gen.english.word_lists import after as kind_after
from cloze_gen.english.word_lists import before as kind_before
from cloze_gen.formats.questions import around_blank
from cloze_gen.models.neighbour_counts import Blanks, Side, flatten
from cloze_gen.models.ngram_index import ForwardIndex
from cloze_gen.models.word_knowledge import WordKnowledge
from cloze_gen.recipes.msr.grooming.predicates import (
    TAG_WINDOW,
    AnswerFault,
    CandidateFault,
    GroomingSettings,
    answer_fault,
    dictionary_fault,
    is_frequent,
    is_too_short,
    reader_fault,
    word_fault,
)
from cloze_gen.recipes.msr.grooming.reader_models import (
    OF_MODEL,
    Place,
    features_of,
    opinion,
)
from cloze_gen.recipes.msr.grooming.reader_weights import WEIGHTS, WEIGHTS_WITH_MODEL
from cloze_gen.recipes.msr.grooming.subcategorization import Frame, required_frame, takes_frame
from cloze_gen.recipes.msr.tables import (
    FIT,
    MEASURES,
    SCORED,
    Part,
    cached_sentences,
    dictionary_column,
    focus_columns,
    item_slices,
)
from cloze_gen.records.question import Blank
from cloze_gen.records.sentence import Sentence
from cloze_gen.store.tables import read_parquet


@dataclass(frozen=True, slots=True)
class GroomShard:
    """A worker's part of the scored items. Empty `classes`: all; `people` None: no judges."""

    part: Part
    focus: Path
    index: Path
    contexts: Path
    forward: Path
    settings: GroomingSettings
    classes: tuple[str, ...]
    offensive: frozenset[str]
    frequent: frozenset[str]
    tagger_identity: str
    people: Mapping[str, Mapping[str, Any]] | None = None


@dataclass(slots=True)
class GroomedItem:
    """One focus word with its retained candidates, best forward score first.

    Attributes:
        tag, answer_tag: the answer's Penn tag in the sentence; in its window, with clitics (`+`).
        answer_topicality: mean association with the rarer words, in nats; NaN if unknown.
        measured: columns `MEASURES`, shape (candidates, measures); NaN if not measured.
    """

    id: str
    answer: str
    sentence: Sentence
    position: int
    candidates: list[str]
    fault: str = FIT
    answer_topicality: float = float("nan")
    tag: str = ""
    answer_tag: str = ""
    frame: Frame | None = None
    verdicts: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    measured: np.ndarray = field(default_factory=lambda: np.zeros((0, len(MEASURES))))
    printed: Sequence[int] = field(init=False)

    def __post_init__(self) -> None:
        self.printed = rendered_positions(self.sentence.tokens)


def read_items(shard: GroomShard) -> list[GroomedItem]:
    sentences = cached_sentences(shard.focus)
    focus = focus_columns(shard.focus, shard.part)
    row_of = {item_id: row for row, item_id in enumerate(focus["id"])}
    table = read_parquet(
        shard.forward / SCORED / shard.part.name, columns=["id", "word", "forward_rank", "kept"]
    ).filter(pc.field("kept"))
    ids, coded = dictionary_column(table, "id"), dictionary_column(table, "word")
    words = coded.dictionary.to_numpy(zero_copy_only=False)[coded.indices.to_numpy()]
    rank = table["forward_rank"].to_numpy()
    codes = ids.indices.to_numpy()
    items = []
    for place in item_slices(codes):
        item_id = ids.dictionary[int(codes[place.start])].as_py()
        row = row_of[item_id]
        order = np.argsort(rank[place], kind="stable") + place.start
        candidates = words[order].tolist()
        sentence = sentences[focus["sentence_id"][row]]
        items.append(
            GroomedItem(item_id, focus["word"][row], sentence, focus["position"][row], candidates)
        )
    return items


_PRIOR_USES = 4  # smooths words with few uses
N_IMPOSTORS = 4
RIGHT_WORDS = 10  # words after the blank that a language model scores


def printed_neighbour_pair(item: GroomedItem) -> tuple[str, str]:
    """The printed tokens before and after the blank: for `an " owl "`, a reader sees `an owl`."""
    tokens = item.sentence.tokens
    before, after = printed_neighbours(tokens, item.position, item.printed)
    return tokens[before], tokens[after]


def measures_of(
    items_and_words: Sequence[tuple[GroomedItem, Sequence[str]]],
    index: ForwardIndex,
    space: WordKnowledge,
) -> dict[str, np.ndarray]:
    """Measures of each item's answer and its candidates, for `reader_models.features_of`.

    Name -> float64, shape (words,): item after item, each with the answer first. `similarity` is a
    cosine; `topicality` and `fit_*` are in nats, `beside_*` and `use_*` in log10.
    """
    items = [item for item, _ in items_and_words]
    words = [[item.answer, *candidates] for item, candidates in items_and_words]
    listed, blank = flatten(words)
    cues = space.frame_cues_of(listed)
    return {
        **_known(items, words, space),
        **_attested(items, listed, blank, index),
        **_adjacent(items, words, blank, cues, space),
        "takes_frame": _takes_frame(cues, items, blank),
    }


def _known(
    items: Sequence[GroomedItem], words: Blanks, space: WordKnowledge
) -> dict[str, np.ndarray]:
    others, before, after = [], [], []
    for item in items:
        tokens, at, shown = item.sentence.tokens, item.position, item.printed
        place = shown.index(at)
        others.append((*tokens[:at], *tokens[at + 1 :]))
        before.append([tokens[i] for i in shown[max(0, place - space.window) : place]])
        after.append([tokens[i] for i in shown[place + 1 : place + 1 + space.window]])
    nothing: Blanks = [()] * len(items)
    return {
        "similarity": space.similarity(words, [item.answer for item in items]),
        "topicality": space.topicality(words, others),
        "fit_before": space.neighbour_fit(words, before, nothing),
        "fit_after": space.neighbour_fit(words, nothing, after),
    }


def place_of(item: GroomedItem, *, frequent: Container[str]) -> Place:
    tokens, shown = item.sentence.tokens, item.printed
    others = [token for i, token in enumerate(tokens) if i != item.position]
    before, after = printed_neighbour_pair(item)
    return Place(
        tag=item.tag,
        frame=item.frame,
        before=kind_before(before),
        after=kind_after(after),
        tokens=len(shown),
        content_words=sum(not is_frequent(token, frequent) for token in others),
        place=shown.index(item.position) / len(shown),
    )


def _attested(
    items: Sequence[GroomedItem], words: Sequence[str], blank: np.ndarray, index: ForwardIndex
) -> dict[str, np.ndarray]:
    around = np.array([_around(item, index) for item in items], np.int64).reshape(-1, 6)
    before, after, second_last, last, following, second = around[blank].T
    ids = np.array(index.ids(words), np.int64)
    ngrams = {
        "attested_before": (before, ids),
        "attested_after": (ids, after),
        "attested_history": (second_last, last, ids),
        "attested_around": (last, ids, following),
        "attested_following": (ids, following, second),
    }
    return {name: index.attested(np.column_stack(columns)) for name, columns in ngrams.items()}


def _around(item: GroomedItem, index: ForwardIndex) -> list[int]:
    """Ids of the printed tokens before and after the blank, the two before it, the two after it."""
    # position p is at p + 2
    own = [index.start, index.start, *index.ids(item.sentence.tokens), index.end, index.end]
    at = item.position
    return [*index.ids(printed_neighbour_pair(item)), *own[at : at + 2], *own[at + 3 : at + 5]]


def _adjacent(
    items: Sequence[GroomedItem],
    words: Blanks,
    blank: np.ndarray,
    cues: np.ndarray,
    space: WordKnowledge,
) -> dict[str, np.ndarray]:
    """How often each word stands beside its printed neighbour, and beside tokens such as it."""
    pairs = [printed_neighbour_pair(item) for item in items]
    uses = cues.sum(axis=(1, 2)) + _PRIOR_USES
    found = {}
    sides: tuple[tuple[Side, Callable[[str], int], int], ...] = (
        ("before", kind_before, 2),
        ("after", kind_after, 1),
    )
    for place, (side, kind_of, others) in enumerate(sides):
        neighbours = [pair[place] for pair in pairs]
        kinds = np.array([kind_of(word) for word in neighbours], np.int64)[blank]
        stood = cues.sum(axis=others)[np.arange(len(blank)), kinds]
        found[f"use_{side}"] = np.log10((stood + 0.5) / uses)
        found[f"beside_{side}"] = space.neighbour_frequency(words, neighbours, side=side)
    return found


def _takes_frame(cues: np.ndarray, items: Sequence[GroomedItem], blank: np.ndarray) -> np.ndarray:
    """Whether each word fits the place's frame, 0 or 1, float64; 1 if there is no frame."""
    found, kinds = np.ones(len(cues)), [(item.tag, item.frame) for item in items]
    for tag, frame in dict.fromkeys(kinds):
        if frame is not None:
            rows = np.array([kind == (tag, frame) for kind in kinds])[blank]
            found[rows] = takes_frame(cues[rows], tag=tag, frame=frame)
    return found


def sentence_tags(items: Iterable[GroomedItem], tagger: Tagger) -> dict[str, Sequence[str]]:
    """Sentence id -> Penn tags of its tokens; each sentence is tagged once."""
    tokens_of = {item.sentence.id: item.sentence.tokens for item in items}
    return dict(zip(tokens_of, tagger.tag(tokens_of.values()), strict=True))


def window_tags(
    items_and_words: Sequence[tuple[GroomedItem, str]], tagger: Tagger, *, reach: int
) -> list[str]:
    """Penn tag of each word in its item's blank, from `reach` tokens on each side; clitics joined by `+`."""
    reach = min(reach, reach if tagger.reach is None else tagger.reach)
    windows = (
        (_window(item, word, reach), min(item.position, reach)) for item, word in items_and_words
    )
    return ["+".join((own.tag, *own.clitics)) for own in tagger.tag_at(windows)]


def _window(item: GroomedItem, word: str, reach: int) -> tuple[str, ...]:
    tokens, at = item.sentence.tokens, item.position
    return (*tokens[max(0, at - reach) : at], word, *tokens[at + 1 : at + 1 + reach])


def judge_sentences(items: Sequence[GroomedItem], shard: GroomShard) -> None:
    one_of_each = {item.sentence.id: item for item in items}
    faults: dict[str, str] = {}
    for key, one in one_of_each.items():
        too_little = (
            AnswerFault.TOO_LITTLE
            if is_too_short(one.sentence.tokens, settings=shard.settings)
            else FIT
        )
        faults[key] = (
            sentence_fault(one.sentence.tokens, printed=one.printed, offensive=shard.offensive)
            or too_little
        )
    for item in items:
        item.fault = faults[item.sentence.id]


def judge_articles(item: GroomedItem) -> None:
    predecessor, _ = printed_neighbour_pair(item)
    item.tags = [""] * len(item.candidates)
    item.verdicts = [
        CandidateFault.ARTICLE if breaks_article(word, predecessor) else FIT
        for word in item.candidates
    ]
    item.measured = np.full((len(item.candidates), len(MEASURES)), np.nan)


def judge_answers(items: Sequence[GroomedItem], shard: GroomShard, tagger: Tagger) -> None:
    tags_of = sentence_tags(items, tagger)
    for item in items:
        item.fault = _answer_fault(item, tags_of[item.sentence.id], shard) or FIT


def judge_words(item: GroomedItem, shard: GroomShard) -> None:
    predecessor, _ = printed_neighbour_pair(item)
    stems = frozenset(map(stem, item.sentence.tokens))
    item.tags = [""] * len(item.candidates)
    item.verdicts = [
        word_fault(
            word,
            answer=item.answer,
            predecessor=predecessor,
            sentence_stems=stems,
            offensive=shard.offensive,
        )
        or _dictionary_fault(word, item.tag, item.answer if item.tag in PAST else "")
        or FIT
        for word in item.candidates
    ]


def judge_by_readers(
    items: Sequence[GroomedItem], shard: GroomShard, index: ForwardIndex, space: WordKnowledge
) -> None:
    places_of = [_open_places(item) for item in items]
    items_and_words = [
        (item, [item.candidates[i] for i in places])
        for item, places in zip(items, places_of, strict=True)
    ]
    for item in items:
        item.measured = np.full((len(item.candidates), len(MEASURES)), np.nan)
    measures = measures_of(items_and_words, index, space)
    _judge_by_readers(items, places_of, measures, shard, WEIGHTS)


def judge_by_language_model(
    items: Sequence[GroomedItem],
    shard: GroomShard,
    index: ForwardIndex,
    space: WordKnowledge,
    model: CausalModel,
) -> None:
    """The readers' models again, with what a language model says of the candidates that are left.

    An item with fewer than four of them cannot become a question and is passed over.
    """
    items = [item for item in items if len(_open_places(item)) >= N_IMPOSTORS]
    places_of = [_open_places(item) for item in items]
    items_and_words = [
        (item, [item.candidates[i] for i in places])
        for item, places in zip(items, places_of, strict=True)
    ]
    measures = measures_of(items_and_words, index, space)
    scored = [model_measures(item, words, model) for item, words in items_and_words]
    for name in OF_MODEL if scored else ():
        measures[name] = np.concatenate([one[name] for one in scored])
    _judge_by_readers(items, places_of, measures, shard, WEIGHTS_WITH_MODEL)


def model_measures(
    item: GroomedItem, words: Sequence[str], model: CausalModel
) -> dict[str, np.ndarray]:
    """`OF_MODEL` of the answer and the candidates in the printed sentence, shape (1 + candidates,)."""
    shown = tuple(item.sentence.tokens[i] for i in item.printed)
    before, after = around_blank(Blank(item.id, shown, item.printed.index(item.position)))
    next_words = " ".join(after.split(" ")[: 1 + RIGHT_WORDS])
    scored = model.fills(before, [item.answer, *words], next_words)
    return dict(zip(OF_MODEL, scored.T, strict=True))


def _open_places(item: GroomedItem) -> list[int]:
    return [i for i, verdict in enumerate(item.verdicts) if verdict == FIT]


def _judge_by_readers(
    items: Sequence[GroomedItem],
    places_of: Sequence[Sequence[int]],
    measures: Mapping[str, np.ndarray],
    shard: GroomShard,
    weights: Mapping[str, Mapping[str, float]],
) -> None:
    places = [place_of(item, frequent=shard.frequent) for item in items]
    sizes = np.array([1 + len(own) for own in places_of], np.int64)
    marks = opinion(features_of(measures, places, sizes), weights)
    ends = np.cumsum(sizes)
    answers = ends - sizes
    known = [np.delete(measures[name], answers) for name in ("similarity", "topicality")]
    rows = np.column_stack((*known, marks.fits_as_well, marks.ungrammatical, marks.plausible))
    for item, own, topicality, found in zip(
        items,
        places_of,
        measures["topicality"][answers].tolist(),
        np.split(rows, (ends - np.arange(1, len(ends) + 1))[:-1]),
        strict=True,
    ):
        item.answer_topicality = topicality
        item.measured[own] = found
        for place, row in zip(own, found.tolist(), strict=True):
            item.verdicts[place] = reader_fault(row[2], row[3], settings=shard.settings) or FIT


def judge_tags(items: Sequence[GroomedItem], shard: GroomShard, tagger: Tagger) -> None:
    open_places = [(item, _open_places(item)) for item in items]
    items_and_words = [
        (item, word)
        for item, places in open_places
        for word in (item.answer, *(item.candidates[i] for i in places))
    ]
    found = iter(window_tags(items_and_words, tagger, reach=TAG_WINDOW))
    for item, places in open_places:
        item.answer_tag = next(found)
        for i in places:
            item.tags[i] = next(found)
            item.verdicts[i] = FIT if item.tags[i] == item.answer_tag else CandidateFault.TAG


def _answer_fault(item: GroomedItem, tags: Sequence[str], shard: GroomShard) -> str | None:
    tokens = item.sentence.tokens
    if lacks_main_clause(tokens, tags):
        return SentenceFault.NO_MAIN_CLAUSE
    printed = item.printed  # as a reader sees it, without quotes and dashes
    seen, seen_tags, position = (
        [tokens[i] for i in printed],
        [tags[i] for i in printed],
        printed.index(item.position),
    )
    item.tag, item.frame = seen_tags[position], required_frame(seen, seen_tags, position)
    return answer_fault(
        seen_tags,
        position,
        classes=shard.classes,
        has_tag=can_have_tag(item.answer, item.tag),
        doubtful=is_doubtful(item.answer, item.tag),
    )


@functools.lru_cache(maxsize=200_000)
def _dictionary_fault(word: str, tag: str, past_form: str) -> str | None:
    """`past_form`: the answer, if it is a verb's past form; else empty."""
    if not tag:
        return None
    return dictionary_fault(
        tag,
        has_tag=can_have_tag(word, tag),
        doubtful=is_doubtful(word, tag),
        same_past_forms=not past_form or same_past_forms(word, past_form),
    )
