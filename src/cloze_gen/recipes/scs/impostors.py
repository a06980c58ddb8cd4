"""Impostors: four lemmas of the focus word's class and inflection (Argouarc'h 2018, 3.3).

`uniform` is the paper's draw. The most frequent option is then right in about 56 % of the
questions. `matched` first draws a random frequency window that contains the answer, so that each of
the five options is equally likely to be the answer (Bayes). A set with two similar words is dropped
whole, because replacing one word would favour words that differ from most others.
"""

from __future__ import annotations

import functools
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa
from pydantic import Field

from cloze_gen.corpus.counts import Pair
from cloze_gen.corpus.frequencies import read_counts
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.english.articles import breaks_article
from cloze_gen.english.content_words import stem
from cloze_gen.formats.printed_tokens import printed_neighbours
from cloze_gen.recipes.scs.focus import FocusSettings
from cloze_gen.recipes.scs.inflections import Inflection, read_inflections
from cloze_gen.recipes.scs.place_table import (
    Likeness,
    PlacesSettings,
    read_places,
    unlike_share,
)
from cloze_gen.recipes.scs.places import Place, parse_place
from cloze_gen.recipes.scs.vocabulary import read_vocabulary
from cloze_gen.recipes.tables import read_source_sentences
from cloze_gen.records.rejection import Reason, Rejection
from cloze_gen.records.sentence import sentence_of
from cloze_gen.rng import derive_rng
from cloze_gen.settings import MOST_EACH, SettingsGroup
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, funnel, open_artifact
from cloze_gen.store.tables import (
    FOCUS,
    REJECTED,
    read_parquet,
    rejection_columns,
    write_parquet,
)

N_IMPOSTORS = 4  # 3.3; the file formats require four
_AT_ONCE = 64  # sets drawn at a time
# From the options alone, 23.7 % of the questions were solved with power 0, 21.9 % with 1.5, and
# 22.3 % without a similarity test. With a higher power, more words get no impostors.
_POWER = 1.5


class ImpostorsSettings(SettingsGroup):
    impostor_draw: Literal["uniform", "matched"] = Field(
        "matched",
        description="any lemma of the class (3.3), or one near the answer's frequency",
    )
    window_ranks: int = Field(
        16,
        ge=1,
        le=MOST_EACH,
        description="words on each side in order of frequency (matched)",
    )
    rounds: int = Field(
        32,
        ge=1,
        le=MOST_EACH,
        description="how often the words of a sentence are tried in turn",
    )


class ImpostorReason(Reason):
    POOL = (
        "too_few_matching_inflections",
        "fewer than four words with the same class and inflection fit",
    )
    NOT_TRIED = ("other_target_chosen", "another target word of the same sentence was chosen")


@dataclass(frozen=True, slots=True)
class Form:
    """`freq`: case-folded share of word tokens with any tag; `count`: tokens with this tag."""

    word: str
    lemma: str
    word_class: str
    tag: str
    trait: str
    cells: str
    freq: float
    count: int

    @property
    def pair(self) -> Pair:
        return self.lemma, self.word_class

    @property
    def kind(self) -> tuple[str, str, str]:
        return self.tag, self.trait, self.cells


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """Forms that can replace one another in a place, rarest first.

    Attributes:
        weights: relative odds of being drawn, shape (forms,).
        numbers: rows of the forms in the similarity matrix (`Likeness`), shape (forms,).
    """

    forms: list[Form]
    weights: np.ndarray
    numbers: np.ndarray
    matrix: np.ndarray

    def occur_together(self, options: np.ndarray) -> np.ndarray:
        """Whether all forms of a set differ in meaning and lemma; bool, shape (sets,)."""
        own = self.numbers[options]
        alike = [
            self.matrix[own[:, i], own[:, j]] | (own[:, i] == own[:, j])
            for i in range(own.shape[1])
            for j in range(i)
        ]
        return np.asarray(~np.any(alike, axis=0))


