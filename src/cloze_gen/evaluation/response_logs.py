"""Readers of logs of models' answers for item analysis; the contents decide the format.

Supported: lm-evaluation-harness (``--log_samples``), inspect-ai (``.json``, ``.eval``), our
`predictions.jsonl` (one model per baseline), JSON lines of scores, `id TAB option TAB score` lines.
"""

from __future__ import annotations

import io
import math
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from string import ascii_uppercase
from typing import Any

import numpy as np
import pyarrow as pa
from scipy.special import softmax

from cloze_gen.errors import FormatError, UsageError
from cloze_gen.evaluation.item_analysis import MISSING, NO_OPTION, ItemSet, ModelChoices
from cloze_gen.evaluation.metrics import best_options, score_matrix
from cloze_gen.evaluation.user_scores import (
    Sample,
    finite_score,
    is_sample_log,
    parse_sample_log,
)
from cloze_gen.parsing import ParseError, error_text, parse_json, quote
from cloze_gen.store.files import MAX_TEXT_BYTES, open_regular

LOG_FORMATS = (
    "a log of lm-evaluation-harness (--log_samples), a log of inspect-ai (.json or .eval), "
    "predictions.jsonl, or lines of `id TAB option TAB score`"
)
_TIES_SEED = 1
_ZSTANDARD = 93  # the method of inspect-ai since 2026
_LOCAL_HEADER = struct.Struct("<4s5HIIIHH")  # of an entry of a zip file; the last: name, extra

_Scores = Mapping[str, Sequence[float]]  # id -> scores of the options, in the order of the set


def read_models(paths: Sequence[Path], items: ItemSet) -> list[ModelChoices]:
    """All models of the logs, named by file, and where names repeat by folder and file."""
    logs = [(path, read_log(path, items)) for path in paths]
    stems = [path.stem for path in paths]
    models = [
        ModelChoices(
            _name(path, model.name, repeated=stems.count(path.stem) > 1),
            model.choices,
            model.key_prob,
        )
        for path, found in logs
        for model in found
    ]
    names = [one.name for one in models]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UsageError(
            f"Two logs would give the same model {quote(twice)}. Rename one of the files."
        )
    return models


def _name(path: Path, model: str, *, repeated: bool) -> str:
    own = f"{path.resolve().parent.name}/{path.stem}" if repeated else path.stem
    return model or own


