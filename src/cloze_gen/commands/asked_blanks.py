"""Blanked passages to be evaluated: of a run, or of a file; and the passages that some baselines learn from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cloze_gen import __version__
from cloze_gen.commands.asked import Asked, corpus_beside
from cloze_gen.errors import UsageError
from cloze_gen.evaluate.blanks.asked import AskedBlanks
from cloze_gen.pipelines.baseline_models import CorpusText, corpus_of_folder
from cloze_gen.pipelines.styles import style_of_run
from cloze_gen.stages.evaluation.blank_sets import AskedBlankedSet, holds_blanked_passages, read_asked_blanks
from cloze_gen.stages.release.signature import SIGNATURE, read_signature
from cloze_gen.store.runs import RUN_FILE, check_as_written, read_run, released_folder


@dataclass(frozen=True, slots=True, eq=False)
class AskedBlankedPassages(Asked):
    """Blanked passages, and those that a baseline learns from, their answers in their places."""

    items: AskedBlankedSet
    training: Sequence[AskedBlanks] = ()


def blanks_of_file(path: Path, *, train: str, out: Path, workers: int) -> AskedBlankedPassages:
    """The blanked passages of a file.

    Args:
        train: a folder of books, or a file of blanked passages to learn from.
    Raises:
        UsageError: a file cannot be read, or holds none.
        FormatError: it does not follow its format.
    """
    found = read_asked_blanks(path)
    signature = f"cloze-gen|v:{__version__}|n:{len(found.passages)}|blanks:{found.digest}"
    training, learnt = _training(found, train)
    corpus = corpus_of_folder(train, out, workers) if train and not learnt else None
    return AskedBlankedPassages(found, None, corpus, signature + learnt, training)


def blanks_of_run(run: Path, *, train: str, out: Path, workers: int) -> AskedBlankedPassages:
    """The blanked passages of a run; its own training passages are learnt from, unless others are given.

    Raises:
        UsageError: the run is not as it was written.
    """
    style, described = style_of_run(run), read_run(run)
    file = style.items.file
    released = released_folder(run)
    check_as_written(run, RUN_FILE, f"{released.name}/{file}", f"{released.name}/{SIGNATURE}")
    found = read_asked_blanks(released / file)
    training, learnt = _training(found, train)
    corpus: CorpusText | None = corpus_beside(run, style, described, train="" if learnt else train, out=out, workers=workers)
    return AskedBlankedPassages(found, run, corpus, read_signature(run) + learnt, training)


def _training(found: AskedBlankedSet, train: str) -> tuple[Sequence[AskedBlanks], str]:
    """The passages to learn from, and what the signature says of them where they are not of the set itself.

    Raises:
        UsageError: they are those that are measured.
    """
    if not train or not holds_blanked_passages(Path(train)):
        return found.training, ""
    other = read_asked_blanks(Path(train), to_learn=True)
    if other.digest == found.digest and not found.training:
        raise UsageError(f"--train {train}: holds the very passages that are measured; give others to learn from.")
    return other.training, f"|learnt:{other.digest}"
