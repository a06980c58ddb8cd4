"""The trace of a passage: where it stands, why it is so long and no longer, who guessed its target, and where it came in the set."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow.compute as pc

from cloze_gen.columns import cut, printable
from cloze_gen.english.treebank import treebank_split
from cloze_gen.recipes.lambada.release import PLAIN_TEXT, REJECTED_PLAIN_TEXT
from cloze_gen.recipes.lambada.stages.decisions import OPEN, RANKING, SIGNALS, VERDICTS
from cloze_gen.recipes.lambada.stages.passage_set import REJECTED_SET
from cloze_gen.recipes.lambada.stages.ranking import BEHIND, NOT_LOOKED_AT, SAID_BEFORE
from cloze_gen.recipes.lambada.stages.tables import PASSAGES
from cloze_gen.recipes.lambada.steps.committee import VERDICT_COLUMNS
from cloze_gen.recipes.lambada.steps.guessing import Verdict
from cloze_gen.recipes.lambada.steps.passages import PassageReason
from cloze_gen.recipes.lambada.trace_guesses import tell_guesses
from cloze_gen.records.passage import Split
from cloze_gen.stages.corpus.book_files import SENTENCES
from cloze_gen.stages.corpus.book_table import book_folder, read_books
from cloze_gen.stages.tables import PASSAGE_SET, REJECTED, SOURCE_SENTENCES
from cloze_gen.stages.trace import Traced, TraceSections, heading_before, tell_span
from cloze_gen.store.tables import read_jsonl, read_parquet

_LEFT = frozenset({"text", "member", "", "signal"})  # columns that are words
_TEXT_CHARS = 60  # of a sentence in the table; its raw text stands above

# Why a sentence ends no passage, in words; in braces the settings of the stage.
REASONS: Mapping[str, str] = {
    PassageReason.NOT_PROSE: "it is verse or a heading",
    PassageReason.WITHOUT_FINAL_MARK: "behind its last word stands something else than a full stop, a question or an exclamation mark and "
    "what they close",
    PassageReason.TARGET_NOT_LETTERS: "its last word is not written with letters alone, or is a contraction that a treebank cuts",
    PassageReason.SHORT: "it has fewer than {min_target_sentence_tokens} tokens",
    PassageReason.LONG: "it has more than {max_target_sentence_tokens} tokens",
    PassageReason.CHAPTER_BEGINS: "between it and its chapter's heading, or the book's beginning, stand fewer than {min_context_tokens} "
    "tokens of whole sentences",
    PassageReason.CONTEXT_NOT_PROSE: "verse, a table or a row of stars lies in its context",
    PassageReason.CONTEXT_LONG: "the least context of {min_context_tokens} tokens has more than {max_context_tokens}",
    PassageReason.BEGINS_IN_SPEECH: "its context begins within a speech that was opened before it",
    PassageReason.TORN: "a sentence of it is torn: it does not begin as a sentence does, does not end, or has open brackets or odd marks",
    PassageReason.OFFENSIVE: "it holds a listed word (partition.offensive_words)",
    PassageReason.THINNED: "it is not in the share that is kept, {keep_share}",
}
_RANKING_REASONS: Mapping[str, str] = {
    NOT_LOOKED_AT: "not among the {pool:,} survivors that are looked at",
    SAID_BEFORE: "another passage has the same context or the same target sentence",
    BEHIND: "it overlaps a passage of the head, or comes behind the {n_passages:,} that it has room for",
}
_SIGNALS: Mapping[str, str] = {
    "in_context": "the target stands in the context",
    "read_prob": "P(a reader of the passage says it)",
    "read_rank": "its place among that reader's words, from 0",
    "alone_prob": "P(a reader of the sentence says it)",
    "alone_rank": "its place among that reader's words, from 0",
    "sentence_tokens": "tokens of the sentence before it",
    "capitalised_share": "P(a random capitalised word is it)",
    "rules": "rules of the passage that say it",
    "expected_yield": "P(kept), as the order has it",
}


def tell_place(item: Traced) -> Iterator[str]:
    """Book, raw file, raw text, and the heading of the chapter."""
    row = item.row
    yield from tell_span(item, row["book_id"], row["start"], row["end"])
    partition = item.artifact("partition")
    book = next(one for one in read_books(partition) if one["book_id"] == row["book_id"])
    sentences = read_parquet(book_folder(partition, book) / SENTENCES, columns=["kind", "text"])
    heading = heading_before(sentences["kind"].to_pylist(), sentences["text"].to_pylist(), row["first_sentence"])
    genre = f", genre {printable(book['domain'])}" if book["domain"] else ""
    yield f"novel      {row['book_id']}, part {row['part']}{genre}"
    yield f"chapter    {printable(heading) if heading else '(no heading before it)'}"


def tell_sentences(item: Traced) -> Iterator[str]:
    """The sentences taken, the nearest first, with the sum of tokens that ended the taking."""
    row, least = item.row, item.artifact("passages").manifest["settings"]["min_context_tokens"]
    table = read_parquet(item.artifact("passages").path(SOURCE_SENTENCES), columns=["book_id", "index", "text", "tokens"])
    of_book = table.filter(pc.equal(table["book_id"].cast("string"), row["book_id"]))
    within = of_book.filter(
        pc.and_(pc.greater_equal(of_book["index"], row["first_sentence"]), pc.less_equal(of_book["index"], row["sentence"]))
    )
    *context, own = within.to_pylist()
    total, rows = 0, []
    for sentence in reversed(context):
        count = sum(len(treebank_split(token)) for token in sentence["tokens"].split(" "))
        total += count
        rows.append([str(sentence["index"]), str(count), str(total), cut(printable(sentence["text"]), _TEXT_CHARS)])
    yield f"context    {len(context)} sentences before sentence {row['sentence']}, the nearest first, until they have {least} tokens"
    yield from item.set_out(("sentence", "tokens", "sum", "text"), rows, left=_LEFT)
    before = total - int(rows[-1][1])
    yield f"           without sentence {row['first_sentence']} they have {before}, fewer than {least}; with it {total}"
    yield f"sentence   {row['sentence']}, {row['sentence_tokens']} tokens: {printable(own['text'])}"
    yield f"target     {row['target']!r}, token {row['target_at']} of it; {row['in_context']} times in the context as a word of its own"


def tell_committee(item: Traced) -> Iterator[str]:
    """Each member's P(target) beside the threshold."""
    verdict = item.find("committee", VERDICTS)
    if verdict is None:
        return
    threshold = item.artifact("committee").manifest["settings"]["threshold"]
    members = {name: 10**value for name, value in verdict.items() if name not in VERDICT_COLUMNS}
    yield f"committee  a member has guessed the target that gives it {threshold} or more"
    rows = [[name, f"{prob:.3g}", "guessed" if prob >= threshold else "not guessed"] for name, prob in members.items()]
    yield from item.set_out(("member", "P(target)", ""), rows, left=_LEFT)


