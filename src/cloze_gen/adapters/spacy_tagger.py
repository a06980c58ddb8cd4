"""Penn tags from a spaCy pipeline; nothing is downloaded. Fixed batches and a type table emptied at
each call make a book's tags depend on its own sentences only.
"""

from __future__ import annotations

import functools
import hashlib
import itertools
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, pairwise
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
_PIPE_BATCH_SENTENCES = 128  # sentences a batch when spaCy's own `pipe` runs
_TAGGING_COMPONENTS = ("tok2vec", "transformer", "curated_transformer", "tagger")


class _SplitTable(dict[str, int]):
    """Token -> its number; a missing token is split and its parts queued for the network."""

    def __init__(self, first_type: int) -> None:
        super().__init__()
        self.type_ids: dict[str, int] = {}
        self.new_types: list[str] = []
        self.parts: list[tuple[int, ...]] = []
        self.hosts: list[int] = []
        self.compounds: list[bool] = []
        self._next_type = first_type

    def __missing__(self, token: str) -> int:
        words = treebank_split(token)
        ids = []
        for word in words:
            type_id = self.type_ids.get(word)
            if type_id is None:
                type_id = self.type_ids[word] = self._next_type
                self.new_types.append(word)
                self._next_type += 1
            ids.append(type_id)
        self[token] = number = len(self.parts)
        self.parts.append(tuple(ids))
        self.hosts.append(host_index(words))
        self.compounds.append(is_compound(token))
        return number

    def take_new_types(self) -> list[str]:
        words, self.new_types = self.new_types, []
        return words


class SpacyTagger:
    """A `Tagger` over a spaCy pipeline; `fast` computes the network by word types if possible."""

    def __init__(self, nlp: Language, *, identity: str, fast: bool = True) -> None:
        self._nlp = nlp
        self._identity = identity
        self._labels: Any = np.array(nlp.get_pipe("tagger").labels, dtype=object)  # type: ignore[attr-defined]
        self._network = WindowCnn.from_pipeline(nlp) if fast else None
        self._threads = (
            ThreadpoolController()
        )  # finds BLAS libraries once; doing so per batch costs more than the batch

    @property
    def identity(self) -> str:
        return self._identity

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(self._labels)

    @property
    def reach(self) -> int | None:
        return self._network.reach if self._network is not None else None

    @property
    def is_fast(self) -> bool:
        return self._network is not None

    def tag(self, sentences: Iterable[Sequence[str]]) -> Iterator[list[str]]:
        """One Penn tag per token, that of its host (`host_index`); lazy, with one BLAS thread."""
        if self._network is None:
            return ([token.tag for token in tokens] for tokens in self._pipe(sentences))
        return self._fast(((tokens, 0, len(tokens)) for tokens in sentences), hosts_only=True)

    def tag_at(self, places: Iterable[tuple[Sequence[str], int]]) -> Iterator[TaggedToken]:
        """The tag of one token of each sentence, with those of its clitics: ``don't`` ->
        ``TaggedToken("VBP", ("RB",))``.
        """
        if self._network is None:
            asked, positions = itertools.tee(places)
            tagged = self._pipe(tokens for tokens, _ in asked)
            return (tags[at] for tags, (_, at) in zip(tagged, positions, strict=True))
        spans = ((tokens, at, at + 1) for tokens, at in places)
        return itertools.chain.from_iterable(self._fast(spans, hosts_only=False))

    def _fast(
        self, spans: Iterable[tuple[Sequence[str], int, int]], *, hosts_only: bool
    ) -> Iterator[Any]:
        """The tags of a span of each sentence: its tokens from the first to the last, exclusive."""
        network = self._network
        assert network is not None  # for the type checker
        # A generator may be left half-consumed and another started: each owns its table.
        network = network.fresh()
        table = _SplitTable(network.type_count)
        for batch in _batches(spans, size=lambda span: len(span[0])):
            if network.type_count > MAX_TYPES:
                network.reset()
                table = _SplitTable(network.type_count)
            numbers = np.array(
                [table[token] for sentence, _, _ in batch for token in sentence], dtype=np.int64
            )
            lengths, first, last = np.array(
                [(len(sentence), first, last) for sentence, first, last in batch], dtype=np.int64
            ).T
            wanted = _ranges(np.cumsum(lengths) - lengths + first, last - first)
            with self._threads.limit(limits=1, user_api="blas"):
                network.add_types(table.take_new_types())
                tags, starts, counts = self._predict(network, table, numbers, lengths, wanted)
            numbers = numbers[wanted]
            bounds = [0, *np.cumsum(last - first).tolist()]
            hosts = starts + np.array(table.hosts, dtype=np.int64)[numbers]
            participles = hosts[np.array(table.compounds, dtype=np.bool_)[numbers]]
            tags[participles[tags[participles] == "VBN"]] = "JJ"
            if hosts_only:
                flat = tags[hosts].tolist()
                for start, stop in pairwise(bounds):
                    yield flat[start:stop]
            else:
                parts = [
                    tuple(tags[start : start + count])
                    for start, count in zip(starts.tolist(), counts.tolist(), strict=True)
                ]
                whole = [
                    _whole(part, table.hosts[number])
                    for part, number in zip(parts, numbers.tolist(), strict=True)
                ]
                for start, stop in pairwise(bounds):
                    yield whole[start:stop]

    def _predict(
        self, network: WindowCnn, table: _SplitTable, numbers: Any, lengths: Any, wanted: Any
    ) -> tuple[Any, Any, Any]:
        """Tags of the parts of a batch's wanted tokens, and each token's first part and number of parts."""
        parts = [table.parts[number] for number in numbers.tolist()]
        counts = np.fromiter(map(len, parts), dtype=np.int64, count=len(parts))
        type_ids = np.fromiter(chain.from_iterable(parts), dtype=np.int64)
        ends = np.cumsum(counts)
        sentence_ends = np.concatenate([[0], ends])[np.cumsum(lengths)]
        places = _ranges((ends - counts)[wanted], counts[wanted])
        tags = self._labels[network.predict(type_ids, np.diff(sentence_ends, prepend=0), places)]
        return tags, np.cumsum(counts[wanted]) - counts[wanted], counts[wanted]

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
    return SpacyTagger(nlp, identity=_identity(name, nlp), fast=fast)


def _identity(name: str, nlp: Language) -> str:
    """``name-version-digest``; the digest of weights and labels is the same everywhere."""
    digest = hashlib.sha256()
    for component in _TAGGING_COMPONENTS:
        if component in nlp.pipe_names:
            digest.update(nlp.get_pipe(component).to_bytes(exclude=["vocab"]))  # type: ignore[attr-defined]
    return f"{name}-{nlp.meta.get('version', '0')}-{digest.hexdigest()[:12]}"


SCORES = "scores.json"
_LOADED = (
    "config.cfg",
    "meta.json",
    "tagger/cfg",
    "tagger/model",
    "tokenizer",
    "vocab/strings.json",
)  # the files that determine the model


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
