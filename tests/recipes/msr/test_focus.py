"""Focus words: every qualifying position, and a reason for every other."""

import tracemalloc
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.corpus.frequencies import COUNTS
from cloze_gen.engine.local import InProcessEngine
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.english.sentence_fitness import SentenceFault
from cloze_gen.recipes.msr.focus import (
    FocusReason,
    FocusSettings,
    select_focus_words,
    sentence_rejection,
    write_focus,
)
from cloze_gen.recipes.tables import read_source_sentences
from cloze_gen.records.sentence import Sentence
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, Store
from cloze_gen.store.fingerprint import StageKey
from cloze_gen.store.tables import (
    FOCUS,
    REJECTED,
    SOURCE_SENTENCES,
    read_parquet,
    write_parquet,
    write_tsv,
)

OPTIONS = {"climb", "attic", "lamp", "grim"}


def sentence(line, kind="prose"):
    tokens = tuple(line.split(" "))
    return Sentence("b", 4, 0, len(line), 0, kind, line, tokens)


def verdicts(line, **settings):
    """The focus words of a line, and its rejections."""
    return select_focus_words(
        sentence(line),
        options=OPTIONS,
        settings=FocusSettings(**{"min_tokens": 6} | settings),
    )


def test_every_qualifying_word_is_kept():
    """History, next token and provenance are the sentence's own."""
    found, _ = verdicts("He took the lamp , and could climb to it .")
    names = ("id", "position", "word", "history1", "history2", "next_token")
    assert [tuple(row[name] for name in names) for row in found] == [
        ("b:4:3", 3, "lamp", "took", "the", ","),
        ("b:4:7", 7, "climb", "and", "could", "to"),
    ]
    assert {row["sentence_id"] for row in found} == {"b:4"}


@pytest.mark.parametrize(
    ("line", "history"),
    [
        ("Attic lamp to the old place now .", None),
        ('" The lamp went out last night . "', None),
        ("The -- lamp went out last night .", None),
        ("Well , lamp or none he went .", ("Well", ",")),
        ('Hang the " lamp " here at once .', ("the", '"')),
    ],
)
def test_two_tokens_are_printed_before_a_focus_word(line, history):
    """Marks that are printed count, quotes and dashes do not; the history itself is the book's own."""
    place = f"b:4:{line.split(' ').index('lamp')}"
    rows, rejected = verdicts(line)
    histories = {row["id"]: (row["history1"], row["history2"]) for row in rows}
    assert histories.get(place) == history
    reasons = {rejection.id: rejection.reason for rejection in rejected}
    assert reasons.get(place) == (FocusReason.NO_HISTORY if history is None else None)


def test_not_before_the_final_stop():
    """The published set has none there; a quotation mark after the stop does not hide it."""
    for line in (
        "We went up to the attic .",
        '" We went up to the attic . "',
        '" We went up to the attic , " said he .',
    ):
        reasons = {rejection.id: rejection.reason for rejection in verdicts(line)[1]}
        expected = FocusReason.BEFORE_FINAL_STOP if "said" not in line else None
        assert reasons.get(f"b:4:{line.split(' ').index('attic')}") == expected


@pytest.mark.parametrize(
    ("line", "kind", "reason"),
    [
        ("He took the lamp and went .", "verse", SentenceFault.NOT_PROSE),
        ("He took the lamp and went .", "heading", SentenceFault.NOT_PROSE),
        ("He took the lämp and went .", "prose", SentenceFault.NOT_ASCII),
        ("He took the lamp .", "prose", FocusReason.TOO_SHORT),
        ("He took the lamp and went", "prose", SentenceFault.NO_FINAL_STOP),
        ("He took the lamp and went ,", "prose", SentenceFault.NO_FINAL_STOP),
        ("a " * 36 + ".", "prose", FocusReason.TOO_LONG),
        ("a " * 35 + ".", "prose", None),
        ("a " * 5 + ".", "prose", None),
        ("a " * 4 + ".", "prose", FocusReason.TOO_SHORT),
        ('" ' + "a " * 35 + '. "', "prose", None),
        ("He took the lamp and went ?", "prose", None),
        ("He took the lamp and went !", "prose", None),
    ],
)
def test_sentences_and_their_limits(line, kind, reason):
    """6 to 36 printed tokens, a final mark, prose, ASCII; quotation marks do not count."""
    assert sentence_rejection(sentence(line, kind), FocusSettings(min_tokens=6)) == reason


def test_sentences_have_thirteen_tokens_by_default():
    assert sentence_rejection(sentence("a " * 12 + "."), FocusSettings()) is None
    assert sentence_rejection(sentence("a " * 11 + "."), FocusSettings()) == FocusReason.TOO_SHORT


DRAWN_WORDS = st.sampled_from(
    ["He", "climb", "attic", "lamp", "the", ",", "--", '"', "ran", "?", "!", "."]
)


