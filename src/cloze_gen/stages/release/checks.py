"""What can be asked of a release by whoever has only the folder: is it whole, is it what it says, does each file follow from the items.

Each check is a line: what was looked at and, where something differs, the first differences.
"""

from __future__ import annotations

import hashlib
import io
import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow.parquet as pq

from cloze_gen.formats.one_line import one_line
from cloze_gen.notation import shown
from cloze_gen.records.spans import TakenSpans
from cloze_gen.stages.finished_run import PublishedSet
from cloze_gen.stages.items.kind import ItemKind, Record, Span
from cloze_gen.stages.release.checksums import CHECKSUMS
from cloze_gen.stages.release.documents import CARD, REPORT
from cloze_gen.stages.release.facts import ReleaseRecord, record_text
from cloze_gen.stages.release.folder import ReleaseFolder
from cloze_gen.stages.release.order import released_places
from cloze_gen.stages.release.pointer_files import FIGURES
from cloze_gen.stages.release.signature import SIGNATURE, canary_of, items_digest, told_digest
from cloze_gen.stages.tables import CANDIDATES, FEWSHOT
from cloze_gen.store.manifest import file_sha256
from cloze_gen.store.runs import RELEASE_FILE
from cloze_gen.text.normalize import LINE_END_HYPHEN

_PARQUET = ".parquet"


@dataclass(frozen=True, slots=True)
class Check:
    """One line of a verification.

    Attributes:
        name: of what was looked at.
        told: in words, with figures.
        differences: in words, each naming its place; none: all is well.
    """

    name: str
    told: str
    differences: tuple[str, ...] = ()


def check_files(release: ReleaseFolder) -> Check:
    """Every file has the bytes that `SHA256SUMS` lists; what else lies there is reported, no difference, and not read."""
    missing = [f"{name}: missing" for name in release.missing]
    changed = [f"{name}: other bytes than {CHECKSUMS} lists" for name in release.changed]
    empty = [] if release.listed else [f"{CHECKSUMS}: missing or empty"]
    more = [shown(name)[1:-1] for name in release.others]
    beside = f"; beside them {', '.join(more[:3])}{', ...' if len(more) > 3 else ''}, which no checksum covers" if more else ""
    return Check("files", f"{len(release.listed):,} files as {CHECKSUMS} has them{beside}", tuple(empty + missing + changed))


def check_signature(release: ReleaseFolder) -> Check:
    """`signature.txt`, `release.json` and the card give one signature, and the canary follows from it."""
    facts, wrong = release.record.facts, []
    for file, what in ((SIGNATURE, facts.signature), (CARD, facts.signature), (CARD, facts.canary)):
        if release.fault(file) or what.encode("utf-8", "surrogatepass") not in release.read(file):
            wrong.append(f"{file}: lacks {shown(what)}, which release.json tells")
    if canary_of(facts.signature) != facts.canary:
        wrong.append(f"release.json: the canary {shown(facts.canary)} is not that of its signature")
    return Check("signature", one_line(facts.signature), tuple(wrong))


def check_items(kind: ItemKind, published: PublishedSet, record: ReleaseRecord) -> Check:
    """As many items as told, those of the signature, each with its canary, in the order that is told, and none printed twice in a split."""
    facts, wrong = record.facts, []
    n = sum(map(kind.counts, published.items))
    if n != facts.n_items:
        wrong.append(f"{kind.file}: {n:,} {kind.noun}s, and release.json tells {facts.n_items:,}")
    wrong += [f"{one['id']}: bears another canary" for one in published.records if one.get("canary") != facts.canary]
    places = released_places(published.items, release=published.release, seed=published.seed, split_of=kind.split_of)
    if places != list(range(len(places))):
        wrong.append(f"{kind.file}: the {kind.noun}s do not stand in the order that seed {published.seed} draws")
    digest, told = items_digest(published.records), told_digest(facts.signature)
    if not told or not digest.startswith(told):
        wrong.append(f"{kind.file}: its items are not those of the signature, whose set is {shown(told)} and not {digest[:16]}")
    known = {book.book_id for book in facts.item_books}
    wrong += [f"{item.id}: of book {shown(item.book_id)}, which release.json does not name" for item in published.items
              if item.book_id not in known]  # fmt: skip
    wrong += _printed_twice(kind, published)
    return Check("items", f"{n:,} {kind.noun}s, order: {facts.order}; none is printed twice; each bears the canary", tuple(wrong))


