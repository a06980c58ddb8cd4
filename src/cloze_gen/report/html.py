"""The report as one HTML file: nothing fetched, nothing run, and every word of a book escaped.

Jinja2 escapes whatever the template prints; only the plots of `report.plots` are let through as markup, and they hold no book's text.
The page's own content security policy forbids scripts and requests besides.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

import jinja2
from markupsafe import Markup

from cloze_gen.report import passage_plots, plots
from cloze_gen.report.blank_evaluation import figures_by_context, table_rows
from cloze_gen.report.blank_plots import blank_baseline_plot
from cloze_gen.report.blanked_passages import BlankedFigures
from cloze_gen.report.data import Evaluation, EvaluationRow, ReportData
from cloze_gen.report.funnel import FunnelStep
from cloze_gen.report.paper_table import PaperTable, PassageFigure
from cloze_gen.report.passages import SETS, PassageFigures, SetRow

# What the rows of an evaluation are, in the order of the report.
_ADVERSARIES = ("adversary",)
_PEOPLE = ("human",)
_BASELINES = ("baseline", "random", *_PEOPLE)  # people beside the paper's, in its table alone
_RULES = ("balanced", "bias", "classifier")


def render_report(data: ReportData) -> str:
    """The whole page. Equal data give equal text."""
    paper = data.paper
    return _template().render(
        data=data,
        paper=paper,
        baselines=_baseline_rows(data.evaluation, paper),
        adversaries=data.evaluation.of_kind(*_ADVERSARIES) if data.evaluation else (),
        people=data.evaluation.of_kind(*_PEOPLE) if data.evaluation else (),
        rules=data.evaluation.of_kind(*_RULES) if data.evaluation else (),
        plots=_plots(data, paper),
        funnel=[_funnel_row(step) for step in data.steps],
        titled=any(title for _, title, _ in data.books),
        sets=_set_rows(data.passages) if data.passages else (),
        blank_rows=table_rows(data.blanked.evaluation, data.blanked.paper) if data.blanked else (),
        paper_contexts=figures_by_context(data.blanked.paper) if data.blanked else (),
        most_questions=max((count for _, _, count in data.books), default=0),
    )


@functools.cache
def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("cloze_gen.report", "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "percent": percent,
        "letter": lambda place: chr(97 + place),
        "thousands": lambda count: f"{count:,}",
        "figure": figure,
    }
    return environment.get_template("report.html.j2")


def percent(share: float) -> str:
    """A share of 1 as a percentage with one decimal.

    >>> percent(0.3635)
    '36.4 %'
    """
    return f"{100 * share:.1f} %"


def figure(value: float | None, *, share: bool = False) -> str:
    """A figure of a table: a share of 1 in percent, any other as whole as it tells; a dash where there is none.

    >>> figure(0.0014, share=True), figure(60000), figure(74.13), figure(None)
    ('0.1', '60,000', '74.1', '-')
    """
    if value is None:
        return "-"
    return f"{100 * value:.1f}" if share else f"{value:,.0f}" if value >= 1000 or float(value).is_integer() else f"{value:,.1f}"


def _plots(data: ReportData, paper: PaperTable | None) -> dict[str, Markup]:
    """Every picture there are numbers for."""
    drawn = {}
    if data.levels:
        drawn["funnel"] = plots.funnel_plot(data.levels)
    if data.answer_freqs and data.impostor_freqs:
        drawn["frequency"] = plots.frequency_plot(data.answer_freqs, data.impostor_freqs)
    if data.sentence_tokens:
        drawn["length"] = plots.length_plot(data.sentence_tokens)
    if data.answer_positions and data.n_questions:
        drawn["position"] = plots.position_plot(data.answer_positions)
    if data.blank_places:
        drawn["blank"] = plots.blank_plot(data.blank_places)
    if data.passages or data.blanked:
        own = _passage_plots(data.passages) if data.passages else _blanked_plots(data.blanked) if data.blanked else {}
        return {name: Markup(svg) for name, svg in (drawn | own).items()}
    chance = data.evaluation.chance if data.evaluation else 1 / max(2, data.n_options)
    of_paper = {figure.baseline: figure.label for figure in (paper.figures if paper else ())}
    measured = data.evaluation.of_kind(*_BASELINES) if data.evaluation else ()
    if measured or paper:
        drawn["baselines"] = plots.baseline_plot(measured, chance=chance, paper=paper, labels=of_paper)
    if data.evaluation and (adversaries := data.evaluation.of_kind(*_ADVERSARIES)):
        drawn["adversaries"] = plots.baseline_plot(adversaries, chance=chance, paper=None, labels={})
    if data.evaluation and (rules := data.evaluation.of_kind(*_RULES)):
        drawn["rules"] = plots.baseline_plot(rules, chance=chance, paper=None, labels={})
    return {name: Markup(svg) for name, svg in drawn.items()}  # our own SVG, without a word of a book


def _passage_plots(passages: PassageFigures) -> dict[str, str]:
    drawn = {"tokens": passage_plots.tokens_plot(passages.tokens)} if passages.tokens else {}
    if passages.analysis:
        drawn |= {"classes": passage_plots.classes_plot(passages.analysis), "places": passage_plots.places_plot(passages.analysis)}
    return drawn


def _blanked_plots(blanked: BlankedFigures) -> dict[str, str]:
    return {"baselines": blank_baseline_plot(blanked.evaluation, blanked.paper)} if blanked.evaluation or blanked.paper else {}


def _set_rows(passages: PassageFigures) -> list[tuple[str, dict[str, SetRow], PassageFigure | None]]:
    """(label, set -> ours, the paper's) of every row of the table: the paper's order first, then what only we measured."""
    measured = {name: passages.evaluation.of_set(name) if passages.evaluation else {} for name in SETS}
    figures = {one.label: one for one in (passages.paper.figures if passages.paper else ())}
    told = {one.baseline for one in figures.values()}
    ours = [name for name in dict.fromkeys(name for rows in measured.values() for name in rows) if name not in told]
    names = {label: one.baseline for label, one in figures.items()} | {name: name for name in ours}
    return [
        (label, {of_set: rows[name] for of_set, rows in measured.items() if name in rows}, figures.get(label))
        for label, name in names.items()
    ]


def _baseline_rows(evaluation: Evaluation | None, paper: PaperTable | None) -> list[tuple[str, EvaluationRow | None, float | None]]:
    """(label, ours, the paper's) of every row of the table: the paper's order first, then what only we measured."""
    measured = {row.name: row for row in (evaluation.of_kind(*_BASELINES) if evaluation else ())}
    figures = paper.figures if paper else ()
    told = {figure.baseline for figure in figures}
    rows: list[tuple[str, EvaluationRow | None, float | None]] = [(one.label, measured.get(one.baseline), one.accuracy) for one in figures]
    return [*rows, *((name, row, None) for name, row in measured.items() if name not in told)]


def _funnel_row(step: FunnelStep) -> tuple[FunnelStep, float, Sequence[tuple[str, int, float]]]:
    """A step, the share it kept, and (reason, count, share of what it saw), the commonest reason first."""
    seen = max(1, step.seen)
    reasons = sorted(((reason, count) for reason, count in step.rejected.items() if count), key=lambda pair: (-pair[1], pair[0]))
    return step, step.kept / seen, [(reason.replace("_", " "), count, count / seen) for reason, count in reasons]
