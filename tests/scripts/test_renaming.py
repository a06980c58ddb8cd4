"""The program that proves a renaming, on two made-up output folders."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

PROGRAM = Path(__file__).parents[2] / "scripts" / "renaming.py"
OLD = {
    "fingerprint": "00000000000000aa", "model": "00000000000000ab", "set": "1111111111111111",
    "version": "0.1.0", "slack": "slack", "reason": "set_is_full", "target": "target_at",
    "beside": "beside", "table": "held-out.tsv", "row": "adversary-five", "canary": "a-b-c-d-e",
}  # fmt: skip
NEW = {
    "fingerprint": "00000000000000ba", "model": "00000000000000bb", "set": "2222222222222222",
    "version": "0.2.0", "slack": "rank_tolerance", "reason": "beyond_n_passages",
    "target": "target_position", "beside": "derived", "table": "cross-fitting.tsv",
    "row": "adversary-scores", "canary": "f-g-h-i-j",
}  # fmt: skip


def write(path: Path, content: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def make(out: Path, names: Mapping[str, str], *, target: int = 3, kept: int = 5) -> Path:
    """An output folder with a run of one stage, its release and its evaluation."""
    stage = f"choice-{names['fingerprint']}"
    signature = (
        f"cloze-gen|v:{names['version']}|choice:{names['fingerprint'][:8]}|set:{names['set']}"
    )
    store, run = out / "store" / stage, out / "runs" / "tiny"
    write(store / names["table"], "book_id\tmodel\nbeside\t1\n")
    write(store / "items.jsonl", json.dumps({"id": "b:1", names["target"]: target}) + "\n")
    pq.write_table(
        pa.table({"id": ["b:1"], "reason": [names["reason"]]}), store / "rejected.parquet"
    )
    files = {
        path.name: {"bytes": path.stat().st_size, "sha256": digest(path)}
        for path in sorted(store.iterdir())
    }
    described = {"stage": "choice", "settings": {names["slack"]: 0.5}, "inputs": {}}
    funnel = {"seen": 9, "kept": kept, "rejected": {names["reason"]: 4}}
    write(store / "manifest.json", described | {"files": files, "funnel": funnel})
    write(out / "store" / f"lm-{names['model']}" / "model.arpa", "ngrams")
    stages = [
        {"number": 1, "label": "choice", "fingerprint": names["fingerprint"], "folder": stage}
        | described
    ]
    settings = {"choice": {names["slack"]: 0.5}}
    write(run / "run.json", {"name": "tiny", "settings": settings, "stages": stages})
    release = {
        "version": names["version"], "signature": signature, "canary": names["canary"],
        "settings": settings, names["beside"]: ["fewshot.jsonl"], "notes": [names["version"]],
    }  # fmt: skip
    write(run / "release" / "release.json", release)
    write(run / "release" / "README.md", f"Prose of {names['version']}")
    write(run / "release" / "eval.yaml", f"# {names['version']}\ncanary: {names['canary']}\n")
    sums = "".join(
        f"{digest(run / 'release' / name)}  {name}\n" for name in ("eval.yaml", "release.json")
    )
    write(run / "release" / "SHA256SUMS", sums)
    evaluation = out / "evaluations" / f"tiny-{names['set']}"
    write(
        evaluation / "evaluation.json",
        {"signature": signature, "baselines": [{"name": names["row"]}]},
    )
    (run / "evaluation").symlink_to(evaluation)
    return out


def said(old: Path, new: Path) -> tuple[int, str]:
    done = subprocess.run([sys.executable, str(PROGRAM), str(old), str(new)], capture_output=True,
                          text=True, check=False)  # fmt: skip
    return done.returncode, done.stdout + done.stderr


def test_names_are_mapped(tmp_path: Path) -> None:
    """Settings, reasons, columns, rows, files, fingerprints, the signature and the canary."""
    status, text = said(make(tmp_path / "old", OLD), make(tmp_path / "new", NEW))
    assert (status, "differences" in text) == (0, False), text
    assert "note: prose, not compared: README.md" in text
    assert "note: prose, not compared: release.json notes" in text


@pytest.mark.parametrize(
    ("changed", "line"),
    [
        ({"target": 4}, "items.jsonl 0 target_position: 3 -> 4"),
        ({"kept": 6}, "manifest.json funnel kept: 5 -> 6"),
    ],
)
def test_another_value_is_a_difference(changed: dict[str, Any], line: str, tmp_path: Path) -> None:
    status, text = said(make(tmp_path / "old", OLD), make(tmp_path / "new", NEW, **changed))
    assert status == 1
    assert line in text


def test_an_old_name_is_a_difference(tmp_path: Path) -> None:
    """In NEW: a reason, a column and a file that were not renamed."""
    for name in ("reason", "target", "table"):
        old, new = make(tmp_path / name / "old", OLD), tmp_path / name / "new"
        status, text = said(old, make(new, {**NEW, name: OLD[name]}))
        assert (status, "differences" in text) == (1, True), text


def test_a_stale_checksum_is_a_difference(tmp_path: Path) -> None:
    old, new = make(tmp_path / "old", OLD), make(tmp_path / "new", NEW)
    sums = new / "runs" / "tiny" / "release" / "SHA256SUMS"
    sums.write_text(sums.read_text().replace(sums.read_text()[:8], "00000000", 1))
    status, text = said(old, new)
    assert (status, "not the checksum of eval.yaml" in text) == (1, True), text


def test_a_missing_artifact_is_a_difference(tmp_path: Path) -> None:
    old, new = make(tmp_path / "old", OLD), make(tmp_path / "new", NEW)
    (new / "store" / f"lm-{NEW['model']}" / "model.arpa").unlink()
    status, text = said(old, new)
    assert (status, "model.arpa: true -> false" in text) == (1, True), text
