"""Statistics of the kept passages and of a random sample of the survivors (LAMBADA 3.2, 3.3)."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from cloze_gen.adapters.inflector import inflect, lemmatize
from cloze_gen.adapters.spacy_tagger import load_tagger
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.english.penn_tags import TAGS_OF_CLASS, coarse_class
from cloze_gen.english.treebank import clitics_cut
from cloze_gen.english.word_lists import QUOTATION_MARKS
from cloze_gen.formats.lambada import parse_passages, published_tokens
from cloze_gen.recipes.lambada.committee import read_survivors
from cloze_gen.recipes.lambada.passages import batches, read_passages
from cloze_gen.records.passage import Passage, Split
from cloze_gen.rng import stable_fraction
from cloze_gen.store.artifacts import Artifact, ArtifactWriter
from cloze_gen.store.manifest import write_json
from cloze_gen.store.tables import ANALYSIS, PASSAGE_SET

# Marks of direct speech in books and published files; a separate apostrophe is a quotation mark.
# The classes of Figure 2. Pronouns, which only the text mentions, count as O (other).
CLASSES = ("PN", "CN", "V", "J", "R", "O")
_CLASS_OF = {"proper_noun": "PN", "noun": "CN", "verb": "V", "adjective": "J", "adverb": "R"}
_PRONOUNS = frozenset({"PRP", "PRP$", "WP", "WP$"})
# "a random 5000-item sample from the input data, that is, the passages that were presented to human
# subjects"
RANDOM_INPUT = 5000

# Measure -> the paper's figures for the kept passages and the random input; None if not given.
PAPER: Mapping[str, tuple[float | None, float | None]] = {
    "tokens": (75.4, None),
    "context sentences": (4.6, None),
    "target or lemma in context": (0.80, 0.15),  # "more than 80%", "less than 15%"
    "PN": (0.48, None),
    "CN": (0.37, None),
    "V": (0.077, None),
    "pronoun": (0.003, None),
    "direct speech": (0.71, 0.61),
}


@dataclass(frozen=True, slots=True)
class Described:
    """Facts of one passage; the context excludes the target's own sentence."""

    tokens: int
    context_sentences: int
    in_context: bool
    lemma_in_context: bool
    tag: str
    direct_speech: bool


def describe(
    context: Sequence[Sequence[str]],
    sentence: Sequence[str],
    target: str,
    *,
    tokens: int,
    tag: str,
    forms: Collection[str],
) -> Described:
    """Describe one passage; `sentence` ends before the target, `forms` are case-folded.

    >>> facts = describe([["Two", "ladies'", "hats", "."]], ['"', "Who", "is", "the"], "lady", tokens=8, tag="NN", forms={"lady", "ladies"})
    >>> facts.in_context, facts.lemma_in_context, facts.direct_speech
    (False, True, True)
    """
    folded = [{part.casefold() for token in one for part in clitics_cut(token)} for one in context]
    words = frozenset().union(*folded)
    same = target.casefold() in words
    speech = any(not QUOTATION_MARKS.isdisjoint(one) for one in (*context, sentence))
    return Described(tokens, len(context), same, same or not words.isdisjoint(forms), tag, speech)


def draw_input(survivors: Iterable[str], *, seed: int, count: int = RANDOM_INPUT) -> frozenset[str]:
    """Ids of the random sample of the input; each draw depends on its own id only.

    >>> len(draw_input(["a", "b", "c"], seed=1, count=2))
    2
    """
    return frozenset(
        heapq.nsmallest(
            count,
            survivors,
            key=lambda one: (stable_fraction(f"lambada.analysis\x1f{seed}", one), one),
        )
    )


def summarize(described: Iterable[Described]) -> dict[str, float]:
    """The measures of `PAPER` and the rest of Figure 2, means or shares of 1; empty if no passages.

    >>> summarize([Described(70, 4, True, True, "NNP", False), Described(80, 5, False, True, "PRP", True)])["PN"]
    0.5
    """
    listed = list(described)
    if not listed:
        return {}
    classes = Counter(target_class(one.tag) for one in listed)
    return {
        "tokens": fmean(one.tokens for one in listed),
        "context sentences": fmean(one.context_sentences for one in listed),
        "target in context": fmean(one.in_context for one in listed),
        "target or lemma in context": fmean(one.lemma_in_context for one in listed),
        **{name: classes[name] / len(listed) for name in CLASSES},
        "pronoun": fmean(one.tag in _PRONOUNS for one in listed),
        "direct speech": fmean(one.direct_speech for one in listed),
    }


