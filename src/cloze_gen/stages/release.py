"""The release: the files to publish, written from a finished set of questions."""

from __future__ import annotations

import hashlib
import shutil
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import Field

from cloze_gen import __version__
from cloze_gen.formats.harness import harness_record, task_yaml
from cloze_gen.formats.jsonl import parse_questions
from cloze_gen.formats.msr.human import format_human
from cloze_gen.formats.msr.lm import format_lm
from cloze_gen.formats.msr.machine import format_machine
from cloze_gen.formats.scs import format_scs
from cloze_gen.records.question import Question
from cloze_gen.report.card import CardFacts, dataset_card
from cloze_gen.report.funnel import FunnelStep
from cloze_gen.rng import derive_rng
from cloze_gen.settings import SettingsGroup
from cloze_gen.stages.tables import QUESTIONS
from cloze_gen.store.artifacts import Artifact
from cloze_gen.store.manifest import file_sha256
from cloze_gen.store.tables import write_jsonl

CHECKSUMS, SIGNATURE = "SHA256SUMS", "signature.txt"
_DIGEST_DIGITS = 16  # of the questions' sha256, in a signature: 64 bits


class ReleaseSettings(SettingsGroup):
    """Settings of the release."""

    harness: bool = Field(True, description="also write the files of an lm-evaluation-harness task")


@dataclass(frozen=True, slots=True)
class ReleaseFormat:
    """How a style is published.

    Attributes:
        title: as the card says it.
        source_line: the paper.
        files: (run name, questions, random seed) -> file name -> text.
    """

    title: str
    source_line: str
    files: Callable[[str, Sequence[Question], int], Mapping[str, str]]


def holmes_files(name: str, questions: Sequence[Question], seed: int) -> dict[str, str]:
    """The three official formats of the MSR challenge, questions and answers each."""
    files = {}
    for label, formatted in (("machine", format_machine(questions)), ("human", format_human(questions)), ("lm", format_lm(questions))):
        for part, text in zip(("questions", "answers"), formatted, strict=True):
            files[f"{name}.{label}_format.{part}.txt"] = text
    return files


HOLMES = ReleaseFormat("Holmes-style (MSR)", "Zweig & Burges 2011, MSR-TR-2011-129.", holmes_files)


def scs_files(name: str, questions: Sequence[Question], seed: int) -> dict[str, str]:
    """The five files of an SCS set; the paper names them by the number of questions, whatever the run's name."""
    return format_scs(questions, rng_a=derive_rng(seed, "scs.randex_a"), rng_b=derive_rng(seed, "scs.randex_b"))


SCS = ReleaseFormat("SCS-style", "Argouarc'h 2018, A new Sentence Completion Set of 6000 questions.", scs_files)


def make_signature(*, style: str, name: str, train: str, source: str, model: str, seed: int, n: int, questions: str) -> str:
    """One line that names a set and how it was made, as sacreBLEU's scores have.

    Args:
        questions: sha256 of the set's `questions.jsonl`, options and provenance included: other questions have another signature,
            whatever setting, book or version of the code made them other.

    >>> make_signature(style="holmes", name="mine", train="aa", source="bb", model="kn3-cc", seed=1, n=1040, questions="0123456789abcdef01")
    'cloze-gen|v:0.1.0|style:holmes|name:mine|train:aa|source:bb|model:kn3-cc|seed:1|n:1040|set:0123456789abcdef'
    """
    parts = {"v": __version__, "style": style, "name": name, "train": train, "source": source, "model": model, "seed": seed, "n": n,
             "set": questions[:_DIGEST_DIGITS]}  # fmt: skip
    return "|".join(["cloze-gen", *(f"{key}:{value}" for key, value in parts.items())])


def read_questions(artifact: Artifact) -> list[Question]:
    """The questions of a finished choice."""
    with open(artifact.path(QUESTIONS), encoding="utf-8") as handle:
        return list(parse_questions(handle))


def write_release(
    folder: Path,
    *,
    name: str,
    form: ReleaseFormat,
    questions: Artifact,
    books: Sequence[Mapping[str, str]],
    notes: Sequence[str],
    steps: Sequence[FunnelStep],
    settings: Mapping[str, Any],
    n_wanted: int,
    signature: str,
    seed: int,
    harness: bool,
) -> None:
    """Write every file of the release into `folder`, `SHA256SUMS` last."""
    asked = read_questions(questions)
    for file, text in form.files(name, asked, seed).items():
        (folder / file).write_bytes(text.encode("ascii"))
    for file in (QUESTIONS, "candidates.jsonl"):
        if (questions.folder / file).exists():
            shutil.copyfile(questions.path(file), folder / file)
    if harness:
        write_jsonl(folder / f"{name}.harness.jsonl", (harness_record(question) for question in asked))
        task = task_yaml(task=name, data_file=f"{name}.harness.jsonl", version=__version__, signature=signature)
        (folder / f"{name}.harness.yaml").write_text(task, encoding="utf-8", newline="\n")
    (folder / SIGNATURE).write_text(signature + "\n", encoding="utf-8")
    per_book = Counter(question.book_id for question in asked)
    n_options = len(asked[0].options) if asked else 0
    facts = CardFacts(
        name=name,
        style=form.title,
        source_line=form.source_line,
        signature=signature,
        n_questions=len(asked),
        n_wanted=n_wanted,
        n_options=n_options,
        books=[(row["book_id"], row.get("title", ""), per_book[row["book_id"]]) for row in books],
        notes=notes,
        steps=steps,
        settings=settings,
        has_candidates=(folder / "candidates.jsonl").exists(),
        positions=[sum(question.answer_index == i for question in asked) for i in range(n_options)],
    )
    (folder / "README.md").write_text(dataset_card(facts), encoding="utf-8", newline="\n")
    write_checksums(folder)


def write_checksums(folder: Path) -> None:
    """`SHA256SUMS` of every file, in the form that `sha256sum -c` reads."""
    files = sorted(path for path in folder.iterdir() if path.is_file() and path.name != CHECKSUMS)
    lines = [f"{file_sha256(path)}  {path.name}\n" for path in files]
    (folder / CHECKSUMS).write_text("".join(lines), encoding="utf-8")


def short_digest(texts: Sequence[str]) -> str:
    """8 hexadecimal digits over a list of texts, for signatures."""
    return hashlib.blake2b("\x1f".join(texts).encode(), digest_size=4).hexdigest()
