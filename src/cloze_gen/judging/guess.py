"""Guessing: the judge writes the word that is missing at the end of a passage, or of its last sentence alone (LAMBADA 3.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cloze_gen.errors import FormatError
from cloze_gen.judging.said import MOST_GUESS_CHARS, line, only
from cloze_gen.notation import shown

NO_IDEA = "-"


def seen(item: Mapping[str, Any], condition: str) -> dict[str, Any]:
    """What the judge sees: the text of the condition, and how many guesses it allows.

    >>> seen({"passage": "Rain fell. A _____.", "sentence": "A _____.", "guesses": {"passage": 1, "sentence": 3}}, "sentence")
    {'text': 'A _____.', 'guesses': 3}
    """
    more = {name: item[name] for name in ("instruction",) if name in item}
    return {"text": item[condition], "guesses": item["guesses"][condition], **more}


def taken(said: Any, item: Mapping[str, Any], condition: str) -> dict[str, Any]:
    """The guesses; none is *no idea*.

    Raises:
        FormatError: they are no texts, too long or too many, or one is of several words: no target is, so it could only be wrong.

    >>> taken({"guesses": [" lamp", ""]}, {"guesses": {"sentence": 3}}, "sentence")
    {'guesses': ['lamp']}
    """
    guesses, most = only(said, "guesses").get("guesses"), item["guesses"][condition]
    if not isinstance(guesses, Sequence) or isinstance(guesses, str | bytes) or len(guesses) > most:
        raise FormatError(f"guesses: expected a list of at most {most} texts")
    texts = [line(guess, "guess", most=MOST_GUESS_CHARS) for guess in guesses]
    for text in texts:
        if " " in text:
            raise FormatError(f"guess: expected one word, found {shown(text)}")
    return {"guesses": [text for text in texts if text not in {"", NO_IDEA}]}
