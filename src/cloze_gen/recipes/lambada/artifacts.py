"""The files of the stages of LAMBADA-style. A passage id is `book:sentence`; the target ends that sentence."""

from __future__ import annotations

from cloze_gen.corpus.artifacts import HYPHENS, PARTITION_COLUMNS
from cloze_gen.store.file_docs import ANY, FileDoc, StageDoc, rejected_file

_ITEM = {"id": "string: id of the passage"}
_SPAN = {
    "start": "int32: first character of the passage in the text of the book",
    "end": "int32: character after its last one",
}
_WEIGHTS = (
    FileDoc("*/word_vectors.npy", "One vector a word.", array="float32 (words, size)"),
    FileDoc(
        "*/input.npy",
        "Weights from the vectors to the hidden units, or to the gates of the cells.",
        array="float32 (inputs, outputs)",
    ),
    FileDoc(
        "recurrent/recurrent.npy",
        "Weights from the last state to the gates.",
        array="float32 (units, gates)",
        optional=True,
    ),
    FileDoc("*/class_weights.npy", "Weights from the hidden units to the classes of words.", array="float32 (classes, inputs)"),
    FileDoc("*/word_weights.npy", "Weights to the words of a class.", array="float32 (words, inputs)"),
)  # fmt: skip
_PASSAGE_RECORD = {
    "id": "string: id of the passage",
    "text": "string: published form: small letters, treebank tokens joined by single spaces, the target last",
    "context": "string: the text before the target as the book prints it",
    "target": "string: the last word, to be guessed",
    "cased": "string: context and target joined",
    "book_id": "string: id of the book",
    "part": "string: `development` or `test`",
    "start": "int: first character of the passage in the text of the book",
    "end": "int: character after its last one",
    "sentences": "list of list of string: tokens of each sentence, final marks included",
    "texts": "list of string: text of each sentence",
    "target_position": "int: index of the target among the tokens of its sentence",
    "split": "string: `validation` (development novels), `test` or `control`",
    "domain": "string: genre of the book",
    "judged": "string: `none`, `machine` or `human`",
    "scores": "object: member -> log10 P(target | passage)",
    "verdict": "string?: as in guesses; not in the control set",
    "signals": "object?: `read_prob`, `alone_prob` and `expected_yield` as in ranking; not in the control set",
}

