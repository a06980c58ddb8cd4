"""Defaults of the settings that each stage reads, pinned in `tests/pins/defaults.json`.

    scripts/defaults.py update    write the file; refuse a changed default without a new version

A fingerprint leaves out a setting at its default. So a changed default needs a new version of the
stage: otherwise the stage takes an old artifact for a new one. A new setting needs no new version.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from cloze_gen.corpus.ingest import BOOK_VERSION
from cloze_gen.corpus.parse_book import IngestSettings
from cloze_gen.pipelines.style_task import StyleTask, find_style, style_names
from cloze_gen.settings import class_defaults

FILE = Path(__file__).resolve().parents[1] / "tests" / "pins" / "defaults.json"
RENEW = "python scripts/defaults.py update"
Stages = Mapping[str, Mapping[str, Any]]


def stage_defaults() -> dict[str, dict[str, Any]]:
    """`module/stage` -> ``version``, and ``defaults`` of every setting that it reads."""
    found: dict[str, dict[str, Any]] = {
        "corpus/book": {"version": BOOK_VERSION, "defaults": class_defaults(IngestSettings)}
    }
    shared = list(_stages("corpus"))
    for style in style_names():
        module = style.replace("-", "_")
        model = find_style(style).settings
        for stage in (*shared, *_stages(module)):
            groups = {name.partition(".")[0] for name in stage.also_reads.values()}
            if not groups | ({stage.group} if stage.group else set()) <= model.model_fields.keys():
                continue  # a style without this stage
            name = f"{stage.__module__.rpartition('.')[2]}/{stage.stage}"
            known = found.setdefault(name, {"version": stage.version, "defaults": {}})
            defaults = stage.defaults_of(model)
            other = [
                key
                for key in defaults
                if known["defaults"].get(key, defaults[key]) != defaults[key]
            ]
            if other or known["version"] != stage.version:
                raise ValueError(
                    f"{name}: styles share this stage, but {', '.join(other) or 'its version'} "
                    f"has another default in {style}. Give the field one default in its class, "
                    "and let the style set another value."
                )
            known["defaults"] |= defaults
    return found


def _stages(module: str) -> Iterator[type[StyleTask]]:
    loaded = importlib.import_module(f"cloze_gen.pipelines.{module}")
    stages = (
        value
        for value in vars(loaded).values()
        if isinstance(value, type) and value.__module__ == loaded.__name__
    )
    yield from (one for one in stages if issubclass(one, StyleTask) and hasattr(one, "stage"))


def forgotten(pinned: Stages, found: Stages) -> list[str]:
    """A sentence for each default that changed, and each setting that is gone, while the version
    of its stage is the same.
    """
    lines = []
    for stage in sorted(pinned.keys() & found.keys()):
        before, now = pinned[stage], found[stage]
        if before["version"] != now["version"]:
            continue
        for name, value in sorted(before["defaults"].items()):
            if name not in now["defaults"]:
                change = f"the setting {name} is gone"
            elif now["defaults"][name] != value:
                change = (
                    f"the default of {name} changed from {value!r} to {now['defaults'][name]!r}"
                )
            else:
                continue
            lines.append(
                f"{stage}: {change}, but the version is still {now['version']}. Raise the "
                f"`version` of the stage, then run `{RENEW}`."
            )
    return lines


def read_pinned() -> dict[str, dict[str, Any]]:
    return dict(json.loads(FILE.read_text(encoding="utf-8"))) if FILE.exists() else {}


def update() -> int:
    found = json.loads(json.dumps(stage_defaults()))
    lines = forgotten(read_pinned(), found)
    if lines:
        print("\n".join(lines))
        return 1
    FILE.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    print(f"{FILE.name}: {len(found)} stages")
    return 0


if __name__ == "__main__":
    if sys.argv[1:] != ["update"]:
        raise SystemExit(__doc__)
    raise SystemExit(update())
