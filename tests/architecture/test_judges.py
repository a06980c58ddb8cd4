"""Who judges and reports knows nothing of what the choice and the grooming went by."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture.conftest import House, built

# What grooming knows of words, whoever tells it; a judge that read it would find what was groomed by it good.
KNOWN_OF_WORDS = ("stages.models.contexts", "stages.models.builtin_words", "stats.word_knowledge", "stats.packed_space")
JUDGES = ("evaluate", "stages.evaluation", "formats", "report")


def judges_that_peep(house: House) -> list[str]:
    """Judges that import, themselves or through others, what grooming knows of words."""
    wrong = []
    for source in house:
        if any(source.name == judge or source.name.startswith(f"{judge}.") for judge in JUDGES):
            wrong += [f"{source.name}: {found}" for found in sorted(set(_reached(house, source.name)) & set(KNOWN_OF_WORDS))]
    return wrong


def _reached(house: House, name: str) -> Iterator[str]:
    """Every file of ours that one imports, itself or through others."""
    seen, waiting = {name}, [name]
    while waiting:
        for found in house.arrows[waiting.pop()]:
            if found not in seen and found in house.arrows:
                seen.add(found)
                waiting.append(found)
                yield found


def test_no_judge_reads_what_grooming_knows(house: House) -> None:
    """Neither the measures nor the stages that evaluate, nor what prints their results."""
    wrong = judges_that_peep(house)
    assert not wrong, "\n".join(wrong)
    assert set(KNOWN_OF_WORDS) <= set(house.arrows)


@pytest.mark.parametrize("peeping", ["evaluate/words/peeping.py", "stats/peeping.py"])
def test_a_judge_that_peeps_is_found(tmp_path: Path, peeping: str) -> None:
    """Whether it looks itself or has another look."""
    files = {
        peeping: "from cloze_gen.stats.word_knowledge import MixedKnowledge\n\nprint(MixedKnowledge)\n",
        "evaluate/words/asking.py": f"import cloze_gen.{peeping.removesuffix('.py').replace('/', '.')}\n",
        "stats/word_knowledge.py": "class MixedKnowledge:\n    pass\n",
    }
    assert "evaluate.words.asking: stats.word_knowledge" in judges_that_peep(built(tmp_path, files))
