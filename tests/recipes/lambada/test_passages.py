"""Every sentence of a novel gets a passage with the least context, or the first reason against."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.corpus.arrays import book_text
from cloze_gen.corpus.books import kept_books
from cloze_gen.corpus.hyphens import HYPHENS, read_hyphen_forms
from cloze_gen.recipes.lambada.passages import (
    PASSAGES,
    PassageReason,
    PassagesSettings,
    count_in_context,
    cut_passages,
    read_passages,
    target_types,
    write_passages,
)
from cloze_gen.records.passage import Part
from cloze_gen.store.tables import REJECTED, SOURCE_SENTENCES, read_parquet
from tests.recipes.lambada.conftest import SMALL

SHORT = PassagesSettings(
    min_context_tokens=6,
    max_context_tokens=12,
    min_target_sentence_tokens=4,
    max_target_sentence_tokens=8,
)
# of 4, 5 and 5 tokens
RAIN, LAMP, JANE = ("It rained hard .", "The lamp went out .", "Then in came Jane .")


def cut(
    lines,
    *,
    kinds=None,
    paragraph=None,
    settings=SHORT,
):
    book = book_text(lines, kinds=kinds, paragraph=paragraph)
    return cut_passages(book, offensive={"damn"}, settings=settings)


def why(*lines, **columns):
    """The verdict on the last of some sentences."""
    return cut(list(lines), **columns).reason[-1] or "kept"


@pytest.mark.parametrize(
    ("before", "last", "reason"),
    [
        ((RAIN, LAMP), JANE, "kept"),
        ((RAIN, LAMP), '" Then in came Jane . "', "kept"),
        ((RAIN, LAMP), "Then in came Jane", PassageReason.WITHOUT_FINAL_MARK),
        ((RAIN, LAMP), "Then in came Jane --", PassageReason.WITHOUT_FINAL_MARK),
        ((RAIN, LAMP), "It was nine o'clock .", PassageReason.TARGET_NOT_LETTERS),
        ((RAIN, LAMP), "Surely he cannot .", PassageReason.TARGET_NOT_LETTERS),
        ((RAIN, LAMP), "Who came ?", PassageReason.SHORT),
        ((RAIN, LAMP), "Then in came Jane and with her all the others .", PassageReason.LONG),
        ((LAMP,), JANE, PassageReason.CHAPTER_BEGINS),
        (
            ("It rained and rained and rained and rained and rained on Sunday .", RAIN),
            JANE,
            PassageReason.CONTEXT_LONG,
        ),
        (("and then it rained .", LAMP), JANE, PassageReason.TORN),
        (("It rained , damn it .", LAMP), JANE, PassageReason.OFFENSIVE),
        ((RAIN, LAMP), "Then came the Damn .", PassageReason.OFFENSIVE),
        (('" Hush !', RAIN, LAMP), JANE, PassageReason.BEGINS_IN_SPEECH),
        # what stands before the passage does not count
        (("damn it all .", RAIN, LAMP), JANE, "kept"),
    ],
)
def test_each_reason_has_its_case(before, last, reason):
    """One sentence, one verdict."""
    assert why(*before, last) == reason


def test_chapters_and_verse_stand_between():
    lines = [RAIN, LAMP, "IX", LAMP, JANE]
    assert (
        why(*lines, kinds=["prose", "prose", "heading", "prose", "prose"])
        == PassageReason.CHAPTER_BEGINS
    )
    assert (
        why(RAIN, LAMP, JANE, kinds=["prose", "verse", "prose"]) == PassageReason.CONTEXT_NOT_PROSE
    )
    assert why(RAIN, LAMP, JANE, kinds=["prose", "prose", "verse"]) == PassageReason.NOT_PROSE
    assert why(RAIN, LAMP, JANE, paragraph=[0, 1, 2]) == "kept"
    assert why(RAIN, LAMP, JANE, paragraph=[0, 1, 3]) == PassageReason.CONTEXT_NOT_PROSE
    assert why(RAIN, LAMP, JANE, paragraph=[0, 2, 3]) == PassageReason.CONTEXT_NOT_PROSE
    assert why(JANE, RAIN, LAMP, JANE, paragraph=[0, 2, 3, 4]) == "kept"


def test_a_book_without_paragraphs_is_no_source():
    """Its headings are inside its sentences."""
    lines = [RAIN, LAMP, JANE] * 340
    assert why(*lines, paragraph=[0] * len(lines)) == PassageReason.PARAGRAPH_ENDLESS
    assert why(*lines, paragraph=list(range(len(lines)))) == "kept"


def test_tokens_are_counted_as_a_treebank_cuts_them():
    least = SHORT.model_copy(update={"min_context_tokens": 9})
    assert why("It didn't rain .", "It did rain .", JANE, settings=least) == "kept"
    assert (
        why("It did rain .", "It did rain .", JANE, settings=least) == PassageReason.CHAPTER_BEGINS
    )


def test_the_target_is_the_last_word():
    """Its place is that of the word, not of the marks behind it."""
    found = cut([RAIN, LAMP, "' Then in came Jane ! '"])
    assert found.target.tolist() == [2, 7, 13]
    assert (
        found.kept.tolist(),
        found.first[2],
        found.context_tokens[2],
        found.sentence_tokens[2],
    ) == ([2], 0, 9, 7)


def test_targets_in_the_context_are_counted():
    """In any letter case and before clitics, not in the target's own sentence nor before the passage."""
    lines = [
        "Jane was late .",
        "She was JANE to him .",
        "Old jane , Jane's and Janet --",
        "Jane was Jane .",
    ]
    book = book_text(lines)
    found = cut_passages(book, offensive=(), settings=SHORT)
    assert (found.kept.tolist(), found.first.tolist()) == ([3], [-1, -1, 1, 2])
    assert count_in_context(book, found) == [2]


