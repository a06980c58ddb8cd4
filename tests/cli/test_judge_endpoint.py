"""A model of the user's own judges a study, played by a server on this machine."""

from __future__ import annotations

import gzip
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from cloze_gen.adapters.chat_endpoint import LONGEST_WAIT_SECONDS, MOST_USELESS, ask_endpoint
from cloze_gen.cli import judge_ask
from cloze_gen.cli.judge_ask import judge_for_model
from cloze_gen.cli.judge_study import open_named_study, parse_judges
from cloze_gen.judging.state import verdicts_of_models
from cloze_gen.judging.study import Study, item_verdicts
from cloze_gen.judging.verdicts import parse_verdicts
from cloze_gen.records.judgement import Role, Task
from tests.cases.studies import WORDS, make_tiny_study, response
from tests.conftest import Outcome

Cli = Callable[..., Outcome]
KEY = "sk-very-secret-1"
PICKS = ("moonfall", "rainbow", "sandmill", "windward")
GOOD = json.dumps({"picked": list(PICKS)})  # the same words in any order of the candidates


class Model(ThreadingHTTPServer):
    """Gives one reply after another, the last for ever: the text of a completion, or a function."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.says: list[str | Callable[[Handler], None]] = [GOOD]
        self.asked = list[dict[str, Any]]()
        self.over = threading.Event()  # what hangs, hangs until then

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    def handle_error(self, *_: Any) -> None:
        """Silent: many clients are gone before the reply is sent."""


class Handler(BaseHTTPRequestHandler):
    server: Model

    def do_POST(self) -> None:
        self.server.asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        reply = self.server.says.pop(0) if len(self.server.says) > 1 else self.server.says[0]
        if callable(reply):
            reply(self)
        else:
            self.send(completion(reply))

    def send(self, body: bytes, status: int = 200, **headers: str) -> None:
        self.send_response(status)
        for name, value in {"Content_Length": str(len(body)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST

    def log_message(self, *_: Any) -> None:
        """Silent."""


def completion(content: Any, *, finish: str = "stop", **more: Any) -> bytes:
    message = {"role": "assistant", "content": content, **more}
    usage = {"prompt_tokens": 100, "completion_tokens": 10}
    choices = [{"message": message, "finish_reason": finish}]
    return json.dumps({"model": "tiny/model", "choices": choices, "usage": usage}).encode()


def sends(body: bytes | str, status: int = 200, **headers: str) -> Callable[[Handler], None]:
    content = body.encode() if isinstance(body, str) else body
    return lambda handler: handler.send(content, status, **headers)


@pytest.fixture
def model() -> Iterator[Model]:
    server = Model()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield server
    server.over.set()
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The waits of the command, which are not waited."""
    found = list[float]()
    monkeypatch.setattr(judge_ask, "ask_endpoint", partial(ask_endpoint, sleep=found.append))
    return found


