"""The files of the stages that train models."""

from __future__ import annotations

from cloze_gen.store.file_docs import FileDoc, StageDoc

_GROUPS = FileDoc(
    "cross-fitting.tsv",
    "Only if the source books are also the training books: the model that serves each book. The "
    "files of model N are then in the folder `model-N/`.",
    {"book_id": "text: id of the book", "model": "int: number of the model, trained without the book"},
    optional=True,
)  # fmt: skip
_GROUP_FACTS = {
    "books": "with several models: number of books",
    "models": "with several models: number of models",
    "of_model": "with several models: the facts of each",
}

STAGES = {
    "lm": StageDoc(
        "Trains the n-gram model with `lmplz`.",
        (
            FileDoc(
                "model.arpa",
                "The model in KenLM's text format: log10 probability, tab, n-gram, tab, log10 backoff.",
                example="-3.9056883\tthe patience\t-0.064051524",
            ),
            _GROUPS,
        ),
        {"ngrams": "n-grams of each order", **_GROUP_FACTS},
        grouped=True,
    ),
    "index": StageDoc(
        "Writes the n-gram model as sorted arrays, which are read without loading them into memory.",
        (
            FileDoc("words.txt", "The vocabulary, one word a line. The line number from 0 is the word's id.", example="<unk>"),
            FileDoc(
                "*grams.key.npy",
                "Keys of the n-grams, ascending. Order 1: the word's id. Higher orders: the row of the first n-1 words in the "
                "order below, times the vocabulary size, plus the id of the last word.",
                array="uint64 (n-grams)",
            ),
            FileDoc("*grams.log10_prob.npy", "log10 P(last word | the others).", array="float32 (n-grams)"),
            FileDoc("*grams.log10_backoff.npy", "log10 backoff; zeros in the highest order.", array="float32 (n-grams)"),
            _GROUPS,
        ),
        {"order": "highest order", **_GROUP_FACTS},
        grouped=True,
    ),
    "contexts": StageDoc(
        "Measures the contexts of the words that may be options. The rows of the arrays are the lines of `words.txt`.",
        (
            FileDoc("words.txt", "The words, one a line, the most frequent first.", optional=True),
            FileDoc(
                "builtin.json",
                "Where the built-in word data come from (`contexts.background`: `auto` or `builtin`).",
                {
                    "about": "string: description",
                    "associations": "object: built-in pairs of words",
                    "bytes": "int: size of the file",
                    "lost": "object: what was lost in packing",
                    "sha256": "string: of the file",
                    "source": "object: the text that was counted",
                    "versions": "object: programs that made the file",
                    "words": "object: built-in words",
                },
                optional=True,
            ),
            FileDoc("word_counts.npy", "Tokens of each word in the training books.", array="uint32 (words)", optional=True),
            FileDoc(
                "vectors.npy",
                "Unit context vectors, rounded to 4 decimals; zeros for a word without contexts. The product of two rows is their "
                "cosine.",
                array="float32 (words, dimensions)",
                optional=True,
            ),
            FileDoc("norms.npy", "Lengths of the vectors before scaling.", array="float32 (words)", optional=True),
            FileDoc(
                "feature_words.txt",
                "The neighbours that the vectors are made from: the `contexts.features` most frequent types, one a line.",
                optional=True,
            ),
            FileDoc(
                "features.npy",
                "Vectors of the neighbours. The product with a word's vector of its own length is their smoothed PMI, in nats.",
                array="float32 (features, dimensions)",
                optional=True,
            ),
            FileDoc(
                "topic_words.txt",
                "Words that indicate a topic: features with a frequency below 0.001, one a line.",
                optional=True,
            ),
            FileDoc(
                "association_start.npy",
                "For each word, the first of its pairs in the next two files.",
                array="int64 (words + 1)",
                optional=True,
            ),
            FileDoc("association_feature.npy", "Lines of `topic_words.txt`, ascending within a word.", array="uint16 (pairs)", optional=True),
            FileDoc(
                "association_pmi.npy",
                "Positive mutual information within 12 tokens, in nats. Pairs that occur once are left out.",
                array="float16 (pairs)",
                optional=True,
            ),
            FileDoc(
                "word_frames.npy",
                "How often each word occurs between two kinds of tokens; the kinds are `Before` and `After` in `models/neighbour_counts.py`.",
                array="uint32 (words, 8, 5)",
                optional=True,
            ),
            FileDoc("neighbours.txt", "Case-folded types with a frequency of 1e-3 or more, marks included, one a line.", optional=True),
            FileDoc(
                "neighbour_start.npy",
                "For each neighbour, the first of its words in the next two files: first the words that it precedes, then those that it "
                "follows.",
                array="int64 (2 * neighbours + 1)",
                optional=True,
            ),
            FileDoc("neighbour_row.npy", "Lines of `words.txt`, ascending within a neighbour.", array="uint32 (pairs)", optional=True),
            FileDoc("neighbour_count.npy", "How often the two words are adjacent in a sentence.", array="uint32 (pairs)", optional=True),
            FileDoc(
                "neighbour_places.npy",
                "Tokens of each word that have a token before them, and after them, in their sentence.",
                array="uint32 (2, words)",
                optional=True,
            ),
            FileDoc(
                "neighbour_share.npy",
                "Share of all adjacent pairs of tokens whose first, and whose second, token is the neighbour.",
                array="float64 (2, neighbours)",
                optional=True,
            ),
            _GROUPS,
        ),
        {"background": "`contexts.background`", **_GROUP_FACTS},
        grouped=True,
    ),
}  # fmt: skip
