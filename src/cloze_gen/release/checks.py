"""Checks of a release in its folder: complete, consistent, derived from its items."""

from __future__ import annotations

import hashlib
import io
import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow.parquet as pq

from cloze_gen.corpus.normalization import LINE_END_HYPHEN
from cloze_gen.parsing import counted, one_line, quote
from cloze_gen.records.spans import TakenSpans
from cloze_gen.release.documents import CARD, REPORT
from cloze_gen.release.facts import ReleaseRecord, record_text
from cloze_gen.release.folder import ReleaseFolder
from cloze_gen.release.items.kind import ItemKind, Record, Span
from cloze_gen.release.settings import released_places
from cloze_gen.release.signature import (
    CHECKSUMS,
    SIGNATURE,
    canary_of,
    digest_in_signature,
    items_digest,
)
from cloze_gen.release.style import PublishedSet
from cloze_gen.store.manifest import file_sha256
from cloze_gen.store.runs import RELEASE_FILE
from cloze_gen.store.tables import CANDIDATES, FEWSHOT

_PARQUET = ".parquet"


_SHOWN = 5  # differences of a check


@dataclass(frozen=True, slots=True)
class Check:
    """One line of a verification; without `differences` it passed."""

    name: str
    summary: str
    differences: tuple[str, ...] = ()


def check_files(release: ReleaseFolder) -> Check:
    """Every file has the bytes that `SHA256SUMS` lists; unlisted files are reported, not read."""
    missing = [f"{name}: missing" for name in release.missing]
    changed = [f"{name}: checksum differs from {CHECKSUMS}" for name in release.changed]
    empty = [] if release.listed else [f"{CHECKSUMS}: missing or empty"]
    more = [quote(name)[1:-1] for name in release.others]
    unlisted = (
        f"; not listed and not checked: {', '.join(more[:3])}{', ...' if len(more) > 3 else ''}"
        if more
        else ""
    )
    return Check(
        "files",
        f"{len(release.listed):,} files match {CHECKSUMS}{unlisted}",
        tuple(empty + missing + changed),
    )


def check_signature(release: ReleaseFolder) -> Check:
    """Signature in `signature.txt`, `release.json` and card agree; the canary follows."""
    facts, wrong = release.record.facts, []
    for file, text in ((SIGNATURE, facts.signature), (CARD, facts.signature), (CARD, facts.canary)):
        if release.fault(file) or text.encode("utf-8", "surrogatepass") not in release.read(file):
            wrong.append(f"{file}: does not contain {quote(text)} from release.json")
    if canary_of(facts.signature) != facts.canary:
        wrong.append(f"release.json: the canary {quote(facts.canary)} does not match the signature")
    return Check("signature", one_line(facts.signature), tuple(wrong))


def check_items(kind: ItemKind, published: PublishedSet, record: ReleaseRecord) -> Check:
    """Number, signature, canary and order match `release.json`; no split repeats an item."""
    facts, wrong = record.facts, []
    n = sum(map(kind.counts, published.items))
    if n != facts.n_items:
        wrong.append(f"{kind.file}: has {n:,} {kind.noun}s; release.json has {facts.n_items:,}")
    wrong += [
        f"{one['id']}: has another canary"
        for one in published.records
        if one.get("canary") != facts.canary
    ]
    places = released_places(
        published.items, release=published.release, seed=published.seed, split_of=kind.split_of
    )
    if places != list(range(len(places))):
        wrong.append(
            f"{kind.file}: the {kind.noun}s are not in the shuffled order of seed {published.seed}"
        )
    digest, signed = items_digest(published.records), digest_in_signature(facts.signature)
    if not signed or not digest.startswith(signed):
        wrong.append(
            f"{kind.file}: the items have digest {digest[:16]}; the signature has {quote(signed)}"
        )
    known = {book.book_id for book in facts.item_books}
    wrong += [f"{item.id}: release.json has no book {quote(item.book_id)}" for item in published.items
              if item.book_id not in known]  # fmt: skip
    wrong += _repeated_items(kind, published)
    return Check(
        "items",
        f"{n:,} {kind.noun}s, order: {facts.order}; no repeated item; every canary is right",
        tuple(wrong),
    )


def check_fewshot(kind: ItemKind, published: PublishedSet) -> Check:
    """No few-shot example is an item of the set or shares its text; each has the canary."""
    examples, canary = published.examples, published.canary
    ids, texts = (
        {one["id"] for one in published.records},
        {_normalized_text(kind, one) for one in published.records},
    )
    spans = TakenSpans(_merged(span for one in published.records for span in kind.spans(one)))
    wrong = []
    for one in examples:
        if one["id"] in ids or _normalized_text(kind, one) in texts:
            wrong.append(f"{FEWSHOT}: {one['id']} is also an item of the set")
        elif any(spans.overlaps(*span) for span in kind.spans(one)):
            wrong.append(f"{FEWSHOT}: {one['id']} overlaps an item of the set in its book")
        if one.get("canary") != canary:
            wrong.append(f"{FEWSHOT}: {one['id']} has another canary")
    return Check("few-shot", f"{len(examples):,} examples; none overlaps the set", tuple(wrong))


def _merged(spans: Iterable[Span]) -> list[Span]:
    found: list[Span] = []
    for book, start, end in sorted(spans):
        if found and found[-1][0] == book and start < found[-1][2]:
            found[-1] = (book, found[-1][1], max(end, found[-1][2]))
        else:
            found.append((book, start, end))
    return found


