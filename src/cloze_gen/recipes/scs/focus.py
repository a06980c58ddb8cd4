"""The focus word of a sentence: a content word that may become its blank (Argouarc'h 2018, 3.2).

The paper draws one. We try the eligible words in random order until one gets impostors.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from cloze_gen.corpus.counts import Pair
from cloze_gen.corpus.tagging import lemma_pair
from cloze_gen.english.penn_tags import FINITE, is_bare_noun
from cloze_gen.english.sentence_fitness import reports_speech
from cloze_gen.formats.printed_tokens import rendered_positions
from cloze_gen.recipes.scs.places import Place, places_of


@dataclass(frozen=True, slots=True)
class Form:
    """A form of the inflection table that may be an option.

    Attributes:
        trait, cells: of `INFLECTIONS`; options of a question agree in them.
        tag_count: tokens of the form with this tag.
        count: tokens of the word.
        freq: share of the word tokens that are this word, case-folded, with any tag.
        lemma_freq: share of the (lemma, class) pair.
    """

    word: str
    lemma: str
    word_class: str
    tag: str
    trait: str
    cells: str
    tag_count: int
    count: int
    freq: float
    lemma_freq: float

    @property
    def pair(self) -> Pair:
        return self.lemma, self.word_class


@dataclass(frozen=True, slots=True)
class Blank:
    """A word of a sentence that may be its blank.

    Attributes:
        position: index among the sentence's own tokens.
        predecessor: the printed token before it.
    """

    position: int
    predecessor: str
    answer: Form
    place: Place


def eligible_words(
    tokens: Sequence[str],
    tags: Sequence[str],
    *,
    forms: Mapping[tuple[str, str], Form],
    takes: Callable[[Pair, Place], bool],
) -> list[Blank]:
    """The words of a sentence that may be its blank, in order.

    Such a word is printed, neither first nor last, in lower case, without clitic, and once in the
    sentence. It is the form in use of its lemma, and fits its own place. Two kinds are excluded:
    count nouns without a determiner, because mass nouns would be their impostors, and finite verbs
    next to a quotation, because few verbs report speech.

    Args:
        forms: (lemma, tag) -> the form in use, if it may be an option.
        takes: whether the word and enough others fit the place.
    """
    times = Counter(token.casefold() for token in tokens)
    printed = rendered_positions(tokens)
    # Of printed tokens only: in `the " bed "`, bed has a determiner.
    printed_tokens = [tokens[i] for i in printed]
    printed_tags = [tags[i] for i in printed]
    places = places_of(tokens, tags)
    blanks = []
    for printed_position, position in enumerate(printed[1:-1], 1):
        token, tag = tokens[position], tags[position]
        lemma, _ = lemma_pair(token, tag)
        form = forms.get((lemma, tag))
        if form is None or form.word != token or times[token] > 1:
            continue
        if form.trait == "count" and is_bare_noun(printed_tokens, printed_tags, printed_position):
            continue
        if tag in FINITE and reports_speech(tokens, position):
            continue
        if takes(form.pair, places[position]):
            predecessor = printed_tokens[printed_position - 1]
            blanks.append(Blank(position, predecessor, form, places[position]))
    return blanks
