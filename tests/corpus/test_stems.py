"""Stems that a user gives: reading them, what is wrong with a line, and where the blank is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.corpus.arrays import line_ids
from cloze_gen.corpus.counts import CountTable
from cloze_gen.corpus.stems import GivenStems, Stem, is_stems_folder, read_stems
from cloze_gen.corpus.training_text import TOKENS, lines_in_text
from cloze_gen.errors import UsageError
from cloze_gen.store.artifacts import Artifact, Store

GOOD = {"text": "He could _____ to it.", "answer": "swear"}


def written(folder: Path, *lines: object, name: str = "bank.jsonl") -> str:
    path = folder / name
    texts = (line if isinstance(line, str) else json.dumps(line) for line in lines)
    path.write_text("".join(f"{line}\n" for line in texts), encoding="utf-8")
    return str(path)


def read(folder: Path, *lines: object, name: str = "bank.jsonl") -> tuple[Stem, ...]:
    return read_stems(written(folder, *lines, name=name), Store(folder / "out")).stems


def test_a_stem_is_filled_and_numbered_by_its_line(tmp_path: Path) -> None:
    """Empty lines count, and a stem without an id has its line as id."""
    stems = read(tmp_path, GOOD, "", GOOD | {"id": 7})
    assert [(one.line, one.id) for one in stems] == [(1, "1"), (3, "7")]
    assert stems[0].text == "He could swear to it."
    assert stems[0].text[stems[0].start :].startswith("swear")


def test_the_published_answers_are_stems(tmp_path: Path) -> None:
    """A line of MSR's machine format has its word in brackets; the number is the id."""
    [stem] = read(tmp_path, "12c) I could [climb] it .", name="MSR.answers.txt")
    assert (stem.id, stem.text, stem.answer) == ("12", "I could climb it .", "climb")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (GOOD | {"text": "He could swear to it."}, "has no blank"),
        (GOOD | {"text": "He ___ swear to ___."}, "has 2 blank"),
        (GOOD | {"answer": "swear by"}, "must be one word"),
        (GOOD | {"answer": ""}, "must be one word"),
        (GOOD | {"answer": "--"}, "must be one word"),
        (GOOD | {"text": "He re____ed it."}, "part of a longer word"),
        (GOOD | {"text": "The ____'s hat."}, "part of a longer word"),
        (GOOD | {"text": "He \x07 could ___ to it."}, "control character"),
        ({"answer": "swear"}, "`text` is missing"),
        (GOOD | {"answer": 3}, "`answer` is 3"),
        (GOOD | {"id": 1.5}, "`id` is 1.5"),
        ([1, 2], "is not an object"),
        ("He could _____ to it.", "not JSON"),
        ("1a) I could climb it .", "has no word in brackets"),
        ("1a) I [could] [climb] it .", "has 2 word in brackets"),
    ],
)
def test_what_is_wrong_with_a_line(tmp_path: Path, line: object, said: str) -> None:
    """The message names the file, the line and the fault, on one line."""
    with pytest.raises(UsageError) as refused:
        read(tmp_path, GOOD, line)
    message = str(refused.value)
    assert "bank.jsonl, line 2: " in message
    assert said in message
    assert "\n" not in message


def test_an_id_is_there_once(tmp_path: Path) -> None:
    """The message names both lines."""
    with pytest.raises(UsageError, match=r"line 3: repeats the id 'a' of line 1"):
        read(tmp_path, GOOD | {"id": "a"}, GOOD, GOOD | {"id": "a"})


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "no stems"),
        (b"\n \n", "no stems"),
        (b'{"text": "He could ___ it.", "answer": "sw\xe9ar"}', "line 1: not UTF-8"),
        ("\ufeff{".encode(), "line 1: not JSON"),
        ('{"text": "He ___ it.", "answer": "saw"}'.encode("utf-16"), "line 1: not UTF-8"),
    ],
)
def test_a_file_that_holds_no_stems(tmp_path: Path, data: bytes, said: str) -> None:
    """Wrong encodings and empty files are named."""
    (tmp_path / "bank.jsonl").write_bytes(data)
    with pytest.raises(UsageError, match=said):
        read_stems(str(tmp_path / "bank.jsonl"), Store(tmp_path / "out"))


