"""Project Gutenberg's trees: one file of each book."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Mapping, Sequence

from cloze_gen.corpus.etext_names import (
    SECOND_FILE,
    SUPERSEDED,
    EtextFile,
    best_files,
    etext_file,
    is_superseded,
)
from cloze_gen.corpus.layouts.arrangement import Arrangement, PlacedFile, skipped_lines
from cloze_gen.corpus.layouts.catalogs import Catalogs


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
    skipped: defaultdict[str, list[str]] = defaultdict(list)
    etexts: dict[str, EtextFile] = {}
    for file in files:
        if file not in listed and is_superseded(file):
            skipped[SUPERSEDED].append(file)
        elif etext := etext_file(file, catalogs):
            etexts[file] = etext
    # What a manifest lists comes before all ranks.
    best = best_files(
        {
            file: EtextFile(etext.number, -1) if file in listed else etext
            for file, etext in etexts.items()
        }
    )
    placed = []
    for file, etext in etexts.items():
        facts = catalogs.facts(etext.number)
        again = best[etext.number] != file or str(etext.number) in read
        reason = SECOND_FILE if again else _unfit(facts)
        if reason and file not in listed:
            skipped[reason].append(file)
            continue
        placed.append(
            PlacedFile(
                file,
                "" if file in listed else f"pg{etext.number}",
                _cells(facts | {"etext": str(etext.number)}),
            )
        )
    found = Arrangement(
        tuple(placed), _names([one.file for one in placed], catalogs), skipped_lines(skipped)
    )
    return found, frozenset((*etexts, *(file for own in skipped.values() for file in own)))


def _unfit(facts: Mapping[str, str]) -> str:
    """Why a book is not read, by its catalogue; empty if it is."""
    if facts.get("type", "Text").lower() != "text":
        return f"{facts['type']}, not Text, in the catalogue"
    languages = facts.get("language", "en").split(", ")
    return "" if "en" in languages else "not in English, by the catalogue"


def _cells(facts: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple((name, cell) for name, cell in facts.items() if name != "type")


def _names(placed: Sequence[str], catalogs: Catalogs) -> tuple[str, ...]:
    """The arrangements in words."""
    names = Counter(
        "Project Gutenberg's own texts"
        if file.rsplit("/", 1)[-1].lower().startswith("pg")
        else "Project Gutenberg mirror"
        for file in placed
    )
    known = f" with {' and '.join(sorted(set(catalogs.names)))}" if catalogs.names else ""
    return tuple(f"{name}{known}" for name in names)
