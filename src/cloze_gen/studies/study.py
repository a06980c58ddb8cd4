"""A study at work: the next item for a judge, and what the judge says taken once."""

from __future__ import annotations

import statistics
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from cloze_gen.errors import FormatError, UsageError
from cloze_gen.judging.assignment import Rule
from cloze_gen.judging.attention import ATTENTION
from cloze_gen.judging.order import shown_order
from cloze_gen.judging.settings import StudySettings
from cloze_gen.judging.tasks import as_seen, n_ordered, seen, taken
from cloze_gen.records.judgement import Assignment, Judge, Kind, Role, StudyItem, Task, Verdict
from cloze_gen.store.judgements.database import DATABASE
from cloze_gen.store.judgements.study_file import STUDY_FILE, StudyFacts, read_study_file
from cloze_gen.store.judgements.study_store import StudyStore, items_digest
from cloze_gen.studies.dealing import next_page
from cloze_gen.studies.standing import Standing, read_standing

_MOST_SECONDS = 86_400.0
_MOST_VERDICTS = 100  # of one assignment; a judge with a program must not fill the disk


class Outcome(StrEnum):
    """What became of a verdict that was sent."""

    TAKEN = "taken"
    AGAIN = "taken_before"  # the same verdict, sent once more
    CHANGED = "changed_elsewhere"  # another one was given meanwhile, in another window; nothing was written


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a judge is.

    Attributes:
        left: items that are dealt to the judge, or that may still be, at least.
        seconds_left: by the median of what the judge took so far; None before the fifth verdict.
    """

    done: int
    left: int
    seconds_left: float | None


class Study:
    """A study that is open. One object serves all threads of a process; other processes may write meanwhile, which is noticed."""

    def __init__(self, folder: Path, facts: StudyFacts, rule: Rule) -> None:
        self.folder, self.facts = folder, facts
        self.settings = StudySettings.model_validate(dict(facts.settings))
        self.store = StudyStore(folder)
        self._rule, self._lock = rule, threading.RLock()
        self._version = self.store.database.version
        self._standing = read_standing(self.store, rule, attention=ATTENTION)

    @property
    def task(self) -> Task:
        return self.facts.task

    def standing(self) -> Standing:
        """All that has happened until now, in whatever process."""
        with self._lock:
            version = self.store.database.version
            if version != self._version:
                self._standing, self._version = read_standing(self.store, self._rule, attention=ATTENTION), version
            return self._standing

    def add_judges(self, judges: Sequence[Judge]) -> None:
        """More judges; a name that is there keeps its role."""
        with self._lock:
            self.store.add_judges(judges)
            self._standing.judges |= {one.name: one for one in judges if one.name not in self._standing.judges}

    def next_open(self, judge: str) -> Assignment | None:
        """The first item that a judge has not answered; where all are, a page more is dealt. None: there is nothing for this judge now."""
        due = self.due(judge)
        return due[0] if due else None

    def due(self, judge: str, *, condition: str | None = None) -> list[Assignment]:
        """What a judge has not answered yet; where there is nothing, the next page.

        Args:
            condition: what a new page is to be asked in; None: whatever is wanted first.
        """
        with self._lock:
            standing = self.standing()
            return standing.due(judge) or self.deal(judge, condition=condition)

    def deal(self, judge: str, *, condition: str | None = None) -> list[Assignment]:
        """One more page for a judge, whatever is still due; empty where nothing is wanted of this judge now."""
        with self._lock:
            if not self._page(judge, condition):
                return []  # whoever has come to the end waits for nobody who writes
            with self.store.database.writing():  # from the look to the deal: another process may deal too
                standing, page = self.standing(), self._page(judge, condition)
                self.store.add_assignments(page)
            standing.add(page)
            return page

    def _page(self, judge: str, condition: str | None) -> list[Assignment]:
        standing = self.standing()
        return next_page(standing, standing.judges[judge], self.facts, self.settings, condition=condition)

    def assignment(self, judge: str, assignment_id: str) -> Assignment | None:
        """An assignment of this judge's own; None where it is nobody's, or somebody else's."""
        found = self.standing().by_id.get(assignment_id)
        return found if found is not None and found.judge == judge else None

    def beside(self, assignment: Assignment) -> tuple[Assignment | None, Assignment | None]:
        """What the judge was dealt before and after this one."""
        mine, at = self.standing().of_judge[assignment.judge], assignment.place - 1
        return mine[at - 1] if at else None, mine[at + 1] if at + 1 < len(mine) else None

    def seen(self, assignment: Assignment) -> dict[str, Any]:
        """What the judge sees of an item: plain values, in the judge's own order, without the key."""
        item, order = self._item(assignment)
        shown = seen(self.task, item.shown, order=order, condition=assignment.condition)
        return shown | ({"votes": self._votes(item, order)} if assignment.kind is Kind.ADJUDICATION else {})

    def said(self, assignment: Assignment) -> tuple[str, dict[str, Any]] | None:
        """The id of the verdict that counts and what it says, in terms of what was seen; None before there is one."""
        verdict = self.standing().verdicts.get(assignment.id)
        if verdict is None:
            return None
        item, order = self._item(assignment)
        return verdict.id, as_seen(self.task, verdict.said, item.shown, order)

    def words(self, assignment: Assignment, said: Any) -> dict[str, Any]:
        """What a judge said, in terms of the item and not of what was seen.

        Raises:
            FormatError: it is no verdict on this item.
        """
        item, order = self._item(assignment)
        return taken(self.task, said, item.shown, order=order, condition=assignment.condition)

    def take(self, assignment: Assignment, said: Any, *, verdict_id: str, replaces: str = "", seconds: float = 0.0, source: str) -> Outcome:
        """Write a verdict down; on the disk when this returns. Sent again it changes nothing.

        Args:
            said: in terms of what was seen.
            verdict_id: made where it was given.
            replaces: the verdict that was seen when it was given; empty for none.
        Raises:
            FormatError: it is no verdict on this item, its id was used for another one, or this item was answered too often.
        """
        words = self.words(assignment, said)
        verdict = Verdict(verdict_id, assignment.id, words, min(max(seconds, 0.0), _MOST_SECONDS), source)
        with self._lock:
            with self.store.database.writing():  # from the look to the word: another process may take verdicts too
                standing = self.standing()
                current, before = standing.verdicts.get(assignment.id), self.store.find_verdict(verdict_id)
                if before is not None:
                    if before.assignment != assignment.id or before.said != words:
                        raise FormatError("the id of this verdict was used for another one; nothing was written")
                    return Outcome.AGAIN
                if current is not None and current.said == words:
                    return Outcome.AGAIN
                if (current.id if current else "") != replaces:
                    return Outcome.CHANGED
                if self.store.count_verdicts(assignment.id) >= _MOST_VERDICTS:
                    raise FormatError(f"this item was answered {_MOST_VERDICTS} times; what was said last counts, and no more is taken")
                self.store.add_verdict(verdict)
            standing.hear(verdict)
        return Outcome.TAKEN

    def withdraw(self, judge: str) -> int:
        """Wait no longer for what a judge has not answered; returns how many items that were."""
        with self._lock:
            with self.store.database.writing():
                standing = self.standing()
                gone = standing.due(judge)
                self.store.withdraw(one.id for one in gone)
            for one in gone:
                standing.let_go(one.id)
        return len(gone)

    def progress(self, judge: str) -> Progress:
        """How far a judge is."""
        with self._lock:  # other threads add to what is gone through here
            standing = self.standing()
            mine = standing.of_judge.get(judge, ())
            took = [given.seconds for one in mine if (given := standing.verdicts.get(one.id)) and given.seconds]
            done, left = sum(one.id in standing.verdicts for one in mine), len(standing.due(judge))
            if standing.judges[judge].role is Role.JUDGE:  # what is open and not this judge's yet; the judge's own are few
                left += len(standing.open) - sum(item in standing.open for item in {one.item for one in mine})
        return Progress(done, left, left * statistics.median(took) if len(took) >= 5 else None)

    def close(self) -> None:
        self.store.database.close()

    def _item(self, assignment: Assignment) -> tuple[StudyItem, list[int]]:
        item = self.store.item(assignment.item)
        whose = f"{self.facts.secret}:{assignment.judge}"
        return item, shown_order(self.settings.seed, whose, item.id, n_ordered(self.task, item.shown))

    def _votes(self, item: StudyItem, order: Sequence[int]) -> list[dict[str, Any]]:
        """What others said of an item, in terms of what is seen; no names."""
        answers = self.standing().cases[item.id].answers
        return [as_seen(self.task, given.said, item.shown, order) for given in answers]


def open_study(folder: Path, rule: Rule) -> Study:
    """The study in a folder.

    Raises:
        UsageError: it is damaged, or of another version.
    """
    facts = read_study_file(folder)
    _check_items(folder, facts)
    return Study(folder, facts, rule)


def _check_items(folder: Path, facts: StudyFacts) -> None:
    """Raises UsageError where the items in the database are not those that the study was made of: verdicts on them could not be applied."""
    store = StudyStore(folder)
    try:
        unchanged = items_digest(store.items()) == facts.digest
    except (ValueError, TypeError, RecursionError):  # a cell that is no JSON of an item
        unchanged = False
    finally:
        store.database.close()
    if not unchanged:
        raise UsageError(
            f"{folder}: the items in {DATABASE} are not those that {STUDY_FILE} names, so what judges say of them could not be used. "
            "Nothing was changed. Put the copies of both files back that belong together."
        )
