"""Zweig & Burges 2011, Table 1: what the paper's baselines scored on its own 1,040 questions."""

from __future__ import annotations

from cloze_gen.report.paper_table import PaperFigure, PaperTable

MSR_TABLE_1 = PaperTable(
    "Zweig & Burges 2011, Table 1",
    1040,
    (
        PaperFigure("Human", 0.91),
        PaperFigure("Generating model", 0.31, "generating-highest"),
        PaperFigure("Smoothed 3-gram", 0.36, "smoothed-3gram"),
        PaperFigure("Smoothed 4-gram", 0.39, "smoothed-4gram"),
        PaperFigure("Simple 4-gram", 0.34, "simple-4gram"),
        PaperFigure("Latent semantic analysis", 0.49, "lsa"),
    ),
)
