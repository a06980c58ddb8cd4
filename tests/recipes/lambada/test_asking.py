"""A study of passages: what is drawn, and what goes back to the run."""

import json
from dataclasses import replace

import pytest

from cloze_gen.errors import UsageError
from cloze_gen.judging.state import StudySettings
from cloze_gen.judging.study import Study, make_study, study_agreement
from cloze_gen.judging.verdicts import parse_verdicts
from cloze_gen.recipes.lambada.guessing import GuessingSettings, is_right
from cloze_gen.recipes.lambada.passages import PASSAGES
from cloze_gen.recipes.lambada.people import (
    draw_passages,
    rule_of,
    rules_of,
    verdicts_text,
)
from cloze_gen.recipes.lambada.ranking import read_ranking
from cloze_gen.records.judgement import Judge, Role, Task
from cloze_gen.rng import stable_fraction
from cloze_gen.store.runs import stage_artifact
from cloze_gen.store.tables import read_parquet
from tests.cases.studies import item


def guessed_study(
    folder,
    n=3,
    judges="Ann,Bob,Cid",
    **guessing,
):
    """A study of n invented passages, each of a book of its own, whose target is *key*."""
    rules = rules_of({"guessing": GuessingSettings(**guessing).model_dump(mode="json")})
    facts = make_study(
        folder, [item(Task.GUESS, number) for number in range(1, n + 1)], task=Task.GUESS, run="tiny", style="lambada-style",
        of={"ranking": "ab12"}, settings=StudySettings(), rules=rules,
    )  # fmt: skip
    study = Study(folder, rule_of(facts))
    study.add_judges([Judge(name, Role.JUDGE) for name in judges.split(",")])
    return study


def say(study, judge, *guesses, n=99):
    """A judge says the same of the next n items; returns how many there were."""
    for count in range(n):
        one = study.next_open(judge)
        if one is None:
            return count
        study.take(one, {"guesses": list(guesses)}, verdict_id=f"{judge}-{one.id}", source="page")
    return n


def rows(study):
    return [dict(row) for row in parse_verdicts(verdicts_text(study), task=Task.GUESS).rows]


def test_the_head_is_drawn(lambada):
    """In the order of the ranking; a judge sees text with a gap, but neither key nor book."""
    ranking = stage_artifact(lambada.folder, "ranking")
    drawn = draw_passages(lambada.folder, StudySettings())
    assert [one.id for one in drawn] == read_ranking(ranking)
    assert {one.source for one in drawn} == {"run"}
    assert [one.id for one in draw_passages(lambada.folder, StudySettings(pool=7))] == read_ranking(
        ranking
    )[:7]
    passages = stage_artifact(lambada.folder, "passages")
    by_id = {row["id"]: row for row in read_parquet(passages.path(PASSAGES.name)).to_pylist()}
    raw = {
        path.stem: path.read_text(encoding="ascii") for path in lambada.corpus.books.glob("*.txt")
    }
    for one in drawn:
        row, [span] = by_id[one.id], one.spans
        assert span == (row["book_id"], row["start"], row["end"])
        assert one.key == {"target": row["target"]}
        assert one.shown["passage"].endswith(one.shown["sentence"])
        assert len(one.shown["sentence"]) < len(one.shown["passage"])
        assert one.shown["guesses"] == {"passage": 1, "sentence": 3}
        filled = one.shown["passage"].replace("_____", one.key["target"])
        assert " ".join(raw[row["book_id"]][span[1] : span[2]].split()).startswith(filled[:-1])
        assert row["book_id"] not in json.dumps(one.shown)


def test_a_copy_elsewhere_has_nothing_to_draw_from(tmp_path):
    """Its stages are in the store that it does not bring."""
    with pytest.raises(UsageError, match="not in an output folder"):
        draw_passages(tmp_path, StudySettings())


def test_a_study_keeps_the_rules_of_its_run(tmp_path, lambada):
    settings = json.loads((lambada.folder / "run.json").read_text())["settings"]
    assert rules_of(settings) == GuessingSettings().model_dump(mode="json", exclude={"verdicts"})
    study = guessed_study(tmp_path / "study", sentence_subjects=4)
    assert rule_of(study.facts).settings.sentence_subjects == 4
    with pytest.raises(UsageError, match="from another version"):
        rule_of(replace(study.facts, rules={"ledger": "a.jsonl"}))


