"""The trace of a blanked passage: where it stands, what became of each sentence, its blanks and answers, its distractors, its place.

An item is a window of a book, whether it became a passage of the set or not; what ended it is told last.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from cloze_gen.columns import cut, printable
from cloze_gen.formats.scde.jsonl import passage_from_record
from cloze_gen.recipes.scde.release import PUBLISHED
from cloze_gen.recipes.scde.stages.book_reading import ReadBook, read_book
from cloze_gen.recipes.scde.stages.passages import PASSAGES
from cloze_gen.recipes.scde.stages.tables import BLANK, CONSIDERED, NOT_DRAWN, TAKEN, VERDICTS
from cloze_gen.recipes.scde.steps.passages import PassageReason
from cloze_gen.records.blanked_passage import SetBlankedPassage
from cloze_gen.records.passage import Part
from cloze_gen.stages.corpus.book_table import book_folder, read_books
from cloze_gen.stages.corpus.hyphens import HYPHENS, read_hyphen_forms
from cloze_gen.stages.tables import PASSAGE_SET, REJECTED
from cloze_gen.stages.trace import Traced, TraceSections, cell, has_id, heading_before, tell_raw, tell_span
from cloze_gen.store.tables import read_jsonl, read_parquet

_TEXT_CHARS = 70  # of a sentence in a table; its raw text stands above
_WORDS = frozenset({"verdict", "book_id", "text", "id"})
_SET = "blanked passages"
_STAGES = ("blanks", "distractors", _SET)  # in which a window can end, in their order


def tell_place(item: Traced) -> Iterator[str]:
    """Book, raw file and raw text of the whole window; its part, genre and chapter."""
    row = item.row
    yield from tell_span(item, row["book_id"], row["start"], row["end"])
    genre = f", genre {printable(row['domain'])}" if row["domain"] else ""
    book = _book(item)
    heading = heading_before(book.kinds, book.texts, row["first"])
    yield f"part       {row['part']}, of the book {row['book_id']}{genre}"
    yield f"chapter    {printable(heading) if heading else '(no heading before it)'}"
    yield f"window     sentences {row['first']} to {row['last']}, {row['words']} words"


def tell_sentences(item: Traced) -> Iterator[str]:
    """Each sentence of the window with whether it became a blank, and why not."""
    rows = read_parquet(item.artifact("blanks").path(VERDICTS)).filter(has_id(item.id)).to_pylist()
    if not rows:
        return
    texts = _book(item).texts[item.row["first"] :]
    yield "sentences  could each be a blank?"
    told = [[str(row["sentence"]), _verdict(row["verdict"]), _short(texts[row["sentence"]])] for row in rows]
    yield from item.set_out(("sentence", "verdict", "text"), told, left=_WORDS)


def tell_blanks(item: Traced) -> Iterator[str]:
    """Of each blank its number, its sentence's place and raw text, and the answer; of a window that is no passage of the set nothing."""
    one = _passage(item)
    for number, (blank, answer) in enumerate(zip(one.passage.blanks, one.passage.answers, strict=True) if one else (), 1):
        source = one.sources[blank]
        yield f"blank <{number}>  sentence {blank} of the passage, {source.index} of the book, characters {source.start}-{source.end}"
        yield from tell_raw(item, source.book_id, source.start, source.end)
        yield f"  answer   {_letter(answer)}) {printable(one.passage.candidates[answer])}"


def tell_distractors(item: Traced) -> Iterator[str]:
    """Every sentence that was considered as a distractor: whether it was taken, why not, and what was measured of it."""
    rows = read_parquet(item.artifact("distractors").path(CONSIDERED)).filter(has_id(item.id)).to_pylist()
    if not rows:
        return
    taken = sum(row["verdict"] == TAKEN for row in rows)
    yield f"distractors  {taken} taken of {len(rows)} considered"
    own = [name for name in rows[0] if name not in {"id", "book_id", "sentence", "text", "verdict"}]
    here = item.row["book_id"]
    told = [
        [_where(row, here), row["verdict"].replace("_", " "), *(cell(row[name], 3) for name in own), _short(row["text"])]
        for row in sorted(rows, key=lambda row: row["verdict"] != TAKEN)
    ]
    header = ("sentence", "verdict", *(name.replace("_", " ") for name in own), "text")
    yield from item.set_out(header, told, left=_WORDS | {"sentence"})