def check_fewshot(kind: ItemKind, published: PublishedSet) -> Check:
    """No few-shot example is an item of the set, or has any of its text; each bears the canary."""
    examples, canary = published.examples, published.canary
    ids, texts = {one["id"] for one in published.records}, {_printed(kind, one) for one in published.records}
    spans = TakenSpans(_merged(span for one in published.records for span in kind.spans(one)))
    wrong = []
    for one in examples:
        if one["id"] in ids or _printed(kind, one) in texts:
            wrong.append(f"{FEWSHOT}: {one['id']} is printed in the set too")
        elif any(spans.overlaps(*span) for span in kind.spans(one)):
            wrong.append(f"{FEWSHOT}: {one['id']} shares text of its book with an item of the set")
        if one.get("canary") != canary:
            wrong.append(f"{FEWSHOT}: {one['id']} bears another canary")
    return Check("few-shot", f"{len(examples):,} examples, no text of the set among them", tuple(wrong))


def _merged(spans: Iterable[Span]) -> list[Span]:
    """The same stretches of books; those that overlap as one."""
    found: list[Span] = []
    for book, start, end in sorted(spans):
        if found and found[-1][0] == book and start < found[-1][2]:
            found[-1] = (book, found[-1][1], max(end, found[-1][2]))
        else:
            found.append((book, start, end))
    return found


def _printed(kind: ItemKind, record: Record) -> str:
    """The words that a record quotes, letter case and marks apart."""
    texts = itertools.chain.from_iterable(texts for _, texts in kind.quoted(record))
    return " ".join(re.findall(r"\w+", " ".join(texts).casefold()))


def _printed_twice(kind: ItemKind, published: PublishedSet) -> Iterator[str]:
    """Items of one split whose quoted text is the same, letter case and marks apart."""
    first: dict[tuple[str, str], str] = {}
    for item, record in zip(published.items, published.records, strict=True):
        earlier = first.setdefault((kind.split_of(item), _printed(kind, record)), item.id)
        if earlier != item.id:
            yield f"{item.id}: prints the sentences of {earlier}"


def check_documents(release: ReleaseFolder, texts: Mapping[str, str]) -> Check:
    """What the documents say is what `release.json` and the items say: `texts` are the documents written anew."""
    texts = {RELEASE_FILE: record_text(release.record), **texts}
    wrong = [
        f"{name}: tells other things than release.json and the items"
        for name, text in texts.items()
        if release.digests.get(name) != hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    ]
    return Check("documents", f"{', '.join(sorted(texts))} follow from release.json and the items", tuple(wrong))


def check_derived(release: ReleaseFolder, again: Path) -> Check:
    """Every file that is made of the items is what they give: `again` holds them made anew.

    What stands beside the items is made of itself, so it is not counted here. Parquet by another version of Arrow has other bytes for the
    same rows, so rows are compared where bytes differ.
    """
    names = sorted(path.relative_to(again).as_posix() for path in again.rglob("*") if path.is_file())
    wrong = [name for name in names if not _same(release, name, again / name)]
    count = len(set(names) - set(release.record.beside))
    return Check("formats", f"{count:,} files follow from the items", tuple(f"{name}: not what the items give" for name in wrong))


