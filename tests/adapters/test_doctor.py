"""The doctor's facts: complete, and each missing thing with its remedy."""

from __future__ import annotations

from pathlib import Path

import pytest

from cloze_gen.adapters.doctor import run_checks


def test_every_fact_is_there_once(tmp_path: Path) -> None:
    """Versions, lmplz, disk, memory and cores are reported under their names; a missing folder's parent is measured."""
    names = [check.name for check in run_checks(tmp_path / "not" / "yet")]
    assert names == ["python", "spacy", "numpy", "pyarrow", "luigi", "kenlm", "lmplz", "free disk", "memory", "cores"]


def test_what_fails_has_a_remedy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A check that is not ok says what to do, one that is ok says nothing."""
    monkeypatch.setenv("CLOZE_GEN_LMPLZ", str(tmp_path / "none"))
    checks = {check.name: check for check in run_checks()}
    assert not checks["lmplz"].ok
    assert "make kenlm" in checks["lmplz"].remedy
    assert all(bool(check.remedy) != check.ok for check in checks.values())
