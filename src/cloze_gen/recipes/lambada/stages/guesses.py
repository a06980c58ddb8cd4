"""What became of each passage that people are asked about: their verdicts, the stand-in's, or none yet."""

from __future__ import annotations

from collections import Counter

import pyarrow as pa

from cloze_gen.recipes.lambada.stages.decisions import OPEN, SIGNALS, VERDICTS, read_ranking
from cloze_gen.recipes.lambada.steps.guessing import GuessingSettings, Verdict
from cloze_gen.stages.room import Room
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, funnel
from cloze_gen.store.tables import read_parquet, write_parquet


def write_guesses(writer: ArtifactWriter, room: Room, *, ranking: Artifact, settings: GuessingSettings) -> None:
    """Write the verdict on every passage of the head.

    File: `verdicts.parquet`, in the order of the ranking: `id`, `verdict` (``open``: nobody has decided; ``kept``, or the step it fell in,
    `steps.guessing.Verdict`).
    """
    ids = read_ranking(ranking)
    verdicts = dict.fromkeys(ids, OPEN)
    if settings.judges == "machine":
        table = read_parquet(ranking.path(SIGNALS), columns=["id", "machine"]).to_pydict()
        verdicts |= {one: said for one, said in zip(table["id"], table["machine"], strict=True) if one in verdicts}
    column = pa.array([verdicts[one] for one in ids], pa.string()).dictionary_encode()
    writer.rows[VERDICTS] = write_parquet(writer.path(VERDICTS), {"id": ids, "verdict": column})
    reasons = Counter(verdict for verdict in verdicts.values() if verdict not in {OPEN, Verdict.KEPT})
    writer.funnel = funnel("passages", kept=len(ids) - reasons.total(), rejected=reasons)
    writer.facts |= {"judged": settings.judges, "open": sum(verdict == OPEN for verdict in verdicts.values())}
    room.say(f"{len(ids) - reasons.total():,} of {len(ids):,} passages stand; judged: {settings.judges}")
