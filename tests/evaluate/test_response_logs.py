"""Tests of `cloze_gen.evaluation.response_logs`: every format, and what is no log of the set."""

from __future__ import annotations

import io
import json
import struct
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from cloze_gen.cli.evaluate_items import find_logs
from cloze_gen.errors import ClozeGenError, UsageError
from cloze_gen.evaluation.item_analysis import MISSING, NO_OPTION, ItemSet
from cloze_gen.evaluation.response_logs import read_log, read_models

OPTIONS = (("ash", "birch", "elm"), ("fir", "oak", "yew"), ("ivy", "may", "sloe"))
ITEMS = ItemSet(("b:1", "b:2", "7"), OPTIONS, np.array([0, 2, 1]), ("b", "b", "c"), "questions")
PASSAGES = ItemSet(
    ("b:1", "7"), (("target", "other"),) * 2, np.array([0, 0]), ("b", "c"), "passages", True
)
SCORES = {"b:1": (-1.0, -2.0, -3.0), "b:2": (-3.0, -1.0, -2.0), "7": (-9.0, -1.0, -2.0)}
CHOSEN = [0, 1, 1]
ANSWERS = {"b:1": "A", "b:2": "B", "7": "B"}


def harness_line(item_id: Any, scores: Sequence[float], **doc: Any) -> dict[str, Any]:
    """As lm-evaluation-harness writes one with `--log_samples`."""
    place = ITEMS.ids.index(str(item_id))
    record = {"id": item_id, "choices": [f"{one} grew ." for one in OPTIONS[place]],
              "gold": int(ITEMS.answers[place]), "query": "The"} | doc  # fmt: skip
    return {"doc_id": place, "doc": record, "target": str(record["gold"]), "arguments": {},
            "resps": [[[str(one), "False"]] for one in scores], "filter": "none", "acc": 1.0}  # fmt: skip


def harness_log(**doc: Any) -> str:
    return "\n".join(json.dumps(harness_line(one, SCORES[one], **doc)) for one in SCORES)


def inspect_sample(item_id: Any, answer: str, **more: Any) -> dict[str, Any]:
    """As `EvalSample` of inspect-ai with the solver and scorer of our tasks."""
    place = ITEMS.ids.index(str(item_id))
    target = "ABC"[int(ITEMS.answers[place])]
    score = {"value": "C" if answer == target else "I", "answer": answer, "explanation": ""}
    sample = {"id": item_id, "epoch": 1, "input": "The _____ grew.", "choices": list(OPTIONS[place]),
              "target": target, "messages": [], "scores": {"choice": score}, "metadata": {"book": "b"}}  # fmt: skip
    return sample | more


def inspect_log(samples: Sequence[Mapping[str, Any]]) -> str:
    log = {
        "version": 2,
        "status": "success",
        "eval": {"model": "mockllm/model"},
        "samples": samples,
    }
    return json.dumps(log, indent=2)


def samples() -> list[dict[str, Any]]:
    return [inspect_sample(one, answer) for one, answer in ANSWERS.items()]


