"""Checks for system packages. `make` runs this file first: standard library only."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Collection
from pathlib import Path

BUILD_TOOLS = "a C++ compiler, CMake 3.10 or newer, or Boost (program_options, thread)"
HEADERS, VENV = "Python's C headers", "Python's venv"
# From this Python on, KenLM's module is installed as a file (pyproject.toml); before, it is built.
MODULE_FILES_FROM = (3, 13)
_PYTHON = f"python{sys.version_info[0]}.{sys.version_info[1]}"
INSTALL = {
    "apt-get": ["apt-get", "install", "-y", "--no-install-recommends"],
    "dnf": ["dnf", "install", "-y"],
    "brew": ["brew", "install"],
}
# What is missing -> the packages that bring it, by package manager.
PACKAGES = {
    # Debian's libboost-thread-dev brings the system library along where Boost still has one (it
    # left in 1.89).
    BUILD_TOOLS: {
        "apt-get": "g++ make cmake libboost-program-options-dev libboost-thread-dev".split(),
        "dnf": "gcc-c++ make cmake boost-devel".split(),
        "brew": ["cmake", "boost"],
    },
    HEADERS: {"apt-get": [f"{_PYTHON}-dev"], "dnf": [f"{_PYTHON}-devel"], "brew": ["python"]},
    VENV: {"apt-get": [f"{_PYTHON}-venv"], "dnf": [_PYTHON], "brew": ["python"]},
}
_PROBE = """\
cmake_minimum_required(VERSION 3.10)
project(probe CXX)
find_package(Boost REQUIRED COMPONENTS program_options thread)
find_package(Threads REQUIRED)
"""


def missing() -> list[str]:
    """The keys of `PACKAGES` that this machine lacks."""
    headers = Path(sysconfig.get_paths()["include"]) / "Python.h"
    present = {
        BUILD_TOOLS: _can_build(),
        HEADERS: headers.is_file() or sys.version_info >= MODULE_FILES_FROM,
        VENV: importlib.util.find_spec("ensurepip") is not None,
    }
    return [what for what in PACKAGES if not present[what]]


def _can_build() -> bool:
    """Whether CMake configures a C++ project with Boost."""
    if shutil.which("cmake") is None:
        return False
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "CMakeLists.txt").write_text(_PROBE)
        command = ["cmake", "-S", folder, "-B", str(Path(folder) / "build")]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0


def install_command(lacking: Collection[str]) -> list[str]:
    """The command of this machine's package manager; empty without one."""
    manager = next((name for name in INSTALL if shutil.which(name)), None)
    if manager is None:
        return []
    return INSTALL[manager] + [name for what in lacking for name in PACKAGES[what][manager]]


def advice(lacking: Collection[str]) -> str:
    message = f"this machine lacks {'; '.join(lacking)}."
    command = install_command(lacking)
    if not command:
        return f"{message}\nInstall that, then run the same command again."
    as_root = "" if command[0] == "brew" else "sudo "
    return (
        f"{message}\nRun this, then the same command again (on macOS also xcode-select "
        f"--install):\n\n    {as_root}{' '.join(command)}\n"
    )


def install_with_apt(command: list[str]) -> None:
    """Install without a question; a failure shows when the tools are checked again."""
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for step in (["apt-get", "update", "-q"], command):
        say(f"Running: {' '.join(step)}")
        subprocess.run(step, check=False, env=environment)


def say(line: str) -> None:
    print(line, file=sys.stderr)  # noqa: T201 - a program that talks to a person


def main() -> int:
    lacking = missing()
    command = install_command(lacking)
    if lacking and command[:1] == ["apt-get"] and os.geteuid() == 0:
        install_with_apt(command)
        lacking = missing()
    if lacking:
        say(f"cloze-gen cannot be set up: {advice(lacking)}")
    return 1 if lacking else 0


if __name__ == "__main__":
    sys.exit(main())
