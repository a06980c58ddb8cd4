"""What a stage of a style asks of the books that a user gave."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cloze_gen.errors import UsageError
from cloze_gen.pipelines.corpus import Counts, Ingest
from cloze_gen.pipelines.holmes_style import Focus
from cloze_gen.pipelines.run import RunTask


@pytest.mark.parametrize("config", ["", "holmes-sample"])
@pytest.mark.parametrize("given", [{"train": "there"}, {"books": "there"}, {"train": "a", "source": "b", "books": "c"}])
def test_half_the_books_are_no_books(config: str, given: dict[str, str]) -> None:
    """Training books alone, or a side that the style does not read, are refused by every stage, whatever the config."""
    task = RunTask(style="holmes-style", config=config, **given)
    with pytest.raises(UsageError, match="--"):
        task.stages()


def test_a_config_file_with_one_side_is_refused(tmp_path: Path, cli: Callable[..., Any]) -> None:
    """Nothing is planned for books of which half would be the sample's."""
    config = tmp_path / "mine.toml"
    config.write_text('style = "holmes-style"\n', encoding="utf-8")
    done = cli("run", config, "--train", tmp_path, "--dry-run", "--out", tmp_path / "out")
    assert done.status == 2
    assert "give both --train and --source" in done.err


def test_a_side_that_a_style_has_not_is_no_sample() -> None:
    """A stage that asks for the books of a side its style does not read is a mistake of the program and reads nothing."""
    with pytest.raises(ValueError, match="reads no side 'books'"):
        Ingest(style="holmes-style", side="books").folder("books")


def test_inputs_are_those_that_are_declared() -> None:
    """`needs` names stages, of a side where it says one."""
    inputs = Focus(style="holmes-style").inputs()
    assert {name: task.label for name, task in inputs.items()} == {"source": "corpus source", "counts": "counts"}
    assert {name: task.label for name, task in Counts(style="holmes-style").inputs().items()} == {"corpus": "corpus train"}
