"""A chosen question told in full: where it came from, what every option scored, and its candidates for human groomers."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from cloze_gen.formats.jsonl import question_record, source_record
from cloze_gen.recipes.msr.stages.choice_tables import ChoiceTables
from cloze_gen.recipes.msr.stages.tables import FORWARD_SCORE, MEASURES, SCORES, SENTENCE_SCORE
from cloze_gen.recipes.msr.steps.choice import Chosen
from cloze_gen.recipes.questions.assemble import assemble_question
from cloze_gen.records.sentence import Sentence
from cloze_gen.text.rendering import rendered_positions, rendered_tokens


class Describer:
    """Spells out the chosen questions."""

    def __init__(self, tables: ChoiceTables, chosen: Collection[str]) -> None:
        self._tables = tables
        candidates = tables.candidates[tables.candidates["id"].isin(set(chosen))]
        self._candidates = {item_id: rows.set_index("word") for item_id, rows in candidates.groupby("id", sort=False)}
        counts = tables.counts
        self._counts = dict(zip(counts.words, zip(counts.count.tolist(), counts.freq.tolist(), strict=True), strict=True))

    def question(self, choice: Chosen, answer_index: int, seed: int) -> dict[str, Any]:
        """The question's record: the printed question, its source, and every option's counts and log10 scores."""
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
        tables = self._tables
        focus, screened, answer = (table.loc[choice.id].to_dict() for table in (tables.focus, tables.screened, tables.answers))
        return question_record(
            question,
            source=source_record(sentence, position),
            history=[focus["history1"], focus["history2"]],
            next_token=focus["next_token"],
            answer_tag=tables.groomed.at[choice.id, "answer_tag"],
            answer_rank=int(screened["answer_rank"]),
            answer_forward_rank=int(answer["forward_rank"]),
            option_scores=[self._scores(choice.id, word, word == question.answer) for word in question.options],
        )

    def _sentence(self, item_id: str) -> tuple[Sentence, int]:
        sentence_id, _, position = item_id.rpartition(":")
        return self._tables.sentences[sentence_id], int(position)

    def _scores(self, item_id: str, word: str, is_answer: bool) -> dict[str, Any]:
        count, freq = self._counts[word]
        values: Sequence[Any]
        if is_answer:
            own = self._tables.answers.loc[item_id]
            values = (self._tables.screened.at[item_id, "answer_log10_prob"], own[FORWARD_SCORE], own[SENTENCE_SCORE])
        else:
            values = [self._candidates[item_id].at[word, name] for name in SCORES]
        scores = {name: round(float(value), 5) for name, value in zip(SCORES, values, strict=True)}
        return {"word": word, "count": count, "freq": freq} | scores

    def candidates(self, item_id: str) -> dict[str, Any]:
        """Its retained candidates with verdict and measures (None of one that fell before they were taken), for human groomers."""
        sentence, position = self._sentence(item_id)
        rows = self._candidates[item_id]
        listed = [
            {
                "word": word,
                "verdict": row["verdict"],
                "tag": row["tag"],
                "forward_rank": int(row["forward_rank"]),
            }
            | {name: None if np.isnan(row[name]) else round(float(row[name]), 4) for name in MEASURES}
            | {name: round(float(row[name]), 5) for name in SCORES}
            for word, row in rows.to_dict(orient="index").items()
        ]
        return {"id": item_id, "text": sentence.text, "answer": sentence.tokens[position], "candidates": listed}
