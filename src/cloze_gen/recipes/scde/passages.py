"""Windows: whole paragraphs of one chapter, of 10 to 30 sentences, that become passages (SCDE 5.7).

Novels have no passages, so we cut them. A window is prose without wrongly split sentences and
offensive words, it does not begin or end inside a speech, and the text before it does not lead into
it. Each window draws a target length in words, so that lengths vary around the published mean of
319.6 (Table 3).
"""

from __future__ import annotations

import itertools
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pydantic import Field

from cloze_gen.corpus.arrays import (
    BookText,
    SentenceTraits,
    book_text,
    sentence_traits,
    whole_sentences,
)
from cloze_gen.corpus.books import SENTENCES, book_folder, kept_books
from cloze_gen.corpus.frequencies import read_counts
from cloze_gen.corpus.hyphens import HYPHENS, mend_text, write_hyphens
from cloze_gen.corpus.normalization import LINE_END_HYPHEN
from cloze_gen.corpus.paragraphs import HEADING, PROSE
from cloze_gen.corpus.source_sentences import book_parts, decided_hyphens, hyphen_evidence
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.errors import CorpusError
from cloze_gen.records.passage import Part
from cloze_gen.records.rejection import Reason, Rejection
from cloze_gen.rng import derive_rng, stable_fraction
from cloze_gen.settings import MOST_COUNTED, MOST_EACH, SettingsGroup
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, funnel
from cloze_gen.store.tables import (
    REJECTED,
    join_parquet,
    read_parquet,
    rejection_columns,
    write_parquet,
)
from cloze_gen.word_tokens import is_word

_LEADS_ON = frozenset((",", ";", ":", "-", "--", "---"))


class PassagesSettings(SettingsGroup):
    min_sentences: int = Field(10, ge=1, le=MOST_EACH, description="least number of sentences; 5.7")
    max_sentences: int = Field(
        30, ge=1, le=MOST_EACH, description="greatest number of sentences; 5.7"
    )
    min_words: int = Field(
        180,
        ge=1,
        le=MOST_COUNTED,
        description="shortest length that is drawn, in words",
    )
    max_words: int = Field(
        420,
        ge=1,
        le=MOST_COUNTED,
        description="longest length that is drawn; mean in Table 3: 319.6",
    )
    per_book: int = Field(
        40,
        ge=1,
        le=MOST_COUNTED,
        description="most passages of a book",
    )


class PassageReason(Reason):
    NOT_PROSE = ("not_prose", "verse, a heading or not text")
    LONG = ("paragraph_long", "a paragraph has more sentences than passages.max_sentences")
    TORN = ("has_split_sentence", "a sentence is not whole, a heading or has odd marks")
    OFFENSIVE = ("offensive", "it contains a listed offensive word")
    IN_SPEECH = ("begins_within_speech", "it begins inside a speech")
    LED_TO = ("preceding_text_unfinished", "the text before it ends in a comma, a colon or a dash")
    NO_END = (
        "no_end_within_bounds",
        "no paragraph ends between passages.min_sentences and passages.max_sentences",
    )
    CHAPTER_ENDS = (
        "cut_short_by_chapter",
        "the chapter ends after fewer than passages.min_sentences",
    )
    BREAK = ("cut_short_by_break", "a break comes after fewer than passages.min_sentences")
    THINNED = ("not_sampled", "passages.per_book other passages of the book were sampled")


@dataclass(frozen=True, slots=True)
class CutWindow:
    """A span of a book's sentences, both ends inclusive; `words` counts word tokens."""

    first: int
    last: int
    words: int


@dataclass(frozen=True, slots=True)
class CutBook:
    windows: list[CutWindow]
    rejected: list[Rejection]


def cut_windows(
    book: BookText,
    *,
    book_id: str,
    offensive: Container[str],
    settings: PassagesSettings,
    seed: int,
) -> CutBook:
    """Windows of a book; the other stretches as rejections, by the id of their first sentence.

    >>> from cloze_gen.corpus.arrays import book_text
    >>> lines, kinds = ["CHAPTER I", "It rained .", "We slept .", "Someone came ."], ["heading", "prose", "prose", "prose"]
    >>> book = book_text(lines, kinds=kinds, paragraph=[0, 1, 1, 2])
    >>> small = PassagesSettings(min_sentences=2, max_sentences=2)
    >>> cut = cut_windows(book, book_id="emma", offensive=(), settings=small, seed=1)
    >>> cut.windows, [(found.id, found.reason) for found in cut.rejected]
    ([CutWindow(first=1, last=2, words=4)], [('emma:0', 'not_prose'), ('emma:3', 'cut_short_by_chapter')])
    """
    paragraphs = _paragraphs(book, sentence_traits(book, offensive=offensive), settings)
    stretches = list(_stretches(paragraphs, book_id, settings, seed))
    windows = [stretch for stretch in stretches if not stretch.reason]
    by_hash = sorted(
        windows,
        key=lambda one: (
            stable_fraction("scde.thinning", f"{book_id}:{paragraphs.starts[one.begin]}"),
            one.begin,
        ),
    )
    thinned = {one.begin for one in by_hash[settings.per_book :]}
    kept = [paragraphs.window(one) for one in windows if one.begin not in thinned]
    labelled = [
        _Stretch(one.begin, one.end, PassageReason.THINNED) if one.begin in thinned else one
        for one in stretches
    ]
    return CutBook(
        kept, [paragraphs.rejection(one, book_id) for one in _joined(labelled) if one.reason]
    )


