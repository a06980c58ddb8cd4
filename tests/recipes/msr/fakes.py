"""Items, and models that answer as a test sets them."""

from __future__ import annotations

import numpy as np

from cloze_gen.english.word_lists import After, Before
from cloze_gen.recipes.msr.grooming.candidates import CandidateTable, Item
from cloze_gen.records.sentence import Sentence


def make_item(line, answer, words=()):
    tokens = tuple(line.split(" "))
    sentence = Sentence("b", 1, 0, len(line), 0, "prose", line, tokens)
    position = tokens.index(answer)
    return Item(f"b:1:{position}", sentence, position, words)


def make_table(*rows):
    """The table of some (line, answer, candidates)."""
    return CandidateTable([make_item(*row) for row in rows])


class Books:
    """An index that attests the n-grams of some lines, of any length."""

    def __init__(self, *lines):
        self._ids: dict[str, int] = {}
        self.start, self.end = self.ids(["<s>", "</s>"])
        self.lines = [self.ids(line.split(" ")) for line in lines]

    def ids(self, words):
        return [self._ids.setdefault(word, len(self._ids)) for word in words]

    def attested(self, ngrams):
        n = ngrams.shape[1]
        known = {tuple(line[i : i + n]) for line in self.lines for i in range(len(line) - n + 1)}
        return np.array([tuple(ngram) in known for ngram in ngrams.tolist()])


class Space:
    """A context space of unrelated words, except as a test sets them; it records its queries."""

    window = 2

    def __init__(self, *, similar = None, topical = None,
                 **cues):  # fmt: skip
        self._similar, self._topical, self._cues = similar or {}, topical or {}, cues
        self.near: list[tuple[list[str], list[str]]] = []
        self.beside: list[tuple[str, str]] = []

    def similarity(self, words, answers):
        return np.array([
            1.0 if word == answer else self._similar.get(word, 0.0)
            for some, answer in zip(words, answers, strict=True)
            for word in some
        ])  # fmt: skip

    def topicality(self, words, others):
        self.others = [list(some) for some in others]
        return np.array([self._topical.get(word, 0.0) for some in words for word in some])

    def neighbour_fit(self, words, before, after):
        self.near += [(list(b), list(a)) for b, a in zip(before, after, strict=True)]
        return np.zeros(sum(map(len, words)))

    def neighbour_frequency(self, words, neighbours, *, side):
        self.beside += [(neighbour, side) for neighbour in neighbours]
        return np.zeros(sum(map(len, words)))

    def frame_cues_of(self, words):
        counts = np.zeros((len(words), len(Before), len(After)), np.int64)
        for row, word in enumerate(words):
            for place, count in self._cues.get(word, {}).items():
                counts[row][place] = count
        return counts


class Tags:
    """A tagger by the word alone; `+` separates a clitic's tag. It counts the sentences."""

    reach = 3

    def __init__(self, **tags):
        self._tags = tags
        self.asked = 0
        self.lengths = []

    def tag(self, sentences):
        return [
            [self._tags.get(token, "IN").split("+")[0] for token in tokens]
            for tokens in self._noted(sentences)
        ]

    def tag_at(self, places):
        tags = []
        for tokens, at in places:
            self.asked += 1
            self.lengths.append(len(tokens))
            tags.append(self._tags.get(tokens[at], "IN"))
        return tags

    def _noted(self, sentences):
        for sentence in sentences:
            self.asked += 1
            yield sentence
