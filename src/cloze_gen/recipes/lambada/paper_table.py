"""The figures of Paperno et al. 2016, Table 1, for the report."""

from __future__ import annotations

from cloze_gen.release.paper_figures import PassageFigure, PassageTable, SetFigures

LAMBADA_TABLE_1 = PassageTable(
    "Paperno et al. 2016, Table 1",
    (
        PassageFigure(
            "Random vocabulary word",
            "random vocabulary word",
            SetFigures(0, 60000, 30026),
            SetFigures(0, 60000, 30453),
        ),
        PassageFigure(
            "Random word of the passage", "random word", SetFigures(0.016), SetFigures(0)
        ),
        PassageFigure(
            "Random capitalised word", "random capitalised word", SetFigures(0.07), SetFigures(0)
        ),
        PassageFigure(
            "Unsupervised CBOW",
            "",
            SetFigures(0, 57040, 16352),
            SetFigures(0, 55190, 12950),
        ),
        PassageFigure(
            "Supervised CBOW",
            "",
            SetFigures(0, 47587, 4660),
            SetFigures(None, 2344, 259),
        ),
        PassageFigure("N-gram", "n-gram", SetFigures(0.001, 3125, 993), SetFigures(0.191, 285, 17)),
        PassageFigure(
            "N-gram with cache",
            "n-gram + cache",
            SetFigures(0.001, 768, 87),
            SetFigures(0.191, 270, 18),
        ),
        PassageFigure("RNN", "", SetFigures(0, 14725, 7831), SetFigures(0.154, 277, 24)),
        PassageFigure("LSTM", "recurrent", SetFigures(0, 5357, 324), SetFigures(0.219, 149, 12)),
        PassageFigure("Memory network", "", SetFigures(0, 16318, 846), SetFigures(None, 566, 46)),
    ),
)