def chapter_numbers(kinds: Sequence[str]) -> NDArray[np.int32]:
    """Shape (sentences,): headings before each, lines of one heading counted once.

    >>> chapter_numbers(["prose", "heading", "heading", "prose", "verse", "heading"]).tolist()
    [0, 1, 1, 1, 1, 2]
    """
    heading = np.array([kind == HEADING for kind in kinds], dtype=np.bool_)
    begins = heading & ~np.concatenate((np.zeros(1, np.bool_), heading))[:-1]
    return np.cumsum(begins, dtype=np.int32)


@dataclass(frozen=True, slots=True)
class _Stretch:
    """Paragraphs, `end` exclusive; without a reason they are a window."""

    begin: int
    end: int
    reason: PassageReason | None = None


@dataclass(frozen=True, slots=True)
class _Paragraphs:
    """The paragraphs of a book.

    Attributes:
        starts, words: first sentence of each and the words before it; the totals at the end.
        parted: whether a break precedes each.
        ties: why no window may begin or end before each paragraph, and at the end; or None.
    """

    starts: list[int]
    words: list[int]
    faults: list[PassageReason | None]
    parted: list[bool]
    headings: list[bool]
    ties: list[PassageReason | None]

    def window(self, one: _Stretch) -> CutWindow:
        return CutWindow(
            self.starts[one.begin],
            self.starts[one.end] - 1,
            self.words[one.end] - self.words[one.begin],
        )

    def rejection(self, one: _Stretch, book_id: str) -> Rejection:
        sentences, words = (
            values[one.end] - values[one.begin] for values in (self.starts, self.words)
        )
        detail = (
            f"{sentences:,} sentence{'s' * (sentences != 1)}, {words:,} word{'s' * (words != 1)}"
        )
        return Rejection(f"{book_id}:{self.starts[one.begin]}", str(one.reason), detail)


def _paragraphs(book: BookText, traits: SentenceTraits, settings: PassagesSettings) -> _Paragraphs:
    if not book.sentence_count:
        return _Paragraphs([0], [0], [], [], [], [None])
    step = np.concatenate(([1], np.diff(book.paragraph)))
    starts = np.flatnonzero(step)
    kinds = np.array(book.kinds, dtype=object)[starts]
    sentences = np.diff(np.append(starts, book.sentence_count))
    is_one = np.array([is_word(word) for word in book.types], dtype=np.bool_)[book.codes]
    words = np.concatenate(([0], np.cumsum(is_one)))[
        book.bounds[np.append(starts, book.sentence_count)]
    ]
    against = {  # in order of precedence
        PassageReason.NOT_PROSE: kinds != PROSE,
        PassageReason.LONG: sentences > settings.max_sentences,
        PassageReason.TORN: np.logical_or.reduceat(~whole_sentences(book), starts),
        PassageReason.OFFENSIVE: np.logical_or.reduceat(traits.offensive, starts),
    }
    rows = list(zip(*(holds.tolist() for holds in against.values()), strict=True))
    faults = [next(itertools.compress(against, row), None) for row in rows]
    first, last = [*starts.tolist(), book.sentence_count], words.tolist()
    return _Paragraphs(
        first,
        last,
        faults,
        (step[starts] > 1).tolist(),
        (kinds == HEADING).tolist(),
        _ties(book, traits, starts),
    )


def _ties(
    book: BookText, traits: SentenceTraits, starts: NDArray[np.int64]
) -> list[PassageReason | None]:
    """Why no cut may be before each paragraph; each paragraph of a speech opens with a mark."""
    left_open = np.add.reduceat(traits.speech_marks, starts) % 2 == 1
    goes_on = left_open[:-1] & traits.begins_with_mark[starts[1:]]
    leads = np.array([word in _LEADS_ON for word in book.types], dtype=np.bool_)[
        book.codes[book.bounds[starts[1:]] - 1]
    ]
    ties = [
        PassageReason.IN_SPEECH if speech else PassageReason.LED_TO if led else None
        for speech, led in zip(goes_on, leads, strict=True)
    ]
    return [None, *ties, None]


