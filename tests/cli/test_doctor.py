from __future__ import annotations

import importlib.metadata

import pytest

from cloze_gen.cli import doctor
from cloze_gen.cli.doctor import run_checks


def test_every_fact_is_there_once(tmp_path):
    names = [check.name for check in run_checks(tmp_path / "not" / "yet")]
    assert names == [
        "python",
        "kenlm",
        "lmplz",
        "free disk",
        "memory",
        "cores",
    ]


def test_what_fails_has_a_remedy(monkeypatch, tmp_path):
    monkeypatch.setenv("CLOZE_GEN_LMPLZ", str(tmp_path / "none"))
    checks = {check.name: check for check in run_checks()}
    assert not checks["lmplz"].ok
    assert "make kenlm" in checks["lmplz"].remedy
    assert all(bool(check.remedy) != check.ok for check in checks.values())


@pytest.mark.parametrize(
    ("package", "told"),
    [
        ("kenlm", "7 (kenlm)"),
        ("ufal-kenlm", "7 (ufal-kenlm)"),
        (None, "unknown version"),
    ],
)
def test_kenlm_is_told_by_whichever_package_brings_it(package, told, monkeypatch):

    def version(name):
        if name in {"kenlm", "ufal-kenlm"} and name != package:
            raise importlib.metadata.PackageNotFoundError(name)
        return "7"

    monkeypatch.setattr(importlib.metadata, "version", version)
    check = next(check for check in run_checks() if check.name == "kenlm")
    assert (check.ok, check.detail) == (True, told)


def test_a_python_newer_than_the_lock_is_refused(monkeypatch):
    monkeypatch.setattr(doctor, "PYTHON_TO", (3, 10))
    python = run_checks()[0]
    assert not python.ok
    assert "3.11 to 3.10" in python.remedy


def test_a_system_without_the_calls_of_linux(monkeypatch, tmp_path):
    """macOS has no affinity of processors: all count. Memory that is unknown is not checked."""
    monkeypatch.delattr(doctor.os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(doctor.os, "cpu_count", lambda: 7)
    monkeypatch.delattr(doctor.os, "sysconf")
    checks = {check.name: check.detail for check in run_checks(tmp_path)}
    assert checks["cores"] == "7 usable"
    assert "memory" not in checks
