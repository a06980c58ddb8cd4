"""Logs of a model: right ones in any order, and wrong ones with file and line."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.errors import FormatError
from cloze_gen.evaluate.order_log import parse_order_log
from cloze_gen.evaluate.orders import plan_orders

LINES = [f"line {n}" for n in range(11)]
PLAN = plan_orders(LINES, shards=2, permutations=3, seed=7)
GOOD = [json.dumps({"id": PLAN.id(shard, order), "log_likelihood": -10.5 * shard - order}) for shard in range(2) for order in range(4)]
EXPECTED = np.array([[0, -1, -2, -3], [-10.5, -11.5, -12.5, -13.5]])


@given(st.permutations(GOOD), st.sampled_from(["\n", "\r\n", "\n\n"]), st.booleans())
def test_lines_in_any_order(lines: list[str], end: str, mark: bool) -> None:
    """The same plan and values come of any order of lines, of either line end, with blank lines and with a byte-order mark."""
    plan, values = parse_order_log("\ufeff" * mark + end.join(lines) + end, LINES, name="log")
    assert plan == PLAN
    assert np.array_equal(values, EXPECTED)


def test_what_stands_beside_is_passed_over() -> None:
    """A log may repeat the text, or tell more."""
    lines = [json.dumps(json.loads(line) | {"text": "x", "tokens": 12}) for line in GOOD]
    assert np.array_equal(parse_order_log("\n".join(lines), LINES, name="log")[1], EXPECTED)


def changed(place: int, **values: object) -> str:
    return "\n".join([*GOOD[:place], json.dumps(json.loads(GOOD[place]) | values), *GOOD[place + 1 :]])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "log: empty"),
        ("\n \n", "log: empty"),
        ("\n".join(GOOD[:5]), r"log: 3 of 8 texts are not answered, the first is .*:1:1;"),
        ("\n".join([*GOOD, GOOD[2]]), r"log, line 9: .*:0:2 was answered on line 3 already"),
        (changed(2, id=PLAN.id(0, 4)), r"log, line 3: .* was not asked"),
        (changed(2, id=PLAN.id(2, 0)), r"log, line 3: .* was not asked"),
        (changed(2, id=PLAN.id(0, 2).replace(":0:2", ":00:2")), r"log, line 3: .* was not asked"),
        (changed(2, id=PLAN.id(0, 2).replace("-s7-", "-s8-")), r"log, line 3: .* was not asked"),
        (changed(0, id="0:0"), r"log, line 1: the id '0:0' is none that --requests writes"),
        (changed(0, id=PLAN.id(0, 0).replace(PLAN.digest, "0" * 12)), r"log, line 1: .* is of another file, or of these lines in another"),
        (changed(0, id=f"9999999x9999999-s1-{PLAN.digest}:0:0"), r"log, line 1: .* is of another file"),
        (changed(0, id=f"0x3-s7-{PLAN.digest}:0:0"), r"log, line 1: .* is of another file"),
        (changed(1, id=7), r"log, line 2: expected \{"),
        (changed(1, log_likelihood="-3"), r"log, line 2: log_likelihood '-3' is not a finite number"),
        (changed(1, log_likelihood=True), r"log, line 2: log_likelihood True is not a finite number"),
        (changed(1, log_likelihood=None), r"log, line 2: log_likelihood None is not a finite number"),
        (changed(1, log_likelihood=[-1]), r"log, line 2: .* is not a finite number"),
        (changed(1, log_likelihood=float("nan")), r"log, line 2: not JSON \(NaN is no number of JSON\)"),
        (
            GOOD[0] + "\n" + GOOD[1].replace("{", '{"log_likelihood": -9, '),
            r"log, line 2: not JSON \(the key 'log_likelihood' is there twice\)",
        ),
        (changed(1, log_likelihood=float("-inf")), r"log, line 2: not JSON \(-Infinity is no number of JSON\)"),
        (changed(1, log_likelihood=-(10**400)), r"log, line 2: .* is not a finite number"),
        (changed(1, log_likelihood=12.5), r"log, line 2: .* is above 0, but a probability is at most 1"),
        ("\n".join([GOOD[0], "[1]"]), r"log, line 2: expected \{"),
        ("\n".join([GOOD[0], '{"id": "a"}']), r"log, line 2: expected \{"),
        ("\n".join([GOOD[0], "{"]), r"log, line 2: not JSON"),
        ("[" * 5000, r"log, line 1: not JSON \(nested too deep\)"),
        (GOOD[0].replace("-s7-", "-s٧-"), r"log, line 1: .* none that --requests writes"),
    ],
)
def test_wrong_logs_are_told(text: str, said: str) -> None:
    """What is missing, doubled, unknown, of another file or no log-likelihood is told with file and line."""
    with pytest.raises(FormatError, match=said):
        parse_order_log(text, LINES, name="log")


def test_a_log_of_another_order_of_the_lines() -> None:
    """The log of a release is refused for the same lines in another order."""
    with pytest.raises(FormatError, match="in another order"):
        parse_order_log("\n".join(GOOD), LINES[::-1], name="log")
