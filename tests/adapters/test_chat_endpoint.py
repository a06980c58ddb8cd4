from __future__ import annotations

import gzip
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from cloze_gen.adapters.chat_endpoint import (
    LONGEST_WAIT_SECONDS,
    MOST_REPLY_BYTES,
    MOST_USELESS,
    Reply,
    ask_endpoint,
    endpoint_from,
)
from cloze_gen.errors import ToolError, UsageError
from tests.cases.chat_server import RAW, Handler, Stub, completion, error, running_stub
from tests.support.errors import refused

KEY = "sk-very-secret-1"
MESSAGES = [{"role": "user", "content": "Which “word”?"}]


class Watch:
    """A clock that only sleeping advances."""

    def __init__(self):
        self.now = 100.0
        self.slept: list[float] = []

    def clock(self):
        return self.now

    def sleep(self, seconds):
        self.now += seconds
        self.slept.append(seconds)


@pytest.fixture
def stub():
    with running_stub() as server:
        yield server


def ask(
    stub,
    *ids,
    watch=None,
    key=KEY,
    **settings,
):
    endpoint = endpoint_from(
        stub.url,
        "tiny",
        {"CLOZE_GEN_API_KEY": key},
        **{"per_second": 1000.0, "timeout_seconds": 20.0, **settings},
    )
    return asked_of(endpoint, *ids, watch=watch)


def asked_of(endpoint, *ids, watch=None):
    """The replies of `ask_endpoint`."""
    watch = watch or Watch()
    stored = []
    requests = ((own_id, MESSAGES) for own_id in ids or ("3f",))
    replies = list(
        ask_endpoint(
            requests,
            endpoint=endpoint,
            on_reply=stored.append,
            clock=watch.clock,
            sleep=watch.sleep,
        )
    )
    assert replies == stored
    return replies


def test_a_good_reply_comes_back(stub):
    stub.answers = [completion('{"guesses": []}', model="tiny-1")]
    settings = {"temperature": 0, "seed": 1}
    assert ask(stub) == [Reply("3f", '{"guesses": []}', "", 0.0, "tiny-1", settings)]
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


def test_a_server_of_ones_own_needs_no_key(stub):
    stub.answers = [completion("x")]
    assert ask(stub, key="")[0].text == "x"
    assert "authorization" not in stub.asked[0][1]


def test_each_reply_is_stored_before_the_next_is_asked_for(stub):
    stub.answers = [completion("a"), completion("b"), error(401)]
    stored = []
    endpoint = endpoint_from(stub.url, "tiny", {}, per_second=1000)
    seen = []
    requests = ((str(n), MESSAGES) for n in range(4) if seen.append(len(stored)) is None)
    with pytest.raises(UsageError):
        list(
            ask_endpoint(
                requests, endpoint=endpoint, on_reply=lambda reply: stored.append(reply.text)
            )
        )
    assert (stored, seen) == (["a", "b"], [0, 1, 2])


@pytest.mark.parametrize("status", [400, 422])
@pytest.mark.parametrize(
    ("unknown", "settings"),
    [
        ({"response_format"}, {"temperature": 0, "seed": 1}),
        ({"seed"}, {"temperature": 0}),
        ({"response_format", "seed"}, {"temperature": 0}),
        ({"temperature"}, {}),
    ],
)
def test_a_server_that_knows_no_such_setting_is_asked_without(stub, status, unknown, settings):
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
        (200, {}, b" "), (200, {}, b"<a>"), (200, {}, b"[]"), (200, {}, b'{"choices": []}'), (200,
            {}, b'{"choices": [{"message": 3}]}'),
        completion(3), completion(["x"]), completion(None), completion(""), (200, {}, b'{"choices": ' + b"[" * 50_000), (200, {},
            b"\xff\xfe"), (200, {}, b"null"),
        error(413, "too long"), (200, {}, b" " * (MOST_REPLY_BYTES + 1)), error(400, "content policy"), (204, {}, b""),
        (200, {"Content-Encoding": "gzip"}, gzip.compress(b" " * 10**7)), completion(None, refusal="I can't."),
    ],
)  # fmt: skip
def test_what_is_no_reply_is_told_and_the_next_is_asked_for(stub, answer):
    n_forms = 5
    stub.answers = [*[answer] * (n_forms if answer[0] == 400 else 1), completion("x")]
    first, second = ask(stub, "1", "2")
    assert (first.id, first.text, second.id, second.text) == ("1", "", "2", "x")
    assert 0 < len(first.error) < 300


