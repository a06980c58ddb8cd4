"""A model of the user's own judges a study, played by a server on this machine."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from cloze_gen.adapters import chat_endpoint
from cloze_gen.adapters.chat_endpoint import MOST_USELESS
from cloze_gen.cli.judge_ask import judge_for_model
from cloze_gen.cli.judge_study import open_named_study
from cloze_gen.errors import UsageError
from cloze_gen.judging.state import verdicts_of_models
from cloze_gen.judging.study import item_verdicts
from cloze_gen.judging.verdicts import parse_verdicts
from cloze_gen.records.judgement import Role, Task
from tests.cases.chat_server import Answer, completion, error, running_stub
from tests.cases.studies import WORDS, make_tiny_study, response

KEY = "sk-very-secret-1"
PICKS = ("moonfall", "rainbow", "sandmill", "windward")
GOOD = completion(json.dumps({"picked": list(PICKS)}))  # the same words in any order


@pytest.fixture
def model():
    with running_stub() as server:
        server.answers = [GOOD]
        yield server


@pytest.fixture
def ask(model, tmp_path, cli, monkeypatch):
    """Has the model judge a study: `tiny` has four items, `large` thirty."""
    monkeypatch.setattr(chat_endpoint, "RETRIES", 1)
    for name in ("CLOZE_GEN_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "judgements").mkdir()
    for name, n in {"tiny": 4, "large": 30}.items():
        make_tiny_study(
            tmp_path / "judgements" / name, Task.GROOM, n=n, judges="ann", each=1, page=2
        ).close()

    def call(*arguments, study="tiny"):
        options = ("--endpoint", model.url, "--model", "tiny/model", "--per-second", "1000")
        return cli("judge", "ask", study, *options, "--out", tmp_path, *arguments)

    return call


def test_a_model_judges_and_is_no_person(ask, model, tmp_path, cli):
    outcome = ask()
    assert outcome.status == 0, outcome.err
    assert "to send    4 items, 8 requests (the options of an item in two orders)" in outcome.out
    assert "answers    4 of 4 accepted, 0 not accepted\n" in outcome.out
    assert "order      0 of 4 items (0.0 %" in outcome.out
    assert len(model.asked) == 8
    study, _ = open_named_study(tmp_path, "tiny")
    state = study.state()
    assert state.judges["model-tiny/model"].role is Role.MACHINE
    assert [len(verdict.answers) for verdict in state.verdicts.values()] == [2] * 4
    assert {verdict.source for verdict in state.verdicts.values()} == {
        f"endpoint 127.0.0.1:{model.server_port}, model tiny/model, temperature 0, seed 1"
    }
    assert not any(case.answers for case in state.cases.values())
    applied = cli("judge", "apply", "tiny", "--out", tmp_path)
    assert (applied.status, "no verdicts yet" in applied.err) == (2, True)
    told = cli("judge", "status", "tiny", "--out", tmp_path).out
    assert "0 verdicts by 0 judges" in told
    assert "Model annotators" in told


def test_it_goes_on_where_it_stopped(ask, model):
    """What is answered is not asked again, and a study without open items is no failure."""
    assert "3 items, 6 requests" in ask("--limit", "3").out
    assert "1 items, 2 requests" in ask().out
    again = ask()
    assert (again.status, "has answered all 4 items" in again.out) == (0, True)
    assert len(model.asked) == 8


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_killed_command_keeps_what_it_has(ask, model, tmp_path, how):
    """Killed in the fifth request: two items are kept, and the next call asks for the rest."""
    reached = threading.Event()

    def hangs(_):
        reached.set()
        model.over.wait(20)
        return GOOD

    model.answers = [*[GOOD] * 4, hangs, GOOD]
    command = [sys.executable, "-m", "cloze_gen", "judge", "ask", "tiny", "--endpoint", model.url]
    command += ["--model", "tiny/model", "--per-second", "1000", "--out", str(tmp_path)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ}
    ) as process:
        assert reached.wait(60)
        process.send_signal(how)
        out, err = process.communicate(timeout=30)
    assert process.returncode == (130 if how is signal.SIGINT else -signal.SIGKILL), err
    assert ("answers    2 of 4 accepted" in out) == (how is signal.SIGINT)
    assert "Traceback" not in err
    rest = ask()
    assert (rest.status, "2 items, 4 requests" in rest.out) == (0, True)
    assert "order      0 of 4 items" in rest.out


def test_an_item_that_is_not_accepted_is_asked_another_time(ask, model, tmp_path):
    """An item with a bad first reply is not sent in the other order; one bad reply loses both."""
    model.answers = [
        completion("I'm sorry, but I can't help with that."),
        GOOD,
        completion('{"picked": [1, 2, 3, 31]}'),
        GOOD,
    ]
    outcome = ask("--limit", "3")
    assert (outcome.status, "1 of 3 accepted, 2 not accepted" in outcome.out) == (1, True)
    assert "not accepted (reply: expected one JSON object, found none" in outcome.err
    assert "not accepted (reply: picked: 31 is not a candidate" in outcome.err
    assert len(model.asked) == 5
    study, _ = open_named_study(tmp_path, "tiny")
    assert len(study.state().verdicts) == 1
    study.close()
    again = ask()
    assert (again.status, "3 items, 6 requests" in again.out) == (0, True)


def test_a_model_that_talks_nonsense_is_not_asked_to_the_end(ask, model, cli):
    """Ten useless replies in a row end it."""
    nonsense = completion("What a lovely day!")
    model.answers = [*[nonsense] * (MOST_USELESS - 1), GOOD, nonsense]
    outcome = ask(study="large")
    assert (outcome.status, "0 of 30 accepted, 19 not accepted" in outcome.out) == (1, True)
    assert f"{MOST_USELESS} unusable replies in a row" in outcome.err
    assert len(model.asked) == 2 * MOST_USELESS
    assert f"after {MOST_USELESS} replies in a row" in cli("judge", "ask", "--help").out


@dataclass(frozen=True)
class By:
    """A model that chooses by its eyes: the options, or candidates, in the order that it sees."""

    task: Task
    chooses: Callable[[list[str]], dict[str, Any]]

    def __call__(self, body):
        data = json.loads(body["messages"][1]["content"].split("\n")[-2])
        listed = list((data.get("options") or data.get("candidates") or {}).values())
        return completion(json.dumps(self.chooses(listed)))


def _letter(options, word):
    return "abcde"[options.index(word)]


SWAPPED = {
    "read, by sense": (
        By(Task.READ, lambda seen: {"answer": _letter(seen, "boat"), "fits_as_well": [_letter(seen, "skiff")]}),
        0, {"answer": 1, "fits_as_well": [2]},
    ),
    "read, by letter": (By(Task.READ, lambda _: {"answer": "c"}), 3, None),
    "read, a mark by letter": (
        By(Task.READ, lambda seen: {"answer": _letter(seen, "boat"), "ungrammatical": ["a", _letter(seen, "hat")]}),
        0, {"answer": 1, "ungrammatical": [3]},
    ),
    "groom, by sense": (By(Task.GROOM, lambda _: {"picked": list(PICKS)}), 0, {"picked": sorted(PICKS, key=WORDS.index)}),
    "groom, by number": (By(Task.GROOM, lambda _: {"picked": [1, 2, 3, 4]}), 3, {"picked": []}),
    "groom, rejects": (By(Task.GROOM, lambda _: {"rejected": "too_easy"}), 0, {"rejected": "too_easy"}),
    "groom, rejects by order": (
        By(Task.GROOM, lambda seen: {"rejected": "other"} if seen.index("rainbow") < 15 else {"picked": [1, 2, 3, 4]}),
        3, None,
    ),
    "fill, by sense": (By(Task.FILL, lambda _: {"fills": ["Ann wept.", "Rain fell."]}), 0, {"fills": [2, 0]}),
    "fill, a blank by number": (
        By(Task.FILL, lambda seen: {"fills": ["Ann wept.", 1 if seen[0] != "Ann wept." else 2]}), 3, {"fills": [2, None]},
    ),
    "guess": (By(Task.GUESS, lambda _: {"guesses": ["key"]}), None, {"guesses": ["key"]}),
}  # fmt: skip


@pytest.mark.parametrize("case", SWAPPED)
def test_only_what_both_orders_share_counts(ask, model, tmp_path, case):
    """A model that chooses by place has no verdict, and the share of such items is printed."""
    by, depends, counted = SWAPPED[case]
    make_tiny_study(tmp_path / "judgements" / "own", by.task, n=3, judges="ann", each=1).close()
    model.answers = [by]
    outcome = ask(study="own")
    assert outcome.status == 0, outcome.err
    assert len(model.asked) == (3 if by.task is Task.GUESS else 6)
    told = re.search(r"order +(\d) of 3 items", outcome.out)
    assert (int(told[1]) if told else None) == depends
    study, _ = open_named_study(tmp_path, "own")
    found = [dict(one.response) for _, one in verdicts_of_models(study.state()) if one.response]
    assert len(found) == (0 if counted is None else 3)
    for one in found:
        assert counted is not None
        given = (
            {**one, "picked": sorted(one["picked"], key=WORDS.index)} if "picked" in one else one
        )
        if case == "groom, by number":
            assert len(given["picked"]) < 4
        else:
            assert given.items() >= counted.items()
    study.close()


def test_a_verdict_file_tells_what_the_model_was(ask, model, tmp_path, cli):
    """Model, host and settings, and how many items depend on the order; people alone are counted."""
    study = make_tiny_study(tmp_path / "judgements" / "own", n=3, judges="ann,bob", each=2)
    _judge_all(study, "ann")
    study.close()
    replies = iter(["b", "e", "b", "a", "b", "e"])  # the answer in both orders, or once

    model.answers = [lambda _: completion(json.dumps({"answer": next(replies)}))]
    outcome = ask(study="own")
    assert "order      1 of 3 items (33.3 %" in outcome.out
    assert re.search(r"with people(.|\n)*ann, model-tiny/model +- \(2\)", outcome.out)
    opened, _ = open_named_study(tmp_path, "own")
    file = parse_verdicts(item_verdicts(opened), task=Task.READ)
    name = "model-tiny/model"
    assert (file.judges, file.models) == (1, [name])
    assert file.rules["order_dependent"] == {"2": [1, 3]}
    assert file.rules["sources"] == {
        "2": [f"endpoint 127.0.0.1:{model.server_port}, model tiny/model, temperature 0, seed 1"]
    }
    assert [[one["judge"] for one in row["answers"]] for row in file.rows] == [[1, 2], [1], [1, 2]]
    assert ("human (1 judge" in file.summary, name in file.summary) == (True, True)
    assert re.search(rf"{name} +machine +3", cli("judge", "status", "own", "--out", tmp_path).out)


def _judge_all(study, judge):
    while due := study.due(judge):
        for one in due:
            study.take(
                one, response(study.facts.task), verdict_id=f"{judge}-{one.id}", source="page"
            )


# ---- servers that misbehave: what the command says, and what it keeps


@dataclass(frozen=True)
class Bad:
    """Replies before the good ones, and the end of the command."""

    replies: list[Answer]
    status: int
    prints: str
    kept: int


SOON = {"Retry-After": "0.01"}
BAD = {
    "busy": Bad([error(429, "slow down", **SOON)], 0, "1 of 1 accepted", 1),
    "down": Bad([error(503, "down", **SOON)] * 2, 1, "503 .*down.*after up to 2 tries.*are kept; run again", 0),
    "no key": Bad([error(401, f"Incorrect API key: {KEY}")], 2, "CLOZE_GEN_API_KEY is refused", 0),
    "one item": Bad([error(413)] * 3, 1, "not accepted .*413", 0),
    "tells the key": Bad([completion(f"Your key is {KEY}")], 1, "Your key is ...", 0),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_a_server_that_misbehaves(
    ask,
    model,
    tmp_path,
    monkeypatch,
    case,
):
    """What is printed, the exit status, what was kept, and that the rest can be asked for later."""
    bad = BAD[case]
    monkeypatch.setenv("CLOZE_GEN_API_KEY", KEY)
    model.answers = [*bad.replies, GOOD]
    outcome = ask("--limit", "1")
    text = outcome.err + outcome.out
    assert (outcome.status, bool(re.search(bad.prints, text))) == (bad.status, True), text
    assert f"answers    {bad.kept} of 1 accepted" in outcome.out
    assert "Traceback" not in text
    study, _ = open_named_study(tmp_path, "tiny")
    assert len(study.state().verdicts) == bad.kept
    stored = "".join(f"{one.source}{one.response}" for one in study.state().verdicts.values())
    study.close()
    assert not any(KEY[at : at + 8] in text + stored for at in range(len(KEY) - 7))
    model.answers = [GOOD]
    rest = ask()
    assert (rest.status, f"{4 - bad.kept} items" in rest.out) == (0, True)


@pytest.mark.parametrize("name", ["tiny\n", "\x1b[2J", "\udcff"])
def test_a_model_that_cannot_be_printed_is_refused(name):
    with pytest.raises(UsageError, match="cannot be printed"):
        judge_for_model(name)


def test_no_key_leaves_this_machine(ask, model):
    """What the model is shown holds no key, no judge and no id of a book."""
    ask()
    assert model.asked
    for _, _, body in model.asked:
        response = json.dumps(body["messages"])
        assert "b1:1" not in response
        assert "ann" not in response
        assert "harbour" in response