def eval_log(found: Sequence[Mapping[str, Any]], *, zstandard: bool = False) -> bytes:
    """A `.eval` file: a zip of samples, deflated, or with Zstandard as inspect-ai writes it now."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("_journal/start.json", "{}")
        for one in found:
            data = json.dumps(one).encode()
            name = f"samples/{one['id']}_epoch_{one['epoch']}.json"
            archive.writestr(name, data)
    return _with_zstandard(found) if zstandard else packed.getvalue()


def _with_zstandard(found: Sequence[Mapping[str, Any]]) -> bytes:
    """The zip written by hand, since `zipfile` has no Zstandard before Python 3.14."""
    body, directory = b"", b""
    for one in found:
        data, name = json.dumps(one).encode(), f"samples/{one['id']}_epoch_1.json".encode()
        packed = pa.Codec("zstd").compress(data, asbytes=True)
        common = struct.pack("<5HIIIHH", 20, 0, 93, 0, 33, 0, len(packed), len(data), len(name), 4)
        directory += b"PK\1\2" + struct.pack(
            "<6H3I5H2I", 20, 20, 0, 93, 0, 33, 0, len(packed), len(data), len(name), 0, 0, 0, 0, 0, len(body)
        ) + name  # fmt: skip
        body += b"PK\3\4" + common + name + b"\0" * 4 + packed
    end = struct.pack("<4H2IH", 0, 0, len(found), len(found), len(directory), len(body), 0)
    return body + directory + b"PK\5\6" + end


def predictions() -> str:
    rows = [
        {"baseline": "lsa", "id": item_id, "option": option, "word": word, "score": 0.5,
         "chosen": option == CHOSEN[place], "is_answer": False, "right": False}
        for place, item_id in enumerate(ITEMS.ids)
        for option, word in enumerate(OPTIONS[place])
    ]  # fmt: skip
    return "\n".join(map(json.dumps, rows))


def option_lines() -> str:
    return "\n".join(
        f"{item_id}\t{word}\t{score}"
        for place, item_id in enumerate(ITEMS.ids)
        for word, score in zip(OPTIONS[place], SCORES[item_id], strict=True)
    )


def written(folder: Path, content: str | bytes, name: str = "log") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


FORMATS: dict[str, str | bytes] = {
    "lm-evaluation-harness": harness_log(),
    "letters": harness_log(choices=["A", "B", "C"]),
    "inspect json": inspect_log(samples()),
    "inspect eval": eval_log(samples()),
    "inspect eval, Zstandard": eval_log(samples(), zstandard=True),
    "predictions": predictions(),
    "scores": "\n".join(json.dumps({"id": one, "scores": SCORES[one]}) for one in SCORES),
    "lines": option_lines(),
    "lines, Windows": "\ufeff" + option_lines().replace("\n", "\r\n") + "\r\n",
    "of a larger set": option_lines() + "\nz:9\tpear\t-1",
}


@pytest.mark.parametrize("content", FORMATS.values(), ids=FORMATS)
def test_every_format_gives_the_same_choices(content: str | bytes, tmp_path: Path) -> None:
    [model] = read_log(written(tmp_path, content), ITEMS)
    assert model.choices.tolist() == CHOSEN


def test_only_logs_of_log_probabilities_give_the_probability_of_the_key(tmp_path: Path) -> None:
    [model] = read_log(written(tmp_path, harness_log()), ITEMS)
    expected = np.exp(-1) / np.exp([-1.0, -2.0, -3.0]).sum()
    assert model.key_prob[0] == pytest.approx(expected)
    [plain] = read_log(written(tmp_path, option_lines()), ITEMS)
    assert np.isnan(plain.key_prob).all()


def test_options_may_have_been_shown_in_another_order(tmp_path: Path) -> None:
    """The harness names them in `options`; inspect-ai logs what it showed. The set's order counts."""
    turned = ["elm", "ash", "birch"]
    line = harness_line("b:1", (-3.0, -1.0, -2.0), choices=["A", "B", "C"], options=turned, gold=1)
    [model] = read_log(written(tmp_path, json.dumps(line)), ITEMS)
    assert model.choices.tolist() == [0, MISSING, MISSING]
    sample = inspect_sample("b:1", "C", choices=turned, target="B")
    [model] = read_log(written(tmp_path, inspect_log([sample])), ITEMS)
    assert model.choices.tolist() == [1, MISSING, MISSING]


def test_a_blind_record_may_name_its_question(tmp_path: Path) -> None:
    lines = [harness_line("b:2", SCORES["b:2"], id="blind:1", question_id="b:2")]
    [model] = read_log(written(tmp_path, json.dumps(lines[0])), ITEMS)
    assert model.choices.tolist() == [MISSING, 1, MISSING]
    sample = inspect_sample("b:2", "B", metadata={"question_id": "b:2"}) | {"id": "blind:1"}
    [model] = read_log(written(tmp_path, inspect_log([sample])), ITEMS)
    assert model.choices.tolist() == [MISSING, 1, MISSING]


def test_epochs_errors_and_answers_that_are_none(tmp_path: Path) -> None:
    """The first epoch counts; a sample without score is missing; two letters are no option."""
    found = [
        inspect_sample("b:1", "B", epoch=2),
        inspect_sample("b:1", "A"),
        inspect_sample("b:2", "A, B"),
        inspect_sample("7", "B", scores={}, error={"message": "timed out"}),
    ]
    [model] = read_log(written(tmp_path, inspect_log(found)), ITEMS)
    assert model.choices.tolist() == [0, NO_OPTION, MISSING]


def test_passages_are_right_or_wrong(tmp_path: Path) -> None:
    lines = [
        {"doc": {"id": "b:1", "target": "Ann"}, "resps": [[["-0.5", "True"]]]},
        {"doc": {"id": "7", "target": "sea"}, "resps": [[["-5", "False"]]]},
    ]
    [model] = read_log(written(tmp_path, "\n".join(map(json.dumps, lines))), PASSAGES)
    assert model.choices.tolist() == [0, 1]
    scored = [
        {
            "id": one,
            "epoch": 1,
            "target": "Ann",
            "scores": {"match": {"value": value, "answer": "x"}},
        }
        for one, value in (("b:1", "I"), ("7", "C"))
    ]
    [model] = read_log(written(tmp_path, inspect_log(scored)), PASSAGES)
    assert model.choices.tolist() == [1, 0]


