"""`cloze-gen evaluate --items`, and `judge new --items`, from scores to files."""

import json
from pathlib import Path

import numpy as np
import pytest

from cloze_gen.cli.judge_study import open_named_study
from cloze_gen.store.tables import read_jsonl, write_jsonl


def items_of(run):
    records = read_jsonl(run.release / "questions.jsonl")
    return [(one["id"], one["options"], one["answer_index"]) for one in records]


def simulated(items, n):
    """Scores of models from weak to strong. On the first item strong ones choose another option."""
    rng = np.random.default_rng(3)
    models = []
    for model in range(n):
        scores = []
        for place, (_, options, answer) in enumerate(items):
            wrong = (answer + 1 + int(rng.integers(len(options) - 1))) % len(options)
            chosen = answer if rng.random() < 0.4 + 0.6 * model / n else wrong
            if place == 0 and model >= n // 3:
                chosen = (answer + 1) % len(options)
            scores.append([-1.0 if option == chosen else -5.0 for option in range(len(options))])
        models.append(scores)
    return models


def write_logs(folder, items, n):
    """The scores of questions, a file a model."""
    folder.mkdir(exist_ok=True)
    paths = []
    for model, scores in enumerate(simulated(items, n)):
        paths.append(folder / f"model{model:02}.jsonl")
        rows = zip(items, scores, strict=True)
        write_jsonl(paths[-1], ({"id": item[0], "scores": row} for item, row in rows))
    return paths


def analysis(outcome):
    assert outcome.status == 0, outcome.err
    return Path(outcome.out.strip().splitlines()[-1].removeprefix("written to "))


def test_suspects_are_listed_and_read_in_their_order(copied, cli, tmp_path):
    """From scores to a study of exactly the suspects; the set keeps its bytes."""
    items, before = items_of(copied), (copied.release / "questions.jsonl").read_bytes()
    logs = write_logs(tmp_path / "logs", items, 12)
    outcome = cli("evaluate", "tiny", "--out", copied.out, "--items", "--scores", *logs)
    folder = analysis(outcome)
    assert (copied.release / "questions.jsonl").read_bytes() == before
    assert all(f"user:{path.stem}" in outcome.out for path in logs)
    found = {one["id"]: one for one in read_jsonl(folder / "items.jsonl")}
    assert list(found) == [item_id for item_id, _, _ in items]
    suspects = list(read_jsonl(folder / "suspects.jsonl"))
    assert suspects[0] == found[items[0][0]]
    item_id, options, answer = items[0]
    assert suspects[0]["rival"] == options[(answer + 1) % len(options)]
    assert f"{item_id}: {suspects[0]['reason']}" in outcome.out
    suspicions = [one["suspicion"] for one in suspects]
    assert suspicions == sorted(suspicions, reverse=True)
    with_items = list(read_jsonl(folder / "questions_with_items.jsonl"))
    assert [
        {name: value for name, value in one.items() if name != "items"} for one in with_items
    ] == list(read_jsonl(copied.release / "questions.jsonl"))
    assert with_items[0]["items"]["suspicion"] == suspects[0]["suspicion"]

    wanted = tmp_path / "wanted.jsonl"
    order = [items[2][0], suspects[0]["id"], items[1][0], items[2][0]]
    wanted.write_text("\n".join(json.dumps({"id": one, "reason": ""}) for one in order))
    call = ("judge", "new", "tiny", "--task", "read", "--out", copied.out, "--judges", "ann")
    outcome = cli(*call, "--each", 1, "--items", wanted)
    assert outcome.status == 0, outcome.err
    study, _ = open_named_study(copied.out, "tiny-read")
    assert list(study.state().cases) == order[:3]
    assert [one.item for one in study.due("ann")] == order[:3]
    outcome = cli(*call, "--each", 1, "--items", wanted, "--pool", 1, "--name", "first")
    assert outcome.status == 0, outcome.err
    assert list(open_named_study(copied.out, "first")[0].state().cases) == order[:1]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "names no items"),
        ('{"id": "nobody:1"}', "1 of 1 ids are not in the release of tiny (first: 'nobody:1')"),
        ('{"item": 1}', "a line has no `id`"),
        ('{"id": 7}', "7 is no id"),
        ("{", "not JSON"),
        (None, "cannot be read"),
    ],
)
def test_a_study_of_no_items_is_not_made(content, said, finished, cli, tmp_path):
    path = tmp_path / "suspects.jsonl"
    if content is not None:
        path.write_text(content)
    outcome = cli("judge", "new", "tiny", "--task", "read", "--out", finished.out, "--items", path)
    assert outcome.status != 0
    assert said in outcome.err
    assert not (finished.out / "judgements" / "tiny-read").exists()


def test_other_tasks_and_sets_are_not_named(finished, cli, tmp_path):
    path = tmp_path / "suspects.jsonl"
    path.write_text(json.dumps({"id": items_of(finished)[0][0]}))
    call = ("judge", "new", "tiny", "--out", finished.out, "--items", path)
    assert "not available for the task groom" in cli(*call, "--task", "groom").err
    assert "has no effect with --items" in cli(*call, "--task", "read", "--with", "x").err


