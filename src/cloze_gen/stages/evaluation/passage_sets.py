"""Sets of passages read for evaluation: a release's or anyone's `passages.jsonl`, or a published plain-text file."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from cloze_gen.errors import FormatError, UsageError
from cloze_gen.evaluate.passages.asked import CONTROL, PASSAGES, AskedPassage
from cloze_gen.formats.lambada.harness import RENDERINGS, asked_text
from cloze_gen.formats.lambada.jsonl import parse_passages
from cloze_gen.formats.lambada.plain_text import parse_plain_text, sentence_ends
from cloze_gen.formats.lambada.rendering import whole_words
from cloze_gen.notation import parse_json, reason
from cloze_gen.records.passage import Passage, SetPassage, Split
from cloze_gen.store.files import open_regular, read_regular_text

_LEAST_TOKENS = 20  # of a line that is taken for a passage: the published ones have 50 and more, a question of the MSR challenge may have 5
_PUBLISHED_NAME = "plain_text.txt"
_LONGEST_LINE = 1 << 20  # bytes; a passage has some hundreds


@dataclass(frozen=True, slots=True, eq=False)
class PassageSet:
    """Passages, known by what stands in them."""

    passages: tuple[SetPassage, ...]

    @property
    def digest(self) -> str:
        """16 hexadecimal digits over the passages themselves."""
        return _digest(repr((str(one.split), one.id, one.passage.sentences, one.passage.target_at)) for one in self.passages)


@dataclass(frozen=True, slots=True, eq=False)
class AskedSet:
    """Passages as models are asked about them.

    Attributes:
        digest: 16 hexadecimal digits over the passages; of a `passages.jsonl` those of its `PassageSet`.
    """

    passages: tuple[AskedPassage, ...]
    digest: str


def read_passage_set(path: Path) -> PassageSet:
    """The passages of a `passages.jsonl`.

    Raises:
        FormatError: it does not follow its format.
    """
    with open(path, encoding="utf-8") as handle:
        return PassageSet(tuple(parse_passages(handle, name=path.name)))


def read_asked_set(path: Path) -> AskedSet:
    """The passages of a `passages.jsonl` or of a published plain-text file, told apart by the file's first character.

    Raises:
        UsageError: the file cannot be read, or holds no passage.
        FormatError: it does not follow its format.
    """
    try:
        text = read_regular_text(path)
    except (OSError, ValueError) as error:
        raise UsageError(f"{path}: cannot be read ({reason(error)}). Give a passages.jsonl or a *_plain_text.txt of LAMBADA.") from None
    found = _from_records(text, path.name) if text.lstrip("\ufeff \n").startswith("{") else _from_plain_text(text, path.name)
    if not found.passages:
        raise UsageError(f"{path}: holds no passage")
    return found


def holds_passages(path: Path) -> bool:
    """Whether a file holds passages: it is named as the published ones are, or its first line is one, whatever stands further down."""
    if path.name.endswith(_PUBLISHED_NAME):
        return True
    try:
        with open_regular(path) as handle:
            line = handle.readline(_LONGEST_LINE).decode("utf-8-sig")
        if line.startswith("{"):
            record = parse_json(line)
            return isinstance(record, dict) and record.keys() >= {"sentences", "target_at"}
        return line == line.lower() and any(len(tokens) >= _LEAST_TOKENS for tokens in parse_plain_text(line))
    except (OSError, ValueError, FormatError):
        return False


def asked_passage(passage: Passage, which: str) -> AskedPassage:
    """A passage of our own; its words in small letters, its capitals kept beside.

    Args:
        which: the set it belongs to.
    """
    *context, last = (tuple(token.casefold() for token in sentence) for sentence in passage.sentences)
    return AskedPassage(
        id=passage.id,
        set=which,
        sentences=(*context, last[: passage.target_at]),
        target=passage.target.casefold(),
        cased=(*passage.before_target, passage.target),
        prompts={rendering: asked_text(passage, rendering) for rendering in RENDERINGS},
    )


def asked_line(tokens: tuple[str, ...], number: int) -> AskedPassage:
    """A line of a published file, known by its number from 1; its tokens as whole words, cut where `sentence_ends` finds an end.

    >>> asked_line(("he", "did", "n't", ".", "i", "saw", "ann"), 7).sentences
    (('he', "didn't", '.'), ('i', 'saw'))
    """
    whole = tuple(token.casefold() for token in whole_words(tokens))
    cuts = [0, *(len(whole_words(tokens[:end])) for end in sentence_ends(tokens)), len(whole) - 1]
    sentences = tuple(whole[first:last] for first, last in pairwise(cuts))
    prompt = " ".join(tokens[:-1]), f" {tokens[-1]}"
    return AskedPassage(str(number), PASSAGES, sentences, whole[-1], prompts={"published": prompt})


def _from_records(text: str, name: str) -> AskedSet:
    found = PassageSet(tuple(parse_passages(text.split("\n"), name=name)))  # not splitlines: U+2028 may stand inside a string
    asked = (asked_passage(one.passage, CONTROL if one.split == Split.CONTROL else PASSAGES) for one in found.passages)
    return AskedSet(tuple(asked), found.digest)


def _from_plain_text(text: str, name: str) -> AskedSet:
    lines = parse_plain_text(text, name=name)
    return AskedSet(tuple(asked_line(tokens, number) for number, tokens in enumerate(lines, 1)), _digest(map(repr, lines)))


def _digest(lines: Iterable[str]) -> str:
    return hashlib.blake2b("\n".join(lines).encode(), digest_size=8).hexdigest()
