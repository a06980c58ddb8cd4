"""The command line."""

from __future__ import annotations

import io
import itertools
import re
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from cloze_gen import __version__
from cloze_gen.adapters.terminal import show
from cloze_gen.cli.arguments import (
    DEFAULT_OUT,
    LARGEST_SEED,
    AsIfSettings,
    Config,
    KeepSplits,
    NamedRun,
    Out,
    Run,
    RunKeepSplits,
    RunTextColumn,
    Settings,
    Stage,
    TextColumn,
    Workers,
    config_names,
    name_values,
    number,
    run_names,
    whole_name,
)
from cloze_gen.cli.judge import judge_group
from cloze_gen.cli_errors import Exit, ParserError, run_and_report, write_crash_report
from cloze_gen.errors import ClozeGenError, UsageError
from cloze_gen.parsing import quote

# ---- the command line

_EMPTY_OPTION = re.compile(r"--[a-z-]+=")
_PLACES = "a folder, a file or a pattern"
_OF_BOOKS = ("--source", "--train", "--books")
# `--help` in the order of use.
_SECTIONS = {
    "Make a test set": ["new", "run", "settings", "corpus"],
    "Look into a run": ["show", "trace", "runs", "explain", "compare", "report", "clean"],
    "Measure and judge a set": ["evaluate", "judge", "export-requests"],
    "Use a published set": ["export", "verify", "fill", "contamination"],
    "More": ["doctor", "clean-exams"],
}


class Group(TyperGroup):
    """A group whose help has the whole first sentence of each command."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        for title, names in self.sections().items():
            rows = [(name, self.commands[name].get_short_help_str(limit=200)) for name in names]
            with formatter.section(title):
                formatter.write_dl(rows)

    def sections(self) -> dict[str, list[str]]:
        """Heading -> commands."""
        return {"Commands": list(self.commands)}

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        command = super().get_command(ctx, cmd_name)
        return command and name_values(command)


class _Commands(Group):
    """Handle EOFError and Ctrl-C here, because Typer would print a line of its own."""

    def sections(self) -> dict[str, list[str]]:
        return _SECTIONS

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read `help COMMAND` as `COMMAND --help`; refuse empty values and repeated books."""
        if not ctx.resilient_parsing:
            _refuse_empty(args)
            _refuse_repeated(args)
        return super().parse_args(ctx, [*args[1:], "--help"] if args[:1] == ["help"] else args)

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except (KeyboardInterrupt, EOFError) as error:
            raise Exit(error) from error
        except ParserError as error:
            if hint := _hint(error):
                error.message = f"{error.message.rstrip('.')}. {hint}"
            raise


def _hint(error: Any) -> str:
    """What was probably meant by books without an option, or by a style in place of a command."""
    message = error.format_message()
    wrong = re.match(r"No such command '(.*?)'", message)
    if wrong and (name := whole_name(wrong[1])) in config_names(""):
        return f"Did you mean `cloze-gen run {name}`?"
    if "unexpected extra argument" in message and error.ctx.info_name == "run":
        return f"Give books with --source, --train or --books: {_PLACES}. Quote a name with spaces."
    return ""


def _refuse_repeated(args: Sequence[str]) -> None:
    """Of options with books: the parser would read the last and drop the others without a word."""
    names = [arg.partition("=")[0] for arg in args]
    for option in _OF_BOOKS:
        if names.count(option) > 1:
            raise UsageError(
                f"{option} is given {names.count(option)} times, but takes one. Put several books "
                "into one folder, and give the folder."
            )


def _refuse_empty(args: Sequence[str]) -> None:
    for previous, arg in itertools.pairwise(["cloze-gen", *args]):
        if arg == "" or _EMPTY_OPTION.fullmatch(arg):
            raise UsageError(
                f"{shlex.join([previous, arg])}: a value is empty. Check that your shell variables "
                "are set. Give a value, or leave it out."
            )


