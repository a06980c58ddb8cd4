"""What an evaluation is asked: the questions of a run or of a file, and the training corpus that goes with them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from cloze_gen import __version__
from cloze_gen.errors import UsageError
from cloze_gen.evaluate.question_set import QuestionSet
from cloze_gen.notation import shown
from cloze_gen.pipelines.baseline_models import CorpusText, corpus_of_folder, corpus_of_run
from cloze_gen.pipelines.styles import style_of_run
from cloze_gen.stages.evaluation.question_sets import read_question_set
from cloze_gen.stages.item_kind import QUESTION_ITEMS
from cloze_gen.stages.signature import SIGNATURE, read_signature
from cloze_gen.stages.tables import QUESTIONS
from cloze_gen.store.artifacts import Store
from cloze_gen.store.runs import RELEASE, RUN_FILE, check_as_written, leads_to, lies_in_output, read_run


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """What is evaluated, and what it is trained on.

    Attributes:
        run: folder of the run, or None.
        corpus: the training text, whose fingerprint names the training books in the signature; None without one.
        balanced: the set was made by a balanced choice.
        signature: of the questions.
    """

    question_set: QuestionSet
    run: Path | None
    corpus: CorpusText | None
    balanced: bool
    signature: str

    @property
    def name(self) -> str:
        """The run's name; of a file the digest of its questions."""
        return self.run.name if self.run else self.question_set.digest


def find_asked(questions: str, *, answers: Path | None, train: str, out: Path, workers: int) -> Asked:
    """A run by its name in `out` or its folder, else a file.

    Raises:
        UsageError: there is neither, a run is not as it was written, or an argument does not fit what was found.
    """
    places = (Store(out).runs / questions, Path(questions))
    run = next((folder for folder in places if leads_to(folder / RUN_FILE, Path.is_file)), None)
    return (
        _asked_of_file(questions, answers, train, out, workers)
        if run is None
        else _asked_of_run(run.resolve(), answers, train, out, workers)
    )


def _asked_of_file(questions: str, answers: Path | None, train: str, out: Path, workers: int) -> Asked:
    if leads_to(Path(questions), Path.is_dir):
        expected = "Give a run, a questions.jsonl or a machine-format file."
        raise UsageError(f"{questions}: a folder, but no run (no {RUN_FILE} in it). {expected}")
    if not leads_to(Path(questions), Path.is_file):
        raise UsageError(
            f"{shown(questions, most_chars=300)}: neither a run in {out} nor a file. `cloze-gen runs --out {out}` lists the runs."
        )
    found = read_question_set(Path(questions), answers)
    signature = f"cloze-gen|v:{__version__}|n:{len(found.questions)}|questions:{found.digest}"
    return Asked(found, None, corpus_of_folder(train, out, workers) if train else None, False, signature)


def _asked_of_run(run: Path, answers: Path | None, train: str, out: Path, workers: int) -> Asked:
    check_as_written(run, RUN_FILE)
    style, described = style_of_run(run), read_run(run)
    if style.items is not QUESTION_ITEMS:
        raise UsageError(f"{run.name}: a set of {style.items.noun}s; this version evaluates sets of questions.")
    check_as_written(run, RUN_FILE, f"{RELEASE}/{QUESTIONS}", f"{RELEASE}/{SIGNATURE}")
    found = read_question_set(run / RELEASE / QUESTIONS)
    if answers is not None:
        raise UsageError("--answers: a run has its own answers; leave it out.")
    if train:
        corpus: CorpusText | None = corpus_of_folder(train, run.parent.parent if lies_in_output(run) else out, workers)
    elif lies_in_output(run):
        corpus = corpus_of_run(run, described, trained_on=style.trained_on, workers=workers)
    else:
        corpus = None
    return Asked(found, run, corpus, style.is_balanced(described["settings"]), read_signature(run))
