"""Passages to be evaluated: of a run, or of a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cloze_gen import __version__
from cloze_gen.commands.asked import Asked, corpus_beside
from cloze_gen.evaluate.passages.asked import SETS, AskedPassage
from cloze_gen.pipelines.baseline_models import corpus_of_folder
from cloze_gen.pipelines.styles import style_of_run
from cloze_gen.stages.evaluation.passage_sets import AskedSet, read_asked_set
from cloze_gen.stages.release.signature import SIGNATURE, read_signature
from cloze_gen.stages.tables import PASSAGE_SET
from cloze_gen.store.runs import RUN_FILE, check_as_written, read_run, released_folder


@dataclass(frozen=True, slots=True, eq=False)
class AskedPassages(Asked):
    """Passages, and who sat on the committee that chose them."""

    items: AskedSet
    members: Sequence[str] = ()

    @property
    def sets(self) -> dict[str, list[AskedPassage]]:
        """The passages by set, in the order of the table; a set of none is not there."""
        found = {name: [one for one in self.items.passages if one.set == name] for name in SETS}
        return {name: passages for name, passages in found.items() if passages}


def passages_of_file(path: Path, *, train: str, out: Path, workers: int) -> AskedPassages:
    """The passages of a file.

    Raises:
        UsageError: it cannot be read, or holds none.
        FormatError: it does not follow its format.
    """
    found = read_asked_set(path)
    signature = f"cloze-gen|v:{__version__}|n:{len(found.passages)}|passages:{found.digest}"
    return AskedPassages(found, None, corpus_of_folder(train, out, workers) if train else None, signature)


def passages_of_run(run: Path, *, train: str, out: Path, workers: int) -> AskedPassages:
    """The passages of a run.

    Raises:
        UsageError: the run is not as it was written.
    """
    style, described = style_of_run(run), read_run(run)
    released = released_folder(run)
    check_as_written(run, RUN_FILE, f"{released.name}/{PASSAGE_SET}", f"{released.name}/{SIGNATURE}")
    corpus = corpus_beside(run, style, described, train=train, out=out, workers=workers)
    members = described["settings"].get("committee", {}).get("members", ())
    return AskedPassages(read_asked_set(released / PASSAGE_SET), run, corpus, read_signature(run), members)
