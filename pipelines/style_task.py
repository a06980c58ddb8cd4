"""The dataset styles: modules of this folder whose name ends in `_style`, with a `STYLE`."""

from __future__ import annotations

import functools
import importlib
import importlib.resources
import itertools
import json
import pkgutil
from collections.abc import Mapping
from operator import attrgetter
from pathlib import Path
from typing import Any, ClassVar, cast

import luigi
from pydantic import BaseModel

from cloze_gen.config import is_config_file, parse_settings, read_config, settings_dict
from cloze_gen.corpus.location import Location
from cloze_gen.errors import UsageError
from cloze_gen.parsing import NAMED, quote
from cloze_gen.pipelines.task import StageTask
from cloze_gen.release.style import Style
from cloze_gen.store.manifest import outside_digest
from cloze_gen.store.runs import RUN_FILE, read_run

MAX_PLANNED_BYTES = 256 * 2**20  # the most that a plan reads of a user's model


@functools.cache
def style_names() -> tuple[str, ...]:
    """`holmes-style`, ... as a user types them, sorted."""
    modules = (module.name for module in pkgutil.iter_modules([str(Path(__file__).parent)]))
    return tuple(sorted(name.replace("_", "-") for name in modules if name.endswith("_style")))


@functools.cache
def find_style(name: str) -> Style:
    """The style of this name; UsageError if there is none."""
    if name not in style_names():
        raise UsageError(
            f"{quote(name)} is not a style of this version. Known styles: "
            f"{', '.join(style_names())}."
        )
    style = cast(
        "Style", importlib.import_module(f"cloze_gen.pipelines.{name.replace('-', '_')}").STYLE
    )
    if style.name != name:
        raise ValueError(
            f"pipelines/{name.replace('-', '_')}.py: its STYLE is named {style.name!r}"
        )
    return style


def style_of_run(folder: Path) -> Style:
    """The style of the run in a folder; UsageError if this version lacks it."""
    name = read_run(folder)["style"]
    if name not in style_names():
        raise UsageError(
            f"{folder / RUN_FILE}: this version has no style {quote(name)}, "
            f"only {', '.join(style_names())}. "
            "Run `cloze-gen run` again to rewrite the run."
        )
    return find_style(name)


def style_of(config: str) -> Style:
    """The style of a config; UsageError if it names none."""
    return find_style(read_config(config, style_names())[0])


def chosen_settings(style: Style, config: str, overrides: str) -> dict[str, Any]:
    """`group.key` -> value of the settings that differ from the style's default and its built-in
    config.
    """
    settings = load_settings(style.settings, config, overrides)
    usual = (
        style.settings(),
        load_settings(style.settings, style.name if is_config_file(config) else config, "[]"),
    )
    names = (f"{group}.{name}" for group, own in settings for name in type(own).model_fields)
    return {
        name: value
        for name in names
        if (value := attrgetter(name)(settings)) not in map(attrgetter(name), usual)
    }


def load_settings(model: type[BaseModel], config: str, overrides: str) -> Any:
    data = read_config(config, style_names())[1]
    return parse_settings(model, data, where=config, overrides=json.loads(overrides))


