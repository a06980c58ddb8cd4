"""Imports: their direction, who may import recipes and libraries, and that they exist."""

from __future__ import annotations

import ast
import graphlib
import re
import shutil
import subprocess
from collections.abc import Callable, Iterable, Iterator, Set
from pathlib import Path

import pytest

import cloze_gen
from tests.architecture.conftest import ROOT, Module, Project, bound, built, imports

RECIPE, SHARED = "recipes/PAPER", "recipes/SHARED"  # a new folder of `recipes/` needs no line
# From the bottom to the top. A package imports packages of lower lines only.
LAYERS = (
    {"errors"},
    {"parsing"},
    {"json_lines"},
    {"records", "rng", "word_tokens", "settings", "text_layout", "interrupts"},
    {"english"},
    {"store"},
    {"config"},
    {"adapters"},
    {"engine", "cli_errors"},
    {"corpus"},
    {"models"},
    {"formats"},
    {"judging"},
    {"evaluation"},
    {"release"},
    {SHARED},
    {RECIPE},
    {"pipelines"},
    {"judging.web"},
    {"api"},
    {"cli"},
    {"__main__"},
)
LAYER_OF = {package: number for number, packages in enumerate(LAYERS) for package in packages}
DAG = re.compile(r"pipelines\.\w+_style")
KNOWS_A_RECIPE = {
    "cli.corpus": "`corpus rank` and `corpus clean` run a step of SCS and of SCDE without a run",
}
ONE_PLACE = {
    "luigi": "pipelines",
    "spacy": "adapters",
    "kenlm": "adapters",
    "lemminflect": "adapters",
    "torch": "adapters",
    "transformers": "adapters",
    "subprocess": "adapters",
    "distributed": "engine",
    "matplotlib": "release.plots",
    "sqlite3": "judging.database",
    "starlette": "judging.web",
    "uvicorn": "judging.web",
}
# What grooming knows of words: a report that judged by it would approve what grooming kept.
WORD_KNOWLEDGE = {"models.contexts", "models.context_space", "models.word_knowledge"}
REPORTING = {"evaluation", "formats", "release"}


def upward(project: Project) -> list[str]:
    """Imports from a higher layer, or from another package of the same layer."""
    return [
        f"{module.name}: {written}"
        for module in project
        for other, written in project.imported[module.name].items()
        if project.modules[other].package != module.package
        and _layer(project, project.modules[other]) >= _layer(project, module)
    ]


def without_layer(project: Project) -> list[str]:
    """Packages with code that LAYERS does not name."""
    return sorted(
        {
            module.package
            for module in project
            if len(module.tree.body) > 1 and _layer(project, module) < 0
        }
    )


def _layer(project: Project, module: Module) -> int:
    package = module.package
    if package.startswith("recipes."):
        package = RECIPE if package in project.recipes else SHARED
    return LAYER_OF.get(package, -1)


def cycle(project: Project) -> list[str]:
    """Modules that import each other in a circle, or one that imports itself."""
    try:
        graphlib.TopologicalSorter(project.imported).prepare()
    except graphlib.CycleError as error:
        return list(error.args[1])
    return []


def recipes_known(project: Project) -> list[str]:
    """Modules that know a recipe, or its DAG, that is not their own.

    A recipe knows itself and shared folders; a DAG file knows one recipe; others know none. Names
    in strings count, for `import_module`.
    """
    wrong = []
    for module in project:
        named = [name.removeprefix("cloze_gen.") for name in _named(module)]
        dags = {found[0] for name in named if (found := DAG.match(name))} - {module.name}
        known = {".".join(name.split(".")[:2]) for name in named if name.startswith("recipes.")}
        of_recipe, is_dag = module.name.startswith("recipes."), bool(DAG.fullmatch(module.name))
        if of_recipe or is_dag:
            known -= {other.package for other in project} - project.recipes
        known -= {module.package}
        if dags or len(known) > is_dag:
            wrong.append(f"{module.name}: {', '.join(sorted(known | dags))}")
    return wrong


def _named(module: Module) -> Iterator[str]:
    yield from imports(module.tree)
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from re.findall(r"^cloze_gen\.(?:recipes|pipelines)\.[\w.]*", node.value)


def misplaced_libraries(project: Project) -> list[str]:
    """Imports of a big library outside of its place."""
    return [
        f"{module.name}: {library}"
        for module in project
        for library in sorted({name.split(".")[0] for name in imports(module.tree)})
        if not f"{module.name}.".startswith(f"{ONE_PLACE.get(library, module.name)}.")
    ]


