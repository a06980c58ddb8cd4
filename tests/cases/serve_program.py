"""A study served as a program of its own: `python -m tests.cases.serve_program FOLDER PORT TASK
[unbounded]`.
"""

import contextlib
import sys
from pathlib import Path

import cloze_gen.cli.app
from cloze_gen.__main__ import main
from cloze_gen.cli_errors import run_and_report
from cloze_gen.judging.database import TOKEN, issue
from cloze_gen.judging.study import open_study
from cloze_gen.judging.web.app import make_app
from cloze_gen.judging.web.serve import listen, origin_of, running, serve
from cloze_gen.records.judgement import Task
from tests.cases.served import UNBOUNDED
from tests.cases.studies import rule_of


def work(folder, port, task, unbounded=""):
    """Serve until the program is told to end."""
    study = open_study(Path(folder), rule_of(Task(task)))
    if not unbounded:
        links = {name: issue(study.store.database, name, TOKEN) for name in study.state().judges}
        serve(
            study,
            host="127.0.0.1",
            port=int(port),
            origin="",
            links=lambda: links,
            show=lambda line: print(line, flush=True),  # noqa: T201
        )
    listener = listen("127.0.0.1", int(port))
    with (
        contextlib.closing(listener),
        running(
            make_app(study, origin=origin_of(listener, ""), rates=UNBOUNDED), listener
        ) as ended,
    ):
        print("ready", flush=True)  # noqa: T201
        ended.wait()


if __name__ == "__main__":
    cloze_gen.cli.app.call = lambda: run_and_report(lambda: work(*sys.argv[1:]))
    main()
