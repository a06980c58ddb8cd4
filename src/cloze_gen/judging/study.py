"""Create, open and run a study."""

from __future__ import annotations

import secrets
import statistics
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cloze_gen.errors import FormatError, UsageError
from cloze_gen.judging.assignment import JudgesPerItem, Rule, shown_order
from cloze_gen.judging.database import (
    StudyFacts,
    StudyStore,
    create_store,
    now,
)
from cloze_gen.judging.state import (
    StudySettings,
    StudyState,
    next_page,
    order_dependence,
    read_state,
    verdicts_by_judge,
    verdicts_of_models,
)
from cloze_gen.judging.study_agreement import StudyAgreement, measure_agreement, verdict_row
from cloze_gen.judging.tasks import TASKS
from cloze_gen.judging.tasks.task import IsRight, Judged, JudgingTask
from cloze_gen.judging.verdicts import VerdictFile, parse_verdicts, verdicts_jsonl
from cloze_gen.parsing import error_text, quote
from cloze_gen.records.judgement import Assignment, Judge, Role, StudyItem, Task, Verdict
from cloze_gen.store.files import read_regular_text
from cloze_gen.store.locks import partial_folder, publish_folder

_MOST_SECONDS = 86_400.0
_LATE_HOURS = 24  # other judges can then get an unanswered item


@dataclass(frozen=True, slots=True)
class Progress:
    """`left` is a lower bound; `seconds_left` is None before the fifth verdict."""

    done: int
    left: int
    seconds_left: float | None


