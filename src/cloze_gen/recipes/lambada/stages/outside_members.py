"""Members that are no model of ours: a causal model in a local folder, and answers that somebody else's model gave."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

import numpy as np

from cloze_gen.adapters.causal_model import CausalModel
from cloze_gen.engine.progress import track
from cloze_gen.engine.threads import one_thread
from cloze_gen.errors import CorpusError
from cloze_gen.formats.lambada.requests import format_requests, parse_answers
from cloze_gen.recipes.lambada.stages.members import write_scores
from cloze_gen.recipes.lambada.stages.tables import read_numbered, read_passages
from cloze_gen.records.passage import Passage
from cloze_gen.stages.room import Room
from cloze_gen.store.artifacts import Artifact, ArtifactWriter

_TEXTS_AT_ONCE = 256
Render = Callable[[Passage], tuple[str, str]]  # a passage as text: what stands before the target, and the target


def write_causal_scores(writer: ArtifactWriter, room: Room, *, passages: Artifact, folder: Path, render: Render) -> None:
    """Ask a causal model about every passage (`adapters.causal_model`), with one thread, so that the bytes are the same each time.

    File: `scores.parquet` (`write_scores`); no target is unknown to a model of pieces of words.

    Raises:
        ToolError: the extra is not installed.
        ModelError: the folder holds no causal model.
    """
    with one_thread():
        model = CausalModel(folder)
        n = len(read_numbered(passages).first)
        batches = track(_batches(passages, render), stage=room.stage, unit="parts", total=-(-n // _TEXTS_AT_ONCE))
        scored = np.concatenate([model.log10_probs(batch) for batch in batches])
    write_scores(writer, room, passages, [(scored.astype(np.float32), np.zeros(n, np.bool_))])


def _batches(passages: Artifact, render: Render) -> Iterator[list[tuple[str, str]]]:
    texts = map(render, read_passages(passages))
    while batch := list(islice(texts, _TEXTS_AT_ONCE)):
        yield batch


def write_given_scores(writer: ArtifactWriter, room: Room, *, passages: Artifact, file: Path) -> None:
    """Take the answers of a file (`formats.lambada.requests`).

    File: `scores.parquet` (`write_scores`).

    Raises:
        CorpusError: the file cannot be read.
        FormatError: a line is no answer, or a passage lacks one.
    """
    try:
        with open(file, encoding="utf-8-sig") as lines:
            scored = parse_answers(lines, read_numbered(passages).ids.to_pylist(), name=file.name)
    except (OSError, UnicodeDecodeError) as error:
        raise CorpusError(f"{file}: cannot be read ({error})") from None
    write_scores(writer, room, passages, [(scored.astype(np.float32), np.zeros(len(scored), np.bool_))])


def requests(passages: Artifact, render: Render) -> Iterator[str]:
    """What another's model is to be asked, a JSON object a passage."""
    return format_requests((passage.id, *render(passage)) for passage in read_passages(passages))