def read_log(path: Path, items: ItemSet) -> list[ModelChoices]:
    """The models of one log; FormatError if it is none, or none of its ids is in the set."""
    name = path.name
    try:
        with open_regular(path) as handle:
            head = handle.read(4)
            handle.seek(0)
            if head == b"PK\x03\x04":
                return [_of_inspect(_zipped_samples(handle, name), items, name)]
            data = handle.read(MAX_TEXT_BYTES + 1)
    except OSError as error:
        raise UsageError(
            f"{path}: cannot be read ({error_text(error)}). Give {LOG_FORMATS}."
        ) from None
    if len(data) > MAX_TEXT_BYTES:
        raise UsageError(f"{path}: larger than {MAX_TEXT_BYTES // 2**20:,} MiB.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        packed = data[:2] == b"\x1f\x8b"
        why = "gzip-compressed; unpack it" if packed else f"not UTF-8, byte {error.start}"
        raise FormatError(f"{name}: {why}. Give {LOG_FORMATS}") from None
    if is_sample_log(text):
        return [_of_samples(parse_sample_log(text, name=name), items, name)]
    lines = [(i, line) for i, line in enumerate(text.split("\n"), 1) if line.strip()]
    if not lines:
        raise FormatError(f"{name}: the file is empty. Give {LOG_FORMATS}")
    if not lines[0][1].lstrip().startswith("{"):
        return [_of_scores(_option_lines(lines, items, name), items, name, log_probs=False)]
    try:
        first = parse_json(lines[0][1])
    except ParseError:
        first = None  # a JSON text of several lines
    if isinstance(first, dict) and "baseline" in first:
        return list(_of_predictions(lines, items, name))
    if isinstance(first, dict) and "scores" in first and "id" in first:
        return [_of_scores(_score_lines(lines, items, name), items, name, log_probs=False)]
    return [_of_inspect(_json_samples(text, name), items, name)]


def _model(found: Mapping[str, int], items: ItemSet, name: str, *, key: _Scores) -> ModelChoices:
    """`found`: id -> option; `key`: id -> (softmax probability of the key,)."""
    if not found:
        raise FormatError(
            f"{name}: none of its items is in this set of {len(items.ids):,} {items.noun}; give a "
            "log of this set"
        )
    return ModelChoices(
        "",
        np.array([found.get(one, MISSING) for one in items.ids], np.int64),
        np.array([key[one][0] if one in key else math.nan for one in items.ids], np.float64),
    )


def _of_scores(scores: _Scores, items: ItemSet, name: str, *, log_probs: bool) -> ModelChoices:
    ids = list(scores)
    matrix = score_matrix(scores.values())
    chosen = best_options(matrix, ids, seed=_TIES_SEED) if ids else np.zeros(0, np.int64)
    key: dict[str, Sequence[float]] = {}
    if log_probs:
        answer_of = dict(zip(items.ids, items.answers.tolist(), strict=True))
        key = {one: (float(softmax(scores[one])[answer_of[one]]),) for one in ids}
    return _model(dict(zip(ids, chosen.tolist(), strict=True)), items, name, key=key)


def _no_options(items: ItemSet, name: str, form: str) -> None:
    if items.open_ended:
        raise FormatError(
            f"{name}: {form} need options, and {items.noun} have none; give logs of "
            "lm-evaluation-harness or inspect-ai"
        )


# ---- lm-evaluation-harness


def _of_samples(samples: Sequence[Sample], items: ItemSet, name: str) -> ModelChoices:
    place = {one: i for i, one in enumerate(items.ids)}
    found = [sample for sample in samples if sample.id in place]
    if items.open_ended:
        for sample in found:
            if len(sample.greedy) != 1:
                raise FormatError(
                    f"{sample.where}: expected one answer for {sample.id[:80]}, found "
                    f"{len(sample.greedy)}"
                )
        greedy = {sample.id: 0 if sample.greedy[0] else 1 for sample in found}
        return _model(greedy, items, name, key={})
    scores: dict[str, list[float]] = {}
    for sample in found:
        options, answer = items.options[place[sample.id]], int(items.answers[place[sample.id]])
        order = _order(sample.doc.get("options"), options)
        shown = [options[one] for one in order]
        sample.check_options(shown, order.index(answer))
        scores[sample.id] = [sample.ln_probs[order.index(one)] for one in range(len(options))]
    return _of_scores(scores, items, name, log_probs=True)


def _order(listed: Any, options: Sequence[str]) -> list[int]:
    """The set's index of each shown option; its own order unless `listed` rearranges the options.

    >>> _order(["c", "a", "b"], ["a", "b", "c"]), _order(None, ["a", "b"])
    ([2, 0, 1], [0, 1])
    """
    if (
        isinstance(listed, list)
        and all(isinstance(one, str) for one in listed)
        and sorted(listed) == sorted(options)
        and len(set(listed)) == len(listed)
    ):
        return [list(options).index(one) for one in listed]
    return list(range(len(options)))


# ---- inspect-ai (`EvalSample` of inspect_ai/log/_log.py, the scorer `choice`)


def _json_samples(text: str, name: str) -> Iterator[Any]:
    try:
        log = parse_json(text)
    except ParseError as error:
        raise FormatError(f"{name}: not JSON ({error}). Give {LOG_FORMATS}") from None
    if not isinstance(log, dict) or not isinstance(log.get("samples"), list):
        raise FormatError(f"{name}: no `samples`, so no log of inspect-ai. Give {LOG_FORMATS}")
    yield from log["samples"]


def _zipped_samples(handle: Any, name: str) -> Iterator[Any]:
    try:
        with zipfile.ZipFile(handle) as archive:
            for one in archive.infolist():
                if not one.filename.startswith("samples/") or not one.filename.endswith(".json"):
                    continue
                if one.file_size > MAX_TEXT_BYTES:
                    raise FormatError(f"{name}: {quote(one.filename)} is too large")
                if one.compress_type == _ZSTANDARD:
                    yield parse_json(_unpacked(handle, one))
                else:
                    yield parse_json(archive.read(one))
    except ParseError as error:
        raise FormatError(f"{name}: a sample is not JSON ({error})") from None
    except NotImplementedError:
        raise FormatError(
            f"{name}: compressed in a way that this Python cannot read. Convert it with `inspect "
            "log convert --to json`"
        ) from None
    except (zipfile.BadZipFile, zlib.error, RuntimeError, OSError, EOFError, ValueError) as error:
        raise FormatError(f"{name}: not a log of inspect-ai ({error_text(error)})") from None


def _unpacked(handle: Any, entry: zipfile.ZipInfo) -> bytes:
    """A Zstandard entry, which `zipfile` cannot read before Python 3.14."""
    handle.seek(entry.header_offset)
    header = handle.read(_LOCAL_HEADER.size)
    if len(header) < _LOCAL_HEADER.size:
        raise ValueError("the file is cut short")
    name_bytes, extra_bytes = _LOCAL_HEADER.unpack(header)[-2:]
    handle.seek(name_bytes + extra_bytes, io.SEEK_CUR)
    packed = handle.read(min(entry.compress_size, MAX_TEXT_BYTES))
    return pa.Codec("zstd").decompress(packed, entry.file_size, asbytes=True)


def _of_inspect(samples: Iterator[Any], items: ItemSet, name: str) -> ModelChoices:
    """The first epoch of each item. A sample without a score is missing."""
    place = {one: i for i, one in enumerate(items.ids)}
    found: dict[str, int] = {}
    epochs: dict[str, int] = {}
    unscored = 0
    for number, sample in enumerate(samples, 1):
        where = f"{name}, sample {number}"
        if not isinstance(sample, dict) or not isinstance(sample.get("id"), str | int):
            raise FormatError(f"{where}: expected an object with `id`, found {quote(sample)}")
        item_id, epoch = _item_id(sample), sample.get("epoch", 1)
        if item_id not in place or not isinstance(epoch, int) or epoch > epochs.get(item_id, epoch):
            continue
        scores = sample.get("scores")
        if not isinstance(scores, dict) or not scores:
            unscored += 1
            continue
        score = scores["choice"] if "choice" in scores else next(iter(scores.values()))
        if not isinstance(score, dict):
            raise FormatError(f"{where}: the score of {quote(item_id)} is no object")
        epochs[item_id] = epoch
        at = place[item_id]
        found[item_id] = (
            (0 if score.get("value") in ("C", 1, True) else 1)
            if items.open_ended
            else _chosen(score, sample, items.options[at], int(items.answers[at]), where)
        )
    if unscored and not found:
        raise FormatError(
            f"{name}: none of its {unscored:,} samples of this set has a score; run the evaluation again"
        )
    return _model(found, items, name, key={})


def _item_id(sample: Mapping[str, Any]) -> str:
    metadata = sample.get("metadata")
    asked = metadata.get("question_id") if isinstance(metadata, dict) else None
    return str(asked if isinstance(asked, str | int) else sample["id"])


def _chosen(
    score: Mapping[str, Any], sample: Mapping[str, Any], options: Sequence[str], answer: int, where: str
) -> int:  # fmt: skip
    letter, listed, target = score.get("answer"), sample.get("choices"), sample.get("target")
    order = _order(listed, options)
    letters = ascii_uppercase[: len(options)]
    if isinstance(target, list) and len(target) == 1:
        target = target[0]
    if not isinstance(target, str) or target != letters[order.index(answer)]:
        raise FormatError(
            f"{where}: the target of {quote(sample['id'])} is {quote(target)}, but the set's key is "
            f"{letters[order.index(answer)]}; give a log of this set and version"
        )
    if isinstance(letter, str) and len(letter) == 1 and letter in letters:
        return order[letters.index(letter)]
    return NO_OPTION


# ---- our own predictions, and plain scores


def _objects(lines: Sequence[tuple[int, str]], name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for number, line in lines:
        where = f"{name}, line {number}"
        try:
            record = parse_json(line)
        except ParseError as error:
            raise FormatError(f"{where}: not JSON ({error})") from None
        if not isinstance(record, dict) or not isinstance(record.get("id"), str | int):
            raise FormatError(f"{where}: expected an object with `id`, found {quote(line)}")
        yield where, record


def _of_predictions(
    lines: Sequence[tuple[int, str]], items: ItemSet, name: str
) -> Iterator[ModelChoices]:
    _no_options(items, name, "predictions")
    place = {one: i for i, one in enumerate(items.ids)}
    found: dict[str, dict[str, int]] = {}
    for where, record in _objects(lines, name):
        baseline, option, word = record.get("baseline"), record.get("option"), record.get("word")
        if not isinstance(baseline, str) or not isinstance(option, int) or "chosen" not in record:
            raise FormatError(f"{where}: expected a line of predictions.jsonl of questions")
        if record["chosen"] is not True or record["id"] not in place:
            continue
        options = items.options[place[record["id"]]]
        if not 0 <= option < len(options) or word != options[option]:
            raise FormatError(
                f"{where}: option {option} of {quote(record['id'])} differs from that of the set"
            )
        found.setdefault(baseline, {})[record["id"]] = option
    for baseline, chosen in found.items() or [("", {})]:
        model = _model(chosen, items, name, key={})
        yield ModelChoices(baseline, model.choices, model.key_prob)


def _score_lines(
    lines: Sequence[tuple[int, str]], items: ItemSet, name: str
) -> dict[str, list[float]]:
    _no_options(items, name, "scores")
    counts = dict(zip(items.ids, map(len, items.options), strict=True))
    found: dict[str, list[float]] = {}
    for where, record in _objects(lines, name):
        item_id, scores = str(record["id"]), record.get("scores")
        if item_id not in counts:
            continue  # the log may be of a larger set
        if not isinstance(scores, list) or len(scores) != counts[item_id]:
            raise FormatError(f"{where}: {quote(item_id)} needs {counts[item_id]} scores")
        found[item_id] = [finite_score(one, where) for one in scores]
    return found


def _option_lines(
    lines: Sequence[tuple[int, str]], items: ItemSet, name: str
) -> dict[str, list[float]]:
    _no_options(items, name, "lines of scores")
    options = dict(zip(items.ids, items.options, strict=True))
    found: dict[str, dict[str, float]] = {}
    for number, line in lines:
        where, cells = f"{name}, line {number}", line.rstrip("\r").split("\t")
        if len(cells) != 3:
            raise FormatError(
                f"{where}: expected `id TAB option TAB score`, found {quote(line)}. Give {LOG_FORMATS}"
            )
        item_id, option, score = cells
        if item_id not in options:
            continue  # the log may be of a larger set
        of_item = found.setdefault(item_id, {})
        if option not in options[item_id] or option in of_item:
            problem = (
                "has a score on an earlier line" if option in of_item else "is none of its options"
            )
            raise FormatError(f"{where}: {quote(option)} of {quote(item_id)} {problem}")
        of_item[option] = finite_score(score, where)
    for item_id, of_item in found.items():
        lacking = [one for one in options[item_id] if one not in of_item]
        if lacking:
            raise FormatError(f"{name}: {quote(item_id)} has no score of {quote(lacking[0])}")
    return {one: [of_item[option] for option in options[one]] for one, of_item in found.items()}
