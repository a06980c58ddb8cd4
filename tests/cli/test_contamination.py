"""`contamination`: what is asked of a release, what is read from a log, and folders of strangers."""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import itertools
import json
import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cloze_gen.cli import contamination as command
from cloze_gen.cli.contamination import contamination
from cloze_gen.errors import ClozeGenError, FormatError, UsageError
from cloze_gen.evaluation.contamination import plan_orders
from cloze_gen.evaluation.name_cloze import BookScore
from cloze_gen.release.facts import ReleaseRecord, record_text
from cloze_gen.release.settings import ReleaseSettings
from cloze_gen.release.signature import canary_of, write_checksums
from cloze_gen.rng import derive_rng
from tests.cases.releases import FACTS
from tests.conftest import FinishedRun

WORDS = [f"w{n}" for n in range(200)]


def item_lines(n: int = 24) -> list[str]:
    rng = derive_rng(1, "test.items")
    lines = [
        json.dumps(
            {"id": f"book:{one}", "text": " ".join(WORDS[word] for word in rng.integers(0, 200, 9))}
        )
        for one in range(n)
    ]
    return [lines[place] for place in derive_rng(2, "test.order").permutation(n)]


def make_release(
    folder: Path,
    *,
    order: object = "shuffled",
    file: str = "questions.jsonl",
    lines: list[str] | None = None,
) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    data = "".join(f"{line}\n" for line in item_lines() if lines is None) + "".join(
        f"{line}\n" for line in lines or ()
    )
    (folder / file).write_text(data, encoding="utf-8")
    (folder / "release.json").write_text(json.dumps({"order": order, "seed": 1}), encoding="utf-8")
    listed = (folder / "SHA256SUMS").read_text() if (folder / "SHA256SUMS").exists() else ""
    (folder / "SHA256SUMS").write_text(
        f"{listed}{hashlib.sha256(data.encode()).hexdigest()}  {file}\n"
    )
    return folder


def call(folder: Path, **options: Any) -> str:
    given: dict[str, Any] = {
        "file": "",
        "requests": None,
        "log": None,
        "shards": None,
        "permutations": None,
        "seed": None,
    }
    return contamination(folder, **given | {"exchangeable": False} | options)


def answer(requests: Path, log: Path, liking: Callable[[str], float]) -> Path:
    records = [json.loads(line) for line in requests.read_text(encoding="utf-8").splitlines()]
    log.write_text(
        "".join(
            json.dumps({"id": one["id"], "log_likelihood": liking(one["text"])}) + "\n"
            for one in records
        )
    )
    return log


def seen(text: str) -> float:
    """The log-likelihood of a model that has learned which line follows which."""
    place = {line: number for number, line in enumerate(item_lines())}
    numbers = [place[line] for line in text.splitlines()]
    follow = sum(after == before + 1 for before, after in itertools.pairwise(numbers))
    return own(text) + follow


def unseen(text: str) -> float:
    """The log-likelihood of a model that has not: that of the lines, and any number of the order."""
    return own(text) + share(text)


def own(text: str) -> float:
    return -100 * sum(map(share, text.splitlines())) - 100


def share(text: str) -> float:
    """From 0 to 1."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=4).digest()) / 2**32


def test_a_model_that_has_seen_it_is_found(tmp_path: Path) -> None:
    """A model that knows the order has p = (R + 1)^-M."""
    release, requests = make_release(tmp_path / "release"), tmp_path / "asked.jsonl"
    assert call(release, requests=requests, shards=2, permutations=9) == f"written to {requests}"
    told = call(release, log=answer(requests, tmp_path / "log.jsonl", seen))
    assert "24 lines, 2 shards, 9 shuffled orders of each" in told
    assert "18 of 18, 9 expected if unseen; the published order is best in 2 shards" in told
    assert "p, exact         0.010" in told
    assert "p, whole file    0.100, also exact; 0.100 is the smallest possible" in told
    assert "evidence that it was trained" in told
    assert "No evidence" not in told


def test_the_size_is_told_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Requests, bytes to the last one, tokens; then what comes next, as it can be typed."""
    release, requests = (
        make_release(
            tmp_path / "my release", lines=[line.replace("w1", '\u00e9"') for line in item_lines()]
        ),
        tmp_path / "asked",
    )
    said: list[tuple[str, bool]] = []
    monkeypatch.setattr(command, "say", lambda line: said.append((line, requests.exists())))
    monkeypatch.setattr(command, "_size_text", lambda size: f"<{size}>")
    call(
        release,
        requests=requests,
        permutations=101,
        shards=2,
        file="questions.jsonl",
        exchangeable=True,
    )
    written = requests.read_bytes()
    first, there = said[0]
    assert not there
    assert f": {len(written.splitlines())} requests, <{len(written)}>, about " in first
    assert said[-1] == (
        f"`cloze-gen contamination '{release}' --log FILE --file questions.jsonl --exchangeable`.",
        True,
    )


