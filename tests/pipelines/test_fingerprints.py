"""Fingerprints cover the settings that are read."""

import json
from collections import defaultdict
from dataclasses import replace
from functools import cache
from typing import Literal, get_args, get_origin

import pytest

from cloze_gen.config import config_names
from cloze_gen.errors import ConfigError
from cloze_gen.pipelines.run import RunTask
from cloze_gen.pipelines.stage import Content
from cloze_gen.pipelines.styles import load_settings, style_names, style_of
from cloze_gen.store.fingerprint import canonical_json
from tests.conftest import SAMPLE

CONFIGS = config_names(style_names())
# Settings that change no stage: how a stage works, the release's form, and which books there are (their digests
# and facts are covered).
NO_STAGE = {
    "input.keep_splits",
    "lm.memory",
    "lm.discount_fallback",
}
# Settings of stages that only some runs have.
SOME_RUNS = {
    "overlap.across",
    "books.min_similarity",
    "books.min_coverage",
}


@pytest.fixture(autouse=True)
def without_books(monkeypatch):
    monkeypatch.setattr("cloze_gen.pipelines.books.find_books", lambda *_, **__: Content((), {}))


def stages(config, *overrides):
    style = style_of(config)
    sides = style.sides[1:] if "few-books" in config else style.sides
    books = {side: str(SAMPLE) for side in sides}
    task = RunTask(style=style.name, config=config, overrides=overrides, **books)
    return task.stages


def own_key(stage):
    """The stage's key with the names of its inputs only."""
    return replace(stage.key, inputs=dict.fromkeys(stage.key.inputs, ""))


def keys(config, *overrides):
    return {stage.label: own_key(stage) for stage in stages(config, *overrides)}


def other_values(value, kind):
    """Values of a setting near the given one, some of them out of its bounds."""
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield from (value + 1, value - 1, value + 2)
    elif isinstance(value, float):
        yield from (value * 0.9, value * 1.1, 0.01, 0.5)
    elif get_origin(kind) is Literal:
        yield from (one for one in get_args(kind) if one != value)
    elif get_origin(kind) is tuple and value:
        yield list(value[:-1])


@cache
def changes(config):
    """`group.key` -> an override with another valid value."""
    style = style_of(config)
    settings = load_settings(style.settings, config)
    found = {}
    for group, values in settings:
        for name, field in type(values).model_fields.items():
            for value in other_values(getattr(values, name), field.annotation):
                if value == getattr(values, name):
                    continue
                override = f"{group}.{name}={json.dumps(value)}"
                try:
                    load_settings(style.settings, config, [override])
                except ConfigError:
                    continue
                found[f"{group}.{name}"] = override
                break
    return found


@pytest.mark.slow
def test_different_values_never_share_a_fingerprint():
    """Over all built-in configs with each setting changed: equal fingerprints, equal settings."""
    settings, fingerprints = defaultdict(set), defaultdict(set)
    for config in CONFIGS:
        for overrides in ((), *((one,) for one in changes(config).values())):
            for key in keys(config, *overrides).values():
                known = canonical_json(key.described())
                settings[key.fingerprint].add(known)
                fingerprints[known].add(key.fingerprint)
    assert [sorted(found) for found in settings.values() if len(found) > 1] == []
    assert [known for known, found in fingerprints.items() if len(found) > 1] == []


@pytest.mark.slow
@pytest.mark.parametrize("config", CONFIGS)
def test_every_setting_changes_a_fingerprint(config):
    """Except for NO_STAGE and SOME_RUNS."""
    before, silent = keys(config), set[str]()
    for name, override in changes(config).items():
        if keys_equal(before, keys(config, override)):
            silent.add(name)
    release = {name for name in changes(config) if name.startswith("release.")}
    assert silent - release - NO_STAGE - SOME_RUNS == set()


def keys_equal(one, other):
    return {label: key.fingerprint for label, key in one.items()} == {
        label: key.fingerprint for label, key in other.items()
    }


def test_styles_with_other_defaults_share_a_stage_only_with_equal_values():
    """lm.order is 3 in the class and in holmes-style, and 4 in lambada-style."""
    holmes, lambada = keys("holmes-style")["lm"], keys("lambada-style")["lm"]
    assert holmes.fingerprint != lambada.fingerprint
    same = keys("lambada-style", "lm.order=3")["lm"]
    assert same.fingerprint == holmes.fingerprint
    assert keys("holmes-style", "lm.order=4")["lm"].fingerprint == lambada.fingerprint
