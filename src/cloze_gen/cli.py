"""The command line: what a user types, and how mistakes are told."""

from __future__ import annotations

import io
import itertools
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from cloze_gen import __version__
from cloze_gen.adapters.terminal import columns_of, show
from cloze_gen.commands.arguments import (
    DEFAULT_OUT,
    LARGEST_SEED,
    AsIfSettings,
    Config,
    NamedRun,
    OtherRun,
    Out,
    Run,
    Settings,
    Stage,
    Workers,
    number,
)
from cloze_gen.commands.completing import run_names
from cloze_gen.commands.corpus_group import corpus_group
from cloze_gen.commands.judge_group import judge_group
from cloze_gen.commands.newcomer_commands import add_newcomer_commands
from cloze_gen.commands.release_commands import add_release_commands
from cloze_gen.endings import Ended, guarded, written_down
from cloze_gen.errors import ClozeGenError, UsageError

_EMPTY_OPTION = re.compile(r"--[a-z-]+=")
# The order of `--help`: making a set, looking at it, measuring it, having it judged, what is rarer, and releases of others.
_ORDER = (
    *("run", "new", "settings", "doctor", "corpus", "runs", "show", "trace", "explain", "compare", "report", "evaluate", "judge"),
    *("export-requests", "clean-exams", "completion", "verify", "fill", "contamination"),
)


