"""Measures of candidates from the n-gram index, word knowledge and a language model; tags in the blank."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from cloze_gen.adapters.local_models import CausalModel
from cloze_gen.adapters.spacy_tagger import SpacyTagger
from cloze_gen.english.word_lists import after as kind_after
from cloze_gen.english.word_lists import before as kind_before
from cloze_gen.formats.questions import around_blank
from cloze_gen.models.neighbour_counts import Blanks, flatten
from cloze_gen.models.ngram_index import SENTENCE_END, SENTENCE_START, ForwardIndex
from cloze_gen.models.word_knowledge import WordKnowledge
from cloze_gen.recipes.msr.grooming.candidates import CandidateTable, Item
from cloze_gen.recipes.msr.grooming.frames import takes_frame
from cloze_gen.records.question import Blank

# log10 probabilities by a causal model: of the word after the text before it, and of the next
# words after both
OF_MODEL = ("model_word", "model_after")
_PRIOR_USES = 4  # smooths words with few uses
_RIGHT_WORDS = 10  # words after the blank that a language model scores


def measures_of(
    table: CandidateTable,
    rows: np.ndarray,
    index: ForwardIndex,
    knowledge: WordKnowledge,
    language_model: CausalModel | None = None,
) -> dict[str, np.ndarray]:
    """Measures of some candidates by name; float64, shape (rows,).

    `similarity` is a cosine; `topicality` and `fit_*` are in nats; `beside_*`, `use_*` and
    `model_*` in log10; `attested_*` and `takes_frame` 0 or 1. `answer_*` is the measure of the
    answer, `*_gained` the difference from it.
    """
    items = table.items
    words = table.words_by_item(rows)
    listed, blank = flatten(words)
    cues = knowledge.frame_cues_of(listed)
    values = {
        **_known(items, words, knowledge),
        **_attested(items, listed, blank, index),
        **_adjacent(items, words, blank, cues, knowledge),
        "takes_frame": _takes_frame(cues, items, blank),
    }
    if language_model is not None:
        values |= _modelled(items, words, language_model)
    is_answer = np.diff(blank, prepend=-1) > 0
    for item, topicality in zip(items, values["topicality"][is_answer].tolist(), strict=True):
        item.topicality = topicality
    measures = {}
    for name, value in values.items():
        measures[name] = value[~is_answer]
        measures[f"answer_{name}"] = value[is_answer][table.item[rows]]
        measures[f"{name}_gained"] = measures[name] - measures[f"answer_{name}"]
    return measures


def _known(items: Sequence[Item], words: Blanks, knowledge: WordKnowledge) -> dict[str, np.ndarray]:
    window = knowledge.window
    before = [item.shown[max(0, item.rank - window) : item.rank] for item in items]
    after = [item.shown[item.rank + 1 :][:window] for item in items]
    nothing: Blanks = [()] * len(items)
    return {
        "similarity": knowledge.similarity(words, [item.answer for item in items]),
        "topicality": knowledge.topicality(words, [item.others for item in items]),
        "fit_before": knowledge.neighbour_fit(words, before, nothing),
        "fit_after": knowledge.neighbour_fit(words, nothing, after),
    }


def _attested(
    items: Sequence[Item], listed: Sequence[str], blank: np.ndarray, index: ForwardIndex
) -> dict[str, np.ndarray]:
    """Whether the training books have the word in n-grams of its place."""
    around = np.array([_around(item, index) for item in items], np.int64).reshape(-1, 6)
    before, after, second_last, last, following, second = around[blank].T
    word = np.array(index.ids(listed), np.int64)
    ngrams = {
        "attested_before": (before, word),
        "attested_after": (word, after),
        "attested_history": (second_last, last, word),
        "attested_around": (last, word, following),
        "attested_following": (word, following, second),
    }
    return {
        name: index.attested(np.column_stack(columns)).astype(np.float64)
        for name, columns in ngrams.items()
    }


def _around(item: Item, index: ForwardIndex) -> list[int]:
    """Ids of the printed tokens beside the blank, of the two tokens before it and the two after."""
    start, end = [SENTENCE_START] * 2, [SENTENCE_END] * 2
    tokens = [*start, *item.sentence.tokens, *end]
    at = item.position + len(start)
    return index.ids([item.before, item.after, *tokens[at - 2 : at], *tokens[at + 1 : at + 3]])


def _adjacent(
    items: Sequence[Item],
    words: Blanks,
    blank: np.ndarray,
    cues: np.ndarray,
    knowledge: WordKnowledge,
) -> dict[str, np.ndarray]:
    """How often each word stands beside its printed neighbour, and beside tokens of its kind."""
    before = [item.before for item in items]
    after = [item.after for item in items]
    before_kind = np.array([kind_before(word) for word in before], np.int64)[blank]
    after_kind = np.array([kind_after(word) for word in after], np.int64)[blank]
    rows = np.arange(len(blank))
    uses = cues.sum(axis=(1, 2)) + _PRIOR_USES
    return {
        "use_before": np.log10((cues.sum(axis=2)[rows, before_kind] + 0.5) / uses),
        "use_after": np.log10((cues.sum(axis=1)[rows, after_kind] + 0.5) / uses),
        "beside_before": knowledge.neighbour_frequency(words, before, side="before"),
        "beside_after": knowledge.neighbour_frequency(words, after, side="after"),
    }


def _takes_frame(cues: np.ndarray, items: Sequence[Item], blank: np.ndarray) -> np.ndarray:
    """Whether each word fits the place's frame, 0 or 1; 1 if there is no frame."""
    takes = np.ones(len(cues))
    places = [(item.tag, item.frame) for item in items]
    for tag, frame in dict.fromkeys(places):
        if frame is not None:
            rows = np.array([place == (tag, frame) for place in places])[blank]
            takes[rows] = takes_frame(cues[rows], tag=tag, frame=frame)
    return takes


