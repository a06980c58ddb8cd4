"""Stages, and a pipeline: the stages of one run, which Luigi runs in this process.

A stage is a function with arguments. The arguments are its fingerprint:

    focus = run.stage("focus", write_focus, v=7, source=source, counts=counts, settings=s.focus)

An earlier stage is hashed by its fingerprint, a group of settings by its values, `Content` by its
digest, anything else as JSON. The function gets earlier stages as artifacts.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import json
import logging
import queue
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import luigi
import pyarrow as pa
from luigi.scheduler import Scheduler
from luigi.worker import Worker

from cloze_gen import __version__
from cloze_gen.engine.local import Engine, make_engine
from cloze_gen.engine.progress import LOGS, keeping_log, note, say
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.engine.threads import one_math_thread
from cloze_gen.errors import ClozeGenError, CorpusError, UsageError
from cloze_gen.parsing import quote
from cloze_gen.settings import SettingsGroup
from cloze_gen.store.artifacts import Artifact, Store
from cloze_gen.store.fingerprint import StageKey, canonical_json
from cloze_gen.store.manifest import outside_digest


@dataclass(frozen=True)
class Content:
    """An argument that is hashed by its content: one digest, or several by name."""

    value: Any
    digest: str | Mapping[str, str]


@dataclass(frozen=True)
class FileInput(Content):
    """``hf:FOLDER`` or ``scores:FILE`` outside the store, the value of a setting."""

    setting: str


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Stage:
    """One stage of a run.

    Attributes:
        write: called with the writer, the context and the arguments.
        arguments: by name; those that are stages become artifacts.
        waits: for a program that uses all cores; no other one starts meanwhile.
        may_keep_nothing: the run goes on although this stage rejects everything.
        check: fails early where the stage would, for example without a program.
        advice: if the stage keeps nothing, besides giving more books.
    """

    key: StageKey
    label: str
    write: Callable[..., None]
    arguments: Mapping[str, Any]
    waits: bool = False
    may_keep_nothing: bool = False
    check: Callable[[], object] | None = None
    advice: str = ""

    def __str__(self) -> str:
        return self.key.folder_name

    @functools.cached_property
    def inputs(self) -> list[Stage]:
        """The stages among the arguments."""
        return [
            stage
            for name, value in self.arguments.items()
            for stage in _stages(name, value).values()
        ]


def _stages(argument: str, value: Any) -> dict[str, Stage]:
    """The stages that an argument names, by name: one, those of a mapping, or none."""
    values = value if isinstance(value, Mapping) else {argument: value}
    return {name: stage for name, stage in values.items() if isinstance(stage, Stage)}


def _key(name: str, version: int, arguments: Mapping[str, Any]) -> StageKey:
    settings: dict[str, Any] = {}
    inputs: dict[str, str] = {}
    for argument, value in arguments.items():
        stages = _stages(argument, value)
        if stages:
            _add(inputs, {label: stage.key.fingerprint for label, stage in stages.items()})
        elif isinstance(value, Content):
            digest = value.digest
            _add(inputs, {argument: digest} if isinstance(digest, str) else digest)
        elif argument == "settings":
            _add(settings, value.hashed())
        else:
            _add(settings, {argument: _plain(value)})
    as_read = json.loads(canonical_json(settings))  # tuples are lists, as in the manifest
    return StageKey(name, version, as_read, inputs)


def _plain(value: Any) -> Any:
    if isinstance(value, SettingsGroup):
        return value.hashed()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.asdict(value)
    return value


def _add(known: dict[str, Any], more: Mapping[str, Any]) -> None:
    twice = known.keys() & more.keys()
    if twice:
        raise ValueError(f"two arguments of one stage are named {sorted(twice)}")
    known.update(more)


@dataclass(eq=False, repr=False)  # Luigi prints every parameter; all stages would be endless
class Pipeline:
    """The stages of one run, in order, and the state that they share.

    Attributes:
        workers: processes of the local engine.
        scratch: where texts that are not in the store are put, if a run is only planned.
        strict: a dropped book ends the run.
        remedy: what to do if a stage keeps nothing.
        failures: of the last call of `run`, the first one first.
    """

    store: Store
    seed: int = 1
    workers: int = 2
    engine_name: str = "local"
    strict: bool = False
    remedy: Callable[[Stage], str] = lambda stage: "Give more books."
    scratch: Store | None = None

    def __post_init__(self) -> None:
        self.stages: list[Stage] = []
        self.failures: list[BaseException] = []
        self._intact = set[str]()  # folders of artifacts that were checked
        self._wanted: Sequence[Stage] = ()
        self._begun = set[Stage]()

    def stage(
        self,
        name: str,
        write: Callable[..., None],
        *,
        v: int = 1,
        label: str = "",
        waits: bool = False,
        may_keep_nothing: bool = False,
        check: Callable[[], object] | None = None,
        advice: str = "",
        **arguments: Any,
    ) -> Stage:
        """Add a stage.

        Args:
            name: of the artifact's folder; `v`: raised by hand when `write` writes something else.
            label: in the run; differs from the name where a run has several stages of one name.
        """
        stage = Stage(
            key=_key(name, v, arguments),
            label=label or name.replace("_", " "),
            write=write,
            arguments=arguments,
            waits=waits,
            may_keep_nothing=may_keep_nothing,
            check=check,
            advice=advice,
        )
        if any(stage.label == other.label for other in self.stages):
            raise ValueError(f"two stages are labelled {stage.label}")
        self.stages.append(stage)
        return stage

    def file_input(self, place: str, *, setting: str) -> FileInput | None:
        """The file of a setting; None for an empty one."""
        if not place:
            return None
        digest = outside_digest(place, setting=setting)
        return FileInput(place, digest, setting)

    def labelled(self, label: str) -> Stage:
        return next(stage for stage in self.stages if stage.label == label)

    @functools.cached_property
    def engine(self) -> Engine:
        return make_engine(self.engine_name, workers=self.workers)

    def open(self, stage: Stage) -> Artifact:
        return self.store.open(stage.key)

    def is_complete(self, stage: Stage) -> bool:
        """Whether the artifact is intact on disk; a positive result is kept."""
        folder = stage.key.folder_name
        if folder not in self._intact and self.store.is_complete(stage.key):
            self._intact.add(folder)
        return folder in self._intact

    def check_early(self, stages: Iterable[Stage]) -> None:
        """Let the stages that are missing fail now where they would fail later."""
        for stage in stages:
            if stage.check and not self.is_complete(stage):
                stage.check()

    def run(self, stages: Sequence[Stage], root: luigi.Task | None = None) -> None:
        """Run what is missing of these stages, then the root; the first failure is raised."""
        self._wanted = stages
        self._begun = {stage for stage in stages if self.is_complete(stage)}
        tasks = [root] if root else [StageTask(stage=stage, pipeline=self) for stage in stages]
        run_tasks(tasks, self.failures)

    def run_stage(self, stage: Stage) -> None:
        """Write the stage's artifact, unless another stage has failed: Luigi would go on."""
        if self.failures:
            raise ClozeGenError("not started, because another stage failed")
        ctx = StageContext(self.store, self.engine, stage.label, self.strict, self._run_those_ready)
        waits = "another run is writing this stage; waiting"
        with self.store.writing(stage.key, on_wait=lambda: ctx.say(waits), say=ctx.say) as writer:
            if writer is None:
                return
            self._begun.add(stage)
            if self._wanted:
                say(f"stage {len(self._begun)} of {len(self._wanted)}: {stage.label}")
            try:
                # The last digits of a product depend on the number of threads.
                with one_math_thread():
                    stage.write(writer, ctx, **self._opened(stage.arguments))
            except MemoryError as error:
                error.add_note(stage.label)
                raise
            self._check_unchanged(stage)
            self._check_something_kept(stage, writer.funnel)
        pa.default_memory_pool().release_unused()  # Arrow keeps it for itself otherwise

    def _opened(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        return {name: self._argument(value) for name, value in arguments.items()}

    def _argument(self, value: Any) -> Any:
        if isinstance(value, Stage):
            return self.open(value)
        if isinstance(value, Content):
            return value.value
        return self._opened(value) if isinstance(value, Mapping) else value

    def _run_those_ready(self) -> None:
        """Run ready stages while one waits for a program, but no second program: each uses all
        cores and their memory.
        """
        for stage in self._wanted or self.stages:
            begun = stage.waits or stage in self._begun or self.is_complete(stage)
            if not begun and all(map(self.is_complete, stage.inputs)):
                self.run_stage(stage)

    def _check_unchanged(self, stage: Stage) -> None:
        """UsageError if a file is no longer that of its digest."""
        for file in stage.arguments.values():
            if isinstance(file, FileInput) and file != self.file_input(
                file.value, setting=file.setting
            ):
                raise UsageError(
                    f"{file.setting}: {quote(file.value)} changed while it was read. Wait until "
                    "no program writes to it, then run again."
                )

    def _check_something_kept(self, stage: Stage, funnel: Mapping[str, Any]) -> None:
        """Refuse an artifact that keeps nothing, because every later stage would be empty."""
        if not funnel or funnel["kept"] or stage.may_keep_nothing:
            return
        earlier = []
        for other in self.stages:
            kept = self.open(other).funnel if self.is_complete(other) else {}
            if kept and kept["kept"] < kept["seen"]:
                share = f"{kept['kept']:,} of {kept['seen']:,} {kept['unit']}"
                earlier.append(f"{other.label} kept {share}")
        counts = sorted(funnel["rejected"].items(), key=lambda count: (-count[1], count[0]))
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in counts if count)
        before = f"Earlier stages: {', '.join(earlier)}." if earlier else ""
        advice = " ".join(filter(None, (self.remedy(stage), stage.advice, before)))
        raise CorpusError(
            f"{stage.label}: none of {funnel['seen']:,} {funnel['unit']} is kept "
            f"({reasons or 'there were none'}), so no set can be made. {advice}"
        )


