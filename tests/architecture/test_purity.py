"""Which code opens files or reads a clock, and that no result depends on chance or on an order."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from tests.architecture.conftest import Module, Project, built, called, imports

# These packages open nothing at all.
CLOSED = set(
    "errors parsing json_lines records rng word_tokens settings text_layout english formats".split()
)
SYSTEM = set(
    "os sys pathlib io shutil tempfile logging tqdm threading subprocess socket urllib importlib"
    " pkgutil".split()
)
OPENERS = set(
    "open read_text read_bytes write_text write_bytes unlink mkdir iterdir glob rglob print input"
    " load save memmap fromfile tofile read_table read_parquet".split()
)
# In these packages a function opens files only if a parameter is a file or holds one.
STEPS = {"corpus", "models", "evaluation"}  # and all of `recipes/`
STEP_OPENERS = OPENERS | set(
    "Path open_artifact open_index read_regular_text read_json read_jsonl read_tsv write_json"
    " write_jsonl write_parquet write_tsv".split()
)
STEP_SYSTEM = {"pathlib", "shutil", "sys", "importlib", "io", "threading"}
FILES = {"Artifact", "ArtifactWriter", "FinishedRun", "Path", "Room", "Store", "Traced"}
NAMES_OF_FILES = {"file", "folder", "path"}
OPEN_ANYWAY = {
    "corpus.offensive_words.offensive_words: read_regular_text": "a setting names the file",
    "corpus.ocr._known_words: load": "words that come with the package",
    "corpus.folder: os": "it walks a user's folder of books",
    "corpus.scan: os": "it compares a user's folder with a manifest",
    "corpus.readers.archive: os": "it copies the descriptor of an open zip file",
    "corpus.readers.archive._read_member: open": "an entry of an archive that is open",
    "corpus.readers.archive._tar_entries: open": "an archive in an open file",
    "corpus.location: os": "a path that exists is no pattern",
    "corpus.readers.rows: os": "it keeps the open file of a table",
    "corpus.readers.epub: urllib": "references in an EPUB are URLs; it unquotes them",
    "corpus.readers.epub._Archive.read: open": "an entry of an archive in memory",
}
# Clocks and secrets; only these packages may use them, and the modules below.
CLOCKS = {"time", "datetime", "secrets", "uuid"}
TIMED = {"interrupts", "store", "adapters", "engine", "judging", "judging.web"}
CLOCKS_ANYWAY = {
    "cli.contamination: secrets": "it draws the nonce of a canary, which no run reads",
    "release.settings: datetime": "it checks a date that a user writes; it reads no clock",
    "release.signature: uuid": "uuid5 is a hash of the signature",
}

LISTINGS = {"iterdir", "glob", "rglob", "listdir", "scandir"}
SETS = {"set", "frozenset"}
OF_SETS = {"union", "intersection", "difference", "symmetric_difference"}
ORDERLESS = {"sorted", "any", "all", "sum", "len", "max", "min"}  # any order gives one result
IN_ORDER = set("list tuple enumerate iter next zip map filter join array Counter fromkeys".split())


def opened_below(project: Project) -> list[str]:
    """What CLOSED packages know of the system, and what they open or print."""
    return [
        f"{module.name}: {name}"
        for module in project
        if module.package in CLOSED
        for name in sorted(_heads(module) & SYSTEM | _calls(module.tree) & OPENERS)
    ]


def opened_by_steps(project: Project) -> list[str]:
    """Functions of STEPS that open something without a file among their parameters."""
    steps = [one for one in project if one.package in STEPS or one.name.startswith("recipes.")]
    holders, wrong = _holders(steps), []
    for module in steps:
        wrong += [f"{module.name}: {one}" for one in sorted(_heads(module) & SYSTEM - STEP_SYSTEM)]
        for name, function in _functions(module.tree):
            given = {name.split(".")[0]} | _parameters(function)
            if not given & (holders | NAMES_OF_FILES):
                opened = sorted(_calls(function) & STEP_OPENERS)
                wrong += [f"{module.name}.{name}: {opener}" for opener in opened]
    return wrong


def _heads(module: Module) -> set[str]:
    return {name.split(".")[0] for name in imports(module.tree)}


def _calls(tree: ast.AST) -> set[str]:
    return {called(node) for node in ast.walk(tree)}


def _functions(
    tree: ast.Module | ast.ClassDef, owner: str = ""
) -> Iterator[tuple[str, ast.FunctionDef]]:
    """Functions and methods with their qualified names; inner functions are part of them."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield f"{owner}{node.name}", node
        elif isinstance(node, ast.ClassDef):
            yield from _functions(node, f"{node.name}.")


