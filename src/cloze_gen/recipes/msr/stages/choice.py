"""The chosen questions as an artifact: with full provenance, scores and the reasons of every focus word not chosen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from cloze_gen.errors import CorpusError
from cloze_gen.formats.jsonl import question_record, source_record
from cloze_gen.recipes.msr.stages.items import part_paths
from cloze_gen.recipes.msr.stages.tables import ANSWERS, CANDIDATES, DECISIONS, FIT, GROOMED, SCORED, SCREENED
from cloze_gen.recipes.msr.steps.balanced_choice import ScoredItem, choose_balanced
from cloze_gen.recipes.msr.steps.choice import ChoiceSettings, Chosen, FitItem, choose_randomly
from cloze_gen.recipes.questions.assemble import assemble_question, deal_positions
from cloze_gen.recipes.questions.printed_once import PRINTED_BEFORE, printed_before
from cloze_gen.records.rejection import Rejection
from cloze_gen.records.sentence import Sentence
from cloze_gen.stages.corpus.counts import read_counts
from cloze_gen.stages.room import Room
from cloze_gen.stages.tables import FOCUS, QUESTIONS, REJECTED, read_source_sentences, rejection_columns
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, funnel
from cloze_gen.store.tables import read_parquet, write_jsonl, write_parquet
from cloze_gen.text.rendering import rendered_positions, rendered_tokens

_NOTABLE_LEAK = 0.05  # of a balanced score's highest or lowest share from chance: said at the end of the choice
_SCORES = ("history_log10_prob", "forward_log10_prob", "sentence_log10_prob")


@dataclass(frozen=True, slots=True)
class ChoiceInputs:
    """The artifacts that the choice looks at."""

    counts: Artifact
    focus: Artifact
    screening: Artifact
    forward: Artifact
    grooming: Artifact


def read_candidates(inputs: ChoiceInputs, *, verdicts: Mapping[str, str]) -> pd.DataFrame:
    """Every retained candidate of the items in `verdicts`, with scores and grooming decision; best forward score first within an item."""
    frames = []
    for scored, decided in zip(part_paths(inputs.forward, SCORED), part_paths(inputs.grooming, DECISIONS), strict=True):
        candidates = read_parquet(scored)
        candidates = candidates.filter(candidates["kept"]).drop_columns(["kept"]).to_pandas()
        decisions = read_parquet(decided).to_pandas()
        frames.append(candidates.astype({"id": str, "word": str}).merge(decisions.astype({"id": str, "word": str}), on=["id", "word"]))
    table = pd.concat(frames, ignore_index=True)
    return table[table["id"].isin(set(verdicts))].sort_values(["id", "forward_rank"], kind="stable", ignore_index=True)


def write_choice(writer: ArtifactWriter, room: Room, *, inputs: ChoiceInputs, settings: ChoiceSettings, seed: int) -> None:
    """Choose the set and write its questions, the candidates of each for human groomers, and every rejection."""
    focus = read_parquet(inputs.focus.path(FOCUS)).to_pandas().set_index("id")
    groomed = read_parquet(inputs.grooming.path(GROOMED)).to_pandas()
    fit_items = groomed[groomed["verdict"] == FIT].set_index("id")
    candidates = read_candidates(inputs, verdicts=dict.fromkeys(fit_items.index, FIT))
    fit = candidates[candidates["verdict"] == FIT]
    if settings.same_vocabulary:  # else a word foreign to the source books gives an impostor away
        fit = fit[fit["word"].isin(set(focus["word"]))]
    scored = _scored_items(inputs, focus, list(fit_items.index), fit)
    sentences = read_source_sentences(inputs.focus)
    asked, printed = _printed_once(scored, sentences, settings)
    shares: dict[str, float] = {}
    if settings.method == "balanced":
        verdicts, shares = choose_balanced(asked, settings=settings, seed=seed)
    else:
        verdicts = choose_randomly([one.item for one in asked], settings=settings, seed=seed)
    chosen = [verdict for verdict in verdicts if isinstance(verdict, Chosen)]
    rejected = [verdict for verdict in verdicts if isinstance(verdict, Rejection)] + printed
    if not chosen:
        raise CorpusError(
            f"no question can be made: none of {len(scored):,} groomed focus words has {settings.n_impostors} fit candidates. "
            "Give more books, or relax the settings of [grooming] and [choice] (cloze-gen settings STYLE lists them)."
        )
    chance = 1 / (settings.n_impostors + 1)
    positions = deal_positions([choice.id for choice in chosen], n_options=settings.n_impostors + 1, seed=seed)
    describe = _Describer(inputs, sentences, focus, candidates[candidates["id"].isin({c.id for c in chosen})], groomed.set_index("id"))
    records = [describe.question(choice, positions[choice.id], seed) for choice in chosen]
    writer.rows[QUESTIONS] = write_jsonl(writer.path(QUESTIONS), records)
    writer.rows[CANDIDATES] = write_jsonl(writer.path(CANDIDATES), (describe.candidates(choice.id) for choice in chosen))
    writer.rows[REJECTED] = write_parquet(writer.path(REJECTED), rejection_columns(rejected))
    reasons = Counter(str(rejection.reason) for rejection in rejected)
    writer.funnel = funnel("focus words", kept=len(chosen), rejected=reasons)
    writer.facts |= {"wanted": settings.n_questions, "answer_shares": shares}
    short = "" if len(chosen) == settings.n_questions else f" ({settings.n_questions:,} were wanted; the funnel says where the rest went)"
    room.say(f"{len(chosen):,} questions{short}")
    name, share = max(shares.items(), key=lambda pair: abs(pair[1] - chance), default=("", chance))
    if abs(share - chance) > _NOTABLE_LEAK:
        room.say(f"{name} in {share:.0%} of the questions, chance is {chance:.0%}: too few groomed sentences to level it (docs/balance.md)")


def _scored_items(inputs: ChoiceInputs, focus: pd.DataFrame, ids: list[str], fit: pd.DataFrame) -> list[ScoredItem]:
    """Every fit item with the balanced scores of its answer and its fit candidates."""
    freq = _freq_of(inputs)
    screening = read_parquet(inputs.screening.path(SCREENED)).to_pandas().set_index("id")["answer_log10_prob"]
    forward = read_parquet(inputs.forward.path(ANSWERS)).to_pandas().set_index("id")
    words = fit["word"].to_numpy()
    columns = np.column_stack([fit[list(_SCORES)].to_numpy(np.float64), [freq[word] for word in words], [len(word) for word in words]])
    rows = fit.groupby("id", sort=False).indices
    answers = pd.DataFrame({"history": screening, "forward": forward["forward_log10_prob"], "sentence": forward["sentence_log10_prob"]})
    answer_scores = dict(zip(answers.index, answers.to_numpy(np.float64), strict=True))
    about = focus.loc[ids, ["sentence_id", "word"]].to_numpy()
    items = []
    for item_id, (sentence_id, answer) in zip(ids, about, strict=True):
        place = rows.get(item_id, np.zeros(0, np.int64))
        own = np.append(answer_scores[item_id], [freq[answer], len(answer)])
        item = FitItem(item_id, sentence_id, answer, tuple(words[place]))
        items.append(ScoredItem(item, np.vstack([own, columns[place]])))
    return items


def _printed_once(
    scored: Sequence[ScoredItem], sentences: Mapping[str, Sentence], settings: ChoiceSettings
) -> tuple[list[ScoredItem], list[Rejection]]:
    """The items that the choice may look at, and those whose sentence is printed as an earlier one that can be asked."""
    able = {one.item.id: one.item.sentence_id for one in scored if len(one.item.candidates) >= settings.n_impostors}
    earlier = printed_before((sentence_id, sentences[sentence_id].tokens) for sentence_id in sorted(set(able.values())))
    again = {item_id: earlier[sentence_id] for item_id, sentence_id in able.items() if sentence_id in earlier}
    rejected = [Rejection(item_id, PRINTED_BEFORE, first) for item_id, first in again.items()]
    return [one for one in scored if one.item.id not in again], rejected


def _freq_of(inputs: ChoiceInputs) -> dict[str, float]:
    table = read_counts(inputs.counts)
    return dict(zip(table.words, table.freq.tolist(), strict=True))


class _Describer:
    """Spells out one question: where it came from and what every option scored."""

    def __init__(
        self,
        inputs: ChoiceInputs,
        sentences: Mapping[str, Sentence],
        focus: pd.DataFrame,
        candidates: pd.DataFrame,
        groomed: pd.DataFrame,
    ) -> None:
        self._sentences = sentences
        self._focus = focus
        self._groomed = groomed
        self._candidates = {item_id: rows.set_index("word") for item_id, rows in candidates.groupby("id", sort=False)}
        self._screening = read_parquet(inputs.screening.path(SCREENED)).to_pandas().set_index("id")
        self._forward = read_parquet(inputs.forward.path(ANSWERS)).to_pandas().set_index("id")
        table = read_counts(inputs.counts)
        self._counts = dict(zip(table.words, zip(table.count.tolist(), table.freq.tolist(), strict=True), strict=True))

    def question(self, choice: Chosen, answer_index: int, seed: int) -> dict[str, Any]:
        sentence, position = self._sentence(choice.id)
        printed = rendered_positions(sentence.tokens)
        question = assemble_question(
            choice.id,
            book_id=sentence.book_id,
            tokens=rendered_tokens(sentence.tokens),
            position=printed.index(position),
            impostors=choice.impostors,
            answer_index=answer_index,
            seed=seed,
        )
        row = self._focus.loc[choice.id]
        return question_record(
            question,
            source=source_record(sentence, position),
            history=[row["history1"], row["history2"]],
            next_token=row["next_token"],
            answer_tag=self._groomed.at[choice.id, "answer_tag"],
            answer_rank=int(self._screening.at[choice.id, "answer_rank"]),
            answer_forward_rank=int(self._forward.at[choice.id, "forward_rank"]),
            option_scores=[self._scores(choice.id, word, word == question.answer) for word in question.options],
        )

    def _sentence(self, item_id: str) -> tuple[Sentence, int]:
        sentence_id, _, position = item_id.rpartition(":")
        return self._sentences[sentence_id], int(position)

    def _scores(self, item_id: str, word: str, is_answer: bool) -> dict[str, Any]:
        count, freq = self._counts[word]
        values: Sequence[Any]
        if is_answer:
            answer = self._forward.loc[item_id]
            values = (self._screening.at[item_id, "answer_log10_prob"], answer["forward_log10_prob"], answer["sentence_log10_prob"])
        else:
            values = [self._candidates[item_id].at[word, name] for name in _SCORES]
        scores = {name: round(float(value), 5) for name, value in zip(_SCORES, values, strict=True)}
        return {"word": word, "count": count, "freq": freq} | scores

    def candidates(self, item_id: str) -> dict[str, Any]:
        sentence, position = self._sentence(item_id)
        rows = self._candidates[item_id]
        listed = [
            {
                "word": word,
                "verdict": row["verdict"],
                "tag": row["tag"],
                "forward_rank": int(row["forward_rank"]),
                "similarity": round(float(row["similarity"]), 4),
                "topicality": round(float(row["topicality"]), 4),
            }
            | {name: round(float(row[name]), 5) for name in _SCORES}
            for word, row in rows.to_dict(orient="index").items()
        ]
        return {"id": item_id, "text": sentence.text, "answer": sentence.tokens[position], "candidates": listed}
