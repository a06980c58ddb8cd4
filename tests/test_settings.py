"""Settings: configs, overrides, and what does not fit together."""

from __future__ import annotations

from typing import Annotated, Literal

import pytest
from pydantic import Field, ValidationError, model_validator

from cloze_gen.config import (
    allowed_values,
    config_names,
    parse_settings,
    read_config,
    read_toml,
)
from cloze_gen.errors import ConfigError, UsageError
from cloze_gen.pipelines.styles import find_style, load_settings, style_names
from cloze_gen.settings import SettingsGroup
from tests.support.errors import refused


@pytest.mark.parametrize(
    ("style", "overrides", "names"),
    [
        ("holmes-style", ["forward.keep=200"], "forward.keep = 200 exceeds alternates.count = 150"),
        ("scde-style", ["blanks.count=20"], "passages.max_sentences = 30"),
        ("scde-style", ["blanks.count=9", "distractors.count=18"], "27 candidates"),
    ],
)
def test_what_is_impossible_is_refused(style, overrides, names):
    """The message names the settings that contradict each other."""
    refused(
        lambda: load_settings(find_style(style).settings, style, overrides),
        ConfigError,
        names=names,
    )


@pytest.mark.parametrize("style", style_names())
def test_every_setting_has_bounds_and_a_sentence(style):
    for group, values in find_style(style).settings():
        for key, field in type(values).model_fields.items():
            assert field.description, f"{group}.{key}"
            assert not field.description.endswith("."), f"{group}.{key}"
            allowed = allowed_values(type(values), key)
            assert allowed not in {"whole number", "number"}, f"{group}.{key}"


# ---- settings


class Forward(SettingsGroup):
    keep: int = Field(30, ge=4)
    ranks: tuple[int, ...] = Field((), strict=False)
    note: str = ""


class Shares(SettingsGroup):
    limit: float = Field(0.5, gt=0, le=1)
    of: dict[Literal["noun", "verb"], float] = Field({})
    n: Annotated[int, Field(ge=1, le=9)] | Literal["auto"] = 3


class Model(SettingsGroup):
    forward: Forward = Forward()
    shares: Shares = Shares()


class LongForward(Forward):
    keep: int = Field(12, ge=4)


class LongModel(Model):
    forward: LongForward = LongForward()


def parse(text, *overrides, model=Model):
    return parse_settings(
        model, read_toml(text, where="my.toml"), where="my.toml", overrides=overrides
    )


def test_defaults_text_and_overrides_in_this_order():
    """An override wins over the text, the text over the default."""
    assert parse("").forward.keep == 30
    assert parse("[forward]\nkeep = 20").forward.keep == 20
    assert parse("[forward]\nkeep = 20", "forward.keep=10", "forward.keep = 9").forward.keep == 9


def test_overrides_leave_the_data_as_they_were():
    data = {"forward": {"keep": 20}}
    parse_settings(Model, data, where="my.toml", overrides=["forward.keep=9", "shares.n=4"])
    assert data == {"forward": {"keep": 20}}


def test_a_recipe_s_other_defaults_hold_beside_what_is_set():
    assert parse("[forward]\nranks = [1]", model=LongModel).forward.keep == 12
    assert parse("", "forward.ranks=[1]", model=LongModel).forward.keep == 12
    assert parse("[forward]\nkeep = 30", model=LongModel).forward.keep == 30


@pytest.mark.parametrize(
    ("override", "field", "value"),
    [
        ("forward.ranks=[1, 2]", "ranks", (1, 2)),
        ("forward.keep=7", "keep", 7),
        ("forward.note=a = b", "note", "a = b"),
        ('forward.note="7"', "note", "7"),
    ],
)
def test_override_values_are_toml_or_bare_words(override, field, value):
    """A text needs no quotes; an equals sign may stand in it."""
    assert getattr(parse("", override).forward, field) == value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "[forward]\nkep = 3",
            "my.toml: forward.kep: no such setting; allowed: keep, note, ranks. "
            "Did you mean 'forward.keep'?",
        ),
        (
            "[shares]\nkeep = 3",
            "my.toml: shares.keep: no such setting; allowed: limit, n, of. "
            "Did you mean 'forward.keep'?",
        ),
        (
            "keep = 3",
            "my.toml: keep: no such setting; allowed: forward, shares. Did you mean 'forward.keep'?",
        ),
        (
            "[forwrd]\nkeep = 3",
            "my.toml: forwrd: no such setting; allowed: forward, shares. Did you mean 'forward'?",
        ),
        (
            "forward = 3",
            "my.toml: forward: a group, not a setting. Write its settings below [forward].",
        ),
        (
            "[forward]\nkeep = 'many'",
            "my.toml: forward.keep: Input should be a valid integer (given 'many'); allowed: 4...",
        ),
        (
            "[forward]\nkeep = 3",
            "my.toml: forward.keep: Input should be greater than or equal to 4 (given 3); "
            "allowed: 4...",
        ),
        (
            "[forward]\nranks = 'a'",
            "my.toml: forward.ranks: Input should be a list (given 'a'); "
            "allowed: list of whole number.",
        ),
        (
            "[shares]\nlimit = 0",
            "my.toml: shares.limit: Input should be greater than 0 (given 0); allowed: >0..1.",
        ),
        (
            "[shares]\nn = 'many'",
            "my.toml: shares.n: Input should be a valid integer (given 'many'); "
            'allowed: 1..9 or "auto".',
        ),
        (
            "[shares]\nof = {nuon = 1.0}",
            "my.toml: shares.of: Input should be 'noun' or 'verb' (given 'nuon'); "
            'allowed: table of "noun", "verb" and number.',
        ),
    ],
)
def test_a_mistake_is_one_line(text, message):
    """Place, mistake, given value, what is allowed, and at most one guess."""
    assert refused(lambda: parse(text), ConfigError) == message


