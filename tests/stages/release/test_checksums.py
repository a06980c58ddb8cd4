"""The release's files."""

from __future__ import annotations

import hashlib
from pathlib import Path

from cloze_gen.stages.release.checksums import CHECKSUMS, write_checksums


def test_checksums_cover_subfolders_and_links(tmp_path: Path) -> None:
    """By the path below the release, sorted; of a link the digest of what it leads to; of themselves none, however often written."""
    (tmp_path / "store.txt").write_text("linked")
    release = tmp_path / "release"
    for name in ("b.txt", "sub/deeper/a.txt"):
        (release / name).parent.mkdir(parents=True, exist_ok=True)
        (release / name).write_text(name)
    (release / "sub" / "link.txt").symlink_to("../../store.txt")
    for _ in range(2):
        write_checksums(release)
    lines = [line.split("  ") for line in (release / CHECKSUMS).read_text().splitlines()]
    assert [name for _, name in lines] == ["b.txt", "sub/deeper/a.txt", "sub/link.txt"]
    assert lines[2][0] == hashlib.sha256(b"linked").hexdigest()
