"""Rows and the two tables."""

from __future__ import annotations

import json
from collections.abc import Callable

import numpy as np

from cloze_gen.evaluate.blanks.asked import Direction
from cloze_gen.evaluate.blanks.baselines import RANDOM, BlankBaseline
from cloze_gen.evaluate.blanks.metrics import bootstrap_draws
from cloze_gen.evaluate.blanks.results import context_results, matrix_results, random_result
from cloze_gen.evaluate.blanks.table import main_rows, result_row, table_text
from cloze_gen.records.blanked_passage import BlankedPassage

Tell = Callable[..., dict[Direction, np.ndarray]]
FIELDS = "name kind source context decoder n blanks ba ba_low ba_high ba_micro pa pa_low pa_high de de_low de_high seconds".split()


def test_tables_are_those_of_the_paper(passage: BlankedPassage, tell: Tell) -> None:
    """The first has a line a baseline, from all that it sees; the second a line a decoder, a dash where there is no such context."""
    draws = bootstrap_draws(1, seed=1)
    key = dict.fromkeys(enumerate(passage.answers), 1.0)
    both = tell((5, 7), P={}, N=key, AP={}, AN=key)
    back = tell((5, 7), P=key, AP={})
    results = [
        random_result(RANDOM, [passage]),
        *context_results(BlankBaseline("both", "model"), [passage], [both], draws, seconds=0.0),
        *context_results(BlankBaseline("back", "model"), [passage], [back], draws, seconds=0.0),
        *matrix_results(BlankBaseline("user:mine", "user"), [passage], [back[Direction.P]], draws),
    ]
    rows = [result_row(one) for one in results]
    assert all(list(row) == FIELDS for row in rows)
    assert json.loads(json.dumps(rows)) == rows
    assert [(row["name"], row["context"], row["decoder"]) for row in main_rows(rows)] == [
        ("random", "", ""), ("both", "AP+AN", "EXH"), ("back", "AP", "EXH"), ("user:mine", "", "EXH"),
    ]  # fmt: skip
    head, *lines = table_text(rows).splitlines()
    assert head.split()[:3] == ["baseline", "context", "BA"]
    assert lines[0].split()[:3] == ["random", "-", "14.29"]
    assert lines[1].split()[:3] == ["both", "AP+AN", "100.00"]
    assert lines[5].split() == ["BA/PA", "%", "P", "N", "AP", "AN", "P+N", "AP+AN"]
    (line,) = (line for line in lines if line.startswith("back + EXH"))
    assert line.split()[3:] == ["100.0/100.0", "-", "0.0/0.0", "-", "-", "-"]
    assert not [line for line in lines[6:] if "user" in line or "random" in line]
