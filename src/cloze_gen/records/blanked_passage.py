"""A blanked passage: sentences, some of them blanked, and one list of candidates (SCDE)."""

from __future__ import annotations

from dataclasses import dataclass

from cloze_gen.json_lines import Filled, Whole
from cloze_gen.records.passage import Part


@dataclass(frozen=True, slots=True)
class BlankedPassage:
    """A passage whose blanks share their candidates (Kong et al. 2020, 3.1).

    Attributes:
        id: of its first sentence, ``book:index``; or as in a published file.
        sentences: as printed, the answers in their places.
        blanks: index into `sentences` of each blank, by blank number; not always ascending.
        answers: index into `candidates` of each blank's answer, in the order of `blanks`.

    >>> passage = BlankedPassage("emma:7", ("It rained.", "Nobody came.", "We went home."), (1,), ("Jane sang.", "Nobody came."), (1,))
    >>> passage.shown, passage.distractors
    (('It rained.', None, 'We went home.'), (0,))
    """

    id: str
    sentences: tuple[str, ...]
    blanks: tuple[int, ...]
    candidates: tuple[str, ...]
    answers: tuple[int, ...]

    @property
    def shown(self) -> tuple[str | None, ...]:
        """The sentences as a reader sees them, None for a blank."""
        blanked = frozenset(self.blanks)
        return tuple(
            None if i in blanked else sentence for i, sentence in enumerate(self.sentences)
        )

    @property
    def distractors(self) -> tuple[int, ...]:
        answers = frozenset(self.answers)
        return tuple(i for i in range(len(self.candidates)) if i not in answers)


@dataclass(frozen=True, slots=True)
class SentenceSource:
    """Place of a sentence; `start`, `end`: characters of the text of the book, end exclusive."""

    book_id: Filled
    index: Whole
    start: Whole
    end: Whole


@dataclass(frozen=True, slots=True)
class SetBlankedPassage:
    """A blanked passage of a set; `paragraphs`: a sentence's paragraph in the book."""

    passage: BlankedPassage
    part: Part
    domain: str
    paragraphs: tuple[int, ...]
    sources: tuple[SentenceSource, ...]
    candidate_sources: tuple[SentenceSource, ...]

    @property
    def id(self) -> str:
        return self.passage.id

    @property
    def book_id(self) -> str:
        """The book of its sentences; a distractor may come from another one."""
        return self.sources[0].book_id
