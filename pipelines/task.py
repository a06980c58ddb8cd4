"""What all tasks share: a fingerprint made of settings and inputs, a target in the store, and the room they work in.

A task is a label: it names its inputs, its settings and one function. Its fingerprint covers its inputs' fingerprints, so a finished
target is fresh by construction: changed settings or files give another target.
"""

from __future__ import annotations

import abc
import contextlib
import functools
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextvars import ContextVar
from pathlib import Path
from typing import Any, ClassVar

import luigi

from cloze_gen.engine.local import Engine, make_engine
from cloze_gen.errors import ClozeGenError, CorpusError
from cloze_gen.stages.room import Room
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, Store
from cloze_gen.store.keys import StageKey

_planning = ContextVar("planning", default=False)
_broken_off = threading.Event()  # a task of the build under way has failed
_of_the_run: list[StageTask] = []  # the stages of the run being built, inputs first
_at_work: list[str] = []  # ids of the stages that this process is at, the outermost first


def begin_build() -> None:
    """A build begins: what failed in an earlier one is forgotten, and which stages it had."""
    _broken_off.clear()
    _of_the_run.clear()


def build_these(stages: Sequence[StageTask]) -> None:
    """The stages of the run being built, inputs first."""
    _of_the_run[:] = stages


def break_off() -> None:
    """A task has failed. Luigi would go on with all that does not depend on it, hours of work for a run that can no longer end well."""
    _broken_off.set()


def ask_to_begin() -> None:
    """Whether a stage may begin.

    Raises:
        ClozeGenError: the build is broken off.
    """
    if _broken_off.is_set():
        raise ClozeGenError("not begun, since another stage had failed")


@contextlib.contextmanager
def planning() -> Iterator[None]:
    """Stages are described and not run, so nothing large is read for it: a large input that was never read counts as new."""
    token = _planning.set(True)
    try:
        yield
    finally:
        _planning.reset(token)


def is_planning() -> bool:
    """Whether stages are described and not run."""
    return _planning.get()


class StageTarget(luigi.Target):
    """A finished artifact."""

    def __init__(self, store: Store, key: StageKey) -> None:
        self._store, self._key = store, key

    def exists(self) -> bool:
        return self._store.is_complete(self._key)


class PipelineTask(luigi.Task):
    """The parameters that a run and all its stages share."""

    config = luigi.Parameter(default="", description="a built-in config's name or a TOML file; empty: the style's own")
    overrides = luigi.Parameter(default="[]", description="JSON list of stage.key=value settings")
    train = luigi.Parameter(default="", description="folder of the training books; empty: the source books, or the embedded sample")
    source = luigi.Parameter(default="", description="folder of the source books; empty: the embedded sample")
    books = luigi.Parameter(default="", description="folder of the books of a style that reads one; empty: the embedded sample")
    out = luigi.Parameter(default="artifacts", description="output folder")
    seed = luigi.IntParameter(default=1, description="random seed")
    processes = luigi.IntParameter(default=2, significant=False, description="of the local engine (Luigi has a `--workers` of its own)")
    engine = luigi.Parameter(default="local", significant=False, description="local, or dask:ADDRESS")
    strict = luigi.BoolParameter(default=False, significant=False, description="a dropped book ends the run")

    @property
    def store(self) -> Store:
        return Store(Path(self.out))


