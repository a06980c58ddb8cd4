"""Arguments of several commands, and their tab completion."""

from __future__ import annotations

import ast
import importlib.util
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer
import typer.completion

from cloze_gen.adapters.terminal import show
from cloze_gen.errors import UsageError
from cloze_gen.parsing import ParseError, parse_json, parse_toml, quote

# A shell may interpret suggestions, so names with special characters are not suggested.
_PLAIN = re.compile(r"[A-Za-z0-9._-]{1,200}")
_STYLE_FILE = "_style.py"
_MOST_BYTES = 4 * 1024 * 1024  # of a run.json or a config


def config_names(incomplete: str) -> list[str]:
    return _matching(incomplete, [path.stem for path in sorted(_folder("configs").glob("*.toml"))])


def run_names(ctx: typer.Context, incomplete: str) -> list[str]:
    try:
        return _matching(
            incomplete, [path.parent.name for path in sorted(_runs(ctx).glob("*/run.json"))]
        )
    except OSError:
        return []


def stage_names(ctx: typer.Context, incomplete: str) -> list[str]:
    stages = _run_file(ctx).get("stages")
    labels = (
        [stage.get("label") for stage in stages if isinstance(stage, dict)]
        if isinstance(stages, list)
        else []
    )
    return _matching(
        incomplete,
        (label.replace(" ", "-") for label in labels if isinstance(label, str)),
        ordered=True,
    )


def study_names(ctx: typer.Context, incomplete: str) -> list[str]:
    return _matching(
        incomplete,
        [
            path.parent.name
            for path in sorted((_runs(ctx).parent / "judgements").glob("*/study.json"))
        ],
    )


def setting_keys(ctx: typer.Context, incomplete: str) -> list[str]:
    """`group.key=` for the run or config on the command line; none after the `=`."""
    settings = _run_file(ctx).get("settings")
    if isinstance(settings, dict):
        keys = [
            f"{group}.{key}"
            for group, values in settings.items()
            if isinstance(values, dict)
            for key in values
        ]
    else:
        keys = [key for style in _styles(_typed(ctx, "config")) for key in settings_of(style)]
    return [f"{key}=" for key in _matching(incomplete, keys)]


def settings_of(style: str) -> list[str]:
    path = _folder("pipelines") / f"{style.replace('-', '_')}.py"
    tree = _parsed(path)
    calls = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "Style"
    ]
    named = [
        word.value.id
        for call in calls
        for word in call.keywords
        if word.arg == "settings" and isinstance(word.value, ast.Name)
    ]
    groups = [pair for name in named[:1] for pair in _fields(tree, name)]
    # A redefined field keeps its position, as in pydantic.
    return [
        f"{group}.{key}"
        for group, kind in groups
        for key in dict(_fields(*_find_class(tree, kind)))
    ]


def _fields(tree: ast.Module, name: str) -> Iterator[tuple[str, str]]:
    for model in (
        node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name
    ):
        for base in model.bases:
            yield from _fields(*_find_class(tree, ast.unparse(base)))
        for line in model.body:
            if (
                isinstance(line, ast.AnnAssign)
                and isinstance(line.target, ast.Name)
                and not line.target.id.startswith("_")
            ):
                annotation = ast.unparse(line.annotation)
                if not annotation.startswith("ClassVar"):
                    yield line.target.id, annotation


def _find_class(tree: ast.Module, name: str) -> tuple[ast.Module, str]:
    for node in tree.body:
        if not (isinstance(node, ast.ImportFrom) and (node.module or "").startswith("cloze_gen.")):
            continue
        names = {one.asname or one.name: one.name for one in node.names}
        if name in names:
            folder, *rest = str(node.module).split(".")[1:]
            place = (
                Path(__file__).parents[1] / f"{folder}.py"
                if not rest
                else _folder(folder).joinpath(*rest[:-1], f"{rest[-1]}.py")
            )
            return _parsed(place), names[name]
    return tree, name


def _parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8")) if path.is_file() else ast.Module([], [])


def _folder(package: str) -> Path:
    spec = importlib.util.find_spec(f"cloze_gen.{package}")
    return Path(spec.origin).parent if spec and spec.origin else Path(__file__).parents[1] / package


