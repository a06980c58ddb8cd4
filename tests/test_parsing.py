"""What others wrote, on one line."""

from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.parsing import one_line, whole_characters
from tests.cases.releases import HOSTILE

# Text of others inside a line


@given(st.text(st.characters()) | st.sampled_from(HOSTILE))
def test_a_line_is_one_line(text):
    """That can be printed; what was one stays as it is."""
    line = one_line(text)
    assert line.isprintable()
    assert len(line.splitlines()) <= 1
    assert one_line(line) == line


@given(st.text(st.characters(exclude_categories=())))
def test_whole_characters_can_be_written(text):
    """As UTF-8, one for each that there was; text without half characters is left."""
    whole = whole_characters(text)
    assert len(whole.encode("utf-8").decode("utf-8")) == len(text)
    assert whole_characters(whole) == whole
