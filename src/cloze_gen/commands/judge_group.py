"""`cloze-gen judge ...`: what a user types to have people judge."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from cloze_gen.adapters.terminal import columns_of
from cloze_gen.commands.arguments import DEFAULT_OUT, LARGEST_SEED, AsIfSettings, Out, Run, Workers, number
from cloze_gen.commands.completing import config_names, study_names
from cloze_gen.errors import UsageError

_MOST_ITEMS, _MOST_PAGES, _MOST_USD = 10**9, 1000, 10**6
judge_group = typer.Typer(no_args_is_help=True, help="Have people judge: groom candidates, guess words, read questions, fill blanks.")
Study = Annotated[str, typer.Argument(help="name of a study in OUT/judgements, or its path", autocompletion=study_names)]
Judges = Annotated[str, typer.Option(help="names of those who judge, with commas")]


@judge_group.command()
def new(
    run: Run,
    task: Annotated[str, typer.Option(help="groom, guess, read or fill; default: the first that the style has")] = "",
    judges: Judges = "",
    adjudicators: Annotated[str, typer.Option(help="names of those who decide, after all have finished, what was left open")] = "",
    name: Annotated[str, typer.Option(help="name of the study; default: RUN-TASK")] = "",
    each: Annotated[int | None, typer.Option(help="judges an item (3); guessing asks as guessing.* says")] = None,
    pool: Annotated[int | None, number(0, _MOST_ITEMS, help="items drawn; 0: all")] = None,
    draw: Annotated[str | None, typer.Option(help="grooming: random, or balanced over the answer's forward rank and class")] = None,
    others: Annotated[list[Path] | None, typer.Option("--with", help="read, fill: a run or file whose items are mixed in")] = None,
    page: Annotated[int | None, typer.Option(help="items that a judge is dealt at a time (20)")] = None,
    attention: Annotated[float | None, typer.Option(help="share of items that only ask whether the judge reads (0)")] = None,
    repeats: Annotated[float | None, typer.Option(help="share of items that a judge is asked again (0)")] = None,
    show_machine: Annotated[bool, typer.Option("--show-machine", help="grooming: show what the machine says of each candidate")] = False,
    seed: Annotated[int, number(0, LARGEST_SEED, help="of the draws")] = 1,
    out: Out = DEFAULT_OUT,
) -> None:
    """Make a study: which items are asked about, in which order, and who judges.

    Example: cloze-gen judge new holmes-style --task groom --pool 40 --draw balanced --judges ann,bob,cara --adjudicators eve
    """
    from cloze_gen.commands import judge as command

    settings = {"each": each, "pool": pool, "draw": draw, "page": page, "attention": attention, "repeats": repeats, "seed": seed,
                "show_machine": show_machine}  # fmt: skip
    people, deciding = _names(judges), _names(adjudicators)
    command.new(out, run, task=task, name=name, judges=people, adjudicators=deciding, others=others or [], settings=settings)


@judge_group.command()
def serve(
    study: Study,
    judges: Annotated[str, typer.Option(help="names of more judges, with commas")] = "",
    adjudicators: Annotated[str, typer.Option(help="names of more who decide what was left open")] = "",
    revoke: Annotated[str, typer.Option(help="names of judges who are shut out, with every link and open page")] = "",
    host: Annotated[str, typer.Option(help="address to listen at; any but this machine's own needs TLS in front")] = "127.0.0.1",
    port: Annotated[int, number(0, 65535, help="0: a free one")] = 8000,
    origin: Annotated[str, typer.Option(help="where judges reach it, behind a proxy: https://judge.example.org")] = "",
    out: Out = DEFAULT_OUT,
) -> None:
    """Serve a study to browsers until Ctrl-C, with a link for each judge.

    Example: cloze-gen judge serve holmes-style-groom --port 8000
    """
    from cloze_gen.commands import judge_serve as command

    people, deciding = _names(judges), _names(adjudicators)
    command.serve(out, study, host=host, port=port, origin=origin, judges=people, adjudicators=deciding, revoked=_names(revoke))


@judge_group.command()
def export(
    study: Study,
    judges: Judges = "",
    condition: Annotated[str, typer.Option(help="guessing: passage or sentence; default: whichever is wanted first")] = "",
    pages: Annotated[int, number(1, _MOST_PAGES, help="pages for each of them")] = 1,
    form: Annotated[str, typer.Option("--format", help="csv, a table to fill in; jsonl, for a program; label-studio")] = "csv",
    to: Annotated[Path | None, typer.Option(help="folder to write to; default: the study's packets")] = None,
    again: Annotated[bool, typer.Option("--again", help="write what is out once more, and deal nothing")] = False,
    answered: Annotated[bool, typer.Option("--answered", help="write what was said so far instead, as jsonl or label-studio")] = False,
    names: Annotated[bool, typer.Option("--names", help="with --answered: the judges' names, not numbers")] = False,
    endpoint: Annotated[str, typer.Option(help="ask a model instead: address of an OpenAI-compatible endpoint, http://.../v1")] = "",
    model: Annotated[str, typer.Option(help="the model's name there; the key comes from CLOZE_GEN_API_KEY or OPENAI_API_KEY")] = "",
    per_second: Annotated[float, number(0.001, 1000, help="requests a second at most")] = 1.0,
    limit: Annotated[int | None, number(1, _MOST_ITEMS, help="items that the model is asked of at most")] = None,
    out: Out = DEFAULT_OUT,
) -> None:
    """Hand out the next pages, a file a judge; or have a model judge, which stays a machine for ever.

    A model is given up after 10 replies in a row that are no verdicts. Where any reply is none, the exit status is 1; verdicts are kept.

    Example: cloze-gen judge export holmes-style-groom --judges ann,bob --format csv
    """
    if names and not answered:
        raise UsageError("--names goes with --answered: packets that are handed out bear their judge's name anyway.")
    if (endpoint or model) and (judges or to or again or answered or condition or pages != 1 or form != "csv"):
        raise UsageError("--endpoint: a model is asked one item at a time, and no file is written; leave out what is for files.")
    if not (endpoint or model) and (limit is not None or per_second != 1.0):
        raise UsageError("--limit and --per-second go with --endpoint: files hold as many items as --pages says. Leave them out.")
    if answered and (judges or condition or again or pages != 1):
        raise UsageError("--answered writes every verdict so far; leave out --judges, --condition, --again and --pages.")
    if endpoint or model:
        from cloze_gen.commands import judge_endpoint

        judge_endpoint.ask(out, study, url=endpoint, model=model, per_second=per_second, limit=limit)
        return
    from cloze_gen.commands import judge_exchange as command

    if answered:
        command.answered(out, study, form=form, to=to, names=names)
        return
    command.export(out, study, judges=_names(judges), condition=condition, pages=pages, form=form, to=to, again=again)


@judge_group.command("import")
def import_verdicts(
    study: Study, files: Annotated[list[Path], typer.Argument(help="files that came back")], out: Out = DEFAULT_OUT
) -> None:
    """Take verdicts from files, each once: a table that was filled in, JSON lines, or an export of Label Studio.

    Example: cloze-gen judge import holmes-style-groom ann-3f09a1b2c3d4.csv
    """
    from cloze_gen.commands import judge_exchange as command

    command.take(out, study, files)


@judge_group.command()
def status(study: Study, out: Out = DEFAULT_OUT) -> None:
    """Tell how a study stands: items by what became of them, a row a judge.

    Example: cloze-gen judge status holmes-style-groom
    """
    from cloze_gen.commands import judge as command

    command.status(out, study)


@judge_group.command()
def agree(
    study: Study,
    names: Annotated[bool, typer.Option("--names", help="tell the judges' names, not numbers")] = False,
    out: Out = DEFAULT_OUT,
) -> None:
    """Tell how far the judges agree, what each is like, and which items somebody else should decide.

    Example: cloze-gen judge agree holmes-style-groom
    """
    from cloze_gen.commands import judge as command

    command.agree(out, study, names=names, columns=columns_of(sys.stdout))


@judge_group.command()
def apply(
    study: Study,
    set_: AsIfSettings = None,
    make: Annotated[
        bool, typer.Option("--run/--no-run", help="make the run anew of the verdicts; else print the command that does")
    ] = True,
    out: Out = DEFAULT_OUT,
    workers: Workers = 2,
) -> None:
    """Hand what the judges said to their run, and make anew what hangs on it.

    Example: cloze-gen judge apply holmes-style-groom
    """
    from cloze_gen.commands import judge_apply as command

    command.apply(out, study, overrides=set_ or [], make=make, workers=workers)


@judge_group.command()
def withdraw(
    study: Study, judges: Annotated[list[str], typer.Argument(help="judges who do not come back")], out: Out = DEFAULT_OUT
) -> None:
    """Wait no longer for what some judges have not answered, so that others are asked.

    Example: cloze-gen judge withdraw holmes-style-groom bob
    """
    from cloze_gen.commands import judge as command

    command.withdraw(out, study, judges)


@judge_group.command()
def cost(
    study: Annotated[
        str, typer.Argument(help="name of a study in OUT/judgements, or its path; none: --items", autocompletion=study_names)
    ] = "",
    usd_per_hour: Annotated[float | None, number(0, _MOST_USD, help="pay, to tell of money too")] = None,
    items: Annotated[int | None, number(1, _MOST_ITEMS, help="without a study: how many are asked about")] = None,
    config: Annotated[
        str, typer.Option(help="without a study: whose settings, a style or a TOML file", autocompletion=config_names)
    ] = "lambada-style",
    set_: AsIfSettings = None,
    out: Out = DEFAULT_OUT,
) -> None:
    """Tell what judging has cost, and what the rest will; or, before there is a study, what guessing is expected to cost.

    Example: cloze-gen judge cost holmes-style-groom --usd-per-hour 18
    """
    from cloze_gen.commands import judge as command

    if not study:
        if items is None:
            raise UsageError("cost of what? Give a study, or --items N.")
        if usd_per_hour is not None:
            raise UsageError("--usd-per-hour is for a study. Before there is one, the settings of pay (--set) are used; leave it out.")
        command.expected_cost(config, items, set_ or [])
        return
    if items is not None or set_ or config != "lambada-style":
        raise UsageError("--items, --config and --set are for before there is a study; of one that has begun, name the study alone.")
    command.cost(out, study, usd_per_hour=usd_per_hour)


def _names(text: str) -> list[str]:
    return [name for name in text.split(",") if name.strip()]