# Rich, which Typer would use for help, takes half of the time of `--help` to import.
app = typer.Typer(cls=_Commands, no_args_is_help=True, pretty_exceptions_enable=False, rich_markup_mode=None,
                  help="Build cloze test sets from raw books. Every intermediate step is saved, so you can inspect it.")  # fmt: skip
corpus_group = typer.Typer(no_args_is_help=True, help="Inspect books before a run.")
contamination_group = typer.Typer(
    no_args_is_help=True, help="Test whether a language model was trained on a published release."
)
app.add_typer(judge_group, name="judge", cls=Group)
app.add_typer(corpus_group, name="corpus", cls=Group)
app.add_typer(contamination_group, name="contamination", cls=Group)


@app.callback(invoke_without_command=True)
def _version(
    version: Annotated[bool, typer.Option("--version", help="print the version and exit")] = False,
) -> None:
    if version:
        show(f"cloze-gen {__version__}")
        raise typer.Exit


# ---- commands for newcomers


@app.command()
def new(
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="DIR", help="new or empty folder; its name becomes the name of the run"
        ),
    ],
    style: Annotated[
        str,
        typer.Option(
            help="settings to start from: a style, a built-in config or a TOML file",
            autocompletion=config_names,
            callback=whole_name,
        ),
    ] = "holmes-style",
) -> None:
    """Create a project folder with a settings file, folders for your books and a
    README of next steps.

    Example: cloze-gen new mine --style scs-style
    """
    from cloze_gen.cli.new import create_project

    show(create_project(folder, style))


@app.command()
def settings(config: Config) -> None:
    """Print all settings of a style with values and descriptions, as a TOML file.

    Example: cloze-gen settings holmes-style > holmes-mine.toml
    """
    from cloze_gen.cli.run import settings_text

    show(settings_text(config))


@app.command()
def doctor(
    fix: Annotated[
        bool, typer.Option(help="build KenLM's programs if lmplz is missing or does not start")
    ] = False,
    store: Annotated[
        Path | None,
        typer.Option(
            help="output folder to check: every byte is compared with the recorded checksums"
        ),
    ] = None,
) -> None:
    """Check the installation, or an output folder for damage.

    Example: cloze-gen doctor

    Loads each library and starts lmplz, and prints how to mend what fails. With --store DIR it checks that output folder instead. The exit
    status is 1 if a check fails.
    """
    from cloze_gen.cli import doctor as command

    command.check_store(store) if store else command.check_tools(fix=fix)


# ---- commands for users of a release

_RELEASE = Annotated[Path, typer.Argument(help="folder of a release")]


@app.command()
def verify(
    release: _RELEASE,
    books: Annotated[
        str,
        typer.Option(help=f"your copies of the books: {_PLACES}; they are matched by checksum"),
    ] = "",
    text_column: TextColumn = "",
    deep: Annotated[
        bool, typer.Option("--deep", help="rebuild the set from the books and compare its files")
    ] = False,
    workers: Workers = 2,
) -> None:
    """Check a release against its checksums, its items and, if you have them, its
    books.

    Example: cloze-gen verify artifacts/runs/holmes-style/release --deep

    --books compares every sentence with your copies of the books. --deep also rebuilds the set. The
    exit status is 1 if anything differs.
    """
    from cloze_gen.cli.release import verify_release
    from cloze_gen.corpus.collect import InputSettings
    from cloze_gen.release.checks import check_text

    wrong = False
    settings = InputSettings(text_column=text_column)
    for check in verify_release(
        release, books=books, settings=settings, deep=deep, workers=workers
    ):
        wrong = wrong or bool(check.differences)
        show(check_text(check))
    if wrong:
        raise typer.Exit(1)


