"""The figures of Zweig & Burges 2011, Table 1, which the report prints next to ours."""

from __future__ import annotations

from cloze_gen.release.paper_figures import PaperFigure, PaperTable

MSR_TABLE_1 = PaperTable(
    "Zweig & Burges 2011, Table 1 and section 2.2",
    1040,
    (
        PaperFigure("Human", 0.91, "human"),
        PaperFigure("Generating model", 0.31, "focus-model-highest"),
        PaperFigure("Smoothed 3-gram", 0.36, "smoothed-3gram"),
        PaperFigure("Smoothed 4-gram", 0.39, "smoothed-4gram"),
        PaperFigure("Simple 4-gram", 0.34, "simple-4gram"),
        PaperFigure("Latent semantic analysis", 0.49, "lsa"),
        # Section 2.2 on the remaining bias; the highest scores are in Table 1. The paper does not
        # name the other model. Its highest score, 39 %, identifies the smoothed 4-gram.
        PaperFigure("Generating model, lowest", 0.26, "focus-model-lowest"),
        PaperFigure("Another model, lowest", 0.17, "smoothed-4gram-lowest"),
    ),
)
