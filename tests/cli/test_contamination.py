"""`contamination`: the requests of a release, the result of a log, and untrusted folders."""

import gzip
import hashlib
import itertools
import json
import os
from pathlib import Path

import pytest

from cloze_gen.cli.contamination import read_log, write_requests
from cloze_gen.errors import FormatError, UsageError
from cloze_gen.release.signature import write_checksums
from cloze_gen.rng import derive_rng
from tests.support.errors import refused

WORDS = [f"w{n}" for n in range(200)]


def item_lines(n=24):
    rng = derive_rng(1, "test.items")
    lines = [
        json.dumps(
            {"id": f"book:{one}", "text": " ".join(WORDS[word] for word in rng.integers(0, 200, 9))}
        )
        for one in range(n)
    ]
    return [lines[place] for place in derive_rng(2, "test.order").permutation(n)]


def make_release(
    folder,
    *,
    order="shuffled",
    file="questions.jsonl",
    lines=None,
):
    folder.mkdir(parents=True, exist_ok=True)
    data = "".join(f"{line}\n" for line in (item_lines() if lines is None else lines))
    (folder / file).write_text(data, encoding="utf-8")
    (folder / "release.json").write_text(json.dumps({"order": order, "seed": 1}), encoding="utf-8")
    write_checksums(folder)
    return folder


def write(folder, requests, **options):
    given = {"file": "", "shards": 0, "permutations": 99, "seed": 1}
    given |= {"exchangeable": False, "out": Path("artifacts")}
    return write_requests(folder, requests, **given | options)


def read(folder, log, **options):
    given = {"file": "", "exchangeable": False, "out": Path("artifacts")}
    return read_log(folder, log, **given | options)


def answer(requests, log, score):
    records = [json.loads(line) for line in requests.read_text(encoding="utf-8").splitlines()]
    log.write_text(
        "".join(
            json.dumps({"id": one["id"], "log_likelihood": score(one["text"])}) + "\n"
            for one in records
        )
    )
    return log


def seen(text):
    """The log-likelihood of a model that has learned which line follows which."""
    place = {line: number for number, line in enumerate(item_lines())}
    numbers = [place[line] for line in text.splitlines()]
    return sum(after == before + 1 for before, after in itertools.pairwise(numbers)) - 1000