def test_models_are_named_by_file_and_folder(tmp_path: Path) -> None:
    """A folder is searched; results, blind controls and other files in it are no logs."""
    for name in ("one/samples_a.jsonl", "two/samples_a.jsonl", "two/samples_q_blind_options.jsonl",
                 "two/results_1.json", "two/readme.txt", "three.tsv"):  # fmt: skip
        (tmp_path / name).parent.mkdir(exist_ok=True)
        written(tmp_path, option_lines(), name)
    models = read_models(find_logs([str(tmp_path)]), ITEMS)
    assert [one.name for one in models] == ["one/samples_a", "three", "two/samples_a"]
    assert len(find_logs([f"{tmp_path}/*/samples_a.jsonl", str(tmp_path / "three.tsv")])) == 3
    for nothing in (f"{tmp_path}/*.eval", str(tmp_path / "empty")):
        (tmp_path / "empty").mkdir(exist_ok=True)
        with pytest.raises(UsageError, match="no logs found"):
            find_logs([nothing])


def test_two_models_of_one_name_are_refused(tmp_path: Path) -> None:
    paths = [written(tmp_path, predictions(), name) for name in ("a.jsonl", "b.jsonl")]
    with pytest.raises(UsageError, match="same model 'lsa'"):
        read_models(paths, ITEMS)


BAD: dict[str, tuple[str | bytes, str]] = {
    "nothing": ("", "the file is empty"),
    "blank": ("\n \n", "the file is empty"),
    "bytes": (b"\xff\xfe\x00", "not UTF-8"),
    "gzip": (b"\x1f\x8b\x08", "gzip-compressed; unpack it"),
    "prose": ("It was a dark night.", "line 1: expected `id TAB option TAB score`"),
    "other set": ("z:1\tash\t-1", "none of its items is in this set of 3 questions"),
    "other option": (option_lines().replace("ash", "pear"), "line 1: 'pear' of 'b:1' is none of"),
    "twice": (
        option_lines() + "\nb:1\tash\t-1",
        "line 10: 'ash' of 'b:1' has a score on an earlier",
    ),
    "lacking": ("b:1\tash\t-1", "'b:1' has no score of 'birch'"),
    "no number": (option_lines().replace("-9.0", "nan"), "line 7: 'nan' is not a finite number"),
    "scores of another length": ('{"id": "b:1", "scores": [1]}', "line 1: 'b:1' needs 3 scores"),
    "broken JSON": ('{"id": "b:1", "scores": [1, 2, 3]}\n{', "line 2: not JSON"),
    "no log": ('{"a": 1}', "no `samples`, so no log of inspect-ai"),
    "samples are none": ('{"samples": {"a": 1}}', "no `samples`"),
    "sample is none": (inspect_log([7]), "sample 1: expected an object with `id`"),  # type: ignore[list-item]
    "deep": ("{" + '"a":{' * 5000, "not JSON"),
    "score is none": (
        inspect_log([inspect_sample("b:1", "A", scores={"choice": 1})]),
        "the score of 'b:1' is no object",
    ),
    "another key": (
        inspect_log([inspect_sample("b:1", "A", target="B")]),
        "the target of 'b:1' is 'B', but the set's key is A",
    ),
    "all failed": (
        inspect_log([inspect_sample("b:1", "A", scores=None)]),
        "none of its 1 samples of this set has a score",
    ),
    "another chosen word": (predictions().replace('"ash"', '"pear"'), "option 0 of 'b:1' differs"),
    "no prediction": ('{"baseline": "a", "id": "b:1"}', "line 1: expected a line of predictions"),
    "no zip": (b"PK\x03\x04" + b"\0" * 99, "not a log of inspect-ai"),
    "cut zip": (eval_log(samples())[:-30], "not a log of inspect-ai"),
    "cut Zstandard": (
        eval_log(samples(), zstandard=True).replace(b"\x28\xb5\x2f\xfd", b"\0\0\0\0"),
        "not a log of inspect-ai",
    ),
    "sample in a zip": (
        eval_log([{"id": "b:1", "epoch": 1, "scores": 7}]),
        "none of its 1 samples",
    ),
    "another answer": (harness_log(gold=1), "the options of b:1 differ from those of the set"),
}


@pytest.mark.parametrize(("content", "said"), [*BAD.values()], ids=BAD)
def test_what_is_no_log_of_the_set_is_one_message(
    content: str | bytes, said: str, tmp_path: Path
) -> None:
    with pytest.raises(ClozeGenError, match="log") as caught:
        read_log(written(tmp_path, content), ITEMS)
    assert said in str(caught.value)


@pytest.mark.parametrize("form", ["lines", "scores", "predictions"])
def test_passages_have_no_options_to_score(form: str, tmp_path: Path) -> None:
    with pytest.raises(ClozeGenError, match="need options, and passages have none"):
        read_log(written(tmp_path, FORMATS[form]), PASSAGES)
