"""The content vocabulary: the most frequent content (lemma, class) pairs of a tagged corpus.

It replaces the unpublished "vocabulary of 6900 words used in [1]" (Argouarc'h 2018, 3.3).
`VocabularyReason` lists the rules. We read "common content word" (3.1) as a pair of this vocabulary.
"""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

import pyarrow as pa
from pydantic import Field

from cloze_gen.corpus.counts import Pair
from cloze_gen.corpus.frequencies import read_lemma_counts
from cloze_gen.corpus.offensive_words import dialect_words
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.english.content_words import FUNCTION_LEMMAS
from cloze_gen.english.penn_tags import CONTENT_CLASSES
from cloze_gen.records.rejection import Reason, first_reason
from cloze_gen.settings import MOST_COUNTED, SettingsGroup
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, funnel
from cloze_gen.store.schema import CODED, Column, Table

_SHAPE = re.compile(r"[a-z]+(?:-[a-z]+)*")
# Of a lemma's tokens; from this share on the word is a name ("bernard"; not "baker").
_NAME_SHARE = 0.5


class VocabularySettings(SettingsGroup):
    size: int = Field(
        6900,
        ge=10,
        le=MOST_COUNTED,
        description="number of (lemma, class) pairs; 3.3",
    )
    min_class_share: float = Field(
        0.1,
        ge=0,
        le=1,
        description="least share of a lemma's tokens with the class",
    )


class VocabularyReason(Reason):
    NOT_CONTENT = (
        "pair_not_of_a_content_class",
        "the word is not a noun, verb, adjective or adverb",
    )
    SHAPE = ("pair_not_written_with_letters", "the word is not written with letters only")
    FUNCTION = ("pair_is_a_function_word", "the word is a function word")
    DIALECT = ("pair_is_dialect", "the word is dialect, slang or an eye spelling")
    NAME = ("pair_mostly_a_name", "the word is mostly used as a name")
    SLIP = (
        "pair_rare_for_its_lemma",
        "the word class is rare for this lemma, probably a tagging error",
    )
    BEYOND_SIZE = (
        "pair_beyond_vocabulary_size",
        "the vocabulary already has vocabulary.size words",
    )


VOCABULARY = Table(
    "vocabulary.parquet",
    "The content vocabulary, the most frequent pair first.",
    Column("lemma", pa.string(), "lemma"),
    Column("class", CODED, "class of the word"),
    Column("count", pa.int64(), "tokens of the pair in the training books"),
    Column("freq", pa.float64(), "share of the word tokens"),
)


def content_vocabulary(
    counts: Mapping[Pair, int], *, word_tokens: int, settings: VocabularySettings
) -> tuple[list[dict[str, Any]], Counter[VocabularyReason]]:
    """Rows of `VOCABULARY` (ties by the pair), and rejections by reason.

    >>> counts = {("walk", "verb"): 60, ("walk", "noun"): 40, ("be", "verb"): 900, ("walk", "adverb"): 2, ("rose", "proper_noun"): 9}
    >>> rows, _ = content_vocabulary(counts, word_tokens=1011, settings=VocabularySettings())
    >>> [(row["lemma"], row["class"]) for row in rows]
    [('walk', 'verb'), ('walk', 'noun')]
    """
    totals: Counter[str] = Counter()
    for (lemma, _), count in counts.items():
        totals[lemma] += count
    rejected: Counter[VocabularyReason] = Counter()
    rows: list[dict[str, Any]] = []
    for (lemma, word_class), count in counts.items():
        name_count = counts.get((lemma, "proper_noun"), 0)
        faults = {
            VocabularyReason.NOT_CONTENT: word_class not in CONTENT_CLASSES,
            VocabularyReason.SHAPE: len(lemma) < 2 or not _SHAPE.fullmatch(lemma),
            VocabularyReason.FUNCTION: lemma in FUNCTION_LEMMAS,
            VocabularyReason.DIALECT: lemma in dialect_words(),
            VocabularyReason.NAME: name_count >= _NAME_SHARE * totals[lemma],
            VocabularyReason.SLIP: count / totals[lemma] < settings.min_class_share,
        }
        reason = first_reason(faults)
        if reason is not None:
            rejected[reason] += 1
            continue
        row = {
            "lemma": lemma,
            "class": word_class,
            "count": count,
            "freq": count / word_tokens,
        }
        rows.append(row)
    rows.sort(key=lambda row: (-row["count"], row["lemma"], row["class"]))
    rejected[VocabularyReason.BEYOND_SIZE] += max(0, len(rows) - settings.size)
    return rows[: settings.size], rejected


def write_vocabulary(
    writer: ArtifactWriter,
    ctx: StageContext,
    *,
    tagged: Artifact,
    settings: VocabularySettings,
) -> None:
    counts = read_lemma_counts(tagged)
    rows, rejected = content_vocabulary(
        counts, word_tokens=int(tagged.facts["word_tokens"]), settings=settings
    )
    VOCABULARY.write_records(writer, rows)
    writer.funnel = funnel("(lemma, class) pairs", kept=len(rows), rejected=rejected)
    least = f"; the rarest has {rows[-1]['count']:,} tokens" if rows else ""
    ctx.say(f"{len(rows):,} content words of {len(counts):,} (lemma, class) pairs{least}")


@functools.lru_cache(maxsize=1)
def read_vocabulary(artifact: Artifact) -> dict[Pair, float]:
    """(lemma, class) -> frequency in the training corpus, in the order of the table."""
    rows = VOCABULARY.read(artifact.path(VOCABULARY.name)).to_pylist()
    return {(row["lemma"], row["class"]): row["freq"] for row in rows}
