"""Models of passages and blanks from lowercased training text, and scorers of passages."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.csv
from numpy.typing import NDArray
from scipy import sparse

from cloze_gen.adapters.lmplz import find_lmplz, train_arpa
from cloze_gen.corpus.arrays import SEPARATOR
from cloze_gen.corpus.frequencies import read_counts
from cloze_gen.corpus.training_text import TEXT, TOKENS
from cloze_gen.engine.progress import Stopwatch, phases
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.errors import CorpusError
from cloze_gen.evaluation.passage_baselines import (
    NETWORK_KINDS,
    NGRAMS,
    CachedPassages,
    NgramPassages,
    PassageModel,
    score_targets,
)
from cloze_gen.evaluation.passage_baselines import TEXT as TEXT_MODEL
from cloze_gen.evaluation.passages import PassageExample, TargetScores, number_passages
from cloze_gen.evaluation.user_scores import is_sample_log, target_scores_of_log
from cloze_gen.formats.lambada import parse_full_answers
from cloze_gen.models.language_model import open_index, write_index_of
from cloze_gen.models.network_layers import Floats, Ids, fresh_feedforward, fresh_recurrent
from cloze_gen.models.network_training import plan_course
from cloze_gen.models.networks import (
    CLASSES,
    FEWEST_WORDS,
    Kind,
    Training,
    open_trained,
    write_trained,
    write_vocabulary,
)
from cloze_gen.rng import derive_rng
from cloze_gen.store.artifacts import Artifact, ArtifactWriter
from cloze_gen.store.manifest import file_sha256
from cloze_gen.store.tables import memory_mapped, read_tsv, write_tsv
from cloze_gen.word_tokens import is_word

WORDS = "words.tsv"  # word and count, most frequent first


@dataclass(frozen=True, slots=True)
class PassageNetworkSizes:
    """Networks that score passages; independent of the settings of a run.

    Words limit the training, not time, so that weights do not depend on speed.

    Attributes:
        vocabulary: most frequent words of the training text; the others share one class; 4.
        history: words in the input of the feed-forward network.
        epochs: maximum number of epochs.
    """

    vocabulary: int = 60_000
    vector_size: int = 100
    history: int = 4
    hidden: int = 200
    feedforward_words: int = 12_000_000
    recurrent_words: int = 8_000_000
    epochs: int = 2
    learning_rate: float = 0.2


PASSAGE_NETWORKS = PassageNetworkSizes()


def write_passage_network(
    writer: ArtifactWriter,
    ctx: StageContext,
    *,
    text: Artifact,
    sizes: PassageNetworkSizes,
    kind: Kind,
    seed: int,
) -> None:
    """Train a network on the lowercased training text; CorpusError for fewer than 64 words."""
    clock = Stopwatch()
    sentences = int(text.facts["sentences"])
    n_words = int(text.facts["tokens"]) + sentences
    if n_words < FEWEST_WORDS:
        raise CorpusError(
            f"{kind}: the training text has {n_words} tokens, at least {FEWEST_WORDS} are "
            "needed; add training books"
        )
    rows = read_tsv(text.path(WORDS))
    words = [row["word"] for row in rows]
    counts = np.array([int(row["count"]) for row in rows], np.int64)
    size = min(sizes.vocabulary, len(words))
    bounds = write_vocabulary(writer, words, counts, sentences=sentences, size=size)
    most_words = sizes.feedforward_words if kind == "feedforward" else sizes.recurrent_words
    training = Training(
        kind,
        tokens=text.path(TOKENS),
        folder=writer.path(f"{kind}/x").parent,
        classes=writer.path(CLASSES),
        course=plan_course(n_words, epochs=sizes.epochs, most_words=most_words),
        size=size,
        rate=sizes.learning_rate,
    )
    write_trained(writer, ctx, [(training, _fresh(kind, bounds, sizes, seed))])
    ctx.say(f"{kind} over {size:,} words in {clock.seconds:.0f} s")


def _fresh(kind: Kind, bounds: Ids, sizes: PassageNetworkSizes, seed: int) -> dict[str, Floats]:
    """Initial weights; they differ from the committee's networks for the same seed."""
    rng = derive_rng(seed, f"passage_networks.{kind}")
    vector, hidden = sizes.vector_size, sizes.hidden
    if kind == "feedforward":
        return fresh_feedforward(
            bounds, history=sizes.history, vector=vector, hidden=hidden, rng=rng
        )
    return fresh_recurrent(bounds, vector=vector, hidden=hidden, rng=rng)


