"""What a shell may offer, and what it is never offered."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer

from cloze_gen.cli import app
from cloze_gen.commands.completing import config_names, run_names, setting_keys, settings_of, stage_names
from cloze_gen.pipelines.styles import find_style, style_names


def typed(**params: object) -> typer.Context:
    """A command line of which this much was typed."""
    context = typer.Context(typer.main.get_command(app))
    context.params = params
    return context


@pytest.mark.parametrize("style", style_names())
def test_the_settings_read_from_the_sources_are_the_models(style: str) -> None:
    """Every `group.key`, inherited ones too, in the order in which they are printed."""
    groups = find_style(style).settings.model_fields.items()
    assert settings_of(style) == [f"{group}.{key}" for group, model in groups for key in model.annotation.model_fields]
    assert settings_of("no-style") == []


def test_configs_and_styles() -> None:
    """All that are built in, a style's own among them."""
    assert set(style_names()) < set(config_names(""))
    assert config_names("lambada-") == ["lambada-sample", "lambada-style"]


@pytest.mark.parametrize(
    ("name", "text"),
    [("scs-sample", ""), ("mine.toml", 'style = "scs-style"\n'), ("my.scs.toml", "[focus]\n"), ("holmes.toml", 'style = "scs-style"')],
)
def test_settings_of_a_config(name: str, text: str, tmp_path: Path) -> None:
    """Of the style that the config says, else of the word in its name."""
    config = name
    if text:
        (tmp_path / name).write_text(text)
        config = str(tmp_path / name)
    assert setting_keys(typed(config=config), "impostors.") == [
        f"{key}=" for key in sorted(settings_of("scs-style")) if key.startswith("impostors.")
    ]
    assert setting_keys(typed(config=config), "impostors.") != []


def test_runs_stages_and_settings_of_an_output_folder(tmp_path: Path) -> None:
    """Runs by name, a run's stages in their order, its own settings."""
    for name in ("one", "other"):
        (tmp_path / "runs" / name).mkdir(parents=True)
        stages = [{"label": "ingest train"}, {"label": "counts"}, {"label": "focus"}]
        (tmp_path / "runs" / name / "run.json").write_text(
            json.dumps({"stages": stages, "settings": {"focus": {"max_freq": 1, "min_count": 2}}})
        )
    assert run_names(typed(out=tmp_path), "") == ["one", "other"]
    assert run_names(typed(out=tmp_path), "ot") == ["other"]
    assert run_names(typed(out=tmp_path / "nowhere"), "") == []
    assert stage_names(typed(out=tmp_path, run="one"), "") == ["ingest-train", "counts", "focus"]
    assert setting_keys(typed(out=tmp_path, run="one"), "focus.m") == ["focus.max_freq=", "focus.min_count="]
    assert setting_keys(typed(out=tmp_path, run="one"), "focus.max_freq=0") == []


@pytest.mark.parametrize(
    "text", ["", "{", "[1]", '{"stages": 1, "settings": 2}', '{"stages": [1, {}], "settings": {"a": 1}}', "\x00" * 10, "[" * 9000]
)
def test_a_damaged_run_offers_nothing_and_says_nothing(text: str, tmp_path: Path) -> None:
    """Whatever stands in its run.json."""
    (tmp_path / "runs" / "one").mkdir(parents=True)
    (tmp_path / "runs" / "one" / "run.json").write_text(text)
    assert stage_names(typed(out=tmp_path, run="one"), "") == []
    assert setting_keys(typed(out=tmp_path, run="one"), "") == []
    assert stage_names(typed(out=tmp_path, run="x" * 5000), "") == []


def test_nothing_that_a_shell_would_obey_is_offered(tmp_path: Path) -> None:
    """Names of folders, labels and settings that hold a space, a bracket, a dollar or a line end."""
    for name in ("$(touch x)", "a;b", "a b", "`x`", "line\nend", "good"):
        (tmp_path / "runs" / name).mkdir(parents=True)
        (tmp_path / "runs" / name / "run.json").write_text(json.dumps({"stages": [{"label": name}], "settings": {"a": {name: 1}}}))
    assert run_names(typed(out=tmp_path), "") == ["good"]
    assert stage_names(typed(out=tmp_path, run="$(touch x)"), "") == []
    assert stage_names(typed(out=tmp_path, run="a b"), "") == ["a-b"]
    assert setting_keys(typed(out=tmp_path, run="a;b"), "") == []
