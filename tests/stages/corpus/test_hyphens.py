"""Words that a line end broke, decided once and mended everywhere alike."""

from __future__ import annotations

from pathlib import Path

from cloze_gen.stages.corpus.hyphens import HYPHENS, mend_line, read_hyphen_forms, write_hyphens
from cloze_gen.store.artifacts import ArtifactWriter
from cloze_gen.text.normalize import LINE_END_HYPHEN as BROKEN

COUNTS = {f"lamp{BROKEN}light": 2, "lamplight": 5, f"sea{BROKEN}god": 1, "sea": 9, "god": 9}


def test_decisions_come_back_from_disk_as_they_were(tmp_path: Path) -> None:
    """What is counted and what is mended later take the same forms; the table shows where the line ended."""
    forms = write_hyphens(ArtifactWriter(tmp_path), COUNTS)
    assert forms == {f"lamp{BROKEN}light": "lamplight", f"sea{BROKEN}god": "sea-god"}
    assert read_hyphen_forms(tmp_path / HYPHENS) == forms
    assert "lamp|light\t2\t5\t0\tlamplight\t" in (tmp_path / HYPHENS).read_text(encoding="utf-8")


def test_a_mended_line_has_no_broken_word() -> None:
    """A type that was never counted keeps the hyphen that the printer set; whole words stay."""
    line = f"the lamp{BROKEN}light on a fish{BROKEN}wife 's to-day ."
    assert mend_line(line, {f"lamp{BROKEN}light": "lamplight"}) == "the lamplight on a fish-wife 's to-day ."
