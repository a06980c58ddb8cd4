"""Models for baselines of questions, trained on the training text as printed in questions."""

from __future__ import annotations

import functools
import itertools
import shutil
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from cloze_gen.adapters.kenlm_model import KenlmModel
from cloze_gen.adapters.lmplz import (
    build_trie,
    find_build_binary,
    find_lmplz,
    train_arpa,
)
from cloze_gen.corpus.arrays import line_ids
from cloze_gen.corpus.frequencies import read_counts
from cloze_gen.corpus.training_text import TEXT, TOKENS
from cloze_gen.engine.progress import Stopwatch, phases
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.evaluation.adversary import (
    AdversaryResult,
    Features,
    log10_freqs,
    option_features,
    try_adversary,
    value_features,
)
from cloze_gen.evaluation.lsa import (
    DIMENSIONS,
    UNCOUNTED,
    fit_word_vectors,
    fold_ids,
    lsa_scores,
)
from cloze_gen.evaluation.question_scores import (
    article_scores,
    forward_scores,
    frequency_scores,
    history_scores,
    length_scores,
    majority_tag_scores,
    match_scores,
    odd_one_out_scores,
    position_scores,
    sentence_scores,
)
from cloze_gen.evaluation.questions import (
    ADVERSARIES,
    LETTERS,
    RECORDED,
    Baseline,
    BaselineResult,
    QuestionSet,
    judge_scores,
)
from cloze_gen.formats.printed_tokens import printed_lines
from cloze_gen.models.language_model import open_index
from cloze_gen.models.ngram_index import ForwardIndex
from cloze_gen.records.question import Question
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, open_artifact
from cloze_gen.store.manifest import file_sha256
from cloze_gen.store.tables import QUESTIONS, memory_mapped, read_jsonl

# ---- Training text as printed in questions

_SHARD_BYTES = 8 * 1024 * 1024
# added to the vocabulary, because the rendering replaces other marks by these
_PRINTED_MARKS = (".", ",", ";")


@dataclass(frozen=True, slots=True)
class TextRange:
    text: Path
    counts: Path
    start: int
    end: int
    lines: Path
    ids: Path
    left_out: frozenset[str] = frozenset()


def write_evaluation_text(
    writer: ArtifactWriter,
    ctx: StageContext,
    *,
    text: Artifact,
    counts: Artifact,
    left_out: Artifact | None = None,
) -> None:
    """Write the training sentences as printed, without the sentences of the questions `left_out`.

    The baselines of MSR 4 are trained on it, because questions omit some punctuation of books.
    `tokens.npy`: uint32, shape (tokens + sentences,), `SEPARATOR` after each sentence.
    """
    question_lines = _question_lines(left_out) if left_out else frozenset[str]()
    words = vocabulary_words(counts.folder)
    parts = writer.path("parts/x").parent
    bounds = list(line_bounds(text.path(TEXT)))
    shards = [
        TextRange(
            text.path(TEXT),
            counts.folder,
            start,
            end,
            parts / f"{i:05}.txt",
            parts / f"{i:05}.ids",
            question_lines,
        )
        for i, (start, end) in enumerate(itertools.pairwise(bounds))
    ]
    sizes = list(ctx.map(render_range, shards, unit="parts"))
    n_ids, n_lines = sum(size[0] for size in sizes), sum(size[1] for size in sizes)
    with open(writer.path(TEXT), "wb") as lines, open(writer.path(TOKENS), "wb") as ids:
        np.lib.format.write_array_header_1_0(
            ids, {"descr": "<u4", "fortran_order": False, "shape": (n_ids,)}
        )
        for shard in shards:
            for path, whole in ((shard.lines, lines), (shard.ids, ids)):
                with open(path, "rb") as part:
                    shutil.copyfileobj(part, whole, 1 << 20)
    shutil.rmtree(parts)
    writer.path(WORDS).write_text(
        "".join(f"{word}\n" for word in words), encoding="utf-8", newline="\n"
    )
    writer.rows |= {TEXT: n_lines, TOKENS: n_ids, WORDS: len(words)}
    writer.facts |= {"sentences": n_lines, "tokens": n_ids - n_lines}
    ctx.say(f"{n_lines:,} sentences, {n_ids - n_lines:,} tokens as printed")
    if left_out:
        found = frozenset[str]().union(*(lines for _, _, lines in sizes))
        writer.facts |= {"left_out": len(found), "not_found": len(question_lines - found)}
        ctx.say(
            f"left out {len(found):,} sentences of the questions; "
            f"{len(question_lines - found):,} sentences of the questions are not in the text"
        )