@app.command()
def fill(
    release: _RELEASE,
    books: Annotated[
        str,
        typer.Option(help=f"your copies of the books: {_PLACES}; they are matched by checksum"),
    ],
    text_column: TextColumn = "",
    to: Annotated[
        Path | None,
        typer.Option(
            help="new folder for the full release; default: the release's name with -full"
        ),
    ] = None,
) -> None:
    """Rebuild the full set from a release that holds pointers instead of text.

    Example: cloze-gen fill release/ --books books/ --to filled

    Such releases are made with release.text = pointers. The rebuilt data files
    are byte-identical to the original ones.
    """
    from cloze_gen.cli.release import fill
    from cloze_gen.corpus.collect import InputSettings

    settings = InputSettings(text_column=text_column)
    show(fill(release, books=books, settings=settings, to=to))


# ---- `cloze-gen contamination ...`

_TESTED = Annotated[Path, typer.Argument(help="run, or folder of a release")]
_TESTED_FILE = Annotated[
    str,
    typer.Option(
        help="file of the release with one item a line; default: test.jsonl or questions.jsonl"
    ),
]
_EXCHANGEABLE = Annotated[
    bool,
    typer.Option(
        "--exchangeable",
        help="confirmation that the lines of this file were published in random order",
    ),
]


@contamination_group.command("write")
def write_requests(
    release: _TESTED,
    requests: Annotated[Path, typer.Argument(help="new file for the texts")],
    file: _TESTED_FILE = "",
    shards: Annotated[
        int, number(0, help="number of shards; 0: 50, or fewer so that each has ten lines")
    ] = 0,
    permutations: Annotated[int, number(1, help="number of shuffled orders of each shard")] = 99,
    seed: Annotated[int, number(0, LARGEST_SEED, help="random seed of the shuffles")] = 1,
    exchangeable: _EXCHANGEABLE = False,
    out: Out = DEFAULT_OUT,
) -> None:
    """Write the texts that the model has to score: the published order of the lines,
    and shuffled ones.

    Example: cloze-gen contamination write release/ requests.jsonl
    """
    from cloze_gen.cli.contamination import write_requests as command

    show(command(release, requests, file=file, shards=shards, permutations=permutations, seed=seed,
                 exchangeable=exchangeable, out=out))  # fmt: skip


@contamination_group.command("read")
def read_order_log(
    release: _TESTED,
    log: Annotated[
        Path,
        typer.Argument(help="the model's scores: JSONL, {id, log_likelihood} for each text"),
    ],
    file: _TESTED_FILE = "",
    exchangeable: _EXCHANGEABLE = False,
    out: Out = DEFAULT_OUT,
) -> None:
    """Compare the model's log-likelihood of the published order with those of shuffled
    orders; prints an exact p-value.

    Example: cloze-gen contamination read release/ log.jsonl
    """
    from cloze_gen.cli.contamination import read_log

    show(read_log(release, log, file=file, exchangeable=exchangeable, out=out))


# ---- `cloze-gen corpus ...`

_BOOKS = Annotated[
    str,
    typer.Argument(
        metavar="PATH",
        help="folder, file or pattern ('books/*.parquet')",
    ),
]


@corpus_group.command("inspect")
def inspect_books(
    place: _BOOKS,
    text_column: TextColumn = "",
    keep_splits: KeepSplits = False,
) -> None:
    """Print what a place has: formats, books, metadata, what is skipped and why, and
    the next command.

    Example: cloze-gen corpus inspect books/
    """
    from cloze_gen.cli.corpus import inspect_books
    from cloze_gen.corpus.collect import InputSettings

    settings = InputSettings(text_column=text_column, keep_splits=keep_splits)
    inspect_books(place, settings=settings)


@corpus_group.command()
def rank(
    place: _BOOKS,
    reference: Annotated[
        Path,
        typer.Option(
            help="questions to compare with: questions.jsonl of a release, or an MSR machine-format file"
        ),
    ],
    out: Out = DEFAULT_OUT,
    text_column: TextColumn = "",
    keep_splits: KeepSplits = False,
    workers: Workers = 2,
) -> None:
    """Rank books by the similarity of their vocabulary to a question set
    (Argouarc'h 2018, section 2).

    Example: cloze-gen corpus rank books/ --reference reference/questions.jsonl
    """
    from cloze_gen.corpus.collect import InputSettings
    from cloze_gen.recipes.scs.books import rank_books

    settings = InputSettings(text_column=text_column, keep_splits=keep_splits)
    for line in rank_books(place, settings=settings, reference=reference, out=out, workers=workers):
        show(line)


