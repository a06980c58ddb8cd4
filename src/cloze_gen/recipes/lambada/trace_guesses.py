"""The trace of a passage, third part: what people guessed, the verdict, and what the stand-in says where nobody was asked."""

from __future__ import annotations

from collections.abc import Iterator

from cloze_gen.notation import shown
from cloze_gen.recipes.lambada.stages.decisions import ANSWERS, SIGNALS, VERDICTS
from cloze_gen.recipes.lambada.steps.guessing import Condition
from cloze_gen.stages.trace import Traced, has_id
from cloze_gen.store.tables import read_parquet


def tell_guesses(item: Traced) -> Iterator[str]:
    """Every guess with its step and its subject's number, the verdict, and what the stand-in says."""
    decided = item.find("guesses", VERDICTS)
    if decided is None:
        return
    rows = read_parquet(item.artifact("guesses").path(ANSWERS)).filter(has_id(item.id)).to_pylist()
    read, readers = 0, item.artifact("guesses").manifest["settings"]["passage_subjects"]
    for row in rows:
        read += row["condition"] == Condition.PASSAGE
        step = min(read, readers) if row["condition"] == Condition.PASSAGE else readers + 1
        said = ", ".join(map(shown, row["guesses"])) or "no idea"
        right = "right" if row["right"] else "wrong"
        yield f"guess      step {step}, from the {row['condition']}, subject {row['subject']}: {said} ({right})"
    judged = item.artifact("guesses").facts["judged"]
    asked = "" if rows or decided["verdict"] != "open" else ": nobody has answered"
    yield f"verdict    {decided['verdict']}{asked} (judged: {judged})"
    signals = item.find("ranking", SIGNALS)
    if signals:
        yield (
            f"stand-in   {signals['machine']}: of the passage's reader it is word {signals['read_rank'] + 1:,} "
            f"(P {signals['read_prob']:.3g}), of the sentence's {signals['alone_rank'] + 1:,}"
        )