def _styles(config: str) -> list[str]:
    """The style that a config states; else the styles with their word in its file name."""
    styles = [
        path.name.removesuffix(".py").replace("_", "-")
        for path in sorted(_folder("pipelines").glob(f"*{_STYLE_FILE}"))
    ]
    path = (
        Path(config)
        if config.endswith(".toml") or "/" in config
        else _folder("configs") / f"{config}.toml"
    )
    stated = _table(path).get("style")
    words = re.split(r"[^a-z]+", Path(config).name.lower())
    return [
        style
        for style in styles
        if style == stated or (stated is None and style.removesuffix("-style") in words)
    ]


def _typed(ctx: typer.Context, name: str) -> str:
    """The typed argument; the parser leaves it in `args` while an option lacks its value."""
    if name not in ctx.params:
        return ""
    return str(ctx.params[name] or next(iter(ctx.args), ""))


def _runs(ctx: typer.Context) -> Path:
    return Path(ctx.params.get("out") or "artifacts") / "runs"


def _run_file(ctx: typer.Context) -> dict[str, Any]:
    run = _typed(ctx, "run")
    return next(
        (
            table
            for folder in (_runs(ctx) / run, Path(run))
            if run and (table := _table(folder / "run.json"))
        ),
        {},
    )


def _table(path: Path) -> dict[str, Any]:
    try:
        if not path.is_file() or path.stat().st_size > _MOST_BYTES:
            return {}
        text = path.read_text(encoding="utf-8-sig")
        found = parse_toml(text) if path.suffix == ".toml" else parse_json(text)
    except (OSError, UnicodeDecodeError, ParseError):
        return {}
    return found if isinstance(found, dict) else {}


def _matching(
    incomplete: str, names: Iterator[str] | list[str], *, ordered: bool = False
) -> list[str]:
    found = [name for name in names if _PLAIN.fullmatch(name) and name.startswith(incomplete)]
    return found if ordered else sorted(found)


# A shell calls the program by Typer's protocol: `_CLOZE_GEN_COMPLETE=complete_SHELL` and the typed
# words. Only suggestions may reach the screen.


VARIABLE = "_CLOZE_GEN_COMPLETE"

# Bash splits words at `=`. After `key=` no space is added, since the value follows.
_BASH = """\
# cloze-gen completion bash >> ~/.bashrc
_cloze_gen_completion() {
    local IFS=$'\\n'
    COMPREPLY=( $(COMP_WORDS="${COMP_WORDS[*]}" COMP_CWORD=$COMP_CWORD _CLOZE_GEN_COMPLETE=complete_bash "$1" 2>/dev/null) )
    [[ ${COMPREPLY[0]} != *= ]] || compopt -o nospace 2>/dev/null
    return 0
}
complete -o default -F _cloze_gen_completion cloze-gen"""

# Zsh reads the same lines as fish (value, description) and evaluates none of them.
_ZSH = """\
# cloze-gen completion zsh >> ~/.zshrc
_cloze_gen_completion() {
    local line
    local -a values shown after
    for line in "${(@f)$(_TYPER_COMPLETE_ARGS="${words[1,$CURRENT]}" _TYPER_COMPLETE_FISH_ACTION=get-args \\
                         _CLOZE_GEN_COMPLETE=complete_fish "${words[1]}" 2>/dev/null)}"; do
        [[ -n $line ]] || continue
        values+=("${line%%$'\\t'*}") shown+=("${line/$'\\t'/  -- }")
    done
    (( ${#values} )) || { _files; return }
    [[ ${values[1]} != *= ]] || after=(-S '')
    compadd "${after[@]}" -l -d shown -a values
}
(( ${+functions[compdef]} )) || { autoload -Uz compinit && compinit -i }
compdef _cloze_gen_completion cloze-gen"""

_FISH_CALL = (
    "env _CLOZE_GEN_COMPLETE=complete_fish _TYPER_COMPLETE_FISH_ACTION={} "
    "_TYPER_COMPLETE_ARGS=(commandline -cp) cloze-gen 2>/dev/null"
)
_FISH = f"""\
# cloze-gen completion fish > ~/.config/fish/completions/cloze-gen.fish
complete --command cloze-gen --no-files --arguments "({_FISH_CALL.format("get-args")})" --condition "{_FISH_CALL.format("is-args")}\""""

_SCRIPTS = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}


SHELLS = ", ".join(_SCRIPTS)


def shell_names(incomplete: str) -> list[str]:
    return [name for name in _SCRIPTS if name.startswith(incomplete)]


def script_of(shell: str) -> str:
    if shell not in _SCRIPTS:
        raise UsageError(
            f"{quote(shell)}: tab completion is not available for this shell. Known: {SHELLS}."
        )
    return _SCRIPTS[shell]


