"""The five files of an SCS set, as `scs-style` releases them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cloze_gen.adapters.spacy_tagger import tagger_identity
from cloze_gen.formats.scs import format_scs
from cloze_gen.records.release_facts import PaperReference
from cloze_gen.release.style import Facts, PublishedSet
from cloze_gen.rng import derive_rng

REFERENCE = PaperReference(
    authors=("Argouarc'h, Jean",),
    title="A new Sentence Completion Set of 6000 questions for natural language models",
    year=2018,
    kind="unpublished",
    venue="EHESS, Paris & Neurospin, Saclay; version of 5 September 2018",
)


def scs_files(run: PublishedSet) -> dict[str, str]:
    return format_scs(
        run.items,
        rng_a=derive_rng(run.seed, "scs.randex_a"),
        rng_b=derive_rng(run.seed, "scs.randex_b"),
    )


def model_name(settings: Any, fingerprints: Mapping[str, str]) -> str:
    """The tagger, the only model behind the set, for the signature."""
    return tagger_identity()


def notes(settings: Any, facts: Facts) -> list[str]:
    limit = settings.draw.max_ambiguity
    screen = "off"
    if limit < 1:
        screen = (
            "machine; dropped questions in which a model of readers' marks expects that more than "
            f"{limit:.0%} of readers find a second answer. The model uses statistics of word pairs "
            "(built-in words); draw.max_ambiguity = 1 turns it off"
        )
    return [
        "judged: none (no person has judged the questions)",
        f"impostors: {settings.draw.method}; of the answer's class and inflection, no statistic of "
        "word-to-word relations used",
        f"screen: {screen}",
        f"tagger: {tagger_identity()}",
    ]
