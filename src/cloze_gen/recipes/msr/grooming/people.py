"""Grooming by people (MSR 2.3): the items of a study, its verdict file, and its verdicts applied."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cloze_gen.adapters.tagging import Tagger
from cloze_gen.corpus.normalization import rendered_positions, rendered_tokens
from cloze_gen.english.penn_tags import coarse_class
from cloze_gen.english.sentence_fitness import sentence_fault
from cloze_gen.errors import FormatError, UsageError
from cloze_gen.formats.questions import around_blank
from cloze_gen.judging.state import StudySettings, verdicts_of_people
from cloze_gen.judging.study import Study, StudySource, read_verdicts, study_agreement
from cloze_gen.judging.tasks.groom import NOT_JUDGED, RejectReason, groomed
from cloze_gen.judging.verdicts import VerdictFile, verdicts_jsonl
from cloze_gen.models.ngram_index import ForwardIndex
from cloze_gen.models.word_knowledge import WordKnowledge
from cloze_gen.parsing import quote
from cloze_gen.recipes.msr.grooming.candidates import DECISIONS, ITEMS, CandidateTable, Item
from cloze_gen.recipes.msr.grooming.measures import measures_of, set_window_tags
from cloze_gen.recipes.msr.tables import ANSWERS, FIT, SCORED, SCREENED, part_paths
from cloze_gen.records.judgement import StudyItem, Task
from cloze_gen.records.question import Blank
from cloze_gen.records.rejection import Reason
from cloze_gen.records.sentence import Sentence, sentence_of
from cloze_gen.rng import derive_rng
from cloze_gen.store.artifacts import Artifact
from cloze_gen.store.runs import stage_artifact
from cloze_gen.store.tables import FOCUS, read_parquet, read_source_sentences

_FIFTHS = 5


def pool_items(
    *,
    focus: Artifact,
    screening: Artifact,
    forward: Artifact,
    grooming: Artifact,
    settings: StudySettings,
) -> list[StudyItem]:
    """The items of a grooming study, one focus word a sentence, in the order for judges.

    `balanced` alternates between word classes and fifths of the answer's forward rank. In a random
    pool most answers score low, which leaves the choice stage too few items to balance.
    """
    if settings.show_machine and "people" in grooming.facts:
        raise UsageError(
            "--show-machine: this run was groomed by people, so their verdicts would appear as "
            "the machine's. Leave the option out, or first rebuild the run without their verdicts "
            "(cloze-gen run)."
        )
    sentences = read_source_sentences(focus)
    drawn = [
        item
        for item in _one_a_sentence(forward, settings.seed)
        if _is_whole(sentences[sentence_of(item)])
    ]
    if settings.draw == "balanced":
        drawn = _by_turns(drawn, screening=screening, forward=forward, grooming=grooming)
    ids = drawn[: settings.pool] if settings.pool else drawn
    candidates = _candidates(forward, ids)
    machine = _machine(grooming, ids) if settings.show_machine else {}
    rows = _by_id(focus, FOCUS, "word", "position", which=ids)
    items = []
    for item_id in ids:
        sentence, (answer, position) = sentences[sentence_of(item_id)], rows[item_id]
        place = rendered_positions(sentence.tokens).index(position)
        before, after = around_blank(Blank(item_id, rendered_tokens(sentence.tokens), place))
        shown = {
            "before": before,
            "answer": answer,
            "after": after,
            "candidates": candidates[item_id],
        }
        if machine:
            shown["machine"] = {
                word: machine.get(item_id, {}).get(word, NOT_JUDGED) for word in candidates[item_id]
            }
        items.append(
            StudyItem(
                item_id, ((sentence.book_id, sentence.start, sentence.end),), shown, {}, "run"
            )
        )
    return items


def _is_whole(sentence: Sentence) -> bool:
    return (
        sentence_fault(sentence.tokens, printed=rendered_positions(sentence.tokens), offensive=())
        is None
    )


def _one_a_sentence(forward: Artifact, seed: int) -> list[str]:
    ids = read_parquet(forward.path(ANSWERS), columns=["id"])["id"].to_pylist()
    drawn = sorted(ids, key=lambda item: (derive_rng(seed, "judging.pool", item).random(), item))
    first: dict[str, str] = {}
    for item in drawn:
        first.setdefault(sentence_of(item), item)
    return list(first.values())


def _by_turns(
    drawn: Sequence[str], *, screening: Artifact, forward: Artifact, grooming: Artifact
) -> list[str]:
    """One random focus word of every sentence that has one, alternating between strata."""
    ranks = _by_id(forward, ANSWERS, "forward_rank", which=drawn)
    sampled = _by_id(screening, SCREENED, "alternates", which=drawn)
    tags = _by_id(grooming, ITEMS.name, "answer_tag", which=drawn)
    strata: dict[tuple[str, int], list[str]] = {}
    for item in drawn:
        (rank,), (n,) = ranks[item], sampled[item]
        (tag,) = tags.get(item, ("",))
        strata.setdefault(
            (
                coarse_class(tag) if tag else "untagged",
                min(_FIFTHS - 1, _FIFTHS * (rank - 1) // (n + 1)),
            ),
            [],
        ).append(item)
    turns = itertools.zip_longest(*(strata[key] for key in sorted(strata)))
    return [item for turn in turns for item in turn if item is not None]


def _candidates(forward: Artifact, ids: Sequence[str]) -> dict[str, list[str]]:
    found: dict[str, list[tuple[int, str]]] = {item: [] for item in ids}
    for item, word, rank in _rows(
        forward, SCORED, "id", "word", "forward_rank", which=ids, where=pc.field("kept")
    ):
        found[item].append((rank, word))
    return {item: [word for _, word in sorted(ranked)] for item, ranked in found.items()}


def _machine(grooming: Artifact, ids: Sequence[str]) -> dict[str, dict[str, str]]:
    """Focus word -> candidate -> the machine's verdict; rejected sentences are missing."""
    found: dict[str, dict[str, str]] = {}
    for item, word, verdict in _rows(
        grooming, DECISIONS.folder, "id", "word", "verdict", which=ids
    ):
        found.setdefault(item, {})[word] = verdict
    return found