STAGES = {
    "passages": StageDoc(
        "Cuts the development and test novels into passages.",
        (
            FileDoc(
                "passages.parquet",
                "One row a passage, in the order of books and sentences. Passages overlap, so they are stored as spans.",
                {
                    **_ITEM,
                    "book_id": "string: id of the book",
                    "part": "string: `development` or `test`",
                    "first_sentence": "int32: index of the first sentence of the context",
                    "sentence": "int32: index of the target's sentence",
                    **_SPAN,
                    "target": "string: the target",
                    "target_position": "int16: index of the target among the tokens of its sentence",
                    "context_tokens": "int16: treebank tokens of the context",
                    "sentence_tokens": "int16: treebank tokens of the target's sentence, final marks included",
                    "in_context": "int16: how often the target occurs in the context, in any letter case",
                    "first_token_index": "int64: index of the first token of the passage in `tokens.npy`",
                    "target_token_index": "int64: index of the target in `tokens.npy`",
                },
                example='{"id": "aunt-sabinas-goose:8", "book_id": "aunt-sabinas-goose", "part": "test", "first_sentence": 6, '
                '"sentence": 8, "start": 249, "end": 767, "target": "Gubbin", "target_position": 14, "context_tokens": 97, '
                '"sentence_tokens": 16, "in_context": 1, "first_token_index": 18252, "target_token_index": 18365}',
            ),
            FileDoc(
                "sentences.parquet",
                "Each sentence of the passages, once.",
                {
                    "book_id": "string: id of the book",
                    "index": "int32: index of the sentence in the book",
                    "start": "int32: first character of the sentence in the text of the book",
                    "end": "int32: character after its last one",
                    "paragraph": "int32: index of the paragraph in the book",
                    "text": "string: normalized text with its own spacing",
                    "tokens": "string: tokens joined by single spaces",
                },
            ),
            FileDoc(
                "tokens.npy",
                "All sentences of the development and test novels as numbers: the row in `counts.tsv` from 1; one more than its rows for "
                "an unknown word; 0 after each sentence.",
                array="uint32 (tokens)",
            ),
            HYPHENS,
            rejected_file(
                "Every sentence that ends no passage; `detail` is empty.",
                '{"id": "aunt-sabinas-goose:10", "reason": "target_sentence_short", "detail": ""}',
            ),
        ),
        {
            "mean_context_sentences": "mean number of sentences before the target's",
            "mean_context_tokens": "mean number of tokens before the target's sentence",
            "passages": "passages of each part",
        },
    ),
    "networks": StageDoc(
        "Trains the feed-forward and the recurrent network. The rows of the arrays of words are in the order of the classes.",
        (
            FileDoc("words.txt", "The closed vocabulary, one word a line, the most frequent first."),
            FileDoc("classes.npy", "The first row of each class of words, and the number of words.", array="int64 (classes + 1)"),
            FileDoc(
                "training.tsv",
                "One row for each twentieth of a network's training.",
                {
                    "network": "text: `feedforward` or `recurrent`",
                    "words_read": "int: words read so far",
                    "perplexity": "float: perplexity of the words of this twentieth before they were learnt",
                },
            ),
            *_WEIGHTS,
        ),
    ),
    "scores": StageDoc(
        "Scores every passage with one member of the committee. Each member has a stage of its own: `scores ngram`, `scores cache`, "
        "`scores feedforward`, `scores recurrent`, and `scores` with the name of a model of the user.",
        (
            FileDoc(
                "scores.parquet",
                "One row a passage, in the order of `passages.parquet`.",
                {
                    **_ITEM,
                    "log10_prob": "float: log10 P(target | passage)",
                    "oov": "bool: the member does not know the target; the score is that of the unknown word",
                },
                example='{"id": "aunt-sabinas-goose:8", "log10_prob": -4.675366401672363, "oov": true}',
            ),
        ),
        {
            "mean_log10_prob": "mean over all passages",
            "oov": "passages with an unknown target",
            "model": "a model of the user: what it is",
        },
    ),
    "committee": StageDoc(
        "Drops the passages whose target a member guesses.",
        (
            FileDoc(
                "verdicts.parquet",
                "One row a passage.",
                {
                    **_ITEM,
                    "kept": "bool: no member guesses the target",
                    ANY: "float: log10 P(target | passage) of the member of this name",
                },
                example='{"id": "aunt-sabinas-goose:8", "kept": true, "ngram": -4.675366401672363, "cache": -3.035459518432617, ...}',
            ),
            rejected_file(
                "The passages that a member guesses. `reason` names the first member, `detail` is its probability.",
                '{"id": "02-a-house-in-mercer-row:7", "reason": "guessed_by_cache", "detail": "P(target) = 0.002071"}',
            ),
        ),
        {"survival": "share of the passages that each member alone keeps"},
    ),
    "tagged_novels": StageDoc(
        "Selects the training novels that are tagged, up to 3 million tokens.",
        (FileDoc("books.tsv", "Rows of the partition.", PARTITION_COLUMNS),),
    ),
    "ranking": StageDoc(
        "Ranks the passages by how likely people guess the target from the passage, but not from its sentence.",
        (
            FileDoc(
                "signals.parquet",
                "One row for each examined passage, in the order of the passages. A reader is a model of a person who reads a text.",
                {
                    **_ITEM,
                    "book_id": "string: id of the book",
                    **_SPAN,
                    "target": "string: the target in small letters",
                    "in_context": "bool: the target occurs in the context",
                    "read_prob": "float: P(target) of a reader of the whole passage",
                    "alone_prob": "float: P(target) of a reader of the target's sentence alone",
                    "read_rank": "int32: words that the reader of the passage finds more probable",
                    "alone_rank": "int32: words that the reader of the sentence finds more probable",
                    "sentence_tokens": "int16: tokens of the sentence before the target",
                    "capitalised_share": "float: share of the target in the capitalised words before it",
                    "rules": "string: rules that find the target (last name, ...), joined by `; `",
                    "expected_yield": "float: probability that the passage passes all three steps of guessing",
                    "machine": "string: verdict of the model reader: `kept`, or the step that rejects the passage",
                },
                example='{"id": "aunt-sabinas-goose:8", "target": "gubbin", "in_context": true, "read_rank": 3, "sentence_tokens": 14, '
                '"rules": "", "machine": "not_guessed_from_the_passage", ...}',
            ),
            FileDoc(
                "ranking.parquet",
                "The best passages in their order.",
                {**_ITEM, "rank": "int32: rank, from 1"},
                example='{"id": "aunt-sabinas-goose:8", "rank": 3}',
            ),
            rejected_file("The other passages. `detail` is the passage with the same context or target sentence, or empty."),
        ),
        {
            "expected_yield": "mean over the ranked passages",
            "examined": "passages with signals",
            "guessable": "ranked passages that a reader may guess, by the signals",
        },
    ),
    "guesses": StageDoc(
        "Applies the guesses of people or of the model reader.",
        (
            FileDoc(
                "verdicts.parquet",
                "One row a ranked passage, in that order.",
                {
                    **_ITEM,
                    "verdict": "string: `open` (not decided), `kept`, or the step that rejects the passage",
                },
                example='{"id": "aunt-sabinas-goose:8", "verdict": "open"}',
            ),
            FileDoc(
                "answers.parquet",
                "One row an answer of a person, in the order of the ranking, then of the questions; empty without people.",
                {
                    **_ITEM,
                    "condition": "string: what the person saw: `passage` or `sentence`",
                    "subject": "int32: number of the person, in the order of their first question; no names",
                    "guesses": "list of string: the guesses without surrounding spaces; empty if there was no idea",
                    "right": "bool: one of them is the target",
                },
            ),
        ),
        {
            "decided": "passages with a verdict",
            "judged": "`none`, `machine` or `human`",
            "kept": "passages that were kept",
            "open": "passages without a verdict",
            "subjects": "people who answered",
            "not_shown": "passages that no person has seen",
        },
    ),
    "passage_set": StageDoc(
        "Assembles the set and the control set.",
        (
            FileDoc(
                "passages.jsonl",
                "One object a passage, split after split. Rows with the split `control` are the "
                "control set, not the set.",
                _PASSAGE_RECORD,
                example='{"id": "aunt-sabinas-goose:8", "text": "she owned the shop , and the house over the shop , ...", '
                '"context": "She owned the shop, ...", "target": "Gubbin", "split": "test", "domain": "Domestic", ...}',
            ),
            FileDoc("rejected.jsonl", "The passages that guessing rejected, in the same form.", {}, optional=True),
            FileDoc(
                "fewshot.jsonl",
                "At most eight development passages outside the ranking, for few-shot prompts, in the same form. None overlaps a passage "
                "of the set.",
                optional=True,
            ),
        ),
        {"control": "passages of the control set", "control_printed_before": "control passages left out because they are printed already", "judged": "`none`, `machine` or `human`", "wanted": "passages wanted"},
    ),
    "analysis": StageDoc(
        "Compares the set with up to 5,000 random passages that no member guesses. The release does not depend on it.",
        (
            FileDoc(
                "analysis.json",
                "The figures of the two sets and of the paper.",
                {
                    "source": "string: the paper's table",
                    "sets": "object: passages of each set",
                    "measures": "list of object: `measure`, `unit` (`mean` or `share`), `kept`, `random`, `paper_kept`, `paper_random`; "
                    "null without a figure",
                },
            ),
        ),
        {
            "kept": "passages of the set",
            "random": "random passages",
            "tagger": "name, version and digest of the tagger",
        },
    ),
}  # fmt: skip

PUBLISHED_FILES: dict[str, str] = {}  # described by `release.py`
