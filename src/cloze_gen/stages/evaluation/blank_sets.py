"""Sets of blanked passages read for evaluation: a release's or anyone's `passages.jsonl`, or a file in the published layout of SCDE."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from cloze_gen.adapters.spacy_tokenizer import chunk_tokenizer
from cloze_gen.errors import FormatError, UsageError
from cloze_gen.evaluate.blanks.asked import AskedBlanks
from cloze_gen.formats.scde.jsonl import parse_passages
from cloze_gen.formats.scde.published import parse_published, without_marks
from cloze_gen.notation import parse_json, reason
from cloze_gen.records.blanked_passage import BlankedPassage, SetBlankedPassage
from cloze_gen.records.passage import Part
from cloze_gen.store.files import open_regular, read_regular_text
from cloze_gen.text.normalize import SEPARATOR, normalize_many
from cloze_gen.text.tokens import ChunkMemo

_OF_A_RECORD = frozenset({"passage", "blanks", "candidates", "answers"})
_LONGEST_LINE = 1 << 20  # bytes; a passage has some thousands
_WANTED = "Give a run, a passages.jsonl or a file in the published layout of SCDE (train.json, dev.json, test.json)."


@dataclass(frozen=True, slots=True, eq=False)
class BlankedSet:
    """Blanked passages, known by what stands in them."""

    passages: tuple[SetBlankedPassage, ...]

    @property
    def digest(self) -> str:
        """16 hexadecimal digits over the passages themselves."""
        return _digest((str(one.part), one.passage) for one in self.passages)


@dataclass(frozen=True, slots=True, eq=False)
class AskedBlankedSet:
    """Blanked passages as scorers are asked about them.

    Attributes:
        passages: what is measured: all but those of the part `train`.
        training: those of the part `train`.
        digest: 16 hexadecimal digits over all; of a `passages.jsonl` those of its `BlankedSet`.
    """

    passages: tuple[AskedBlanks, ...]
    training: tuple[AskedBlanks, ...]
    digest: str


def read_blanked_set(path: Path) -> BlankedSet:
    """The passages of a `passages.jsonl`.

    Raises:
        FormatError: it does not follow its format.
    """
    with open(path, encoding="utf-8") as handle:
        return BlankedSet(tuple(parse_passages(handle, name=path.name)))


def read_asked_blanks(path: Path, *, to_learn: bool = False) -> AskedBlankedSet:
    """The passages of a `passages.jsonl` or of a file in the published layout, told apart by the file's first character.

    A file in the published layout is one part, and all of it is measured, whatever its name is. Its stray full stops are no sentences.

    Args:
        to_learn: the file is given to be learnt from: a published one serves for that alone, and a set need hold nothing to be measured.
    Raises:
        UsageError: the file cannot be read, or holds nothing of what it is given for.
        FormatError: it does not follow its format.
    """
    try:
        text = read_regular_text(path)
    except (OSError, ValueError) as error:
        raise UsageError(f"{path}: cannot be read ({reason(error)}). {_WANTED}") from None
    if text.lstrip("\ufeff \r\n\t").startswith("["):
        listed = [without_marks(one) for one in parse_published(text, name=path.name)]
        asked, digest = asked_blanks(listed), _digest(("", one) for one in listed)
        found = AskedBlankedSet((), asked, digest) if to_learn else AskedBlankedSet(asked, (), digest)
    else:
        found = _of_records(
            BlankedSet(tuple(parse_passages(text.split("\n"), name=path.name)))
        )  # not splitlines: U+2028 may be in a string
    if not (found.training if to_learn else found.passages):
        raise UsageError(f"{path}: holds no blanked passage {'of the part `train`, to learn from' if to_learn else 'to be measured'}")
    return found


def holds_blanked_passages(path: Path) -> bool:
    """Whether a file holds blanked passages: it is a JSON list, or its first line is one such passage, whatever stands further down."""
    try:
        with open_regular(path) as handle:
            line = handle.readline(_LONGEST_LINE).decode("utf-8-sig").strip()
        if line.startswith("["):
            return True
        record = parse_json(line) if line.startswith("{") else None
        return isinstance(record, dict) and record.keys() >= _OF_A_RECORD
    except (OSError, ValueError, FormatError):
        return False


def asked_blanks(
    passages: Sequence[BlankedPassage], books: Sequence[str] | None = None, parts: Sequence[str] | None = None
) -> tuple[AskedBlanks, ...]:
    """Passages with the project's tokens.

    Args:
        books: of each passage; without, each passage is a book of its own.
        parts: of each passage; without, none has a part.
    """
    texts = [text for one in passages for text in (*one.sentences, *one.candidates)]
    tokens = iter(_tokens(texts))
    asked = []
    for i, one in enumerate(passages):
        sentences = tuple(next(tokens) for _ in one.sentences)
        candidates = tuple(next(tokens) for _ in one.candidates)
        asked.append(AskedBlanks(one, books[i] if books else one.id, parts[i] if parts else "", sentences, candidates))
    return tuple(asked)


def _of_records(found: BlankedSet) -> AskedBlankedSet:
    asked = asked_blanks(
        [one.passage for one in found.passages], [one.book_id for one in found.passages], [str(one.part) for one in found.passages]
    )
    measured, training = ([one for one in asked if (one.part == Part.TRAIN) == is_training] for is_training in (False, True))
    return AskedBlankedSet(tuple(measured), tuple(training), found.digest)


def _tokens(texts: Sequence[str]) -> list[tuple[str, ...]]:
    """The whole-word tokens of each text, read as a book's sentences are."""
    cleaned = [" ".join(text.replace(SEPARATOR, " ").split()) for text in texts]
    memo = ChunkMemo(chunk_tokenizer())
    parts = memo.tokens(memo.read(normalize_many(cleaned))).split(SEPARATOR)[1:-1] if cleaned else []
    return [tuple(token for token in part.split(" ") if token) for part in parts]


def _digest(passages: Iterable[tuple[str, BlankedPassage]]) -> str:
    lines = (repr((part, one.id, one.sentences, one.blanks, one.candidates, one.answers)) for part, one in passages)
    return hashlib.blake2b("\n".join(lines).encode(), digest_size=8).hexdigest()