# ---- The vocabulary

PASSAGE_WORDS = "words.tsv"
# replaces words outside the vocabulary; lmplz does not allow `<unk>` in its input
RARE = "<rare>"
VOCABULARY = 60_000  # LAMBADA 4: "the 60K most frequent words in the training set"


def read_passage_words(text: Artifact, *, most: int = VOCABULARY) -> list[str]:
    """The most frequent words of `write_passage_text`; word number i is at index i - 1."""
    table = pyarrow.csv.read_csv(
        text.path(PASSAGE_WORDS),
        parse_options=pyarrow.csv.ParseOptions(delimiter="\t", quote_char=False),
        convert_options=pyarrow.csv.ConvertOptions(
            column_types={"word": pa.string()}, strings_can_be_null=False
        ),
    )
    return list(table["word"].slice(0, most).to_pylist())


# ---- Text and n-gram model

_HEADER = ("word", "count")
_BLOCK = 1 << 20  # tokens at a time
_SMALL_TOKENS = 4_000_000  # lmplz uses `_SMALL_MEMORY` below this
_SMALL_MEMORY, _MEMORY = "200M", "2G"


@dataclass(frozen=True, slots=True)
class PassageNgramSizes:
    """The n-gram baseline of passages; words outside `vocabulary` share one class (4)."""

    order: int
    vocabulary: int = VOCABULARY


PASSAGE_NGRAMS = PassageNgramSizes(order=5)
# On 10,000 blanks from other novels, orders 3 and 5 answer 22.9 and 22.6 % by P+N; training on 30
# million tokens takes 37 and 155 s.
BLANK_NGRAMS = PassageNgramSizes(order=3)


def write_passage_text(
    writer: ArtifactWriter, ctx: StageContext, *, text: Artifact, counts: Artifact
) -> None:
    """Write the lowercased training sentences as numbers.

    `tokens.npy`: uint32, shape (tokens + sentences,), 0 after each sentence. `words.tsv`: word
    number i on row i, most frequent first.
    """
    table = read_counts(counts)
    words, word_counts, numbers = fold_words(table.words, table.count)
    ids = memory_mapped(text.path(TOKENS))
    with open(writer.path(TOKENS), "wb") as handle:
        np.lib.format.write_array_header_1_0(
            handle, {"descr": "<u4", "fortran_order": False, "shape": (len(ids),)}
        )
        for first in range(0, len(ids), _BLOCK):
            handle.write(numbers[ids[first : first + _BLOCK]].astype("<u4").tobytes())
    n_words = write_tsv(
        writer.path(PASSAGE_WORDS), _HEADER, zip(words, word_counts.tolist(), strict=True)
    )
    writer.rows |= {PASSAGE_WORDS: n_words, TOKENS: len(ids)}
    writer.facts |= {"tokens": text.facts["tokens"], "sentences": text.facts["sentences"]}
    ctx.say(f"{text.facts['tokens']:,} tokens, {len(words):,} lowercased words")


def fold_words(
    words: Sequence[str], counts: NDArray[np.integer]
) -> tuple[list[str], NDArray[np.int64], NDArray[np.uint32]]:
    """Lowercased words, most frequent first; their counts; new number of each old number.

    >>> folded, counts, numbers = fold_words(["the", "Joe", "The", "sea"], np.array([5, 3, 2, 4]))
    >>> folded, counts.tolist(), numbers.tolist()
    (['the', 'sea', 'joe'], [7, 4, 3], [0, 1, 3, 1, 2])
    """
    folded = [word.casefold() for word in words]
    total: Counter[str] = Counter()
    for word, count in zip(folded, counts.tolist(), strict=True):
        total[word] += count
    ordered = sorted(total, key=lambda word: (-total[word], word))
    number = {word: i for i, word in enumerate(ordered, 1)}
    numbers = np.array([SEPARATOR, *(number[word] for word in folded)], np.uint32)
    return ordered, np.array([total[word] for word in ordered], np.int64), numbers