@pytest.mark.parametrize(
    ("chars", "permutations", "levers"),
    [(40, 99, ()), (9_000, 99, ("--permutations 19", "--shards 4")), (9_000, 2, ("--shards 4",))],
)
def test_large_requests_can_be_made_smaller(
    chars: int, permutations: int, levers: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "LARGE_BYTES", 1_000_000)
    lines = [f"{n} {'x' * chars}" for n in range(24)]
    told = " ".join(
        command._request_summary(
            "mine", lines, plan_orders(lines, shards=2, permutations=permutations, seed=1)
        )
    )
    assert [lever for lever in ("--permutations 19", "--shards 4") if lever in told] == list(levers)


def test_a_model_that_has_not_is_not(tmp_path: Path) -> None:
    release, requests = make_release(tmp_path / "release"), tmp_path / "asked.jsonl"
    call(release, requests=requests)
    told = call(release, log=answer(requests, tmp_path / "log.jsonl", unseen))
    assert (
        "No evidence that the model was trained on these lines in this order. This does not "
        "prove that it was not." in told
    )


@pytest.mark.parametrize("noise", [0.0, 1e-4])
@pytest.mark.parametrize("score", [lambda line: -5.0, lambda line: -float(len(line))])
def test_scores_without_order_are_no_conclusion(
    score: Callable[[str], float], noise: float, tmp_path: Path
) -> None:
    """Sums over single lines have no p; the same noise on scores of the whole text does."""
    release, requests = make_release(tmp_path / "release"), tmp_path / "asked.jsonl"
    call(release, requests=requests)

    def single(text: str) -> float:
        return sum(map(score, text.splitlines())) + noise * (share(text) - 0.5)

    log = answer(requests, tmp_path / "log.jsonl", single)
    with pytest.raises(FormatError, match=r"log\.jsonl: no conclusion: .* do not depend on the"):
        call(release, log=log)
    log = answer(requests, tmp_path / "other.jsonl", lambda text: single(text) + unseen(text))
    assert "With 24 lines, 2 shards and 99 permutations only strong" in call(release, log=log)


def test_scores_of_other_ids_are_no_conclusion(tmp_path: Path) -> None:
    release, requests = make_release(tmp_path / "release"), tmp_path / "asked.jsonl"
    call(release, requests=requests)
    log = answer(requests, tmp_path / "log.jsonl", seen)
    rows = [json.loads(line) for line in log.read_text().splitlines()]
    values = [row["log_likelihood"] for row in rows]
    for row, place in zip(rows, derive_rng(1, "test.mixed").permutation(len(rows)), strict=True):
        row["log_likelihood"] = values[place]
    log.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(FormatError, match=r"no conclusion: .* seem to belong to other ids"):
        call(release, log=log)


def test_the_gain_has_two_units_and_an_interval(tmp_path: Path) -> None:
    """Log-likelihoods in another unit change the first line only."""
    release, requests = make_release(tmp_path / "release"), tmp_path / "asked.jsonl"
    call(release, requests=requests)

    def gains(unit: float) -> list[str]:
        log = answer(
            requests,
            tmp_path / "log",
            lambda text: unit * (seen(text) + share(text) - 0.5),
        )
        told = call(release, log=log).splitlines()
        place = next(n for n, line in enumerate(told) if line.startswith("  gain "))
        return [line.split("gain")[-1].split("spreads")[0] for line in told[place : place + 2]]

    (one, spreads), (two, same) = gains(1.0), gains(2.0)
    assert " (95 %: " in one
    assert float(two.split()[0]) == pytest.approx(2 * float(one.split()[0]), rel=0.01)
    assert spreads == same