# ---- Luigi


class _ObjectParameter(luigi.Parameter[Any]):
    """A parameter that is no text; Luigi names it by `str`."""


class PipelineTask(luigi.Task):
    pipeline: Any

    def trigger_event(self, event: Any, *args: Any, **kwargs: Any) -> None:
        """Luigi reports here how a task ended."""
        if event in {luigi.Event.FAILURE, luigi.Event.BROKEN_TASK}:
            self.pipeline.failures.append(args[1])
        super().trigger_event(event, *args, **kwargs)  # type: ignore[no-untyped-call]


class StageTask(PipelineTask):
    """Any stage as a Luigi task."""

    stage: Any = _ObjectParameter()
    pipeline: Any = _ObjectParameter(significant=False)

    @property
    def priority(self) -> int:  # type: ignore[override]
        """Of stages that are ready, the first of the run comes first; Luigi would take any."""
        stages = self.pipeline.stages
        return len(stages) - int(stages.index(self.stage))

    def requires(self) -> list[StageTask]:
        return [StageTask(stage=stage, pipeline=self.pipeline) for stage in self.stage.inputs]

    def complete(self) -> bool:
        return bool(self.pipeline.is_complete(self.stage))

    def run(self) -> None:
        self.pipeline.run_stage(self.stage)


