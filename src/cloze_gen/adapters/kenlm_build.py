"""Builds KenLM's programs from its pinned source distribution. Its Python module is a dependency."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from cloze_gen.adapters.lmplz import binary_sha256
from cloze_gen.adapters.system_tools import PROGRAM_TOOLS, advice, missing
from cloze_gen.errors import ToolError

PROGRAMS = ("lmplz", "build_binary")
# As requirements.lock pins them, so that the programs and the module are the same KenLM.
VERSION = "0.3.0"
SHA256 = "c4628bb9fb63c8a6f9240035b8b037385cfc404cb72e933cf48878291edac1e8"
ARCHIVE = f"kenlm-{VERSION}.tar.gz"
BUILD_JOBS = 2  # a compiler process takes up to 0.5 GB on these sources
# Older releases make no wheel without the package `wheel`, which may be missing.
OLDEST_SETUPTOOLS = (70, 1)

# KenLM requires two Boost components that its programs do not use: `unit_test_framework` is another
# package, and `system` is header-only since Boost 1.69 and missing (an error) since 1.89.
REQUIRED_BOOST = re.compile(
    r"(find_package\(Boost [\d.]+ REQUIRED COMPONENTS\s+program_options)\s+system(\s+thread)\s+unit_test_framework\s*\)"
)


def module_is_there() -> bool:
    importlib.invalidate_caches()
    spec = importlib.util.find_spec("kenlm")
    return spec is not None and spec.origin is not None  # not a mere folder of that name


def own_bin() -> Path:
    """The `bin` of this environment; ToolError for the system's Python."""
    if sys.prefix == sys.base_prefix and not (Path(sys.prefix) / "conda-meta").is_dir():
        raise ToolError(
            f"{sys.executable} is not in a virtual environment, and KenLM is only installed into "
            "one. Create one with "
            "`python3 -m venv DIR` and install cloze-gen there, or set "
            "CLOZE_GEN_LMPLZ to an existing lmplz."
        )
    return Path(sys.prefix) / "bin"


def plan(archive: Path | None) -> Iterator[str]:
    """The steps of `build`, a line each."""
    yield (
        f"build {', '.join(PROGRAMS)} of KenLM {VERSION} and put them into {own_bin()} (two minutes)"
    )
    yield (
        f"use the sources in {archive}"
        if archive
        else f"download the sources, {ARCHIVE} (0.4 MB), with pip"
    )


def build(archive: Path | None = None) -> None:
    """Build and install completely or not at all.

    Raises:
        ToolError: a tool is missing, the archive is another one, or the build failed.
        OSError: no disk space, or no permission to write into the environment.
    """
    lacking = missing(PROGRAM_TOOLS)
    if lacking:
        raise ToolError(f"KenLM cannot be built: {advice(lacking)}")
    with tempfile.TemporaryDirectory(prefix="kenlm-") as name:
        folder = Path(name)
        sources = unpack(check(archive) if archive else fetch(folder), folder)
        compile_programs(sources, folder / "build")
        install(folder / "build" / "bin", own_bin(), stamp_path())


def stamp_path() -> Path:
    return Path(sys.prefix) / "share" / "cloze-gen" / "kenlm.json"


def is_built(programs: Path, stamp_file: Path) -> bool:
    """Whether the stamp names these sources and the programs in `programs`, and `lmplz` starts."""
    try:
        stamp = json.loads(stamp_file.read_text())
        same = stamp["sdist_sha256"] == SHA256
        if not same or any(
            binary_sha256(programs / name) != stamp["programs"][name] for name in PROGRAMS
        ):
            return False
    except (OSError, ValueError, KeyError, TypeError):
        return False
    # After an upgrade of Boost the programs may not load.
    answer = subprocess.run(
        [programs / "lmplz", "--help"], capture_output=True, text=True, check=False
    )
    return "Builds unpruned language models" in answer.stderr


def has_setuptools() -> bool:
    """Whether the installed setuptools is new enough to build offline."""
    try:
        major, minor = importlib.metadata.version("setuptools").split(".")[:2]
        return (int(major), int(minor)) >= OLDEST_SETUPTOOLS
    except (importlib.metadata.PackageNotFoundError, ValueError):
        # a version such as "70" or "70.1rc1" counts as too old
        return False


