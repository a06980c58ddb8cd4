"""Settings: files, overrides, and what does not fit together."""

from __future__ import annotations

import json

import pytest
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from cloze_gen.config import parse_settings, settings_dict
from cloze_gen.errors import ConfigError
from cloze_gen.pipelines.style_task import find_style, load_settings


@pytest.mark.parametrize(
    ("style", "override", "said"),
    [
        ("holmes", "forward.keep=200", ["forward.keep = 200 exceeds alternates.count = 150"]),
        ("holmes", 'grooming.classes=["noun", "verb", "noun"]', ["grooming", "classes has noun twice"]),
        (
            "scde",
            "blanks.count=20",
            ["blanks.count = 20", "58 sentences", "passages.max_sentences = 30"],
        ),
    ],
)
def test_what_is_impossible_is_refused(style, override, said):
    """The message names both settings."""
    with pytest.raises(ConfigError) as caught:
        load_settings(
            find_style(f"{style}-style").settings, f"{style}-style", json.dumps([override])
        )
    assert all(part in str(caught.value) for part in said), caught.value


@pytest.mark.parametrize("value", ['"9"', "9.0", "true"])
def test_no_type_is_converted(value):
    """Neither text nor a fraction nor a truth is a whole number."""
    with pytest.raises(ConfigError, match="valid integer"):
        load_settings(
            find_style("holmes-style").settings,
            "holmes-style",
            f"[{json.dumps(f'forward.keep={value}')}]",
        )


# ---- config


class Forward(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")
    keep: int = Field(30, ge=4)
    ranks: tuple[int, ...] = ()


class Style(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")
    name: str = "x"
    forward: Forward = Forward()


def parse(text, *overrides):
    return parse_settings(Style, text, where="my.toml", overrides=overrides)


def test_defaults_text_and_overrides_in_this_order():
    """An override wins over the text, the text over the default."""
    assert parse("").forward.keep == 30
    assert parse("[forward]\nkeep = 20").forward.keep == 20
    assert parse("[forward]\nkeep = 20", "forward.keep=10", "forward.keep = 9").forward.keep == 9


def test_a_style_s_own_defaults_hold_beside_what_is_set():
    class Other(Style):
        forward: Forward = Forward(keep=12)

    assert parse_settings(Other, "[forward]\nranks = [1]", where="my.toml").forward == Forward(
        keep=12, ranks=(1,)
    )
    assert (
        parse_settings(Other, "", where="my.toml", overrides=("forward.ranks=[1]",)).forward.keep
        == 12
    )
    assert parse_settings(Other, "[forward]\nkeep = 30", where="my.toml").forward.keep == 30


@pytest.mark.parametrize(
    ("override", "field", "value"),
    [
        ("forward.ranks=[1, 2]", "ranks", (1, 2)),
        ("forward.ranks=1, 2", "ranks", (1, 2)),
        ("forward.ranks=3", "ranks", (3,)),
        ("forward.keep=7", "keep", 7),
    ],
)
def test_override_values_are_toml(override, field, value):
    """Lists and numbers are read as TOML reads them; a list needs no brackets."""
    assert getattr(parse("", override).forward, field) == value


def test_a_bare_word_is_a_string():
    """Strings need no quotes on the command line; an equals sign may stand in them."""
    assert parse("", "name=a = b").name == "a = b"


@pytest.mark.parametrize(
    ("text", "overrides", "said"),
    [
        (
            "[forward]\nkep = 3",
            (),
            ["my.toml: forward.kep", "Did you mean 'keep'?", "Known here: keep, ranks"],
        ),
        (
            "[forwrd]\nkeep = 3",
            (),
            ["forwrd", "Did you mean 'forward'?", "Known here: forward, name"],
        ),
        ("", ("forward.kep=3",), ["forward.kep", "Did you mean 'keep'?"]),
        ("[forward]\nkeep = 'many'", (), ["forward.keep", "'many'"]),
        ("[forward]\nkeep = 3", (), ["forward.keep", "4"]),
        ("", ("forward=3",), ["forward"]),
        ("", ("name.x=3",), ["name"]),
        ("name = 'a'", ("name.x=3",), ["name", "not a group"]),
        ("", ("keep",), ["stage.key=value"]),
        ("", ("=3",), ["stage.key=value"]),
        ("", ("forward..keep=3",), ["stage.key=value"]),
        ("[forward", (), ["my.toml: not valid TOML"]),
    ],
)
def test_mistakes_name_the_place(text, overrides, said):
    """One readable message with the path to the value, and the known keys where the key is unknown."""
    with pytest.raises(ConfigError) as caught:
        parse(text, *overrides)
    assert all(part in str(caught.value) for part in said), str(caught.value)
    assert caught.value.exit_status == 2


def test_all_mistakes_at_once():
    """Two mistakes give two lines."""
    with pytest.raises(ConfigError) as caught:
        parse("colour = 1\n[forward]\nkeep = 2")
    assert len(str(caught.value).splitlines()) == 2


def test_settings_are_frozen_and_json():
    """A setting cannot change after the fingerprint; as JSON it has no tuples."""
    settings = parse("", "forward.ranks=[1]")
    with pytest.raises(ValidationError):
        settings.forward.keep = 3
    assert settings_dict(settings) == {"name": "x", "forward": {"keep": 30, "ranks": [1]}}


def test_a_rule_about_several_groups_has_no_empty_path():
    """The message of a validator of the whole model begins with the config's name and the rule."""

    class Strict(Style):
        @model_validator(mode="after")
        def _agree(self):
            raise ValueError("forward.keep does not go with name")

    with pytest.raises(ConfigError, match=r"^my.toml: forward.keep does not go with name$"):
        parse_settings(Strict, "", where="my.toml")
