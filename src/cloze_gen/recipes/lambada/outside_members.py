"""Committee members of the user: a causal model in a local folder, or a file of scores."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np

from cloze_gen.adapters.local_models import CausalModel
from cloze_gen.engine.progress import track
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.errors import UsageError
from cloze_gen.formats.lambada import format_requests, parse_answers
from cloze_gen.formats.lambada_harness import Rendering, prompt_text
from cloze_gen.parsing import error_text
from cloze_gen.recipes.lambada.committee import CAUSAL_MODEL, write_scores
from cloze_gen.recipes.lambada.passages import read_numbered, read_passages
from cloze_gen.store.artifacts import Artifact, ArtifactWriter
from cloze_gen.store.files import read_regular_text

_TEXTS_AT_ONCE = 256


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
    """Score all targets by a causal model."""
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