class InProcessWorker(Worker):
    """Runs tasks in this process. With the pipe and threads of Luigi's own, an interrupt can hang,
    and a thread may take a signal that the main thread holds back.
    """

    def __init__(self, scheduler: Scheduler, **_: object) -> None:
        # no handler of SIGUSR1: it would outlive the run, and none can be set in a thread
        super().__init__(scheduler=scheduler, no_install_shutdown_handler=True)  # type: ignore[no-untyped-call]
        self._task_result_queue: Any = queue.SimpleQueue()

    def __enter__(self) -> InProcessWorker:
        return self

    def __exit__(self, *_: object) -> None:
        return None


class InProcessFactory:
    def create_local_scheduler(self) -> Scheduler:
        # A pruning scheduler would drop our worker, which sends no signal during a long stage.
        return Scheduler(prune_on_get_work=False, record_task_history=False)  # type: ignore[no-untyped-call]

    create_worker = InProcessWorker


def run_tasks(tasks: Sequence[luigi.Task], failures: list[BaseException]) -> None:
    """Run the tasks in this process; the first of the failures is raised unchanged."""
    failures.clear()
    logging.getLogger("luigi").setLevel(logging.CRITICAL)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", module="luigi")
        result = luigi.build(  # type: ignore[no-untyped-call]
            list(tasks),
            InProcessFactory(),
            detailed_summary=True,
            local_scheduler=True,
            log_level="CRITICAL",
        )
    if failures:
        raise failures[0]
    if result.status is not luigi.LuigiStatusCode.SUCCESS:
        raise ClozeGenError(f"the pipeline did not finish: {result.one_line_summary}")


@contextlib.contextmanager
def logged(store: Store, name: str) -> Iterator[None]:
    """Keep the log of a run. It is outside the store, because it contains times."""
    path = store.root / LOGS / f"{name}.log"
    with keeping_log(path, f"cloze-gen {__version__}, {name}"):
        try:
            yield
        except ClozeGenError as error:
            note(str(error))
            say(f"log: {path}")
            raise
        say(f"log: {path}")