def tell_ranking(item: Traced) -> Iterator[str]:
    """What speaks for asking people about it, and its place in the order."""
    signals = item.find("ranking", SIGNALS)
    if signals is not None:
        yield "signals"
        rows = [[_SIGNALS[name], _value(signals[name])] for name in _SIGNALS]
        yield from item.set_out(("signal", "value"), rows, left=_LEFT)
    ranked = item.find("ranking", RANKING)
    if ranked is not None:
        head = item.artifact("ranking").funnel["kept"]
        yield f"rank       {ranked['rank']:,} of the {head:,} that people are asked about"


def tell_outcome(item: Traced) -> Iterator[str]:
    """Where it stands in the release, or why it does not."""
    lines = dict(_released(item))
    for split, line in lines.items():
        yield f"released   {split}: line {line} of {PLAIN_TEXT[split]}"
    if any(split != Split.CONTROL for split in lines):
        yield f"outcome    passage of the set; judged: {item.artifact('passage set').facts['judged']}"
        return
    beside = "; of the control set all the same, which nothing filters" if lines else ""
    yield f"outcome    no passage of the set: {_why_not(item)}{beside}"


def _released(item: Traced) -> Iterator[tuple[Split, int]]:
    """The splits that hold the passage, with its line in the published file of each, from 1."""
    counts = dict.fromkeys(Split, 0)
    for record in read_jsonl(item.released(PASSAGE_SET)):
        split = Split(record["split"])
        counts[split] += 1
        if record["id"] == item.id:
            yield split, counts[split]


def _why_not(item: Traced) -> str:
    """The first stage at which it fell, and why."""
    fallen = item.find("committee", REJECTED)
    if fallen is not None:
        return f"{fallen['reason'].replace('_', ' ')}, {fallen['detail']}"
    behind = item.find("ranking", REJECTED)
    if behind is not None:
        settings = item.artifact("ranking").manifest["settings"]
        return f"{behind['reason'].replace('_', ' ')}: {_RANKING_REASONS[behind['reason']].format(**settings)}"
    verdict = item.find("guesses", VERDICTS)
    said = verdict["verdict"] if verdict else OPEN
    if said in {OPEN, Verdict.KEPT}:
        return "nobody has decided about it yet"
    rejected = read_jsonl(item.artifact("passage set").path(REJECTED_SET))
    line = next(number for number, record in enumerate(rejected, 1) if record["id"] == item.id)
    return f"{said.replace('_', ' ')}; line {line} of {REJECTED_PLAIN_TEXT}"


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.3g}" if isinstance(value, float) else str(value).replace("_", " ") or "none"


TRACE = TraceSections(
    (tell_place, tell_sentences, tell_committee, tell_ranking, tell_guesses, tell_outcome),
    early=(("passages", "the cutting of passages"),),
    items=("passages", PASSAGES),
    reasons=REASONS,
    id_form="book:sentence",
)
