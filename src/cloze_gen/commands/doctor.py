"""`cloze-gen doctor`: the tools that are there and what mends those that are not; with --store, every byte of an output folder."""

from __future__ import annotations

from pathlib import Path

import typer

from cloze_gen.adapters import doctor, kenlm_build
from cloze_gen.adapters.terminal import show
from cloze_gen.commands.check_store import find_faults


def check_tools(*, fix: bool, kenlm_sources: Path | None) -> None:
    """Tell each tool's state, after building what is missing where that is asked for.

    Raises:
        typer.Exit: a tool is missing.
    """
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


def check_store(out: Path) -> None:
    """Tell every fault of an output folder.

    Raises:
        typer.Exit: there is one.
    """
    looked_at, damaged, faults = find_faults(out)
    for fault in faults:
        show(fault)
    show(f"{looked_at - damaged:,} of {looked_at:,} artifacts, runs and evaluations are as they were written")
    if faults:
        raise typer.Exit(1)
