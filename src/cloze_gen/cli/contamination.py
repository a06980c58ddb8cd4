"""`cloze-gen contamination`: was a model trained on a file of a release?"""

from __future__ import annotations

import hashlib
import json
import os
import shlex
from fractions import Fraction
from pathlib import Path

from cloze_gen.api.evaluator import read_scores
from cloze_gen.engine.progress import say
from cloze_gen.errors import FormatError, UsageError
from cloze_gen.evaluation.order_test import (
    LEVEL,
    OrderPlan,
    OrderTest,
    format_p,
    order_test,
    parse_order_log,
    plan_orders,
    prompt_texts,
)
from cloze_gen.parsing import ParseError, counted, error_text, parse_json, quote
from cloze_gen.release.settings import CORPUS, SHUFFLED
from cloze_gen.release.signature import CHECKSUMS, parse_checksums
from cloze_gen.store.files import new_file, read_below, stays_within
from cloze_gen.store.runs import RELEASE_FILE, find_release, leads_to

_CHARS_A_TOKEN = 4  # of English text, approximately


# ---- The two commands


def write_requests(
    release: Path, requests: Path, *, file: str, shards: int, permutations: int, seed: int, exchangeable: bool, out: Path
) -> str:  # fmt: skip
    """Write the texts that the model has to score; returns the message.

    `release`: the folder of a release, or a run by its folder or its name in `out`. With
    `exchangeable` the user confirms that a file was published in random order.
    """
    folder = find_release(out, release)
    name, lines = read_published_lines(folder, file, exchangeable=exchangeable)
    plan = plan_orders(lines, shards=shards, permutations=permutations, seed=seed)
    smallest = Fraction(1, (plan.permutations + 1) ** plan.shards)
    if smallest > LEVEL:
        raise UsageError(
            f"{_design(plan)} of each: the smallest possible p is {format_p(smallest)}, but "
            f"evidence needs p <= {format_p(LEVEL)}. Use more permutations (--permutations), or a "
            "file with more lines (--file)."
        )
    n_texts = plan.shards * (plan.permutations + 1)
    chars = (plan.permutations + 1) * sum(len(line) + 1 for line in lines)
    tokens = chars // _CHARS_A_TOKEN
    say(
        f"{name}: {len(lines):,} lines, {_design(plan)} of each: {n_texts:,} texts, about "
        f"{tokens:,} tokens, {tokens // n_texts:,} in a text (--shards makes texts shorter)"
    )
    with new_file(requests, option="REQUESTS") as handle:
        for item_id, text in prompt_texts(lines, plan):
            request = json.dumps({"id": item_id, "text": text}, ensure_ascii=False)
            handle.write(f"{request}\n".encode())
    options = f" --file {shlex.quote(file)}" if file else ""
    if exchangeable:
        options += " --exchangeable"
    say(
        'Next: score each text and write a line {"id": ..., "log_likelihood": ...} to LOG. Then run'
    )
    say(f"`cloze-gen contamination read {shlex.quote(str(release))} LOG{options}`.")
    return f"written to {requests}"


def read_log(release: Path, log: Path, *, file: str, exchangeable: bool, out: Path) -> str:
    """The result of the test; FormatError for a log of other requests."""
    folder = find_release(out, release)
    name, lines = read_published_lines(folder, file, exchangeable=exchangeable)
    expected = "JSON lines with the log-likelihoods of the texts of `contamination write`"
    plan, values = parse_order_log(read_scores(log, expected=expected), lines, name=str(log))
    test = order_test(values)
    return "\n".join([f"{name}: {len(lines):,} lines, {_design(plan)} of each", *_result(test)])


def _result(test: OrderTest) -> list[str]:
    highest = test.shards * test.permutations
    first = sum(rank == test.permutations for rank in test.ranks)
    lines = [
        f"  sum of ranks  {sum(test.ranks):,} of {highest:,}, {highest / 2:,.0f} expected if "
        f"unseen; the published order is best in {first:,} shards"
    ]
    if test.tied_count:
        lines.append(
            f"  ties          in {counted(test.tied_count, 'shard')}, counted against the "
            "published order"
        )
    lines += [
        f"  p, exact      {format_p(test.exact_p)} (evidence at {format_p(LEVEL)} or less)",
        "",
    ]
    if test.exact_p <= LEVEL:
        lines += [
            "The model prefers the published order by more than chance: evidence that it was "
            "trained on these lines in this order.",
            "p is for one test. If you test several files, seeds or models, multiply the smallest "
            "p by their number.",
        ]
    else:
        lines.append(
            "No evidence that the model was trained on these lines in this order. This does not "
            "prove that it was not."
        )
    return [
        *lines,
        "The test does not detect copies that were shuffled, reformatted or seen too rarely, "
        "nor training on single lines or in shuffled batches "
        "(docs/how-to/evaluating-models.md of cloze-gen).",
    ]


def _design(plan: OrderPlan) -> str:
    return f"{counted(plan.shards, 'shard')}, {counted(plan.permutations, 'shuffled order')}"


# ---- The published file

