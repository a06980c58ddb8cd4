"""`cloze-gen evaluate --items` and `--blind`, and `judge new --items`, from logs to files."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cloze_gen.cli.judge_study import open_named_study
from cloze_gen.store.tables import read_jsonl
from tests.conftest import FinishedRun, Outcome

Cli = Callable[..., Outcome]
Run = Callable[[str], FinishedRun]


def questions_of(run: FinishedRun) -> list[dict[str, Any]]:
    return list(read_jsonl(run.release / "questions.jsonl"))


def scores(options: Sequence[str], chosen: int) -> Iterator[tuple[str, float]]:
    return ((word, -1.0 if place == chosen else -5.0) for place, word in enumerate(options))


def write_logs(folder: Path, items: Sequence[tuple[str, Sequence[str], int]], n: int) -> list[Path]:
    """Logs of models from weak to strong. On the first item all strong ones choose another option."""
    folder.mkdir(exist_ok=True)
    rng = np.random.default_rng(3)
    paths = []
    for model in range(n):
        lines = []
        for place, (item_id, options, answer) in enumerate(items):
            wrong = (answer + 1 + int(rng.integers(len(options) - 1))) % len(options)
            chosen = answer if rng.random() < 0.4 + 0.6 * model / n else wrong
            if place == 0 and model >= n // 3:
                chosen = (answer + 1) % len(options)
            lines += [f"{item_id}\t{word}\t{score}" for word, score in scores(options, chosen)]
        paths.append(folder / f"model{model:02}.tsv")
        paths[-1].write_text("\n".join(lines), encoding="utf-8")
    return paths


def items_of(run: FinishedRun) -> list[tuple[str, Sequence[str], int]]:
    return [(one["id"], one["options"], one["answer_index"]) for one in questions_of(run)]


def analysis(outcome: Outcome) -> Path:
    assert outcome.status == 0, outcome.err
    return Path(outcome.out.strip().splitlines()[-1].removeprefix("written to "))


def test_suspects_are_listed_and_read_in_their_order(
    copied: FinishedRun, cli: Cli, tmp_path: Path, digests: Callable[[Path], dict[str, str]]
) -> None:
    """From logs to a study of exactly the suspects; the release keeps its bytes."""
    items, before = items_of(copied), digests(copied.release)
    logs = write_logs(tmp_path / "logs", items, 12)
    outcome = cli("evaluate", "tiny", "--out", copied.out, "--items", *logs)
    folder = analysis(outcome)
    assert digests(copied.release) == before
    assert (folder / "items.svg").read_text().startswith("<svg")
    assert "var(--" not in (folder / "items.svg").read_text()
    record = json.loads((folder / "analysis.json").read_text())
    assert [one["name"] for one in record["models"]] == [path.stem for path in logs]
    found = {one["id"]: one for one in read_jsonl(folder / "items.jsonl")}
    assert list(found) == [item_id for item_id, _, _ in items]
    suspects = list(read_jsonl(folder / "suspects.jsonl"))
    assert suspects[0] == found[items[0][0]]
    assert suspects[0]["discrimination"] is not None
    assert f"{suspects[0]['id']} " in outcome.out
    assert suspects[0]["reason"] in outcome.out
    odds = [one["log_odds"] for one in suspects]
    assert odds == sorted(odds, reverse=True)
    with_items = list(read_jsonl(folder / "questions_with_items.jsonl"))
    assert [
        {name: value for name, value in one.items() if name != "items"} for one in with_items
    ] == questions_of(copied)
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
def test_a_study_of_no_items_is_not_made(
    content: str | None, said: str, finished: FinishedRun, cli: Cli, tmp_path: Path
) -> None:
    path = tmp_path / "suspects.jsonl"
    if content is not None:
        path.write_text(content)
    outcome = cli("judge", "new", "tiny", "--task", "read", "--out", finished.out, "--items", path)
    assert outcome.status != 0
    assert said in outcome.err
    assert not (finished.out / "judgements" / "tiny-read").exists()


def test_other_tasks_and_sets_are_not_named(
    finished: FinishedRun, cli: Cli, tmp_path: Path
) -> None:
    path = tmp_path / "suspects.jsonl"
    path.write_text(json.dumps({"id": items_of(finished)[0][0]}))
    call = ("judge", "new", "tiny", "--out", finished.out, "--items", path)
    assert "not available for the task groom" in cli(*call, "--task", "groom").err
    assert "has no effect with --items" in cli(*call, "--task", "read", "--with", "x").err


def test_blanks_are_items_and_their_passages_are_filled(
    scde: FinishedRun, cli: Cli, tmp_path: Path
) -> None:
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
    logs = write_logs(tmp_path / "logs", items, 5)
    outcome = cli("evaluate", "tiny", "--out", out, "--items", logs[0].parent)
    folder = analysis(outcome)
    assert "no 2PL discrimination: 5 models, and at least 10 are needed" in outcome.out
    found = [one["id"] for one in read_jsonl(folder / "items.jsonl")]
    assert found == [item_id for item_id, _, _ in items]
    [first, *_] = [one for one in read_jsonl(folder / "passages_with_items.jsonl") if one["id"] == passages[0]["id"]]  # fmt: skip
    assert len(first["items"]) == len(passages[0]["answers"])
    outcome = cli("judge", "new", "tiny", "--task", "fill", "--out", out, "--items", folder / "items.jsonl")  # fmt: skip
    assert outcome.status == 0, outcome.err
    assert list(open_named_study(out, "tiny-fill")[0].state().cases) == [one["id"] for one in passages]  # fmt: skip


def test_passages_are_right_or_wrong(lambada: FinishedRun, cli: Cli, tmp_path: Path) -> None:
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
    to = tmp_path / "analysis"
    outcome = cli("evaluate", "tiny", "--out", lambada.out, "--items", *logs, "--write-to", to)
    assert analysis(outcome) == to
    found = {one["id"]: one["difficulty"] for one in read_jsonl(to / "items.jsonl")}
    assert set(found) == set(ids)
    assert set(found.values()) <= {0.25, 0.5}
    outcome = cli("evaluate", "tiny", "--out", lambada.out, "--items", logs[0], "--blind", logs[1])
    assert "passages have no options" in outcome.err


def test_a_model_is_compared_with_its_blind_controls(
    finished: FinishedRun, cli: Cli, tmp_path: Path
) -> None:
    items = items_of(finished)
    logs = write_logs(tmp_path / "logs", items, 3)
    to = tmp_path / "blind"
    call = ("evaluate", "tiny", "--out", finished.out, "--items", logs[2])
    outcome = cli(*call, "--blind", logs[0], "--blind", logs[1], "--write-to", to)
    analysis(outcome)
    rows = json.loads((to / "analysis.json").read_text())["blind"]
    assert [one["name"] for one in rows] == ["model02", "model00", "model01"]
    chosen = [_chosen(log, items) for log in logs]
    same = np.mean([one == other for one, other in zip(chosen[2], chosen[0], strict=True)])
    assert rows[1]["unchanged"] == pytest.approx(same)
    assert rows[1]["above_chance"] == pytest.approx(rows[1]["accuracy"] - 0.2)
    assert f"{100 * same:.2f} %" in outcome.out
    assert "compares one model" in cli(*call, logs[1], "--blind", logs[0]).err
    assert "covers" not in outcome.out
    some = logs[0].read_text().splitlines()[: 5 * (len(items) // 2)]
    logs[0].write_text("\n".join(some), encoding="utf-8")
    half = f"model00 covers {len(items) // 2} of {len(items)} questions; "
    outcome = cli(*call, "--blind", logs[0], "--write-to", to)
    assert f"{half}all rows use the same {len(items) // 2}" in outcome.out
    outcome = cli(*call, *logs[:2], "--write-to", to)
    assert f"{half}its row uses these" in outcome.out


def _chosen(log: Path, items: Sequence[tuple[str, Sequence[str], int]]) -> list[str]:
    rows = [line.split("\t") for line in log.read_text().splitlines()]
    best = {item_id: word for item_id, word, score in rows if score == "-1.0"}
    return [best[item_id] for item_id, _, _ in items]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--items", "{logs}/model00.tsv"), "1 models; item analysis needs at least 3"),
        (("--items", "gone.jsonl"), "gone.jsonl: cannot be read"),
        (("--items", "{logs}", "--only", "lsa"), "--only: has no effect with --items"),
        (("--items", "{logs}", "--people", "x"), "--people: has no effect with --items"),
        (("--blind", "{logs}/model00.tsv"), "give the log of the same model"),
        (("{logs}/model00.tsv",), "unexpected argument"),
        (("--items", "{logs}", "--write-to", "{logs}"), "contains other files"),
        (("--items", "{logs}", "--answers", "x"), "a run has its own answers"),
    ],
)
def test_mistakes_are_one_message(
    arguments: tuple[str, ...], said: str, finished: FinishedRun, cli: Cli, tmp_path: Path
) -> None:
    write_logs(tmp_path / "logs", items_of(finished), 3)
    filled = [one.format(logs=tmp_path / "logs") for one in arguments]
    before = sorted(tmp_path.rglob("*"))
    outcome = cli("evaluate", "tiny", "--out", finished.out, *filled)
    assert outcome.status != 0
    assert said in outcome.err
    assert "Traceback" not in outcome.err
    assert sorted(tmp_path.rglob("*")) == before