def test_a_packed_log_is_told(tmp_path: Path) -> None:
    release = make_release(tmp_path / "release")
    (tmp_path / "log.gz").write_bytes(gzip.compress(b"{}"))
    with pytest.raises(UsageError, match="gzip-compressed; unpack it"):
        call(release, log=tmp_path / "log.gz")


def test_the_texts_are_the_file_s_lines(tmp_path: Path) -> None:
    lines = [line.replace("w1", "\u65e5\u2028\x85\u00e9") for line in item_lines()]
    release, requests = make_release(tmp_path / "release", lines=lines), tmp_path / "asked.jsonl"
    call(release, requests=requests, shards=3, permutations=4, seed=9)
    records = [json.loads(line) for line in requests.read_bytes().decode().split("\n")[:-1]]
    assert (
        "".join(one["text"] for one in records if one["id"].endswith(":0")).encode()
        == (release / "questions.jsonl").read_bytes()
    )
    assert len(records) == 15


def test_a_test_split_comes_first(tmp_path: Path) -> None:
    """Without --file the test split is asked about where there is one; --file names any other."""
    release = make_release(tmp_path / "release")
    make_release(release, file="test.jsonl", lines=item_lines()[:12])
    call(release, requests=tmp_path / "a.jsonl", permutations=19)
    asked = {"permutations": 19, "file": str(release / "questions.jsonl")}  # with the folder
    call(release, requests=tmp_path / "b.jsonl", **asked)
    assert "1x19-" in (tmp_path / "a.jsonl").read_text()
    assert "2x19-" in (tmp_path / "b.jsonl").read_text()


@pytest.mark.parametrize(
    ("lines", "shards", "permutations", "said"),
    [
        (24, 1, 9, "1 shard with 9 permutations each: .* p is 0.100, .* Use --permutations 19 or"),
        (24, 4, 1, "4 shards with 1 permutation each: .* p is 0.062, .* Use --permutations 2 or"),
        (3, 1, 5, "p is 0.167, .* Use fewer shards, or a file with more lines"),
        (24, 5, 1, ""),
        (4, 1, 19, ""),
    ],
)
def test_a_design_that_finds_nothing_is_refused(
    lines: int, shards: int, permutations: int, said: str, tmp_path: Path
) -> None:
    release = make_release(tmp_path / "release", lines=item_lines()[:lines])
    asked = {"requests": tmp_path / "a", "shards": shards, "permutations": permutations}
    with pytest.raises(UsageError, match=said) if said else contextlib.nullcontext():
        call(release, **asked)
    assert (tmp_path / "a").exists() == (not said)


def test_requests_are_a_new_file(tmp_path: Path) -> None:
    """A file that is there stays as it is; a place that cannot be written is told."""
    release, requests = make_release(tmp_path / "release"), tmp_path / "asked.jsonl"
    requests.write_text("mine")
    with pytest.raises(UsageError, match="the file exists"):
        call(release, requests=requests)
    assert requests.read_text() == "mine"
    with pytest.raises(UsageError, match="cannot be written"):
        call(release, requests=tmp_path / "nowhere" / "asked.jsonl")


def test_a_log_of_another_release(tmp_path: Path) -> None:
    """A log is refused for a release whose items stand another order."""
    release, requests = make_release(tmp_path / "release"), tmp_path / "asked.jsonl"
    other = make_release(tmp_path / "other", lines=[*item_lines()[12:], *item_lines()[:12]])
    call(release, requests=requests)
    log = answer(requests, tmp_path / "log.jsonl", seen)
    with pytest.raises(FormatError, match=r"log\.jsonl, line 1: .* another order"):
        call(other, log=log)


