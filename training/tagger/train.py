"""Train the built-in tagger with spaCy.

    python training/tagger/train.py --treebank DIR --out DIR

`--treebank` is the folder of UD English EWT; its dev part chooses the best step. `--out` gets a
minimal pipeline without paths of this machine.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path

# before numpy: one BLAS thread, for equal weights
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import spacy
from spacy.cli.train import train

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "src")]

import augment  # noqa: F401  (registers the augmenter named in config.cfg)
from convert import treebank_file, write_docbin

META = {
    "name": "cloze_gen_tagger",
    "version": "1.0.0",
    "description": "Penn tags for English prose, trained on UD English EWT alone",
    "license": "CC BY-SA 4.0",
    "author": "cloze-gen",
    "sources": [
        {
            "name": "Universal Dependencies English Web Treebank",
            "author": "Natalia Silveira et al.",
            "license": "CC BY-SA 4.0",
        }
    ],
}


def export(trained: Path, out: Path) -> None:
    """The pipeline as shipped: no paths, and only the labels in the vocabulary."""
    nlp = spacy.load(trained)
    nlp.config["paths"] = dict.fromkeys(nlp.config["paths"])
    nlp.meta.update(META)
    nlp.meta.pop("performance", None)
    nlp.to_disk(out, exclude=["vocab"])
    small = spacy.blank("en").vocab
    for label in nlp.get_pipe("tagger").labels:  # type: ignore[attr-defined]
        small.strings.add(label)
    small.to_disk(out / "vocab", exclude=["lookups", "vectors"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--treebank", type=Path, required=True, help="folder with en_ewt-ud-{train,dev}.conllu[.xz]"
    )
    parser.add_argument("--out", type=Path, required=True, help="folder for the trained pipeline")
    parser.add_argument(
        "--config",
        type=Path,
        default=HERE / "config.cfg",
        help="settings (the shipped model's unless given)",
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=JSON",
        help="override one setting, e.g. training.dropout=0.2",
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for part in ("train", "dev"):
            write_docbin(treebank_file(options.treebank, part), Path(folder) / f"{part}.spacy")
        overrides: dict[str, object] = {
            "paths.train": f"{folder}/train.spacy",
            "paths.dev": f"{folder}/dev.spacy",
        }
        for setting in options.set:
            key, _, value = setting.partition("=")
            overrides[key] = json.loads(value)
        train(options.config, Path(folder) / "trained", overrides=overrides)
        export(Path(folder) / "trained" / "model-best", options.out)


if __name__ == "__main__":
    main()
