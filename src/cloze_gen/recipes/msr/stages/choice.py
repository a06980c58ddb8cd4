"""The chosen questions as an artifact: with full provenance, scores and the reasons of every focus word not chosen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from cloze_gen.errors import CorpusError
from cloze_gen.recipes.msr.stages.choice_facts import choice_facts, told_of_choice
from cloze_gen.recipes.msr.stages.choice_tables import read_choice_tables, scored_items
from cloze_gen.recipes.msr.stages.provenance import Describer
from cloze_gen.recipes.msr.steps.balanced_choice import choose_balanced
from cloze_gen.recipes.msr.steps.choice import ChoiceReason, ChoiceSettings, Chosen, FitItem, ScoredItem, choose_randomly, draw_four
from cloze_gen.recipes.msr.steps.impostor_draws import offered_draws
from cloze_gen.recipes.msr.steps.matched_choice import MatchedFacts, choose_matched
from cloze_gen.recipes.msr.steps.propensity import Each
from cloze_gen.recipes.questions.assemble import deal_positions
from cloze_gen.recipes.questions.fewshot import draw_examples
from cloze_gen.recipes.questions.printed_once import PRINTED_BEFORE, printed_before
from cloze_gen.records.rejection import Rejection
from cloze_gen.records.sentence import Sentence
from cloze_gen.stages.room import Room
from cloze_gen.stages.tables import CANDIDATES, FEWSHOT, QUESTIONS, REJECTED, rejection_columns
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, funnel
from cloze_gen.store.tables import write_jsonl, write_parquet


def write_choice(
    writer: ArtifactWriter, room: Room, *, counts: Artifact, focus: Artifact, screening: Artifact, forward: Artifact, grooming: Artifact,
    settings: ChoiceSettings, seed: int,
) -> None:  # fmt: skip
    """Choose the set and write it.

    Files: `questions.jsonl`, the questions with source and option scores; `candidates.jsonl`, the retained candidates of each with their
    verdicts, for human groomers; `fewshot.jsonl`, the records of a few questions that could have been chosen, none of a chosen sentence;
    `rejected.parquet`, every other focus word in a fit sentence: `id`, `reason`, `detail`.

    Raises:
        CorpusError: no focus word has enough fit candidates, or none of those that have offers a four.
    """
    tables = read_choice_tables(counts=counts, focus=focus, screening=screening, forward=forward, grooming=grooming)
    scored = scored_items(tables, same_vocabulary=settings.same_vocabulary)
    asked, printed = _printed_once(scored, tables.sentences, settings)
    verdicts, left, four_of = _choose(asked, settings, seed, room.engine.map)
    chosen = [verdict for verdict in verdicts if isinstance(verdict, Chosen)]
    rejected = [verdict for verdict in verdicts if isinstance(verdict, Rejection)] + printed
    if not chosen:
        raise CorpusError(_nothing_chosen(len(scored), rejected, settings))
    ids = [choice.id for choice in chosen]
    spare = [rejection.id for rejection in rejected if rejection.reason == ChoiceReason.BEYOND_N]
    items, shown = {one.item.id: one.item for one in asked}, draw_examples(spare, published=ids, seed=seed)
    describe = Describer(tables, [*ids, *shown])
    for file, some in ((QUESTIONS, chosen), (FEWSHOT, [Chosen(item, four_of(items[item])) for item in shown])):
        positions = deal_positions([one.id for one in some], n_options=settings.n_impostors + 1, seed=seed)
        writer.rows[file] = write_jsonl(writer.path(file), [describe.question(one, positions[one.id], seed) for one in some])
    writer.rows[CANDIDATES] = write_jsonl(writer.path(CANDIDATES), map(describe.candidates, ids))
    writer.rows[REJECTED] = write_parquet(writer.path(REJECTED), rejection_columns(rejected))
    reasons = Counter(str(rejection.reason) for rejection in rejected)
    writer.funnel = funnel("focus words", kept=len(chosen), rejected=reasons)
    writer.facts |= {"wanted": settings.n_questions, **choice_facts(left)}
    short = "" if len(chosen) == settings.n_questions else f" ({settings.n_questions:,} were wanted; the funnel says where the rest went)"
    room.say(f"{len(chosen):,} questions{short}")
    for line in told_of_choice(left, chance=1 / (settings.n_impostors + 1)) if settings.method != "random" else ():
        room.say(line)


def _nothing_chosen(groomed: int, rejected: Sequence[Rejection], settings: ChoiceSettings) -> str:
    without = sum(rejection.reason == ChoiceReason.NO_FOUR for rejection in rejected)
    if not without:
        said = f"none of {groomed:,} groomed focus words has {settings.n_impostors} fit candidates. Give more books, or relax"
    else:
        said = (
            f"of {groomed:,} groomed focus words {without:,} have {settings.n_impostors} fit candidates, and none of these a four that is "
            f"clear and worth a thought. Give more books, raise choice.max_ambiguity = {settings.max_ambiguity:g} or "
            f"choice.max_triviality = {settings.max_triviality:g}, or relax"
        )
    return f"no question can be made: {said} the settings of [grooming] and [choice] (cloze-gen settings STYLE lists them)."


def _choose(
    items: Sequence[ScoredItem], settings: ChoiceSettings, seed: int, each: Each
) -> tuple[list[Chosen | Rejection], MatchedFacts, Callable[[FitItem], tuple[str, ...]]]:
    """A verdict for each item, what the choice leaves, and the impostors that an item has which was not chosen and could have been."""
    if settings.method == "random":
        found = choose_randomly([one.item for one in items], settings=settings, seed=seed)
        return found, MatchedFacts(), lambda item: draw_four(item, settings, seed)
    offered = offered_draws(items, settings=settings, seed=seed)
    if settings.method == "matched":
        found, facts = choose_matched(items, offered, settings=settings, seed=seed, each=each)
    else:
        found, shares = choose_balanced(items, offered, settings=settings, seed=seed)
        facts = MatchedFacts(shares=shares)
    return found, facts, lambda item: tuple(item.candidates[place] for place in offered[item.id][0].tolist())


def _printed_once(
    scored: Sequence[ScoredItem], sentences: Mapping[str, Sentence], settings: ChoiceSettings
) -> tuple[list[ScoredItem], list[Rejection]]:
    """The items that the choice may look at, and those whose sentence is printed as an earlier one that can be asked."""
    able = {one.item.id: one.item.sentence_id for one in scored if len(one.item.candidates) >= settings.n_impostors}
    earlier = printed_before((sentence_id, [sentences[sentence_id].tokens]) for sentence_id in sorted(set(able.values())))
    again = {item_id: earlier[sentence_id] for item_id, sentence_id in able.items() if sentence_id in earlier}
    rejected = [Rejection(item_id, PRINTED_BEFORE, first) for item_id, first in again.items()]
    return [one for one in scored if one.item.id not in again], rejected