def unseen(text):
    """The log-likelihood of a model that has not: any number that depends on the order."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=4).digest()) / 2**32 - 1000


def test_training_on_the_release_is_found(tmp_path):
    """A model that knows the order has p = (R + 1)^-M."""
    release, requests = make_release(tmp_path / "release"), tmp_path / "requests.jsonl"
    assert write(release, requests, shards=2, permutations=9) == f"written to {requests}"
    message = read(release, answer(requests, tmp_path / "log.jsonl", seen))
    assert "24 lines, 2 shards, 9 shuffled orders of each" in message
    assert "18 of 18, 9 expected if unseen; the published order is best in 2 shards" in message
    assert "p, exact      0.010" in message
    assert "evidence that it was trained" in message


@pytest.mark.parametrize("score", [unseen, lambda text: -5.0])
def test_no_evidence_without_training(score, tmp_path):
    """Nor where the scores do not depend on the order: all orders tie."""
    release, requests = make_release(tmp_path / "release"), tmp_path / "requests.jsonl"
    write(release, requests)
    message = read(release, answer(requests, tmp_path / "log.jsonl", score))
    assert "No evidence" in message
    assert ("ties" in message) == (score is not unseen)


def test_requests_are_the_lines_of_the_file(tmp_path):
    lines = [line.replace("w1", "\u65e5\u2028\x85\u00e9") for line in item_lines()]
    release, requests = make_release(tmp_path / "release", lines=lines), tmp_path / "requests.jsonl"
    write(release, requests, shards=3, permutations=4, seed=9)
    records = [json.loads(line) for line in requests.read_bytes().decode().split("\n")[:-1]]
    assert (
        "".join(one["text"] for one in records if one["id"].endswith(":0")).encode()
        == (release / "questions.jsonl").read_bytes()
    )
    assert len(records) == 15


def test_the_next_command_is_printed(tmp_path, capsys):
    release = make_release(tmp_path / "my release")
    write(release, tmp_path / "requests", file="questions.jsonl", exchangeable=True)
    assert (
        f"`cloze-gen contamination read '{release}' LOG --file questions.jsonl --exchangeable`"
        in capsys.readouterr().err
    )


def test_a_test_split_comes_first(tmp_path):
    """Without --file the test split is used where there is one; --file names any other."""
    release = make_release(tmp_path / "release")
    make_release(release, file="test.jsonl", lines=item_lines()[:12])
    write(release, tmp_path / "a.jsonl", permutations=19)
    with_folder = str(release / "questions.jsonl")
    write(release, tmp_path / "b.jsonl", permutations=19, file=with_folder)
    assert "1x19-" in (tmp_path / "a.jsonl").read_text()
    assert "2x19-" in (tmp_path / "b.jsonl").read_text()


def test_run_and_release_are_the_same_set(finished, tmp_path):
    texts = []
    for place in (Path("tiny"), finished.folder, finished.release):
        requests = tmp_path / str(len(texts))
        write(place, requests, out=finished.out)
        texts.append(requests.read_bytes())
    assert texts == [texts[0]] * 3


@pytest.mark.parametrize(
    ("lines", "shards", "permutations", "possible"),
    [(24, 1, 9, False), (24, 4, 1, False), (3, 1, 5, False), (24, 5, 1, True), (4, 1, 19, True)],
)
def test_a_design_without_possible_evidence_is_refused(
    lines, shards, permutations, possible, tmp_path
):
    release = make_release(tmp_path / "release", lines=item_lines()[:lines])
    requests = tmp_path / "requests"
    if possible:
        write(release, requests, shards=shards, permutations=permutations)
    else:
        refused(
            lambda: write(release, requests, shards=shards, permutations=permutations),
            UsageError,
            names="--permutations",
        )
    assert requests.exists() == possible


def test_requests_are_a_new_file(tmp_path):
    """An existing file is kept."""
    release, requests = make_release(tmp_path / "release"), tmp_path / "requests.jsonl"
    requests.write_text("mine")
    refused(lambda: write(release, requests), UsageError, names=str(requests))
    assert requests.read_text() == "mine"


def test_a_log_of_another_release_is_refused(tmp_path):
    release, requests = make_release(tmp_path / "release"), tmp_path / "requests.jsonl"
    other = make_release(tmp_path / "other", lines=[*item_lines()[12:], *item_lines()[:12]])
    write(release, requests)
    log = answer(requests, tmp_path / "log.jsonl", seen)
    refused(lambda: read(other, log), FormatError, names="log.jsonl, line 1")


def test_an_unreadable_log_is_refused(tmp_path):
    release, log = make_release(tmp_path / "release"), tmp_path / "log"
    refused(lambda: read(release, log), UsageError, names=str(log))
    log.write_bytes(gzip.compress(b"{}"))
    refused(lambda: read(release, log), UsageError, names="gzip")


@pytest.mark.parametrize("order", ["own", None, 7, ["shuffled"]])
def test_an_unknown_order_needs_confirmation(tmp_path, order):
    release = make_release(tmp_path / "release", order=order)
    refused(lambda: write(release, tmp_path / "a"), UsageError, names="--exchangeable")
    write(release, tmp_path / "a", exchangeable=True)


def test_the_order_of_the_books_is_never_tested(tmp_path):
    release = make_release(tmp_path / "release", order="corpus")
    for exchangeable in (False, True):
        refused(
            lambda sure=exchangeable: write(release, tmp_path / "a", exchangeable=sure),
            UsageError,
            names="order of the books",
        )


def test_a_file_without_release_needs_confirmation(tmp_path):
    folder = tmp_path / "theirs"
    folder.mkdir()
    (folder / "data.txt").write_text("\n".join(item_lines()))
    refused(
        lambda: write(folder, tmp_path / "a", file="data.txt"), UsageError, names="--exchangeable"
    )
    write(folder, tmp_path / "a", file="data.txt", exchangeable=True)


def test_a_changed_file_is_refused(tmp_path):
    release, requests = make_release(tmp_path / "release"), tmp_path / "requests.jsonl"
    (release / "other.jsonl").write_text("\n".join(item_lines()))
    refused(lambda: write(release, requests, file="other.jsonl"), UsageError, names="other.jsonl")
    with open(release / "questions.jsonl", "a") as handle:
        handle.write(item_lines()[0] + "\n")
    refused(
        lambda: write(release, requests, exchangeable=True), FormatError, names="questions.jsonl"
    )
    (release / "SHA256SUMS").unlink()
    refused(lambda: write(release, requests), UsageError, names="SHA256SUMS")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("release.json", b"{"),
        ("release.json", b"[" * 5000),
        ("release.json", b"\xff\xfe"),
        ("release.json", b"[]"),
        ("SHA256SUMS", b"\xff\x00 garbage\n\n"),
        ("questions.jsonl", b"\xff\xfe\n" * 30),
    ],
)
def test_a_damaged_release_is_refused(tmp_path, name, content):
    release = make_release(tmp_path / "release")
    (release / name).write_bytes(content)
    refused(lambda: write(release, tmp_path / "requests.jsonl"), names=name)
    assert not (tmp_path / "requests.jsonl").exists()


@pytest.mark.parametrize(
    "file",
    ["../questions.jsonl", "/etc/hostname", "a/../../b", "nowhere.jsonl", "a\0b", "x" * 5000],
)
def test_a_file_outside_the_folder_is_refused(tmp_path, file):
    release = make_release(tmp_path / "release")
    with pytest.raises(UsageError, match=r"not inside the release|cannot be read"):
        write(release, tmp_path / "requests.jsonl", file=file)


def test_other_things_than_files_are_refused(tmp_path):
    release, requests = make_release(tmp_path / "release"), tmp_path / "requests.jsonl"
    os.mkfifo(release / "pipe")
    (release / "folder").mkdir()
    for file in ("pipe", "folder"):
        refused(lambda file=file: write(release, requests, file=file), UsageError, names=file)
    for place in (tmp_path / "nowhere", release / "folder", release / "questions.jsonl"):
        refused(lambda place=place: write(place, requests), UsageError, names=str(place))


@pytest.mark.parametrize("content", [b"\xff\xfe\n" * 9, b"one\n", b""])
def test_a_file_without_lines_is_refused(content, tmp_path):
    (tmp_path / "test.jsonl").write_bytes(content)
    refused(lambda: write(tmp_path, tmp_path / "a", exchangeable=True), names="test.jsonl")


def test_a_file_without_an_item_a_line_is_refused(tmp_path):
    """A model may prefer its line order, whatever the order of the items."""
    release = make_release(tmp_path / "release")
    lines = [
        line
        for number, item in enumerate(item_lines())
        for line in (f"{number * 7919 % 97} {item}", "a) one", "b) two")
    ]
    (release / "human.txt").write_text("\n".join(lines) + "\n")
    write_checksums(release)
    refused(lambda: write(release, tmp_path / "a", file="human.txt"), UsageError, names="human.txt")
