"""Statistics of the kept passages and of a random sample of the survivors (LAMBADA 3.2, 3.3)."""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any

import pyarrow.compute as pc

from cloze_gen.adapters.inflector import inflect, lemmatize
from cloze_gen.adapters.spacy_tagger import load_tagger
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.english.penn_tags import TAGS_OF_CLASS, coarse_class
from cloze_gen.english.treebank import host
from cloze_gen.english.word_lists import QUOTATION_MARKS
from cloze_gen.formats.lambada import parse_passages, published_tokens
from cloze_gen.recipes.lambada.committee import read_survivors
from cloze_gen.recipes.lambada.passages import PASSAGES, batches, read_passages
from cloze_gen.records.passage import Passage, Split
from cloze_gen.rng import seeded_fraction
from cloze_gen.store.artifacts import Artifact, ArtifactWriter
from cloze_gen.store.manifest import write_json
from cloze_gen.store.tables import ANALYSIS, PASSAGE_SET

# The classes of Figure 2. Pronouns, which only the text mentions, count as O (other).
CLASSES = ("PN", "CN", "V", "J", "R", "O")
_CLASS_OF = {"proper_noun": "PN", "noun": "CN", "verb": "V", "adjective": "J", "adverb": "R"}
_PRONOUNS = frozenset({"PRP", "PRP$", "WP", "WP$"})
# "a random 5000-item sample from the input data, that is, the passages that were presented to human
# subjects"
RANDOM_INPUT = 5000

SOURCE = "Paperno et al. 2016, 3.2 and 3.3"
# Measure -> the paper's figures for the kept passages and the random input; None if not given.
PAPER: Mapping[str, tuple[float | None, float | None]] = {
    "tokens": (75.4, None),
    "context sentences": (4.6, None),
    "target in context": (None, None),
    "target or lemma in context": (0.80, 0.15),  # "more than 80%", "less than 15%"
    "PN": (0.48, None),
    "CN": (0.37, None),
    "V": (0.077, None),
    "J": (None, None),
    "R": (None, None),
    "O": (None, None),
    "pronoun": (0.003, None),
    "direct speech": (0.71, 0.61),
}
_MEANS = frozenset({"tokens", "context sentences"})  # the other measures are shares
_PASSAGES_PER_SHARD = 512


def describe(
    context: Sequence[Sequence[str]],
    sentence: Sequence[str],
    *,
    tokens: int,
    tag: str,
    forms: Collection[str],
) -> dict[str, float]:
    """The measures of one passage, without "target in context", which `PASSAGES` has.

    The context excludes the target's own sentence. A separate apostrophe is a quotation mark.

    Args:
        sentence: the target's, before the target.
        tag: the target's Penn tag.
        forms: all forms of the target's lemma, case-folded.

    >>> context, sentence = [["Two", "ladies'", "hats", "."]], ['"', "Who", "is", "the"]
    >>> result = describe(context, sentence, tokens=8, tag="NN", forms={"lady", "ladies"})
    >>> result["target or lemma in context"], result["direct speech"]
    (True, True)
    """
    tokens_before = [token for before in context for token in before]
    words = {host(token).casefold() for token in tokens_before}
    of_class = target_class(tag)
    return {
        "tokens": tokens,
        "context sentences": len(context),
        "target or lemma in context": not words.isdisjoint(forms),
        **{name: name == of_class for name in CLASSES},
        "pronoun": tag in _PRONOUNS,
        "direct speech": not QUOTATION_MARKS.isdisjoint([*tokens_before, *sentence]),
    }


def draw_input(survivors: Iterable[str], *, seed: int, count: int = RANDOM_INPUT) -> frozenset[str]:
    """Ids of the random sample of the input; each draw depends on its own id only.

    >>> len(draw_input(["a", "b", "c"], seed=1, count=2))
    2
    """
    draw_of = functools.partial(seeded_fraction, "lambada.analysis", seed=seed)
    return frozenset(sorted(survivors, key=draw_of)[:count])


def target_class(tag: str) -> str:
    """The class of Figure 2 of a Penn tag.

    >>> [target_class(tag) for tag in ("NNPS", "NN", "VBD", "PRP")]
    ['PN', 'CN', 'V', 'O']
    """
    return _CLASS_OF.get(coarse_class(tag), "O")


def lemma_forms(word: str, tag: str) -> frozenset[str]:
    """All forms of a word's lemma, the word among them, case-folded.

    >>> sorted(lemma_forms("ladies", "NNS")), sorted(lemma_forms("Swam", "VBD"))
    (['ladies', 'lady'], ['swam', 'swim', 'swimming', 'swims', 'swum'])
    """
    lemma = lemmatize(word, tag)
    inflected = (
        form for other in TAGS_OF_CLASS.get(coarse_class(tag), ()) for form in inflect(lemma, other)
    )
    return frozenset(form.casefold() for form in (word, lemma, *inflected))


def analysis_record(
    kept: Sequence[Mapping[str, float]], random: Sequence[Mapping[str, float]]
) -> dict[str, Any]:
    """`analysis.json`: the mean of each measure over the passages of two sets, and the paper's.

    A figure is null where the paper gives none, or the set is empty.
    """
    measures = []
    for name, (paper_kept, paper_random) in PAPER.items():
        measure = {
            "measure": name,
            "unit": "mean" if name in _MEANS else "share",
            "kept": _mean(kept, name),
            "random": _mean(random, name),
            "paper_kept": paper_kept,
            "paper_random": paper_random,
        }
        measures.append(measure)
    sets = {"kept": len(kept), "random": len(random)}
    return {"source": SOURCE, "sets": sets, "measures": measures}


def _mean(described: Sequence[Mapping[str, float]], name: str) -> float | None:
    return round(fmean(row[name] for row in described), 4) if described else None


def describe_passages(passages: Sequence[Passage]) -> dict[str, dict[str, float]]:
    """Id -> the measures of each passage."""
    tags = load_tagger().tag([passage.target_sentence for passage in passages])
    described = {}
    for passage, tags_of_sentence in zip(passages, tags, strict=True):
        tag = tags_of_sentence[passage.target_position]
        described[passage.id] = describe(
            passage.sentences[:-1],
            passage.target_sentence[: passage.target_position],
            tokens=len(published_tokens(passage)),
            tag=tag,
            forms=lemma_forms(passage.target, tag),
        )
    return described


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
        kept = frozenset(
            passage.id for passage in parse_passages(handle) if passage.split != Split.CONTROL
        )
    drawn = draw_input(read_survivors(committee).to_pylist(), seed=seed)
    needed = kept | drawn
    shards = list(batches(read_passages(passages, which=needed.__contains__), _PASSAGES_PER_SHARD))
    described: dict[str, dict[str, float]] = {}
    for part in ctx.map(describe_passages, shards, unit="parts"):
        described |= part
    rows = PASSAGES.read(passages.path(PASSAGES.name), ["id", "in_context"])
    inside = frozenset(rows.filter(pc.greater(rows["in_context"], 0))["id"].to_pylist())
    for passage_id, measures in described.items():
        measures["target in context"] = passage_id in inside
    record = analysis_record(
        [row for passage_id, row in described.items() if passage_id in kept],
        [row for passage_id, row in described.items() if passage_id in drawn],
    )
    write_json(writer.path(ANALYSIS), record)
    writer.facts["tagger"] = tagger_identity
    ctx.say(
        f"{len(kept):,} passages of the set compared with {len(drawn):,} random passages that no "
        "member guesses"
    )
