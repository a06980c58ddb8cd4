"""Penn tags from a spaCy pipeline; nothing is downloaded. A book's tags depend on its own sentences
only: batches are fixed, and each word type is computed alone.
"""

from __future__ import annotations

import functools
import hashlib
import itertools
import json
import math
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from threadpoolctl import ThreadpoolController

from cloze_gen.adapters.tagging import TaggedToken
from cloze_gen.adapters.window_cnn import MAX_TYPES, WindowCnn
from cloze_gen.english.treebank import host_index, is_compound, treebank_split
from cloze_gen.errors import ModelError

if TYPE_CHECKING:
    from spacy.language import Language

__all__ = ["BUILTIN_FOLDER", "SpacyTagger", "load_tagger", "treebank_split"]

BUILTIN_FOLDER = Path(__file__).parent / "tagger_model"
BATCH_TOKENS = (
    2048  # tokens a batch; 1,024 to 8,192 measured within 5 % of each other, memory grows with it
)
_BUILTIN_MARGIN = 3.0  # no larger lead was overturned in 3,943,288 tokens of 40 books
_PIPE_BATCH_SENTENCES = 128  # sentences a batch when spaCy's own `pipe` runs
_TAGGING_COMPONENTS = ("tok2vec", "transformer", "curated_transformer", "tagger")


class _Splits(dict[str, int]):
    """Token -> its number; a missing token is split and its parts queued for the network.

    Attributes:
        rows: shape (tokens, 4): first part in `parts`, number of parts, host, whether a compound.
        parts: the types of all parts.
    """

    def __init__(self, first_type: int) -> None:
        super().__init__()
        self.rows, self.parts = np.zeros((0, 4), np.int64), np.zeros(0, np.int64)
        self._type_ids: dict[str, int] = {}
        self._first_type = first_type
        self._forget_new()

    def _forget_new(self) -> None:
        self._new_types: list[str] = []
        self._new_rows: list[tuple[int, int, int, bool]] = []
        self._new_parts: list[int] = []

    def __missing__(self, token: str) -> int:
        words = treebank_split(token)
        first = len(self.parts) + len(self._new_parts)
        self._new_rows.append((first, len(words), host_index(words), is_compound(token)))
        for word in words:
            type_id = self._type_ids.get(word)
            if type_id is None:
                type_id = self._type_ids[word] = self._first_type + len(self._type_ids)
                self._new_types.append(word)
            self._new_parts.append(type_id)
        self[token] = number = len(self)
        return number

    def update_arrays(self) -> list[str]:
        """Add what is new to the arrays; returns the new types."""
        words = self._new_types
        if self._new_rows:
            self.rows = np.concatenate([self.rows, np.array(self._new_rows, np.int64)])
            self.parts = np.concatenate([self.parts, np.array(self._new_parts, np.int64)])
            self._forget_new()
        return words


