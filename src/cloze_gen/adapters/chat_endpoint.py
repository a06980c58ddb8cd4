"""A language model behind an endpoint with OpenAI's protocol. The `openai` client does time-outs,
retries and Retry-After; a time-out closes the connection, so no request goes on beside its retry.
The key is in no message and no result.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cloze_gen.errors import ClozeGenError, ToolError, UsageError
from cloze_gen.parsing import quote

KEY_VARIABLES = ("CLOZE_GEN_API_KEY", "OPENAI_API_KEY")  # the first that is set
RETRIES = 5
MOST_USELESS = 10  # unusable replies in a row: the fault is not in the items
# Settings of a request; the next ones are tried while the server knows none of the earlier ones.
_SETTINGS: tuple[Mapping[str, Any], ...] = (
    {"temperature": 0, "seed": 1, "response_format": {"type": "json_object"}},
    {"temperature": 0},
    {},
)
# No name, password, query or fragment; a password could also stand in a path with `@`.
_ADDRESS = re.compile(
    r"(https?)://([a-zA-Z0-9_.-]+|\[[0-9a-fA-F:]+\])(:\d+)?(/[a-zA-Z0-9_.,:;~%&=+/-]*)?"
)
_THIS_MACHINE = ("localhost", "127.0.0.1", "[::1]")
# An item that is too long, is filtered, or holds a setting that the server does not know.
_REFUSED_ITEM = (400, 413, 422)
_NO_SUCH_PLACE = (301, 302, 303, 307, 308, 404, 405)
_SHORTEST_KEY = 8  # shorter ones, such as `none`, are no secrets and occur in good replies

Messages = Sequence[Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Reply:
    """A text or an error.

    Attributes:
        seconds: retries included.
        served: the model as the server states it, or empty.
        settings: temperature and seed of the request, if any.
    """

    id: str
    text: str
    error: str
    seconds: float = 0.0
    served: str = ""
    settings: Mapping[str, int] = field(default_factory=dict)


class ChatModel:
    """A model at an endpoint, which is asked one item at a time.

    Attributes:
        url: without ``/chat/completions``.
        per_second: maximum of requests, without retries.
    """

    def __init__(
        self,
        url: str,
        model: str,
        environ: Mapping[str, str],
        *,
        timeout_seconds: float = 120.0,
        per_second: float = 1.0,
    ) -> None:
        """UsageError if the address or the key is none, or the key would go out unencrypted."""
        try:
            import openai  # slow to import
        except ModuleNotFoundError:
            raise ToolError(
                "judge ask needs the optional extra: pip install 'cloze-gen[ask]'"
            ) from None
        self.url = url.strip().rstrip("/").removesuffix("/chat/completions")
        self.model = model
        self.per_second = per_second
        self._key_variable, self._key = _key_of(environ)
        host = _checked_host(self.url, self._key_variable)
        self._openai = openai
        self._client: Any = openai.OpenAI(
            base_url=self.url,
            api_key=self._key or "none",
            timeout=timeout_seconds,
            max_retries=RETRIES,
            # The items go to the user's host only; a proxy before this machine would see the key.
            http_client=openai.DefaultHttpxClient(
                follow_redirects=False, trust_env=host not in _THIS_MACHINE
            ),
        )
        self._settings = _SETTINGS  # those that the server knows, once it has replied
        self._next_start = 0.0

    def replies(
        self, requests: Iterable[tuple[str, Messages]], on_reply: Callable[[Reply], str]
    ) -> Iterator[Reply]:
        """Send ``(id, messages)`` in turn; `on_reply` gets each reply before the next request.

        Args:
            on_reply: returns why a reply could not be used, or an empty string.

        Raises:
            UsageError: the key is refused, or there is no such address or model.
            ToolError: all retries failed, or `MOST_USELESS` useless replies in a row.
        """
        useless = 0
        for item_id, messages in requests:
            reply = self._reply(item_id, messages)
            why = on_reply(reply)
            yield reply
            useless = useless + 1 if why else 0
            if useless == MOST_USELESS:
                raise ToolError(
                    f"{self.url}: {useless} unusable replies in a row, the last one: {why}. Are "
                    "--endpoint and --model right?"
                )

    def _reply(self, item_id: str, messages: Messages) -> Reply:
        problem = ""
        for settings in self._settings:
            time.sleep(max(0.0, self._next_start - time.monotonic()))
            start = time.monotonic()
            self._next_start = start + 1 / self.per_second
            try:
                completion = self._client.chat.completions.create(
                    model=self.model, messages=list(messages), **settings
                )
            except self._openai.APIError as error:
                if getattr(error, "status_code", None) not in _REFUSED_ITEM:
                    raise self._failure(error) from None
                problem = self._quoted(error)
                continue
            except ValueError as error:
                return Reply(item_id, "", f"not a chat completion: no JSON ({error})")
            self._settings = (settings,)
            known = {name: value for name, value in settings.items() if name != "response_format"}
            return self._read(item_id, completion, time.monotonic() - start, known)
        return Reply(item_id, "", f"the server refused it: {problem}")

    def _read(
        self, item_id: str, completion: Any, seconds: float, settings: Mapping[str, int]
    ) -> Reply:
        """The client checks no types: a server can send anything."""
        try:
            choice = completion.choices[0]
            text, refusal = choice.message.content, choice.message.refusal
        except (AttributeError, IndexError, TypeError):
            return Reply(item_id, "", f"not a chat completion: {self._quoted(completion)}")
        if not isinstance(text, str) or not text:
            reason = self._quoted(refusal or choice.finish_reason)
            return Reply(item_id, "", f"a reply without text ({reason})")
        served = self._without_key(str(completion.model or ""))
        return Reply(item_id, self._without_key(text), "", seconds, served, settings)

    def _failure(self, error: Any) -> ClozeGenError:
        """The error for what would happen to every other item too."""
        status = getattr(error, "status_code", None)
        if status in (401, 403):  # the server's words may hold parts of the key
            state = "is refused" if self._key else "is not set, and the server requires a key"
            return UsageError(
                f"{self.url} returned {status}: {self._key_variable or KEY_VARIABLES[0]} {state}. "
                "Set it to a key that may use the model."
            )
        if status in _NO_SUCH_PLACE:
            return UsageError(
                f"{self.url}: {self._quoted(error)}. No chat/completions is there, or no model "
                f"{quote(self.model)}. --endpoint is the part before /chat/completions, often "
                "ending in /v1."
            )
        # an error of the connection has its reason in its cause
        return ToolError(
            f"{self.url}: {self._quoted(error.__cause__ or error)}, after up to {RETRIES + 1} "
            "tries. Answers so far are kept; run again to continue."
        )

    def _quoted(self, value: Any) -> str:
        return quote(self._without_key(str(value)), most_chars=200)

    def _without_key(self, text: str) -> str:
        """A server's text without the key, which some servers repeat."""
        return text.replace(self._key, "...") if len(self._key) >= _SHORTEST_KEY else text


def _key_of(environ: Mapping[str, str]) -> tuple[str, str]:
    """The variable that holds a key, and the key; both empty if none is set."""
    for variable in KEY_VARIABLES:
        key = environ.get(variable, "").strip()
        if not re.fullmatch("[!-~]*", key):
            raise UsageError(
                f"{variable} is not a key: it holds spaces or non-ASCII letters. Set it again."
            )
        if key:
            return variable, key
    return "", ""


def _checked_host(url: str, key_variable: str) -> str:
    """The URL is in messages and in verdicts, so it may hold no password."""
    address = _ADDRESS.fullmatch(url)
    if address is None:
        raise UsageError(
            "--endpoint is not the address of a chat endpoint, such as http://localhost:8000/v1. "
            f"It holds no name, password or key: set {KEY_VARIABLES[0]}."
        )
    if key_variable and address[1] == "http" and address[2] not in _THIS_MACHINE:
        raise UsageError(
            f"--endpoint {url} would get the key in {key_variable} unencrypted. Use https, or unset "
            "the variable if the server needs no key."
        )
    return address[2]
