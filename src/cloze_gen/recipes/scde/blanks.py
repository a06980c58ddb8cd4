"""Blanks: the sentences of a passage that are removed (SCDE 5.7).

The paper draws "five sentences in a passage as blanks" and prevents "three or more blanks
consecutive to each other". We also exclude sentences that a reader cannot place. Of many draws we
take one that surface cues solve as well as chance; ties are decided by coherence with the context.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from cloze_gen.corpus.arrays import sentence_traits
from cloze_gen.corpus.books import book_folder, kept_books
from cloze_gen.corpus.hyphens import HYPHENS
from cloze_gen.corpus.source_sentences import decided_hyphens
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.english.cohesion import SurfaceTies, surface_ties
from cloze_gen.english.sentence_fitness import sentence_fault
from cloze_gen.models.blank_assignment import decode_jointly
from cloze_gen.models.sentence_cues import TiedPassage, cue_scores, rarity_of, tie
from cloze_gen.recipes.scde.coherence import coherence, open_coherence, read_stems
from cloze_gen.recipes.scde.passages import (
    BLANK,
    BLANKS,
    NOT_DRAWN,
    VERDICTS,
    Window,
    read_book,
    windows_by_book,
)
from cloze_gen.records.rejection import Reason
from cloze_gen.rng import derive_rng
from cloze_gen.settings import MOST_EACH, SettingsGroup
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, funnel
from cloze_gen.store.tables import REJECTED, write_parquet
from cloze_gen.word_tokens import is_word


class BlanksSettings(SettingsGroup):
    count: int = Field(5, ge=1, le=20, description="blanks in a passage; 5.7")
    choice: Literal["unguessable", "random"] = Field(
        "unguessable",
        description="unguessable: surface cues solve it as well as chance",
    )
    draws: int = Field(60, ge=1, le=MOST_EACH, description="random draws to choose from")
    adjacent_share: float = Field(
        0.0128,
        ge=0,
        le=0.4,
        description="share of blanks beside another blank; Table 3: 1.28 %",
    )
    min_gap: int = Field(
        2,
        ge=1,
        le=MOST_EACH,
        description="least number of sentences between other blanks",
    )
    min_words: int = Field(
        7,
        ge=1,
        le=MOST_EACH,
        description="least number of words of a blank",
    )
    max_words: int = Field(
        45,
        ge=1,
        le=MOST_EACH,
        description="greatest number of words of a blank",
    )
    min_content_words: int = Field(
        3,
        ge=0,
        le=MOST_EACH,
        description="least number of content words of a blank",
    )

    @property
    def least_sentences(self) -> int:
        """Length of the shortest passage with `count` blanks, one pair adjacent if allowed."""
        gaps = self.count - 1 - (self.count > 1 and self.adjacent_share > 0)
        return self.count + gaps * self.min_gap + 2

    @model_validator(mode="after")
    def _enough_pairs_fit(self) -> BlanksSettings:
        if self.adjacent_share * self.count > 2:
            raise ValueError(
                f"adjacent_share = {self.adjacent_share} with count = {self.count} blanks needs "
                "more than one adjacent pair in a passage; lower adjacent_share"
            )
        return self


class BlankReason(Reason):
    TORN = ("sentence_split_wrongly", "the sentence is not whole, a heading or has odd marks")
    HALF_SPEECH = ("partial_speech", "it opens or closes a speech but not both")
    IN_SPEECH = ("inside_speech", "it begins inside a speech")
    SHORT = ("sentence_short", "fewer words than blanks.min_words")
    LONG = ("sentence_long", "more words than blanks.max_words")
    LITTLE_CONTENT = (
        "too_few_content_words",
        "fewer different content words than blanks.min_content_words",
    )
    NEW_NAME = ("name_only_in_sentence", "a name in it occurs in no other sentence of the passage")
    NEW_PERSON = (
        "person_only_in_sentence",
        "a pronoun's person in it occurs in no other sentence of the passage",
    )
    # it has context on one side only
    EDGE = ("edge_of_passage", "it is the first or last sentence of the passage")


class PassageReason(Reason):
    FEW_SENTENCES = (
        "too_few_sentences_can_be_blanks",
        "fewer sentences than blanks.count can be blanks",
    )


def blank_reason(
    tokens: Sequence[str],
    ties: SurfaceTies,
    *,
    in_speech: bool,
    settings: BlanksSettings,
) -> BlankReason | None:
    """Why a sentence cannot be a blank in any position; None if it can.

    >>> from cloze_gen.english.cohesion import surface_ties
    >>> def reason(line):
    ...     tokens = line.split()
    ...     return blank_reason(tokens, surface_ties(tokens), in_speech=False, settings=BlanksSettings())
    >>> print(reason("He nodded ."), reason('" The lamp was lit at noon .'), reason("The keeper lit the lamp before the storm ."))
    sentence_short partial_speech None
    """
    words = sum(map(is_word, tokens))
    against = {  # in order of precedence
        BlankReason.TORN: sentence_fault(tokens) is not None,
        BlankReason.HALF_SPEECH: ties.is_half_speech,
        BlankReason.IN_SPEECH: in_speech,
        BlankReason.SHORT: words < settings.min_words,
        BlankReason.LONG: words > settings.max_words,
        BlankReason.LITTLE_CONTENT: len(ties.stems) < settings.min_content_words,
    }
    return next((reason for reason, holds in against.items() if holds), None)


def new_here(sentences: Sequence[SurfaceTies]) -> list[BlankReason | None]:
    """Reject sentences with a name or person that no other has: a reader cannot place them.

    >>> from cloze_gen.english.cohesion import surface_ties
    >>> lines = ["Then came Pip .", "Pip sat down .", "They saw Joe ."]
    >>> [reason and str(reason) for reason in new_here([surface_ties(line.split()) for line in lines])]
    [None, None, 'name_only_in_sentence']
    """
    names = Counter(name for one in sentences for name in sorted(one.names | {one.first_word}))
    persons = Counter(person for one in sentences for person in one.persons)
    return [
        BlankReason.NEW_NAME
        if any(names[name] == 1 for name in one.names)
        else BlankReason.NEW_PERSON
        if any(persons[person] == 1 for person in one.persons)
        else None
        for one in sentences
    ]


def draw_blanks(
    places: Sequence[int], settings: BlanksSettings, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Distinct, equally likely sets of places; shape (draws, count), rows ascending.

    On average, `adjacent_share` of the blanks are adjacent to another, never three in a row. The
    others are at least `min_gap` apart, because answers of near blanks are often interchangeable.

    >>> settings = BlanksSettings(count=3, adjacent_share=0, min_gap=1)
    >>> draw_blanks([1, 2, 4, 7], settings, np.random.default_rng(1)).tolist()
    [[1, 4, 7], [2, 4, 7]]
    """
    with_pair = settings.count > 1 and rng.random() < settings.adjacent_share * settings.count / 2
    for pairs in (1, 0) if with_pair else (0,):
        completions = _completions(places, settings, pairs)
        total = sum(completions[-1][pairs]) if places else 0
        if total:
            numbers = _numbers(total, min(total, settings.draws), rng)
            return np.array(
                [
                    _draw_of_number(number, places, completions, pairs, settings)
                    for number in numbers
                ],
                np.int64,
            )
    return np.zeros((0, settings.count), np.int64)


