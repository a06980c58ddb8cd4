"""Luigi's worker without what it keeps for processes of its own, which an interrupt can leave waiting for ever.

Every stage runs in this process, one after the other (the engine's workers are another matter). For that Luigi needs neither a queue
between processes nor a thread that tells a distant scheduler that it is alive. Both do harm here: an interrupt while a result is put on
a `multiprocessing.Queue` can leave its feeder thread asleep, for which the interpreter then waits at its end; and a second thread may
take a signal that the main thread holds back.
"""

from __future__ import annotations

import queue
from typing import Any

from luigi.scheduler import Scheduler
from luigi.worker import Worker


class InProcessWorker(Worker):
    """Runs tasks in this process, with no thread and no pipe."""

    def __init__(self, scheduler: Scheduler) -> None:
        super().__init__(scheduler=scheduler, worker_processes=1)  # type: ignore[no-untyped-call]
        self._task_result_queue: Any = queue.SimpleQueue()

    def __enter__(self) -> InProcessWorker:
        return self

    def __exit__(self, *_: object) -> None:
        return None


class InProcessFactory:
    """What `luigi.build` asks for its scheduler and its worker."""

    def create_local_scheduler(self) -> Scheduler:
        # One that prunes would forget our worker, which tells it nothing while a stage takes long.
        return Scheduler(prune_on_get_work=False, record_task_history=False)  # type: ignore[no-untyped-call]

    def create_worker(self, scheduler: Scheduler, worker_processes: int, assistant: bool) -> InProcessWorker:
        if worker_processes != 1 or assistant:
            raise ValueError(f"{worker_processes} processes, assistant {assistant}: this worker runs alone, in its own process")
        return InProcessWorker(scheduler)