class ImpostorPools:
    """Forms that can replace each other: same tag, same trait, same place.

    `walked` (VBD+VBN) needs words with equal past tense and participle (`cells`).
    """

    def __init__(
        self,
        forms: Iterable[Form],
        *,
        takes: Callable[[Pair, Place], bool],
        share: Callable[[Pair, Place], float],
        likeness: Callable[[str, int], Likeness],
        settings: ImpostorsSettings,
    ) -> None:
        self._forms = sorted(forms, key=_rank)
        self._takes, self._share, self._likeness, self._settings = takes, share, likeness, settings

    @functools.cache  # noqa: B019 - one object per process, as long-lived as its cache
    def pool(self, kind: tuple[str, str, str], place: Place) -> Pool:
        forms = [form for form in self._of_kind(kind) if self._takes(form.pair, place)]
        alike = self._likeness(place.word_class, place.use)
        numbers = np.array([alike.number_of[form.pair] for form in forms], np.int64)
        uniform = self._settings.impostor_draw == "uniform"
        counts = np.array(
            [1.0 if uniform else form.count * self._share(form.pair, place) for form in forms]
        )
        reach = 0 if uniform else 2 * self._settings.window_ranks
        return Pool(
            forms,
            counts / unlike_share(counts, numbers, alike.matrix, reach=reach) ** _POWER,
            numbers,
            alike.matrix,
        )

    @functools.cache  # noqa: B019 - as above
    def _of_kind(self, kind: tuple[str, str, str]) -> list[Form]:
        tag, trait, cells = kind
        required = set(cells.split("+"))
        return [
            form
            for form in self._forms
            if form.tag == tag and form.trait == trait and required <= set(form.cells.split("+"))
        ]


@dataclass(frozen=True, slots=True)
class Blank:
    id: str
    answer: Form
    place: Place
    refuses: Callable[[str], bool]


def draw_impostors(
    blanks: Sequence[Blank], *, pools: ImpostorPools, settings: ImpostorsSettings, seed: int
) -> tuple[str, list[Form]] | list[Rejection]:
    """The first focus word of a sentence that gets impostors, with the impostors.

    The words are tried in turn until one gets a set with the frequency rank drawn for the sentence.
    """
    given = [
        (
            blank,
            pools.pool(blank.answer.kind, blank.place),
            derive_rng(seed, "scs.impostors", blank.id),
        )
        for blank in blanks
    ]
    rank = int(derive_rng(seed, "scs.rank", sentence_of(blanks[0].id)).integers(N_IMPOSTORS + 1))
    for _ in range(settings.rounds):
        for blank, pool, rng in given:
            if found := _draw(blank, pool, rank, settings, rng):
                return blank.id, found
    return [
        Rejection(
            blank.id,
            ImpostorReason.POOL,
            f"{blank.answer.word} {'/'.join(blank.answer.kind)} in {blank.place}: "
            f"{len(pool.forms)} words",
        )
        for blank, pool, _ in given
    ]


def _draw(
    blank: Blank, pool: Pool, rank: int, settings: ImpostorsSettings, rng: np.random.Generator
) -> list[Form]:
    """The first of `_AT_ONCE` sets (Efraimidis & Spirakis 2006) that fits the answer, or None."""
    size, n, matched = len(pool.forms), N_IMPOSTORS, settings.impostor_draw == "matched"
    if size <= n:
        return []
    own = bisect_left(pool.forms, _rank(blank.answer), key=_rank)
    if matched and settings.window_ranks < size:
        reach = settings.window_ranks
        places = (
            own + rng.integers(-reach, reach + 1, size=(_AT_ONCE, 1)) + np.arange(-reach, reach + 1)
        )
    else:
        places = np.tile(np.arange(size), (_AT_ONCE, 1))
    chances = rng.exponential(size=places.shape) / pool.weights[np.clip(places, 0, size - 1)]
    chances[(places < 0) | (places >= size) | (places == own)] = np.inf
    best = np.argsort(chances, axis=1, kind="stable")[:, :n]
    drawn = np.take_along_axis(places, best, axis=1)
    fit = np.isfinite(np.take_along_axis(chances, best, axis=1)).all(axis=1)
    if matched:
        fit &= (drawn > own).sum(axis=1) == rank
    for four in drawn[fit][pool.occur_together(np.insert(drawn[fit], 0, own, axis=1))].tolist():
        words = [pool.forms[i] for i in four]
        if len({form.lemma for form in [blank.answer, *words]}) > n and not any(
            blank.refuses(form.word) for form in words
        ):
            return words
    return []


def _rank(form: Form) -> tuple[float, str, str]:
    return form.freq, form.word, form.lemma


