"""Penn tags from a spaCy pipeline: the one the project ships, or any installed one by name. Nothing is ever downloaded.

Batches are formed within one call, in order, by a fixed number of tokens, and the type table starts empty with each call; so the tags
of a call (a book) depend on its own sentences and on nothing else: not on workers, not on what was tagged before.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, chain, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from threadpoolctl import ThreadpoolController

from cloze_gen.adapters.window_cnn import MAX_TYPES, WindowCnn
from cloze_gen.english.treebank import host_index, is_compound, treebank_split
from cloze_gen.errors import ModelError
from cloze_gen.text.tagging import TaggedToken

if TYPE_CHECKING:
    from spacy.language import Language

__all__ = ["BUILTIN_FOLDER", "SpacyTagger", "load_tagger", "treebank_split"]

BUILTIN_FOLDER = Path(__file__).parent / "tagger_model"
BATCH_TOKENS = 2048  # tokens a batch; 1,024 to 8,192 measured within 5 % of each other, memory grows with it
_PIPE_BATCH_SENTENCES = 128  # sentences a batch when spaCy's own `pipe` runs
_TAGGING_COMPONENTS = ("tok2vec", "transformer", "curated_transformer", "tagger")


class _SplitTable(dict[str, int]):
    """Project token -> its number; a missing token is split, and its parts queued for the network, when first asked for."""

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
    """A `Tagger` over a spaCy pipeline.

    Args:
        nlp: a pipeline with a `tagger`; other components are not run.
        identity: name and content of the pipeline, for fingerprints.
        fast: compute the network by word types where its kind allows; False runs spaCy's own `pipe`.
    """

    def __init__(self, nlp: Language, *, identity: str, fast: bool = True) -> None:
        self._nlp = nlp
        self._identity = identity
        self._labels: Any = np.array(nlp.get_pipe("tagger").labels, dtype=object)  # type: ignore[attr-defined]
        self._network = WindowCnn.from_pipeline(nlp) if fast else None
        self._threads = ThreadpoolController()  # looks for BLAS libraries once; doing so for each batch costs more than the batch

    @property
    def identity(self) -> str:
        """Name and content of the model, for fingerprints."""
        return self._identity

    @property
    def labels(self) -> tuple[str, ...]:
        """Every tag the pipeline can give."""
        return tuple(self._labels)

    @property
    def reach(self) -> int | None:
        """Tokens on each side of a word on which its tag can depend at most; None of a network of another kind."""
        return self._network.reach if self._network is not None else None

    @property
    def is_fast(self) -> bool:
        """True when the network runs by word types."""
        return self._network is not None

    def tag(self, sentences: Iterable[Sequence[str]]) -> Iterator[list[str]]:
        """One Penn tag for each token of each sentence: the tag of the token's host (`treebank_split`, `host_index`).

        Lazy; one BLAS thread while a batch is computed; no processes of its own. An empty sentence yields an empty list.
        """
        if self._network is not None:
            return self._fast(sentences, hosts_only=True)
        return ([token.tag for token in tokens] for tokens in self._pipe(sentences))

    def tag_with_clitics(self, sentences: Iterable[Sequence[str]]) -> Iterator[list[TaggedToken]]:
        """As `tag`, with the tags of the other parts beside: ``don't`` -> ``TaggedToken("VBP", ("RB",))``."""
        return self._fast(sentences, hosts_only=False) if self._network is not None else self._pipe(sentences)

    def _fast(self, sentences: Iterable[Sequence[str]], *, hosts_only: bool) -> Iterator[Any]:
        network = self._network
        assert network is not None  # for the type checker; both callers have looked
        # A generator may be left half-consumed and another started: each owns its table.
        network = network.fresh()
        table = _SplitTable(network.type_count)
        for batch in _batches(sentences):
            if network.type_count > MAX_TYPES:
                network.reset()
                table = _SplitTable(network.type_count)
            lengths = [len(sentence) for sentence in batch]
            numbers = np.array([table[token] for sentence in batch for token in sentence], dtype=np.int64)
            with self._threads.limit(limits=1, user_api="blas"):
                network.add_types(table.take_new_types())
                tags, starts, counts = self._predict(network, table, numbers, lengths)
            bounds = [0, *accumulate(lengths)]
            hosts = starts + np.array(table.hosts, dtype=np.int64)[numbers]
            participles = hosts[np.array(table.compounds, dtype=np.bool_)[numbers]]
            tags[participles[tags[participles] == "VBN"]] = "JJ"
            if hosts_only:
                flat = tags[hosts].tolist()
                for start, stop in pairwise(bounds):
                    yield flat[start:stop]
            else:
                parts = [tuple(tags[start : start + count]) for start, count in zip(starts.tolist(), counts.tolist(), strict=True)]
                whole = [_whole(part, table.hosts[number]) for part, number in zip(parts, numbers.tolist(), strict=True)]
                for start, stop in pairwise(bounds):
                    yield whole[start:stop]

    def _predict(self, network: WindowCnn, table: _SplitTable, numbers: Any, lengths: Sequence[int]) -> tuple[Any, Any, Any]:
        """Tags of all parts of a batch, and where each token's parts start and how many they are."""
        parts = [table.parts[number] for number in numbers.tolist()]
        counts = np.fromiter(map(len, parts), dtype=np.int64, count=len(parts))
        type_ids = np.fromiter(chain.from_iterable(parts), dtype=np.int64)
        ends = np.cumsum(counts)
        sentence_ends = np.concatenate([[0], ends])[np.cumsum(lengths)]
        tags = self._labels[network.predict(type_ids, np.diff(sentence_ends, prepend=0))]
        return tags, ends - counts, counts

    def _pipe(self, sentences: Iterable[Sequence[str]]) -> Iterator[list[TaggedToken]]:
        enabled = [name for name in _TAGGING_COMPONENTS if name in self._nlp.pipe_names]
        for batch in _batches(sentences):
            splits = [[treebank_split(token) for token in sentence] for sentence in batch]
            from spacy.tokens import Doc

            docs = (Doc(self._nlp.vocab, words=list(chain.from_iterable(split))) for split in splits)
            with self._threads.limit(limits=1, user_api="blas"), self._nlp.select_pipes(enable=enabled):
                tagged = list(self._nlp.pipe(docs, batch_size=_PIPE_BATCH_SENTENCES, n_process=1))
            for sentence, split, doc in zip(batch, splits, tagged, strict=True):
                tags = iter([token.tag_ for token in doc])
                rows = [tuple(next(tags) for _ in words) for words in split]
                whole = [_whole(row, host_index(words)) for row, words in zip(rows, split, strict=True)]
                yield [
                    TaggedToken("JJ", tagged_token.clitics) if tagged_token.tag == "VBN" and is_compound(token) else tagged_token
                    for token, tagged_token in zip(sentence, whole, strict=True)
                ]