def tell_passage(item: Traced) -> Iterator[str]:
    """The passage as a reader meets it, its candidates, and the key."""
    one = _passage(item)
    if one is None:
        return
    passage, paragraph = one.passage, None
    numbers = {place: f"<{number}>" for number, place in enumerate(passage.blanks, 1)}
    answers = {answer: f"answers <{number}>" for number, answer in enumerate(passage.answers, 1)}
    yield "passage"
    for place, sentence in enumerate(passage.sentences):
        begins = one.paragraphs[place] != paragraph
        paragraph = one.paragraphs[place]
        yield f"  {'- ' if begins else '  '}{numbers.get(place) or printable(sentence)}"
    yield "candidates"
    for i, text in enumerate(passage.candidates):
        source = one.candidate_sources[i]
        place = f"sentence {source.index}" + ("" if source.book_id == one.book_id else f" of {source.book_id}")
        yield f"  {_letter(i)}) {printable(text)}  ({answers.get(i, 'distractor')}; {place})"


def tell_outcome(item: Traced) -> Iterator[str]:
    """Where it stands in the release, or at which stage it ended, and why."""
    records = list(read_jsonl(item.artifact(_SET).path(PASSAGE_SET)))
    own = next((record for record in records if record["id"] == item.id), None)
    if own is not None:
        of_part = [record["id"] for record in records if record["part"] == own["part"]]
        yield f"outcome    passage of the set: {PUBLISHED[Part(own['part'])]}, eid {of_part.index(item.id)}"
        return
    for stage in _STAGES:
        rejected = item.find(stage, REJECTED)
        if rejected is not None:
            told = f"{rejected['reason'].replace('_', ' ')} {rejected['detail']}".rstrip()
            yield f"outcome    no passage of the set: {told} (at {stage})"
            return
    yield "outcome    no passage of the set"


def _passage(item: Traced) -> SetBlankedPassage | None:
    """The item as it stands in the set; None where it does not."""
    records = read_jsonl(item.artifact(_SET).path(PASSAGE_SET))
    return next((passage_from_record(record) for record in records if record["id"] == item.id), None)


def _book(item: Traced) -> ReadBook:
    """The item's book as it was read."""
    partition, forms = item.artifact("partition"), read_hyphen_forms(item.artifact("passages").path(HYPHENS))
    row = next(one for one in read_books(partition) if one["book_id"] == item.row["book_id"])
    return read_book(book_folder(partition, row), forms)


def _where(row: Mapping[str, Any], here: str) -> str:
    return str(row["sentence"]) if row["book_id"] == here else f"{row['book_id']}:{row['sentence']}"


def _verdict(verdict: str) -> str:
    words = {BLANK: "blank", NOT_DRAWN: "could be, was not drawn"}
    return words.get(verdict) or f"no: {verdict.replace('_', ' ')}"


def _short(text: str) -> str:
    return cut(printable(text), _TEXT_CHARS)


def _letter(place: int) -> str:
    return chr(97 + place)


# Why a stretch of a book is no window, in words; in braces the settings of the stage.
REASONS: Mapping[str, str] = {
    PassageReason.NOT_PROSE: "verse, a heading or what is no text",
    PassageReason.LONG: "a paragraph of more than {max_sentences} sentences",
    PassageReason.TORN: "a sentence of it is torn: it does not begin as a sentence does, does not end, or has open brackets or odd marks",
    PassageReason.OFFENSIVE: "it holds a listed word (partition.offensive_words)",
    PassageReason.IN_SPEECH: "a speech is under way where it begins",
    PassageReason.LED_TO: "what precedes leads to it (it ends in a comma, a colon or a dash)",
    PassageReason.NO_END: "no paragraph ends {min_sentences} to {max_sentences} sentences behind its beginning, outside of speeches",
    PassageReason.CHAPTER_ENDS: "fewer than {min_sentences} sentences before the chapter ends",
    PassageReason.BREAK: "fewer than {min_sentences} sentences before what is no prose, or can be in no passage",
    PassageReason.THINNED: "the book has {per_book} other windows",
}

TRACE = TraceSections(
    (tell_place, tell_sentences, tell_blanks, tell_distractors, tell_passage, tell_outcome),
    early=(("passages", "the cutting of passages"),),
    items=("passages", PASSAGES),
    reasons=REASONS,
    id_form="book:sentence",
)
