"""The content vocabulary: the pairs kept with count, frequency and class share; the funnel says what each rule refused."""

from __future__ import annotations

from collections.abc import Container

from cloze_gen.recipes.scs.steps.vocabulary import VocabularySettings, content_vocabulary
from cloze_gen.stages.corpus.tagged_counts import read_lemma_counts
from cloze_gen.stages.room import Room
from cloze_gen.stats.lemma_counts import Pair
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, funnel
from cloze_gen.store.tables import read_tsv, write_tsv

VOCABULARY = "vocabulary.tsv"


def write_vocabulary(
    writer: ArtifactWriter, room: Room, *, tagged: Artifact, settings: VocabularySettings, reference: Container[Pair] | None
) -> None:
    """Write `vocabulary.tsv`, most frequent pair first.

    Columns: `lemma`, `class`, `count`, `freq` (share of the training word tokens), `class_share` (share of the lemma's tokens).

    Args:
        reference: the pairs of the reference questions where the vocabulary is theirs; else None.
    """
    counts = read_lemma_counts(tagged)
    word_tokens = int(tagged.facts["word_tokens"])
    pairs, refused = content_vocabulary(counts, settings=settings, reference=reference)
    rows = [(pair.lemma, pair.word_class, pair.count, pair.count / word_tokens, pair.class_share) for pair in pairs]
    writer.rows[VOCABULARY] = write_tsv(writer.path(VOCABULARY), ("lemma", "class", "count", "freq", "class_share"), rows)
    writer.funnel = funnel("(lemma, class) pairs", kept=len(pairs), rejected=refused)
    least = f"; the rarest counts {pairs[-1].count:,}" if pairs else ""
    room.say(f"{len(pairs):,} content words of {len(counts):,} (lemma, class) pairs{least}")


def read_vocabulary(artifact: Artifact) -> dict[Pair, float]:
    """(lemma, class) -> frequency in the training corpus."""
    return {(row["lemma"], row["class"]): float(row["freq"]) for row in read_tsv(artifact.path(VOCABULARY))}
