"""Proves that two output folders differ in names only.

    scripts/renaming.py OLD NEW

OLD and NEW are output folders (`--out`) with the same runs: OLD from cloze-gen 0.1, NEW from 0.2.
The program maps the names of OLD by `cloze_gen.renamed`, and compares every file of the store, the
runs, the releases and the evaluations. Status 1, with the first differences, if others remain.

- Artifacts are paired by number and label of their stage in `run.json`, then by their content. How
  a fingerprint is computed plays no role. Fingerprints, signatures, canaries, versions and digests
  of files are replaced by their counterparts.
- Checksums are recomputed: each side's must be those of its own files.
- Rows and list items in another order are accepted and counted.
- Not compared: `NOT_COMPARED` and prose (`PROSE_FILES`, `PROSE_KEYS`, `PROSE_LINE`).
- Settings of a stage are compared where both sides record them.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from cloze_gen import renamed

MANIFEST, SUMS = "manifest.json", "SHA256SUMS"
PROSE_FILES = {"README.md", "report.html"}
# Keys of JSON files with text for readers.
PROSE_KEYS = {
    "release.json": {"notes", "evaluated", "method", "tables", "judged", "paper"},
    "evaluation.json": {"note", "left_out", "source"},
    "croissant.json": {"description", "citeAs"},
}
PROSE_LINE = re.compile(r"\s*#|\s*(description|abstract|message|title|doc_to_\w+_note)\b|.*\"\"\"")
# Keys of JSON files that name a time, a package or the way a fingerprint is computed.
NOT_COMPARED = {
    "seconds", "fitted", "versions", "version", "schema_version", "format_version", "release_format",
    "seal", "checksum", "fingerprint", "fingerprinted", "bytes", "sha256", "md5", "contentSize", "at",
}  # fmt: skip
_SET = re.compile(r"\|set:([0-9a-f]+)")
_SHORT = 8  # digits of a fingerprint in a signature
_HEX = re.compile(r"(?<![0-9A-Za-z])[0-9a-f]{8,64}(?![0-9A-Za-z])")
_MOST_SHOWN = 40

# Plain words are names only as keys, or as values of these keys.
_ROW_KEYS = {"name", "baseline", "score"}
_PLAIN_KEYS = {**renamed.FIELDS, **renamed.REASONS}
# All others are names wherever they occur: no text of a book has them.
_NAMES = {
    old: new
    for table in (renamed.SETTINGS, renamed.REASONS, renamed.ROWS, renamed.FIELDS, renamed.FILES)
    for old, new in table.items()
    if not old.isalpha()
}
_NAME = re.compile(
    rf"(?<![\w-])({'|'.join(map(re.escape, sorted(_NAMES, key=len, reverse=True)))})(?![\w-])"
)
# The keys of settings as a stage records them, without their group.
_STAGE_SETTINGS = {
    old.partition(".")[2]: new.partition(".")[2] for old, new in renamed.SETTINGS.items()
} | {"cbow_rate": "cbow_learning_rate"}


class Comparison:
    """What was found so far, and what the values of OLD are in NEW."""

    def __init__(self) -> None:
        self.counterpart: dict[str, str] = {}  # of fingerprints and digests
        self.phrases: dict[str, str] = {}  # of signatures, canaries and versions
        self.differences: list[str] = []
        self.equal: Counter[str] = Counter()
        self.notes: Counter[str] = Counter()

    # ---- mapping

    def text(self, text: str) -> str:
        """A text of OLD with the names of NEW."""
        for old, new in self.phrases.items():
            text = text.replace(old, new)
        text = _HEX.sub(lambda found: self.counterpart.get(found[0], found[0]), text)
        return _NAME.sub(lambda found: _NAMES[found[0]], text)

    def value(self, value: Any, key: str = "") -> Any:
        """A value of JSON or Arrow of OLD with the names of NEW."""
        if isinstance(value, Mapping):
            return (
                self._settings(value)
                if key == "settings"
                else {
                    self.text(_PLAIN_KEYS.get(name) or name): self.value(one, name)
                    for name, one in value.items()
                }
            )
        if isinstance(value, list | tuple):
            return [self.value(one, key) for one in value]
        if not isinstance(value, str):
            return value
        if _is_object(value):
            return value
        return renamed.ROWS.get(value) or self.text(value) if key in _ROW_KEYS else self.text(value)

    def _settings(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name, one in settings.items():
            if not isinstance(one, Mapping) or name not in _GROUPS:
                new = renamed.SETTINGS.get(name) or _STAGE_SETTINGS.get(name, name)
                found[new] = self._settings(one) if isinstance(one, Mapping) else self.value(one)
                continue
            for key, value in one.items():
                group, _, new = renamed.SETTINGS.get(f"{name}.{key}", f"{name}.{key}").partition(
                    "."
                )
                found.setdefault(group, {})[new] = self.value(value)
        return found

    # ---- comparing

    def differ(self, where: str, old: Any, new: Any) -> None:
        self.differences.append(f"{where}: {_short(old)} -> {_short(new)}")

    def pair(self, old: str, new: str) -> None:
        """Note that a value of OLD is another one in NEW."""
        if len(old) == len(new) == 16 and _HEX.fullmatch(old):
            self.counterpart[old[:_SHORT]] = new[:_SHORT]
        self.counterpart[old] = new

    def json(self, old: Any, new: Any, *, where: str, file: str) -> None:
        """Compare mapped values of OLD with those of NEW."""
        if isinstance(old, dict) and isinstance(new, dict):
            skipped = NOT_COMPARED | PROSE_KEYS.get(file, set())
            for name in sorted(old.keys() | new.keys()):
                if name in skipped or name.startswith("rai:"):
                    if name in PROSE_KEYS.get(file, ()) or name.startswith("rai:"):
                        self.notes[f"prose, not compared: {file} {name}"] += 1
                elif name in old and name in new:
                    self.json(old[name], new[name], where=f"{where} {name}", file=file)
                elif where.endswith(" settings"):
                    self.notes[f"setting on one side only: {file} {name}"] += 1
                else:
                    self.differ(f"{where} {name}", old.get(name), new.get(name))
        elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
            rows, others = ([_canonical(one) for one in some] for some in (old, new))
            if rows != others and sorted(rows) == sorted(others):
                self.notes[f"in another order: {file}"] += 1
            if sorted(rows) == sorted(others):
                return
            for number, (one, other) in enumerate(zip(old, new, strict=True)):
                self.json(one, other, where=f"{where} {number}", file=file)
        elif _is_object(old) and _is_object(new):  # settings, as croissant.json has them
            settings = self._settings(json.loads(old))
            self.json(settings, json.loads(new), where=f"{where} settings", file=file)
        elif _canonical(old) != _canonical(new):  # NaN equals NaN
            self.differ(where, old, new)

    def files(self, old: Path, new: Path, *, where: str) -> None:
        """Compare two files of the same mapped name."""
        before = len(self.differences)
        kind, name = old.suffix, old.name
        if name in PROSE_FILES:
            self.notes[f"prose, not compared: {name}"] += 1
            return
        if name == SUMS:
            self._sums(old, new, where)
        elif kind == ".json":
            self._json_file(old, new, where)
        elif kind == ".jsonl":
            self._rows(_lines(old), _lines(new), where, name)
        elif kind == ".parquet":
            self._parquet(old, new, where)
        elif kind == ".tsv":
            self._rows(_tsv(old), _tsv(new), where, name)
        elif kind in {".yaml", ".py", ".cff", ".txt"}:
            self._text_file(old, new, where)
        elif old.read_bytes() != new.read_bytes():
            self.differ(where, f"{old.stat().st_size} bytes", f"{new.stat().st_size} other bytes")
        if len(self.differences) == before:
            self.equal[kind or name] += 1

    def _json_file(self, old: Path, new: Path, where: str) -> None:
        values = [json.loads(path.read_text(encoding="utf-8")) for path in (old, new)]
        if old.name == MANIFEST:
            for path, value in zip((old, new), values, strict=True):
                self.differences += stale_checksums(path.parent, value["files"])
        self.json(self.value(values[0]), values[1], where=where, file=old.name)

    def _rows(self, old: list[Any], new: list[Any], where: str, file: str) -> None:
        if len(old) != len(new):
            self.differ(where, f"{len(old)} rows", f"{len(new)} rows")
            return
        self.json([self.value(row) for row in old], new, where=where, file=file)

    def _parquet(self, old: Path, new: Path, where: str) -> None:
        tables = [pq.read_table(path) for path in (old, new)]
        columns, others = (
            [(field.name, str(field.type)) for field in table.schema] for table in tables
        )
        columns = [(self.text(_PLAIN_KEYS.get(name, name)), kind) for name, kind in columns]
        if columns != others or tables[0].num_rows != tables[1].num_rows:
            self.differ(where, columns, others)
            return
        if tables[0].equals(tables[1]):
            return
        rows = [table.to_pylist() for table in tables]
        self._rows(rows[0], rows[1], where, new.name)

    def _text_file(self, old: Path, new: Path, where: str) -> None:
        texts = [path.read_text(encoding="utf-8") for path in (old, new)]
        if texts[0] == texts[1]:
            return
        lines, others = self.text(texts[0]).split("\n"), texts[1].split("\n")
        if old.suffix != ".txt":
            found = [[one for one in some if not PROSE_LINE.match(one)] for some in (lines, others)]
            if lines != others and found[0] == found[1]:
                self.notes[f"prose, not compared: lines of {old.name}"] += 1
            lines, others = found
        if len(lines) != len(others):
            self.differ(where, f"{len(lines)} lines", f"{len(others)} lines")
        for one, other in zip(lines, others, strict=False):
            if one != other:
                self.differ(where, one, other)
                return

    def _sums(self, old: Path, new: Path, where: str) -> None:
        names = []
        for path in (old, new):
            found = dict(line.split("  ", 1)[::-1] for line in path.read_text().splitlines())
            self.differences += [
                f"{path}: not the checksum of {name}"
                for name, digest in found.items()
                if _digest(path.parent / name) != digest
            ]
            names.append(sorted(found))
        self.json(sorted(map(self.text, names[0])), names[1], where=where, file=SUMS)

    def folders(self, old: Path, new: Path, *, where: str) -> None:
        """Compare all files below two folders."""
        before = {self.file_name(name): path for name, path in files_below(old).items()}
        after = files_below(new)
        for name in sorted(before.keys() | after.keys()):
            if name not in before or name not in after:
                self.differ(f"{where}/{name}", name in before, name in after)
            else:
                self.files(before[name], after[name], where=f"{where}/{name}")

    def file_name(self, name: str) -> str:
        return "/".join(renamed.FILES.get(part, self.text(part)) for part in name.split("/"))


_GROUPS = {
    "alternates", "assembly", "blanks", "books", "cache", "choice", "coherence", "committee",
    "contexts", "control", "cross_fitting", "distractors", "focus", "forward", "grooming", "guessing",
    "held_out", "impostors", "inflections", "ingest", "lm", "networks", "overlap", "partition",
    "passages", "places", "questions", "ranking", "release", "rivals", "screening", "sentences",
    "tagger", "triggers", "vocabulary",
}  # fmt: skip


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, default=str)
    return text if len(text) <= 120 else f"{text[:117]}..."


def _is_object(value: Any) -> bool:
    return isinstance(value, str) and value.startswith('{"') and value.endswith("}")


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=str)


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


def _lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


def _tsv(path: Path) -> list[Any]:
    header, *rows = (
        line.split("\t") for line in path.read_text(encoding="utf-8").split("\n") if line
    )
    return [dict(zip(header, row, strict=True)) for row in rows]


def files_below(folder: Path) -> dict[str, Path]:
    """Name -> path of the files below a folder, without what lies behind links."""
    return {
        path.relative_to(folder).as_posix(): path
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_symlink()
    }


def stale_checksums(folder: Path, files: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Files of a manifest that do not have the digest that it records."""
    return [
        f"{folder}: not the checksum of {name}"
        for name, facts in files.items()
        if (folder / name).is_file() and facts["sha256"] != _digest(folder / name)
    ]


