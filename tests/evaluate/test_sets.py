"""Tests of `cloze_gen.evaluation.sets`."""

import json

import pytest

from cloze_gen.errors import FormatError, UsageError
from cloze_gen.evaluation.sets import (
    cloze_example,
    holds_blanked_passages,
    holds_passages,
    read_blanked_set,
    read_cloze_examples,
    read_passage_examples,
    read_passage_set,
)
from cloze_gen.formats.lambada import parse_plain_text, passage_record, whole_words
from cloze_gen.formats.scde import format_published
from cloze_gen.formats.scde import passage_record as blanked_record
from cloze_gen.records.blanked_passage import BlankedPassage, SentenceSource, SetBlankedPassage
from cloze_gen.records.passage import Part, Passage
from tests.support.errors import refused

# ---- passage sets


LINE = "`` is n't the lamp lit ? '' she asked mr . pin . he said : `` the lamp is out , ann"


def record(number, split):
    sentences = (("Who", "lit", "it", "?"), ('"', "Not", "ANN", ".", '"'))
    return passage_record(
        Passage(f"b:{number}", "b", Part.TEST, sentences, ("Who lit it?", '"Not ANN."'), 2, 0, 9),
        split=split,
        domain="",
    )


@pytest.fixture
def ours(tmp_path):
    path = tmp_path / "passages.jsonl"
    rows = [record(1, "validation"), record(2, "test"), record(2, "control")]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def test_our_own_keep_their_capitals_beside(ours):
    found = read_passage_examples(ours)
    assert [(one.id, one.set) for one in found.passages] == [
        ("b:1", "passages"),
        ("b:2", "passages"),
        ("b:2", "control"),
    ]
    first = found.passages[0]
    assert (first.sentences, first.target) == ((("who", "lit", "it", "?"), ('"', "not")), "ann")
    assert first.cased == ("Who", "lit", "it", "?", '"', "Not", "ANN")
    assert dict(first.prompts) == {
        "published": ("who lit it ? `` not", " ann"),
        "cased": ('Who lit it? "Not', " ANN"),
    }
    assert found.digest == read_passage_set(ours).digest


def test_a_published_line_is_cut_where_its_sentences_end(tmp_path):
    path = tmp_path / "lambada_test_plain_text.txt"
    path.write_text(f"no\nhe saw ann\n{LINE}\n".replace("no\n", "she saw joe\n"), encoding="utf-8")
    *_, last = read_passage_examples(path).passages
    assert last.id == "3"
    assert last.sentences == (
        ('"', "isn't", "the", "lamp", "lit", "?", '"', "she", "asked", "mr", ".", "pin", "."),
        ("he", "said", ":", '"', "the", "lamp", "is", "out", ","),
    )
    assert (last.tokens, last.cased) == (whole_words(LINE.split()), ())
    assert dict(last.prompts) == {"published": (LINE.removesuffix(" ann"), " ann")}


def test_a_file_is_told_by_its_name_or_first_line(ours, tmp_path):
    """Of questions, in any of their forms, it says no, and of what is no file."""
    told = {"plain.txt": LINE, "x_plain_text.txt": "Broken .", "q.jsonl": '{"id": "q:1", "tokens": []}', "q.txt": "1a) I saw [it] .",
            "upper.txt": "I saw Ann", "mark.txt": "he saw ann .", "empty.txt": ""}  # fmt: skip
    for name, line in told.items():
        (tmp_path / name).write_text(line, encoding="utf-8")
    assert [name for name in told if holds_passages(tmp_path / name)] == [
        "plain.txt",
        "x_plain_text.txt",
    ]
    assert holds_passages(ours)
    assert not holds_passages(tmp_path / "gone.txt")


def test_what_is_wrong_with_a_file_is_told(tmp_path):
    """No file, no passage, no target at a line's end, with the line's number."""
    gone = tmp_path / "gone.jsonl"
    refused(lambda: read_passage_examples(gone), UsageError, names=str(gone))
    path = tmp_path / "plain_text.txt"
    path.write_text("", encoding="utf-8")
    refused(lambda: read_passage_examples(path), UsageError, names=str(path))
    path.write_text("he saw ann\nhe saw .\n", encoding="utf-8")
    refused(lambda: read_passage_examples(path), FormatError, names="line 2")


@pytest.mark.realdata
def test_the_published_file_is_asked_whole(data_dir):
    """Cut into sentences nothing is lost, and every passage has a context sentence but a few."""
    path = data_dir / "published" / "lambada-dev" / "lambada_development_plain_text.txt"
    if not path.is_file():
        pytest.skip("the published LAMBADA development set is not unpacked (make data SHARED=DIR)")
    found = read_passage_examples(path).passages
    lines = parse_plain_text(path.read_text(encoding="utf-8"))
    assert [one.tokens for one in found] == [whole_words(tokens) for tokens in lines]
    assert sum(len(one.sentences) for one in found) / len(found) == pytest.approx(5.6, abs=0.05)


