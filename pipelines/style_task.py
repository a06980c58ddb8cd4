"""A stage of a style: it names its settings group, its inputs and the one function that writes it."""

from __future__ import annotations

import functools
import importlib.resources
import itertools
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar

import luigi

from cloze_gen.config import settings_dict
from cloze_gen.engine.progress import say
from cloze_gen.errors import UsageError
from cloze_gen.notation import NAMED, shown
from cloze_gen.pipelines.styles import chosen_settings, find_style, load_settings
from cloze_gen.pipelines.task import StageTask
from cloze_gen.stages.room import Room
from cloze_gen.stages.style import Style
from cloze_gen.store.articles import Article, holds_articles, is_texts_folder, read_articles, texts_folder
from cloze_gen.store.artifacts import Artifact, ArtifactWriter


class StyleTask(StageTask):
    """A stage of a style. Most say three things and no more; one that has more to say overrides `inputs`, `settings` or `work`.

    Attributes:
        group: the settings group of the same name; empty: the stage has no settings.
        needs: name of an input -> the stage it comes from; of a stage that each side of the books has, with the side.
        write: the stage's function. It is given the inputs by name, `settings` where there is a group, and `seed` where the stage draws.
    """

    style = luigi.Parameter(description="name of the style")

    group: ClassVar[str] = ""
    needs: ClassVar[Mapping[str, type[StyleTask] | tuple[type[StyleTask], str]]] = {}
    write: ClassVar[Callable[..., None]]

    @property
    def of_style(self) -> Style:
        return find_style(self.style)

    @property
    def all_settings(self) -> Any:
        return load_settings(self.of_style.settings, self.config_used, self.overrides)

    @property
    def config_used(self) -> str:
        """The config that was named, else the one that goes with the books that were given."""
        style, given = self.of_style, self.given_sides()  # asked whatever the config: half the books are no books
        if self.config:
            return str(self.config)
        alone = style.own_background if self.is_own_background else None
        return alone.config if alone else style.name if given else style.sample_config

    @property
    def own(self) -> Any:
        """The settings of the stage's group."""
        return getattr(self.all_settings, self.group)

    def inputs(self) -> dict[str, StageTask]:
        sided = {name: need if isinstance(need, tuple) else (need, "") for name, need in self.needs.items()}
        return {name: self.clone(task, side=side) if side else self.clone(task) for name, (task, side) in sided.items()}

    def settings(self) -> dict[str, Any]:
        return settings_dict(self.own) if self.group else {}

    def remedy(self) -> str:
        group = f", or relax the settings in [{self.group}] (`cloze-gen settings {self.style}` lists them)" if self.group else ""
        chosen = chosen_settings(self.of_style, self.config_used, self.overrides).items()
        changed = ", ".join(f"{name} = {shown(value, most_chars=30)}" for name, value in itertools.islice(chosen, NAMED))
        return f"Give more books{group}.{f' You chose {changed}.' if changed else ''}"

    def artifacts(self) -> dict[str, Artifact]:
        """The inputs, opened."""
        return {name: self.artifact(name) for name in self.inputs()}

    def work(self, writer: ArtifactWriter, room: Room) -> None:
        given: dict[str, Any] = dict(self.artifacts())
        if self.group:
            given["settings"] = self.own
        if self.draws:
            given["seed"] = self.seed
        type(self).write(writer, room, **given)

    def given_sides(self) -> tuple[str, ...]:
        """The sides of the books that the user gave; none where the embedded sample serves.

        Raises:
            UsageError: one was given that the style does not read, or one without the other.
        """
        style, given = self.of_style, {side: getattr(self, side) for side in ("train", "source", "books")}
        foreign = [side for side, folder in given.items() if folder and side not in style.sides]
        asked = " and ".join(f"--{side}" for side in style.sides)
        if foreign:
            none = "neither" if len(style.sides) > 1 else "none"
            one_folder = len(style.sides) == 1 or style.own_background is not None
            meant = f" Did you mean --{style.drawn_from} {given[foreign[0]]}?" if one_folder and sum(map(bool, given.values())) == 1 else ""
            raise UsageError(
                f"--{foreign[0]}: {style.name} does not read it. Give {asked}, or {none} (then the embedded sample serves).{meant}"
            )
        found = tuple(side for side in style.sides if given[side])
        if found and found != style.sides and not (style.own_background and found == (style.drawn_from,)):
            alone = f"; --{style.drawn_from} alone (then its books are their own background)" if style.own_background else ""
            raise UsageError(f"give both {asked}{alone}, or neither (then the embedded sample serves)")
        return found

    @property
    def is_own_background(self) -> bool:
        """Whether the books that items are drawn from serve as training books too, since none were given."""
        return len(self.of_style.sides) > 1 and self.given_sides() == (self.of_style.drawn_from,)

    def folder(self, side: str) -> str:
        """Where the books of a side lie; a style of one side reads all books of the sample.

        Raises:
            ValueError: the style has no such side, so that a stage asks for books that nobody gave.
        """
        if side not in self.of_style.sides:
            raise ValueError(f"{self.style} reads no side {side!r}, only {', '.join(self.of_style.sides)}")
        if self.is_own_background:
            side = self.of_style.drawn_from
        if self.given_sides():
            articles = self.articles(side)
            return str(getattr(self, side) if articles is None else texts_folder(articles, self.store))
        sample = importlib.resources.files("cloze_gen.corpora") / "sample"
        return str(sample if side == "books" else sample / side)

    def articles(self, side: str) -> tuple[Article, ...] | None:
        """The articles that stand for the books of a side; None where books do, or the text files that an earlier run made of articles.

        Raises:
            UsageError: articles are asked for and none are given, or given and not asked for; or one cannot be read.
        """
        setting = self.of_style.articles
        if not setting:
            return None
        given = getattr(self, side)
        group, _, key = setting.partition(".")
        if getattr(getattr(self.all_settings, group), key) != ARTICLES_ASKED:
            if given and holds_articles(Path(given)):
                raise UsageError(f"{given}: holds JSON and no book. If these are articles, say so: --set {setting}={ARTICLES_ASKED}")
            return None
        if not given:
            raise UsageError(
                f"{setting} = {ARTICLES_ASKED} needs articles: give --{side} FILE or FOLDER. The embedded sample has books alone."
            )
        return None if is_texts_folder(Path(given), self.store) else articles_of(given, setting)


ARTICLES_ASKED = "jsonl"


@functools.lru_cache(maxsize=2)
def articles_of(source: str, setting: str) -> tuple[Article, ...]:
    """The articles of a file or folder, read once a process.

    Raises:
        UsageError: as `read_articles`; says how books are asked for.
    """
    try:
        return read_articles(Path(source), notice=say)
    except UsageError as error:
        raise UsageError(f"{error} Where books are meant: --set {setting}=books") from None
