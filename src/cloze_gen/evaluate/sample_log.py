"""What lm-evaluation-harness kept of a model: `samples_TASK_DATE.jsonl`, which ``--log_samples`` writes, a line a document.

A line holds the task's own record as `doc`, and in `resps` for every request, that is every option, a list of answers. Of a task that
measures likelihood an answer is ``["-1.5", "False"]``, texts both: the natural logarithm of the continuation's probability, and whether the
model would have written it. Of a task that generates it is a text, and there is nothing to read here.

A task with several filters has a line for each; they repeat `resps`. Logs that were put into one file may have an item twice too, for
a control set shares passages with its set; a model asked in other batches gives slightly different logarithms. The first line counts.

Source: github.com/EleutherAI/lm-evaluation-harness 0.4.13, `lm_eval/evaluator.py` and `lm_eval/loggers/evaluation_tracker.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Any

from cloze_gen.errors import FormatError
from cloze_gen.evaluate.score_value import finite_score
from cloze_gen.notation import NotationError, parse_json, shown

_ANSWER = '["-1.5", "False"]'
_SAME = 0.5  # nats; half precision in batches of other lengths differs by less, other models and other items by more
_GREEDY = {"True": True, "False": False, True: True, False: False}


@dataclass(frozen=True, slots=True)
class Sample:
    """What the model said of one document.

    Attributes:
        id: of the item, as the task's record has it.
        doc: the task's record.
        ln_probs: natural logarithm of the probability of each option, in the record's order.
        greedy: of each, whether the model would have written it.
        where: file and line, for messages.
    """

    id: str
    doc: Mapping[str, Any]
    ln_probs: tuple[float, ...]
    greedy: tuple[bool, ...]
    where: str

    def check_options(self, options: Sequence[str], gold: int) -> None:
        """Ask that the log is of these options in this order, as far as its record tells them.

        The record's choices are the options, texts that begin with them (a sentence's rest behind each), or letters.

        Raises:
            FormatError: there are more or fewer of them, they are others, or another one is right.
        """
        if len(self.ln_probs) != len(options):
            raise FormatError(f"{self.where}: {len(self.ln_probs)} answers for the {len(options)} options of {self.id[:80]}")
        told, right = self.doc.get("choices", list(options)), self.doc.get("gold", gold)
        lettered = told == list(ascii_uppercase[: len(options)])
        texts = isinstance(told, list) and len(told) == len(options) and all(isinstance(one, str) for one in told)
        if right != gold or not (lettered or (texts and all(map(str.startswith, told, options)))):
            raise FormatError(
                f"{self.where}: the options of {self.id[:80]} are others here; the log is of another set, or of another version"
            )


def is_sample_log(text: str) -> bool:
    """Whether the first line that is not empty is a line of such a log.

    >>> is_sample_log('{"doc": {"id": "b:1"}, "resps": []}'), is_sample_log('{"id": "b:1", "scores": []}'), is_sample_log("")
    (True, False, False)
    """
    try:
        record = parse_json(next((line for line in text.removeprefix("\ufeff").split("\n") if line.strip()), ""))
    except NotationError:
        return False
    return isinstance(record, dict) and "doc" in record and "resps" in record


def parse_sample_log(text: str, *, name: str = "scores") -> list[Sample]:
    """The documents of a log, each once, in the order of their first lines.

    Raises:
        FormatError: a line is none of such a log, its document has no `id`, its answers are no likelihoods or not finite, or two lines of
            one document differ by much.

    >>> line = '{"doc": {"id": "b:1"}, "resps": [[["-1.5", "False"]], [["-2", "True"]]], "filter": "none"}'
    >>> [sample] = parse_sample_log(f"{line}\\n{line}\\n")
    >>> sample.id, sample.ln_probs, sample.greedy
    ('b:1', (-1.5, -2.0), (False, True))
    """
    found: dict[str, Sample] = {}
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        if not line.strip():
            continue
        sample = _sample(line, f"{name}, line {number}")
        first = found.setdefault(sample.id, sample)
        if not _agree(first.ln_probs, sample.ln_probs):
            other = first.where.removeprefix(f"{name}, ")
            raise FormatError(f"{sample.where}: {sample.id[:80]} has other answers on {other}; give the log of one task and one model")
    return list(found.values())


def _agree(first: Sequence[float], other: Sequence[float]) -> bool:
    return len(first) == len(other) and all(abs(one - two) <= _SAME for one, two in zip(first, other, strict=True))


def _sample(line: str, where: str) -> Sample:
    try:
        record = parse_json(line)
    except NotationError as error:
        raise FormatError(f"{where}: not JSON ({error}); expected a line of a log of lm-evaluation-harness") from None
    if not isinstance(record, dict) or not isinstance(record.get("doc"), dict) or not isinstance(record.get("resps"), list):
        raise FormatError(f"{where}: expected a line of a log of lm-evaluation-harness, with `doc` and `resps`, found {shown(line)}")
    doc, resps = record["doc"], record["resps"]
    item_id = doc.get("id")
    if not isinstance(item_id, str | int) or isinstance(item_id, bool):
        raise FormatError(f"{where}: `doc` has no `id`; a log is read if the task's records have the ids of the items")
    if not resps:
        raise FormatError(f"{where}: `resps` of {shown(item_id)} is empty")
    answers = [_answer(one, f"{where}: `resps` of {shown(item_id)}") for one in resps]
    return Sample(str(item_id), doc, tuple(ln_prob for ln_prob, _ in answers), tuple(greedy for _, greedy in answers), where)


def _answer(answers: Any, whose: str) -> tuple[float, bool]:
    """The answer to one request; a task may ask the same several times (`repeats`), and is told the same."""
    if not isinstance(answers, list) or not answers or any(one != answers[0] for one in answers):
        raise FormatError(f"{whose}: expected one answer to each request, found {shown(answers)}")
    one = answers[0]
    if isinstance(one, str):
        raise FormatError(
            f"{whose}: {shown(one)} is text; the task generates, so its log holds no scores. Give that of a task of likelihood"
        )
    if not isinstance(one, list) or len(one) != 2 or not isinstance(one[1], str | bool) or one[1] not in _GREEDY:
        raise FormatError(f"{whose}: expected {_ANSWER}, found {shown(one)}")
    return finite_score(one[0], whose), _GREEDY[one[1]]
