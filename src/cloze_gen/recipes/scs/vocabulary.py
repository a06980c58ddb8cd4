"""The content vocabulary: the most frequent content (lemma, class) pairs of a tagged corpus.

It replaces the unpublished "vocabulary of 6900 words used in [1]" (Argouarc'h 2018, 3.3).
`VocabularyReason` lists the rules. We read "common content word" (3.1) as a pair of this vocabulary.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import Field

from cloze_gen.corpus.counts import Pair
from cloze_gen.corpus.frequencies import read_lemma_counts
from cloze_gen.corpus.offensive_words import dialect_words
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.english.content_words import FUNCTION_LEMMAS
from cloze_gen.english.penn_tags import CONTENT_CLASSES
from cloze_gen.records.rejection import Reason
from cloze_gen.settings import MOST_COUNTED, SettingsGroup
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, funnel
from cloze_gen.store.tables import read_tsv, write_tsv

_SHAPE = re.compile(r"[a-z]+(?:-[a-z]+)*")
_NAME_SHARE = (
    0.5  # of a lemma's tokens; from this share on the word is a name ("bernard"; not "baker")
)


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


@dataclass(frozen=True, slots=True)
class VocabularyPair:
    lemma: str
    word_class: str
    count: int
    class_share: float


def content_vocabulary(
    counts: Mapping[Pair, int],
    *,
    settings: VocabularySettings,
) -> tuple[list[VocabularyPair], Counter[VocabularyReason]]:
    """The vocabulary, most frequent pair first (ties by the pair), and rejections by reason.

    >>> counts = {("walk", "verb"): 60, ("walk", "noun"): 40, ("be", "verb"): 900, ("walk", "adverb"): 2, ("rose", "proper_noun"): 9}
    >>> [(p.lemma, p.word_class) for p in content_vocabulary(counts, settings=VocabularySettings())[0]]
    [('walk', 'verb'), ('walk', 'noun')]
    """
    totals: Counter[str] = Counter()
    names: Counter[str] = Counter()
    for (lemma, word_class), count in counts.items():
        totals[lemma] += count
        if word_class == "proper_noun":
            names[lemma] += count
    rejected_by_reason: Counter[VocabularyReason] = Counter()
    pairs = []
    for (lemma, word_class), count in counts.items():
        reason = _refusal(
            lemma,
            word_class,
            name_share=names[lemma] / totals[lemma],
            class_share=count / totals[lemma],
            settings=settings,
        )
        if reason is None:
            pairs.append(VocabularyPair(lemma, word_class, count, count / totals[lemma]))
        else:
            rejected_by_reason[reason] += 1
    pairs.sort(key=lambda pair: (-pair.count, pair.lemma, pair.word_class))
    rejected_by_reason[VocabularyReason.BEYOND_SIZE] += max(0, len(pairs) - settings.size)
    return pairs[: settings.size], rejected_by_reason


def _refusal(
    lemma: str,
    word_class: str,
    *,
    name_share: float,
    class_share: float,
    settings: VocabularySettings,
) -> VocabularyReason | None:
    if word_class not in CONTENT_CLASSES:
        return VocabularyReason.NOT_CONTENT
    if len(lemma) < 2 or not _SHAPE.fullmatch(lemma):
        return VocabularyReason.SHAPE
    if lemma in FUNCTION_LEMMAS:
        return VocabularyReason.FUNCTION
    if lemma in dialect_words():
        return VocabularyReason.DIALECT
    if name_share >= _NAME_SHARE:
        return VocabularyReason.NAME
    return VocabularyReason.SLIP if class_share < settings.min_class_share else None


VOCABULARY = "vocabulary.tsv"


def write_vocabulary(
    writer: ArtifactWriter,
    ctx: StageContext,
    *,
    tagged: Artifact,
    settings: VocabularySettings,
) -> None:
    """Write `vocabulary.tsv`, most frequent pair first; `freq` is a share of training word tokens."""
    counts = read_lemma_counts(tagged)
    word_tokens = int(tagged.facts["word_tokens"])
    pairs, rejected_by_reason = content_vocabulary(counts, settings=settings)
    rows = [
        (pair.lemma, pair.word_class, pair.count, pair.count / word_tokens, pair.class_share)
        for pair in pairs
    ]
    writer.rows[VOCABULARY] = write_tsv(
        writer.path(VOCABULARY), ("lemma", "class", "count", "freq", "class_share"), rows
    )
    writer.funnel = funnel("(lemma, class) pairs", kept=len(pairs), rejected=rejected_by_reason)
    least = f"; the rarest has {pairs[-1].count:,} tokens" if pairs else ""
    ctx.say(f"{len(pairs):,} content words of {len(counts):,} (lemma, class) pairs{least}")


def read_vocabulary(artifact: Artifact) -> dict[Pair, float]:
    """(lemma, class) -> frequency in the training corpus."""
    return {
        (row["lemma"], row["class"]): float(row["freq"])
        for row in read_tsv(artifact.path(VOCABULARY))
    }
