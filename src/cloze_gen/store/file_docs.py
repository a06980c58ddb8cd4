"""Descriptions of the files that a stage writes: the reference is made from them, and a test compares them with runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

# A column, a file or a key of this name has another name in each run.
ANY = "NAME"
OPTIONAL = "?"


@dataclass(frozen=True, slots=True)
class FileDoc:
    """One file of a stage, or several of one kind.

    Attributes:
        name: the path below the stage's folder; ``*`` matches numbers and names.
        columns: name -> ``type: meaning`` for tables and records, in the order of the file. Some
            runs lack a column if its type ends in `OPTIONAL`.
        array: type and shape of a NumPy file, e.g. ``float32 (words, dimensions)``.
        example: one row as JSON, or one line.
        optional: some runs lack the file.
    """

    name: str
    about: str
    columns: Mapping[str, str] = field(default_factory=dict)
    array: str = ""
    example: str = ""
    optional: bool = False


@dataclass(frozen=True, slots=True)
class StageDoc:
    """What a stage does, the files it writes, and the facts in its manifest (name -> meaning)."""

    about: str
    files: tuple[FileDoc, ...]
    facts: Mapping[str, str] = field(default_factory=dict)
    grouped: bool = False


def column_type(text: str) -> tuple[str, bool, str]:
    """Type, whether some runs lack the column, and meaning.

    >>> column_type("int32?: year of the book"), column_type("text: the word")
    (('int32', True, 'year of the book'), ('text', False, 'the word'))
    """
    kind, _, about = text.partition(": ")
    return kind.removesuffix(OPTIONAL), kind.endswith(OPTIONAL), about


# ---- the output folder

OUTPUT_FOLDER = """\
`cloze-gen show RUN` lists the stages of a run. `cloze-gen show RUN STAGE` prints the columns and first rows of any file below.
`cloze-gen trace ITEM_ID` follows one item through all stages.

```text
artifacts/                          the output folder (--out)
  store/
    STAGE-FINGERPRINT/              one artifact: files and manifest.json; runs share it
    book-FINGERPRINT/ITEM/          ingested books, one artifact each
    .locks/                         empty lock files
  runs/NAME/
    manifest.json                   every file that the run wrote here with its sha256, and the links
    run.json                        name, style, config, seed, settings, and every stage with fingerprint and inputs
    01-ingest-train -> ../../store/...   links to the stages in their order
    corpus-train, corpus-source     links to the folders of books
    release/                        the files to publish
    full/                           with release.text = pointers: the full release, not for publication
    evaluation -> ../../evaluations/...  after `cloze-gen evaluate NAME`
  evaluations/                      one folder for each set of items
  logs/NAME.log                     messages of the run and of lmplz
```

Links between artifacts are relative. Only `corpus-train` and `corpus-source` leave the output folder. A name with `~partial-` belongs to a
running process, or to one that was killed; the next run removes the folder if its process has ended.

**Damaged files are detected and rebuilt.** Before an artifact is used, the size of each file is compared with the manifest. An artifact
with another size or without a file is built again. If a file of a release was changed or deleted, `cloze-gen run` writes the release
again; `report`, `compare` and `evaluate` refuse it until then. `cloze-gen doctor --store OUT` reads and compares every byte.

**Files that you add to a run's folder are kept.** A run replaces only its own entries. If you changed or added a file in `release/`, the
whole old folder is kept as `release.aside-1`, and a message names it.

Ids: a book id comes from the manifest or the table, else from the name of the file, its folder or its row. A sentence id is `book:index`. An item id is
`book:index:position`; the position counts in the sentence's own tokens. Logarithms have base 10. Positions, indices and spans count from 0,
and ends are exclusive. Ranks count from 1, the best."""

MANIFEST_DOC = FileDoc(
    "manifest.json",
    "Written last: a folder with it is complete. It holds no times and no paths of the machine.",
    {
        "schema": "string: `cloze-gen/` and the stage",
        "schema_version": "int: version of this layout",
        "stage": "string: name of the stage",
        "version": "int: version of the stage's code",
        "fingerprint": "string: 16 hexadecimal digits over stage, version, settings and inputs",
        "settings": "object: every argument of the stage that is not an input; those of its own group of settings by their names",
        "inputs": "object: name -> fingerprint of each input; for ingest, book and file -> sha256, and a digest of what is listed of it",
        "versions": "object: libraries and tools that can change the bytes",
        "funnel": "object: `unit`, `seen`, `kept`, and `rejected` (reason -> count); empty if nothing is rejected",
        "facts": "object: further figures, listed with each stage",
        "files": "object: path -> `bytes`, `sha256` and, for tables, `rows`",
        "holds": "list of string: folders of other artifacts that must be complete too",
    },
    example='{"schema": "cloze-gen/forward", "stage": "forward", "settings": {"keep": 80}, '
    '"funnel": {"unit": "focus words", "seen": 2252, "kept": 2068, "rejected": {"answer_scores_best": 184}}, ...}',
)  # fmt: skip
