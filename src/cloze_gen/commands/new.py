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
    """Make a folder with `NAME.toml`, `README.md` and a folder for the books of each side; all of it or nothing. NAME is the folder's.

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
    sweep_leavings(folder.parent)
    with partial_folder(folder) as partial:
        for place in places.values():
            (partial / place).mkdir(parents=True)
        for file, text in files.items():
            (partial / file).write_text(text.rstrip("\n") + "\n", encoding="utf-8")
        if not publish_folder(partial, folder):
            raise UsageError(f"{folder}: somebody else has filled it meanwhile. Nothing was written; name a new folder.")
    told = [f"settings   {folder / name}.toml", *(f"books      {folder / place}" for place in places.values())]
    return "\n".join([*told, f"Put books there (.txt or .txt.gz, one book a file). Then type the three commands in {folder / _README}."])


def _name_of(folder: Path) -> str:
    try:
        return check_run_name(folder.resolve().name)
    except UsageError as error:
        raise UsageError(f"{shown(str(folder), most_chars=300)}: its run would be named after it, but {error}") from None


def _places(style: Style) -> dict[str, str]:
    """Side -> where its books go, below the folder: one side needs no folder of its own among the books."""
    return {side: "books" if len(style.sides) == 1 else f"books/{side}" for side in style.sides}


def _first_page(name: str, style: Style) -> str:
    """What goes into the folders of books, and the three commands, as they are typed in this folder, in one block."""
    places = _places(style)
    sides = " ".join(f"--{side} {place}" for side, place in places.items())
    books = "\n".join(f"- `{place}/`: {_what_goes_in(side, style)}" for side, place in places.items())
    return f"""# {name}

A {style.title} set. Change what you like in `{name}.toml`. Put books (`.txt` or `.txt.gz`, one book a file) into:

{books}

A `manifest.tsv` beside the books with the columns `file`, `title` and `author`, separated by tabs, is optional. Then, in this folder:

```sh
cloze-gen run {name}.toml {sides}
cloze-gen show {name}
cloze-gen evaluate {name}
```

The set is then in `artifacts/runs/{name}/release/`; `report.html` there is the page to open first.
"""


def _what_goes_in(side: str, style: Style) -> str:
    """Which books belong into a side's folder."""
    noun = style.items.noun
    if side == style.drawn_from:
        return f"the books that {noun}s are drawn from."
    return (
        f"background books, in which words are counted and from which models learn; no {noun} is drawn from them. The more the better, and "
        f"none that is in `{_places(style)[style.drawn_from]}/` too. {_without(side, style)}"
    ).rstrip()


def _without(side: str, style: Style) -> str:
    """What to do where there are no books for a side."""
    if style.own_background is None:
        return ""
    config = style.own_background.config
    begun = "" if config == style.name else f", best with the settings of `cloze-gen new DIR --style {config}`"
    return f"If you have none, leave out `--{side}`: the other books serve as background too{begun}."