# ---- pairing


def stage_of(folder: Path) -> str:
    return folder.name.rpartition("-")[0]


def pair_stages(comparison: Comparison, old: Path, new: Path) -> dict[str, str]:
    """Pair the stages of two runs; the store folders of OLD -> those of NEW."""
    found = {}
    runs = [json.loads((run / "run.json").read_text(encoding="utf-8")) for run in (old, new)]
    before, after = ({(one["number"], one["label"]): one for one in run["stages"]} for run in runs)
    if before.keys() != after.keys():
        comparison.differ(f"runs/{old.name} stages", sorted(before), sorted(after))
    for place in before.keys() & after.keys():
        one, other = before[place], after[place]
        comparison.pair(one["fingerprint"], other["fingerprint"])
        found[one["folder"].split("/")[0]] = other["folder"].split("/")[0]
    records = [
        json.loads((run / "release" / "release.json").read_text(encoding="utf-8"))
        for run in (old, new)
    ]
    for name in ("signature", "canary"):
        if records[0].get(name) and records[1].get(name):
            comparison.phrases[records[0][name]] = records[1][name]
    versions = [one["version"] for one in records]
    for head, tail in (("cloze-gen ", ""), ("|v:", "|"), ("", "+set.")):
        was, now = (f"{head}{version}{tail}" for version in versions)
        comparison.phrases[was] = now
    sets = [_SET.search(one["signature"]) for one in records]
    if sets[0] and sets[1]:
        comparison.counterpart[sets[0][1]] = sets[1][1]
    return found


