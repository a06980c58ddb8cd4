"""The floors of the house and the arrows between them; which libraries have a room."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator
from pathlib import Path

import pytest

from tests.architecture.conftest import RECIPES, SHARED, House, Source, built, imports, place

# From the bottom up: a room imports from floors below its own, and from itself. `*` is any wing, SHARED any other folder of `recipes/`, so
# that a new one needs no line here.
GROUND = ("records", "rng", "errors", "words", "notation", "settings", "columns", "interrupts")
FLOORS = (
    GROUND,
    ("english",),
    ("text", "stats", "lm", "judging"),
    ("networks",),
    ("formats", "evaluate", SHARED, "recipes/*/steps"),
    ("store", "adapters", "config"),
    ("engine", "endings"),
    ("report", "studies"),
    ("stages",),
    ("recipes/*/stages",),
    ("recipes/*",),  # what a wing's `Style` is made of: its release files, its trace, its paper's table
    ("pipelines",),
    ("web",),
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
    "networks": {*GROUND, "text"},
    "adapters": {*GROUND, "english", "text", "stats", "lm"},
    SHARED: {*GROUND, "english", "text", "stats", "lm"},
    "recipes/*/steps": {*GROUND, "english", "text", "stats", "lm", "judging", SHARED},
}
DAG = "_style"  # how the file of a DAG ends
LISTENERS = {"adapters", "engine", "endings", "commands", "cli", "__main__"}  # who may ask whether Ctrl-C has come
# A wing is known to its own DAG file. Who else names one says why.
KNOWS_A_WING = {
    "commands.clean_exams": "the cleaning of SCDE over a file of examinations, without a run",
    "commands.rank": "`corpus rank` is the book choice of SCS over any folder, without a run",
}
# Only these libraries are big, or hostile, enough to have a room.
ONE_ROOM = {
    "luigi": "pipelines",
    "spacy": "adapters",
    "kenlm": "adapters",
    "lemminflect": "adapters",
    "torch": "adapters",
    "transformers": "adapters",
    "subprocess": "adapters",
    "distributed": "engine",
    "matplotlib": "report",
    "sqlite3": "store",
    "starlette": "web",
    "uvicorn": "web",
}


def far_imports(house: House) -> list[str]:
    """Arrows that point up or sideways between rooms."""
    wrong = []
    for source, other, written in _arrows(house):
        if source.room == other.room and source.recipe == other.recipe:
            continue
        narrow = NARROW.get(source.room)
        below = FLOOR_OF.get(other.room, 99) < FLOOR_OF.get(source.room, -1) if narrow is None else other.room in narrow
        if not below or (other.room == "interrupts" and source.room not in LISTENERS):
            wrong.append(f"{place(source)} imports {written}")
    return wrong


def crossing_wings(house: House) -> list[str]:
    """A wing imports itself and what lies below all wings; the shared rooms know nothing of recipes; a wing's DAG alone knows it.

    A DAG is a file `pipelines/NAME_style.py`, and where it is long other files `NAME_*.py` that only it knows. A module that is named in a
    string, for `import_module`, is known too. Whoever knows a DAG file knows its wing.
    """
    wrong = []
    dags = {source.parts[-1].removesuffix(DAG) for source in house if source.room == "pipelines" and source.name.endswith(DAG)}
    for source in house:
        own_dag = _dag_of(source.parts[-1], dags) if source.room == "pipelines" else ""
        for name in _told_or_imported(source) if source.name not in KNOWS_A_WING else ():
            _, room, folder, *_ = [*name.split("."), "", ""]
            own = source.parts[0] == RECIPES and (folder == source.recipe or (folder and folder not in house.wings))
            recipe = room == RECIPES and not own and not own_dag
            dag = room == "pipelines" and _dag_of(folder, dags) not in {"", own_dag}
            wrong += [f"{place(source)} imports {name}"] if recipe or dag else []
    return wrong


def _dag_of(module: str, dags: Collection[str]) -> str:
    """The DAG that a file of `pipelines/` is of: ``lambada`` of `lambada_style` and `lambada_passages`; empty: of none."""
    return next((name for name in sorted(dags) if module.startswith(f"{name}_")), "")


def _told_or_imported(source: Source) -> list[str]:
    """Names of modules of ours, imported or told to `import_module`."""
    nodes = ast.walk(source.tree)
    texts = [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    names = [*imports(source.tree), *(text for text in texts if re.match(r"cloze_gen\.(recipes|pipelines)\.", text))]
    return [name for name in dict.fromkeys(names) if name.split(".")[0] == "cloze_gen"]


def dags_of_two_wings(house: House) -> list[str]:
    dags = [source.name for source in house if source.room == "pipelines"]
    wings = {
        name: {part for told in _told_or_imported(house.sources[name]) for part in told.split(".")[2:3]} & house.wings for name in dags
    }
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
        wrong += [f"{place(source)}: {name}" for name in sorted(found & set(ONE_ROOM)) if source.room != ONE_ROOM[name]]
    return wrong


def _arrows(house: House) -> Iterator[tuple[Source, Source, str]]:
    for source in house:
        for other, written in house.arrows[source.name].items():
            yield source, house.sources[other], written


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
    assert [breach for law in LAWS for breach in law(house)] == []


def test_what_recipes_share_needs_no_line(tmp_path: Path) -> None:
    """A second folder of what recipes share has the floor of the first, and neither imports the other."""
    files = {
        "recipes/passages/cut.py": "from cloze_gen.text import tokens",
        "recipes/lambada/steps/passages.py": "from cloze_gen.recipes.passages import cut",
        "text/tokens.py": "",
    }
    house = built(tmp_path, files)
    assert {source.room for source in house} <= set(FLOOR_OF)
    assert [breach for law in LAWS for breach in law(house)] == []
    sideways = built(tmp_path, {"recipes/questions/assemble.py": "from cloze_gen.recipes.passages import cut"})
    assert len(far_imports(sideways)) == 1
    above = built(tmp_path, {"recipes/questions/assemble.py": "from cloze_gen.stages import room", "stages/room.py": ""})
    assert len(far_imports(above)) == 1


LAWS = (far_imports, crossing_wings, dags_of_two_wings, deep_steps, big_libraries)
STEP, DAG_FILE = "recipes/lambada/steps/passages.py", "../../pipelines/lambada_style.py"
BROKEN = [
    (far_imports, {"store/files.py": "from cloze_gen.text import tokens", "text/tokens.py": ""}),
    (crossing_wings, {STEP: "from cloze_gen.recipes.msr.steps import focus", "recipes/msr/steps/focus.py": ""}),
    (crossing_wings, {"commands/x.py": "from cloze_gen.pipelines.lambada_style import STYLE", DAG_FILE: ""}),
    (crossing_wings, {"commands/x.py": "import importlib\nx = importlib.import_module('cloze_gen.pipelines.lambada_style')", DAG_FILE: ""}),
    (crossing_wings, {"stages/x.py": "import importlib\nx = importlib.import_module(f'cloze_gen.recipes.{paper}.trace')"}),
    (crossing_wings, {STEP: "x = import_module('cloze_gen.recipes.msr.steps.focus')", "recipes/msr/steps/focus.py": ""}),
    (crossing_wings, {DAG_FILE: "from cloze_gen.pipelines import holmes_style", "../../pipelines/holmes_style.py": ""}),
    (
        dags_of_two_wings,
        {
            DAG_FILE: "import cloze_gen.recipes.msr.steps.a\nimport cloze_gen.recipes.lambada.steps.b",
            "recipes/msr/steps/a.py": "",
            "recipes/lambada/steps/b.py": "",
        },
    ),
    (
        dags_of_two_wings,
        {
            DAG_FILE: "import cloze_gen.recipes.lambada.steps.b\nx = import_module('cloze_gen.recipes.msr.steps.a')",
            "recipes/msr/steps/a.py": "",
            "recipes/lambada/steps/b.py": "",
        },
    ),
    (
        deep_steps,
        {
            "recipes/lambada/steps/a.py": "from cloze_gen.recipes.lambada.steps.b import one",
            "recipes/lambada/steps/b.py": "from cloze_gen.recipes.lambada.steps import c",
            "recipes/lambada/steps/c.py": "",
        },
    ),
    (big_libraries, {"recipes/lambada/stages/passages.py": "import luigi"}),
]


@pytest.mark.parametrize(
    ("law", "files"), BROKEN, ids=lambda value: getattr(value, "__name__", next(iter(value.values())) if isinstance(value, dict) else "")
)
def test_a_breach_is_found(law, files: dict[str, str], tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    """Each law finds the breach that it is there for, in a wing that it has never heard of."""
    assert len(law(built(tmp_path, files))) == 1
