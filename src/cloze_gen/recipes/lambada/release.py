"""The published files of a LAMBADA set, as `lambada-style` releases them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from typing import Literal

from pydantic import Field, model_validator

from cloze_gen.formats.lambada.plain_text import format_plain_text
from cloze_gen.formats.lambada.rendering import published_tokens
from cloze_gen.formats.lambada.vocabulary import format_vocabulary, published_counts
from cloze_gen.recipes.lambada.stages.passage_set import REJECTED_SET
from cloze_gen.recipes.lambada.stages.published_novels import novel_file
from cloze_gen.records.passage import Split
from cloze_gen.records.release_facts import PaperReference
from cloze_gen.stages.corpus.book_table import kept_books
from cloze_gen.stages.corpus.counts import read_counts
from cloze_gen.stages.finished_run import FinishedRun, FromStore, PublishedSet
from cloze_gen.stages.release.settings import OrderedReleaseSettings
from cloze_gen.stages.style import beside_kept
from cloze_gen.stages.tables import FEWSHOT
from cloze_gen.store.artifacts import Artifact

REFERENCE = PaperReference(
    authors=(
        *("Paperno, Denis", "Kruszewski, Germán", "Lazaridou, Angeliki", "Pham, Ngoc Quan", "Bernardi, Raffaella", "Pezzelle, Sandro"),
        *("Baroni, Marco", "Boleda, Gemma", "Fernández, Raquel"),
    ),
    title="The LAMBADA dataset: Word prediction requiring a broad discourse context",
    year=2016,
    kind="conference-paper",
    venue="Proceedings of the 54th Annual Meeting of the Association for Computational Linguistics",
)

PLAIN_TEXT = {
    Split.VALIDATION: "lambada_development_plain_text.txt",
    Split.TEST: "lambada_test_plain_text.txt",
    Split.CONTROL: "lambada_control_test_data_plain_text.txt",
}
REJECTED_PLAIN_TEXT, VOCABULARY, TRAIN_NOVELS = "rejected_plain_text.txt", "lambada-vocab-2.txt", "train-novels"
MAY_STAND_BESIDE, MAY_BE_TAKEN = (REJECTED_SET, FEWSHOT), (VOCABULARY, f"{TRAIN_NOVELS}/")
TOLD_FILES = {
    PLAIN_TEXT[Split.VALIDATION]: "the passages of the development novels in the published form, one a line, the target its last word.",
    PLAIN_TEXT[Split.TEST]: "the passages of the test novels, likewise.",
    PLAIN_TEXT[Split.CONTROL]: "passages of the test novels that nothing has filtered, to be measured beside the set, not as a part of it.",
    REJECTED_PLAIN_TEXT: "what fell when it was guessed at, in the same form.",
    VOCABULARY: "every word of the training novels in the published tokenization, a tab, and how often it stands there.",
    TRAIN_NOVELS: "the training novels in the published tokenization, a folder for each genre, a file a novel, a sentence a line.",
}
_NO_GENRE = "no-genre"
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_MAX_NAME_CHARS = 100


class LambadaReleaseSettings(OrderedReleaseSettings):
    """Settings of the release of a LAMBADA set."""

    train_text: Literal["none", "link", "copy"] = Field(
        "none",
        description="the training novels in the published tokenization: not released, as links into the store, or as files. Other people's "
        "text is released only where you ask for it",
    )

    @model_validator(mode="after")
    def _gives_no_text_away(self) -> LambadaReleaseSettings:
        if self.text == "pointers" and self.train_text != "none":
            raise ValueError("text = pointers keeps the books' text out of the release, and train_text puts it there; leave one of them")
        return self


def lambada_files(run: PublishedSet) -> dict[str, str]:
    """The files named as the paper's are: development, test and control passages; where anybody has judged, what fell then."""
    files = {
        file: format_plain_text(published_tokens(one.passage) for one in run.items if one.split == split)
        for split, file in PLAIN_TEXT.items()
    }
    if REJECTED_SET in run.beside:
        files[REJECTED_PLAIN_TEXT] = format_plain_text(record["text"].split(" ") for record in run.beside[REJECTED_SET])
    return files


def lambada_beside(finished: Artifact) -> Sequence[str]:
    """The few-shot examples; and what fell when it was guessed at, where anybody has judged."""
    return [*beside_kept(finished), *([REJECTED_SET] if finished.facts["judged"] != "none" else [])]


def lambada_store_files(run: FinishedRun) -> dict[str, str | FromStore]:
    """The vocabulary of the training novels; and their text where `release.train_text` asks for it."""
    counts = read_counts(run.artifacts["counts"])
    vocabulary = format_vocabulary(published_counts(zip(counts.words, counts.count.tolist(), strict=True)))
    files: dict[str, str | FromStore] = {VOCABULARY: vocabulary}
    if run.settings.release.train_text != "none":
        linked = run.settings.release.train_text == "link"
        files |= dict(_train_novels(run.artifacts["training novels"], run.artifacts["published novels"], linked=linked))
    return files


def _train_novels(novels: Artifact, published: Artifact, *, linked: bool) -> Iterator[tuple[str, FromStore]]:
    for row in kept_books(novels):
        file = novel_file(row["book_id"])
        yield f"{TRAIN_NOVELS}/{genre_folder(row['domain'])}/{file}", FromStore(published.path(f"novels/{file}"), linked)


def genre_folder(domain: str) -> str:
    """The folder of a genre: its name, with `-` for whatever is no ASCII letter, digit or `._-`; of one without any, its digest.

    A genre is what a user's folder or manifest says: it may hold `/`, or be `..`.

    >>> [genre_folder(name) for name in ("Science_fiction", "../Sci/Fi", "", "..", "\u5c0f\u8aaa")]
    ['Science_fiction', 'Sci-Fi', 'no-genre', 'genre-e6fc5bb9', 'genre-d70c8e18']
    """
    if not domain:
        return _NO_GENRE
    safe = _UNSAFE.sub("-", domain)[:_MAX_NAME_CHARS].strip(".-")
    return safe or f"genre-{hashlib.blake2b(domain.encode('utf-8', 'surrogateescape'), digest_size=4).hexdigest()}"
