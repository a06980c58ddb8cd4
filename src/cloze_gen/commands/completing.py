"""What a shell may offer where the cursor stands: configs, runs, stages, settings.

Whoever presses a key waits for it, so nothing heavy is imported: the names of settings are read from the sources of their models, which
importing would take seconds. Whatever is missing, damaged or strange on disk is not offered, and nothing is said.
"""

from __future__ import annotations

import ast
import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from cloze_gen.notation import NotationError, parse_json, parse_toml

# A shell may take what it is offered for more than a word: whatever is offered has none of the shell's own characters.
_PLAIN = re.compile(r"[A-Za-z0-9._-]{1,200}")
_STYLE_FILE = "_style.py"
_MOST_BYTES = 4 * 1024 * 1024  # of a run.json or a config; a larger one is none


def config_names(incomplete: str) -> list[str]:
    """Built-in configs, the styles' own among them."""
    return _beginning(incomplete, [path.stem for path in sorted(_folder("configs").glob("*.toml"))])


def run_names(ctx: typer.Context, incomplete: str) -> list[str]:
    """Runs of the output folder that was typed before, or of the default one."""
    try:
        return _beginning(incomplete, [path.parent.name for path in sorted(_runs(ctx).glob("*/run.json"))])
    except OSError:
        return []


def stage_names(ctx: typer.Context, incomplete: str) -> list[str]:
    """Stages of the run that was typed before, in their order."""
    stages = _run_file(ctx).get("stages")
    labels = [stage.get("label") for stage in stages if isinstance(stage, dict)] if isinstance(stages, list) else []
    return _beginning(incomplete, (label.replace(" ", "-") for label in labels if isinstance(label, str)), ordered=True)


def study_names(ctx: typer.Context, incomplete: str) -> list[str]:
    """The studies of the output folder."""
    return _beginning(incomplete, [path.parent.name for path in sorted((_runs(ctx).parent / "judgements").glob("*/study.json"))])


def setting_keys(ctx: typer.Context, incomplete: str) -> list[str]:
    """`group.key=` of the run or config that was typed before; nothing once a value has begun."""
    settings = _run_file(ctx).get("settings")
    if isinstance(settings, dict):
        keys = [f"{group}.{key}" for group, values in settings.items() if isinstance(values, dict) for key in values]
    else:
        keys = [key for style in _styles(_typed(ctx, "config")) for key in settings_of(style)]
    return [f"{key}=" for key in _beginning(incomplete, keys)]


def settings_of(style: str) -> list[str]:
    """`group.key` of every setting of a style, in order, from the source of its model and of its groups' models."""
    path = _folder("pipelines") / f"{style.replace('-', '_')}.py"
    tree = _parsed(path)
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Style"]
    named = [word.value.id for call in calls for word in call.keywords if word.arg == "settings" and isinstance(word.value, ast.Name)]
    groups = [pair for name in named[:1] for pair in _fields(tree, name)]
    return [f"{group}.{key}" for group, kind in groups for key, _ in _fields(*_found(tree, kind))]


def _fields(tree: ast.Module, name: str) -> Iterator[tuple[str, str]]:
    """(field, its annotation) of a model and of those it stands on, theirs first, as pydantic has them."""
    for model in (node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name):
        for base in model.bases:
            yield from _fields(*_found(tree, ast.unparse(base)))
        for line in model.body:
            if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name) and not line.target.id.startswith("_"):
                annotation = ast.unparse(line.annotation)
                if not annotation.startswith("ClassVar"):
                    yield line.target.id, annotation


def _found(tree: ast.Module, name: str) -> tuple[ast.Module, str]:
    """The module in which a name of this module is defined, as a tree, and the name."""
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("cloze_gen.") and name in {one.name for one in node.names}:
            folder, *rest = str(node.module).split(".")[1:]
            place = Path(__file__).parents[1] / f"{folder}.py" if not rest else _folder(folder).joinpath(*rest[:-1], f"{rest[-1]}.py")
            return _parsed(place), name
    return tree, name


def _parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8")) if path.is_file() else ast.Module([], [])


def _folder(room: str) -> Path:
    """Where a room lies: `pipelines` and `configs` stand outside `src` in a checkout."""
    spec = importlib.util.find_spec(f"cloze_gen.{room}")
    return Path(spec.origin).parent if spec and spec.origin else Path(__file__).parents[1] / room


def _styles(config: str) -> list[str]:
    """The style of a config: what it says, else the one whose word stands in its name."""
    styles = [path.name.removesuffix(".py").replace("_", "-") for path in sorted(_folder("pipelines").glob(f"*{_STYLE_FILE}"))]
    path = Path(config) if config.endswith(".toml") or "/" in config else _folder("configs") / f"{config}.toml"
    said = _table(path).get("style")
    words = re.split(r"[^a-z]+", Path(config).name.lower())
    return [style for style in styles if style == said or (said is None and style.removesuffix("-style") in words)]


def _typed(ctx: typer.Context, name: str) -> str:
    """What was typed for an argument. While an option still lacks its value, the parser has not yet given the words to their arguments."""
    if name not in ctx.params:
        return ""
    return str(ctx.params[name] or next(iter(ctx.args), ""))


def _runs(ctx: typer.Context) -> Path:
    return Path(ctx.params.get("out") or "artifacts") / "runs"


def _run_file(ctx: typer.Context) -> dict[str, Any]:
    run = _typed(ctx, "run")
    return next((table for folder in (_runs(ctx) / run, Path(run)) if run and (table := _table(folder / "run.json"))), {})


def _table(path: Path) -> dict[str, Any]:
    """A JSON or TOML file's table; an empty one of what is no such file."""
    try:
        if not path.is_file() or path.stat().st_size > _MOST_BYTES:
            return {}
        text = path.read_text(encoding="utf-8-sig")
        found = parse_toml(text) if path.suffix == ".toml" else parse_json(text)
    except (OSError, UnicodeDecodeError, NotationError):
        return {}
    return found if isinstance(found, dict) else {}


def _beginning(incomplete: str, names: Iterator[str] | list[str], *, ordered: bool = False) -> list[str]:
    found = [name for name in names if _PLAIN.fullmatch(name) and name.startswith(incomplete)]
    return found if ordered else sorted(found)
