r"""Blanked passages of a set as JSON lines (`passages.jsonl`): strict on the fields that make one, blind to the others.

The form is our own. One JSON object a line; in `passage` a blank is null, so that no sentence of a book can be taken for one. `answers` and
`distractors` are places in `candidates`, from 0. `sources` and `candidate_sources` say of each sentence and of each candidate where it
stands: `book_id`, `index` among the sentences of the book, `paragraph` (of sentences alone), `start` and `end` in the characters of the
decoded raw file, end exclusive.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from cloze_gen.formats.jsonl import parse_records
from cloze_gen.formats.requirements import require
from cloze_gen.notation import named, shown
from cloze_gen.records.blanked_passage import BlankedPassage, SentenceSource, SetBlankedPassage
from cloze_gen.records.passage import Part

REQUIRED_FIELDS = ("id", "part", "passage", "blanks", "candidates", "answers", "sources", "candidate_sources")
_PLACE = ("index", "start", "end")


def passage_record(one: SetBlankedPassage) -> dict[str, Any]:
    """The JSON object of one passage.

    >>> passage = BlankedPassage("b:4", ("We left.", "It rained."), (1,), ("Jane sang.", "It rained."), (1,))
    >>> left, rained, sang = (SentenceSource("b", index, 10 * index, 10 * index + 9) for index in (4, 5, 9))
    >>> record = passage_record(SetBlankedPassage(passage, Part.TEST, "", (2, 2), (left, rained), (sang, rained)))
    >>> record["passage"], record["candidates"], record["answers"], record["distractors"]
    (['We left.', None], ['Jane sang.', 'It rained.'], [1], [0])
    >>> record["candidate_sources"][0]
    {'book_id': 'b', 'index': 9, 'start': 90, 'end': 99}
    """
    passage = one.passage
    paragraphs = ({"paragraph": paragraph} for paragraph in one.paragraphs)
    return {
        "id": passage.id,
        "part": str(one.part),
        "domain": one.domain,
        "book_id": one.book_id,
        "passage": list(passage.shown),
        "candidates": list(passage.candidates),
        "blanks": list(passage.blanks),
        "answers": list(passage.answers),
        "distractors": list(passage.distractors),
        "sources": [_source_record(source) | more for source, more in zip(one.sources, paragraphs, strict=True)],
        "candidate_sources": [_source_record(source) for source in one.candidate_sources],
    }


def split_record(one: SetBlankedPassage) -> dict[str, Any]:
    """A passage as a table of one split has it, the same plain columns in every row: what ``datasets`` reads.

    A blank is ``"<1>"``, numbered as in the published layout, for a list of a table holds one type.

    >>> passage = BlankedPassage("b:4", ("We left.", "It rained."), (1,), ("Jane sang.", "It rained."), (1,))
    >>> left, rained, sang = (SentenceSource("b", index, 10 * index, 10 * index + 9) for index in (4, 5, 9))
    >>> list(split_record(SetBlankedPassage(passage, Part.TEST, "war", (2, 2), (left, rained), (sang, rained))).values())
    ['b:4', 'war', 'b', ['We left.', '<1>'], ['Jane sang.', 'It rained.'], [1], [0]]
    """
    passage = one.passage
    numbers = {place: f"<{number}>" for number, place in enumerate(passage.blanks, 1)}
    return {
        "id": passage.id,
        "domain": one.domain,
        "book_id": one.book_id,
        "passage": [numbers.get(place, sentence) for place, sentence in enumerate(passage.sentences)],
        "candidates": list(passage.candidates),
        "answers": list(passage.answers),
        "distractors": list(passage.distractors),
    }


def passage_from_record(record: Mapping[str, Any], *, where: str = "passage record") -> SetBlankedPassage:
    """The passage of one JSON object; other fields are ignored.

    Raises:
        FormatError: a required field is missing, of another type or contradicts the others; names `where` and the field.
    """
    missing = [field for field in REQUIRED_FIELDS if field not in record]
    require(not missing, where, f"lacks {', '.join(missing)}; a passage needs {', '.join(REQUIRED_FIELDS)}")
    require(_is_text(record["id"]), where, "`id` must be a string that is not empty")
    require(record["part"] in list(Part), where, f"`part` must be one of {', '.join(Part)}, found {shown(record['part'])}")
    domain = record.get("domain", "")
    require(isinstance(domain, str), where, f"`domain` must be a string, found {shown(domain)}")
    passage = _passage(record, where)
    sources = _sources(record, "sources", len(passage.sentences), (*_PLACE, "paragraph"), where)
    require(len({source.book_id for source in sources}) == 1, where, "`sources` must name one book: a passage is a stretch of a book")
    candidate_sources = _sources(record, "candidate_sources", len(passage.candidates), _PLACE, where)
    for blank, answer in zip(passage.blanks, passage.answers, strict=True):
        agrees = sources[blank] == candidate_sources[answer]
        require(agrees, where, f"the sentence at {blank} is a blank, but its answer, candidate {answer}, is said to stand elsewhere")
    paragraphs = tuple(source["paragraph"] for source in record["sources"])
    return SetBlankedPassage(passage, Part(record["part"]), domain, paragraphs, sources, candidate_sources)


def parse_passages(lines: Iterable[str], *, name: str = "passages.jsonl") -> Iterator[SetBlankedPassage]:
    """Passages of a JSON Lines file; empty lines are passed over.

    Raises:
        FormatError: a line is no JSON object or no passage, or an id is there twice; names file and line.
    """
    first_lines: dict[str, int] = {}
    for number, record in parse_records(lines, name=name):
        where = f"{name}, line {number}"
        found = passage_from_record(record, where=where)
        first = first_lines.setdefault(found.id, number)
        require(first == number, where, f"the id {shown(found.id)} was there before, on line {first}")
        yield found


def _passage(record: Mapping[str, Any], where: str) -> BlankedPassage:
    sentences, candidates = record["passage"], record["candidates"]
    texts = isinstance(sentences, list) and all(sentence is None or _is_text(sentence) for sentence in sentences)
    require(texts, where, "`passage` must be a list of sentences that are not empty, null for a blank")
    texts = isinstance(candidates, list) and bool(candidates) and all(map(_is_text, candidates))
    require(texts, where, "`candidates` must be a list of texts that are not empty")
    blanked = [place for place, sentence in enumerate(sentences) if sentence is None]
    blanks = _numbers(record, "blanks", len(sentences), where)
    answers = _numbers(record, "answers", len(candidates), where)
    nulls = named([str(place) for place in blanked]) or "of which there is none"
    require(bool(blanks) and sorted(blanks) == blanked, where, f"`blanks` must be the places of null in `passage`, {nulls}")
    require(len(answers) == len(blanks), where, f"`answers` must have an answer for each of {len(blanks)} blanks, found {len(answers)}")
    filled = list(sentences)
    for blank, answer in zip(blanks, answers, strict=True):
        filled[blank] = candidates[answer]
    passage = BlankedPassage(record["id"], tuple(filled), blanks, tuple(candidates), answers)
    told, found = record.get("distractors"), list(passage.distractors)
    require(told == found or told is None, where, f"`distractors` is {shown(told)}, but the candidates that answer no blank are {found}")
    return passage


def _numbers(record: Mapping[str, Any], field: str, end: int, where: str) -> tuple[int, ...]:
    """Different whole numbers from 0, below `end`."""
    values = record[field]
    numbers = isinstance(values, list) and all(type(value) is int and 0 <= value < end for value in values)
    require(numbers, where, f"`{field}` must be a list of whole numbers from 0 to {end - 1}, found {shown(values)}")
    require(len(set(values)) == len(values), where, f"`{field}` holds a number twice: {shown(values)}")
    return tuple(values)


def _sources(record: Mapping[str, Any], field: str, count: int, numbers: Sequence[str], where: str) -> tuple[SentenceSource, ...]:
    values = record[field]
    require(isinstance(values, list) and len(values) == count, where, f"`{field}` must be a list of {count} objects")
    for value in values:
        holds = isinstance(value, dict) and all(type(value.get(number)) is int and value[number] >= 0 for number in numbers)
        told = _is_text(value.get("book_id")) if holds else False
        needed = f"`book_id` and whole numbers from 0 ({', '.join(numbers)})"
        require(told, where, f"`{field}` must give {needed} of each, found {shown(value)}")
    return tuple(SentenceSource(value["book_id"], value["index"], value["start"], value["end"]) for value in values)


def _source_record(source: SentenceSource) -> dict[str, Any]:
    return {"book_id": source.book_id, "index": source.index, "start": source.start, "end": source.end}


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and value.strip() != ""
