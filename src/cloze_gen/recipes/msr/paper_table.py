"""Zweig & Burges 2011: what the paper's baselines scored on its own 1,040 questions (Table 1), and the bias that it measured (2.2)."""

from __future__ import annotations

from cloze_gen.report.paper_table import PaperFigure, PaperTable

MSR_TABLE_1 = PaperTable(
    "Zweig & Burges 2011, Table 1 and section 2.2",
    1040,
    (
        PaperFigure("Human", 0.91, "human"),
        PaperFigure("Generating model", 0.31, "generating-highest"),
        PaperFigure("Smoothed 3-gram", 0.36, "smoothed-3gram"),
        PaperFigure("Smoothed 4-gram", 0.39, "smoothed-4gram"),
        PaperFigure("Simple 4-gram", 0.34, "simple-4gram"),
        PaperFigure("Latent semantic analysis", 0.49, "lsa"),
        # 2.2 on the bias that screening and sorting leave; the highest scores are those of Table 1. The other model is not named: by its
        # highest score, 39 %, it is the smoothed 4-gram. Of the lowest score of the successor alone no figure is given.
        PaperFigure("Generating model, lowest", 0.26, "generating-lowest"),
        PaperFigure("Another model, lowest", 0.17, "smoothed-4gram-lowest"),
    ),
)