class Study:
    """An open study, shared by the threads of a process. Reads what other processes write."""

    def __init__(self, folder: Path, rule: Rule) -> None:
        """UsageError if the study is damaged, or of another version."""
        self.folder = folder
        self.store = StudyStore(folder)
        self.facts = self.store.facts()
        self.settings = StudySettings.model_validate(dict(self.facts.settings))
        self._rule, self._lock = rule, threading.RLock()
        self._version = self.store.database.version
        self._state = read_state(self.store, rule)

    @property
    def task(self) -> JudgingTask:
        return TASKS[self.facts.task]

    def state(self) -> StudyState:
        with self._lock:
            version = self.store.database.version
            if version != self._version:
                self._state = read_state(self.store, self._rule)
                self._version = version
            return self._state

    def add_judges(self, judges: Sequence[Judge]) -> None:
        """Add judges; an existing name keeps its role."""
        with self._lock:
            self.store.add_judges(judges)
            self._state.judges |= {
                one.name: one for one in judges if one.name not in self._state.judges
            }

    def next_open(self, judge: str) -> Assignment | None:
        """The first unanswered item, assigning another page if needed; None: nothing now."""
        due = self.due(judge)
        return due[0] if due else None

    def due(self, judge: str) -> list[Assignment]:
        """Unanswered items, or else the next page."""
        with self._lock:
            state = self.state()
            return state.due(judge) or self.assign_page(judge)

    def assign_page(self, judge: str, *, condition: str | None = None) -> list[Assignment]:
        """One more page, even if items are still due; empty if there is nothing to assign."""
        with self._lock:
            if not self._page(judge, condition):
                return []  # do not wait for writers
            with self.store.database.writing():  # other processes may assign items meanwhile
                state, page = self.state(), self._page(judge, condition)
                self.store.add_assignments(page)
            state.add(page)
            return page

    def unanswered(self, model: Judge) -> list[Assignment]:
        """All that a model annotator has not answered. Nothing is assigned."""
        settings = self.settings.model_copy(update={"page": self.facts.items})
        with self._lock:
            state = self.state()
            rest = next_page(state, model, self.facts, settings, condition=None)
            return [*state.due(model.name), *rest]

    def _page(self, judge: str, condition: str | None) -> list[Assignment]:
        state = self.state()
        state.expire(now(hours_ago=_LATE_HOURS))
        return next_page(state, state.judges[judge], self.facts, self.settings, condition=condition)

    def assignment(self, judge: str, assignment_id: str) -> Assignment | None:
        """None unless it is this judge's."""
        found = self.state().by_id.get(assignment_id)
        return found if found is not None and found.judge == judge else None

    def neighbours(self, assignment: Assignment) -> tuple[Assignment | None, Assignment | None]:
        mine, at = self.state().of_judge[assignment.judge], assignment.place - 1
        return mine[at - 1] if at else None, mine[at + 1] if at + 1 < len(mine) else None

    def seen(self, assignment: Assignment) -> dict[str, Any]:
        """The item in the judge's own order, without the key."""
        item = self.store.item(assignment.item)
        judge = f"{self.facts.secret}:{assignment.judge}"
        n_ordered = self.task.n_ordered(item.shown)
        order = shown_order(self.settings.seed, judge, item.id, n_ordered)
        return self.task.seen(item.shown, order, assignment.condition)

    def current_response(self, assignment: Assignment) -> Mapping[str, Any] | None:
        verdict = self.state().verdicts.get(assignment.id)
        return verdict.response if verdict else None

    def _parse(self, assignment: Assignment, response: Any) -> dict[str, Any]:
        """A response in canonical form; FormatError if it is not valid for this item."""
        item = self.store.item(assignment.item)
        return self.task.parse(response, item.shown, assignment.condition)

    def take(
        self,
        assignment: Assignment,
        response: Any,
        *,
        verdict_id: str = "",
        seconds: float = 0.0,
        source: str,
    ) -> bool:
        """Store a verdict durably before returning; the last one of an assignment counts.

        Sending it again changes nothing, and returns False. `verdict_id`: chosen by the sender;
        without one (an import), a verdict that equals the last one is the same.

        Raises:
            FormatError: the response is not valid for this item, or the id belongs to another
                verdict.
        """
        canonical = self._parse(assignment, response)
        seconds = min(max(seconds, 0.0), _MOST_SECONDS)
        verdict_id = verdict_id or f"import-{secrets.token_hex(12)}"
        return self._store(Verdict(verdict_id, assignment.id, canonical, seconds, source))

    def take_of_model(
        self,
        assignment: Assignment,
        responses: Sequence[Any],
        *,
        verdict_id: str,
        seconds: float,
        source: str,
    ) -> bool:
        """Store a model's verdict: what its responses, one for each order of the choices, share."""
        answers = tuple(self._parse(assignment, one) for one in responses)
        shared = answers[0] if len(answers) == 1 else self.task.in_both_orders(*answers) or {}
        return self._store(Verdict(verdict_id, assignment.id, shared, seconds, source, answers))

    def _store(self, verdict: Verdict) -> bool:
        with self._lock:
            with self.store.database.writing():  # other processes may store verdicts meanwhile
                state = self.state()
                current = state.verdicts.get(verdict.assignment)
                before = self.store.find_verdict(verdict.id)
                if before is not None:
                    if (before.assignment, before.response) != (
                        verdict.assignment,
                        verdict.response,
                    ):
                        raise FormatError("another verdict has this id; nothing was written")
                    return False
                is_equal = current is not None and current.response == verdict.response
                if is_equal and verdict.source == "import":
                    return False
                self.store.add_verdict(verdict)
            state.apply(verdict)
        return True

    def progress(self, judge: str) -> Progress:
        with self._lock:  # other threads add to it meanwhile
            state = self.state()
            mine = state.of_judge.get(judge, ())
            took = [
                given.seconds
                for one in mine
                if (given := state.verdicts.get(one.id)) and given.seconds
            ]
            done, left = sum(one.id in state.verdicts for one in mine), len(state.due(judge))
            # open items that this judge has not been assigned
            if state.judges[judge].role is Role.JUDGE:
                left += len(state.open) - sum(
                    item in state.open for item in {one.item for one in mine}
                )
        return Progress(done, left, left * statistics.median(took) if len(took) >= 5 else None)

    def close(self) -> None:
        self.store.database.close()


def make_study(
    folder: Path, items: Sequence[StudyItem], *, task: Task, run: str, style: str, of: Mapping[str, str], settings: StudySettings,
    rules: Mapping[str, Any],
) -> StudyFacts:  # fmt: skip
    """Write a study into a new folder. Only its owner can read it: it holds keys and names."""
    if folder.exists() or folder.is_symlink():
        raise UsageError(
            f"{folder}: already exists. Nothing was written. Use --name for another name."
        )
    if not items:
        raise UsageError(f"{run}: there are no items to judge. Nothing was written.")
    facts = StudyFacts(
        name=folder.name, task=task, run=run, style=style, of=dict(of), settings=settings.model_dump(mode="json"),
        rules=dict(rules), secret=secrets.token_hex(16), items=len(items),
    )  # fmt: skip
    with partial_folder(folder, mode=0o700) as partial:
        create_store(partial, facts, items)
        if not publish_folder(partial, folder):
            raise UsageError(
                f"{folder}: another command created it meanwhile. Nothing was written."
            )
    return facts


# ---- the studies of a style, and their verdicts


def judges_per_item(facts: StudyFacts) -> Rule:
    return JudgesPerItem(int(facts.settings["each"]))


