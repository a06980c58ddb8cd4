"""Measures for machine grooming: what the models of the training books and the tagger say of an item. Nothing is decided here."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence

import numpy as np

from cloze_gen.english.closed_classes import after as kind_after
from cloze_gen.english.closed_classes import before as kind_before
from cloze_gen.lm.forward_index import ForwardIndex
from cloze_gen.recipes.msr.stages.groomed_items import GroomedItem
from cloze_gen.recipes.msr.steps.grooming import is_frequent
from cloze_gen.recipes.msr.steps.reader_models import Place
from cloze_gen.recipes.msr.steps.word_place import takes_frame
from cloze_gen.stats.word_knowledge import WordKnowledge
from cloze_gen.text.rendering import printed_neighbours
from cloze_gen.text.tagging import Tagger

_PRIOR_USES = 4  # a word seen once is not known by that use


def printed_beside(item: GroomedItem) -> tuple[str, str]:
    """The tokens before and after the blank that are printed: of `an " owl "` a reader sees `an owl`."""
    tokens = item.sentence.tokens
    before, after = printed_neighbours(tokens, item.position, item.printed)
    return tokens[before], tokens[after]


def measures_of(
    asked: Sequence[tuple[GroomedItem, Sequence[str]]], index: ForwardIndex, space: WordKnowledge
) -> Iterator[dict[str, np.ndarray]]:
    """What the books say of the answers and of some candidates in their blanks, as `reader_models.features_of` takes it.

    Args:
        asked: items, each with candidates.
    Yields:
        Of each item: name -> float64, shape (1 + candidates,), the answer first. `similarity` to the answer is a cosine; `topicality`,
        `fit_before` and `fit_after` are in nats; `beside_*` and `use_*` are log10; `attested_*` and `takes_frame` are 0 or 1.
    """
    words_of = [[item.answer, *candidates] for item, candidates in asked]
    found = _attested([item for item, _ in asked], words_of, index)
    for (item, _), words, attested in zip(asked, words_of, found, strict=True):
        yield {**_known(item, words, space), **attested}


def _known(item: GroomedItem, words: Sequence[str], space: WordKnowledge) -> dict[str, np.ndarray]:
    """The measures that ask what is known of words."""
    tokens, at = item.sentence.tokens, item.position
    before, after = printed_beside(item)
    others = (token for i, token in enumerate(tokens) if i != at)
    shown = item.printed
    place = shown.index(at)
    cues = space.frame_cues_of(words)
    near = (
        [tokens[i] for i in shown[max(0, place - space.window) : place]],
        [tokens[i] for i in shown[place + 1 : place + 1 + space.window]],
    )
    return {
        "similarity": space.similarity(words, item.answer),
        "topicality": space.topicality(words, others),
        "fit_before": space.neighbour_fit(words, near[0], []),
        "fit_after": space.neighbour_fit(words, [], near[1]),
        "beside_before": space.beside_frequent(words, before, side="before"),
        "beside_after": space.beside_frequent(words, after, side="after"),
        **_uses(cues, before, after),
        "takes_frame": _takes_frame(cues, item),
    }


def place_of(item: GroomedItem, *, frequent: Container[str]) -> Place:
    """What is known of the blank's place.

    Args:
        frequent: case-folded words of `frequent_freq` or more.
    """
    tokens, shown = item.sentence.tokens, item.printed
    others = [token for i, token in enumerate(tokens) if i != item.position]
    before, after = printed_beside(item)
    return Place(
        tag=item.tag,
        frame=item.frame,
        before=kind_before(before),
        after=kind_after(after),
        tokens=len(shown),
        content_words=sum(not is_frequent(token, frequent) for token in others),
        place=shown.index(item.position) / len(shown),
    )


def _attested(items: Sequence[GroomedItem], words_of: Sequence[Sequence[str]], index: ForwardIndex) -> Iterator[dict[str, np.ndarray]]:
    """Of each item, which n-grams its words make with the tokens around the blank stand in the books; all items in one search an n-gram."""
    sizes = [len(words) for words in words_of]
    around = np.array([_around(item, index) for item in items], np.int64).reshape(-1, 6).repeat(sizes, axis=0).T
    before, after, second_last, last, following, second = around
    ids = np.array(index.ids([word for words in words_of for word in words]), np.int64)
    ngrams = {
        "attested_before": (before, ids),
        "attested_after": (ids, after),
        "attested_history": (second_last, last, ids),
        "attested_around": (last, ids, following),
        "attested_following": (ids, following, second),
    }
    found = {name: index.attested(np.column_stack(columns)) for name, columns in ngrams.items()}
    ends = np.cumsum(sizes)
    for end, size in zip(ends.tolist(), sizes, strict=True):
        yield {name: one[end - size : end] for name, one in found.items()}


def _around(item: GroomedItem, index: ForwardIndex) -> list[int]:
    """Ids of the printed tokens before and after the blank, of the two tokens before it, and of the two after it."""
    own = [index.start, index.start, *index.ids(item.sentence.tokens), index.end, index.end]  # of position p at p + 2
    at = item.position
    return [*index.ids(printed_beside(item)), *own[at : at + 2], *own[at + 3 : at + 5]]


def _uses(cues: np.ndarray, before: str, after: str) -> dict[str, np.ndarray]:
    """log10 of the share of each word's uses that stand after such a token as `before`, and before such a one as `after`."""
    uses = cues.sum(axis=(1, 2)) + _PRIOR_USES
    stood_after, stood_before = cues[:, kind_before(before), :].sum(axis=1), cues[:, :, kind_after(after)].sum(axis=1)
    return {"use_before": np.log10((stood_after + 0.5) / uses), "use_after": np.log10((stood_before + 0.5) / uses)}


def _takes_frame(cues: np.ndarray, item: GroomedItem) -> np.ndarray:
    """Whether each word is seen to take what its place asks for; yes where nothing is asked. float64, 0 or 1."""
    taken = np.ones(len(cues)) if item.frame is None else takes_frame(cues, tag=item.tag, frame=item.frame)
    return taken.astype(np.float64)


def sentence_tags(items: Iterable[GroomedItem], tagger: Tagger) -> dict[str, Sequence[str]]:
    """Penn tags of each sentence's own tokens, by its id; a sentence of several items is tagged once."""
    tokens_of = {item.sentence.id: item.sentence.tokens for item in items}
    return dict(zip(tokens_of, tagger.tag(tokens_of.values()), strict=True))


def window_tags(asked: Sequence[tuple[GroomedItem, str]], tagger: Tagger, *, reach: int) -> list[str]:
    """The Penn tag of each word in its item's blank, clitics joined by `+`, read in a window of `reach` tokens on each side.

    What the tagger cannot look at is not shown to it: the tag is the same, and costs half.
    """
    reach = min(reach, reach if tagger.reach is None else tagger.reach)
    tagged = tagger.tag_with_clitics(_window(item, word, reach) for item, word in asked)
    found = [tags[min(item.position, reach)] for (item, _), tags in zip(asked, tagged, strict=True)]
    return ["+".join((own.tag, *own.clitics)) for own in found]


def _window(item: GroomedItem, word: str, reach: int) -> tuple[str, ...]:
    tokens, at = item.sentence.tokens, item.position
    return (*tokens[max(0, at - reach) : at], word, *tokens[at + 1 : at + 1 + reach])
