"""Write the reference pages in docs/reference/ from the code: commands, settings, artifacts, reasons;
and the graph of stages in docs/explanation/architecture.md.

    python scripts/reference.py

The pages depend on the code alone. tests/docs/test_reference.py checks that they are current.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import pkgutil
import tempfile
import types
import typing
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import typer

import cloze_gen.release.artifacts
from cloze_gen.api.run import make_task
from cloze_gen.cli.app import app
from cloze_gen.config import allowed_values, toml_value
from cloze_gen.pipelines.stage import Pipeline
from cloze_gen.pipelines.styles import find_style, load_settings, style_names
from cloze_gen.records.rejection import Reason
from cloze_gen.release.style import SHARED_STAGES, Style
from cloze_gen.store.file_docs import MANIFEST_DOC, OUTPUT_FOLDER, FileDoc, StageDoc, column_type

FOLDER = Path(__file__).parents[1] / "docs" / "reference"
ARCHITECTURE = FOLDER.parent / "explanation" / "architecture.md"
PROGRAM = "cloze-gen"
_TYPE_WORDS = {int: "whole number", float: "number", str: "text", Path: "path", bool: "flag"}
_REASON_PACKAGES = ("corpus", "english", "judging", "recipes")
_PLACES = {
    "corpus": "Books",
    "english": "Sentences of all styles",
    "judging": "Judging",
    "recipes.common": "Items of several styles",
}


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of Markdown.

    >>> print(table(("a", "b"), [("1|2", "x")]))
    | a | b |
    |---|---|
    | 1\\|2 | x |
    """
    lines = [header, *rows]
    cells = [[cell.replace("|", "\\|").replace("\n", " ") for cell in line] for line in lines]
    shown = [f"| {' | '.join(line)} |" for line in cells]
    return "\n".join([shown[0], "|---" * len(header) + "|", *shown[1:]])


def code(text: str) -> str:
    return f"`{text}`" if text else ""


# ---- commands


def commands_page() -> str:
    parts = [f"# Commands\n\n{app.info.help}", *_command_parts(app, PROGRAM)]
    return "\n\n".join(parts) + "\n"


def _command_parts(group: typer.Typer, path: str) -> Iterator[str]:
    if group is app:
        yield f"`{PROGRAM} --version` prints the version. `{PROGRAM} COMMAND --help` prints the help of a command."
    for info in group.registered_commands:
        if info.callback is not None and not info.hidden:
            yield _command(f"{path} {command_name(info)}", info.callback)
    for inner in group.registered_groups:
        if inner.typer_instance is not None:
            yield from _command_parts(inner.typer_instance, f"{path} {inner.name}")


def command_name(info: Any) -> str:
    return str(info.name or info.callback.__name__.replace("_", "-"))


def _command(path: str, function: Any) -> str:
    paragraphs = (inspect.getdoc(function) or "").split("\n\n")
    prefix = "Example: "
    about = "\n\n".join(one for one in paragraphs if not one.startswith(prefix))
    examples = [one.removeprefix(prefix) for one in paragraphs if one.startswith(prefix)]
    hints = typing.get_type_hints(function, include_extras=True)
    arguments, options = [], []
    for name, parameter in inspect.signature(function).parameters.items():
        kind, info = typing.get_args(hints[name])[:2]
        has_default = parameter.default is not inspect.Parameter.empty
        words = _type_in_words(kind)
        if isinstance(info, typer.models.ArgumentInfo):
            shown = info.metavar or name.upper()
            arguments.append((f"[{shown}]" if has_default else shown, words, info.help or ""))
        elif not info.hidden:
            names = (info.default, *(info.param_decls or ()))  # Typer takes the first as a default
            declared = [one for one in names if isinstance(one, str) and one.startswith("-")]
            flag = declared or [f"--{name.strip('_').replace('_', '-')}"]
            options.append(
                (", ".join(map(code, flag)), words, _default(parameter), info.help or "")
            )
    parts = [
        f"## {path}\n\n{about}",
        f"```sh\n{' '.join([path, *(one[0] for one in arguments)])} [OPTIONS]\n```",
    ]
    if arguments:
        parts.append(
            table(("argument", "type", "meaning"), [(code(a), b, c) for a, b, c in arguments])
        )
    if options:
        parts.append(table(("option", "type", "default", "meaning"), options))
    parts += [f"Example:\n\n```sh\n{one}\n```" for one in examples]
    return "\n\n".join(parts)


