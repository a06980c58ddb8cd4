"""What the rooms below the store may know of the world, and what is left to chance anywhere."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture.conftest import House, built, called, imports, place
from tests.architecture.test_floors import FLOORS

PURE = {room for floor in FLOORS[:5] for room in floor} - {"interrupts"}
OUTSIDE = set(
    "pathlib os sys io shutil tempfile logging tqdm time datetime threading subprocess socket urllib importlib pkgutil".split(),
)
OPENERS = set(
    "open read_text read_bytes write_text write_bytes unlink mkdir iterdir glob rglob print input"
    " load save memmap fromfile tofile read_table read_parquet now today".split(),
)
LISTINGS = {"iterdir", "glob", "rglob", "listdir", "scandir"}
# What comes to the same in whichever order it is handed things; a set takes them in, and gives them out in an order of its own.
ORDERLESS = {"sorted", "any", "all", "sum", "len", "max", "min"}
SETS = {"set", "frozenset"}
OF_SETS = {"union", "intersection", "difference", "symmetric_difference"}
IN_ORDER = {"list", "tuple", "enumerate", "iter", "next", "zip", "map", "filter", "join", "array", "Counter", "fromkeys"}  # keep the order


def impure(house: House) -> list[str]:
    """Below the store nothing opens a file, knows a path, prints or asks the machine."""
    wrong = []
    for source in house:
        if source.room in PURE:
            names = {name.split(".")[0] for name in imports(source.tree)} & OUTSIDE
            calls = {called(node) for node in ast.walk(source.tree) if isinstance(node, ast.Call)} & OPENERS
            wrong += [f"{place(source)}: {name}" for name in sorted(names | calls)]
    return wrong


def by_chance(house: House) -> list[str]:
    """`hash()`, a generator that no record seeds, a folder in the order of the disk, a set in the order of its hashes."""
    wrong = []
    for source in house:
        wrong += [f"{place(source)}: {name}" for name in imports(source.tree) if re.match(r"random\b|numpy\.random\b", name)]
        wrong += [
            f"{place(source)}:{node.lineno}: {ast.unparse(node)}, a generator that `rng` did not derive"
            for node in ast.walk(source.tree)
            if isinstance(node, ast.Attribute)
            and ast.unparse(node.value) in {"np.random", "numpy.random"}
            and node.attr != "Generator"  # as a type: whoever draws is handed one
            and source.name != "rng"
        ]
        named_sets = set(_named_sets(source.tree))
        read_in_order = _only_read_in_order(source.tree)
        for node, around in _expressions(source.tree):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "hash":
                wrong.append(f"{place(source)}:{node.lineno}: hash")
            if isinstance(node, ast.Call) and called(node) in LISTINGS and not around & ORDERLESS and node not in read_in_order:
                wrong.append(f"{place(source)}:{node.lineno}: {ast.unparse(node.func)} in the order of the disk")
            if not around & (ORDERLESS | SETS):
                wrong += [
                    f"{place(source)}:{one.lineno}: {ast.unparse(one)} in the order of its hashes"
                    for one in _walked(node)
                    if _is_set(one) or one in named_sets
                ]
    return wrong


def _walked(node: ast.AST) -> list[ast.expr]:
    """What is gone through one by one, and leaves its order in the result: by `for`, by a comprehension, by `list(...)` and the like."""
    if isinstance(node, ast.For):
        return [node.iter]
    if isinstance(node, ast.ListComp | ast.GeneratorExp | ast.DictComp):
        return [one.iter for one in node.generators]
    return node.args if isinstance(node, ast.Call) and called(node) in IN_ORDER else []


def _is_set(node: ast.expr) -> bool:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr | ast.BitAnd | ast.Sub | ast.BitXor):
        return _is_set(node.left) or _is_set(node.right)
    return isinstance(node, ast.Set | ast.SetComp) or (isinstance(node, ast.Call) and called(node) in SETS | OF_SETS)


def _named_sets(tree: ast.Module) -> Iterator[ast.Name]:
    """Names that are read in a function which gives them sets and nothing else."""
    for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
        names = [node for node in ast.walk(function) if isinstance(node, ast.Name)]
        assigned = [node for node in ast.walk(function) if isinstance(node, ast.Assign)]
        of_sets = {target.id for node in assigned for target in node.targets if isinstance(target, ast.Name) and _is_set(node.value)}
        others = {target.id for node in assigned for target in node.targets if isinstance(target, ast.Name) and not _is_set(node.value)}
        yield from (name for name in names if name.id in of_sets - others)


def _expressions(tree: ast.AST, around: frozenset[str] = frozenset()) -> Iterator[tuple[ast.AST, frozenset[str]]]:
    """Everything, with the names of the calls that it stands in as an argument (of a set's comprehension: `set`), in its statement."""
    for node in ast.iter_child_nodes(tree):
        inside = frozenset() if isinstance(node, ast.stmt) else around
        yield node, inside
        own = {called(node)} if isinstance(node, ast.Call) else {"set"} if isinstance(node, ast.SetComp) else set()
        yield from _expressions(node, inside | own)


def _only_read_in_order(tree: ast.Module) -> set[ast.AST]:
    """Calls whose result gets a name that its function reads inside `sorted` and the like, and nowhere else."""
    excused: set[ast.AST] = set()
    for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
        nodes = dict(_expressions(function))
        reads = [(node.id, around) for node, around in nodes.items() if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)]
        for node in nodes:
            named = [(target, node.value) for target in node.targets] if isinstance(node, ast.Assign) else []
            named += (
                [(one.optional_vars, one.context_expr) for one in node.items if one.optional_vars] if isinstance(node, ast.With) else []
            )
            for target, value in named:
                if isinstance(target, ast.Name) and all(around & ORDERLESS for name, around in reads if name == target.id):
                    excused |= {inner for inner in ast.walk(value) if isinstance(inner, ast.Call)}
    return excused