class StageTask(PipelineTask):
    """One stage of one run. Subclasses say `stage`, `inputs`, `settings` and `work`."""

    stage: ClassVar[str]
    version: ClassVar[int] = 1
    draws: ClassVar[bool] = False
    outside: ClassVar[bool] = False  # it waits for a program that takes a core and memory of its own
    may_keep_nothing: ClassVar[bool] = False  # a run can end well although this stage rejects all that it sees
    _whole = False

    def inputs(self) -> dict[str, StageTask]:
        """Upstream tasks by name."""
        return {}

    def digests(self) -> dict[str, str]:
        """Inputs that are raw files: name -> digest."""
        return {}

    def settings(self) -> dict[str, Any]:
        """The stage's own settings, JSON values."""
        return {}

    def look_ahead(self) -> None:
        """Fail now where it is known already that `work` would: an outside program that is missing."""

    @abc.abstractmethod
    def work(self, writer: ArtifactWriter, room: Room) -> None:
        """Call the stage's one function."""

    def requires(self) -> dict[str, StageTask]:
        return self.inputs()

    @functools.cached_property
    def key(self) -> StageKey:
        inputs = {name: task.key.fingerprint for name, task in self.inputs().items()} | self.digests()
        return StageKey(self.stage, self.version, self.settings(), inputs, self.seed if self.draws else None)

    def output(self) -> StageTarget:
        return StageTarget(self.store, self.key)

    def artifact(self, name: str) -> Artifact:
        return self.store.open(self.inputs()[name].key)

    def run(self) -> None:
        ask_to_begin()
        room = Room(self.store, current_engine(self.engine, self.processes), self.label, self.strict)
        waits = "another run is writing this stage; waiting"
        with self.store.writing(self.key, on_wait=lambda: room.say(waits), say=room.say) as writer:
            if writer is not None:
                _at_work.append(self.task_id)
                try:
                    self.work(writer, room)
                    self.check_something_kept(writer.funnel)
                except MemoryError as error:
                    if not hasattr(error, "__notes__"):  # of two stages under way the inner one
                        error.add_note(self.label)
                    raise
                finally:
                    _at_work.pop()

    def check_something_kept(self, funnel: Mapping[str, Any]) -> None:
        """Refuse an artifact of which nothing goes on: every later stage would be empty.

        Raises:
            CorpusError: the stage rejected all that it saw; names the reasons, what the stages before kept, and what to do.
        """
        if not funnel or funnel["kept"] or self.may_keep_nothing:
            return
        upstream = ((task.label, self.store.open(task.key).funnel) for task in stage_order(*self.inputs().values()))
        told = ((label, own) for label, own in upstream if own and own["kept"] < own["seen"])
        before = ", ".join(f"{label} kept {own['kept']:,} of {own['seen']:,} {own['unit']}" for label, own in told)
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in sorted(funnel["rejected"].items(), key=_most_first) if count)
        raise CorpusError(
            f"{self.label}: none of {funnel['seen']:,} {funnel['unit']} is kept ({reasons or 'there were none'}), so no set can be made. "
            f"{self.remedy()}{f' Before it: {before}.' if before else ''}"
        )

    def remedy(self) -> str:
        """What to do where nothing is kept."""
        return "Give more books."

    @property
    def label(self) -> str:
        return self.stage

    def complete(self) -> bool:
        """Whether the artifact is on disk as it was written; asked once where the answer is yes."""
        if not self._whole:
            self._whole = self.output().exists()
        return self._whole


def _most_first(reason: tuple[str, int]) -> tuple[int, str]:
    return -reason[1], reason[0]


def run_those_ready() -> None:
    """Run the stages whose inputs are on disk, for one that waits for an outside program; Luigi finds them done when their turn comes.

    No other outside program is begun meanwhile: two would share the cores and the memory that each counts on.
    """
    for task in _of_the_run:
        begun = task.outside or task.task_id in _at_work or task.complete()
        if not begun and all(upstream.complete() for upstream in task.inputs().values()):
            task.run()


@functools.lru_cache(maxsize=1)
def current_engine(name: str, workers: int) -> Engine:
    """One engine a process, so that workers are started once a run."""
    return make_engine(name, workers=workers)


def look_ahead(task: StageTask) -> None:
    """Ask all stages that this one still has to wait for, and itself, whether they can work; what is on disk is not asked."""
    if task.complete():
        return
    for upstream in task.inputs().values():
        look_ahead(upstream)
    task.look_ahead()


def stage_order(*tasks: StageTask) -> list[StageTask]:
    """All tasks below these and they themselves, inputs first, each once, in the order a reader would follow."""
    ordered: dict[str, StageTask] = {}

    def visit(one: StageTask) -> None:
        if one.task_id in ordered:
            return
        for upstream in one.inputs().values():
            visit(upstream)
        ordered.setdefault(one.task_id, one)

    for task in tasks:
        visit(task)
    return list(ordered.values())
