"""What a set is like, in the measures of Table 3."""

import json

import pytest

from cloze_gen.recipes.scde.statistics import (
    PAPER,
    consecutive_blanks,
    describe_set,
    statistics_table,
    vocabulary,
)
from cloze_gen.records.blanked_passage import BlankedPassage, SentenceSource, SetBlankedPassage
from cloze_gen.records.passage import Part


def passage(sentences, blanks, *distractors):
    """Sentences are written with `|` between them; the answers are the first candidates."""
    texts = tuple(sentences.split("|"))
    answers = tuple(texts[place] for place in blanks)
    return BlankedPassage(
        "book:0", texts, blanks, (*answers, *distractors), tuple(range(len(blanks)))
    )


def test_the_paper_s_example(data_dir):
    """Table 1: the variance of its seven lengths is the square of the printed 7.6."""
    record = json.loads(
        (data_dir / "published" / "scde" / "table1_example.json").read_text(encoding="utf-8")
    )[0]
    shown = record["passage"]
    blanks = tuple(i for i, text in enumerate(shown) if text.startswith("<"))
    answers = dict(record["answer_sequence"])
    sentences = tuple(
        record["candidates"][answers[int(text[1:-1])]] if text.startswith("<") else text
        for text in shown
    )
    found = describe_set(
        [
            BlankedPassage(
                "0",
                sentences,
                blanks,
                tuple(record["candidates"]),
                tuple(answers[k + 1] for k in range(5)),
            )
        ]
    )
    assert found["variance of the candidate length"] ** 0.5 == pytest.approx(7.6, abs=0.05)
    assert (
        found["blanks per passage"],
        found["candidates per passage"],
        found["consecutive blanks, %"],
    ) == (5, 7, 0)
    assert found["words per passage"] == sum(len(text.split()) for text in shown) - 5


def test_the_variance_is_that_within_a_passage():
    long, short = passage("a b c d|e f g h", (0, 1)), passage("a|b", (0, 1))
    assert describe_set([long, short])["variance of the candidate length"] == 0
    assert describe_set([long, short])["words per candidate"] == 2.5


def test_the_ratio_is_each_passage_s_own():
    """Two candidates for one blank and three for three are 1.5 a blank, not five for four."""
    found = describe_set([passage("a|b", (0,), "c"), passage("a|b|c", (0, 1, 2))])
    assert found["candidates per blank"] == 1.5


@pytest.mark.parametrize(
    ("blanks", "beside"), [((), 0), ((0,), 0), ((0, 2, 4), 0), ((0, 1), 2), ((0, 1, 2, 4), 3)]
)
def test_blanks_beside_another(blanks, beside):
    """Both of a pair count, and all of a row."""
    assert consecutive_blanks(passage("a|b|c|d|e", blanks)) == beside


def test_blanks_beside_another_are_a_share_of_all_blanks():
    """Of two passages with two and three blanks."""
    assert (
        describe_set([passage("a|b|c", (0, 1)), passage("a|b|c|d|e", (0, 2, 4))])[
            "consecutive blanks, %"
        ]
        == 40
    )


def test_a_word_of_the_vocabulary_is_no_mark():
    words = vocabulary(
        [passage('"Come," he said--and came.|The _end_.', (0,), "It\u2019s twelve o'clock.")]
    )
    assert words == {
        "come",
        "he",
        "said",
        "and",
        "came",
        "the",
        "end",
        "it\u2019s",
        "twelve",
        "o'clock",
    }


def test_an_empty_set_has_counts_alone():
    """A split without passages has no means."""
    assert describe_set([]) == {"passages": 0, "blanks": 0, "vocabulary": 0}


def test_every_measure_of_the_table_is_described():
    """Also those that the paper does not have."""
    assert describe_set([passage("a|b", (0,))]).keys() == PAPER.keys()


def one(item, part, *sentences):
    """A passage of which every second sentence is blanked, without distractors."""
    blanks = tuple(range(1, len(sentences), 2))
    passage = BlankedPassage(
        f"{item}:0",
        sentences,
        blanks,
        tuple(sentences[blank] for blank in blanks),
        tuple(range(len(blanks))),
    )
    sources = tuple(
        SentenceSource(item, index, 10 * index, 10 * index + 9) for index in range(len(sentences))
    )
    return SetBlankedPassage(
        passage, part, "", (0,) * len(sentences), sources, tuple(sources[blank] for blank in blanks)
    )


def printed(*passages):
    """Measure -> its printed figures: all, train, development, test, the paper's."""
    table = statistics_table(passages)
    assert table.header == ("measure", "All", "Train", "Dev", "Test", "Paper")
    return {name: figures for name, *figures in table.rows}


def test_each_part_is_measured_by_itself():
    """The whole set is no mean of its parts; the paper's figure stands in every row that has one."""
    rows = printed(
        one("a", Part.TRAIN, "We left.", "It rained on us.", "So?", "No."),
        one("b", Part.TEST, "A b.", "C."),
    )
    assert rows["blanks per passage"] == ["1.50", "2.00", "-", "1.00", "4.99"]
    assert rows["words per candidate"] == ["2.00", "2.50", "-", "1.00", "-"]
    assert rows["variance of the candidate length"][1] == "2.25"


def test_figures_are_printed_as_the_paper_prints_them():
    """Counts whole, shares in percent, the paper's passages by part, a dash for missing figures."""
    passages = [one(f"b{i}", Part.TRAIN, "A b.", "C d.") for i in range(1234)]
    rows = printed(*passages)
    assert rows["passages"] == ["1,234", "1,234", "0", "0", "5,959 (4,790 / 511 / 658)"]
    assert rows["vocabulary"] == ["4", "4", "0", "0", "48,600"]
    assert rows["consecutive blanks, %"] == ["0.00", "0.00", "-", "-", "1.28"]