def _question_lines(questions: Artifact) -> frozenset[str]:
    return frozenset(" ".join(record["tokens"]) for record in read_jsonl(questions.path(QUESTIONS)))


def line_bounds(path: Path, *, shard_bytes: int = _SHARD_BYTES) -> Iterator[int]:
    """Offsets that cut a text file into parts of whole lines, from 0 to the file size."""
    size, last = path.stat().st_size, 0
    yield last
    with open(path, "rb") as handle:
        while last < size:
            handle.seek(min(last + shard_bytes, size) - 1)
            handle.readline()
            last = handle.tell()
            yield last


@functools.lru_cache(maxsize=1)
def vocabulary_words(counts: Path) -> list[str]:
    """All words by number less one: the count table's, then the printed marks that it lacks."""
    words = list(read_counts(open_artifact(counts)).words)
    known = set(words)
    return words + [mark for mark in _PRINTED_MARKS if mark not in known]


@functools.lru_cache(maxsize=1)
def _vocabulary(counts: Path) -> dict[str, int]:
    return {word: i for i, word in enumerate(vocabulary_words(counts), 1)}


def render_range(shard: TextRange) -> tuple[int, int, frozenset[str]]:
    """Returns the number of ids, the number of sentences, and the lines left out."""
    with open(shard.text, "rb") as handle:
        handle.seek(shard.start)
        source = handle.read(shard.end - shard.start).decode("utf-8").split("\n")[:-1]
    rendered = printed_lines(source)
    left_out = pc.is_in(rendered, pa.array(sorted(shard.left_out), rendered.type))
    kept = rendered.filter(pc.invert(left_out)).to_pylist()
    ids = line_ids(kept, _vocabulary(shard.counts))
    shard.lines.write_bytes("".join(f"{line}\n" for line in kept).encode())
    shard.ids.write_bytes(ids.astype("<u4").tobytes())
    return len(ids), len(kept), frozenset(rendered.filter(left_out).to_pylist())


def read_ids(artifact: Artifact) -> np.ndarray:
    return memory_mapped(artifact.path(TOKENS))


# ---- Opening models

WORDS, BINARY, VECTORS = "words.txt", "model.binary", "vectors.npy"


def read_words(artifact: Artifact) -> list[str]:
    """`words.txt` of the printed text or a model of it; word number i is at index i - 1."""
    return artifact.path(WORDS).read_text(encoding="utf-8").split("\n")[:-1]


def read_folded_freqs(counts: Artifact) -> dict[str, float]:
    """Case-folded word -> frequency, a share of the word tokens; 0 for marks."""
    table = read_counts(counts)
    folded = (word.casefold() for word in table.words)
    return dict(zip(folded, table.freq.tolist(), strict=True))


def open_evaluation_lm(artifact: Artifact) -> KenlmModel:
    return KenlmModel(artifact.path(BINARY))


def open_lsa(artifact: Artifact) -> tuple[np.ndarray, dict[str, int]]:
    return memory_mapped(artifact.path(VECTORS)), {
        word: i for i, word in enumerate(read_words(artifact), UNCOUNTED + 1)
    }


# ---- Training models

# seed of the Lanczos start vector; independent of the evaluation's seed
_START_SEED = 0
# Memory that lmplz allocates at once; the model does not depend on it. 200M for texts below 20 MB.
_SMALL_TEXT_BYTES, _SMALL_MEMORY, _MEMORY = 20_000_000, "200M", "2G"