def test_a_server_that_refuses_everything_is_not_asked_for_ever(stub):
    """Ten in a row end it; a good reply between them starts the count again."""
    stub.answers = [
        completion("x"),
        *([error(400, "no")] * (MOST_USELESS - 1)),
        completion("x"),
        error(400, "no such format"),
    ]
    with pytest.raises(ToolError, match="no such format"):
        ask(stub, *map(str, range(50)))
    assert len(stub.asked) == 1 + MOST_USELESS - 1 + 1 + MOST_USELESS


def test_500_twice_is_waited_out(stub):
    stub.answers = [error(500), error(503, "busy"), completion("x")]
    watch = Watch()
    assert ask(stub, watch=watch)[0].text == "x"
    assert watch.slept == [1.0, 2.0]


@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ({"Retry-After": "7"}, 7.0), ({"Retry-After": "0"}, 1.0), ({"Retry-After": "-5"}, 1.0),
        ({"Retry-After": "soon"}, 1.0),
        ({"Retry-After": "nan"}, 1.0), ({"Retry-After": "600"}, LONGEST_WAIT_SECONDS), ({}, 1.0),
    ],
)  # fmt: skip
def test_429_waits_as_long_as_the_server_asks(stub, headers, wait):
    stub.answers = [error(429, "slow down", **headers), completion("x")]
    watch = Watch()
    assert ask(stub, watch=watch)[0].text == "x"
    assert watch.slept == [wait]


@pytest.mark.parametrize("seconds", ["601", "86400", "inf"])
def test_a_wait_of_hours_ends_it(stub, seconds):
    stub.answers = [error(429, **{"Retry-After": seconds})]
    watch = Watch()
    with pytest.raises(ToolError, match="requests a wait of"):
        ask(stub, watch=watch)
    assert (len(stub.asked), watch.slept) == (1, [])


def test_a_date_to_come_again_is_of_the_servers_clock(stub):

    def answer(_):
        return error(
            429,
            **{
                "Retry-After": "Wed, 21 Oct 2015 07:28:10 GMT",
                "date": "Wed, 21 Oct 2015 07:28:00 GMT",
            },
        )

    Handler.date_time_string, told = (
        lambda *_: "Wed, 21 Oct 2015 07:28:00 GMT",
        Handler.date_time_string,
    )
    try:
        stub.answers = [answer, completion("x")]
        watch = Watch()
        ask(stub, watch=watch)
        assert watch.slept == [10.0]
    finally:
        Handler.date_time_string = told


def test_after_all_tries_it_ends(stub):
    stub.answers = [error(500, "out of\nmemory")]
    waits = []
    endpoint, watch = endpoint_from(stub.url, "tiny", {}, retries=2), Watch()
    with pytest.raises(ToolError, match=r"127\.0\.0\.1.* 500 .*out of\\nmemory.* 3 tries"):
        list(
            ask_endpoint(
                [("1", MESSAGES)],
                endpoint=endpoint,
                on_reply=print,
                on_wait=lambda why, wait: waits.append((why, wait)),
                clock=watch.clock,
                sleep=watch.sleep,
            )
        )
    assert [(why[:26], wait) for why, wait in waits] == [
        ("the server returned 500 ('", 1.0),
        ("the server returned 500 ('", 2.0),
    ]
    assert len(stub.asked) == 3


def test_nobody_at_home_is_tried_again_and_told():
    with Stub() as gone:
        url = gone.url
    watch = Watch()
    with pytest.raises(ToolError, match=r"no connection .*refused"):
        asked_of(endpoint_from(url, "tiny", {}, retries=3), watch=watch)
    assert watch.slept[-1] == 4.0


def test_an_answer_that_was_cut_short_is_asked_for_again(stub):
    whole = completion("x")
    stub.answers = [
        (200, {"Content-Length": str(len(whole[2]) + 5), "Connection": "close"}, whole[2][:-3]),
        whole,
    ]
    assert ask(stub)[0].text == "x"
    stub.answers = [(200, {}, b""), whole]
    assert ask(stub)[0].text == "x"
    assert len(stub.asked) == 4


