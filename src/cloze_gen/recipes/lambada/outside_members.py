"""Committee members of the user: a causal model in a local folder, or a file of scores."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cloze_gen.adapters.local_models import CausalModel
from cloze_gen.engine.progress import track
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.errors import UsageError
from cloze_gen.formats.lambada import format_requests, parse_answers
from cloze_gen.formats.lambada_harness import Rendering, prompt_text
from cloze_gen.parsing import error_text
from cloze_gen.recipes.lambada.passages import PASSAGES, batches, read_passages
from cloze_gen.store.artifacts import Artifact, ArtifactWriter
from cloze_gen.store.files import read_regular_text
from cloze_gen.store.schema import Column, Table

CAUSAL_MODEL, SCORES_FILE = "hf", "scores"  # before the colon of a member
_TEXTS_AT_ONCE = 256

OUTSIDE_SCORES = Table(
    "scores.parquet",
    "One row a passage, in the order of `passages.parquet`.",
    Column("id", pa.string(), "id of the passage"),
    Column("log10_prob", pa.float32(), "log10 P(target | passage)"),
)


def write_outside_scores(
    writer: ArtifactWriter,
    ctx: StageContext,
    *,
    passages: Artifact,
    member: str,
) -> None:
    ids = PASSAGES.read(passages.path(PASSAGES.name), ["id"])["id"]
    kind, _, place = member.partition(":")
    if kind == CAUSAL_MODEL:
        model = CausalModel(Path(place))
        parts = track(
            batches(read_passages(passages), _TEXTS_AT_ONCE),
            stage=ctx.stage,
            unit="parts",
            total=-(-len(ids) // _TEXTS_AT_ONCE),
        )
        log10_probs = np.concatenate(
            [
                model.log10_probs([prompt_text(passage, "cased") for passage in part])
                for part in parts
            ]
        )
    else:
        log10_probs = read_scores_file(Path(place), ids.to_pylist())
    OUTSIDE_SCORES.write(writer, {"id": ids, "log10_prob": log10_probs.astype(np.float32)})
    ctx.say(f"{len(ids):,} passages scored")


def read_scores_file(file: Path, ids: list[str]) -> NDArray[np.float64]:
    """log10 P(target) of each passage, in the order of `ids`."""
    try:
        text = read_regular_text(file, encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        raise UsageError(
            f"{file}: cannot be read as a file of scores ({error_text(error)}). Check "
            "committee.members."
        ) from None
    return parse_answers(text.split("\n"), ids, name=file.name).log10_prob


def requests(passages: Artifact, rendering: Rendering) -> Iterator[str]:
    """The passages as JSON objects, for scoring by a model of the user."""
    return format_requests(
        (passage.id, *prompt_text(passage, rendering)) for passage in read_passages(passages)
    )