def _type_in_words(kind: Any) -> str:
    inner = [one for one in typing.get_args(kind) if one is not types.NoneType]
    if typing.get_origin(kind) is list:
        return f"{_type_in_words(inner[0])}, repeatable"
    if inner:
        return _type_in_words(inner[0])
    if isinstance(kind, str) or issubclass(kind, str):  # a value of a Literal, or an enumeration
        return "text"
    return _TYPE_WORDS.get(kind, kind.__name__)


def _default(parameter: inspect.Parameter) -> str:
    if parameter.default is inspect.Parameter.empty:
        return "required"
    return "" if parameter.default in (None, "", False) else code(str(parameter.default))


# ---- settings


def settings_page() -> str:
    parts = [
        "# Settings\n\nSet a value in a TOML file, or with `--set group.key=value` on the command line. "
        f"`{PROGRAM} settings STYLE` prints the settings of a style as a TOML file."
    ]
    for name in style_names():
        parts.append(f"## {name}\n\n{find_style(name).title}")
        for group, values in load_settings(find_style(name).settings, name):
            dumped = values.model_dump(mode="json")
            rows = [
                (
                    code(f"{group}.{key}"),
                    code(toml_value(dumped[key])),
                    allowed_values(type(values), key),
                    field.description or "",
                )
                for key, field in type(values).model_fields.items()
            ]
            parts.append(
                f"### [{group}]\n\n"
                + table(("setting", "default", "allowed values", "meaning"), rows)
            )
    return "\n\n".join(parts) + "\n"


# ---- artifacts


def recipe_package(style: Style) -> str:
    return str(sample_run(style.name).labelled(style.last).write.__module__.split(".")[2])


@functools.cache
def sample_run(style: str) -> Pipeline:
    """The stages of a style's run on the sample."""
    with tempfile.TemporaryDirectory() as out:  # planning stores the texts of some books
        return make_task(config=style, out=Path(out), workers=1, overrides=()).pipeline


def stages(style: str) -> dict[str, str]:
    """Label -> name of each stage, in the order of a run."""
    return {stage.label: stage.key.stage for stage in sample_run(style).stages}


def artifacts_page() -> str:
    shared = SHARED_STAGES
    parts = [f"# Artifacts\n\n{OUTPUT_FOLDER}", _file_section("manifest.json", MANIFEST_DOC)]
    parts.append("## Stages of several styles")
    parts += [_stage_section(name, doc, f"shared-{name}") for name, doc in shared.items()]
    for name in style_names():
        style = find_style(name)
        own = style.stage_docs
        order = list(
            dict.fromkeys(
                stage if stage in {**shared, **own} else stage.split("_")[0]
                for stage in stages(name).values()
            )
        )
        listed = [
            f"[{one.replace('_', ' ')}](#{(name if one in own else 'shared')}-{one})"
            for one in order
        ]
        parts.append(f"## Stages of {name}\n\nIn the order of a run: {', '.join(listed)}.")
        parts += [_stage_section(one, own[one], f"{name}-{one}") for one in order if one in own]
    parts.append(_release_section())
    return "\n\n".join(parts) + "\n"


def _stage_section(name: str, doc: StageDoc, anchor: str) -> str:
    heading = name.replace("_", " ")
    parts = [
        f'<a id="{anchor}"></a>\n\n### {heading}\n\n{doc.about}',
        *map(_file, doc.files),
    ]
    if doc.facts:
        parts.append(
            "`facts` in `manifest.json`:\n\n"
            + table(("fact", "meaning"), [(code(k), v) for k, v in doc.facts.items()])
        )
    return "\n\n".join(parts)


def _file_section(title: str, doc: FileDoc) -> str:
    return f"## {title}\n\n{_file(doc)}"