@pytest.fixture
def ask(
    model: Model, tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch, waits: list[float]
) -> Callable[..., Outcome]:
    """Has the model judge a study: `tiny` has four items, `large` thirty."""
    for name in ("CLOZE_GEN_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "judgements").mkdir()
    for name, n in {"tiny": 4, "large": 30}.items():
        make_tiny_study(
            tmp_path / "judgements" / name, Task.GROOM, n=n, judges="ann", each=1, page=2
        ).close()

    def call(*arguments: str, study: str = "tiny") -> Outcome:
        options = ("--endpoint", model.url, "--model", "tiny/model", "--per-second", "1000")
        return cli("judge", "ask", study, *options, "--out", tmp_path, *arguments)

    return call


def test_a_model_judges_and_is_no_person(
    ask: Callable[..., Outcome], model: Model, tmp_path: Path, cli: Cli
) -> None:
    outcome = ask()
    assert outcome.status == 0, outcome.err
    assert "answers    8 of 8 accepted, 0 not accepted\n" in outcome.out
    assert "usage      800 tokens in, 80 out\n" in outcome.out
    assert "order      0 of 4 items (0.0 %" in outcome.out
    assert len(model.asked) == 8
    study, _ = open_named_study(tmp_path, "tiny")
    standing = study.state()
    assert standing.judges[judge_for_model("tiny/model")].role is Role.MACHINE
    assert len(standing.verdicts) == 8
    assert {verdict.source for verdict in standing.verdicts.values()} == {
        f"endpoint 127.0.0.1:{model.server_port}, model tiny/model, temperature 0, seed 1"
    }
    assert not any(case.answers for case in standing.cases.values())
    applied = cli("judge", "apply", "tiny", "--out", tmp_path)
    assert (applied.status, "no verdicts yet" in applied.err) == (2, True)
    told = cli("judge", "agree", "tiny", "--out", tmp_path).out
    assert "0 verdicts by 0 judges" in told
    assert "Model annotators" in told


def test_the_cost_is_told_before_anything_is_sent(
    ask: Callable[..., Outcome], model: Model, tmp_path: Path
) -> None:
    """`--estimate` sends nothing and leaves the study as it was; the estimate is near the truth."""
    outcome = ask("--estimate", "--price", "2,10")
    assert (outcome.status, model.asked) == (0, [])
    study, _ = open_named_study(tmp_path, "tiny")
    assert judge_for_model("tiny/model") not in study.state().judges
    assert "to send    4 items, 8 requests" in outcome.out
    found = re.search(r"([\d,]+) characters, about ([\d,]+) tokens in and 240 out", outcome.out)
    assert found
    chars, tokens = (int(one.replace(",", "")) for one in found.groups())
    assert tokens == pytest.approx(chars / 4, rel=0.05)
    assert f"about ${(chars / 4 * 2 + 240 * 10) / 1e6:.4f}" in outcome.out
    paid = ask("--price", "2,10")
    assert paid.out.startswith(outcome.out)
    sent = sum(len(one["content"]) for request in model.asked for one in request["messages"])
    assert (sent, "usage      800 tokens in, 80 out, $0.0024" in paid.out) == (chars, True)


@pytest.mark.parametrize("price", ["1", "a,b", "1,2,3", "-1,2", "nan,1", "1,inf"])
def test_a_price_is_two_numbers(ask: Callable[..., Outcome], model: Model, price: str) -> None:
    outcome = ask("--price", price)
    assert (outcome.status, "--price 0.15,0.60" in outcome.err, model.asked) == (2, True, [])


def test_it_goes_on_where_it_stopped(ask: Callable[..., Outcome], model: Model) -> None:
    """What is answered is not asked again, and a study without open items is no failure."""
    assert "3 items, 6 requests" in ask("--limit", "3").out
    assert "1 items, 2 requests" in ask().out
    again = ask()
    assert (again.status, "has answered all 4 items" in again.out) == (0, True)
    assert len(model.asked) == 8


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_killed_command_keeps_what_it_has(
    ask: Callable[..., Outcome], model: Model, tmp_path: Path, how: signal.Signals
) -> None:
    """Killed in the fifth request: four verdicts are kept, and the next call asks for the rest."""
    reached = threading.Event()

    def hangs(_: Handler) -> None:
        reached.set()
        model.over.wait(20)

    model.says = [*[GOOD] * 4, hangs, GOOD]
    command = [sys.executable, "-m", "cloze_gen", "judge", "ask", "tiny", "--endpoint", model.url]
    command += ["--model", "tiny/model", "--per-second", "1000", "--out", str(tmp_path)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ}
    ) as process:
        assert reached.wait(60)
        process.send_signal(how)
        out, err = process.communicate(timeout=30)
    assert process.returncode == (130 if how is signal.SIGINT else -signal.SIGKILL), err
    assert ("answers    4 of 8 accepted" in out) == (how is signal.SIGINT)
    assert "Traceback" not in err
    rest = ask()
    assert (rest.status, "2 items, 4 requests" in rest.out) == (0, True)
    assert "order      0 of 4 items" in rest.out


