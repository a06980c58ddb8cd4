"""What the readers of `steps.signals` know, opened from the artifacts of the training half."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

import numpy as np
import scipy.sparse as sp

from cloze_gen.english.penn_tags import TAGS_OF_CLASS
from cloze_gen.recipes.lambada.steps.signals import ReaderModels
from cloze_gen.stages.corpus.counts import read_counts
from cloze_gen.stages.corpus.tagged_counts import read_tagged_counts
from cloze_gen.stages.models.contexts import read_context_space
from cloze_gen.stages.models.index import open_index
from cloze_gen.store.artifacts import Artifact

_NAME, _NOUN = "NNP", "NN"
_NAME_TAGS = frozenset(TAGS_OF_CLASS["proper_noun"])
# A capitalised type is a name where its case-folded form is one in more than this share of its tokens; others stand at heads of sentences.
_LEAST_NAME_SHARE = 0.3
_UNSEEN = 0.5  # tokens of a word of the index that the counts lack


def read_reader_models(
    *, index: Artifact, counts: Artifact, tagged_counts: Artifact, contexts: Artifact, max_echo_freq: float
) -> ReaderModels:
    """Open the four artifacts together; the classes of words are their commonest Penn tags."""
    opened, table, space = open_index(index), read_counts(counts), read_context_space(contexts)
    tags: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for (form, tag), count in read_tagged_counts(tagged_counts).forms.items():
        tags[form][tag] = count
    names = sorted({tag for found in tags.values() for tag in found} | {_NAME, _NOUN})
    number = {tag: i for i, tag in enumerate(names)}
    class_of = np.array([number[word_class(word, tags.get(word.casefold(), {}))] for word in opened.words], np.int64)
    count_of = dict(zip(table.words, table.count.tolist(), strict=True))
    freq = np.array([count_of.get(word, 0) + _UNSEEN for word in opened.words], np.float64) / max(1, int(table.count.sum()))
    class_probs = np.bincount(class_of, freq, len(names))
    folded_freq = {word.casefold(): share for word, share in zip(table.words, table.freq.tolist(), strict=True)}
    shape = (len(space.row_of), len(space.column_of))
    found = space.associations
    by_topic = sp.csr_matrix((np.asarray(found.pmi, np.float32), np.asarray(found.feature, np.int32), found.start), shape=shape).T.tocsr()
    return ReaderModels(
        index=opened,
        freq=freq,
        folded_freq=lambda word: folded_freq.get(word, 0.0),
        class_of=class_of,
        class_probs=class_probs / class_probs.sum(),
        unknown_class=(number[_NOUN], number[_NAME]),
        option_ids=np.array(opened.ids(list(space.row_of)), np.int64),
        row_of=space.row_of,
        column_of=space.column_of,
        associations=found,
        by_topic=by_topic,
        max_echo_freq=max_echo_freq,
    )


def word_class(word: str, tag_counts: Mapping[str, int]) -> str:
    """The Penn tag that a type most often has; names are told from words at the head of a sentence by how often they are names.

    >>> word_class("Will", {"MD": 90, "NNP": 10}), word_class("Rose", {"VBD": 40, "NNP": 60}), word_class("rose", {"VBD": 40, "NNP": 60})
    ('MD', 'NNP', 'VBD')
    >>> word_class("Pip", {}), word_class("whatsit", {})
    ('NNP', 'NN')
    """
    capitalised = word[:1].isupper()
    name_count = sum(tag_counts.get(tag, 0) for tag in _NAME_TAGS)
    if not tag_counts:
        return _NAME if capitalised else _NOUN
    if capitalised and name_count > _LEAST_NAME_SHARE * sum(tag_counts.values()):
        return _NAME
    others = {tag: count for tag, count in tag_counts.items() if capitalised or tag not in _NAME_TAGS}
    return max(sorted(others), key=others.__getitem__, default=_NOUN)
