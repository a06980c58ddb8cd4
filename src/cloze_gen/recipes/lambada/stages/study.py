"""A study: people guess the passages of a finished run, and a ledger beside the runs keeps what they were asked and answered (LAMBADA 3.1).

Pages are dealt, answers taken and pages withdrawn here, whoever asks for it: a command, or a page in a browser. Each is put down in the
ledger under its lock before anybody is told of it; everything else is made of the ledger, again and again. Nothing takes a line back.
"""

from __future__ import annotations

import contextlib
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cloze_gen.engine.progress import say
from cloze_gen.errors import UsageError
from cloze_gen.formats.lambada.packets import packet_rows
from cloze_gen.notation import named, shown
from cloze_gen.recipes.lambada.stages.ledger import Ledger, append_events, read_cases, read_ledger, replayed
from cloze_gen.recipes.lambada.stages.tables import read_passages
from cloze_gen.recipes.lambada.steps.assignment import assign, hand_out, take_answers
from cloze_gen.recipes.lambada.steps.guessing import Case, GuessingSettings
from cloze_gen.records.guess_page import Condition, Event, Origin, Page, PageAnswer, Withdrawal
from cloze_gen.records.rejection import Rejection
from cloze_gen.store.artifacts import Artifact
from cloze_gen.store.locks import exclusive_lock
from cloze_gen.store.runs import lies_in_output, read_run, stage_artifact

JUDGEMENTS, LEDGER = "judgements", "ledger.jsonl"
_SUBJECT = re.compile(r"[^\W_][\w.-]{0,39}")  # also the beginning of a file's name


@dataclass(frozen=True, slots=True)
class Standing:
    """How a study stands.

    Attributes:
        cases: the passages of the head, in its order.
        pages: those handed out, by id, in their order.
    """

    ledger: Ledger
    cases: Mapping[str, Case]
    pages: Mapping[str, Page]

    def due(self, page: Page) -> list[int]:
        """The items of a page that its subject has not answered and is waited for."""
        asked = (page.subject, page.condition)
        return [item for item, one in enumerate(page.passage_ids, 1) if asked in self.cases[one].asked]


