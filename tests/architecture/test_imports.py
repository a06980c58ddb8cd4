"""Every import of ours leads to a file that all have."""

from __future__ import annotations

import ast
import shutil
import subprocess
from collections.abc import Iterable, Set
from pathlib import Path

import pytest

from tests.architecture.conftest import ROOT, House, built, imports, read_house


def nowhere(house: House, others: Iterable[Path] = ()) -> list[str]:
    """Imports of ours that lead to no module, or to nothing in it."""
    holds = {source.name: _at_the_top(source.tree) for source in house} | {"": _at_the_top(ast.parse(house.front))}
    trees = [(source.path, source.tree) for source in house] + [(path, ast.parse(path.read_text(encoding="utf-8"))) for path in others]
    wrong = []
    for path, tree in trees:
        for name in imports(tree):
            head, _, told = name.partition(".")
            module, _, last = told.rpartition(".")
            if head == "cloze_gen" and told not in house.sources and not house.is_folder(told) and last not in holds.get(module, set()):
                wrong.append(f"{path.relative_to(house.root).as_posix()}: {name}")
    return wrong


def _at_the_top(tree: ast.Module) -> set[str]:
    """The names that a module has, those that it imports too."""
    nodes = list(ast.walk(tree))
    found = {one.asname or one.name.split(".")[0] for node in nodes if isinstance(node, ast.Import | ast.ImportFrom) for one in node.names}
    found |= {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    return found | {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}


def untracked(house: House, tracked: Set[str]) -> list[str]:
    """Our modules that a clean checkout would not have."""
    return [place for source in house if (place := source.path.relative_to(house.root).as_posix()) not in tracked]


def test_imports_lead_somewhere(house: House) -> None:
    """Each import of ours, here, in the tests and in other programs, leads to a module, or to what stands at the top of one."""
    others = [path for folder in ("tests", "scripts", "benchmarks", "training") for path in sorted((ROOT / folder).rglob("*.py"))]
    assert not (wrong := nowhere(house, [path for path in others if "toy" not in path.parts])), "\n".join(wrong)


def test_git_knows_every_module(house: House) -> None:
    """A module that only this folder has would break every clean checkout, while every test here passes."""
    git = shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        pytest.skip("no git here, or no checkout")
    done = subprocess.run([git, "-C", str(ROOT), "ls-files", "-z"], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"git does not answer: {done.stderr.strip()}")
    assert not (wrong := untracked(house, set(done.stdout.split("\0")))), "git add " + " ".join(wrong)


STEP = "recipes/lambada/steps/passages.py"


@pytest.mark.parametrize("other", [{"text/tokens.py": "def tokenize(): ..."}, {"text/paragraphs.py": ""}, {}])
def test_an_import_of_nothing_is_found(other: dict[str, str], tmp_path: Path) -> None:
    """Of a function that bears another name, of a module that is gone, of a room that is gone."""
    assert len(nowhere(built(tmp_path, {STEP: "from cloze_gen.text.tokens import tokenise", **other}))) == 1


def test_what_git_does_not_know_is_found(tmp_path: Path) -> None:
    """A module that nobody added."""
    house = built(tmp_path, {"text/tokens.py": "", STEP: ""})
    assert untracked(house, {"src/cloze_gen/text/tokens.py"}) == [f"src/cloze_gen/{STEP}"]


def test_no_module_imports_itself_through_others(house: House) -> None:
    """Imports have no cycle."""
    assert house.longest_chain(list(house.sources))


def test_a_cycle_is_found(tmp_path: Path) -> None:
    """Two modules that import each other are named."""
    folder = tmp_path / "src" / "cloze_gen" / "text"
    folder.mkdir(parents=True)
    (folder / "a.py").write_text("from cloze_gen.text.b import one")
    (folder / "b.py").write_text("def two():\n    from cloze_gen.text.a import one")
    with pytest.raises(ValueError, match=r"text\.a is imported by what it imports: text\.a -> text\.b"):
        read_house(tmp_path).longest_chain(["text.a", "text.b"])
