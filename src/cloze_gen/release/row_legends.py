"""One line that explains each row of a report's tables of figures."""

from __future__ import annotations

import re
from collections.abc import Mapping

from cloze_gen.evaluation.adversary import FEATURE_NAMES

# Row of an evaluation -> its line. Rows of one name mean the same in every kind of set.
ROW_LEGENDS: Mapping[str, str] = {
    "random": "guesses; the exact expectation",
    "human": "people who answered the items of a study",
    "lsa": "takes the candidate closest to the context in a space of latent semantic analysis",
    # ---- questions
    **{name: f"a classifier that sees {features}" for name, features in FEATURE_NAMES.items()},
    "focus-model-highest": "takes the option that makes the sentence most probable to the run's model",
    "focus-model-lowest": "takes the option that makes the sentence least probable",
    "history-highest": "takes the most probable option after the words before the blank",
    "history-lowest": "takes the least probable option after the words before the blank",
    "forward-highest": "takes the option after which the next word is most probable",
    "forward-lowest": "takes the option after which the next word is least probable",
    "smoothed-3gram": "takes the most probable sentence of a trigram model of the training books",
    "smoothed-4gram": "takes the most probable sentence of a 4-gram model of the training books",
    "smoothed-3gram-lowest": "takes the least probable sentence of the trigram model",
    "smoothed-4gram-lowest": "takes the least probable sentence of the 4-gram model",
    "simple-4gram": "takes the option with the most n-grams that occur in the training books",
    "most-frequent": "takes the most frequent option",
    "least-frequent": "takes the rarest option",
    "longest": "takes the longest option or candidate",
    "shortest": "takes the shortest option or candidate",
    "odd-tag-out": "takes the option with the rarest part-of-speech tag",
    "majority-tag": "takes an option with the commonest part-of-speech tag",
    "a-an-agreement": "takes an option that fits the article before the blank",
    # ---- passages
    "random vocabulary word": "draws a word of the vocabulary",
    "random word": "draws a word of the context",
    "random word type": "draws a different word of the context, however often it occurs",
    "random capitalised word": "draws a capitalised word of the context",
    "last name": "takes the last name of the context",
    "most repeated name": "takes the name that occurs most often in the context",
    "most repeated content word": "takes the content word that occurs most often in the context",
    "cache": "takes the word that occurs most often in the context",
    "n-gram": "a 5-gram model of the training novels",
    "n-gram + cache": "the same model; words of the context become more probable",
    "feed-forward": "a network of the last words, trained on the training novels",
    "recurrent": "a recurrent network, trained on the training novels",
    # ---- blanked passages
    "pmi-1": "words that occur together in adjacent sentences, one word at a time",
    "pmi-2": "the same with single words and pairs of words",
    "overlap": "takes the candidate that shares most words with its neighbours",
    "cues": "adds up surface cues: names, pronouns, tense, quotation marks and echoes",
    "cues-learnt": "the same cues with weights learned from the training passages",
    "language-model": "takes the candidate that a cache of the passage makes more probable",
    "printed first": "takes the candidates in the order of the list",
    "nearest to the mean length": "takes the candidates of the most usual length",
    "questions": "takes candidates with a question mark",
    "speech": "takes candidates with quotation marks",
    "most names": "takes the candidates with the most names",
    "fewest names": "takes the candidates with the fewest names",
    "words": "logistic regression of the words of a candidate",
    "shape": "boosted trees of its length, marks, names and word frequencies",
    # ---- measures of sets
    "tokens": "mean number of tokens, up to the target",
    "context sentences": "mean number of sentences before the target's sentence",
    "target in context": "the context has the target itself",
    "target or lemma in context": "the context has some form of the target's lemma",
    "PN": "the target names a person, a place or the like",
    "CN": "the target is another noun",
    "V": "the target is a verb",
    "J": "the target is an adjective",
    "R": "the target is an adverb",
    "O": "the target is of another class",
    "pronoun": "the target is a pronoun",
    "direct speech": "a quotation mark comes before the target",
    "passages": "the paper's splits are in brackets: train, development, test",
    "blanks": "sentences that are blanked",
    "blanks per passage": "mean number of blanks in a passage",
    "candidates per passage": "mean number of candidates, answers and distractors",
    "candidates per blank": "candidates divided by blanks; 1 means no distractors",
    "consecutive blanks": "share of blanks next to another blank",
    "words per passage": "mean number of words, without the blanked sentences",
    "words per passage, answers in their places": "the same with the answers filled in",
    "sentences per passage": "mean number of sentences, blanked ones included",
    "vocabulary": "different words of the set",
    "words per candidate": "mean length of a candidate",
    "variance of the candidate length": "of a passage's candidates in words, averaged over passages",
}
_PATTERNS = (
    (re.compile(r"position-(.)"), r"always takes option \1"),
    (re.compile(r"printed as (\d+)"), r"takes the candidate in place \1 of the list"),
)


def row_legend(name: str) -> str:
    """The line of a row; an unknown name is the user's, an empty one a method of the paper.

    >>> row_legend("position-a"), row_legend("variance of the candidate length, %")[:15], row_legend("mine")
    ('always takes option a', "of a passage's ", 'your own model or scores')
    """
    name = name.removesuffix(", %")
    for pattern, line in _PATTERNS:
        if found := pattern.fullmatch(name):
            return found.expand(line)
    return ROW_LEGENDS.get(name, "your own model or scores" if name else "a method of the paper")
