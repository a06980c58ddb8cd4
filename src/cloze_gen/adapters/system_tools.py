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

COMPILER, CMAKE, BOOST = "a C++ compiler", "CMake 3.10 or newer", "Boost (program_options, thread)"
HEADERS, VENV = "Python's C headers", "Python's venv"
PROGRAM_TOOLS = (COMPILER, CMAKE, BOOST)  # what KenLM's programs need
# From this Python on, KenLM's module is installed as a file (pyproject.toml); before, it is built.
MODULE_FILES_FROM = (3, 13)
PYTHON_PACKAGE = f"python{sys.version_info[0]}.{sys.version_info[1]}"

# What is missing -> the packages that bring it, by package manager.
PACKAGES = {
    COMPILER: {"apt-get": ["g++", "make"], "dnf": ["gcc-c++", "make"], "brew": []},
    CMAKE: {"apt-get": ["cmake", "make"], "dnf": ["cmake", "make"], "brew": ["cmake"]},
    # Debian's libboost-thread-dev brings the system library along where Boost still has one (it
    # left in 1.89).
    BOOST: {
        "apt-get": ["libboost-program-options-dev", "libboost-thread-dev"],
        "dnf": ["boost-devel"],
        "brew": ["boost"],
    },
    HEADERS: {"apt-get": [f"{PYTHON_PACKAGE}-dev"], "dnf": [f"{PYTHON_PACKAGE}-devel"], "brew": []},
    VENV: {"apt-get": [f"{PYTHON_PACKAGE}-venv"], "dnf": [PYTHON_PACKAGE], "brew": []},
}

BOOST_PROBE = """\
cmake_minimum_required(VERSION 3.10)
project(probe CXX)
find_package(Boost REQUIRED COMPONENTS program_options thread)
find_package(Threads REQUIRED)
"""


def missing(wanted: Collection[str]) -> list[str]:
    compiler, cmake = compiles(), has_cmake()
    present = {
        COMPILER: compiler,
        CMAKE: cmake,
        BOOST: has_boost() if compiler and cmake else boost_header_seen(),
        HEADERS: (Path(sysconfig.get_paths()["include"]) / "Python.h").is_file(),
        VENV: importlib.util.find_spec("venv") is not None
        and importlib.util.find_spec("ensurepip") is not None,
    }
    return [what for what in PACKAGES if what in wanted and not present[what]]


def needed_by_make(python: tuple[int, int]) -> list[str]:
    """Keys of `PACKAGES` that a checkout needs with this Python.

    >>> [HEADERS in needed_by_make((3, minor)) for minor in (12, 13)]
    [True, False]
    """
    return [what for what in PACKAGES if what != HEADERS or python < MODULE_FILES_FROM]


def compiles() -> bool:
    compiler = os.environ.get("CXX") or next(
        (name for name in ("c++", "g++", "clang++") if shutil.which(name)), None
    )
    if compiler is None:
        return False
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "probe.cc"
        source.write_text("#include <string>\nint main() { return std::string().size(); }\n")
        return succeeds([*compiler.split(), str(source), "-o", str(Path(folder) / "probe")])


def has_cmake() -> bool:
    if shutil.which("cmake") is None:
        return False
    words = subprocess.run(
        ["cmake", "--version"], capture_output=True, text=True, check=False
    ).stdout.split()
    version = words[2].split(".") if len(words) > 2 else ["0", "0"]
    return (int(version[0]), int(version[1])) >= (3, 10)


def has_boost() -> bool:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "CMakeLists.txt").write_text(BOOST_PROBE)
        return succeeds(["cmake", "-S", folder, "-B", str(Path(folder) / "build")])


def boost_header_seen() -> bool:
    """Whether a Boost header is found; an estimate for machines without compiler and CMake."""
    return any(
        Path(root, "include/boost/program_options.hpp").is_file()
        for root in ("/usr", "/usr/local", "/opt/homebrew")
    )


def succeeds(command: list[str]) -> bool:
    return (
        subprocess.run(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False
        ).returncode
        == 0
    )


def install_command(lacking: list[str]) -> list[str] | None:
    manager = next((name for name in ("apt-get", "dnf", "brew") if shutil.which(name)), None)
    if manager is None:
        return None
    names = list(dict.fromkeys(name for what in lacking for name in PACKAGES[what][manager]))
    options = {
        "apt-get": ["install", "-y", "--no-install-recommends"],
        "dnf": ["install", "-y"],
        "brew": ["install"],
    }[manager]
    return [manager, *options, *names] if names else None


def advice(lacking: list[str]) -> str:
    command, message = install_command(lacking), f"this machine lacks {', '.join(lacking)}."
    if command is None:
        return (
            f"{message}\nInstall that with your package manager (on macOS: xcode-select --install), "
            "then run the same command again."
        )
    return (
        f"{message}\nRun this, then the same command again:\n\n    "
        f"{'' if command[0] == 'brew' else 'sudo '}{' '.join(command)}\n"
    )


def install_lacking(wanted: list[str]) -> list[str]:
    """Install missing tools if that needs no confirmation; returns what is still missing."""
    # Twice, because the check for Boost needs compiler and CMake.
    for _ in range(2):
        lacking = missing(wanted)
        command = install_command(lacking)
        if not lacking or command is None or command[0] != "apt-get" or os.geteuid() != 0:
            return lacking
        say(f"Installing: {' '.join(command)}")
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        # a failure shows at install
        subprocess.run(["apt-get", "update", "-q"], check=False, env=environment, stdout=sys.stderr)
        subprocess.run(command, check=False, env=environment, stdout=sys.stderr)
    return missing(wanted)


def say(line: str) -> None:
    print(line, file=sys.stderr)  # noqa: T201 - a program that talks to a person


def main() -> int:
    lacking = install_lacking(needed_by_make(sys.version_info[:2]))
    if lacking:
        say(f"cloze-gen cannot be set up: {advice(lacking)}")
    return 1 if lacking else 0


if __name__ == "__main__":
    sys.exit(main())