class StyleTask(StageTask):
    """A stage of a style. Its function gets the settings of `group` as `settings`; empty: none.

    Attributes:
        not_covered: settings of `group` that the fingerprint does not cover: the stage does not
            read them, or they are covered by another value, such as a file's digest.
        also_reads: settings of other groups: name in the manifest -> `group.key`.
    """

    style = luigi.Parameter(description="name of the style")

    group: ClassVar[str] = ""
    not_covered: ClassVar[frozenset[str]] = frozenset()
    also_reads: ClassVar[Mapping[str, str]] = {}

    @property
    def of_style(self) -> Style:
        return find_style(self.style)

    @property
    def all_settings(self) -> Any:
        model = self.of_style.settings
        return self.build.once(load_settings, model, self.config_used, self.overrides)

    @property
    def config_used(self) -> str:
        """The given config, else the default for the given books."""
        # checked for every config, because the style needs both sides or neither
        style = self.of_style
        given = self.given_sides()
        if self.config:
            return str(self.config)
        alone = style.own_background if self.is_own_background else None
        return alone.config if alone else style.name if given else style.sample_config

    @property
    def own(self) -> Any:
        return getattr(self.all_settings, self.group)

    @classmethod
    def setting_names(cls, style: type[BaseModel]) -> dict[str, str]:
        """Settings of a style that the stage reads: name in the manifest -> `group.key`."""
        own = _group_class(style, cls.group).model_fields if cls.group else {}
        names = (name for name in own if name not in cls.not_covered)
        return {name: f"{cls.group}.{name}" for name in names} | dict(cls.also_reads)

    def settings(self) -> dict[str, Any]:
        """Values as JSON."""
        values = settings_dict(self.all_settings)
        if self.group:
            values[self.group] = settings_dict(self.own)
        return {
            name: values[group][key]
            for name, setting in self.setting_names(self.of_style.settings).items()
            for group, _, key in [setting.partition(".")]
        }

    def digest_of(self, given: str, *, setting: str) -> str:
        """Digest of a model or a file outside the store; a plan does not read large ones."""
        most_bytes = MAX_PLANNED_BYTES if self.build.is_planning else None
        return outside_digest(given, self.store.store, setting=setting, most_bytes=most_bytes)

    def check_unchanged(self, given: str, digest: str, *, setting: str) -> None:
        if self.digest_of(given, setting=setting) != digest:
            raise UsageError(
                f"{setting}: {quote(given)} changed while it was read. Wait until no program writes "
                "to it, then run again."
            )

    def given(self) -> dict[str, Any]:
        return super().given() | ({"settings": self.own} if self.group else {})

    def remedy(self) -> str:
        group = (
            f", or relax the settings in [{self.group}] (`cloze-gen settings {self.style}` "
            "lists them)"
            if self.group
            else ""
        )
        chosen = chosen_settings(self.of_style, self.config_used, self.overrides).items()
        changed = ", ".join(
            f"{name} = {quote(value, most_chars=30)}"
            for name, value in itertools.islice(chosen, NAMED)
        )
        alone = self.of_style.own_background and not self.train
        train = ", give other novels as --train" if alone else ""
        return f"Give more books{train}{group}.{f' You chose {changed}.' if changed else ''}"

    def given_sides(self) -> tuple[str, ...]:
        """The sides of the user's books; none with the embedded sample. UsageError for the wrong
        sides.
        """
        style, given = (
            self.of_style,
            {side: getattr(self, side) for side in ("train", "source", "books")},
        )
        foreign = [side for side, folder in given.items() if folder and side not in style.sides]
        required = " and ".join(f"--{side}" for side in style.sides)
        if foreign:
            none = "neither" if len(style.sides) > 1 else "none"
            one_folder = len(style.sides) == 1 or style.own_background is not None
            place = given[foreign[0]]
            meant = (
                f" Did you mean --{style.drawn_from} {place}?"
                if one_folder and sum(map(bool, given.values())) == 1
                else ""
            )
            raise UsageError(
                f"--{foreign[0]}: {style.name} does not read it. Give {required}, or {none} to "
                f"use the embedded sample.{meant}"
            )
        found = tuple(side for side in style.sides if given[side])
        if (
            found
            and found != style.sides
            and not (style.own_background and found == (style.drawn_from,))
        ):
            alone = (
                f"; --{style.drawn_from} alone (its books are then the training books too)"
                if style.own_background
                else ""
            )
            raise UsageError(f"give both {required}{alone}, or neither to use the embedded sample")
        return found

    @property
    def is_own_background(self) -> bool:
        """Whether the source books are the training books too."""
        return len(self.of_style.sides) > 1 and self.given_sides() == (self.of_style.drawn_from,)

    def location(self, side: str) -> Location:
        """The books of a side; a style of one side reads all books of the sample."""
        if side not in self.of_style.sides:
            raise ValueError(
                f"{self.style} has no side {side!r}, only {', '.join(self.of_style.sides)}"
            )
        if self.is_own_background:
            side = self.of_style.drawn_from
        if self.given_sides():
            return Location.parse(getattr(self, side))
        sample = importlib.resources.files("cloze_gen.corpora") / "sample"
        return Location(Path(str(sample if side == "books" else sample / side)))


def _group_class(style: type[BaseModel], group: str) -> type[BaseModel]:
    return cast("type[BaseModel]", style.model_fields[group].annotation)
