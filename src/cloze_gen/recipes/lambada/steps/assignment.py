"""Who guesses which passage: pages dealt to subjects, and their answers taken (LAMBADA 3.1). No step of it touches a file or a clock."""

from __future__ import annotations

import bisect
import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from cloze_gen.recipes.lambada.steps.guessing import Case, GuessingSettings, Refusal, answer, ask, verdict, wanted, withdraw
from cloze_gen.records.guess_page import Condition, Event, Page, PageAnswer, Withdrawal
from cloze_gen.records.rejection import Rejection
from cloze_gen.rng import stable_fraction

_UNKNOWN_PAGE = "page_was_not_handed_out"
_UNKNOWN_ITEM = "no_such_item"
_OTHER_SUBJECT = "page_belongs_to_another_subject"


def assign(
    cases: Iterable[Case], subjects: Sequence[str], condition: Condition, *, settings: GuessingSettings, pages_each: int = 1
) -> list[Page]:
    """Deal the passages that want a subject of this condition to subjects who have seen nothing of their text.

    Passages come in their order, and each goes to whoever has the fewest so far; equals are told apart by a hash of passage and subject.

    Args:
        pages_each: full pages that a subject gets at most.
    Returns:
        the pages, subject by subject; the last of each may be short. Nobody is asked yet (`hand_out`).

    >>> cases = [Case(f"b:{n}", "menu", "b", 100 * n, 100 * n + 99) for n in range(12)]
    >>> [len(page.passage_ids) for page in assign(cases, ["ann"], Condition.PASSAGE, settings=GuessingSettings())]
    [10]
    """
    cases = list(cases)
    per_page = page_size(condition, settings)
    seen = _seen(cases)
    dealt: dict[str, list[str]] = {subject: [] for subject in dict.fromkeys(subjects)}
    for case in cases:
        kind, count = wanted(case, settings)
        if kind is not condition or not count:
            continue
        free = [
            subject
            for subject, items in dealt.items()
            if len(items) < pages_each * per_page and not _overlaps(seen.get((subject, case.book_id), ()), case)
        ]
        free.sort(key=lambda subject: (len(dealt[subject]), stable_fraction("lambada.subjects", f"{case.id}:{subject}")))
        for subject in free[:count]:
            dealt[subject].append(case.id)
            bisect.insort(seen.setdefault((subject, case.book_id), []), (case.start, case.end))
    pages = []
    for subject, items in dealt.items():
        pages += [_page(subject, condition, items[first : first + per_page]) for first in range(0, len(items), per_page)]
    return pages


def page_size(condition: Condition, settings: GuessingSettings) -> int:
    """The items of a full page."""
    return settings.passages_per_page if condition is Condition.PASSAGE else settings.sentences_per_page


def hand_out(cases: Mapping[str, Case], pages: Iterable[Page], settings: GuessingSettings) -> dict[str, Case]:
    """The cases of some pages with their subjects asked.

    Raises:
        ValueError: a subject cannot be asked, or not so; the pages were dealt from other cases, or under other settings.
    """
    changed: dict[str, Case] = {}
    for page in pages:
        for passage_id in page.passage_ids:
            after = ask(changed.get(passage_id, cases[passage_id]), page.subject, settings)
            if isinstance(after, Refusal):
                raise ValueError(f"page {page.id}, passage {passage_id}: {after}")
            if (page.subject, page.condition) not in after.asked:
                raise ValueError(f"page {page.id}, passage {passage_id}: is not to be guessed from the {page.condition}")
            changed[passage_id] = after
    return changed


def take_answers(
    cases: Mapping[str, Case], pages: Mapping[str, Page], answers: Iterable[PageAnswer], settings: GuessingSettings
) -> tuple[dict[str, Case], list[PageAnswer], list[Rejection]]:
    """Take the answers that came in; taking them again changes nothing.

    Args:
        pages: those handed out, by id.
    Returns:
        the cases that changed; the answers taken; and a rejection for each of the others, its id `page:item`.
    """
    changed: dict[str, Case] = {}
    taken: list[PageAnswer] = []
    refused: list[Rejection] = []
    for given in answers:
        where, page = f"{given.page}:{given.item}", pages.get(given.page)
        if page is None or not 1 <= given.item <= len(page.passage_ids):
            refused.append(Rejection(where, _UNKNOWN_ITEM if page else _UNKNOWN_PAGE))
            continue
        if given.subject not in ("", page.subject):
            refused.append(Rejection(where, _OTHER_SUBJECT, given.subject))
            continue
        passage_id = page.passage_ids[given.item - 1]
        after = answer(changed.get(passage_id, cases[passage_id]), page.subject, given.guesses, settings)
        if isinstance(after, Refusal):
            refused.append(Rejection(where, after, f"{passage_id} {page.subject}"))
        else:
            changed[passage_id] = after
            taken.append(given)
    return changed, taken, refused


def replay(cases: Mapping[str, Case], events: Iterable[Event], settings: GuessingSettings) -> tuple[dict[str, Case], dict[str, Page]]:
    """All cases after what happened, in its order, and the pages handed out by id; what was refused then is refused again.

    Args:
        cases: as they were before anybody was asked.
    Raises:
        ValueError: as `hand_out`.
    """
    now, pages = dict(cases), dict[str, Page]()
    for event in events:
        if isinstance(event, Page):
            now |= hand_out(now, [event], settings)
            pages[event.id] = event
        elif isinstance(event, PageAnswer):
            now |= take_answers(now, pages, [event], settings)[0]
        elif isinstance(event, Withdrawal) and event.page in pages:
            page = pages[event.page]
            now |= {passage_id: withdraw(now[passage_id], page.subject) for passage_id in page.passage_ids}
    return now, pages


def progress(cases: Iterable[Case], settings: GuessingSettings) -> dict[str, int]:
    """How many passages each verdict has, how many wait in each condition for a subject to be asked, and of how many an answer is due.

    >>> progress([Case("b:7", "menu", "b", 0, 99)], GuessingSettings())
    {'passage': 1}
    """
    counts: Counter[str] = Counter()
    for case in cases:
        known = verdict(case, settings)
        condition, count = wanted(case, settings)
        counts[str(known) if known else str(condition) if count else "asked"] += 1
    return dict(sorted(counts.items()))


def _page(subject: str, condition: Condition, passage_ids: Sequence[str]) -> Page:
    digest = hashlib.blake2b("\x1f".join((subject, condition, *passage_ids)).encode(), digest_size=6).hexdigest()
    return Page(digest, subject, condition, tuple(passage_ids))


def _seen(cases: Iterable[Case]) -> dict[tuple[str, str], list[tuple[int, int]]]:
    """(subject, book) -> the spans that the subject has been shown, in their order; no two of them overlap."""
    seen: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for case in cases:
        for subject in case.seen_by:
            seen.setdefault((subject, case.book_id), []).append((case.start, case.end))
    return {whose: sorted(spans) for whose, spans in seen.items()}


def _overlaps(spans: Sequence[tuple[int, int]], case: Case) -> bool:
    """Whether a passage overlaps one of the spans that its subject has seen: then it does one of its neighbours."""
    place = bisect.bisect(spans, (case.start, case.end))
    return any(start < case.end and case.start < end for start, end in spans[max(0, place - 1) : place + 1])