def _rows(
    artifact: Artifact,
    name: str,
    *columns: str,
    which: Sequence[str],
    where: pc.Expression | None = None,
) -> Iterator[tuple[Any, ...]]:
    is_chosen = pc.field("id").isin(pa.array(which))
    for path in part_paths(artifact, name):
        table = (
            read_parquet(path)
            .filter(is_chosen if where is None else is_chosen & where)
            .select(list(columns))
            .to_pydict()
        )
        yield from zip(*(table[column] for column in columns), strict=True)


def _by_id(
    artifact: Artifact, name: str, *columns: str, which: Sequence[str]
) -> Mapping[str, tuple[Any, ...]]:
    wanted = set(which)
    table = read_parquet(artifact.path(name), columns=["id", *columns]).to_pydict()
    rows = zip(*(table[column] for column in ("id", *columns)), strict=True)
    return {item: tuple(rest) for item, *rest in rows if item in wanted}


# ---- grooming by people


def draw(run: Path, settings: StudySettings) -> list[StudyItem]:
    stages = {
        name: stage_artifact(run, name) for name in ("focus", "screening", "forward", "grooming")
    }
    return pool_items(**stages, settings=settings)


def verdicts(study: Study) -> str:
    state = study.state()
    rows: list[dict[str, Any]] = []
    for item, responses in verdicts_of_people(state).items():
        found = groomed(responses, candidates=study.store.item(item).shown["candidates"])
        rows.append(
            {
                "id": item,
                "verdict": found.verdict,
                "picked": list(found.picked),
                "votes": dict(found.votes),
                "judges": found.judges,
            }
        )
    figures = study_agreement(study, is_right=str.__eq__)
    of = {name: fingerprint for name, fingerprint in study.facts.of.items() if name == GROOMING.of}
    return verdicts_jsonl(VerdictFile(Task.GROOM, of, figures.judges, figures.alpha, rows))