@functools.lru_cache(maxsize=10_000)  # tags of parts are few, tokens many
def _whole(tags: tuple[str, ...], host: int) -> TaggedToken:
    return TaggedToken(tags[host], tags[:host] + tags[host + 1 :])


def _batches(sentences: Iterable[Sequence[str]]) -> Iterator[list[Sequence[str]]]:
    """Consecutive sentences, a batch closing with the sentence that brings it to `BATCH_TOKENS`."""
    batch: list[Sequence[str]] = []
    token_count = 0
    for sentence in sentences:
        batch.append(sentence)
        token_count += len(sentence)
        if token_count >= BATCH_TOKENS:
            yield batch
            batch, token_count = [], 0
    if batch:
        yield batch


def travelling_name(name: str) -> str:
    """A pipeline's name as a worker in any folder understands it: one given as a folder is made absolute."""
    if name in {"builtin", "none"}:
        return name
    import spacy

    return str(Path(name).absolute()) if not spacy.util.is_package(name) and Path(name).exists() else name


def load_tagger(name: str = "builtin", *, fast: bool = True) -> SpacyTagger:
    """The shipped tagger, or an installed spaCy pipeline by its package name or folder.

    Raises:
        ModelError: the pipeline is not installed (the message holds the command), cannot be read, or has no tagger.
    """
    import spacy  # here, for spaCy takes a second to load, and most commands need none of it

    source: str | Path = BUILTIN_FOLDER if name == "builtin" else name
    try:
        nlp = spacy.load(source)
    except OSError as error:
        if name == "builtin":
            raise ModelError(f"no built-in tagger in {BUILTIN_FOLDER}; reinstall cloze-gen, or name another pipeline") from error
        raise ModelError(f'tagger {name!r} is not installed; run: python -m spacy download {name} (or name "builtin")') from error
    except ValueError as error:
        raise ModelError(f"tagger {name!r} cannot be read by spaCy {spacy.__version__}: {error}") from error
    if "tagger" not in nlp.pipe_names:
        raise ModelError(f"pipeline {name!r} has no tagger (it has: {', '.join(nlp.pipe_names) or 'nothing'}); name one that has")
    return SpacyTagger(nlp, identity=_identity(name, nlp), fast=fast)


def _identity(name: str, nlp: Language) -> str:
    """``name-version-digest``; the digest is of the tagging components' weights and labels, so it is the same on every machine."""
    digest = hashlib.sha256()
    for component in _TAGGING_COMPONENTS:
        if component in nlp.pipe_names:
            digest.update(nlp.get_pipe(component).to_bytes(exclude=["vocab"]))  # type: ignore[attr-defined]
    return f"{name}-{nlp.meta.get('version', '0')}-{digest.hexdigest()[:12]}"
