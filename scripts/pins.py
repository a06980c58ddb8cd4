"""Pins: what a change of the code must keep, or must change on purpose.

    scripts/pins.py check [DIR]      compare with the pins in tests/pins/; the runs stay in DIR
    scripts/pins.py update           rewrite them, and print what moved
    scripts/pins.py against REV      make another revision's results on this machine and compare everything;
                                     files that differ in names only are accepted (scripts/renaming.py)

Pinned are the keys of all stages for the built-in configs, the bytes of artifacts, releases and
evaluations of small runs, and the text of commands. All runs go through the command line, so the
layout of the code is free to change. `update` makes the runs under several linear algebra kernels
and keeps a pin only where all give the same bytes; `against` compares the rest as well. It finds
the first stage that differs in each run.
"""

from __future__ import annotations

import argparse
import contextlib
import difflib
import hashlib
import importlib.metadata
import io
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PINS = ROOT / "tests" / "pins"
SAMPLE = ROOT / "corpora" / "sample"
# Of small books: the sample's own limits for the configs that are meant for large corpora.
_SMALL = "lm.memory=256M contexts.features=2000 contexts.dimensions=50 focus.max_freq=0.001"
STYLES = ("holmes", "scs", "lambada", "scde")
RUNS: Mapping[str, Sequence[str]] = {
    **{style: (f"{style}-style",) for style in STYLES},
    **{f"{style}-seed-2": (f"{style}-style", "--seed", "2") for style in STYLES},
    "pointers": ("holmes-style", "--set", "release.text=pointers"),
    "few-books": (
        "holmes-style", "--source", "sample/train",
        *(part for one in f"{_SMALL} focus.min_count=3 choice.n_questions=30 choice.max_triviality=1.0".split() for part in ("--set", one)),
    ),
    "holmes-2011": (
        "holmes-2011", "--train", "sample/train", "--source", "sample/source",
        *(part for one in f"{_SMALL} focus.min_count=2".split() for part in ("--set", one)),
    ),
}  # fmt: skip
WITH_TWO_WORKERS = [name for name in RUNS if name.startswith(STYLES)]
# Kernels of one processor as other processors have them. None has AVX-512, which only a processor
# with it can run.
KERNELS: Mapping[str, Mapping[str, str]] = {
    "as found": {},
    "without AVX": {
        "OPENBLAS_CORETYPE": "Prescott",
        "NPY_DISABLE_CPU_FEATURES": "X86_V3",
        "BLIS_ARCH_TYPE": "generic",
    },
    "Sandybridge": {
        "OPENBLAS_CORETYPE": "Sandybridge",
        "NPY_DISABLE_CPU_FEATURES": "X86_V3",
        "BLIS_ARCH_TYPE": "sandybridge",
    },
}
PACKAGES = (
    "numpy",
    "scipy",
    "scikit-learn",
    "pyarrow",
    "spacy",
    "pandas",
    "matplotlib",
    "typer",
    "rich",
    "lemminflect",
)

Pins = dict[str, dict[str, str]]  # section -> name -> value


# ---- collecting


def stage_keys() -> dict[str, str]:
    """`config/number label` -> version, seed, settings and fingerprint of each stage of each
    built-in config; nothing is run.
    """
    from cloze_gen.api.run import make_task

    found = {}
    for config in sorted(path.stem for path in (ROOT / "configs").glob("*.toml")):
        sides: dict[str, Any]
        if config.startswith("holmes-few"):
            sides = {"source": str(SAMPLE / "train")}
        elif config.startswith(("holmes", "scs")):
            sides = {"train": str(SAMPLE / "train"), "source": str(SAMPLE / "source")}
        else:
            sides = {"books": str(SAMPLE / "novels")}
        task = make_task(
            config=config,
            name="pins",
            out=Path("artifacts"),
            workers=1,
            seed=1,
            overrides=[],
            **sides,
        )
        for number, stage in enumerate(task.stages(), 1):
            key = stage.key.described()
            settings = json.dumps(key["settings"], sort_keys=True, separators=(",", ":"))
            inputs = "files" if stage.stage == "ingest" else ",".join(sorted(key["inputs"]))
            described = f"version={key['version']} seed={key['seed']} inputs={inputs} {settings}"
            found[f"{config}/{number:02} {stage.label}"] = f"{stage.key.fingerprint} {described}"
    return found


