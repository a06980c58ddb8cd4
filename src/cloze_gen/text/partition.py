"""Novels dealt into train, development and test, and those left out that hold too many offensive words (LAMBADA 3.1; SCDE takes it over).

Paperno et al. 2016: "We randomly divided the novels into equally-sized training and development+testing partitions", and development from
test likewise; "after duplicate removal and filtering out of potentially offensive material with a stop word list".

*Randomly* is read as a draw by each novel's own digest, so that a novel more moves no other; novels of one author, and novels that share
text, fall on one side together. Of few novels a part may be left without any: it then takes, of a part that has more than one, the novel
whose draw is nearest, so that three novels are enough. The stop word list bounds the *rate* of listed words: of 592 novels of 1800 to 1930
565 hold at least one, half of them more than 1 in 7,300, and 16 more than 1 in 1,000.

The draws bear the name of the style that was first to ask for them; a style that deals the same novels by the same seed and the same share
of training novels trains on the same ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from pydantic import Field, model_validator
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from cloze_gen.records.passage import Part
from cloze_gen.rng import derive_rng, stable_fraction
from cloze_gen.settings import IgnoredWhen, SettingsGroup
from cloze_gen.words import is_word

# What manifests write where nobody is known; two such novels have no author in common.
_NOBODY = frozenset(("", "anon", "anon.", "anonymous", "unknown", "various", "various authors", "n/a", "-", "?"))


class PartitionSettings(SettingsGroup):
    """Settings of the partition; the shares are LAMBADA's, and a style with other ones gives its own defaults."""

    train_share: float = Field(0.5, gt=0, lt=1, description="expected share of the novels that models are trained on; LAMBADA: half")
    development_share: float = Field(0.25, gt=0, lt=1, description="expected share of the development novels; LAMBADA: half of the rest")
    by_author: bool = Field(True, description="novels of one author on one side, where the manifest names authors; not in the paper")
    # Among 592 novels without copies nine pairs share more than 0.002: a story in two collections, a tale told twice. The seven above 0.01
    # share whole passages.
    min_containment: float = Field(
        0.01, gt=0, le=1, description="inclusive: novels of which one holds this share of the other's text fall on one side"
    )
    max_offensive_rate: float = Field(
        0.001, ge=0, le=1, description="inclusive: listed words / word tokens; a novel above is dropped; LAMBADA has a list"
    )
    offensive_words: str = Field("builtin", description="file of words, one a line; 'builtin' or 'none'")

    ignored_when = (IgnoredWhen(("max_offensive_rate",), {"offensive_words": ("none",)}),)

    @model_validator(mode="after")
    def _something_is_left_for_test(self) -> PartitionSettings:
        if self.train_share + self.development_share >= 1:
            raise ValueError(
                f"train_share = {self.train_share} and development_share = {self.development_share} leave no novel for the test set"
            )
        return self


@dataclass(frozen=True, slots=True)
class Novel:
    """What the partition asks of a novel.

    Attributes:
        digest: of its file's bytes.
        author: as the manifest names them; empty where it does not.
    """

    book_id: str
    digest: str
    author: str = ""


def offensive_rate(type_counts: Mapping[str, int], offensive: Container[str]) -> float:
    """Share of the word tokens, in any letter case, that are on a list of words in small letters.

    >>> offensive_rate({"The": 6, "Bloody": 1, "tower": 3, ".": 4}, {"bloody"})
    0.1
    """
    words = {word: count for word, count in type_counts.items() if is_word(word)}
    listed = sum(count for word, count in words.items() if word.casefold() in offensive)
    return listed / max(1, sum(words.values()))


