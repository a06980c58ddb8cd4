"""The picture of an evaluation of blanked passages. Takes plain records and returns one inline SVG; all labels are ours or plain ASCII."""

from __future__ import annotations

from cloze_gen.report.blank_evaluation import BlankEvaluation, people, table_rows
from cloze_gen.report.paper_table import BlankTable
from cloze_gen.report.svg import FIRST, MUTED, SECOND, drawing, new_figure, plain_label, svg_text


def blank_baseline_plot(evaluation: BlankEvaluation | None, paper: BlankTable | None) -> str:
    """Blank accuracy by baseline with its 95 % interval; the paper's as open diamonds, its people a dashed line, chance a dotted one."""
    human = people(paper)
    rows = [(label, ours, told) for label, ours, told in table_rows(evaluation, paper) if told is not human or human is None or ours]
    rows = [one for one in rows if one[1] is not None or (one[2] is not None and one[2].blank_accuracy is not None)]
    with drawing():
        figure = new_figure(0.9 + 0.25 * max(1, len(rows)))
        axes = figure.subplots()
        for place, (_, ours, told) in enumerate(rows):
            if ours is not None:
                axes.plot([100 * ours.ba_low, 100 * ours.ba_high], [place, place], color=FIRST, linewidth=2, solid_capstyle="butt")
                axes.plot([100 * ours.ba], [place], marker="o", markersize=5, color=FIRST, linestyle="none")
            if told is not None and told.blank_accuracy is not None:
                axes.plot([100 * told.blank_accuracy], [place], marker="D", markersize=6, markerfacecolor="none", markeredgecolor=SECOND,
                          markeredgewidth=1.4, linestyle="none")  # fmt: skip
        if evaluation is not None:
            axes.plot([], [], marker="o", markersize=5, color=FIRST, linewidth=2, label="this set, 95 %")
        if any(told is not None for _, _, told in rows):
            axes.plot([], [], marker="D", markersize=6, markerfacecolor="none", markeredgecolor=SECOND, markeredgewidth=1.4,
                      linestyle="none", label="the paper's set")  # fmt: skip
        if human is not None and human.blank_accuracy is not None:
            axes.axvline(100 * human.blank_accuracy, color=SECOND, linestyle="--", linewidth=1.2, label="people, the paper's set")
        if evaluation is not None and evaluation.chance is not None:
            axes.axvline(100 * evaluation.chance, color=MUTED, linestyle=":", linewidth=1.2, label="chance")
        axes.set_yticks(range(len(rows)), [plain_label(label) for label, _, _ in rows])
        axes.set_ylim(len(rows) - 0.4, -0.6)
        axes.set_xlim(0, 100)
        axes.set_xlabel("% of a passage's blanks right")
        axes.tick_params(axis="y", length=0)
        axes.figure.legend(loc="outside upper left", ncols=2, handlelength=1.4, columnspacing=1.2)
        label = "Blank accuracy of each row in percent with its 95 % interval; the table holds the same numbers"
        return svg_text(figure, name="blanks " + " ".join(label for label, _, _ in rows), label=label)