def answer_shells() -> None:
    """Register the shells with Typer if a shell requests suggestions; else import nothing."""
    if VARIABLE in os.environ:
        typer.completion.completion_init()  # type: ignore[attr-defined]  # typer declares no exports


# ---- arguments of several commands


def number(least: float, most: float | None = None, *, help: str) -> Any:
    """A number within bounds; `--help` shows it as NUMBER, not as `<int range> [...]`."""

    def within(value: float | None) -> float | None:
        if value is not None and not (
            least <= value and (most is None or value <= most)
        ):  # also refuses nan
            bounds = f"from {least:,} to {most:,}" if most is not None else f"{least:,} or more"
            raise typer.BadParameter(f"{value} is out of range. Give a number {bounds}.")
        return value

    return typer.Option(metavar="NUMBER", callback=within, help=help)


# Words of `--help` for the values of options whose own name says too little.
_VALUES = {
    "train": "BOOKS",
    "source": "BOOKS",
    "only": "BASELINE",
    "blind": "LOG",
    "form": "FORMAT",
    "set_": "KEY=VALUE",
}
_NUMBERS = ("int", "float")


def name_values(command: Any) -> Any:
    """The command; its help names values in words (FOLDER, NUMBER), not by types of Python."""
    for parameter in command.params:
        last_word = parameter.name.rpartition("_")[2].upper()
        if parameter.param_type_name == "argument":
            parameter.metavar = parameter.metavar or last_word
            parameter.display_type = lambda ctx: ""
        elif parameter.metavar is None and not parameter.is_flag:
            of = str(parameter.type_descriptor.annotation)
            about = re.split("[;:]", parameter.help or "")[0]
            parameter.metavar = (
                ("FOLDER" if "folder" in about else "FILE")
                if "Path" in of
                else "NUMBER"
                if any(name in of for name in _NUMBERS)
                else _VALUES.get(parameter.name, last_word)
            )
    return command


def whole_name(config: str) -> str:
    """`holmes` is `holmes-style`, unless a config or a file has the short name."""
    names, whole = config_names(""), f"{config}-style"
    if config in names or whole not in names or Path(f"{config}.toml").exists():
        return config
    show(f"{config}: read as {whole}", sys.stderr)
    return whole


# Larger numbers are typing errors and would fail later with a less clear message.
MOST_WORKERS, LARGEST_SEED = 1024, 2**63 - 1
DEFAULT_OUT = Path("artifacts")
Config = Annotated[
    str,
    typer.Argument(
        help="style (holmes-style, ...), built-in config or path of a TOML file",
        autocompletion=config_names,
        callback=whole_name,
    ),
]
Run = Annotated[
    str,
    typer.Argument(
        help="name of a run in the output folder, or path of its folder", autocompletion=run_names
    ),
]
OtherRun = Annotated[
    str, typer.Argument(help="name or path of the run to compare it with", autocompletion=run_names)
]
NamedRun = Annotated[
    str | None,
    typer.Option(
        "--run",
        help="name or path of the run; default: the latest run that has the item",
        autocompletion=run_names,
    ),
]
Stage = Annotated[
    str | None,
    typer.Argument(
        help="stage of the run by name, link or number: forward, 12-forward, 12",
        autocompletion=stage_names,
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set", help="setting as stage.key=value; may be repeated", autocompletion=setting_keys
    ),
]
AsIfSettings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        help="changed setting to try, as stage.key=value; may be repeated",
        autocompletion=setting_keys,
    ),
]
_TEXT_COLUMN = "name of the table column that holds the text of a book"
_KEEP_SPLITS = (
    "use a collection's splits, or the folders train, validation and test: train as background, "
    "test as source; lambada-style and scde-style: as the three parts"
)
TextColumn = Annotated[str, typer.Option(help=_TEXT_COLUMN)]
KeepSplits = Annotated[bool, typer.Option("--keep-splits", help=_KEEP_SPLITS)]
RunTextColumn = Annotated[
    str, typer.Option(help=f"{_TEXT_COLUMN}; short for --set input.text_column=")
]
RunKeepSplits = Annotated[
    bool,
    typer.Option("--keep-splits", help=f"{_KEEP_SPLITS}; short for --set input.keep_splits=true"),
]
Out = Annotated[Path, typer.Option("--out", help="output folder")]
Workers = Annotated[int, number(1, MOST_WORKERS, help="number of worker processes")]