def _normalized_text(kind: ItemKind, record: Record) -> str:
    texts = itertools.chain.from_iterable(texts for _, texts in kind.quoted(record))
    return " ".join(re.findall(r"\w+", " ".join(texts).casefold()))


def _repeated_items(kind: ItemKind, published: PublishedSet) -> Iterator[str]:
    first: dict[tuple[str, str], str] = {}
    for item, record in zip(published.items, published.records, strict=True):
        earlier = first.setdefault((kind.split_of(item), _normalized_text(kind, record)), item.id)
        if earlier != item.id:
            yield f"{item.id}: has the same text as {earlier}"


def check_documents(release: ReleaseFolder, texts: Mapping[str, str]) -> Check:
    texts = {RELEASE_FILE: record_text(release.record), **texts}
    wrong = [
        f"{name}: differs from the document that release.json and the items give"
        for name, text in texts.items()
        if release.digests.get(name)
        != hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    ]
    return Check(
        "documents",
        f"{', '.join(sorted(texts))} match release.json and the items",
        tuple(wrong),
    )


def check_derived(release: ReleaseFolder, rebuilt: Path) -> Check:
    """Every file derived from the items equals its rebuilt form in the folder `rebuilt`.

    Versions of Arrow write different Parquet bytes for the same rows, so rows are compared where
    bytes differ.
    """
    names = sorted(
        path.relative_to(rebuilt).as_posix() for path in rebuilt.rglob("*") if path.is_file()
    )
    wrong = [name for name in names if not _same(release, name, rebuilt / name)]
    count = len(set(names) - set(release.record.derived))
    return Check(
        "formats",
        f"{count:,} files match the items",
        tuple(f"{name}: does not match the items" for name in wrong),
    )


def _same(release: ReleaseFolder, name: str, rebuilt: Path) -> bool:
    if release.fault(name):
        return False
    if release.digests[name] == file_sha256(rebuilt):
        return True
    return name.endswith(_PARQUET) and _same_rows(io.BytesIO(release.read(name)), rebuilt)


def _same_rows(one: io.BytesIO, own: Path) -> bool:
    """Read row by row up to the first difference: a small Parquet file can expand to any size."""
    try:
        found, expected = pq.ParquetFile(one), pq.ParquetFile(own)
        if found.metadata.num_rows != expected.metadata.num_rows or not found.schema_arrow.equals(
            expected.schema_arrow
        ):
            return False
        rows = zip(
            found.iter_batches(batch_size=1), expected.iter_batches(batch_size=1), strict=True
        )
        return all(row.equals(own_row) for row, own_row in rows)
    except (OSError, ValueError, NotImplementedError):  # the classes of Arrow's errors
        return False


def check_extra_files(kind: ItemKind, published: PublishedSet) -> Check:
    wrong: list[str] = []
    compared = []
    for file, records in published.derived.items():
        if file == FEWSHOT:
            continue  # `check_fewshot`
        if file != CANDIDATES:
            compared.append(f"{file}: not compared, because the items do not determine it")
            continue
        compared.append(
            f"{file}: sentences, answers and options match the {kind.noun}s; other candidates "
            "not compared"
        )
        if [one.get("id") for one in records] != [one["id"] for one in published.records]:
            wrong.append(f"{file}: its ids and their order differ from those of the {kind.noun}s")
            continue
        for item, own in zip(published.records, records, strict=True):
            wrong += [
                f"{file}: {item['id']}: {fault}" for fault in kind.candidate_faults(item, {**own})
            ]
    return Check("derived", "; ".join(compared), tuple(wrong))


def check_others(release: ReleaseFolder, compared: Iterable[str]) -> Check:
    known = {REPORT, *release.record.taken}
    left = sorted(release.listed.keys() - set(compared))
    wrong = tuple(
        f"{name}: cannot be derived from this release" for name in left if name not in known
    )
    skipped = ", ".join(name for name in left if name in known)
    return Check("others", f"not compared: {skipped or 'none'}", wrong)


def check_books(kind: ItemKind, records: Sequence[Record], text_of: Callable[[Span], str]) -> Check:
    """Every sentence that an item quotes is in its book, at its span."""
    wrong, n = [], 0
    for record in records:
        for span, texts in kind.quoted(record):
            n += 1
            if not quotes("".join(texts), text_of(span)):
                wrong.append(
                    f"{record['id']}: book {span[0]} has different text at characters {span[1]} "
                    f"to {span[2]}"
                )
        wrong += [f"{record['id']}: {fault}" for fault in kind.misquoted(record)]
    books = {book for record in records for book, _, _ in kind.spans(record)}
    return Check("text", f"{n:,} quoted spans match the text of {len(books):,} books", tuple(wrong))


def quotes(text: str, span: str) -> bool:
    r"""Whether a text equals a span but for spaces; a broken word may be joined or keep its hyphen.

    >>> [quotes(text, "By lamp\xadlight.") for text in ("By lamplight.", "By lamp-light.", "By lamps.")]
    [True, True, False]
    """
    parts = span.replace(" ", "").split(LINE_END_HYPHEN)
    return re.fullmatch("-?".join(map(re.escape, parts)), text.replace(" ", "")) is not None


def check_text(check: Check) -> str:
    count = len(check.differences)
    result = counted(count, "difference") if count else check.summary
    lines = [f"{'FAILED' if count else 'ok':<8}{check.name:<12}{result}"]
    lines += [f"        {text}" for text in check.differences[:_SHOWN]]
    if count > _SHOWN:
        lines.append(f"        ... and {count - _SHOWN:,} more")
    return "\n".join(lines)
