"""Penn tags of whole words by the built-in spaCy pipeline. A book's tags depend on its own sentences
only, because each word type is computed alone.
"""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Iterable, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cloze_gen.adapters.window_cnn import EARLY_EXIT_MARGIN, Ints, WindowCnn
from cloze_gen.english.treebank import host_index, is_compound, treebank_split
from cloze_gen.errors import ModelError

if TYPE_CHECKING:
    from spacy.language import Language

BUILTIN_FOLDER = Path(__file__).parent / "tagger_model"
# the files that determine the model
_MODEL_FILES = (
    "config.cfg",
    "meta.json",
    "tagger/cfg",
    "tagger/model",
    "tokenizer",
    "vocab/strings.json",
)


class SpacyTagger:
    """A spaCy pipeline whose network is computed by word type."""

    def __init__(self, nlp: Language) -> None:
        self.labels = tuple(nlp.get_pipe("tagger").labels)  # type: ignore[attr-defined]
        self._network = WindowCnn(nlp)

    @property
    def reach(self) -> int:
        """Tokens on each side on which a tag can depend."""
        return self._network.reach

    def tag(self, sentences: Iterable[Sequence[str]]) -> list[list[str]]:
        """One Penn tag for each token, that of its host (`host_index`)."""
        rows = list(sentences)
        numbers = iter(self.tag_encoded(*_encode(rows)).tolist())
        return [[self.labels[number] for number in islice(numbers, len(row))] for row in rows]

    def tag_encoded(self, words: Sequence[str], tokens: Ints, lengths: Ints) -> Ints:
        """The number in `labels` of each tag of `tag`.

        Args:
            words: distinct words.
            tokens: the number in `words` of each token.
            lengths: number of tokens of each sentence.
        """
        numbers, starts, hosts = self._part_labels(words, tokens, lengths, np.arange(len(tokens)))
        return numbers[starts + hosts]

    def tag_at(self, places: Iterable[tuple[Sequence[str], int]]) -> list[str]:
        """The tag of one token of each sentence; those of its clitics follow after `+`: ``don't``
        -> ``VBP+RB``.
        """
        rows = list(places)
        words, tokens, lengths = _encode([sentence for sentence, _ in rows])
        positions = np.array([position for _, position in rows], np.int64)
        wanted = np.cumsum(lengths) - lengths + positions
        numbers, starts, hosts = self._part_labels(words, tokens, lengths, wanted)
        labels = [self.labels[number] for number in numbers.tolist()]
        stops = np.append(starts, len(labels))[1:]
        tags = []
        for start, stop, host in zip(starts.tolist(), stops.tolist(), hosts.tolist(), strict=True):
            clitics = labels[start:stop]
            tag = clitics.pop(host)
            tags.append("+".join([tag, *clitics]))
        return tags

    def _part_labels(
        self, words: Sequence[str], tokens: Ints, lengths: Ints, wanted: Ints
    ) -> tuple[Ints, Ints, Ints]:
        """Label numbers of the treebank parts of the wanted tokens (ascending); where the parts of
        each token start, and which of them gives it its tag.
        """
        split = [treebank_split(word) for word in words]
        part_counts = np.array([len(parts) for parts in split], np.int64)
        first_parts = np.cumsum(part_counts) - part_counts
        counts = part_counts[tokens]
        bounds = np.concatenate([[0], np.cumsum(counts)])
        sentence_stops = bounds[np.cumsum(lengths)]
        types = self._network.type_ids([part for parts in split for part in parts])
        numbers = self._network.predict(
            types[_ranges(first_parts[tokens], counts)],
            np.diff(sentence_stops, prepend=0),
            _ranges(bounds[wanted], counts[wanted]),
        )
        starts = np.cumsum(counts[wanted]) - counts[wanted]
        hosts = np.array([host_index(parts) for parts in split], np.int64)[tokens[wanted]]
        # a compound is an adjective where the treebank has a participle
        compound = np.array([is_compound(word) for word in words], np.bool_)[tokens[wanted]]
        places = (starts + hosts)[compound]
        participles = places[numbers[places] == self.labels.index("VBN")]
        numbers[participles] = self.labels.index("JJ")
        return numbers, starts, hosts


def _encode(sentences: Sequence[Sequence[str]]) -> tuple[list[str], Ints, Ints]:
    """The distinct words, the number of each token's word, and the lengths of the sentences.

    >>> _encode([["the", "sea"], [], ["the"]])
    (['the', 'sea'], array([0, 1, 0]), array([2, 0, 1]))
    """
    number_of: dict[str, int] = {}
    tokens = [
        number_of.setdefault(token, len(number_of)) for token in chain.from_iterable(sentences)
    ]
    lengths = [len(sentence) for sentence in sentences]
    return list(number_of), np.array(tokens, np.int64), np.array(lengths, np.int64)


def _ranges(first: Ints, counts: Ints) -> Ints:
    """Consecutive numbers from each first one, concatenated.

    >>> _ranges(np.array([7, 2]), np.array([2, 3])).tolist()
    [7, 8, 2, 3, 4]
    """
    return np.arange(counts.sum()) + np.repeat(first - np.cumsum(counts) + counts, counts)


@functools.cache
def load_tagger(folder: Path = BUILTIN_FOLDER) -> SpacyTagger:
    """The tagger, loaded once a process."""
    import spacy  # here, because spaCy takes a second to load and most commands do not need it
    from spacy.attrs import NORM  # type: ignore[import-not-found]

    try:
        nlp = spacy.load(folder)
    except (OSError, ValueError) as error:
        raise _broken(folder, error) from error
    # all that its embedding reads; spaCy's other lexical attributes take half the time of a type
    vocab: Any = nlp.vocab
    vocab.lex_attr_getters = {NORM: vocab.lex_attr_getters[NORM]}
    return SpacyTagger(nlp)


@functools.cache
def tagger_identity(folder: Path = BUILTIN_FOLDER) -> str:
    """``tagger-version-digest`` of all that determines its tags."""
    digest = hashlib.sha256(f"margin {EARLY_EXIT_MARGIN}".encode())
    try:
        for name in _MODEL_FILES:
            digest.update(hashlib.sha256((folder / name).read_bytes()).digest())
        version = json.loads((folder / "meta.json").read_bytes())["version"]
    except (OSError, ValueError, KeyError) as error:
        raise _broken(folder, error) from error
    return f"tagger-{version}-{digest.hexdigest()[:12]}"


def _broken(folder: Path, error: Exception) -> ModelError:
    return ModelError(f"{folder}: cannot read the tagger ({error}). Reinstall cloze-gen.")
