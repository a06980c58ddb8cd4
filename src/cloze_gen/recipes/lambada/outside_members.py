"""Committee members of the user: a causal model in a local folder, or a file of scores."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np

from cloze_gen.adapters.local_models import CausalModel
from cloze_gen.engine.progress import track
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.engine.threads import one_thread
from cloze_gen.errors import UsageError
from cloze_gen.formats.lambada import format_requests, parse_answers
from cloze_gen.formats.lambada_harness import Rendering, prompt_text
from cloze_gen.parsing import error_text, quote
from cloze_gen.recipes.lambada.committee import CAUSAL_MODEL, write_scores
from cloze_gen.recipes.lambada.passages import read_numbered, read_passages
from cloze_gen.store.artifacts import Artifact, ArtifactWriter
from cloze_gen.store.files import read_regular_text
from cloze_gen.store.manifest import noted_sha256, outside_sha256

_TEXTS_AT_ONCE = 256


def outside_digest(member: str, store: Path, *, most_bytes: int | None = None) -> str:
    """Digest of the content of ``hf:FOLDER`` or ``scores:FILE``, 32 hexadecimal digits.

    The store caches it until the size, a time or the inode of a file changes. Without a cached
    digest, at most `most_bytes` are read; above that, a text that reports the size is returned.
    """
    kind, _, place = member.partition(":")
    path = Path(place)
    try:
        files = (
            sorted(one for one in path.rglob("*") if one.is_file())
            if kind == CAUSAL_MODEL
            else [path]
        )
        if most_bytes is not None:
            unread = sum(one.stat().st_size for one in files if noted_sha256(store, one) is None)
            if unread > most_bytes:
                return f"not read yet ({unread / 1e9:.1f} GB)"
        lines = [f"{one.relative_to(path)} {outside_sha256(store, one)}" for one in files]
    except OSError as error:
        raise UsageError(
            f"committee.members: {quote(member)} cannot be read ({error_text(error)}). Check the "
            "path."
        ) from None
    if not lines:
        raise UsageError(
            f"committee.members: {quote(member)} is not a folder with a model. Download the model "
            "first; cloze-gen does not download models."
        )
    return hashlib.blake2b(
        "\n".join(lines).encode("utf-8", "surrogateescape"), digest_size=16
    ).hexdigest()


def write_outside_scores(
    writer: ArtifactWriter,
    ctx: StageContext,
    *,
    passages: Artifact,
    member: str,
    rendering: Rendering,
) -> None:
    kind, _, place = member.partition(":")
    if kind == CAUSAL_MODEL:
        write_causal_scores(writer, ctx, passages=passages, folder=Path(place), rendering=rendering)
    else:
        write_given_scores(writer, ctx, passages=passages, file=Path(place))


def write_causal_scores(
    writer: ArtifactWriter,
    ctx: StageContext,
    *,
    passages: Artifact,
    folder: Path,
    rendering: Rendering,
) -> None:
    """Score all targets by a causal model; in one thread, for reproducible bytes."""
    with one_thread():
        model = CausalModel(folder)
        n = len(read_numbered(passages).first)
        batches = track(
            _batches(passages, rendering),
            stage=ctx.stage,
            unit="parts",
            total=-(-n // _TEXTS_AT_ONCE),
        )
        scored = np.concatenate([model.log10_probs(batch) for batch in batches])
    write_scores(writer, ctx, passages, [(scored.astype(np.float32), np.zeros(n, np.bool_))])


def _batches(passages: Artifact, rendering: Rendering) -> Iterator[list[tuple[str, str]]]:
    texts = (prompt_text(one, rendering) for one in read_passages(passages))
    while batch := list(islice(texts, _TEXTS_AT_ONCE)):
        yield batch


def write_given_scores(
    writer: ArtifactWriter, ctx: StageContext, *, passages: Artifact, file: Path
) -> None:
    try:
        text = read_regular_text(file, encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        raise UsageError(
            f"{file}: cannot be read as a file of scores ({error_text(error)}). Check "
            "committee.members."
        ) from None
    scored = parse_answers(
        text.split("\n"), read_numbered(passages).ids.to_pylist(), name=file.name
    )
    write_scores(
        writer, ctx, passages, [(scored.astype(np.float32), np.zeros(len(scored), np.bool_))]
    )


def requests(passages: Artifact, rendering: Rendering) -> Iterator[str]:
    """The passages as JSON objects, for scoring by a model of the user."""
    return format_requests(
        (one.id, *prompt_text(one, rendering)) for one in read_passages(passages)
    )
