"""The floors of the house and the arrows between them; what each room may know of the world."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.architecture.conftest import RECIPES, ROOT, House, Source, called, imports, read_house

# From the bottom up: a room imports from floors below its own, and from itself. `*` is any wing, so a new one needs no line here.
GROUND = ("records", "rng", "errors", "words", "notation", "settings", "columns", "interrupts")
FLOORS = (
    GROUND,
    ("english",),
    ("text", "stats", "lm"),
    ("formats", "evaluate", "recipes/questions", "recipes/*/steps"),
    ("store", "adapters", "config"),
    ("engine", "endings"),
    ("report",),
    ("stages",),
    ("recipes/*/stages",),
    ("recipes/*",),  # what a wing's `Style` is made of: its release files, its trace, its paper's table
    ("pipelines",),
    ("commands",),
    ("cli",),
    ("__main__",),
)
FLOOR_OF = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}
# Rooms that look less far down than their floor would let them; a paper's steps may use what all papers share of their last step.
NARROW = {
    "store": set(GROUND) - {"interrupts"},
    "config": set(GROUND) - {"interrupts"},
    "interrupts": set(),
    "adapters": {*GROUND, "english", "text", "stats", "lm"},
    "recipes/questions": {*GROUND, "english", "text", "stats", "lm"},
    "recipes/*/steps": {*GROUND, "english", "text", "stats", "lm", "recipes/questions"},
}
LISTENERS = {"adapters", "engine", "endings", "commands", "cli", "__main__"}  # who may ask whether Ctrl-C has come
# A wing is known to its own DAG file. Who else names one says why.
KNOWS_A_WING = {
    "commands.rank": "`corpus rank` is the book choice of SCS over any folder, without a run",
}
PURE = {*GROUND, *FLOORS[1], *FLOORS[2], *FLOORS[3]} - {"interrupts"}
OUTSIDE = {"pathlib", "os", "sys", "io", "shutil", "tempfile", "logging", "tqdm", "time", "threading", "socket", "urllib"}
OPENERS = {"open", "read_text", "read_bytes", "write_text", "write_bytes", "unlink", "mkdir", "iterdir", "glob", "rglob", "print", "input"}
# Only these libraries are big, or hostile, enough to have a room.
ONE_ROOM = {
    "luigi": "pipelines",
    "spacy": "adapters",
    "kenlm": "adapters",
    "lemminflect": "adapters",
    "torch": "adapters",
    "subprocess": "adapters",
    "distributed": "engine",
    "matplotlib": "report",
    "jinja2": "report",
}
LISTINGS = {"iterdir", "glob", "rglob", "listdir", "scandir"}
ORDERLESS = {"sorted", "any", "all", "sum", "len", "set", "frozenset", "max", "min", "Counter"}
GENERATORS = {"default_rng", "RandomState", "PCG64"}


def far_imports(house: House) -> list[str]:
    """Arrows that point up or sideways between rooms."""
    wrong = []
    for source, other, written in _arrows(house):
        if source.room == other.room and source.wing == other.wing:
            continue
        narrow = NARROW.get(source.room)
        below = FLOOR_OF.get(other.room, 99) < FLOOR_OF.get(source.room, -1) if narrow is None else other.room in narrow
        if not below or (other.room == "interrupts" and source.room not in LISTENERS):
            wrong.append(f"{_place(source)} imports {written}")
    return wrong


def crossing_wings(house: House) -> list[str]:
    """A wing imports itself and what lies below all wings; the shared rooms know nothing of recipes; a wing's DAG file alone knows it."""
    wrong = []
    for source, other, written in _arrows(house):
        own_dag = source.room == "pipelines" and source.name.endswith("_style")
        far = other.wing != source.wing if other.wing else other.parts[0] == RECIPES and source.parts[0] != RECIPES
        if far and not own_dag and source.name not in KNOWS_A_WING:
            wrong.append(f"{_place(source)} imports {written}")
    return wrong


def dags_of_two_wings(house: House) -> list[str]:
    dags = [source.name for source in house if source.room == "pipelines"]
    wings = {name: {house.sources[other].wing for other in house.arrows[name]} - {""} for name in dags}
    return [f"{name}: {', '.join(sorted(found))}" for name, found in wings.items() if len(found) > 1]


