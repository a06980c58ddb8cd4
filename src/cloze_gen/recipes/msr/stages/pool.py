"""The focus words that people are asked to groom: any that passed the screening and stands in a whole sentence (MSR 2.3)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from cloze_gen.english.penn_tags import coarse_class
from cloze_gen.english.sentence_fitness import sentence_fault
from cloze_gen.errors import UsageError
from cloze_gen.formats.printed import around_blank
from cloze_gen.judging.settings import StudySettings
from cloze_gen.recipes.msr.stages.parts import part_paths
from cloze_gen.recipes.msr.stages.tables import ANSWERS, DECISIONS, GROOMED, SCORED, SCREENED
from cloze_gen.records.judgement import StudyItem
from cloze_gen.records.question import Blank
from cloze_gen.records.sentence import Sentence, sentence_of
from cloze_gen.rng import derive_rng
from cloze_gen.stages.tables import FOCUS, read_source_sentences
from cloze_gen.store.artifacts import Artifact
from cloze_gen.store.tables import read_parquet
from cloze_gen.text.rendering import rendered_positions, rendered_tokens

_FIFTHS = 5


def pool_items(*, focus: Artifact, screening: Artifact, forward: Artifact, grooming: Artifact, settings: StudySettings) -> list[StudyItem]:
    """The items of a grooming study, one focus word a sentence, in the order in which judges are asked.

    A sentence is shown as its question would print it. One that no question can print, being cut or a heading (`sentence_fault`), is left
    out; what else machine grooming finds against a sentence is for the judges to see.

    `random` takes the sentences as they are drawn. `balanced` takes by turns from every fifth of the answer's forward rank and every class
    of the answer that the tagger found: where the answer mostly scores low, a random pool leaves the choice little to level with.

    Raises:
        UsageError: judges are to see what the machine says, and the run was groomed by people: what stands there is theirs.
    """
    if settings.show_machine and "people" in grooming.facts:
        raise UsageError(
            "--show-machine: this run was groomed by people, and what they said would be shown as the machine's. Make the run without "
            "their verdicts first (cloze-gen run), or leave it out."
        )
    sentences = read_source_sentences(focus)
    drawn = [item for item in _one_a_sentence(forward, settings.seed) if _is_whole(sentences[sentence_of(item)])]
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
        shown = {"before": before, "answer": answer, "after": after, "candidates": candidates[item_id]}
        if machine:
            shown["machine"] = {word: machine.get(item_id, {}).get(word, "not_asked") for word in candidates[item_id]}
        items.append(StudyItem(item_id, ((sentence.book_id, sentence.start, sentence.end),), shown, {}, "run"))
    return items


def _is_whole(sentence: Sentence) -> bool:
    return sentence_fault(sentence.tokens, printed=rendered_positions(sentence.tokens), offensive=()) is None


def _one_a_sentence(forward: Artifact, seed: int) -> list[str]:
    """One focus word of every sentence that kept one, in an order drawn for each by itself."""
    ids = read_parquet(forward.path(ANSWERS), columns=["id"])["id"].to_pylist()
    drawn = sorted(ids, key=lambda item: (derive_rng(seed, "judging.pool", item).random(), item))
    first: dict[str, str] = {}
    for item in drawn:
        first.setdefault(sentence_of(item), item)
    return list(first.values())


def _by_turns(drawn: Sequence[str], *, screening: Artifact, forward: Artifact, grooming: Artifact) -> list[str]:
    """The same, by turns of every stratum that has one left."""
    ranks = _by_id(forward, ANSWERS, "forward_rank", which=drawn)
    sampled = _by_id(screening, SCREENED, "alternates", which=drawn)
    tags = _by_id(grooming, GROOMED, "answer_tag", which=drawn)
    strata: dict[tuple[str, int], list[str]] = {}
    for item in drawn:
        (rank,), (n,) = ranks[item], sampled[item]
        (tag,) = tags.get(item, ("",))
        strata.setdefault((coarse_class(tag) if tag else "untagged", min(_FIFTHS - 1, _FIFTHS * (rank - 1) // (n + 1))), []).append(item)
    turns = itertools.zip_longest(*(strata[key] for key in sorted(strata)))
    return [item for turn in turns for item in turn if item is not None]


def _candidates(forward: Artifact, ids: Sequence[str]) -> dict[str, list[str]]:
    """Focus word -> its retained candidates, best forward score first."""
    found: dict[str, list[tuple[int, str]]] = {item: [] for item in ids}
    for item, word, rank in _rows(forward, SCORED, "id", "word", "forward_rank", which=ids, where=pc.field("kept")):
        found[item].append((rank, word))
    return {item: [word for _, word in sorted(ranked)] for item, ranked in found.items()}


def _machine(grooming: Artifact, ids: Sequence[str]) -> dict[str, dict[str, str]]:
    """Focus word -> candidate -> what the machine says of it; sentences that it refused have none."""
    found: dict[str, dict[str, str]] = {}
    for item, word, verdict in _rows(grooming, DECISIONS, "id", "word", "verdict", which=ids):
        found.setdefault(item, {})[word] = verdict
    return found


def _rows(
    artifact: Artifact, name: str, *columns: str, which: Sequence[str], where: pc.Expression | None = None
) -> Iterator[tuple[Any, ...]]:
    """Some columns of the candidates of some focus words, part after part."""
    asked = pc.field("id").isin(pa.array(which))
    for path in part_paths(artifact, name):
        table = read_parquet(path).filter(asked if where is None else asked & where).select(list(columns)).to_pydict()
        yield from zip(*(table[column] for column in columns), strict=True)


def _by_id(artifact: Artifact, name: str, *columns: str, which: Sequence[str]) -> Mapping[str, tuple[Any, ...]]:
    wanted = set(which)
    table = read_parquet(artifact.path(name), columns=["id", *columns]).to_pydict()
    rows = zip(*(table[column] for column in ("id", *columns)), strict=True)
    return {item: tuple(rest) for item, *rest in rows if item in wanted}