# ---- blank sets


SENTENCES = ('"Who\'s there?" asked Mr. Pin.', "It was Jane.", "Nobody answered.")
CANDIDATES = ("The lamp went out.", "It was Jane.")


def record_of_blank_sets(book, part):
    passage = BlankedPassage(f"{book}:4", SENTENCES, (1,), CANDIDATES, (1,))
    sources = tuple(SentenceSource(book, index, 10 * index, 10 * index + 9) for index in (4, 5, 6))
    return blanked_record(
        SetBlankedPassage(
            passage, part, "", (2, 2, 2), sources, (SentenceSource(book, 1, 1, 2), sources[1])
        )
    )


@pytest.fixture
def ours_of_blank_sets(tmp_path):
    path = tmp_path / "passages.jsonl"
    rows = [
        record_of_blank_sets("a", Part.TRAIN),
        record_of_blank_sets("b", Part.DEVELOPMENT),
        record_of_blank_sets("c", Part.TEST),
    ]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture
def published(tmp_path):
    path = tmp_path / "dev.json"
    passage = BlankedPassage(
        "0",
        ("We left.", "It rained.", ".", "So\u0000 what\tnow?"),
        (1,),
        ("Jane sang.", "It rained."),
        (1,),
    )
    path.write_text(format_published([passage]), encoding="utf-8")
    return path


def test_training_passages_are_learnt_from_and_not_measured(ours_of_blank_sets):
    found = read_cloze_examples(ours_of_blank_sets)
    assert [(one.passage.id, one.book, one.part) for one in found.passages] == [
        ("b:4", "b", "development"),
        ("c:4", "c", "test"),
    ]
    assert [one.book for one in found.training] == ["a"]
    first = found.passages[0]
    assert first.sentences[0] == ('"', "Who's", "there", "?", '"', "asked", "Mr.", "Pin", ".")
    assert first.sentences[1] == first.candidates[1] == ("It", "was", "Jane", ".")
    assert found.digest == read_blanked_set(ours_of_blank_sets).digest


def test_a_published_file_is_measured_whole(published):
    (one,) = read_cloze_examples(published).passages
    assert (one.book, one.part, one.passage.sentences[2:]) == ("0", "", ("So\u0000 what\tnow?",))
    assert one.sentences == (("We", "left", "."), ("It", "rained", "."), ("So", "what", "now", "?"))


def test_a_file_to_learn_from_gives_its_training_passages(ours_of_blank_sets, published):
    """Of a set those of its part, of a published file all."""
    assert [
        one.book for one in read_cloze_examples(ours_of_blank_sets, to_learn=True).training
    ] == ["a"]
    found = read_cloze_examples(published, to_learn=True)
    assert (len(found.training), found.passages) == (1, ())


def test_another_part_is_another_set(ours_of_blank_sets):
    """What is measured is known by it: the same passages in another part have another digest."""
    before = read_cloze_examples(ours_of_blank_sets).digest
    ours_of_blank_sets.write_text(
        ours_of_blank_sets.read_text(encoding="utf-8").replace('"test"', '"train"'),
        encoding="utf-8",
    )
    assert read_cloze_examples(ours_of_blank_sets).digest != before


def test_a_file_is_told_by_its_first_line(ours_of_blank_sets, published, tmp_path):
    """Of questions and of passages that end in a word it says no, and of what is no file."""
    assert holds_blanked_passages(ours_of_blank_sets)
    assert holds_blanked_passages(published)
    for text in (
        '{"id": "b:1", "sentences": [["A"]], "target_position": 0}\n',
        "1a) A question .\n",
        "{",
        "",
    ):
        other = tmp_path / "other"
        other.write_text(text, encoding="utf-8")
        assert not holds_blanked_passages(other), text
    assert not holds_blanked_passages(tmp_path)
    assert not holds_blanked_passages(tmp_path / "gone")


def test_what_cannot_be_read_is_told(tmp_path, ours_of_blank_sets):
    """Bytes that are no text, a set of training passages alone, a line that is no passage."""
    path = tmp_path / "x.json"
    path.write_bytes(b"[\xff]")
    refused(lambda: read_cloze_examples(path), UsageError, names=str(path))
    first = ours_of_blank_sets.read_text(encoding="utf-8").splitlines()[0]
    path.write_text(f"{first}\n", encoding="utf-8")
    refused(lambda: read_cloze_examples(path), UsageError, names="part `train`")
    path.write_text(f"{first}\n{{}}\n", encoding="utf-8")
    refused(lambda: read_cloze_examples(path), FormatError, names="line 2")


def test_nothing_is_asked_of_nothing():
    """An empty list of passages is an empty list of asked ones."""
    assert cloze_example([]) == ()
