"""`cloze-gen new`: a folder to begin in: a config of every setting, a place for the books, and the commands that come next."""

from __future__ import annotations

from pathlib import Path

from cloze_gen.commands.own_folder import check_own_folder
from cloze_gen.commands.settings import settings_text
from cloze_gen.errors import UsageError
from cloze_gen.notation import shown
from cloze_gen.pipelines.run import check_run_name
from cloze_gen.pipelines.styles import style_of
from cloze_gen.stages.style import Style
from cloze_gen.store.locks import partial_folder, publish_folder, sweep_leavings

_README = "README.md"
_CONFIG_COLUMNS = 100  # a meaning that has no room beside its value within them stands above it
_SCHEMA = "cloze-gen/new"  # no manifest is ever written under it: what a user has begun to edit is never filled again


def begin(folder: Path, config: str) -> str:
    """Make a folder with `NAME.toml`, `README.md` and `books/SIDE/README.md`, NAME being the folder's own; whole or not at all.

    Args:
        folder: a new one, or an empty one.
        config: a style, another built-in config or a TOML file: whose settings are written down. What is left unchanged is as there.
    Returns:
        what lies there now, and the command that comes next, for the screen.
    Raises:
        UsageError: the folder holds something, has a name that no run can have, or there is no such config.
    """
    style = style_of(config)
    name = _name_of(folder)
    check_own_folder(folder, _SCHEMA, option="`cloze-gen new DIR`")
    places = _places(style)
    files = {f"{name}.toml": settings_text(config, columns=_CONFIG_COLUMNS), _README: _first_page(name, style)}
    files |= {f"{place}/{_README}": _what_goes_in(side, style) for side, place in places.items()}
    sweep_leavings(folder.parent)
    with partial_folder(folder) as partial:
        for file, text in files.items():
            (partial / file).parent.mkdir(parents=True, exist_ok=True)
            (partial / file).write_text(text.rstrip("\n") + "\n", encoding="utf-8")
        if not publish_folder(partial, folder):
            raise UsageError(f"{folder}: somebody else has filled it meanwhile. Nothing was written; name a new folder.")
    told = [f"settings   {folder / name}.toml", *(f"books      {folder / place}" for place in places.values())]
    return "\n".join([*told, f"Lay books there (.txt or .txt.gz, one book a file); then the three commands in {folder / _README}."])


def _name_of(folder: Path) -> str:
    try:
        return check_run_name(folder.resolve().name)
    except UsageError as error:
        raise UsageError(f"{shown(str(folder), most_chars=300)}: its run would be named after it, but {error}") from None


def _places(style: Style) -> dict[str, str]:
    """Side -> where its books go, below the folder: one side needs no folder of its own among the books."""
    return {side: "books" if len(style.sides) == 1 else f"books/{side}" for side in style.sides}


def _first_page(name: str, style: Style) -> str:
    """The three commands, as they are typed in this folder, in one block."""
    sides = " ".join(f"--{side} {place}" for side, place in _places(style).items())
    return f"""# {name}

A {style.title} set: change what you like in `{name}.toml`, lay books into `books/`, as the README there says, then, in this folder:

```sh
cloze-gen run {name}.toml {sides}
cloze-gen show {name}
cloze-gen evaluate {name}
```

The set is then in `artifacts/runs/{name}/release/`; `report.html` there is the page to open first.
"""


def _what_goes_in(side: str, style: Style) -> str:
    """Two lines on what belongs into a side's folder; this file itself is passed over as a book."""
    noun = style.items.noun
    if side != style.drawn_from:
        what = (
            f"Background books (.txt or .txt.gz, one book a file): words are counted in them, models learn from them, no {noun} is drawn."
        )
        return f"{what}\nThe more the better, and none that lies in `../{style.drawn_from}`. {_without(side, style)}\n"
    what = f"The books (.txt or .txt.gz, one book a file) that {noun}s are drawn from.\n"
    return f"{what}A `manifest.tsv` with the columns `file`, `title` and `author`, separated by tabs, is welcome and not needed.\n"


def _without(side: str, style: Style) -> str:
    """What to do where there are no books for a side."""
    if style.own_background is None:
        return ""
    config = style.own_background.config
    begun = "" if config == style.name else f", best with the settings of `cloze-gen new DIR --style {config}`"
    return f"You have none? Leave out `--{side}`: the other books serve as background too{begun}."
