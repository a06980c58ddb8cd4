"""Building KenLM, without compilers or a network."""

from __future__ import annotations

import hashlib
import importlib.metadata
import io
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from cloze_gen.adapters import kenlm_build, lmplz, system_tools
from cloze_gen.errors import ToolError
from tests.conftest import Outcome

# The lines of KenLM 0.3.0 that are changed, each among others.
SOURCES = {
    "CMakeLists.txt": "project(kenlm)\n  find_package(Boost 1.41.0 REQUIRED COMPONENTS\n    "
    "program_options\n    system\n    thread\n"
    "    unit_test_framework\n  )\n",
    "setup.py": "ext_modules = [\n        sources=FILES + ['python/kenlm.cpp'],\n        "
    "language='C++', \n]\n",
    "pyproject.toml": '[build-system]\nrequires = ["setuptools", "wheel", "cmake>=3.10"]\n',
    "lm/model.cc": "// as it is\n",
}
PROGRAM = "#!/bin/sh\necho 'Builds unpruned language models' >&2\n"


def write_archive(path: Path, sources: dict[str, str]) -> Path:
    with tarfile.open(path, "w:gz") as tar:
        for name, text in sources.items():
            member = tarfile.TarInfo(f"kenlm-{kenlm_build.VERSION}/{name}")
            member.size = len(text.encode())
            tar.addfile(member, io.BytesIO(text.encode()))
    return path


@pytest.fixture
def archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A source distribution of four files, accepted as the pinned one."""
    path = write_archive(tmp_path / "sources.tar.gz", SOURCES)
    monkeypatch.setattr(kenlm_build, "SHA256", hashlib.sha256(path.read_bytes()).hexdigest())
    return path


@pytest.fixture
def prefix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An environment without KenLM on a machine with all tools."""
    path = tmp_path / "env"
    (path / "bin").mkdir(parents=True)
    monkeypatch.setattr(sys, "prefix", str(path))
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.delenv("CLOZE_GEN_LMPLZ", raising=False)
    monkeypatch.setattr(kenlm_build, "missing", lambda _: [])
    return path


