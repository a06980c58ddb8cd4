from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time

import pytest

from cloze_gen.adapters import chat_endpoint
from cloze_gen.adapters.chat_endpoint import MOST_USELESS, ChatModel, Reply
from cloze_gen.errors import ToolError, UsageError
from tests.cases.chat_server import Stub, completion, error, running_stub

KEY = "sk-very-secret-1"
MESSAGES = [{"role": "user", "content": "Which “word”?"}]
SOON = {"Retry-After": "0.01"}


@pytest.fixture
def stub():
    with running_stub() as server:
        yield server


@pytest.fixture
def one_retry(monkeypatch):
    monkeypatch.setattr(chat_endpoint, "RETRIES", 1)


def ask(stub, *ids, key=KEY, **settings):
    settings = {"per_second": 1000.0, "timeout_seconds": 20.0, **settings}
    chat = ChatModel(stub.url, "tiny", {"CLOZE_GEN_API_KEY": key}, **settings)
    stored = []

    def store(reply):
        stored.append(reply)
        return reply.error

    replies = list(chat.replies([(item_id, MESSAGES) for item_id in ids or ("3f",)], store))
    assert replies == stored
    return replies


def test_a_good_reply_comes_back(stub):
    stub.answers = [completion('{"guesses": []}', model="tiny-1")]
    [reply] = ask(stub)
    settings = {"temperature": 0, "seed": 1}
    assert reply == Reply("3f", '{"guesses": []}', "", reply.seconds, "tiny-1", settings)
    [(path, headers, body)] = stub.asked
    assert path == "/v1/chat/completions"
    assert headers["authorization"] == f"Bearer {KEY}"
    assert body == {
        "model": "tiny",
        "messages": MESSAGES,
        "temperature": 0,
        "seed": 1,
        "response_format": {"type": "json_object"},
    }


def test_a_local_server_needs_no_key(stub):
    stub.answers = [completion("x")]
    assert ask(stub, key="")[0].text == "x"


def test_each_reply_is_stored_before_the_next_request(stub):
    stub.answers = [completion("a"), completion("b"), error(401)]
    stored, seen = [], []
    requests = ((str(n), MESSAGES) for n in range(4) if seen.append(len(stored)) is None)
    chat = ChatModel(stub.url, "tiny", {}, per_second=1000)
    with pytest.raises(UsageError):
        list(chat.replies(requests, lambda reply: stored.append(reply.text) or ""))
    assert (stored, seen) == (["a", "b"], [0, 1, 2])


@pytest.mark.parametrize("status", [400, 422])
@pytest.mark.parametrize(
    ("unknown", "settings"),
    [
        ({"response_format"}, {"temperature": 0}),
        ({"seed"}, {"temperature": 0}),
        ({"temperature"}, {}),
    ],
)
def test_settings_that_a_server_does_not_know_are_left_out(stub, status, unknown, settings):
    """Once a request was answered, later ones have the same settings."""
    stub.answers = [
        lambda body: error(status, "unknown field") if unknown & set(body) else completion("x")
    ]
    replies = ask(stub, "1", "2", "3")
    assert [(reply.text, reply.settings) for reply in replies] == [("x", settings)] * 3
    asked = [frozenset(body) for _, _, body in stub.asked]
    assert len(set(asked[-3:])) == 1
    assert len(set(asked)) == len(asked) - 2


@pytest.mark.parametrize(
    "answer",
    [
        (200, {}, b" "), (200, {}, b"<!doctype html><p>Log in"), (200, {}, b"[]"), (200, {}, b'{"choices": []}'),
        (200, {}, b'{"choices": [{"message": 3}]}'), (200, {}, b"null"), (200, {}, b"\xff\xfe"), (204, {}, b""),
        (200, {"Content-Type": "application/json"}, b"{"), completion(3), completion(None), completion(""),
        completion(None, refusal="I can't."), error(413, "too long"), error(400, "content policy"),
    ],
)  # fmt: skip
def test_an_unusable_reply_is_an_error_of_its_item(stub, answer):
    stub.answers = [*[answer] * (3 if answer[0] in (400, 413) else 1), completion("x")]
    first, second = ask(stub, "1", "2")
    assert (first.id, first.text, second.id, second.text) == ("1", "", "2", "x")
    assert 0 < len(first.error) < 300


