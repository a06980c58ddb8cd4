"""Machine grooming of some items: predicates are asked in order, then readers' opinion is estimated of what is left.

Each function marks items, or their candidates, with the first fault that it finds. What has one already is not asked again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from cloze_gen.adapters.lexicon import can_have_tag, is_doubtful, same_past_forms
from cloze_gen.english.articles import breaks_article
from cloze_gen.english.sentence_fitness import SentenceFault, lacks_main_clause, sentence_fault
from cloze_gen.english.stems import stem
from cloze_gen.lm.forward_index import ForwardIndex
from cloze_gen.recipes.msr.stages.groomed_items import GroomedItem, GroomShard
from cloze_gen.recipes.msr.stages.measures import measures_of, place_of, printed_beside, sentence_tags, window_tags
from cloze_gen.recipes.msr.stages.tables import FIT, MEASURES
from cloze_gen.recipes.msr.steps.reader_models import features_of, opinion
from cloze_gen.recipes.msr.steps.unfit_answers import AnswerFault, answer_fault, tells_too_little
from cloze_gen.recipes.msr.steps.unfit_impostors import CandidateFault, dictionary_fault, reader_fault, word_fault
from cloze_gen.recipes.msr.steps.word_place import frame_asked
from cloze_gen.stats.word_knowledge import WordKnowledge
from cloze_gen.text.tagging import Tagger


def judge_sentences(items: Sequence[GroomedItem], shard: GroomShard) -> None:
    """Every predicate on the sentence that needs no model."""
    one_of_each = {item.sentence.id: item for item in items}
    faults: dict[str, str] = {}
    for key, one in one_of_each.items():
        too_little = AnswerFault.TOO_LITTLE if tells_too_little(one.sentence.tokens, settings=shard.settings) else FIT
        faults[key] = sentence_fault(one.sentence.tokens, printed=one.printed, offensive=shard.offensive) or too_little
    for item in items:
        item.fault = faults[item.sentence.id]


def judge_articles(item: GroomedItem) -> None:
    """That a or an agrees, and nothing else: no sentence falls, and nothing is measured."""
    predecessor, _ = printed_beside(item)
    item.tags = [""] * len(item.candidates)
    item.verdicts = [CandidateFault.ARTICLE if breaks_article(word, predecessor) else FIT for word in item.candidates]
    item.measured = np.full((len(item.candidates), len(MEASURES)), np.nan)


def judge_answers(items: Sequence[GroomedItem], shard: GroomShard, tagger: Tagger) -> None:
    """Every predicate on the sentence and its answer that needs a tagger; learns what the place asks for."""
    tags_of = sentence_tags(items, tagger)
    for item in items:
        item.fault = _answer_fault(item, tags_of[item.sentence.id], shard) or FIT


def judge_words(item: GroomedItem, shard: GroomShard) -> None:
    """Every predicate on a candidate that the words and the dictionary show."""
    predecessor, _ = printed_beside(item)
    stems = frozenset(map(stem, item.sentence.tokens))
    item.tags = [""] * len(item.candidates)
    item.verdicts = [
        word_fault(word, answer=item.answer, predecessor=predecessor, sentence_stems=stems, offensive=shard.offensive)
        or _dictionary_fault(word, item)
        or FIT
        for word in item.candidates
    ]


def judge_by_readers(items: Sequence[GroomedItem], shard: GroomShard, index: ForwardIndex, space: WordKnowledge) -> None:
    """What readers are expected to say of the candidates against which nothing speaks yet."""
    places_of = [_open_places(item) for item in items]
    asked = [(item, [item.candidates[i] for i in places]) for item, places in zip(items, places_of, strict=True)]
    for item, places, measures in zip(items, places_of, measures_of(asked, index, space), strict=True):
        _judge_by_readers(item, places, measures, shard)


def _open_places(item: GroomedItem) -> list[int]:
    """Which candidates nothing speaks against yet."""
    return [i for i, verdict in enumerate(item.verdicts) if verdict == FIT]


def _judge_by_readers(item: GroomedItem, places: Sequence[int], measures: Mapping[str, np.ndarray], shard: GroomShard) -> None:
    item.measured = np.full((len(item.candidates), len(MEASURES)), np.nan)
    item.answer_topicality = float(measures["topicality"][0])
    said = opinion(features_of(measures, place_of(item, frequent=shard.frequent)))
    columns = (measures["similarity"][1:], measures["topicality"][1:], said.fits_as_well, said.ungrammatical, said.plausible)
    item.measured[places] = np.column_stack(columns)
    for i, fits_as_well, ungrammatical in zip(places, said.fits_as_well.tolist(), said.ungrammatical.tolist(), strict=True):
        item.verdicts[i] = reader_fault(fits_as_well, ungrammatical, settings=shard.settings) or FIT


def judge_tags(items: Sequence[GroomedItem], shard: GroomShard, tagger: Tagger) -> None:
    """Whether the candidates that are left take the answer's tag in its place."""
    open_places = [(item, _open_places(item)) for item in items]
    asked = [(item, word) for item, places in open_places for word in (item.answer, *(item.candidates[i] for i in places))]
    found = iter(window_tags(asked, tagger, reach=shard.settings.tag_window))
    for item, places in open_places:
        item.answer_tag = next(found)
        for i in places:
            item.tags[i] = next(found)
            item.verdicts[i] = FIT if item.tags[i] == item.answer_tag else CandidateFault.TAG


def _answer_fault(item: GroomedItem, tags: Sequence[str], shard: GroomShard) -> str | None:
    tokens = item.sentence.tokens
    if lacks_main_clause(tokens, tags):
        return SentenceFault.NO_MAIN_CLAUSE
    printed = item.printed  # quotes and dashes stand between no two words that a reader sees
    seen, seen_tags, position = [tokens[i] for i in printed], [tags[i] for i in printed], printed.index(item.position)
    item.tag, item.frame = seen_tags[position], frame_asked(seen, seen_tags, position)
    return answer_fault(
        seen_tags,
        position,
        classes=shard.classes,
        has_tag=can_have_tag(item.answer, item.tag),
        doubtful=is_doubtful(item.answer, item.tag),
    )


def _dictionary_fault(word: str, item: GroomedItem) -> str | None:
    """What the dictionary says against a word under the answer's tag; nothing where no tagger was asked for one."""
    if not item.tag:
        return None
    return dictionary_fault(
        item.tag,
        has_tag=can_have_tag(word, item.tag),
        doubtful=is_doubtful(word, item.tag),
        same_past_forms=same_past_forms(word, item.answer),
    )