def deal_parts(
    novels: Sequence[Novel], *, sharing_text: Iterable[tuple[str, str]], settings: PartitionSettings, seed: int
) -> dict[str, Part]:
    """Part of each novel, by its id; each novel's own draw, but those that belong together share one.

    Of novels that belong together the draw is that of one of them, chosen by their digests. So a novel more can move only those that it
    belongs together with, where each part has a novel by its own draw.

    Args:
        sharing_text: pairs of book ids.

    >>> novels = [Novel("emma", "1f", "Jane Austen"), Novel("persuasion", "2e", "AUSTEN, Jane"), Novel("dracula", "3d", "Bram Stoker")]
    >>> parts = deal_parts(novels, sharing_text=[("emma", "persuasion")], settings=PartitionSettings(), seed=1)
    >>> parts["emma"] == parts["persuasion"]
    True
    """
    groups = belong_together(novels, sharing_text=sharing_text, by_author=settings.by_author)
    heads = [
        min((_draws_by(novel, settings.by_author) for novel in group), key=lambda name: (stable_fraction("lambada.head", name), name))
        for group in groups
    ]
    draws = [derive_rng(seed, "lambada.partition", head).random() for head in heads]
    part_of = _none_empty(draws, heads, _bounds(settings))
    return {novel.book_id: part for group, part in zip(groups, part_of, strict=True) for novel in group}


def _bounds(settings: PartitionSettings) -> dict[Part, tuple[float, float]]:
    """Which draws fall to a part: from the first number on, below the second."""
    train, development = settings.train_share, settings.train_share + settings.development_share
    return {Part.TRAIN: (0.0, train), Part.DEVELOPMENT: (train, development), Part.TEST: (development, 1.0)}


def _none_empty(draws: Sequence[float], names: Sequence[str], bounds: Mapping[Part, tuple[float, float]]) -> list[Part]:
    """The part of each draw; a part without any takes the nearest draw of a part that has more than one, while there is one."""
    parts = [next(part for part, (least, most) in bounds.items() if least <= draw < most) for draw in draws]
    for empty, (least, most) in bounds.items():
        sizes = Counter(parts)
        free = [i for i, part in enumerate(parts) if sizes[part] > 1]
        if not sizes[empty] and free:
            nearest = min(free, key=lambda i: (max(least - draws[i], draws[i] - most), names[i]))
            parts[nearest] = empty
    return parts


def belong_together(novels: Sequence[Novel], *, sharing_text: Iterable[tuple[str, str]], by_author: bool) -> list[list[Novel]]:
    """The novels in groups of which none may be cut: of one author, or sharing text, or both by way of a third.

    Args:
        sharing_text: pairs of book ids; a pair with a book that is no novel here is passed over.

    >>> groups = belong_together([Novel("a", "1", "Ouida"), Novel("b", "2"), Novel("c", "3", "Ouida")], sharing_text=[], by_author=True)
    >>> [[novel.book_id for novel in group] for group in groups]
    [['a', 'c'], ['b']]
    """
    row = {novel.book_id: i for i, novel in enumerate(novels)}
    ties = [(row[a], row[b]) for a, b in sharing_text if a in row and b in row]
    if by_author:
        first: dict[str, int] = {}
        for i, novel in enumerate(novels):
            if author := author_key(novel.author):
                ties.append((first.setdefault(author, i), i))
    ends = np.array(ties, dtype=np.int64).reshape(-1, 2)
    graph = coo_array((np.ones(len(ends), dtype=np.int8), (ends[:, 0], ends[:, 1])), shape=(len(novels), len(novels)))
    _, labels = connected_components(graph, directed=False)
    groups: dict[int, list[Novel]] = {}
    for novel, label in zip(novels, labels.tolist(), strict=True):
        groups.setdefault(label, []).append(novel)
    return list(groups.values())


def author_key(author: str) -> str:
    """An author's name as it is compared, whichever name stands first; empty where nobody is named.

    >>> author_key("Jane Austen") == author_key("AUSTEN,  Jane"), author_key("Anonymous")
    (True, '')
    """
    key = " ".join(author.casefold().split())
    return "" if key in _NOBODY else " ".join(sorted(key.replace(",", " ").split()))


def _draws_by(novel: Novel, by_author: bool) -> str:
    """Whose draw it is: the author's, where one is known, so that a further novel of theirs is dealt to their side."""
    author = author_key(novel.author) if by_author else ""
    return f"author {author}" if author else f"novel {novel.digest}"
