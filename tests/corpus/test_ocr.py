"""Text from OCR is recognised by its errors; dialect and old spelling are not taken for it."""

import re
from itertools import islice
from pathlib import Path

import pytest

from cloze_gen.corpus.collect import InputSettings
from cloze_gen.corpus.decoding import decode_book
from cloze_gen.corpus.inspect import inspection
from cloze_gen.corpus.ocr import MOST_UNKNOWN
from cloze_gen.corpus.parse_book import IngestSettings, parse_book
from tests.ocr_noise import with_ocr_errors
from tests.support.books import collection

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "corpora" / "sample"


def unknown_share(raw, rate=0.0):
    text = decode_book(raw).text
    if rate:
        text = with_ocr_errors(text, rate)
    return parse_book(text, settings=IngestSettings()).audit.unknown_word_share


@pytest.mark.parametrize("book", sorted(SAMPLE.glob("*/*.txt")), ids=lambda book: book.stem)
def test_a_book_looks_like_ocr_with_errors_only(book):
    raw = book.read_bytes()
    assert unknown_share(raw) < MOST_UNKNOWN < unknown_share(raw, 0.01)


NOVEL = decode_book((SAMPLE / "source" / "the-clockmakers-debt.txt").read_bytes()).text
# Print that no list has, though no error: the words count after folding, and each word once.
PRINTS = {
    "long s": re.sub(r"(?<=[a-z])s(?=[a-z])|(?<![a-zA-Z])s(?=[a-z])", "\u017f", NOVEL),
    "ligatures": NOVEL.replace("fi", "\ufb01").replace("fl", "\ufb02").replace("st", "\ufb06"),
    "soft hyphens": re.sub(r"(?<=[a-z]{3})(?=[a-z]{3})", "\u00ad", NOVEL),
    "words of the book's own": NOVEL.replace(" the ", " the blimmery frastled "),
    "accents": NOVEL.replace("a", "\u00e0").replace(" o", " \u00f3"),
}


@pytest.mark.parametrize("text", PRINTS.values(), ids=PRINTS)
def test_old_print_and_words_of_the_book_are_no_errors(text):
    parsed = parse_book(text, settings=IngestSettings(min_function_word_share=0))
    assert text != NOVEL
    assert parsed.audit.unknown_word_share < MOST_UNKNOWN


def test_inspect_shows_text_as_it_is_read(tmp_path):
    (tmp_path / "old.txt").write_text("At du\u017fk the \ufb01\u00adddler re\u017fted. " * 90)
    assert "At dusk the fiddler rested." in inspection(collection(tmp_path), InputSettings())


@pytest.mark.thorough
@pytest.mark.realdata
def test_few_clean_books_and_all_with_errors_look_like_ocr():
    """At most 1 % of the clean books, and from one error in 200 characters on 99 % of every twelfth
    and every second book (of the training books, and of the others).
    """
    training, others = (
        sorted((ROOT / "data" / name).glob(f"*.{end}"))
        for name, end in (("holmes-training", "TXT"), ("en100", "txt"))
    )
    if not (training and others):
        pytest.skip("needs data/holmes-training and data/en100")
    clean = {book.name: unknown_share(book.read_bytes()) for book in training + others}
    alarms = {name: share for name, share in clean.items() if share > MOST_UNKNOWN}
    assert len(alarms) <= 0.01 * len(clean), alarms
    some = [*islice(training, 0, None, 12), *islice(others, 0, None, 2)]
    for rate in (0.005, 0.01, 0.02, 0.05):
        shares = sorted(unknown_share(book.read_bytes(), rate) for book in some)
        seen = sum(share > MOST_UNKNOWN for share in shares)
        assert seen >= 0.99 * len(shares), (rate, shares)
