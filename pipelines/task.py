"""Stages as Luigi tasks, and a build: one run of a DAG of them in this process."""

from __future__ import annotations

import contextlib
import functools
import logging
import queue
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import luigi
from luigi.scheduler import Scheduler
from luigi.task_register import Register
from luigi.worker import Worker

from cloze_gen import __version__
from cloze_gen.engine.local import Engine, make_engine
from cloze_gen.engine.progress import LOGS, Stopwatch, keeping_log, note, say
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.engine.threads import one_math_thread
from cloze_gen.errors import ClozeGenError, CorpusError
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, Store
from cloze_gen.store.fingerprint import StageKey

T = TypeVar("T")


class Build:
    """State that the tasks of one run share.

    Attributes:
        stages: inputs first.
        is_planning: stages are only described; a large input that was never read counts as new.
        intact: folders of books' artifacts that were checked: several stages name them.
        announce: called with each stage that starts.
        seconds: of each stage that ran, without those that ran while it waited.
    """

    def __init__(self) -> None:
        self.stages: list[StageTask] = []
        self.is_planning = False
        self.failures: list[BaseException] = []
        self.intact: set[str] = set()
        self.announce: Callable[[StageTask], None] | None = None
        self.seconds: dict[StageTask, float] = {}
        self._nested_seconds = 0.0  # of stages that ran while another one waited
        self._at_work: list[StageTask] = []  # the outermost first
        self._engine: Engine | None = None
        self._read: dict[Any, Any] = {}
        Register.clear_instance_cache()  # type: ignore[no-untyped-call]  # else no task ever goes

    def once(self, function: Callable[..., T], *given: Any) -> T:
        """Call a function once a build: the next build reads books and configs again."""
        if (function, given) not in self._read:
            self._read[function, given] = function(*given)
        return self._read[function, given]

    def engine(self, name: str, processes: int) -> Engine:
        if self._engine is None:
            self._engine = make_engine(name, workers=processes)
        return self._engine

    def run_stage(self, stage: StageTask) -> None:
        """Write the stage's artifact, unless another stage has failed: Luigi would go on."""
        if self.failures:
            raise ClozeGenError("not started, because another stage failed")
        engine = self.engine(stage.engine, stage.processes)
        ctx = StageContext(stage.store, engine, stage.label, stage.strict)
        waits = "another run is writing this stage; waiting"
        with stage.store.writing(stage.key, on_wait=lambda: ctx.say(waits), say=ctx.say) as writer:
            if writer is None:
                return
            self._at_work.append(stage)
            clock, nested = Stopwatch(), self._nested_seconds
            if self.announce is not None:
                self.announce(stage)
            try:
                # The last digits of a product depend on the number of threads.
                with one_math_thread():
                    stage.work(writer, ctx)
                stage.check_something_kept(writer.funnel)
            except MemoryError as error:
                if not hasattr(error, "__notes__"):  # of two stages at work the inner one
                    error.add_note(stage.label)
                raise
            finally:
                self._at_work.pop()
        own = clock.seconds - (self._nested_seconds - nested)
        self._nested_seconds += own
        self.seconds[stage] = own

    def run_those_ready(self) -> None:
        """Run ready stages while one waits for an outside program, but no second outside program:
        each uses all cores and their memory.
        """
        for stage in self.stages:
            begun = stage.outside or stage in self._at_work or stage.complete()
            if not begun and all(upstream.complete() for upstream in stage.inputs().values()):
                stage.run()


class _BuildParameter(luigi.Parameter[Any]):
    """The build a task belongs to; Luigi's own command makes one for the process."""

    def serialize(self, x: Any) -> str:
        return ""

    def parse(self, x: str) -> Build:
        return Build()


class StageTarget(luigi.Target):
    """A finished artifact."""

    def __init__(self, store: Store, key: StageKey, intact: set[str]) -> None:
        self._store, self._key, self._intact = store, key, intact

    def exists(self) -> bool:
        return self._store.is_complete(self._key, self._intact)