GROOMING = StudySource(
    task=Task.GROOM,
    of="forward",
    draw=draw,
    verdicts=verdicts,
    rerun_stage="grooming",
    setting="grooming.verdicts",
)


# ---- the stage with the verdicts of people


class JudgingReason(Reason):
    DISAGREED = ("judges_disagree", "the judges did not agree on four candidates")
    UNJUDGED = ("not_judged", "no judge saw the target word")
    NOT_PICKED = ("candidate_not_picked_by_judges", "the judges did not choose the candidate")


JUDGED_AS = "judges_say_"  # before a judges' reason
_OTHER_RUN = (
    "The verdicts belong to another run, or the settings have changed since. `cloze-gen judge "
    "status STUDY` prints the study's run."
)
_VERDICTS = {*map(str, RejectReason), str(JudgingReason.DISAGREED), FIT}


def read_groomed(path: str) -> VerdictFile:
    file = read_verdicts(path, task=Task.GROOM, given_as="grooming.verdicts")
    if not file.rows:
        raise FormatError(
            f"{path}: has no verdicts. Judge items first, or leave out grooming.verdicts."
        )
    for row in file.rows:
        picked = row.get("picked")
        has_words = isinstance(picked, list) and all(isinstance(word, str) for word in picked)
        verdict = row.get("verdict")
        if not has_words or not isinstance(verdict, str) or verdict not in _VERDICTS:
            raise FormatError(
                f"{path}: {quote(row['id'])} has no valid verdict: {quote(dict(row))}. Write "
                "the file with `cloze-gen judge apply`"
            )
    return file


def reject_unjudged(items: Iterable[Item], verdicts: Mapping[str, Mapping[str, Any]]) -> None:
    for item in items:
        if item.id not in verdicts:
            item.fault = JudgingReason.UNJUDGED


def judge_by_people(
    table: CandidateTable,
    verdicts: Mapping[str, Mapping[str, Any]],
    index: ForwardIndex,
    knowledge: WordKnowledge,
    tagger: Tagger | None,
) -> None:
    """Apply the judges' verdicts. Measures and tags are recorded but decide nothing."""
    rows = table.open()
    measures = measures_of(rows, index, knowledge)
    if tagger is not None:
        set_window_tags(table, rows, tagger)
    picked_by_item = [set(verdicts[item.id]["picked"]) for item in rows.items]
    is_picked = np.array(
        [
            word in picked_by_item[item]
            for item, word in zip(rows.item.tolist(), rows.word.tolist(), strict=True)
        ],
        bool,
    )
    listed = rows.words_by_item()
    for number, item in enumerate(rows.items):
        foreign = sorted(picked_by_item[number].difference(listed[number][1:]))
        if foreign:
            raise UsageError(
                f"grooming.verdicts: the judges of {item.id} picked {quote(foreign[0])}, "
                f"which is not among its candidates. {_OTHER_RUN}"
            )
        item.topicality = float(measures.answers["topicality"][number])
        verdict = verdicts[item.id]["verdict"]
        is_known = verdict in {FIT, JudgingReason.DISAGREED}
        item.fault = verdict if is_known else f"{JUDGED_AS}{verdict}"
    # assumed shares for words that people picked
    fits_as_well = np.where(is_picked, 0.0, np.nan)
    ungrammatical = np.where(is_picked, 0.0, np.nan)
    plausible = np.where(is_picked, 1.0, np.nan)
    similarity = measures.candidates["similarity"]
    topicality = measures.candidates["topicality"]
    table.measures[rows.row] = np.column_stack(
        (similarity, topicality, fits_as_well, ungrammatical, plausible)
    )
    table.verdict[rows.row[~is_picked]] = JudgingReason.NOT_PICKED


def check_items(people: VerdictFile, known: Collection[str]) -> None:
    """UsageError if a judged focus word is not in this run."""
    ids = set(known)
    foreign = [row["id"] for row in people.rows if row["id"] not in ids]
    if foreign:
        raise UsageError(
            f"grooming.verdicts: {len(foreign):,} of {len(people.rows):,} judged focus words "
            f"are not in this run, the first is {quote(foreign[0])}. {_OTHER_RUN}"
        )
