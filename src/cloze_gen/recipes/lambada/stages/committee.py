"""The committee's verdicts, as an artifact."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cloze_gen.recipes.lambada.stages.decisions import VERDICTS
from cloze_gen.recipes.lambada.stages.members import read_scores
from cloze_gen.recipes.lambada.stages.tables import read_numbered
from cloze_gen.recipes.lambada.steps.committee import VERDICT_COLUMNS, ask_committee
from cloze_gen.stages.room import Room
from cloze_gen.stages.tables import REJECTED
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, funnel
from cloze_gen.store.tables import write_parquet


def write_committee(writer: ArtifactWriter, room: Room, *, passages: Artifact, scores: Mapping[str, Artifact], threshold: float) -> None:
    """Write what the members think of every passage, and which passages none of them has guessed.

    Files: `verdicts.parquet`, a row a passage: `id`, `kept`, and for each member its log10 P(target | passage): `ngram`,
    `cache`, `feedforward`, `recurrent`, or a column of the name that `label_of` gives a model of others. `rejected.parquet`, a row a
    passage that fell: `id`, `reason` (``guessed_by_MEMBER``, of several the first), `detail` (the probability).

    The share of the passages that each member alone would keep is the fact `survival`.

    Args:
        scores: label of a member -> the artifact of its scores, in the order of the settings.
    """
    log10_probs = {member: read_scores(artifact)[0] for member, artifact in scores.items()}
    verdicts = ask_committee(log10_probs, threshold=threshold)
    ids = read_numbered(passages).ids
    columns = dict(zip(VERDICT_COLUMNS, (ids, verdicts.kept), strict=True)) | log10_probs
    writer.rows[VERDICTS] = write_parquet(writer.path(VERDICTS), columns)
    fallen = np.flatnonzero(~verdicts.kept)
    by = verdicts.guessed_by[fallen]
    reasons = [f"guessed_by_{member}" for member in log10_probs]
    probs = 10.0 ** np.array(list(log10_probs.values()), np.float64)[by, fallen]
    rejected = {
        "id": ids.take(pa.array(fallen)),
        "reason": pa.DictionaryArray.from_arrays(pa.array(by.astype(np.int32)), pa.array(reasons)),
        "detail": pc.binary_join_element_wise("P(target) =", pc.cast(pc.round(pa.array(probs), 6), pa.string()), " "),
    }
    writer.rows[REJECTED] = write_parquet(writer.path(REJECTED), rejected)
    counts = dict(zip(reasons, np.bincount(by, minlength=len(reasons)).tolist(), strict=True))
    writer.funnel = funnel("passages", kept=int(verdicts.kept.sum()), rejected={reason: count for reason, count in counts.items() if count})
    writer.facts |= {"survival": {member: round(share, 4) for member, share in verdicts.survival.items()}}
    alone = ", ".join(f"{member} {share:.1%}" for member, share in verdicts.survival.items())
    room.say(f"{verdicts.kept.sum():,} of {len(ids):,} passages are guessed by no member; each alone would keep: {alone}")
