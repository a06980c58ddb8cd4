"""Forward indexes of models that fit into a test."""

import tempfile
from pathlib import Path

from cloze_gen.models.arpa import read_blocks
from cloze_gen.models.language_model import read_levels, write_levels


def index_of(arpa, *, piece_bytes=1 << 16):
    """The index of an ARPA file, read in pieces; its arrays outlive the files."""
    pieces = iter([arpa[i : i + piece_bytes] for i in range(0, len(arpa), piece_bytes)])
    with tempfile.TemporaryDirectory() as folder:
        rows = write_levels(Path(folder), read_blocks(pieces))
        return read_levels(Path(folder), order=len(rows))
