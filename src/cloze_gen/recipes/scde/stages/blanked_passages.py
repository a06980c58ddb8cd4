"""The finished set: passages with their blanks and candidates, as printed and with where all of it stands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from cloze_gen.formats.scde.jsonl import passage_record
from cloze_gen.recipes.questions.printed_once import PRINTED_BEFORE, printed_before
from cloze_gen.recipes.scde.stages.book_reading import read_book
from cloze_gen.recipes.scde.stages.tables import DISTRACTORS, Place, Window, read_blanks, windows_by_book
from cloze_gen.recipes.scde.steps.assembly import AssemblySettings, choose_set, order_candidates
from cloze_gen.records.blanked_passage import BlankedPassage, SentenceSource, SetBlankedPassage
from cloze_gen.records.passage import Part
from cloze_gen.records.rejection import Rejection
from cloze_gen.stages.corpus.book_table import book_folder, kept_books
from cloze_gen.stages.corpus.hyphens import HYPHENS
from cloze_gen.stages.room import Room
from cloze_gen.stages.source_books import decided_hyphens
from cloze_gen.stages.tables import PASSAGE_SET, REJECTED, rejection_columns
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, funnel
from cloze_gen.store.tables import read_parquet, write_jsonl, write_parquet
from cloze_gen.words import is_word

NOT_IN_SET = "set_is_full"
_LONG_WORDS = 10  # "What do you mean by that?" is said in many a book


@dataclass(frozen=True, slots=True)
class SentenceShard:
    """Sentences of one book that the set prints."""

    book_id: str
    folder: Path
    hyphens: Path
    sentences: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class PrintedSentence:
    """A sentence as printed, where it stands, and in which paragraph."""

    text: str
    tokens: tuple[str, ...]
    paragraph: int
    source: SentenceSource


def read_printed(shard: SentenceShard) -> list[tuple[Place, PrintedSentence]]:
    """The asked sentences of one book."""
    book = read_book(shard.folder, decided_hyphens(shard.hyphens))
    spans = ((i, int(book.start[i]), int(book.end[i])) for i in shard.sentences)
    return [
        (
            (shard.book_id, i),
            PrintedSentence(book.texts[i], book.text.tokens(i), int(book.text.paragraph[i]), SentenceSource(shard.book_id, i, start, end)),
        )
        for i, start, end in spans
    ]


def write_blanked_passages(
    writer: ArtifactWriter,
    room: Room,
    *,
    partition: Artifact,
    passages: Artifact,
    blanks: Artifact,
    distractors: Artifact,
    settings: AssemblySettings,
    seed: int,
) -> None:
    """Write the set.

    Files: `passages.jsonl`, one JSON object a passage (`formats.scde.jsonl.passage_record`), in the order of books and places.
    `rejected.parquet`, the other passages with distractors: `id`, `reason` (``sentence_printed_before``: a passage of the set prints one of
    its long sentences; ``set_is_full``), `detail` (that passage, else empty).

    What is printed before leaves its place in the set to another.
    """
    drawn = read_parquet(distractors.path(DISTRACTORS)).to_pylist()
    of_passage = {row["id"]: list(zip(row["books"], row["distractors"], strict=True)) for row in drawn}
    left = {row["id"]: (tuple(row["by_length"]), row["temptation"]) for row in drawn}
    windows_of_books = windows_by_book(passages)
    printed: dict[Place, PrintedSentence] = {}
    repeated: dict[str, str] = {}
    while True:
        taken = choose_set(left, settings)
        windows = [window for of_book in windows_of_books.values() for window in of_book if window.id in taken]
        needed = {place for window in windows for place in (*_places(window), *of_passage[window.id])}
        printed |= _read_printed(room, needed - printed.keys(), partition, passages)
        again = printed_before((window.id, _long_sentences(window, printed)) for window in windows)
        if not again:
            break
        repeated |= again
        left = {name: known for name, known in left.items() if name not in again}
    blanked = read_blanks(blanks)
    orders = order_candidates({window.id: (len(blanked[window.id]), len(of_passage[window.id])) for window in windows}, seed)
    finished = list(_assembled(windows, blanked, of_passage, orders, printed))
    writer.rows[PASSAGE_SET] = write_jsonl(writer.path(PASSAGE_SET), map(passage_record, finished))
    rejected = [Rejection(name, PRINTED_BEFORE, first) for name, first in repeated.items()]
    rejected += [Rejection(name, NOT_IN_SET, "") for name in left if name not in taken]
    writer.rows[REJECTED] = write_parquet(writer.path(REJECTED), rejection_columns(sorted(rejected, key=lambda one: one.id)))
    writer.funnel = funnel("passages", kept=len(finished), rejected=Counter(str(one.reason) for one in rejected))
    parts = Counter(window.part for window in windows)
    writer.facts |= {"wanted": settings.n_passages, "parts": {str(part): parts[part] for part in Part}}
    room.say(", ".join(f"{parts[part]:,} {part}" for part in Part) + " passages")


def _places(window: Window) -> list[Place]:
    return [(window.book_id, i) for i in range(window.first, window.last + 1)]


def _read_printed(room: Room, needed: Collection[Place], partition: Artifact, passages: Artifact) -> dict[Place, PrintedSentence]:
    """The sentences at these places, each book read once."""
    of_book: dict[str, list[int]] = {}
    for book_id, sentence in needed:
        of_book.setdefault(book_id, []).append(sentence)
    shards = [
        SentenceShard(row["book_id"], book_folder(partition, row), passages.path(HYPHENS), tuple(sorted(of_book[row["book_id"]])))
        for row in kept_books(partition)
        if row["book_id"] in of_book
    ]
    return dict(pair for found in room.map(read_printed, shards, unit="books") for pair in found)


def _long_sentences(window: Window, printed: Mapping[Place, PrintedSentence]) -> list[tuple[str, ...]]:
    """The tokens of the passage's sentences that no two passages have by chance."""
    own = (printed[place].tokens for place in _places(window))
    return [tokens for tokens in own if sum(map(is_word, tokens)) >= _LONG_WORDS]


def _assembled(
    windows: Sequence[Window],
    blanked: Mapping[str, tuple[int, ...]],
    distractors: Mapping[str, list[Place]],
    orders: Mapping[str, tuple[int, ...]],
    printed: Mapping[Place, PrintedSentence],
) -> Iterator[SetBlankedPassage]:
    """The passages with their sentences and candidates."""
    for window in windows:
        own = [printed[place] for place in _places(window)]
        places = blanked[window.id]
        listed = [*(own[place] for place in places), *(printed[place] for place in distractors[window.id])]
        order = orders[window.id]
        candidates = [listed[i] for i in order]
        answers = tuple(order.index(number) for number in range(len(places)))
        passage = BlankedPassage(window.id, tuple(one.text for one in own), places, tuple(one.text for one in candidates), answers)
        sources, of_candidates = (tuple(one.source for one in some) for some in (own, candidates))
        paragraphs = tuple(one.paragraph for one in own)
        yield SetBlankedPassage(passage, Part(window.part), window.domain, paragraphs, sources, of_candidates)
