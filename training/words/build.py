"""Make the built-in words, `src/cloze_gen/corpus/word_data/`, from the MSR training books.

    python training/words/build.py TEXT [--manifest TSV]

TEXT is the folder of the `text` artifact of a run with `--train` the 522 books. The stage
`contexts` measures their words and `pack_space` packs the result; the same text gives the same
bytes. The loss is measured at places of the books themselves.

Exits with status 1 if the manifest does not list a book of the text.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import io
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(ROOT / "src")]

import numpy as np
from books import MAX_FREQ, measure_space, read_table
from places import draw_places, measured

from cloze_gen.corpus.books import kept_books
from cloze_gen.corpus.counts import WORD_DATA
from cloze_gen.models.context_space import ContextSpace, pack_space, unpack_space
from cloze_gen.models.contexts import ARRAYS, FACTS
from cloze_gen.store.artifacts import open_artifact
from cloze_gen.store.manifest import write_bytes, write_json

MANIFEST = ROOT / "corpora" / "holmes" / "manifest.tsv"
MIN_COUNT = 20  # tokens of a word, without `--min-count`
MOST_ASSOCIATIONS = 500  # of a word: as many as 12 MB hold, with a little room
PLACES = 4000


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("text", type=Path, help="folder of the text artifact")
    parser.add_argument("--out", type=Path, default=WORD_DATA)
    parser.add_argument(
        "--manifest",
        type=Path,
        default=MANIFEST,
        help="table of the books that the text may hold, with their sha256",
    )
    parser.add_argument(
        "--min-count", type=int, default=MIN_COUNT, help="tokens that a word must have"
    )
    options = parser.parse_args()
    text = options.text.resolve()
    books = check_books(text, options.manifest)
    with tempfile.TemporaryDirectory() as folder:
        exact = measure_space(text, Path(folder), min_count=options.min_count)
        table = read_table(text)
        freq_of = dict(zip(table.words, table.freq.tolist(), strict=True))
        freq = np.array([freq_of[word] for word in exact.column_of])
        data = as_bytes(pack_space(exact, topic_freq=freq, most_associations=MOST_ASSOCIATIONS))
        packed = unpack_space(read_bytes(data))
        facts = {
            "about": "What 522 public-domain novels tell of English words: counts and measures "
            "made from them, no text of theirs.",
            "source": {
                "books": books,
                "books_sha256": hashlib.sha256("\n".join(books).encode()).hexdigest(),
                "listed_in": f"corpora/{options.manifest.parent.name}/{options.manifest.name}, "
                "role train",
                "tokens": int(open_artifact(text).facts["tokens"]),
            },
            "words": {
                "max_freq": MAX_FREQ,
                "min_count": options.min_count,
                "words": len(exact.row_of),
                "neighbours": len(exact.neighbour_of),
            },
            "associations": {
                "measured": len(exact.associations.pmi),
                "kept": len(packed.associations.pmi),
                "most_a_word": MOST_ASSOCIATIONS,
            },
            "lost": losses(exact, packed, text),
            "versions": {name: version(name) for name in ("numpy", "scipy", "scikit-learn")},
            "bytes": len(data),
            "sha256": hashlib.sha256(data).hexdigest(),
        }
    write_bytes(options.out / ARRAYS, data)
    write_json(options.out / FACTS, facts)
    print(f"{len(data):,} bytes, {facts['words']['words']:,} words")
    for name, figures in facts["lost"].items():
        print(f"  {name}: {figures}")


def check_books(text: Path, manifest: Path) -> list[str]:
    """Sorted ids of the books of the text, checked against the manifest; a run keeps 514 of 522 (8
    duplicates).
    """
    corpus = open_artifact(
        text.parent / f"corpus-{open_artifact(text).manifest['inputs']['corpus']}"
    )
    with open(manifest, encoding="utf-8", newline="") as handle:
        rows = csv.DictReader(handle, delimiter="\t", quoting=csv.QUOTE_NONE)
        listed = {row["book_id"]: row["sha256"][:24] for row in rows if row["role"] == "train"}
    found = {row["book_id"]: row["digest"][:24] for row in kept_books(corpus)}
    if wrong := sorted(name for name, digest in found.items() if listed.get(name) != digest):
        sys.exit(
            f"{text}: made from books that {manifest} does not list as train: "
            f"{', '.join(wrong[:5])}, {len(wrong)} in all."
        )
    return sorted(found)


def as_bytes(arrays: dict[str, np.ndarray]) -> bytes:
    """An archive of arrays without time stamps, so equal arrays give equal bytes."""
    buffer = io.BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, **arrays)
    return buffer.getvalue()


def read_bytes(data: bytes) -> dict[str, np.ndarray]:
    with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
        return dict(arrays)


def losses(exact: ContextSpace, packed: ContextSpace, text: Path) -> dict[str, Any]:
    """Differences between packed and exact measures, for words tried at places of others."""
    places = draw_places(text, words=list(exact.row_of), count=PLACES)
    before, after = measured(exact, places), measured(packed, places)
    figures = {}
    for name, values in before.items():
        told = ~np.isnan(values)
        off = after[name][told] - values[told]
        figures[name] = {
            "correlation": round(float(np.corrcoef(values[told], after[name][told])[0, 1]), 4),
            "root_mean_square_error": round(float(np.sqrt((off**2).mean())), 4),
            "standard_deviation": round(float(values[told].std()), 4),
        }
    return figures


if __name__ == "__main__":
    main()
