"""The focus word of a sentence: a random content word within frequency limits (Argouarc'h 2018, 3.2).

The paper's limits, "a frequency between 10^-3 and 2.10^-7 in the MR corpus", are read as inclusive and as the frequency of the (lemma,
class) pair in the training corpus. A form that the inflection table does not use is no focus either: the answer obeys the impostors' rules.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from pydantic import Field

from cloze_gen.english.noun_phrases import is_bare_noun
from cloze_gen.english.penn_tags import FINITE
from cloze_gen.english.places import Place, places_of
from cloze_gen.english.quotations import reports_speech
from cloze_gen.records.rejection import Rejection
from cloze_gen.rng import derive_rng
from cloze_gen.settings import SettingsGroup
from cloze_gen.stats.lemma_counts import Pair
from cloze_gen.text.rendering import rendered_positions


class LimitReason(StrEnum):
    """Why a pair of the vocabulary is no option anywhere; the paper's limits take "the 100 most frequent and the 5 less frequent words"."""

    ABOVE = "pair_above_max_freq"
    BELOW = "pair_below_min_freq"


class FocusSettings(SettingsGroup):
    """Settings of the focus words; the same limits hold for impostors."""

    min_freq: float = Field(2e-7, ge=0, le=1, description="inclusive: share of training word tokens, of the (lemma, class) pair; 3.2")
    max_freq: float = Field(1e-3, gt=0, le=1, description="inclusive; 3.2")
    turns: int = Field(8, ge=1, le=1000, description="words of a sentence tried in turn until one has impostors; the paper draws one")

    def allow(self, freq: float) -> bool:
        """Whether a word of this frequency may be an option.

        >>> [FocusSettings().allow(freq) for freq in (1e-7, 2e-7, 1e-3, 2e-3)]
        [False, True, True, False]
        """
        return self.fault(freq) is None

    def fault(self, freq: float) -> LimitReason | None:
        """What speaks against a word of this frequency."""
        if freq > self.max_freq:
            return LimitReason.ABOVE
        return LimitReason.BELOW if freq < self.min_freq else None


class FocusReason(StrEnum):
    """Why a kept sentence has no focus word."""

    NONE_ELIGIBLE = "no_content_word_within_limits"


@dataclass(frozen=True, slots=True)
class FocusPick:
    """A drawn word of a sentence.

    Attributes:
        id: ``book:sentence:position``; the position counts the sentence's own tokens.
        eligible: how many words of the sentence could have been chosen.
    """

    id: str
    position: int
    word: str
    lemma: str
    word_class: str
    tag: str
    freq: float
    eligible: int
    place: Place


def choose_focus(
    sentence_id: str,
    tokens: Sequence[str],
    *,
    tags: Sequence[str],
    pairs: Sequence[tuple[str, str]],
    vocabulary: Mapping[tuple[str, str], float],
    forms: Mapping[tuple[str, str], str],
    traits: Mapping[tuple[str, str], str],
    takes: Callable[[Pair, Place], bool],
    settings: FocusSettings,
    seed: int,
) -> list[FocusPick] | Rejection:
    """Draw the eligible words in turn, each as likely as the others: the first is asked, the next only where it has no impostors.

    Eligible: printed, not the first printed word, in lower case, without a clitic, once in the sentence, its pair in the vocabulary and
    within the limits, spelt as the table spells its lemma under its tag, and a word that takes its place, as its impostors will
    (`steps.places`): a place that is strange to its own word is misread by the tags, or one that few words take. A singular noun
    without a determiner (*went to bed*) takes mass nouns only, so it must be one itself. A verb
    beside a quotation reports speech: few can, and the marks that say so are not printed.

    Args:
        vocabulary: (lemma, class) -> frequency.
        forms: (lemma, tag) -> the form that serves.
        traits: (lemma, tag) -> the table's trait, `mass` or `count` for a noun.
        takes: (pair, place) -> whether the word takes the place, and enough others do.
    """
    times = Counter(token.casefold() for token in tokens)
    printed = rendered_positions(tokens)
    seen, seen_tags = [tokens[i] for i in printed], [tags[i] for i in printed]  # as a reader sees them: `the " bed "` has a determiner
    places = places_of(tokens, tags)
    eligible = [
        (position, asked)
        for place, position in enumerate(printed)
        if 0 < place < len(printed) - 1
        and settings.allow(vocabulary.get(pairs[position], -1.0))
        and forms.get((pairs[position][0], tags[position])) == tokens[position]
        and times[tokens[position]] == 1
        and not (traits[pairs[position][0], tags[position]] == "count" and is_bare_noun(seen, seen_tags, place))
        and not (tags[position] in FINITE and reports_speech(tokens, position))
        and (asked := places[position]) is not None
        and takes(pairs[position], asked)
    ]
    if not eligible:
        return Rejection(sentence_id, FocusReason.NONE_ELIGIBLE)
    order = derive_rng(seed, "scs.focus", sentence_id).permutation(len(eligible))[: settings.turns].tolist()
    return [
        FocusPick(
            id=f"{sentence_id}:{position}",
            position=position,
            word=tokens[position],
            lemma=pairs[position][0],
            word_class=pairs[position][1],
            tag=tags[position],
            freq=vocabulary[pairs[position]],
            eligible=len(eligible),
            place=asked,
        )
        for position, asked in (eligible[i] for i in order)
    ]
