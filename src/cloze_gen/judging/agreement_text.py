"""What is known of a study's judges, as lines for a person."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import permutations

from cloze_gen.columns import table_lines, wrap
from cloze_gen.judging.agreement import RELIABLE, TENTATIVE, Alpha, Kappa
from cloze_gen.judging.error_rates import ErrorRates
from cloze_gen.judging.judges import JudgeRow
from cloze_gen.judging.ratings import QUESTIONS
from cloze_gen.judging.shares import Share
from cloze_gen.judging.study_agreement import StudyAgreement
from cloze_gen.records.judgement import Task

MOST_OPEN = 20  # items worth adjudicating that are named, the rest counted
MOST_PAIRS = 20  # pairs of judges, those of the least kappa, the rest counted
WIDTH = 80  # columns
_NONE = "-"
_ALPHA_NOTE = (
    f"Krippendorff's alpha, nominal: 1 is full agreement, 0 that of chance. From {RELIABLE:g} on verdicts may be relied on, from "
    f"{TENTATIVE:g} on they bear tentative conclusions, below that none (Krippendorff 2004). Intervals: bootstrap over items."
)
_GUESS_NOTE = (
    " Of guesses little hangs on it: a second reader is asked where the first was right, and readers of the sentence until one is right."
)
_KAPPA_NOTE = "Cohen's kappa of every two, in brackets the units that both judged."
_SHARE_NOTE = (
    "Shares with Wilson's interval; against others: by how much the share is above that of the other judges on the same items, with its "
    "bootstrap interval. Where that holds 0, the difference may be chance."
)
_RATES_NOTE = (
    "Errors of judges, estimated without a key (Dawid & Skene 1979), as if they erred independently of each other; items that are hard for "
    "everybody make these rates too small. Intervals: bootstrap over items."
)


def report_lines(measured: StudyAgreement, *, columns: int | None = WIDTH) -> list[str]:
    """Agreement, judges and open items as tables no wider than `columns`; what machines said stands last, by itself."""
    parts = [
        wrap(_head(measured), columns),
        _alpha_lines(measured, columns),
        _kappa_lines(measured.kappas, "judges", columns),
        _judge_lines(measured.rows, "judge", columns),
        _share_lines(measured.rows, "judge", columns),
        wrap(_SHARE_NOTE, columns, indent=0) if measured.rows else [],
        _rate_lines(measured.error_rates, columns),
        _open_lines(measured.open_items, columns),
    ]
    if measured.machine_rows:
        parts += [
            wrap("Machines. Nothing of theirs is in the figures above.", columns, indent=0),
            _judge_lines(measured.machine_rows, "machine", columns),
            _share_lines(measured.machine_rows, "machine", columns),
            _kappa_lines(measured.machine_kappas, "machine and judge", columns),
        ]
    lines: list[str] = []
    for part in parts:
        if part:
            lines += [*([""] if lines else []), *part]
    return lines


def _head(measured: StudyAgreement) -> str:
    judges = _counted(measured.judges, "judge")
    adjudicated = f", {measured.adjudicated:,} adjudicated" if measured.adjudicated else ""
    return f"{measured.task}: {_counted(measured.verdicts, 'verdict')} of {judges} on {_counted(measured.items, 'item')}{adjudicated}"


def _counted(n: int, noun: str) -> str:
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


def _alpha_lines(measured: StudyAgreement, columns: int | None) -> list[str]:
    rows = [
        [question, _number(alpha.value), _range(alpha.low, alpha.high), f"{alpha.units:,}", f"{alpha.groups:,}", _meaning(alpha)]
        for question, alpha in measured.alphas.items()
    ]
    told = [line for question, text in QUESTIONS[measured.task].items() for line in wrap(f"{question:13}  {text}", columns, indent=15)]
    header = ["question", "alpha", "95 % interval", "units", "items", "so the verdicts are"]
    return [
        *_table(header, rows, columns, "question", "so the verdicts are"),
        "",
        *told,
        "",
        *wrap(_ALPHA_NOTE + _GUESS_NOTE * (measured.task is Task.GUESS), columns, indent=0),
    ]


def _meaning(alpha: Alpha) -> str:
    if alpha.value is None:
        return "all alike" if alpha.units else "not comparable"
    return "reliable" if alpha.value >= RELIABLE else "tentative" if alpha.value >= TENTATIVE else "too unlike"


def _kappa_lines(kappas: Mapping[str, Sequence[Kappa]], label: str, columns: int | None) -> list[str]:
    """A row a pair, a column a question."""
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
    rows = [[f"{pair[0]}, {pair[1]}", *(cells[pair].get(question, _NONE) for question in kappas)] for pair in sorted(shown)]
    rest = wrap(f"These {MOST_PAIRS} agree least of {len(cells):,} pairs.", columns) if len(cells) > len(shown) else []
    return [*wrap(_KAPPA_NOTE, columns, indent=0), *_table([label, *kappas], rows, columns, label), *rest]


def _judge_lines(judges: Sequence[JudgeRow], label: str, columns: int | None) -> list[str]:
    repeats = list(dict.fromkeys(name for row in judges for name in row.repeats))
    attentive = any(row.attention.of for row in judges)
    header = [label, "verdicts", "median s", *(["attention"] if attentive else []), *(f"{name} again" for name in repeats)]
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
    notes = ["attention: items answered as they tell, of those answered."] if attentive else []
    notes += ["again: said alike when the same item came again, of all that came again."] if repeats else []
    return [*_table(header, rows, columns, label), *(line for note in notes for line in wrap(note, columns, indent=0))] if rows else []


def _share_lines(judges: Sequence[JudgeRow], label: str, columns: int | None) -> list[str]:
    """A table for each thing that is counted."""
    lines: list[str] = []
    for name in dict.fromkeys(name for row in judges for name in row.shares):
        rows = [_share_cells(row, name) for row in judges if name in row.shares]
        header = [label, "of", "%", "95 %", "against others", "95 %"]
        lines += [*([""] if lines else []), f"{name}:", *_table(header, rows, columns, label)]
    return lines


def _share_cells(row: JudgeRow, name: str) -> list[str]:
    share, bias = row.shares[name], row.biases.get(name)
    own = [row.judge, _of(share), _percent(share.value), _range(*share.interval() or (None, None), percent=True)]
    if bias is None:
        return [*own, _NONE, _NONE]
    return [*own, f"{100 * bias.value:+.1f}", _range(bias.low, bias.high, percent=True, sign="+")]


def _rate_lines(rates: Mapping[str, ErrorRates], columns: int | None) -> list[str]:
    """A table for each kind of error."""
    lines: list[str] = []
    for question, found in rates.items():
        for (true, truth), (other, label) in permutations(enumerate(found.labels), 2):
            rows = [[judge, *_rate(found, (number, true, other))] for number, judge in enumerate(found.judges)]
            lines += [f"{question}: said {label}, though {truth} is true", *_table(["judge", "%", "95 %"], rows, columns, "judge"), ""]
    return [*lines, *wrap(_RATES_NOTE, columns, indent=0)] if lines else []


def _rate(found: ErrorRates, place: tuple[int, int, int]) -> list[str]:
    low, high = float(found.confusion_low[place]), float(found.confusion_high[place])
    return [_percent(float(found.confusion[place])), _range(low, high, percent=True)]


def _open_lines(items: Mapping[str, str], columns: int | None) -> list[str]:
    if not items:
        return ["No item is worth adjudicating."]
    rows = [[item, reason] for item, reason in list(items.items())[:MOST_OPEN]]
    rest = [f"and {len(items) - MOST_OPEN:,} more"] if len(items) > MOST_OPEN else []
    return [f"{_counted(len(items), 'item')} worth adjudicating", *_table(["item", "why"], rows, columns, "item", "why"), *rest]


def _table(header: Sequence[str], rows: Iterable[Sequence[str]], columns: int | None, *left: str) -> list[str]:
    return table_lines(header, list(rows), columns, left=frozenset(left))


def _of(share: Share) -> str:
    return f"{share.count:,}/{share.of:,}" if share.of else _NONE


def _number(value: float | None) -> str:
    return _NONE if value is None else f"{value:.3f}"


def _percent(value: float | None) -> str:
    return _NONE if value is None else f"{100 * value:.1f}"


def _range(low: float | None, high: float | None, *, percent: bool = False, sign: str = "") -> str:
    if low is None or high is None or low != low or high != high:
        return _NONE
    return f"{100 * low:{sign}.1f} to {100 * high:{sign}.1f}" if percent else f"{low:.3f} to {high:.3f}"
