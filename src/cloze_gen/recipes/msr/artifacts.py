"""The files of the stages of Holmes-style."""

from __future__ import annotations

from cloze_gen.corpus.artifacts import HYPHENS
from cloze_gen.recipes.common import fewshot_file, questions_file
from cloze_gen.recipes.msr.alternates import ALTERNATES
from cloze_gen.recipes.msr.focus import FOCUS_WORDS
from cloze_gen.recipes.msr.forward import SCORED, SCORED_ITEMS
from cloze_gen.recipes.msr.grooming.candidates import DECISIONS, GROOMED_ITEMS
from cloze_gen.recipes.tables import REJECTIONS, SENTENCES
from cloze_gen.store.file_docs import FileDoc, StageDoc

_CHOICE_FILES = (
    questions_file(
        without=("answer_class",),
        example='{"id": "the-lost-luggage-of-penny-cross:70:2", "book_id": "the-lost-luggage-of-penny-cross", "tokens": ["Then", '
        '"..."], "position": 2, "options": ["examined", "broke", "closed", "fastened", "observed"], "answer_index": 1, '
        '"answer": "broke", ...}',
    ),
    fewshot_file(
        "At most eight further questions of other sentences, for few-shot prompts. The columns are those of the questions."
    ),
    FileDoc(
        "candidates.jsonl",
        "All retained candidates of each question, for human groomers.",
        {
            "id": "string: id of the item",
            "text": "string: the sentence",
            "answer": "string: the answer",
            "candidates": "list of object: `word`, `verdict`, `tag`, the five measures of grooming (null if not measured), the "
            "three scores and `forward_rank`",
        },
    ),
    REJECTIONS.described(
        "Suitable focus words that became no question. `detail` is the chosen item of the sentence, the sentence that is printed "
        "alike, or a number.",
        '{"id": "the-clockmakers-debt:51:15", "reason": "other_target_chosen", "detail": "the-clockmakers-debt:51:9"}',
    ),
)
STAGES = {
    "focus": StageDoc(
        "Finds the infrequent words of the source sentences, which may become blanks.",
        (
            FOCUS_WORDS.doc,
            SENTENCES.described(
                "The sentences with a focus word. Words that a line end breaks are joined."
            ),
            HYPHENS,
            REJECTIONS.described(
                "The rejected sentences and words; `detail` is the word.",
                '{"id": "the-clockmakers-debt:4:3", "reason": "word_not_eligible", "detail": "engraver"}',
            ),
        ),
    ),
    "alternates": StageDoc(
        "Draws rare words for each focus word from the n-gram model.",
        (ALTERNATES.doc,),
    ),
    "forward": StageDoc(
        "Rejects focus words that score best among their alternates. Scores how well the token after the blank follows each "
        "alternate of the others, and keeps the best.",
        (SCORED.doc, SCORED_ITEMS.doc),
    ),
    "grooming": StageDoc(
        "Checks each retained candidate and each sentence.",
        (DECISIONS.doc, GROOMED_ITEMS.doc),
        {
            "candidates_funnel": "verdicts on the candidates",
            "people": "if people groomed: who, as on the card",
        },
    ),
    "choice": StageDoc(
        "Chooses four impostors for each question, one focus word a sentence, and the questions of the set.",
        _CHOICE_FILES,
        {
            "leak": "matched choice: `check`, the share of answers that a classifier of scores finds on folds that did not choose the set, "
            "its standard `error`, `max_leak`, and the `rounds` of the search; null if there were too few sentences",
            "wanted": "number of questions wanted",
            "read": "questions that readers read before the choice, if any (`choice.verdicts`)",
            "read_by": "who read them: people, and models by name",
            "left": "those that the readers' marks do not exclude",
        },
    ),
}  # fmt: skip

FILE_DOCS = {
    "{name}.machine_format.questions.txt": "five lines a question: number, letter, `) `, the sentence with the option in brackets.",
    "{name}.machine_format.answers.txt": "the correct one of these lines, unchanged.",
    "{name}.human_format.questions.txt": "eight lines a question: the sentence with `_____`, five options after a tab, two empty lines.",
    "{name}.human_format.answers.txt": "number, letter in brackets, answer. `5) [d] patience`",
    "{name}.lm_format.questions.txt": "five sentences a question between `<s>` and `</s>`; each line ends in a space.",
    "{name}.lm_format.answers.txt": "the correct sentence, without that space.",
}  # fmt: skip