def test_wrong_calls(tmp_path: Path) -> None:
    """One of --requests and --log; numbers go with the first."""
    release, log = make_release(tmp_path / "release"), tmp_path / "log.jsonl"
    for options in ({}, {"requests": log, "log": log}):
        with pytest.raises(UsageError, match="Give either --requests FILE"):
            call(release, **options)
    for number in ("shards", "permutations", "seed"):
        with pytest.raises(UsageError, match="the ids in the log contain them"):
            call(release, log=log, **{number: 1})
    with pytest.raises(UsageError, match="cannot be read as a file of scores"):
        call(release, log=log)


@pytest.mark.parametrize("order", ["own", None, 7, ["shuffled"]])
def test_an_unknown_order_needs_a_voucher(tmp_path: Path, order: object) -> None:
    release = make_release(tmp_path / "release", order=order)
    with pytest.raises(UsageError, match="--exchangeable"):
        call(release, requests=tmp_path / "asked.jsonl")
    call(release, requests=tmp_path / "asked.jsonl", exchangeable=True)


def test_the_books_order_is_never_tested(tmp_path: Path) -> None:
    """A release in the order of the books is refused, whatever the user says."""
    release = make_release(tmp_path / "release", order="corpus")
    for exchangeable in (False, True):
        with pytest.raises(UsageError, match="the items follow the order of the books"):
            call(release, requests=tmp_path / "asked.jsonl", exchangeable=exchangeable)


def test_a_strangers_file(tmp_path: Path) -> None:
    folder = tmp_path / "theirs"
    folder.mkdir()
    (folder / "data.txt").write_text("\n".join(item_lines()))
    (folder / "sorted.txt").write_text(
        "\n".join(f"{n}) {line}" for n, line in enumerate(item_lines()))
    )
    with pytest.raises(UsageError, match=r"has no release\.json, .* --exchangeable"):
        call(folder, requests=tmp_path / "asked.jsonl", file="data.txt")
    with pytest.raises(
        UsageError, match="are not in random order, but sorted by the lines themselves"
    ):
        call(folder, requests=tmp_path / "asked.jsonl", file="sorted.txt", exchangeable=True)
    call(folder, requests=tmp_path / "asked.jsonl", file="data.txt", exchangeable=True)


def test_a_changed_file_is_told(tmp_path: Path) -> None:
    release, asked = make_release(tmp_path / "release"), tmp_path / "asked.jsonl"
    (release / "other.jsonl").write_text("\n".join(item_lines()))
    with pytest.raises(UsageError, match=r"does not list other\.jsonl"):
        call(release, requests=asked, file="other.jsonl")
    with open(release / "questions.jsonl", "a") as handle:
        handle.write(item_lines()[0] + "\n")
    with pytest.raises(FormatError, match=r"differs from the published file.*Download.*again\.$"):
        call(release, requests=asked, exchangeable=True)
    (release / "SHA256SUMS").unlink()
    with pytest.raises(UsageError, match="has no SHA256SUMS"):
        call(release, requests=asked)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("release.json", b"{", "not JSON"),
        ("release.json", b"[" * 5000, "nested too deep"),
        ("release.json", b"\xff\xfe", "not JSON"),
        ("release.json", b"[]", "order is None"),
        ("SHA256SUMS", b"\xff\x00 garbage\n\n", "line 1"),
        ("questions.jsonl", b"\xff\xfe\n" * 30, "differs from the published file"),
    ],
)
def test_hostile_folders(tmp_path: Path, name: str, content: bytes, said: str) -> None:
    """Whatever a stranger's folder holds ends in one message."""
    release = make_release(tmp_path / "release")
    (release / name).write_bytes(content)
    with pytest.raises(ClozeGenError, match=said):
        call(release, requests=tmp_path / "asked.jsonl")
    assert not (tmp_path / "asked.jsonl").exists()


