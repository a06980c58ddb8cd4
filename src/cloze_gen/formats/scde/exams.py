r"""Collected examinations, the input of ``cloze-gen clean-exams``: the published layout (`published`) with what a crawl leaves out.

The form is our own, for the paper's raw file was never published. One JSON list, an object an examination:

- `passage`: as published. It must be there, and its blanks be numbered from 1.
- `candidates`, `answer_sequence`: as published, or missing, or null; a candidate may be null, and in a pair ``[blank, candidate]`` the
  candidate may be null or point to none. A blank may be without a pair. These faults are what the cleaning is about.
- `answer_sequence_ocr`: of an examination whose official answers were an image, what the second OCR program read; `answer_sequence` is then
  what the first read. A program that read nothing left ``[]``. Missing or null: the answers were no image.
- `eid`: may be missing or null, and be there twice.

`number_of_blanks` and `candidate_length` are counted anew, and other fields ignored.
"""

from __future__ import annotations

from typing import Any

from cloze_gen.formats.requirements import require
from cloze_gen.formats.scde.published import blank_places, parse_items
from cloze_gen.notation import shown
from cloze_gen.records.examination import Examination


def parse_exams(text: str, *, name: str = "exams.json") -> list[Examination]:
    """The examinations of a file.

    Raises:
        FormatError: no JSON list of objects, no passage, no blank, blanks that are not numbered from 1, a blank answered twice, an answer
            to a blank that is not there, or a value of another type; names the file and the item.
    """
    return [_examination(item, number, where) for number, (where, item) in enumerate(parse_items(text, name=name), 1)]


def _examination(item: dict[str, Any], number: int, where: str) -> Examination:
    eid, sentences, candidates = item.get("eid"), item.get("passage"), item.get("candidates")
    require(eid is None or (type(eid) is int and 0 <= eid < 10**18), where, f"`eid` must be a whole number from 0, found {shown(eid)}")
    where = where if eid is None else f"{where} (eid {eid})"
    require("passage" in item, where, "lacks passage")
    require(_texts(sentences, ()), where, f"`passage` must be a list of sentences, found {shown(sentences)}")
    require(candidates is None or _texts(candidates, (None,)), where, f"`candidates` must be a list of texts, found {shown(candidates)}")
    blanks = blank_places(sentences or [], where)
    image = item.get("answer_sequence_ocr") is not None
    return Examination(
        item=number,
        eid=eid,
        sentences=tuple(sentences or ()),
        blanks=blanks,
        candidates=None if candidates is None else tuple(candidates),
        answers=_answers(item, "answer_sequence", len(blanks), where),
        second_answers=_answers(item, "answer_sequence_ocr", len(blanks), where) if image else None,
    )


def _answers(item: dict[str, Any], field: str, n_blanks: int, where: str) -> tuple[int | None, ...]:
    """Of each blank, in the order of their numbers, what it is answered by, as far as the field tells."""
    sequence = item.get(field)
    pairs = [] if sequence is None else sequence
    right = isinstance(pairs, list) and all(isinstance(pair, list) and len(pair) == 2 for pair in pairs)
    require(right, where, f"`{field}` must be a list of pairs, blank and candidate; found {shown(sequence)}")
    answers: dict[int, int | None] = {}
    for pair in pairs:
        blank, candidate = pair
        numbers = type(blank) is int and (candidate is None or type(candidate) is int)
        require(numbers, where, f"`{field}` must give whole numbers, blank from 1 and candidate from 0; found {shown(pair)}")
        require(1 <= blank <= n_blanks, where, f"`{field}` answers blank {shown(blank)}, but the passage has 1 to {n_blanks}")
        require(blank not in answers, where, f"`{field}` answers blank {blank} twice")
        answers[blank] = candidate
    return tuple(answers.get(blank) for blank in range(1, n_blanks + 1))


def _texts(values: Any, more: tuple[None, ...]) -> bool:
    return isinstance(values, list) and all(isinstance(value, str) or value in more for value in values)
