"""`docs/artifacts.md`, with `docs/scs-artifacts.md` and the like, tells of every file and every column that a run writes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cloze_gen.pipelines.styles import style_names

DOCS = Path(__file__).parents[2] / "docs"


def pages(style: str) -> str:
    """The page for all styles, and the style's own where it has one: `scs-artifacts.md`."""
    files = (DOCS / "artifacts.md", DOCS / f"{style.removesuffix('-style')}-artifacts.md")
    return "\n".join(path.read_text(encoding="utf-8") for path in files if path.is_file())


def sections(text: str) -> dict[str, str]:
    """Heading -> what stands below it, up to the next heading of any level; what bears one heading twice stands together."""
    found: dict[str, str] = {}
    for heading, body in re.findall(r"^##+ (.*?)\n(.*?)(?=^##|\Z)", text, re.MULTILINE | re.DOTALL):
        found[heading] = found.get(heading, "") + body
    return found


def untold(runs: Path, text: str) -> list[str]:
    """Files and columns of the stages of the runs that no section of the stage's name tells of."""
    told, wrong = sections(text), set()
    for link in sorted(runs.glob("*/[0-9][0-9]-*")):
        stage = re.sub(r"^\d+-|-(train|source|books)$", "", link.name).replace("-", " ")
        page = _section(told, stage)
        wrong |= {f"{stage}: {word}" for word in written(link) if not _names(page, word)}
    return sorted(wrong)


def _section(told: Mapping[str, str], name: str) -> str:
    """The sections of a name, and those that they refer to (`as in counts`)."""
    found: dict[str, str] = {}
    waiting = [name]
    while waiting:
        one = waiting.pop()
        if one not in found:
            found[one] = "\n".join(body for heading, body in told.items() if re.search(rf"\b{one}\b", heading))
            waiting += re.findall(r"\bas in (\w+)\b", found[one])
    return "\n".join(found.values())


def written(folder: Path) -> Iterator[str]:
    """The payload files of an artifact and the columns of its tables."""
    for file in json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["files"]:
        yield file
        path = folder / file
        if path.suffix == ".parquet":
            yield from pq.read_schema(path).names
        elif path.suffix == ".tsv":
            yield from path.read_text(encoding="utf-8").partition("\n")[0].split("\t")


def _names(page: str, word: str) -> bool:
    """Whether a word stands at the end of something in backquotes; digits of a file's number may be written `N`."""
    pattern = re.sub(r"\d+", r"(?:\\d+|N+)", re.escape(word)) if "." in word else re.escape(word)
    return re.search(rf"`(?:[^`\n]*[ (/])?{pattern}`", page) is not None


@pytest.mark.parametrize("style", style_names())
def test_a_run_is_told(style: str, finished_run: Callable[[str], Path]) -> None:
    """Every file and column of the stages of a finished run of each style stands in a section of the stage's name."""
    wrong = untold(finished_run(style) / "runs", pages(style))
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    ("right", "found"), [("`screening.parquet`", "screening: screening.parquet"), ("`answer_rank`", "screening: answer_rank")]
)
def test_what_is_left_out_is_found(right: str, found: str, tmp_path: Path) -> None:
    """A file, or a column, that the section does not name."""
    folder = tmp_path / "tiny" / "11-screening"
    folder.mkdir(parents=True)
    pq.write_table(pa.table({"id": ["a"], "answer_rank": [1]}), folder / "screening.parquet")
    (folder / "manifest.json").write_text(json.dumps({"files": {"screening.parquet": {}}}))
    page = "## screening\n`screening.parquet`, one row a focus word:\n| `id` | |\n| `answer_rank` | |\n"
    assert untold(tmp_path, page) == []
    assert untold(tmp_path, page.replace(right, "")) == [found]
