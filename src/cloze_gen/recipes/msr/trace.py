"""The trace of a Holmes-style question: why this word, what became of its alternates, why these impostors."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from cloze_gen.notation import named
from cloze_gen.recipes.msr.stages.tables import ALTERNATES, ANSWERS, DECISIONS, GROOMED, SCORED, SCREENED
from cloze_gen.stages.corpus.held_out import read_groups
from cloze_gen.stages.tables import QUESTIONS
from cloze_gen.stages.trace import INDENT, Traced, TraceSections, cell, find_question, tell_question, tell_rejection, tell_source

if TYPE_CHECKING:
    import pandas as pd

_WORDS = frozenset({"word", "option", "tag", "why not"})  # columns that stand left
# What is told of a candidate -> its column: likeness to the answer, topic, and what readers are expected to say of it.
_SAID = {"simil.": "similarity", "topic": "topicality", "as well": "fits_as_well", "ungram.": "ungrammatical", "plaus.": "plausible"}


def tell_focus(item: Traced) -> Iterator[str]:
    """The focus word, its history, and what every step before the choice said of it."""
    focus = item.row
    yield f"focus      {focus['word']!r} at token {focus['position']}: count {focus['count']:,}, freq {focus['freq']:.3g}"
    yield f"history    {focus['history1']!r} {focus['history2']!r}; next token {focus['next_token']!r}"
    groups = read_groups(item.artifact("index"))
    own = groups.get(focus["id"].rsplit(":", 2)[0])
    if own:
        unread = named([book for book, group in groups.items() if group == own])
        yield f"model      {own} of {len(set(groups.values()))}, made of all source books but {unread}"
    screened = item.find("screening", SCREENED)
    if screened:
        yield (f"screening  log10 P(answer | history) = {screened['answer_log10_prob']:.4f}, rank {screened['answer_rank']} among "
               f"itself and {screened['alternates']} alternates: {screened['status']}")  # fmt: skip
    answer = item.find("forward", ANSWERS)
    if answer:
        yield (f"forward    log10 P(next | predecessor, answer) = {answer['forward_log10_prob']:.4f}, rank {answer['forward_rank']}; "
               f"whole sentence {answer['sentence_log10_prob']:.3f}")  # fmt: skip
    groomed = item.find("grooming", GROOMED)
    if groomed:
        yield (f"grooming   sentence and answer: {groomed['verdict']}; answer's tag {groomed['answer_tag'] or '-'}, topicality "
               f"{cell(groomed['answer_topicality'], 4)}; its place asks for: {groomed['place_asks_for'] or 'nothing that is counted'}; "
               f"{groomed['fit_candidates']} fit candidates")  # fmt: skip


def tell_sifting(item: Traced) -> Iterator[str]:
    """How many alternates fell at which step, and why."""
    table = _alternates(item)
    yield f"alternates {len(table)} sampled from the model ({'below' if item.in_full else '--alternates lists them'})"
    if "kept" not in table:
        return
    kept = int((table["kept"] == True).sum())  # noqa: E712  a column that may hold NaN
    yield f"retained   {kept} with the best forward scores; {len(table) - kept} dropped"
    if "verdict" in table:
        verdicts = Counter(table["verdict"].dropna())
        for verdict, count in sorted(verdicts.items(), key=lambda pair: (pair[0] != "fit", -pair[1], pair[0])):
            yield f"{INDENT}{count:>7}  {verdict}"


def tell_outcome(item: Traced) -> Iterator[str]:
    """The question, and why with these impostors; or why there is none."""
    groomed = item.find("grooming", GROOMED)
    if groomed is None:
        yield "outcome    no question: rejected at the screening"
        return
    found = find_question(item, QUESTIONS)
    if found is None:
        yield tell_rejection(item, "choice", groomed["verdict"])
        return
    number, record = found
    yield from tell_question(record)
    yield from _why_these(item, record, groomed)
    yield f"outcome    question {number} of the set"


def tell_alternates(item: Traced) -> Iterator[str]:
    """Every alternate with its scores, and why it was dropped."""
    table = _alternates(item)
    header = ("word", "history", "forward", "rank", "sentence", *_SAID, "tag", "why not")
    places = {"history": 3, "forward": 3, "sentence": 2, **dict.fromkeys(_SAID, 3)}
    names = {"history": "history_log10_prob", "forward": "forward_log10_prob", "rank": "forward_rank",
             "sentence": "sentence_log10_prob", **_SAID}  # fmt: skip
    rows = []
    for row in table.to_dict(orient="records"):
        verdict = row.get("verdict")
        row["why not"] = "" if verdict == "fit" else verdict if isinstance(verdict, str) else "-"
        row["why not"] = row["why not"].removeprefix("candidate_")
        rows.append([cell(row.get(names.get(name, name)), places.get(name, 0)) for name in header])
    what = "history, forward, sentence: log10 probabilities; as well, ungram., plaus.: shares of readers; - = not asked"
    yield f"alternates {len(table)}, likeliest first; {what}"
    yield from item.set_out(header, rows, left=_WORDS)


@functools.lru_cache(maxsize=1)  # three sections ask
def _alternates(item: Traced) -> pd.DataFrame:
    """The item's alternates, likeliest first, with what the later steps say of those they looked at."""
    table = item.table("alternates", ALTERNATES)
    for stage, name, known in (("forward", SCORED, ["id", "history_log10_prob"]), ("grooming", DECISIONS, ["id"])):
        found = item.table(stage, name)
        if len(found):
            table = table.merge(found.drop(columns=known), on="word", how="left")
    return table.drop(columns=["id"]).sort_values("history_log10_prob", ascending=False, kind="stable")


