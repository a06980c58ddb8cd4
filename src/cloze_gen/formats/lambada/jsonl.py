r"""Passages as JSON lines (`passages.jsonl`): strict on the fields that make a passage, blind to the others.

The form is our own. One JSON object a line; `text` is the published rendering, `cased` the book's own, and both end in the target;
`context` is `cased` before the target; `split` says where in the set it stands and `domain` the genre of its novel. Provenance, scores and
verdict stand behind; a reader of another maker's set needs none of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from cloze_gen.errors import FormatError
from cloze_gen.formats.jsonl import parse_records
from cloze_gen.formats.lambada.rendering import cased_context, cased_text, published_tokens
from cloze_gen.formats.requirements import require
from cloze_gen.notation import shown
from cloze_gen.records.passage import Part, Passage, SetPassage, Split
from cloze_gen.text.tokens import spaces_after

REQUIRED_FIELDS = ("id", "book_id", "part", "sentences", "texts", "target_at", "start", "end")


def passage_record(passage: Passage, **more: Any) -> dict[str, Any]:
    """The JSON object of one passage: renderings for a reader, its own fields, then `more` (domain, scores, verdict) as given.

    Raises:
        FormatError: `more` repeats a field of the passage itself.

    >>> passage = Passage("b:1", "b", Part.TEST, (("Who", "?"), ("Ann", ".")), ("Who?", "Ann."), 0, 0, 9)
    >>> passage_record(passage, domain="crime")["text"]
    'who ? ann'
    >>> passage_from_record(passage_record(passage)) == passage
    True
    """
    record: dict[str, Any] = {
        "id": passage.id,
        "text": " ".join(published_tokens(passage)),
        "context": cased_context(passage),
        "target": passage.target,
        "cased": cased_text(passage),
        "book_id": passage.book_id,
        "part": str(passage.part),
        "start": passage.start,
        "end": passage.end,
        "sentences": [list(tokens) for tokens in passage.sentences],
        "texts": list(passage.texts),
        "target_at": passage.target_at,
    }
    repeated = sorted(record.keys() & more.keys())
    if repeated:
        raise FormatError(f"passage {passage.id}: the added fields {', '.join(repeated)} are the passage's own; name them otherwise")
    return record | more


def split_record(one: SetPassage) -> dict[str, str]:
    """A passage as a table of one split has it, all columns text: what ``datasets`` reads, which wants the same columns in every row.

    `text` and `domain` are those of the published set; `context` and `target` joined are `cased`.

    >>> passage = Passage("b:1", "b", Part.TEST, (("Who", "?"), ("Ann", ".")), ("Who?", "Ann."), 0, 0, 9)
    >>> list(split_record(SetPassage(passage, Split.TEST, "crime")).values())
    ['who ? ann', 'crime', 'b:1', 'b', 'Who? ', 'Ann', 'Who? Ann']
    """
    record = passage_record(one.passage)
    return {"text": record["text"], "domain": one.domain} | {name: record[name] for name in ("id", "book_id", "context", "target", "cased")}


def passage_from_record(record: Mapping[str, Any], *, where: str = "passage record") -> Passage:
    """The passage of one JSON object; other fields are ignored.

    Raises:
        FormatError: a required field is missing, of another type or contradicts the others; names `where` and the field.
    """
    missing = [field for field in REQUIRED_FIELDS if field not in record]
    if missing:
        raise FormatError(f"{where}: lacks {', '.join(missing)}; a passage needs {', '.join(REQUIRED_FIELDS)}")
    for field in ("id", "book_id"):
        require(isinstance(record[field], str) and record[field] != "", where, f"`{field}` must be a string that is not empty")
    require(record["part"] in list(Part), where, f"`part` must be one of {', '.join(Part)}, found {shown(record['part'])}")
    sentences, texts, at = record["sentences"], record["texts"], record["target_at"]
    require(
        isinstance(sentences, list) and bool(sentences) and all(isinstance(tokens, list) and _words(tokens) for tokens in sentences),
        where,
        "`sentences` must be lists of tokens that are not empty",
    )
    require(isinstance(texts, list) and _words(texts), where, "`texts` must be a list of strings that are not empty")
    require(len(texts) == len(sentences), where, "`texts` must have a text for each of `sentences`")
    for tokens, text in zip(sentences, texts, strict=True):
        try:
            spaces_after(text, tokens)
        except ValueError:
            message = f"{where}: the tokens are not those of {shown(text)}, where one space at most stands between two"
            raise FormatError(message) from None
    require(type(at) is int and 0 <= at < len(sentences[-1]), where, "`target_at` must be the place of a token of the last sentence")
    for field in ("start", "end"):
        require(type(record[field]) is int and record[field] >= 0, where, f"`{field}` must be a whole number from 0")
    told, target = record.get("target"), sentences[-1][at]
    require(told == target or not isinstance(told, str), where, f"`target` is {shown(told)}, but the token at `target_at` {shown(target)}")
    return Passage(
        record["id"],
        record["book_id"],
        Part(record["part"]),
        tuple(map(tuple, sentences)),
        tuple(texts),
        at,
        record["start"],
        record["end"],
    )


def parse_passages(lines: Iterable[str], *, name: str = "passages.jsonl") -> Iterator[SetPassage]:
    """Passages of a JSON Lines file; empty lines are passed over.

    Raises:
        FormatError: a line is no JSON object, no passage or of no split, or an id is in one split twice; names file and line.
    """
    first_lines: dict[tuple[Split, str], int] = {}
    for number, record in parse_records(lines, name=name):
        where = f"{name}, line {number}"
        passage = passage_from_record(record, where=where)
        split, domain = record.get("split", ""), record.get("domain", "")
        require(split in list(Split), where, f"`split` must be one of {', '.join(Split)}, found {shown(split)}")
        require(isinstance(domain, str), where, f"`domain` must be a string, found {shown(domain)}")
        found = SetPassage(passage, Split(split), domain)
        if (found.split, found.id) in first_lines:
            first = first_lines[found.split, found.id]
            raise FormatError(f"{where}: the id {found.id[:80]} was there before in this split, on line {first}")
        first_lines[found.split, found.id] = number
        yield found


def _words(values: list[Any]) -> bool:
    return bool(values) and all(isinstance(value, str) and value.strip() for value in values)
