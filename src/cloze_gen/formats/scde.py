r"""SCDE: published files, JSON lines of a set, requests.

Source: Kong, Gangal & Hovy 2020; github.com/shawnkx/SCDE. No text describes the files' bytes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Annotated, Any

from pydantic import Field, Strict

from cloze_gen.errors import FormatError
from cloze_gen.json_lines import Filled, Whole, must_be, read_records, to_record
from cloze_gen.parsing import ParseError, name_list, parse_json, quote
from cloze_gen.records.blanked_passage import (
    BlankedPassage,
    SentenceSource,
    SetBlankedPassage,
)
from cloze_gen.records.passage import Part

_BLANK = re.compile(r"<([0-9]{1,9})>")
_NUMBER = re.compile(r"0|[1-9][0-9]{0,17}")
# The published layout: `train.json`, `dev.json`, `test.json`


FIELDS = (
    "eid",
    "passage",
    "candidates",
    "answer_sequence",
    "number_of_blanks",
    "candidate_length",
)


@dataclass(frozen=True, slots=True)
class CollectedPassage:
    """A passage of this layout; before cleaning, candidates and answers may be missing."""

    eid: Annotated[
        int, Strict(), Field(ge=0, lt=10**18), must_be("a whole number from 0, found $found")
    ]
    passage: Annotated[list[str], must_be("a list of sentences, found $found")]
    candidates: Annotated[list[str | None] | None, must_be("a list of texts, found $found")] = None
    answer_sequence: Annotated[
        list[tuple[Annotated[int, Strict()], Annotated[int, Strict()] | None]] | None,
        must_be("a list of pairs of whole numbers, blank and candidate; found $found"),
    ] = None

    @property
    def blanks(self) -> tuple[int, ...]:
        return blank_places(self.passage, f"eid {self.eid}")

    @property
    def answers(self) -> tuple[int | None, ...]:
        """Candidate of each blank, in the order of their numbers; None if unknown."""
        return _answers(self, f"eid {self.eid}")


def parse_collected(text: str, *, name: str) -> list[CollectedPassage]:
    """The passages of a file before cleaning; FormatError if blanks are not numbered."""
    passages = []
    for where, item in _items(text, name=name):
        passage = to_record(item, CollectedPassage, where=where)
        _answers(passage, where)
        passages.append(passage)
    return passages


def parse_published(text: str, *, name: str = "published file") -> list[BlankedPassage]:
    """The passages of a published file: one JSON list, an object a passage (ibid., 3 and Table 1).

    `passage` is a list of sentences with an element ``"<1>"`` for each blank, numbered from 1;
    `answer_sequence` is ``[[blank from 1, candidate from 0], ...]`` in any order. A passage's id is
    its `eid`, unique within its split only. Two blanks may share an answer. Stray ``"."`` elements
    stay in the passage; `without_marks` drops them.

    >>> passage = BlankedPassage("0", ("We left.", "It rained.", "."), (1,), ("Jane sang.", "It rained."), (1,))
    >>> parse_published(format_published([passage])) == [passage]
    True
    """
    passages: list[BlankedPassage] = []
    places: dict[str, int] = {}
    for number, (where, item) in enumerate(_items(text, name=name), 1):
        passage = _published_passage(item, where)
        first = places.setdefault(passage.id, number)
        twice = f"the eid {passage.id} already occurs in item {first}"
        _require(first == number, where, twice)
        passages.append(passage)
    return passages


def format_published(passages: Sequence[BlankedPassage]) -> str:
    """The text of a published file, answers in the order of the blanks.

    `eid` is a passage's id where all ids are different numbers from 0, else passages are numbered
    from 0. Bytes as of ``json.dump(items, file, indent=1)``, without a final line end, as in the
    one published example; it is all ASCII, so escaping other letters is our reading. A sentence
    that reads as a blank (``"<3>"``) is a FormatError.
    """
    numbers = [int(one.id) for one in passages if _NUMBER.fullmatch(one.id)]
    eids: Sequence[int] = numbers if len(set(numbers)) == len(passages) else range(len(passages))
    items = [_item(passage, eid) for passage, eid in zip(passages, eids, strict=True)]
    return json.dumps(items, indent=1)


def without_marks(passage: BlankedPassage) -> BlankedPassage:
    """The passage without elements that hold no letter and no digit; blanks stay.

    >>> without_marks(BlankedPassage("0", ("We left.", "It rained.", ".", "So?"), (1,), ("It rained.",), (0,))).sentences
    ('We left.', 'It rained.', 'So?')
    """
    blanked = frozenset(passage.blanks)
    kept = [
        i
        for i, sentence in enumerate(passage.sentences)
        if i in blanked or any(map(str.isalnum, sentence))
    ]
    places = {old: new for new, old in enumerate(kept)}
    sentences = tuple(passage.sentences[i] for i in kept)
    blanks = tuple(places[i] for i in passage.blanks)
    return BlankedPassage(passage.id, sentences, blanks, passage.candidates, passage.answers)


def blank_places(sentences: Sequence[str], where: str) -> tuple[int, ...]:
    """Place of each blank, in order; FormatError unless their numbers are 1 to n, once each.

    >>> blank_places(["<2>", "It rained.", "<1>"], "here")
    (2, 0)
    """
    places: dict[str, int] = {}
    for place, sentence in enumerate(sentences):
        if _BLANK.fullmatch(sentence):
            twice = f"the blank {sentence} occurs twice in `passage`"
            _require(sentence not in places, where, twice)
            places[sentence] = place
    _require(
        bool(places),
        where,
        "`passage` has no blank; write a blank as a separate element such as '<1>'",
    )
    wanted = [f"<{number}>" for number in range(1, len(places) + 1)]
    missing = [blank for blank in wanted if blank not in places]
    _require(
        not missing,
        where,
        f"blanks must be numbered <1> to {wanted[-1]}, but {name_list(missing)} is missing; "
        f"`passage` has {name_list(list(places))}",
    )
    return tuple(places[blank] for blank in wanted)


def _require(holds: bool, where: str, message: str) -> None:
    if not holds:
        raise FormatError(f"{where}: {message}")


def _items(text: str, *, name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    try:
        items = parse_json(text)
    except ParseError as error:
        raise FormatError(f"{name}: not JSON ({error}); expected one list of passages") from None
    if not isinstance(items, list):
        raise FormatError(f"{name}: expected one JSON list of passages, found {quote(items)}")
    for number, item in enumerate(items, 1):
        where = f"{name}, item {number}"
        _require(isinstance(item, dict), where, f"expected a JSON object, found {quote(item)}")
        yield where, item


def _item(passage: BlankedPassage, eid: int) -> dict[str, Any]:
    sentences = [sentence or "" for sentence in passage.shown]
    for i, sentence in enumerate(passage.shown):
        if sentence is not None and _BLANK.fullmatch(sentence):
            raise FormatError(
                f"passage {passage.id}: sentence {i + 1} is {quote(sentence)}, which the "
                "published layout reads as a blank"
            )
    for number, place in enumerate(passage.blanks, 1):
        sentences[place] = f"<{number}>"
    return {
        "eid": eid,
        "passage": sentences,
        "candidates": list(passage.candidates),
        "answer_sequence": list(enumerate(passage.answers, 1)),
        "number_of_blanks": len(passage.blanks),
        "candidate_length": len(passage.candidates),
    }


def _published_passage(record: Mapping[str, Any], where: str) -> BlankedPassage:
    missing = [field for field in FIELDS if field not in record]
    _require(not missing, where, f"lacks {', '.join(missing)}; a passage needs {', '.join(FIELDS)}")
    item = to_record(record, CollectedPassage, where=where)
    where = f"{where} (eid {item.eid})"
    candidates = [text or "" for text in item.candidates or ()]
    empty = [str(i) for i, text in enumerate(candidates) if not text.strip()]
    _require(not empty, where, f"`candidates` holds an empty text, at {name_list(empty)} from 0")
    blanks = blank_places(item.passage, where)
    for field, count, what in (
        ("number_of_blanks", len(blanks), "blanks"),
        ("candidate_length", len(candidates), "candidates"),
    ):
        value = record[field]
        _require(
            type(value) is int and value == count,
            where,
            f"`{field}` is {quote(value)}, but the passage has {count} {what}",
        )
    _require(
        len(blanks) <= len(candidates),
        where,
        f"{len(blanks)} blanks, but only {len(candidates)} candidates",
    )
    filled = list(item.passage)
    answers: list[int] = []
    for blank, (place, answer) in enumerate(zip(blanks, _answers(item, where), strict=True), 1):
        if answer is None:
            raise FormatError(f"{where}: `answer_sequence` has no answer for blank {blank}")
        _require(
            0 <= answer < len(candidates),
            where,
            f"blank {blank} is answered by candidate {quote(answer)}, but there are 0 to "
            f"{len(candidates) - 1}",
        )
        answers.append(answer)
        filled[place] = candidates[answer]
    return BlankedPassage(str(item.eid), tuple(filled), blanks, tuple(candidates), tuple(answers))


def _answers(item: CollectedPassage, where: str) -> tuple[int | None, ...]:
    n_blanks = len(blank_places(item.passage, where))
    answers: dict[int, int | None] = {}
    for blank, candidate in item.answer_sequence or ():
        _require(
            1 <= blank <= n_blanks,
            where,
            f"`answer_sequence` answers blank {quote(blank)}, but the passage has 1 to {n_blanks}",
        )
        _require(blank not in answers, where, f"`answer_sequence` answers blank {blank} twice")
        answers[blank] = candidate
    return tuple(answers.get(blank) for blank in range(1, n_blanks + 1))


# JSON lines of a set: `passages.jsonl`


_Numbers = Annotated[list[Whole], must_be("a list of whole numbers from 0, found $found")]


@dataclass(frozen=True, slots=True)
class _Located(SentenceSource):
    """The source of a sentence of a passage."""

    paragraph: Whole

    @property
    def source(self) -> SentenceSource:
        return SentenceSource(self.book_id, self.index, self.start, self.end)


@dataclass(frozen=True, slots=True, kw_only=True)
class _SetRecord:
    """A blank is null in `passage`, so that it differs from every sentence."""

    id: Annotated[Filled, must_be("a string that is not empty")]
    part: Annotated[Part, must_be(f"one of {', '.join(Part)}, found $found")]
    domain: Annotated[str, must_be("a string, found $found")] = ""
    book_id: Any = None
    passage: Annotated[
        list[Filled | None],
        must_be("a list of sentences that are not empty, null for a blank"),
    ]
    candidates: Annotated[
        list[Filled], Field(min_length=1), must_be("a list of texts that are not empty")
    ]
    blanks: _Numbers
    answers: _Numbers
    distractors: Any = None
    sources: Annotated[
        list[_Located],
        must_be(
            "a list of objects with `book_id` and whole numbers `index`, `start`, `end` and "
            "`paragraph`"
        ),
    ]
    candidate_sources: Annotated[
        list[SentenceSource],
        must_be("a list of objects with `book_id` and whole numbers `index`, `start` and `end`"),
    ]


def passage_record(one: SetBlankedPassage) -> dict[str, Any]:
    """The JSON object of one passage of a set.

    `answers` and `distractors` are places in `candidates`, from 0. A source has `book_id`, `index`
    among the book's sentences, `paragraph` (of sentences alone), `start` and `end` in characters of
    the text of the book, end exclusive.

    >>> passage = BlankedPassage("b:4", ("We left.", "It rained."), (1,), ("Jane sang.", "It rained."), (1,))
    >>> left, rained, sang = (SentenceSource("b", index, 10 * index, 10 * index + 9) for index in (4, 5, 9))
    >>> record = passage_record(SetBlankedPassage(passage, Part.TEST, "", (2, 2), (left, rained), (sang, rained)))
    >>> record["passage"], record["candidates"], record["answers"], record["distractors"]
    (['We left.', None], ['Jane sang.', 'It rained.'], [1], [0])
    >>> record["candidate_sources"][0]
    {'book_id': 'b', 'index': 9, 'start': 90, 'end': 99}
    """
    passage = one.passage
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
        "sources": [
            asdict(source) | {"paragraph": paragraph}
            for source, paragraph in zip(one.sources, one.paragraphs, strict=True)
        ],
        "candidate_sources": list(map(asdict, one.candidate_sources)),
    }


def split_record(one: SetBlankedPassage) -> dict[str, Any]:
    """A passage as a row of one split: the same plain columns everywhere, a blank as ``"<1>"``.

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
        "passage": [
            numbers.get(place, sentence) for place, sentence in enumerate(passage.sentences)
        ],
        "candidates": list(passage.candidates),
        "answers": list(passage.answers),
        "distractors": list(passage.distractors),
    }


