"""What a reader can hold: short files, short functions, short ways from import to import."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.architecture.conftest import House, functions, read_house

MOST_LINES = 250  # a file
MOST_FUNCTION_LINES = 50  # a function, its docstring not counted
LONGEST_CHAIN = 6  # files inside one folder, each importing the next
LONGEST_CHAIN_BELOW = 7  # the same with all folders below it; `stages/` reaches it: evaluation, its models, text, counts, books
# Functions that a reader would not thank you for cutting, with the reason.
LONG_ON_PURPOSE: Mapping[str, str] = {}


def long_files(house: House) -> list[str]:
    counted = {source.name: len(source.path.read_text(encoding="utf-8").splitlines()) for source in house}
    return [f"{name}: {lines} lines" for name, lines in counted.items() if lines > MOST_LINES]


def long_functions(house: House) -> dict[str, int]:
    """Functions over the limit and their lines."""
    lengths = {f"{source.name}.{name}": lines(node) for source in house for name, node in functions(source.tree)}
    return {name: length for name, length in lengths.items() if length > MOST_FUNCTION_LINES}


def lines(node: ast.FunctionDef) -> int:
    first = node.body[0]
    told = first.end_lineno - first.lineno + 1 if ast.get_docstring(node) else 0
    return node.end_lineno - node.lineno + 1 - told


def long_chains(house: House) -> list[str]:
    """Folders, their subfolders not counted, in which one has to open too many files to follow a thing to its ground."""
    chains = {folder: house.longest_chain(names) for folder, names in _folders(house).items()}
    return [f"{folder}: {len(chain)} files: {' -> '.join(chain)}" for folder, chain in chains.items() if len(chain) > LONGEST_CHAIN]


def long_chains_below(house: House) -> list[str]:
    """Folders with too long a chain through all their subfolders."""
    tops = {folder[:i] for folder in (source.folder for source in house) for i in range(1, len(folder) + 1)}
    chains = {top: house.longest_chain([source.name for source in house if source.parts[: len(top)] == top]) for top in sorted(tops)}
    return [f"{'/'.join(top)}: {' -> '.join(chain)}" for top, chain in chains.items() if len(chain) > LONGEST_CHAIN_BELOW]


def _folders(house: House) -> dict[str, list[str]]:
    folders: dict[str, list[str]] = {}
    for source in house:
        folders.setdefault("/".join(source.folder), []).append(source.name)
    return folders


def test_files_are_short(house: House) -> None:
    """No file has more than 250 lines."""
    wrong = long_files(house)
    assert not wrong, "\n".join(wrong)


def test_functions_are_short(house: House) -> None:
    """No function has more than 50 lines below its docstring, but those that say why."""
    wrong = {name: length for name, length in long_functions(house).items() if name not in LONG_ON_PURPOSE}
    assert not wrong, "\n".join(f"{name}: {length} lines" for name, length in wrong.items())


def test_long_functions_are_still_long(house: House) -> None:
    """The short list names no function that is gone or has become short."""
    assert set(LONG_ON_PURPOSE) - set(long_functions(house)) == set()


def test_chains_are_short(house: House) -> None:
    """Inside one folder at most six files import each other in a row, and none in a circle."""
    wrong = long_chains(house)
    assert not wrong, "\n".join(wrong)


def test_chains_through_subfolders_are_short(house: House) -> None:
    """With all its subfolders, a room has at most seven in a row."""
    wrong = long_chains_below(house)
    assert not wrong, "\n".join(wrong)


def test_no_file_is_imported_by_what_it_imports(house: House) -> None:
    """Over the whole house, too, there is no circle."""
    assert house.longest_chain(list(house.sources))


@pytest.mark.parametrize("law", [long_files, long_functions, long_chains], ids=lambda law: law.__name__)
def test_one_too_many_is_found(law, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    """Exactly at each limit nothing is said; one line or one file more, and it is."""
    for extra, expected in ((0, 0), (1, 1)):
        folder = tmp_path / str(extra) / "src" / "cloze_gen" / "text"
        folder.mkdir(parents=True)
        (folder / "long.py").write_text("\n" * (MOST_LINES + extra))
        body = textwrap.indent("x = 1\n" * (MOST_FUNCTION_LINES - 1 + extra), "    ")
        (folder / "function.py").write_text(f'def long():\n    """Said\n    in two lines."""\n{body}')
        for i in range(LONGEST_CHAIN + extra):
            (folder / f"a{i}.py").write_text(f"from cloze_gen.text import a{i + 1}\n")
        (folder / f"a{LONGEST_CHAIN + extra}.py").unlink(missing_ok=True)
        assert len(law(read_house(tmp_path / str(extra)))) == expected


def test_a_circle_is_found(tmp_path: Path) -> None:
    """Two files that import each other have no longest chain."""
    folder = tmp_path / "src" / "cloze_gen" / "text"
    folder.mkdir(parents=True)
    (folder / "a.py").write_text("from cloze_gen.text.b import one")
    (folder / "b.py").write_text("def two():\n    from cloze_gen.text.a import one")
    with pytest.raises(ValueError, match=r"text\.a is imported by what it imports: text\.a -> text\.b"):
        read_house(tmp_path).longest_chain(["text.a", "text.b"])
