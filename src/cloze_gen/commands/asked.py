"""What an evaluation is asked: a run by its name or folder, or a file; and the training corpus that goes with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cloze_gen.errors import UsageError
from cloze_gen.evaluate.selection import LOCAL_MODEL
from cloze_gen.notation import reason, shown
from cloze_gen.pipelines.baseline_models import CorpusText, corpus_of_folder, corpus_of_run
from cloze_gen.stages.style import Style
from cloze_gen.store.artifacts import Store
from cloze_gen.store.files import read_regular_text
from cloze_gen.store.runs import RUN_FILE, Digested, leads_to, lies_in_output
from cloze_gen.store.tables import escape_cell


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """What is evaluated, and what it is trained on.

    Attributes:
        items: the questions or passages.
        run: folder of the run, or None.
        corpus: the training text, whose fingerprint names the training books in the signature; None without one.
        signature: of the items.
    """

    items: Digested
    run: Path | None
    corpus: CorpusText | None
    signature: str

    @property
    def name(self) -> str:
        """The run's name; of a file the digest of what it holds."""
        return self.run.name if self.run else self.items.digest

    @property
    def trained(self) -> str:
        """What the models are made of, for the signature."""
        if self.corpus is None:
            return ""
        return f"|trained:{self.corpus.key.fingerprint[:8]}{'|without:items' if self.corpus.left_out else ''}"


def find_run_folder(items: str, out: Path) -> Path | None:
    """The folder of a run by its name in `out` or by its path; None where there is none, but a file.

    Raises:
        UsageError: there is neither.
    """
    places = (Store(out).runs / items, Path(items))
    run = next((folder for folder in places if leads_to(folder / RUN_FILE, Path.is_file)), None)
    if run is not None:
        return run.resolve()
    if leads_to(Path(items), Path.is_dir):
        expected = "Give a run, a questions.jsonl or passages.jsonl, or a published file of MSR, LAMBADA or SCDE."
        raise UsageError(f"{items}: a folder, but no run (no {RUN_FILE} in it). {expected}")
    if not leads_to(Path(items), Path.is_file):
        raise UsageError(f"{shown(items, most_chars=300)}: neither a run in {out} nor a file. `cloze-gen runs --out {out}` lists the runs.")
    return None


def corpus_beside(run: Path, style: Style, described: Mapping[str, Any], *, train: str, out: Path, workers: int) -> CorpusText | None:
    """The training corpus of a run's evaluation: of `--train`, else the run's own, which a run without its store does not have."""
    if train:
        return corpus_of_folder(train, run.parent.parent if lies_in_output(run) else out, workers)
    if lies_in_output(run):
        alone = style.is_own_background({stage["label"]: stage["fingerprint"] for stage in described["stages"]})
        left_out = style.last.stage if alone else ""
        return corpus_of_run(run, described, trained_on=style.trained_on, workers=workers, left_out=left_out)
    return None


def user_row(path: Path) -> tuple[str, str, str]:
    """Name, kind and source of the row of somebody's own scores; a file's name may hold anything."""
    return f"user:{escape_cell(path.stem)}", "user", escape_cell(path.name)


def local_model_row(word: str) -> str:
    """Name of the row of a model in a folder, ``hf:FOLDER`` of `--only`."""
    return f"{LOCAL_MODEL}{Path(word.removeprefix(LOCAL_MODEL)).name}"


def check_apart(names: Sequence[str]) -> None:
    """Check that no two files or folders would give rows of one name.

    Raises:
        UsageError: two would.
    """
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"two files or folders would both be the row {shown(twice)}; rename one, or evaluate them one after the other.")


def read_scores(path: Path, *, expected: str) -> str:
    """The text of a file of scores.

    Raises:
        UsageError: it cannot be read.
    """
    try:
        return read_regular_text(path, encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        raise UsageError(f"{path}: cannot be read as a file of scores ({reason(error)}). Give {expected}.") from None
