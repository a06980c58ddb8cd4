"""Project Gutenberg's trees, and two corpora made from it: the Standardized Corpus and PG-19."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Container, Mapping, Sequence

from cloze_gen.corpus.etext_names import (
    PG19_RANK,
    SECOND_FILE,
    SUPERSEDED,
    EtextFile,
    best_files,
    etext_file,
    is_superseded,
)
from cloze_gen.corpus.layouts.arrangement import (
    SPLITS,
    Arrangement,
    PlacedFile,
    skipped_lines,
)
from cloze_gen.corpus.layouts.catalogs import Catalogs

_NUMBERED = re.compile(r"([1-9]\d{0,6})\.txt(?:\.gz)?", re.IGNORECASE)
_NO_TEXT_OF_SPGC = re.compile(r"PG\d+_(?:tokens|counts)\.txt(?:\.gz)?")
_WITHOUT_TEXT = (
    "tokens or counts of the Standardized Project Gutenberg Corpus; get data/raw or data/text, "
    "which its programs make"
)


def arrange_gutenberg(
    files: Sequence[str],
    catalogs: Catalogs,
    *,
    listed: Container[str] = (),
    read: Container[str] = (),
) -> tuple[Arrangement, frozenset[str]]:
    """The books of Gutenberg among `files`, one file each; and the files that are decided on.

    Args:
        listed: files of a manifest, which are read in any case.
        read: numbers of etexts that are read elsewhere.
    """
    splits = _splits(files, catalogs)
    skipped: defaultdict[str, list[str]] = defaultdict(list)
    etexts: dict[str, EtextFile] = {}
    for file in files:
        if reason := "" if file in listed else _no_book(file):
            skipped[reason].append(file)
        elif file in splits:
            number = int(_NUMBERED.fullmatch(file.rsplit("/", 1)[-1])[1])  # type: ignore[index]
            if number in catalogs:
                etexts[file] = EtextFile(number, PG19_RANK)
        elif etext := etext_file(file, catalogs):
            etexts[file] = etext
    # What a manifest lists comes before all ranks.
    best = best_files(
        {
            file: EtextFile(etext.number, -1) if file in listed else etext
            for file, etext in etexts.items()
        }
    )
    facts, notes = catalogs.facts(sorted(best))
    split_of = {etexts[file].number: split for file, split in splits.items() if file in etexts}
    placed = []
    for file, etext in etexts.items():
        own = facts[etext.number]
        again = best[etext.number] != file or str(etext.number) in read
        reason = SECOND_FILE if again else _unfit(own)
        if reason and file not in listed:
            skipped[reason].append(file)
            continue
        role = split_of.get(etext.number, "")
        placed.append(
            PlacedFile(
                file,
                "" if file in listed else f"pg{etext.number}",
                _cells(own | {"etext": str(etext.number)} | ({"role": role} if role else {})),
            )
        )
    placed += [
        PlacedFile(file, "", (("role", split),))
        for file, split in splits.items()
        if file not in etexts
    ]
    found = Arrangement(
        tuple(placed),
        _names([one.file for one in placed], splits, catalogs),
        skipped_lines(skipped),
        tuple(notes),
    )
    return found, frozenset((*etexts, *splits, *(file for own in skipped.values() for file in own)))


def _no_book(file: str) -> str:
    if is_superseded(file):
        return SUPERSEDED
    return _WITHOUT_TEXT if _NO_TEXT_OF_SPGC.fullmatch(file.rsplit("/", 1)[-1]) else ""


def _unfit(facts: Mapping[str, str]) -> str:
    """Why a book is not read, by its catalogue; empty if it is."""
    if facts.get("type", "Text").lower() != "text":
        return f"{facts['type']}, not Text, in the catalogue"
    languages = facts.get("language", "en").split(", ")
    return "" if "en" in languages else "not in English, by the catalogue"


def _cells(facts: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple((name, cell) for name, cell in facts.items() if name != "type")


def _splits(files: Sequence[str], catalogs: Catalogs) -> dict[str, str]:
    """File -> its split, of folders as PG-19 has them: `train`, `validation` and `test` with
    numbered texts, two of them at least or beside the table of PG-19.
    """
    folders: defaultdict[str, list[str]] = defaultdict(list)
    for file in files:
        folder, _, name = file.rpartition("/")
        if folder.rsplit("/", 1)[-1] in SPLITS:
            folders[folder].append(name)
    numbered = [folder for folder, names in folders.items() if all(map(_NUMBERED.fullmatch, names))]
    above = Counter(folder.rpartition("/")[0] for folder in numbered)
    return {
        f"{folder}/{name}": folder.rsplit("/", 1)[-1]
        for folder in numbered
        if above[folder.rpartition("/")[0]] > 1 or folder.rpartition("/")[0] in catalogs.pg19
        for name in folders[folder]
    }


def _names(placed: Sequence[str], splits: Mapping[str, str], catalogs: Catalogs) -> tuple[str, ...]:
    """The arrangements in words."""
    names = Counter(
        (
            "PG-19"
            if file in splits
            else "Standardized Project Gutenberg Corpus"
            if name.startswith("PG") and "_" in name
            else "Project Gutenberg's own texts"
            if name.lower().startswith("pg")
            else "Project Gutenberg mirror"
        )
        for file in placed
        for name in [file.rsplit("/", 1)[-1]]
    )
    tables = sorted(set(catalogs.names)) + ["RDF"] * bool(catalogs.rdf)
    known = f" with {' and '.join(tables)}" if tables and names else ""
    return tuple(f"{name}{known}" for name in names)
