"""The agreement of a study's judges as lines of text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import permutations

from cloze_gen.judging.agreement import RELIABLE, TENTATIVE, Alpha, Kappa
from cloze_gen.judging.error_rates import ErrorRates
from cloze_gen.judging.study_agreement import JudgeRow, Share, StudyAgreement
from cloze_gen.judging.tasks import TASKS
from cloze_gen.text_layout import table_lines

MOST_OPEN = 20  # items to adjudicate that are listed; the rest is counted
MOST_PAIRS = 20  # pairs of judges with the lowest kappa that are listed
_NONE = "-"
ALPHA_HEADER = ("question", "alpha", "95 % interval", "units", "items", "verdicts are")
ALPHA_NOTE = (
    f"Krippendorff's alpha, nominal: 1 is full agreement, 0 is chance. Verdicts are reliable from "
    f"{RELIABLE:g} and allow tentative conclusions from {TENTATIVE:g} (Krippendorff 2004). "
    "Intervals: bootstrap over items."
)
_KAPPA_NOTE = "Cohen's kappa of each pair, with the number of units that both judged in brackets."
_SHARE_NOTE = (
    "Shares with Wilson's interval. Against others: the share minus that of the other judges on "
    "the same items, with its bootstrap interval. If the interval contains 0, the difference may "
    "be chance."
)
_RATES_NOTE = (
    "Error rates of judges, estimated without a key (Dawid & Skene 1979). The estimate assumes "
    "that judges err independently; items that are hard for all judges make the rates too small. "
    "Intervals: bootstrap over items."
)


def report_lines(measured: StudyAgreement) -> list[str]:
    """Agreement, judges and open items as tables; models come last."""
    parts = [
        [summary_line(measured)],
        _alpha_lines(measured),
        kappa_lines(measured.kappas, "judges"),
        _judge_lines(measured.rows, "judge"),
        _share_lines(measured.rows, "judge"),
        [_SHARE_NOTE] if measured.rows else [],
        _rate_lines(measured.error_rates),
        _open_lines(measured.open_items),
    ]
    if measured.machine_rows:
        parts += [
            ["Model annotators. They are not part of the figures above."],
            _judge_lines(measured.machine_rows, "machine"),
            _share_lines(measured.machine_rows, "machine"),
            kappa_lines(measured.machine_kappas, "machine and judge"),
        ]
    lines: list[str] = []
    for part in parts:
        if part:
            lines += [*([""] if lines else []), *part]
    return lines


def summary_line(measured: StudyAgreement) -> str:
    judges = _counted(measured.judges, "judge")
    adjudicated = f", {measured.adjudicated:,} adjudicated" if measured.adjudicated else ""
    return (
        f"{measured.task}: {_counted(measured.verdicts, 'verdict')} by {judges} on "
        f"{_counted(measured.items, 'item')}{adjudicated}"
    )


def _counted(n: int, noun: str) -> str:
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


def alpha_rows(measured: StudyAgreement) -> list[list[str]]:
    """The cells below `ALPHA_HEADER`, by question."""
    return [
        [
            question,
            _number(alpha.value),
            _range(alpha.low, alpha.high),
            f"{alpha.units:,}",
            f"{alpha.groups:,}",
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
    cells: dict[tuple[str, str], dict[str, str]] = {}
    least: dict[tuple[str, str], float] = {}
    for question, found in kappas.items():
        for one in found:
            if one.shared:
                pair = (one.one, one.other)
                cells.setdefault(pair, {})[question] = f"{_number(one.value)} ({one.shared:,})"
                least[pair] = min(least.get(pair, 1.0), 1.0 if one.value is None else one.value)
    if not cells:
        return []
    shown = sorted(cells, key=lambda pair: (least[pair], pair))[:MOST_PAIRS]
    rows = [
        [f"{pair[0]}, {pair[1]}", *(cells[pair].get(question, _NONE) for question in kappas)]
        for pair in sorted(shown)
    ]
    rest = (
        [f"The {MOST_PAIRS} of {len(cells):,} pairs with the lowest agreement."]
        if len(cells) > len(shown)
        else []
    )
    return [
        _KAPPA_NOTE,
        *_table([label, *kappas], rows, label),
        *rest,
    ]


def _judge_lines(judges: Sequence[JudgeRow], label: str) -> list[str]:
    repeats = list(dict.fromkeys(name for row in judges for name in row.repeats))
    attentive = any(row.attention.of for row in judges)
    header = [
        label,
        "verdicts",
        "median s",
        *(["attention"] if attentive else []),
        *(f"{name} again" for name in repeats),
    ]
    rows = [
        [
            row.judge,
            f"{row.verdicts:,}",
            _NONE if row.median_seconds is None else f"{row.median_seconds:.1f}",
            *([_of(row.attention)] if attentive else []),
            *(_of(row.repeats.get(name, Share(0, 0))) for name in repeats),
        ]
        for row in judges
    ]
    notes = (
        ["attention: attention checks that were passed, of those answered."] if attentive else []
    )
    notes += (
        [
            "again: same answers when an item was shown twice, of all items shown twice. A machine "
            "gets the options in another order the second time."
        ]
        if repeats
        else []
    )
    return (
        [
            *_table(header, rows, label),
            *notes,
        ]
        if rows
        else []
    )


def _share_lines(judges: Sequence[JudgeRow], label: str) -> list[str]:
    lines: list[str] = []
    for name in dict.fromkeys(name for row in judges for name in row.shares):
        rows = [_share_cells(row, name) for row in judges if name in row.shares]
        header = [label, "of", "%", "95 %", "against others", "95 %"]
        lines += [*([""] if lines else []), f"{name}:", *_table(header, rows, label)]
    return lines


def _share_cells(row: JudgeRow, name: str) -> list[str]:
    share, bias = row.shares[name], row.biases.get(name)
    own = [
        row.judge,
        _of(share),
        _percent(share.value),
        _range(*share.interval() or (None, None), percent=True),
    ]
    if bias is None:
        return [*own, _NONE, _NONE]
    return [*own, f"{100 * bias.value:+.1f}", _range(bias.low, bias.high, percent=True, sign="+")]


def _rate_lines(rates: Mapping[str, ErrorRates]) -> list[str]:
    lines: list[str] = []
    for question, found in rates.items():
        for (true, truth), (other, label) in permutations(enumerate(found.labels), 2):
            rows = [
                [judge, *_rate(found, (number, true, other))]
                for number, judge in enumerate(found.judges)
            ]
            lines += [
                f"{question}: labelled {label} although {truth} is true",
                *_table(["judge", "%", "95 %"], rows, "judge"),
                "",
            ]
    return [*lines, _RATES_NOTE] if lines else []


def _rate(found: ErrorRates, place: tuple[int, int, int]) -> list[str]:
    low, high = float(found.confusion_low[place]), float(found.confusion_high[place])
    return [_percent(float(found.confusion[place])), _range(low, high, percent=True)]


def _open_lines(items: Mapping[str, str]) -> list[str]:
    if not items:
        return ["No item needs an adjudicator."]
    rows = [[item, reason] for item, reason in list(items.items())[:MOST_OPEN]]
    rest = [f"and {len(items) - MOST_OPEN:,} more"] if len(items) > MOST_OPEN else []
    return [
        f"{_counted(len(items), 'item')} for an adjudicator",
        *_table(["item", "why"], rows, "item", "why"),
        *rest,
    ]


def _table(header: Sequence[str], rows: Iterable[Sequence[str]], *left: str) -> list[str]:
    return table_lines(header, list(rows), left=frozenset(left))


def _of(share: Share) -> str:
    return f"{share.count:,}/{share.of:,}" if share.of else _NONE


def _number(value: float | None) -> str:
    return _NONE if value is None else f"{value:.3f}"


def _percent(value: float | None) -> str:
    return _NONE if value is None else f"{100 * value:.1f}"


def _range(low: float | None, high: float | None, *, percent: bool = False, sign: str = "") -> str:
    if low is None or high is None or low != low or high != high:
        return _NONE
    return (
        f"{100 * low:{sign}.1f} to {100 * high:{sign}.1f}"
        if percent
        else f"{low:.3f} to {high:.3f}"
    )
