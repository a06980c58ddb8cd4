"""The paper's own set: its config is found by name, asks for no more than the paper, and says so."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cloze_gen.commands.run import make_task
from cloze_gen.pipelines.holmes_style import HolmesSettings, notes, warnings
from cloze_gen.pipelines.styles import load_settings, style_of
from cloze_gen.stages.style import Facts
from cloze_gen.store.runs import read_run, stage_artifact
from cloze_gen.store.tables import read_jsonl, read_parquet

CONFIG = "holmes-2011"
# The embedded books are few: wider limits than the paper's, a small model, few questions.
SMALL = ("focus.max_freq=1e-3", "lm.discount_fallback=true", "lm.memory=256M", "choice.n_questions=20")


@pytest.fixture
def settings() -> HolmesSettings:
    return load_settings(HolmesSettings, CONFIG, "[]")


def test_it_is_found_by_its_name() -> None:
    """A built-in config whose name is neither a style nor a style's sample; its run is named after it."""
    assert style_of(CONFIG).name == "holmes-style"
    task = make_task(config=CONFIG, train="a", source="b", name="", out=Path("nowhere"), workers=1, seed=1, overrides=())
    assert (task.style, task.config, task.run_name) == ("holmes-style", CONFIG, CONFIG)


def test_its_numbers_are_the_papers(settings: HolmesSettings) -> None:
    """MSR 2.2: 10^-4, two words of history, 150 alternates, 30 retained, 1,040 questions."""
    numbers = (settings.focus.max_freq, settings.lm.order, settings.alternates.count, settings.forward.keep, settings.choice.n_questions)
    assert numbers == (1e-4, 3, 150, 30, 1040)
    assert (settings.focus.min_count, settings.focus.proper_names, settings.overlap.across) == (1, True, "keep")


def test_its_card_says_so(settings: HolmesSettings) -> None:
    """That no human groomed, and that no machine did; of a groomed set nothing of the kind."""
    facts: Facts = {}
    (told,) = notes(settings, facts)
    assert told.startswith("as published")
    assert "ambiguous" in warnings(settings.model_dump())[0]
    assert not any("as published" in note for note in notes(HolmesSettings(), facts))
    assert warnings(HolmesSettings().model_dump()) == []


def test_what_readers_would_say_is_asked_where_the_choice_goes_by_it(cli: Callable[..., Any]) -> None:
    """A matched choice of ungroomed candidates is refused before anything is read."""
    done = cli("run", "holmes-style", "--set", "grooming.judged=articles", "--dry-run")
    assert done.status == 2
    assert 'set choice.method = "random"' in done.err


@pytest.mark.slow
def test_of_its_steps_none_grooms(finished: Any, cli: Callable[..., Any], tmp_path: Path) -> None:
    """No sentence falls after the screening, candidates by a/an alone; the release says what it is."""
    books = ("--train", finished.corpus.train, "--source", finished.corpus.source)
    changed = [word for setting in SMALL for word in ("--set", setting)]
    done = cli("run", CONFIG, *books, *changed, "--out", tmp_path / "out", "--workers", "1")
    assert done.status == 0, done.err
    run = tmp_path / "out" / "runs" / CONFIG
    grooming = stage_artifact(run, "grooming")
    assert {row["verdict"] for row in read_parquet(grooming.path("items.parquet")).to_pylist()} == {"fit"}
    assert {row["verdict"] for row in read_parquet(grooming.path("decisions")).to_pylist()} == {"fit", "candidate_breaks_a_an"}
    assert sum(1 for _ in read_jsonl(run / "release" / "questions.jsonl")) == 20
    assert "as published" in (run / "release" / "README.md").read_text(encoding="utf-8")
    assert read_run(run)["style"] == "holmes-style"