@pytest.mark.parametrize(
    "file",
    ["../questions.jsonl", "/etc/hostname", "a/../../b", "nowhere.jsonl", "a\0b", "x" * 5000],
)
def test_files_outside_are_refused(tmp_path: Path, file: str) -> None:
    """--file names a file of the folder."""
    release = make_release(tmp_path / "release")
    with pytest.raises(UsageError, match=r"not inside the release|cannot be read"):
        call(release, requests=tmp_path / "asked.jsonl", file=file)


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    release, asked = make_release(tmp_path / "release"), tmp_path / "asked.jsonl"
    os.mkfifo(release / "pipe")
    (release / "folder").mkdir()
    for file, said in (("pipe", "a named pipe"), ("folder", "a folder")):
        with pytest.raises(UsageError, match=said):
            call(release, requests=asked, file=file)
    bare = tmp_path / "bare"
    bare.mkdir()
    for content, said in (
        (b"\xff\xfe\n" * 9, "not UTF-8 text"),
        (b"one\n", "has 1 lines, but the test needs two or more"),
        (b"", "0 lines"),
    ):
        (bare / "test.jsonl").write_bytes(content)
        with pytest.raises(ClozeGenError, match=said):
            call(bare, requests=asked, exchangeable=True)
    with pytest.raises(UsageError, match=r"has no test\.jsonl or questions\.jsonl"):
        call(release / "folder", requests=asked)
    for nowhere in (tmp_path / "nowhere", tmp_path / ("x" * 5000), release / "questions.jsonl"):
        with pytest.raises(UsageError, match="no such folder"):
            call(nowhere, requests=asked, file="a.jsonl", exchangeable=True)


def test_a_file_without_an_item_a_line_is_refused(tmp_path: Path) -> None:
    """A model may prefer its line order, whatever the order of the items."""
    release = make_release(tmp_path / "release")
    lines = [
        line
        for number, item in enumerate(item_lines())
        for line in (f"{number * 7919 % 97} {item}", "a) one", "b) two")
    ]
    (release / "human.txt").write_text("\n".join(lines) + "\n")
    write_checksums(release)
    with pytest.raises(UsageError, match="is not the number of items"):
        call(release, requests=tmp_path / "asked.jsonl", file="human.txt")


# The drawn canary


def drawn_release(folder: Path, nonce: Path) -> Path:
    """A release whose canary was drawn from a nonce, which is drawn here."""
    folder.mkdir()
    (folder / "release.json").write_text(release_json(""), encoding="utf-8")
    told = call(folder, canary=nonce)
    drawn = told.split("release.canary=")[1].split("`")[0]
    (folder / "release.json").write_text(release_json(drawn), encoding="utf-8")
    return folder


def release_json(drawn: str) -> str:
    settings = {"release": ReleaseSettings(canary=drawn).model_dump()}
    facts = replace(
        FACTS, name="mine", settings=settings, text="full", canary=canary_of("s", drawn)
    )
    return record_text(ReleaseRecord(facts=facts))


def test_the_canary_is_ranked_among_others(tmp_path: Path) -> None:
    """Exactly: p is the rank among 1,000; the published canary is the release's."""
    nonce, requests = tmp_path / "nonce", tmp_path / "asked.jsonl"
    release = drawn_release(tmp_path / "release", nonce)
    canary = json.loads((release / "release.json").read_text())["canary"]
    assert call(release, canary=nonce).startswith(f"{canary}: drawn from the nonce")
    call(release, canary=nonce, requests=requests)
    texts = [json.loads(line)["text"] for line in requests.read_text().splitlines()]
    assert len(set(texts)) == 1_000
    assert [text for text in texts if canary in text] == [texts[0]]
    log = answer(requests, tmp_path / "seen", lambda text: -9.0 - (canary not in text))
    assert "rank 1 of 1,000, p, exact 0.001" in call(release, canary=nonce, log=log)
    log = answer(requests, tmp_path / "same", lambda text: -9.0)
    with pytest.raises(FormatError, match="no conclusion: all canaries have the same"):
        call(release, canary=nonce, log=log)
    log = answer(requests, tmp_path / "unseen", lambda text: -9.0 - (canary in text))
    assert "rank 1,000 of 1,000, p, exact 1.000" in (told := call(release, canary=nonce, log=log))
    assert "No evidence" in told


