"""The `draw` stage: a focus word of each sentence, its impostors, and the screen.

The draw uses no statistic of word-to-word relations (`focus.py`, `impostors.py`). The screen
(`screen.py`) only drops questions: nothing is drawn after it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import pyarrow as pa
from pydantic import Field

from cloze_gen.corpus.frequencies import read_counts
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.english.content_words import stem
from cloze_gen.recipes.scs.focus import Blank, Form, eligible_words
from cloze_gen.recipes.scs.impostors import N_IMPOSTORS, Pools, can_replace, draw_impostors
from cloze_gen.recipes.scs.inflections import read_inflections
from cloze_gen.recipes.scs.place_table import PlacesSettings, read_places
from cloze_gen.recipes.scs.screen import expected_ambiguity
from cloze_gen.recipes.scs.sentences import TAGGED_SENTENCES
from cloze_gen.recipes.scs.vocabulary import read_vocabulary
from cloze_gen.recipes.tables import rejection_table, write_pieces
from cloze_gen.records.rejection import Reason, Rejection
from cloze_gen.rng import derive_rng
from cloze_gen.settings import SettingsGroup
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, funnel
from cloze_gen.store.schema import CODED, Column, Table

_SENTENCES_A_PART = 1000


class DrawSettings(SettingsGroup):
    # We read "a frequency between 10^-3 and 2.10^-7 in the MR corpus" as inclusive limits on the
    # (lemma, class) pair in the training corpus, of answers and of impostors.
    min_freq: float = Field(
        2e-7,
        ge=0,
        le=1,
        description="least frequency of an option's pair, inclusive; 3.2",
    )
    max_freq: float = Field(
        1e-3, gt=0, le=1, description="greatest frequency of an option's pair, inclusive; 3.2"
    )
    method: Literal["uniform", "matched"] = Field(
        "matched",
        description="impostors: any lemma of the class (3.3), or one near the answer's frequency",
    )
    max_ambiguity: float = Field(
        0.14,
        gt=0,
        le=1,
        description="share of readers whom an impostor suits; 1: no screen",
    )


class DrawReason(Reason):
    NONE_ELIGIBLE = (
        "no_content_word_within_limits",
        "no content word of the sentence is within the frequency limits and fits its place",
    )
    FEW_FORMS = (
        "too_few_matching_inflections",
        "fewer than four words with the same class and inflection fit the place",
    )
    NO_SET = (
        "no_four_dissimilar_impostors",
        "no drawn set of impostors suits the sentence, differs in meaning, and is balanced",
    )
    NOT_TRIED = ("other_target_chosen", "another target word of the same sentence was chosen")
    AMBIGUOUS = (
        "screen_ambiguous",
        "readers would probably find that an impostor fits as well (draw.max_ambiguity)",
    )


DRAWN = Table(
    "drawn.parquet",
    "Five rows a drawn question, one an option: the answer, then the impostors.",
    Column("id", pa.string(), "id of the item"),
    Column("position", pa.int16(), "of the blank: index among the sentence's own tokens"),
    Column("class", CODED, "class of the options"),
    Column("tag", CODED, "their Penn tag"),
    Column(
        "place",
        CODED,
        "kinds before and after; `verb 0 subject _ noun+end`: active, with subject and object",
    ),
    Column("word", CODED, "the option"),
    Column("lemma", CODED, "its lemma"),
    Column("count", pa.int64(), "tokens of the word in the training books"),
    Column("freq", pa.float64(), "`freq` of `counts.tsv`"),
    Column("lemma_freq", pa.float64(), "share of the (lemma, class) pair in the word tokens"),
    Column(
        "ambiguity",
        pa.float64(),
        "expected share of readers who find that an impostor fits as well",
    ),
    Column("kept", pa.bool_(), "whether the question passes the screen"),
)


@functools.lru_cache(maxsize=1)
def read_pools(
    vocabulary: Artifact,
    inflections: Artifact,
    counts: Artifact,
    places: Artifact,
    *,
    offensive: frozenset[str],
    settings: DrawSettings,
    places_settings: PlacesSettings,
) -> Pools:
    lemma_freqs = read_vocabulary(vocabulary)
    table = read_counts(counts)
    row_of = table.index()
    forms: dict[tuple[str, str], Form] = {}
    for cell in read_inflections(inflections):
        lemma_freq = lemma_freqs[cell.lemma, cell.word_class]
        row = row_of.get(cell.form)
        within_limits = settings.min_freq <= lemma_freq <= settings.max_freq
        if row is None or not within_limits or cell.form in offensive:
            continue
        forms[cell.lemma, cell.tag] = Form(
            word=cell.form,
            lemma=cell.lemma,
            word_class=cell.word_class,
            tag=cell.tag,
            trait=cell.trait,
            cells=cell.cells,
            tag_count=cell.count,
            count=int(table.count[row]),
            freq=float(table.freq[row]),
            lemma_freq=lemma_freq,
        )
    place_table = read_places(places, list(lemma_freqs), places_settings)
    return Pools(forms, place_table, matched=settings.method == "matched")


@dataclass(frozen=True, slots=True)
class Drawn:
    blank: Blank
    impostors: Sequence[Form]


def draw_question(
    sentence_id: str, tokens: Sequence[str], tags: Sequence[str], *, pools: Pools, seed: int
) -> tuple[Drawn | None, list[Rejection]]:
    """The first eligible word, in random order, that gets impostors; rejections of the others."""
    blanks = eligible_words(tokens, tags, forms=pools.forms, takes=pools.places.takes)
    if not blanks:
        return None, [Rejection(sentence_id, DrawReason.NONE_ELIGIBLE)]
    rng = derive_rng(seed, "scs.draw", sentence_id)
    # The answer's rank among the options is drawn beforehand.
    n_more_frequent = int(rng.integers(N_IMPOSTORS + 1)) if pools.matched else None
    stems = frozenset(map(stem, tokens))
    drawn: Drawn | None = None
    rejected = []
    for i in rng.permutation(len(blanks)):
        blank = blanks[i]
        item_id = f"{sentence_id}:{blank.position}"
        if drawn is not None:
            rejected.append(Rejection(item_id, DrawReason.NOT_TRIED))
            continue
        suits = functools.partial(can_replace, predecessor=blank.predecessor, stems=stems)
        pool = pools.pool(blank.answer, blank.place)
        impostors = draw_impostors(
            blank.answer, pool, suits=suits, n_more_frequent=n_more_frequent, rng=rng
        )
        if impostors:
            drawn = Drawn(blank, impostors)
            continue
        is_small = len(pool.forms) <= N_IMPOSTORS
        reason = DrawReason.FEW_FORMS if is_small else DrawReason.NO_SET
        detail = f"{blank.answer.word} in {blank.place}: {len(pool.forms)} words"
        rejected.append(Rejection(item_id, reason, detail))
    return drawn, rejected


def draw_part(
    sentences: pa.RecordBatch,
    *,
    read: Callable[[], Pools],
    settings: DrawSettings,
    seed: int,
) -> tuple[pa.Table, pa.Table]:
    """Rows of `DRAWN` and of `REJECTIONS`.

    Args:
        sentences: rows of `TAGGED_SENTENCES`.
        read: `read_pools` of the run.
    """
    pools = read()
    rows: list[dict[str, Any]] = []
    rejected: list[Rejection] = []
    for sentence in sentences.to_pylist():
        tokens, tags = sentence["tokens"].split(" "), sentence["tags"].split(" ")
        drawn, others = draw_question(sentence["id"], tokens, tags, pools=pools, seed=seed)
        rejected += others
        if drawn is None:
            continue
        options = _rows(sentence["id"], tokens, drawn, settings)
        rows += options
        if not options[0]["kept"]:
            rejected.append(Rejection(options[0]["id"], DrawReason.AMBIGUOUS))
    return DRAWN.of_records(rows), rejection_table(rejected)


def _rows(
    sentence_id: str, tokens: Sequence[str], drawn: Drawn, settings: DrawSettings
) -> list[dict[str, Any]]:
    """Rows of `DRAWN` for one question."""
    answer, position = drawn.blank.answer, drawn.blank.position
    forms = [answer, *drawn.impostors]
    ambiguity = expected_ambiguity(
        tokens,
        position,
        [form.word for form in forms],
        word_class=answer.word_class,
    )
    return [
        {
            "id": f"{sentence_id}:{position}",
            "position": position,
            "class": answer.word_class,
            "tag": answer.tag,
            "place": str(drawn.blank.place),
            "word": form.word,
            "lemma": form.lemma,
            "count": form.count,
            "freq": form.freq,
            "lemma_freq": form.lemma_freq,
            "ambiguity": ambiguity,
            "kept": ambiguity <= settings.max_ambiguity,
        }
        for form in forms
    ]


def write_draw(
    writer: ArtifactWriter,
    ctx: StageContext,
    *,
    sentences: Artifact,
    vocabulary: Artifact,
    inflections: Artifact,
    counts: Artifact,
    places: Artifact,
    offensive: frozenset[str],
    builtin_words: Mapping[str, Any],
    settings: DrawSettings,
    places_settings: PlacesSettings,
    seed: int,
) -> None:
    """Write every drawn question; `builtin_words`: `builtin_words_facts`."""
    table = TAGGED_SENTENCES.read(sentences.path(TAGGED_SENTENCES.name), ["id", "tokens", "tags"])
    parts = table.to_batches(max_chunksize=_SENTENCES_A_PART)
    read = functools.partial(
        read_pools,
        vocabulary,
        inflections,
        counts,
        places,
        offensive=offensive,
        settings=settings,
        places_settings=places_settings,
    )
    draw = functools.partial(draw_part, read=read, settings=settings, seed=seed)
    rejected = write_pieces(writer, ctx.map(draw, parts, unit="parts"), DRAWN)
    n_drawn = writer.rows[DRAWN.name] // (N_IMPOSTORS + 1)
    kept = n_drawn - rejected[DrawReason.AMBIGUOUS]
    writer.funnel = funnel("sentences and their words", kept=kept, rejected=rejected)
    writer.note_libraries("numpy", "pyarrow")
    writer.versions["words"] = str(builtin_words["sha256"])[:16]
    ctx.say(f"{n_drawn:,} questions of {table.num_rows:,} sentences; {kept:,} pass the screen")
