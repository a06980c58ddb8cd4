"""The files of the stages of SCS-style. A class is noun, verb, adjective, adverb, proper_noun or function; a tag is a Penn tag."""

from __future__ import annotations

from cloze_gen.corpus.artifacts import HYPHENS, SENTENCE_COLUMNS
from cloze_gen.recipes.common import fewshot_file, questions_file
from cloze_gen.store.file_docs import FileDoc, StageDoc, rejected_file

_FREQS = {
    "count": "int64: tokens of the word in the training books",
    "freq": "double: `freq` of `counts.tsv`",
}

STAGES = {
    "vocabulary": StageDoc(
        "Selects the content vocabulary: pairs of lemma and class.",
        (
            FileDoc(
                "vocabulary.tsv",
                "The pairs, the most frequent first.",
                {
                    "lemma": "text: lemma",
                    "class": "text: class of the word",
                    "count": "int: tokens",
                    "freq": "float: share of the word tokens",
                    "class_share": "float: share of the lemma's tokens that have this class",
                },
            ),
        ),
    ),
    "inflections": StageDoc(
        "Finds a form for each lemma of the vocabulary and each tag.",
        (
            FileDoc(
                "inflections.tsv",
                "One row a lemma and tag.",
                {
                    "lemma": "text: lemma",
                    "class": "text: class of the word",
                    "tag": "text: Penn tag",
                    "form": "text: the form; empty if the lemma has none",
                    "count": "int: tokens of the form with this tag",
                    "class_share": "float: share of the form's tokens that have this class",
                    "source": "text: `lemma` (the form is the lemma) or `lemminflect`",
                    "status": "text: `used`, or the reason why the form is not used",
                    "trait": "text: what else must agree: `count` or `mass` for nouns, `ly` or `plain` for adverbs",
                    "cells": "text: all tags that this form has for the lemma, joined by `+`",
                },
                example="say\tverb\tVBD\tsaid\t154\t1\tlemminflect\tused\t\tVBD+VBN",
            ),
        ),
    ),
    "sentences": StageDoc(
        "Selects suitable sentences of the source books.",
        (
            FileDoc(
                "sentences.parquet",
                "The kept sentences. Words that a line end breaks are joined.",
                {**SENTENCE_COLUMNS, "tags": "string: Penn tags joined by single spaces"},
            ),
            HYPHENS,
            rejected_file("The rejected sentences."),
        ),
    ),
    "places": StageDoc(
        "Counts how often each content word occurs in each kind of place.",
        (
            FileDoc(
                "places.parquet",
                "One row a word and kind of place.",
                {
                    "row": "int32: row of the pair in `vocabulary.tsv`, from 0",
                    "use": "int32: of a verb 0 active, 1 passive, 2 attributive; of a noun 0 NN, 1 NNS",
                    "left": "int32: kind of the tokens before (`recipes/scs/places.py`)",
                    "right": "int32: kind of the tokens after",
                    "count": "int64: tokens",
                },
            ),
        ),
    ),
    "focus": StageDoc(
        "Draws the order in which the words of a sentence are tried as the blank.",
        (
            FileDoc(
                "focus.parquet",
                "One row a word that may be the blank; the words of a sentence are in the order in which they are tried.",
                {
                    "id": "string: id of the item",
                    "sentence_id": "string: id of the sentence",
                    "position": "int16: index among the sentence's own tokens",
                    "word": "string: the focus word",
                    "lemma": "string: its lemma",
                    "class": "string: its class",
                    "tag": "string: its Penn tag",
                    "trait": "string: as in `inflections.tsv`",
                    "cells": "string: as in `inflections.tsv`",
                    "place": "string: kinds before and after; `verb 0 subject _ noun+end` is an active verb with subject and object",
                    "lemma_freq": "double: share of the (lemma, class) pair in the word tokens",
                    "eligible": "int16: words of the sentence that could be drawn, this one included",
                    **_FREQS,
                },
                example='{"id": "the-clockmakers-debt:53:8", "sentence_id": "the-clockmakers-debt:53", "position": 8, '
                '"word": "unfolded", "lemma": "unfold", "class": "verb", "tag": "VBD", "trait": "", "cells": "VBD+VBN", '
                '"place": "verb 0 end _ noun+end", "lemma_freq": 0.00023488, "eligible": 3, "count": 10, "freq": 0.0002348796241926013}',
            ),
            FileDoc("sentences.parquet", "The sentences with such a word.", SENTENCE_COLUMNS),
            rejected_file("The sentences without one."),
        ),
        {"candidates_funnel": "pairs of the vocabulary within the limits of frequency", "classes": "focus words of each class"},
    ),
    "impostors": StageDoc(
        "Draws four impostors for each focus word.",
        (
            FileDoc(
                "impostors.parquet",
                "Four rows for one focus word of each sentence, in the order of the draw.",
                {
                    "id": "string: id of the item",
                    "word": "string: the impostor",
                    "lemma": "string: its lemma",
                    "tag": "string: its Penn tag",
                    "tag_count": "int64: tokens of the word with this tag",
                    "source": "string: as in `inflections.tsv`",
                    "lemma_freq": "double: share of the (lemma, class) pair in the word tokens",
                    **_FREQS,
                },
                example='{"id": "the-clockmakers-debt:53:8", "word": "wiped", "lemma": "wipe", "tag": "VBD", "tag_count": 8, '
                '"source": "lemminflect", "lemma_freq": 0.000281856, "count": 9, "freq": 0.00021139166177334116}',
            ),
            rejected_file("The other focus words."),
        ),
        {"candidates_funnel": "words that were drawn, and why some were refused", "forms_within_limits": "forms that may be impostors"},
    ),
    "screen": StageDoc(
        "Drops questions in which readers would probably find a second answer. Only if the screen is on.",
        (
            FileDoc(
                "screen.parquet",
                "One row a drawn question.",
                {
                    "id": "string: id of the item",
                    "ambiguity": "float: expected share of readers who find that an impostor fits as well",
                    "kept": "bool: whether the question passes",
                },
            ),
            rejected_file("The questions that do not pass."),
        ),
    ),
    "questions": StageDoc(
        "Chooses the questions of the set.",
        (
            questions_file(without=("history", "next_token", "answer_rank", "answer_forward_rank")),
            fewshot_file("At most eight of the items beyond the last question, for few-shot prompts. The columns are those of the questions."),
            rejected_file("The items that became no question."),
        ),
        {"wanted": "number of questions wanted"},
    ),
}  # fmt: skip

PUBLISHED_FILES = {
    "SCS_N_lm_questions.txt": "the sentences of N questions in the paper's language-model format.",
    "SCS_N_machine_questions.txt": "the questions in the machine format of the MSR challenge.",
    "SCS_N_machine_answers.txt": "the correct lines.",
    "SCS_N_randex_A.txt": "random examples for annotators, first half.",
    "SCS_N_randex_B.txt": "random examples for annotators, second half.",
}  # fmt: skip
