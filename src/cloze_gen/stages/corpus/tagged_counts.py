"""Counts of the tagged training books: (form, tag) and (lemma, class)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import pyarrow as pa

from cloze_gen.english.treebank import host
from cloze_gen.stages.corpus.hyphens import HYPHENS, mend_token, read_hyphen_forms
from cloze_gen.stages.corpus.tags import TAGGED_TYPES, lemma_pair, tag_folders
from cloze_gen.stages.room import Room
from cloze_gen.stats.lemma_counts import Pair, lemma_counts
from cloze_gen.store.artifacts import Artifact, ArtifactWriter
from cloze_gen.store.tables import read_parquet, read_tsv, write_tsv
from cloze_gen.text.normalize import LINE_END_HYPHEN
from cloze_gen.words import is_word

FORMS, LEMMAS = "forms.tsv", "lemmas.tsv"


@dataclass(frozen=True, slots=True)
class TaggedCounts:
    """Counts of a tagged corpus.

    Attributes:
        forms: (lower-cased host, Penn tag) -> tokens; the clitic of a token is left aside.
        lemmas: (lemma, class) -> tokens.
        word_tokens: tokens that hold a letter or a digit; the denominator of `freq`.
    """

    forms: dict[tuple[str, str], int]
    lemmas: dict[Pair, int]
    word_tokens: int

    def freq(self, pair: Pair) -> float:
        return self.lemmas.get(pair, 0) / max(1, self.word_tokens)


def write_tagged_counts(writer: ArtifactWriter, room: Room, *, tagging: Artifact, counts: Artifact) -> None:
    """Sum the books' counts of (token, tag); headings are left out, tokens broken at line ends take the form the corpus attests.

    Writes `forms.tsv` (`form`, `tag`, `count`) and `lemmas.tsv` (`lemma`, `class`, `count`, `freq`), both with the commonest first.
    """
    tables = [read_parquet(folder / TAGGED_TYPES).cast(_PLAIN) for _, folder in sorted(tag_folders(tagging).items())]
    merged = pa.concat_tables(tables).group_by(["word", "tag"]).aggregate([("count", "sum")])
    mended = read_hyphen_forms(counts.path(HYPHENS))
    forms: Counter[tuple[str, str]] = Counter()
    for word, tag, count in zip(merged["word"].to_pylist(), merged["tag"].to_pylist(), merged["count_sum"].to_pylist(), strict=True):
        if LINE_END_HYPHEN in word:
            word = mend_token(word, mended)
        if is_word(word):
            forms[host(word).lower(), tag] += count
    pairs = lemma_counts((lemma_pair(form, tag), count) for (form, tag), count in forms.items())
    word_tokens = sum(forms.values())
    rows = [(form, tag, count) for (form, tag), count in sorted(forms.items(), key=lambda item: (-item[1], item[0]))]
    writer.rows[FORMS] = write_tsv(writer.path(FORMS), ("form", "tag", "count"), rows)
    lemma_rows = [(*pair, count, count / word_tokens) for pair, count in sorted(pairs.items(), key=lambda item: (-item[1], item[0]))]
    writer.rows[LEMMAS] = write_tsv(writer.path(LEMMAS), ("lemma", "class", "count", "freq"), lemma_rows)
    writer.facts |= {"word_tokens": word_tokens, "forms": len(forms), "lemmas": len(pairs)}
    room.say(f"{word_tokens:,} word tokens, {len(forms):,} (form, tag) pairs, {len(pairs):,} (lemma, class) pairs")


_PLAIN = pa.schema([("word", pa.string()), ("tag", pa.string()), ("count", pa.int64())])


def read_tagged_counts(artifact: Artifact) -> TaggedCounts:
    """The counts back from disk."""
    forms = {(row["form"], row["tag"]): int(row["count"]) for row in read_tsv(artifact.path(FORMS))}
    return TaggedCounts(forms, read_lemma_counts(artifact), int(artifact.facts["word_tokens"]))


def read_lemma_counts(artifact: Artifact) -> dict[Pair, int]:
    """Counts of (lemma, class) alone."""
    return {(row["lemma"], row["class"]): int(row["count"]) for row in read_tsv(artifact.path(LEMMAS))}
