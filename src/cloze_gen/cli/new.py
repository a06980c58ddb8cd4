"""`cloze-gen new`: a project folder with a settings file and folders for books."""

from __future__ import annotations

from pathlib import Path

from cloze_gen.cli.run import settings_text
from cloze_gen.corpus.readers import IN_WORDS
from cloze_gen.errors import UsageError
from cloze_gen.parsing import quote
from cloze_gen.pipelines.run import check_run_name
from cloze_gen.pipelines.styles import style_of
from cloze_gen.release.style import Style
from cloze_gen.store.folder_replacement import check_own_folder
from cloze_gen.store.locks import partial_folder, publish_folder, remove_stale_temp_dirs

_README = "README.md"
# No manifest has this schema, so an edited folder is never overwritten.
_SCHEMA = "cloze-gen/new"


def create_project(folder: Path, config: str) -> str:
    """Create a folder with `NAME.toml`, `README.md` and folders for the books, or nothing."""
    style = style_of(config)
    name = _name_of(folder)
    check_own_folder(folder, _SCHEMA, option="`cloze-gen new DIR`")
    places = _places(style)
    files = {
        f"{name}.toml": settings_text(config, new=True),
        _README: _readme_text(name, style),
    }
    remove_stale_temp_dirs(folder.parent)
    with partial_folder(folder) as partial:
        for place in places.values():
            (partial / place).mkdir(parents=True)
        for file, text in files.items():
            (partial / file).write_text(text.rstrip("\n") + "\n", encoding="utf-8")
        if not publish_folder(partial, folder):
            raise UsageError(
                f"{folder}: another process wrote to it in the meantime. Nothing was written. "
                "Give a new folder."
            )
    return "\n".join(
        [
            f"settings   {folder / name}.toml",
            *(f"books      {folder / place}" for place in places.values()),
            "Next: put books there. `cloze-gen corpus inspect DIR` prints how they are read. Then run "
            f"the commands in {folder / _README}.",
        ]
    )


def _name_of(folder: Path) -> str:
    try:
        return check_run_name(folder.resolve().name)
    except UsageError as error:
        raise UsageError(
            f"{quote(str(folder), most_chars=300)}: the folder's name must be a valid run name, but "
            f"{error}"
        ) from None


def _places(style: Style) -> dict[str, str]:
    return {side: "books" if len(style.sides) == 1 else f"books/{side}" for side in style.sides}


def _readme_text(name: str, style: Style) -> str:
    places = _places(style)
    sides = " ".join(f"--{side} {place}" for side, place in places.items())
    books = "\n".join(f"- `{place}/`: {_contents(side, style)}" for side, place in places.items())
    return f"""# {name}

A {style.title} set. Edit the settings in `{name}.toml` if you like. Put books ({IN_WORDS}) into:

{books}

You can add a `manifest.tsv` to the books: a tab-separated table with the columns `file`, `title` and `author`. Then run in this folder:

```sh
cloze-gen corpus inspect {places[style.drawn_from]}
cloze-gen run {name}.toml {sides}
cloze-gen show {name}
cloze-gen evaluate {name}
cloze-gen export {name} --to {name}.html
```
{_without_background(name, style)}
The set is in `artifacts/runs/{name}/release/`. Open `report.html` there first.
"""


def _contents(side: str, style: Style) -> str:
    noun = style.items.noun
    if side == style.drawn_from:
        return f"the books that {noun}s come from."
    return (
        f"background books, for word counts and language models; no {noun} comes from them. Use "
        f"as many as you can, but none that is also in `{_places(style)[style.drawn_from]}/`."
    )


def _without_background(name: str, style: Style) -> str:
    if style.own_background is None:
        return ""
    config = style.own_background.config
    better = ""
    if config != style.name:
        better = f" `cloze-gen new DIR --style {config}` gives better settings for this."
    return f"""
If you have no background books, the other books are also the background.{better} Run this instead:

```sh
cloze-gen run {name}.toml --{style.drawn_from} {_places(style)[style.drawn_from]}
```
"""