@pytest.mark.parametrize("status", [401, 403])
def test_a_key_that_is_refused_ends_it_at_once(stub, status):
    stub.answers = [error(status, f"Incorrect API key: {KEY}")]
    with pytest.raises(UsageError, match="CLOZE_GEN_API_KEY is refused") as caught:
        ask(stub)
    assert KEY[:8] not in str(caught.value)
    with pytest.raises(UsageError, match="CLOZE_GEN_API_KEY is not set"):
        ask(stub, key="")
    assert len(stub.asked) == 2


def test_a_server_that_tells_the_key_is_not_quoted(stub):
    stub.answers = [error(500, f"bad {KEY}")]
    with pytest.raises(ToolError, match=r"bad \.\.\.") as failed:
        ask(stub, retries=0)
    assert KEY not in str(failed.value)
    stub.answers = [completion("x"), error(400, f"bad {KEY}"), (200, {}, f"<{KEY}>".encode())]
    assert [reply.error.count("...") for reply in ask(stub, "1", "2", "3")] == [0, 1, 1]
    stub.answers = [completion(f"Bearer {KEY}, {KEY[:10]}*** and {KEY[-9:]}", model=KEY)]
    [reply] = ask(stub)
    assert (reply.text, reply.served) == ("Bearer ..., ...*** and ...", "...")
    assert KEY not in repr(endpoint_from(stub.url, "tiny", {"OPENAI_API_KEY": KEY}))
    stub.answers = [completion('{"picked": [1]}')]
    assert ask(stub, key="1")[0].text == '{"picked": [1]}'


def test_no_such_place_or_model_is_told(stub):
    stub.answers = [error(404, "model not found")]
    with pytest.raises(UsageError, match=r"127\.0\.0\.1.*404.*'tiny'.*/v1"):
        ask(stub)
    stub.answers = [error(400, "tiny is not a valid model ID"), error(400, "Invalid model: tiny")]
    for _ in range(2):
        with pytest.raises(UsageError, match=r"400.*'tiny'"):
            ask(stub)
    stub.answers = [error(400, "This model's maximum context length is 9 tokens"), completion("x")]
    assert ask(stub)[0].text == "x"


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_no_redirect_is_followed(stub, status):
    with Stub() as other:
        stub.answers = [(status, {"Location": f"{other.url}/{KEY}"}, b"")]
        with pytest.raises(UsageError, match=str(other.server_port)) as caught:
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


def test_a_huge_reply_is_not_read_to_its_end(stub):
    stub.answers = [(200, {"Content-Length": str(10**9)}, b" " * (MOST_REPLY_BYTES + 200_000))]
    start = time.monotonic()
    [reply] = ask(stub)
    assert "1,000,000 bytes" in reply.error
    assert time.monotonic() - start < 10


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"HTTP/1.1 200 OK\r\nContent-Le",
        b"SSH-2.0-OpenSSH_9.6\r\n",
        b"HTTP/1.1 200 OK\r\nA: " + b"x" * 1_000_000,
    ],
)
def test_what_is_no_http_is_asked_for_again(stub, content):
    stub.answers = [(RAW, {}, content), completion("x")]
    assert ask(stub)[0].text == "x"
    assert len(stub.asked) == 2


def test_the_text_of_a_reply_in_parts_is_read(stub):
    """Models that think send parts; only those of text count."""
    stub.answers = [
        completion([{"type": "thinking", "thinking": "?"}, {"type": "text", "text": "x"}])
    ]
    assert ask(stub)[0].text == "x"


def test_another_refusal_ends_it(stub):
    stub.answers = [error(402, "no credit")]
    refused(lambda: ask(stub), ToolError, names="402 ('no credit')")
    assert len(stub.asked) == 1


def test_a_server_that_hangs_is_given_up(stub):

    def hangs(_):
        stub.over.wait(20)
        return completion("late")

    stub.answers = [hangs]
    with pytest.raises(ToolError, match=r"no answer within 0\.2 seconds, after 2 tries"):
        ask(stub, timeout_seconds=0.2, retries=1)


@pytest.mark.parametrize("status", [200, RAW])
def test_a_server_that_dribbles_is_given_up(stub, status):
    """Byte by byte, of the body or of the headers."""
    stub.answers = [(status, {}, b"x" * 200)]
    stub.pause_seconds = 0.02
    endpoint = endpoint_from(stub.url, "tiny", {}, timeout_seconds=0.3, retries=0)
    start = time.monotonic()
    with pytest.raises(ToolError, match="no answer within"):
        list(ask_endpoint([("1", MESSAGES)], endpoint=endpoint, on_reply=print))
    assert time.monotonic() - start < 2