def _same(release: ReleaseFolder, name: str, again: Path) -> bool:
    if release.fault(name):
        return False
    if release.digests[name] == file_sha256(again):
        return True
    return name.endswith(_PARQUET) and _same_rows(io.BytesIO(release.read(name)), again)


def _same_rows(one: io.BytesIO, own: Path) -> bool:
    """Whether a Parquet file holds the rows of our own. It is read a row at a time up to the first difference: a small file can unfold to
    any size."""
    try:
        found, expected = pq.ParquetFile(one), pq.ParquetFile(own)
        if found.metadata.num_rows != expected.metadata.num_rows or not found.schema_arrow.equals(expected.schema_arrow):
            return False
        rows = zip(found.iter_batches(batch_size=1), expected.iter_batches(batch_size=1), strict=True)
        return all(row.equals(own_row) for row, own_row in rows)
    except (OSError, ValueError, NotImplementedError):  # Arrow's errors are of these
        return False


def check_beside(kind: ItemKind, published: PublishedSet) -> Check:
    """What stands beside the items agrees with them, as far as they say it."""
    wrong: list[str] = []
    compared = []
    for file, records in published.beside.items():
        if file == FEWSHOT:
            continue  # `check_fewshot`
        if file != CANDIDATES:
            compared.append(f"{file}: not compared, for the items do not say it")
            continue
        compared.append(f"{file}: sentence, answer and options of every {kind.noun}; its other candidates are not compared")
        if [one.get("id") for one in records] != [one["id"] for one in published.records]:
            wrong.append(f"{file}: its rows are not those of the {kind.noun}s, in their order")
            continue
        for item, own in zip(published.records, records, strict=True):
            wrong += [f"{file}: {item['id']}: {fault}" for fault in kind.candidate_faults(item, {**own})]
    return Check("beside", "; ".join(compared), tuple(wrong))


def check_others(release: ReleaseFolder, compared: Iterable[str]) -> Check:
    """Names the files that nothing here was compared with; a file that no release of its kind has is a difference.

    Args:
        compared: files that were.
    """
    known = {REPORT, FIGURES, *release.record.taken}
    left = sorted(release.listed.keys() - set(compared))
    wrong = tuple(f"{name}: follows from nothing in this release" for name in left if name not in known)
    told = ", ".join(name for name in left if name in known)
    return Check("others", f"not compared: {told or 'none'}", wrong)


def check_books(kind: ItemKind, records: Sequence[Record], text_of: Callable[[Span], str]) -> Check:
    """Every sentence that an item quotes stands in its book, at its span, in these words."""
    wrong, n = [], 0
    for record in records:
        for span, texts in kind.quoted(record):
            n += 1
            if not quotes("".join(texts), text_of(span)):
                wrong.append(f"{record['id']}: book {span[0]} has another text at characters {span[1]} to {span[2]}")
        wrong += [f"{record['id']}: {what}" for what in kind.misquoted(record)]
    books = {book for record in records for book, _, _ in kind.spans(record)}
    return Check("text", f"{n:,} spans of {len(books):,} books hold what is quoted of them", tuple(wrong))


def quotes(text: str, span: str) -> bool:
    r"""Whether a text is that of a span, spaces apart; where a line end broke a word it may be joined or keep its hyphen.

    >>> [quotes(text, "By lamp\xadlight.") for text in ("By lamplight.", "By lamp-light.", "By lamps.")]
    [True, True, False]
    """
    parts = span.replace(" ", "").split(LINE_END_HYPHEN)
    return re.fullmatch("-?".join(map(re.escape, parts)), text.replace(" ", "")) is not None


def check_text(checks: Iterable[Check], *, most: int = 5) -> Iterator[str]:
    """A line a check, and the first differences below it."""
    for check in checks:
        yield f"{'FAILED' if check.differences else 'ok':<8}{check.name:<12}{check.told}"
        yield from (f"        {what}" for what in check.differences[:most])
        if len(check.differences) > most:
            yield f"        ... and {len(check.differences) - most:,} more"