def target_class(tag: str) -> str:
    """The class of Figure 2 of a Penn tag.

    >>> [target_class(tag) for tag in ("NNPS", "NN", "VBD", "PRP")]
    ['PN', 'CN', 'V', 'O']
    """
    return _CLASS_OF.get(coarse_class(tag), "O")


SOURCE = "Paperno et al. 2016, 3.2 and 3.3"
KEPT, RANDOM = "kept", "random"
_MEANS = frozenset({"tokens", "context sentences"})
_PASSAGES_PER_SHARD = 512


def describe_targets(passages: Sequence[Passage]) -> list[Described]:
    tags = load_tagger().tag([one.target_sentence for one in passages])
    return [
        describe(
            one.sentences[:-1],
            one.target_sentence[: one.target_position],
            one.target,
            tokens=len(published_tokens(one)),
            tag=found[one.target_position],
            forms=lemma_forms(one.target, found[one.target_position]),
        )
        for one, found in zip(passages, tags, strict=True)
    ]


def lemma_forms(word: str, tag: str) -> frozenset[str]:
    """All forms of a word's lemma, case-folded.

    >>> sorted(lemma_forms("ladies", "NNS")), sorted(lemma_forms("Swam", "VBD"))
    (['ladies', 'lady'], ['swam', 'swim', 'swimming', 'swims', 'swum'])
    """
    lemma = lemmatize(word, tag)
    inflected = (
        form for other in TAGS_OF_CLASS.get(coarse_class(tag), ()) for form in inflect(lemma, other)
    )
    return frozenset(form.casefold() for form in (word, lemma, *inflected))


def write_analysis(
    writer: ArtifactWriter,
    ctx: StageContext,
    *,
    passages: Artifact,
    committee: Artifact,
    finished: Artifact,
    tagger_identity: str,
    seed: int,
) -> None:
    with open(finished.path(PASSAGE_SET), encoding="utf-8") as handle:
        kept = frozenset(one.id for one in parse_passages(handle) if one.split != Split.CONTROL)
    drawn = draw_input(read_survivors(committee), seed=seed)
    needed = kept | drawn
    shards = list(batches(read_passages(passages, which=needed.__contains__), _PASSAGES_PER_SHARD))
    described: dict[str, Described] = {}
    for shard, facts in zip(shards, ctx.map(describe_targets, shards, unit="parts"), strict=True):
        described |= zip((one.id for one in shard), facts, strict=True)
    sets = {
        name: [facts for passage_id, facts in described.items() if passage_id in ids]
        for name, ids in ((KEPT, kept), (RANDOM, drawn))
    }
    write_json(writer.path(ANALYSIS), analysis_record(sets))
    writer.facts |= {name: len(of_set) for name, of_set in sets.items()}
    writer.facts["tagger"] = tagger_identity
    ctx.say(
        f"{len(sets[KEPT]):,} passages of the set compared with {len(sets[RANDOM]):,} random "
        "passages that no member guesses"
    )


def analysis_record(sets: dict[str, list[Described]]) -> dict[str, Any]:
    """`analysis.json`; `paper_*` are null where the paper gives no figure."""
    summaries = {name: summarize(described) for name, described in sets.items()}
    names = list(dict.fromkeys([*(name for one in summaries.values() for name in one), *PAPER]))
    return {
        "source": SOURCE,
        "sets": {name: len(of_set) for name, of_set in sets.items()},
        "measures": [
            {"measure": name, "unit": "mean" if name in _MEANS else "share"}
            | {of_set: _rounded(summaries[of_set].get(name)) for of_set in (KEPT, RANDOM)}
            | dict(zip(("paper_kept", "paper_random"), PAPER.get(name, (None, None)), strict=True))
            for name in names
        ],
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