def _stretches(
    paragraphs: _Paragraphs, book_id: str, settings: PassagesSettings, seed: int
) -> Iterator[_Stretch]:
    begin, count = 0, len(paragraphs.faults)
    while begin < count:
        if fault := paragraphs.faults[begin]:
            yield _Stretch(begin, begin + 1, fault)
            begin += 1
            continue
        end = begin + 1
        while end < count and not paragraphs.faults[end] and not paragraphs.parted[end]:
            end += 1
        yield from _cut_run(paragraphs, begin, end, book_id, settings, seed)
        begin = end


def _cut_run(
    paragraphs: _Paragraphs,
    begin: int,
    stop: int,
    book_id: str,
    settings: PassagesSettings,
    seed: int,
) -> Iterator[_Stretch]:
    starts, words = paragraphs.starts, paragraphs.words
    while begin < stop:
        if starts[stop] - starts[begin] < settings.min_sentences:
            ends_chapter = stop == len(paragraphs.faults) or paragraphs.headings[stop]
            yield _Stretch(
                begin, stop, PassageReason.CHAPTER_ENDS if ends_chapter else PassageReason.BREAK
            )
            return
        nearest = bisect_left(starts, starts[begin] + settings.min_sentences, begin + 1, stop + 1)
        farthest = bisect_right(starts, starts[begin] + settings.max_sentences, begin + 1, stop + 1)
        ends = [end for end in range(nearest, farthest) if not paragraphs.ties[end]]
        if paragraphs.ties[begin] or not ends:
            yield _Stretch(begin, begin + 1, paragraphs.ties[begin] or PassageReason.NO_END)
            begin += 1
            continue
        rng = derive_rng(seed, "scde.passages", f"{book_id}:{starts[begin]}")
        target = words[begin] + int(
            rng.integers(settings.min_words, settings.max_words, endpoint=True)
        )
        end = min(ends, key=lambda one: (abs(words[one] - target), one))
        yield _Stretch(begin, end)
        begin = end


def _joined(stretches: Sequence[_Stretch]) -> Iterator[_Stretch]:
    """Merge adjacent stretches of the same reason, except windows that were not sampled."""
    for reason, group in itertools.groupby(stretches, key=lambda one: one.reason):
        found = list(group)
        if reason in {None, PassageReason.THINNED}:
            yield from found
        else:
            yield _Stretch(found[0].begin, found[-1].end, reason)


PASSAGES = "passages.parquet"
BLANKS, VERDICTS = "blanks.parquet", "sentences.parquet"
CONSIDERED, ANSWERS = "considered.parquet", "answers.parquet"
DISTRACTORS, PROPENSITY = "distractors.parquet", "propensity.tsv"
# verdicts on sentences, in addition to the reasons
BLANK, NOT_DRAWN, RIVAL = ("blank", "not_drawn", "rival")

Place = tuple[str, int]  # a book, and the index of one of its sentences


@dataclass(frozen=True, slots=True)
class Window:
    """A row of `passages.parquet`; first and last are sentences of the book, inclusive."""

    id: str
    book_id: str
    part: str
    domain: str
    first: int
    last: int


def windows_by_book(passages: Artifact) -> dict[str, list[Window]]:
    table = read_parquet(
        passages.path(PASSAGES), columns=list(Window.__dataclass_fields__)
    ).to_pylist()
    found: dict[str, list[Window]] = {}
    for row in table:
        found.setdefault(row["book_id"], []).append(Window(**row))
    return found


def read_blanks(blanks: Artifact) -> dict[str, tuple[int, ...]]:
    """Passage id -> places of its blanks within it."""
    table = read_parquet(blanks.path(BLANKS), columns=["id", "blanks"]).to_pylist()
    return {row["id"]: tuple(row["blanks"]) for row in table}


_COLUMNS = ["start", "end", "paragraph", "kind", "text", "tokens"]


@dataclass(frozen=True, slots=True)
class ReadBook:
    """An ingested book, one entry a sentence; `start` and `end` are characters of its text."""

    text: BookText
    texts: list[str]
    start: NDArray[np.int32]
    end: NDArray[np.int32]
    chapter: NDArray[np.int32]


def read_book(folder: Path, hyphens: Mapping[str, str]) -> ReadBook:
    table = read_parquet(folder / SENTENCES, columns=_COLUMNS)
    kinds, paragraph = table["kind"].to_pylist(), table["paragraph"].to_numpy()
    lines = table["tokens"].combine_chunks()
    text = book_text(lines, kinds=kinds, paragraph=paragraph, forms=hyphens)
    texts = table["text"].to_pylist()
    for i, line in enumerate(texts):
        if LINE_END_HYPHEN in line:
            texts[i] = mend_text(line, lines[i].as_py(), hyphens)
    return ReadBook(
        text,
        texts,
        table["start"].to_numpy(),
        table["end"].to_numpy(),
        chapter_numbers(kinds),
    )


