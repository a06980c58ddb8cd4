"""Surface features of a sentence, after Halliday & Hasan 1976."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from cloze_gen.english.content_words import content_words, name_places, stem
from cloze_gen.english.treebank import host
from cloze_gen.english.word_lists import QUOTATION_MARKS


class Person(StrEnum):
    I = "i"  # noqa: E741  the pronoun
    WE = "we"
    YOU = "you"
    HE = "he"
    SHE = "she"
    IT = "it"
    THEY = "they"


class Opener(StrEnum):
    CONJUNCTION = "conjunction"
    DEMONSTRATIVE = "demonstrative"
    PRONOUN = "pronoun"
    ARTICLE = "article"
    OTHER = "other"


_FORMS = {
    Person.I: "i me my mine myself",
    Person.WE: "we us our ours ourselves",
    Person.YOU: "you your yours yourself yourselves thou thee thy thine ye",
    Person.HE: "he him his himself",
    Person.SHE: "she her hers herself",
    Person.IT: "it its itself",
    Person.THEY: "they them their theirs themselves",
}
_PERSON_OF = {form: person for person, forms in _FORMS.items() for form in forms.split()}
_OPENERS = {
    Opener.CONJUNCTION: "and but or nor so yet then for however therefore thus still meanwhile "
    "nevertheless moreover besides afterwards presently suddenly indeed perhaps also hence",
    Opener.DEMONSTRATIVE: "this that these those such here there",
    Opener.ARTICLE: "the a an",
}
_OPENER_OF = {
    word: opener for opener, words in _OPENERS.items() for word in words.split()
} | dict.fromkeys(_PERSON_OF, Opener.PRONOUN)
_PAST = frozenset(
    """was were had did could would should might said went came saw took made knew thought told
    looked found gave got stood left felt heard
    began kept held sat brought seemed turned spoke ran rose fell lay led sent grew drew broke threw
    wrote met paid put became caught
    bought fought taught slept wore won lost built spent understood followed asked cried replied
    answered""".split()
)
_PRESENT = frozenset(
    """is are am has have do does can will shall may must says goes comes sees takes makes knows
    thinks tells looks finds gives gets stands
    feels hears seems turns know think see want 's 're 've 'll 'm""".split()
)
_MAX_EDS = 4


@dataclass(frozen=True, slots=True)
class SurfaceTies:
    """Surface features of one sentence.

    Attributes:
        quotation_marks: how many, apostrophes inside words excluded.
        begins_quoted, ends_quoted: the first, the last token is a quotation mark.
        names: case-folded; capitalised where no rule forces a capital.
        first_word: case-folded, without clitic; may be a name too.
        stems: of its content words, names included.
        past, present: number of verb forms.
    """

    quotation_marks: int
    begins_quoted: bool
    ends_quoted: bool
    question: bool
    persons: frozenset[Person]
    names: frozenset[str]
    first_word: str
    stems: frozenset[str]
    past: int
    present: int
    opener: Opener

    @property
    def is_half_speech(self) -> bool:
        """Whether it opens a quotation without closing it, or the reverse."""
        return self.quotation_marks % 2 == 1

    @property
    def tense(self) -> int:
        """1 past, -1 present, 0 a tie."""
        return (self.past > self.present) - (self.present > self.past)


def surface_ties(tokens: Sequence[str]) -> SurfaceTies:
    """The surface features of a sentence.

    >>> ties = surface_ties('" Where is Pip ? " she asked .'.split())
    >>> ties.quotation_marks, ties.begins_quoted, *ties.persons, sorted(ties.names), sorted(ties.stems), ties.question
    (2, True, <Person.SHE: 'she'>, ['pip'], ['ask', 'pip'], True)
    >>> surface_ties("But his lamp was lit .".split()).opener, surface_ties("He walked on .".split()).tense
    (<Opener.CONJUNCTION: 'conjunction'>, 1)
    """
    token_features = [_features_of(token) for token in tokens]
    names = frozenset(host(tokens[place]).casefold() for place in name_places(tokens))
    first = next((features.host for features in token_features if features.is_word), "")
    return SurfaceTies(
        quotation_marks=sum(features.is_quotation_mark for features in token_features),
        begins_quoted=bool(token_features) and token_features[0].is_quotation_mark,
        ends_quoted=bool(token_features) and token_features[-1].is_quotation_mark,
        question="?" in tokens,
        persons=frozenset(
            features.person for features in token_features if features.person is not None
        ),
        names=names,
        first_word=first,
        stems=frozenset(features.stem for features in token_features if features.stem),
        past=sum(features.past for features in token_features),
        present=sum(features.present for features in token_features),
        opener=_OPENER_OF.get(first, Opener.OTHER),
    )


class _TokenFeatures(NamedTuple):
    """Features of a token that do not depend on its place; a participle counts as past."""

    is_word: bool
    host: str
    person: Person | None
    stem: str
    past: bool
    present: bool
    is_quotation_mark: bool


@functools.lru_cache(maxsize=200_000)
def _features_of(token: str) -> _TokenFeatures:
    folded = token.casefold()
    word = host(folded)
    return _TokenFeatures(
        is_word=token[:1].isalnum(),
        host=word,
        person=_PERSON_OF.get(word),
        stem=next(map(stem, content_words([token])), ""),
        past=folded in _PAST or (len(folded) > _MAX_EDS and folded.endswith("ed")),
        present=word in _PRESENT,
        is_quotation_mark=token in QUOTATION_MARKS,
    )