@pytest.fixture
def commands(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Records commands; CMake's build creates the programs."""
    ran: list[list[str]] = []

    def run(command: list[str]) -> None:
        ran.append(command)
        if command[:2] == ["cmake", "--build"]:
            for name in kenlm_build.PROGRAMS:
                path = Path(command[2]) / "bin" / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(PROGRAM)
                path.chmod(0o755)

    monkeypatch.setattr(kenlm_build, "run", run)
    return ran


def test_the_sources_are_changed_as_meant_and_nowhere_else(archive: Path, tmp_path: Path) -> None:
    sources = kenlm_build.unpack(archive, tmp_path / "unpacked")
    assert {name: (sources / name).read_text() for name in SOURCES} == {
        "CMakeLists.txt": "project(kenlm)\n  find_package(Boost 1.41.0 REQUIRED COMPONENTS\n    "
        "program_options\n    thread)\n",
        "setup.py": "ext_modules = [\n        sources=FILES + ['python/kenlm.pyx'],\n        "
        "language='c++', \n]\n",
        "pyproject.toml": '[build-system]\nrequires = ["setuptools", "cython>=3.1", '
        '"wheel", "cmake>=3.10"]\n',
        "lm/model.cc": "// as it is\n",
    }


@pytest.mark.parametrize("name", ["CMakeLists.txt", "setup.py", "pyproject.toml"])
def test_sources_of_another_version_are_refused(name: str, tmp_path: Path) -> None:
    path = write_archive(tmp_path / "other.tar.gz", SOURCES | {name: "rewritten\n"})
    with pytest.raises(ToolError, match=f"{name} does not hold"):
        kenlm_build.unpack(path, tmp_path / "unpacked")


def test_an_archive_that_is_not_the_pinned_one_is_refused(archive: Path) -> None:
    assert kenlm_build.check(archive) == archive
    archive.write_bytes(archive.read_bytes() + b"\0")
    with pytest.raises(ToolError, match=kenlm_build.SHA256):
        kenlm_build.check(archive)
    with pytest.raises(ToolError, match="no such file"):
        kenlm_build.check(archive.with_name("none.tar.gz"))


def test_programs_are_installed_with_a_stamp_that_tells_changes(
    archive: Path, prefix: Path, commands: list[list[str]]
) -> None:
    stamp = kenlm_build.stamp_path()
    assert not kenlm_build.is_built(prefix / "bin", stamp)
    kenlm_build.build(programs=True, module=False, archive=archive)
    assert kenlm_build.is_built(prefix / "bin", stamp)
    assert sorted(path.name for path in (prefix / "bin").iterdir()) == sorted(kenlm_build.PROGRAMS)
    assert not any("pip" in command for command in commands)
    (prefix / "bin" / "build_binary").write_text(PROGRAM + "#\n")
    assert not kenlm_build.is_built(prefix / "bin", stamp)


def test_a_failed_build_leaves_the_old_programs(
    archive: Path, prefix: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (prefix / "bin" / "lmplz").write_text("old")
    monkeypatch.setenv("PATH", str(prefix))
    (prefix / "cmake").write_text("#!/bin/sh\necho no room for this >&2\nexit 3\n")
    (prefix / "cmake").chmod(0o755)
    with pytest.raises(ToolError, match=r"no room for this\n\nThis failed \(status 3\): cmake"):
        kenlm_build.build(programs=True, module=False, archive=archive)
    assert [(path.name, path.read_text()) for path in (prefix / "bin").iterdir()] == [
        ("lmplz", "old")
    ]


def test_the_module_is_built_by_pip_from_the_same_sources(
    archive: Path, prefix: Path, commands: list[list[str]]
) -> None:
    kenlm_build.build(programs=False, module=True, archive=archive)
    (command,) = commands
    assert command[:3] == [sys.executable, "-m", "pip"]
    assert "install" in command
    assert command[-1].endswith(f"kenlm-{kenlm_build.VERSION}")


@pytest.mark.parametrize(
    ("installed", "fetches_isolated", "builds_isolated"),
    [
        ({"setuptools": "84.2.1", "cython": "3.3.1"}, False, False),
        ({"setuptools": "70.1.0", "cython": "3.0.12"}, False, True),
        (
            {"setuptools": "65.5.0", "cython": "3.3.1"},
            True,
            True,
        ),  # a plain environment of Python 3.11: setuptools makes no wheel there
        ({}, True, True),  # a plain environment of Python 3.12 or newer
    ],
)
def test_pip_builds_with_the_installed_tools_only_if_they_can(
    installed: dict[str, str],
    fetches_isolated: bool,
    builds_isolated: bool,
    archive: Path,
    prefix: Path,
    commands: list[list[str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:

    def version(package: str) -> str:
        if package not in installed:
            raise importlib.metadata.PackageNotFoundError(package)
        return installed[package]

    monkeypatch.setattr(importlib.metadata, "version", version)
    monkeypatch.setattr(kenlm_build, "check", lambda _: archive)
    kenlm_build.build(programs=False, module=True)
    assert ["--no-build-isolation" not in command for command in commands] == [
        fetches_isolated,
        builds_isolated,
    ]


def test_what_is_missing_is_told_with_the_command(
    monkeypatch: pytest.MonkeyPatch, archive: Path, prefix: Path
) -> None:
    asked: list[list[str]] = []

    def missing(wanted: list[str]) -> list[str]:
        asked.append([*wanted])
        return [system_tools.COMPILER]

    monkeypatch.setattr(kenlm_build, "missing", missing)
    for module in (False, True):
        with pytest.raises(ToolError, match=r"this machine lacks a C\+\+ compiler"):
            kenlm_build.build(programs=True, module=module, archive=archive)
    assert [system_tools.HEADERS in wanted for wanted in asked] == [False, True]
    assert list((prefix / "bin").iterdir()) == []


def test_the_systems_python_is_left_alone(monkeypatch: pytest.MonkeyPatch, prefix: Path) -> None:
    monkeypatch.setattr(sys, "base_prefix", str(prefix))
    with pytest.raises(ToolError, match=r"python3 -m venv"):
        list(kenlm_build.plan(programs=True, module=False, archive=None))


def test_doctor_builds_only_when_told_and_says_so_first(
    cli: Callable[..., Outcome], archive: Path, prefix: Path, commands: list[list[str]]
) -> None:
    looked = cli("doctor")
    assert (looked.status, commands) == (1, [])
    assert "doctor --fix" in looked.out
    mended = cli("doctor", "--fix", "--kenlm-sources", archive)
    lines = mended.out.splitlines()
    assert lines[0].startswith("Next: build lmplz, build_binary of KenLM 0.3.0 and put them into")
    assert lines[1] == f"Next: use the sources in {archive} ..."
    assert lmplz.find_lmplz() == prefix / "bin" / "lmplz"
    assert any(line.startswith("ok      lmplz") for line in lines)
    done = len(commands)
    assert "Next:" not in cli("doctor", "--fix").out
    assert len(commands) == done