@given(
    st.lists(
        st.sampled_from([RAIN, LAMP, JANE, "Who came ?", "and so on .", "damn it all ."]),
        min_size=1,
        max_size=12,
    )
)
def test_every_sentence_has_one_verdict(lines):
    """A reason, or a passage of whole sentences that ends with it and has tokens as asked."""
    found = cut(lines)
    assert len(found.reason) == len(lines)
    assert set(found.reason) <= {"", *map(str, PassageReason)}
    for i in found.kept:
        assert 0 <= found.first[i] < i
        assert SHORT.min_context_tokens <= found.context_tokens[i] <= SHORT.max_context_tokens


def test_an_empty_book_has_no_passage():
    """Nor has one of headings alone."""
    assert cut([]).kept.tolist() == []
    assert cut(["I", "II"], kinds=["heading"] * 2).kept.tolist() == []


@pytest.mark.parametrize(
    ("word", "may"),
    [
        ("lamp", True),
        ("Jane", True),
        ("façade", True),
        ("o'clock", False),
        ("to-day", False),
        ("cannot", False),
        ("3", False),
    ],
)
def test_targets_are_written_with_letters(word, may):
    """All 4,869 published ones are; a treebank would cut `cannot`."""
    assert target_types(book_text([word])).tolist() == [may]


def test_records_come_from_the_books(novels):
    partition = novels.partition()
    passages = list(read_passages(novels.passages(partition)))
    rows = {row["book_id"]: row for row in kept_books(partition)}
    assert {passage.part for passage in passages} == {Part.DEVELOPMENT, Part.TEST}
    for passage in passages:
        row = rows[passage.book_id]
        assert row["part"] == passage.part
        raw = (novels.books / row["file"]).read_text()[passage.start : passage.end]
        assert raw.startswith(passage.sentences[0][0])
        assert raw.endswith(passage.target_sentence[-1])
        assert " ".join(raw.replace("candle-\n", "candle").split()).startswith(passage.texts[0])
        assert passage.opening + passage.target + passage.closing == passage.texts[-1]
        assert len(passage.context) >= SMALL.min_context_tokens
        assert passage.id.startswith(f"{passage.book_id}:")
    assert {passage.target for passage in passages} >= {"Jane", "head", "us", "bed"}


def test_every_sentence_is_accounted_for(novels):
    """Kept and rejected together are the sentences of the development and test novels, each once."""
    partition = novels.partition()
    artifact = novels.passages(partition)
    kept = read_parquet(artifact.path(PASSAGES.name))["id"].to_pylist()
    rejected = read_parquet(artifact.path(REJECTED))
    ids = kept + rejected["id"].to_pylist()
    expected = [
        f"{row['book_id']}:{i}"
        for row in kept_books(partition)
        if row["part"] != "train"
        for i in range(int(row["sentences"]))
    ]
    assert sorted(ids) == sorted(expected)
    counted = {
        name: rejected["reason"].to_pylist().count(name)
        for name in set(rejected["reason"].to_pylist())
    }
    assert artifact.funnel == {
        "unit": "sentences",
        "seen": len(ids),
        "kept": len(kept),
        "rejected": counted,
    }


def test_sentences_are_kept_that_a_passage_shows(novels):
    artifact = novels.passages(novels.partition())
    table = read_parquet(artifact.path(PASSAGES.name))
    spans = zip(
        *(table[name].to_pylist() for name in ("book_id", "first_sentence", "sentence")),
        strict=True,
    )
    shown = {(book, index) for book, first, last in spans for index in range(first, last + 1)}
    sentences = read_parquet(artifact.path(SOURCE_SENTENCES))
    found = [*zip(sentences["book_id"].to_pylist(), sentences["index"].to_pylist(), strict=True)]
    assert (len(found), {*found}) == (len(shown), shown)
    broken = [
        (text, line)
        for text, line in zip(
            *(sentences[name].to_pylist() for name in ("text", "tokens")), strict=True
        )
        if "candle" in line
    ]
    (form,) = read_hyphen_forms(artifact.path(HYPHENS)).values()
    assert broken
    assert all(f"{form}," in text and f" {form} ," in line for text, line in broken)


def test_asking_for_some_passages_gives_those(novels):
    """In their order, each as it is among all."""
    artifact = novels.passages(novels.partition())
    passages = list(read_passages(artifact))
    assert [
        *read_passages(artifact, which={passage.id for passage in passages[::7]}.__contains__)
    ] == passages[::7]


@pytest.mark.slow
def test_two_workers_write_the_same_bytes(novels):
    partition = novels.partition()
    given = {"partition": partition, "counts": novels.counts(partition), "settings": SMALL}
    one, two = (
        novels.stage("passages", write_passages, **given, offensive="builtin", workers=workers)
        for workers in (1, 2)
    )
    assert two.manifest["files"] == one.manifest["files"]
    assert {PASSAGES.name, SOURCE_SENTENCES, REJECTED} < two.manifest["files"].keys()


def test_a_corpus_without_a_passage_keeps_none(novels):
    settings = PassagesSettings(min_context_tokens=9000, max_context_tokens=9001)
    artifact = novels.passages(novels.partition(), settings)
    assert artifact.funnel["kept"] == 0
    assert artifact.funnel["rejected"]["context_cut_by_chapter"] > 0