def _parameters(function: ast.FunctionDef) -> set[str]:
    """Names of a function's parameters, and all names in their annotations."""
    found: set[str] = set()
    for one in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs):
        found |= {one.arg} | (_names(one.annotation) if one.annotation else set())
    return found


def _holders(modules: list[Module]) -> set[str]:
    """FILES, and the classes that hold one, in a field or as a parameter of `__init__`."""
    parts: dict[str, set[str]] = {}
    for node in (one for module in modules for one in module.tree.body):
        if isinstance(node, ast.ClassDef):
            own = parts.setdefault(node.name, set())
            for inner in node.body:
                if isinstance(inner, ast.AnnAssign):
                    own |= _names(inner.annotation)
                elif isinstance(inner, ast.FunctionDef) and inner.name == "__init__":
                    own |= _parameters(inner)
    found = FILES
    while more := {name for name, own in parts.items() if own & found} - found:
        found = found | more
    return found


def _names(node: ast.expr) -> set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}


def clocks(project: Project) -> list[str]:
    """Imports of a clock or of secrets outside of TIMED."""
    return [
        f"{module.name}: {name}"
        for module in project
        if module.package not in TIMED
        for name in sorted(_heads(module) & CLOCKS)
    ]


def unseeded(project: Project) -> list[str]:
    """`hash()`, and generators that `rng` did not derive."""
    wrong = []
    for module in project:
        wrong += [
            f"{module.name}: {name}"
            for name in imports(module.tree)
            if f"{name}.".startswith(("random.", "numpy.random."))
        ]
        for node in ast.walk(module.tree):
            drawn = (
                isinstance(node, ast.Attribute)
                and ast.unparse(node.value) in {"np.random", "numpy.random"}
                and node.attr != "Generator"  # the type of a parameter
                and module.name != "rng"
            )
            hashed = isinstance(node, ast.Call) and ast.unparse(node.func) == "hash"
            if isinstance(node, ast.expr) and (drawn or hashed):
                wrong.append(f"{module.name}:{node.lineno}: {ast.unparse(node)}")
    return wrong


def unordered(project: Project) -> list[str]:
    """A folder read in the order of the disk, a set in the order of its hashes."""
    wrong = []
    for module in project:
        parents = {
            child: node for node in ast.walk(module.tree) for child in ast.iter_child_nodes(node)
        }
        sets, listings = _named(module.tree, parents)
        for node in parents:
            listed = called(node) in LISTINGS and node not in listings
            gone_through = [one for one in _in_order(node) if _is_set(one) or one in sets]
            if listed or gone_through:
                around = _around(node, parents)
                if not around & ORDERLESS and (listed or not around & SETS):
                    found = node if listed else gone_through[0]
                    wrong.append(f"{module.name}:{found.lineno}: {ast.unparse(found)}")  # type: ignore[attr-defined]
    return wrong


def _in_order(node: ast.AST) -> list[ast.expr]:
    """Expressions whose order gets into a result: of `for`, a comprehension, `list(...)`."""
    if isinstance(node, ast.For):
        return [node.iter]
    if isinstance(node, ast.ListComp | ast.GeneratorExp | ast.DictComp):
        return [one.iter for one in node.generators]
    return node.args if isinstance(node, ast.Call) and called(node) in IN_ORDER else []


def _is_set(node: ast.AST) -> bool:
    if isinstance(node, ast.BinOp):
        of_sets = isinstance(node.op, ast.BitOr | ast.BitAnd | ast.Sub | ast.BitXor)
        return of_sets and (_is_set(node.left) or _is_set(node.right))
    return isinstance(node, ast.Set | ast.SetComp) or called(node) in SETS | OF_SETS


def _around(node: ast.AST, parents: Mapping[ast.AST, ast.AST]) -> set[str]:
    """The calls of whose arguments a node is part, within its statement; `set` for `{... for}`."""
    found = set()
    while not isinstance(node, ast.stmt) and node in parents:
        node = parents[node]
        found |= {"set"} if isinstance(node, ast.SetComp) else {called(node)}
    return found


