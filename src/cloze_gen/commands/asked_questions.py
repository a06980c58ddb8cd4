"""Questions to be evaluated: of a run, or of a file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cloze_gen import __version__
from cloze_gen.commands.asked import Asked, corpus_beside
from cloze_gen.errors import UsageError
from cloze_gen.evaluate.question_set import QuestionSet
from cloze_gen.pipelines.baseline_models import corpus_of_folder
from cloze_gen.pipelines.styles import style_of_run
from cloze_gen.stages.evaluation.question_sets import read_question_set
from cloze_gen.stages.release.signature import SIGNATURE, read_signature
from cloze_gen.stages.tables import QUESTIONS
from cloze_gen.store.runs import RUN_FILE, check_as_written, read_run, released_folder


@dataclass(frozen=True, slots=True, eq=False)
class AskedQuestions(Asked):
    """Questions, whether they are of a balanced choice, and the identity of their run's tagger: empty without one, None of a file."""

    items: QuestionSet
    balanced: bool = False
    tagger: str | None = None


def questions_of_file(path: Path, *, answers: Path | None, train: str, out: Path, workers: int) -> AskedQuestions:
    """The questions of a file.

    Raises:
        UsageError: it holds none, or none with answers.
        FormatError: it does not follow its format.
    """
    found = read_question_set(path, answers)
    signature = f"cloze-gen|v:{__version__}|n:{len(found.questions)}|questions:{found.digest}"
    return AskedQuestions(found, None, corpus_of_folder(train, out, workers) if train else None, signature)


def questions_of_run(run: Path, *, answers: Path | None, train: str, out: Path, workers: int) -> AskedQuestions:
    """The questions of a run.

    Raises:
        UsageError: the run is not as it was written, or an argument does not fit it.
    """
    style, described = style_of_run(run), read_run(run)
    released = released_folder(run)
    check_as_written(run, RUN_FILE, f"{released.name}/{QUESTIONS}", f"{released.name}/{SIGNATURE}")
    found = read_question_set(released / QUESTIONS)
    if answers is not None:
        raise UsageError("--answers: a run has its own answers; leave it out.")
    corpus = corpus_beside(run, style, described, train=train, out=out, workers=workers)
    balanced = style.is_balanced(described["settings"])
    return AskedQuestions(found, run, corpus, read_signature(run), balanced, run_tagger(described["stages"]))


def run_tagger(stages: Iterable[Mapping[str, Any]]) -> str:
    """Name, version and digest of the tagger that a run's stages used; empty where none did.

    >>> run_tagger([{"stage": "focus", "settings": {}}, {"stage": "tagging", "settings": {"tagger": "builtin-1.0.0-2a2e"}}])
    'builtin-1.0.0-2a2e'
    """
    found = (one["settings"].get("tagger" if one["stage"] == "tagging" else "tagger_identity") for one in stages)
    return next((str(identity) for identity in found if identity), "")