@dataclass(frozen=True, slots=True)
class Study:
    """The study of one run.

    Attributes:
        folder: of the study; the ledger lies in it.
        lock: of whoever writes in the ledger.
        ranking, passages: artifacts of the run, whose head is guessed.
    """

    folder: Path
    lock: Path
    ranking: Artifact
    passages: Artifact
    settings: GuessingSettings

    @property
    def ledger(self) -> Path:
        return self.folder / LEDGER

    def standing(self) -> Standing:
        """How the study stands; what is odd about its ledger is said.

        Raises:
            UsageError: the ledger cannot be read, or belongs to another run or other settings.
            FormatError: one of its lines is no event.
        """
        ledger = read_ledger(self.ledger) if self.ledger.exists() or self.ledger.is_symlink() else Ledger(str(self.ledger))
        if ledger.torn:
            say(
                f"{self.ledger}: its last line is torn ({shown(ledger.torn)}): its writer was killed. It counts for nothing; all else does."
            )
        cases, pages = replayed(read_cases(self.ranking), ledger, self.settings)
        if ledger.origin not in {"", self._ranking}:
            say(
                f"{self.folder.name}: the ranking has changed since pages were dealt ({ledger.origin} -> {self._ranking}). All passages "
                "that people were asked about are still in its head; texts and order may be others."
            )
        return Standing(ledger, cases, pages)

    def deal(self, subjects: Sequence[str], conditions: Iterable[Condition], *, pages_each: int) -> list[Page]:
        """Hand out the next pages, at most so many of each condition to a subject, to subjects who have seen nothing of their text.

        Raises:
            UsageError: a name cannot serve, or differs from a known one in small and capital letters alone; besides, as `standing`.
        """
        with self._writing() as standing:
            checked = _checked_subjects(subjects, [page.subject for page in standing.pages.values()])
            cases, dealt = dict(standing.cases), list[Page]()
            for condition in conditions:
                pages = assign(cases.values(), checked, condition, settings=self.settings, pages_each=pages_each)
                cases |= hand_out(cases, pages, self.settings)
                dealt += pages
            origin: list[Event] = [Origin(self._ranking)] if standing.ledger.origin != self._ranking else []
            if dealt:
                append_events(self.ledger, [*origin, *dealt])
        return dealt

    def take(self, answers: Sequence[PageAnswer]) -> tuple[list[PageAnswer], list[Rejection]]:
        """Take answers, each once.

        Returns:
            those taken, and a rejection for each of the others, its id `page:item`.
        """
        with self._writing() as standing:
            _, taken, refused = take_answers(standing.cases, standing.pages, answers, self.settings)
            if taken:
                append_events(self.ledger, taken)
        return taken, refused

    def withdraw(self, page_ids: Sequence[str]) -> dict[str, int]:
        """Wait for some pages no longer; what was answered of them stays.

        Returns:
            page -> how many of its items were still waited for.
        Raises:
            UsageError: a page was not handed out.
        """
        with self._writing() as standing:
            unknown = [one for one in page_ids if one not in standing.pages]
            if unknown:
                raise UsageError(
                    f"no such page: {named([shown(one) for one in unknown])}. `cloze-gen judge status` lists those that are out."
                )
            waited = {one: len(standing.due(standing.pages[one])) for one in page_ids}
            gone = [Withdrawal(one) for one, count in waited.items() if count]
            if gone:
                append_events(self.ledger, gone)
        return waited

    def rows(self, pages: Sequence[Page]) -> list[dict[str, Any]]:
        """What the subjects of some pages may see (`formats.lambada.packets.packet_rows`)."""
        asked = frozenset(one for page in pages for one in page.passage_ids)
        found = {passage.id: passage for passage in read_passages(self.passages, which=asked.__contains__)}
        return list(packet_rows(pages, found.__getitem__, sentence_guesses=self.settings.sentence_guesses))

    @property
    def _ranking(self) -> str:
        return str(self.ranking.manifest["fingerprint"])

    @contextlib.contextmanager
    def _writing(self) -> Iterator[Standing]:
        with exclusive_lock(self.lock, on_wait=lambda: say(f"another command is writing in {self.ledger}; waiting for its end")):
            yield self.standing()


def ledger_of(run: Path) -> Path:
    """Where the ledger of a run lies: beside the runs, where nothing replaces or sweeps it."""
    return run.parent.parent / JUDGEMENTS / run.name / LEDGER


def open_study(run: Path) -> Study:
    """The study of the run in a folder.

    Raises:
        UsageError: the folder is a copy outside an output folder, or was written by another version.
    """
    if not lies_in_output(run):
        raise UsageError(f"{run}: lies in no output folder, where its stages and what people answered would be. Name a run by its --out.")
    try:
        settings = GuessingSettings.model_validate(read_run(run)["settings"].get("guessing", {}))
    except ValueError:
        raise UsageError(f"{run}: its settings of guessing are of another version. `cloze-gen run` writes the run anew.") from None
    lock = run.parent.parent / "store" / ".locks" / f"{JUDGEMENTS}-{run.name}"
    return Study(ledger_of(run).parent, lock, stage_artifact(run, "ranking"), stage_artifact(run, "passages"), settings)


def _checked_subjects(names: Sequence[str], known: Sequence[str]) -> list[str]:
    """The names, each once, in one form of Unicode."""
    spelled = {name.casefold(): name for name in known}
    checked: dict[str, None] = {}
    for name in (unicodedata.normalize("NFC", one.strip()) for one in names):
        if not _SUBJECT.fullmatch(name):
            raise UsageError(
                f"subject {shown(name)}: use at most 40 letters, digits, . _ and -, a letter or digit first; files bear the name"
            )
        if spelled.setdefault(name.casefold(), name) != name:
            raise UsageError(f"subject {shown(name)}: is {shown(spelled[name.casefold()])} the same person? Write a name one way.")
        checked[name] = None
    if not checked:
        raise UsageError("name at least one subject: --subjects ann,bob")
    return list(checked)
