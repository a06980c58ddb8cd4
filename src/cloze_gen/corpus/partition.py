"""Novels split into train, development and test (LAMBADA 3.1; SCDE takes it over).

Paperno et al. 2016: "We randomly divided the novels into equally-sized training and
development+testing partitions", and development from test likewise; "after duplicate removal and
filtering out of potentially offensive material with a stop word list".

We read *randomly* as a draw by each novel's own digest, so a new novel moves no other; novels of
one author, volumes of one work and novels with common text stay together. The stop word list
bounds the *rate* of listed words, as 565 of 592 novels hold one.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

import numpy as np
import scipy
from pydantic import Field, model_validator

from cloze_gen.corpus.books import (
    book_folder,
    kept_books,
    read_books,
    read_type_counts,
    write_book_table,
)
from cloze_gen.corpus.content_sketch import find_overlaps
from cloze_gen.corpus.dropped import warn_of_dropped
from cloze_gen.corpus.overlap import read_sketches
from cloze_gen.corpus.parse_book import BookReason
from cloze_gen.corpus.splits import SPLIT_OF_FOLDER, split_of
from cloze_gen.corpus.volumes import work_of
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.errors import CorpusError
from cloze_gen.parsing import counted, name_list
from cloze_gen.records.passage import Part
from cloze_gen.rng import derive_rng
from cloze_gen.settings import SettingsGroup, Unhashed
from cloze_gen.store.artifacts import Artifact, ArtifactWriter
from cloze_gen.word_tokens import is_word

# Entries of manifests for an unknown author; two such novels do not share an author.
_NO_AUTHOR = frozenset(
    ("", "anon", "anon.", "anonymous", "unknown", "various", "various authors", "n/a", "-", "?")
)

# Folders of splits and of known collections: Gutenberg's mirror has digits and, by year, `etext97`.
_NO_GENRE = re.compile(
    rf"{'|'.join(SPLIT_OF_FOLDER)}|\d+|e?texts?[-_ ]?\d*|cache|data|epubtxt|gutenberg|books?|txt"
)
# Shared text from which two novels stay in one part. Among 592 novels without copies nine pairs
# share more than 0.002: a story in two collections, a tale printed twice. The seven above 0.01
# share whole passages.
_MIN_CONTAINMENT = 0.01
_PART_OF_SPLIT = {"train": Part.TRAIN, "validation": Part.DEVELOPMENT, "test": Part.TEST}


class PartitionSettings(SettingsGroup):
    train_share: float = Field(
        0.5,
        gt=0,
        lt=1,
        description="share of the novels that train the models; LAMBADA: half",
    )
    development_share: float = Field(
        0.25,
        gt=0,
        lt=1,
        description="share of the novels for the development set",
    )
    by_author: bool = Field(
        True,
        description="keep novels of one author in one part",
    )
    max_offensive_rate: float = Field(
        0.001,
        ge=0,
        le=1,
        description="greatest share of listed words in a novel",
    )
    offensive_words: Unhashed[str] = Field(
        "builtin", description="file with one word a line, 'builtin' or 'none'"
    )

    @model_validator(mode="after")
    def _something_is_left_for_test(self) -> PartitionSettings:
        if self.train_share + self.development_share >= 1:
            raise ValueError(
                f"train_share = {self.train_share} and development_share = "
                f"{self.development_share} leave no novel for the test set"
            )
        return self


@dataclass(frozen=True, slots=True)
class Novel:
    """A novel to assign.

    Attributes:
        digest: sha256 of its bytes, unpacked.
        author: empty, or several separated by `;`.
        work: of which it is a volume, see `work_of`.
    """

    book_id: str
    digest: str
    author: str = ""
    work: str = ""


def offensive_rate(type_counts: Mapping[str, int], offensive: Container[str]) -> float:
    """Share of the word tokens, case-folded, on a list of lower-case words.

    >>> offensive_rate({"The": 6, "Bloody": 1, "tower": 3, ".": 4}, {"bloody"})
    0.1
    """
    words = {word: count for word, count in type_counts.items() if is_word(word)}
    listed = sum(count for word, count in words.items() if word.casefold() in offensive)
    return listed / max(1, sum(words.values()))


def assign_splits(
    novels: Sequence[Novel],
    *,
    sharing_text: Iterable[tuple[str, str]],
    settings: PartitionSettings,
    seed: int,
) -> dict[str, Part]:
    """Part of each novel, by id. Novels that belong together share the draw of the first name, an
    author or a digest. An empty part takes the group with the nearest draw of a part with several.

    >>> novels = [Novel("emma", "1f", "Jane Austen"), Novel("persuasion", "2e", "AUSTEN, Jane"), Novel("dracula", "3d", "Bram Stoker")]
    >>> parts = assign_splits(novels, sharing_text=[("emma", "persuasion")], settings=PartitionSettings(), seed=1)
    >>> parts["emma"] == parts["persuasion"]
    True
    """
    groups = belong_together(novels, sharing_text=sharing_text, by_author=settings.by_author)
    draws = []
    for group in groups:
        name = min(_drawn_by(novel, settings.by_author) for novel in group)
        draws.append(derive_rng(seed, "lambada.partition", name).random())
    bounds = [settings.train_share, settings.train_share + settings.development_share]
    parts = [list(Part)[bisect(bounds, draw)] for draw in draws]
    for part, low, high in zip(Part, [0.0, *bounds], [*bounds, 1.0], strict=True):
        sizes = Counter(parts)
        movable = [i for i, assigned in enumerate(parts) if sizes[assigned] > 1]
        if not sizes[part] and movable:
            nearest = min(movable, key=lambda i: max(low - draws[i], draws[i] - high))
            parts[nearest] = part
    return {
        novel.book_id: part for group, part in zip(groups, parts, strict=True) for novel in group
    }


def _drawn_by(novel: Novel, by_author: bool) -> str:
    """The known author, else the novel itself, so that their next novel gets the same part."""
    author = " ; ".join(author_keys(novel.author)) if by_author else ""
    return f"author {author}" if author else f"novel {novel.digest}"


def belong_together(
    novels: Sequence[Novel], *, sharing_text: Iterable[tuple[str, str]], by_author: bool
) -> list[list[Novel]]:
    """Groups of novels with common text, of volumes of one work, or by one author, directly or
    through others.

    >>> groups = belong_together([Novel("a", "1", "Ouida"), Novel("b", "2"), Novel("c", "3", "Ouida")], sharing_text=[], by_author=True)
    >>> [[novel.book_id for novel in group] for group in groups]
    [['a', 'c'], ['b']]
    """
    row = {novel.book_id: i for i, novel in enumerate(novels)}
    ties = [(row[a], row[b]) for a, b in sharing_text if a in row and b in row]
    first: dict[str, int] = {}
    for i, novel in enumerate(novels):
        authors = author_keys(novel.author)
        names = list(authors) if by_author else []
        if novel.work:
            names.append(f"{novel.work} by {authors}")
        ties += [(first.setdefault(name, i), i) for name in names]
    ends = np.array(ties, dtype=np.int64).reshape(-1, 2)
    graph = scipy.sparse.coo_array(
        (np.ones(len(ends), dtype=np.int8), (ends[:, 0], ends[:, 1])),
        shape=(len(novels), len(novels)),
    )
    _, labels = scipy.sparse.csgraph.connected_components(graph, directed=False)
    groups: dict[int, list[Novel]] = {}
    for novel, label in zip(novels, labels.tolist(), strict=True):
        groups.setdefault(label, []).append(novel)
    return list(groups.values())


def author_keys(authors: str) -> list[str]:
    """The known authors among several separated by `;`, in a form to compare.

    >>> author_keys("Jane Austen") == author_keys("AUSTEN,  Jane"), author_keys("Anonymous")
    (True, [])
    """
    keys = []
    for author in authors.split(";"):
        words = author.casefold().replace(",", " ").split()
        if " ".join(words) not in _NO_AUTHOR:
            keys.append(" ".join(sorted(words)))
    return keys


def no_author_warning(authors: Iterable[str]) -> str:
    """A warning if some of these books have no known author, else nothing.

    >>> no_author_warning(["Jane Austen", "", "Anonymous"])
    'no author for 2 of 3 books: books of one author may be in different parts; add a manifest.tsv with file and author'
    """
    listed = list(authors)
    unknown = sum(not author_keys(author) for author in listed)
    if not unknown:
        return ""
    return (
        f"no author for {unknown:,} of {len(listed):,} books: books of one author may be in "
        "different parts; add a manifest.tsv with file and author"
    )


_MIN_NOVELS = 3  # of a part; fewer give a warning where there are enough for all parts


def few_novels_warning(sizes: Mapping[Part, int]) -> str:
    """A warning if a part has few of many novels, else nothing.

    >>> few_novels_warning({Part.TRAIN: 13, Part.DEVELOPMENT: 15, Part.TEST: 1}).partition(":")[0]
    'few novels in part test'
    >>> few_novels_warning({Part.TRAIN: 2, Part.DEVELOPMENT: 1, Part.TEST: 1})
    ''
    """
    few = [part for part in Part if sizes.get(part, 0) < _MIN_NOVELS]
    if not few or sum(sizes.values()) < len(Part) * _MIN_NOVELS:
        return ""
    return (
        f"few novels in part {' and '.join(few)}: its items show a few books. Try another --seed, or "
        "choose the parts: folders train, validation and test with --keep-splits"
    )


# ---- the novels split into train, development and test, and each part as a corpus of its own


def write_partition(
    writer: ArtifactWriter,
    ctx: StageContext,
    *,
    corpus: Artifact,
    settings: PartitionSettings,
    offensive: frozenset[str],
    seed: int,
    keep_splits: bool = False,
) -> None:
    """Write `books.tsv` with `domain`, `offensive_rate` (listed words / word tokens) and `part`.

    Args:
        keep_splits: the split of a novel decides its part, even if it shares text or an author; the
            others are drawn.
    Raises:
        CorpusError: no novel is left for a part, or one was dropped under `--strict`.
    """
    rows = [_rated(corpus, row, offensive, settings) for row in read_books(corpus)]
    warn_of_dropped(ctx.say, [row for row in rows if row["reason"] == BookReason.OFFENSIVE])
    kept = [row for row in rows if row["status"] == "kept"]
    overlaps = find_overlaps(read_sketches(corpus), min_containment=_MIN_CONTAINMENT)
    sharing = [(overlap.book_a, overlap.book_b) for overlap in overlaps]
    splits = {row["book_id"]: split_of(row) for row in kept} if keep_splits else {}
    parts = {book: _PART_OF_SPLIT[split] for book, split in splits.items() if split}
    novels = [
        Novel(row["book_id"], row["digest"], row.get("author", ""), work_of(row))
        for row in kept
        if row["book_id"] not in parts
    ]
    parts |= assign_splits(novels, sharing_text=sharing, settings=settings, seed=seed)
    sizes = Counter(parts.values())
    apart = [f"{a} and {b}" for a, b in sharing if {a, b} <= parts.keys() and parts[a] != parts[b]]
    warnings = [
        no_author_warning(novel.author for novel in novels) if settings.by_author else "",
        _apart_warning(apart),
        few_novels_warning(sizes),
    ]
    for warning in filter(None, warnings):
        ctx.say(f"warning: {warning}")
    write_book_table(
        writer,
        [row | {"part": str(parts.get(row["book_id"], ""))} for row in rows],
        strict=ctx.strict,
    )
    sizes_text = ", ".join(f"{sizes[part]:,} {part}" for part in Part)
    missing = [part for part in Part if not sizes[part]]
    if missing:
        advice = " With --keep-splits each split needs a novel that is not dropped."
        raise CorpusError(
            f"of {counted(sizes.total(), 'novel')} none is in part {' or '.join(missing)} "
            f"({sizes_text}).{advice if keep_splits else ''} Give more novels: at least three, "
            "because each part needs one. Novels that share text stay together, as do volumes of "
            "one work and, unless partition.by_author = false, novels of one author. scs-style "
            "works with one book."
        )
    writer.facts["novels"] = {str(part): sizes[part] for part in Part}
    ctx.say(f"{sizes_text} novels")


def _apart_warning(pairs: Sequence[str]) -> str:
    """A warning if pairs of novels share text across the splits that are kept, else nothing."""
    if not pairs:
        return ""
    shares = f"{counted(len(pairs), 'pair')} of novels share text across the splits"
    return f"{shares}: {name_list(pairs)}"


def _rated(
    corpus: Artifact, row: dict[str, str], offensive: frozenset[str], settings: PartitionSettings
) -> dict[str, Any]:
    rated = dict(row) | {"domain": domain_of(row)}
    if row["status"] != "kept":
        return rated
    counts, _ = read_type_counts([book_folder(corpus, row)])
    rate = offensive_rate(counts, offensive)
    rated["offensive_rate"] = f"{rate:.6f}"
    if rate > settings.max_offensive_rate:
        detail = (
            f"{rate:.6f} of its words are on the list, more than partition.max_offensive_rate = "
            f"{settings.max_offensive_rate}"
        )
        rated |= {"status": "rejected", "reason": str(BookReason.OFFENSIVE), "detail": detail}
    return rated


def domain_of(row: dict[str, str]) -> str:
    """The genre from the manifest, else the first folder below the corpus (escaped); else empty.

    >>> domain_of({"file": "Romance/more/emma.txt", "genre": ""}), domain_of({"file": "emma.txt", "genre": "Comedy"})
    ('Romance', 'Comedy')
    """
    folders = PurePosixPath(row["file"]).parts[:-1]
    first = folders[0] if folders else ""
    return row.get("genre") or ("" if _NO_GENRE.fullmatch(first.lower()) else first)


def write_part(
    writer: ArtifactWriter, ctx: StageContext, *, partition: Artifact, part: Part
) -> None:
    """Write `books.tsv` with the novels of one part; CorpusError if it has none."""
    write_book_table(
        writer, [row for row in kept_books(partition) if row["part"] == part], strict=ctx.strict
    )
