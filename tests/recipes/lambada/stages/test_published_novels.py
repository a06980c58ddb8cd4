"""Training novels in the tokenization of the published files."""

from __future__ import annotations

from pathlib import Path

from cloze_gen.recipes.lambada.stages.published_novels import PrintedShard, novel_file, print_novel
from cloze_gen.stages.corpus.book_files import SENTENCES
from cloze_gen.store.tables import write_parquet, write_tsv
from cloze_gen.text.normalize import LINE_END_HYPHEN


def printed(folder: Path, *sentences: tuple[int, str, str, str]) -> list[str]:
    """The lines of a novel of these sentences: paragraph, kind, text, tokens."""
    names = ("paragraph", "kind", "text", "tokens")
    write_parquet(folder / SENTENCES, {name: list(column) for name, column in zip(names, zip(*sentences, strict=True), strict=True)})
    header = ("broken", "count", "joined_count", "hyphenated_count", "form", "reason")
    write_tsv(folder / "hyphens.tsv", header, [("lamp|light", 1, 1, 0, "lamplight", "joined")])
    count = print_novel(PrintedShard(folder, folder / "hyphens.tsv", folder / "out.txt"))
    lines = (folder / "out.txt").read_text(encoding="utf-8").splitlines()
    assert len(lines) == count
    return lines


def test_a_novel_is_printed_a_sentence_a_line(tmp_path: Path) -> None:
    """Small letters, clitics cut, headings left out, broken words mended."""
    broken = f"lamp{LINE_END_HYPHEN}light"
    assert printed(
        tmp_path,
        (0, "heading", "CHAPTER I.", "CHAPTER I ."),
        (1, "prose", "Don't go.", "Don't go ."),
        (2, "verse", f"By {broken}.", f"By {broken} ."),
    ) == ["do n't go .", "by lamplight ."]


def test_quotation_marks_are_counted_in_a_paragraph(tmp_path: Path) -> None:
    """A speech goes on over sentences; one that is never closed does not turn the marks of the next paragraph round."""
    lines = printed(
        tmp_path,
        (0, "prose", '"Go.', '" Go .'),
        (0, "prose", 'Now!" he said.', 'Now ! " he said .'),
        (1, "prose", '"Go on.', '" Go on .'),
        (2, "prose", '"No," she said.', '" No , " she said .'),
    )
    assert lines == ["`` go .", "now ! '' he said .", "`` go on .", "`` no , '' she said ."]


def test_names_of_files_are_short_and_different() -> None:
    """Ids of any length have files that a file system takes, and two of them two."""
    names = {novel_file("x" * 400), novel_file("x" * 401), novel_file("x")}
    assert len(names) == 3
    assert all(len(name) < 255 for name in names)
