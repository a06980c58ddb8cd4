"""The trace of a Holmes-style question: focus word, alternates, impostors, outcome."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from cloze_gen.corpus.cross_fitting import read_groups
from cloze_gen.parsing import name_list
from cloze_gen.recipes.msr.grooming.candidates import DECISIONS, ITEMS
from cloze_gen.recipes.msr.tables import ALTERNATES, ANSWERS, SCORED, SCREENED
from cloze_gen.release.trace import (
    INDENT,
    Traced,
    TraceSections,
    cell,
    describe_question,
    describe_rejection,
    describe_source,
    find_question,
)
from cloze_gen.store.tables import QUESTIONS, REJECTED

_WORDS = frozenset({"word", "option", "tag", "why not"})  # left-aligned columns
# label of a candidate's measure -> its column
_MEASURES = {
    "simil.": "similarity",
    "topic": "topicality",
    "as well": "fits_as_well",
    "ungram.": "ungrammatical",
    "plaus.": "plausible",
}


def describe_focus(item: Traced) -> Iterator[str]:
    focus = item.row
    yield (
        f"focus      {focus['word']!r} at token {focus['position']}: count {focus['count']:,}, "
        f"freq {focus['freq']:.3g}"
    )
    yield (
        f"history    {focus['history1']!r} {focus['history2']!r}; next token "
        f"{focus['next_token']!r}"
    )
    groups = read_groups(item.artifact("index"))
    own = groups.get(focus["id"].rsplit(":", 2)[0])
    if own:
        unread = name_list([book for book, group in groups.items() if group == own])
        yield (
            f"model      {own} of {len(set(groups.values()))}, trained on all source books except "
            f"{unread}"
        )
    screened = item.find("screening", SCREENED)
    if screened:
        yield (
            f"screening  log10 P(answer | history) = {screened['answer_log10_prob']:.4f}, rank "
            f"{screened['answer_rank']} among "
            f"itself and {screened['alternates']} alternates: {screened['status']}"
        )
    answer = item.find("forward", ANSWERS)
    if answer:
        yield (
            "forward    log10 P(next | predecessor, answer) = "
            f"{answer['forward_log10_prob']:.4f}, rank {answer['forward_rank']}; "
            f"whole sentence {answer['sentence_log10_prob']:.3f}"
        )
    groomed = item.find("grooming", ITEMS.name)
    if groomed:
        yield (
            f"grooming   sentence and answer: {groomed['verdict']}; answer's tag "
            f"{groomed['answer_tag'] or '-'}, topicality "
            f"{cell(groomed['answer_topicality'], 4)}; required by its place: "
            f"{groomed['place_requires'] or '-'}; "
            f"{groomed['fit_candidates']} fit candidates"
        )


def describe_screening(item: Traced) -> Iterator[str]:
    table = _alternates(item)
    yield (
        f"alternates {len(table)} sampled from the model "
        f"({'below' if item.in_full else 'list them with --alternates'})"
    )
    if not any("kept" in row for row in table):
        return
    kept = sum(bool(row.get("kept")) for row in table)
    yield f"retained   {kept} with the best forward scores; {len(table) - kept} dropped"
    verdicts = Counter(row["verdict"] for row in table if row.get("verdict"))
    for verdict, count in sorted(
        verdicts.items(), key=lambda pair: (pair[0] != "fit", -pair[1], pair[0])
    ):
        yield f"{INDENT}{count:>7}  {verdict}"


def describe_outcome(item: Traced) -> Iterator[str]:
    groomed = item.find("grooming", ITEMS.name)
    if groomed is None:
        yield "outcome    no question: rejected at the screening"
        return
    found = find_question(item, QUESTIONS)
    if found is None:
        stage = "pool" if item.find("pool", REJECTED) else "choice"
        yield describe_rejection(item, stage, groomed["verdict"])
        return
    number, record = found
    yield from describe_question(record)
    yield from _why_these(item, record, groomed)
    yield f"outcome    question {number} of the set"


def describe_alternates(item: Traced) -> Iterator[str]:
    table = _alternates(item)
    header = ("word", "history", "forward", "rank", "sentence", *_MEASURES, "tag", "why not")
    places = {"history": 3, "forward": 3, "sentence": 2, **dict.fromkeys(_MEASURES, 3)}
    names = {
        "history": "history_log10_prob",
        "forward": "forward_log10_prob",
        "rank": "forward_rank",
        "sentence": "sentence_log10_prob",
        **_MEASURES,
    }
    rows = []
    for row in table:
        verdict = row.get("verdict") or "-"
        why_not = "" if verdict == "fit" else verdict.removeprefix("candidate_")
        shown = {**row, "why not": why_not}
        rows.append(
            [cell(shown.get(names.get(name, name)), places.get(name, 0)) for name in header]
        )
    what = (
        "history, forward, sentence: log10 probabilities; as well, ungram., plaus.: shares of "
        "readers; - = not measured"
    )
    yield f"alternates {len(table)}, most probable first; {what}"
    yield from item.set_out(header, rows, left=_WORDS)


@functools.lru_cache(maxsize=1)  # three sections call it
def _alternates(item: Traced) -> Sequence[Mapping[str, Any]]:
    """The alternates with what each stage measured of them, most probable first."""
    table = {row["word"]: row for row in item.rows("alternates", ALTERNATES)}
    for stage, name in (("forward", SCORED), ("grooming", DECISIONS.folder)):
        for row in item.rows(stage, name):
            if row["word"] in table:
                table[row["word"]] = row | table[row["word"]]
    return sorted(table.values(), key=lambda row: -row["history_log10_prob"])


def _why_these(
    item: Traced, record: Mapping[str, Any], groomed: Mapping[str, Any]
) -> Iterator[str]:
    settings = item.artifact("choice").manifest["settings"]
    how = "drawn at random"
    if settings["method"] == "matched":
        how = (
            f"of {settings['draws']} random draws the one with which classifiers of the scores "
            "find the answers least often"
        )
    yield (
        f"impostors  {len(record['options']) - 1} of the {groomed['fit_candidates']} fit "
        f"candidates; {how}"
    )
    decided = {row["word"]: row for row in _alternates(item)}
    header = ("option", "count", "history", "forward", "rank", "sentence", *_MEASURES, "tag")
    rows = []
    for letter, option in zip("abcdefghijklmnopqrstuvwxyz", record["option_scores"], strict=False):
        word = option["word"]
        is_answer = word == record["answer"]
        row = decided.get(word, {})
        rank = record["answer_forward_rank"] if is_answer else row.get("forward_rank")
        topic = groomed["answer_topicality"] if is_answer else row.get("topicality")
        tag = record["answer_tag"] if is_answer else row.get("tag")
        rows.append(
            [
                f"{letter}) {word}{'*' if is_answer else ''}",
                f"{option['count']:,}",
                cell(option["history_log10_prob"], 3),
                cell(option["forward_log10_prob"], 3),
                cell(rank, 0),
                cell(option["sentence_log10_prob"], 2),
                *(
                    cell(topic if name == "topicality" else row.get(name), 3)
                    for name in _MEASURES.values()
                ),
                cell(tag, 0),
            ]
        )
    yield from item.set_out(header, rows, left=_WORDS)


TRACE = TraceSections(
    (describe_source, describe_focus, describe_screening, describe_outcome),
    in_full=(describe_alternates,),
)
