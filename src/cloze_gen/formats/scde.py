r"""SCDE: published files, JSON lines of a set, requests.

Source: Kong, Gangal & Hovy 2020; github.com/shawnkx/SCDE. No text describes the files' bytes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Annotated, Any

from pydantic import Field, Strict

from cloze_gen.errors import FormatError
from cloze_gen.json_lines import Filled, Whole, must_be, read_records, require, to_record
from cloze_gen.parsing import ParseError, name_list, parse_json, quote
from cloze_gen.records.blanked_passage import (
    BlankedPassage,
    SentenceSource,
    SetBlankedPassage,
)
from cloze_gen.records.passage import Part
from cloze_gen.records.rejection import Reason, first_reason

_BLANK = re.compile(r"<([0-9]{1,9})>")
_NUMBER = re.compile(r"0|[1-9][0-9]{0,17}")
# The published layout: `train.json`, `dev.json`, `test.json`


class Rule(Reason):
    """Why a collected passage is no published one (3.2)."""

    DUPLICATE_PASSAGE = ("duplicate_passage", "an earlier passage has the same text")
    ANSWER_WITHOUT_CANDIDATE = (
        "answer_without_candidate",
        "an answer names a candidate that is missing",
    )
    MISSING_CANDIDATE = (
        "missing_candidate",
        "the list is missing, or a candidate is null or empty",
    )
    MORE_BLANKS_THAN_CANDIDATES = (
        "more_blanks_than_candidates",
        "there are more blanks than candidates",
    )
    MISSING_ANSWER = ("missing_answer", "a blank has no answer")


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

    def __post_init__(self) -> None:
        marks = [text for text in self.passage if _BLANK.fullmatch(text)]
        require(
            bool(marks),
            "`passage` has no blank; write a blank as a separate element such as '<1>'",
        )
        require(
            set(marks) == {f"<{number}>" for number in range(1, len(marks) + 1)},
            f"blanks must be numbered <1> to <{len(marks)}>, each once, but `passage` has "
            f"{name_list(marks)}",
        )
        answered = [blank for blank, _ in self.answer_sequence or ()]
        require(
            len(set(answered)) == len(answered) and set(answered) <= set(range(1, len(marks) + 1)),
            f"`answer_sequence` must answer the blanks 1 to {len(marks)}, each once, but answers "
            f"{name_list([str(blank) for blank in answered])}",
        )

    @property
    def blanks(self) -> tuple[int, ...]:
        """Place of each blank, in the order of their numbers.

        >>> CollectedPassage(4, ["<2>", "It rained.", "<1>"]).blanks
        (2, 0)
        """
        places = {text: place for place, text in enumerate(self.passage) if _BLANK.fullmatch(text)}
        return tuple(places[f"<{number}>"] for number in range(1, len(places) + 1))

    @property
    def answers(self) -> tuple[int | None, ...]:
        """Candidate of each blank, in the order of their numbers; None if unknown."""
        answers = dict(self.answer_sequence or ())
        return tuple(answers.get(number) for number in range(1, len(self.blanks) + 1))

    @property
    def broken_rule(self) -> Rule | None:
        """The first of the rules on a single passage that it breaks."""
        candidates = self.candidates or []
        known = [answer for answer in self.answers if answer is not None]
        broken = {  # in order of precedence
            Rule.ANSWER_WITHOUT_CANDIDATE: bool(candidates)
            and not all(0 <= answer < len(candidates) for answer in known),
            Rule.MISSING_CANDIDATE: not candidates
            or not all(text and text.strip() for text in candidates),
            Rule.MORE_BLANKS_THAN_CANDIDATES: len(self.blanks) > len(candidates),
            Rule.MISSING_ANSWER: None in self.answers,
        }
        return first_reason(broken)

    def filled(self) -> BlankedPassage:
        """The passage with its answers; it breaks no rule."""
        candidates = tuple(text for text in self.candidates or () if text is not None)
        answers = tuple(answer for answer in self.answers if answer is not None)
        sentences = list(self.passage)
        for blank, answer in zip(self.blanks, answers, strict=True):
            sentences[blank] = candidates[answer]
        return BlankedPassage(str(self.eid), tuple(sentences), self.blanks, candidates, answers)


def parse_collected(text: str, *, name: str) -> list[CollectedPassage]:
    """The passages of a file before cleaning; FormatError if blanks are not numbered."""
    return [to_record(item, CollectedPassage, where=where) for where, item in _items(text, name)]


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
    places: dict[int, int] = {}
    for number, (where, item) in enumerate(_items(text, name), 1):
        passage = to_record(item, CollectedPassage, where=where)
        where = f"{where} (eid {passage.eid})"
        rule = passage.broken_rule
        if rule is not None:
            raise FormatError(
                f"{where}: {rule.legend}. Correct it, or leave out such "
                "passages with `cloze-gen clean-exams`"
            )
        counts = {
            "number_of_blanks": len(passage.blanks),
            "candidate_length": len(passage.candidates or ()),
        }
        for field, count in counts.items():
            if item.get(field) != count:
                raise FormatError(
                    f"{where}: `{field}` must be {count}, found {quote(item.get(field))}"
                )
        first = places.setdefault(passage.eid, number)
        if first != number:
            raise FormatError(f"{where}: the same eid as in item {first}")
        passages.append(passage.filled())
    return passages


def format_published(passages: Sequence[BlankedPassage]) -> str:
    """The text of a published file, answers in the order of the blanks.

    `eid` is a passage's id where all ids are different numbers from 0, else passages are numbered
    from 0. Bytes as of ``json.dump(items, file, indent=1)``, without a final line end, as in the
    one published example; it is all ASCII, so escaping other letters is our reading. A sentence
    that reads as a blank (``"<3>"``) is a FormatError.
    """
    numbers = [int(passage.id) for passage in passages if _NUMBER.fullmatch(passage.id)]
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


def _items(text: str, name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    try:
        items = parse_json(text)
    except ParseError as error:
        raise FormatError(f"{name}: not JSON ({error}); expected one list of passages") from None
    if not isinstance(items, list):
        raise FormatError(f"{name}: expected one JSON list of passages, found {quote(items)}")
    for number, item in enumerate(items, 1):
        where = f"{name}, item {number}"
        if not isinstance(item, dict):
            raise FormatError(f"{where}: expected a JSON object, found {quote(item)}")
        yield where, item


def _marked(passage: BlankedPassage) -> list[str]:
    """The sentences, and ``"<1>"`` for the first blank."""
    marks = {place: f"<{number}>" for number, place in enumerate(passage.blanks, 1)}
    return [marks.get(place, sentence) for place, sentence in enumerate(passage.sentences)]


def _item(passage: BlankedPassage, eid: int) -> dict[str, Any]:
    for i, sentence in enumerate(passage.shown, 1):
        if sentence is not None and _BLANK.fullmatch(sentence):
            raise FormatError(
                f"passage {passage.id}: sentence {i} is {quote(sentence)}, which the published "
                "layout reads as a blank"
            )
    return {
        "eid": eid,
        "passage": _marked(passage),
        "candidates": list(passage.candidates),
        "answer_sequence": list(enumerate(passage.answers, 1)),
        "number_of_blanks": len(passage.blanks),
        "candidate_length": len(passage.candidates),
    }


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

    def __post_init__(self) -> None:
        blanked = [place for place, sentence in enumerate(self.passage) if sentence is None]
        nulls = name_list([str(place) for place in blanked]) or "but there is none"
        require(
            bool(blanked) and sorted(self.blanks) == blanked,
            f"`blanks` must be the places of null in `passage`, {nulls}",
        )
        count = len(self.candidates)
        require(
            len(self.answers) == len(self.blanks)
            and len(set(self.answers)) == len(self.answers)
            and max(self.answers) < count,
            f"`answers` must be {len(self.blanks)} different places in `candidates`, 0 to "
            f"{count - 1}, found {self.answers}",
        )
        distractors = sorted(set(range(count)) - set(self.answers))
        require(
            self.distractors in (None, distractors),
            f"`distractors` is {quote(self.distractors)}, but the candidates that answer no blank "
            f"are {distractors}",
        )
        require(
            len(self.sources) == len(self.passage),
            f"`sources` must have {len(self.passage)} objects, found {len(self.sources)}",
        )
        require(
            len(self.candidate_sources) == count,
            f"`candidate_sources` must have {count} objects, found {len(self.candidate_sources)}",
        )
        books = {source.book_id for source in self.sources}
        require(len(books) == 1, "`sources` must all have the same book_id")
        for blank, answer in zip(self.blanks, self.answers, strict=True):
            require(
                self.sources[blank].source == self.candidate_sources[answer],
                f"the sentence at {blank} is a blank, but the source of its answer, candidate "
                f"{answer}, differs",
            )


def passage_record(item: SetBlankedPassage) -> dict[str, Any]:
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
    passage = item.passage
    return {
        "id": passage.id,
        "part": str(item.part),
        "domain": item.domain,
        "book_id": item.book_id,
        "passage": list(passage.shown),
        "candidates": list(passage.candidates),
        "blanks": list(passage.blanks),
        "answers": list(passage.answers),
        "distractors": list(passage.distractors),
        "sources": [
            asdict(source) | {"paragraph": paragraph}
            for source, paragraph in zip(item.sources, item.paragraphs, strict=True)
        ],
        "candidate_sources": list(map(asdict, item.candidate_sources)),
    }


def split_record(item: SetBlankedPassage) -> dict[str, Any]:
    """A passage as a row of one split: the same plain columns everywhere, a blank as ``"<1>"``.

    >>> passage = BlankedPassage("b:4", ("We left.", "It rained."), (1,), ("Jane sang.", "It rained."), (1,))
    >>> left, rained, sang = (SentenceSource("b", index, 10 * index, 10 * index + 9) for index in (4, 5, 9))
    >>> list(split_record(SetBlankedPassage(passage, Part.TEST, "war", (2, 2), (left, rained), (sang, rained))).values())
    ['b:4', 'war', 'b', ['We left.', '<1>'], ['Jane sang.', 'It rained.'], [1], [0]]
    """
    passage = item.passage
    return {
        "id": passage.id,
        "domain": item.domain,
        "book_id": item.book_id,
        "passage": _marked(passage),
        "candidates": list(passage.candidates),
        "answers": list(passage.answers),
        "distractors": list(passage.distractors),
    }


def parse_passages(
    lines: Iterable[str], *, name: str = "passages.jsonl"
) -> Iterator[SetBlankedPassage]:
    """Passages of a JSON Lines file; ids are unique, further fields are ignored."""
    for _, record in read_records(lines, _SetRecord, name=name):
        sentences = [sentence or "" for sentence in record.passage]
        for blank, answer in zip(record.blanks, record.answers, strict=True):
            sentences[blank] = record.candidates[answer]
        passage = BlankedPassage(
            record.id,
            tuple(sentences),
            tuple(record.blanks),
            tuple(record.candidates),
            tuple(record.answers),
        )
        yield SetBlankedPassage(
            passage,
            record.part,
            record.domain,
            tuple(located.paragraph for located in record.sources),
            tuple(located.source for located in record.sources),
            tuple(record.candidate_sources),
        )


def format_requests(passages: Iterable[BlankedPassage]) -> Iterator[str]:
    """Requests for a user model, without answers: one JSON object per passage.

    `passage` holds its sentences, null for a blank; `blanks` their places, from 0. The answer has
    the `id` and `scores`: a row for each of `blanks`, in order, with a number a candidate.

    >>> passage = BlankedPassage("b:4", ("We left.", "It rained."), (1,), ("Jane sang.", "It rained."), (1,))
    >>> list(format_requests([passage]))
    ['{"id": "b:4", "passage": ["We left.", null], "blanks": [1], "candidates": ["Jane sang.", "It rained."]}']
    """
    for passage in passages:
        request = {
            "id": passage.id,
            "passage": list(passage.shown),
            "blanks": list(passage.blanks),
            "candidates": list(passage.candidates),
        }
        yield json.dumps(request, ensure_ascii=False)