class _Commands(TyperGroup):
    """The commands of the program, as a user meets them.

    Typer reads a broken file's EOFError as Ctrl-C, and prints a line of its own about either. It gets to see neither.
    """

    def list_commands(self, ctx: Any) -> list[str]:
        return sorted(super().list_commands(ctx), key=_ORDER.index)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read `help COMMAND` as `COMMAND --help`, and refuse empty values: an unset shell variable is no choice of a default.

        Raises:
            UsageError: a value is empty.
        """
        if not ctx.resilient_parsing:
            _refuse_empty(args)
        return super().parse_args(ctx, [*args[1:], "--help"] if args[:1] == ["help"] else args)

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except (KeyboardInterrupt, EOFError) as error:
            raise Ended(error) from error


def _refuse_empty(args: Sequence[str]) -> None:
    for before, one in itertools.pairwise(["", *args]):
        name = one[:-1] if _EMPTY_OPTION.fullmatch(one) else before if one == "" else None
        if name is not None:
            what = f"{name}: its value is empty" if name.startswith("--") else "an argument is empty"
            raise UsageError(f"{what}. Is a shell variable not set? Give a value, or leave it out.")


app = typer.Typer(cls=_Commands, add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False,
                  help="Raw books in, cloze test sets out, every step on disk.")  # fmt: skip
app.add_typer(judge_group, name="judge")
app.add_typer(corpus_group, name="corpus")
add_release_commands(app)

# Beyond these a number is a slip of the finger, and what it is handed to would fail in words of its own.
_MOST_ROWS = 1_000_000


@app.callback(invoke_without_command=True)
def _version(version: Annotated[bool, typer.Option("--version", help="print the version and end")] = False) -> None:
    if version:
        show(f"cloze-gen {__version__}")
        raise typer.Exit


@app.command()
def run(
    config: Config,
    train: Annotated[str, typer.Option(help="folder of the training books")] = "",
    source: Annotated[str, typer.Option(help="folder of the books of the questions; without --train their own background")] = "",
    books: Annotated[str, typer.Option(help="folder of the books, for a style that reads one folder")] = "",
    name: Annotated[str, typer.Option(help="name of the run; default: the config's name")] = "",
    out: Out = DEFAULT_OUT,
    workers: Workers = 2,
    seed: Annotated[int, number(0, LARGEST_SEED, help="random seed")] = 1,
    set_: Settings = None,
    engine: Annotated[str, typer.Option(help="local, or dask:ADDRESS of an existing cluster")] = "local",
    strict: Annotated[bool, typer.Option(help="end the run when a book is dropped")] = False,
    dry_run: Annotated[bool, typer.Option(help="say what would run and why, and do nothing")] = False,
) -> None:
    """Make a dataset: every stage that is not on disk yet, then the release.

    Example: cloze-gen run holmes-style --train background/ --source books/ --name mine
    """
    from cloze_gen.commands import run as command

    command.run(config=config, train=train, source=source, books=books, name=name, out=out, workers=workers, seed=seed,
                overrides=set_ or [], engine=engine, strict=strict, dry_run=dry_run)  # fmt: skip


@app.command()
def runs(out: Out = DEFAULT_OUT) -> None:
    """List the runs of an output folder with their signatures.

    Example: cloze-gen runs --out artifacts
    """
    from cloze_gen.commands.runs import list_runs

    show(list_runs(out))


@app.command("show")
def show_run(
    run: Run,
    stage: Stage = None,
    out: Out = DEFAULT_OUT,
    rows: Annotated[int, number(0, _MOST_ROWS, help="rows to print of each table")] = 5,
) -> None:
    """Show a run's stages and funnel, or one stage's files, columns and first rows.

    Example: cloze-gen show holmes-style forward --rows 2
    """
    from cloze_gen.commands import show as command

    show(command.show_stage(out, run, stage, rows, columns=columns_of(sys.stdout)) if stage else command.show_run(out, run))


@app.command()
def trace(
    item_id: Annotated[
        str, typer.Argument(help="id of a question, passage, focus word or sentence, as in release/questions.jsonl or passages.jsonl")
    ],
    run: NamedRun = None,
    out: Out = DEFAULT_OUT,
    alternates: Annotated[
        bool, typer.Option("--alternates", help="Holmes-style: list every alternate with its scores and why it was dropped")
    ] = False,
) -> None:
    """Tell one question's or passage's whole life, from the raw file to the release.

    Example: cloze-gen trace the-clockmakers-debt:63:6 --run holmes-style
    """
    from cloze_gen.commands.trace import trace_item

    show(trace_item(out, run, item_id, alternates=alternates, columns=columns_of(sys.stdout)))


@app.command()
def evaluate(
    items: Annotated[
        str,
        typer.Argument(
            help="a run, a questions.jsonl, a passages.jsonl, or a published file of MSR, LAMBADA or SCDE", autocompletion=run_names
        ),
    ],
    answers: Annotated[Path | None, typer.Option(help="answers of a machine-format file; default: the matching file beside it")] = None,
    train: Annotated[str, typer.Option(help="folder of training books, or blanked passages to learn from; default: the run's own")] = "",
    only: Annotated[
        list[str] | None,
        typer.Option(help="a baseline's name or kind (user: --scores alone), scores:FILE, hf:FOLDER (not of questions); may be repeated"),
    ] = None,
    scores: Annotated[
        Path | None,
        typer.Option(
            help="scores of your own model: JSONL, of options `sentence TAB score` lines, or a samples_*.jsonl of lm-evaluation-harness"
        ),
    ] = None,
    people: Annotated[Path | None, typer.Option(help="what people said of the items: the file of `cloze-gen judge apply`")] = None,
    out: Out = DEFAULT_OUT,
    workers: Workers = 2,
    seed: Annotated[int, number(0, LARGEST_SEED, help="random seed: breaks ties, or begins networks")] = 1,
    write_to: Annotated[
        Path | None, typer.Option(help="folder to write to; default: one of its own in OUT/evaluations/, which a run links")
    ] = None,
) -> None:
    """Measure a test set: baselines and bias rules, with intervals.

    Example: cloze-gen evaluate holmes-style --only baseline
    """
    from cloze_gen.commands import evaluate as command

    show(command.evaluate(items=items, answers=answers, train=train, only=only or [], scores=scores, people=people, out=out,
                                   workers=workers, seed=seed, write_to=write_to, columns=columns_of(sys.stdout)))  # fmt: skip


@app.command()
def report(run: Run, out: Out = DEFAULT_OUT) -> None:
    """Write a run's report.html anew, with its baselines once it has been evaluated.

    Example: cloze-gen report holmes-style
    """
    from cloze_gen.commands.report import report_run

    show(str(report_run(out, run)))


@app.command()
def compare(run: Run, other: OtherRun, out: Out = DEFAULT_OUT) -> None:
    """Compare two runs: settings, funnel, baselines, shared questions or passages.

    Example: cloze-gen compare holmes-style holmes-mine
    """
    from cloze_gen.commands.compare import compare_runs

    show(compare_runs(out, run, other))


@app.command()
def explain(run: Run, out: Out = DEFAULT_OUT, set_: AsIfSettings = None) -> None:
    """Say which stages of a run would run again, and why.

    Example: cloze-gen explain holmes-style --set forward.keep=20
    """
    from cloze_gen.commands.plan import explain

    show(explain(out, run, set_ or []))


@app.command("export-requests")
def export_requests(
    run: Run,
    to: Annotated[Path, typer.Option(help="file to write, a new one")],
    rendering: Annotated[str, typer.Option(help="cased, or published: in small letters, as the published files are")] = "cased",
    out: Out = DEFAULT_OUT,
) -> None:
    """Write what a model of your own is asked about a run's passages: for LAMBADA's committee, or to evaluate SCDE's blanks.

    Example: cloze-gen export-requests lambada-style --to requests.jsonl
    """
    from cloze_gen.commands.export_requests import export_requests

    show(export_requests(out, run, to, rendering=rendering))


@app.command("clean-exams")
def clean_exams(
    exams: Annotated[Path, typer.Argument(help="JSON file of sentence cloze tests as collected: the published layout, with faults")],
    out: Annotated[Path | None, typer.Option(help="folder to write to; default: NAME-cleaned beside the file")] = None,
) -> None:
    """Clean collected examinations by the six rules of SCDE (Kong et al. 2020, 3.2), and write what is left in the published layout.

    Example: cloze-gen clean-exams exams.json --out cleaned
    """
    from cloze_gen.commands import clean_exams as command

    show(command.clean_exams(exams, out))


add_newcomer_commands(app)


def call() -> int:
    """Answer the command line; also what nobody foresaw becomes one message and a status."""
    for stream in (sys.stdout, sys.stderr):  # what the terminal's encoding lacks, a byte of a file's name too, is escaped
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        return guarded(lambda: app(standalone_mode=False))
    except Exception as error:  # noqa: BLE001 - the last catch
        show(f"cloze-gen: {written_down(error)}", sys.stderr)
        return ClozeGenError.exit_status
