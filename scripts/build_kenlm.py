"""Build KenLM's `lmplz`, `build_binary` and `query` into this environment's `bin`.

The `kenlm` wheel holds only the Python module, its source distribution everything. Version and sha256 come from
requirements.lock, so the programs and the Python module are always the same KenLM, and pip itself refuses other bytes. Run with
the environment's own Python, after its dependencies are installed and `system_tools.py` has passed. Does nothing when the
programs built from the same sources still stand there unchanged.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

PROGRAMS = ("lmplz", "build_binary", "query")
LOCK = Path(__file__).resolve().parents[1] / "requirements.lock"
BIN = Path(sys.prefix) / "bin"
STAMP = Path(sys.prefix) / "share" / "cloze-gen" / "kenlm.json"
BUILD_JOBS = 2  # a compiler process takes up to 0.5 GB on these sources

# KenLM asks for two Boost components that none of the three programs needs: `unit_test_framework` is another package, and
# `system` has been header-only since Boost 1.69 and is gone in 1.89, where asking for it is an error.
BOOST_ASKED = re.compile(
    r"(find_package\(Boost [\d.]+ REQUIRED COMPONENTS\s+program_options)\s+system(\s+thread)\s+unit_test_framework\s*\)"
)


class BuildError(Exception):
    """The programs cannot be built; the message says why and what to do."""


def read_pin(lock_text: str) -> tuple[str, list[str]]:
    """Version and allowed sha256 sums of `kenlm` in a hashed requirements file.

    >>> read_pin("jinja2==3.1\\nkenlm==0.3.0 \\\\\\n    --hash=sha256:c4 \\\\\\n    --hash=sha256:d5\\nluigi==3 --hash=sha256:e6")
    ('0.3.0', ['c4', 'd5'])
    """
    entry = re.search(r"^kenlm==(\S+)((?:\s*\\?\s*--hash=sha256:[0-9a-f]+)+)", lock_text, re.MULTILINE)
    if entry is None:
        raise BuildError(f"{LOCK}: no hashed entry for kenlm; make the file anew with `make lock`")
    return entry[1], re.findall(r"sha256:([0-9a-f]+)", entry[2])


def file_sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def is_built(version: str, allowed: list[str]) -> bool:
    """Whether the stamp names these sources and the programs beside it are the ones it was written for, and start."""
    try:
        stamp = json.loads(STAMP.read_text())
        same = stamp["version"] == version and stamp["sdist_sha256"] in allowed
        if not same or any(file_sha256(BIN / name) != stamp["programs"][name] for name in PROGRAMS):
            return False
    except (OSError, ValueError, KeyError):
        return False
    # A Boost that was upgraded away leaves programs that cannot be loaded.
    answer = subprocess.run([BIN / "lmplz", "--help"], capture_output=True, text=True, check=False)
    return "Builds unpruned language models" in answer.stderr


def fetch_sources(version: str, allowed: list[str], folder: Path) -> Path:
    """Download the source distribution through pip (its index, proxy and certificate settings hold) and check its sha256."""
    wanted = folder / "kenlm.txt"
    wanted.write_text(f"kenlm=={version} " + " ".join(f"--hash=sha256:{digest}" for digest in allowed) + "\n")
    # pip asks a source distribution for its metadata; without isolation it does so with the locked setuptools.
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--require-hashes", "--no-deps", "--no-binary", "kenlm"]
    run([*command, "--no-build-isolation", "--dest", str(folder), "--requirement", str(wanted)])
    archive = next(iter(sorted(folder.glob("kenlm-*.tar.gz"))), None)
    if archive is None or file_sha256(archive) not in allowed:
        raise BuildError(f"kenlm {version}: pip delivered no source distribution with the locked sha256")
    return archive


def unpack(archive: Path, folder: Path) -> Path:
    with tarfile.open(archive) as tar:
        tar.extractall(folder, filter="data")
    sources = folder / archive.name.removesuffix(".tar.gz")
    recipe = sources / "CMakeLists.txt"
    text, changed = BOOST_ASKED.subn(r"\1\2)", recipe.read_text())
    if changed != 1:
        raise BuildError(
            f"{archive.name}: its CMakeLists.txt asks for Boost in another way than 0.3.0 does; look at BOOST_ASKED in {__file__}"
        )
    recipe.write_text(text)
    return sources


def compile_programs(sources: Path, build: Path) -> None:
    # CMake 4 refuses projects that name a policy version below 3.5, as older KenLM does; CMake 3 ignores the variable.
    # Without the map the folder of this build would stand in the programs' messages and change their sha256, which manifests record.
    flags = f"-ffile-prefix-map={sources}=kenlm"
    options = [f"-DCMAKE_CXX_FLAGS={flags}", f"-DCMAKE_C_FLAGS={flags}"]
    options += ["-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_POLICY_VERSION_MINIMUM=3.10", "-DENABLE_INTERPOLATE=OFF", "-Wno-dev"]
    run(["cmake", "-S", str(sources), "-B", str(build), *options])
    run(["cmake", "--build", str(build), "--target", *PROGRAMS, "--parallel", str(BUILD_JOBS)])


def install(built: Path, version: str, sdist_sha256: str) -> None:
    """Move the programs into `bin`, each whole or not at all, and write the stamp last."""
    STAMP.parent.mkdir(parents=True, exist_ok=True)
    STAMP.unlink(missing_ok=True)
    for name in PROGRAMS:
        temporary = BIN / f".{name}.{os.getpid()}.tmp"
        shutil.copy2(built / name, temporary)
        temporary.replace(BIN / name)
    programs = {name: file_sha256(BIN / name) for name in PROGRAMS}
    stamp = {"version": version, "sdist_sha256": sdist_sha256, "programs": programs}
    STAMP.write_text(json.dumps(stamp, indent=2, sort_keys=True) + "\n")


def run(command: list[str]) -> None:
    """Run quietly; on failure show everything the command said."""
    answer = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
    if answer.returncode != 0:
        raise BuildError(f"{answer.stdout}\nFailed (status {answer.returncode}): {' '.join(command)}")


def main() -> int:
    if sys.prefix == sys.base_prefix:
        print("build_kenlm.py installs beside the Python that runs it: use a virtual environment's (make kenlm does).", file=sys.stderr)
        return 2
    try:
        version, allowed = read_pin(LOCK.read_text())
        if is_built(version, allowed):
            print(f"KenLM {version} is built already: {BIN}", file=sys.stderr)
            return 0
        print(f"Building {', '.join(PROGRAMS)} of KenLM {version} (two minutes) ...", file=sys.stderr)
        with tempfile.TemporaryDirectory(prefix="kenlm-") as folder:
            archive = fetch_sources(version, allowed, Path(folder))
            sources = unpack(archive, Path(folder))
            compile_programs(sources, Path(folder) / "build")
            install(Path(folder) / "build" / "bin", version, file_sha256(archive))
    except (BuildError, OSError) as error:
        print(f"lmplz could not be built.\n{error}", file=sys.stderr)
        return 1
    print(f"Built: {BIN / 'lmplz'}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