class SpacyTagger:
    """A `Tagger` over a spaCy pipeline; `fast` computes the network by word types if possible.

    `margin`: see `WindowCnn.from_pipeline`.
    """

    def __init__(
        self, nlp: Language, *, identity: str, fast: bool = True, margin: float = math.inf
    ) -> None:
        self._nlp = nlp
        self._identity = identity
        labels = list(nlp.get_pipe("tagger").labels)  # type: ignore[attr-defined]
        self._labels: Any = np.array(list(dict.fromkeys([*labels, "VBN", "JJ"])), dtype=object)
        self._participle, self._adjective = map(self._labels.tolist().index, ("VBN", "JJ"))
        self._network = WindowCnn.from_pipeline(nlp, margin=margin) if fast else None
        self._splits = _Splits(1)
        self._lock = threading.Lock()  # of the network's types and the splits
        # finds BLAS libraries once; doing so per batch costs more than the batch
        self._threads = ThreadpoolController()

    @property
    def identity(self) -> str:
        return self._identity

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(self._labels)

    @property
    def reach(self) -> int | None:
        return self._network.reach if self._network is not None else None

    def tag(self, sentences: Iterable[Sequence[str]]) -> Iterator[list[str]]:
        """One Penn tag per token, that of its host (`host_index`); lazy, with one BLAS thread."""
        if self._network is None:
            yield from ([token.tag for token in tokens] for tokens in self._pipe(sentences))
            return
        for batch in _batches(sentences):
            lengths = np.array([*map(len, batch)], np.int64)
            with self._lock, self._threads.limit(limits=1, user_api="blas"):
                found = self._hosts(self._network, self._numbers(chain(*batch)), lengths)
            tags = iter(self._labels[found].tolist())
            yield from (list(islice(tags, len(sentence))) for sentence in batch)

    def tag_encoded(self, words: Sequence[str], tokens: Any, lengths: Any) -> Any:
        """The number in `labels` of each tag of `tag`; `tokens` are numbers of `words`, `lengths`
        those of the sentences.
        """
        size_of = lengths.tolist().__getitem__
        if self._network is None:
            number_of = {label: number for number, label in enumerate(self.labels)}
            flat = iter([words[token] for token in tokens.tolist()])
            rows = self.tag(list(islice(flat, size)) for size in lengths.tolist())
            return np.array([number_of[tag] for row in rows for tag in row], np.int64)
        ends = np.cumsum(lengths)
        found = [np.zeros(0, np.int64)]
        with self._lock, self._threads.limit(limits=1, user_api="blas"):
            numbers = self._numbers(words)[tokens]
            for batch in _batches(range(len(lengths)), size=size_of):
                own = slice(batch[0], batch[-1] + 1)
                first = ends[batch[0]] - lengths[batch[0]]
                found.append(
                    self._hosts(self._network, numbers[first : ends[batch[-1]]], lengths[own])
                )
        return np.concatenate(found)

    def tag_at(self, places: Iterable[tuple[Sequence[str], int]]) -> Iterator[TaggedToken]:
        """The tag of one token of each sentence, with those of its clitics: ``don't`` ->
        ``TaggedToken("VBP", ("RB",))``.
        """
        if self._network is None:
            asked, positions = itertools.tee(places)
            tagged = self._pipe(tokens for tokens, _ in asked)
            yield from (tags[at] for tags, (_, at) in zip(tagged, positions, strict=True))
            return
        for batch in _batches(places, size=lambda place: len(place[0])):
            lengths, positions = np.array([(len(tokens), at) for tokens, at in batch], np.int64).T
            wanted = np.cumsum(lengths) - lengths + positions
            with self._lock, self._threads.limit(limits=1, user_api="blas"):
                numbers = self._numbers(chain.from_iterable(tokens for tokens, _ in batch))
                types, sizes, first = self._parts_of(numbers, lengths)
                _, counts, hosts, compounds = self._splits.rows[numbers[wanted]].T
                at = _ranges(first[wanted], counts)
                found = self._network.predict(types, sizes, at)
            starts = np.cumsum(counts) - counts
            self._correct_compounds(found, (starts + hosts)[compounds > 0])
            tags = self._labels[found]
            yield from (
                _whole(tuple(tags[start : start + count]), host)
                for start, count, host in zip(
                    starts.tolist(), counts.tolist(), hosts.tolist(), strict=True
                )
            )

    def _numbers(self, tokens: Iterable[str]) -> Any:
        """Numbers in `_splits`, whose new types are given to the network."""
        network = self._network
        assert network is not None  # for the type checker
        if network.type_count > MAX_TYPES:
            network.reset()
            self._splits = _Splits(network.type_count)
        numbers = np.fromiter(map(self._splits.__getitem__, tokens), dtype=np.int64)
        network.add_types(self._splits.update_arrays())
        return numbers

    def _parts_of(self, numbers: Any, lengths: Any) -> tuple[Any, Any, Any]:
        """The types of the tokens' parts, how many each sentence has, and each token's first."""
        first, counts = self._splits.rows[numbers, :2].T
        ends = np.cumsum(counts)
        sentence_ends = np.concatenate([[0], ends])[np.cumsum(lengths)]
        types = self._splits.parts[_ranges(first, counts)]
        return types, np.diff(sentence_ends, prepend=0), ends - counts

    def _hosts(self, network: WindowCnn, numbers: Any, lengths: Any) -> Any:
        """Label number of each token's host."""
        types, sizes, first = self._parts_of(numbers, lengths)
        _, _, hosts, compounds = self._splits.rows[numbers].T
        found = network.predict(types, sizes, first + hosts)
        self._correct_compounds(found, np.flatnonzero(compounds))
        return found

    def _correct_compounds(self, found: Any, compounds: Any) -> None:
        """A compound is an adjective where the treebank has a participle."""
        found[compounds[found[compounds] == self._participle]] = self._adjective

    def _pipe(self, sentences: Iterable[Sequence[str]]) -> Iterator[list[TaggedToken]]:
        enabled = [name for name in _TAGGING_COMPONENTS if name in self._nlp.pipe_names]
        for batch in _batches(sentences):
            splits = [[treebank_split(token) for token in sentence] for sentence in batch]
            from spacy.tokens import Doc

            docs = (
                Doc(self._nlp.vocab, words=list(chain.from_iterable(split))) for split in splits
            )
            with (
                self._threads.limit(limits=1, user_api="blas"),
                self._nlp.select_pipes(enable=enabled),
            ):
                tagged = list(self._nlp.pipe(docs, batch_size=_PIPE_BATCH_SENTENCES, n_process=1))
            for sentence, split, doc in zip(batch, splits, tagged, strict=True):
                tags = iter([token.tag_ for token in doc])
                rows = [tuple(next(tags) for _ in words) for words in split]
                whole = [
                    _whole(row, host_index(words)) for row, words in zip(rows, split, strict=True)
                ]
                yield [
                    TaggedToken("JJ", tagged_token.clitics)
                    if tagged_token.tag == "VBN" and is_compound(token)
                    else tagged_token
                    for token, tagged_token in zip(sentence, whole, strict=True)
                ]


