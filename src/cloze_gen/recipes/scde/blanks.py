"""Blanks: the sentences of a passage that are removed (SCDE 5.7).

The paper draws "five sentences in a passage as blanks" and prevents "three or more blanks
consecutive to each other". We also exclude sentences that a reader cannot place. Of many draws we
take one that surface cues solve as well as chance; ties are decided by coherence with the context.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pydantic import Field, model_validator

from cloze_gen.corpus.arrays import sentence_traits
from cloze_gen.corpus.hyphens import HYPHENS
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.english.cohesion import SurfaceTies, surface_ties
from cloze_gen.english.sentence_fitness import sentence_fault
from cloze_gen.models.blank_assignment import decode_jointly
from cloze_gen.models.sentence_cues import TiedPassage, cue_scores, tie
from cloze_gen.recipes.scde.coherence import coherence, open_coherence, stem_rarity
from cloze_gen.recipes.scde.passages import Novel, novels_of, read_novel, windows_by_book
from cloze_gen.recipes.tables import RejectionWriter, rejection_table
from cloze_gen.records.rejection import Reason, Rejection, first_reason
from cloze_gen.rng import derive_rng
from cloze_gen.settings import MOST_EACH, SettingsGroup
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, funnel
from cloze_gen.store.schema import CODED, Column, Table, TableWriter
from cloze_gen.word_tokens import is_word

_DRAWS = 60  # to choose from
_MIN_GAP = 2  # sentences between blanks: answers of nearer blanks are often interchangeable
_MOST_SETS = 50_000  # held while sets are extended: all that five of 28 sentences have


class BlanksSettings(SettingsGroup):
    count: int = Field(5, ge=1, le=20, description="blanks in a passage; 5.7")
    choice: Literal["unguessable", "random"] = Field(
        "unguessable",
        description="unguessable: surface cues solve it as well as chance",
    )
    adjacent_share: float = Field(
        0.0128,
        ge=0,
        le=0.4,
        description="share of blanks beside another blank; Table 3: 1.28 %",
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
        return self.count + gaps * _MIN_GAP + 2

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
    TOO_CLOSE = (
        "sentences_too_close",
        "enough sentences can be blanks, but they are too close to each other",
    )


BLANK, NOT_DRAWN = "blank", "not_drawn"  # verdicts on sentences, in addition to the reasons
BLANKS = Table(
    "blanks.parquet",
    "One row for each passage with blanks, in the order of the passages.",
    Column("id", pa.string(), "id of the passage"),
    Column("book_id", CODED, "id of the book"),
    Column("blanks", pa.list_(pa.int32()), "places in the passage, ascending"),
    Column(
        "solved",
        pa.int32(),
        "blanks that the solver of surface cues fills correctly, given the answers alone",
    ),
    Column(
        "wanted",
        pa.int32(),
        "blanks that a random assignment of the answers fills correctly; the choice aims at this "
        "number",
    ),
    Column(
        "margin",
        pa.float64(),
        "how much better the answers fit their own blanks than the best other answer; mean over "
        "the blanks",
    ),
)
SENTENCE_VERDICTS = Table(
    "sentences.parquet",
    "One row for each sentence of the passages.",
    Column("id", pa.string(), "id of the passage"),
    Column("sentence", pa.int32(), "place of the sentence in the passage"),
    Column(
        "verdict",
        CODED,
        "`blank`, `not_drawn` (it could be one), or the reason why it cannot be one",
    ),
    example='{"id": "the-affair-of-the-green-umbrella:105", "sentence": 2, '
    '"verdict": "sentence_short"}',
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
    return first_reason(against)


def new_here(sentences: Sequence[SurfaceTies]) -> list[BlankReason | None]:
    """Reject sentences with a name or person that no other has: a reader cannot place them.

    >>> from cloze_gen.english.cohesion import surface_ties
    >>> lines = ["Then came Pip .", "Pip sat down .", "They saw Joe ."]
    >>> [reason and str(reason) for reason in new_here([surface_ties(line.split()) for line in lines])]
    [None, None, 'name_only_in_sentence']
    """
    names = Counter(name for ties in sentences for name in ties.names | {ties.first_word})
    persons = Counter(person for ties in sentences for person in ties.persons)
    reasons = []
    for ties in sentences:
        against = {
            BlankReason.NEW_NAME: any(names[name] == 1 for name in ties.names),
            BlankReason.NEW_PERSON: any(persons[person] == 1 for person in ties.persons),
        }
        reasons.append(first_reason(against))
    return reasons


def draw_blanks(
    places: Sequence[int], settings: BlanksSettings, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Distinct, equally likely sets of places; shape (draws, count), rows ascending.

    On average, `adjacent_share` of the blanks are adjacent to another, never three in a row. The
    others are at least `_MIN_GAP` apart.

    >>> settings = BlanksSettings(count=3, adjacent_share=0)
    >>> draw_blanks([1, 2, 4, 7], settings, np.random.default_rng(1)).tolist()
    [[1, 4, 7]]
    """
    with_pair = settings.count > 1 and rng.random() < settings.adjacent_share * settings.count / 2
    sets = allowed_sets(places, settings.count, int(with_pair), rng)
    if with_pair and not len(sets):
        sets = allowed_sets(places, settings.count, 0, rng)
    return sets[rng.choice(len(sets), min(len(sets), _DRAWS), replace=False)]