def test_a_server_that_sends_nothing_usable_is_left(stub):
    """Ten in a row end it; a good reply between them starts the count again."""
    page = (200, {"Content-Type": "text/html"}, b"<html>Log in")
    stub.answers = [*[page] * (MOST_USELESS - 1), completion("x"), page]
    with pytest.raises(ToolError, match=r"not a chat completion: '<html>Log in'\. Are --endpoint"):
        ask(stub, *map(str, range(50)))
    assert len(stub.asked) == 2 * MOST_USELESS


@pytest.mark.parametrize("status", [408, 429, 500, 503])
def test_a_passing_failure_is_retried(stub, status):
    stub.answers = [error(status, "busy", **SOON), error(status, "busy", **SOON), completion("x")]
    assert ask(stub)[0].text == "x"
    assert len(stub.asked) == 3


@pytest.mark.usefixtures("one_retry")
def test_after_all_tries_it_ends(stub):
    stub.answers = [error(500, "out of\nmemory", **SOON)]
    with pytest.raises(ToolError, match=r"127\.0\.0\.1.* 500 .*out of.*memory.* up to 2 tries"):
        ask(stub)
    assert len(stub.asked) == 2


@pytest.mark.usefixtures("one_retry")
def test_an_unreachable_server_is_one_message():
    with Stub() as gone:
        pass
    with pytest.raises(ToolError, match=r"refused.*after up to 2 tries.*are kept; run again"):
        ask(gone)


def test_a_timed_out_request_ends_before_its_retry():
    """Its connection is closed when the next request arrives."""
    closed = []
    status, _, body = completion("x")
    reply = b"HTTP/1.1 %d OK\r\nContent-Length: %d\r\n\r\n%s" % (status, len(body), body)

    def serve():
        first, _ = server.accept()
        second, _ = server.accept()
        first.settimeout(5)
        while received := first.recv(65536):
            closed.append(received)
        closed.append("closed")
        second.recv(65536)
        second.sendall(reply)
        first.close()
        second.close()

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=serve)
        thread.start()
        chat = ChatModel(
            f"http://127.0.0.1:{server.getsockname()[1]}/v1", "tiny", {}, timeout_seconds=0.3
        )
        [answer] = chat.replies([("1", MESSAGES)], lambda _: "")
        thread.join()
    assert (answer.text, closed[-1]) == ("x", "closed")


@pytest.mark.usefixtures("one_retry")
def test_a_server_that_hangs_is_one_message(stub):
    def hang(_):
        stub.over.wait(20)
        return completion("late")

    stub.answers = [hang]
    with pytest.raises(ToolError, match=r"timed out.*after up to 2 tries"):
        ask(stub, timeout_seconds=0.2)


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_key_is_one_message(stub, status):
    """Without the server's words, which may hold parts of the key."""
    stub.answers = [error(status, f"Incorrect API key: {KEY[:8]}***")]
    with pytest.raises(UsageError, match="CLOZE_GEN_API_KEY is refused") as caught:
        ask(stub)
    assert KEY[:8] not in str(caught.value)
    with pytest.raises(UsageError, match="CLOZE_GEN_API_KEY is not set"):
        ask(stub, key="")
    assert len(stub.asked) == 2


@pytest.mark.usefixtures("one_retry")
def test_a_server_that_repeats_the_key_is_quoted_without_it(stub):
    stub.answers = [error(500, f"bad {KEY}", **SOON)]
    with pytest.raises(ToolError, match=r"bad \.\.\.") as failed:
        ask(stub)
    assert KEY not in str(failed.value)
    stub.answers = [completion("x"), error(400, f"bad {KEY}"), (200, {}, f"<{KEY}>".encode())]
    assert [reply.error.count("...") for reply in ask(stub, "1", "2", "3")] == [0, 1, 1]
    stub.answers = [completion(f"Bearer {KEY}!", model=KEY)]
    [reply] = ask(stub)
    assert (reply.text, reply.served) == ("Bearer ...!", "...")
    stub.answers = [completion('{"picked": [1]}')]
    assert ask(stub, key="1")[0].text == '{"picked": [1]}'


def test_a_wrong_address_or_model_is_one_message(stub):
    stub.answers = [error(404, "model not found")]
    with pytest.raises(UsageError, match=r"127\.0\.0\.1.*404.*'tiny'.*/v1"):
        ask(stub)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_no_redirect_is_followed(stub, status):
    with Stub() as other:
        stub.answers = [(status, {"Location": f"{other.url}/{KEY}"}, b"")]
        with pytest.raises(UsageError, match="No chat/completions is there") as caught:
            ask(stub)
        assert (len(stub.asked), other.asked) == (1, [])
        assert KEY not in str(caught.value)


