from __future__ import annotations

import pytest

from cloze_gen.cli import doctor
from cloze_gen.cli.doctor import run_checks


def test_every_fact_is_there_once(tmp_path):
    names = [check.name for check in run_checks(tmp_path / "not" / "yet")]
    assert names == [
        "python",
        *doctor.LIBRARIES,
        "lmplz",
        "free disk",
        "memory",
        "cores",
    ]


@pytest.mark.slow
def test_what_fails_has_a_remedy(monkeypatch, tmp_path):
    monkeypatch.setenv("CLOZE_GEN_LMPLZ", str(tmp_path / "none"))
    checks = {check.name: check for check in run_checks()}
    assert not checks["lmplz"].ok
    assert "make kenlm" in checks["lmplz"].remedy
    assert all(check.remedy for check in checks.values() if not check.ok)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("library", "text", "reason"),
    [
        ("spacy", "raise ValueError('numpy.dtype size changed')", "ValueError: numpy.dtype size"),
        ("spacy", "import missing_part", "ModuleNotFoundError: No module named 'missing_part'"),
        ("numpy", "raise ImportError('libblas.so.3:\\nno such file')", "libblas.so.3: no such"),
        ("kenlm", "1 / 0", "ZeroDivisionError"),
    ],
)
def test_a_library_that_cannot_be_imported_is_reported(library, text, reason, tmp_path, program):
    """It is installed and yet does not load, for example after another package was upgraded."""
    (tmp_path / library).mkdir()
    (tmp_path / library / "__init__.py").write_text(text)
    done = program("doctor", cwd=tmp_path, env={"PYTHONPATH": str(tmp_path)})
    assert done.status == 1
    lines = done.out.splitlines()
    (failed,) = [
        number for number, line in enumerate(lines) if line.split()[:2] == ["FAILED", library]
    ]
    assert reason in lines[failed]
    assert "delete .venv" in lines[failed + 1]


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