def test_what_people_guessed_goes_back_without_their_names(tmp_path):
    """A row a passage; judges are numbered in the order in which they were first asked."""
    study = guessed_study(tmp_path / "study", n=1, judges="Ann,Bob,Cid,Dot", sentence_subjects=2)
    study.add_judges([Judge("Robot", Role.MACHINE)])
    say(study, "Robot", "key")
    say(study, "Cid", " Key")
    say(study, "Ann", "key")
    say(study, "Bob")
    assert study.next_open("Dot") is not None
    answers = [
        {"judge": 1, "condition": "passage", "guesses": ["Key"]},
        {"judge": 2, "condition": "passage", "guesses": ["key"]},
        {"judge": 3, "condition": "sentence", "guesses": []},
    ]
    assert rows(study) == [{"id": "b1:1", "answers": answers}]
    say(study, "Dot", "lamp")
    assert [one["judge"] for one in rows(study)[0]["answers"]] == [1, 2, 3, 4]
    text = verdicts_text(study)
    file = parse_verdicts(text, task=Task.GUESS)
    assert (file.of, file.judges, file.alpha) == ({"ranking": "ab12"}, 4, None)
    assert file.rules == rule_of(study.facts).settings.rules
    assert not [name for name in ("Ann", "Bob", "Cid", "Dot", "Robot", "ann") if name in text]


def test_no_alpha_can_be_above_zero(tmp_path):
    """A second reader is asked only where the first was right, so chance would agree as often."""
    study = guessed_study(tmp_path / "study", n=30, sentence_subjects=0)
    for judge in ("Ann", "Bob", "Cid"):
        while (one := study.next_open(judge)) is not None:
            # mostly of one mind
            right = (
                stable_fraction("knows", one.item) < 0.8
                or stable_fraction("says", one.item + judge) < 0.5
            )
            study.take(
                one,
                {"guesses": ["key"] if right else []},
                verdict_id=f"{judge}-{one.id}",
                source="page",
            )
    alpha = study_agreement(study, is_right=is_right).alphas["passage"].value
    assert alpha is not None
    assert alpha <= 0


def test_the_file_hangs_on_no_order(tmp_path):
    study = guessed_study(
        tmp_path / "study",
        n=1,
        judges="Ann,Bob,Cid",
        sentence_subjects=2,
    )
    say(study, "Ann", "key")
    say(study, "Bob", "lamp")
    assert [row["answers"][1]["guesses"] for row in rows(study)] == [["lamp"]]
    first = study.state().of_judge["Ann"][0]
    assert study.take(first, {"guesses": ["keys"]}, verdict_id="again", source="page")
    assert verdicts_text(Study(tmp_path / "study", rule_of(study.facts))) == verdicts_text(study)
    assert [one["guesses"] for one in rows(study)[0]["answers"]] == [["keys"], ["lamp"]]


def test_what_nobody_was_shown_is_no_row(tmp_path):
    study = guessed_study(tmp_path / "study", n=12)
    assert rows(study) == []
    study.next_open("Ann")
    assert rows(study) == [{"id": f"b{n}:1", "answers": []} for n in range(1, 11)]


def test_pages_are_as_long_as_in_the_paper(tmp_path):
    """By what is shown, whatever the study's own size of a page."""
    study = guessed_study(tmp_path / "study", n=20, passage_subjects=1, sentence_subjects=1)
    for judge in ("Ann", "Bob"):
        assert len(study.due(judge)) == 10
    for judge in ("Ann", "Bob"):
        say(study, judge, "key", n=10)
    assert [one.condition for one in study.due("Cid")] == ["sentence"] * 20


def test_a_whole_study_is_decided(tmp_path):
    """Twelve simulated people: only passages that both readers and no other guess are kept."""
    names = [f"s{n}" for n in range(12)]
    study = guessed_study(tmp_path / "study", n=6, judges=",".join(names))
    while dealt := {judge: due for judge in names if (due := study.due(judge))}:
        for judge, due in dealt.items():
            say(study, judge, "key" if due[0].condition == "passage" else "lamp", n=len(due))
    assert {study.state().rule.outcome(case) for case in study.state().cases.values()} == {"kept"}
    assert study.state().finished
    assert {len(row["answers"]) for row in rows(study)} == {12}