def pair_others(
    comparison: Comparison, old: Path, new: Path, known: Mapping[str, str]
) -> dict[str, str]:
    """Pair the store folders that no run names, by stage and content."""
    found = dict(known)
    left: dict[str, list[Path]] = defaultdict(list)
    for folder in _store_folders(new):
        if folder.name not in set(known.values()):
            left[stage_of(folder)].append(folder)
    for folder in _store_folders(old):
        if folder.name in found:
            continue
        candidates = left[stage_of(folder)]
        best = next((one for one in candidates if same_content(folder, one)), None)
        if best is None and candidates:
            best = candidates[0]
        if best is None:
            comparison.differ(f"store/{folder.name}", "an artifact", "none")
            continue
        candidates.remove(best)
        found[folder.name] = best.name
        comparison.pair(folder.name.rpartition("-")[2], best.name.rpartition("-")[2])
    for folder in (one for some in left.values() for one in some):
        comparison.differ(f"store/{folder.name}", "none", "an artifact")
    return found


def same_content(old: Path, new: Path) -> bool:
    """Whether two artifacts have the same data files, names and order aside."""
    return _content(old) == _content(new)


def _content(folder: Path) -> list[str]:
    return sorted(
        _digest(path) for name, path in files_below(folder).items() if not name.endswith(MANIFEST)
    )