# Of the smoothed models: words with count 5 or more, 4-grams with 2 or more (MSR 4.2). Order -> value
# of lmplz --prune: n-grams with at most this count are dropped, by order.
_MIN_COUNT = 5
SMOOTHED_ORDERS: Mapping[int, tuple[int, ...]] = {3: (), 4: (0, 0, 0, 1)}


@dataclass(frozen=True, slots=True)
class LsaShard:
    text: Path
    target: Path
    dimensions: int


def write_evaluation_lm(
    writer: ArtifactWriter,
    ctx: StageContext,
    *,
    text: Artifact,
    order: int,
) -> None:
    """A modified Kneser-Ney model of the printed text (KenLM); rare words are `<unk>`.

    For a text too small to estimate discounts, lmplz uses fixed ones.
    """
    clock = Stopwatch()
    temp = writer.path("temp/x").parent
    counts = np.bincount(read_ids(text))
    words = read_words(text)
    frequent = [words[i - 1] for i in np.flatnonzero(counts >= _MIN_COUNT).tolist() if i > 0]
    (temp / "vocabulary.txt").write_text(
        "".join(f"{word}\n" for word in frequent), encoding="utf-8", newline="\n"
    )
    memory = _SMALL_MEMORY if text.path(TEXT).stat().st_size < _SMALL_TEXT_BYTES else _MEMORY
    with phases(ctx.stage) as report_line:
        train_arpa(
            text=text.path(TEXT), arpa=temp / "model.arpa", order=order, memory=memory, temp_dir=temp, prune=SMOOTHED_ORDERS[order],
            limit_vocab=temp / "vocabulary.txt", discount_fallback=True, on_line=report_line, meanwhile=ctx.meanwhile,
        )  # fmt: skip
    build_trie(arpa=temp / "model.arpa", binary=writer.path(BINARY), memory=memory, temp_dir=temp)
    shutil.rmtree(temp)
    writer.facts |= {"words": len(frequent)}
    writer.versions |= {
        "lmplz_sha256": file_sha256(find_lmplz()),
        "build_binary_sha256": file_sha256(find_build_binary()),
    }
    ctx.say(f"order {order} over {len(frequent):,} words in {clock.seconds:.0f} s")


def write_lsa(
    writer: ArtifactWriter,
    ctx: StageContext,
    *,
    text: Artifact,
    dimensions: int = DIMENSIONS,
) -> None:
    """Word vectors of the printed text: float32, shape (words + 2, dimensions), from row 2.

    Raises:
        CorpusError: fewer than three words of the text are frequent enough.
    """
    clock = Stopwatch()
    shard = LsaShard(text.folder, writer.path(VECTORS), dimensions)
    with ThreadPoolExecutor(1) as thread:
        fitting = thread.submit(list[list[str]], ctx.map(fit_vectors, [shard], unit="matrices"))
        ctx.meanwhile()
        (words,) = fitting.result()
    writer.path(WORDS).write_text(
        "".join(f"{word}\n" for word in words), encoding="utf-8", newline="\n"
    )
    writer.rows |= {VECTORS: len(words) + UNCOUNTED + 1, WORDS: len(words)}
    writer.note_libraries("numpy", "scipy")
    ctx.say(f"{len(words):,} words, {dimensions} dimensions in {clock.seconds:.0f} s")


def fit_vectors(shard: LsaShard) -> list[str]:
    text = open_artifact(shard.text)
    surface = {word: i for i, word in enumerate(read_words(text), 1)}
    mapping, folded = fold_ids(surface)
    vectors = fit_word_vectors(
        mapping[read_ids(text)],
        len(folded) + 1,
        dimensions=shard.dimensions,
        seed=_START_SEED,
    )
    used = np.flatnonzero(vectors.any(axis=1))
    np.save(
        shard.target,
        np.concatenate([np.zeros((UNCOUNTED + 1, vectors.shape[1]), np.float32), vectors[used]]),
    )
    names = list(folded)
    return [names[i - 1] for i in used.tolist()]


# ---- Scores of baselines

Scores = NDArray[np.float64]


