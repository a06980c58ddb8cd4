"""A sentence cloze test as it was collected, before anybody asked whether it can be used."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Examination:
    """One collected test; what is missing in it is None.

    Attributes:
        item: its place in its file, from 1.
        eid: the number that it has there.
        sentences: of the passage; at a blank its mark.
        blanks: index into `sentences` of each blank, in the order of the blanks' numbers.
        candidates: as they are printed; None where there is no list of them.
        answers: of each blank the index of its candidate, in the order of `blanks`; it may point to none.
        second_answers: the same as another OCR program read them from the image of the answers; None where they were no image.
    """

    item: int
    eid: int | None
    sentences: tuple[str, ...]
    blanks: tuple[int, ...]
    candidates: tuple[str | None, ...] | None
    answers: tuple[int | None, ...]
    second_answers: tuple[int | None, ...] | None