def _file(doc: FileDoc) -> str:
    kind = f" {doc.array}." if doc.array else ""
    optional = " Not in every run." if doc.optional else ""
    parts = [f"**`{doc.name}`**{':' + kind if kind else ''} {doc.about}{optional}"]
    if doc.columns:
        rows = [(code(name), kind + (", not in every run" if some else ""), about)
                for name, (kind, some, about) in ((n, column_type(text)) for n, text in doc.columns.items())]  # fmt: skip
        parts.append(table(("column", "type", "meaning"), rows))
    if doc.example:
        parts.append(f"```text\n{doc.example}\n```")
    return "\n\n".join(parts)


def _release_section() -> str:
    parts = [f"## Release\n\n{cloze_gen.release.artifacts.ABOUT}"]
    for name in style_names():
        style = find_style(name)
        rows = [
            (code(file), what)
            for file, what in cloze_gen.release.artifacts.release_files(style).items()
        ]
        parts.append(f"### Release of {name}\n\n" + table(("file", "content"), rows))
    for kind in dict.fromkeys(find_style(name).items.noun for name in style_names()):
        items = next(
            find_style(name).items for name in style_names() if find_style(name).items.noun == kind
        )
        columns = [(code(column), about) for column, about in items.column_docs.items()]
        parts.append(
            f"### Columns of a {kind} in a release\n\n" + table(("column", "meaning"), columns)
        )
    parts.append(
        _file_section("release.json", cloze_gen.release.artifacts.RELEASE_JSON).replace(
            "## ", "### ", 1
        )
    )
    return "\n\n".join(parts)


# ---- reasons


def reason_classes() -> dict[str, list[type[Reason]]]:
    """Package -> its classes of reasons, sorted by module."""
    for top in _REASON_PACKAGES:
        package = importlib.import_module(f"cloze_gen.{top}")
        for module in pkgutil.walk_packages(package.__path__, f"cloze_gen.{top}."):
            importlib.import_module(module.name)
    found: dict[str, list[type[Reason]]] = {}
    for one in sorted(Reason.__subclasses__(), key=lambda kind: kind.__module__):
        parts = one.__module__.split(".")
        found.setdefault(".".join(parts[1:3] if parts[1] == "recipes" else parts[1:2]), []).append(
            one
        )
    return found


def reasons_page() -> str:
    parts = [
        "# Reasons\n\nA stage writes every rejected record with one of these reasons. "
        f"`{PROGRAM} show RUN` prints how often each occurs."
    ]
    own = {f"recipes.{recipe_package(find_style(name))}": name for name in style_names()}
    listed: set[str] = set()
    for place, classes in reason_classes().items():
        parts.append(f"## {own.get(place, _PLACES.get(place, place))}")
        for one in classes:
            rows = [(code(reason.value), reason.legend) for reason in one]
            parts += [
                f"### {one.__module__.split('.')[-1].replace('_', ' ')}",
                table(("reason", "meaning"), rows),
            ]
            listed |= {reason.value for reason in one}
    legends = {
        name: legend
        for style in map(find_style, style_names())
        for name, legend in style.legends.items()
    }
    more = [(code(name), legend) for name, legend in sorted(legends.items()) if name not in listed]
    if more:
        parts += [
            "## Further reasons",
            "A `*` is replaced by a name, e.g. of a model.",
            table(("reason", "meaning"), more),
        ]
    return "\n\n".join(parts) + "\n"


# ---- the graph of stages


def stage_graph(style: str) -> str:
    """The stages of a style's run as a Mermaid graph, in the order of the run."""
    lines = ["graph TD"]
    for stage in sample_run(style).stages:
        earlier = " & ".join(one.label.replace(" ", "-") for one in dict.fromkeys(stage.inputs))
        if earlier:
            lines.append(f"  {earlier} --> {stage.label.replace(' ', '-')}")
    return "\n".join(lines) + "\n"


def architecture_page() -> str:
    """The page with the graph of a Holmes-style run."""
    before, fence, rest = ARCHITECTURE.read_text(encoding="utf-8").partition("```mermaid\n")
    return before + fence + stage_graph("holmes-style") + rest[rest.index("```") :]


PAGES = {
    "commands.md": commands_page,
    "settings.md": settings_page,
    "artifacts.md": artifacts_page,
    "reasons.md": reasons_page,
    "../explanation/architecture.md": architecture_page,
}


if __name__ == "__main__":
    for name, page in PAGES.items():
        (FOLDER / name).write_text(page(), encoding="utf-8", newline="\n")
