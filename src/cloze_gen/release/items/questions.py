"""Questions of one blank in a release (MSR, SCS)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from cloze_gen.formats.harness import harness_files
from cloze_gen.formats.inspect_tasks import question_task, task_files
from cloze_gen.formats.questions import (
    BLANK_MARK,
    blanked_sentence,
    closed_quotes,
    parse_questions,
)
from cloze_gen.formats.quiz import QuizQuestion
from cloze_gen.parsing import quote
from cloze_gen.records.question import Question
from cloze_gen.release.items.kind import ItemKind, Record, Span, TaskInfo
from cloze_gen.release.samples import sample_question
from cloze_gen.store.runs import Digested
from cloze_gen.store.tables import CANDIDATES, QUESTIONS
from cloze_gen.word_tokens import is_word

_PRINTED = (
    "print: sentences are printed as in the MSR challenge, without quotation marks, dashes and "
    "brackets. `?` and `!` become a full stop at the end and a comma inside the sentence. "
    "`source.text` has the original sentence"
)
_COLUMNS = {
    "id": "book, sentence and word position of the blank",
    "input": "the sentence with its blank",
    "book_id": "the book's id in `release.json`",
    "tokens": "tokens of the printed sentence with the answer",
    "position": "index of the blank in `tokens`, from 0",
    "options": "the options in printed order",
    "answer_index": "index of the answer in `options`, from 0",
    "answer": "the right option, which is the book's word",
    "source": "the original sentence: index, character span in the decoded file, text, tokens, and "
    "index of the blank in these tokens",
    "history": "the two tokens before the blank",
    "next_token": "the token after the blank",
    "answer_tag": "Penn Treebank tag of the answer in its sentence",
    "answer_class": "noun, verb, adjective or adverb",
    "answer_rank": "rank of the answer among the answer and its alternates by log10 P(word | history); 1 is "
    "the most probable",
    "answer_forward_rank": "the same rank by log10 P(next token | previous token, word)",
    "option_scores": "scores of each option: count and relative frequency in the training books, and "
    "log10 probabilities. These are of the option given the history, of the next token given the "
    "option, and of the whole sentence",
    "canary": "GUID of the set, equal in every record",
}


def _read_set(path: Path) -> Digested:
    from cloze_gen.evaluation.sets import read_question_set  # slow to import

    return read_question_set(path)


def _released(question: Question, record: Record) -> Record:
    """The record with `input`, the sentence with its blank, for inspect-ai and readers."""
    more = {name: value for name, value in record.items() if name not in {"id", "input"}}
    return {"id": question.id, "input": blanked_sentence(question), **more}


def _described(questions: Sequence[Question]) -> str:
    return f"cloze questions of {_option_count(questions)} options each"


def _positions(questions: Sequence[Question]) -> str:
    counts = (
        sum(question.answer_index == place for question in questions)
        for place in range(_option_count(questions))
    )
    return (
        "Number of answers at each position: "
        f"{', '.join(f'{chr(97 + i)} {count}' for i, count in enumerate(counts))}."
    )


def _option_count(questions: Sequence[Question]) -> int:
    return len(questions[0].options) if questions else 0


def _example(question: Question) -> Sequence[str]:
    options = (f"{chr(97 + place)}) {option}" for place, option in enumerate(question.options))
    return [blanked_sentence(question), f"    {'   '.join(options)}"]


def _quiz(one: Question, record: Record) -> QuizQuestion:
    text = _blanked_source(one, record.get("source")) or blanked_sentence(one)
    return QuizQuestion.of_text(one.id, one.book_id, [text], one.options, [one.answer_index])


def _blanked_source(one: Question, source: Any) -> str:
    """The book's own sentence with its blank; empty if the record has none that fits."""
    if not isinstance(source, dict):
        return ""
    text, tokens, place = (source.get(name) for name in ("text", "tokens", "position"))
    if not isinstance(text, str) or not isinstance(tokens, list) or not isinstance(place, int):
        return ""
    if not 0 <= place < len(tokens) or tokens[place] != one.answer:
        return ""
    start = end = 0
    for token in map(str, tokens[: place + 1]):
        start = text.find(token, end)
        if start < 0 or text[end:start].strip():
            return ""
        end = start + len(token)
    return closed_quotes(text[:start] + BLANK_MARK + text[end:])


def _compared(one: Question) -> dict[str, Any]:
    return {"options": frozenset(one.options), "order of options": one.options}


def _harness(
    questions: Sequence[Question], examples: Sequence[Question], info: TaskInfo
) -> Mapping[str, str]:
    return harness_files(info.name, questions, examples=examples, **info.of_harness)


def _inspect(questions: Sequence[Question], info: TaskInfo) -> Mapping[str, str]:
    return task_files(question_task(info.name, blind=len(questions) > 1))


def _spans(record: Record) -> Sequence[Span]:
    source = record["source"]
    return [(source["book_id"], source["start"], source["end"])]


def _quoted(record: Record) -> Sequence[tuple[Span, Sequence[str]]]:
    return [(_spans(record)[0], [record["source"]["text"]])]


def _misquoted(record: Record) -> Sequence[str]:
    source = record["source"]
    printed, own = (
        [token for token in tokens if is_word(token)]
        for tokens in (record["tokens"], source["tokens"])
    )
    wrong = (
        []
        if "".join(source["tokens"]) == source["text"].replace(" ", "")
        else ["the source tokens differ from the source text"]
    )
    if printed != own:
        wrong.append("the printed words differ from the source sentence")
    if record["answer"] != source["tokens"][source["position"]]:
        wrong.append("the answer differs from the book's word at the blank")
    return wrong


def _candidate_faults(record: Record, own: Mapping[str, Any]) -> Sequence[str]:
    """Check candidates against the question: sentence, answer, options and their scores."""
    wrong = (
        []
        if own["text"] == record["source"]["text"]
        else ["the sentence differs from the question's"]
    )
    if own["answer"] != record["answer"]:
        wrong.append("the answer differs from the question's")
    listed = {one["word"]: one for one in own["candidates"]}
    for scores in record["option_scores"]:
        candidate = listed.get(scores["word"])
        if scores["word"] == record["answer"]:
            continue
        if candidate is None:
            wrong.append(f"the option {quote(scores['word'])} is not a candidate")
        elif any(candidate[name] != value for name, value in scores.items() if name in candidate):
            wrong.append(f"the option {quote(scores['word'])} has different scores in the question")
    return wrong


QUESTION_ITEMS = ItemKind(
    noun="question",
    file=QUESTIONS,
    parse=parse_questions,
    read_set=_read_set,
    released=_released,
    split_of=lambda question: "test",
    splits=lambda questions: {"default": {"test": QUESTIONS}},
    split_records=lambda questions: {},
    main_tasks=lambda name: (name, "questions"),
    harness=_harness,
    inspect=_inspect,
    task="multiple-choice",
    described=_described,
    balance=_positions,
    notes=lambda questions: [_PRINTED],
    example=_example,
    quiz=_quiz,
    compared=_compared,
    sample=lambda one, record, candidates, book: sample_question(
        one, record, candidates=candidates, book=book.title, file=book.file
    ),
    kind_label="Word class",
    column_docs=_COLUMNS,
    counts=lambda question: True,
    spans=_spans,
    quoted=_quoted,
    misquoted=_misquoted,
    texts=("tokens", "history", "next_token", "source.text", "source.tokens"),
    derived=("input",),
    candidate_faults=_candidate_faults,
    file_docs={
        CANDIDATES: "the retained candidates of every question with their grooming decisions, for human "
        "groomers."
    },
)