def collect(
    folder: Path, environment: Mapping[str, str], *, workers: int = 1, script: Path = Path(__file__)
) -> Pins:
    """Make all runs in a new folder, and collect what came out; texts stay in `folder/texts` to be
    compared line by line. `script` imports the code: another revision has other modules.
    """
    folder.mkdir(parents=True)
    (folder / "sample").symlink_to(SAMPLE)
    names = RUNS if workers == 1 else WITH_TWO_WORKERS
    for name in names:
        print(f"  {folder.name}: {name}", file=sys.stderr)
        _cloze_gen(
            folder, environment, "run", *RUNS[name], "--name", name, "--workers", str(workers)
        )
    files = {
        key: value
        for name in names
        for key, value in _run_digests(folder / "out" / "runs" / name, name).items()
    }
    if workers > 1:
        return {"files": files}
    for style in STYLES:
        print(f"  {folder.name}: evaluation of {style}", file=sys.stderr)
        _cloze_gen(folder, environment, "evaluate", style, "--workers", "1")
        files |= _evaluation_digests(folder / "out" / "runs" / style, style)
    _python(folder, environment, str(script), "texts", str(folder / "texts"))
    texts = {path.stem: _digest(path.read_bytes()) for path in sorted((folder / "texts").iterdir())}
    return {
        "keys": json.loads((folder / "keys.json").read_text(encoding="utf-8")),
        "files": files,
        "texts": texts,
    }


def _cloze_gen(folder: Path, environment: Mapping[str, str], *arguments: str) -> None:
    _python(folder, environment, "-m", "cloze_gen", *arguments, "--out", "out")


def _python(folder: Path, environment: Mapping[str, str], *arguments: str) -> None:
    done = subprocess.run([sys.executable, *arguments], cwd=folder, env={**os.environ, **environment}, capture_output=True, text=True,
                          check=False)  # fmt: skip
    if done.returncode:
        raise SystemExit(
            f"pins: {' '.join(arguments)} ended with "
            f"{done.returncode}:\n{done.stdout[-2000:]}{done.stderr[-4000:]}"
        )


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


def _run_digests(run: Path, name: str) -> dict[str, str]:
    """`run/number-label` -> digest of all files of the stage; `run/release/file` -> digest of the
    file.
    """
    found = {}
    for link in sorted(path for path in run.iterdir() if path.name[:2].isdigit()):
        files = sorted(path for path in link.resolve().rglob("*") if path.is_file())
        digest = _digest(
            "\n".join(
                f"{path.relative_to(link.resolve())} {_digest(_content(path))}" for path in files
            ).encode()
        )
        found[f"{name}/{link.name}"] = digest
    release = (run / "release").resolve()
    found |= {
        f"{name}/release/{path.relative_to(release)}": _digest(path.read_bytes())
        for path in _files(release)
    }
    return found


def _evaluation_digests(run: Path, name: str) -> dict[str, str]:
    found = {
        f"{name}/evaluation/{path.name}": _digest(_content(path))
        for path in _files((run / "evaluation").resolve())
    }
    return found | {
        f"{name}/evaluated report.html": _digest((run / "release" / "report.html").read_bytes())
    }


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.rglob("*")) if path.is_file())


def _content(path: Path) -> bytes:
    """A file's bytes, but of manifests and evaluations not what names this machine's packages or
    tells times.
    """
    data = path.read_bytes()
    if path.name == "manifest.json":
        manifest = json.loads(data)
        files = dict.fromkeys(manifest["files"])  # their bytes count by themselves
        return json.dumps(
            {**manifest, "files": files, "versions": None, "seal": None}, sort_keys=True
        ).encode()
    return (
        json.dumps(_timeless(json.loads(data)), sort_keys=True).encode()
        if path.name == "evaluation.json"
        else data
    )


def _timeless(value: Any) -> Any:
    """An evaluation without seconds, and without the list of models that this very call trained."""
    if isinstance(value, dict):
        return {
            name: _timeless(one) for name, one in value.items() if name not in {"seconds", "fitted"}
        }
    return [_timeless(one) for one in value] if isinstance(value, list) else value


