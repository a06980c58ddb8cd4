"""What a person is told of a study: pages dealt, answers taken and refused, how it stands and what it costs."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from cloze_gen.columns import table_lines
from cloze_gen.errors import UsageError
from cloze_gen.formats.lambada.packets import packets_csv, packets_jsonl, parse_answers
from cloze_gen.notation import shown
from cloze_gen.recipes.lambada.stages.study import Standing, Study, ledger_of, open_study
from cloze_gen.recipes.lambada.steps.assignment import page_size, progress
from cloze_gen.recipes.lambada.steps.cost import Cost, expected_cost, spent
from cloze_gen.recipes.lambada.steps.guessing import GuessingSettings, Refusal, Verdict
from cloze_gen.records.guess_page import Condition, Page
from cloze_gen.stages.judging import Judging
from cloze_gen.store.manifest import write_bytes

_FORMS = {"csv": lambda rows: packets_csv(rows).encode("utf-8-sig"), "jsonl": lambda rows: packets_jsonl(rows).encode()}
_WAITING = {"passage": "wait for a reader of the passage", "sentence": "wait for a reader of the sentence", "asked": "answers are due"}


def export(run: Path, *, subjects: Sequence[str], condition: str, pages: int, form: str, to: Path | None, again: bool) -> list[str]:
    """Deal the next pages, or take those that are out again, and write a file a subject; a file that is there is left as it is.

    Files: `SUBJECT-PAGE.csv` or `SUBJECT-PAGE.jsonl` (`formats.lambada.packets.packets_csv`, `packets_jsonl`), named by its first page.

    Raises:
        UsageError: an option that is none, a name that cannot serve, or a folder that cannot be written to.
    """
    if condition not in {"", *Condition}:
        raise UsageError(f"--condition {shown(condition)}: expected {' or '.join(Condition)}, or nothing for both")
    if form not in _FORMS:
        raise UsageError(f"--format {shown(form)}: expected {' or '.join(_FORMS)}")
    study = open_study(run)
    conditions = [Condition(condition)] if condition else [*Condition]
    folder = to or study.folder / "packets"
    _make_folder(folder)
    if again:
        standing = study.standing()
        out = [page for page in standing.pages.values() if page.condition in conditions and standing.due(page)]
        files = [[page] for page in out if not subjects or page.subject in subjects]
    else:
        dealt = study.deal(subjects, conditions, pages_each=pages)
        files = [[page for page in dealt if page.subject == one] for one in dict.fromkeys(page.subject for page in dealt)]
    rows = [_written(study, one, folder, form) for one in files]
    if not rows:
        return ["no page to hand out: nothing waits for these subjects (cloze-gen judge status tells what waits for whom)"]
    short = sum(len(page.passage_ids) < page_size(page.condition, study.settings) for one in files for page in one)
    told = [f"{short:,} of these pages are short, and a short page is paid as a full one: fewer people make fuller pages"] if short else []
    return [*table_lines(["subject", "pages", "items", "file"], rows, None, left=frozenset({"subject", "file"})), *told]


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"--to {folder}: cannot be a folder ({error.strerror}). Nothing was dealt.") from None


def _written(study: Study, pages: Sequence[Page], folder: Path, form: str) -> list[str]:
    """Write the file of some pages of one subject; returns its row."""
    file = folder / f"{pages[0].subject}-{pages[0].id}.{form}"
    there = file.exists() or file.is_symlink()
    rows = study.rows(pages)
    if not there:
        write_bytes(file, _FORMS[form](rows))
    return [pages[0].subject, str(len(pages)), str(len(rows)), f"{file}{' (was there, left as it was)' if there else ''}"]


def take(run: Path, texts: Mapping[str, str]) -> list[str]:
    """Take the answers of some files, all of which are read before any is taken; tell what was refused, each with its reason.

    Raises:
        FormatError: a file cannot be read as answers.
    """
    answers = [given for name, text in texts.items() for given in parse_answers(text, name=name)]
    study = open_study(run)
    taken, refused = study.take(answers)
    counts = Counter(one.reason for one in refused)
    lines = [f"refused    {one.id} {one.reason} {one.detail}".rstrip() for one in refused if one.reason != Refusal.REPEATED]
    lines += [f"answers    {len(answers):,}: {len(taken):,} taken{''.join(f', {counts[one]:,} {one}' for one in sorted(counts))}"]
    return [*lines, *_tell_progress(study.standing(), study.settings)]


def withdraw(run: Path, page_ids: Sequence[str]) -> list[str]:
    """Withdraw pages; others can be asked instead of their subjects."""
    waited = open_study(run).withdraw(page_ids)
    return [f"{one}: {f'{count} answers waited for no longer' if count else 'nothing was waited for'}" for one, count in waited.items()]


def status(run: Path) -> list[str]:
    """How a study stands: passages, subjects, and the pages that are out."""
    study = open_study(run)
    standing = study.standing()
    out = {one: due for one, page in standing.pages.items() if (due := standing.due(page))}
    lines = [f"ledger     {study.ledger}: {len(standing.ledger.events):,} events", *_tell_progress(standing, study.settings)]
    if standing.pages:
        of: defaultdict[str, list[Page]] = defaultdict(list)
        for page in standing.pages.values():
            of[page.subject].append(page)
        answered = Counter(given.subject for case in standing.cases.values() for given in case.answers)
        rows = [
            [subject, str(len(pages)), str(answered[subject]), str(sum(len(out.get(page.id, ())) for page in pages))]
            for subject, pages in of.items()
        ]
        lines += ["", *table_lines(["subject", "pages", "answered", "due"], rows, None, left=frozenset({"subject"}))]
    if out:
        rows = [[one, standing.pages[one].subject, str(standing.pages[one].condition), ",".join(map(str, due))] for one, due in out.items()]
        head = ["page", "subject", "condition", "items due"]
        lines += ["", *table_lines(head, rows, None, left=frozenset(head))]
    return lines


def _tell_progress(standing: Standing, settings: GuessingSettings) -> Iterator[str]:
    counts = progress(standing.cases.values(), settings)
    yield f"passages   {len(standing.cases):,} in the head of the ranking"
    for name, count in counts.items():
        yield f"  {count:>8,}  {_WAITING.get(name, name)}"


def cost(settings: GuessingSettings, passages: int | None, run: Path | None) -> list[str]:
    """What guessing costs: expected before it begins, on the paper's shares; of a run also what its pages have cost so far."""
    rows = []
    if run is not None:
        study = open_study(run)
        standing = study.standing()
        shown_whole = {one for page in standing.pages.values() if page.condition is Condition.PASSAGE for one in page.passage_ids}
        kept = progress(standing.cases.values(), settings).get(Verdict.KEPT, 0)
        so_far = spent((page.condition for page in standing.pages.values()), passages=len(shown_whole), kept=kept, settings=settings)
        rows.append(_cost_row("so far", so_far))
        passages = passages or len(standing.cases)
    rows.insert(0, _cost_row("expected", expected_cost(passages or 0, settings)))
    header = ["", "passages", "kept", "passage pages", "sentence pages", "usd", "usd / kept"]
    return [
        *table_lines(header, rows, None, left=frozenset({""})),
        f"expected: on the paper's shares; a page of {settings.passages_per_page} passages at ${settings.passage_page_usd}, of "
        f"{settings.sentences_per_page} sentences at ${settings.sentence_page_usd}, times {settings.fee_factor} with fees (guessing.*)",
    ]


def _cost_row(name: str, one: Cost) -> list[str]:
    each = f"{one.usd_per_kept:.2f}" if one.kept else "-"
    return [name, f"{one.passages:,.0f}", f"{one.kept:,.0f}", f"{one.pages[0]:,.0f}", f"{one.pages[1]:,.0f}", f"{one.usd:,.2f}", each]


JUDGING = Judging("guesses", "guessing", "guessing.ledger", ledger_of, export, take, withdraw, status, cost)
