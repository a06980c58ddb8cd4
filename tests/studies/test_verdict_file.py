"""The file of what judges said, read back."""

from __future__ import annotations

from pathlib import Path

import pytest

from cloze_gen.errors import FormatError, UsageError
from cloze_gen.formats.verdicts import VerdictFile, verdicts_jsonl
from cloze_gen.records.judgement import Task
from cloze_gen.studies.verdict_file import read_verdicts


def test_it_comes_back(tmp_path: Path) -> None:
    """Whatever editor put a mark before it."""
    file = VerdictFile(Task.READ, {"release": "5d"}, 2, 0.5, 0, [{"id": "b:7"}])
    for encoding in ("utf-8", "utf-8-sig"):
        (tmp_path / "v.jsonl").write_text(verdicts_jsonl(file), encoding=encoding)
        assert read_verdicts(tmp_path / "v.jsonl", task=Task.READ, given_as="--people") == file


def test_what_is_none_is_told(tmp_path: Path) -> None:
    """Who named it, what it is, and what writes one; the file of another task is not taken."""
    for path in (tmp_path, tmp_path / "nowhere", "a\0b"):
        with pytest.raises(UsageError, match=r"grooming\.verdicts: .* cannot be read .* judge apply"):
            read_verdicts(path, task=Task.GROOM, given_as="grooming.verdicts")
    (tmp_path / "v.jsonl").write_text(verdicts_jsonl(VerdictFile(Task.READ, {}, 1, None, 0, [])), encoding="utf-8")
    with pytest.raises(FormatError, match="expected verdicts of the task groom"):
        read_verdicts(tmp_path / "v.jsonl", task=Task.GROOM, given_as="grooming.verdicts")