def parse_passages(
    lines: Iterable[str], *, name: str = "passages.jsonl"
) -> Iterator[SetBlankedPassage]:
    """Passages of a JSON Lines file; ids are unique, further fields are ignored."""
    for where, record in read_records(lines, _SetRecord, name=name):
        yield _set_passage(record, where)


def _set_passage(record: _SetRecord, where: str) -> SetBlankedPassage:
    passage = _blanked_passage(record, where)
    for field, count, wanted in (
        ("sources", len(record.sources), len(passage.sentences)),
        ("candidate_sources", len(record.candidate_sources), len(passage.candidates)),
    ):
        _require(count == wanted, where, f"`{field}` must have {wanted} objects, found {count}")
    sources = tuple(located.source for located in record.sources)
    _require(
        len({source.book_id for source in sources}) == 1,
        where,
        "`sources` must all have the same book_id",
    )
    for blank, answer in zip(passage.blanks, passage.answers, strict=True):
        _require(
            sources[blank] == record.candidate_sources[answer],
            where,
            f"the sentence at {blank} is a blank, but the source of its answer, candidate {answer}, "
            "differs",
        )
    paragraphs = tuple(located.paragraph for located in record.sources)
    return SetBlankedPassage(
        passage, record.part, record.domain, paragraphs, sources, tuple(record.candidate_sources)
    )


