"""Machine grooming as an artifact: a verdict on every retained candidate, and on every focus word's sentence."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from cloze_gen.adapters.lexicon import can_have_tag, is_doubtful, same_past_forms
from cloze_gen.adapters.spacy_tagger import load_tagger
from cloze_gen.cloze.grooming import CandidateFault, GroomingSettings, candidate_fault, stem
from cloze_gen.cloze.sentence_grooming import SentenceFault, lacks_main_clause, sentence_fault
from cloze_gen.cloze.word_place import Need, gives, needed
from cloze_gen.lm.forward_index import ForwardIndex
from cloze_gen.records import Sentence
from cloze_gen.stages.contexts import Company, read_company
from cloze_gen.stages.counts import read_counts
from cloze_gen.stages.focus import FOCUS, read_source_sentences
from cloze_gen.stages.items import SCORED, Part, column, focus_rows, item_slices, parts, worker_index, write_parts
from cloze_gen.stages.offensive_words import offensive_words
from cloze_gen.stages.room import Room
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, open_artifact
from cloze_gen.store.tables import read_parquet, write_parquet
from cloze_gen.text.rendering import rendered_positions
from cloze_gen.text.tagging import Tagger, coarse_class
from cloze_gen.words import is_word

DECISIONS, GROOMED = "decisions", "items.parquet"
FIT = "fit"
CLASS_NOT_ASKED = "answer_class_not_asked"
TAG_DOUBTFUL = "answer_tag_doubtful"
COMPOUND = "answer_in_compound_noun"
TOLD_BY_TOPIC = "answer_told_by_topic"
FRAME_UNCLEAR = "answer_in_unclear_frame"
TOO_LITTLE = "sentence_tells_too_little"
_PAST = frozenset({"VBD", "VBN"})
_NOUNS = frozenset({"NN", "NNS", "NNP", "NNPS"})


@dataclass(frozen=True, slots=True)
class GroomShard:
    """A part of the scored items, and what a worker needs to groom it."""

    part: Part
    focus: Path
    index: Path
    contexts: Path
    forward: Path
    settings: GroomingSettings
    classes: tuple[str, ...]
    offensive: frozenset[str]
    frequent: frozenset[str]


@dataclass(slots=True)
class _Item:
    """One focus word on its way through grooming."""

    id: str
    answer: str
    sentence: Sentence
    position: int
    candidates: list[str]
    history_log10_prob: np.ndarray
    verdicts: list[str] = field(default_factory=list)
    similarity: np.ndarray = field(default_factory=lambda: np.zeros(0))
    topicality: Sequence[float] = ()
    answer_topicality: float = 0.0
    tags: list[str] = field(default_factory=list)
    fault: str = FIT
    answer_tag: str = ""
    plain_tag: str = ""  # without clitics
    need: Need | None = None

    def window(self, word: str, reach: int) -> tuple[str, ...]:
        tokens, at = self.sentence.tokens, self.position
        return (*tokens[max(0, at - reach) : at], word, *tokens[at + 1 : at + 1 + reach])

    def place_in_window(self, reach: int) -> int:
        return min(self.position, reach)


@functools.lru_cache(maxsize=1)
def _tagger(name: str) -> Tagger:
    return load_tagger(name)


@functools.lru_cache(maxsize=1)
def _company(folder: Path) -> Company:
    return read_company(open_artifact(folder))


@functools.lru_cache(maxsize=1)
def _sentences(folder: Path) -> dict[str, Sentence]:
    return read_source_sentences(open_artifact(folder))


def groom_part(shard: GroomShard) -> tuple[int, list[dict[str, Any]]]:
    """Judge one part; returns the rows written and one row an item."""
    items = _read_items(shard)
    whole = {item.sentence.id: item.sentence.tokens for item in items}
    faults = {key: sentence_fault(tokens, offensive=shard.offensive) for key, tokens in whole.items()}
    for item in items:
        item.fault = faults[item.sentence.id] or _tells_too_little(item, shard) or FIT
    fit = [item for item in items if item.fault == FIT and not _told_by_topic(item, shard)]
    for item in fit:
        _judge_words(item, shard)
    if shard.settings.tagger != "none":
        _judge_tags(fit, shard)
    rows = [(item, i) for item in fit for i in range(len(item.candidates))]
    count = write_parquet(
        shard.part.out / shard.part.name,
        {
            "id": [item.id for item, _ in rows],
            "word": [item.candidates[i] for item, i in rows],
            "verdict": [item.verdicts[i] for item, i in rows],
            "similarity": np.array([item.similarity[i] for item, i in rows], np.float32),
            "topicality": np.array([item.topicality[i] for item, i in rows], np.float32),
            "tag": [item.tags[i] if item.tags else "" for item, i in rows],
        },
    )
    return count, [
        {
            "id": item.id,
            "verdict": str(item.fault),
            "answer_tag": item.answer_tag,
            "answer_topicality": round(float(item.answer_topicality), 4),
            "place_asks_for": str(item.need or ""),
            "fit_candidates": item.verdicts.count(FIT) if item.fault == FIT else 0,
        }
        for item in items
    ]


def _read_items(shard: GroomShard) -> list[_Item]:
    sentences = _sentences(shard.focus)
    focus = focus_rows(shard.focus).slice(shard.part.first, shard.part.last - shard.part.first).to_pydict()
    row_of = {item_id: row for row, item_id in enumerate(focus["id"])}
    table = read_parquet(shard.forward / SCORED / shard.part.name, columns=["id", "word", "forward_rank", "kept", "history_log10_prob"])
    table = table.filter(table["kept"])
    ids, words = column(table, "id"), table["word"].to_pylist()
    rank, history = table["forward_rank"].to_numpy(), table["history_log10_prob"].to_numpy()
    codes = ids.indices.to_numpy()
    items = []
    for place in item_slices(codes):
        item_id = ids.dictionary[int(codes[place.start])].as_py()
        row = row_of[item_id]
        order = np.argsort(rank[place], kind="stable") + place.start
        candidates = [words[i] for i in order.tolist()]
        sentence = sentences[focus["sentence_id"][row]]
        items.append(_Item(item_id, focus["word"][row], sentence, focus["position"][row], candidates, history[order]))
    return items


def _association(index: ForwardIndex, pairs: np.ndarray) -> np.ndarray:
    """log10 P(b | a) / P(b) of word pairs: above 0 they stand together more often than chance would have it."""
    return index.log10_probs(pairs[:, :1], pairs[:, 1]) - index.levels[0].log10_prob[pairs[:, 1]]


def _is_frequent(token: str, frequent: frozenset[str]) -> bool:
    """A frequent word or a mark: its company tells grammar. A rarer word's company tells meaning."""
    return not is_word(token) or token.casefold() in frequent


