"""The toy dataset: books -> longest words -> questions."""

from __future__ import annotations

from cloze_gen.pipelines.books import BookSettings, corpora
from cloze_gen.recipes.toy.artifacts import STAGES
from cloze_gen.recipes.toy.focus import FocusSettings, write_focus
from cloze_gen.recipes.toy.questions import write_questions
from cloze_gen.recipes.toy.release import toy_files
from cloze_gen.release.items.questions import QUESTION_ITEMS
from cloze_gen.release.settings import OrderedReleaseSettings
from cloze_gen.release.style import Style


class ToySettings(BookSettings):
    """All settings of the style."""

    focus: FocusSettings = FocusSettings()
    release: OrderedReleaseSettings = OrderedReleaseSettings()


def stages(run, books, s):
    """The longest word of every sentence, and options around it."""
    source = corpora(run, books, s)["books"]
    focus = run.stage("focus", write_focus, source=source, settings=s.focus)
    run.stage("questions", write_questions, focus=focus, seed=run.seed)


STYLE = Style(
    name="toy-style",
    title="Toy-style",
    paper="No paper.",
    settings=ToySettings,
    sample_config="toy-style",
    sides=("books",),
    items=QUESTION_ITEMS,
    stages=stages,
    last="questions",
    files=toy_files,
    stage_docs=STAGES,
)
