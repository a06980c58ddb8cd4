"""Grooming by people (MSR 2.3): the items of a study, and its verdict file."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from cloze_gen.corpus.normalization import rendered_tokens
from cloze_gen.english.penn_tags import coarse_class
from cloze_gen.english.sentence_fitness import sentence_fault
from cloze_gen.errors import UsageError
from cloze_gen.formats.questions import around_blank
from cloze_gen.judging.state import StudySettings, verdicts_of_people
from cloze_gen.judging.study import Study, StudySource, study_agreement
from cloze_gen.judging.tasks.groom import NOT_JUDGED, groomed
from cloze_gen.judging.verdicts import VerdictFile, verdicts_jsonl
from cloze_gen.recipes.msr.forward import SCORED, SCORED_ITEMS
from cloze_gen.recipes.msr.grooming.candidates import DECISIONS, ITEMS, Item
from cloze_gen.recipes.msr.tables import part_paths
from cloze_gen.records.judgement import StudyItem, Task
from cloze_gen.records.question import Blank
from cloze_gen.records.sentence import sentence_of
from cloze_gen.rng import derive_rng
from cloze_gen.store.artifacts import Artifact
from cloze_gen.store.runs import stage_artifact
from cloze_gen.store.tables import FOCUS, read_parquet, read_source_sentences

_FIFTHS = 5


def pool_items(
    *,
    focus: Artifact,
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
    positions = _column(focus, FOCUS, "position")
    ranks = {
        item_id: int(rank)
        for item_id, rank in _column(forward, SCORED_ITEMS.name, "forward_rank").items()
        if rank is not None
    }
    items = [
        Item(item_id, sentences[sentence_of(item_id)], positions[item_id])
        for item_id in _one_a_sentence(ranks, settings.seed)
    ]
    ids = [item.id for item in items if _is_whole(item)]
    if settings.draw == "balanced":
        alternates = _column(forward, SCORED_ITEMS.name, "alternates")
        tags = _column(grooming, ITEMS.name, "answer_tag")
        strata = {
            item_id: (
                coarse_class(tags[item_id]) if tags.get(item_id) else "untagged",
                min(_FIFTHS - 1, _FIFTHS * (ranks[item_id] - 1) // (alternates[item_id] + 1)),
            )
            for item_id in ids
        }
        ids = _by_turns(strata)
    if settings.pool:
        ids = ids[: settings.pool]
    candidates = _candidates(forward, ids)
    machine = _machine(grooming, ids) if settings.show_machine else None
    item_of = {item.id: item for item in items}
    return [
        _study_item(
            item_of[item_id],
            candidates[item_id],
            None if machine is None else machine.get(item_id, {}),
        )
        for item_id in ids
    ]


def _study_item(item: Item, candidates: Sequence[str], machine: dict[str, str] | None) -> StudyItem:
    """What judges see of a focus word. `machine`: the machine's verdicts, if they are shown."""
    sentence = item.sentence
    before, after = around_blank(Blank(item.id, rendered_tokens(sentence.tokens), item.rank))
    shown: dict[str, Any] = {
        "before": before,
        "answer": item.answer,
        "after": after,
        "candidates": candidates,
    }
    if machine is not None:
        shown["machine"] = {word: machine.get(word, NOT_JUDGED) for word in candidates}
    span = (sentence.book_id, sentence.start, sentence.end)
    return StudyItem(item.id, (span,), shown, {}, "run")


def _is_whole(item: Item) -> bool:
    return sentence_fault(item.sentence.tokens, printed=item.printed, offensive=()) is None


def _one_a_sentence(ids: Iterable[str], seed: int) -> list[str]:
    drawn = sorted(ids, key=lambda item: (derive_rng(seed, "judging.pool", item).random(), item))
    first: dict[str, str] = {}
    for item in drawn:
        first.setdefault(sentence_of(item), item)
    return list(first.values())


def _by_turns(strata: Mapping[str, tuple[str, int]]) -> list[str]:
    """The items, alternating between their strata."""
    members: dict[tuple[str, int], list[str]] = {}
    for item, stratum in strata.items():
        members.setdefault(stratum, []).append(item)
    turns = itertools.zip_longest(*(members[stratum] for stratum in sorted(members)))
    return [item for turn in turns for item in turn if item is not None]


def _candidates(forward: Artifact, ids: Sequence[str]) -> dict[str, list[str]]:
    """The retained candidates of each item, the best first."""
    ranked: dict[str, list[tuple[int, str]]] = {item: [] for item in ids}
    for row in _rows(forward, SCORED.folder, ("id", "word", "forward_rank", "kept"), ids):
        if row["kept"]:
            ranked[row["id"]].append((row["forward_rank"], row["word"]))
    return {item: [word for _, word in sorted(words)] for item, words in ranked.items()}


def _machine(grooming: Artifact, ids: Sequence[str]) -> dict[str, dict[str, str]]:
    """Item -> candidate -> the machine's verdict; items of rejected sentences are missing."""
    verdicts: dict[str, dict[str, str]] = {}
    for row in _rows(grooming, DECISIONS.folder, ("id", "word", "verdict"), ids):
        verdicts.setdefault(row["id"], {})[row["word"]] = row["verdict"]
    return verdicts


def _rows(
    artifact: Artifact, folder: str, columns: Sequence[str], ids: Sequence[str]
) -> Iterator[dict[str, Any]]:
    is_chosen = pc.field("id").isin(pa.array(ids, pa.string()))
    for path in part_paths(artifact, folder):
        yield from read_parquet(path, columns=list(columns)).filter(is_chosen).to_pylist()


def _column(artifact: Artifact, file: str, column: str) -> dict[str, Any]:
    """Item id -> value."""
    table = read_parquet(artifact.path(file), columns=["id", column])
    return dict(zip(table["id"].to_pylist(), table[column].to_pylist(), strict=True))


def draw(run: Path, settings: StudySettings) -> list[StudyItem]:
    names = ("focus", "forward", "grooming")
    stages = {name: stage_artifact(run, name) for name in names}
    return pool_items(**stages, settings=settings)


def verdicts(study: Study) -> str:
    rows: list[dict[str, Any]] = []
    for item, responses in verdicts_of_people(study.state()).items():
        result = groomed(responses, candidates=study.store.item(item).shown["candidates"])
        rows.append(
            {
                "id": item,
                "verdict": result.verdict,
                "picked": list(result.picked),
                "votes": dict(result.votes),
                "judges": result.judges,
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