def _numbers(total: int, size: int, rng: np.random.Generator) -> list[int]:
    """Distinct uniform numbers below a total, which may exceed 64 bits."""
    if total <= np.iinfo(np.int64).max:
        return list(map(int, rng.choice(total, size=size, replace=False)))
    found: dict[int, None] = {}
    while len(found) < size:
        found[int.from_bytes(rng.bytes(total.bit_length() // 8 + 9)) % total] = (
            None  # extra bits, so that the remainder is uniform
        )
    return list(found)


def _completions(
    places: Sequence[int], settings: BlanksSettings, pairs: int
) -> list[list[list[int]]]:
    """Number of completions: [further blanks][adjacent pairs in them][index of the place]."""
    completions = [[[1] * len(places), *([0] * len(places) for _ in range(pairs))]]
    for further in range(1, settings.count):
        last = completions[further - 1]
        completions.append(
            [
                [
                    sum(last[p - side][j] for j, side in _steps(i, places, settings) if side <= p)
                    for i in range(len(places))
                ]
                for p in range(pairs + 1)
            ]
        )
    return completions


def _steps(i: int, places: Sequence[int], settings: BlanksSettings) -> Iterator[tuple[int, int]]:
    """Indices of possible next places, and whether each is adjacent (1) or apart (0)."""
    for j in range(i + 1, len(places)):
        if places[j] - places[i] == 1:
            yield j, 1
        elif places[j] - places[i] > settings.min_gap:
            yield j, 0


def _draw_of_number(
    number: int,
    places: Sequence[int],
    completions: Sequence[Sequence[Sequence[int]]],
    pairs: int,
    settings: BlanksSettings,
) -> list[int]:
    """The draw at this index, from 0, in lexicographic order."""
    drawn: list[int] = []
    open_to = [(i, 0) for i in range(len(places))]
    for further in range(settings.count - 1, -1, -1):
        for i, side in open_to:
            here = completions[further][pairs - side][i] if side <= pairs else 0
            if number < here:
                break
            number -= here
        drawn.append(places[i])
        pairs -= side
        open_to = list(_steps(i, places, settings))
    return drawn


@dataclass(frozen=True, slots=True)
class ChosenBlanks:
    """The blanks of a passage and the measures that chose them.

    Attributes:
        solved: blanks that surface cues fill correctly from the answers alone.
        wanted: correct answers of one random assignment, drawn for this passage.
        margin: mean coherence of the answers with their own blanks, minus that of the next best.
    """

    places: tuple[int, ...]
    solved: int
    wanted: int
    margin: float


def choose_blanks(
    draws: NDArray[np.int64],
    *,
    columns: NDArray[np.int64],
    ties: TiedPassage,
    after: NDArray[np.float64],
    before: NDArray[np.float64],
    settings: BlanksSettings,
    rng: np.random.Generator,
) -> ChosenBlanks:
    own = columns[draws]
    rows, each = np.arange(len(draws))[:, None, None], np.arange(draws.shape[1])[None, :, None]
    answers = own[:, None, :]
    cues = cue_scores(ties, draws)[rows, each, answers]
    coheres = coherence(after, before, draws)[rows, each, answers]
    right = np.arange(draws.shape[1])
    solved = np.array([(decode_jointly(scores) == right).sum() for scores in cues])
    wanted = int((rng.permutation(draws.shape[1]) == right).sum())
    margins = _margins(coheres)
    considered = range(1 if settings.choice == "random" else len(draws))
    taken = min(considered, key=lambda draw: (abs(int(solved[draw]) - wanted), -margins[draw]))
    return ChosenBlanks(
        tuple(draws[taken].tolist()), int(solved[taken]), wanted, float(margins[taken])
    )


def _margins(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mean margin of each blank's own answer over the best other answer; shape (draws,)."""
    own = np.einsum("dii->di", scores)
    others = (
        np.where(np.eye(scores.shape[1], dtype=np.bool_), -np.inf, scores).max(axis=2)
        if scores.shape[1] > 1
        else np.zeros_like(own)
    )
    return np.asarray((own - others).mean(axis=1))


@dataclass(frozen=True, slots=True)
class BlankShard:
    folder: Path
    windows: tuple[Window, ...]
    coherence: Path
    hyphens: Path
    settings: BlanksSettings
    seed: int


@dataclass(frozen=True, slots=True)
class BlankedWindow:
    window: Window
    verdicts: tuple[str, ...]
    chosen: ChosenBlanks | None


def blank_book(shard: BlankShard) -> list[BlankedWindow]:
    return list(_blanked(shard))


def _blanked(shard: BlankShard) -> Iterator[BlankedWindow]:
    book = read_book(shard.folder, decided_hyphens(shard.hyphens))
    traits = sentence_traits(book.text, offensive=())
    model, rarity = open_coherence(shard.coherence), rarity_of(*read_stems(shard.coherence))
    for window in shard.windows:
        sentences = range(window.first, window.last + 1)
        tokens = [book.text.tokens(i) for i in sentences]
        ties = [surface_ties(one) for one in tokens]
        reasons = [
            blank_reason(
                tokens[k],
                ties[k],
                in_speech=bool(traits.in_speech[i]),
                settings=shard.settings,
            )
            for k, i in enumerate(sentences)
        ]
        reasons = [reason or new for reason, new in zip(reasons, new_here(ties), strict=True)]
        reasons[0] = reasons[0] or BlankReason.EDGE
        reasons[-1] = reasons[-1] or BlankReason.EDGE
        places = [k for k, reason in enumerate(reasons) if reason is None]
        rng = derive_rng(shard.seed, "scde.blanks", window.id)
        draws = draw_blanks(places, shard.settings, rng)
        chosen = None
        if len(draws):
            columns = np.full(len(tokens), -1)
            columns[places] = np.arange(len(places))
            tied = tie(ties, [ties[k] for k in places], rarity)
            after, before = model.follows(tokens, [tokens[k] for k in places])
            chosen = choose_blanks(
                draws,
                columns=columns,
                ties=tied,
                after=after,
                before=before,
                settings=shard.settings,
                rng=rng,
            )
        blanked = frozenset(chosen.places if chosen else ())
        verdicts = (
            str(reason) if reason else BLANK if k in blanked else NOT_DRAWN
            for k, reason in enumerate(reasons)
        )
        yield BlankedWindow(window, tuple(verdicts), chosen)


def write_blanks(
    writer: ArtifactWriter,
    ctx: StageContext,
    *,
    partition: Artifact,
    passages: Artifact,
    coherence: Artifact,
    settings: BlanksSettings,
    seed: int,
) -> None:
    """Write the blanks of each passage, and the verdict on each sentence."""
    of_book = windows_by_book(passages)
    hyphens = passages.path(HYPHENS)
    shards = [
        BlankShard(
            book_folder(partition, row),
            tuple(of_book[row["book_id"]]),
            coherence.folder,
            hyphens,
            settings,
            seed,
        )
        for row in kept_books(partition)
        if row["book_id"] in of_book
    ]
    found = [one for windows in ctx.map(blank_book, shards, unit="books") for one in windows]
    kept = [(one.window, one.chosen) for one in found if one.chosen is not None]
    _write_tables(writer, found, kept)
    chosen = [one for _, one in kept]
    n_blanks = max(1, sum(len(one.places) for one in chosen))
    writer.facts |= {
        "sentences": dict(
            sorted(Counter(verdict for one in found for verdict in one.verdicts).items())
        ),
        "solved_by_surface": round(sum(one.solved for one in chosen) / n_blanks, 4),
        "adjacent": round(sum(_adjacent_count(one.places) for one in chosen) / n_blanks, 4),
    }
    ctx.say(f"{len(kept):,} of {len(found):,} passages have {settings.count} blanks")


def _write_tables(
    writer: ArtifactWriter,
    found: Sequence[BlankedWindow],
    kept: Sequence[tuple[Window, ChosenBlanks]],
) -> None:
    columns = {
        "id": [window.id for window, _ in kept],
        "book_id": [window.book_id for window, _ in kept],
        "blanks": [list(one.places) for _, one in kept],
        "solved": [one.solved for _, one in kept],
        "wanted": [one.wanted for _, one in kept],
        "margin": [round(one.margin, 6) for _, one in kept],
    }
    writer.rows[BLANKS] = write_parquet(writer.path(BLANKS), columns)
    verdicts = [
        (one.window.id, k, verdict) for one in found for k, verdict in enumerate(one.verdicts)
    ]
    table = dict(
        zip(("id", "sentence", "verdict"), map(list, zip(*verdicts, strict=True)), strict=True)
    )
    writer.rows[VERDICTS] = write_parquet(writer.path(VERDICTS), table)
    without, reason = [one for one in found if one.chosen is None], str(PassageReason.FEW_SENTENCES)
    rejected = {
        "id": [one.window.id for one in without],
        "reason": [reason] * len(without),
        "detail": [str(sum(verdict == NOT_DRAWN for verdict in one.verdicts)) for one in without],
    }
    writer.rows[REJECTED] = write_parquet(writer.path(REJECTED), rejected)
    writer.funnel = funnel(
        "passages", kept=len(kept), rejected=Counter({reason: len(without)} if without else {})
    )


def _adjacent_count(places: tuple[int, ...]) -> int:
    return sum(place - 1 in places or place + 1 in places for place in places)
