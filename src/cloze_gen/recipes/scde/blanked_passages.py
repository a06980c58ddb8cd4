"""Assembly: choice of the passages of the set, and order of their candidates (SCDE 3.1)."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import Field

from cloze_gen.corpus.hyphens import HYPHENS, read_hyphen_forms
from cloze_gen.corpus.source_sentences import read_sentences
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.errors import CorpusError
from cloze_gen.evaluation.sets import read_cloze_examples
from cloze_gen.formats.scde import format_requests, passage_record
from cloze_gen.recipes.common import RepeatReason, printed_before
from cloze_gen.recipes.scde.blanks import read_blanks
from cloze_gen.recipes.scde.distractors import DISTRACTORS
from cloze_gen.recipes.scde.passages import Novel, Window, novels_of, windows_by_book
from cloze_gen.recipes.tables import write_rejections
from cloze_gen.records.blanked_passage import BlankedPassage, SentenceSource, SetBlankedPassage
from cloze_gen.records.passage import Part
from cloze_gen.records.rejection import Reason, Rejection
from cloze_gen.records.sentence import Sentence
from cloze_gen.rng import derive_rng, stable_fraction
from cloze_gen.settings import MOST_COUNTED, SettingsGroup
from cloze_gen.store.artifacts import Artifact, ArtifactWriter
from cloze_gen.store.tables import PASSAGE_SET, write_jsonl
from cloze_gen.word_tokens import is_word

_LONG_WORDS = 10  # shorter sentences occur in many books
SentenceKey = tuple[str, int]  # a book, and the index of one of its sentences


class AssemblySettings(SettingsGroup):
    n_passages: int = Field(
        2000,
        ge=1,
        le=MOST_COUNTED,
        description="passages of all parts together; published: 5,959",
    )


def choose_set(passages: Mapping[str, tuple[Hashable, float]], n_passages: int) -> frozenset[str]:
    """Ids of the set, from id -> (ranks of the distractors by length, separation).

    Takes the least separated passage of each combination of ranks, then the second of each, and so
    on, to balance the ranks (after AFLite: Le Bras et al. 2020). Equal ones come by their hashes.

    >>> found = {"emma:1": ((0, 1), 0.3), "emma:40": ((0, 1), 0.2), "dracula:7": ((0, 1), 0.4), "pip:3": ((2, 6), 0.9)}
    >>> sorted(choose_set(found, 2))
    ['emma:40', 'pip:3']
    """

    def precedence(name: str) -> tuple[float, float, str]:
        return passages[name][1], stable_fraction("scde.set", name), name

    seen: Counter[Hashable] = Counter()
    turns: dict[str, int] = {}
    for name in sorted(passages, key=precedence):
        ranks = passages[name][0]
        turns[name] = seen[ranks]
        seen[ranks] += 1
    return frozenset(sorted(turns, key=turns.__getitem__)[:n_passages])


class AssemblyReason(Reason):
    BEYOND_N = ("beyond_n_passages", "assembly.n_passages are already chosen")


@dataclass(frozen=True, slots=True)
class _Draft:
    """A passage with its blanks and distractors, as places of sentences."""

    window: Window
    blanks: tuple[int, ...]
    distractors: tuple[SentenceKey, ...]
    by_length: tuple[int, ...]
    separation: float

    @property
    def sentences(self) -> list[SentenceKey]:
        return [(self.window.book_id, i) for i in self.window.sentences]

    def passage(self, printed: Mapping[SentenceKey, Sentence], seed: int) -> SetBlankedPassage:
        """The passage, its candidates shuffled (3.1)."""
        sentences = [printed[key] for key in self.sentences]
        listed = [sentences[blank] for blank in self.blanks]
        listed += [printed[key] for key in self.distractors]
        rng = derive_rng(seed, "scde.candidates", self.window.id)
        order = rng.permutation(len(listed)).tolist()
        candidates = [listed[number] for number in order]
        passage = BlankedPassage(
            self.window.id,
            tuple(sentence.text for sentence in sentences),
            self.blanks,
            tuple(sentence.text for sentence in candidates),
            tuple(order.index(number) for number in range(len(self.blanks))),
        )
        return SetBlankedPassage(
            passage,
            Part(self.window.part),
            self.window.domain,
            tuple(sentence.paragraph for sentence in sentences),
            _sources(sentences),
            _sources(candidates),
        )


def _sources(sentences: Sequence[Sentence]) -> tuple[SentenceSource, ...]:
    return tuple(
        SentenceSource(sentence.book_id, sentence.index, sentence.start, sentence.end)
        for sentence in sentences
    )


def _read_drafts(passages: Artifact, blanks: Artifact, distractors: Artifact) -> dict[str, _Draft]:
    blanks_of = read_blanks(blanks)
    drawn = {
        row["id"]: row for row in DISTRACTORS.read(distractors.path(DISTRACTORS.name)).to_pylist()
    }
    drafts: dict[str, _Draft] = {}
    for windows in windows_by_book(passages).values():
        for window in windows:
            if row := drawn.get(window.id):
                drafts[window.id] = _Draft(
                    window,
                    blanks_of[window.id],
                    tuple(zip(row["books"], row["distractors"], strict=True)),
                    tuple(row["by_length"]),
                    row["separation"],
                )
    return drafts


def read_printed(needed: tuple[Novel, frozenset[int]], *, hyphens: Path) -> list[Sentence]:
    novel, indices = needed
    sentences = read_sentences(novel.folder, novel.id, read_hyphen_forms(hyphens))
    return [sentence for sentence in sentences if sentence.index in indices]


def write_blanked_passages(
    writer: ArtifactWriter,
    ctx: StageContext,
    *,
    partition: Artifact,
    passages: Artifact,
    blanks: Artifact,
    distractors: Artifact,
    settings: AssemblySettings,
    seed: int,
) -> None:
    drafts = _read_drafts(passages, blanks, distractors)
    needed: dict[str, set[int]] = {}
    for draft in drafts.values():
        for book_id, sentence in (*draft.sentences, *draft.distractors):
            needed.setdefault(book_id, set()).add(sentence)
    novels = [
        (novel, frozenset(needed[novel.id])) for novel in novels_of(partition) if novel.id in needed
    ]
    read = functools.partial(read_printed, hyphens=passages.path(HYPHENS))
    printed = {
        (sentence.book_id, sentence.index): sentence
        for sentences in ctx.map(read, novels, unit="books")
        for sentence in sentences
    }
    repeats = printed_before(
        (name, _long_sentences(draft, printed)) for name, draft in drafts.items()
    )
    chosen = choose_set(
        {
            name: (draft.by_length, draft.separation)
            for name, draft in drafts.items()
            if name not in repeats
        },
        settings.n_passages,
    )
    finished = [draft for name, draft in drafts.items() if name in chosen]
    parts = Counter(draft.window.part for draft in finished)
    sizes = ", ".join(f"{parts[part]:,} {part}" for part in Part)
    if not parts[Part.TEST]:
        raise CorpusError(
            f"blanked passages: the set has no test passages ({sizes}). Give more or longer novels, "
            "lower partition.train_share for more test novels, raise assembly.n_passages, or try "
            "another --seed."
        )
    items = (draft.passage(printed, seed) for draft in finished)
    writer.rows[PASSAGE_SET] = write_jsonl(writer.path(PASSAGE_SET), map(passage_record, items))
    rejected = [
        Rejection(name, RepeatReason.PRINTED_BEFORE, first) for name, first in repeats.items()
    ]
    rejected += [
        Rejection(name, AssemblyReason.BEYOND_N)
        for name in drafts
        if name not in chosen and name not in repeats
    ]
    write_rejections(writer, rejected, unit="passages", kept=len(finished))
    writer.facts |= {
        "wanted": settings.n_passages,
        "parts": {str(part): parts[part] for part in Part},
    }
    ctx.say(f"{sizes} passages")


def _long_sentences(
    draft: _Draft, printed: Mapping[SentenceKey, Sentence]
) -> Iterator[tuple[str, ...]]:
    for key in draft.sentences:
        tokens = printed[key].tokens
        if sum(map(is_word, tokens)) >= _LONG_WORDS:
            yield tokens


def requests(finished: Artifact, rendering: str) -> Iterator[str]:
    return format_requests(
        example.passage for example in read_cloze_examples(finished.path(PASSAGE_SET)).passages
    )