@pytest.mark.parametrize("value", ['"9"', "9.0", "true"])
def test_no_type_is_converted(value):
    """Neither text nor a fraction nor a truth is a whole number."""
    refused(lambda: parse("", f"forward.keep={value}"), ConfigError, names="valid integer")


@pytest.mark.parametrize(
    ("override", "names"),
    [
        ("forward.kep=3", "Did you mean 'forward.keep'?"),
        ("forward=3", "--set 'forward=3': not of the form group.key=value"),
        ("keep", "group.key=value"),
        ("=3", "group.key=value"),
        ("forward..keep=3", "group.key=value"),
        ("forward.keep.x=3", "group.key=value"),
        ("forward.note=a\x1b", "cannot be printed"),
    ],
)
def test_a_wrong_override_is_refused(override, names):
    refused(lambda: parse("", override), ConfigError, names=names)


@pytest.mark.parametrize(
    ("text", "overrides", "names"),
    [
        ("[forward", (), "my.toml: not valid TOML"),
        ("forward = 1", ("forward.keep=3",), "forward: a group, not a setting"),
        (f"[forward]\nkeep = {'9' * 5000}", (), "my.toml: "),
        ('"a\\u001bb" = 1', (), "no such setting"),
    ],
)
def test_a_hostile_text_is_refused(text, overrides, names):
    refused(lambda: parse(text, *overrides), ConfigError, names=names)


def test_several_mistakes_at_once():
    """A line for each."""
    with pytest.raises(ConfigError) as caught:
        parse("colour = 1\n[forward]\nkeep = 2")
    assert len(str(caught.value).splitlines()) == 2
    assert caught.value.exit_status == 2


def test_settings_are_frozen_and_json():
    """A setting cannot change after the fingerprint; as JSON it has no tuples."""
    settings = parse("", "forward.ranks=[1]")
    with pytest.raises(ValidationError):
        settings.forward.keep = 3
    assert settings.model_dump(mode="json")["forward"] == {"keep": 30, "ranks": [1], "note": ""}


def test_a_rule_about_several_groups_has_no_path():
    class Strict(Model):
        @model_validator(mode="after")
        def _agree(self):
            raise ValueError("forward.keep does not go with shares.n")

    message = refused(lambda: parse("", model=Strict), ConfigError)
    assert message == "my.toml: forward.keep does not go with shares.n"


# ---- configs

STYLES = ("holmes-style", "scs-style")


def test_a_style_is_a_config_without_changes():
    assert read_config("scs-style", STYLES) == ("scs-style", {})
    assert set(style_names()) < set(config_names(style_names()))


@pytest.mark.parametrize(
    "config", [name for name in config_names(style_names()) if name not in style_names()]
)
def test_a_built_in_config_names_its_style_and_changes_something(config):
    style, data = read_config(config, style_names())
    assert load_settings(find_style(style).settings, config) != find_style(style).settings()
    assert "style" not in data


def test_a_file_is_read(tmp_path):
    file = tmp_path / "holmes.toml"
    file.write_text('style = "scs-style"\n[draw]\nmax_freq = 1e-4\n', encoding="utf-8")
    assert read_config(str(file), STYLES) == ("scs-style", {"draw": {"max_freq": 1e-4}})


@pytest.mark.parametrize(
    ("content", "kind", "names"),
    [
        (
            b"[focus]\n",
            UsageError,
            'Write style = "holmes-style", or another style, as its first line.',
        ),
        (b'style = "holms-style"\n', UsageError, "not a style (given 'holms-style'); allowed: "),
        (b"style = 3\n", UsageError, "style: not a style (given 3)"),
        (b"style = \n", ConfigError, "not valid TOML"),
        (b"\xff\xfe", UsageError, "cannot be read as a config"),
    ],
)
def test_a_wrong_file_is_refused(tmp_path, content, kind, names):
    """Also where the file's name contains a style."""
    file = tmp_path / "my-scs.toml"
    file.write_bytes(content)
    assert str(file) in refused(lambda: read_config(str(file), STYLES), kind, names=names)


@pytest.mark.parametrize(
    ("config", "names"),
    [
        ("nowhere/x.toml", "cannot be read as a config"),
        ("scs-stile", "Did you mean 'scs-style'?"),
        ("scs", "Did you mean 'scs-style'?"),
        ("\x1b", "no built-in config of this name; allowed: "),
    ],
)
def test_an_unknown_config_is_refused(config, names):
    refused(lambda: read_config(config, STYLES), UsageError, names=names)