def test_the_nonce_is_committed_to_and_kept(tmp_path: Path) -> None:
    """The release has its sha256, the file only its owner can read, and the release not itself."""
    nonce = tmp_path / "nonce"
    release = drawn_release(tmp_path / "release", nonce)
    text = (release / "release.json").read_text()
    assert hashlib.sha256(nonce.read_bytes()).hexdigest() in text
    assert nonce.read_text() not in text
    assert nonce.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    ("content", "options", "what"),
    [
        ("0" * 64, {}, "was not drawn from the nonce"),
        ("no nonce", {}, "not a nonce"),
        (None, {"log": Path("log")}, "no such file"),
        (None, {}, "no such file"),
        ("0" * 64, {"names": True}, "two tests"),
        ("0" * 64, {"shards": 2}, "belong to the test of the order"),
        ("0" * 64, {"requests": Path("a"), "log": Path("b")}, "not both"),
    ],
)
def test_a_wrong_nonce(
    content: str | None, options: dict[str, Any], what: str, tmp_path: Path
) -> None:
    release = drawn_release(tmp_path / "release", tmp_path / "nonce")
    other = tmp_path / "other"
    if content is not None:
        other.write_text(content)
    with pytest.raises(UsageError, match=what):
        call(release, canary=other, **options)
    assert other.exists() == (content is not None)


def test_an_undrawn_canary_is_told_first(tmp_path: Path) -> None:
    (tmp_path / "release.json").write_text(release_json(""), encoding="utf-8")
    with pytest.raises(UsageError, match="was not drawn but follows from the signature"):
        call(tmp_path, canary=tmp_path / "nonce", log=tmp_path / "log")
    assert not (tmp_path / "nonce").exists()


def test_a_log_of_canaries_is_complete(tmp_path: Path) -> None:
    """Each canary once, with a log-likelihood, and no other."""
    nonce, requests = tmp_path / "nonce", tmp_path / "asked.jsonl"
    release = drawn_release(tmp_path / "release", nonce)
    call(release, canary=nonce, requests=requests)
    log = answer(requests, tmp_path / "log", lambda text: -1.0)
    lines = log.read_text().splitlines()
    for wrong, what in (
        (lines[1:], "1 of 1,000 texts have no answer"),
        ([*lines, lines[7]], "already has an answer on line 8"),
        ([*lines[1:], '{"id": "canary-0:0", "log_likelihood": -1}'], "is not one of the requests"),
        ([*lines[1:], lines[0].replace("-1.0", "1.0")], "is above 0"),
        ([*lines[1:], lines[0].replace("log_like", "like")], "expected"),
    ):
        log.write_text("\n".join(wrong))
        with pytest.raises(FormatError, match=what):
            call(release, canary=nonce, log=log)


# Name cloze


def test_names_of_a_run(finished: FinishedRun, tmp_path: Path) -> None:
    """Prompts without the name; a model that knows it scores 1; the run's files stay as they are."""
    requests, log = tmp_path / "asked.jsonl", tmp_path / "log.jsonl"
    before = sorted(path.name for path in finished.release.rglob("*"))
    call(finished.folder, names=True, requests=requests)
    asked = [json.loads(line) for line in requests.read_text().splitlines()]
    books = command._passages(finished.folder)
    known = {one.id: one.name for some in books.values() for one in some}
    assert [one["id"] for one in asked] == list(known)
    for one in asked:
        assert known[one["id"]] not in one["text"]
    log.write_text(
        "".join(
            json.dumps({"id": one, "answer": f"I say <NAME>{name.upper()}</NAME>"}) + "\n"
            for one, name in known.items()
        )
    )
    told = call(finished.folder, names=True, log=log)
    assert "usable" not in told
    assert "far above the other books, is one that the model knows" in told
    header, *rows = (tmp_path / "log.jsonl.books.tsv").read_text().splitlines()
    assert header == "book_id\tname_cloze\tn\tbest_constant"
    assert {row.split("\t")[1] for row in rows} == {"1"}
    assert sum(int(row.split("\t")[2]) for row in rows) == len(known)
    assert f"{len(known)}" in told
    assert call(finished.folder, names=True, log=log) == told.replace(
        f"written to {log}.books.tsv", f"{log}.books.tsv has this table already"
    )

    def sentences(least: int) -> None:
        """Answers, of which those from a place on are sentences."""
        text = "".join(
            json.dumps({"id": one, "answer": f"The name is {name}" if n >= least else name}) + "\n"
            for n, (one, name) in enumerate(known.items())
        )
        log.write_text(text)

    sentences(len(known) - 1)
    table = log.with_name("log.jsonl.books.tsv")
    with pytest.raises(UsageError, match="is not the table of this log and run"):
        call(finished.folder, names=True, log=log)
    table.unlink()
    (*_, last), name = known, [*known.values()][-1]
    said = f"1 of {len(known)} answers had no usable name and count as wrong, e.g. {last}: 'The name is {name}'"
    assert said in call(finished.folder, names=True, log=log)
    sentences(0)
    with pytest.raises(FormatError, match=r"had no usable name, e\.g\. (name:.*'The name is.*){3}"):
        call(finished.folder, names=True, log=log)
    assert sorted(path.name for path in finished.release.rglob("*")) == before


