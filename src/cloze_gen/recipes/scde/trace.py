"""The trace of a window: its place, sentences, blanks, distractors and outcome."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from cloze_gen.corpus.books import book_folder, read_books
from cloze_gen.corpus.hyphens import HYPHENS, read_hyphen_forms
from cloze_gen.formats.scde import passage_from_record
from cloze_gen.recipes.scde.blanks import BlankReason
from cloze_gen.recipes.scde.passages import (
    BLANK,
    CONSIDERED,
    DISTRACTORS,
    NOT_DRAWN,
    PASSAGES,
    RIVAL,
    VERDICTS,
    PassageReason,
    ReadBook,
    read_book,
)
from cloze_gen.recipes.scde.release import PUBLISHED
from cloze_gen.recipes.scde.rivals import RivalReason
from cloze_gen.records.blanked_passage import SetBlankedPassage
from cloze_gen.records.passage import Part
from cloze_gen.records.rejection import legends_of
from cloze_gen.release.trace import (
    Traced,
    TraceSections,
    cell,
    describe_raw,
    describe_span,
    has_id,
    heading_before,
)
from cloze_gen.store.tables import PASSAGE_SET, REJECTED, read_jsonl, read_parquet
from cloze_gen.text_layout import cut, printable

_TEXT_CHARS = 70  # of a sentence in a table; its full text is printed above
_WORDS = frozenset({"verdict", "text"})
_MEASURES = ("fit", "topic", "echo", "nearness", "hardness")
_TAKEN = "taken"
_UNFIT = legends_of(BlankReason, RivalReason)  # why a sentence is no blank, or no rival
_SET = "blanked passages"
_STAGES = ("blanks", "distractors", _SET)  # stages at which a window can end, in order


def describe_place(item: Traced) -> Iterator[str]:
    row = item.row
    yield from describe_span(item, row["book_id"], row["start"], row["end"])
    genre = f", genre {printable(row['domain'])}" if row["domain"] else ""
    book = _book(item)
    heading = heading_before(book.text.kinds, book.texts, row["first"])
    yield f"part       {row['part']}, of the book {row['book_id']}{genre}"
    yield f"chapter    {printable(heading) if heading else '(no heading before it)'}"
    yield f"window     sentences {row['first']} to {row['last']}, {row['words']} words"


def describe_sentences(item: Traced) -> Iterator[str]:
    rows = read_parquet(item.artifact("blanks").path(VERDICTS)).filter(has_id(item.id)).to_pylist()
    texts = _book(item).texts[item.row["first"] :]
    yield "sentences  verdict on each as a blank"
    lines = [
        [str(row["sentence"]), _verdict(row["verdict"]), _short(texts[row["sentence"]])]
        for row in rows
    ]
    yield from item.set_out(("sentence", "verdict", "text"), lines, left=_WORDS)
    yield from _why({row["verdict"] for row in rows})


def describe_blanks(item: Traced) -> Iterator[str]:
    one = _passage(item)
    if one is None:
        return
    for number, (blank, answer) in enumerate(
        zip(one.passage.blanks, one.passage.answers, strict=True), 1
    ):
        source = one.sources[blank]
        yield (
            f"blank <{number}>  sentence {blank} of the passage, {source.index} of the book, "
            f"characters {source.start}-{source.end}"
        )
        yield from describe_raw(item, source.book_id, source.start, source.end)
        yield f"  answer   {_letter(answer)}) {printable(one.passage.candidates[answer])}"


def describe_distractors(item: Traced) -> Iterator[str]:
    rows = (
        read_parquet(item.artifact("rivals").path(CONSIDERED)).filter(has_id(item.id)).to_pylist()
    )
    drawn = item.find("distractors", DISTRACTORS)
    taken = list(zip(drawn["books"], drawn["distractors"], strict=True)) if drawn else []
    if drawn:
        places = ", ".join(
            str(place) if book == item.row["book_id"] else f"{book}:{place}"
            for book, place in taken
        )
        yield (
            f"distractors  {item.artifact('distractors').facts['kind']}: "
            f"{f'sentences {places}' if taken else 'none'}"
        )
    if not rows:
        return
    rivals = sum(row["verdict"] == RIVAL for row in rows)
    yield (
        f"considered   {len(rows)} sentences near the passage; {rivals} can be distractors; "
        "hardest first"
    )
    for row in rows:
        row["verdict"] = _TAKEN if (row["book_id"], row["sentence"]) in taken else row["verdict"]
    order = (_TAKEN, RIVAL)
    rows.sort(
        key=lambda row: (
            order.index(row["verdict"]) if row["verdict"] in order else len(order),
            -(row["hardness"] or 0.0),
        )
    )
    lines = [
        [
            str(row["sentence"]),
            _verdict(row["verdict"]),
            *(cell(row[name], 3) for name in _MEASURES),
            _short(row["text"]),
        ]
        for row in rows
    ]
    yield from item.set_out(("sentence", "verdict", *_MEASURES, "text"), lines, left=_WORDS)
    yield from _why({row["verdict"] for row in rows})


def describe_passage(item: Traced) -> Iterator[str]:
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
        where = f"sentence {source.index}" + (
            "" if source.book_id == one.book_id else f" of {source.book_id}"
        )
        yield f"  {_letter(i)}) {printable(text)}  ({answers.get(i, 'distractor')}; {where})"


def describe_outcome(item: Traced) -> Iterator[str]:
    records = list(read_jsonl(item.released(PASSAGE_SET)))
    own = next((record for record in records if record["id"] == item.id), None)
    if own is not None:
        of_part = [record["id"] for record in records if record["part"] == own["part"]]
        yield (
            f"outcome    in the set: {PUBLISHED[Part(own['part'])]}, eid {of_part.index(item.id)}"
        )
        return
    for stage in _STAGES:
        rejected = item.find(stage, REJECTED)
        if rejected is not None:
            reason = f"{rejected['reason'].replace('_', ' ')} {rejected['detail']}".rstrip()
            yield f"outcome    not in the set: {reason} (at {stage})"
            return
    yield "outcome    not in the set"


def _passage(item: Traced) -> SetBlankedPassage | None:
    records = read_jsonl(item.artifact(_SET).path(PASSAGE_SET))
    return next(
        (passage_from_record(record) for record in records if record["id"] == item.id), None
    )


def _book(item: Traced) -> ReadBook:
    partition, forms = (
        item.artifact("partition"),
        read_hyphen_forms(item.artifact("passages").path(HYPHENS)),
    )
    row = next(one for one in read_books(partition) if one["book_id"] == item.row["book_id"])
    return read_book(book_folder(partition, row), forms)


def _verdict(verdict: str) -> str:
    words = {
        BLANK: "blank",
        NOT_DRAWN: "possible, not drawn",
        RIVAL: "rival, not drawn",
        _TAKEN: _TAKEN,
    }
    return words.get(verdict) or f"no: {verdict.replace('_', ' ')}"


def _why(verdicts: Collection[str]) -> Iterator[str]:
    yield from (
        f"  {verdict.replace('_', ' ')}: {legend}"
        for verdict, legend in _UNFIT.items()
        if verdict in verdicts
    )


def _short(text: str) -> str:
    return cut(printable(text), _TEXT_CHARS)


def _letter(place: int) -> str:
    return chr(97 + place)


TRACE = TraceSections(
    (
        describe_place,
        describe_sentences,
        describe_blanks,
        describe_distractors,
        describe_passage,
        describe_outcome,
    ),
    early=(("passages", "the cutting of passages"),),
    items=("passages", PASSAGES),
    reasons=legends_of(PassageReason),
    id_form="book:sentence",
)