def _named(
    tree: ast.Module, parents: Mapping[ast.AST, ast.AST]
) -> tuple[set[ast.AST], set[ast.AST]]:
    """Names that are always sets in their function; calls whose named results are only read inside
    `sorted` and the like.
    """
    sets: set[ast.AST] = set()
    ordered: set[ast.AST] = set()
    for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
        values: dict[str, list[ast.expr]] = {}
        reads: dict[str, list[ast.AST]] = {}
        for node in ast.walk(function):
            pairs: list[tuple[ast.expr | None, ast.expr]] = []
            if isinstance(node, ast.Assign):
                pairs = [(target, node.value) for target in node.targets]
            elif isinstance(node, ast.With):
                pairs = [(one.optional_vars, one.context_expr) for one in node.items]
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                reads.setdefault(node.id, []).append(node)
            for target, value in pairs:
                if isinstance(target, ast.Name):
                    values.setdefault(target.id, []).append(value)
        for name, given in values.items():
            own = reads.get(name, [])
            if all(_is_set(value) for value in given):
                sets.update(own)
            calls = [one for value in given for one in ast.walk(value) if called(one) in LISTINGS]
            if calls and all(_around(read, parents) & ORDERLESS for read in own):
                ordered.update(calls)
    return sets, ordered


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rule", "exceptions"),
    [
        (opened_below, {}),
        (opened_by_steps, OPEN_ANYWAY),
        (clocks, CLOCKS_ANYWAY),
        (unseeded, {}),
        (unordered, {}),
    ],
)
def test_the_code_follows_the_rule(
    rule: Callable[[Project], list[str]], exceptions: Mapping[str, str], project: Project
) -> None:
    """Nothing but the listed exceptions, each of which is needed, breaks a rule."""
    assert set(wrong := rule(project)) == set(exceptions), "\n".join(wrong)


STEP = "recipes/new/trace.py"
BROKEN: list[tuple[Callable[[Project], list[str]], str, str]] = [
    (opened_below, "english/a.py", "def f(path):\n    return path.read_text()"),
    (opened_below, "formats/a.py", "def f(path):\n    return np.load(path)"),
    (opened_below, "word_tokens.py", "def f(word):\n    print(word)"),
    (opened_below, "records/a.py", "import importlib.resources"),
    (opened_by_steps, STEP, "def f(name: str):\n    return Path(name)"),
    (opened_by_steps, "models/a.py", "def f(rows):\n    return read_parquet(rows)"),
    (
        opened_by_steps,
        "evaluation/a.py",
        "class A:\n    name: str\n    def f(self):\n        return read_tsv(self.name)",
    ),
    (opened_by_steps, "corpus/a.py", "import os"),
    (clocks, STEP, "from datetime import date"),
    (clocks, "release/a.py", "def f():\n    import time"),
    (unseeded, STEP, "import random"),
    (unseeded, STEP, "from numpy.random import shuffle"),
    (unseeded, STEP, "from numpy import random"),
    (unseeded, STEP, "np.random.shuffle(books)"),
    (unseeded, STEP, "rng = np.random.default_rng(5)"),
    (unseeded, STEP, "key = hash(book)"),
    (unordered, STEP, "def f(folder):\n    return [path for path in folder.iterdir()]"),
    (
        unordered,
        STEP,
        "def f(at):\n    found = os.listdir(at)\n    print(len(found))\n    return found",
    ),
    (unordered, STEP, "def f(folder):\n    return Counter(os.listdir(folder))"),
    (unordered, STEP, "for word in {*first, *second}:\n    print(word)"),
    (unordered, STEP, "for word in set(first) - set(second):\n    print(word)"),
    (unordered, STEP, "kept = [word for word in {fold(word) for word in words}]"),
    (unordered, STEP, "kept = {word: 0 for word in frozenset(words)}"),
    (unordered, STEP, "line = ' '.join(set(words))"),
    (
        unordered,
        STEP,
        "def f(words):\n    found = set(words)\n    return [fold(it) for it in found]",
    ),
]


@pytest.mark.parametrize(("rule", "file", "text"), BROKEN)
def test_a_broken_rule_is_found(
    rule: Callable[[Project], list[str]], file: str, text: str, tmp_path: Path
) -> None:
    """Once, by the rule that is there for it."""
    assert len(rule(built(tmp_path, {file: text}))) == 1


@pytest.mark.parametrize(
    "text",
    [
        "def f(path):\n    return open(path)",
        "def f(*, counts: Artifact | None):\n    return read_parquet(counts)",
        "class A:\n    out: Path\nclass B:\n    all: list[A]\ndef f(it: B):\n    write_tsv(it)",
        "class A:\n    def __init__(self, made: Artifact): ...\n    def f(self):\n        open()",
        "def f(folder):\n    found = os.listdir(folder)\n    return sorted(found)",
        "def f(folder):\n    return len(list(folder.iterdir()))",
        "def f(rng: np.random.Generator): ...",
        "for word in sorted(set(words)):\n    print(word)",
        "n = sum(len(word) for word in set(words))",
        "kept = {fold(word) for word in set(words)}",
        "found = word in set(words)",
        "def f(words):\n    found = set(words)\n    found = sorted(found)\n    return list(found)",
    ],
)
def test_what_keeps_the_rules_is_not_found(text: str, tmp_path: Path) -> None:
    """Functions that open what they are given; orders that do not reach a result."""
    project = built(tmp_path, {STEP: text})
    assert opened_by_steps(project) + unseeded(project) + unordered(project) == []