class PipelineTask(luigi.Task):
    """The parameters that a run and all its stages share."""

    config = luigi.Parameter(
        default="", description="a built-in config's name or a TOML file; empty: the style's own"
    )
    overrides = luigi.Parameter(default="[]", description="JSON list of group.key=value settings")
    train = luigi.Parameter(
        default="",
        description="training books: folder, file or pattern; empty: the source books, or the sample",
    )
    source = luigi.Parameter(
        default="", description="source books: folder, file or pattern; empty: the embedded sample"
    )
    books = luigi.Parameter(
        default="",
        description="books of a style of one side: folder, file or pattern; empty: the sample",
    )
    out = luigi.Parameter(default="artifacts", description="output folder")
    seed = luigi.IntParameter(default=1, description="random seed")
    processes = luigi.IntParameter(
        default=2,
        significant=False,
        description="processes of the local engine (Luigi has its own `--workers`)",
    )
    engine = luigi.Parameter(
        default="local", significant=False, description="local, or dask:ADDRESS"
    )
    strict = luigi.BoolParameter(
        default=False, significant=False, description="stop the run if a book is dropped"
    )
    build: Any = _BuildParameter(default=Build(), significant=False)

    @property
    def store(self) -> Store:
        return Store(Path(self.out))

    def trigger_event(self, event: Any, *args: Any, **kwargs: Any) -> None:
        """Luigi reports here how a task ended."""
        if event in {luigi.Event.FAILURE, luigi.Event.BROKEN_TASK}:
            self.build.failures.append(args[1])
        super().trigger_event(event, *args, **kwargs)  # type: ignore[no-untyped-call]


class StageTask(PipelineTask):
    """One stage of one run: most define `stage`, `needs` and `write`, others override `inputs`,
    `settings`, `given` or `work`.

    Attributes:
        draws: draws at random, so the seed is part of the fingerprint.
        outside: waits for a program with a core and memory of its own.
        may_keep_nothing: a run can end well although this stage rejects everything.
        needs: input -> its stage, with the side for stages that each side has.
        write: called with the writer, the context, the inputs by name, and the result of `given`.
    """

    stage: ClassVar[str]
    version: ClassVar[int] = 1
    draws: ClassVar[bool] = False
    outside: ClassVar[bool] = False
    may_keep_nothing: ClassVar[bool] = False
    needs: ClassVar[Mapping[str, Any]] = {}
    write: ClassVar[Callable[..., None]]
    _whole = False

    @property
    def label(self) -> str:
        return self.stage.replace("_", " ")

    def inputs(self) -> dict[str, StageTask]:
        return {
            name: self.clone(need[0], side=need[1]) if isinstance(need, tuple) else self.clone(need)  # type: ignore[no-untyped-call]
            for name, need in self.needs.items()
        }

    def digests(self) -> dict[str, str]:
        """Inputs that are raw files: name -> digest."""
        return {}

    def settings(self) -> dict[str, Any]:
        """The stage's own settings, JSON values."""
        return {}

    def given(self) -> dict[str, Any]:
        """Further arguments of `write`, by name."""
        return {"seed": self.seed} if self.draws else {}

    def work(self, writer: ArtifactWriter, ctx: StageContext) -> None:
        type(self).write(writer, ctx, **self.artifacts(), **self.given())

    def look_ahead(self) -> None:
        """Fail early where `work` would, for example without an outside program."""

    def remedy(self) -> str:
        return "Give more books."

    @functools.cached_property
    def key(self) -> StageKey:
        inputs = {
            name: task.key.fingerprint for name, task in self.inputs().items()
        } | self.digests()
        return StageKey(
            self.stage,
            self.version,
            self.settings(),
            inputs,
            self.seed if self.draws else None,
        )

    def artifacts(self) -> dict[str, Artifact]:
        return {name: self.store.open(task.key) for name, task in self.inputs().items()}

    def artifact(self, name: str) -> Artifact:
        return self.store.open(self.inputs()[name].key)

    def requires(self) -> dict[str, StageTask]:
        return self.inputs()

    def output(self) -> StageTarget:
        return StageTarget(self.store, self.key, self.build.intact)

    def complete(self) -> bool:
        """Whether the artifact is intact on disk; a positive result is cached."""
        if not self._whole:
            self._whole = self.output().exists()
        return self._whole

    def run(self) -> None:
        self.build.run_stage(self)

    def check_something_kept(self, funnel: Mapping[str, Any]) -> None:
        """Refuse an artifact that keeps nothing, because every later stage would be empty."""
        if not funnel or funnel["kept"] or self.may_keep_nothing:
            return
        upstream = (
            (task.label, self.store.open(task.key).funnel)
            for task in stage_order(*self.inputs().values())
        )
        filtered = ((label, own) for label, own in upstream if own and own["kept"] < own["seen"])
        before = ", ".join(
            f"{label} kept {own['kept']:,} of {own['seen']:,} {own['unit']}"
            for label, own in filtered
        )
        counts = sorted(funnel["rejected"].items(), key=lambda one: (-one[1], one[0]))
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in counts if count)
        raise CorpusError(
            f"{self.label}: none of {funnel['seen']:,} {funnel['unit']} is kept "
            f"({reasons or 'there were none'}), so no set can be made. "
            f"{self.remedy()}{f' Earlier stages: {before}.' if before else ''}"
        )


