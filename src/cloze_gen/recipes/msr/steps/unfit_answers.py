"""Does a sentence ask for its answer, and can candidates for it be judged? (MSR 2.3, guidelines 1, 2 and 4.)

Of a sentence that is fit in itself (`english.sentence_fitness`). An item lost here costs nothing while there are enough.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Sequence
from enum import StrEnum

from cloze_gen.english.penn_tags import NOUNS, coarse_class
from cloze_gen.recipes.msr.steps.grooming import GroomingSettings, is_frequent
from cloze_gen.text.rendering import rendered_positions


class AnswerFault(StrEnum):
    """Why a fit sentence makes no question with this blank."""

    TOO_LITTLE = "sentence_tells_too_little"
    TOLD_BY_TOPIC = "answer_told_by_topic"
    CLASS_NOT_ASKED = "answer_class_not_asked"
    TAG_DOUBTFUL = "answer_tag_doubtful"
    COMPOUND = "answer_in_compound_noun"
    FRAME_UNCLEAR = "answer_in_unclear_frame"


def tells_too_little(tokens: Sequence[str], position: int, *, frequent: Container[str], settings: GroomingSettings) -> bool:
    """Whether too little is there to exclude four impostors: few printed tokens, or few rarer words beside the blank (guideline 2).

    Args:
        tokens: the sentence's own tokens; those that are not printed do not count.
        frequent: case-folded words of `frequent_freq` or more.

    >>> tokens, frequent = "He took the oars at dusk .".split(), {"he", "the", "at"}
    >>> bounds = [GroomingSettings(min_tokens=7, min_content_words=n) for n in (2, 3)]
    >>> [tells_too_little(tokens, 3, frequent=frequent, settings=settings) for settings in bounds]
    [False, True]
    """
    others = (token for i, token in enumerate(tokens) if i != position)
    content = sum(not is_frequent(token, frequent) for token in others)
    return len(rendered_positions(tokens)) < settings.min_tokens or content < settings.min_content_words


def told_by_topic(topicality: float, *, settings: GroomingSettings) -> bool:
    """Whether the sentence's rarer words give the answer away by mere association, which takes no thought (guideline 4).

    Args:
        topicality: the answer's mean association with them, in nats.
    """
    return topicality >= settings.max_answer_topicality


def answer_fault(
    tags: Sequence[str], position: int, *, classes: Collection[str], has_tag: bool, doubtful: bool, takes_frame: bool
) -> AnswerFault | None:
    """The first fault of an answer that a tagger shows: then its candidates could not be judged (guideline 1). None when there is none.

    Args:
        tags: Penn tags of the sentence's printed tokens.
        position: of the answer among them.
        classes: coarse classes asked for; empty asks for all.
        has_tag: the dictionary has the answer with its tag.
        doubtful: a tagger easily mistakes the answer for another form with this tag.
        takes_frame: the answer is seen to take the frame that its place asks for; True where none is asked for.

    >>> sound = {"classes": (), "has_tag": True, "doubtful": False, "takes_frame": True}
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
        (AnswerFault.FRAME_UNCLEAR, not takes_frame),
    )
    return next((fault for fault, holds in checks if holds), None)
