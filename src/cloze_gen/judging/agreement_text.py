"""The agreement of a study's judges as lines of text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from cloze_gen.judging.agreement import RELIABLE, TENTATIVE, Alpha, Kappa
from cloze_gen.judging.study_agreement import JudgeRow, StudyAgreement
from cloze_gen.judging.tasks import TASKS
from cloze_gen.parsing import counted
from cloze_gen.text_layout import table_lines

_NONE = "-"
ALPHA_HEADER = ("question", "alpha", "95 % interval", "units", "items", "verdicts are")
ALPHA_NOTE = (
    f"Krippendorff's alpha, nominal: 1 is full agreement, 0 is chance. Verdicts are reliable from "
    f"{RELIABLE:g} and allow tentative conclusions from {TENTATIVE:g} (Krippendorff 2004). "
    "Intervals: bootstrap over items."
)
_KAPPA_NOTE = "Cohen's kappa of each pair, with the number of units that both judged in brackets."


def report_lines(measured: StudyAgreement) -> list[str]:
    """Agreement and judges as tables; models come last."""
    parts = [
        [summary_line(measured)],
        _alpha_lines(measured),
        kappa_lines(measured.kappas, "judges"),
        _judge_lines(measured.rows, "judge"),
    ]
    if measured.machine_rows:
        parts += [
            ["Model annotators. They are not part of the figures above."],
            _judge_lines(measured.machine_rows, "machine"),
            kappa_lines(measured.machine_kappas, "pair"),
        ]
    lines: list[str] = []
    for part in parts:
        if part:
            lines += [*([""] if lines else []), *part]
    return lines


def summary_line(measured: StudyAgreement) -> str:
    judges = counted(measured.judges, "judge")
    return (
        f"{measured.task}: {counted(measured.verdicts, 'verdict')} by {judges} on "
        f"{counted(measured.items, 'item')}"
    )


def alpha_rows(measured: StudyAgreement) -> list[list[str]]:
    """The cells below `ALPHA_HEADER`, by question."""
    return [
        [
            question,
            _number(alpha.value),
            _range(alpha.low, alpha.high),
            f"{alpha.units:,}",
            f"{alpha.items:,}",
            _meaning(alpha),
        ]
        for question, alpha in measured.alphas.items()
    ]


def _alpha_lines(measured: StudyAgreement) -> list[str]:
    question_lines = [
        f"{question:13}  {text}" for question, text in TASKS[measured.task].questions.items()
    ]
    return [
        *_table(ALPHA_HEADER, alpha_rows(measured), "question", "verdicts are"),
        "",
        *question_lines,
        "",
        ALPHA_NOTE + TASKS[measured.task].alpha_note,
    ]


def _meaning(alpha: Alpha) -> str:
    if alpha.value is None:
        return "all the same" if alpha.units else "not comparable"
    return (
        "reliable"
        if alpha.value >= RELIABLE
        else "tentative"
        if alpha.value >= TENTATIVE
        else "unreliable"
    )


def kappa_lines(kappas: Mapping[str, Sequence[Kappa]], label: str) -> list[str]:
    """A row for each pair that judged the same units; empty if there is none."""
    cells: dict[str, dict[str, str]] = {}
    for question, pairs in kappas.items():
        for kappa in pairs:
            if kappa.shared:
                cell = f"{_number(kappa.value)} ({kappa.shared:,})"
                cells.setdefault(f"{kappa.one}, {kappa.other}", {})[question] = cell
    if not cells:
        return []
    rows = [
        [pair, *(by_question.get(question, _NONE) for question in kappas)]
        for pair, by_question in sorted(cells.items())
    ]
    return [_KAPPA_NOTE, *_table([label, *kappas], rows, label)]


def _judge_lines(judges: Sequence[JudgeRow], label: str) -> list[str]:
    names = list(dict.fromkeys(name for row in judges for name in row.shares))
    rows = [
        [
            row.judge,
            f"{row.verdicts:,}",
            _NONE if row.median_seconds is None else f"{row.median_seconds:.1f}",
            *(_percent(row.shares.get(name)) for name in names),
        ]
        for row in judges
    ]
    header = [label, "verdicts", "median s", *(f"{name}, %" for name in names)]
    return _table(header, rows, label) if rows else []


def _table(header: Sequence[str], rows: Iterable[Sequence[str]], *left: str) -> list[str]:
    return table_lines(header, list(rows), left=frozenset(left))


def _number(value: float | None) -> str:
    return _NONE if value is None else f"{value:.3f}"


def _percent(value: float | None) -> str:
    return _NONE if value is None else f"{100 * value:.1f}"


def _range(low: float | None, high: float | None) -> str:
    return _NONE if low is None or high is None else f"{low:.3f} to {high:.3f}"
