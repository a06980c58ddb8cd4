"""The files of the stages of SCS-style. A class is noun, verb, adjective or adverb; a tag is a Penn tag."""

from __future__ import annotations

from cloze_gen.corpus.artifacts import HYPHENS
from cloze_gen.recipes.common import fewshot_file, questions_file
from cloze_gen.recipes.scs.draw import DRAWN
from cloze_gen.recipes.scs.inflections import INFLECTIONS
from cloze_gen.recipes.scs.place_counts import PLACES
from cloze_gen.recipes.scs.sentences import TAGGED_SENTENCES
from cloze_gen.recipes.scs.vocabulary import VOCABULARY
from cloze_gen.recipes.tables import REJECTIONS
from cloze_gen.store.file_docs import StageDoc

STAGES = {
    "vocabulary": StageDoc(
        "Selects the content vocabulary: pairs of lemma and class.", (VOCABULARY.doc,)
    ),
    "inflections": StageDoc(
        "Finds a form for each lemma of the vocabulary and each tag.", (INFLECTIONS.doc,)
    ),
    "sentences": StageDoc(
        "Selects suitable sentences of the source books.",
        (TAGGED_SENTENCES.doc, HYPHENS, REJECTIONS.described("The rejected sentences.")),
    ),
    "places": StageDoc(
        "Counts how often each content word occurs in each kind of place.", (PLACES.doc,)
    ),
    "draw": StageDoc(
        "Draws a focus word of each sentence and four impostors. Drops questions in which readers "
        "would probably find a second answer.",
        (
            DRAWN.doc,
            REJECTIONS.described(
                "Sentences without a focus word, other words of a sentence, and questions that do "
                "not pass the screen."
            ),
        ),
    ),
    "questions": StageDoc(
        "Chooses the questions of the set.",
        (
            questions_file(without=("history", "next_token", "answer_rank", "answer_forward_rank")),
            fewshot_file(
                "At most eight of the items beyond the last question, for few-shot prompts. The "
                "columns are those of the questions."
            ),
            REJECTIONS.described("The items that became no question."),
        ),
        {"wanted": "number of questions wanted"},
    ),
}

FILE_DOCS = {
    "SCS_{n}_lm_questions.txt": "the sentences of the questions in the paper's language-model format.",
    "SCS_{n}_machine_questions.txt": "the questions in the machine format of the MSR challenge.",
    "SCS_{n}_machine_answers.txt": "the correct lines.",
    "SCS_{n}_randex_A.txt": "random examples for annotators, first half.",
    "SCS_{n}_randex_B.txt": "random examples for annotators, second half.",
}
