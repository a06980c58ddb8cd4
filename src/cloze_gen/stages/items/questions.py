"""Questions of one blank as a release publishes them (MSR, SCS)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cloze_gen.formats.harness import harness_files
from cloze_gen.formats.inspect_tasks import EVAL_YAML, INSPECT_TASK, eval_yaml, inspect_task, question_task
from cloze_gen.formats.jsonl import parse_questions
from cloze_gen.formats.printed import blanked_sentence
from cloze_gen.notation import shown
from cloze_gen.records.question import Question
from cloze_gen.stages.evaluation.question_sets import read_question_set
from cloze_gen.stages.items.kind import ItemKind, Record, Span, ToldTask
from cloze_gen.stages.tables import CANDIDATES, QUESTIONS
from cloze_gen.words import is_word

_PRINTED = (
    "print: sentences look as the MSR challenge printed its own. Quotation marks, dashes and brackets are left out; `?` and `!` are a full "
    "stop at the end and a comma inside; `source.text` has the book's own sentence"
)
_COLUMNS = {
    "id": "book, sentence and word: where the question comes from",
    "input": "the sentence with its blank",
    "book_id": "the book, as `release.json` names it",
    "tokens": "the printed sentence, the answer in place",
    "position": "of the blank among the tokens, from 0",
    "options": "in their printed order",
    "answer_index": "of the right option, from 0",
    "answer": "the right option",
    "source": "the book's own sentence: index, character span in the decoded file, text, tokens, and the blank's place among these",
    "history": "the two tokens before the blank",
    "next_token": "the token behind it",
    "answer_tag": "Penn tag of the answer in its sentence",
    "answer_class": "noun, verb, adjective or adverb",
    "answer_rank": "rank of the answer among itself and its alternates by log10 P(word | history), 1 the highest",
    "answer_forward_rank": "the same by log10 P(next token | predecessor, word)",
    "option_scores": "of each option: count and share of word tokens in the training books; log10 probabilities of the word after the "
    "history, of the token behind it after the word, of the whole sentence with it",
    "canary": "the set's GUID, the same in every record",
}


def _released(question: Question, record: Record) -> Record:
    """`input`, the sentence as a reader meets it, stands behind the id: what inspect-ai and people look for."""
    more = {name: value for name, value in record.items() if name not in {"id", "input"}}
    return {"id": question.id, "input": blanked_sentence(question), **more}


def _described(questions: Sequence[Question]) -> str:
    return f"cloze questions of {_option_count(questions)} options each"


def _positions(questions: Sequence[Question]) -> str:
    counts = (sum(question.answer_index == place for question in questions) for place in range(_option_count(questions)))
    return f"The answer stands at each position equally often: {', '.join(f'{chr(97 + i)} {count}' for i, count in enumerate(counts))}."


def _option_count(questions: Sequence[Question]) -> int:
    return len(questions[0].options) if questions else 0


def _example(question: Question) -> Sequence[str]:
    options = (f"{chr(97 + place)}) {option}" for place, option in enumerate(question.options))
    return [blanked_sentence(question), f"    {'   '.join(options)}"]


def _harness(questions: Sequence[Question], examples: Sequence[Question], told: ToldTask) -> Mapping[str, str]:
    return harness_files(told.name, questions, examples=examples, version=told.version, signature=told.signature, canary=told.canary)


def _inspect(questions: Sequence[Question], told: ToldTask) -> Mapping[str, str]:
    description = told.description(f"{len(questions):,} {_described(questions)}")
    return {EVAL_YAML: eval_yaml(question_task(), name=told.name, description=description), INSPECT_TASK: inspect_task(question_task())}


def _spans(record: Record) -> Sequence[Span]:
    source = record["source"]
    return [(source["book_id"], source["start"], source["end"])]


def _quoted(record: Record) -> Sequence[tuple[Span, Sequence[str]]]:
    return [(_spans(record)[0], [record["source"]["text"]])]


def _misquoted(record: Record) -> Sequence[str]:
    """The words of the printed sentence are those of the book's, and the answer is the book's word."""
    source = record["source"]
    printed, own = ([token for token in tokens if is_word(token)] for tokens in (record["tokens"], source["tokens"]))
    wrong = [] if "".join(source["tokens"]) == source["text"].replace(" ", "") else ["its tokens are not those of its text"]
    if printed != own:
        wrong.append("the words that are printed are not those of its sentence")
    if record["answer"] != source["tokens"][source["position"]]:
        wrong.append("the answer is not the book's word at its place")
    return wrong


def _candidate_faults(record: Record, own: Mapping[str, Any]) -> Sequence[str]:
    """The candidates of a question are of its sentence and its answer, and every wrong option is one of them, with the same scores."""
    wrong = [] if own["text"] == record["source"]["text"] else ["another sentence than the question's"]
    if own["answer"] != record["answer"]:
        wrong.append("another answer than the question's")
    listed = {one["word"]: one for one in own["candidates"]}
    for scores in record["option_scores"]:
        candidate = listed.get(scores["word"])
        if scores["word"] == record["answer"]:
            continue
        if candidate is None:
            wrong.append(f"the option {shown(scores['word'])} is no candidate")
        elif any(candidate[name] != value for name, value in scores.items() if name in candidate):
            wrong.append(f"the option {shown(scores['word'])} has other scores than in the question")
    return wrong


QUESTION_ITEMS = ItemKind(
    noun="question",
    file=QUESTIONS,
    parse=parse_questions,
    read_set=read_question_set,
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
    columns_told=_COLUMNS,
    counts=lambda question: True,
    spans=_spans,
    quoted=_quoted,
    misquoted=_misquoted,
    texts=("tokens", "history", "next_token", "source.text", "source.tokens"),
    derived=("input",),
    candidate_faults=_candidate_faults,
    told_files={CANDIDATES: "the retained candidates of every question with the grooming decisions, for human groomers."},
)
