"""The finished set: passages with their blanks and candidates, as printed and with where all of it stands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from cloze_gen.formats.scde.jsonl import passage_record
from cloze_gen.recipes.scde.stages.book_reading import read_book
from cloze_gen.recipes.scde.stages.tables import DISTRACTORS, Place, Window, read_blanks, windows_by_book
from cloze_gen.recipes.scde.steps.assembly import AssemblySettings, choose_set, order_candidates
from cloze_gen.records.blanked_passage import BlankedPassage, SentenceSource, SetBlankedPassage
from cloze_gen.records.passage import Part
from cloze_gen.stages.corpus.book_table import book_folder, kept_books
from cloze_gen.stages.corpus.hyphens import HYPHENS
from cloze_gen.stages.room import Room
from cloze_gen.stages.source_books import decided_hyphens
from cloze_gen.stages.tables import PASSAGE_SET
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, funnel
from cloze_gen.store.tables import read_parquet, write_jsonl

NOT_IN_SET = "set_is_full"


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
    paragraph: int
    source: SentenceSource


def read_printed(shard: SentenceShard) -> list[tuple[Place, PrintedSentence]]:
    """The asked sentences of one book."""
    book = read_book(shard.folder, decided_hyphens(shard.hyphens))
    spans = ((i, int(book.start[i]), int(book.end[i])) for i in shard.sentences)
    return [
        ((shard.book_id, i), PrintedSentence(book.texts[i], int(book.text.paragraph[i]), SentenceSource(shard.book_id, i, start, end)))
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
    """Write `passages.jsonl`, one JSON object a passage (`formats.scde.jsonl.passage_record`), in the order of books and places."""
    drawn = read_parquet(distractors.path(DISTRACTORS)).to_pylist()
    of_passage = {row["id"]: list(zip(row["books"], row["distractors"], strict=True)) for row in drawn}
    taken = choose_set({row["id"]: (tuple(row["by_length"]), row["temptation"]) for row in drawn}, settings)
    windows = [window for of_book in windows_by_book(passages).values() for window in of_book if window.id in taken]
    blanked = read_blanks(blanks)
    needed: dict[str, set[int]] = {}
    for window in windows:
        own = ((window.book_id, i) for i in range(window.first, window.last + 1))
        for book_id, sentence in (*own, *of_passage[window.id]):
            needed.setdefault(book_id, set()).add(sentence)
    shards = [
        SentenceShard(row["book_id"], book_folder(partition, row), passages.path(HYPHENS), tuple(sorted(needed[row["book_id"]])))
        for row in kept_books(partition)
        if row["book_id"] in needed
    ]
    printed = dict(pair for found in room.map(read_printed, shards, unit="books") for pair in found)
    orders = order_candidates({window.id: (len(blanked[window.id]), len(of_passage[window.id])) for window in windows}, seed)
    finished = list(_assembled(windows, blanked, of_passage, orders, printed))
    writer.rows[PASSAGE_SET] = write_jsonl(writer.path(PASSAGE_SET), map(passage_record, finished))
    left = len(of_passage) - len(finished)
    writer.funnel = funnel("passages", kept=len(finished), rejected=Counter({NOT_IN_SET: left} if left else {}))
    parts = Counter(window.part for window in windows)
    writer.facts |= {"wanted": settings.n_passages, "parts": {str(part): parts[part] for part in Part}}
    room.say(", ".join(f"{parts[part]:,} {part}" for part in Part) + " passages")


def _assembled(
    windows: Sequence[Window],
    blanked: Mapping[str, tuple[int, ...]],
    distractors: Mapping[str, list[Place]],
    orders: Mapping[str, tuple[int, ...]],
    printed: Mapping[Place, PrintedSentence],
) -> Iterator[SetBlankedPassage]:
    """The passages with their sentences and candidates."""
    for window in windows:
        own = [printed[window.book_id, i] for i in range(window.first, window.last + 1)]
        places = blanked[window.id]
        listed = [*(own[place] for place in places), *(printed[place] for place in distractors[window.id])]
        order = orders[window.id]
        candidates = [listed[i] for i in order]
        answers = tuple(order.index(number) for number in range(len(places)))
        passage = BlankedPassage(window.id, tuple(one.text for one in own), places, tuple(one.text for one in candidates), answers)
        sources, of_candidates = (tuple(one.source for one in some) for some in (own, candidates))
        paragraphs = tuple(one.paragraph for one in own)
        yield SetBlankedPassage(passage, Part(window.part), window.domain, paragraphs, sources, of_candidates)
