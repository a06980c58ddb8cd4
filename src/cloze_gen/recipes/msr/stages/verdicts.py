"""Machine grooming of some items: measures are taken, then `steps/unfit_answers` and `steps/unfit_impostors` asked in order.

Each function marks items, or their candidates, with the first fault that it finds. What has one already is not asked again.
"""

from __future__ import annotations

from collections.abc import Sequence

from cloze_gen.adapters.lexicon import can_have_tag, is_doubtful, same_past_forms
from cloze_gen.english.sentence_fitness import SentenceFault, lacks_main_clause, sentence_fault
from cloze_gen.english.stems import stem
from cloze_gen.lm.forward_index import ForwardIndex
from cloze_gen.recipes.msr.stages.groomed_items import GroomedItem, GroomShard
from cloze_gen.recipes.msr.stages.measures import candidate_measures, printed_beside, sentence_tags, topicality, window_tags
from cloze_gen.recipes.msr.stages.tables import FIT
from cloze_gen.recipes.msr.steps.unfit_answers import AnswerFault, answer_fault, tells_too_little, told_by_topic
from cloze_gen.recipes.msr.steps.unfit_impostors import candidate_fault, tag_fault
from cloze_gen.recipes.msr.steps.word_place import frame_asked, takes_frame
from cloze_gen.stats.word_knowledge import WordKnowledge
from cloze_gen.text.rendering import rendered_positions
from cloze_gen.text.tagging import Tagger


def judge_sentences(items: Sequence[GroomedItem], shard: GroomShard) -> None:
    """Every predicate on the sentence that needs no model."""
    tokens_of = {item.sentence.id: item.sentence.tokens for item in items}
    faults = {
        key: sentence_fault(tokens, printed=rendered_positions(tokens), offensive=shard.offensive) for key, tokens in tokens_of.items()
    }
    for item in items:
        tokens = item.sentence.tokens
        too_little = tells_too_little(tokens, item.position, frequent=shard.frequent, settings=shard.settings)
        item.fault = faults[item.sentence.id] or (AnswerFault.TOO_LITTLE if too_little else FIT)


def judge_topic(item: GroomedItem, shard: GroomShard, space: WordKnowledge) -> None:
    """Does the sentence's topic tell the answer?"""
    item.answer_topicality, item.topicality = topicality(item, space)
    if told_by_topic(item.answer_topicality, settings=shard.settings):
        item.fault = AnswerFault.TOLD_BY_TOPIC


def judge_words(item: GroomedItem, shard: GroomShard, index: ForwardIndex, space: WordKnowledge) -> None:
    """Every predicate on a candidate that needs no tagger."""
    item.measures = candidate_measures(item, index, space, frequent=shard.frequent)
    predecessor, _ = printed_beside(item)
    stems = frozenset(map(stem, item.sentence.tokens))
    item.verdicts = [
        candidate_fault(
            word,
            answer=item.answer,
            predecessor=predecessor,
            sentence_stems=stems,
            offensive=shard.offensive,
            measures=measures,
            settings=shard.settings,
        )
        or FIT
        for word, measures in zip(item.candidates, item.measures, strict=True)
    ]


def judge_tags(items: Sequence[GroomedItem], shard: GroomShard, tagger: Tagger, space: WordKnowledge) -> None:
    """Every predicate that needs a tagger: on the sentence and its answer first, then on the candidates of those that are fit."""
    tags_of = sentence_tags(items, tagger)
    for item in items:
        item.tags = [""] * len(item.candidates)
        item.fault = _tagged_fault(item, tags_of[item.sentence.id], shard, space) or FIT
    fit = [item for item in items if item.fault == FIT]
    open_places = [(item, [i for i, verdict in enumerate(item.verdicts) if verdict == FIT]) for item in fit]
    asked = [(item, word) for item, places in open_places for word in (item.answer, *(item.candidates[i] for i in places))]
    found = iter(window_tags(asked, tagger, reach=shard.settings.tag_window))
    for item, places in open_places:
        item.answer_tag = next(found)
        for i in places:
            item.tags[i] = next(found)
            item.verdicts[i] = _tag_verdict(item.candidates[i], item.tags[i], item, shard, space)


def _tagged_fault(item: GroomedItem, tags: Sequence[str], shard: GroomShard, space: WordKnowledge) -> str | None:
    tokens = item.sentence.tokens
    if lacks_main_clause(tokens, tags):
        return SentenceFault.NO_MAIN_CLAUSE
    printed = rendered_positions(tokens)  # quotes and dashes stand between no two words that a reader sees
    seen, seen_tags, position = [tokens[i] for i in printed], [tags[i] for i in printed], printed.index(item.position)
    item.tag, item.frame = seen_tags[position], frame_asked(seen, seen_tags, position)
    return answer_fault(
        seen_tags,
        position,
        classes=shard.classes,
        has_tag=can_have_tag(item.answer, item.tag),
        doubtful=is_doubtful(item.answer, item.tag),
        takes_frame=_takes_frame(item.answer, item, shard, space),
    )


def _tag_verdict(candidate: str, tag: str, item: GroomedItem, shard: GroomShard, space: WordKnowledge) -> str:
    alike = tag == item.answer_tag  # of a candidate that changes the tag nothing more is looked up: that is most of them
    fault = tag_fault(
        tag,
        answer_tag=item.answer_tag,
        has_tag=alike and can_have_tag(candidate, tag.partition("+")[0]),
        same_past_forms=alike and same_past_forms(candidate, item.answer),
        takes_frame=alike and _takes_frame(candidate, item, shard, space),
    )
    return fault or FIT


def _takes_frame(word: str, item: GroomedItem, shard: GroomShard, space: WordKnowledge) -> bool:
    """Whether a word takes what its place asks for; yes where nothing is asked."""
    if item.frame is None or not shard.settings.frames:
        return True
    cues = space.frame_cues_of(word)
    return takes_frame(cues, tag=item.tag, frame=item.frame, transitive_share=shard.settings.transitive_share)