def test_blanks_are_items_and_their_passages_are_filled(scde, cli, tmp_path):
    """SCDE: an item is a blank; the study has the passages of the suspects."""
    out = scde.copy(tmp_path / "copy").out
    passages = [
        one for one in read_jsonl(scde.release / "passages.jsonl") if one["part"] != "train"
    ]
    items = [
        (f"{one['id']}:{blank}", one["candidates"], answer)
        for one in passages
        for blank, answer in enumerate(one["answers"], 1)
    ]
    logs = []
    for model, scores in enumerate(simulated(items, 5)):
        of_blank = dict(zip((item[0] for item in items), scores, strict=True))
        rows = [
            {
                "id": one["id"],
                "scores": [of_blank[f"{one['id']}:{i}"] for i in range(1, len(one["answers"]) + 1)],
            }
            for one in passages
        ]
        logs.append(tmp_path / f"model{model}.jsonl")
        write_jsonl(logs[-1], rows)
    folder = analysis(cli("evaluate", "tiny", "--out", out, "--items", "--scores", *logs))
    found = [one["id"] for one in read_jsonl(folder / "items.jsonl")]
    assert found == [item_id for item_id, _, _ in items]
    [first, *_] = [
        one
        for one in read_jsonl(folder / "passages_with_items.jsonl")
        if one["id"] == passages[0]["id"]
    ]
    assert len(first["items"]) == len(passages[0]["answers"])
    call = ("judge", "new", "tiny", "--task", "fill", "--out", out)
    outcome = cli(*call, "--items", folder / "items.jsonl")
    assert outcome.status == 0, outcome.err
    cases = open_named_study(out, "tiny-fill")[0].state().cases
    assert list(cases) == [one["id"] for one in passages]


def test_passages_are_right_or_wrong(lambada, cli, tmp_path):
    """LAMBADA: the log of the harness says whether the target is the first choice."""
    ids = [one["id"] for one in read_jsonl(lambada.release / "passages.jsonl")]
    logs = []
    for model in range(4):
        lines = [
            {"doc": {"id": one}, "resps": [[["-1.5", str((place + model) % 3 == 0)]]]}
            for place, one in enumerate(ids)
        ]
        logs.append(tmp_path / f"m{model}.jsonl")
        logs[-1].write_text("\n".join(map(json.dumps, lines)))
    call = ("evaluate", "tiny", "--out", lambada.out, "--write-to", tmp_path / "to", "--items")
    folder = analysis(cli(*call, "--scores", *logs))
    assert folder == tmp_path / "to-items"
    found = {one["id"]: one["difficulty"] for one in read_jsonl(folder / "items.jsonl")}
    assert set(found) == set(ids)
    assert set(found.values()) <= {0.25, 0.5}
    without = [{"id": one, "log10_prob": -1} for one in dict.fromkeys(ids)]
    write_jsonl(tmp_path / "bare.jsonl", without)
    outcome = cli(*call, "--scores", *logs[:2], tmp_path / "bare.jsonl")
    assert outcome.status != 0
    assert "user:bare has neither `rank` nor `correct`" in outcome.err


def test_blind_controls_are_rows_of_their_own(finished, cli, tmp_path):
    """A control's log names the question of each record."""
    items = items_of(finished)
    path = tmp_path / "samples_tiny_blind_options.jsonl"
    lines = [
        {
            "doc": {"id": i, "question_id": item_id, "choices": list(options), "gold": answer},
            "resps": [[[str(-float(option)), "False"]] for option in range(len(options))],
        }
        for i, (item_id, options, answer) in enumerate(items)
    ]
    write_jsonl(path, lines)
    to = tmp_path / "to"
    call = ("evaluate", "tiny", "--out", finished.out, "--only", "user", "--write-to", to)
    outcome = cli(*call, "--scores", path)
    assert outcome.status == 0, outcome.err
    [row] = json.loads((to / "evaluation.json").read_text())["baselines"]
    assert row["name"] == f"user:{path.stem}"
    assert row["correct"] == sum(answer == 0 for _, _, answer in items)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--items", "--scores", "{logs}/model00.jsonl"), "1 models; item analysis needs at least"),
        (("--items",), "0 models; item analysis needs at least 3"),
        (("{logs}/model00.jsonl",), "unexpected argument"),
        (
            ("--items", "--scores", "a", "b", "c", "--write-to", "{logs}/to"),
            "to-items: contains other files",
        ),
    ],
)
def test_wrong_calls_are_refused(arguments, said, finished, cli, tmp_path):
    write_logs(tmp_path / "logs", items_of(finished), 1)
    (tmp_path / "logs" / "to-items").mkdir()
    (tmp_path / "logs" / "to-items" / "mine").touch()
    filled = [one.format(logs=tmp_path / "logs") for one in arguments]
    outcome = cli("evaluate", "tiny", "--out", finished.out, *filled)
    assert outcome.status != 0
    assert said in outcome.err
