"""What the stages decided of the passages, read back: whom the committee left, who is asked about first, what the guesses came to."""

from __future__ import annotations

import pyarrow.compute as pc

from cloze_gen.store.artifacts import Artifact
from cloze_gen.store.tables import read_parquet

VERDICTS, SIGNALS, RANKING = "verdicts.parquet", "signals.parquet", "ranking.parquet"
OPEN = "open"  # a passage whose verdict nobody has brought in


def read_survivors(committee: Artifact) -> frozenset[str]:
    """Ids of the passages that no member of the committee has guessed."""
    table = read_parquet(committee.path(VERDICTS), columns=["id", "kept"])
    return frozenset(table.filter(pc.field("kept"))["id"].to_pylist())


def read_ranking(ranking: Artifact) -> list[str]:
    """Ids of the head, the first to be asked about first."""
    return list(read_parquet(ranking.path(RANKING), columns=["id"])["id"].to_pylist())


def read_verdicts(guesses: Artifact) -> dict[str, str]:
    """Id -> verdict on every passage of the head, in its order."""
    table = read_parquet(guesses.path(VERDICTS)).to_pydict()
    return dict(zip(table["id"], table["verdict"], strict=True))
