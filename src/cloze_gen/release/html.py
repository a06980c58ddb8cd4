"""The report as one HTML file without requests; all text is escaped.

Its only script filters the questions. The page's security policy allows that script by its hash and
no other, so that text of books could not run even if it were not escaped.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import importlib.resources
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jinja2
from markupsafe import Markup, escape

from cloze_gen.evaluation.adversary import adversary_text
from cloze_gen.evaluation.passages import SETS, PassageRow
from cloze_gen.evaluation.questions import QuestionEvaluation, QuestionRow
from cloze_gen.records.rejection import FunnelStep, legend_of
from cloze_gen.release import distributions
from cloze_gen.release.distributions import Distribution
from cloze_gen.release.paper_figures import PaperTable, PassageFigure
from cloze_gen.release.report_data import ReportData
from cloze_gen.release.report_passages import (
    PassageFigures,
    figures_by_context,
    table_rows,
)
from cloze_gen.release.row_legends import row_legend
from cloze_gen.release.verdict import BAD, CARE, GOOD, UNKNOWN

# Kinds of evaluation rows, in the order of the report.
_ADVERSARIES = ("adversary",)
_PEOPLE = ("human",)
_BASELINES = ("baseline", "random", *_PEOPLE)  # people are in the paper's table only
_RULES = ("balanced", "bias")

_SCRIPT = importlib.resources.files("cloze_gen.release").joinpath("templates", "report.js").read_text("utf-8")  # fmt: skip
_CLASSES = {
    "PN": "proper noun", "CN": "common noun", "V": "verb", "J": "adjective", "R": "adverb", "O": "other",
}  # fmt: skip
_LEVEL_CLASSES = {GOOD: "good", CARE: "care", BAD: "bad", UNKNOWN: "muted"}


def render_report(data: ReportData, *, without_text: bool = False) -> str:
    """The page; `without_text`: of a release of pointers, whose questions need `fill`."""
    paper = data.paper
    return _template().render(
        data=data,
        without_text=without_text,
        filters=[
            (name, title, values)
            for name, title in (("kind", data.kind_label), ("book", "Book"))
            if len(values := sorted({getattr(one, name) for one in data.samples})) > 1
        ],
        script=Markup(_SCRIPT),  # ours
        script_hash=base64.b64encode(hashlib.sha256(_SCRIPT.encode()).digest()).decode(),
        levels=_LEVEL_CLASSES,
        paper=paper,
        baselines=_baseline_rows(data.evaluation, paper),
        adversaries=data.evaluation.of_kind(*_ADVERSARIES) if data.evaluation else (),
        adversary_text=adversary_text(data.evaluation) if data.evaluation else "",
        people=data.evaluation.of_kind(*_PEOPLE) if data.evaluation else (),
        rules=data.evaluation.of_kind(*_RULES) if data.evaluation else (),
        chance=data.evaluation.chance if data.evaluation else 1 / max(2, data.n_options),
        distributions=_distributions(data),
        funnel=[_funnel_row(step, data.legends) for step in data.steps],
        titled=any(title for _, title, _ in data.books),
        sets=_set_rows(data.passages) if data.passages else (),
        blank_rows=table_rows(data.blanked.evaluation, data.blanked.paper) if data.blanked else (),
        paper_contexts=figures_by_context(data.blanked.paper) if data.blanked else (),
        most_questions=max((count for _, _, count in data.books), default=0),
    )


@functools.cache
def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("cloze_gen.release", "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    filters: dict[str, Callable[..., Any]] = {
        "percent": percent,
        "letter": lambda place: chr(97 + place),
        "thousands": lambda count: f"{count:,}",
        "figure": figure,
        "measure_label": lambda name: _CLASSES.get(name, name),
        "inline_code": inline_code,
        "row_legend": row_legend,
    }
    environment.filters |= filters
    return environment.get_template("report.html.j2")


def inline_code(text: str) -> Markup:
    """Text with Markdown's back-quotes as HTML.

    >>> print(inline_code("Run `cloze-gen evaluate <RUN>`."))
    Run <code>cloze-gen evaluate &lt;RUN&gt;</code>.
    """
    return Markup(re.sub("`([^`]+)`", r"<code>\1</code>", str(escape(text))))  # escaped


def percent(share: float) -> str:
    """A share of 1 as a percentage with one decimal.

    >>> percent(0.3635)
    '36.4 %'
    """
    return f"{100 * share:.1f} %"


def figure(value: float | None, *, share: bool = False) -> str:
    """A figure of a table: a share of 1 in percent, others rounded; a dash for None.

    >>> figure(0.0014, share=True), figure(60000), figure(74.13), figure(None)
    ('0.1', '60,000', '74.1', '-')
    """
    if value is None:
        return "-"
    return (
        f"{100 * value:.1f}"
        if share
        else f"{value:,.0f}"
        if value >= 1000 or float(value).is_integer()
        else f"{value:,.1f}"
    )


def _distributions(data: ReportData) -> list[Distribution]:
    found = []
    if data.answer_freqs and data.impostor_freqs:
        found.append(distributions.frequencies(data.answer_freqs, data.impostor_freqs))
    if data.sentence_tokens:
        caption = "Length of the printed sentences in tokens."
        found.append(distributions.lengths(data.sentence_tokens, caption=caption, noun="questions"))
    if data.answer_positions and data.n_questions:
        found.append(distributions.positions(data.answer_positions))
    if data.blank_places:
        found.append(distributions.blank_places(data.blank_places))
    if data.passages and data.passages.tokens:
        caption = (
            "Length of the passages, in tokens of the published form. The control set is not "
            "counted."
        )
        found.append(distributions.lengths(data.passages.tokens, caption=caption, noun="passages"))
    return found


def _set_rows(
    passages: PassageFigures,
) -> list[tuple[str, str, dict[str, PassageRow], PassageFigure | None]]:
    """(label, baseline, set -> our row, the paper's): the paper's rows, then our other rows."""
    measured = {
        name: passages.evaluation.of_set(name) if passages.evaluation else {} for name in SETS
    }
    figures = {one.label: one for one in (passages.paper.figures if passages.paper else ())}
    in_paper = {one.baseline for one in figures.values()}
    ours = [
        name
        for name in dict.fromkeys(name for rows in measured.values() for name in rows)
        if name not in in_paper
    ]
    names = {label: one.baseline for label, one in figures.items()} | {name: name for name in ours}
    return [
        (
            label,
            name,
            {of_set: rows[name] for of_set, rows in measured.items() if name in rows},
            figures.get(label),
        )
        for label, name in names.items()
    ]


def _baseline_rows(
    evaluation: QuestionEvaluation | None, paper: PaperTable | None
) -> list[tuple[str, str, QuestionRow | None, float | None]]:
    """(label, baseline, our row, the paper's): the paper's rows, then our other rows."""
    measured = {row.name: row for row in (evaluation.of_kind(*_BASELINES) if evaluation else ())}
    figures = paper.figures if paper else ()
    in_paper = {figure.baseline for figure in figures}
    rows: list[tuple[str, str, QuestionRow | None, float | None]] = [
        (one.label, one.baseline, measured.get(one.baseline), one.accuracy) for one in figures
    ]
    return [
        *rows,
        *((name, name, row, None) for name, row in measured.items() if name not in in_paper),
    ]


_Reasons = Sequence[tuple[str, int, float, str]]  # name, count, share of the items seen, legend


def _funnel_row(step: FunnelStep, legends: Mapping[str, str]) -> tuple[FunnelStep, float, _Reasons]:
    seen = max(1, step.seen)
    reasons = sorted(
        ((reason, count) for reason, count in step.rejected.items() if count),
        key=lambda pair: (-pair[1], pair[0]),
    )
    return (
        step,
        step.kept / seen,
        [
            (reason.replace("_", " "), count, count / seen, legend_of(reason, legends))
            for reason, count in reasons
        ],
    )