def test_the_core_is_pure(house: House) -> None:
    """Below the store nothing opens a file, knows a path, prints or asks the machine."""
    assert not (wrong := impure(house)), "\n".join(wrong)


def test_nothing_is_left_to_chance(house: House) -> None:
    """No `hash()`, no generator that no record seeds, no folder read in the order of the disk, no set in that of its hashes."""
    assert not (wrong := by_chance(house)), "\n".join(wrong)


STEP = "recipes/lambada/steps/passages.py"


@pytest.mark.parametrize(
    "text",
    [
        "def passages(path):\n    return path.read_text()",
        "def vectors(path):\n    return np.load(path)",
        "def vectors(path):\n    return np.memmap(path)",
        "def vectors(path):\n    return np.fromfile(path)",
        "def rows(path):\n    return pq.read_table(path)",
        "def day(date):\n    return date.today()",
        "from datetime import date",
        "import importlib.resources",
        "import subprocess",
    ],
)
def test_the_world_is_found(text: str, tmp_path: Path) -> None:
    """Whatever opens, reads a clock or runs something, in a step that the law has never heard of."""
    assert len(impure(built(tmp_path, {STEP: text}))) == 1


@pytest.mark.parametrize(
    "text",
    [
        "import random",
        "from numpy.random import shuffle",
        "from numpy import random",
        "np.random.shuffle(books)",
        "draw = np.random.choice",
        "np.random.permutation(5)",
        "rng = np.random.default_rng(5)",
        "key = hash(book)",
        "def books(folder):\n    return [path for path in folder.iterdir()]",
        "def books(folder):\n    found = os.listdir(folder)\n    print(len(found))\n    return found",
        "def books(folder):\n    return Counter(os.listdir(folder))",
        "for word in set(words):\n    print(word)",
        "for word in {*first, *second}:\n    print(word)",
        "for word in set(first) - set(second):\n    print(word)",
        "kept = [word for word in {fold(word) for word in words}]",
        "kept = {word: 0 for word in frozenset(words)}",
        "kept = list(set(words))",
        "line = ' '.join(set(words))",
        "def kept(words):\n    found = set(words)\n    return [fold(word) for word in found]",
    ],
)
def test_chance_is_found(text: str, tmp_path: Path) -> None:
    """A generator of no record, a folder in the order of the disk, a set in the order of its hashes."""
    assert len(by_chance(built(tmp_path, {"stages/corpus/books.py": text}))) == 1


@pytest.mark.parametrize(
    "text",
    [
        "def books(folder):\n    found = os.listdir(folder)\n    print(len(found))\n    return sorted(found)",
        "n = len(list(folder.iterdir()))",
        "def draw(rng: np.random.Generator): ...",
        "for word in sorted(set(words)):\n    print(word)",
        "n = sum(len(word) for word in set(words))",
        "kept = {fold(word) for word in set(words)}",
        "found = word in set(words)",
        "def kept(words):\n    found = set(words)\n    found = sorted(found)\n    return [fold(word) for word in found]",
    ],
)
def test_order_that_is_no_chance_is_let_be(text: str, tmp_path: Path) -> None:
    """What is sorted, or counted, or gone through for a set, may come in any order."""
    assert by_chance(built(tmp_path, {"stages/corpus/books.py": text})) == []
