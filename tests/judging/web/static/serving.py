"""Serves studies in processes that can be killed and restarted on one port.

Each line on stdin starts a child, which prints its number: `serve PORT FOLDER`, `die PORT FOLDER`
for SIGKILL once a verdict is on disk and before the reply, or `reply PORT FOLDER` to answer verdicts
with what FOLDER.replies says.
"""

import json
import os
import signal
import sys
import threading
from pathlib import Path

from starlette.responses import Response

from cloze_gen.judging.study import Study
from cloze_gen.judging.web.app import make_app
from cloze_gen.judging.web.serve import listen, origin_of, running
from tests.cases.studies import rule_of_folder


def dying(app):
    """The same app, which the first reply to a verdict is the end of."""

    async def outer(scope, receive, send):
        async def ending(message):
            if scope["path"] == "/verdict":
                os.kill(os.getpid(), signal.SIGKILL)
            await send(message)

        await app(scope, receive, ending)

    return outer


def replying(app, replies):
    """The same app, which answers verdicts with these; the last is repeated."""

    async def outer(scope, receive, send):
        if scope["path"] != "/verdict":
            return await app(scope, receive, send)
        status, text = replies.pop(0) if len(replies) > 1 else replies[0]
        return await Response(text, status)(scope, receive, send)

    return outer


def serve(folder, port, how):
    listener = listen("127.0.0.1", port)
    app = make_app(
        Study(folder, rule_of_folder(folder)),
        origin=origin_of(listener, ""),
        owner="owners-token",
    )
    if how == "die":
        app = dying(app)
    elif how == "reply":
        app = replying(app, json.loads(folder.with_suffix(".replies").read_text(encoding="utf-8")))
    with running(app, listener):
        sys.stdout.write(f"{os.getpid()}\n")
        sys.stdout.flush()
        threading.Event().wait()


def main():
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # children leave nothing behind
    for line in sys.stdin:
        if not os.fork():
            how, port, folder = line.rstrip("\n").split(" ", 2)
            try:
                serve(Path(folder), int(port), how)
            finally:
                os.write(1, b"0\n")  # it did not come so far as to tell its number
                os._exit(1)


if __name__ == "__main__":
    main()
