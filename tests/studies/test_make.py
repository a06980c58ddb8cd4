"""A new study in its folder."""

from __future__ import annotations

from pathlib import Path

from cloze_gen.store.judgements.study_file import STUDY_FILE
from tests.cases.studies import make_tiny_study


def test_a_study_is_its_owners_alone(tmp_path: Path) -> None:
    """Nobody else of the machine can look for keys, names or the secret that ids and orders are drawn from."""
    make_tiny_study(tmp_path / "study").close()
    assert (tmp_path / "study").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "study" / STUDY_FILE).stat().st_mode & 0o777 == 0o600
