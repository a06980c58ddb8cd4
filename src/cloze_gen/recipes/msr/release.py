"""The files of the MSR challenge, as `holmes-style` releases them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cloze_gen.formats.msr import format_human, format_lm, format_machine
from cloze_gen.models.contexts import Background, background_of
from cloze_gen.records.release_facts import PaperReference
from cloze_gen.release.style import Facts, PublishedSet

REFERENCE = PaperReference(
    authors=("Zweig, Geoffrey", "Burges, Christopher J. C."),
    title="The Microsoft Research Sentence Completion Challenge",
    year=2011,
    kind="techreport",
    venue="Microsoft Research",
    number="MSR-TR-2011-129",
)


def msr_files(run: PublishedSet) -> dict[str, str]:
    formats = {"machine": format_machine, "human": format_human, "lm": format_lm}
    return {
        f"{run.name}.{label}_format.{part}.txt": text
        for label, formatted in formats.items()
        for part, text in zip(("questions", "answers"), formatted(run.items), strict=True)
    }


# ---- notes and warnings on a Holmes-style set, from its settings and facts


def model_name(settings: Any, fingerprints: Mapping[str, str]) -> str:
    return f"kn{settings.lm.order}-{fingerprints['lm'][:8]}"


KNOWN_OF_WORDS = {
    Background.AUTO: "word similarities: from the training books for frequent words, otherwise from "
    "the built-in word data",
    Background.BUILTIN: "word similarities: from the built-in word data",
    Background.CORPUS: "word similarities: from the training books",
}


def notes(settings: Any, facts: Facts) -> list[str]:
    return _grooming_notes(settings, facts)


def _grooming_notes(settings: Any, facts: Facts) -> list[str]:
    by_people = bool(people(facts))
    if settings.grooming.checks == "articles" and not by_people:
        ungroomed = (
            "only the agreement of a and an was checked, so options may be ambiguous, "
            "ungrammatical or offensive"
        )
        return [f"unfiltered: steps of MSR 2.2 only; instead of the judges of 2.3, {ungroomed}"]
    read = [read_note(facts)] if "read_by" in facts.get("choice", {}) else []
    groomed, tagger = f"groomed: {groomed_by_whom(facts)}", settings.grooming.tagger
    groomed_by = [groomed, *read, KNOWN_OF_WORDS[background_of(settings.contexts)]]
    chosen_facts = facts.get("choice", {})
    chosen = [_check_line(chosen_facts["leak"]["check"])] if chosen_facts.get("leak") else []
    if tagger == "none":
        ignored = (
            ["grooming.classes: ignored, because the tagger is off"]
            if settings.grooming.classes
            else []
        )
        return [
            *groomed_by,
            "tagger: off; the part of speech of impostors was not checked",
            *ignored,
            *chosen,
        ]
    tested = (
        "the part of speech of options that people picked was not checked"
        if by_people
        else "every impostor has the answer's Penn tag in its sentence"
    )
    return [*groomed_by, f"tagger: {tagger}; {tested}", *chosen]


def people(facts: Facts) -> Mapping[str, str]:
    judges = facts.get("grooming", {}).get("people")
    return {"groomed": judges} if judges else {}


def groomed_by_whom(facts: Facts) -> str:
    return people(facts).get("groomed", "machine (no human has judged the candidates)")


def read_note(facts: Facts) -> str:
    """Who read the questions before the choice, and how many were left."""
    choice = facts["choice"]
    return (
        f"read: {choice['read']:,} questions, by {choice['read_by']}; the set is chosen from "
        f"{choice['left']:,} that they did not mark"
    )


def held_out_notes(facts: Facts) -> list[str]:
    models, books = facts["lm"]["models"], facts["lm"]["books"]
    each = "book" if models == books else "group of books"
    made = (
        f"Each question comes from a language model of the other books: {books} books, "
        f"{models} models, each trained without one {each}."
    )
    return (
        [
            made,
            (
                "With two books, each model is trained on one and does not know many words. Use "
                "three or more."
            ),
        ]
        if books == 2
        else [made]
    )


def _check_line(accuracy: float) -> str:
    return (
        "choice: matched; a classifier trained on the options' scores found the answer in "
        f"{accuracy:.1%} of the held-out questions. Independent classifiers: `cloze-gen evaluate`"
    )


def warnings(settings: Mapping[str, Any]) -> list[str]:
    if settings["grooming"]["checks"] == "articles" and not settings["grooming"].get("verdicts"):
        return [
            (
                "Only the agreement of a and an was checked: options may be ambiguous, "
                "ungrammatical or offensive."
            )
        ]
    off = settings["grooming"]["tagger"] == "none"
    return (
        ["The tagger was off, so the part of speech of impostors was not checked."] if off else []
    )


def is_balanced(settings: Mapping[str, Any]) -> bool:
    return bool(settings["choice"]["method"] != "random")
