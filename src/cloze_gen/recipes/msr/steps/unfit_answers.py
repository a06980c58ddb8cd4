"""Does a sentence ask for its answer, and can candidates for it be judged? (MSR 2.3, guidelines 1 and 2.)

Of a sentence that is fit in itself (`english.sentence_fitness`). An item lost here costs nothing while there are enough.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from enum import StrEnum

from cloze_gen.english.penn_tags import NOUNS, coarse_class
from cloze_gen.recipes.msr.steps.grooming import GroomingSettings
from cloze_gen.text.rendering import rendered_positions


class AnswerFault(StrEnum):
    """Why a fit sentence makes no question with this blank."""

    TOO_LITTLE = "sentence_tells_too_little"
    CLASS_NOT_ASKED = "answer_class_not_asked"
    TAG_DOUBTFUL = "answer_tag_doubtful"
    COMPOUND = "answer_in_compound_noun"


def tells_too_little(tokens: Sequence[str], *, settings: GroomingSettings) -> bool:
    """Whether too few tokens are printed to exclude four impostors (guideline 2); longer sentences are left to `reader_models`.

    Args:
        tokens: the sentence's own tokens; those that are not printed do not count.

    >>> tokens = "He took the oars at dusk .".split()
    >>> [tells_too_little(tokens, settings=GroomingSettings(min_tokens=n)) for n in (7, 8)]
    [False, True]
    """
    return len(rendered_positions(tokens)) < settings.min_tokens


def answer_fault(tags: Sequence[str], position: int, *, classes: Collection[str], has_tag: bool, doubtful: bool) -> AnswerFault | None:
    """The first fault of an answer that a tagger shows: then its candidates could not be judged (guideline 1). None when there is none.

    Args:
        tags: Penn tags of the sentence's printed tokens.
        position: of the answer among them.
        classes: coarse classes asked for; empty asks for all.
        has_tag: the dictionary has the answer with its tag.
        doubtful: a tagger easily mistakes the answer for another form with this tag.

    >>> sound = {"classes": (), "has_tag": True, "doubtful": False}
    >>> answer_fault(["DT", "NN", "NN", "VBD"], 1, **sound)
    <AnswerFault.COMPOUND: 'answer_in_compound_noun'>
    >>> answer_fault(["DT", "NN", "VBD"], 1, **sound) is None
    True
    """
    tag, following = tags[position], tags[position + 1] if position + 1 < len(tags) else ""
    checks = (
        (AnswerFault.CLASS_NOT_ASKED, bool(classes) and coarse_class(tag) not in classes),
        (AnswerFault.TAG_DOUBTFUL, not has_tag or doubtful),
        (AnswerFault.COMPOUND, tag in NOUNS and following in NOUNS),
    )
    return next((fault for fault, holds in checks if holds), None)
