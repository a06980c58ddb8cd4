"""Blanks: the sentences of a passage that are removed (SCDE 5.7).

The paper draws "five sentences in a passage as blanks" and prevents "three or more blanks
consecutive to each other". We also exclude sentences that a reader cannot place. Of many draws we
take one that surface cues solve as well as chance; ties are decided by coherence with the context.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pydantic import Field

from cloze_gen.corpus.arrays import sentence_traits
from cloze_gen.corpus.hyphens import HYPHENS
from cloze_gen.corpus.paragraphs import HEADING
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.english.cohesion import SurfaceTies, surface_ties
from cloze_gen.english.sentence_fitness import sentence_fault
from cloze_gen.models.blank_assignment import decode_jointly
from cloze_gen.models.sentence_cues import TiedPassage, cue_scores, tie
from cloze_gen.recipes.scde.coherence import neighbour_coherence, open_coherence, stem_rarity
from cloze_gen.recipes.scde.passages import (
    Novel,
    novels_of,
    read_novel,
    windows_by_book,
)
from cloze_gen.recipes.tables import rejection_table, write_pieces
from cloze_gen.records.rejection import Reason, Rejection, first_reason
from cloze_gen.rng import derive_rng
from cloze_gen.settings import MOST_EACH, SettingsGroup
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, funnel
from cloze_gen.store.schema import CODED, Column, Table
from cloze_gen.word_tokens import is_word

_DRAWS = 60  # to choose from
_ADJACENT_SHARE = 0.0128  # of blanks are beside another one; Table 3: 1.28 %
_MIN_GAP = 2  # sentences between blanks: answers of nearer blanks are often interchangeable
_MOST_SETS = 50_000  # held while sets are extended: all that five of 28 sentences have


class BlanksSettings(SettingsGroup):
    count: int = Field(5, ge=1, le=20, description="blanks in a passage; 5.7")
    choice: Literal["unguessable", "random"] = Field(
        "unguessable",
        description="unguessable: surface cues solve it as well as chance",
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
        """Length of the shortest passage with `count` blanks, two of them adjacent."""
        return max(3, self.count + (self.count - 2) * _MIN_GAP + 2)


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
        "by_chance",
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


def passage_reasons(
    ties: Sequence[SurfaceTies], reasons: Sequence[BlankReason | None]
) -> list[BlankReason | None]:
    """Why each sentence of a passage cannot be a blank: its `blank_reason`, or its context.

    A reader cannot place a sentence with a name or a person that no other sentence has.

    >>> from cloze_gen.english.cohesion import surface_ties
    >>> lines = ["Then came Pip .", "Pip sat down .", "They saw Joe .", "They left ."]
    >>> reasons = passage_reasons([surface_ties(line.split()) for line in lines], [None] * 4)
    >>> [reason and str(reason) for reason in reasons]
    ['edge_of_passage', None, 'name_only_in_sentence', 'edge_of_passage']
    """
    names = Counter(name for sentence in ties for name in sentence.names | {sentence.first_word})
    persons = Counter(person for sentence in ties for person in sentence.persons)
    in_context = []
    for place, sentence in enumerate(ties):
        against = {
            BlankReason.NEW_NAME: any(names[name] == 1 for name in sentence.names),
            BlankReason.NEW_PERSON: any(persons[person] == 1 for person in sentence.persons),
            BlankReason.EDGE: place in (0, len(ties) - 1),
        }
        in_context.append(reasons[place] or first_reason(against))
    return in_context


def draw_blanks(places: Sequence[int], count: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Distinct, equally likely sets of places; shape (draws, count), rows ascending.

    On average, `_ADJACENT_SHARE` of the blanks are adjacent to another, never three in a row. The
    others have at least `_MIN_GAP` sentences between them.

    >>> draw_blanks([1, 2, 4, 7], 3, np.random.default_rng(1)).tolist()
    [[1, 4, 7]]
    """
    with_pair = rng.random() < _ADJACENT_SHARE * count / 2
    sets = allowed_sets(places, count, int(with_pair), rng)
    if with_pair and not len(sets):
        sets = allowed_sets(places, count, 0, rng)
    return sets[rng.choice(len(sets), min(len(sets), _DRAWS), replace=False)]


