"""Passages read from files, in the one form that models are asked in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cloze_gen.errors import FormatError, UsageError
from cloze_gen.formats.lambada.jsonl import passage_record
from cloze_gen.formats.lambada.plain_text import parse_plain_text
from cloze_gen.formats.lambada.rendering import whole_words
from cloze_gen.records.passage import Part, Passage
from cloze_gen.stages.evaluation.passage_sets import holds_passages, read_asked_set, read_passage_set

LINE = "`` is n't the lamp lit ? '' she asked mr . pin . he said : `` the lamp is out , ann"


def record(number: int, split: str) -> dict[str, Any]:
    sentences = (("Who", "lit", "it", "?"), ('"', "Not", "ANN", ".", '"'))
    return passage_record(Passage(f"b:{number}", "b", Part.TEST, sentences, ("Who lit it?", '"Not ANN."'), 2, 0, 9), split=split, domain="")


@pytest.fixture
def ours(tmp_path: Path) -> Path:
    path = tmp_path / "passages.jsonl"
    rows = [record(1, "validation"), record(2, "test"), record(2, "control")]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def test_our_own_keep_their_capitals_beside(ours: Path) -> None:
    """Small letters for the models, sentence by sentence; the book's letters for what looks at them; both renderings to prompt with."""
    found = read_asked_set(ours)
    assert [(one.id, one.set) for one in found.passages] == [("b:1", "passages"), ("b:2", "passages"), ("b:2", "control")]
    first = found.passages[0]
    assert (first.sentences, first.target) == ((("who", "lit", "it", "?"), ('"', "not")), "ann")
    assert first.cased == ("Who", "lit", "it", "?", '"', "Not", "ANN")
    assert dict(first.prompts) == {"published": ("who lit it ? `` not", " ann"), "cased": ('Who lit it? "Not', " ANN")}
    assert found.digest == read_passage_set(ours).digest


def test_a_published_line_is_cut_where_its_sentences_end(tmp_path: Path) -> None:
    """Whole words, known by the line's number; not cut behind a title, nor within a speech; nothing tells capitals."""
    path = tmp_path / "lambada_test_plain_text.txt"
    path.write_text(f"no\nhe saw ann\n{LINE}\n".replace("no\n", "she saw joe\n"), encoding="utf-8")
    *_, last = read_asked_set(path).passages
    assert last.id == "3"
    assert last.sentences == (
        ('"', "isn't", "the", "lamp", "lit", "?", '"', "she", "asked", "mr", ".", "pin", "."),
        ("he", "said", ":", '"', "the", "lamp", "is", "out", ","),
    )
    assert (last.tokens, last.cased) == (whole_words(LINE.split()), ())
    assert dict(last.prompts) == {"published": (LINE.removesuffix(" ann"), " ann")}


def test_a_file_is_told_by_its_name_or_first_line(ours: Path, tmp_path: Path) -> None:
    """Of questions, in any of their forms, it says no, and of what is no file."""
    told = {"plain.txt": LINE, "x_plain_text.txt": "Broken .", "q.jsonl": '{"id": "q:1", "tokens": []}', "q.txt": "1a) I saw [it] .",
            "upper.txt": "I saw Ann", "mark.txt": "he saw ann .", "empty.txt": ""}  # fmt: skip
    for name, line in told.items():
        (tmp_path / name).write_text(line, encoding="utf-8")
    assert [name for name in told if holds_passages(tmp_path / name)] == ["plain.txt", "x_plain_text.txt"]
    assert holds_passages(ours)
    assert not holds_passages(tmp_path / "gone.txt")


def test_what_is_wrong_with_a_file_is_told(tmp_path: Path) -> None:
    """No file, no passage, no target at a line's end, with the line's number."""
    with pytest.raises(UsageError, match="cannot be read"):
        read_asked_set(tmp_path / "gone.jsonl")
    for text, error, said in (("", UsageError, "holds no passage"), ("he saw ann\nhe saw .\n", FormatError, "line 2: the last token")):
        (tmp_path / "plain_text.txt").write_text(text, encoding="utf-8")
        with pytest.raises(error, match=said):
            read_asked_set(tmp_path / "plain_text.txt")


@pytest.mark.realdata
def test_the_published_file_is_asked_whole(data_dir: Path) -> None:
    """Cut into sentences nothing is lost, and every passage has a context sentence but a few."""
    path = data_dir / "published" / "lambada-dev" / "lambada_development_plain_text.txt"
    if not path.is_file():
        pytest.skip("the published LAMBADA development set is not unpacked (make data SHARED=DIR)")
    found = read_asked_set(path).passages
    lines = parse_plain_text(path.read_text(encoding="utf-8"))
    assert [one.tokens for one in found] == [whole_words(tokens) for tokens in lines]
    assert sum(len(one.sentences) for one in found) / len(found) == pytest.approx(5.6, abs=0.05)
