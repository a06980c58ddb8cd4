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


_WORD_DATA = {
    Background.AUTO: "the training books for frequent words, otherwise from the built-in word data",
    Background.BUILTIN: "the built-in word data",
    Background.CORPUS: "the training books",
}
_ARTICLES_ONLY = (
    "Only the agreement of a and an was checked, so options may be ambiguous, ungrammatical or "
    "offensive."
)


def judged(facts: Facts) -> str:
    return str(facts["grooming"].get("people", "machine"))


def notes(settings: Any, facts: Facts) -> list[str]:
    grooming = settings.grooming
    judges = facts["grooming"].get("people")
    if grooming.checks == "articles" and not judges:
        return [f"unfiltered: steps of MSR 2.2, without the judges of 2.3. {_ARTICLES_ONLY}"]
    choice = facts.get("choice", {})
    lines = [f"groomed: {judges or 'machine (no human has judged the candidates)'}"]
    if "read_by" in choice:
        lines.append(
            f"read: {choice['read']:,} questions, by {choice['read_by']}; the set is chosen from "
            f"{choice['left']:,} that they did not mark"
        )
    lines.append(f"word similarities: from {_WORD_DATA[background_of(settings.contexts)]}")
    if grooming.tagger == "none":
        lines.append("tagger: off; the part of speech of impostors was not checked")
        if grooming.classes:
            lines.append("grooming.classes: ignored, because the tagger is off")
    elif judges:
        lines.append(f"tagger: {grooming.tagger}; it did not check the options that people picked")
    else:
        lines.append(
            f"tagger: {grooming.tagger}; every impostor has the answer's Penn tag in its sentence"
        )
    if choice.get("leak"):
        lines.append(
            "choice: matched; a classifier trained on the options' scores found the answer in "
            f"{choice['leak']['check']:.1%} of the held-out questions. Independent classifiers: "
            "`cloze-gen evaluate`"
        )
    return lines


def held_out_notes(facts: Facts) -> list[str]:
    models, books = facts["lm"]["models"], facts["lm"]["books"]
    each = "book" if models == books else "group of books"
    lines = [
        f"Each question comes from a language model of the other books: {books} books, "
        f"{models} models, each trained without one {each}."
    ]
    if books == 2:
        lines.append(
            "With two books, each model is trained on one and does not know many words. Use "
            "three or more."
        )
    return lines


def warnings(settings: Mapping[str, Any]) -> list[str]:
    grooming = settings["grooming"]
    if grooming["checks"] == "articles" and not grooming.get("verdicts"):
        return [_ARTICLES_ONLY]
    if grooming["tagger"] == "none":
        return ["The tagger was off, so the part of speech of impostors was not checked."]
    return []