@dataclass(frozen=True, slots=True)
class WindowShard:
    """One book for a worker, which writes its part of each table to the folder `out`."""

    book_id: str
    part: str
    domain: str
    folder: Path
    hyphens: Path
    out: Path
    offensive: frozenset[str]
    settings: PassagesSettings
    seed: int


@dataclass(frozen=True, slots=True)
class WindowSums:
    """Sums of one worker, for the funnel and the facts of the stage."""

    windows: int
    sentences: int
    words: int
    reasons: Counter[str]


def cut_book(shard: WindowShard) -> WindowSums:
    book = read_book(shard.folder, decided_hyphens(shard.hyphens))
    cut = cut_windows(
        book.text,
        book_id=shard.book_id,
        offensive=shard.offensive,
        settings=shard.settings,
        seed=shard.seed,
    )
    write_parquet(shard.out / PASSAGES, _columns(cut.windows, shard, book.start, book.end))
    write_parquet(shard.out / REJECTED, rejection_columns(cut.rejected))
    sentences = sum(one.last - one.first + 1 for one in cut.windows)
    words = sum(one.words for one in cut.windows)
    return WindowSums(
        len(cut.windows), sentences, words, Counter(one.reason for one in cut.rejected)
    )


def _columns(
    windows: Sequence[CutWindow], shard: WindowShard, start: np.ndarray, end: np.ndarray
) -> dict[str, pa.Array]:
    first, last = (
        np.array([getattr(one, name) for one in windows], dtype=np.int32)
        for name in ("first", "last")
    )
    same = {"book_id": shard.book_id, "part": shard.part, "domain": shard.domain}
    return {
        "id": pa.array([f"{shard.book_id}:{one.first}" for one in windows], pa.string()),
        **{
            name: pa.array([value] * len(windows), pa.string()).dictionary_encode()
            for name, value in same.items()
        },
        "first": pa.array(first),
        "last": pa.array(last),
        "sentences": pa.array(last - first + 1),
        "words": pa.array([one.words for one in windows], pa.int32()),
        "start": pa.array(start[first]),
        "end": pa.array(end[last]),
    }


def write_passages(
    writer: ArtifactWriter,
    ctx: StageContext,
    *,
    partition: Artifact,
    counts: Artifact,
    settings: PassagesSettings,
    offensive: frozenset[str],
    seed: int,
) -> None:
    write_hyphens(writer, hyphen_evidence(partition, read_counts(counts)))
    hyphens = writer.path(HYPHENS)
    books = kept_books(partition)
    with book_parts(writer, len(books)) as folders:
        shards = [
            WindowShard(
                row["book_id"],
                row["part"],
                row["domain"],
                book_folder(partition, row),
                hyphens,
                out,
                offensive,
                settings,
                seed,
            )
            for row, out in zip(books, folders, strict=True)
        ]
        found = list(ctx.map(cut_book, shards, unit="books"))
        reasons = sum((one.reasons for one in found), Counter[str]())
        of_part = {
            part: sum(
                one.windows for row, one in zip(books, found, strict=True) if row["part"] == part
            )
            for part in Part
        }
        if missing := [part for part in Part if not of_part[part]]:
            _refuse(missing, reasons)
        for name in (PASSAGES, REJECTED):
            writer.rows[name] = join_parquet(
                writer.path(name), [folder / name for folder in folders]
            )
    n_windows = sum(of_part.values())
    mean_words = sum(one.words for one in found) / n_windows
    mean_sentences = sum(one.sentences for one in found) / n_windows
    writer.funnel = funnel("stretches", kept=n_windows, rejected=reasons)
    writer.facts |= {
        "passages": {str(part): count for part, count in of_part.items()},
        "mean_words": round(mean_words, 4),
        "mean_sentences": round(mean_sentences, 4),
    }
    ctx.say(
        f"{n_windows:,} passages; on average {mean_words:.1f} words and {mean_sentences:.1f} "
        "sentences"
    )


def _refuse(missing: Sequence[Part], reasons: Counter[str]) -> NoReturn:
    counts = ", ".join(f"{reason} {count:,}" for reason, count in sorted(reasons.items()))
    raise CorpusError(
        f"no passage found in the {' and '.join(missing)} books ({counts}). Lower "
        "passages.min_sentences, raise passages.max_sentences, add books, or change "
        "partition.train_share and partition.development_share."
    )
