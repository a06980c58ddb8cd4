"""What runs beside a stage that waits for an outside program."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import luigi
import pytest

from cloze_gen.errors import CorpusError
from cloze_gen.pipelines import task as tasks
from cloze_gen.pipelines.task import StageTask, build_these, run_those_ready
from cloze_gen.stages.room import Room
from cloze_gen.store.artifacts import ArtifactWriter, funnel

DONE: list[str] = []


class Plain(StageTask):
    """A stage without inputs."""

    stage = "plain"
    name = luigi.Parameter()

    @property
    def label(self) -> str:
        return f"{self.stage} {self.name}"

    def settings(self) -> dict[str, str]:
        return {"name": self.name}

    def work(self, writer: ArtifactWriter, room: Room) -> None:
        writer.path("done.txt").write_text(self.name)
        DONE.append(self.label)


class Waiting(Plain):
    """A stage that waits for an outside program, and lets others work meanwhile."""

    stage = "waiting"
    outside = True

    def work(self, writer: ArtifactWriter, room: Room) -> None:
        run_those_ready()
        super().work(writer, room)


class After(Plain):
    """A stage that needs what a waiting one makes."""

    stage = "after"

    def inputs(self) -> dict[str, StageTask]:
        return {"waiting": Waiting(name="one", out=self.out)}


@pytest.fixture(autouse=True)
def clean() -> Iterator[None]:
    DONE.clear()
    tasks.begin_build()  # whatever failed in this process before
    yield
    tasks.begin_build()
    tasks.current_engine.cache_clear()


@pytest.mark.timeout(30)
def test_beside_a_program_no_other_program_is_begun(tmp_path: Path) -> None:
    """Two models in one run wait for each other's turn, not for each other's lock; what needs neither is done meanwhile."""
    place = {"out": str(tmp_path), "processes": 1}
    one, two, plain, after = Waiting(name="one", **place), Waiting(name="two", **place), Plain(name="x", **place), After(name="y", **place)
    build_these([one, two, plain, after])
    one.run()
    assert DONE == ["plain x", "waiting one"]
    two.run()
    assert DONE == ["plain x", "waiting one", "after y", "waiting two"]


class Picky(Plain):
    """A stage that rejects all that it sees."""

    stage = "picky"

    def work(self, writer: ArtifactWriter, room: Room) -> None:
        super().work(writer, room)
        writer.funnel = funnel("words", kept=0, rejected={"too_short": 2, "name": 1200})


class Lenient(Picky):
    """One that may reject all."""

    may_keep_nothing = True


def test_a_stage_that_keeps_nothing_is_an_error(tmp_path: Path) -> None:
    """The message has what was seen and the reasons, most first; there is no artifact. A stage that may keep nothing is finished."""
    picky, lenient = Picky(name="one", out=str(tmp_path)), Lenient(name="two", out=str(tmp_path))
    with pytest.raises(CorpusError, match=r"^picky one: none of 1,202 words is kept \(1,200 name, 2 too_short\), so no set can be made\."):
        picky.run()
    lenient.run()
    assert (picky.complete(), lenient.complete()) == (False, True)