def write_passage_ngrams(
    writer: ArtifactWriter, ctx: StageContext, *, text: Artifact, sizes: PassageNgramSizes
) -> None:
    """The n-gram baseline: modified Kneser-Ney over the closed vocabulary, as a forward index.

    LAMBADA 4: "We restricted the vocabulary of the models to the 60K most frequent words in the
    training set." *Read:* all other words become `<rare>` before estimation. For a text too small to
    estimate discounts, lmplz uses fixed ones.

    Raises:
        ToolError: lmplz is missing or fails.
    """
    clock = Stopwatch()
    words, temp = read_passage_words(text, most=sizes.vocabulary), writer.path("temp/x").parent
    with open(temp / TEXT, "wb") as handle:
        handle.writelines(closed_lines(memory_mapped(text.path(TOKENS)), words))
    with phases(ctx.stage) as report_line:
        train_arpa(
            text=temp / TEXT,
            arpa=temp / "model.arpa",
            order=sizes.order,
            memory=_SMALL_MEMORY if int(text.facts["tokens"]) < _SMALL_TOKENS else _MEMORY,
            temp_dir=temp,
            discount_fallback=True,
            on_line=report_line,
        )
    write_index_of(writer, ctx, temp / "model.arpa")
    shutil.rmtree(temp)
    writer.facts |= {"words": len(words)}
    writer.versions |= {"lmplz_sha256": file_sha256(find_lmplz())}
    ctx.say(f"over {len(words):,} words in {clock.seconds:.0f} s")


def closed_lines(ids: NDArray[np.integer], words: Sequence[str]) -> Iterator[bytes]:
    r"""The input of lmplz: one sentence per line, words outside the vocabulary as `<rare>`.

    >>> list(closed_lines(np.array([1, 9, 0, 2, 0]), ["the", "sea"]))
    [b'the <rare> \nsea \n']
    """
    table = np.array(
        [b"\n", *(f"{word} ".encode() for word in words), f"{RARE} ".encode()], dtype=object
    )
    for first in range(0, len(ids), _BLOCK):
        yield b"".join(table[np.minimum(ids[first : first + _BLOCK], len(words) + 1)].tolist())


# ---- Word counts and sentence counts

SENTENCE_COUNTS = "sentence_counts.tsv"
_COUNTS_HEADER = ("word", "count", "sentences")
_COUNTS_BLOCK = 1 << 22  # tokens at a time


@dataclass(frozen=True, slots=True, eq=False)
class SentenceCounts:
    words: list[str]
    counts: NDArray[np.int64]
    sentence_counts: NDArray[np.int64]
    sentences: int


def write_sentence_counts(writer: ArtifactWriter, ctx: StageContext, *, text: Artifact) -> None:
    ids = memory_mapped(text.path(TOKENS))
    words = read_passage_words(text, most=len(ids))
    counts, sentence_counts = (np.zeros(len(words) + 1, np.int64) for _ in range(2))
    for block in _sentence_blocks(ids):
        counts += np.bincount(block, minlength=len(counts))
        sentence_counts += sentences_with(block, len(counts))
    rows = zip(words, counts[1:].tolist(), sentence_counts[1:].tolist(), strict=True)
    writer.rows[SENTENCE_COUNTS] = write_tsv(writer.path(SENTENCE_COUNTS), _COUNTS_HEADER, rows)
    writer.facts |= {"tokens": text.facts["tokens"], "sentences": text.facts["sentences"]}
    ctx.say(f"{len(words):,} words in {text.facts['sentences']:,} sentences")