def biased_reports(project: Project) -> list[str]:
    """Modules that measure or report and import WORD_KNOWLEDGE, directly or not."""
    wrong = []
    for module in project:
        reached, waiting = {module.name}, [module.name]
        while waiting and module.package in REPORTING:
            new = set(project.imported[waiting.pop()]) - reached
            reached |= new
            waiting += new
        wrong += [f"{module.name}: {found}" for found in sorted(reached & WORD_KNOWLEDGE)]
    return [one for one in wrong if one.split(".")[0] in REPORTING]


def nowhere(project: Project, others: Iterable[Path] = ()) -> list[str]:
    """Imports of ours that lead to no module, and to no name in one."""
    holds = {module.name: set().union(*map(bound, module.tree.body)) for module in project}
    holds[""] = set(cloze_gen.__all__)
    trees = {module.path: module.tree for module in project} | {
        path: ast.parse(path.read_text(encoding="utf-8")) for path in others
    }
    wrong = []
    for path, tree in trees.items():
        for name in imports(tree):
            head, _, inside = name.partition(".")
            module, _, last = inside.rpartition(".")
            if head == "cloze_gen" and not (
                inside in project.modules
                or last in holds.get(module, ())
                or _is_folder(project.root, inside)
            ):
                wrong.append(f"{path.relative_to(project.root).as_posix()}: {name}")
    return wrong


def _is_folder(root: Path, name: str) -> bool:
    place = name.replace(".", "/")
    return (root / "src" / "cloze_gen" / place).is_dir() or (root / place).is_dir()


def untracked(project: Project, tracked: Set[str]) -> list[str]:
    """Modules that a clean checkout would not have."""
    places = (module.path.relative_to(project.root).as_posix() for module in project)
    return [place for place in places if place not in tracked]


@pytest.mark.parametrize(
    "rule", [upward, without_layer, cycle, misplaced_libraries, biased_reports]
)
def test_imports_follow_the_rule(rule: Callable[[Project], list[str]], project: Project) -> None:
    """Each rule about imports holds without exception."""
    assert not (wrong := rule(project)), "\n".join(wrong)


def test_recipes_stand_apart(project: Project) -> None:
    """No recipe knows another, a DAG file knows one, and the listed exceptions are needed."""
    wrong = recipes_known(project)
    assert {one.split(":")[0] for one in wrong} == set(KNOWS_A_RECIPE), "\n".join(wrong)


def test_the_names_in_the_rules_exist(project: Project) -> None:
    """A module that moved would leave its rule without effect."""
    assert set(project.modules) >= WORD_KNOWLEDGE
    packages = {module.package for module in project}
    assert set(LAYER_OF) - packages == {RECIPE, SHARED}
    assert {place for place in ONE_PLACE.values() if place not in packages} <= set(project.modules)


def test_the_page_lists_the_layers(project: Project) -> None:
    """The table of packages in `architecture.md` has the rows of LAYERS, in their order."""
    page = (ROOT / "docs" / "explanation" / "architecture.md").read_text(encoding="utf-8")
    cells = re.findall(r"^\| (`.*?) \|", page.split("\n## ")[1], re.MULTILINE)
    rows = [re.findall(r"`([^`]+?)(?:\.py|/)`", cell) for cell in cells]
    listed = [{name.replace("/", ".") for name in row} for row in rows]
    meant = {SHARED: {"recipes.questions"}, RECIPE: project.recipes}
    assert listed == [meant.get("".join(layer), layer) for layer in LAYERS]


@pytest.mark.slow
def test_imports_lead_somewhere(project: Project) -> None:
    """Each import of ours, also in tests and other programs, leads to a module or a name in one."""
    others = [
        path
        for folder in ("tests", "scripts", "benchmarks", "training")
        for path in sorted((ROOT / folder).rglob("*.py"))
        if "toy" not in path.parts
    ]
    assert not (wrong := nowhere(project, others)), "\n".join(wrong)


def test_git_knows_every_module(project: Project) -> None:
    """A file that was never added would break every clean checkout."""
    git = shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        pytest.skip("no git here, or no checkout")
    done = subprocess.run(
        [git, "-C", str(ROOT), "ls-files", "-z"], capture_output=True, text=True, check=False
    )
    if done.returncode:
        pytest.skip(f"git fails: {done.stderr.strip()}")
    wrong = untracked(project, set(done.stdout.split("\0")))
    assert not wrong, "git add " + " ".join(wrong)