def look_ahead(task: StageTask) -> None:
    """Call `look_ahead` of a task and of all below it that are not on disk, each once."""
    seen = set[str]()

    def visit(one: StageTask) -> None:
        if one.task_id in seen or one.complete():
            return
        seen.add(one.task_id)
        for upstream in one.inputs().values():
            visit(upstream)
        one.look_ahead()

    visit(task)


def stage_order(*tasks: StageTask) -> list[StageTask]:
    """These tasks and all below them, inputs first, each once, in a reader's order."""
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


class InProcessWorker(Worker):
    """Runs tasks in this process. With the pipe and threads of Luigi's own, an interrupt can hang,
    and a thread may take a signal that the main thread holds back.
    """

    def __init__(self, scheduler: Scheduler) -> None:
        # no handler of SIGUSR1: it would outlive the run, and none can be set in a thread
        super().__init__(scheduler=scheduler, worker_processes=1, no_install_shutdown_handler=True)  # type: ignore[no-untyped-call]
        self._task_result_queue: Any = queue.SimpleQueue()

    def __enter__(self) -> InProcessWorker:
        return self

    def __exit__(self, *_: object) -> None:
        return None


class InProcessFactory:
    def create_local_scheduler(self) -> Scheduler:
        # A pruning scheduler would drop our worker, which sends no signal during a long stage.
        return Scheduler(prune_on_get_work=False, record_task_history=False)  # type: ignore[no-untyped-call]

    def create_worker(
        self, scheduler: Scheduler, worker_processes: int, assistant: bool
    ) -> InProcessWorker:
        if worker_processes != 1 or assistant:
            raise ValueError(
                f"{worker_processes} processes, assistant {assistant}: this worker runs "
                "alone, in its own process"
            )
        return InProcessWorker(scheduler)


def build(task: PipelineTask) -> None:
    """Run the stages in this process; the first failure is raised unchanged."""
    task.build.failures.clear()
    for name in ("luigi", "luigi-interface"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    options = {
        "local_scheduler": True,
        "workers": 1,
        "no_lock": True,
        "detailed_summary": True,
        "log_level": "CRITICAL",
    }
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", module="luigi")
        result = luigi.build([task], InProcessFactory(), **options)  # type: ignore[no-untyped-call]
    if task.build.failures:
        raise task.build.failures[0]
    if result.status not in {
        luigi.LuigiStatusCode.SUCCESS,
        luigi.LuigiStatusCode.SUCCESS_WITH_RETRY,
    }:
        raise ClozeGenError(f"the pipeline did not finish: {result.one_line_summary}")


def log_file(store: Store, name: str) -> Path:
    """The log of a run. It is outside the store, because it contains times."""
    return store.root / LOGS / f"{name}.log"


@contextlib.contextmanager
def logged(store: Store, name: str) -> Iterator[None]:
    """Keep the log of a run; a failure names the log."""
    path = log_file(store, name)
    with keeping_log(path, f"cloze-gen {__version__}, {name}"):
        try:
            yield
        except ClozeGenError as error:
            note(str(error))
            say(f"log: {path}")
            raise