def _store_folders(out: Path) -> Iterator[Path]:
    return (
        path
        for path in sorted((out / "store").iterdir())
        if path.is_dir() and not path.name.startswith(".")
    )


def pair_digests(comparison: Comparison, pairs: Iterable[tuple[Path, Path]]) -> None:
    """Pair the digests of data files, which croissant.json and evaluations may name."""
    for old, new in pairs:
        after = files_below(new)
        for name, path in files_below(old).items():
            other = after.get(comparison.file_name(name))
            if other is not None:
                comparison.counterpart[_digest(path)] = _digest(other)


def compare(old: Path, new: Path) -> Comparison:
    """Compare two output folders."""
    comparison = Comparison()
    runs = sorted(path.name for path in (old / "runs").iterdir() if path.is_dir())
    others = sorted(path.name for path in (new / "runs").iterdir() if path.is_dir())
    if runs != others:
        comparison.differ("runs", runs, others)
    runs = [name for name in runs if name in others]
    stages: dict[str, str] = {}
    for name in runs:
        stages |= pair_stages(comparison, old / "runs" / name, new / "runs" / name)
    stages = pair_others(comparison, old, new, stages)
    folders = [(old / "store" / one, new / "store" / other) for one, other in stages.items()]
    for name in runs:
        folders.append((old / "runs" / name, new / "runs" / name))
        links = [out / "runs" / name / "evaluation" for out in (old, new)]
        if all(link.exists() for link in links):
            one, other = (link.resolve() for link in links)
            folders.append((one, other))
            comparison.pair(one.name.rpartition("-")[2], other.name.rpartition("-")[2])
        elif any(link.exists() for link in links):
            comparison.differ(f"runs/{name}/evaluation", *(link.exists() for link in links))
    pair_digests(comparison, folders)
    for one, other in folders:
        where = "/".join(one.parts[-2:])
        comparison.folders(one, other, where=where)
    return comparison


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("old", type=Path, help="an output folder of 0.1")
    parser.add_argument("new", type=Path, help="an output folder with the same runs of 0.2")
    arguments = parser.parse_args()
    found = compare(arguments.old, arguments.new)
    for note, count in sorted(found.notes.items()):
        print(f"note: {note}{f' ({count} times)' if count > 1 else ''}")
    print("\n".join(found.differences[:_MOST_SHOWN]))
    if found.differences:
        print(f"renaming: {len(found.differences):,} differences")
        return 1
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in sorted(found.equal.items()))
    print(f"renaming: {found.equal.total():,} files are equal but for names ({kinds})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
