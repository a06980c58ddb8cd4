"""The command line: what a user types, and how mistakes are told."""

from __future__ import annotations

import errno
import io
import sys
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from cloze_gen import __version__, interrupts
from cloze_gen.adapters.terminal import columns_of, show
from cloze_gen.errors import ClozeGenError, StoreError
from cloze_gen.notation import shown


class _Ended(Exception):
    """Carries an end of a command past the parser."""

    def __init__(self, how: BaseException) -> None:
        super().__init__(how)
        self.how = how


class _Commands(TyperGroup):
    """Typer reads a broken file's EOFError as Ctrl-C, and says a line of its own about either. It gets to see neither."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except (KeyboardInterrupt, EOFError) as error:
            raise _Ended(error) from error


app = typer.Typer(cls=_Commands, add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False,
                  help="Raw books in, cloze test sets out, every step on disk.")  # fmt: skip
corpus_app = typer.Typer(no_args_is_help=True, help="Look at a folder of books before a run.")
app.add_typer(corpus_app, name="corpus")

# Beyond these a number is a slip of the finger, and what it is handed to would fail in words of its own.
_MOST_WORKERS, _MOST_ROWS, _LARGEST_SEED = 1024, 1_000_000, 2**63 - 1
_INTERRUPTED = 130  # as the shell has it: 128 and SIGINT's number
# What the parser raises: the oldest ancestor that can show itself. It has no name that old versions of Typer, which build on click, and
# new ones, which bring a copy of their own, both tell.
_ParserError: Any = next(kind for kind in reversed(typer.BadParameter.__mro__) if "show" in vars(kind))

Run = Annotated[str, typer.Argument(help="name of a run in the output folder, or its path")]
Out = Annotated[Path, typer.Option("--out", help="output folder")]
DEFAULT_OUT = Path("artifacts")


@app.callback(invoke_without_command=True)
def _version(version: Annotated[bool, typer.Option("--version", help="print the version and end")] = False) -> None:
    if version:
        show(f"cloze-gen {__version__}")
        raise typer.Exit


@app.command()
def run(
    config: Annotated[str, typer.Argument(help="a style (holmes-style, ...) or the path of a TOML file")],
    train: Annotated[str, typer.Option(help="folder of the training books")] = "",
    source: Annotated[str, typer.Option(help="folder of the books that the questions are drawn from")] = "",
    name: Annotated[str, typer.Option(help="name of the run; default: the config's name")] = "",
    out: Out = DEFAULT_OUT,
    workers: Annotated[int, typer.Option(min=1, max=_MOST_WORKERS, help="processes")] = 2,
    seed: Annotated[int, typer.Option(min=0, max=_LARGEST_SEED, help="random seed")] = 1,
    set_: Annotated[list[str] | None, typer.Option("--set", help="stage.key=value, any setting; may be repeated")] = None,
    engine: Annotated[str, typer.Option(help="local, or dask:ADDRESS of an existing cluster")] = "local",
    strict: Annotated[bool, typer.Option(help="end the run when a book is dropped")] = False,
    dry_run: Annotated[bool, typer.Option(help="say what would run and why, and do nothing")] = False,
) -> None:
    """Make a dataset: every stage that is not on disk yet, then the release.

    Example: cloze-gen run holmes-style --train background/ --source books/ --name mine
    """
    from cloze_gen.commands import run as command

    command.run(config=config, train=train, source=source, name=name, out=out, workers=workers, seed=seed,
                overrides=set_ or [], engine=engine, strict=strict, dry_run=dry_run)  # fmt: skip


@app.command()
def runs(out: Out = DEFAULT_OUT) -> None:
    """List the runs of an output folder with their signatures.

    Example: cloze-gen runs --out artifacts
    """
    from cloze_gen.commands import show as inspect

    show(inspect.list_runs(out))


@app.command("show")
def show_run(
    run: Run,
    stage: Annotated[str | None, typer.Argument(help="a stage of it by name, link or number: forward, 12-forward, 12")] = None,
    out: Out = DEFAULT_OUT,
    rows: Annotated[int, typer.Option(min=0, max=_MOST_ROWS, help="rows to print of each table")] = 5,
) -> None:
    """Show a run's stages and funnel, or one stage's files, columns and first rows.

    Example: cloze-gen show holmes-style forward --rows 2
    """
    from cloze_gen.commands import show as inspect

    show(inspect.show_stage(out, run, stage, rows, columns=columns_of(sys.stdout)) if stage else inspect.show_run(out, run))


@app.command()
def trace(
    item_id: Annotated[str, typer.Argument(help="id of a question, focus word or sentence, as in release/questions.jsonl")],
    run: Annotated[str | None, typer.Option(help="name or path of the run; default: of those that have it the one written last")] = None,
    out: Out = DEFAULT_OUT,
    alternates: Annotated[bool, typer.Option("--alternates", help="list every alternate with its scores and why it was dropped")] = False,
) -> None:
    """Tell one question's whole life, from the raw file to the options written.

    Example: cloze-gen trace the-clockmakers-debt:63:6 --run holmes-style
    """
    from cloze_gen.commands import trace as tracing

    show(tracing.trace_item(out, run, item_id, alternates=alternates, columns=columns_of(sys.stdout)))


@app.command()
def evaluate(
    questions: Annotated[str, typer.Argument(help="a run, a questions.jsonl, or a machine-format file of the MSR challenge")],
    answers: Annotated[Path | None, typer.Option(help="answers of a machine-format file; default: the matching file beside it")] = None,
    train: Annotated[str, typer.Option(help="folder of training books; default: the run's own")] = "",
    only: Annotated[list[str] | None, typer.Option(help="a baseline's name or kind; may be repeated")] = None,
    scores: Annotated[Path | None, typer.Option(help="option scores of your own model: JSONL, or `sentence TAB score` lines")] = None,
    out: Out = DEFAULT_OUT,
    workers: Annotated[int, typer.Option(min=1, max=_MOST_WORKERS, help="processes")] = 2,
    seed: Annotated[int, typer.Option(min=0, max=_LARGEST_SEED, help="random seed, which breaks ties")] = 1,
    write_to: Annotated[
        Path | None, typer.Option(help="folder to write to; default: one of its own in OUT/evaluations/, which a run links")
    ] = None,
) -> None:
    """Measure a test set: baselines, bias tests and artifact rules, with intervals.

    Example: cloze-gen evaluate holmes-style --only baseline
    """
    from cloze_gen.commands import evaluate as evaluation

    show(evaluation.evaluate(questions=questions, answers=answers, train=train, only=only or [], scores=scores, out=out,
                                   workers=workers, seed=seed, write_to=write_to))  # fmt: skip


@app.command()
def report(run: Run, out: Out = DEFAULT_OUT) -> None:
    """Write a run's report.html anew, with its baselines once it has been evaluated.

    Example: cloze-gen report holmes-style
    """
    from cloze_gen.commands import report as reporting

    show(str(reporting.report_run(out, run)))


@app.command()
def compare(
    run: Run, other: Annotated[str, typer.Argument(help="name or path of the run to set beside it")], out: Out = DEFAULT_OUT
) -> None:
    """Compare two runs: settings, funnel, baselines, shared questions.

    Example: cloze-gen compare holmes-style holmes-mine
    """
    from cloze_gen.commands import report as reporting

    show(reporting.compare_runs(out, run, other))


@app.command()
def explain(
    run: Run,
    out: Out = DEFAULT_OUT,
    set_: Annotated[list[str] | None, typer.Option("--set", help="stage.key=value, as if it were set so; may be repeated")] = None,
) -> None:
    """Say which stages of a run would run again, and why.

    Example: cloze-gen explain holmes-style --set forward.keep=20
    """
    from cloze_gen.commands import run as command

    show(command.explain(out, run, set_ or []))


@app.command()
def settings(config: Annotated[str, typer.Argument(help="a style (holmes-style, ...) or the path of a TOML file")]) -> None:
    """Print every setting of a style with its value and meaning, as a TOML file.

    Example: cloze-gen settings holmes-style > holmes-mine.toml
    """
    from cloze_gen.commands import run as command

    show(command.settings_text(config, columns=columns_of(sys.stdout)), whole_lines=True)  # a line of TOML cannot be broken


@app.command()
def doctor(
    fix: Annotated[bool, typer.Option(help="build KenLM's programs, and its Python module, where they are missing")] = False,
    kenlm_sources: Annotated[Path | None, typer.Option(help="kenlm-0.3.0.tar.gz, for --fix without a network")] = None,
    store: Annotated[Path | None, typer.Option(help="output folder: read every byte of it and compare it with what was written")] = None,
) -> None:
    """Check the tools: versions, what is missing, and the command that mends it. With --store, check an output folder instead.

    Example: cloze-gen doctor --store artifacts
    """
    if store is not None:
        _check_store(store)
        return
    from cloze_gen.adapters import doctor, kenlm_build

    checks = doctor.run_checks()
    missing = {check.name for check in checks if not check.ok}
    if fix and missing & {"kenlm", "lmplz"}:
        programs, module = "lmplz" in missing, "kenlm" in missing
        for line in kenlm_build.plan(programs=programs, module=module, archive=kenlm_sources):
            show(f"Going to {line} ...")
        kenlm_build.build(programs=programs, module=module, archive=kenlm_sources)
        checks = doctor.run_checks()
    for check in checks:
        show(f"{'ok     ' if check.ok else 'MISSING'} {check.name:<16} {check.detail}")
        if not check.ok and check.remedy:
            show(f"        mend it with: {check.remedy}")
    if not all(check.ok for check in checks):
        raise typer.Exit(1)


def _check_store(out: Path) -> None:
    from cloze_gen.commands.check_store import check_store

    looked_at, damaged, faults = check_store(out)
    for fault in faults:
        show(fault)
    show(f"{looked_at - damaged:,} of {looked_at:,} artifacts, runs and evaluations are as they were written")
    if faults:
        raise typer.Exit(1)


@corpus_app.command()
def verify(
    folder: Annotated[Path, typer.Argument(help="folder of .txt or .txt.gz books")],
    manifest: Annotated[Path, typer.Option(help="manifest.tsv with the columns file and sha256")],
    role: Annotated[str | None, typer.Option(help="only the files of this role: train or source")] = None,
) -> None:
    """Compare a folder of books with a manifest's checksums.

    Example: cloze-gen corpus verify books/ --manifest books/manifest.tsv
    """
    from cloze_gen.store.corpus import verify_corpus
    from cloze_gen.store.corpus_manifest import manifest_rows

    findings = verify_corpus(folder, manifest, role=role)
    for file, finding in findings:
        show(f"{file}: {finding}")
    total = len(manifest_rows(manifest, role=role))
    show(f"{total - len(findings)} of {total} files agree with {manifest.name}")
    if findings:
        raise typer.Exit(1)


@corpus_app.command()
def rank(
    folder: Annotated[Path, typer.Argument(help="folder of .txt or .txt.gz books")],
    reference: Annotated[Path, typer.Option(help="questions.jsonl of a release, or an MSR machine-format questions file")],
    out: Out = DEFAULT_OUT,
    tagger: Annotated[str, typer.Option(help="'builtin', or an installed spaCy pipeline")] = "builtin",
    workers: Annotated[int, typer.Option(min=1, max=_MOST_WORKERS, help="processes")] = 2,
) -> None:
    """Rank the books of a folder by their vocabulary's likeness to a question set (Argouarc'h 2018, section 2).

    Example: cloze-gen corpus rank books/ --reference reference/questions.jsonl
    """
    from cloze_gen.commands import rank as ranking

    for line in ranking.rank_books(folder, reference=reference, out=out, tagger=tagger, workers=workers):
        show(line)


def call() -> int:
    """Answer the command line; also what nobody foresaw becomes one message and a status."""
    for stream in (sys.stdout, sys.stderr):  # what the terminal's encoding lacks, a byte of a file's name too, is escaped
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        return guarded(lambda: app(standalone_mode=False))
    except Exception as error:  # noqa: BLE001 - the last catch
        show(f"cloze-gen: {_written_down(error)}", sys.stderr)
        return ClozeGenError.exit_status


def guarded(call: Callable[[], object]) -> int:
    """Run a call and turn its end into an exit status, told on stderr where it failed.

    Raises:
        Exception: what is no user's mistake and no refusal of the machine.
    """
    try:
        result = _unwrapped(call)
    except _ParserError as error:
        error.show()
        return int(error.exit_code)
    except ClozeGenError as error:
        show(f"cloze-gen: {error}", sys.stderr)
        return error.exit_status
    except (KeyboardInterrupt, typer.Abort):
        result = _INTERRUPTED
    except BrokenPipeError:
        return 0
    except OSError as error:
        show(f"cloze-gen: {_explain_os_error(error)}", sys.stderr)
        return StoreError.exit_status
    if result == _INTERRUPTED:  # Typer may have turned Ctrl-C into this status already
        show(interrupts.STOPPED, sys.stderr)
    return result if isinstance(result, int) else 0


def _unwrapped(call: Callable[[], object]) -> object:
    try:
        return call()
    except _Ended as ended:
        how = ended.how
    raise how  # here, out of the except clause, with no other context than its own


def _written_down(error: Exception) -> str:
    """One line about an error that nobody foresaw, and its traceback in a file that only its owner reads."""
    what = f"an error that was not foreseen, {' '.join(f'{type(error).__name__}: {error}'.split())[:200]}."
    text = "".join(traceback.format_exception(error))
    try:
        handle, path = tempfile.mkstemp(prefix="cloze-gen-", suffix=".txt")
        with open(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(f"cloze-gen {__version__}, Python {sys.version}\n{text}")
    except OSError as refused:
        return f"{what} Where it came from could not be written down ({refused}). Please report it; what was finished stays."
    return f"{what} Where it came from is written in {path}; please report it with that file. What was finished stays."


def _explain_os_error(error: OSError) -> str:
    """One message for what the machine refused. numpy tells a full disk by `N requested and M written`, without an error number."""
    full = error.errno in {errno.ENOSPC, errno.EDQUOT} or "No space left" in str(error) or "requested and" in str(error)
    if full:
        return f"the disk is full ({error}). Free space or choose another --out, then run again; what was finished stays."
    place = f": {shown(str(error.filename), most_chars=300)}" if error.filename else ""
    said = f"{error.strerror}{place}" if error.strerror else str(error)
    return f"cannot read or write: {said}. Mend this or choose another --out, then run again; what was finished stays."
