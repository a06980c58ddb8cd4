"""Lock the dependencies for every supported Python at once: `make lock` (with `LOCK_ARGS=--upgrade`
to move everything on).

    python scripts/lock.py [OPTION OF uv pip compile ...]

Writes four files beside pyproject.toml, which name no index and no host; the index is the one that
uv is set to.

- `requirements.lock`: one resolution with markers, so that each Python gets the newest versions
  that are made for it.
- `requirements-build.lock`: what builds kenlm and the project itself, without isolation.
- `requirements.files.tsv`: the file that each supported Python and machine takes of each package,
  by which `tests/test_lock.py` tells, without a network, that none is left without one. Packages in
  `SOURCES` are built.

- `requirements-release.lock`: the programs that `scripts/check_release.py` opens releases with, for
  an environment of their own.

Run with a Python that has `uv` and `packaging`; `make lock` makes one.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from packaging.markers import Marker
from packaging.tags import Tag, compatible_tags, cpython_tags, mac_platforms
from packaging.utils import parse_wheel_filename

ROOT = Path(__file__).resolve().parents[1]
LOCK, BUILD_LOCK, FILES = (
    ROOT / "requirements.lock",
    ROOT / "requirements-build.lock",
    ROOT / "requirements.files.tsv",
)
RELEASE_LOCK = ROOT / "requirements-release.lock"
PYTHONS = ((3, 11), (3, 12), (3, 13), (3, 14), (3, 15))
# The oldest systems in use that have one of these Pythons or can get it: glibc 2.28 (RHEL 8, Debian
# 10) and macOS 14, which NumPy's and PyArrow's files ask for.
MACHINES = ("linux-x86_64", "linux-aarch64", "macos-arm64")
SOURCES = frozenset({"kenlm"})
EXTRAS = ("--extra", "test", "--extra", "docs")
BUILDERS = ("setuptools>=77", "wheel", "cython>=3.1")
# Who reads releases; nothing of ours imports them but a program that CI calls. Versions: the first
# that the formats were tried with.
READERS = (
    "lm-eval>=0.4.13",
    "datasets>=5.2",
    "mlcroissant>=1.1.1",
    "inspect-ai>=0.3.285",
    "tokenizers>=0.23",
    "pyyaml>=6",
)
# `[tool.uv] environments` leaves out the packages that Windows or PyPy alone need, and writes these
# conditions behind all others.
EVERYWHERE = (
    "(sys_platform == 'darwin' or sys_platform == 'linux')",
    "platform_python_implementation == 'CPython'",
)


def machine_tags(python: tuple[int, int], machine: str) -> list[Tag]:
    """Tags of the files that this Python installs on this machine, best first."""
    if machine == "macos-arm64":
        platforms = list(mac_platforms((14, 0), "arm64"))
    else:
        architecture = machine.removeprefix("linux-")
        platforms = [f"manylinux_2_{minor}_{architecture}" for minor in range(28, 16, -1)] + [
            f"manylinux2014_{architecture}"
        ]
        platforms += (
            ["manylinux1_x86_64"] if architecture == "x86_64" else []
        )  # older than the others; Playwright's file is so
    interpreter = f"cp{python[0]}{python[1]}"
    return [
        *cpython_tags(python, platforms=platforms),
        *compatible_tags(python, interpreter=interpreter, platforms=platforms),
    ]


def environment(python: tuple[int, int], machine: str) -> dict[str, str]:
    """What a marker asks of such a machine."""
    version = f"{python[0]}.{python[1]}"
    mac = machine.startswith("macos")
    return {
        "implementation_name": "cpython",
        "implementation_version": f"{version}.0",
        "os_name": "posix",
        "platform_machine": machine.split("-")[1],
        "platform_python_implementation": "CPython",
        "platform_system": "Darwin" if mac else "Linux",
        "python_full_version": f"{version}.0",
        "python_version": version,
        "sys_platform": "darwin" if mac else "linux",
    }


def best_file(names: Sequence[str], tags: Sequence[Tag]) -> str | None:
    """The wheel that pip takes, of several of one version.

    >>> names = ["a-1-cp311-cp311-manylinux_2_28_x86_64.whl", "a-1-cp39-abi3-manylinux_2_17_x86_64.whl", "a-1-cp311-cp311-win_amd64.whl"]
    >>> [best_file(names, machine_tags(python, "linux-x86_64")) for python in ((3, 11), (3, 12))] == names[:2]
    True
    >>> best_file(names, machine_tags((3, 11), "macos-arm64"))
    """
    rank = {tag: place for place, tag in enumerate(tags)}
    ranked = [
        (
            min((rank[tag] for tag in parse_wheel_filename(name)[3] if tag in rank), default=None),
            name,
        )
        for name in names
    ]
    fitting = [(place, name) for place, name in ranked if place is not None]
    return min(fitting)[1] if fitting else None


def chosen_files(packages: Sequence[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    """(file name, sha256) of what the supported Pythons and machines take, from the packages of a
    `pylock.toml`.
    """
    for package in packages:
        digests = {
            wheel["url"].rsplit("/", 1)[1]: wheel["hashes"]["sha256"]
            for wheel in package.get("wheels", ())
        }
        chosen = {
            best_file(list(digests), machine_tags(python, machine))
            for python in PYTHONS
            for machine in MACHINES
            if "marker" not in package
            or Marker(package["marker"]).evaluate(environment(python, machine))
        }
        yield from (
            (name, digests[name]) for name in sorted(name for name in chosen if name is not None)
        )


def compile_lock(arguments: Sequence[str], *, given: str | None = None) -> None:
    """Run `uv pip compile` for all Pythons at once; the existing file's versions are kept where
    they still serve.

    Raises:
        CalledProcessError: uv found no solution; it has said why.
    """
    command = [
        sys.executable,
        "-m",
        "uv",
        "pip",
        "compile",
        "--quiet",
        "--universal",
        "--python-version",
        ".".join(map(str, PYTHONS[0])),
    ]
    command += ["--generate-hashes", "--no-header", "--no-annotate", *arguments]
    subprocess.run(command, check=True, cwd=ROOT, input=given, text=True, stdout=subprocess.DEVNULL)


def simplify(lock_text: str) -> str:
    """The lock without the conditions that hold on every system it was resolved for.

    >>> print(simplify(f"a==1 ; {' and '.join(EVERYWHERE)} --hash=x\\nb==1 ; python_full_version < '3.12' and {EVERYWHERE[0]} --hash=y"))
    a==1 --hash=x
    b==1 ; python_full_version < '3.12' --hash=y
    """
    for condition in EVERYWHERE:
        lock_text = (
            lock_text.replace(f" and {condition}", "")
            .replace(f" ; {condition} and ", " ; ")
            .replace(f" ; {condition}", "")
        )
    return lock_text


def main(options: Sequence[str]) -> int:
    compile_lock([*options, *EXTRAS, "--output-file", LOCK.name, "pyproject.toml"])
    compile_lock(
        [*options, "--constraint", LOCK.name, "--output-file", BUILD_LOCK.name, "-"],
        given="\n".join(BUILDERS),
    )
    compile_lock([*options, "--output-file", RELEASE_LOCK.name, "-"], given="\n".join(READERS))
    with tempfile.TemporaryDirectory() as folder:
        every = Path(folder) / "pylock.toml"
        asked = [
            "--constraint",
            LOCK.name,
            "--constraint",
            BUILD_LOCK.name,
            *EXTRAS,
            "pyproject.toml",
            "-",
        ]
        compile_lock(
            ["--format", "pylock.toml", *asked, "--output-file", str(every)],
            given="\n".join(BUILDERS),
        )
        packages = tomllib.loads(every.read_text(encoding="utf-8"))["packages"]
    for path in (LOCK, BUILD_LOCK, RELEASE_LOCK):
        path.write_text(simplify(path.read_text(encoding="utf-8")), encoding="utf-8")
    rows = sorted(f"{name}\t{digest}\n" for name, digest in chosen_files(packages))
    FILES.write_text("file\tsha256\n" + "".join(rows), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
