"""The files of the stages of SCDE-style. A passage id is `book:sentence`, the first sentence of the passage. Places count from 0."""

from __future__ import annotations

from cloze_gen.corpus.artifacts import HYPHENS
from cloze_gen.store.file_docs import FileDoc, StageDoc, rejected_file

_ITEM = {"id": "string: id of the passage"}

STAGES = {
    "passages": StageDoc(
        "Cuts the books into passages of whole paragraphs. No two passages share a sentence.",
        (
            FileDoc(
                "passages.parquet",
                "One row a passage, in the order of books and places. The text is in the ingested book.",
                {
                    **_ITEM,
                    "book_id": "string: id of the book",
                    "part": "string: `train`, `development` or `test`",
                    "domain": "string: genre of the book",
                    "first": "int32: index of its first sentence in the book",
                    "last": "int32: index of its last sentence",
                    "sentences": "int32: number of sentences",
                    "words": "int32: tokens with a letter or a digit",
                    "start": "int32: first character in the text of the book",
                    "end": "int32: character after the last one",
                },
                example='{"id": "the-affair-of-the-green-umbrella:105", "book_id": "the-affair-of-the-green-umbrella", '
                '"part": "development", "domain": "Mystery", "first": 105, "last": 130, "sentences": 26, ...}',
            ),
            HYPHENS,
            rejected_file(
                "The other parts of the books. `id` is the first sentence, `detail` the number of sentences and words.",
                '{"id": "01-the-ferrymans-ledger:0", "reason": "not_prose", "detail": "4 sentences, 10 words"}',
            ),
        ),
        {"mean_sentences": "mean length in sentences", "mean_words": "mean length in words", "passages": "passages of each part"},
    ),
    "coherence": StageDoc(
        "Trains a model of the words that occur together in adjacent sentences.",
        (
            FileDoc("words.txt", "The vocabulary in small letters, one word a line."),
            FileDoc("before.npy", "The directions of each word in the first of two sentences.", array="float32 (words, directions)"),
            FileDoc("behind.npy", "The directions of each word in the second sentence.", array="float32 (words, directions)"),
            FileDoc(
                "stems.tsv",
                "The stems of the training books; stems that occur once are left out.",
                {"stem": "text: stem", "count": "int: tokens"},
            ),
        ),
        {
            "pairs": "pairs of sentences that the model is trained on",
            "sentences": "sentences of the training books",
            "first_strengths": "strengths of the first three directions",
        },
    ),
    "blanks": StageDoc(
        "Chooses the blanks of each passage.",
        (
            FileDoc(
                "blanks.parquet",
                "One row for each passage with blanks, in the order of the passages.",
                {
                    **_ITEM,
                    "book_id": "string: id of the book",
                    "blanks": "list of int64: places in the passage, ascending",
                    "solved": "int64: blanks that the solver of surface cues fills correctly, given the answers alone",
                    "wanted": "int64: blanks that a random assignment of the answers fills correctly; the choice aims at this number",
                    "margin": "double: how much better the answers fit their own blanks than the best other answer; mean over the blanks",
                },
            ),
            FileDoc(
                "sentences.parquet",
                "One row for each sentence of the passages.",
                {
                    **_ITEM,
                    "sentence": "int64: place of the sentence in the passage",
                    "verdict": "string: `blank`, `not_drawn` (it could be one), or the reason why it cannot be one",
                },
                example='{"id": "the-affair-of-the-green-umbrella:105", "sentence": 2, "verdict": "sentence_short"}',
            ),
            rejected_file("The passages without blanks; `detail` is the number of sentences that could be blanks."),
        ),
        {
            "adjacent": "share of the blanks that are adjacent to another blank",
            "sentences": "sentences of each verdict",
            "solved_by_surface": "share of the blanks that the solver of surface cues fills correctly",
        },
    ),
    "rivals": StageDoc(
        "Finds sentences of the same book that may be hard distractors.",
        (
            FileDoc(
                "considered.parquet",
                "One row for each passage and nearby sentence. The measures are null if an earlier check rejected the sentence.",
                {
                    **_ITEM,
                    "book_id": "string: book of the sentence",
                    "sentence": "int32: index of the sentence in the book",
                    "text": "string: the sentence as printed",
                    "characters": "int32: its length",
                    "verdict": "string: `rival`, or the reason why it is none",
                    "fit": "double: coherence with its best blank, minus that of the blank's own answer",
                    "topic": "double: mean coherence with the shown sentences of the passage, minus the mean of the answers",
                    "echo": "double: share of its content words that the shown sentences have too, weighted by the square of their rarity; "
                    "names left out",
                    "nearness": "double: minus the natural logarithm of the distance to the passage, in sentences",
                    "hardness": "double: mean of fit, topic, echo and nearness, each scaled to mean 0 and deviation 1 among the rivals of "
                    "the passage; of rivals alone",
                    "traits": "list of string: visible features of the sentence; of rivals alone",
                },
            ),
            FileDoc(
                "answers.parquet",
                "One row a blank.",
                {
                    **_ITEM,
                    "blank": "int32: number of the blank, from 0",
                    "sentence": "int32: index of the answer in the book",
                    "characters": "int32: its length",
                    "traits": "list of string: visible features of the answer",
                },
            ),
        ),
    ),
    "distractors": StageDoc(
        "Draws the distractors of each passage.",
        (
            FileDoc(
                "distractors.parquet",
                "One row a passage, in the order of the passages.",
                {
                    **_ITEM,
                    "distractors": "list of int64: index of each distractor in its book",
                    "books": "list of string: book of each distractor",
                    "by_length": "list of int64: places of the hard distractors among all candidates by length, from the shortest; empty "
                    "if there are too few rivals",
                    "temptation": "double: how much better the hard distractors fit than the answers (`fit` and `topic`), minus the "
                    "difference that their traits predict; 0 without hard distractors",
                },
            ),
            FileDoc(
                "propensity.tsv",
                "The odds by which rivals are drawn, learnt from the training books.",
                {"trait": "text: visible feature", "log_odds": "float: natural log odds of being an answer"},
            ),
            rejected_file("The passages without distractors; `detail` is the number of rivals."),
        ),
        {
            "kind": "`hard`, `random` or `none`",
            "auc": "area under the curve of a classifier that separates draws from answers: before each round and after the last",
        },
    ),
    "blanked_passages": StageDoc(
        "Assembles the set.",
        (
            FileDoc(
                "passages.jsonl",
                "One object a passage, in the order of books and places.",
                {
                    **_ITEM,
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
            rejected_file("The other passages with distractors. `detail` is the passage that prints the same sentence, or empty."),
        ),
        {"parts": "passages of each part", "wanted": "passages wanted"},
    ),
    "statistics": StageDoc(
        "Measures the set and compares it with the paper's.",
        (
            FileDoc(
                "statistics.json",
                "How each measure is defined: `recipes/scde/statistics.py`.",
                {
                    "source": "string: the paper's table",
                    "measures": "list of object: `measure`, `unit` (`count`, `mean` or `share`), the values of `all`, `train`, `development` "
                    "and `test`, and the paper's, `paper`; null without a figure",
                    "paper_passages": "object: the paper's passages of each part",
                },
            ),
        ),
        {name: f"passages of {where}" for name, where in (("all", "the whole set"), ("train", "the part"), ("development", "the part"), ("test", "the part"))},
    ),
}  # fmt: skip

PUBLISHED_FILES: dict[str, str] = {}  # described by `release.py`
