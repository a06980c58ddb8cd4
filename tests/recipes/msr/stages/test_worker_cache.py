"""Tables that the parts of a stage share are read once by each worker."""

from __future__ import annotations

from pathlib import Path

from cloze_gen.recipes.msr.stages.parts import Part
from cloze_gen.recipes.msr.stages.tables import KEPT, SCREENED
from cloze_gen.recipes.msr.stages.worker_cache import passed_screening
from cloze_gen.store.tables import write_parquet


def test_the_screening_is_read_once_for_all_parts(tmp_path: Path) -> None:
    """Each part gets the words of its own rows that passed; the second part needs no file any more."""
    table = tmp_path / SCREENED
    write_parquet(table, {"id": ["a", "b", "c", "d"], "status": [KEPT, "answer_scores_best", KEPT, KEPT]})
    assert passed_screening(tmp_path, Part(0, 3, tmp_path)) == {"a", "c"}
    table.unlink()
    assert passed_screening(tmp_path, Part(3, 4, tmp_path)) == {"d"}
