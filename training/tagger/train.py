"""Trains the built-in tagger: python training/tagger/train.py --treebank DIR --out DIR."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):  # before numpy: one BLAS thread, for equal bytes
    os.environ.setdefault(name, "1")

from spacy.cli.train import train  # noqa: E402

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "src")]

import augment  # noqa: E402, F401  (registers the augmenter named in config.cfg)
from convert import treebank_file, write_docbin  # noqa: E402


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--treebank", type=Path, required=True, help="folder with en_ewt-ud-{train,dev,test}.conllu[.xz]")
    parser.add_argument("--out", type=Path, required=True, help="folder for the trained pipeline")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="override a setting of config.cfg")
    parser.add_argument("--config", type=Path, default=HERE / "config.cfg", help="settings (the shipped model's unless given)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for part in ("train", "dev"):
            write_docbin(treebank_file(options.treebank, part), Path(folder) / f"{part}.spacy")
        overrides = {"paths.train": f"{folder}/train.spacy", "paths.dev": f"{folder}/dev.spacy"}
        for setting in options.set:
            key, _, value = setting.partition("=")
            try:
                overrides[key] = __import__("json").loads(value)
            except ValueError:
                overrides[key] = value
        train(options.config, options.out, overrides=overrides)


if __name__ == "__main__":
    main()
