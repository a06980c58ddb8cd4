"""Members that are no model of ours: a causal model in a local folder, and answers that somebody else's model gave."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np

from cloze_gen.adapters.causal_model import CausalModel
from cloze_gen.engine.progress import track
from cloze_gen.engine.threads import one_thread
from cloze_gen.errors import UsageError
from cloze_gen.formats.lambada.harness import Rendering, asked_text
from cloze_gen.formats.lambada.requests import format_requests, parse_answers
from cloze_gen.notation import reason, shown
from cloze_gen.recipes.lambada.stages.members import write_scores
from cloze_gen.recipes.lambada.stages.tables import read_numbered, read_passages
from cloze_gen.recipes.lambada.steps.committee import CAUSAL_MODEL
from cloze_gen.stages.room import Room
from cloze_gen.store.artifacts import Artifact, ArtifactWriter
from cloze_gen.store.checks import noted_sha256, outside_sha256
from cloze_gen.store.files import read_regular_text

_TEXTS_AT_ONCE = 256


def outside_digest(member: str, store: Path, *, most_bytes: int | None = None) -> str:
    """The content of ``hf:FOLDER`` or ``scores:FILE`` as 32 hexadecimal digits: a folder that was moved is the same.

    A file is read once; while its size, times and inode stay the same, its digest comes from a note in the store.

    Args:
        store: the store's folder.
        most_bytes: of files without a note; if there are more, none is read, and the text returned says so and is the digest of nothing.
    Raises:
        UsageError: it cannot be read, or a folder holds no file.
    """
    kind, _, place = member.partition(":")
    path = Path(place)
    try:
        files = sorted(one for one in path.rglob("*") if one.is_file()) if kind == CAUSAL_MODEL else [path]
        if most_bytes is not None:
            unread = sum(one.stat().st_size for one in files if noted_sha256(store, one) is None)
            if unread > most_bytes:
                return f"not read yet ({unread / 1e9:.1f} GB)"
        lines = [f"{one.relative_to(path)} {outside_sha256(store, one)}" for one in files]
    except OSError as error:
        raise UsageError(f"committee.members: {shown(member)}: cannot be read ({reason(error)})") from None
    if not lines:
        raise UsageError(f"committee.members: {shown(member)}: no folder that holds a model; nothing is ever fetched")
    return hashlib.blake2b("\n".join(lines).encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()


def write_outside_scores(writer: ArtifactWriter, room: Room, *, passages: Artifact, member: str, rendering: Rendering) -> None:
    """Ask ``hf:FOLDER`` (`write_causal_scores`), or take the answers of ``scores:FILE`` (`write_given_scores`).

    File: `scores.parquet` (`write_scores`).
    """
    kind, _, place = member.partition(":")
    if kind == CAUSAL_MODEL:
        write_causal_scores(writer, room, passages=passages, folder=Path(place), rendering=rendering)
    else:
        write_given_scores(writer, room, passages=passages, file=Path(place))


def write_causal_scores(writer: ArtifactWriter, room: Room, *, passages: Artifact, folder: Path, rendering: Rendering) -> None:
    """Ask a causal model about every passage (`adapters.causal_model`), with one thread, so that the bytes are the same each time.

    File: `scores.parquet` (`write_scores`); no target is unknown to a model of pieces of words.

    Raises:
        ToolError: the extra is not installed.
        ModelError: the folder holds no causal model.
    """
    with one_thread():
        model = CausalModel(folder)
        n = len(read_numbered(passages).first)
        batches = track(_batches(passages, rendering), stage=room.stage, unit="parts", total=-(-n // _TEXTS_AT_ONCE))
        scored = np.concatenate([model.log10_probs(batch) for batch in batches])
    write_scores(writer, room, passages, [(scored.astype(np.float32), np.zeros(n, np.bool_))])


def _batches(passages: Artifact, rendering: Rendering) -> Iterator[list[tuple[str, str]]]:
    texts = (asked_text(one, rendering) for one in read_passages(passages))
    while batch := list(islice(texts, _TEXTS_AT_ONCE)):
        yield batch


def write_given_scores(writer: ArtifactWriter, room: Room, *, passages: Artifact, file: Path) -> None:
    """Take the answers of a file (`formats.lambada.requests`).

    File: `scores.parquet` (`write_scores`).

    Raises:
        UsageError: the file cannot be read.
        FormatError: a line is no answer, or a passage lacks one.
    """
    try:
        text = read_regular_text(file, encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        raise UsageError(f"{file}: cannot be read as a file of scores ({reason(error)})") from None
    scored = parse_answers(text.split("\n"), read_numbered(passages).ids.to_pylist(), name=file.name)
    write_scores(writer, room, passages, [(scored.astype(np.float32), np.zeros(len(scored), np.bool_))])


def requests(passages: Artifact, rendering: Rendering) -> Iterator[str]:
    """What another's model is to be asked, a JSON object a passage."""
    return format_requests((one.id, *asked_text(one, rendering)) for one in read_passages(passages))