def _blanked_passage(record: _SetRecord, where: str) -> BlankedPassage:
    candidates, blanks, answers = record.candidates, record.blanks, record.answers
    blanked = [place for place, sentence in enumerate(record.passage) if sentence is None]
    nulls = name_list([str(place) for place in blanked]) or "but there is none"
    _require(
        bool(blanks) and sorted(blanks) == blanked,
        where,
        f"`blanks` must be the places of null in `passage`, {nulls}",
    )
    _require(
        len(answers) == len(blanks),
        where,
        f"`answers` must have an answer for each of {len(blanks)} blanks, found {len(answers)}",
    )
    _require(len(set(answers)) == len(answers), where, f"`answers` holds a number twice: {answers}")
    _require(
        max(answers) < len(candidates),
        where,
        f"`answers` must be places in `candidates`, 0 to {len(candidates) - 1}, found {answers}",
    )
    filled = [sentence or "" for sentence in record.passage]
    for blank, answer in zip(blanks, answers, strict=True):
        filled[blank] = candidates[answer]
    passage = BlankedPassage(
        record.id, tuple(filled), tuple(blanks), tuple(candidates), tuple(answers)
    )
    distractors = list(passage.distractors)
    _require(
        record.distractors in (None, distractors),
        where,
        f"`distractors` is {quote(record.distractors)}, but the candidates that answer no blank "
        f"are {distractors}",
    )
    return passage


def format_requests(passages: Iterable[BlankedPassage]) -> Iterator[str]:
    """Requests for a user model, without answers: one JSON object per passage.

    `passage` holds its sentences, null for a blank; `blanks` their places, from 0. The answer has
    the `id` and `scores`: a row for each of `blanks`, in order, with a number a candidate.

    >>> passage = BlankedPassage("b:4", ("We left.", "It rained."), (1,), ("Jane sang.", "It rained."), (1,))
    >>> list(format_requests([passage]))
    ['{"id": "b:4", "passage": ["We left.", null], "blanks": [1], "candidates": ["Jane sang.", "It rained."]}']
    """
    for one in passages:
        request = {
            "id": one.id,
            "passage": list(one.shown),
            "blanks": list(one.blanks),
            "candidates": list(one.candidates),
        }
        yield json.dumps(request, ensure_ascii=False)