class Scorer:
    def __init__(self, question_set: QuestionSet, models: Mapping[str, Artifact]) -> None:
        self._set, self._models = question_set, models
        self._questions = question_set.questions
        self._computed: dict[str, Scores] = {}

    def scores(self, name: str) -> Scores:
        """Scores of every option, shape (n, k)."""
        if name not in self._computed:
            self._computed[name] = self._compute(name)
        return self._computed[name]

    def features(self, adversary: str) -> Features:
        names = ADVERSARIES[adversary]
        if names:
            return value_features(
                [
                    log10_freqs(self.scores(name)) if name == "frequency" else self.scores(name)
                    for name in names
                ]
            )
        return option_features(
            [question.options for question in self._questions], self._isolated_tags()
        )

    def _compute(self, name: str) -> Scores:
        recorded = self._set.recorded(RECORDED[name]) if name in RECORDED else None
        if recorded is not None:
            return recorded
        if name.startswith("position-"):
            return position_scores(self._questions, LETTERS.index(name[-1]))
        methods: dict[str, Callable[[], Scores]] = {
            "focus-model": lambda: sentence_scores(self._index, self._questions),
            "history": lambda: history_scores(self._index, self._questions),
            "forward": lambda: forward_scores(self._index, self._questions),
            "smoothed-3gram": lambda: sentence_scores(
                open_evaluation_lm(self._models["3gram"]), self._questions
            ),
            "smoothed-4gram": lambda: sentence_scores(
                open_evaluation_lm(self._models["4gram"]), self._questions
            ),
            "simple-4gram": self._match,
            "lsa": self._lsa,
            "frequency": lambda: frequency_scores(
                self._questions, read_folded_freqs(self._models["counts"])
            ),
            "length": lambda: length_scores(self._questions),
            "odd-tag-out": lambda: odd_one_out_scores(self._tags),
            "majority-tag": lambda: majority_tag_scores(self._tags),
            "a-an-agreement": lambda: article_scores(self._questions),
        }
        return methods[name]()

    def _match(self) -> Scores:
        text = self._models["text"]
        vocabulary = {word: i for i, word in enumerate(read_words(text), 1)}
        return match_scores(read_ids(text), self._questions, vocabulary)

    def _lsa(self) -> Scores:
        vectors, rows = open_lsa(self._models["lsa"])
        return lsa_scores(vectors, self._questions, rows)

    @functools.cached_property
    def _index(self) -> ForwardIndex:
        return open_index(self._models["index"])

    @functools.cached_property
    def _tags(self) -> list[list[str]]:
        # slow to import; only two rules need it
        from cloze_gen.adapters.spacy_tagger import load_tagger

        pairs = [(question, option) for question in self._questions for option in question.options]
        tagged = load_tagger().tag(question.blank.filled(option) for question, option in pairs)
        flat = [tags[question.position] for (question, _), tags in zip(pairs, tagged, strict=True)]
        starts = np.cumsum([0, *(len(question.options) for question in self._questions)]).tolist()
        return [flat[start:end] for start, end in pairwise(starts)]

    def _isolated_tags(self) -> list[list[str]]:
        """Tag of every option in isolation, so that it does not depend on the sentence."""
        from cloze_gen.adapters.spacy_tagger import load_tagger

        words = sorted({option for question in self._questions for option in question.options})
        tags = {
            word: tag
            for word, (tag, *_) in zip(
                words, load_tagger().tag((word,) for word in words), strict=True
            )
        }
        return [[tags[option] for option in question.options] for question in self._questions]


def judge(
    baseline: Baseline, scorer: Scorer, question_set: QuestionSet, *, seed: int
) -> BaselineResult:
    return judge_scores(baseline, scorer.scores(baseline.score), question_set.questions, seed=seed)


@dataclass(frozen=True, slots=True, eq=False)
class AdversaryShard:
    baseline: Baseline
    features: Features
    questions: tuple[Question, ...]
    seed: int


def judge_adversary(shard: AdversaryShard) -> AdversaryResult:
    return try_adversary(shard.baseline, shard.features, shard.questions, seed=shard.seed)
