"""Arrays give a book's sentences back, and say of each what it says when read alone."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.corpus.arrays import book_text, least_context, sentence_traits, whole_sentences
from cloze_gen.english.treebank import treebank_split
from cloze_gen.word_tokens import is_word

WORDS = st.sampled_from("Don't he CALLED NOW \" ' ( ) . ? -- , [ 3 Book cannot lamp".split())
LINES = st.lists(st.lists(WORDS, min_size=1, max_size=8).map(" ".join), min_size=1, max_size=8)


@given(LINES)
def test_sums_over_arrays_are_sums_over_sentences(lines):
    """Tokens as a treebank cuts them, the last word and the offensive words, sentence by sentence."""
    book = book_text(lines)
    traits = sentence_traits(book, offensive={"lamp"})
    for i, tokens in enumerate(line.split(" ") for line in lines):
        assert traits.tokens[i] == sum(len(treebank_split(token)) for token in tokens)
        words = [k for k, token in enumerate(tokens) if is_word(token)]
        assert traits.last_word[i] == (book.bounds[i] + words[-1] if words else -1)
        assert traits.offensive[i] == ("lamp" in tokens)


@given(LINES, st.integers(0, 7))
def test_a_sentence_has_its_traits_alone(lines, which):
    """What stands around it changes nothing but whether it begins within a speech."""
    which %= len(lines)
    among, alone = (
        sentence_traits(book_text(found), offensive={"lamp"})
        for found in (lines, lines[which : which + 1])
    )
    for name in ("tokens", "closed", "offensive"):
        assert getattr(among, name)[which] == getattr(alone, name)[0]


def test_whole_sentences_have_no_fault():
    book = book_text(["He came home .", "he came home .", "..."])
    assert whole_sentences(book).tolist() == [True, False, False]


@pytest.mark.parametrize(
    ("line", "closed"),
    [
        ("He came .", True),
        ('" Did he come ? "', True),
        ("' He came ! ' \"", True),
        ("He came --", False),
        ("He came ...", False),
        ('He came , "', False),
        ("He came", False),
        ('He came "', False),
        ("( he came . )", False),  # cut at the target, the bracket would stay open
    ],
)
def test_a_sentence_is_closed(line, closed):
    """Behind its last word a final mark stands, and nothing but such and quotation marks."""
    assert sentence_traits(book_text([line]), offensive=()).closed.tolist() == [closed]


@pytest.mark.parametrize("mark", ['"', "'"])
def test_speech_is_followed_within_a_paragraph(mark):
    """A speech of three sentences; the next paragraph begins outside it."""
    lines = [
        "He rose .",
        f"{mark} Who is it ?",
        "Speak up !",
        f"I am armed . {mark}",
        "No one spoke .",
        f"{mark} So be it .",
        "He sat .",
    ]
    book = book_text(lines, paragraph=[0, 0, 0, 0, 0, 1, 2])
    assert sentence_traits(book, offensive=()).in_speech.nonzero()[0].tolist() == [2, 3]


def test_the_commoner_mark_is_that_of_speech():
    """In a book that sets double marks around speech an apostrophe that stands alone opens none."""
    book = book_text(['" Come , " he said .', "The boys ' caps were wet .", "He sat ."])
    assert sentence_traits(book, offensive=()).in_speech.tolist() == [False, False, False]


def test_types_broken_at_a_line_end_are_mended():
    """Counted and shown in the form that was decided."""
    book = book_text(["The lamp\xadlight fell ."], forms={"lamp\xadlight": "lamplight"})
    assert book.tokens(0) == ("The", "lamplight", "fell", ".")
    assert sentence_traits(book, offensive={"lamplight"}).offensive.tolist() == [True]


@given(LINES)
def test_arrays_give_the_lines_back(lines):
    """Each sentence's tokens are those that went in."""
    book = book_text(lines)
    assert [" ".join(book.tokens(i)) for i in range(book.sentence_count)] == lines


@given(st.lists(st.integers(1, 30), max_size=30), st.integers(1, 60))
def test_context_is_the_least_that_is_enough(tokens, least):
    """One sentence fewer is too few; -1 where all sentences before are too few."""
    first, found = least_context(np.array(tokens, dtype=np.int64), least)
    for i, begin in enumerate(first.tolist()):
        if begin < 0:
            assert sum(tokens[:i]) < least
            assert found[i] == 0
        else:
            assert sum(tokens[begin:i]) == found[i] >= least
            assert sum(tokens[begin + 1 : i]) < least