@given(st.lists(DRAWN_WORDS, min_size=1, max_size=20))
def test_each_word_has_one_verdict(words):
    record = sentence(" ".join([*words, "."]))
    rows, rejected = select_focus_words(
        record, options=OPTIONS, settings=FocusSettings(min_tokens=3)
    )
    ids = [row["id"] for row in rows] + [rejection.id for rejection in rejected]
    assert len(set(ids)) == len(ids)
    if ids != [record.id]:
        places = {int(item.rpartition(":")[2]) for item in ids}
        assert all(any(map(str.isalnum, record.tokens[i])) for i in places)
        assert {i for i, token in enumerate(record.tokens) if token in OPTIONS} <= places
    for row in rows:
        position = row["position"]
        around = [row["history1"], row["history2"], row["word"], row["next_token"]]
        assert row["word"] in OPTIONS
        assert list(record.tokens[position - 2 : position + 2]) == around


TOKENS = "He saw the lamp and the stair of the house by the sea .".split()
WORDS = [token for token in TOKENS if token.isalpha()]
SENTENCES = 120  # a book


def training_counts(folder):
    """Counts in which `lamp` alone may be an option."""
    counts = Counter(dict.fromkeys(WORDS, 900_000) | {"lamp": 25})
    total = counts.total()
    rows = [(word, count, count, count / total, 1.0) for word, count in sorted(counts.items())]
    store, key = Store(folder), StageKey("counts", 1)
    with store.writing(key) as writer:
        assert writer is not None
        write_tsv(
            writer.path(COUNTS),
            ("word", "count", "folded_count", "freq", "lower_share"),
            rows,
        )
        writer.facts["word_tokens"] = total
    return store.open(key)


def source_books(folder, n_books):
    """Books that say one sentence over and over."""
    indices = list(range(SENTENCES))
    texts = [" ".join(TOKENS)] * SENTENCES
    spans = dict.fromkeys(("index", "start", "end", "paragraph"), indices)
    sentences = {**spans, "kind": ["prose"] * SENTENCES, "text": texts, "tokens": texts}
    counts = Counter(WORDS)
    types = {
        "word": list(counts),
        "count": list(counts.values()),
        "initial_count": [0] * len(counts),
    }
    for i in range(n_books):
        (folder / f"b{i:03}").mkdir(parents=True)
        write_parquet(folder / f"b{i:03}" / "sentences.parquet", sentences)
        write_parquet(folder / f"b{i:03}" / "types.parquet", types)
    rows = [(f"b{i:03}", "kept", "", "", f"b{i:03}") for i in range(n_books)]
    write_tsv(folder / "books.tsv", ("book_id", "status", "reason", "detail", "folder"), rows)
    return Artifact(folder, {})


def written(tmp_path, n_books):
    """The stage's artifact over n books, and Python's peak memory in bytes."""
    source, counts = (
        source_books(tmp_path / f"source{n_books}", n_books),
        training_counts(tmp_path / f"counts{n_books}"),
    )
    folder = tmp_path / f"focus{n_books}"
    folder.mkdir()
    writer, ctx = ArtifactWriter(folder), StageContext(Store(tmp_path), InProcessEngine(), "focus")
    tracemalloc.start()
    try:
        write_focus(
            writer, ctx, source=source, counts=counts, settings=FocusSettings(max_freq=1e-3)
        )
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    return Artifact(folder, {"funnel": writer.funnel, "files": writer.rows}), peak


@pytest.mark.slow
def test_rejected_words_are_not_held_together(tmp_path):
    """Twelve times the books, as little memory: a verdict goes to the disk with its book."""
    _, few = written(tmp_path, 3)
    _, many = written(tmp_path, 36)
    assert many < 1.3 * few


def test_every_verdict_is_on_disk(tmp_path):
    artifact, _ = written(tmp_path, 3)
    focus, rejected = (read_parquet(artifact.path(name)).to_pydict() for name in (FOCUS, REJECTED))
    place = TOKENS.index("lamp")
    assert focus["id"] == [
        f"b{book:03}:{sentence}:{place}" for book in range(3) for sentence in range(SENTENCES)
    ]
    assert list(read_source_sentences(artifact)) == focus["sentence_id"]
    expected = [
        (
            f"b{book:03}:{sentence}:{position}",
            FocusReason.NO_HISTORY if position < 2 else FocusReason.NOT_ELIGIBLE,
            token,
        )
        for book in range(3)
        for sentence in range(SENTENCES)
        for position, token in enumerate(TOKENS)
        if token.isalpha() and token != "lamp"
    ]
    assert (
        list(zip(rejected["id"], rejected["reason"], rejected["detail"], strict=True)) == expected
    )
    assert artifact.funnel["kept"] == len(focus["id"])
    assert sum(artifact.funnel["rejected"].values()) == len(expected)
    assert artifact.manifest["files"][SOURCE_SENTENCES] == 3 * SENTENCES
    assert sorted(path.name for path in artifact.folder.iterdir()) == sorted(
        [FOCUS, REJECTED, SOURCE_SENTENCES, "hyphens.tsv"]
    )


@pytest.mark.parametrize("name", [FOCUS, REJECTED, SOURCE_SENTENCES])
def test_parts_become_one_table(tmp_path, name):
    """The joined table is byte for byte what writing all rows at once gives."""
    artifact, _ = written(tmp_path, 3)
    write_parquet(tmp_path / "once.parquet", read_parquet(artifact.path(name)).combine_chunks())
    assert artifact.path(name).read_bytes() == (tmp_path / "once.parquet").read_bytes()