def _why_these(item: Traced, record: Mapping[str, Any], groomed: Mapping[str, Any]) -> Iterator[str]:
    """Why these impostors among the fit candidates, and what each of them scores."""
    settings = item.artifact("choice").manifest["settings"]
    own = ", none that is the answer of no fit item" if settings["same_vocabulary"] else ""
    how = "drawn at random"
    if settings["method"] != "random":
        draw = f"of {settings['draws']} random draws (impostor_draw = {settings['impostor_draw']})"
        level = "the answer's ranks in the whole set are nearest to chance"
        what = "the scores, and what classifiers make of them, tell least" if settings["method"] == "matched" else level
        how = f"{draw} one with which {what}"
    yield f"impostors  {len(record['options']) - 1} of the {groomed['fit_candidates']} fit candidates{own}; {how}"
    decided = {row["word"]: row for row in _alternates(item).to_dict(orient="records")}
    header = ("option", "count", "history", "forward", "rank", "sentence", *_SAID, "tag")
    rows = []
    for letter, option in zip("abcdefghijklmnopqrstuvwxyz", record["option_scores"], strict=False):
        word = option["word"]
        is_answer = word == record["answer"]
        row = decided.get(word, {})
        rank = record["answer_forward_rank"] if is_answer else row.get("forward_rank")
        topic = groomed["answer_topicality"] if is_answer else row.get("topicality")
        tag = record["answer_tag"] if is_answer else row.get("tag")
        rows.append([
            f"{letter}) {word}{'*' if is_answer else ''}", f"{option['count']:,}", cell(option["history_log10_prob"], 3),
            cell(option["forward_log10_prob"], 3), cell(rank, 0), cell(option["sentence_log10_prob"], 2),
            *(cell(topic if name == "topicality" else row.get(name), 3) for name in _SAID.values()), cell(tag, 0),
        ])  # fmt: skip
    yield from item.set_out(header, rows, left=_WORDS)


TRACE = TraceSections((tell_source, tell_focus, tell_sifting, tell_outcome), in_full=(tell_alternates,))
