"""The data of a finished run's release, written from its artifacts; its documents follow (`stages.report.write_report`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cloze_gen.config import parse_value, toml_value
from cloze_gen.report.funnel import FunnelStep
from cloze_gen.stages.finished_run import FinishedRun, PublishedSet
from cloze_gen.stages.release.books import BooksFound, OpenedBooks
from cloze_gen.stages.release.facts import ReleaseRecord, record_text
from cloze_gen.stages.release.gather import release_facts
from cloze_gen.stages.release.pointers import write_pointers
from cloze_gen.stages.release.signature import canary_of
from cloze_gen.stages.release.write import full_settings, released_set, write_data, write_store_files
from cloze_gen.stages.style import Style
from cloze_gen.store.artifacts import Artifact
from cloze_gen.store.runs import FULL, RELEASE, RELEASE_FILE, without_folders
from cloze_gen.store.tables import read_jsonl

_NAMES_NO_FILE = "release"  # of the groups of settings
_TEXT = "release.text"  # the setting that asks for pointers


@dataclass(frozen=True, slots=True, kw_only=True)
class RunToPublish:
    """What is known of a finished run.

    Attributes:
        settings: of the style, the groups as attributes; `told` are the same as values of JSON, without folders of the user's.
        artifacts: label of each stage -> its artifact; `last` is the label of the one that holds the items.
        books: folder of the books that items were drawn from.
        sample: whether these are the embedded ones.
        notes: what a user of the set must know.
        overrides: what the user set, `group.key=value`, but for the form of the release.
    """

    name: str
    seed: int
    settings: Any
    told: Mapping[str, Any]
    artifacts: Mapping[str, Artifact]
    last: str
    books: Path
    sample: bool
    signature: str
    notes: Sequence[str]
    steps: Sequence[FunnelStep]
    overrides: Sequence[str]


def told_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings as values of JSON, a file that one names without the user's own folders. The group `release` names people and addresses."""
    return dict(without_folders(settings)) | {_NAMES_NO_FILE: settings[_NAMES_NO_FILE]}


def told_overrides(overrides: Sequence[str]) -> list[str]:
    """What the user set, without folders of theirs, and without what asks for pointers: a full release is the same either way.

    >>> told_overrides(["grooming.offensive_words=/home/ann/list.txt", "release.text=pointers", "release.url=https://a.org/b"])
    ['grooming.offensive_words=list.txt', 'release.url=https://a.org/b']
    >>> told_overrides(['committee.members=["ngram", "hf:/models/x"]', 'grooming.verdicts="/home/ann/v.jsonl"'])
    ['committee.members=["ngram", "hf:x"]', 'grooming.verdicts=v.jsonl']
    """
    parts = [(key.strip(), value.strip()) for key, _, value in (one.partition("=") for one in overrides)]
    return [f"{key}={_told_value(key, value)}" for key, value in parts if key != _TEXT]


def _told_value(key: str, text: str) -> str:
    """The value of an override as the user wrote it, or, where it names folders of theirs, written anew without them."""
    value = parse_value(text)
    told = value if key.startswith(f"{_NAMES_NO_FILE}.") else without_folders(value)
    if told == value:
        return text
    return told if isinstance(told, str) and parse_value(told) == told else toml_value(told)


def publish(folder: Path, style: Style, run: RunToPublish) -> None:
    """Write the data of the release into `folder`, that of a run: to `release`, or of a run of pointers to `full` and `release`."""
    finished = run.artifacts[run.last]
    published = _published(style, run, finished)
    whole = FinishedRun(published=published, settings=run.settings, artifacts=run.artifacts)
    facts = release_facts(
        style, whole, signature=run.signature, settings=full_settings(run.told), sample=run.sample, wanted=int(finished.facts["wanted"]),
        notes=run.notes, overrides=run.overrides,
    )  # fmt: skip
    taken = style.store_files(whole)
    record = ReleaseRecord(
        facts=facts, steps=tuple(run.steps), tables=tuple(style.card_tables(whole)), beside=tuple(published.beside), taken=tuple(taken)
    )
    is_full = run.settings.release.text == "full"
    full = folder / (RELEASE if is_full else FULL)
    full.mkdir()
    write_data(full, style=style, published=published, facts=facts)
    write_store_files(full, taken)
    (full / RELEASE_FILE).write_text(record_text(record), encoding="utf-8", newline="\n")
    if not is_full:
        (folder / RELEASE).mkdir()
        opened = OpenedBooks.of_those(BooksFound.below(run.books), facts.books)
        write_pointers(folder / RELEASE, kind=style.items, published=published, taken=record.taken, full=full, text_of=opened.text_of)


def _published(style: Style, run: RunToPublish, finished: Artifact) -> PublishedSet:
    """The set as it is released."""
    kind = style.items
    last = PublishedSet(
        name=run.name,
        items=kind.read(finished.folder),
        seed=run.seed,
        release=run.settings.release,
        beside={file: list(read_jsonl(finished.path(file))) for file in style.beside_files(finished)},
    )
    records = list(read_jsonl(finished.path(kind.file)))
    return released_set(last, kind, records=records, canary=canary_of(run.signature))
