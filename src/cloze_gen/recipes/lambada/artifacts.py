"""The files of the stages of LAMBADA-style. A passage id is `book:sentence`; the target ends that sentence."""

from __future__ import annotations

from cloze_gen.corpus.artifacts import HYPHENS, PARTITION_COLUMNS
from cloze_gen.recipes.lambada.committee import verdict_table
from cloze_gen.recipes.lambada.guesses import ANSWERS, GUESSED
from cloze_gen.recipes.lambada.members import SCORES
from cloze_gen.recipes.lambada.outside_members import OUTSIDE_SCORES
from cloze_gen.recipes.lambada.passages import PASSAGES
from cloze_gen.recipes.lambada.ranking import RANKING, SIGNALS
from cloze_gen.recipes.tables import REJECTIONS, SENTENCES
from cloze_gen.store.file_docs import ANY, FileDoc, StageDoc

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
    "judged": "string: `none` or `human`",
    "scores": "object: member -> log10 P(target | passage)",
    "verdict": "string?: as in guesses; not in the control set",
    "signals": "object?: `read_prob`, `alone_prob` and `expected_yield` as in ranking; not in the control set",
}

STAGES = {
    "passages": StageDoc(
        "Cuts the development and test novels into passages.",
        (
            PASSAGES.doc,
            SENTENCES.described("Each sentence of the passages, once. Words that a line end breaks are joined."),
            HYPHENS,
            REJECTIONS.described(
                "Every sentence that ends no passage; `detail` is empty.",
                '{"id": "aunt-sabinas-goose:10", "reason": "target_sentence_short", "detail": ""}',
            ),
        ),
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
    "scores": StageDoc("Scores every passage with the members of the committee.", (SCORES.doc,)),
    "outside_scores": StageDoc("Scores every passage with a model of the user.", (OUTSIDE_SCORES.doc,)),
    "committee": StageDoc(
        "Drops the passages whose target a member guesses.",
        (
            verdict_table([ANY]).doc,
            REJECTIONS.described(
                "The passages that a member guesses. `reason` names the first member, `detail` is its probability.",
                '{"id": "02-a-house-in-mercer-row:7", "reason": "guessed_by_cache", "detail": "P(target) = 0.002071"}',
            ),
        ),
        {"survival": "share of the passages that each member alone keeps"},
    ),
    "tagged_novels": StageDoc(
        "Selects the training novels that are tagged: random ones until 3 million tokens are reached.",
        (FileDoc("books.tsv", "Rows of the partition.", PARTITION_COLUMNS),),
    ),
    "ranking": StageDoc(
        "Ranks the passages by how likely people guess the target from the passage, but not from its sentence.",
        (
            SIGNALS.doc,
            RANKING.doc,
            REJECTIONS.described("The other passages. `detail` is the passage with the same context or target sentence, or empty."),
        ),
        {"guessable": "ranked passages that a reader may guess, by the signals"},
    ),
    "guesses": StageDoc(
        "Applies the guesses of people.",
        (GUESSED.doc, ANSWERS.doc),
        {
            "decided": "passages with a verdict",
            "judged": "`none` or `human`",
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
            FileDoc("rejected.jsonl", "The passages that guessing rejected, in the same form.", {}),
            FileDoc(
                "fewshot.jsonl",
                "At most eight development passages outside the ranking, for few-shot prompts, in the same form. None overlaps a passage "
                "of the set.",
            ),
        ),
        {
            "control": "passages of the control set",
            "judged": "`none` or `human`",
            "wanted": "most passages of the ranking (`ranking.n_passages`)",
        },
    ),
    "analysis": StageDoc(
        "Compares the set with up to 5,000 random passages that no member guesses. The release does not depend on it.",
        (
            FileDoc(
                "analysis.json",
                "The figures of the two sets and of the paper.",
                {
                    "source": "string: the paper's sections",
                    "sets": "object: passages of each set",
                    "measures": "list of object: `measure`, `unit` (`mean` or `share`), `kept`, `random`, `paper_kept`, `paper_random`; "
                    "null without a figure",
                },
            ),
        ),
        {"tagger": "name, version and digest of the tagger"},
    ),
}  # fmt: skip
