"""Models of passages and blanks from lowercased training text, and scorers of passages."""

from __future__ import annotations

import functools
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cloze_gen.adapters.lmplz import find_lmplz, train_arpa
from cloze_gen.corpus.arrays import SEPARATOR
from cloze_gen.corpus.frequencies import read_counts
from cloze_gen.corpus.training_text import TEXT, TOKENS
from cloze_gen.engine.progress import Stopwatch, phases
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.evaluation.passage_baselines import (
    COUNTS,
    NETWORK_KINDS,
    NGRAMS,
    CachedPassages,
    NgramPassages,
    PassageModel,
    score_targets,
)
from cloze_gen.evaluation.passages import PassageExample, TargetScores, number_passages
from cloze_gen.evaluation.user_scores import is_sample_log, target_scores_of_log
from cloze_gen.formats.lambada import parse_answers
from cloze_gen.models.language_model import open_index, write_index_of
from cloze_gen.models.networks import Kind, NetworksSettings, open_trained, train_networks
from cloze_gen.store.artifacts import Artifact, ArtifactWriter
from cloze_gen.store.manifest import file_sha256
from cloze_gen.store.tables import memory_mapped
from cloze_gen.word_tokens import is_word

# ---- Lowercased words


@dataclass(frozen=True, slots=True, eq=False)
class FoldedWords:
    """The lowercased words of training books, most frequent first; word number i is `words[i - 1]`.

    Attributes:
        counts: int64, shape (words,).
        numbers: uint32, shape (types + 1,): word number of each number of the training text; 0 for
            `SEPARATOR`.
    """

    words: list[str]
    counts: NDArray[np.int64]
    numbers: NDArray[np.uint32]


def read_folded_words(counts: Artifact) -> FoldedWords:
    table = read_counts(counts)
    return fold_words(table.words, table.count)


def fold_words(words: Sequence[str], counts: NDArray[np.integer]) -> FoldedWords:
    """
    >>> folded = fold_words(["the", "Joe", "The", "sea"], np.array([5, 3, 2, 4]))
    >>> folded.words, folded.counts.tolist(), folded.numbers.tolist()
    (['the', 'sea', 'joe'], [7, 4, 3], [0, 1, 3, 1, 2])
    """
    folded = [word.casefold() for word in words]
    total: Counter[str] = Counter()
    for word, count in zip(folded, counts.tolist(), strict=True):
        total[word] += count
    ordered = sorted(total, key=lambda word: (-total[word], word))
    number = {word: i for i, word in enumerate(ordered, 1)}
    return FoldedWords(
        ordered,
        np.array([total[word] for word in ordered], np.int64),
        np.array([SEPARATOR, *(number[word] for word in folded)], np.uint32),
    )


# ---- Networks

# Independent of the settings of a run. Words limit the training, not time, so that weights do not
# depend on speed.
PASSAGE_NETWORKS = NetworksSettings(
    vector_size=100,
    history=4,
    feedforward_hidden=200,
    feedforward_words=12_000_000,
    recurrent_hidden=200,
    recurrent_words=8_000_000,
    epochs=2,
)


def write_passage_network(
    writer: ArtifactWriter,
    ctx: StageContext,
    *,
    text: Artifact,
    counts: Artifact,
    settings: NetworksSettings,
    kind: Kind,
    seed: int,
) -> None:
    """Train a network on the lowercased training text; CorpusError for fewer than 64 words."""
    folded = read_folded_words(counts)
    temp = writer.path("temp/x").parent
    np.save(temp / TOKENS, folded.numbers[memory_mapped(text.path(TOKENS))])
    train_networks(
        writer,
        ctx,
        text=text,
        tokens=temp / TOKENS,
        words=folded.words,
        counts=folded.counts,
        settings=settings,
        kinds=[kind],
        seed=seed,
        purpose="passage_networks",  # other first weights than the committee's networks
    )
    shutil.rmtree(temp)


# ---- N-gram model

# replaces words outside the vocabulary; lmplz does not allow `<unk>` in its input
RARE = "<rare>"
VOCABULARY = 60_000  # LAMBADA 4: "the 60K most frequent words in the training set"
_BLOCK = 1 << 20  # tokens at a time
_SMALL_TOKENS = 4_000_000  # lmplz uses `_SMALL_MEMORY` below this
_SMALL_MEMORY, _MEMORY = "200M", "2G"

PASSAGE_ORDER = 5
# On 10,000 blanks from other novels, orders 3 and 5 answer 22.9 and 22.6 % by P+N; training on 30
# million tokens takes 37 and 155 s.
BLANK_ORDER = 3


def write_passage_ngrams(
    writer: ArtifactWriter,
    ctx: StageContext,
    *,
    text: Artifact,
    counts: Artifact,
    order: int,
    vocabulary: int = VOCABULARY,
) -> None:
    """The n-gram baseline: modified Kneser-Ney over the closed vocabulary, as a forward index.

    LAMBADA 4: "We restricted the vocabulary of the models to the 60K most frequent words in the
    training set." *Read:* all other words become `<rare>` before estimation. For a text too small to
    estimate discounts, lmplz uses fixed ones.

    Raises:
        ToolError: lmplz is missing or fails.
    """
    clock = Stopwatch()
    folded = read_folded_words(counts)
    words = folded.words[:vocabulary]
    temp = writer.path("temp/x").parent
    with open(temp / TEXT, "wb") as handle:
        handle.writelines(closed_lines(memory_mapped(text.path(TOKENS)), folded.numbers, words))
    with phases(ctx.stage) as report_line:
        train_arpa(
            text=temp / TEXT,
            arpa=temp / "model.arpa",
            order=order,
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


def closed_lines(
    ids: NDArray[np.integer], numbers: NDArray[np.integer], words: Sequence[str]
) -> Iterator[bytes]:
    r"""The input of lmplz: one sentence per line, words outside the vocabulary as `<rare>`.

    `ids`: numbers of the training text; `numbers`: those of `FoldedWords`.

    >>> list(closed_lines(np.array([1, 4, 0, 2, 0]), np.array([0, 1, 2, 1, 3]), ["the", "sea"]))
    [b'the <rare> \nsea \n']
    """
    table = np.array(
        [b"\n", *(f"{word} ".encode() for word in words), f"{RARE} ".encode()], dtype=object
    )
    for first in range(0, len(ids), _BLOCK):
        block = numbers[ids[first : first + _BLOCK]]
        yield b"".join(table[np.minimum(block, len(words) + 1)].tolist())


# ---- Scorers of passages

NGRAM_CACHE = "n-gram + cache"


class PassageScorer:
    def __init__(self, models: Mapping[str, Artifact]) -> None:
        self._models = models
        self._opened: dict[str, PassageModel] = {}

    @functools.cached_property
    def words(self) -> list[str]:
        return read_folded_words(self._models[COUNTS]).words[:VOCABULARY]

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
    found = parse_answers(text.split("\n"), ids, name=name)
    rows = np.array([place[passage.id] for passage in passages], np.int64)
    right = None if found.right is None else found.right[rows]
    return TargetScores(
        found.log10_prob[rows], found.rank[rows], np.ones(len(rows), np.bool_), right
    )