class Refusal(Reason):
    ARTICLE = ("impostor_breaks_a_an", "'a' or 'an' before the blank does not agree with the word")
    FORM_OF_ANSWER = ("impostor_is_form_of_answer", "the word is another form of the answer")
    IN_SENTENCE = ("impostor_in_sentence", "the sentence already contains the word")


def refusal(
    word: str, *, answer: str, predecessor: str, sentence_stems: Container[str]
) -> Refusal | None:
    """Why a word cannot replace the answer. The article before the blank is never changed.

    >>> stems = {"he", "saw", "an", "owl", "."}
    >>> [refusal(word, answer="owl", predecessor="an", sentence_stems=stems) for word in ("apple", "tiger", "owls")]
    [None, <Refusal.ARTICLE: 'impostor_breaks_a_an'>, <Refusal.FORM_OF_ANSWER: 'impostor_is_form_of_answer'>]
    """
    if breaks_article(word, predecessor):
        return Refusal.ARTICLE
    root = stem(word)
    if root == stem(answer):
        return Refusal.FORM_OF_ANSWER
    return Refusal.IN_SENTENCE if root in sentence_stems else None


IMPOSTORS = "impostors.parquet"
_SENTENCES_A_PART = 1000


@dataclass(frozen=True, slots=True)
class _Inputs:
    """Folders of artifacts, and settings."""

    inflections: Path
    vocabulary: Path
    counts: Path
    places: Path
    limits: FocusSettings
    settings: ImpostorsSettings
    places_settings: PlacesSettings
    unwanted: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Words:
    cells: Mapping[tuple[str, str], Inflection]
    lemma_freq: Mapping[Pair, float]
    forms: Sequence[Form]
    pools: ImpostorPools


@functools.lru_cache(maxsize=1)
def _words(inputs: _Inputs) -> _Words:
    """Read once a process."""
    table = read_counts(open_artifact(inputs.counts))
    freq_of = dict(zip(table.words, table.freq.tolist(), strict=True))
    lemma_freq = read_vocabulary(open_artifact(inputs.vocabulary))
    inflections = read_inflections(open_artifact(inputs.inflections))
    cells = {(cell.lemma, cell.tag): cell for cell in inflections}
    forms = [
        _form(cell, freq_of[cell.form])
        for cell in cells.values()
        if inputs.limits.allow(lemma_freq[cell.lemma, cell.word_class])
        and cell.form in freq_of
        and cell.form not in inputs.unwanted
    ]
    known = read_places(
        open_artifact(inputs.places), pairs=list(lemma_freq), settings=inputs.places_settings
    )
    pools = ImpostorPools(
        forms,
        takes=known.takes,
        share=known.share,
        likeness=known.likeness,
        settings=inputs.settings,
    )
    return _Words(cells, lemma_freq, forms, pools)


@dataclass(frozen=True, slots=True)
class _Part:
    """Sentences' tokens with their focus words."""

    inputs: _Inputs
    sentences: Sequence[tuple[Sequence[str], Sequence[Mapping[str, Any]]]]
    seed: int


def draw_part(part: _Part) -> tuple[list[tuple[str, Form]], list[Rejection], Counter[str]]:
    words, settings = _words(part.inputs), part.inputs.settings
    refusals: Counter[str] = Counter()
    drawn: list[tuple[str, Form]] = []
    rejected: list[Rejection] = []
    for tokens, rows in part.sentences:
        blanks = [_blank(row, words.cells, tokens, refusals) for row in rows]
        found = draw_impostors(blanks, pools=words.pools, settings=settings, seed=part.seed)
        if isinstance(found, list):
            rejected += found
            continue
        drawn += [(found[0], form) for form in found[1]]
        others = (blank.id for blank in blanks if blank.id != found[0])
        rejected += [Rejection(other, ImpostorReason.NOT_TRIED) for other in others]
    return drawn, rejected, refusals


