"""What the passages are like, kept beside a random sample of what was asked about (LAMBADA 3.2, 3.3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from cloze_gen.english.penn_tags import coarse_class

# A mark of direct speech, in whatever way a book or the published files write it; an apostrophe stands alone as a quotation mark only.
QUOTES = frozenset({'"', "'", "``", "''", "`"})
# Figure 2's classes: proper and common nouns, verbs, adjectives, adverbs, other; pronouns, of which the text speaks, are among the other.
CLASSES = ("PN", "CN", "V", "J", "R", "O")
_CLASS_OF = {"proper_noun": "PN", "noun": "CN", "verb": "V", "adjective": "J", "adverb": "R"}
_PRONOUNS = frozenset({"PRP", "PRP$", "WP", "WP$"})
RANDOM_INPUT = 5000  # "a random 5000-item sample from the input data, that is, the passages that were presented to human subjects"

# Measure -> the paper's figures: of the kept, of the random input. None where the paper gives none.
PAPER: Mapping[str, tuple[float | None, float | None]] = {
    "tokens": (75.4, None),
    "context sentences": (4.6, None),
    "target or lemma in context": (0.80, 0.15),  # "more than 80%", "less than 15%"
    "PN": (0.48, None),
    "CN": (0.37, None),
    "V": (0.077, None),
    "pronoun": (0.003, None),
    "direct speech": (0.71, 0.61),
}


@dataclass(frozen=True, slots=True)
class Described:
    """What is asked of one passage.

    Attributes:
        tokens: in the published rendering, up to the target.
        in_context: the target stands in the context, in any letter case.
        lemma_in_context: it or another form of its lemma does.
        tag: the target's Penn tag.
        direct_speech: a quotation mark stands before the target (`QUOTES`).
    """

    tokens: int
    context_sentences: int
    in_context: bool
    lemma_in_context: bool
    tag: str
    direct_speech: bool


def describe(
    context: Sequence[str], sentence: Sequence[str], target: str, *, tokens: int, context_sentences: int, tag: str,
    lemma_of: Callable[[str], str],
) -> Described:  # fmt: skip
    """Describe one passage.

    Args:
        context, sentence: own tokens of the context, and of the target sentence before the target.
        lemma_of: the lemma of a word, in small letters.

    >>> facts = describe(["Two", "ladies", "."], ['"', "Who", "is", "the"], "lady", tokens=8, context_sentences=1, tag="NN",
    ...                  lemma_of={"lady": "lady", "ladies": "lady"}.get)
    >>> facts.in_context, facts.lemma_in_context, facts.direct_speech
    (False, True, True)
    """
    folded = {token.casefold() for token in context}
    same, lemma = target.casefold() in folded, lemma_of(target.casefold())
    by_lemma = same or any(lemma_of(token) == lemma for token in folded if token[:1].isalpha())
    return Described(tokens, context_sentences, same, by_lemma, tag, not QUOTES.isdisjoint((*context, *sentence)))


def summarize(described: Iterable[Described]) -> dict[str, float]:
    """The measures of `PAPER` and the rest of Figure 2, means or shares of 1; NaN for no passages.

    >>> summarize([Described(70, 4, True, True, "NNP", False), Described(80, 5, False, True, "PRP", True)])["PN"]
    0.5
    """
    listed = list(described)
    if not listed:
        return dict.fromkeys((*PAPER, "target in context", *CLASSES), float("nan"))
    classes = Counter(target_class(one.tag) for one in listed)
    return {
        "tokens": fmean(one.tokens for one in listed),
        "context sentences": fmean(one.context_sentences for one in listed),
        "target in context": fmean(one.in_context for one in listed),
        "target or lemma in context": fmean(one.lemma_in_context for one in listed),
        **{name: classes[name] / len(listed) for name in CLASSES},
        "pronoun": fmean(one.tag in _PRONOUNS for one in listed),
        "direct speech": fmean(one.direct_speech for one in listed),
    }


def target_class(tag: str) -> str:
    """The class of Figure 2 of a Penn tag.

    >>> [target_class(tag) for tag in ("NNPS", "NN", "VBD", "PRP")]
    ['PN', 'CN', 'V', 'O']
    """
    return _CLASS_OF.get(coarse_class(tag), "O")
