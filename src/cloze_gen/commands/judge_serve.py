"""`cloze-gen judge serve`: a study on the network, with a link for each of its judges."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cloze_gen.adapters.terminal import show
from cloze_gen.commands.judge import add_judges, people_named
from cloze_gen.commands.studies import open_for, say_if_changed
from cloze_gen.engine.progress import say
from cloze_gen.errors import UsageError
from cloze_gen.notation import shown
from cloze_gen.records.judgement import Role
from cloze_gen.store.judgements.passes import TOKEN, is_shut_out, new_pass, revoke
from cloze_gen.studies.study import Study


def serve(
    out: Path, study: str, *, host: str, port: int, origin: str, judges: Sequence[str], revoked: Sequence[str],
    adjudicators: Sequence[str] = (),
) -> None:  # fmt: skip
    """Serve a study until Ctrl-C. Links of before stay good; everybody gets a new one besides.

    Args:
        study: its name under `out`, or its folder.
        host: the address to listen at; another than this machine's own only where the user gave it.
        port: 0 for a free one.
        origin: where judges reach it, where that is not `host` and `port`: a reverse proxy. Empty: there.
        judges, adjudicators: more of them for it.
        revoked: judges who are shut out, with every link and open page; at once, also where another process serves it, and until they
            are named again.
    Raises:
        ToolError: the extra is not installed.
        UsageError: there is no such study or judge, nobody is left to ask, or it cannot listen there.
        KeyboardInterrupt: it was told to end.
    """
    from cloze_gen.web.serve import serve as serve_study  # an extra, which no other command needs

    opened, asking = open_for(out, study)
    try:
        add_judges(opened, people_named(judges, adjudicators, list(opened.standing().judges.values())))
        database = opened.store.database
        asked = [name for name in _people(opened, revoked) if name in {*judges, *adjudicators} or not is_shut_out(database, name)]
        say_if_changed(opened, asking)
        for name in revoked:
            say(f"{name}: shut out; links and open pages that are good no longer: {revoke(database, name):,}")
        if not asked:
            raise UsageError(f"{opened.facts.name}: nobody is left to ask. Name judges by --judges ann,bob.")
        serve_study(
            opened, host=host, port=port, origin=origin, links=lambda: {name: new_pass(database, name, TOKEN) for name in asked},
            tell=lambda line: show(line, whole_lines=True),
        )  # fmt: skip
    finally:
        opened.close()


def _people(study: Study, revoked: Sequence[str]) -> list[str]:
    """Everybody who is asked in the browser.

    Raises:
        UsageError: somebody who is to be shut out is none of them.
    """
    people = [one.name for one in study.standing().judges.values() if one.role is not Role.MACHINE]
    unknown = [name for name in revoked if name not in people]
    if unknown:
        raise UsageError(f"--revoke: no such judge: {shown(unknown[0])}. `cloze-gen judge status {study.facts.name}` lists them.")
    return [name for name in people if name not in revoked]