def write_impostors(
    writer: ArtifactWriter,
    ctx: StageContext,
    *,
    focus: Artifact,
    inflections: Artifact,
    vocabulary: Artifact,
    counts: Artifact,
    places: Artifact,
    limits: FocusSettings,
    settings: ImpostorsSettings,
    places_settings: PlacesSettings,
    offensive: frozenset[str],
    seed: int,
) -> None:
    inputs = _Inputs(
        inflections.folder,
        vocabulary.folder,
        counts.folder,
        places.folder,
        limits,
        settings,
        places_settings,
        offensive,
    )
    words, table = _words(inputs), read_counts(counts)
    sentences = read_source_sentences(focus)
    rows = read_parquet(focus.path(FOCUS)).to_pylist()
    groups = [
        (sentences[sentence_id].tokens, list(of_sentence))
        for sentence_id, of_sentence in groupby(rows, key=lambda row: str(row["sentence_id"]))
    ]
    parts = [
        _Part(inputs, groups[first : first + _SENTENCES_A_PART], seed)
        for first in range(0, len(groups), _SENTENCES_A_PART)
    ]
    drawn: list[tuple[str, Form]] = []
    rejected: list[Rejection] = []
    refusals: Counter[str] = Counter()
    for found, refused, reasons_of_words in ctx.map(draw_part, parts, unit="parts"):
        drawn += found
        rejected += refused
        refusals += reasons_of_words
    count_of = dict(zip(table.words, table.count.tolist(), strict=True))
    writer.rows[IMPOSTORS] = write_parquet(
        writer.path(IMPOSTORS), _columns(drawn, words.cells, words.lemma_freq, count_of)
    )
    writer.rows[REJECTED] = write_parquet(writer.path(REJECTED), rejection_columns(rejected))
    reasons = Counter(str(rejection.reason) for rejection in rejected)
    writer.funnel = funnel("focus words", kept=len(rows) - len(rejected), rejected=reasons)
    writer.facts |= {
        "forms_within_limits": len(words.forms),
        "candidates_funnel": funnel("drawn words", kept=len(drawn), rejected=refusals),
    }
    writer.versions |= {"numpy": np.__version__, "pyarrow": pa.__version__}
    ctx.say(
        f"{len(drawn) // N_IMPOSTORS:,} of {len(groups):,} sentences get impostors; "
        f"{len(words.forms):,} forms are within the frequency limits"
    )


def _blank(
    row: Mapping[str, Any],
    cells: Mapping[tuple[str, str], Inflection],
    tokens: Sequence[str],
    refusals: Counter[str],
) -> Blank:
    answer = _form(cells[row["lemma"], row["tag"]], row["freq"])
    return Blank(
        row["id"], answer, parse_place(row["place"]), _refuses(tokens, row["position"], refusals)
    )


def _form(cell: Inflection, freq: float) -> Form:
    return Form(
        cell.form, cell.lemma, cell.word_class, cell.tag, cell.trait, cell.cells, freq, cell.count
    )


def _refuses(tokens: Sequence[str], position: int, refusals: Counter[str]) -> Callable[[str], bool]:
    answer, predecessor = tokens[position], tokens[printed_neighbours(tokens, position)[0]]
    stems = frozenset(stem(token) for token in tokens)

    def refuses(word: str) -> bool:
        reason = refusal(word, answer=answer, predecessor=predecessor, sentence_stems=stems)
        if reason is not None:
            refusals[str(reason)] += 1
        return reason is not None

    return refuses


def _columns(
    drawn: Sequence[tuple[str, Form]],
    cells: Mapping[tuple[str, str], Inflection],
    lemma_freq: Mapping[Pair, float],
    count_of: Mapping[str, int],
) -> dict[str, pa.Array]:
    own = [cells[form.lemma, form.tag] for _, form in drawn]
    return {
        "id": pa.array([item for item, _ in drawn], pa.string()).dictionary_encode(),
        "word": pa.array([form.word for _, form in drawn], pa.string()).dictionary_encode(),
        "lemma": pa.array([form.lemma for _, form in drawn], pa.string()).dictionary_encode(),
        "tag": pa.array([form.tag for _, form in drawn], pa.string()).dictionary_encode(),
        "tag_count": pa.array([cell.count for cell in own], pa.int64()),
        "source": pa.array([cell.source for cell in own], pa.string()).dictionary_encode(),
        "lemma_freq": pa.array(
            [lemma_freq[form.lemma, form.word_class] for _, form in drawn], pa.float64()
        ),
        "count": pa.array([count_of[form.word] for _, form in drawn], pa.int64()),
        "freq": pa.array([form.freq for _, form in drawn], pa.float64()),
    }
