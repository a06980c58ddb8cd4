"""The training text as the published questions print it."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.engine.local import InProcessEngine
from cloze_gen.stages.corpus.training_text import TEXT
from cloze_gen.stages.evaluation.opened_models import read_words
from cloze_gen.stages.evaluation.text import line_bounds, read_ids, write_evaluation_text
from cloze_gen.stages.room import Room
from cloze_gen.store.artifacts import Artifact, Store, open_artifact
from cloze_gen.store.keys import StageKey
from cloze_gen.text.rendering import rendered_tokens
from cloze_gen.text.word_ids import SEPARATOR

LINES = ('" Come , " he said : " at once ! "', "-- --", "Was it the fog ?", "It was .")


def artifact(store: Store, stage: str, files: dict[str, str], **facts: int) -> Artifact:
    key = StageKey(stage, 1)
    with store.writing(key) as writer:
        assert writer is not None
        for name, text in files.items():
            writer.path(name).write_text(text, encoding="utf-8")
        writer.facts |= facts
    return store.open(key)


@pytest.fixture
def rendered(tmp_path: Path) -> Artifact:
    store = Store(tmp_path)
    words = dict.fromkeys(" ".join(LINES).split(" "))
    rows = "".join(f"{word}\t1\t0\t1\t0.1\t1\n" for word in words if word != ".")
    header = "word\tcount\tinitial_count\tfolded_count\tfreq\tlower_share\n"
    counts = artifact(store, "counts", {"counts.tsv": header + rows}, word_tokens=9)
    text = artifact(store, "text", {TEXT: "".join(f"{line}\n" for line in LINES)})
    key = StageKey("eval-text", 1)
    with store.writing(key) as writer:
        assert writer is not None
        write_evaluation_text(writer, Room(store, InProcessEngine(), "eval-text"), text=text, counts=counts)
    return open_artifact(store.folder(key))


def test_lines_are_the_published_rendering(rendered: Artifact) -> None:
    """Every sentence reads as `rendered_tokens` prints it; a sentence of marks alone is left out."""
    expected = [" ".join(tokens) for line in LINES if (tokens := rendered_tokens(line.split(" ")))]
    assert len(expected) == len(LINES) - 1
    assert rendered.path(TEXT).read_text(encoding="utf-8").split("\n")[:-1] == expected


def test_numbers_spell_the_lines(rendered: Artifact) -> None:
    """The numbers, looked up in the words, give back the lines; printed marks that the counts lack have numbers too."""
    words = ["\n", *read_words(rendered)]
    spelt = " ".join(words[i] for i in read_ids(rendered).tolist())
    assert [line.strip() for line in spelt.split("\n")] == rendered.path(TEXT).read_text(encoding="utf-8").split("\n")
    assert read_ids(rendered)[-1] == SEPARATOR
    assert read_ids(rendered).dtype == np.uint32


@given(st.lists(st.text("abé ", max_size=9), max_size=12), st.integers(1, 20))
def test_a_text_is_cut_between_lines(tmp_path_factory: pytest.TempPathFactory, lines: list[str], shard_bytes: int) -> None:
    """The runs of lines, joined, are the file, and each ends with a line end."""
    path = tmp_path_factory.mktemp("text") / "lines.txt"
    data = "".join(f"{line}\n" for line in lines).encode()
    path.write_bytes(data)
    bounds = list(line_bounds(path, shard_bytes=shard_bytes))
    assert bounds == sorted(set(bounds))
    pieces = [data[a:b] for a, b in pairwise(bounds)]
    assert b"".join(pieces) == data
    assert all(piece.endswith(b"\n") for piece in pieces)