DEFAULT_FILES = ("test.jsonl", "questions.jsonl")
# files of a release with one item a line
ITEM_FILES = (*DEFAULT_FILES, "train.jsonl", "validation.jsonl", "control.jsonl", "passages.jsonl")
_VOUCH = "If you know that its lines were shuffled before they were published, pass --exchangeable."


def read_published_lines(folder: Path, file: str, *, exchangeable: bool) -> tuple[str, list[str]]:
    r"""A file's name in the release, and its lines without `\n` and without blank lines.

    An empty `file` is the first of `DEFAULT_FILES` that exists. UsageError if the lines are not
    known to be in random order, unless the user confirms it with `exchangeable`.
    """
    if not leads_to(folder, Path.is_dir):
        raise UsageError(
            f"{quote(str(folder), most_chars=300)}: no such folder, and no run of this name. Give "
            "a run, or the folder of a release, such as runs/NAME/release."
        )
    name = file or _default_file(folder)
    if Path(name).is_relative_to(folder):
        name = Path(name).relative_to(folder).as_posix()
    if not stays_within(name):
        raise UsageError(
            f"--file {quote(name)}: not inside the release. Give the name of a file in {folder}."
        )
    _check_order(folder, exchangeable=exchangeable)
    data = _read(folder, name)
    _check_sum(folder, name, data, exchangeable=exchangeable)
    try:
        lines = [line for line in data.decode("utf-8-sig").split("\n") if line.strip()]
    except UnicodeDecodeError as error:
        raise FormatError(
            f"{folder / name}: not UTF-8 text (byte {error.start}). Give a file with one item a "
            "line."
        ) from None
    if len(lines) < 2:
        raise UsageError(
            f"{folder / name}: has {len(lines)} lines, but the test needs two or more. Give a file "
            "with one item a line."
        )
    if not exchangeable and name not in ITEM_FILES and len(lines) not in _item_counts(folder):
        raise UsageError(
            f"{folder / name}: has {len(lines):,} lines, which is not the number of items of the "
            f"set or of a split, so its lines may not be items. {_VOUCH}"
        )
    return name, lines


def _item_counts(folder: Path) -> set[int]:
    return {
        sum(map(bool, map(bytes.strip, _read(folder, name).split(b"\n"))))
        for name in ITEM_FILES
        if _is_there(folder, name)
    }


def _default_file(folder: Path) -> str:
    name = next((name for name in DEFAULT_FILES if _is_there(folder, name)), None)
    if name is None:
        raise UsageError(
            f"{folder}: has no {' or '.join(DEFAULT_FILES)}. Give a file with one item a line by "
            "--file."
        )
    return name


def _check_order(folder: Path, *, exchangeable: bool) -> None:
    """Check the order in `release.json`; items in book order are refused even if the user insists."""
    path = folder / RELEASE_FILE
    if not _is_there(folder, RELEASE_FILE):
        if not exchangeable:
            raise UsageError(
                f"{folder}: has no {RELEASE_FILE}, so the order of its items is unknown. {_VOUCH}"
            )
        return
    try:
        record = parse_json(_read(folder, RELEASE_FILE))
    except ParseError as error:
        raise FormatError(f"{path}: not JSON ({error}). Download the release again.") from None
    order = record.get("order") if isinstance(record, dict) else None
    if order == SHUFFLED:
        return
    if order == CORPUS:
        raise UsageError(
            f"{path}: order is {CORPUS}: the items follow the order of the books, which a model "
            "may prefer without having seen the file. This release cannot be tested. Make one with "
            "release.order = shuffled."
        )
    if not exchangeable:
        raise UsageError(f"{path}: order is {quote(order)}, not {SHUFFLED}. {_VOUCH}")


def _check_sum(folder: Path, name: str, data: bytes, *, exchangeable: bool) -> None:
    path = folder / CHECKSUMS
    if not _is_there(folder, CHECKSUMS):
        if not exchangeable:
            raise UsageError(
                f"{folder}: has no {CHECKSUMS}, so {name} cannot be checked against the published "
                f"file. {_VOUCH}"
            )
        return
    text = _read(folder, CHECKSUMS).decode("utf-8", errors="replace")
    sums = parse_checksums(text, where=str(path))
    if name not in sums:
        raise UsageError(
            f"{path}: does not list {name}, so it is not a file of this release. Give another file "
            "by --file."
        )
    found = hashlib.sha256(data).hexdigest()
    if found != sums[name]:
        raise FormatError(
            f"{folder / name}: differs from the published file: its sha256 is {found}, but "
            f"{CHECKSUMS} has {quote(sums[name], most_chars=80)}. Download the release again."
        )


def _is_there(folder: Path, name: str) -> bool:
    """True also for a dangling link, which is then refused, not skipped."""
    return os.path.lexists(folder / name)


def _read(folder: Path, name: str) -> bytes:
    """Read an untrusted file of the folder (see `store.files.read_below`)."""
    try:
        return read_below(folder, name)
    except (OSError, ValueError) as error:
        advice = "Give the folder of a release, and by --file a file in it."
        raise UsageError(
            f"{folder / name}: cannot be read ({error_text(error)}). {advice}"
        ) from None