# ---- runs

# Larger numbers are typing errors and would fail later with a less clear message.
_MOST_ROWS = 1_000_000


@app.command()
def run(
    config: Config,
    train: Annotated[
        str,
        typer.Option(help=f"background books, for counts and models: {_PLACES}"),
    ] = "",
    source: Annotated[
        str,
        typer.Option(
            help="books that questions come from, as for --train; also the background if --train is "
            "missing"
        ),
    ] = "",
    books: Annotated[
        str,
        typer.Option(help="books for lambada-style and scde-style, as for --train"),
    ] = "",
    text_column: RunTextColumn = "",
    keep_splits: RunKeepSplits = False,
    name: Annotated[str, typer.Option(help="name of the run; default: the config's name")] = "",
    out: Out = DEFAULT_OUT,
    workers: Workers = 2,
    seed: Annotated[int, number(0, LARGEST_SEED, help="random seed")] = 1,
    set_: Settings = None,
    engine: Annotated[
        str, typer.Option(help="where stages run: local, or dask:ADDRESS of a running cluster")
    ] = "local",
    strict: Annotated[bool, typer.Option(help="stop if a book is dropped")] = False,
    dry_run: Annotated[bool, typer.Option(help="print what would run and why, and stop")] = False,
) -> None:
    """Build a test set: run every stage that is not on disk yet, then write the
    release.

    Example: cloze-gen run holmes-style --train background/ --source books/ --name mine
    """
    from cloze_gen.cli import run as command

    command.run(config=config, train=train, source=source, books=books, name=name, out=out, workers=workers,
                seed=seed, overrides=set_ or [], text_column=text_column, keep_splits=keep_splits,
                engine=engine, strict=strict, dry_run=dry_run)  # fmt: skip


@app.command()
def runs(out: Out = DEFAULT_OUT) -> None:
    """List the runs in an output folder with their sizes and signatures.

    Example: cloze-gen runs --out artifacts

    Own: the run and the artifacts that only it uses. Shared: those that other runs use too.
    """
    from cloze_gen.cli.runs import list_runs

    show(list_runs(out))


@app.command()
def clean(
    out: Out = DEFAULT_OUT,
    yes: Annotated[bool, typer.Option("--yes", help="remove what is listed")] = False,
) -> None:
    """List the artifacts that no run uses, or remove them.

    Example: cloze-gen clean --yes

    Other files are never removed. First delete the folders of runs that you no
    longer want.
    """
    from cloze_gen.cli import runs as command

    show(command.clean(out, removes=yes))


@app.command("show")
def show_run(
    run: Run,
    stage: Stage = None,
    out: Out = DEFAULT_OUT,
    rows: Annotated[int, number(0, _MOST_ROWS, help="number of rows to print of each table")] = 5,
) -> None:
    """Print a run's stages and funnel, or one stage's files, columns and first
    rows.

    Example: cloze-gen show holmes-style forward --rows 2
    """
    from cloze_gen.cli import show as command

    show(command.show_stage(out, run, stage, rows) if stage else command.show_run(out, run))


@app.command()
def trace(
    item_id: Annotated[
        str,
        typer.Argument(
            help="id of a question, passage, focus word or sentence, e.g. from "
            "release/questions.jsonl or passages.jsonl"
        ),
    ],
    run: NamedRun = None,
    out: Out = DEFAULT_OUT,
    alternates: Annotated[
        bool,
        typer.Option(
            "--alternates",
            help="list long tables too: every alternate with its scores and the reason it was dropped",
        ),
    ] = False,
) -> None:
    """Print every decision about one question or passage, from the raw file to the
    release.

    Example: cloze-gen trace the-lost-luggage-of-penny-cross:70:2 --run holmes-style
    """
    from cloze_gen.api.trace import trace

    show(trace(run, item_id, out=out, alternates=alternates))


