"""Builds KenLM's programs from its pinned source distribution into this environment. Its Python
module is a dependency.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from cloze_gen.adapters.system_tools import BUILD_TOOLS, advice, missing
from cloze_gen.errors import ToolError

PROGRAMS = ("build_binary", "lmplz")  # in this order, as `make` looks for lmplz
# As requirements.lock pins them, so that the programs and the module are the same KenLM.
VERSION = "0.3.0"
SHA256 = "c4628bb9fb63c8a6f9240035b8b037385cfc404cb72e933cf48878291edac1e8"
BUILD_JOBS = 2  # a compiler process takes up to 0.5 GB on these sources

# KenLM requires two Boost components that its programs do not use: `unit_test_framework` is another
# package, and `system` is header-only since Boost 1.69 and missing (an error) since 1.89.
REQUIRED_BOOST = re.compile(
    r"(find_package\(Boost [\d.]+ REQUIRED COMPONENTS\s+program_options)\s+system(\s+thread)\s+unit_test_framework\s*\)"
)


def build() -> None:
    """Build and install the programs (two minutes).

    Raises:
        ToolError: a tool is missing, or the download or the build failed.
        OSError: no disk space, or no permission to write into the environment.
    """
    if BUILD_TOOLS in missing():
        raise ToolError(f"KenLM cannot be built: {advice([BUILD_TOOLS])}")
    programs = Path(sys.prefix) / "bin"
    with tempfile.TemporaryDirectory(prefix="kenlm-") as name:
        built = compile_programs(unpack(download(Path(name))), Path(name) / "build")
        for program in PROGRAMS:
            complete = programs / f"{program}.tmp"
            shutil.copy2(built / program, complete)
            complete.replace(programs / program)


def download(folder: Path) -> Path:
    """The source distribution (0.4 MB), through pip, which checks its hash."""
    requirements = folder / "kenlm.txt"
    requirements.write_text(f"kenlm=={VERSION} --hash=sha256:{SHA256}\n")
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "--quiet"]
    # pip runs the build backend for the metadata: the installed setuptools, not one more download
    command += ["--no-deps", "--require-hashes", "--no-binary", "kenlm", "--no-build-isolation"]
    run([*command, "--dest", str(folder), "--requirement", str(requirements)])
    return folder / f"kenlm-{VERSION}.tar.gz"


def unpack(archive: Path) -> Path:
    """Unpack the sources beside the archive and mend what CMake requires."""
    # pinned by its sha256; Python 3.11.2 has no argument `filter`
    with tarfile.open(archive) as tar:
        tar.extraction_filter = getattr(tarfile, "data_filter", None)
        tar.extractall(archive.parent)
    sources = archive.parent / f"kenlm-{VERSION}"
    path = sources / "CMakeLists.txt"
    path.write_text(REQUIRED_BOOST.sub(r"\1\2)", path.read_text()))
    return sources


def compile_programs(sources: Path, build_folder: Path) -> Path:
    """Compile the programs; returns their folder."""
    # CMake 4 refuses projects that name a policy version below 3.5, as older KenLM does; CMake 3
    # ignores the variable. Without the map the build folder would appear in the programs'
    # messages and change their sha256, which manifests record.
    flags = f"-ffile-prefix-map={sources}=kenlm"
    options = [
        f"-DCMAKE_CXX_FLAGS={flags}",
        f"-DCMAKE_C_FLAGS={flags}",
        "-DCMAKE_BUILD_TYPE=Release",
        "-DCMAKE_POLICY_VERSION_MINIMUM=3.10",
        "-DENABLE_INTERPOLATE=OFF",
        "-Wno-dev",
    ]
    run(["cmake", "-S", str(sources), "-B", str(build_folder), *options])
    targets = ["--target", *PROGRAMS, "--parallel", str(BUILD_JOBS)]
    run(["cmake", "--build", str(build_folder), *targets])
    return build_folder / "bin"


def run(command: list[str]) -> None:
    result = subprocess.run(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    if result.returncode != 0:
        raise ToolError(
            f"{result.stdout}\nThis failed (status {result.returncode}): {' '.join(command)}"
        )


def main() -> int:
    print("Building KenLM's programs (two minutes) ...", file=sys.stderr)  # noqa: T201 - a program that talks to a person
    try:
        build()
    except (ToolError, OSError) as error:
        print(f"KenLM could not be built.\n{error}", file=sys.stderr)  # noqa: T201
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
