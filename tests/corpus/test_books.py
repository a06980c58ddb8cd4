"""What helps against each reason a book is dropped for."""

import re

from cloze_gen.corpus.dropped import REMEDIES, dropped_lines, dropped_text
from cloze_gen.corpus.parse_book import BookReason
from cloze_gen.corpus.partition import PartitionSettings
from cloze_gen.pipelines.scs_style import ScsSettings


def test_every_reason_has_a_remedy_and_no_other():
    """Whoever adds a reason says what to do about it."""
    assert set(REMEDIES) == set(BookReason)


def test_remedies_name_settings_that_exist():
    """A user who follows the advice is not told of an unknown setting."""
    known = {
        f"{group}.{name}" for group, settings in ScsSettings() for name in settings.model_dump()
    }
    known |= {f"partition.{name}" for name in PartitionSettings.model_fields}
    named = {
        name for remedy in REMEDIES.values() for name in re.findall(r"\b[a-z]+\.[a-z_]+", remedy)
    } - {"manifest.tsv"}
    assert named
    assert named <= known


def test_messages_about_dropped_books_are_bounded():
    """However many books, ten of a reason are named and the rest is a number; kept ones are none."""
    rows = [
        {"book_id": f"{reason}-{n}", "status": "rejected", "reason": str(reason), "detail": "why"}
        for reason in BookReason
        for n in range(5000)
    ]
    rows += [{"book_id": "good", "status": "kept", "reason": "", "detail": ""}]
    assert len(dropped_lines(rows)) == 11 * len(BookReason)
    text = dropped_text(rows)
    assert text.count("4,990 more") == len(BookReason)
    assert all(remedy in text for remedy in REMEDIES.values())
    assert "good" not in text + " ".join(dropped_lines(rows))
