"""Seconds and bytes of a stage for each byte of books, from earlier runs in an output folder.

The file of rates is beside the logs, because it contains times; no artifact depends on it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from cloze_gen.engine.progress import LOGS
from cloze_gen.parsing import ParseError, parse_json
from cloze_gen.pipelines.corpus import Ingest
from cloze_gen.pipelines.task import StageTask
from cloze_gen.store.artifacts import Store
from cloze_gen.store.manifest import write_json

RATES = "rates.json"
LEAST_BYTES = 10_000_000  # the time of fewer books is mostly that of starting
Rate = tuple[float, float]  # seconds and bytes written for each byte of all books
# Two workers: bytes of the books, then for each stage the seconds that it adds to the run and the
# megabytes that it writes. A copy of what a run notes in `RATES` (docs/benchmarks.md).
_BENCHMARK = {
    "holmes-style": (233.4e6, {
        "alternates": (6.0, 41), "choice": (15.2, 11), "contexts": (14.4, 55), "corpus source": (0.2, 0), "corpus train": (0.2, 0),
        "counts": (4.2, 9), "focus": (3.0, 3), "forward": (6.1, 82), "grooming": (13.5, 14), "index": (10.3, 359),
        "ingest source": (0.2, 0), "ingest train": (24.1, 0), "lm": (17.3, 663), "screening": (0.7, 0), "text": (4.9, 420),
    }),
    "scs-style": (244.7e6, {
        "ingest train": (24, 0), "corpus source": (0.3, 0), "corpus train": (0.4, 0), "counts": (3.5, 9), "focus": (13.8, 5), "impostors": (32.4, 2),
        "inflections": (3.0, 2), "ingest source": (2.4, 0), "places": (24.4, 2), "questions": (2.5, 9), "screen": (3.3, 0),
        "sentences": (6.3, 5), "tagged counts": (12.1, 12), "tagging source": (5.7, 0), "tagging train": (118.8, 0),
        "vocabulary": (2.0, 0),
    }),
    "lambada-style": (293.5e6, {
        "ingest books": (30, 0), "analysis": (7.4, 1), "committee": (0.4, 16), "contexts": (11.8, 40), "corpus books": (0.3, 0), "counts": (2.8, 7),
        "guesses": (0.0, 0), "index": (24.3, 570), "lm": (1.0, 1240), "networks": (168.9, 94), "partition": (6.5, 0),
        "passage set": (9.0, 40), "passages": (22.0, 264), "ranking": (51.4, 4), "scores cache": (0.4, 5),
        "scores feedforward": (2.3, 5), "scores ngram": (1.8, 5), "scores recurrent": (118.4, 5), "tagged counts": (3.0, 3),
        "tagged novels": (0.0, 0), "tagging books": (15.3, 0), "text": (3.3, 260), "training novels": (0.0, 0),
    }),
    "scde-style": (293.5e6, {
        "ingest books": (30, 0), "blanked passages": (9.3, 10), "blanks": (32.3, 0), "coherence": (16.2, 17), "corpus books": (0.3, 0), "counts": (3.1, 7),
        "distractors": (17.7, 0), "partition": (7.3, 0), "passages": (25.3, 2), "rivals": (41.3, 35), "statistics": (1.6, 0),
        "text": (4.4, 268), "training novels": (0.0, 0),
    }),
}  # fmt: skip
# Stages with a limit: they take no longer for more bytes of books than this.
_READ_AT_MOST = {"networks": 22_000_000}  # 8 M words in 4 epochs, of half of the novels


_PACKED, _TEXT_OF_PACKED = (".epub", ".zip", ".gz"), 3  # bytes of text for each packed byte


def size_of_books(stages: Sequence[StageTask]) -> int:
    """Bytes of the files of all books that are read; packed files count three times."""
    books = {
        book.path for one in stages if isinstance(one, Ingest) for book in one.books_found()[0]
    }
    return sum(
        path.stat().st_size * (_TEXT_OF_PACKED if path.suffix.lower() in _PACKED else 1)
        for path in books
        if path.is_file()
    )


def read_rates(store: Store) -> dict[str, Rate]:
    """`style stage` -> rate; stages that no run has measured are missing."""
    try:
        found = parse_json((store.root / LOGS / RATES).read_bytes())
        return {
            str(name): (float(seconds), float(written))
            for name, (seconds, written) in found.items()
            if math.isfinite(seconds + written) and min(seconds, written) >= 0
        }
    except (OSError, ParseError, AttributeError, TypeError, ValueError):
        return {}  # none yet, or damaged: stages are measured again


def note_rate(stage: StageTask, seconds: float, size: int) -> None:
    written = sum(file["bytes"] for file in stage.store.open(stage.key).manifest["files"].values())
    size = _read(stage.label, size)
    rates = {**read_rates(stage.store), rate_name(stage): (seconds / size, written / size)}
    write_json(stage.store.root / LOGS / RATES, rates)


def _read(label: str, size: int) -> int:
    return min(size, _READ_AT_MOST.get(label, size))


def stage_cost(stage: StageTask, rate: Rate, size: int) -> Rate:
    """Seconds and bytes of a stage."""
    read = _read(stage.label, size)
    return rate[0] * read, rate[1] * read


def rate_name(stage: StageTask) -> str:
    return f"{getattr(stage, 'style', '')} {stage.label}".strip()


def default_rates() -> dict[str, Rate]:
    return {
        f"{style} {label}": (
            seconds / _read(label, int(size)),
            1e6 * megabytes / _read(label, int(size)),
        )
        for style, (size, stages) in _BENCHMARK.items()
        for label, (seconds, megabytes) in stages.items()
    }


def minutes_text(seconds: float) -> str:
    """
    >>> minutes_text(20), minutes_text(95), minutes_text(7300)
    ('20 s', '2 min', '122 min')
    """
    return f"{seconds / 60:,.0f} min" if seconds >= 60 else f"{seconds:.0f} s"


def cost_text(seconds: float, written: float) -> str:
    """
    >>> cost_text(80, 1.2e9)
    '1 min, 1.20 GB'
    """
    return f"{minutes_text(seconds)}, {written / 1e9:.2f} GB"


@dataclass(frozen=True, slots=True)
class Costs:
    """Minutes and GB of stages: by label, a line about all, and their bytes; empty if unknown."""

    by_label: Mapping[str, str] = field(default_factory=dict)
    line: str = ""
    n_bytes: float = 0.0


def costs(stages: Sequence[StageTask], todo: Sequence[StageTask]) -> Costs:
    """An estimate for the stages to run; none for few books, no minutes without any rate."""
    size, measured = size_of_books(stages), read_rates(todo[0].store) if todo else {}
    if not todo or size < LEAST_BYTES:
        return Costs()
    rates, names = {**default_rates(), **measured}, {one.label: rate_name(one) for one in todo}
    known = {
        one.label: stage_cost(one, rates[names[one.label]], size)
        for one in todo
        if names[one.label] in rates
    }
    shipped = [label for label in known if names[label] not in measured]
    unknown = [label for label in names if label not in known]
    if not known:
        return Costs({}, "no estimate: no run in this output folder has measured these stages yet")
    seconds, written = map(math.fsum, zip(*known.values(), strict=True))
    line = f"about {cost_text(seconds, written)} for {size / 1e6:,.0f} MB of books"
    if shipped:
        which = "all stages" if len(shipped) == len(todo) else ", ".join(shipped)
        line += f"; not measured here, rates of our benchmark: {which}"
    if unknown:
        line += f"; not counted, never measured: {', '.join(unknown)}"
    return Costs({label: cost_text(*found) for label, found in known.items()}, line, written)
