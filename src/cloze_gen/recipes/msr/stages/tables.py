"""The tables that stages of this recipe hand to one another: names, columns, and the words that stand in them.

`alternates/`, `scored/` and `decisions/` lie in parts of a fixed number of focus words (`parts`), a row an alternate: `id` of the focus
word and `word` first. The others have a row a focus word. `docs/artifacts.md` has every column's type.
"""

from __future__ import annotations

# Of an option, log10: after the two-word history; of the next token; of the whole sentence. None where a step has not come so far.
HISTORY_SCORE, FORWARD_SCORE, SENTENCE_SCORE = "history_log10_prob", "forward_log10_prob", "sentence_log10_prob"
SCORES = (HISTORY_SCORE, FORWARD_SCORE, SENTENCE_SCORE)

# Stage alternates: what the model drew. Beside id and word: HISTORY_SCORE.
ALTERNATES = "alternates"

# Stage screening: does the focus word go on? `alternates` is their number; rank 1 is the best.
SCREENED = "items.parquet"
SCREENED_COLUMNS = ("id", "status", "answer_log10_prob", "answer_rank", "alternates")
KEPT = "kept"  # `status` of a focus word that passed
ANSWER_SCORES_BEST = "answer_scores_best"  # `status` of one that did not

# Stage forward: the alternates of what passed. Beside id, word and SCORES: `forward_rank`, and `kept`, which marks the retained ones.
SCORED = "scored"
ANSWERS = "answers.parquet"  # the answers' own scores
ANSWER_COLUMNS = ("id", FORWARD_SCORE, "forward_rank", SENTENCE_SCORE)

# Stage grooming: a verdict on every retained candidate of a sentence that is fit without a tagger, and on every focus word that has any.
DECISIONS = "decisions"
# Of a candidate: likeness to the answer (cosine), topicality (nats), and what readers are expected to say of it (shares, 0 to 1).
MEASURES = ("similarity", "topicality", "fits_as_well", "ungrammatical", "plausible")
DECISION_COLUMNS = ("id", "word", "verdict", *MEASURES, "tag")
GROOMED = "items.parquet"
GROOMED_COLUMNS = ("id", "verdict", "answer_tag", "answer_topicality", "place_asks_for", "fit_candidates")
FIT = "fit"  # the verdict against which nothing speaks
