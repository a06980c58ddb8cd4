"""The five files of an SCS set, as `scs-style` releases them."""

from __future__ import annotations

from cloze_gen.formats.scs import format_scs
from cloze_gen.records.release_facts import PaperReference
from cloze_gen.release.style import PublishedSet
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