def allowed_sets(
    places: Sequence[int], count: int, pairs: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Sets of places with so many adjacent pairs; shape (sets, count), rows ascending.

    All of them, or about `_MOST_SETS` at random where there are more.

    >>> allowed_sets([1, 2, 5, 9], 3, 1, np.random.default_rng(1)).tolist()
    [[1, 2, 5], [1, 2, 9]]
    """
    if not places:
        return np.zeros((0, count), np.int64)
    place = np.array(places, np.int64)
    sets = place[:, None]
    for following in reversed(range(count - 1)):  # blanks after the one that is added
        gaps = place - sets[:, -1:]
        has_pair = (np.diff(sets) == 1).any(axis=1, keepdims=True)
        fits = (gaps > _MIN_GAP) | ((gaps == 1) & ~has_pair & bool(pairs))
        # the rest needs room
        fits &= place[-1] - place >= following * (_MIN_GAP + 1) - pairs * _MIN_GAP
        extensions = np.argwhere(fits)
        if len(extensions) > _MOST_SETS:
            extensions = rng.choice(extensions, _MOST_SETS, replace=False)
        row, column = extensions.T
        sets = np.column_stack((sets[row], place[column]))
    return sets[(np.diff(sets) == 1).sum(axis=1) == pairs]


@dataclass(frozen=True, slots=True)
class ChosenBlanks:
    """The blanks of a passage and the measures that chose them.

    Attributes:
        solved: blanks that surface cues fill correctly from the answers alone.
        wanted: correct answers of one random assignment, drawn for this passage.
        margin: mean coherence of the answers with their own blanks, minus that of the next best.
    """

    blanks: tuple[int, ...]
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
    """One of the draws; `columns`: the candidate of each sentence in `ties`, `after`, `before`."""
    count = draws.shape[1]
    number = np.arange(len(draws))[:, None, None]
    blank = np.arange(count)[None, :, None]
    answers = columns[draws][:, None, :]
    cues = cue_scores(ties, draws)[number, blank, answers]
    margins = _margins(coherence(after, before, draws)[number, blank, answers])
    right = np.arange(count)
    solved = [int((decode_jointly(scores) == right).sum()) for scores in cues]
    wanted = int((rng.permutation(count) == right).sum())
    considered = range(1 if settings.choice == "random" else len(draws))
    taken = min(considered, key=lambda i: (abs(solved[i] - wanted), -margins[i]))
    return ChosenBlanks(tuple(draws[taken].tolist()), solved[taken], wanted, float(margins[taken]))


def _margins(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mean margin of each blank's own answer over the best other answer; shape (draws,)."""
    of_answers = np.einsum("dii->di", scores)
    if scores.shape[1] == 1:
        return of_answers[:, 0]
    others = np.where(np.eye(scores.shape[1], dtype=np.bool_), -np.inf, scores).max(axis=2)
    return np.asarray((of_answers - others).mean(axis=1))


# ---- the stage


@functools.lru_cache(maxsize=1)
def read_blanks(blanks: Artifact) -> dict[str, tuple[int, ...]]:
    """Passage id -> places of its blanks within it."""
    rows = BLANKS.read(blanks.path(BLANKS.name), ["id", "blanks"]).to_pylist()
    return {row["id"]: tuple(row["blanks"]) for row in rows}


class BlankTables(NamedTuple):
    blanks: pa.Table
    verdicts: pa.Table
    rejected: pa.Table


def blank_novel(
    novel: Novel, *, passages: Artifact, coherence: Artifact, settings: BlanksSettings, seed: int
) -> BlankTables:
    blanks: list[dict[str, Any]] = []
    verdicts: list[dict[str, Any]] = []
    rejected: list[Rejection] = []
    windows = windows_by_book(passages).get(novel.id, ())
    book = read_novel(novel, passages.path(HYPHENS))
    in_speech = sentence_traits(book.text, offensive=()).in_speech.tolist()
    for window in windows:
        tokens = [book.tokens(i) for i in window.sentences]
        ties = [surface_ties(sentence) for sentence in tokens]
        reasons = _sentence_reasons(
            tokens, ties, in_speech[window.first : window.last + 1], settings
        )
        places = [place for place, reason in enumerate(reasons) if reason is None]
        rng = derive_rng(seed, "scde.blanks", window.id)
        draws = draw_blanks(places, settings, rng)
        chosen: tuple[int, ...] = ()
        if len(draws):
            columns = np.full(len(tokens), -1)
            columns[places] = np.arange(len(places))
            after, before = open_coherence(coherence).follows(tokens, [tokens[k] for k in places])
            choice = choose_blanks(
                draws,
                columns=columns,
                ties=tie(ties, [ties[k] for k in places], stem_rarity(coherence)),
                after=after,
                before=before,
                settings=settings,
                rng=rng,
            )
            chosen = choice.blanks
            blanks.append({"id": window.id, "book_id": novel.id} | asdict(choice))
        else:
            too_few = len(places) < settings.count
            lack = PassageReason.FEW_SENTENCES if too_few else PassageReason.TOO_CLOSE
            rejected.append(Rejection(window.id, lack, str(len(places))))
        for place, reason in enumerate(reasons):
            verdict = reason or (BLANK if place in chosen else NOT_DRAWN)
            verdicts.append({"id": window.id, "sentence": place, "verdict": str(verdict)})
    return BlankTables(
        BLANKS.of_records(blanks), SENTENCE_VERDICTS.of_records(verdicts), rejection_table(rejected)
    )


def _sentence_reasons(
    tokens: Sequence[Sequence[str]],
    ties: Sequence[SurfaceTies],
    in_speech: Sequence[bool],
    settings: BlanksSettings,
) -> list[BlankReason | None]:
    """Why each sentence of a passage cannot be a blank; None if it can."""
    new = new_here(ties)
    reasons = [
        blank_reason(tokens[place], ties[place], in_speech=inside, settings=settings) or new[place]
        for place, inside in enumerate(in_speech)
    ]
    for edge in (0, -1):
        reasons[edge] = reasons[edge] or BlankReason.EDGE
    return reasons


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
    blank = functools.partial(
        blank_novel, passages=passages, coherence=coherence, settings=settings, seed=seed
    )
    with (
        TableWriter(writer, BLANKS) as blanks,
        TableWriter(writer, SENTENCE_VERDICTS) as verdicts,
        RejectionWriter(writer) as rejections,
    ):
        for tables in ctx.map(blank, novels_of(partition), unit="books"):
            blanks.append(tables.blanks)
            verdicts.append(tables.verdicts)
            rejections.append(tables.rejected)
    writer.funnel = funnel("passages", kept=blanks.rows, rejected=rejections.reasons)
    seen = blanks.rows + rejections.reasons.total()
    ctx.say(f"{blanks.rows:,} of {seen:,} passages have {settings.count} blanks")
