"""The system packages that KenLM's `lmplz` is built with. `make` runs this file first: standard
library only.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

# Debian has venv in a package of its own.
HAS_VENV = importlib.util.find_spec("ensurepip") is not None
VENV_PACKAGE = "" if HAS_VENV else f" python{sys.version_info[0]}.{sys.version_info[1]}-venv"
INSTALL = {
    "apt-get": "apt-get install -y --no-install-recommends g++ make cmake "
    f"libboost-program-options-dev libboost-thread-dev{VENV_PACKAGE}",
    "dnf": "dnf install -y gcc-c++ make cmake boost-devel",
    "brew": "brew install cmake boost",
}
PROBE = """\
cmake_minimum_required(VERSION 3.10)
project(probe CXX)
find_package(Boost REQUIRED COMPONENTS program_options thread)
find_package(Threads REQUIRED)
"""


def can_build() -> bool:
    """Whether CMake finds a C++ compiler and Boost."""
    if shutil.which("cmake") is None:
        return False
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "CMakeLists.txt").write_text(PROBE)
        command = ["cmake", "-S", folder, "-B", str(Path(folder) / "build")]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0


def advice() -> str:
    """What to install, with the commands of the package managers of this machine."""
    lines = [
        "Install a C++ compiler, CMake 3.10 or newer, Boost (program_options, thread) and Python's "
        "venv, then run the same command again. For example, as root (with brew: as yourself):"
    ]
    lines += [command for manager, command in INSTALL.items() if shutil.which(manager)]
    return "\n    ".join(lines)


def install_with_apt() -> None:
    """Install everything without a question; a failure shows when the tools are checked again."""
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in ("apt-get update -q", INSTALL["apt-get"]):
        print(f"Running: {command}", file=sys.stderr)  # noqa: T201 - a program that talks to a person
        subprocess.run(command.split(), check=False, env=environment)


def main() -> int:
    if HAS_VENV and can_build():
        return 0
    if os.geteuid() == 0 and shutil.which("apt-get"):
        install_with_apt()
        if can_build():  # without venv, Python's own message follows
            return 0
    print(f"cloze-gen cannot be set up. {advice()}", file=sys.stderr)  # noqa: T201
    return 1


if __name__ == "__main__":
    sys.exit(main())