@functools.lru_cache(maxsize=10_000)  # tags of parts are few, tokens many
def _whole(tags: tuple[str, ...], host: int) -> TaggedToken:
    return TaggedToken(tags[host], tags[:host] + tags[host + 1 :])


def _ranges(first: Any, counts: Any) -> Any:
    """Consecutive numbers from each first one, concatenated.

    >>> _ranges(np.array([7, 2]), np.array([2, 3])).tolist()
    [7, 8, 2, 3, 4]
    """
    return np.arange(counts.sum()) + np.repeat(first - np.cumsum(counts) + counts, counts)


def _batches(sentences: Iterable[Any], size: Callable[[Any], int] = len) -> Iterator[list[Any]]:
    """Consecutive sentences of about `BATCH_TOKENS` tokens."""
    batch: list[Any] = []
    token_count = 0
    for sentence in sentences:
        batch.append(sentence)
        token_count += size(sentence)
        if token_count >= BATCH_TOKENS:
            yield batch
            batch, token_count = [], 0
    if batch:
        yield batch


def travelling_name(name: str) -> str:
    if name in {"builtin", "none"}:
        return name
    import spacy

    return (
        str(Path(name).absolute())
        if not spacy.util.is_package(name) and Path(name).exists()
        else name
    )


def load_tagger(name: str = "builtin", *, fast: bool = True) -> SpacyTagger:
    """The built-in or an installed pipeline's tagger; ModelError if it cannot be used."""
    import spacy  # here, because spaCy takes a second to load and most commands do not need it
    from spacy.attrs import NORM  # type: ignore[import-not-found]

    source: str | Path = BUILTIN_FOLDER if name == "builtin" else name
    try:
        nlp = spacy.load(source)
    except OSError as error:
        if name == "builtin":
            raise ModelError(
                f"no built-in tagger in {BUILTIN_FOLDER}; reinstall cloze-gen, or name "
                "another pipeline"
            ) from error
        raise ModelError(
            f"tagger {name!r} is not installed; run: python -m spacy download {name} (or name "
            '"builtin")'
        ) from error
    except ValueError as error:
        raise ModelError(
            f"tagger {name!r} cannot be read by spaCy {spacy.__version__}: {error}"
        ) from error
    if "tagger" not in nlp.pipe_names:
        raise ModelError(
            f"pipeline {name!r} has no tagger (it has: "
            f"{', '.join(nlp.pipe_names) or 'nothing'}); name one that has"
        )
    margin = math.inf
    if name == "builtin":
        margin = _BUILTIN_MARGIN
        # all that its embedding reads; spaCy's other lexical attributes take half the time of a type
        vocab: Any = nlp.vocab
        vocab.lex_attr_getters = {NORM: vocab.lex_attr_getters[NORM]}
    return SpacyTagger(nlp, identity=_identity(name, nlp), fast=fast, margin=margin)


def _identity(name: str, nlp: Language) -> str:
    """``name-version-digest``; the digest of weights and labels is the same everywhere."""
    digest = hashlib.sha256()
    for component in _TAGGING_COMPONENTS:
        if component in nlp.pipe_names:
            digest.update(nlp.get_pipe(component).to_bytes(exclude=["vocab"]))  # type: ignore[attr-defined]
    return f"{name}-{nlp.meta.get('version', '0')}-{digest.hexdigest()[:12]}"


SCORES = "scores.json"
# the files that determine the model
_LOADED = (
    "config.cfg",
    "meta.json",
    "tagger/cfg",
    "tagger/model",
    "tokenizer",
    "vocab/strings.json",
)


@functools.lru_cache(maxsize=4)
def tagger_identity(name: str) -> str:
    """`SpacyTagger.identity`, cached; recorded for the built-in tagger, as loading is slow."""
    return (name == "builtin" and _recorded()) or load_tagger(name).identity


def model_digest(folder: Path = BUILTIN_FOLDER) -> str:
    digests = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in _LOADED}
    return hashlib.sha256(json.dumps(digests, sort_keys=True).encode()).hexdigest()


def _recorded() -> str:
    try:
        record = json.loads((BUILTIN_FOLDER / SCORES).read_text(encoding="utf-8"))
        return str(record["model"]) if record["files"] == model_digest() else ""
    except (OSError, ValueError, KeyError, TypeError):
        return ""  # a damaged installation: loading it reports the fault
