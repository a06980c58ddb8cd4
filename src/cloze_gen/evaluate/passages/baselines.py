"""The baselines of a passage, with the names and kinds under which they can be asked for (LAMBADA 4, Table 1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cloze_gen.english.names import RULES_OF_CASE
from cloze_gen.evaluate.passages.rules import RULES
from cloze_gen.evaluate.selection import LOCAL_MODEL, USER, check_known

TEXT, NGRAMS = "text", "ngrams"  # what a baseline is made from besides its network
CBOW, SUPERVISED_CBOW = "cbow", "supervised_cbow"
NETWORK_KINDS: Mapping[str, str] = {
    "feed-forward": "feedforward",
    "recurrent": "recurrent",
    "unsupervised CBOW": CBOW,
    "supervised CBOW": SUPERVISED_CBOW,
    "memory network": "memory",
}
NETWORKS = "networks"  # all of them, as one asks for a kind


@dataclass(frozen=True, slots=True)
class PassageBaseline:
    """One way to tell the target, which is one row of the table, or one for each rendering of a causal model.

    Attributes:
        kind: ``random``, ``rule``, ``model`` or ``user``.
        source: where it is described.
        models: what has to be made for it, by name; none for what the passage tells by itself.
        of_case: it looks for capitals.
    """

    name: str
    kind: str
    source: str
    models: tuple[str, ...] = ()
    of_case: bool = False

    @property
    def is_network(self) -> bool:
        """It is trained, which takes its time: only where it is asked for."""
        return self.name in NETWORK_KINDS

    @property
    def is_causal(self) -> bool:
        """It is a causal model of the user's, in `folder`."""
        return _is_causal(self.name)

    @property
    def folder(self) -> str:
        """Where a causal model is."""
        return self.name.removeprefix(LOCAL_MODEL)


PASSAGE_BASELINES = (
    PassageBaseline("random vocabulary word", "random", "LAMBADA 4", (TEXT,)),
    PassageBaseline("random word", "random", "LAMBADA 4"),
    PassageBaseline("random word type", "random", "LAMBADA 4"),
    PassageBaseline("random capitalised word", "random", "LAMBADA 4", of_case=True),
    *(PassageBaseline(rule, "rule", "", of_case=rule in RULES_OF_CASE) for rule in RULES),
    PassageBaseline("n-gram", "model", "LAMBADA 4", (TEXT, NGRAMS)),
    PassageBaseline("n-gram + cache", "model", "LAMBADA 4", (TEXT, NGRAMS)),
    *(PassageBaseline(name, "model", "LAMBADA 4", (TEXT, kind)) for name, kind in NETWORK_KINDS.items()),
)


def pick(only: Sequence[str]) -> list[PassageBaseline]:
    """The baselines of these names and kinds, in the order of the table; without any, all that trains no network.

    Args:
        only: names, kinds, `networks`, or ``hf:FOLDER``.
    Raises:
        UsageError: there is no such baseline; lists those there are.
    """
    causal = [PassageBaseline(name, "model", "a causal model") for name in dict.fromkeys(only) if _is_causal(name)]
    words = [name for name in only if not _is_causal(name)]
    known = {name for row in PASSAGE_BASELINES for name in _names(row)} | {USER}
    kinds = [*dict.fromkeys(row.kind for row in PASSAGE_BASELINES), USER]
    names = [row.name for row in PASSAGE_BASELINES]
    choices = f"{', '.join(names)}; the kinds {', '.join(kinds)}; {NETWORKS} (those that are trained); {LOCAL_MODEL}FOLDER (a causal model)"
    check_known(words, known, noun="passages", choices=choices)
    if not only:
        return [row for row in PASSAGE_BASELINES if not row.is_network]
    return [row for row in PASSAGE_BASELINES if not _names(row).isdisjoint(words)] + causal


def _is_causal(name: str) -> bool:
    return name.startswith(LOCAL_MODEL) and len(name) > len(LOCAL_MODEL)


def _names(row: PassageBaseline) -> set[str]:
    """What it can be asked for by."""
    return {row.name, row.kind} | ({NETWORKS} if row.is_network else set())
