"""The ledger of a study: what people were asked and what they answered, in a file that only grows."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from cloze_gen.errors import UsageError
from cloze_gen.formats.lambada.packets import TORN, ledger_jsonl, parse_ledger, torn_end
from cloze_gen.notation import reason, shown
from cloze_gen.recipes.lambada.stages.decisions import SIGNALS, read_ranking
from cloze_gen.recipes.lambada.steps.assignment import replay
from cloze_gen.recipes.lambada.steps.guessing import Case, GuessingSettings
from cloze_gen.records.guess_page import Event, Origin, Page
from cloze_gen.store.artifacts import Artifact
from cloze_gen.store.files import read_regular_text
from cloze_gen.store.journal import append_lines
from cloze_gen.store.tables import read_parquet


@dataclass(frozen=True, slots=True)
class Ledger:
    """A ledger as it was read.

    Attributes:
        name: where it was read from, for messages.
        events: what happened, in its order.
        torn: what a killed command had begun to write, which counts for nothing.
    """

    name: str
    events: tuple[Event, ...] = ()
    torn: str = ""

    @property
    def digest(self) -> str:
        """The events as 32 hexadecimal digits: a ledger moved elsewhere is the same."""
        return hashlib.blake2b(ledger_jsonl(self.events).encode(), digest_size=16).hexdigest()

    @property
    def pages(self) -> list[Page]:
        """The pages handed out, in their order."""
        return [event for event in self.events if isinstance(event, Page)]

    @property
    def origin(self) -> str:
        """Fingerprint of the ranking that pages were dealt from last; empty where none were."""
        return next((event.ranking for event in reversed(self.events) if isinstance(event, Origin)), "")


def read_ledger(path: str | Path) -> Ledger:
    """The ledger in a file.

    Raises:
        UsageError: it cannot be read.
        FormatError: a line is no event; names file and line.
    """
    try:
        text = read_regular_text(path)
    except (OSError, ValueError) as error:
        place = shown(str(path), most_chars=300)
        raise UsageError(
            f"{place}: cannot be read as a ledger of guesses ({reason(error)}). `cloze-gen judge export` begins one."
        ) from None
    return Ledger(str(path), tuple(parse_ledger(text, name=str(path))), torn_end(text))


def append_events(path: Path, events: Sequence[Event]) -> None:
    """Put down what happened; on the disk when this returns. Whoever writes in a ledger holds its lock."""
    append_lines(path, ledger_jsonl(events), torn=TORN)


def read_cases(ranking: Artifact) -> dict[str, Case]:
    """The passages of the head, in its order, before anybody was asked."""
    head = read_ranking(ranking)
    table = read_parquet(ranking.path(SIGNALS), columns=["id", "target", "book_id", "start", "end"])
    cases = {row[0]: Case(*row) for row in zip(*table.to_pydict().values(), strict=True)}
    return {one: cases[one] for one in head}


def replayed(cases: Mapping[str, Case], ledger: Ledger, settings: GuessingSettings) -> tuple[dict[str, Case], dict[str, Page]]:
    """The cases after all that happened, and the pages handed out by id.

    Raises:
        UsageError: the ledger belongs to another run, or to other settings.
    """
    asked = dict.fromkeys(passage for page in ledger.pages for passage in page.passage_ids)
    foreign = [passage for passage in asked if passage not in cases]
    if foreign:
        raise UsageError(
            f"{ledger.name}: {len(foreign):,} of the {len(asked):,} passages that people were asked about are not in the head of this "
            f"run's ranking, the first {shown(foreign[0])}. It belongs to another run, or the ranking has changed since: give the run "
            "another name, or its old books and settings."
        )
    try:
        return replay(cases, ledger.events, settings)
    except ValueError as error:
        raise UsageError(
            f"{ledger.name}: does not fit the settings ({error}). How many are asked and in which steps (guessing.*) stays as it was when "
            "the pages were dealt; set it back."
        ) from None