def deep_steps(house: House) -> list[str]:
    """A step is read with at most one other: one that it composes, which then imports no step itself."""
    steps = {source.name: source for source in house if source.room == "recipes/*/steps"}
    of = {name: {other for other in house.arrows[name] if other in steps} - {name, ".".join(steps[name].folder)} for name in steps}
    return [
        f"{name} imports {other}, which imports {', '.join(sorted(of[other]))}" for name in of for other in sorted(of[name]) if of[other]
    ]


def big_libraries(house: House) -> list[str]:
    wrong = []
    for source in house:
        found = {name.split(".")[0] for name in imports(source.tree)}
        wrong += [f"{_place(source)}: {name}" for name in sorted(found & set(ONE_ROOM)) if source.room != ONE_ROOM[name]]
    return wrong


def impure(house: House) -> list[str]:
    """Below the store nothing opens a file, knows a path, prints or asks the machine."""
    wrong = []
    for source in house:
        if source.room in PURE:
            names = {name.split(".")[0] for name in imports(source.tree)} & OUTSIDE
            calls = {called(node) for node in ast.walk(source.tree) if isinstance(node, ast.Call)} & OPENERS
            wrong += [f"{_place(source)}: {name}" for name in sorted(names | calls)]
    return wrong


def by_chance(house: House) -> list[str]:
    """`hash()`, a global generator, a generator that no record seeds, a folder's entries in the order of the disk."""
    wrong = []
    for source in house:
        if "random" in {name.split(".")[0] for name in imports(source.tree)}:
            wrong.append(f"{_place(source)}: random")
        put_in_order = set(_sorted_later(source.tree))
        for call, around in _calls(source.tree):
            name, written = called(call), ast.unparse(call.func)
            if written == "hash" or written.startswith(("np.random.seed", "np.random.rand")):
                wrong.append(f"{_place(source)}:{call.lineno}: {written}")
            if name in GENERATORS and source.name != "rng":
                wrong.append(f"{_place(source)}:{call.lineno}: {written}, a generator that `rng` did not derive")
            if name in LISTINGS and not around & ORDERLESS and call not in put_in_order:
                wrong.append(f"{_place(source)}:{call.lineno}: {written} in the order of the disk")
    return wrong


def _arrows(house: House) -> Iterator[tuple[Source, Source, str]]:
    for source in house:
        for other, written in house.arrows[source.name].items():
            yield source, house.sources[other], written


def _calls(tree: ast.AST, around: frozenset[str] = frozenset()) -> Iterator[tuple[ast.Call, frozenset[str]]]:
    """Every call with the names of the calls that it stands in as an argument, before the statement ends."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Call):
            yield node, around
            yield from _calls(node, around | {called(node)})
        else:
            yield from _calls(node, frozenset() if isinstance(node, ast.stmt) else around)


def _sorted_later(tree: ast.Module) -> Iterator[ast.Call]:
    """Calls whose result gets a name that an ordering call of the same function reads: `found = folder.glob(...); return sorted(found)`."""
    for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
        nodes = list(ast.walk(function))
        ordering = [node for node in nodes if isinstance(node, ast.Call) and called(node) in ORDERLESS]
        ordered = {inner.id for call in ordering for inner in ast.walk(call) if isinstance(inner, ast.Name)}
        for node in nodes:
            named = [(target, node.value) for target in node.targets] if isinstance(node, ast.Assign) else []
            named += (
                [(item.optional_vars, item.context_expr) for item in node.items if item.optional_vars] if isinstance(node, ast.With) else []
            )
            for target, value in named:
                if isinstance(target, ast.Name) and target.id in ordered:
                    yield from (inner for inner in ast.walk(value) if isinstance(inner, ast.Call))


def _place(source: Source) -> str:
    return source.path.as_posix().removeprefix(f"{ROOT.as_posix()}/")


def test_every_room_has_a_floor(house: House) -> None:
    """A new room below `src/cloze_gen/` must be given its floor here; a new wing has one already. What only groups rooms holds no code."""
    assert {source.room for source in house if len(source.tree.body) > 1} <= set(FLOOR_OF)


def test_arrows_point_down(house: House) -> None:
    """A room imports from floors below its own; rooms of one floor do not import each other."""
    assert not (wrong := far_imports(house)), "\n".join(wrong)


def test_wings_stand_apart(house: House) -> None:
    """No wing imports another, and no shared room imports a wing: what recipes share knows none of them."""
    assert not (wrong := crossing_wings(house)), "\n".join(wrong)


def test_a_dag_knows_one_wing(house: House) -> None:
    """A DAG file imports one paper's wing."""
    assert not (wrong := dags_of_two_wings(house)), "\n".join(wrong)