def fetch(folder: Path) -> Path:
    """Download the source distribution through pip and check its hash."""
    wanted = folder / "kenlm.txt"
    wanted.write_text(f"kenlm=={VERSION} --hash=sha256:{SHA256}\n")
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "--quiet"]
    command += ["--no-deps", "--require-hashes", "--no-binary", "kenlm"]
    if has_setuptools():  # pip runs the build backend for the metadata
        command.append("--no-build-isolation")
    run([*command, "--dest", str(folder), "--requirement", str(wanted)])
    return check(folder / ARCHIVE)


def check(archive: Path) -> Path:
    if not archive.is_file():
        raise ToolError(
            f"{archive}: no such file. Give {ARCHIVE}, the source distribution of kenlm {VERSION}."
        )
    found = binary_sha256(archive)
    if found != SHA256:
        raise ToolError(
            f"{archive}: sha256 {found}, but {ARCHIVE} has {SHA256}. Give the published file."
        )
    return archive


def unpack(archive: Path, folder: Path) -> Path:
    """Unpack the sources below `folder` and mend what CMake requires; ToolError if it is not found."""
    # pinned by its sha256; Python 3.11.2 has no argument `filter`
    with tarfile.open(archive) as tar:
        tar.extraction_filter = getattr(tarfile, "data_filter", None)
        tar.extractall(folder)
    sources = folder / f"kenlm-{VERSION}"
    path = sources / "CMakeLists.txt"
    text, changed = REQUIRED_BOOST.subn(r"\1\2)", path.read_text())
    if changed != 1:
        raise ToolError(f"{archive.name}: {path.name} does not require Boost as {VERSION} does")
    path.write_text(text)
    return sources


def compile_programs(sources: Path, build_folder: Path) -> None:
    # CMake 4 refuses projects that name a policy version below 3.5, as older KenLM does; CMake 3
    # ignores the variable. Without the map the build folder would appear in the programs'
    # messages and change their sha256, which manifests record.
    flags = f"-ffile-prefix-map={sources}=kenlm"
    options = [f"-DCMAKE_CXX_FLAGS={flags}", f"-DCMAKE_C_FLAGS={flags}"]
    options += [
        "-DCMAKE_BUILD_TYPE=Release",
        "-DCMAKE_POLICY_VERSION_MINIMUM=3.10",
        "-DENABLE_INTERPOLATE=OFF",
        "-Wno-dev",
    ]
    run(["cmake", "-S", str(sources), "-B", str(build_folder), *options])
    run(
        [
            "cmake",
            "--build",
            str(build_folder),
            "--target",
            *PROGRAMS,
            "--parallel",
            str(BUILD_JOBS),
        ]
    )


def install(built: Path, programs: Path, stamp_file: Path) -> None:
    """Move the programs into the folder `programs`, each atomically, and write the stamp last."""
    stamp_file.parent.mkdir(parents=True, exist_ok=True)
    stamp_file.unlink(missing_ok=True)
    for name in PROGRAMS:
        temporary = programs / f".{name}.{os.getpid()}.tmp"
        shutil.copy2(built / name, temporary)
        temporary.replace(programs / name)
    stamp = {
        "version": VERSION,
        "sdist_sha256": SHA256,
        "programs": {name: binary_sha256(programs / name) for name in PROGRAMS},
    }
    stamp_file.write_text(json.dumps(stamp, indent=2, sort_keys=True) + "\n")


def run(command: list[str]) -> None:
    answer = subprocess.run(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    if answer.returncode != 0:
        raise ToolError(
            f"{answer.stdout}\nThis failed (status {answer.returncode}): {' '.join(command)}"
        )


def make_kenlm(say: Callable[[str], None]) -> None:
    if not is_built(own_bin(), stamp_path()):
        for line in plan(None):
            say(f"Next: {line} ...")
        build()
    say(f"KenLM {VERSION}: {own_bin() / 'lmplz'}")


def main() -> int:
    try:
        make_kenlm(lambda line: print(line, file=sys.stderr))  # noqa: T201 - a program that talks to a person
    except (ToolError, OSError) as error:
        print(f"KenLM could not be built.\n{error}", file=sys.stderr)  # noqa: T201
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
