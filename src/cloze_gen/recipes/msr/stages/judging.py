"""The judges of machine grooming: each marks items, or their candidates, with the first fault that it finds."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from cloze_gen.adapters.lexicon import can_have_tag, is_doubtful, same_past_forms
from cloze_gen.adapters.spacy_tagger import load_tagger
from cloze_gen.english.penn_tags import coarse_class
from cloze_gen.english.sentence_fitness import SentenceFault, lacks_main_clause, sentence_fault
from cloze_gen.english.stems import stem
from cloze_gen.lm.forward_index import ForwardIndex
from cloze_gen.recipes.msr.stages.groomed_items import GroomedItem, GroomShard
from cloze_gen.recipes.msr.stages.items import worker_index
from cloze_gen.recipes.msr.stages.tables import FIT
from cloze_gen.recipes.msr.steps.grooming import CandidateFault, candidate_fault
from cloze_gen.recipes.msr.steps.guideline_1_frames import gives, needed
from cloze_gen.stages.models.contexts import Company, read_company
from cloze_gen.store.artifacts import open_artifact
from cloze_gen.text.rendering import printed_neighbours, rendered_positions
from cloze_gen.text.tagging import Tagger
from cloze_gen.words import is_word

CLASS_NOT_ASKED = "answer_class_not_asked"
TAG_DOUBTFUL = "answer_tag_doubtful"
COMPOUND = "answer_in_compound_noun"
TOLD_BY_TOPIC = "answer_told_by_topic"
FRAME_UNCLEAR = "answer_in_unclear_frame"
TOO_LITTLE = "sentence_tells_too_little"
_PAST = frozenset({"VBD", "VBN"})
_NOUNS = frozenset({"NN", "NNS", "NNP", "NNPS"})


@functools.lru_cache(maxsize=1)
def _tagger(name: str) -> Tagger:
    return load_tagger(name)


@functools.lru_cache(maxsize=1)
def _company(folder: Path) -> Company:
    return read_company(open_artifact(folder))


def judge_sentences(items: Sequence[GroomedItem], shard: GroomShard) -> None:
    """Every predicate on the sentence that needs no tagger."""
    whole = {item.sentence.id: item.sentence.tokens for item in items}
    faults = {key: sentence_fault(tokens, printed=rendered_positions(tokens), offensive=shard.offensive) for key, tokens in whole.items()}
    for item in items:
        item.fault = faults[item.sentence.id] or _tells_too_little(item, shard) or FIT


def _association(index: ForwardIndex, pairs: np.ndarray) -> np.ndarray:
    """log10 P(b | a) / P(b) of word pairs: above 0 they stand together more often than chance would have it."""
    return index.log10_probs(pairs[:, :1], pairs[:, 1]) - index.levels[0].log10_prob[pairs[:, 1]]


def _is_frequent(token: str, frequent: frozenset[str]) -> bool:
    """A frequent word or a mark: its company tells grammar. A rarer word's company tells meaning."""
    return not is_word(token) or token.casefold() in frequent


def _tells_too_little(item: GroomedItem, shard: GroomShard) -> str:
    others = (token for i, token in enumerate(item.sentence.tokens) if i != item.position)
    content = sum(not _is_frequent(token, shard.frequent) for token in others)
    few = len(rendered_positions(item.sentence.tokens)) < shard.settings.min_tokens or content < shard.settings.min_content_words
    return TOO_LITTLE if few else ""


def told_by_topic(item: GroomedItem, shard: GroomShard) -> bool:
    """Measure how answer and candidates go with the sentence's other words; an answer that they give away is no question (guideline 4)."""
    others = (token for i, token in enumerate(item.sentence.tokens) if i != item.position)
    item.answer_topicality, *item.topicality = _company(shard.contexts).topicality([item.answer, *item.candidates], others)
    if item.answer_topicality >= shard.settings.max_answer_topicality:
        item.fault = TOLD_BY_TOPIC
    return item.fault != FIT


def judge_words(item: GroomedItem, shard: GroomShard) -> None:
    """Every predicate that needs no tagger. Neighbours are those that are printed: of `an " owl "` a reader sees `an owl`."""
    index = worker_index(shard.index)
    tokens = item.sentence.tokens
    before, after = (tokens[i] for i in printed_neighbours(tokens, item.position))
    predecessor, follower = index.ids([before, after])
    ids = np.array(index.ids(item.candidates))
    left = np.column_stack([np.full(len(ids), predecessor), ids])
    right = np.column_stack([ids, np.full(len(ids), follower)])
    beside = ((left, before), (right, after))
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
            predecessor=before,
            sentence_stems=stems,
            offensive=shard.offensive,
            similarity=float(item.similarity[i]),
            attested=bool(attested[i]),
            collocates=bool(collocates[i]),
            lift=float(lift[i]),
            gain=float(item.gain[i]),
            topicality=float(item.topicality[i]),
            settings=shard.settings,
        )
        or FIT
        for i, word in enumerate(item.candidates)
    ]


def judge_tags(items: list[GroomedItem], shard: GroomShard) -> None:
    """The candidate must take the answer's tag in its sentence and be able to have it; the answer must not be part of a compound noun."""
    reach, tagger = shard.settings.tag_window, _tagger(shard.settings.tagger)
    whole = {item.sentence.id: item.sentence.tokens for item in items}
    tags_of = dict(zip(whole, tagger.tag(whole.values()), strict=True))
    waiting: list[tuple[GroomedItem, int]] = []
    windows: list[tuple[str, ...]] = []
    for item in items:
        tags = tags_of[item.sentence.id]
        item.tags = [""] * len(item.candidates)
        if lacks_main_clause(item.sentence.tokens, tags):
            item.fault = SentenceFault.NO_MAIN_CLAUSE
            continue
        printed = rendered_positions(item.sentence.tokens)  # quotes and dashes stand between no two words that a reader sees
        seen, seen_tags, place = [item.sentence.tokens[i] for i in printed], [tags[i] for i in printed], printed.index(item.position)
        item.fault = item_fault(item.answer, seen_tags, place, shard.classes) or FIT
        item.plain_tag, item.need = seen_tags[place], needed(seen, seen_tags, place)
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


def _gives(word: str, item: GroomedItem, shard: GroomShard) -> bool:
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
