"""A model of the user's own judges a study, played by a server on this machine."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from cloze_gen.adapters.chat_endpoint import MOST_USELESS
from cloze_gen.cli.judge_exchange import judge_for_model
from cloze_gen.cli.judge_study import open_named_study, parse_judges
from cloze_gen.records.judgement import Role, Task
from tests.cases.studies import make_tiny_study
from tests.conftest import Outcome

Cli = Callable[..., Outcome]
GOOD = json.dumps({"picked": [1, 2, 3, 4]})


class Model(ThreadingHTTPServer):
    """Says one thing after another, the last for ever."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.says, self.asked = [GOOD], list[dict[str, Any]]()


class Handler(BaseHTTPRequestHandler):
    server: Model

    def do_POST(self) -> None:
        self.server.asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        response = self.server.says.pop(0) if len(self.server.says) > 1 else self.server.says[0]
        content = json.dumps(
            {"choices": [{"message": {"role": "assistant", "content": response}}]}
        ).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        """Says nothing."""


@pytest.fixture
def model() -> Iterator[Model]:
    server = Model()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def ask(
    model: Model, tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Outcome]:
    """Has the model judge a study: `tiny` has four items, `large` thirty."""
    for name in ("CLOZE_GEN_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "judgements").mkdir()
    for name, n in {"tiny": 4, "large": 30}.items():
        make_tiny_study(
            tmp_path / "judgements" / name, Task.GROOM, n=n, judges="ann", each=1, page=2
        ).close()
    url = f"http://127.0.0.1:{model.server_port}/v1"

    def call(*arguments: str, study: str = "tiny") -> Outcome:
        options = (
            "--endpoint",
            url,
            "--model",
            "tiny/model",
            "--per-second",
            "1000",
            "--out",
            tmp_path,
        )
        return cli("judge", "export", study, *options, *arguments)

    return call


def test_a_model_judges_and_is_no_person(
    ask: Callable[..., Outcome], model: Model, tmp_path: Path, cli: Cli
) -> None:
    outcome = ask()
    assert outcome.status == 0, outcome.err
    assert "4 items sent; 4 answers accepted" in outcome.out
    assert len(model.asked) == 4
    study, _ = open_named_study(tmp_path, "tiny")
    standing = study.state()
    assert standing.judges[judge_for_model("tiny/model")].role is Role.MACHINE
    assert len(standing.verdicts) == 4
    assert not any(case.answers for case in standing.cases.values())
    applied = cli("judge", "apply", "tiny", "--out", tmp_path)
    assert (applied.status, "no verdicts yet" in applied.err) == (2, True)
    told = cli("judge", "agree", "tiny", "--out", tmp_path).out
    assert "0 verdicts by 0 judges" in told
    assert "Model annotators" in told


def test_it_goes_on_where_it_stopped(ask: Callable[..., Outcome], model: Model) -> None:
    """What is answered is not asked again."""
    assert "3 items sent" in ask("--limit", "3").out
    assert "1 items sent" in ask().out
    assert len(model.asked) == 4


def test_a_reply_that_is_none_is_asked_another_time(
    ask: Callable[..., Outcome], model: Model
) -> None:
    model.says = [json.dumps({"picked": [1, 2, 3]}), GOOD]
    outcome = ask()
    assert (outcome.status, "3 answers accepted; 1 replies could not be parsed" in outcome.out) == (
        1,
        True,
    )
    assert "not accepted" in outcome.err
    again = ask()
    assert (again.status, "1 items sent; 1 answers accepted" in again.out) == (0, True)


def test_a_model_that_talks_nonsense_is_not_paid_to_the_end(
    ask: Callable[..., Outcome], model: Model, cli: Cli
) -> None:
    """Ten useless replies in a row end it."""
    model.says = [*["What a lovely day!"] * (MOST_USELESS - 1), GOOD, "What a lovely day!"]
    outcome = ask(study="large")
    assert (
        outcome.status,
        "1 answers accepted; 19 replies could not be parsed" in outcome.out,
    ) == (1, True), outcome
    assert f"{MOST_USELESS} unusable replies in a row" in outcome.err
    assert len(model.asked) == 2 * MOST_USELESS
    assert f"after {MOST_USELESS} replies in a row" in cli("judge", "export", "--help").out


MODELS = [
    "tiny", "Tiny", "org/model", "org:model", "org--model", "org-model", "org model", "ORG/model", "mistralai/Mistral-7B-Instruct-v0.1",
    "mistralai/Mistral-7B-Instruct-v0.3",
    "a" * 33, "a" * 34, "a" * 35, "a" * 36, "caf\u00e9", "cafe\u0301", "org-model--6a74456cfb", "/", "",
]  # fmt: skip


def test_every_model_is_a_judge_of_its_own() -> None:
    """Names that can stand as they are, stay; no two models share one, and each can be a judge's."""
    names = [judge_for_model(model) for model in MODELS]
    assert len(set(names)) == len(MODELS)
    assert [
        one.name
        for one in parse_judges([name for name in names if name != "model-Tiny"], Role.MACHINE)
    ] == [name for name in names if name != "model-Tiny"]
    assert names[:2] == ["model-tiny", "model-Tiny"]
    assert judge_for_model("org-model") == "model-org-model"
    assert judge_for_model("a" * 34) == f"model-{'a' * 34}"


def test_two_models_are_told_apart_in_what_goes_out(
    ask: Callable[..., Outcome], model: Model, tmp_path: Path, cli: Cli
) -> None:
    """Verdicts that are written out name the model, also without people's names."""
    ask("--limit", "1")
    ask("--limit", "1", "--model", "tiny:model")
    assert (
        cli(
            "judge",
            "export",
            "tiny",
            "--answered",
            "--format",
            "jsonl",
            "--to",
            tmp_path / "to",
            "--out",
            tmp_path,
        ).status
        == 0
    )
    (file,) = (tmp_path / "to").iterdir()
    judges = {json.loads(line)["judge"] for line in file.read_text(encoding="utf-8").splitlines()}
    assert judges == {judge_for_model("tiny/model"), judge_for_model("tiny:model")}


def test_no_key_leaves_this_machine(ask: Callable[..., Outcome], model: Model) -> None:
    """What the model is shown holds no key, no judge and no id of a book."""
    ask()
    for request in model.asked:
        response = json.dumps(request["messages"])
        assert "b1:1" not in response
        assert "ann" not in response
        assert "harbour" in response