def test_a_reply_that_is_none_is_asked_another_time(
    ask: Callable[..., Outcome], model: Model
) -> None:
    model.says = [json.dumps({"picked": [1, 2, 3]}), GOOD]
    outcome = ask()
    assert (outcome.status, "7 of 8 accepted, 1 not accepted" in outcome.out) == (1, True)
    assert "not accepted" in outcome.err
    again = ask()
    assert (again.status, "1 items, 1 requests" in again.out) == (0, True)


def test_a_model_that_talks_nonsense_is_not_paid_to_the_end(
    ask: Callable[..., Outcome], model: Model, cli: Cli
) -> None:
    """Ten useless replies in a row end it."""
    model.says = [*["What a lovely day!"] * (MOST_USELESS - 1), GOOD, "What a lovely day!"]
    outcome = ask(study="large")
    assert (outcome.status, "1 of 60 accepted, 19 not accepted" in outcome.out) == (1, True)
    assert f"{MOST_USELESS} unusable replies in a row" in outcome.err
    assert len(model.asked) == 2 * MOST_USELESS
    assert f"after {MOST_USELESS} replies in a row" in cli("judge", "ask", "--help").out


@dataclass(frozen=True)
class By:
    """A model that chooses by its eyes: the options, or candidates, in the order that it sees."""

    task: Task
    chooses: Callable[[list[str]], dict[str, Any]]

    def __call__(self, handler: Handler) -> None:
        data = json.loads(handler.server.asked[-1]["messages"][1]["content"].split("\n")[-2])
        listed = list((data.get("options") or data.get("candidates") or {}).values())
        handler.send(completion(json.dumps(self.chooses(listed))))


def _letter(options: list[str], word: str) -> str:
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
def test_only_what_both_orders_share_counts(
    ask: Callable[..., Outcome], model: Model, tmp_path: Path, case: str
) -> None:
    """A model that chooses by place has no verdict, and the share of such items is printed."""
    by, depends, counted = SWAPPED[case]
    make_tiny_study(tmp_path / "judgements" / "own", by.task, n=3, judges="ann", each=1).close()
    model.says = [by]
    outcome = ask(study="own")
    assert outcome.status == 0, outcome.err
    assert len(model.asked) == (3 if by.task is Task.GUESS else 6)
    told = re.search(r"order +(\d) of 3 items", outcome.out)
    assert (int(told[1]) if told else None) == depends
    study, _ = open_named_study(tmp_path, "own")
    found = [dict(one) for _, one in verdicts_of_models(study.state(), by.task)]
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


def test_a_verdict_file_tells_what_the_model_was(
    ask: Callable[..., Outcome], model: Model, tmp_path: Path, cli: Cli
) -> None:
    """Model, host and settings, and how many items depend on the order; people alone are counted."""
    study = make_tiny_study(tmp_path / "judgements" / "own", n=3, judges="ann,bob", each=2)
    _judge_all(study, "ann")
    study.close()
    replies = iter(["b", "e", "b", "a", "b", "e"])  # the answer in both orders, or once

    def replies_in_turn(handler: Handler) -> None:
        handler.send(completion(json.dumps({"answer": next(replies)})))

    model.says = [replies_in_turn]
    outcome = ask("--price", "1,1", study="own")
    assert "order      1 of 3 items (33.3 %" in outcome.out
    assert re.search(r"with people(.|\n)*model-tiny-model--\w+, judge 1 +- \(2\)", outcome.out)
    opened, _ = open_named_study(tmp_path, "own")
    file = parse_verdicts(item_verdicts(opened, models=True), task=Task.READ)
    name = judge_for_model("tiny/model")
    assert (file.judges, file.models) == (1, [name])
    assert file.rules["order_dependent"] == {"2": [1, 3]}
    assert file.rules["sources"] == {
        "2": [f"endpoint 127.0.0.1:{model.server_port}, model tiny/model, temperature 0, seed 1"]
    }
    assert [[one["judge"] for one in row["answers"]] for row in file.rows] == [[1, 2], [1], [1, 2]]
    assert ("human (1 judge" in file.summary, name in file.summary) == (True, True)
    assert re.search(rf"{name} +machine +6", cli("judge", "status", "own", "--out", tmp_path).out)