@app.command()
def evaluate(
    items: Annotated[
        str,
        typer.Argument(
            help="run, release, questions.jsonl, passages.jsonl, or a published file of MSR, LAMBADA or "
            "SCDE",
            autocompletion=run_names,
        ),
    ],
    more_scores: Annotated[
        list[Path] | None, typer.Argument(metavar="SCORES", help="further files of --scores")
    ] = None,
    answers: Annotated[
        Path | None,
        typer.Option(
            help="answers file of an MSR machine-format file; default: the matching file in its folder"
        ),
    ] = None,
    train: Annotated[
        str,
        typer.Option(
            help="folder of training books, or a file of training passages for blanks; default: the "
            "run's own"
        ),
    ] = "",
    only: Annotated[
        list[str] | None,
        typer.Option(
            help="baseline to measure, by name or kind; user: only --scores; may be repeated"
        ),
    ] = None,
    scores: Annotated[
        list[Path] | None,
        typer.Option(
            help="scores of your own model: JSONL or a samples_*.jsonl of lm-evaluation-harness; "
            "may be repeated"
        ),
    ] = None,
    people: Annotated[
        Path | None,
        typer.Option(
            help="human verdicts on the items: the file that `cloze-gen judge apply` writes"
        ),
    ] = None,
    by_item: Annotated[
        bool,
        typer.Option(
            "--items",
            help="item analysis of the files of --scores, from three models or more; measures no "
            "baselines unless --only names them",
        ),
    ] = False,
    out: Out = DEFAULT_OUT,
    workers: Workers = 2,
    seed: Annotated[
        int, number(0, LARGEST_SEED, help="random seed for ties and for training networks")
    ] = 1,
    write_to: Annotated[
        Path | None,
        typer.Option(
            help="folder for the results; default: a folder in OUT/evaluations/, linked from the "
            "run, whose card and report are updated"
        ),
    ] = None,
) -> None:
    """Measure a test set with baselines and bias rules, with confidence intervals.

    Example: cloze-gen evaluate holmes-style --only baseline

    Item analysis: cloze-gen evaluate holmes-style --items --scores A.jsonl B.jsonl C.jsonl
    """
    from cloze_gen.cli.evaluate import evaluation_text

    if more_scores and not scores:
        raise UsageError(
            f"{quote(str(more_scores[0]))}: unexpected argument. Give files of scores with --scores."
        )
    show(evaluation_text(items=items, answers=answers, train=train, only=only or [], scores=[*(scores or []), *(more_scores or [])],
                         people=people, out=out, workers=workers, seed=seed, write_to=write_to, by_item=by_item))  # fmt: skip


@app.command()
def report(run: Run, out: Out = DEFAULT_OUT) -> None:
    """Rewrite a run's report.html; it includes the baselines if the run has been
    evaluated.

    Example: cloze-gen report holmes-style
    """
    from cloze_gen.cli.show import report_run

    show(str(report_run(out, run)))


@app.command()
def compare(run: Run, other: Run, out: Out = DEFAULT_OUT) -> None:
    """Compare two runs: settings, funnel, baselines, and shared questions or
    passages.

    Example: cloze-gen compare holmes-style holmes-mine
    """
    from cloze_gen.cli.compare import compare_runs

    show(compare_runs(out, run, other))


@app.command()
def explain(run: Run, out: Out = DEFAULT_OUT, set_: AsIfSettings = None) -> None:
    """Print which stages of a run would run again, and why.

    Example: cloze-gen explain holmes-style --set forward.keep=20
    """
    from cloze_gen.cli.run import explain

    show(explain(out, run, set_ or []))


