"""The baselines of a blanked passage: what each is made from, where it is described, and the names under which they can be asked for.

A registry and nothing else: `stages.evaluation.blank_models` opens a scorer by its name, `evaluate.blanks.results` measures it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cloze_gen.evaluate.people import HUMAN
from cloze_gen.evaluate.selection import LOCAL_MODEL, USER, check_known

TEXT, NGRAMS, LSA = "text", "ngrams", "lsa"  # models of the training books
PASSAGES = "passages"  # passages for training, their answers in their places
RULES, CLASSIFIERS = (
    "rules",
    "classifiers",
)  # what the candidates tell without the passage: asked for by these names, in tables of their own


@dataclass(frozen=True, slots=True)
class BlankBaseline:
    """One way to answer, which is a row of the main table.

    Attributes:
        kind: ``random``, ``surface`` (words, marks and names that two places share; nothing is learnt of what follows what), ``model``
            (learnt from books or from other passages) or ``user``.
        source: where it is described; empty where no paper has it.
        models: what it is made from, by name; none for what a passage tells by itself.
    """

    name: str
    kind: str
    source: str = ""
    models: tuple[str, ...] = ()

    @property
    def folder(self) -> str:
        """Where a model of the user's own is; empty for all others."""
        return self.name.removeprefix(LOCAL_MODEL) if self.name.startswith(LOCAL_MODEL) else ""


RANDOM = BlankBaseline("random", "random", "exact expectation")
# In the order of the tables.
BLANK_BASELINES = (
    RANDOM,
    BlankBaseline("pmi-1", "model", "SCDE 4.2", (PASSAGES,)),
    BlankBaseline("pmi-2", "model", "SCDE 4.2", (PASSAGES,)),
    BlankBaseline("overlap", "surface"),
    BlankBaseline("tf-idf", "surface", "", (TEXT,)),
    BlankBaseline("cohesion", "surface"),
    BlankBaseline("cues", "surface", "", (TEXT,)),
    BlankBaseline("cues-learnt", "model", "", (TEXT, PASSAGES)),
    BlankBaseline("lsa", "model", "Foltz, Kintsch & Landauer 1998", (LSA,)),
    BlankBaseline("language-model", "model", "SCDE 4.3", (TEXT, NGRAMS)),
)


def pick(only: Sequence[str]) -> list[BlankBaseline]:
    """The baselines of these names and kinds, in the order of the table; without any, all.

    Args:
        only: names, kinds or ``hf:FOLDER``.
    Raises:
        UsageError: there is no such baseline; lists those there are.

    >>> [row.name for row in pick(["surface", "random"])]
    ['random', 'overlap', 'tf-idf', 'cohesion', 'cues']
    """
    own = [
        BlankBaseline(name, "model", "a model of the user's")
        for name in dict.fromkeys(only)
        if name.startswith(LOCAL_MODEL) and name != LOCAL_MODEL
    ]
    named = [name for name in only if name not in {row.name for row in own}]
    kinds = [*dict.fromkeys(row.kind for row in BLANK_BASELINES), USER, HUMAN]
    names = [row.name for row in BLANK_BASELINES]
    choices = (
        f"{', '.join(names)}; the kinds {', '.join(kinds)}; {RULES} and {CLASSIFIERS} of the candidates alone; "
        f"{LOCAL_MODEL}FOLDER (a causal or next-sentence model)"
    )
    check_known(named, {*names, *kinds, RULES, CLASSIFIERS}, noun="blanked passages", choices=choices)
    return [row for row in BLANK_BASELINES if not only or row.name in named or row.kind in named] + own


def asks_for(only: Sequence[str], name: str) -> bool:
    """Whether `RULES` or `CLASSIFIERS` are asked for; both are where nothing is."""
    return not only or name in only