def test_steps_are_two_deep(house: House) -> None:
    """A step imports another of its wing only where that one imports none."""
    assert not (wrong := deep_steps(house)), "\n".join(wrong)


def test_big_libraries_have_one_room(house: House) -> None:
    """Luigi is known to `pipelines/` alone, spaCy, KenLM, torch and outside programs to `adapters/`."""
    assert not (wrong := big_libraries(house)), "\n".join(wrong)


def test_the_core_is_pure(house: House) -> None:
    """Below the store nothing opens a file, knows a path, prints or asks the machine."""
    assert not (wrong := impure(house)), "\n".join(wrong)


def test_nothing_is_left_to_chance(house: House) -> None:
    """No `hash()`, no generator that no record seeds, no folder read in the order of the disk."""
    assert not (wrong := by_chance(house)), "\n".join(wrong)


def test_who_knows_a_wing_still_does(house: House) -> None:
    """The short list names no file that has stopped knowing one."""
    assert {name for name in KNOWS_A_WING if not any(house.sources[other].wing for other in house.arrows.get(name, ()))} == set()


def test_a_new_wing_needs_no_line(tmp_path: Path) -> None:
    """A third paper beside the house, with steps, stages, what its `Style` is made of and its DAG: known rooms, and no breach."""
    own = "from cloze_gen.recipes.lambada"
    files = {
        "recipes/lambada/steps/passages.py": f"{own}.steps import partition\nfrom cloze_gen.recipes.questions import assemble",
        "recipes/lambada/steps/partition.py": "from cloze_gen.text import tokens",
        "recipes/lambada/stages/passages.py": f"{own}.steps import passages\nfrom cloze_gen.stages import room",
        "recipes/lambada/trace.py": f"{own}.stages import passages",
        "../../pipelines/lambada_style.py": f"import luigi\n{own}.stages import passages\n{own} import trace",
        **dict.fromkeys(("recipes/questions/assemble.py", "text/tokens.py", "stages/room.py"), ""),
    }
    house = built(tmp_path, files)
    assert {source.room for source in house} <= set(FLOOR_OF)
    assert sum(len(arrows) for arrows in house.arrows.values()) == 8
    assert [breach for law in BROKEN for breach in law(house)] == []


def built(root: Path, files: Mapping[str, str]) -> House:
    """A house of these files."""
    for name, text in files.items():
        file = (root / "src" / "cloze_gen" / name).resolve()
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return read_house(root)


BROKEN = {
    far_imports: {"store/files.py": "from cloze_gen.text import tokens", "text/tokens.py": ""},
    crossing_wings: {
        "recipes/lambada/steps/passages.py": "from cloze_gen.recipes.msr.steps import focus",
        "recipes/msr/steps/focus.py": "",
    },
    dags_of_two_wings: {
        "../../pipelines/lambada_style.py": "import cloze_gen.recipes.msr.steps.a\nimport cloze_gen.recipes.lambada.steps.b",
        "recipes/msr/steps/a.py": "",
        "recipes/lambada/steps/b.py": "",
    },
    deep_steps: {
        "recipes/lambada/steps/a.py": "from cloze_gen.recipes.lambada.steps.b import one",
        "recipes/lambada/steps/b.py": "from cloze_gen.recipes.lambada.steps import c",
        "recipes/lambada/steps/c.py": "",
    },
    big_libraries: {"recipes/lambada/stages/passages.py": "import luigi"},
    impure: {"recipes/lambada/steps/passages.py": "def passages(path):\n    return path.read_text()"},
    by_chance: {"stages/corpus/books.py": "def books(folder):\n    return [path for path in folder.iterdir()]"},
}


@pytest.mark.parametrize("law", BROKEN, ids=lambda law: law.__name__)
def test_a_breach_is_found(law, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    """Each law finds the breach that it is there for, in a wing that it has never heard of."""
    assert len(law(built(tmp_path, BROKEN[law]))) == 1