def test_no_proxy_reads_the_key(stub, monkeypatch):
    with Stub() as proxy:
        for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
            monkeypatch.setenv(name, proxy.url)
        monkeypatch.delenv("no_proxy", raising=False)
        stub.answers = [completion("x")]
        assert ask(stub)[0].text == "x"
        assert proxy.asked == []


def test_another_refusal_ends_it(stub):
    stub.answers = [error(402, "no credit")]
    with pytest.raises(ToolError, match=r"402.*no credit"):
        ask(stub)
    assert len(stub.asked) == 1


def test_the_pace_is_kept(stub):
    stub.answers = [completion("a")]
    start = time.monotonic()
    ask(stub, "1", "2", "3", per_second=10)
    assert 0.2 <= time.monotonic() - start < 2


@pytest.mark.parametrize(
    "url",
    [
        "", "localhost", "localhost:8000", "ftp://localhost/v1", "http://", "http:///v1", "http://localhost:x/v1",
        "https://host/v1?key=1", "https://host/v1#a", "https://ho st/v1", "https://hőst/v1",
        "https://host/\r\nX: y", "http://[::1/v1",
        f"https://me:{KEY}@host/v1", f"https://{KEY}@host/v1", f"https://host/{KEY}@v1", "file:///etc/passwd",
        # The key would go over the wire unencrypted.
        "http://api.example.com/v1", "http://10.0.0.1/v1", "http://127.0.0.1.example.com/v1",
        "http://localhost.example.com/v1", "http://[::2]/v1",
    ],
)  # fmt: skip
def test_other_addresses_are_refused(url):
    with pytest.raises(UsageError, match="--endpoint") as caught:
        ChatModel(url, "tiny", {"OPENAI_API_KEY": KEY})
    assert KEY not in str(caught.value)


def test_addresses_that_are_allowed():
    environment = {"OPENAI_API_KEY": KEY}
    for url in (
        "https://api.example.com/v1",
        "http://localhost:8000/v1",
        "http://127.0.0.1/v1",
        "http://[::1]:80/v1",
    ):
        for written in (url, f" {url}/ ", f"{url}/chat/completions"):
            assert ChatModel(written, "tiny", environment).url == url
    assert ChatModel("http://10.0.0.1/v1", "tiny", {}).url == "http://10.0.0.1/v1"


def test_the_first_variable_that_is_set_holds_the_key(stub):
    stub.answers = [completion("x")]
    for environment in (
        {"CLOZE_GEN_API_KEY": f"{KEY}\n", "OPENAI_API_KEY": "b"},
        {"CLOZE_GEN_API_KEY": " ", "OPENAI_API_KEY": KEY},
    ):
        list(ChatModel(stub.url, "m", environment).replies([("1", MESSAGES)], lambda _: ""))
        assert stub.asked[-1][1]["authorization"] == f"Bearer {KEY}"
    for key in (f"{KEY}\r\nX: y", f"{KEY} x", f"{KEY}é"):
        with pytest.raises(UsageError, match="OPENAI_API_KEY") as caught:
            ChatModel(stub.url, "m", {"OPENAI_API_KEY": key})
        assert KEY not in str(caught.value)


def test_without_the_extra_the_remedy_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(ToolError, match=r"pip install 'cloze-gen\[ask\]'"):
        ChatModel("http://localhost/v1", "tiny", {})


SCRIPT = """
import sys
from cloze_gen.adapters.chat_endpoint import ChatModel
chat = ChatModel(sys.argv[1], "tiny", {}, timeout_seconds=60)
list(chat.replies([("1", [])], lambda reply: ""))
"""


@pytest.mark.slow
@pytest.mark.parametrize("hangs", [True, False])
def test_an_interrupt_ends_it_at_once(stub, hangs):
    """During a request and during the wait for the next one."""
    asked = threading.Event()

    def answer(_):
        asked.set()
        if hangs:
            stub.over.wait(20)
        return error(500, **{"Retry-After": "100"})

    stub.answers = [answer]
    with subprocess.Popen(
        [sys.executable, "-c", SCRIPT, stub.url], stderr=subprocess.PIPE, env={**os.environ}
    ) as process:
        assert asked.wait(30)
        time.sleep(0.3)
        start = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, printed = process.communicate(timeout=10)
        assert time.monotonic() - start < 8
    assert b"KeyboardInterrupt" in printed
