"""Compare the finished runs of two output folders, for example before and after a change.

    python scripts/compare_runs.py OLD NEW [NAME ...]

OLD and NEW are folders as `cloze-gen run --out` writes them. Runs of the same name are compared:
funnels, facts of the stages, items, measured rows, SCDE's classifiers of candidates, LAMBADA's
targets in the context, and the verdict. Times are those of `OUT/NAME.time`, if a run was made under
`/usr/bin/time -f "%e s wall, %U+%S s CPU, %M KiB" -o OUT/NAME.time`; `%M` is the peak of the largest
process. Exit status 1: a run is missing.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

ITEM_FILES = ("questions.jsonl", "passages.jsonl")
IDENTITY = ("id", "tokens", "options", "answer", "text", "passage", "candidates", "set", "part")
WORD = re.compile(r"[\w'-]+")


def load(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def stages(run: Path) -> dict[str, Any]:
    """Manifest of each stage, by the name of its link (`NN-STAGE`) without the number."""
    return {path.name[3:]: load(path / "manifest.json") for path in sorted(run.glob("[0-9]*-*"))}


def flat(value: Any, name: str = "") -> Iterator[tuple[str, float]]:
    """The numbers of nested dicts with dotted names."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from flat(inner, f"{name}.{key}" if name else str(key))
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield name, value


def print_differences(title: str, old: Mapping[str, float], new: Mapping[str, float]) -> None:
    names = dict.fromkeys([*old, *new])
    differing = [name for name in names if old.get(name) != new.get(name)]
    print(f"{title}: {len(names) - len(differing)} of {len(names)} numbers equal")
    for name in differing:
        print(f"  {name}: {old.get(name, '-')} -> {new.get(name, '-')}")


def print_stages(old: Mapping[str, Any], new: Mapping[str, Any]) -> None:
    for name in dict.fromkeys([*old, *new]):
        if name not in old or name not in new:
            print(f"stage {name}: only in {'NEW' if name in new else 'OLD'}")
            continue
        for part in ("funnel", "facts"):
            before, after = (dict(flat(side[name].get(part, {}))) for side in (old, new))
            if before or after:
                print_differences(f"{part} of {name}", before, after)


def items(run: Path) -> list[dict[str, Any]]:
    for name in ITEM_FILES:
        path = run / "release" / name
        if path.exists():
            return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return []


def identity(item: Mapping[str, Any]) -> str:
    """What makes two items equal; the order of the options does not count."""
    parts = {key: item[key] for key in IDENTITY if key in item}
    if "options" in parts:
        parts["options"] = sorted(parts["options"])
    return json.dumps(parts, sort_keys=True)


def print_items(old: list[dict[str, Any]], new: list[dict[str, Any]]) -> None:
    equal = (Counter(map(identity, old)) & Counter(map(identity, new))).total()
    share = equal / max(len(old), len(new), 1)
    print(f"items: {len(old)} -> {len(new)}, equal {equal} ({share:.1%})")
    for name, side in (("old", old), ("new", new)):
        targets = [item for item in side if "target" in item]
        inside = sum(item["target"] in WORD.findall(item["context"]) for item in targets)
        if targets:
            print(f"  target in the context, {name}: {inside / len(targets):.1%}")


def print_rows(old: Mapping[str, Any], new: Mapping[str, Any]) -> None:
    """Measured rows: NEW inside OLD's interval or not."""
    before, after = (
        {(row["name"], row["method"].partition(", best of")[0]): row for row in side["measured"]}
        for side in (old, new)
    )
    equal = 0
    for key in dict.fromkeys([*before, *after]):
        if key not in before or key not in after:
            print(f"  row {', '.join(key)}: only in {'NEW' if key in after else 'OLD'}")
            continue
        a, b = before[key], after[key]
        if a["accuracy"] == b["accuracy"]:
            equal += 1
            continue
        figures = f"{a['accuracy']:.4f} ({a['low']:.4f} to {a['high']:.4f}) -> {b['accuracy']:.4f}"
        place = "inside" if a["low"] <= b["accuracy"] <= a["high"] else "OUTSIDE"
        print(f"  row {', '.join(key)}: {figures}, {place}")
    print(f"measured rows: {len(before)} -> {len(after)}, equal {equal}")
    for a, b in zip(old["verdict"], new["verdict"], strict=False):
        print(f"  {a}" if a == b else f"  old {a}\n  new {b}")


def classifiers(run: Path) -> dict[str, float]:
    """SCDE: how well classifiers tell distractors from the passage's own sentences."""
    rows = load(run / "evaluation" / "evaluation.json").get("candidates", {}).get("classifiers", [])
    return {f"{row['name']}, {row['input']}: AUC": row["auc"] for row in rows}


def compare(name: str, old: Path, new: Path) -> bool:
    print(f"\n== {name}")
    folders = old / "runs" / name, new / "runs" / name
    if not all((folder / "release" / "release.json").exists() for folder in folders):
        print("not finished in both folders")
        return False
    for side, out in (("old", old), ("new", new)):
        for path in (out / f"{name}.time", out / f"eval-{name}.time"):
            if path.exists():
                print(f"{path.stem}, {side}: {path.read_text(encoding='utf-8').strip()}")
    print_stages(*(stages(folder) for folder in folders))
    print_items(*(items(folder) for folder in folders))
    print_rows(*(load(folder / "release" / "release.json") for folder in folders))
    print_differences("classifiers of candidates", *(classifiers(folder) for folder in folders))
    return True


def main() -> int:
    parser = argparse.ArgumentParser(description="Compare finished runs of two output folders.")
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("names", nargs="*", help="runs to compare; default: all of OLD")
    args = parser.parse_args()
    names = args.names or sorted(path.name for path in (args.old / "runs").iterdir())
    finished = [compare(name, args.old, args.new) for name in names]
    return 0 if all(finished) else 1


if __name__ == "__main__":
    sys.exit(main())