def _modelled(items: Sequence[Item], words: Blanks, model: CausalModel) -> dict[str, np.ndarray]:
    """`OF_MODEL` of each word in its printed sentence."""
    scores = [np.zeros((0, len(OF_MODEL)))]
    for item, listed in zip(items, words, strict=True):
        if len(listed) == 1:  # a language model is too slow for an answer alone
            scores.append(np.full((1, len(OF_MODEL)), np.nan))
            continue
        before, after = around_blank(Blank(item.id, tuple(item.shown), item.rank))
        next_words = " ".join(after.split(" ")[: 1 + _RIGHT_WORDS])
        scores.append(model.fills(before, listed, next_words))
    return dict(zip(OF_MODEL, np.concatenate(scores).T, strict=True))


# ---- tags in the blank


def set_window_tags(table: CandidateTable, tagger: SpacyTagger) -> None:
    """Set the Penn tags that the answers and the open candidates have in the blank.

    The tagger sees what it can reach from the blank. Tags of clitics follow after `+`.
    """
    rows = table.open()
    words = table.words_by_item(rows)
    tags = np.array(tagger.tag_at(_windows(table.items, words, tagger.reach)), object)
    is_answer = np.diff(flatten(words)[1], prepend=-1) > 0
    for item, tag in zip(table.items, tags[is_answer], strict=True):
        item.window_tag = tag
    table.tag[rows] = tags[~is_answer]


def _windows(
    items: Sequence[Item], words: Blanks, reach: int
) -> Iterator[tuple[tuple[str, ...], int]]:
    """Each word in its window, and its place there."""
    for item, listed in zip(items, words, strict=True):
        tokens = item.sentence.tokens
        before = tokens[max(0, item.position - reach) : item.position]
        after = tokens[item.position + 1 : item.position + 1 + reach]
        for word in listed:
            yield (*before, word, *after), len(before)