# ---- Each rule finds what breaks it, in a small copy with a recipe that this file does not name

TRACE, DAG_FILE = "recipes/new/trace.py", "pipelines/new_style.py"
BROKEN: list[tuple[Callable[[Project], list[str]], dict[str, str]]] = [
    (upward, {"store/a.py": "from cloze_gen.corpus import b", "corpus/b.py": ""}),
    (upward, {"word_tokens.py": "def f():\n    from cloze_gen.rng import g", "rng.py": "g = 1"}),
    (upward, {TRACE: "import cloze_gen.recipes.old.trace", "recipes/old/trace.py": ""}),
    (upward, {"recipes/shared/a.py": "import cloze_gen.recipes.new.trace", TRACE: ""}),
    (upward, {"judging/a.py": "from cloze_gen.judging.web import app", "judging/web/app.py": ""}),
    (without_layer, {"extras/a.py": "import os\nimport sys"}),
    (recipes_known, {TRACE: "import cloze_gen.recipes.old.trace", "recipes/old/trace.py": ""}),
    (recipes_known, {TRACE: "x = import_module('cloze_gen.recipes.old.trace')"}),
    (recipes_known, {TRACE: "x = import_module(f'cloze_gen.recipes.{paper}.trace')"}),
    (recipes_known, {"cli/a.py": "from cloze_gen.pipelines.new_style import STYLE", DAG_FILE: ""}),
    (recipes_known, {"cli/a.py": "x = import_module('cloze_gen.pipelines.new_style')"}),
    (recipes_known, {DAG_FILE: "from cloze_gen.pipelines import old_style"}),
    (recipes_known, {DAG_FILE: "import cloze_gen.recipes.new.a, cloze_gen.recipes.old.a"}),
    (misplaced_libraries, {TRACE: "def f():\n    import luigi"}),
    (misplaced_libraries, {"release/html.py": "from matplotlib import pyplot"}),
    (
        biased_reports,
        {
            "evaluation/a.py": "import cloze_gen.corpus.b",
            "corpus/b.py": "from cloze_gen.models.contexts import c",
            "models/contexts.py": "c = 1",
        },
    ),
    (nowhere, {TRACE: "from cloze_gen.corpus.b import c", "corpus/b.py": "def d(): ..."}),
    (nowhere, {TRACE: "from cloze_gen.corpus.b import c"}),
]


@pytest.mark.parametrize(("rule", "files"), BROKEN)
def test_a_broken_rule_is_found(
    rule: Callable[[Project], list[str]], files: dict[str, str], tmp_path: Path
) -> None:
    """Once, by the rule that is there for it."""
    assert len(rule(built(tmp_path, files))) == 1


def test_a_cycle_and_a_file_that_git_lacks_are_found(tmp_path: Path) -> None:
    """Two modules that import each other, one that imports itself, one that was not added."""
    files = {
        "corpus/a.py": "from cloze_gen.corpus.b import c",
        "corpus/b.py": "def c():\n    from cloze_gen.corpus.a import c",
    }
    assert set(cycle(both := built(tmp_path / "two", files))) == {"corpus.a", "corpus.b"}
    assert cycle(built(tmp_path / "one", {"rng.py": "from cloze_gen import rng"}))
    assert untracked(both, {"src/cloze_gen/corpus/a.py"}) == ["src/cloze_gen/corpus/b.py"]


def test_a_new_recipe_needs_no_line(tmp_path: Path) -> None:
    """Steps, a trace, a DAG file and a second shared folder break no rule."""
    own = "from cloze_gen.recipes.new"
    files = {
        "recipes/new/steps/cut.py": "from cloze_gen.corpus import tokens",
        "recipes/new/trace.py": f"{own}.steps import cut\nfrom cloze_gen.recipes.other import deal",
        "recipes/other/deal.py": "from cloze_gen.corpus import tokens",
        "corpus/tokens.py": "",
        "pipelines/new_style.py": f"import luigi\n{own} import trace",
    }
    project = built(tmp_path, files)
    assert sum(map(len, project.imported.values())) == 5
    rules = (upward, without_layer, cycle, recipes_known, misplaced_libraries, nowhere)
    assert [rule(project) for rule in rules] == [[]] * 6
