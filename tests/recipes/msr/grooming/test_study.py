"""Grooming by people: the items of a study."""

from collections import Counter

import pytest

from cloze_gen.adapters.spacy_tagger import tagger_identity
from cloze_gen.english.sentence_fitness import printed_fault
from cloze_gen.formats.printed_tokens import rendered_positions, rendered_tokens
from cloze_gen.formats.questions import as_printed
from cloze_gen.judging.state import StudySettings
from cloze_gen.recipes.msr.grooming.people import draw
from cloze_gen.recipes.tables import read_source_sentences
from cloze_gen.records.sentence import sentence_of
from cloze_gen.store.runs import stage_artifact
from cloze_gen.store.tables import read_parquet


def ranks(run, items):
    """The answer's forward rank, as a share of what it is ranked among."""
    rows = read_parquet(stage_artifact(run.folder, "forward").path("items.parquet")).to_pylist()
    of = {row["id"]: row for row in rows}
    return ((of[item.id]["forward_rank"] - 1) / (1 + of[item.id]["alternates"]) for item in items)


def test_an_item_is_a_sentence_of_a_book(finished):
    """One sentence of one book; eighty candidates, the answer not among them; nothing is a key."""
    for item in draw(finished.folder, StudySettings(pool=12)):
        assert set(item.shown) == {"before", "answer", "after", "candidates"}
        assert len(item.shown["candidates"]) == len(set(item.shown["candidates"])) == 80
        assert item.shown["answer"] not in item.shown["candidates"]
        assert item.key == {}
        ((book, start, end),) = item.spans
        assert item.id.startswith(f"{book}:")
        assert start < end


def test_a_sentence_is_asked_once(finished):
    """Whatever the draw; the pool is a beginning of the whole, whose order the seed draws."""
    for how in ("random", "balanced"):
        whole = [item.id for item in draw(finished.folder, StudySettings(draw=how))]
        assert len({sentence_of(item) for item in whole}) == len(whole)
        assert [
            item.id for item in draw(finished.folder, StudySettings(draw=how, pool=9))
        ] == whole[:9]
        assert [
            item.id for item in draw(finished.folder, StudySettings(draw=how, pool=9, seed=2))
        ] != whole[:9]


def test_no_torn_sentence_is_asked_about(finished):
    focus = stage_artifact(finished.folder, "focus")
    sentences = read_source_sentences(focus)
    table = read_parquet(focus.path("focus.parquet"), columns=["id"])["id"].to_pylist()
    torn = {key for key in map(sentence_of, table) if fault_of(sentences[key])}
    items = draw(finished.folder, StudySettings())
    assert torn
    assert not torn & {sentence_of(item.id) for item in items}
    for item in items:
        text = "{before}{answer}{after}".format(**item.shown)
        assert text == as_printed(rendered_tokens(sentences[sentence_of(item.id)].tokens))
        assert '"' not in text


def fault_of(sentence):
    return printed_fault(sentence.tokens, printed=rendered_positions(sentence.tokens), offensive=())


def test_people_also_judge_what_the_machine_rejects(finished, groom):
    """Whole sentences that machine grooming rejects; people may decide otherwise."""
    groomed = groom(tagger_identity())
    table = read_parquet(groomed.path("items.parquet"), columns=["id", "verdict"]).to_pydict()
    verdict_of = dict(zip(table["id"], table["verdict"], strict=True))
    items = draw(finished.folder, StudySettings())
    verdicts = Counter(verdict_of[item.id] == "fit" for item in items)
    assert verdicts[False]
    assert verdicts[True]


def test_a_balanced_pool_has_every_fifth(finished):
    """Of the answer's forward rank: nearer to a fifth each than a random pool of the same size."""
    uneven = {}
    for how in ("random", "balanced"):
        items = draw(finished.folder, StudySettings(draw=how, pool=60))
        fifths = Counter(int(5 * rank) for rank in ranks(finished, items))
        uneven[how] = max(abs(fifths[fifth] / len(items) - 0.2) for fifth in range(5))
    assert uneven["balanced"] < uneven["random"]


@pytest.mark.parametrize("show", [False, True])
def test_what_the_machine_says_is_hidden(finished, show):
    """Unless the study shows it; then of every candidate."""
    for item in draw(finished.folder, StudySettings(pool=6, show_machine=show)):
        assert ("machine" in item.shown) == show
        assert not show or set(item.shown["machine"]) == set(item.shown["candidates"])
