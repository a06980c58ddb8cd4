"""Luigi runs a DAG: in this process, to the first failure, with a log; and what a build leaves behind in this process."""

from __future__ import annotations

import contextlib
import logging
import warnings
from collections.abc import Iterator
from pathlib import Path

import luigi
from luigi.task_register import Register

from cloze_gen import __version__
from cloze_gen.adapters.tagger_identity import tagger_identity
from cloze_gen.engine.local import Engine
from cloze_gen.engine.logbook import LOGS, keeping_log, note
from cloze_gen.engine.progress import say
from cloze_gen.errors import ClozeGenError
from cloze_gen.pipelines.corpus import scanned
from cloze_gen.pipelines.style_task import articles_of
from cloze_gen.pipelines.styles import load_settings
from cloze_gen.pipelines.task import PipelineTask, begin_build, break_off, current_engine
from cloze_gen.pipelines.worker import InProcessFactory
from cloze_gen.store.artifacts import Store


def forget_what_was_read() -> None:
    """Books, configs and taggers are read once a run; a second run of the same process must read them anew."""
    scanned.cache_clear()
    articles_of.cache_clear()
    load_settings.cache_clear()
    tagger_identity.cache_clear()
    Register.clear_instance_cache()  # type: ignore[no-untyped-call]


@contextlib.contextmanager
def given_back(engine: Engine) -> Iterator[Engine]:
    """The run's engine is given back at its end; where the run is broken off, its processes are ended at once."""
    try:
        yield engine
    except BaseException:
        engine.abandon()
        raise
    else:
        engine.close()
    finally:
        current_engine.cache_clear()


def log_file(store: Store, name: str) -> Path:
    """Where it is told what was said while a run was made; beside the store, for it tells times."""
    return store.root / LOGS / f"{name}.log"


@contextlib.contextmanager
def logged(store: Store, name: str) -> Iterator[None]:
    """Keep the log of a run; where the run fails, the log is named before the failure is told."""
    path = log_file(store, name)
    with keeping_log(path, f"cloze-gen {__version__}, {name}"):
        try:
            yield
        except ClozeGenError as error:
            note(str(error))
            say(f"log: {path}")
            raise


def build(task: luigi.Task) -> None:
    """Let Luigi order the stages in this process; the first failure comes out as it was raised."""
    failures: list[BaseException] = []
    begin_build()

    @PipelineTask.event_handler(luigi.Event.BROKEN_TASK)  # a task whose inputs or settings could not even be named
    @PipelineTask.event_handler(luigi.Event.FAILURE)
    def remember(_: luigi.Task, error: BaseException) -> None:
        failures.append(error)
        break_off()

    logging.getLogger("luigi").setLevel(logging.CRITICAL)
    logging.getLogger("luigi-interface").setLevel(logging.CRITICAL)
    options = {"local_scheduler": True, "workers": 1, "no_lock": True, "detailed_summary": True, "log_level": "CRITICAL"}
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", module="luigi")
            result = luigi.build([task], InProcessFactory(), **options)  # type: ignore[no-untyped-call]
    finally:
        for event in (luigi.Event.FAILURE, luigi.Event.BROKEN_TASK):
            PipelineTask.remove_event_handler(event, remember)
    if failures:
        raise failures[0]
    if result.status not in {luigi.LuigiStatusCode.SUCCESS, luigi.LuigiStatusCode.SUCCESS_WITH_RETRY}:
        raise ClozeGenError(f"the pipeline did not finish: {result.one_line_summary}")