def _tells_too_little(item: _Item, shard: GroomShard) -> str:
    others = (token for i, token in enumerate(item.sentence.tokens) if i != item.position)
    content = sum(not _is_frequent(token, shard.frequent) for token in others)
    few = len(rendered_positions(item.sentence.tokens)) < shard.settings.min_tokens or content < shard.settings.min_content_words
    return TOO_LITTLE if few else ""


def _told_by_topic(item: _Item, shard: GroomShard) -> bool:
    """Measure how answer and candidates go with the sentence's other words; an answer that they give away is no question (guideline 4)."""
    others = (token for i, token in enumerate(item.sentence.tokens) if i != item.position)
    item.answer_topicality, *item.topicality = _company(shard.contexts).topicality([item.answer, *item.candidates], others)
    if item.answer_topicality >= shard.settings.max_answer_topicality:
        item.fault = TOLD_BY_TOPIC
    return item.fault != FIT


def _judge_words(item: _Item, shard: GroomShard) -> None:
    """Every predicate that needs no tagger."""
    index = worker_index(shard.index)
    tokens, at = item.sentence.tokens, item.position
    predecessor, follower = index.ids([tokens[at - 1], tokens[at + 1]])
    ids = np.array(index.ids(item.candidates))
    left = np.column_stack([np.full(len(ids), predecessor), ids])
    right = np.column_stack([ids, np.full(len(ids), follower)])
    beside = ((left, tokens[at - 1]), (right, tokens[at + 1]))
    attested, collocates = np.ones(len(ids), bool), np.zeros(len(ids), bool)
    for pairs, neighbour in beside:
        seen = index.attested(pairs)
        if _is_frequent(neighbour, shard.frequent):
            attested &= seen & (_association(index, pairs) >= shard.settings.min_association)
        else:
            collocates |= seen
    item.similarity = _company(shard.contexts).similarity(item.candidates, item.answer)
    lift = item.history_log10_prob - index.levels[0].log10_prob[ids]
    stems = frozenset(stem(token) for token in tokens)
    item.verdicts = [
        candidate_fault(
            word,
            answer=item.answer,
            predecessor=tokens[at - 1],
            sentence_stems=stems,
            offensive=shard.offensive,
            similarity=float(item.similarity[i]),
            attested=bool(attested[i]),
            collocates=bool(collocates[i]),
            lift=float(lift[i]),
            topicality=float(item.topicality[i]),
            settings=shard.settings,
        )
        or FIT
        for i, word in enumerate(item.candidates)
    ]


