"""`cloze-gen judge ...`: the commands for human judgements."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from cloze_gen.cli.arguments import (
    DEFAULT_OUT,
    LARGEST_SEED,
    AsIfSettings,
    Out,
    Run,
    Workers,
    number,
)
from cloze_gen.records.judgement import Task

_MOST_ITEMS, _MOST_JUDGES, _MOST_PAGES = 10**9, 10_000, 1000
judge_group = typer.Typer(
    no_args_is_help=True,
    help="Human judgements: groom candidates, guess words, answer questions, fill blanks.",
)
Study = Annotated[
    str,
    typer.Argument(help="name of a study in OUT/judgements, or its path"),
]
Judges = Annotated[str, typer.Option(help="names of the judges, separated by commas")]


@judge_group.command()
def new(
    run: Run,
    task: Annotated[
        Task | None,
        typer.Option(
            help=f"{', '.join([*Task][:-1])} or {[*Task][-1]}; default: the first task of the style"
        ),
    ] = None,
    judges: Judges = "",
    name: Annotated[str, typer.Option(help="name of the study; default: RUN-TASK")] = "",
    each: Annotated[
        int | None,
        number(
            1,
            _MOST_JUDGES,
            help="judges per item; default: all of --judges, or 3 without --judges; guessing uses the "
            "settings guessing.*",
        ),
    ] = None,
    pool: Annotated[
        int | None, number(0, _MOST_ITEMS, help="number of items to draw; 0: all")
    ] = None,
    draw: Annotated[
        Literal["random", "balanced"] | None,
        typer.Option(
            help="grooming: random, or balanced over the answer's forward rank and word class"
        ),
    ] = None,
    others: Annotated[
        list[Path] | None,
        typer.Option("--with", help="read, fill: another run or file; mixes in its items"),
    ] = None,
    items: Annotated[
        Path | None,
        typer.Option(
            help="read, fill: judge the items of this file, in its order: suspects.jsonl of `evaluate "
            "--items`"
        ),
    ] = None,
    page: Annotated[
        int | None, number(1, 1000, help="number of items that a judge gets at a time (20)")
    ] = None,
    show_machine: Annotated[
        bool,
        typer.Option(
            "--show-machine", help="grooming: show the machine's verdict on each candidate"
        ),
    ] = False,
    seed: Annotated[int, number(0, LARGEST_SEED, help="seed of the random draws")] = 1,
    out: Out = DEFAULT_OUT,
) -> None:
    """Create a study: draw its items and name its judges.

    Example: cloze-gen judge new holmes-style --task groom --pool 40 --draw balanced --judges ann,bob,cara
    """
    from cloze_gen.cli import judge_study as command

    settings = {"each": each, "pool": pool, "draw": draw, "page": page, "seed": seed, "show_machine": show_machine}  # fmt: skip
    command.new(
        out,
        run,
        task=task,
        name=name,
        judges=_names(judges),
        others=others or [],
        settings=settings,
        items_file=items,
    )


@judge_group.command()
def serve(
    study: Study,
    judges: Annotated[
        str, typer.Option(help="names of additional judges, separated by commas")
    ] = "",
    revoke: Annotated[
        str, typer.Option(help="names of judges to lock out; ends all their links")
    ] = "",
    host: Annotated[
        str,
        typer.Option(help="address to listen on; needs a TLS proxy if others can reach it"),
    ] = "127.0.0.1",
    port: Annotated[int, number(0, 65535, help="port; 0: any free port")] = 8000,
    origin: Annotated[
        str, typer.Option(help="address for judges behind a proxy: https://judge.example.org")
    ] = "",
    out: Out = DEFAULT_OUT,
) -> None:
    """Serve the judges' pages until Ctrl-C. Prints a link for each judge, and one to
    your own page of progress and agreement.

    Example: cloze-gen judge serve holmes-style-groom --port 8000
    """
    from cloze_gen.cli import judge_study as command

    command.serve(
        out,
        study,
        host=host,
        port=port,
        origin=origin,
        judges=_names(judges),
        revoked=_names(revoke),
    )


@judge_group.command()
def export(
    study: Study,
    judges: Judges = "",
    condition: Annotated[
        str, typer.Option(help="guessing: passage or sentence; default: the one needed next")
    ] = "",
    pages: Annotated[int, number(1, _MOST_PAGES, help="number of pages for each judge")] = 1,
    to: Annotated[
        Path | None, typer.Option(help="folder to write to; default: packets in the study's folder")
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="write unanswered items again, and assign no new ones")
    ] = False,
    out: Out = DEFAULT_OUT,
) -> None:
    """Write the next items into one table (CSV) per judge.

    Example: cloze-gen judge export holmes-style-groom --judges ann,bob
    """
    from cloze_gen.cli import judge_exchange as command

    command.export(
        out,
        study,
        judges=_names(judges),
        condition=condition,
        pages=pages,
        to=to,
        again=again,
    )


@judge_group.command()
def ask(
    study: Study,
    endpoint: Annotated[
        str,
        typer.Option(help="address of an endpoint with OpenAI's chat protocol, http://.../v1"),
    ],
    model: Annotated[
        str,
        typer.Option(
            help="name of the model; the key is read from CLOZE_GEN_API_KEY or OPENAI_API_KEY"
        ),
    ],
    limit: Annotated[int | None, number(1, _MOST_ITEMS, help="maximum number of items")] = None,
    per_second: Annotated[
        float, number(0.001, 1000, help="maximum number of requests per second")
    ] = 1.0,
    timeout: Annotated[
        float, number(0.1, 86_400, help="seconds to wait for a reply before it is requested again")
    ] = 120.0,
    out: Out = DEFAULT_OUT,
) -> None:
    """Let a model judge the items that it has not answered yet. It is recorded as a
    model annotator, and never counted as a person.

    Each item is sent in two orders of its options. Only what both answers share
    counts. The command stops after 10 replies in a row that cannot be parsed. If a
    reply cannot be parsed, the exit status is 1; accepted answers are kept.

    Example: cloze-gen judge ask mine-read --endpoint http://localhost:8000/v1 --model NAME
    """
    from cloze_gen.cli import judge_ask as command

    command.ask(
        out,
        study,
        url=endpoint,
        model=model,
        per_second=per_second,
        timeout_seconds=timeout,
        limit=limit,
    )


@judge_group.command("import")
def import_verdicts(
    study: Study,
    files: Annotated[list[Path], typer.Argument(help="filled-in files")],
    out: Out = DEFAULT_OUT,
) -> None:
    """Import answers from filled-in tables. A repeated import changes nothing.

    Example: cloze-gen judge import holmes-style-groom ann-3f09a1b2c3d4.csv
    """
    from cloze_gen.cli import judge_exchange as command

    command.import_files(out, study, files)


@judge_group.command()
def status(study: Study, out: Out = DEFAULT_OUT) -> None:
    """Show the progress of a study, how well its judges agree, and figures for each
    judge.

    Example: cloze-gen judge status holmes-style-groom
    """
    from cloze_gen.cli import judge_study as command

    command.status(out, study)


@judge_group.command()
def apply(
    study: Study,
    set_: AsIfSettings = None,
    make: Annotated[
        bool,
        typer.Option(
            "--run/--no-run",
            help="rebuild the run with the verdicts; --no-run prints the command instead",
        ),
    ] = True,
    out: Out = DEFAULT_OUT,
    workers: Workers = 2,
) -> None:
    """Apply the judges' verdicts to their run, and re-run dependent stages.

    Example: cloze-gen judge apply holmes-style-groom
    """
    from cloze_gen.cli import judge_study as command

    command.apply(out, study, overrides=set_ or [], make=make, workers=workers)


def _names(text: str) -> list[str]:
    return [name for name in text.split(",") if name.strip()]
