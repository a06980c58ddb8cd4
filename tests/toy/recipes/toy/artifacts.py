"""The files of the stages of the toy."""

from cloze_gen.recipes.tables import REJECTIONS, SENTENCES
from cloze_gen.recipes.toy.focus import FOCUS_WORDS
from cloze_gen.store.file_docs import StageDoc

STAGES = {
    "focus": StageDoc(
        "Finds the longest word of each sentence.",
        (FOCUS_WORDS.doc, SENTENCES.doc, REJECTIONS.described("The other sentences.")),
    ),
    "questions": StageDoc("Adds the options.", (REJECTIONS.described("None."),)),
}
