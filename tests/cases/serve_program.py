"""A study served as a program of its own: `python -m tests.cases.serve_program FOLDER PORT TASK`."""

import sys
from pathlib import Path

import cloze_gen.cli.app
from cloze_gen.__main__ import main
from cloze_gen.cli_errors import run_and_report
from cloze_gen.judging.database import issue
from cloze_gen.judging.study import Study
from cloze_gen.judging.web.serve import serve
from cloze_gen.records.judgement import Task
from tests.cases.studies import rule_of


def work(folder, port, task):
    """Serve until the program is told to end."""
    study = Study(Path(folder), rule_of(Task(task)))
    links = {name: issue(study.store.database, name) for name in study.state().judges}
    serve(
        study,
        host="127.0.0.1",
        port=int(port),
        origin="",
        links=lambda: links,
        show=lambda line: print(line, flush=True),  # noqa: T201
    )


if __name__ == "__main__":
    cloze_gen.cli.app.call = lambda: run_and_report(lambda: work(*sys.argv[1:]))
    main()
