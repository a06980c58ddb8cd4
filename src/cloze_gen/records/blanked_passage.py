"""A blanked passage: some sentences, a few of them blanked, and one list of candidates for all blanks (SCDE)."""

from __future__ import annotations

from dataclasses import dataclass

from cloze_gen.records.passage import Part


@dataclass(frozen=True, slots=True)
class BlankedPassage:
    """A passage whose blanks share their candidates; those that answer no blank are its distractors (Kong et al. 2020, 3.1).

    >>> passage = BlankedPassage("emma:7", ("It rained.", "Nobody came.", "We went home."), (1,), ("Jane sang.", "Nobody came."), (1,))
    >>> passage.shown, passage.distractors
    (('It rained.', None, 'We went home.'), (0,))

    Attributes:
        id: of its first sentence, ``book:index``; of a file of somebody else's, what names it there.
        sentences: as they are printed, the answers in their places.
        blanks: index into `sentences` of each blank, in the order of the blanks' numbers; a file of somebody else's may number them as it
        likes. candidates: as they are printed.
        answers: index into `candidates` of each blank's answer, in the order of `blanks`.
    """

    id: str
    sentences: tuple[str, ...]
    blanks: tuple[int, ...]
    candidates: tuple[str, ...]
    answers: tuple[int, ...]

    @property
    def shown(self) -> tuple[str | None, ...]:
        """The sentences as a reader meets them, None for a blank."""
        blanked = frozenset(self.blanks)
        return tuple(None if i in blanked else sentence for i, sentence in enumerate(self.sentences))

    @property
    def distractors(self) -> tuple[int, ...]:
        """Indices of the candidates that answer no blank."""
        answers = frozenset(self.answers)
        return tuple(i for i in range(len(self.candidates)) if i not in answers)


@dataclass(frozen=True, slots=True)
class SentenceSource:
    """Where a sentence stands.

    Attributes:
        index: among the sentences of the book.
        start, end: character span in the decoded raw file, end exclusive.
    """

    book_id: str
    index: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class SetBlankedPassage:
    """A blanked passage of a set, with where all of it comes from.

    Attributes:
        part: the part of the corpus that its book belongs to.
        domain: genre of its book; empty where nobody told.
        paragraphs: of each sentence the index of its paragraph in the book.
        sources: of each sentence.
        candidate_sources: of each candidate; those of the answers are the blanked sentences' own.
    """

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
        """Of its sentences; a distractor may come from elsewhere."""
        return self.sources[0].book_id
