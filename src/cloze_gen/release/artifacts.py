"""The files of a release."""

from __future__ import annotations

from collections.abc import Mapping

from cloze_gen.release.documents import CARD, FILE_DOCS
from cloze_gen.release.style import Style
from cloze_gen.store.file_docs import FileDoc

ABOUT = (
    "Text files are UTF-8 with line feeds. `NAME` is the name of the run, `N` the number of items. The items have one order in all files "
    "(`release.order`). With `release.text = pointers` these files are in `full/`. The folder `release/` then holds "
    "`pointers.jsonl`, `candidates.pointers.jsonl`, `release.json`, the card, the report without samples, `signature.txt` and "
    "`SHA256SUMS`."
)  # fmt: skip

RELEASE_JSON = FileDoc(
    "release.json",
    "The facts of the release, for programs.",
    {
        "schema": "string: `cloze-gen/release`",
        "format_version": "int?: version of the form of the release",
        "version": "string: version of cloze-gen",
        "name": "string: name of the run",
        "style": "string: e.g. `holmes-style`",
        "title": "string: e.g. `Holmes-style (MSR)`",
        "paper": "string: the paper of the recipe",
        "reference": "object: the paper's bibliography entry",
        "seed": "int: random seed",
        "signature": "string: as in `signature.txt`",
        "canary": "string: GUID of the set",
        "order": "string: `shuffled` or `corpus`",
        "text": "string: `full` or `pointers`",
        "sample": "bool: made from the embedded sample",
        "settings": "object: group -> setting -> value",
        "overrides": "list of string: settings of the user",
        "noun": "string: `question` or `passage`",
        "n_items": "int: number of items",
        "n_wanted": "int: number of items wanted",
        "books": "list of object: side, id, file, member, manifest columns, `license`, `sha256`, `status`, `items`",
        "notes": "list of string: notes of the card",
        "measured": "list of object: rows of the evaluation",
        "verdict": "list of string: the verdict in words, then a line for each rule",
        "evaluated": "string: result of the adversaries in words",
        "creator": "list of string: names; `Family, Given` is a person",
        "date": "string: given by the user",
        "url": "string: given by the user",
        "judged": "string: `machine`, or the human work",
        "versions": "object: libraries and tools",
        "steps": "list of object: steps of the funnel",
        "tables": "list of object: tables of the card",
        "derived": "list of string: files of records that accompany the items",
        "taken": "list of string: files that cannot be rebuilt from the items",
        "full": "object?: pointers only: file -> sha256 of the full release",
    },
)


def release_files(style: Style) -> Mapping[str, str]:
    """File, or folder, of a style's release -> its content."""
    kind = style.items
    items = {kind.file: f"every {kind.noun} with its source and all scores."}
    own = {
        file.format(name="NAME", n="N"): about
        for file, about in {**kind.file_docs, **style.file_docs}.items()
    }
    return items | own | {CARD: "the dataset card."} | FILE_DOCS  # fmt: skip
