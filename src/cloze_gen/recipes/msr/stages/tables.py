"""The tables that stages of this recipe hand to one another, by name.

`alternates/`, `scored/` and `decisions/` lie in parts of a fixed number of focus words (`items`), a row an alternate; the others have a row
a focus word.
"""

from __future__ import annotations

ALTERNATES = "alternates"  # of the stage alternates: what the model drew, with its score after the two-word history
SCREENED = "items.parquet"  # of the stage screening: the answer's score and rank, and whether the focus word goes on
SCORED = "scored"  # of the stage forward: the same rows with forward scores; `kept` marks the retained ones
ANSWERS = "answers.parquet"  # of the stage forward: the answers' own scores
DECISIONS = "decisions"  # of the stage grooming: a verdict on every retained candidate
GROOMED = "items.parquet"  # of the stage grooming: a verdict on every focus word
CANDIDATES = "candidates.jsonl"  # of the stage choice: every question's retained candidates, for human groomers

FIT = "fit"  # the verdict against which nothing speaks
KEPT = "kept"  # status of a focus word that passed the screening
ANSWER_SCORES_BEST = "answer_scores_best"  # status of one that did not