def test_the_correlation_with_a_row_of_the_evaluation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By book, for the rows of users only; lists of blanks count as their share."""
    scores = [BookScore(f"b{n}", 10, n) for n in range(6)]
    rows = [
        {"baseline": name, "id": f"b{n}:{item}", "right": right}
        for n in range(6)
        for item in range(6)
        for name, right in (("user:a", item < n), ("lsa", True), ("user:b", [item >= n, item >= n]))
    ]
    (tmp_path / "evaluation").mkdir()
    (tmp_path / "evaluation" / "predictions.jsonl").write_text("\n".join(map(json.dumps, rows)))
    one, other = command._correlations(tmp_path, scores)
    assert one.startswith(
        "user:a, if these are its answers: Spearman's rho of accuracy and name cloze +1.00"
    )
    assert other.startswith(
        "user:b, if these are its answers: Spearman's rho of accuracy and name cloze -1.00"
    )
    (only,) = command._correlations(tmp_path, scores[:3])
    assert only.startswith("no correlation for user:a, user:b: it needs 5 books")


def test_a_book_without_a_passage_is_told(
    finished: FinishedRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    found = command._passages(finished.folder)
    monkeypatch.setattr(command, "_passages", lambda folder: found | {"other": []})
    call(finished.folder, names=True, requests=tmp_path / "asked")
    assert "left out: other (no passage with exactly one name)" in capsys.readouterr().err


def test_a_set_has_one_name(finished: FinishedRun, tmp_path: Path) -> None:
    """A run by name, folder or its release; names need the run, and a release is told so."""
    places = (Path("tiny"), finished.folder, finished.release)
    for names in (False, True):
        texts = []
        for place in places:
            requests = tmp_path / f"{names}{len(texts)}"
            call(place, requests=requests, names=names, out=finished.out)
            texts.append(requests.read_bytes())
        assert texts == [texts[0]] * 3
    copy = shutil.copytree(finished.release, tmp_path / "copy")
    with pytest.raises(UsageError, match="this is a release; --names needs its run"):
        call(copy, requests=tmp_path / "asked", names=True)
    with pytest.raises(UsageError, match=r"the folder of this name has no run\.json"):
        call(tmp_path, requests=tmp_path / "asked", names=True)


def test_smaller_files_are_told(finished: FinishedRun, tmp_path: Path, capsys: Any) -> None:
    """Only those that can be tested, plain text first, with their tokens."""
    call(finished.release, requests=tmp_path / "asked")
    (line,) = [one for one in capsys.readouterr().err.splitlines() if one.startswith("Smaller")]
    assert line.startswith("Smaller ones for --file, in tokens: tiny.lm_format.answers.txt (about ")
    file, tokens = "tiny.lm_format.answers.txt", line.split("(about ")[1].split(")")[0]
    call(finished.release, requests=tmp_path / "text", file=file)
    said = capsys.readouterr().err
    assert f"about {tokens} tokens" in said
    assert "Smaller" not in said
