"""A model of the user's own judges a study, played by a server on this machine."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from cloze_gen.commands.studies import open_for
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
        said = self.server.says.pop(0) if len(self.server.says) > 1 else self.server.says[0]
        content = json.dumps({"choices": [{"message": {"role": "assistant", "content": said}}]}).encode()
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
def ask(model: Model, tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Outcome]:
    """Has the model judge a study of four items."""
    for name in ("CLOZE_GEN_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "judgements").mkdir()
    make_tiny_study(tmp_path / "judgements" / "tiny", Task.GROOM, n=4, judges="ann", each=1, page=2).close()
    url = f"http://127.0.0.1:{model.server_port}/v1"

    def call(*arguments: str) -> Outcome:
        options = ("--endpoint", url, "--model", "tiny/model", "--per-second", "1000", "--out", tmp_path)
        return cli("judge", "export", "tiny", *options, *arguments)

    return call


def test_a_model_judges_and_is_no_person(ask: Callable[..., Outcome], model: Model, tmp_path: Path, cli: Cli) -> None:
    """It is asked every item once, page after page; its role is machine; people are wanted as before and nothing can be applied."""
    outcome = ask()
    assert outcome.status == 0, outcome.err
    assert "asked of 4 items, 4 verdicts taken" in outcome.out
    assert len(model.asked) == 4
    study, _ = open_for(tmp_path, "tiny")
    standing = study.standing()
    assert standing.judges["model-tiny-model"].role is Role.MACHINE
    assert len(standing.verdicts) == 4
    assert not any(case.answers for case in standing.cases.values())
    applied = cli("judge", "apply", "tiny", "--out", tmp_path)
    assert (applied.status, "nobody has judged anything yet" in applied.err) == (2, True)
    told = cli("judge", "agree", "tiny", "--out", tmp_path).out
    assert "0 verdicts of 0 judges" in told
    assert "Machines" in told


def test_it_goes_on_where_it_stopped(ask: Callable[..., Outcome], model: Model) -> None:
    """What is answered is not asked again."""
    assert "asked of 3 items" in ask("--limit", "3").out
    assert "asked of 1 items" in ask().out
    assert len(model.asked) == 4


def test_a_reply_that_is_none_is_asked_another_time(ask: Callable[..., Outcome], model: Model) -> None:
    """Three picks are no verdict: told with its item, not stored, the rest goes on; the next call asks for it alone."""
    model.says = [json.dumps({"picked": [1, 2, 3]}), GOOD]
    outcome = ask()
    assert (outcome.status, "3 verdicts taken, 1 replies were none" in outcome.out) == (0, True)
    assert "no verdict" in outcome.err
    assert "asked of 1 items, 1 verdicts taken" in ask().out


def test_no_key_leaves_this_machine(ask: Callable[..., Outcome], model: Model) -> None:
    """What the model is shown holds no key, no judge and no id of a book."""
    ask()
    for request in model.asked:
        said = json.dumps(request["messages"])
        assert "b1:1" not in said
        assert "ann" not in said
        assert "harbour" in said