@app.command()
def export(
    release: Annotated[
        str,
        typer.Argument(
            help="run, folder of a release, or a questions.jsonl or passages.jsonl",
            autocompletion=run_names,
        ),
    ],
    n: Annotated[int, number(1, _MOST_ROWS, help="number of items")] = 20,
    format: Annotated[
        str,
        typer.Option(
            help="print (a page of HTML), csv or moodle-xml; default: by the ending of --to, else print"
        ),
    ] = "",
    to: Annotated[
        Path | None,
        typer.Option(help="new file, e.g. quiz.html, .csv, .xml; default: the standard output"),
    ] = None,
    title: Annotated[str, typer.Option(help="title of the quiz; default: name of the set")] = "",
    skip: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ID",
            help="id of an item to leave out, as the answer key prints it, or an exported .csv with "
            "items to leave out; may be repeated",
        ),
    ] = None,
    classes: Annotated[
        list[str] | None,
        typer.Option("--class", help="word class of the answer, e.g. noun; may be repeated"),
    ] = None,
    books: Annotated[
        list[str] | None, typer.Option("--book", help="id of a book; may be repeated")
    ] = None,
    difficulty: Annotated[
        str,
        typer.Option(
            metavar="LEAST-MOST",
            help="share of models that are right, e.g. 0.2-0.8; needs `evaluate --items`",
        ),
    ] = "",
    length: Annotated[
        str, typer.Option(metavar="LEAST-MOST", help="words of the text, e.g. 8-20")
    ] = "",
    seed: Annotated[int, number(0, LARGEST_SEED, help="random seed of the draw")] = 1,
    out: Out = DEFAULT_OUT,
) -> None:
    """Write a sample of a set as a quiz for people, with an answer key.

    Example: cloze-gen export holmes-style --n 20 --to quiz.xml --title "Chapter 3"
    """
    from cloze_gen.cli import export as command
    from cloze_gen.release.export import Filters

    filters = Filters(
        classes or (),
        books or (),
        command.parse_range("--difficulty", difficulty),
        command.parse_range("--length", length),
        command.ids_of(skip or ()),
    )
    text = command.export(
        release, out=out, n=n, format=format, title=title, seed=seed, to=to, filters=filters
    )
    if to is None:
        sys.stdout.write(text)  # as it is: `show` escapes control characters
    else:
        show(text)


@app.command("export-requests")
def export_requests(
    run: Run,
    to: Annotated[Path, typer.Option(help="new file for the requests")],
    rendering: Annotated[
        str,
        typer.Option(
            help="form of the text: cased, or published (lower case, as in LAMBADA's files)"
        ),
    ] = "cased",
    out: Out = DEFAULT_OUT,
) -> None:
    """Write prompts for your own model from a run's passages.

    Example: cloze-gen export-requests lambada-style --to requests.jsonl

    Use the answers to add the model to LAMBADA's committee, or to evaluate it
    on SCDE's blanks.
    """
    from cloze_gen.cli.evaluate import export_requests

    show(export_requests(out, run, to, rendering=rendering))


@app.command("clean-exams")
def clean_exams(
    exams: Annotated[Path, typer.Argument(help="JSON file in SCDE's published layout")],
    to: Annotated[Path, typer.Option(help="new file for the accepted passages")],
) -> None:
    """Clean collected passages by the rules of SCDE (section 3.2 of its paper).

    Example: cloze-gen clean-exams exams.json --to cleaned.json

    Prints the eid of each rejected passage and the rule that rejected it. Candidates and
    answers may be missing or null.
    """
    from cloze_gen.cli import exams as command

    for line in command.clean_exams(exams, to):
        show(line)


def call() -> int:
    """Run the command line; an unexpected error also becomes one message and an exit status."""
    # escape characters that the terminal's encoding lacks, and undecodable file names
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        return run_and_report(lambda: app(standalone_mode=False))
    except Exception as error:  # noqa: BLE001 - the outermost handler
        show(f"cloze-gen: {write_crash_report(error)}", sys.stderr)
        return ClozeGenError.exit_status
