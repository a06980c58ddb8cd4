"""What the passages are like, kept beside a random sample of what was asked about (LAMBADA 3.2, 3.3).

The paper's sample is of "the passages that were presented to human subjects", drawn at random from what no model had guessed. Ours is drawn
so too, whatever order people are asked in: from the survivors of the committee, not from the head of the ranking, which is no random part.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from cloze_gen.english.penn_tags import coarse_class
from cloze_gen.english.treebank import clitics_cut
from cloze_gen.rng import stable_fraction

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
        sentences_back: how many sentences before its own the target stands last, in any letter case, from 0; None where it stands in none.
        in_context: it stands in the context, its own sentence not counted.
        lemma_in_context: it or another form of its lemma does.
        tag: the target's Penn tag.
        direct_speech: a quotation mark stands before the target (`QUOTES`).
    """

    tokens: int
    context_sentences: int
    sentences_back: int | None
    in_context: bool
    lemma_in_context: bool
    tag: str
    direct_speech: bool


def describe(
    context: Sequence[Sequence[str]], sentence: Sequence[str], target: str, *, tokens: int, tag: str, forms: Collection[str]
) -> Described:
    """Describe one passage.

    Args:
        context: own tokens of each sentence of the context.
        sentence: own tokens of the target sentence before the target.
        forms: the forms of the target's lemma, in small letters.

    >>> facts = describe([["Two", "ladies'", "hats", "."]], ['"', "Who", "is", "the"], "lady", tokens=8, tag="NN", forms={"lady", "ladies"})
    >>> facts.in_context, facts.lemma_in_context, facts.direct_speech
    (False, True, True)
    """
    folded = [{part.casefold() for token in one for part in clitics_cut(token)} for one in (*context, sentence)]
    back = next((number for number, words in enumerate(reversed(folded)) if target.casefold() in words), None)
    words = frozenset().union(*folded[:-1])
    same = target.casefold() in words
    speech = any(not QUOTES.isdisjoint(one) for one in (*context, sentence))
    return Described(tokens, len(context), back, same, same or not words.isdisjoint(forms), tag, speech)


def draw_input(survivors: Iterable[str], *, seed: int, count: int = RANDOM_INPUT) -> frozenset[str]:
    """Ids of the random sample of what people could be asked about; each draw hangs on its own id.

    >>> len(draw_input(["a", "b", "c"], seed=1, count=2))
    2
    """
    return frozenset(heapq.nsmallest(count, survivors, key=lambda one: (stable_fraction(f"lambada.analysis\x1f{seed}", one), one)))


def summarize(described: Iterable[Described]) -> dict[str, float]:
    """The measures of `PAPER` and the rest of Figure 2, means or shares of 1; nothing for no passages.

    >>> summarize([Described(70, 4, 2, True, True, "NNP", False), Described(80, 5, None, False, True, "PRP", True)])["PN"]
    0.5
    """
    listed = list(described)
    if not listed:
        return {}
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