@pytest.mark.parametrize("place", ["missing.jsonl", "."])
def test_a_place_that_is_no_file(tmp_path: Path, place: str) -> None:
    """A folder and a missing file are a usage error."""
    with pytest.raises(UsageError, match="cannot be read"):
        read_stems(str(tmp_path / place), Store(tmp_path / "out"))


def test_a_byte_order_mark_is_no_text(tmp_path: Path) -> None:
    """Windows editors write one."""
    (tmp_path / "bank.jsonl").write_bytes(b"\xef\xbb\xbf" + json.dumps(GOOD).encode() + b"\r\n")
    [stem] = read_stems(str(tmp_path / "bank.jsonl"), Store(tmp_path / "out")).stems
    assert stem.text == "He could swear to it."


def test_the_copy_in_the_store_gives_the_same_stems(tmp_path: Path) -> None:
    """So that a run can be explained and repeated without the file."""
    store = Store(tmp_path / "out")
    given_stems = read_stems(written(tmp_path, GOOD, "", GOOD | {"id": "b"}), store)
    given_stems.write(store)
    folder = given_stems.folder(store)
    assert is_stems_folder(folder, store)
    assert read_stems(str(folder), store) == given_stems
    assert given_stems.book(store).path.read_bytes() == given_stems.text


def test_a_line_of_the_book_is_a_line_of_the_file() -> None:
    """Lines without a stem are empty."""
    stems = GivenStems("bank", (Stem(2, "a", "We hide it.", 3, "hide"),))
    assert stems.text == b"\nWe hide it.\n"


def test_changed_stems_are_another_set() -> None:
    """Another blank in the same sentence changes the digest, and so the run."""
    one, other = (
        GivenStems("bank", (Stem(1, "1", "We hide hide.", start, "hide"),)) for start in (3, 8)
    )
    assert one.text == other.text
    assert one.digest != other.digest


WORDS = st.lists(st.sampled_from(["the", "The", "no", "owl", ",", "--", "it's"]), min_size=2)


@given(WORDS, st.data())
def test_the_blank_is_found_among_equal_words(tokens: list[str], data: Any) -> None:
    """Whichever of several equal words is the answer, and however marks are spaced."""
    place = data.draw(st.integers(0, len(tokens) - 1))
    gaps = data.draw(
        st.lists(st.sampled_from([" ", ""]), min_size=len(tokens), max_size=len(tokens))
    )
    before = "".join(f"{token}{gap}" for token, gap in zip(tokens, gaps, strict=True))
    start = sum(len(token) + len(gap) for token, gap in zip(tokens[:place], gaps, strict=False))
    assert Stem(1, "1", before, start, tokens[place]).position(tokens) == place


def test_a_blank_within_a_token_has_no_position() -> None:
    """The tokenizer may join what the file writes apart."""
    assert Stem(1, "1", "do n't go", 3, "n't").position(("don't", "go")) is None


def text_of(folder: Path, *lines: str) -> tuple[Artifact, CountTable]:
    words = sorted({word for line in lines for word in line.split()})
    ones = np.ones(len(words))
    table = CountTable(words, *(ones.astype(np.int64),) * 3, ones, ones, len(words))
    np.save(folder / TOKENS, line_ids(lines, {word: i + 1 for i, word in enumerate(words)}))
    return Artifact(folder, {}), table


TEXT = "One two , three four five six seven eight nine ."


@pytest.mark.parametrize(
    ("line", "shared"),
    [
        ("two three four five six seven eight nine", True),
        ("ONE two three FOUR five -- six seven eight", True),
        ("two three four five six seven eight", False),
        ("two three four five six seven nine eight", False),
        ("two three four owl five six seven eight nine", False),
        ("", False),
    ],
)
def test_a_run_of_eight_words_is_shared(tmp_path: Path, line: str, shared: bool) -> None:
    """Letter case and marks do not count; an unknown word ends a run."""
    text, table = text_of(tmp_path, "nine eight seven .", TEXT, "two .")
    assert lines_in_text(text, table, [line.split()]) == [shared]


def test_a_run_across_two_chunks_is_shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each chunk begins with the last words of the one before."""
    monkeypatch.setattr("cloze_gen.corpus.training_text._CHUNK_TOKENS", 3)
    text, table = text_of(tmp_path, TEXT)
    assert lines_in_text(text, table, [TEXT.split()]) == [True]