def _judge_tags(items: list[_Item], shard: GroomShard) -> None:
    """The candidate must take the answer's tag in its sentence and be able to have it; the answer must not be part of a compound noun."""
    reach, tagger = shard.settings.tag_window, _tagger(shard.settings.tagger)
    whole = {item.sentence.id: item.sentence.tokens for item in items}
    tags_of = dict(zip(whole, tagger.tag(whole.values()), strict=True))
    waiting: list[tuple[_Item, int]] = []
    windows: list[tuple[str, ...]] = []
    for item in items:
        tags = tags_of[item.sentence.id]
        item.tags = [""] * len(item.candidates)
        if lacks_main_clause(item.sentence.tokens, tags):
            item.fault = SentenceFault.NO_MAIN_CLAUSE
            continue
        item.fault = item_fault(item.answer, tags, item.position, shard.classes) or FIT
        item.plain_tag, item.need = tags[item.position], needed(item.sentence.tokens, tags, item.position)
        if item.fault == FIT and not _gives(item.answer, item, shard):
            item.fault = FRAME_UNCLEAR
        if item.fault == FIT:
            waiting.append((item, -1))
            windows.append(item.window(item.answer, reach))
            for i, verdict in enumerate(item.verdicts):
                if verdict == FIT:
                    waiting.append((item, i))
                    windows.append(item.window(item.candidates[i], reach))
    for (item, i), tagged in zip(waiting, tagger.tag_with_clitics(windows), strict=True):
        found = tagged[item.place_in_window(reach)]
        tag = "+".join((found.tag, *found.clitics))
        if i < 0:
            item.answer_tag = tag
            continue
        item.tags[i] = tag
        if tag != item.answer_tag:
            item.verdicts[i] = CandidateFault.TAG
        elif not can_have_tag(item.candidates[i], found.tag) or (
            found.tag in _PAST and not same_past_forms(item.candidates[i], item.answer)
        ):
            item.verdicts[i] = CandidateFault.TAG_IMPOSSIBLE
        elif not _gives(item.candidates[i], item, shard):
            item.verdicts[i] = CandidateFault.FRAME


def _gives(word: str, item: _Item, shard: GroomShard) -> bool:
    """Whether a word gives what its place asks for; yes where nothing is asked."""
    if item.need is None or not shard.settings.frames:
        return True
    frames = _company(shard.contexts).frames_of(word)
    return gives(frames, tag=item.plain_tag, need=item.need, transitive_share=shard.settings.transitive_share)


def item_fault(answer: str, tags: Sequence[str], position: int, classes: Sequence[str]) -> str:
    """What speaks against a focus word once its sentence is tagged; empty when nothing does.

    >>> item_fault("servant", ["DT", "NN", "NN", "VBD"], 1, ())
    'answer_in_compound_noun'
    >>> item_fault("servant", ["DT", "NN", "VBD"], 1, ())
    ''
    """
    tag, following = tags[position], tags[position + 1] if position + 1 < len(tags) else ""
    if classes and coarse_class(tag) not in classes:
        return CLASS_NOT_ASKED
    if not can_have_tag(answer, tag) or is_doubtful(answer, tag):
        return TAG_DOUBTFUL
    if tag in _NOUNS and following in _NOUNS:
        return COMPOUND
    return ""


def write_grooming(writer: ArtifactWriter, room: Room, *, shard: GroomShard) -> None:
    """Write a verdict for every retained candidate and every focus word."""
    n_items = int(open_artifact(shard.focus).manifest["files"][FOCUS]["rows"])
    shards = [replace(shard, part=part) for part in parts(n_items, writer.folder / DECISIONS)]
    results = list(room.map(groom_part, shards, unit="parts"))
    write_parts(writer, DECISIONS, [count for count, _ in results])
    rows = [row for _, part in results for row in part]
    names = ("id", "verdict", "answer_tag", "answer_topicality", "place_asks_for", "fit_candidates")
    writer.rows[GROOMED] = write_parquet(writer.path(GROOMED), {name: [row[name] for row in rows] for name in names})
    verdicts = Counter(row["verdict"] for row in rows)
    kept = verdicts.pop(FIT, 0)
    writer.funnel = {"unit": "focus words", "seen": len(rows), "kept": kept, "rejected": dict(sorted(verdicts.items()))}
    candidates: Counter[str] = Counter()
    for part in sorted((writer.folder / DECISIONS).glob("*.parquet")):
        candidates.update(read_parquet(part, columns=["verdict"])["verdict"].to_pylist())
    fit = candidates.pop(FIT, 0)
    total = fit + sum(candidates.values())
    second = {"unit": "candidates", "seen": total, "kept": fit, "rejected": dict(sorted(candidates.items()))}
    writer.facts |= {"tagger": shard.settings.tagger, "candidates_funnel": second}
    room.say(f"{kept:,} of {len(rows):,} focus words stand in a fit sentence; {fit:,} fit candidates")


def groom_shard(
    settings: GroomingSettings,
    classes: tuple[str, ...],
    *,
    focus: Artifact,
    index: Artifact,
    contexts: Artifact,
    forward: Artifact,
    counts: Artifact,
) -> GroomShard:
    """What every shard of the stage shares."""
    table = read_counts(counts)
    frequent = frozenset(table.words[i].casefold() for i in np.flatnonzero(table.freq >= settings.frequent_freq))
    folders = (focus.folder, index.folder, contexts.folder, forward.folder)
    return GroomShard(Part(0, 0, Path()), *folders, settings, classes, offensive_words(settings.offensive_words), frequent)
