"""The files of the stages of SCDE-style. A passage id is `book:sentence`, the first sentence of the passage. Places count from 0."""

from __future__ import annotations

from cloze_gen.corpus.artifacts import HYPHENS
from cloze_gen.recipes.scde.blanks import BLANKS, SENTENCE_VERDICTS
from cloze_gen.recipes.scde.coherence import STEMS, WORDS
from cloze_gen.recipes.scde.distractors import DISTRACTORS, PROPENSITY
from cloze_gen.recipes.scde.passages import PASSAGES
from cloze_gen.recipes.scde.rivals import CANDIDATES
from cloze_gen.recipes.tables import REJECTIONS
from cloze_gen.store.file_docs import FileDoc, StageDoc

STAGES = {
    "passages": StageDoc(
        "Cuts the books into passages of whole paragraphs. No two passages share a sentence.",
        (
            PASSAGES.doc,
            HYPHENS,
            REJECTIONS.described(
                "The other parts of the books. `id` is the first sentence, `detail` the number of sentences and words.",
                '{"id": "01-the-ferrymans-ledger:0", "reason": "not_prose", "detail": "sentences: 4, words: 10"}',
            ),
        ),
    ),
    "coherence": StageDoc(
        "Trains a model of the words that occur together in adjacent sentences.",
        (
            WORDS.doc,
            STEMS.doc,
        ),
        {"pairs": "pairs of sentences that the model is trained on", "sentences": "sentences of the training books"},
    ),
    "blanks": StageDoc(
        "Chooses the blanks of each passage.",
        (
            BLANKS.doc,
            SENTENCE_VERDICTS.doc,
            REJECTIONS.described("The passages without blanks; `detail` is the number of sentences that could be blanks."),
        ),
    ),
    "rivals": StageDoc(
        "Finds sentences of the same book that may be hard distractors.",
        (CANDIDATES.doc,),
    ),
    "distractors": StageDoc(
        "Draws the distractors of each passage.",
        (
            DISTRACTORS.doc,
            FileDoc(
                PROPENSITY,
                "The odds by which rivals are drawn, learnt from the training books; traits of few sentences are left out.",
                {"trait": "text: visible feature", "log_odds": "float: natural log odds of being an answer"},
            ),
            REJECTIONS.described("The passages without distractors."),
        ),
        {"auc": "area under the curve of a classifier that separates draws from answers: before the first round and after the last"},
    ),
    "blanked_passages": StageDoc(
        "Assembles the set.",
        (
            FileDoc(
                "passages.jsonl",
                "One object a passage, in the order of books and places.",
                {
                    "id": "string: id of the passage",
                    "part": "string: `train`, `development` or `test`",
                    "domain": "string: genre of the book",
                    "book_id": "string: id of the book",
                    "passage": "list of string: the sentences; null for a blank",
                    "candidates": "list of string: answers and distractors in printed order",
                    "blanks": "list of int: places of the blanks in `passage`",
                    "answers": "list of int: for each blank the place of its answer among the candidates",
                    "distractors": "list of int: places of the candidates that answer no blank",
                    "sources": "list of object: for each sentence `book_id`, `index`, `start` and `end` in the text of the book, `paragraph`",
                    "candidate_sources": "list of object: for each candidate `book_id`, `index`, `start`, `end`",
                },
            ),
            REJECTIONS.described("The other passages with distractors. `detail` is the passage that prints the same sentence, or empty."),
        ),
        {"parts": "passages of each part", "wanted": "passages wanted"},
    ),
}  # fmt: skip