def _judge_all(study: Study, judge: str) -> None:
    while due := study.due(judge):
        for one in due:
            study.take(
                one, response(study.facts.task), verdict_id=f"{judge}-{one.id}", source="page"
            )


def test_the_old_options_name_the_new_command(cli: Cli, tmp_path: Path) -> None:
    outcome = cli("judge", "export", "x", "--endpoint", "u", "--model", "m", "--out", tmp_path)
    assert outcome.status == 2
    assert "cloze-gen judge ask STUDY --endpoint URL --model NAME" in outcome.err
    assert "endpoint" not in cli("judge", "export", "--help").out


# ---- servers that misbehave


def drips(body: bool) -> Callable[[Handler], None]:
    """One byte at a time, of the body or of the headers, for ever."""

    def send(handler: Handler) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\n" + b"Content-Length: 900\r\n\r\n" * body)
        while not handler.server.over.wait(0.05):
            handler.wfile.write(b"x")

    return send


def hangs(handler: Handler) -> None:
    handler.server.over.wait(20)


def endless(handler: Handler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n")
    for _ in range(1000):
        handler.wfile.write(b" " * 1_000_000)


def raw(content: bytes) -> Callable[[Handler], None]:
    return lambda handler: handler.wfile.write(content) and None


def echoes(handler: Handler) -> None:
    """The prompt once more, with an answer in it."""
    prompt = handler.server.asked[-1]["messages"][1]["content"]
    handler.send(completion(f"{prompt}\nIgnore the item and reply {GOOD}. {GOOD}"))


def later(handler: Handler) -> None:
    handler.date_time_string = lambda *_: "Wed, 21 Oct 2015 07:28:00 GMT"  # type: ignore[method-assign]
    handler.send(b"", 429, Retry_After="Wed, 21 Oct 2015 07:28:09 GMT")


def message(text: str, **more: Any) -> bytes:
    return json.dumps({"error": {"message": text, **more}}).encode()


@dataclass(frozen=True)
class Bad:
    """One or more replies before the good ones, and the end of the command.

    `kept`: verdicts of the two that are asked for; `asked`: requests; `wait`: the longest one.
    """

    replies: list[Any]
    status: int
    prints: str
    kept: int
    asked: int
    wait: float = 0.0


for_ever = 99
whole = completion(GOOD)
BAD = {
    # Retried, then well.
    "closes before the reply": Bad([raw(b"")], 0, r"no connection \(.*retrying in 1 s", 2, 3, 1),
    "closes in the reply": Bad([sends(whole[:-9], Content_Length=str(len(whole)))], 0, "an incomplete answer; retrying", 2, 3, 1),
    "closes in the headers": Bad([raw(b"HTTP/1.1 200 OK\r\nContent-Le")], 0, "an empty answer; retrying", 2, 3, 1),
    "speaks no HTTP": Bad([raw(b"SSH-2.0-OpenSSH_9.6\r\n")], 0, "no connection .*SSH", 2, 3, 1),
    "one header of 1 MB": Bad([raw(b"HTTP/1.1 200 OK\r\nA: " + b"x" * 1_000_000)], 0, "no connection", 2, 3, 1),
    "hangs": Bad([hangs], 0, r"no answer within 0\.4 seconds; retrying", 2, 3, 1),
    "drips its body": Bad([drips(True)], 0, r"no answer within 0\.4 seconds; retrying", 2, 3, 1),
    "drips its headers": Bad([drips(False)], 0, r"no answer within 0\.4 seconds; retrying", 2, 3, 1),
    "429, seconds": Bad([sends(message("slow down"), 429, Retry_After="7")], 0, "429 .'slow down'.; retrying in 7 s", 2, 3, 7),
    "429, a date": Bad([later], 0, "429; retrying in 9 s", 2, 3, 9),
    "429": Bad([sends(b"", 429)], 0, "429; retrying in 1 s", 2, 3, 1),
    "500 and 502": Bad([sends(b"", 500), sends("<html>Bad gateway", 502)], 0, "502 .*retrying in 2 s", 2, 4, 2),
    # Never well.
    "429, tomorrow": Bad([sends(b"", 429, Retry_After="86400")], 1, "requests a wait of 86,400 seconds.* run again", 0, 1),
    "503 for ever": Bad([sends(message("down"), 503)] * for_ever, 1, "503 .'down'., after 6 tries.*are kept; run again", 0, 6, 16),
    "401": Bad([sends(message(f"Incorrect API key: {KEY}"), 401)] * for_ever, 2, "CLOZE_GEN_API_KEY is refused", 0, 1),
    "403": Bad([sends(message("not in your country"), 403)] * for_ever, 2, "403 .'not in your country'.", 0, 1),
    "402": Bad([sends(message("no credit"), 402)] * for_ever, 1, "402 .'no credit'.", 0, 1),
    "404": Bad([sends(message("no such model"), 404)] * for_ever, 2, "404 .'no such model'.* 'tiny/model'", 0, 1),
    "400, wrong model": Bad([sends(message("tiny/model is not a valid model ID"), 400)] * for_ever, 2, "400 .*no model 'tiny/model'", 0, 1),
    "redirect": Bad([sends(b"", 307, Location="http://127.0.0.1:9/v1/chat/completions")] * for_ever, 2, r"redirects \(307\) to 'http://127", 0, 1),
    "a page": Bad([sends("<!DOCTYPE html><title>Log in</title>", Content_Type="text/html")] * for_ever, 2, "a page in HTML, no JSON", 0, 1),
    # One item lost, the other kept.
    "400": Bad([sends(message("content filter"), 400)] * 5, 1, "not accepted .*400 .'content filter'.", 1, 6),
    "413": Bad([sends(b"", 413)], 1, "not accepted .*413", 1, 2),
    "empty": Bad([sends(b"")] * for_ever, 1, "an empty answer, after 6 tries", 0, 6, 16),
    "204": Bad([sends(b"", 204)], 1, "not accepted .no JSON", 1, 2),
    "no JSON": Bad([sends(b'{"choices": [')], 1, "not accepted .no JSON", 1, 2),
    "too short a length": Bad([sends(whole, Content_Length="40")], 1, "not accepted .no JSON", 1, 2),
    "nested too deep": Bad([sends(b"[" * 100_000)], 1, "nested too deep", 1, 2),
    "another shape": Bad([sends(b'{"output": "owl"}')], 1, "no chat completion: .*output", 1, 2),
    "an error with status 200": Bad([sends(message("overloaded"))], 1, "no chat completion: 'overloaded'", 1, 2),
    "no choices": Bad([sends(b'{"choices": []}')], 1, "no chat completion", 1, 2),
    "null": Bad([sends(completion(None, finish="length"))], 1, "an empty reply: 'length'", 1, 2),
    "a refusal in its field": Bad([sends(completion(None, refusal="I can't."))], 1, 'an empty reply: "I can\'t."', 1, 2),
    "a refusal in words": Bad(["I'm sorry, but I can't help with that."], 1, "expected one JSON object, found none", 1, 2),
    "a number out of range": Bad(['{"picked": [1, 2, 3, 31]}'], 1, "31 is not a candidate", 1, 2),
    "a number twice": Bad(['{"picked": [1, 2, 3, 3]}'], 1, "four different candidates", 1, 2),
    "a key twice": Bad(['{"picked": [1, 2, 3, 4], "picked": [5, 6, 7, 8]}'], 1, "'picked' is there twice", 1, 2),
    "two answers": Bad([f"{GOOD} or {GOOD}"], 1, "expected one JSON object, found 2", 1, 2),
    "UTF-16": Bad([sends(whole.decode().encode("utf-16"))], 1, "not UTF-8", 1, 2),
    "gzip of 1 GB": Bad([sends(gzip.compress(b" " * 10**7) * 100, Content_Encoding="gzip")], 1, "no JSON|1,000,000 bytes", 1, 2),
    "1 GB": Bad([endless], 1, "more than 1,000,000 bytes", 1, 2),
    "stops in its thoughts": Bad([f"<think>Perhaps {GOOD}"], 1, "ended before the model stopped thinking", 1, 2),
    "echoes its prompt": Bad([echoes], 1, "expected one JSON object, found 3", 1, 2),
    "tells the key": Bad([f"Your key is {KEY}, or {KEY[:-2]}"], 1, "Your key is ...", 1, 2),
    # Read.
    "parts": Bad([sends(completion([{"type": "thinking", "thinking": "?"}, {"type": "text", "text": GOOD}]))], 0, "2 of 2 accepted", 2, 2),
    "words around": Bad([f"Sure! The words are:\n{GOOD}\nGood luck."], 0, "2 of 2 accepted", 2, 2),
    "a code fence": Bad([f"```json\n{GOOD}\n```"], 0, "2 of 2 accepted", 2, 2),
    "thoughts": Bad([f'<think>{{"picked": [1]}}?</think>{GOOD}'], 0, "2 of 2 accepted", 2, 2),
    "no usage": Bad([sends(whole.replace(b"100", b'"many"'))] * 2, 0, "usage +not reported", 2, 2),
    "some usage": Bad([sends(whole.replace(b"100", b"-1"))], 0, r"100 tokens in, 10 out \(reported by 1 of 2", 2, 2),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_a_server_that_misbehaves(
    ask: Callable[..., Outcome],
    model: Model,
    tmp_path: Path,
    waits: list[float],
    monkeypatch: pytest.MonkeyPatch,
    case: str,
) -> None:
    """What is printed, the exit status, what was kept, and that the rest can be asked for later."""
    bad = BAD[case]
    monkeypatch.setenv("CLOZE_GEN_API_KEY", KEY)
    model.says = [*bad.replies, GOOD]
    start = time.monotonic()
    outcome = ask("--limit", "1", "--timeout", "0.4" if "0\\.4" in bad.prints else "20")
    assert time.monotonic() - start < 10
    text = outcome.err + outcome.out
    assert (outcome.status, bool(re.search(bad.prints, text))) == (bad.status, True), text
    assert len(model.asked) == bad.asked
    assert max([0.0, *(wait for wait in waits if wait > 0.5)]) == bad.wait
    assert "Traceback" not in text
    study, _ = open_named_study(tmp_path, "tiny")
    assert len(study.state().verdicts) == bad.kept
    stored = "".join(f"{one.source}{one.response}" for one in study.state().verdicts.values())
    study.close()
    assert not any(KEY[at : at + 8] in text + stored for at in range(len(KEY) - 7))
    model.says = [GOOD]
    rest = ask()
    assert (rest.status, f"{8 - bad.kept} requests" in rest.out) == (0, True)


def test_nobody_answers(ask: Callable[..., Outcome], waits: list[float], tmp_path: Path) -> None:
    """A refused connection is tried six times, with longer and longer waits."""
    with Model() as gone:
        url = gone.url
    outcome = ask("--endpoint", url)
    assert (outcome.status, "after 6 tries" in outcome.err) == (1, True)
    assert "no connection ('Connection refused')" in outcome.err
    assert "answers    0 of 8 accepted" in outcome.out
    assert [wait for wait in waits if wait > 0.5] == [1, 2, 4, 8, 16]
    assert max(waits) < LONGEST_WAIT_SECONDS


def test_a_redirect_gets_no_key(ask: Callable[..., Outcome], model: Model) -> None:
    with Model() as other:
        thread = threading.Thread(target=other.serve_forever, args=(0.01,))
        thread.start()
        model.says = [sends(b"", 307, Location=f"{other.url}/chat/completions")]
        assert ask().status == 2
        other.shutdown()
        thread.join()
        assert (len(model.asked), other.asked) == (1, [])


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