def write_texts(folder: Path) -> None:
    """What commands print, a file each, and the keys beside the folder; called in the folder that
    holds the runs.
    """
    import typer

    from cloze_gen.cli.app import app

    os.environ.update(COLUMNS="100", TERMINAL_WIDTH="100", NO_COLOR="1")
    folder.mkdir()
    commands = list(_commands(typer.main.get_command(app)))
    calls = {f"help {' '.join(words)}".strip(): [*words, "--help"] for words in commands}
    calls |= {f"settings {style}": ["settings", f"{style}-style"] for style in STYLES}
    calls |= {
        "compare": ["compare", "holmes", "holmes-2011", "--out", "out"],
        "runs": ["runs", "--out", "out"],
    }
    for style in STYLES:
        run = Path("out/runs") / style
        calls |= {
            f"show {style}": ["show", style, "--out", "out"],
            f"explain {style}": ["explain", style, "--out", "out"],
        }
        stages = [
            stage["label"]
            for stage in json.loads((run / "run.json").read_text(encoding="utf-8"))["stages"]
        ]
        calls |= {
            f"show {style} {stage}": ["show", style, stage, "--rows", "2", "--out", "out"]
            for stage in stages
        }
        items = next(
            path
            for path in (run / "release").glob("*s.jsonl")
            if path.name in {"questions.jsonl", "passages.jsonl"}
        )
        ids = [
            json.loads(line)["id"] for line in items.read_text(encoding="utf-8").splitlines()[:2]
        ]
        calls |= {
            f"trace {style} {number}": ["trace", one, "--run", style, "--out", "out"]
            for number, one in enumerate(ids, 1)
        }
    for name, words in calls.items():
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            app(words, prog_name="cloze-gen", standalone_mode=False)
        (folder / f"{name}.txt").write_text(printed.getvalue(), encoding="utf-8")
    (folder.parent / "keys.json").write_text(json.dumps(stage_keys()), encoding="utf-8")