def sentences_with(ids: NDArray[np.integer], n_words: int) -> NDArray[np.int64]:
    """Number of sentences with each word: int64, shape (n_words,); 0 for the separator.

    >>> sentences_with(np.array([1, 2, 1, 0, 2, 0]), 4).tolist()
    [0, 1, 2, 0]
    """
    ends, is_token = np.flatnonzero(ids == SEPARATOR), ids != SEPARATOR
    starts = np.concatenate([[0], np.cumsum(is_token)[ends]])
    columns = ids[is_token].astype(np.int64)
    matrix = sparse.csr_array(
        (np.ones(len(columns), np.int8), columns, starts), shape=(len(ends), n_words)
    )
    matrix.sum_duplicates()
    return np.bincount(matrix.indices, minlength=n_words)


def _sentence_blocks(ids: NDArray[np.integer]) -> Iterator[NDArray[np.integer]]:
    """Blocks of whole sentences, each at most one sentence longer than `_COUNTS_BLOCK`."""
    ends = np.flatnonzero(ids == SEPARATOR) + 1
    first = 0
    while first < len(ids):
        last = int(ends[min(int(np.searchsorted(ends, first + _COUNTS_BLOCK)), len(ends) - 1)])
        yield np.asarray(ids[first:last])
        first = last


def read_sentence_counts(artifact: Artifact) -> SentenceCounts:
    table = pyarrow.csv.read_csv(
        artifact.path(SENTENCE_COUNTS),
        parse_options=pyarrow.csv.ParseOptions(delimiter="\t", quote_char=False),
        convert_options=pyarrow.csv.ConvertOptions(
            column_types={"word": pa.string()}, strings_can_be_null=False
        ),
    )
    counts, sentence_counts = (table[name].to_numpy() for name in _COUNTS_HEADER[1:])
    return SentenceCounts(
        table["word"].to_pylist(), counts, sentence_counts, int(artifact.facts["sentences"])
    )


def read_freqs(counts: Artifact) -> Mapping[str, float]:
    """Lowercased word -> frequency, a share of the word tokens of the training text."""
    table = read_sentence_counts(counts)
    word_counts = {
        word: count
        for word, count in zip(table.words, table.counts.tolist(), strict=True)
        if is_word(word)
    }
    total = max(1, sum(word_counts.values()))
    return {word: count / total for word, count in word_counts.items()}


# ---- Scorers of passages

NGRAM_CACHE = "n-gram + cache"


class PassageScorer:
    def __init__(self, models: Mapping[str, Artifact]) -> None:
        self._models = models
        self._opened: dict[str, PassageModel] = {}
        self._words: list[str] | None = None

    @property
    def words(self) -> list[str]:
        if self._words is None:
            self._words = read_passage_words(self._models[TEXT_MODEL])
        return self._words

    @property
    def guesses(self) -> list[str]:
        return [word for word in self.words if is_word(word)]

    def scores(self, name: str, passages: Sequence[PassageExample]) -> TargetScores:
        ids, lengths = number_passages(passages, self.words)
        return score_targets(self._model(name), ids, lengths, words=self.words)

    def _model(self, name: str) -> PassageModel:
        if name not in self._opened:
            self._opened[name] = self._open(name)
        return self._opened[name]

    def _open(self, name: str) -> PassageModel:
        if name in NETWORK_KINDS:
            kind = NETWORK_KINDS[name]
            return open_trained(self._models[kind], kind)
        if name == NGRAM_CACHE:
            return CachedPassages(self._model("n-gram"))
        return NgramPassages(open_index(self._models[NGRAMS]), self.words, unknown=RARE)


def given_scores(text: str, passages: Sequence[PassageExample], *, name: str) -> TargetScores:
    """Scores from answers in the form of `formats.lambada` or an lm-evaluation-harness log."""
    if is_sample_log(text):
        return target_scores_of_log(text, passages, name=name)
    ids = list(dict.fromkeys(passage.id for passage in passages))
    place = {passage_id: i for i, passage_id in enumerate(ids)}
    found = parse_full_answers(text.split("\n"), ids, name=name)
    rows = np.array([place[passage.id] for passage in passages], np.int64)
    right = None if found.right is None else found.right[rows]
    return TargetScores(
        found.log10_prob[rows], found.rank[rows], np.ones(len(rows), np.bool_), right
    )
