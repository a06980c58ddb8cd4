"""The trace of a passage: its place, its length, the committee, the ranking and the outcome."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow.compute as pc

from cloze_gen.corpus.books import SENTENCES, book_folder, read_books
from cloze_gen.english.treebank import treebank_split
from cloze_gen.parsing import quote
from cloze_gen.recipes.lambada.committee import VERDICT_COLUMNS, VERDICTS
from cloze_gen.recipes.lambada.guesses import ANSWERS, OPEN
from cloze_gen.recipes.lambada.guessing import Condition, Verdict
from cloze_gen.recipes.lambada.passage_set import REJECTED_SET
from cloze_gen.recipes.lambada.passages import PASSAGES, PassageReason
from cloze_gen.recipes.lambada.ranking import RANKING, SIGNALS, RankingReason
from cloze_gen.recipes.lambada.release import PLAIN_TEXT, REJECTED_PLAIN_TEXT
from cloze_gen.records.passage import Split
from cloze_gen.records.rejection import legends_of
from cloze_gen.release.trace import Traced, TraceSections, describe_span, has_id, heading_before
from cloze_gen.store.tables import PASSAGE_SET, REJECTED, SOURCE_SENTENCES, read_jsonl, read_parquet
from cloze_gen.text_layout import cut, printable


def describe_guesses(item: Traced) -> Iterator[str]:
    decided = item.find("guesses", VERDICTS)
    if decided is None:
        return
    rows = read_parquet(item.artifact("guesses").path(ANSWERS)).filter(has_id(item.id)).to_pylist()
    read, readers = 0, item.artifact("guesses").manifest["settings"]["passage_subjects"]
    for row in rows:
        read += row["condition"] == Condition.PASSAGE
        step = min(read, readers) if row["condition"] == Condition.PASSAGE else readers + 1
        guesses = ", ".join(map(quote, row["guesses"])) or "no idea"
        right = "right" if row["right"] else "wrong"
        yield (
            f"guess      step {step}, from the {row['condition']}, subject {row['subject']}: "
            f"{guesses} ({right})"
        )
    judged = item.artifact("guesses").facts["judged"]
    note = "" if rows or decided["verdict"] != "open" else ": no answers yet"
    yield f"verdict    {decided['verdict']}{note} (judged: {judged})"
    signals = item.find("ranking", SIGNALS)
    if signals:
        yield (
            f"model      {signals['machine']}: guess {signals['read_rank'] + 1:,} of a reader of "
            f"the passage (P {signals['read_prob']:.3g}), guess {signals['alone_rank'] + 1:,} of a "
            "reader of the sentence"
        )


_LEFT = frozenset({"text", "member", "", "signal"})  # left-aligned columns
_TEXT_CHARS = 60  # of a sentence in the table; its full text is printed above

_SIGNALS: Mapping[str, str] = {
    "in_context": "the target occurs in the context",
    "read_prob": "P(target | passage), model reader",
    "read_rank": "rank of the target, from 0",
    "alone_prob": "P(target | sentence alone), model reader",
    "alone_rank": "rank of the target, from 0",
    "sentence_tokens": "tokens of its sentence before the target",
    "capitalised_share": "P(a random capitalised word is the target)",
    "rules": "rules that find the target",
    "expected_yield": "P(kept), the key of the order",
}


def describe_place(item: Traced) -> Iterator[str]:
    row = item.row
    yield from describe_span(item, row["book_id"], row["start"], row["end"])
    partition = item.artifact("partition")
    book = next(one for one in read_books(partition) if one["book_id"] == row["book_id"])
    sentences = read_parquet(book_folder(partition, book) / SENTENCES, columns=["kind", "text"])
    heading = heading_before(
        sentences["kind"].to_pylist(), sentences["text"].to_pylist(), row["first_sentence"]
    )
    genre = f", genre {printable(book['domain'])}" if book["domain"] else ""
    yield f"novel      {row['book_id']}, part {row['part']}{genre}"
    yield f"chapter    {printable(heading) if heading else '(no heading before it)'}"


def describe_sentences(item: Traced) -> Iterator[str]:
    row, least = item.row, item.artifact("passages").manifest["settings"]["min_context_tokens"]
    table = read_parquet(
        item.artifact("passages").path(SOURCE_SENTENCES),
        columns=["book_id", "index", "text", "tokens"],
    )
    of_book = table.filter(pc.equal(table["book_id"].cast("string"), row["book_id"]))
    within = of_book.filter(
        pc.and_(
            pc.greater_equal(of_book["index"], row["first_sentence"]),
            pc.less_equal(of_book["index"], row["sentence"]),
        )
    )
    *context, own = within.to_pylist()
    total, rows = 0, []
    for sentence in reversed(context):
        count = sum(len(treebank_split(token)) for token in sentence["tokens"].split(" "))
        total += count
        rows.append(
            [
                str(sentence["index"]),
                str(count),
                str(total),
                cut(printable(sentence["text"]), _TEXT_CHARS),
            ]
        )
    yield (
        f"context    {len(context)} sentences before sentence {row['sentence']}, nearest first, "
        f"up to {least} tokens"
    )
    yield from item.set_out(("sentence", "tokens", "sum", "text"), rows, left=_LEFT)
    before = total - int(rows[-1][1])
    yield (
        f"           tokens with sentence {row['first_sentence']}: {total}; without it: {before}, "
        f"fewer than {least}"
    )
    yield f"sentence   {row['sentence']}, {row['sentence_tokens']} tokens: {printable(own['text'])}"
    yield (
        f"target     {row['target']!r}, token {row['target_position']} of its sentence; occurs "
        f"{row['in_context']} times in the context"
    )


def describe_committee(item: Traced) -> Iterator[str]:
    verdict = item.find("committee", VERDICTS)
    if verdict is None:
        return
    threshold = item.artifact("committee").manifest["settings"]["threshold"]
    members = {name: 10**value for name, value in verdict.items() if name not in VERDICT_COLUMNS}
    yield f"committee  a member guesses the target if P(target) is {threshold} or more"
    rows = [
        [name, f"{prob:.3g}", "guessed" if prob >= threshold else "not guessed"]
        for name, prob in members.items()
    ]
    yield from item.set_out(("member", "P(target)", ""), rows, left=_LEFT)


def describe_ranking(item: Traced) -> Iterator[str]:
    signals = item.find("ranking", SIGNALS)
    if signals is not None:
        yield "signals"
        rows = [[_SIGNALS[name], _value(signals[name])] for name in _SIGNALS]
        yield from item.set_out(("signal", "value"), rows, left=_LEFT)
    ranked = item.find("ranking", RANKING)
    if ranked is not None:
        head = item.artifact("ranking").funnel["kept"]
        yield f"rank       {ranked['rank']:,} of {head:,} ranked passages"


def describe_outcome(item: Traced) -> Iterator[str]:
    lines = dict(_released(item))
    for split, line in lines.items():
        yield f"released   {split}: line {line} of {PLAIN_TEXT[split]}"
    if any(split != Split.CONTROL for split in lines):
        yield (f"outcome    in the set; judged: {item.artifact('passage set').facts['judged']}")
        return
    control = "; in the unfiltered control set" if lines else ""
    yield f"outcome    not in the set: {_rejection(item)}{control}"


def _released(item: Traced) -> Iterator[tuple[Split, int]]:
    counts = dict.fromkeys(Split, 0)
    for record in read_jsonl(item.released(PASSAGE_SET)):
        split = Split(record["split"])
        counts[split] += 1
        if record["id"] == item.id:
            yield split, counts[split]


def _rejection(item: Traced) -> str:
    by_committee = item.find("committee", REJECTED)
    if by_committee is not None:
        return f"{by_committee['reason'].replace('_', ' ')}, {by_committee['detail']}"
    by_ranking = item.find("ranking", REJECTED)
    if by_ranking is not None:
        reason = RankingReason(by_ranking["reason"])
        return f"{reason.replace('_', ' ')}: {reason.legend}"
    verdict = item.find("guesses", VERDICTS)
    decided = verdict["verdict"] if verdict else OPEN
    if decided in {OPEN, Verdict.KEPT}:
        return "no verdict yet"
    rejected = read_jsonl(item.artifact("passage set").path(REJECTED_SET))
    line = next(number for number, record in enumerate(rejected, 1) if record["id"] == item.id)
    return f"{decided.replace('_', ' ')}; line {line} of {REJECTED_PLAIN_TEXT}"


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.3g}" if isinstance(value, float) else str(value).replace("_", " ") or "none"


TRACE = TraceSections(
    (
        describe_place,
        describe_sentences,
        describe_committee,
        describe_ranking,
        describe_guesses,
        describe_outcome,
    ),
    early=(("passages", "the cutting of passages"),),
    items=("passages", PASSAGES),
    reasons=legends_of(PassageReason),
    id_form="book:sentence",
)
