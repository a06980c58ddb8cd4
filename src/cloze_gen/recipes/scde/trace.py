"""The trace of a blanked passage: where it stands, what became of each sentence, its blanks and answers, its distractors, its place.

An item is a window of a book, whether it became a passage of the set or not; what ended it is told last.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from cloze_gen.columns import cut, printable
from cloze_gen.formats.scde.jsonl import passage_from_record
from cloze_gen.recipes.scde.release import PUBLISHED
from cloze_gen.recipes.scde.stages.book_reading import ReadBook, read_book
from cloze_gen.recipes.scde.stages.tables import BLANK, CONSIDERED, DISTRACTORS, NOT_DRAWN, PASSAGES, RIVAL, VERDICTS
from cloze_gen.recipes.scde.steps.blanks import BlankReason
from cloze_gen.recipes.scde.steps.passages import PassageReason
from cloze_gen.recipes.scde.steps.rivals import RivalReason
from cloze_gen.records.blanked_passage import SetBlankedPassage
from cloze_gen.records.passage import Part
from cloze_gen.stages.corpus.book_table import book_folder, read_books
from cloze_gen.stages.corpus.hyphens import HYPHENS, read_hyphen_forms
from cloze_gen.stages.tables import PASSAGE_SET, REJECTED
from cloze_gen.stages.trace import Traced, TraceSections, cell, has_id, heading_before, tell_raw, tell_span
from cloze_gen.store.tables import read_jsonl, read_parquet

_TEXT_CHARS = 70  # of a sentence in a table; its raw text stands above
_WORDS = frozenset({"verdict", "text"})
_MEASURES = ("fit", "topic", "echo", "nearness", "hardness")
_TAKEN = "taken"
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
    texts = _book(item).texts[item.row["first"] :]
    yield "sentences  could each be a blank?"
    told = [[str(row["sentence"]), _verdict(row["verdict"]), _short(texts[row["sentence"]])] for row in rows]
    yield from item.set_out(("sentence", "verdict", "text"), told, left=_WORDS)
    yield from _why({row["verdict"] for row in rows}, item.artifact("blanks").manifest["settings"])


def tell_blanks(item: Traced) -> Iterator[str]:
    """Of each blank its number, its sentence's place and raw text, and the answer; of a window that is no passage of the set nothing."""
    one = _passage(item)
    if one is None:
        return
    for number, (blank, answer) in enumerate(zip(one.passage.blanks, one.passage.answers, strict=True), 1):
        source = one.sources[blank]
        yield f"blank <{number}>  sentence {blank} of the passage, {source.index} of the book, characters {source.start}-{source.end}"
        yield from tell_raw(item, source.book_id, source.start, source.end)
        yield f"  answer   {_letter(answer)}) {printable(one.passage.candidates[answer])}"


def tell_distractors(item: Traced) -> Iterator[str]:
    """The distractors, and every sentence near the passage that was considered as one: its measures, whether it was taken, why not.

    Distractors of other passages, and a set without any, are told as such; what was considered is then what a hard one would be drawn from.
    """
    rows = read_parquet(item.artifact("rivals").path(CONSIDERED)).filter(has_id(item.id)).to_pylist()
    drawn = item.find("distractors", DISTRACTORS)
    taken = list(zip(drawn["books"], drawn["distractors"], strict=True)) if drawn else []
    if drawn:
        places = ", ".join(str(place) if book == item.row["book_id"] else f"{book}:{place}" for book, place in taken)
        yield f"distractors  {item.artifact('distractors').facts['kind']}: {f'sentences {places}' if taken else 'none'}"
    if not rows:
        return
    rivals = sum(row["verdict"] == RIVAL for row in rows)
    yield f"considered   {len(rows)} sentences near the passage, of which {rivals} are rivals of its answers; the hardest first"
    for row in rows:
        row["verdict"] = _TAKEN if (row["book_id"], row["sentence"]) in taken else row["verdict"]
    order = (_TAKEN, RIVAL)
    rows.sort(key=lambda row: (order.index(row["verdict"]) if row["verdict"] in order else len(order), -(row["hardness"] or 0.0)))
    told = [
        [str(row["sentence"]), _verdict(row["verdict"]), *(cell(row[name], 3) for name in _MEASURES), _short(row["text"])] for row in rows
    ]
    yield from item.set_out(("sentence", "verdict", *_MEASURES, "text"), told, left=_WORDS)
    settings = item.artifact("rivals").manifest["settings"]
    yield from _why({row["verdict"] for row in rows}, settings)


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
        stands = f"sentence {source.index}" + ("" if source.book_id == one.book_id else f" of {source.book_id}")
        yield f"  {_letter(i)}) {printable(text)}  ({answers.get(i, 'distractor')}; {stands})"


def tell_outcome(item: Traced) -> Iterator[str]:
    """Where it stands in the release, or at which stage it ended, and why."""
    records = list(read_jsonl(item.released(PASSAGE_SET)))
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


def _verdict(verdict: str) -> str:
    words = {BLANK: "blank", NOT_DRAWN: "could be, was not drawn", RIVAL: "rival, was not drawn", _TAKEN: _TAKEN}
    return words.get(verdict) or f"no: {verdict.replace('_', ' ')}"


def _why(verdicts: Collection[str], settings: Mapping[str, Any]) -> Iterator[str]:
    """What the verdicts of a table mean, a line each."""
    yield from (f"  {verdict.replace('_', ' ')}: {words.format(**settings)}" for verdict, words in UNFIT.items() if verdict in verdicts)


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

# Why a sentence can be no blank, or no rival of the answers, likewise.
UNFIT: Mapping[str, str] = {
    BlankReason.TORN: "it does not begin as a sentence does, does not end, or has open brackets or odd marks",
    BlankReason.HALF_SPEECH: "it opens or closes a speech and does not do both",
    BlankReason.IN_SPEECH: "a speech is under way where it begins",
    BlankReason.SHORT: "fewer than {min_words} words",
    BlankReason.LONG: "more than {max_words} words",
    BlankReason.LITTLE_CONTENT: "fewer than {min_content_words} different words of content",
    BlankReason.NEW_NAME: "it names whom no other sentence of the passage names",
    BlankReason.NEW_PERSON: "it has a person's pronoun that no other sentence of the passage has",
    BlankReason.EDGE: "the first or the last of the passage (blanks.edges)",
    RivalReason.NEW_NAME: "it names whom the passage does not name",
    RivalReason.NEW_PERSON: "it has a person's pronoun that the passage does not have",
    RivalReason.OTHER_KIND: "it is speech and no answer is, or the other way round",
    RivalReason.IN_PRINT: "the passage holds the same words",
    RivalReason.FITS: "its coherence with a blank, less that of the blank's own answer, is {max_fit} or more",
}

TRACE = TraceSections(
    (tell_place, tell_sentences, tell_blanks, tell_distractors, tell_passage, tell_outcome),
    early=(("passages", "the cutting of passages"),),
    items=("passages", PASSAGES),
    reasons=REASONS,
    id_form="book:sentence",
)
