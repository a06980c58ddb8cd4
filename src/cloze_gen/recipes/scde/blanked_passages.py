"""Assembly: choice of the passages of the set, and order of their candidates (SCDE 3.1)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from pydantic import Field

from cloze_gen.corpus.books import book_folder, kept_books
from cloze_gen.corpus.hyphens import HYPHENS
from cloze_gen.corpus.source_sentences import decided_hyphens
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.errors import CorpusError
from cloze_gen.evaluation.sets import read_cloze_examples
from cloze_gen.formats.scde import format_requests, passage_record
from cloze_gen.recipes.common import PRINTED_BEFORE, balance_answer_positions, printed_before
from cloze_gen.recipes.scde.passages import (
    DISTRACTORS,
    Place,
    Window,
    read_blanks,
    read_book,
    windows_by_book,
)
from cloze_gen.records.blanked_passage import BlankedPassage, SentenceSource, SetBlankedPassage
from cloze_gen.records.passage import Part
from cloze_gen.records.rejection import Reason, Rejection
from cloze_gen.rng import derive_rng, stable_fraction
from cloze_gen.settings import MOST_COUNTED, SettingsGroup
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, funnel
from cloze_gen.store.tables import (
    PASSAGE_SET,
    REJECTED,
    read_parquet,
    rejection_columns,
    write_jsonl,
    write_parquet,
)
from cloze_gen.word_tokens import is_word


class AssemblySettings(SettingsGroup):
    n_passages: int = Field(
        2000,
        ge=1,
        le=MOST_COUNTED,
        description="passages of all parts together; published: 5,959",
    )
    oversampling: float = Field(
        1.25,
        ge=1,
        le=1000,
        description="passages drawn for each of the set; 1: all are kept",
    )


def choose_set(
    passages: Mapping[str, tuple[Hashable, float]], settings: AssemblySettings
) -> frozenset[str]:
    """Ids of the set, from id -> (ranks of the distractors by length, temptation).

    Draws `n_passages` times `oversampling` passages by hash. Takes the most tempting passage for each
    combination of ranks, then the second of each, and so on, to balance the ranks.

    >>> found = {"emma:1": ((0, 1), 0.3), "emma:40": ((0, 1), 0.2), "dracula:7": ((0, 1), 0.1), "pip:3": ((2, 6), 0.0)}
    >>> sorted(choose_set(found, AssemblySettings(n_passages=2, oversampling=2)))
    ['emma:1', 'pip:3']
    """
    by_hash = sorted(passages, key=lambda name: (stable_fraction("scde.set", name), name))
    drawn = by_hash[: math.ceil(settings.oversampling * settings.n_passages)]
    seen: Counter[Hashable] = Counter()
    turns: dict[str, int] = {}
    # stable: ties keep the order of their hashes
    order = sorted(drawn, key=lambda name: -passages[name][1])
    for name in order:
        kind = passages[name][0]
        turns[name] = seen[kind]
        seen[kind] += 1
    return frozenset(sorted(order, key=turns.__getitem__)[: settings.n_passages])


def order_candidates(sizes: dict[str, tuple[int, int]], seed: int) -> dict[str, tuple[int, ...]]:
    """Id -> candidate of each printed place; numbers count the answers, then the distractors.

    >>> order_candidates({"emma:1": (2, 1), "emma:9": (2, 1), "emma:20": (2, 1)}, seed=1)
    {'emma:1': (0, 2, 1), 'emma:9': (1, 0, 2), 'emma:20': (2, 0, 1)}
    """
    orders: dict[str, tuple[int, ...]] = {}
    for answers, distractors in sorted(set(sizes.values())):
        alike = [name for name, size in sizes.items() if size == (answers, distractors)]
        arrangements = list(combinations(range(answers + distractors), distractors))
        chosen = balance_answer_positions(alike, n_options=len(arrangements), seed=seed)
        orders |= {
            name: _ordered(name, answers, arrangements[chosen[name]], seed) for name in alike
        }
    return {name: orders[name] for name in sizes}


def _ordered(name: str, answers: int, of_distractors: Sequence[int], seed: int) -> tuple[int, ...]:
    rng = derive_rng(seed, "scde.candidates", name)
    own, others = (rng.permutation(count).tolist() for count in (answers, len(of_distractors)))
    return tuple(
        answers + others.pop() if place in of_distractors else own.pop()
        for place in range(answers + len(of_distractors))
    )


class AssemblyReason(Reason):
    BEYOND_N = ("beyond_n_passages", "assembly.n_passages are already chosen")


NOT_IN_SET = str(AssemblyReason.BEYOND_N)
_LONG_WORDS = 10  # shorter sentences occur in many books


@dataclass(frozen=True, slots=True)
class SentenceShard:
    book_id: str
    folder: Path
    hyphens: Path
    sentences: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class PrintedSentence:
    text: str
    tokens: tuple[str, ...]
    paragraph: int
    source: SentenceSource


def read_printed(shard: SentenceShard) -> list[tuple[Place, PrintedSentence]]:
    book = read_book(shard.folder, decided_hyphens(shard.hyphens))
    spans = ((i, int(book.start[i]), int(book.end[i])) for i in shard.sentences)
    return [
        (
            (shard.book_id, i),
            PrintedSentence(
                book.texts[i],
                book.text.tokens(i),
                int(book.text.paragraph[i]),
                SentenceSource(shard.book_id, i, start, end),
            ),
        )
        for i, start, end in spans
    ]


def write_blanked_passages(
    writer: ArtifactWriter,
    ctx: StageContext,
    *,
    partition: Artifact,
    passages: Artifact,
    blanks: Artifact,
    distractors: Artifact,
    settings: AssemblySettings,
    seed: int,
) -> None:
    drawn = read_parquet(distractors.path(DISTRACTORS)).to_pylist()
    of_passage = {
        row["id"]: list(zip(row["books"], row["distractors"], strict=True)) for row in drawn
    }
    left = {row["id"]: (tuple(row["by_length"]), row["temptation"]) for row in drawn}
    windows_of_books = windows_by_book(passages)
    printed: dict[Place, PrintedSentence] = {}
    repeated: dict[str, str] = {}
    while True:
        taken = choose_set(left, settings)
        windows = [
            window
            for of_book in windows_of_books.values()
            for window in of_book
            if window.id in taken
        ]
        needed = {
            place for window in windows for place in (*_places(window), *of_passage[window.id])
        }
        printed |= _read_printed(ctx, needed - printed.keys(), partition, passages)
        again = printed_before((window.id, _long_sentences(window, printed)) for window in windows)
        if not again:
            break
        repeated |= again
        left = {name: known for name, known in left.items() if name not in again}
    blanked = read_blanks(blanks)
    orders = order_candidates(
        {window.id: (len(blanked[window.id]), len(of_passage[window.id])) for window in windows},
        seed,
    )
    finished = list(_assembled(windows, blanked, of_passage, orders, printed))
    writer.rows[PASSAGE_SET] = write_jsonl(writer.path(PASSAGE_SET), map(passage_record, finished))
    rejected = [Rejection(name, PRINTED_BEFORE, first) for name, first in repeated.items()]
    rejected += [Rejection(name, NOT_IN_SET, "") for name in left if name not in taken]
    writer.rows[REJECTED] = write_parquet(
        writer.path(REJECTED), rejection_columns(sorted(rejected, key=lambda one: one.id))
    )
    writer.funnel = funnel(
        "passages", kept=len(finished), rejected=Counter(str(one.reason) for one in rejected)
    )
    parts = Counter(window.part for window in windows)
    sizes = ", ".join(f"{parts[part]:,} {part}" for part in Part)
    if not parts[Part.TEST]:
        raise CorpusError(
            f"blanked passages: the set has no test passages ({sizes}). Give more or longer novels, "
            "lower partition.train_share for more test novels, raise assembly.n_passages, or try "
            "another --seed."
        )
    writer.facts |= {
        "wanted": settings.n_passages,
        "parts": {str(part): parts[part] for part in Part},
    }
    ctx.say(f"{sizes} passages")


def _places(window: Window) -> list[Place]:
    return [(window.book_id, i) for i in range(window.first, window.last + 1)]


def _read_printed(
    ctx: StageContext, needed: Collection[Place], partition: Artifact, passages: Artifact
) -> dict[Place, PrintedSentence]:
    of_book: dict[str, list[int]] = {}
    for book_id, sentence in needed:
        of_book.setdefault(book_id, []).append(sentence)
    shards = [
        SentenceShard(
            row["book_id"],
            book_folder(partition, row),
            passages.path(HYPHENS),
            tuple(sorted(of_book[row["book_id"]])),
        )
        for row in kept_books(partition)
        if row["book_id"] in of_book
    ]
    return dict(pair for found in ctx.map(read_printed, shards, unit="books") for pair in found)


def _long_sentences(
    window: Window, printed: Mapping[Place, PrintedSentence]
) -> list[tuple[str, ...]]:
    own = (printed[place].tokens for place in _places(window))
    return [tokens for tokens in own if sum(map(is_word, tokens)) >= _LONG_WORDS]


def _assembled(
    windows: Sequence[Window],
    blanked: Mapping[str, tuple[int, ...]],
    distractors: Mapping[str, list[Place]],
    orders: Mapping[str, tuple[int, ...]],
    printed: Mapping[Place, PrintedSentence],
) -> Iterator[SetBlankedPassage]:
    for window in windows:
        own = [printed[place] for place in _places(window)]
        places = blanked[window.id]
        listed = [
            *(own[place] for place in places),
            *(printed[place] for place in distractors[window.id]),
        ]
        order = orders[window.id]
        candidates = [listed[i] for i in order]
        answers = tuple(order.index(number) for number in range(len(places)))
        passage = BlankedPassage(
            window.id,
            tuple(one.text for one in own),
            places,
            tuple(one.text for one in candidates),
            answers,
        )
        sources, of_candidates = (tuple(one.source for one in some) for some in (own, candidates))
        paragraphs = tuple(one.paragraph for one in own)
        yield SetBlankedPassage(
            passage, Part(window.part), window.domain, paragraphs, sources, of_candidates
        )


def requests(finished: Artifact, rendering: str) -> Iterator[str]:
    return format_requests(
        one.passage for one in read_cloze_examples(finished.path(PASSAGE_SET)).passages
    )
