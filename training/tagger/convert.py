"""Treebank files to spaCy's training format: one Doc per sentence with treebank tokens and XPOS
tags.
"""

from __future__ import annotations

import lzma
from collections.abc import Iterator
from pathlib import Path

from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from cloze_gen.english.treebank import normalize_for_tagging


def read_conllu(path: Path) -> Iterator[list[tuple[str, str, str]]]:
    """Sentences as lists of (word, Penn tag, lemma); multiword lines (``1-2``) and empty nodes
    (``1.1``) are skipped.
    """
    opener = lzma.open if path.suffix == ".xz" else open
    with opener(path, "rt", encoding="utf-8") as lines:
        sentence: list[tuple[str, str, str]] = []
        for line in lines:
            if line == "\n":
                if sentence:
                    yield sentence
                sentence = []
            elif not line.startswith("#"):
                columns = line.split("\t")
                if columns[0].isdigit():
                    sentence.append((columns[1], columns[4], columns[2]))
        if sentence:
            yield sentence


def treebank_file(folder: Path, part: str) -> Path:
    """The part (`train`, `dev`, `test`) of a UD English EWT folder, packed or not."""
    for suffix in (".conllu.xz", ".conllu"):
        path = folder / f"en_ewt-ud-{part}{suffix}"
        if path.is_file():
            return path
    raise SystemExit(
        f"{folder}: no en_ewt-ud-{part}.conllu[.xz]; give the folder of UD English EWT as "
        "--treebank"
    )


def write_docbin(source: Path, target: Path) -> None:
    """Write `source` as a `.spacy` file."""
    vocab = Vocab()
    docs = DocBin(attrs=["TAG"], store_user_data=False)
    for sentence in read_conllu(source):
        docs.add(
            Doc(
                vocab,
                words=[normalize_for_tagging(word) for word, _, _ in sentence],
                tags=[tag for _, tag, _ in sentence],
            )
        )
    docs.to_disk(target)
