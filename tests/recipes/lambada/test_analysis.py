"""What the passages are like."""

import json

import pytest

from cloze_gen.adapters.inflector import AMBIGUOUS_LEMMAS
from cloze_gen.formats.lambada import parse_plain_text, sentence_ends
from cloze_gen.recipes.lambada.analysis import (
    CLASSES,
    PAPER,
    analysis_record,
    describe,
    draw_input,
    lemma_forms,
    target_class,
)
from cloze_gen.recipes.lambada.passages import PASSAGES
from cloze_gen.store.runs import stage_artifact
from cloze_gen.store.tables import read_parquet

FORMS = {"lady": ("lady", "ladies"), "see": ("see", "saw")}


def facts(context, sentence, target, tag="NN"):
    """Sentences of the context are written with `|` between them."""
    sentences = [one.split() for one in context.split("|")]
    return describe(
        sentences,
        sentence.split(),
        tokens=9,
        tag=tag,
        forms=FORMS.get(target.casefold(), {target.casefold()}),
    )


@pytest.mark.parametrize(
    ("context", "target", "inside"),
    [
        ("Joe saw it .", "joe", True),
        ("two ladies .", "lady", True),
        ("two LADIES .", "Lady", True),
        ("a lady .", "see", False),
        ("the lady's hat .", "lady", True),
        ("the ladies' hats .", "lady", True),
        (". , .", "lady", False),
    ],
)
def test_target_or_lemma_in_context(context, target, inside):
    """Letter case and clitics do not count."""
    assert facts(context, "I hid the", target)["target or lemma in context"] is inside


def test_the_target_sentence_is_no_context():
    """A target that only its own sentence names is not in the context."""
    assert not facts("Joe hid it .", "the lamp by the", "lamp")["target or lemma in context"]


@pytest.mark.parametrize(
    ("context", "sentence", "speech"),
    [('" No . "', "he hid the", True), ("no .", '" I hid the', True), ("Joe's .", "it 's", False)],
)
def test_direct_speech_has_a_quotation_mark(context, sentence, speech):
    """In the context or before the target; an apostrophe inside a word is none."""
    assert facts(context, sentence, "lamp")["direct speech"] is speech


def means(described):
    record = analysis_record([row | {"target in context": True} for row in described], [])
    return {row["measure"]: row["kept"] for row in record["measures"]}


def test_shares_and_classes():
    """The classes of Figure 2 share the whole; pronouns are among the others."""
    tags = ("NNP", "NNS", "VBG", "JJR", "RB", "PRP", "CD", "NNPS")
    found = means([facts("a .", "b", "c", tag) for tag in tags])
    assert [found[name] for name in CLASSES] == [0.25, 0.125, 0.125, 0.125, 0.125, 0.25]
    assert found["pronoun"] == 0.125
    assert target_class("XX") == "O"


def test_the_random_input_is_drawn_by_each_id():
    ids = [f"b:{number}" for number in range(400)]
    drawn = draw_input(ids, seed=1, count=100)
    assert len(drawn) == 100
    assert len(drawn - draw_input([*ids, "c:1"], seed=1, count=100)) <= 1
    assert draw_input(ids, seed=2, count=100) != drawn
    assert draw_input(ids[:9], seed=1, count=100) == frozenset(ids[:9])


@pytest.mark.realdata
def test_the_published_set_is_as_the_paper_says(data_dir):
    """Development set; 75.5 % of its lines hold a double quotation mark."""
    path = data_dir / "published" / "lambada-dev" / "lambada_development_plain_text.txt"
    if not path.is_file():
        pytest.skip("the published LAMBADA development set is not unpacked (make data SHARED=DIR)")
    listed = [
        describe([tokens[:-1]], (), tokens=len(tokens), tag="NN", forms={tokens[-1]})
        | {"context sentences": len(sentence_ends(tokens))}
        for tokens in parse_plain_text(path.read_text(encoding="utf-8"))
    ]
    found = means(listed)
    # the final mark and the quotes behind it are cut
    assert found["tokens"] == pytest.approx(PAPER["tokens"][0], abs=1.5)
    assert found["context sentences"] == pytest.approx(PAPER["context sentences"][0], abs=0.05)
    assert found["target or lemma in context"] > PAPER["target or lemma in context"][0]
    assert found["direct speech"] == pytest.approx(0.79, abs=0.04)  # single quotation marks too


@pytest.mark.parametrize(
    ("word", "tag", "other"),
    [
        ("children", "NNS", "child"),
        ("Goes", "VBZ", "went"),
        ("better", "JJR", "good"),
        ("Ann", "NNP", "ann"),
    ],
)
def test_all_forms_of_a_lemma(word, tag, other):
    """In small letters, the word itself among them."""
    assert {word.casefold(), other} <= lemma_forms(word, tag)


def test_a_word_without_forms_has_itself():
    """A function word, and a lemma whose past forms a tag does not tell."""
    assert lemma_forms("with", "IN") == {"with"}
    assert all({lemma} == lemma_forms(lemma, "VB") for lemma in AMBIGUOUS_LEMMAS)


def test_measures_stand_beside_the_paper_s():
    speech = facts('" Joe . "', "saw", "joe") | {"target in context": True}
    silence = facts("no .", "saw", "joe") | {"target in context": False}
    record = analysis_record([speech], [speech, silence])
    assert record["sets"] == {"kept": 1, "random": 2}
    rows = {row["measure"]: row for row in record["measures"]}
    assert rows["direct speech"] == {
        "measure": "direct speech",
        "unit": "share",
        "kept": 1.0,
        "random": 0.5,
        "paper_kept": 0.71,
        "paper_random": 0.61,
    }


def test_an_empty_set_has_no_figures():
    """Where the judges left nothing: no NaN, which is no JSON; the paper's figures stay."""
    record = analysis_record([], [])
    assert json.loads(json.dumps(record, allow_nan=False))["measures"]
    assert [row["measure"] for row in record["measures"]] == list(PAPER)
    assert all(row["kept"] is None for row in record["measures"])


def test_the_set_is_analysed_without_its_control(lambada):
    text = (lambada.release / "passages.jsonl").read_text(encoding="utf-8")
    records = [json.loads(line) for line in text.splitlines()]
    kept = [one for one in records if one["split"] != "control"]
    record = json.loads(
        stage_artifact(lambada.folder, "analysis").path("analysis.json").read_text(encoding="utf-8")
    )
    survivors = stage_artifact(lambada.folder, "committee").funnel["kept"]
    assert record["sets"] == {"kept": len(kept), "random": survivors}
    measures = {row["measure"]: row["kept"] for row in record["measures"]}
    lengths = [len(one["text"].split()) for one in kept]
    assert measures["tokens"] == pytest.approx(sum(lengths) / len(lengths), abs=1e-3)
    rows = read_parquet(stage_artifact(lambada.folder, "passages").path(PASSAGES.name)).to_pylist()
    ids = {one["id"] for one in kept}
    inside = sum(row["in_context"] > 0 for row in rows if row["id"] in ids)
    assert measures["target in context"] == pytest.approx(inside / len(kept), abs=1e-3)