@pytest.mark.parametrize("page", [b"<!DOCTYPE html><p>Log in", b"\n<html lang='en'>"])
def test_a_page_is_no_endpoint(stub, page):
    stub.answers = [(200, {}, page)]
    with pytest.raises(UsageError, match=r"HTML.*/v1"):
        ask(stub)
    assert len(stub.asked) == 1


def test_the_pace_is_kept(stub):
    stub.answers = [completion("a"), error(500), completion("b"), completion("c")]
    watch = Watch()
    ask(stub, "1", "2", "3", watch=watch, per_second=2)
    assert watch.slept == [0.5, 1.0, 0.5]
    assert watch.now == 102.0


ENVIRONMENT = {"OPENAI_API_KEY": KEY}


@pytest.mark.parametrize(
    "url",
    [
        "", "localhost", "localhost:8000", "ftp://localhost/v1", "http://", "http:///v1",
        "http://localhost:99999/v1", "http://localhost:x/v1",
        "https://host/v1?key=1", "https://host/v1#a", "https://ho st/v1", "https://hőst/v1",
        "https://host/\r\nX: y", "http://[::1/v1",
        f"https://me:{KEY}@host/v1", f"https://{KEY}@host/v1", "file:///etc/passwd",
        # The key would go over the wire unencrypted.
        "http://api.example.com/v1", "http://10.0.0.1/v1", "http://127.0.0.1.example.com/v1",
        "http://localhost.example.com/v1", "http://[::2]/v1",
    ],
)  # fmt: skip
def test_other_addresses_are_refused(url):
    with pytest.raises(UsageError, match="--endpoint") as caught:
        endpoint_from(url, "tiny", ENVIRONMENT)
    assert KEY not in str(caught.value)


def test_addresses_that_are_allowed():
    for url in (
        "https://api.example.com/v1",
        "http://localhost:8000/v1",
        "http://127.0.0.1/v1",
        "http://[::1]:80/v1",
    ):
        for written in (url, f" {url}/ ", f"{url}/chat/completions"):
            endpoint = endpoint_from(written, "tiny", ENVIRONMENT)
            assert (endpoint.url, endpoint.key) == (url, KEY)
    assert endpoint_from("http://10.0.0.1/v1", "tiny", {}).key == ""


def test_the_key_is_of_the_first_variable_that_is_set():
    url = "https://host/v1"
    assert endpoint_from(url, "m", {"CLOZE_GEN_API_KEY": "a\n", "OPENAI_API_KEY": "b"}).key == "a"
    assert (
        endpoint_from(url, "m", {"CLOZE_GEN_API_KEY": " ", "OPENAI_API_KEY": "b"}).key_variable
        == "OPENAI_API_KEY"
    )
    for key in (f"{KEY}\r\nX: y", f"{KEY} x", f"{KEY}é"):
        with pytest.raises(UsageError, match="OPENAI_API_KEY") as caught:
            endpoint_from(url, "m", {"OPENAI_API_KEY": key})
        assert KEY not in str(caught.value)


@pytest.mark.parametrize(
    "settings",
    [{"per_second": 0}, {"per_second": float("nan")}, {"timeout_seconds": 0}, {"retries": -1}],
)
def test_numbers_that_make_no_sense_are_refused(settings):
    with pytest.raises(UsageError):
        endpoint_from("https://host/v1", "tiny", {}, **settings)
    with pytest.raises(UsageError, match="--model"):
        endpoint_from("https://host/v1", " ", {})


SCRIPT = """
import sys
from cloze_gen.adapters.chat_endpoint import ask_endpoint, endpoint_from
endpoint = endpoint_from(sys.argv[1], "tiny", {}, timeout_seconds=60)
list(ask_endpoint([("1", [])], endpoint=endpoint, on_reply=print))
"""


@pytest.mark.parametrize("hangs", [True, False])
def test_an_interrupt_ends_it_at_once(stub, hangs):
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
        _, told = process.communicate(timeout=10)
        assert time.monotonic() - start < 2
    assert b"KeyboardInterrupt" in told