def allowed_sets(
    places: Sequence[int], count: int, pairs: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Sets of places with so many adjacent pairs; shape (sets, count), rows ascending.

    All of them, or about `_MOST_SETS` at random where there are more.

    >>> allowed_sets([1, 2, 5, 9], 3, 1, np.random.default_rng(1)).tolist()
    [[1, 2, 5], [1, 2, 9]]
    """
    place = np.array(places, np.int64)
    sets = place[:, None]
    for following in reversed(range(count - 1)):  # blanks after the one that is added
        gaps = place - sets[:, -1:]
        has_pair = (np.diff(sets) == 1).any(axis=1, keepdims=True)
        fits = (gaps > _MIN_GAP) | ((gaps == 1) & ~has_pair & bool(pairs))
        # the rest needs room
        fits &= place.max(initial=0) - place >= following * (_MIN_GAP + 1) - pairs * _MIN_GAP
        extensions = np.argwhere(fits)
        if len(extensions) > _MOST_SETS:
            extensions = rng.choice(extensions, _MOST_SETS, replace=False)
        row, column = extensions.T
        sets = np.column_stack((sets[row], place[column]))
    return sets[(np.diff(sets) == 1).sum(axis=1) == pairs]


@dataclass(frozen=True, slots=True)
class ChosenBlanks:
    """The blanks of a passage and the measures that chose them, as in `BLANKS`."""

    blanks: tuple[int, ...]
    solved: int
    by_chance: int
    margin: float


def choose_blanks(
    draws: NDArray[np.int64],
    *,
    places: Sequence[int],
    ties: TiedPassage,
    after: NDArray[np.float64],
    before: NDArray[np.float64],
    settings: BlanksSettings,
    rng: np.random.Generator,
) -> ChosenBlanks:
    """One of the draws; the candidates of `ties`, `after` and `before` are those of `places`."""
    if settings.choice == "random":
        draws = draws[:1]
    answers = np.searchsorted(places, draws)[:, None, :]
    cues = np.take_along_axis(cue_scores(ties, draws), answers, axis=2)
    coherence = np.take_along_axis(neighbour_coherence(after, before, draws), answers, axis=2)
    right = np.arange(settings.count)
    solved = [int((decode_jointly(scores) == right).sum()) for scores in cues]
    by_chance = int((rng.permutation(settings.count) == right).sum())
    margins = _margins(coherence)
    taken = min(range(len(draws)), key=lambda i: (abs(solved[i] - by_chance), -margins[i]))
    return ChosenBlanks(
        tuple(draws[taken].tolist()), solved[taken], by_chance, float(margins[taken])
    )


def _margins(coherence: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mean margin of each blank's own answer over the best other answer; shape (draws,).

    `coherence`: shape (draws, blanks, answers).
    """
    of_answers = np.einsum("dii->di", coherence)
    is_own = np.eye(coherence.shape[1], dtype=np.bool_)
    others = np.where(is_own, -1.0, coherence).max(axis=2)  # -1: of no answer, the least
    return np.asarray((of_answers - others).mean(axis=1))


# ---- the stage


@functools.lru_cache(maxsize=1)
def read_blanks(blanks: Artifact) -> dict[str, tuple[int, ...]]:
    """Passage id -> places of its blanks within it."""
    rows = BLANKS.read(blanks.path(BLANKS.name), ["id", "blanks"]).to_pylist()
    return {row["id"]: tuple(row["blanks"]) for row in rows}


@dataclass(frozen=True, slots=True)
class NovelSentences:
    """The sentences of a novel, measured when asked for: few of them are in a window or near one.

    Attributes:
        chapter: shape (sentences,): headings up to each.
        reason: why a sentence can be a blank nowhere; None if it can.
    """

    texts: list[str]
    chapter: NDArray[np.int64]
    tokens: Callable[[int], tuple[str, ...]]
    ties: Callable[[int], SurfaceTies]
    reason: Callable[[int], BlankReason | None]


def read_novel_sentences(
    novel: Novel, passages: Artifact, settings: BlanksSettings
) -> NovelSentences:
    book = read_novel(novel, passages.path(HYPHENS))
    chapter = np.cumsum([kind == HEADING for kind in book.text.kinds])
    in_speech = sentence_traits(book.text, offensive=()).in_speech.tolist()
    tokens = functools.cache(book.text.tokens)

    @functools.cache
    def ties(sentence: int) -> SurfaceTies:
        return surface_ties(tokens(sentence))

    @functools.cache
    def reason(sentence: int) -> BlankReason | None:
        return blank_reason(
            tokens(sentence), ties(sentence), in_speech=in_speech[sentence], settings=settings
        )

    return NovelSentences(book.texts, chapter, tokens, ties, reason)


def blank_novel(
    novel: Novel, *, passages: Artifact, coherence: Artifact, settings: BlanksSettings, seed: int
) -> tuple[pa.Table, pa.Table, pa.Table]:
    """Rows of `BLANKS` and of `SENTENCE_VERDICTS`, and the passages without blanks."""
    blanks: list[dict[str, Any]] = []
    verdicts: list[dict[str, Any]] = []
    rejected: list[Rejection] = []
    sentences = read_novel_sentences(novel, passages, settings)
    for window in windows_by_book(passages).get(novel.id, ()):
        tokens = [sentences.tokens(i) for i in window.sentences]
        ties = [sentences.ties(i) for i in window.sentences]
        reasons = passage_reasons(ties, [sentences.reason(i) for i in window.sentences])
        places = [place for place, reason in enumerate(reasons) if reason is None]
        rng = derive_rng(seed, "scde.blanks", window.id)
        draws = draw_blanks(places, settings.count, rng)
        chosen: tuple[int, ...] = ()
        if len(draws):
            after, before = open_coherence(coherence).follows(tokens, [tokens[i] for i in places])
            choice = choose_blanks(
                draws,
                places=places,
                ties=tie(ties, [ties[i] for i in places], stem_rarity(coherence)),
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
    return (
        BLANKS.of_records(blanks),
        SENTENCE_VERDICTS.of_records(verdicts),
        rejection_table(rejected),
    )


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
    pieces = ctx.map(blank, novels_of(partition), unit="books")
    rejected = write_pieces(writer, pieces, BLANKS, SENTENCE_VERDICTS)
    kept = writer.rows[BLANKS.name]
    writer.funnel = funnel("passages", kept=kept, rejected=rejected)
    ctx.say(f"{kept:,} of {writer.funnel['seen']:,} passages have {settings.count} blanks")