def _commands(command: Any, words: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    yield words
    for name, one in getattr(command, "commands", {}).items():
        yield from _commands(one, (*words, name))


# ---- comparing


def moved(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    """What differs, a line each, in the order of the names: the first of a run is where it begins
    to differ.

    >>> moved({"a/01-x": "1", "a/02-y": "1", "b": "1"}, {"a/01-x": "2", "a/02-y": "1", "c": "1"})
    ['changed: a/01-x', 'gone: b', 'new: c']
    """
    return [
        f"{'new' if name not in before else 'gone' if name not in after else 'changed'}: {name}"
        for name in sorted(before.keys() | after.keys())
        if before.get(name) != after.get(name)
    ]


def moved_keys(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    """As `moved`, of keys: the stages that changed themselves, with both keys, and how many others
    only follow from their inputs.

    >>> moved_keys({"a/01 x": "f1 version=1", "a/02 y": "f2 version=1"}, {"a/01 x": "f3 version=2", "a/02 y": "f4 version=1"})
    ['changed: a/01 x: version=1 -> version=2', '1 more stages follow from their inputs']
    """
    lines, following = [], 0
    for line in moved(before, after):
        name = line.partition(": ")[2]
        own = [values.get(name, "").partition(" ")[2] for values in (before, after)]
        if own[0] == own[1]:
            following += 1
        else:
            lines.append(f"{line}: {own[0]} -> {own[1]}" if all(own) else line)
    return [*lines, f"{following} more stages follow from their inputs"] if following else lines


def read_pins() -> Pins:
    return {
        path.stem: json.loads(path.read_text(encoding="utf-8"))
        for path in sorted(PINS.glob("*.json"))
    }


def environment() -> dict[str, str]:
    """The packages that file formats, texts and numbers depend on, with their versions."""
    return {name: importlib.metadata.version(name) for name in PACKAGES} | {
        "python": "{}.{}".format(*sys.version_info)
    }


def _differences(pinned: Pins, found: Pins) -> list[str]:
    """Between the pins and what was found. What was not pinned, since kernels disagree on it, is no
    difference.
    """
    lines_of = {"keys": moved_keys, "files": moved, "texts": moved}
    return [
        f"{section}: {line}"
        for section, values in found.items()
        for line in lines_of[section](
            pinned.get(section, {}), _without(values, section, pinned.get("varies", {}))
        )
    ]


def _without(values: Mapping[str, str], section: str, varies: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in values.items() if f"{section} {name}" not in varies}


def check(folder: str = "") -> int:
    """Compare with the pins. Status 1 if anything moved, or if one and two workers differ.

    Args:
        folder: where the runs are made and left; empty: they are not kept.
    """
    pinned, packages = read_pins(), environment()
    place: contextlib.AbstractContextManager[str] = (
        contextlib.nullcontext(folder) if folder else tempfile.TemporaryDirectory()
    )
    with place as made, ThreadPoolExecutor(2) as pool:
        one, two = (
            pool.submit(collect, Path(made) / f"{n} workers", {}, workers=n) for n in (1, 2)
        )
        found, others = one.result(), two.result()["files"]
    lines = _differences(pinned, found)
    by_workers = moved({name: found["files"].get(name, "") for name in others}, others)
    lines += [f"one and two workers differ: {line}" for line in by_workers]
    if not lines:
        print(f"pins: {sum(len(pinned[section]) for section in found)} are as pinned")
        return 0
    print("\n".join(lines))
    for name in packages.keys() | pinned["environment"].keys():
        made_with, here = pinned["environment"].get(name), packages.get(name)
        if made_with != here:
            print(f"note: the pins were made with {name} {made_with}, this is {here}")
    print(
        "If the change is intended, run `make pins-update` and say in the commit what moved "
        "and why.\n"
        "`make pins AGAINST=HEAD` shows changed texts line by line. Another processor may "
        "change files too:\n"
        f"the pins were equal with these kernels: {', '.join(KERNELS)}; AVX-512 was not tried."
    )
    return 1


def update() -> int:
    """Make everything under each set of kernels, and pin what is equal under all."""
    with tempfile.TemporaryDirectory() as made, ThreadPoolExecutor(2) as pool:
        runs = [
            pool.submit(collect, Path(made) / name, variables)
            for name, variables in KERNELS.items()
        ]
        first, *others = (run.result() for run in runs)
    varies = {
        f"{section} {name}": ""
        for section, values in first.items()
        for name, value in values.items()
        if any(other[section].get(name) != value for other in others)
    }
    lines = _differences({**read_pins(), "varies": varies}, first)
    pins = {section: _without(values, section, varies) for section, values in first.items()}
    PINS.mkdir(exist_ok=True)
    for section, values in {**pins, "varies": varies, "environment": environment()}.items():
        text = json.dumps(values, indent=0, sort_keys=True) + "\n"
        (PINS / f"{section}.json").write_text(text, encoding="utf-8")
    print("\n".join(lines) or "pins: nothing moved")
    print(
        f"pins: {sum(map(len, pins.values()))} kept; {len(varies)} differ between kernels "
        f"({', '.join(KERNELS)}), so only `make pins AGAINST=REV` compares them"
    )
    return 0


def against(revision: str) -> int:
    """Compare everything with another revision, run with the present packages. Status 1 if anything
    moved.
    """
    with tempfile.TemporaryDirectory() as made, ThreadPoolExecutor(2) as pool:
        place = Path(made)
        tree, package = place / "tree", place / "package"
        tree.mkdir()
        git_archive = ["git", "-C", str(ROOT), "archive", revision]
        archive = subprocess.run(git_archive, check=True, capture_output=True).stdout
        subprocess.run(["tar", "-x", "-C", str(tree)], input=archive, check=True)
        pip = [
            sys.executable,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--no-deps",
            "--no-build-isolation",
        ]
        subprocess.run([*pip, "--target", str(package), str(tree)], check=True)
        runs = [
            pool.submit(
                collect,
                place / "before",
                {"PYTHONPATH": str(package)},
                script=tree / "scripts" / "pins.py",
            ),
            pool.submit(collect, place / "now", {}),
        ]
        before, now = (run.result() for run in runs)
        lines_of = {"keys": moved_keys}
        lines = [
            (section, line)
            for section in now
            for line in lines_of.get(section, moved)(before[section], now[section])
        ]
        for section, line in lines:
            print(f"{section}: {line}")
            if section == "texts":
                print("\n".join(_text_difference(place, line.partition(": ")[2])))
        if any(section == "files" for section, _ in lines):
            outputs = [str(place / side / "out") for side in ("before", "now")]
            renaming = [sys.executable, str(ROOT / "scripts" / "renaming.py"), *outputs]
            if subprocess.run(renaming, check=False).returncode == 0:
                print(f"pins: the files differ from those of {revision} in names only")
                return 0
    if not lines:
        print(f"pins: everything is as at {revision}")
    return 1 if lines else 0


def _text_difference(place: Path, name: str) -> list[str]:
    paths = [place / side / "texts" / f"{name}.txt" for side in ("before", "now")]
    before, now = (
        path.read_text(encoding="utf-8").splitlines() if path.exists() else [] for path in paths
    )
    return list(difflib.unified_diff(before, now, "before", "now", lineterm="", n=0))


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("command", choices=["check", "update", "against", "texts"])
    parser.add_argument(
        "argument", nargs="?", default="", help="against: a revision of git; check: a folder"
    )
    arguments = parser.parse_args()
    if arguments.command == "texts":
        write_texts(Path(arguments.argument))
        return 0
    if arguments.command == "against":
        return against(arguments.argument)
    return check(arguments.argument) if arguments.command == "check" else update()


if __name__ == "__main__":
    sys.exit(main())
