"""The locked packages, checked offline for every Python and machine by `requirements.files.tsv`."""

from __future__ import annotations

import csv
import importlib.util
import platform
import re
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import pytest
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.tags import sys_tags
from packaging.utils import canonicalize_name, parse_wheel_filename

from cloze_gen.adapters import kenlm_build, system_tools
from cloze_gen.cli import doctor

ROOT = Path(__file__).parents[1]
LOCKS = ("requirements.lock", "requirements-build.lock")


def load_program(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


lock = load_program("lock")
SUPPORTED = [(python, machine) for python in lock.PYTHONS for machine in lock.MACHINES]


@dataclass(frozen=True, slots=True)
class Locked:
    """One entry of a lock: what is required, and the sha256 sums that are allowed."""

    requirement: Requirement
    sha256: frozenset[str]

    @property
    def name(self) -> str:
        return canonicalize_name(self.requirement.name)

    @property
    def version(self) -> str:
        return str(self.requirement.specifier).removeprefix("==")

    def applies(self, environment: dict[str, str]) -> bool:
        return self.requirement.marker is None or self.requirement.marker.evaluate(environment)


def entries(name: str) -> Iterator[Locked]:
    for entry in (ROOT / name).read_text(encoding="utf-8").replace("\\\n", " ").splitlines():
        requirement, *digests = re.split(r"\s+--hash=sha256:", entry.strip())
        yield Locked(Requirement(requirement), frozenset(digests))


@pytest.fixture(scope="module")
def locked() -> list[Locked]:
    return [entry for name in LOCKS for entry in entries(name)]


@pytest.fixture(scope="module")
def files() -> dict[str, str]:
    """File name -> sha256."""
    with open(ROOT / "requirements.files.tsv", encoding="utf-8", newline="") as handle:
        return {row["file"]: row["sha256"] for row in csv.DictReader(handle, delimiter="\t")}


@pytest.mark.parametrize(("python", "machine"), SUPPORTED)
def test_every_package_has_a_file(
    python: tuple[int, int], machine: str, locked: list[Locked], files: dict[str, str]
) -> None:
    """kenlm alone is built."""
    tags = set(lock.machine_tags(python, machine))
    fitting = {}
    for file, sha256 in files.items():
        name, version, _, file_tags = parse_wheel_filename(file)
        if tags & file_tags:
            fitting[name, str(version)] = sha256
    wanted = [
        entry
        for entry in locked
        if entry.applies(lock.environment(python, machine)) and entry.name not in lock.SOURCES
    ]
    assert len(wanted) > 50
    without = [
        f"{entry.requirement}"
        for entry in wanted
        if fitting.get((entry.name, entry.version)) not in entry.sha256
    ]
    assert without == []


@pytest.mark.parametrize(("python", "machine"), SUPPORTED)
def test_every_dependency_is_locked_once(
    python: tuple[int, int], machine: str, locked: list[Locked]
) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    environment = lock.environment(python, machine)
    extras = project["optional-dependencies"]
    asked = [
        Requirement(text) for text in project["dependencies"] + extras["test"] + extras["docs"]
    ]
    for requirement in asked:
        if requirement.marker is None or requirement.marker.evaluate(environment):
            found = {
                entry.version
                for entry in locked
                if entry.name == canonicalize_name(requirement.name) and entry.applies(environment)
            }
            assert len(found) == 1, requirement
            assert requirement.specifier.contains(found.pop()), requirement


@pytest.mark.parametrize("python", lock.PYTHONS)
def test_every_python_gets_the_module_kenlm_one_way(
    python: tuple[int, int], locked: list[Locked]
) -> None:
    environment = lock.environment(python, "linux-x86_64")
    brought = {
        entry.name for entry in locked if entry.applies(environment) and "kenlm" in entry.name
    }
    files_from, files_before = system_tools.MODULE_FILES
    assert brought == (
        {"kenlm"} if python < files_from else {"ufal-kenlm"} if python < files_before else set()
    )


def test_the_programs_are_built_from_the_locked_sources(locked: list[Locked]) -> None:
    """lmplz comes from the same source distribution as the module."""
    kenlm = next(entry for entry in locked if entry.name == "kenlm")
    assert (kenlm.version, kenlm.sha256) == (kenlm_build.VERSION, {kenlm_build.SHA256})


@pytest.mark.parametrize("name", [*LOCKS, "requirements.files.tsv"])
def test_no_index_and_no_host_is_named(name: str) -> None:
    """Where the packages come from is the installing machine's own affair."""
    text = (ROOT / name).read_text(encoding="utf-8")
    assert text
    assert re.findall(r"https?:|file:|--(?:extra-)?index|--find-links|--trusted|@", text) == []


def test_tags_and_markers_are_those_of_real_machines() -> None:
    machine = {"Linux": f"linux-{platform.machine()}", "Darwin": f"macos-{platform.machine()}"}.get(
        platform.system(), ""
    )
    if (sys.version_info[:2], machine) not in SUPPORTED or platform.libc_ver()[0] not in {
        "glibc",
        "",
    }:
        pytest.skip(f"the lock has no Python {platform.python_version()} on {machine}")
    assert set(lock.machine_tags(sys.version_info[:2], machine)) <= set(sys_tags())
    believed, said = lock.environment(sys.version_info[:2], machine), {**default_environment()}
    exact = believed.keys() - {"python_full_version", "implementation_version"}
    assert {key: believed[key] for key in exact} == {key: said[key] for key in exact}


def test_versions_are_said_alike_everywhere() -> None:
    """README, Makefile, pyproject.toml, doctor and lock name the same oldest and newest Python."""
    oldest, newest = (".".join(map(str, python)) for python in (lock.PYTHONS[0], lock.PYTHONS[-1]))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    classified = [
        line.rsplit(" ", 1)[1]
        for line in project["classifiers"]
        if re.search(r"Python :: 3\.\d+$", line)
    ]
    makefile, readme = (
        (ROOT / name).read_text(encoding="utf-8") for name in ("Makefile", "README.md")
    )
    assert project["requires-python"] == f">={oldest}"
    assert classified == [".".join(map(str, python)) for python in lock.PYTHONS]
    assert (lock.PYTHONS[0], lock.PYTHONS[-1]) == (doctor.PYTHON_AT_LEAST, doctor.PYTHON_KNOWN_TO)
    assert f"KNOWN := {lock.PYTHONS[0]} <= sys.version_info[:2] <= {lock.PYTHONS[-1]}\n" in makefile
    assert f"is newer than {newest}," in makefile
    assert f"needs Python {oldest} or newer" in makefile
    assert f"Python {oldest} to {newest}" in readme