@dataclass(frozen=True, slots=True, kw_only=True)
class StudySource:
    """One judging task of a recipe.

    Attributes:
        of: label of the stage that the items come from; ``release`` for the finished set.
        draw: (a run's folder, settings of the study) -> its items, in order.
        rules: settings of the run -> those that the judging depends on.
        verdicts: a study -> its verdict file, without names of judges.
        identity: a run's folder -> identity of the items' source; None: fingerprint of stage `of`.
        is_right: (guess, target) -> whether the guess is the target; used for guesses only.
        draw_named: (a run's folder, ids) -> these items, in order; None: items cannot be named.
        draw_others: (items of the run, settings, files of other sets) -> all items shuffled, and
            name of each other set -> its digest; None: other sets cannot be mixed in.
        rerun_stage: label of the stage that reads the verdicts.
        setting: `group.key` of the setting that names the verdict file; empty if no stage reads it.
    """

    task: Task
    of: str
    draw: Callable[[Path, StudySettings], Sequence[StudyItem]]
    verdicts: Callable[[Study], str]
    rules: Callable[[Mapping[str, Any]], Mapping[str, Any]] = lambda settings: {}
    rule: Callable[[StudyFacts], Rule] = judges_per_item
    identity: Callable[[Path], str] | None = None
    is_right: IsRight = str.__eq__
    draw_named: Callable[[Path, Sequence[str]], Sequence[StudyItem]] | None = None
    draw_others: (
        Callable[
            [Sequence[StudyItem], StudySettings, Sequence[Path]],
            tuple[list[StudyItem], dict[str, str]],
        ]
        | None
    ) = None
    rerun_stage: str = ""
    setting: str = ""


def study_agreement(study: Study, *, is_right: IsRight) -> StudyAgreement:
    state = study.state()
    items = {item.id: item for item in study.store.items()}
    machines = [one.name for one in state.judges.values() if one.role is Role.MACHINE]
    verdicts = []
    for assignment, verdict in state.verdicts.items():
        if verdict.response:
            one = state.by_id[assignment]
            verdicts.append(
                Judged(
                    items[one.item],
                    one.judge,
                    verdict.response,
                    one.condition,
                    verdict.seconds,
                    is_right,
                )
            )
    return measure_agreement(study.task.name, verdicts, machines=machines, seed=study.settings.seed)


def judge_numbers(state: StudyState, *, models: bool = False) -> Mapping[str, int]:
    """Person -> a number, in order of first assignments; it replaces the name in files.

    `models`: number the model annotators too, after the people.
    """
    found = dict.fromkeys(one.judge for one in state.by_id.values())
    machines = [name for name in found if state.judges[name].role is Role.MACHINE]
    people = [name for name in found if name not in machines]
    return {name: number for number, name in enumerate([*people, *(machines * models)], 1)}


def item_verdicts(study: Study) -> str:
    """The verdict file of a task whose items are finished, with the verdicts of model annotators.

    The header lists, by number, the models' names, the sources of their verdicts, and how many items
    depend on the order of the choices, of how many.
    """
    state = study.state()
    numbers = judge_numbers(state, models=True)
    responses = verdicts_by_judge(state, models=True)
    figures = study_agreement(study, is_right=str.__eq__)
    rows = [
        verdict_row(item, {numbers[judge]: answer for judge, answer in responses[item.id].items()})
        for item in study.store.items()
        if item.id in responses
    ]
    sources: dict[str, dict[str, None]] = {}
    for annotation, verdict in verdicts_of_models(state):
        sources.setdefault(annotation.judge, {})[verdict.source] = None
    depends = order_dependence(state, study.facts.task)
    of_models = {
        "models": {f"{numbers[name]}": name for name in sources},
        "sources": {f"{numbers[name]}": list(found) for name, found in sources.items()},
        "order_dependent": {f"{numbers[name]}": depends.get(name, (0, 0)) for name in sources},
    }
    return verdicts_jsonl(
        VerdictFile(
            study.task.name,
            study.facts.of,
            figures.judges,
            figures.alpha,
            rows,
            of_models if sources else {},
        )
    )


def read_verdicts(path: str | Path, *, task: Task, given_as: str) -> VerdictFile:
    try:
        text = read_regular_text(path, encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        place = quote(str(path), most_chars=300)
        raise UsageError(
            f"{given_as}: cannot read verdicts from {place} ({error_text(error)}). "
            "Use the file that `cloze-gen judge apply` writes."
        ) from None
    return parse_verdicts(text, task=task, name=str(path))
