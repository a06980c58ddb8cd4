"""What the passages of a finished set are like, beside a random sample of what people could be asked about, as an artifact.

A stage after the passage set, of which nothing of the release is made: a set is the same whether it was analysed or not, and only the
targets' sentences of the set and of the sample need a tagger, not the novels.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from cloze_gen.adapters.inflector import inflect, lemmatize
from cloze_gen.adapters.spacy_tagger import travelling_name
from cloze_gen.adapters.tagger_identity import tagger_identity
from cloze_gen.english.penn_tags import TAGS_OF_CLASS, coarse_class
from cloze_gen.formats.lambada.jsonl import parse_passages
from cloze_gen.formats.lambada.rendering import published_tokens
from cloze_gen.recipes.lambada.stages.decisions import read_survivors
from cloze_gen.recipes.lambada.stages.tables import read_passages
from cloze_gen.recipes.lambada.steps.analysis import PAPER, Described, describe, draw_input, summarize
from cloze_gen.records.passage import Passage, Split
from cloze_gen.stages.corpus.tags import TaggerSettings, worker_tagger
from cloze_gen.stages.room import Room
from cloze_gen.stages.tables import ANALYSIS, PASSAGE_SET
from cloze_gen.store.artifacts import Artifact, ArtifactWriter
from cloze_gen.store.manifest import write_json
from cloze_gen.store.tables import write_tsv

TARGETS = "targets.tsv"
SOURCE = "Paperno et al. 2016, 3.2 and 3.3"
KEPT, RANDOM = "kept", "random"
_HEADER = (
    "id", "set", "target", "tag", "tokens", "context_sentences", "sentences_back", "in_context", "lemma_in_context", "direct_speech",
)  # fmt: skip
_MEANS = frozenset({"tokens", "context sentences"})
_PASSAGES_A_SHARD = 512


@dataclass(frozen=True, slots=True)
class TargetShard:
    """Some passages for a worker, which tags their target sentences."""

    passages: tuple[Passage, ...] = field(repr=False)
    tagger: str
    identity: str


def describe_targets(shard: TargetShard) -> list[Described]:
    """Tag the target sentences of one shard and describe its passages."""
    tags = worker_tagger(shard.tagger, shard.identity).tag([one.target_sentence for one in shard.passages])
    return [
        describe(
            one.sentences[:-1],
            one.target_sentence[: one.target_at],
            one.target,
            tokens=len(published_tokens(one)),
            tag=found[one.target_at],
            forms=lemma_forms(one.target, found[one.target_at]),
        )
        for one, found in zip(shard.passages, tags, strict=True)
    ]


def lemma_forms(word: str, tag: str) -> frozenset[str]:
    """All forms of a word's lemma, in small letters.

    >>> sorted(lemma_forms("ladies", "NNS")), sorted(lemma_forms("Swam", "VBD"))
    (['ladies', 'lady'], ['swam', 'swim', 'swimming', 'swims', 'swum'])
    """
    lemma = lemmatize(word, tag)
    inflected = (form for other in TAGS_OF_CLASS.get(coarse_class(tag), ()) for form in inflect(lemma, other))
    return frozenset(form.casefold() for form in (word, lemma, *inflected))


def write_analysis(
    writer: ArtifactWriter, room: Room, *, passages: Artifact, committee: Artifact, finished: Artifact, settings: TaggerSettings, seed: int
) -> None:
    """Write what the set is like beside a random sample of the passages that no model has guessed; the control set is no part of either.

    Files: `targets.tsv`, a row a passage of the set and of the sample, in the order of the passages: `id`, `set` (``kept`` or
    ``random``), `target`, `tag` (its Penn tag), and of `steps.analysis.Described` `tokens`, `context_sentences`, `sentences_back` (empty
    where the target stands nowhere before), `in_context`, `lemma_in_context`, `direct_speech` (1 or 0). `analysis.json`: `source`; `sets`
    (how many each has);
    `measures`, each with `measure`, `unit` (``mean`` or ``share``, of 1), `kept`, `random`, `paper_kept`, `paper_random` (null where nobody
    gives one); `sentences_back`, for each set the counts from 0 sentences back, and last of those whose target stands nowhere before.

    Args:
        finished: the passage set.
    """
    with open(finished.path(PASSAGE_SET), encoding="utf-8") as handle:
        kept = frozenset(one.id for one in parse_passages(handle) if one.split != Split.CONTROL)
    drawn = draw_input(read_survivors(committee), seed=seed)
    asked = kept | drawn
    tagger, identity = travelling_name(settings.name), tagger_identity(settings.name)
    shards = [TargetShard(some, tagger, identity) for some in _batches(read_passages(passages, which=asked.__contains__))]
    found = [pair for shard, told in zip(shards, room.map(describe_targets, shards, unit="parts"), strict=True)
             for pair in zip(shard.passages, told, strict=True)]  # fmt: skip
    sets = {name: [(passage, told) for passage, told in found if passage.id in ids] for name, ids in ((KEPT, kept), (RANDOM, drawn))}
    rows = (_row(name, passage, told) for name, of_set in sets.items() for passage, told in of_set)
    writer.rows[TARGETS] = write_tsv(writer.path(TARGETS), _HEADER, rows)
    write_json(writer.path(ANALYSIS), analysis_record({name: [told for _, told in of_set] for name, of_set in sets.items()}))
    writer.facts |= {name: len(of_set) for name, of_set in sets.items()}
    room.say(f"{len(sets[KEPT]):,} passages of the set beside {len(sets[RANDOM]):,} at random of those that no model guesses")


def analysis_record(sets: dict[str, list[Described]]) -> dict[str, Any]:
    """The object of `analysis.json` of the two sets."""
    summaries = {name: summarize(described) for name, described in sets.items()}
    names = list(dict.fromkeys([*(name for one in summaries.values() for name in one), *PAPER]))
    furthest = max((one.sentences_back or 0 for of_set in sets.values() for one in of_set), default=0)
    return {
        "source": SOURCE,
        "sets": {name: len(of_set) for name, of_set in sets.items()},
        "measures": [
            {"measure": name, "unit": "mean" if name in _MEANS else "share"}
            | {of_set: _rounded(summaries[of_set].get(name)) for of_set in (KEPT, RANDOM)}
            | dict(zip(("paper_kept", "paper_random"), PAPER.get(name, (None, None)), strict=True))
            for name in names
        ],
        "sentences_back": {name: _counts([one.sentences_back for one in of_set], furthest) for name, of_set in sets.items()},
    }


def _counts(places: Sequence[int | None], furthest: int) -> list[int]:
    return [sum(place == number for place in places) for number in (*range(furthest + 1), None)]


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def _row(name: str, passage: Passage, told: Described) -> tuple[Any, ...]:
    flags = (int(flag) for flag in (told.in_context, told.lemma_in_context, told.direct_speech))
    return passage.id, name, passage.target, told.tag, told.tokens, told.context_sentences, told.sentences_back, *flags


def _batches(passages: Iterable[Passage]) -> Iterator[tuple[Passage, ...]]:
    waiting = iter(passages)
    while batch := tuple(islice(waiting, _PASSAGES_A_SHARD)):
        yield batch
