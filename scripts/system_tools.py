"""Find what the package index cannot give: a C++ compiler, CMake, Boost, Python's headers and venv.

Run by `make` before anything is installed, with nothing but the standard library. Missing packages are installed where that
needs no question (root on Debian or Ubuntu); elsewhere the program stops with the exact command to type.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

PYTHON_PACKAGE = f"python{sys.version_info[0]}.{sys.version_info[1]}"

# What is missing -> the packages that bring it, by package manager.
PACKAGES = {
    "a C++ compiler": {"apt-get": ["g++", "make"], "dnf": ["gcc-c++", "make"], "brew": []},
    "CMake 3.10 or newer": {"apt-get": ["cmake", "make"], "dnf": ["cmake", "make"], "brew": ["cmake"]},
    # Debian's libboost-thread-dev brings the system library along where Boost still has one (it left in 1.89).
    "Boost (program_options, thread)": {
        "apt-get": ["libboost-program-options-dev", "libboost-thread-dev"],
        "dnf": ["boost-devel"],
        "brew": ["boost"],
    },
    "Python's C headers": {"apt-get": [f"{PYTHON_PACKAGE}-dev"], "dnf": [f"{PYTHON_PACKAGE}-devel"], "brew": []},
    "Python's venv": {"apt-get": [f"{PYTHON_PACKAGE}-venv"], "dnf": [PYTHON_PACKAGE], "brew": []},
}

BOOST_PROBE = """\
cmake_minimum_required(VERSION 3.10)
project(probe CXX)
find_package(Boost REQUIRED COMPONENTS program_options thread)
find_package(Threads REQUIRED)
"""


def missing() -> list[str]:
    """Keys of `PACKAGES` that this machine lacks, in their order; found by using the tools, not by asking a package manager."""
    compiler, cmake = compiles(), has_cmake()
    present = {
        "a C++ compiler": compiler,
        "CMake 3.10 or newer": cmake,
        "Boost (program_options, thread)": has_boost() if compiler and cmake else boost_header_seen(),
        "Python's C headers": (Path(sysconfig.get_paths()["include"]) / "Python.h").is_file(),
        "Python's venv": importlib.util.find_spec("venv") is not None and importlib.util.find_spec("ensurepip") is not None,
    }
    return [what for what in PACKAGES if not present[what]]


def compiles() -> bool:
    """Whether a C++ program with a standard header compiles and links."""
    compiler = os.environ.get("CXX") or next((name for name in ("c++", "g++", "clang++") if shutil.which(name)), None)
    if compiler is None:
        return False
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "probe.cc"
        source.write_text("#include <string>\nint main() { return std::string().size(); }\n")
        return succeeds([*compiler.split(), str(source), "-o", str(Path(folder) / "probe")])


def has_cmake() -> bool:
    if shutil.which("cmake") is None:
        return False
    words = subprocess.run(["cmake", "--version"], capture_output=True, text=True, check=False).stdout.split()
    version = words[2].split(".") if len(words) > 2 else ["0", "0"]
    return (int(version[0]), int(version[1])) >= (3, 10)


def has_boost() -> bool:
    """Whether CMake's own finder, which the build uses too, finds the Boost libraries that lmplz links."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "CMakeLists.txt").write_text(BOOST_PROBE)
        return succeeds(["cmake", "-S", folder, "-B", str(Path(folder) / "build")])


def boost_header_seen() -> bool:
    """A guess for the time before compiler and CMake are there; `has_boost` decides once they are."""
    return any(Path(root, "include/boost/program_options.hpp").is_file() for root in ("/usr", "/usr/local", "/opt/homebrew"))


def succeeds(command: list[str]) -> bool:
    return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode == 0


def install_command(lacking: list[str]) -> list[str] | None:
    """The package manager's call that brings what is lacking, or None on a machine whose package manager is not known."""
    manager = next((name for name in ("apt-get", "dnf", "brew") if shutil.which(name)), None)
    if manager is None:
        return None
    names = list(dict.fromkeys(name for what in lacking for name in PACKAGES[what][manager]))
    options = {"apt-get": ["install", "-y", "--no-install-recommends"], "dnf": ["install", "-y"], "brew": ["install"]}[manager]
    return [manager, *options, *names] if names else None


def fail(lacking: list[str], command: list[str] | None) -> int:
    print(f"This machine lacks: {', '.join(lacking)}.", file=sys.stderr)
    if command is None:
        print("Install them with your package manager (on macOS: xcode-select --install), then run make again.", file=sys.stderr)
    else:
        prefix = "" if command[0] == "brew" else "sudo "
        print(f"Type this, then run make again:\n\n    {prefix}{' '.join(command)}\n", file=sys.stderr)
    return 1


def main() -> int:
    lacking = missing()
    if not lacking:
        return 0
    command = install_command(lacking)
    if command is None or command[0] != "apt-get" or os.geteuid() != 0:
        return fail(lacking, command)
    # Twice, because Boost can be judged fairly only when compiler and CMake are there.
    for _ in range(2):
        print(f"Installing: {' '.join(command)}", file=sys.stderr)
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        subprocess.run(["apt-get", "update", "-q"], check=False, env=environment, stdout=sys.stderr)  # stale lists: install tells
        subprocess.run(command, check=False, env=environment, stdout=sys.stderr)
        lacking = missing()
        if not lacking:
            return 0
        command = install_command(lacking) or command
    return fail(lacking, command)


if __name__ == "__main__":
    sys.exit(main())
