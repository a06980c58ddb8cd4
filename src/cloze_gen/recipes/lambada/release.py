"""The published files of a LAMBADA set, as `lambada-style` releases them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from typing import Literal

from pydantic import Field, model_validator

from cloze_gen.corpus.books import kept_books
from cloze_gen.corpus.frequencies import read_counts
from cloze_gen.formats.lambada import (
    format_plain_text,
    format_vocabulary,
    published_counts,
    published_tokens,
)
from cloze_gen.recipes.lambada.passage_set import REJECTED_SET
from cloze_gen.recipes.lambada.passages import novel_file
from cloze_gen.records.passage import Split
from cloze_gen.records.release_facts import PaperReference
from cloze_gen.release.settings import OrderedReleaseSettings
from cloze_gen.release.style import FinishedRun, FromStore, PublishedSet, kept_extra_files
from cloze_gen.store.artifacts import Artifact
from cloze_gen.store.tables import FEWSHOT

REFERENCE = PaperReference(
    authors=(
        *(
            "Paperno, Denis",
            "Kruszewski, Germán",
            "Lazaridou, Angeliki",
            "Pham, Ngoc Quan",
            "Bernardi, Raffaella",
            "Pezzelle, Sandro",
        ),
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
REJECTED_PLAIN_TEXT, VOCABULARY, TRAIN_NOVELS = (
    "rejected_plain_text.txt",
    "lambada-vocab-2.txt",
    "train-novels",
)
EXTRA_FILES_ALLOWED, MAY_BE_TAKEN = (REJECTED_SET, FEWSHOT), (VOCABULARY, f"{TRAIN_NOVELS}/")
FILE_DOCS = {
    PLAIN_TEXT[
        Split.VALIDATION
    ]: "passages of the development novels in the published form, one a line; the last word is the "
    "target.",
    PLAIN_TEXT[Split.TEST]: "passages of the test novels, in the same form.",
    PLAIN_TEXT[
        Split.CONTROL
    ]: "control set: unfiltered passages of the test novels, for comparison; not part of the set.",
    REJECTED_PLAIN_TEXT: "passages that guessing rejected, in the same form.",
    VOCABULARY: "one line for each word of the training novels in the published tokenization: the "
    "word, a tab, its count.",
    TRAIN_NOVELS: "the training novels in the published tokenization: a folder for each genre, a "
    "file for each novel, one sentence a line.",
}
_NO_GENRE = "no-genre"
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_MAX_NAME_CHARS = 100


class LambadaReleaseSettings(OrderedReleaseSettings):
    train_text: Literal["none", "link", "copy"] = Field(
        "none",
        description="training novels in the release, in the published tokenization: `none`, `link` "
        "(links into the store) or `copy` (files). Check the novels' licence before you publish "
        "them",
    )

    @model_validator(mode="after")
    def _pointers_without_text(self) -> LambadaReleaseSettings:
        if self.text == "pointers" and self.train_text != "none":
            raise ValueError(
                "text = pointers leaves the books' text out of the release, but train_text "
                "includes it; set train_text = none, or change text"
            )
        return self


def lambada_files(run: PublishedSet) -> dict[str, str]:
    files = {
        file: format_plain_text(
            published_tokens(one.passage) for one in run.items if one.split == split
        )
        for split, file in PLAIN_TEXT.items()
    }
    if REJECTED_SET in run.derived:
        files[REJECTED_PLAIN_TEXT] = format_plain_text(
            record["text"].split(" ") for record in run.derived[REJECTED_SET]
        )
    return files


def lambada_extra_files(finished: Artifact) -> Sequence[str]:
    return [
        *kept_extra_files(finished),
        *([REJECTED_SET] if finished.facts["judged"] != "none" else []),
    ]


def lambada_store_files(run: FinishedRun) -> dict[str, str | FromStore]:
    counts = read_counts(run.artifacts["counts"])
    vocabulary = format_vocabulary(
        published_counts(zip(counts.words, counts.count.tolist(), strict=True))
    )
    files: dict[str, str | FromStore] = {VOCABULARY: vocabulary}
    if run.settings.release.train_text != "none":
        linked = run.settings.release.train_text == "link"
        files |= dict(
            _train_novels(
                run.artifacts["training novels"], run.artifacts["published novels"], linked=linked
            )
        )
    return files


def _train_novels(
    novels: Artifact, published: Artifact, *, linked: bool
) -> Iterator[tuple[str, FromStore]]:
    for row in kept_books(novels):
        file = novel_file(row["book_id"])
        yield (
            f"{TRAIN_NOVELS}/{genre_folder(row['domain'])}/{file}",
            FromStore(published.path(f"novels/{file}"), linked),
        )


def genre_folder(domain: str) -> str:
    """A genre as a safe name of a folder; a genre may contain `/` or be `..`.

    >>> [genre_folder(name) for name in ("Science_fiction", "../Sci/Fi", "", "..", "小說")]
    ['Science_fiction', 'Sci-Fi', 'no-genre', 'genre-e6fc5bb9', 'genre-d70c8e18']
    """
    if not domain:
        return _NO_GENRE
    safe = _UNSAFE.sub("-", domain)[:_MAX_NAME_CHARS].strip(".-")
    return (
        safe
        or f"genre-{hashlib.blake2b(domain.encode('utf-8', 'surrogateescape'), digest_size=4).hexdigest()}"
    )


# ---- paperno et al
