r"""The published layout of SCDE (`train.json`, `dev.json`, `test.json`): one JSON list, an object a passage.

An item's fields, in this order: `eid`, `passage` (a list of sentences, a blank an element of its own, ``"<1>"``, numbered from 1),
`candidates`, `answer_sequence` (``[[blank from 1, candidate from 0], ...]``), `number_of_blanks`, `candidate_length` (how many candidates).
Further fields are ignored.

Bytes: as ``json.dump(items, file, indent=1)`` writes them, without a line end behind the last bracket, which is what the one published
example is; it holds no letter beyond ASCII, so that they are escaped, as `json.dump` does unless told otherwise, is our reading.

Three things of these files mislead a careless reader. `answer_sequence` comes in any order; it is read by its blanks' numbers and printed
in their order. `eid` is unique within its split only. And the sentences hold stray ``"."`` elements, left behind by a blank that stood
before the full stop of its sentence: they are elements of `passage` and stay where they are when a file is read and printed, but no reader
takes them for a sentence (`without_marks`).

Source: Kong, Gangal & Hovy 2020, 3 and Table 1. The authors' code (github.com/shawnkx/SCDE) reads the same fields, and passes over ``"."``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from cloze_gen.errors import FormatError
from cloze_gen.formats.requirements import require
from cloze_gen.notation import NotationError, named, parse_json, shown
from cloze_gen.records.blanked_passage import BlankedPassage

FIELDS = ("eid", "passage", "candidates", "answer_sequence", "number_of_blanks", "candidate_length")

_BLANK = re.compile(r"<([0-9]{1,9})>")
_NUMBER = re.compile(r"0|[1-9][0-9]{0,17}")


def parse_published(text: str, *, name: str = "published file") -> list[BlankedPassage]:
    """The passages of a file in the published layout; a passage's id is its `eid` as text.

    Two blanks may have the same answer, although a decoder that uses a candidate once cannot get both right.

    Raises:
        FormatError: no JSON list of objects, a field is missing, of another type or contradicts the others, an answer or blank is none of
            the passage's, a blank has no answer or two, more blanks than candidates, or an `eid` twice; names the file and the item.

    >>> passage = BlankedPassage("0", ("We left.", "It rained.", "."), (1,), ("Jane sang.", "It rained."), (1,))
    >>> parse_published(format_published([passage])) == [passage]
    True
    """
    passages: list[BlankedPassage] = []
    places: dict[str, int] = {}
    for number, (where, item) in enumerate(parse_items(text, name=name), 1):
        passage = _passage(item, where)
        if passage.id in places:
            raise FormatError(f"{where}: the eid {passage.id} was there before, in item {places[passage.id]}")
        places[passage.id] = number
        passages.append(passage)
    return passages


def parse_items(text: str, *, name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """``(file and item, counted from 1, as a message names them; JSON object)`` of every item of a JSON list."""
    try:
        items = parse_json(text)
    except NotationError as error:
        raise FormatError(f"{name}: not JSON ({error}); expected one list of passages") from None
    if not isinstance(items, list):
        raise FormatError(f"{name}: expected one JSON list of passages, found {shown(items)}")
    for number, item in enumerate(items, 1):
        where = f"{name}, item {number}"
        require(isinstance(item, dict), where, f"expected a JSON object, found {shown(item)}")
        yield where, item


def format_published(passages: Sequence[BlankedPassage]) -> str:
    """The text of a file that holds these passages, answers in the order of the blanks.

    `eid` is a passage's id where all ids are different numbers from 0, as those of a file that was read; else passages are numbered from 0.

    Raises:
        FormatError: a sentence reads as a blank (``"<3>"``), which no reader could tell from one; names the passage.
    """
    numbers = [int(one.id) for one in passages if _NUMBER.fullmatch(one.id)]
    eids: Sequence[int] = numbers if len(set(numbers)) == len(passages) else range(len(passages))
    return json.dumps([_item(passage, eid) for passage, eid in zip(passages, eids, strict=True)], indent=1)


def without_marks(passage: BlankedPassage) -> BlankedPassage:
    """The passage as it is to be read: without the elements that hold no letter and no digit, such as a stray full stop behind a blank.

    Blanks stay, whatever their answers are.

    >>> without_marks(BlankedPassage("0", ("We left.", "It rained.", ".", "So?"), (1,), ("It rained.",), (0,))).sentences
    ('We left.', 'It rained.', 'So?')
    """
    blanked = frozenset(passage.blanks)
    kept = [i for i, sentence in enumerate(passage.sentences) if i in blanked or any(map(str.isalnum, sentence))]
    places = {old: new for new, old in enumerate(kept)}
    sentences = tuple(passage.sentences[i] for i in kept)
    return BlankedPassage(passage.id, sentences, tuple(places[i] for i in passage.blanks), passage.candidates, passage.answers)


def blank_places(sentences: Sequence[str], where: str) -> tuple[int, ...]:
    """Place of each blank in a published passage, in the order of their numbers.

    Raises:
        FormatError: no blank, one of them twice, or numbers that are not all from 1; names `where`.

    >>> blank_places(["<2>", "It rained.", "<1>"], "here")
    (2, 0)
    """
    places: dict[str, int] = {}
    for place, sentence in enumerate(sentences):
        if _BLANK.fullmatch(sentence):
            require(sentence not in places, where, f"the blank {sentence} is there twice in `passage`")
            places[sentence] = place
    require(bool(places), where, "`passage` has no blank; one is an element of its own, such as '<1>'")
    wanted = [f"<{number}>" for number in range(1, len(places) + 1)]
    missing = [blank for blank in wanted if blank not in places]
    found = named(list(places))
    require(not missing, where, f"blanks must be numbered <1> to {wanted[-1]}, but {named(missing)} is missing; `passage` has {found}")
    return tuple(places[blank] for blank in wanted)


def _item(passage: BlankedPassage, eid: int) -> dict[str, Any]:
    shown_sentences = [sentence or "" for sentence in passage.shown]
    for i, sentence in enumerate(passage.shown):
        if sentence is not None and _BLANK.fullmatch(sentence):
            raise FormatError(f"passage {passage.id}: sentence {i + 1} is {shown(sentence)}, which the published layout reads as a blank")
    for number, place in enumerate(passage.blanks, 1):
        shown_sentences[place] = f"<{number}>"
    values = (
        eid,
        shown_sentences,
        list(passage.candidates),
        [[number, answer] for number, answer in enumerate(passage.answers, 1)],
        len(passage.blanks),
        len(passage.candidates),
    )
    return dict(zip(FIELDS, values, strict=True))


def _passage(item: dict[str, Any], where: str) -> BlankedPassage:
    missing = [field for field in FIELDS if field not in item]
    require(not missing, where, f"lacks {', '.join(missing)}; a passage needs {', '.join(FIELDS)}")
    eid, sentences, candidates = item["eid"], item["passage"], item["candidates"]
    require(type(eid) is int and 0 <= eid < 10**18, where, f"`eid` must be a whole number from 0, found {shown(eid)}")
    where = f"{where} (eid {eid})"
    require(_texts(sentences), where, f"`passage` must be a list of sentences, found {shown(sentences)}")
    require(_texts(candidates), where, f"`candidates` must be a list of texts, found {shown(candidates)}")
    empty = [str(i) for i, text in enumerate(candidates) if not text.strip()]
    require(not empty, where, f"`candidates` holds an empty text, at {named(empty)} from 0")
    blanks = blank_places(sentences, where)
    for field, count, what in (("number_of_blanks", len(blanks), "blanks"), ("candidate_length", len(candidates), "candidates")):
        agrees = type(item[field]) is int and item[field] == count
        require(agrees, where, f"`{field}` is {shown(item[field])}, but the passage has {count} {what}")
    require(len(blanks) <= len(candidates), where, f"{len(blanks)} blanks, but only {len(candidates)} candidates")
    answers = _answers(item["answer_sequence"], len(blanks), len(candidates), where)
    filled = list(sentences)
    for place, answer in zip(blanks, answers, strict=True):
        filled[place] = candidates[answer]
    return BlankedPassage(str(eid), tuple(filled), blanks, tuple(candidates), answers)


def _answers(sequence: Any, n_blanks: int, n_candidates: int, where: str) -> tuple[int, ...]:
    """Candidate of each blank, in the order of their numbers."""
    pairs = isinstance(sequence, list) and all(
        isinstance(pair, list) and len(pair) == 2 and all(type(number) is int for number in pair) for pair in sequence
    )
    require(pairs, where, f"`answer_sequence` must be a list of pairs of whole numbers, blank and candidate; found {shown(sequence)}")
    answers: dict[int, int] = {}
    for blank, candidate in sequence:
        require(1 <= blank <= n_blanks, where, f"`answer_sequence` answers blank {shown(blank)}, but the passage has 1 to {n_blanks}")
        require(blank not in answers, where, f"`answer_sequence` answers blank {blank} twice")
        within = 0 <= candidate < n_candidates
        require(within, where, f"blank {blank} is answered by candidate {shown(candidate)}, but there are 0 to {n_candidates - 1}")
        answers[blank] = candidate
    missing = [str(blank) for blank in range(1, n_blanks + 1) if blank not in answers]
    require(not missing, where, f"`answer_sequence` has no answer for blank {named(missing)}")
    return tuple(answers[blank] for blank in range(1, n_blanks + 1))


def _texts(values: Any) -> bool:
    return isinstance(values, list) and all(isinstance(value, str) for value in values)
