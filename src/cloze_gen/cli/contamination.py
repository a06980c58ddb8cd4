"""`cloze-gen contamination`: was a model trained on a release, and on its books?"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import json
import math
import os
import re
import secrets
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path

from cloze_gen.api.evaluator import PREDICTIONS, read_scores
from cloze_gen.cli.arguments import DEFAULT_OUT
from cloze_gen.corpus.books import book_folder, kept_books, read_type_counts
from cloze_gen.corpus.source_sentences import read_sentences
from cloze_gen.engine.progress import say
from cloze_gen.errors import FormatError, UsageError
from cloze_gen.evaluation.contamination import (
    LEVEL,
    LOG_LIKELIHOOD,
    OrderPlan,
    OrderTest,
    canary_test,
    changed_junctions,
    detect_ordering,
    detectable_gain,
    format_p,
    order_test,
    parse_answers,
    parse_order_log,
    plan_orders,
    prompt_texts,
)
from cloze_gen.evaluation.name_cloze import (
    LEAST_BOOKS,
    BookScore,
    NamePassage,
    book_scores,
    correlation,
    given_name,
    name_passages,
)
from cloze_gen.parsing import ParseError, error_text, parse_json, quote
from cloze_gen.pipelines.style_task import style_of_run
from cloze_gen.release.facts import read_record
from cloze_gen.release.settings import CORPUS, SHUFFLED
from cloze_gen.release.signature import (
    CHECKSUMS,
    canary_commitment,
    drawn_canary,
    parse_checksums,
)
from cloze_gen.store.files import (
    check_new,
    new_file,
    read_below,
    read_regular_text,
    stays_within,
)
from cloze_gen.store.runs import (
    EVALUATION,
    RELEASE_FILE,
    find_release,
    find_run,
    leads_to,
    released_folder,
    seek_run,
    stage_artifact,
)
from cloze_gen.store.tables import read_jsonl
from cloze_gen.text_layout import table_lines

PERMUTATIONS, SEED = 99, 1
CHARS_A_TOKEN = 4  # of English text, approximately
LONG_TOKENS = 4_000  # longer than the context of some models
LARGE_BYTES = 20_000_000
FEWER = 19  # permutations: enough for p = 0.05, the smallest p of the whole file
MOST_OTHERS = 4
FEW_LINES = 250
# The least `OrderTest.order_effect` times the root of the lines a shard, with which it falls.
# Small transformers and 5-gram models, trained on the file or not, had 0.003 or more. Sums of
# scores of single lines differ by rounding (1e-15 to 1e-7), or 1e-6 with added noise of 1e-4.
LEAST_EFFECT = 1e-5
MOST_MIXED = 0.01  # p of logs whose scores may belong to any id


def contamination(
    release: Path, *, file: str, requests: Path | None, log: Path | None, shards: int | None, permutations: int | None, seed: int | None,
    exchangeable: bool, canary: Path | None = None, names: bool = False, out: Path = DEFAULT_OUT,
) -> str:  # fmt: skip
    """Write a test's requests (`requests`), or test the scores (`log`); returns the message.

    `release`: the folder of a release, or a run by its folder or its name in `out`.
    `shards`, `permutations` and `seed` go with `requests` only; a log's ids contain them. With
    `exchangeable` the user confirms that a file was published in random order. `canary` is the file
    of a nonce: the test is that of the canary. `names`: it is the name cloze.
    """
    if requests is not None:
        check_new(requests, option="--requests")
    if names or canary is not None:
        if file or exchangeable or (shards, permutations, seed) != (None, None, None):
            raise UsageError(
                "--file, --shards, --permutations, --seed and --exchangeable belong to the test of "
                "the order. Leave them out with --canary and --names."
            )
        if names and canary is not None:
            raise UsageError("--canary and --names are two tests. Give one of them.")
        if requests is not None and log is not None:
            raise UsageError("Give --requests or --log, not both.")
    if canary is not None:
        return _canary(find_release(out, release), canary, requests, log)
    if names and (requests is None) != (log is None):
        return _names(release, out, requests, log)
    if (requests is None) == (log is None):
        raise UsageError(
            "Give either --requests FILE, to write the texts that the model has to score, or "
            "--log FILE, with its log-likelihoods of these texts."
        )
    release = find_release(out, release)
    if log is not None:
        if (shards, permutations, seed) != (None, None, None):
            raise UsageError(
                "--shards, --permutations and --seed go with --requests only; the ids in the log "
                "contain them. Leave them out."
            )
        return _test(release, file, log, exchangeable=exchangeable)
    assert requests is not None
    name, lines = read_published_lines(release, file, exchangeable=exchangeable)
    wanted = PERMUTATIONS if permutations is None else permutations
    plan = plan_orders(
        lines, shards=shards or 0, permutations=wanted, seed=SEED if seed is None else seed
    )
    _check_design(plan, len(lines))
    for line in _request_summary(name, lines, plan):
        say(line)
    say(_power_line(plan, len(lines)))
    others = () if file else _smaller_files(release, name, plan.permutations + 1)
    if listed := ", ".join(itertools.islice(others, MOST_OTHERS)):
        say(f"Smaller ones for --file, in tokens: {listed}.")
        say(
            "Only training on the file itself shows: choose the one that a trainer would have, before you "
            "see a score, and report its p."
        )
    more = f"{f' --file {shlex.quote(file)}' if file else ''}{' --exchangeable' if exchangeable else ''}"
    return _written(requests, prompt_texts(lines, plan), release, more)


def _check_design(plan: OrderPlan, n_lines: int) -> None:
    """UsageError if no log of this plan could be evidence."""
    if (smallest := Fraction(1, (plan.permutations + 1) ** plan.shards)) > LEVEL:
        enough = next(n for n in itertools.count(1) if (n + 1) ** plan.shards * LEVEL >= 1)
        if math.factorial(min(9, n_lines // plan.shards)) > enough:
            advice = f"Use --permutations {enough} or more."
        else:
            advice = "Use fewer shards, or a file with more lines (--file)."
        raise UsageError(
            f"{_count(plan.shards, 'shard')} with {_count(plan.permutations, 'permutation')} each: "
            f"the smallest possible p is {format_p(smallest)}, but evidence needs p <= "
            f"{format_p(LEVEL)}. {advice}"
        )


def _power_line(plan: OrderPlan, n_lines: int, spread: float = 0.0) -> str:
    """The gain that this test detects. `spread`: of a junction, in the unit of a log."""
    gain = detectable_gain(n_lines, plan.shards, plan.permutations)
    if gain is None:
        return "No gain is found in 9 of 10 tests of this size. Use more permutations or lines."
    unit = f" ({gain * spread:.2g} in the unit of the log)" if spread else ""
    return (
        f"With {n_lines:,} lines, {_count(plan.shards, 'shard')} and "
        f"{_count(plan.permutations, 'permutation')}"
        f"{' only strong memorization shows:' if n_lines < FEW_LINES else ','} a gain of {gain:.2g} "
        f"spreads a line{unit} is found in 9 of 10 tests at p <= {format_p(LEVEL)}."
    )


def _count(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'s' * (n != 1)}"


def _smaller_files(folder: Path, tested: str, orders: int) -> Iterator[str]:
    """Each smaller text file that passes the checks, plain text first, with its tokens."""
    listed = _listed(folder) if _is_there(folder, CHECKSUMS) else {}
    sizes = {
        name: os.lstat(folder / name).st_size
        for name in listed
        if name.endswith((".txt", ".jsonl")) and _is_there(folder, name)
    }
    for name in sorted(sizes, key=lambda one: (not one.endswith(".txt"), sizes[one])):
        if sizes[name] < sizes.get(tested, 0):
            with contextlib.suppress(UsageError, FormatError):
                _, lines = read_published_lines(folder, name, exchangeable=False)
                tokens = orders * sum(len(line) + 1 for line in lines) // CHARS_A_TOKEN
                yield f"{name} (about {tokens:,})"


def _written(
    requests: Path, texts: Iterable[tuple[str, str]], release: Path, more: str, *, key: str = LOG_LIKELIHOOD
) -> str:  # fmt: skip
    """Write the requests and print what comes next."""
    _write(requests, texts)
    what = (
        "score each text with the model"
        if key == LOG_LIKELIHOOD
        else "let the model continue each text (about 10 tokens)"
    )
    say(f'Next: {what} and write a line {{"id": ..., "{key}": ...}} for each to FILE. Then run')
    say(f"`cloze-gen contamination {shlex.quote(str(release))} --log FILE{more}`.")
    return f"written to {requests}"


def _say_size(what: str, texts: Sequence[tuple[str, str]]) -> None:
    size = sum(len(_request(*one).encode()) for one in texts)
    tokens = sum(len(text) for _, text in texts) // CHARS_A_TOKEN
    say(f"{what}: {len(texts):,} requests, {_size_text(size)}, about {tokens:,} tokens.")


def _request_summary(name: str, lines: list[str], plan: OrderPlan) -> Iterator[str]:
    rest, orders = iter(lines), plan.permutations + 1
    texts = [
        "".join(f"{line}\n" for line in itertools.islice(rest, size)) for size in plan.sizes
    ]  # the length is the same in every order
    longest, chars = max(map(len, texts)), sum(map(len, texts))
    size = orders * sum(
        len(_request(plan.id(shard, 0), text).encode()) for shard, text in enumerate(texts)
    )
    size += plan.shards * sum(
        len(str(order)) - 1 for order in range(orders)
    )  # ids end in the number of the order
    yield (
        f"{name}: {len(lines):,} lines in {_count(plan.shards, 'shard')}, each in {orders:,} orders: "
        f"{plan.shards * orders:,} requests, "
        f"{_size_text(size)}, about {orders * chars // CHARS_A_TOKEN:,} tokens; the longest "
        f"has {longest:,} characters, about "
        f"{longest // CHARS_A_TOKEN:,} tokens."
    )
    if size > LARGE_BYTES and plan.permutations > FEWER:
        share = (FEWER + 1) / orders
        yield (
            f"Use --permutations {FEWER} for {share:.0%} of that, or give a file with shorter lines "
            "by --file."
        )
    if longest > LONG_TOKENS * CHARS_A_TOKEN:
        yield (
            "If the longest text does not fit the model's context, use --shards "
            f"{plan.shards * 2}: texts are then half as long."
        )


def _size_text(size: int) -> str:
    return f"{size / 1e6:,.1f} MB"


def _request(item_id: str, text: str) -> str:
    return json.dumps({"id": item_id, "text": text}, ensure_ascii=False) + "\n"


def _write(path: Path, texts: Iterable[tuple[str, str]]) -> None:
    """Write the texts as JSON lines to a new file; remove the file if that fails."""
    with new_file(path, option="--requests") as handle:
        for item_id, text in texts:
            handle.write(_request(item_id, text).encode())


def _test(release: Path, file: str, log: Path, *, exchangeable: bool) -> str:
    name, lines = read_published_lines(release, file, exchangeable=exchangeable)
    text = read_scores(
        log, expected="JSON lines with the log-likelihoods of the texts of --requests"
    )
    plan, values = parse_order_log(text, lines, name=str(log))
    test = order_test(values)
    if test.order_effect * math.sqrt(len(lines) / plan.shards) < LEAST_EFFECT:
        raise FormatError(
            f"{log}: no conclusion: the log-likelihoods (nearly) do not depend on the order of the "
            f"lines; orders of a shard differ by {test.order_effect:.0e} of their value. The model "
            "did not read whole texts, or sees too little context, so this log says nothing about "
            "training. Score each text of --requests as one sequence, not line by line."
        )
    if test.mixed_p > MOST_MIXED:
        raise FormatError(
            f"{log}: no conclusion: orders of one shard differ as much as those of other shards, although "
            "they have the same lines. The log-likelihoods seem to belong to other ids. Write each with "
            "the id of its text."
        )
    return "\n".join(_result_lines(test, plan, name))


def _result_lines(test: OrderTest, plan: OrderPlan, name: str) -> list[str]:
    highest, first = (
        test.shards * test.permutations,
        sum(rank == test.permutations for rank in test.ranks),
    )
    least = Fraction(1, test.permutations + 1)
    paper = (
        "none (one shard, or no spread)"
        if test.t is None or test.t_p is None
        else f"{test.t_p:.1e}, asymptotic (t = {test.t:.2f})"
    )
    ties = (
        [
            f"ties             in {_count(test.tied_count, 'shard')}, counted against the published order"
        ]
        if test.tied_count
        else []
    )
    n_lines = sum(plan.sizes)
    changed = changed_junctions(n_lines / plan.shards)
    spread = test.spread / math.sqrt(changed)
    figures = [
        f"sum of ranks     {sum(test.ranks):,} of {highest:,}, {highest / 2:,.0f} expected if "
        f"unseen; the published order is best in {first:,} shards",
        *ties,
        f"gain             {_gain_text(test, changed, 1)} a line over its shuffles, in the unit of the log",
        *(
            [
                f"                 {_gain_text(test, changed, spread)} spreads a line (1 spread: {spread:.3g})"
            ]
            if spread
            else []
        ),
        f"p, exact         {format_p(test.exact_p)} (report this one; evidence at {format_p(LEVEL)} or less)",
        f"p, whole file    {format_p(test.whole_p)}, also exact; {format_p(least)} is the smallest possible",
        f"p, the paper's t {paper}",
    ]
    head = (
        f"{name}: {n_lines:,} lines, {_count(test.shards, 'shard')}, "
        f"{_count(test.permutations, 'shuffled order')} of each ({plan.name})"
    )
    return [head, *(f"  {line}" for line in figures), "", *_meaning(test, plan, spread)]


def _gain_text(test: OrderTest, changed: float, unit: float) -> str:
    """The gain of a junction in a unit, with its interval."""
    gain = test.gain / (changed * unit)
    if test.error is None:
        return f"{gain:.3g}"
    error = test.error / (changed * unit)
    return f"{gain:.3g} (95 %: {gain - error:.3g} to {gain + error:.3g})"


def _meaning(test: OrderTest, plan: OrderPlan, spread: float) -> list[str]:
    if test.exact_p <= LEVEL:
        verdict = [
            "The model prefers the published order by more than chance: evidence that it was "
            "trained on these lines in this order.",
            "p is for one test. If you test several files, seeds or models, multiply the smallest "
            "p by their number.",
        ]
    else:
        verdict = [
            "No evidence that the model was trained on these lines in this order. This does not "
            "prove that it was not.",
            _power_line(plan, sum(plan.sizes), spread),
        ]
    return [
        *verdict,
        "The test does not detect copies that were shuffled, reformatted or seen too rarely, "
        "nor training on single lines or in shuffled batches (docs/how-to/evaluating-models.md of cloze-gen).",
    ]


DEFAULT_FILES = ("test.jsonl", "questions.jsonl")
ITEM_FILES = (
    *DEFAULT_FILES,
    "train.jsonl",
    "validation.jsonl",
    "control.jsonl",
    "passages.jsonl",
)  # files of a release with one item a line
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
    found = detect_ordering(lines)
    if found:
        raise UsageError(
            f"{folder / name}: its lines are not in random order, but {found}. A model may prefer "
            "this order without having seen the file. Give a file of one split with one item a "
            "line (--file), made with release.order = shuffled."
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
    sums = _listed(folder)
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


def _listed(folder: Path) -> Mapping[str, str]:
    text = _read(folder, CHECKSUMS).decode("utf-8", errors="replace")
    return parse_checksums(text, where=str(folder / CHECKSUMS))


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


# ---- The rank of the drawn canary

CANARIES = 999  # unpublished ones: p of 0.001 is possible
_NONCE = re.compile(r"[0-9a-f]{64}")


def _canary(release: Path, path: Path, requests: Path | None, log: Path | None) -> str:
    facts = read_record(release).facts
    published = str(facts.settings.get("release", {}).get("canary", ""))
    if not published and (requests is not None or log is not None):
        raise UsageError(
            f"{release}: its canary {quote(facts.canary)} was not drawn but follows from the "
            "signature, so it cannot be ranked. To draw one before publication, call this command "
            "without --requests and --log."
        )
    if not os.path.lexists(path):
        if published:
            raise UsageError(
                f"{path}: no such file. Give the file of the nonce from which the canary was drawn."
            )
        _draw_nonce(path)
    nonce = _read_nonce(path)
    drawn = f"{drawn_canary(nonce, 0)}:{canary_commitment(nonce)}"
    if drawn != published:
        if not published:
            return (
                f"{path}: keep this file secret until you reveal the nonce. Publish its canary with\n"
                f"`cloze-gen run {facts.name} --set release.canary={drawn}`, with the arguments of the "
                "run."
            )
        raise UsageError(
            f"{release}: its canary {quote(facts.canary)} was not drawn from the nonce in {path}. "
            "Give the file whose sha256 is on the card of this release."
        )
    texts = [
        (f"canary-{canary_commitment(nonce)[:12]}:{number}", _canary_text(nonce, number))
        for number in range(CANARIES + 1)
    ]
    if requests is not None:
        _say_size(f"the published canary and {CANARIES:,} others", texts)
        say("Keep the requests secret: they contain the unpublished canaries.")
        return _written(requests, texts, release, f" --canary {shlex.quote(str(path))}")
    if log is None:
        return f"{facts.canary}: drawn from the nonce in {path}"
    text = read_scores(log, expected="JSON lines with the log-likelihoods of the canaries")
    ids = [item_id for item_id, _ in texts]
    values = parse_answers(text, ids, key=LOG_LIKELIHOOD, name=str(log))
    if len(set(values.values())) == 1:
        raise FormatError(
            f"{log}: no conclusion: all canaries have the same log-likelihood, so this log says "
            "nothing about training. Score each text of --requests."
        )
    rank, p = canary_test([values[item_id] for item_id in ids])
    verdict = (
        "The model prefers the published canary: evidence that it was trained on the release."
        if p <= LEVEL
        else "No evidence that the model was trained on the release. This does not prove that it was not."
    )
    return (
        f"{facts.canary}: rank {rank:,} of {len(texts):,}, p, exact {format_p(p)} "
        f"(the smallest possible: {format_p(Fraction(1, len(texts)))})\n{verdict}"
    )


def _canary_text(nonce: str, number: int) -> str:
    """A canary as the files of a release have it."""
    return f'"canary": "{drawn_canary(nonce, number)}"}}'


def _draw_nonce(path: Path) -> None:
    try:
        place = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(place, "w", encoding="ascii") as handle:
            handle.write(secrets.token_hex(32))
    except (OSError, ValueError) as error:
        raise UsageError(
            f"{path}: the nonce cannot be written ({error_text(error)}). Give a new file to --canary."
        ) from None


def _read_nonce(path: Path) -> str:
    try:
        nonce = read_regular_text(path, max_bytes=1 << 10).strip()
    except (OSError, ValueError) as error:
        raise UsageError(
            f"{path}: cannot be read as a nonce ({error_text(error)}). Give the file that "
            "--canary wrote."
        ) from None
    if not _NONCE.fullmatch(nonce):
        raise UsageError(
            f"{path}: not a nonce of 64 hexadecimal digits. Give the file that --canary wrote, or "
            "the name of a new file."
        )
    return nonce


# ---- Name cloze

_ANSWER_KEY = "answer"
_TABLE = ("book_id", "name_cloze", "n", "best_constant")
_MOST_NAMELESS, _EXAMPLES = 0.5, 3


def _names(run: Path, out: Path, requests: Path | None, log: Path | None) -> str:
    if seek_run(out, run) is None and leads_to(run / RELEASE_FILE, os.path.lexists):
        raise UsageError(
            f"{run}: this is a release; --names needs its run, because it reads the books. Give the "
            "run's name or folder."
        )
    folder = find_run(out, run)
    books = _passages(folder)
    passages = [one for some in books.values() for one in some]
    unused = ", ".join(sorted(book for book in books if not books[book]))
    if not passages:
        raise UsageError(
            f"{folder}: its books have no passage with exactly one name. Give a run with more text."
        )
    if unused:
        say(f"left out: {unused} (no passage with exactly one name)")
    if requests is not None:
        texts = [(one.id, one.prompt) for one in passages]
        _say_size(f"passages of {len({one.book_id for one in passages}):,} books", texts)
        return _written(requests, texts, folder, " --names", key=_ANSWER_KEY)
    assert log is not None
    text = read_scores(log, expected="JSON lines with the model's answers to --requests")
    ids = [one.id for one in passages]
    answers = parse_answers(text, ids, key=_ANSWER_KEY, name=str(log))
    scores = book_scores(passages, answers)
    lines = _name_table(scores)
    if nameless := [one for one in ids if not given_name(answers[one])]:
        shown = ", ".join(f"{one}: {quote(answers[one])}" for one in nameless[:_EXAMPLES])
        said = f"{len(nameless):,} of {len(ids):,} answers had no usable name"
        if len(nameless) > _MOST_NAMELESS * len(ids):
            raise FormatError(
                f"{log}: {said}, e.g. {shown}. Nothing was written. Let the model answer with "
                "<name>...</name> or with the name alone."
            )
        lines.append(f"{said} and count as wrong, e.g. {shown}")
    lines += _name_verdict(scores)
    written = _write_table(log.with_name(f"{log.name}.books.tsv"), scores)
    return "\n".join([*lines, *_correlations(folder, scores), written])


def _name_verdict(scores: Sequence[BookScore]) -> Iterator[str]:
    known = [one.book_id for one in scores if one.above[1] > 0]
    yield (
        f"{len(known):,} of {_count(len(scores), 'book')} above the best constant answer (the name "
        f"that most passages of the book have){': ' * bool(known)}{', '.join(known[:_EXAMPLES])}"
        f"{', ...' * (len(known) > _EXAMPLES)}"
    )
    yield (
        "A book above it, and far above the other books, is one that the model knows. If it knows "
        "all books equally, none stands out."
    )


def _write_table(table: Path, scores: Sequence[BookScore]) -> str:
    rows = [(s.book_id, f"{s.name_cloze:.6g}", f"{s.n}", f"{s.best_constant:.6g}") for s in scores]
    text = "".join("\t".join(row) + "\n" for row in (_TABLE, *rows))
    if os.path.lexists(table):
        try:
            same = read_regular_text(table) == text
        except (OSError, ValueError):
            same = False
        if not same:
            raise UsageError(
                f"{table}: the file exists and is not the table of this log and run. Nothing was "
                "written. Move it away."
            )
        return f"{table} has this table already"
    with new_file(table, option="--log") as handle:
        handle.write(text.encode())
    return f"written to {table}"


def _passages(folder: Path) -> dict[str, list[NamePassage]]:
    """The passages of each book with items."""
    facts = read_record(released_folder(folder)).facts
    found: dict[str, list[NamePassage]] = {book.book_id: [] for book in facts.item_books}
    source = stage_artifact(folder, f"corpus {style_of_run(folder).drawn_from}")
    for row in kept_books(source):
        if row["book_id"] in found:
            place = book_folder(source, row)
            counts, _ = read_type_counts([place])
            sentences = read_sentences(place, row["book_id"], {})
            found[row["book_id"]] = name_passages(
                sentences, counts, seed=facts.seed, n_books=len(found)
            )
    return found


def _name_table(scores: Sequence[BookScore]) -> list[str]:
    def row(name: str, one: BookScore) -> tuple[str, ...]:
        above, low, high = one.above
        shares = (one.name_cloze, one.best_constant, above)
        return name, *(f"{s:.3f}" for s in shares), f"{low:.3f} to {high:.3f}", f"{one.n:,}"

    total = BookScore(
        "",
        sum(one.n for one in scores),
        sum(one.correct for one in scores),
        sum(one.constant for one in scores),
    )
    rows = [row(one.book_id, one) for one in scores] + [row("all books", total)]
    head = ("book", "name cloze", "best constant", "above it", "95 %", "n")
    return table_lines(head, rows, left=frozenset({"book"}))


def _correlations(folder: Path, scores: Sequence[BookScore]) -> Iterator[str]:
    """Lines for the rows of users in the run's evaluation."""
    place = folder / EVALUATION / PREDICTIONS
    rows: dict[str, dict[str, dict[str, float]]] = {}
    for one in read_jsonl(place) if place.is_file() else ():
        name, right = str(one.get("baseline")), one.get("right")
        if name.startswith("user:") and right is not None:
            share = sum(right) / len(right) if isinstance(right, list) else float(right)
            book = str(one["id"]).partition(":")[0]
            rows.setdefault(name, {}).setdefault(book, {})[str(one["id"])] = share
    if not rows:
        yield (
            "After `cloze-gen evaluate RUN --scores LOG`, this command also prints the correlation of "
            "accuracy and name cloze."
        )
    without = []
    for name, books in rows.items():
        found = correlation(scores, {book: [*some.values()] for book, some in books.items()})
        if found is None:
            without.append(name)
        else:
            yield (
                f"{name}, if these are its answers: Spearman's rho of accuracy and name cloze {found[0]:+.2f}, "
                f"p {found[1]:.2g}, {found[2]:,} books"
            )
    if without:
        yield (
            f"no correlation for {', '.join(without)}: it needs {LEAST_BOOKS} books with different "
            "scores"
        )
