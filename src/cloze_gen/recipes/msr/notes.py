"""What a user of a Holmes-style set must know: the notes and warnings of its settings, and who groomed it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cloze_gen.stages.models.contexts import Background, background_of
from cloze_gen.stages.style import Facts


def model_name(settings: Any, fingerprints: Mapping[str, str]) -> str:
    """The generating model, for the signature."""
    return f"kn{settings.lm.order}-{fingerprints['lm'][:8]}"


KNOWN_OF_WORDS = {
    Background.AUTO: "what words are like: told by the training books where they have a word often, else by the built-in words",
    Background.BUILTIN: "what words are like: told by the built-in words",
    Background.CORPUS: "what words are like: told by the training books",
}


def notes(settings: Any, facts: Facts) -> list[str]:
    """What a user of the set must know of the settings."""
    by_people = bool(people(facts))
    if settings.grooming.judged == "articles" and not by_people:
        ungroomed = "nothing stands in but the agreement of a and an, so options may be ambiguous, ungrammatical or offensive"
        return [f"as published: the steps of MSR 2.2; for the judges of 2.3 {ungroomed}"]
    groomed, tagger = f"groomed: {groomed_by_whom(facts)}", settings.grooming.tagger
    groomed_by = [groomed, KNOWN_OF_WORDS[background_of(settings.contexts)]]
    left = facts.get("choice", {})
    chosen = [_told_of_check(left["rounds"][left["round_kept"]]["told"])] if left.get("round_kept") is not None else []
    if tagger == "none":
        unasked = ["focus.classes: not asked for, since the tagger is off"] if settings.focus.classes else []
        return [*groomed_by, "tagger: off, so impostors were not tested for their part of speech", *unasked, *chosen]
    tested = (
        "what people picked was not tested for its part of speech"
        if by_people
        else "every impostor takes the answer's Penn tag in its sentence"
    )
    return [*groomed_by, f"tagger: {tagger}; {tested}", *chosen]


def people(facts: Facts) -> Mapping[str, str]:
    """What people did, for signature and card."""
    told = facts.get("grooming", {}).get("people")
    return {"groomed": told} if told else {}


def groomed_by_whom(facts: Facts) -> str:
    """Who stood for the judges of MSR 2.3."""
    return people(facts).get("groomed", "machine (no human has judged the candidates)")


def held_out_notes(facts: Facts) -> list[str]:
    """What is known of each question's own book where the source books are their own background."""
    models, books = facts["lm"]["models"], facts["lm"]["books"]
    each = "book" if models == books else "group of books"
    made = f"Each question was made by a language model of the other books: {books} books, {models} models, each without one {each}."
    return (
        [made, "Of two books each model knows one: it has little to say of many words. Three or more are better."] if books == 2 else [made]
    )


def _told_of_check(told: float) -> str:
    return (f"choice: matched; a classifier trained on the options' scores found the answer in {told:.1%} of the questions that it had not "
            "seen, by the check that chose the set (`cloze-gen evaluate` asks others)")  # fmt: skip


def warnings(settings: Mapping[str, Any]) -> list[str]:
    """What the report says on top."""
    if settings["grooming"]["judged"] == "articles" and not settings["grooming"].get("verdicts"):
        return ["Nothing was groomed but a and an: options may be ambiguous, ungrammatical or offensive."]
    off = settings["grooming"]["tagger"] == "none"
    return ["The tagger was off, so impostors were not tested for their part of speech."] if off else []


def is_balanced(settings: Mapping[str, Any]) -> bool:
    """Whether the choice levels simple scores, so that a rule on one of them is tested and not only told."""
    return bool(settings["choice"]["method"] != "random")
