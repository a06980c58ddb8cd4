"""Settings: what is given is what is used, and every mistake is named with its place."""

from __future__ import annotations

from typing import Self

import pytest
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from cloze_gen.config import parse_settings, settings_dict
from cloze_gen.errors import ConfigError


class Forward(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")
    keep: int = Field(30, ge=4)
    ranks: tuple[int, ...] = ()


class Style(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")
    name: str = "x"
    forward: Forward = Forward()


def parse(text: str, *overrides: str) -> Style:
    return parse_settings(Style, text, where="my.toml", overrides=overrides)


def test_defaults_text_and_overrides_in_this_order() -> None:
    """An override wins over the text, the text over the default."""
    assert parse("").forward.keep == 30
    assert parse("[forward]\nkeep = 20").forward.keep == 20
    assert parse("[forward]\nkeep = 20", "forward.keep=10", "forward.keep = 9").forward.keep == 9


def test_a_style_s_own_defaults_hold_beside_what_is_set() -> None:
    """A group whose style has another default than the group's model keeps it when another of its settings is given, in a file or not."""

    class Other(Style):
        forward: Forward = Forward(keep=12)

    assert parse_settings(Other, "[forward]\nranks = [1]", where="my.toml").forward == Forward(keep=12, ranks=(1,))
    assert parse_settings(Other, "", where="my.toml", overrides=("forward.ranks=[1]",)).forward.keep == 12
    assert parse_settings(Other, "[forward]\nkeep = 30", where="my.toml").forward.keep == 30


@pytest.mark.parametrize(
    ("override", "field", "value"),
    [("forward.ranks=[1, 2]", "ranks", (1, 2)), ("forward.keep=7", "keep", 7)],
)
def test_override_values_are_toml(override: str, field: str, value: object) -> None:
    """Lists and numbers are read as TOML reads them."""
    assert getattr(parse("", override).forward, field) == value


def test_a_bare_word_is_a_string() -> None:
    """Strings need no quotes on the command line; an equals sign may stand in them."""
    assert parse("", "name=a = b").name == "a = b"


@pytest.mark.parametrize(
    ("text", "overrides", "said"),
    [
        ("[forward]\nkep = 3", (), ["my.toml: forward.kep", "Did you mean 'keep'?", "Known here: keep, ranks"]),
        ("[forwrd]\nkeep = 3", (), ["forwrd", "Did you mean 'forward'?", "Known here: forward, name"]),
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
def test_mistakes_name_the_place(text: str, overrides: tuple[str, ...], said: list[str]) -> None:
    """One readable message with the path to the value, and the known keys where the key is unknown."""
    with pytest.raises(ConfigError) as caught:
        parse(text, *overrides)
    assert all(part in str(caught.value) for part in said), str(caught.value)
    assert caught.value.exit_status == 2


def test_all_mistakes_at_once() -> None:
    """Two mistakes give two lines."""
    with pytest.raises(ConfigError) as caught:
        parse("colour = 1\n[forward]\nkeep = 2")
    assert len(str(caught.value).splitlines()) == 2


def test_settings_are_frozen_and_json() -> None:
    """A setting cannot change after the fingerprint; as JSON it has no tuples."""
    settings = parse("", "forward.ranks=[1]")
    with pytest.raises(ValidationError):
        settings.forward.keep = 3  # type: ignore[misc]
    assert settings_dict(settings) == {"name": "x", "forward": {"keep": 30, "ranks": [1]}}


def test_a_rule_about_several_groups_has_no_empty_path() -> None:
    """The message of a validator of the whole model begins with the config's name and the rule."""

    class Strict(Style):
        @model_validator(mode="after")
        def _agree(self) -> Self:
            raise ValueError("forward.keep does not go with name")

    with pytest.raises(ConfigError, match=r"^my.toml: forward.keep does not go with name$"):
        parse_settings(Strict, "", where="my.toml")
