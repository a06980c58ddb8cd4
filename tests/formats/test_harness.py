"""Tasks of lm-evaluation-harness."""

import json
import math
import re
import sys
import types
from dataclasses import replace

import pytest

from cloze_gen.formats import lambada_harness as lambada
from cloze_gen.formats import scde_harness as scde
from cloze_gen.formats.harness import (
    LOADER,
    LOADER_FILE,
    harness_files,
    harness_record,
    letters_record,
    others,
)
from cloze_gen.records.blanked_passage import BlankedPassage
from cloze_gen.records.passage import Part, Passage
from cloze_gen.records.question import Question

# What a stranger's harness makes of the folder: YAML whatever the name, records from any folder,


STRANGE = [
    "null",
    "true",
    "1.0",
    "yes",
    "-x",
    ".hid",
    "--",
    "x.yaml",
    "1e3",
    "0x1F",
    "...",
    "2026-01-01",
    "on",
    "-",
    "L" * 200,
]
QUESTION = Question("b:0:1", "b", ("We", "hide", "it", "."), 1, ("eat", "hide"), 1)
SECOND = Question("c:4:1", "c", ("José", "left", "early", "."), 1, ("left", "sang"), 0)
NOVEL = Passage(
    "b:7",
    "b",
    Part.TEST,
    (("Who", "hid", "?"), ("Not", "Ann", ".")),
    ("Who hid?", "Not Ann."),
    1,
    0,
    16,
)
LATER = replace(NOVEL, id="c:8", book_id="c")
EXAM = BlankedPassage(
    "b:4", ("It rained.", "We left.", "So?"), (0,), ("Jane sang.", "It rained."), (1,)
)
LATER_EXAM = replace(EXAM, id="c:5", candidates=("Café.", "It rained."))


def all_files(name, *, with_examples=True):
    """What each kind of items has below `harness/`."""
    splits, train = (
        {"test": [NOVEL], "validation": [NOVEL]},
        {"train": [EXAM]} if with_examples else {},
    )
    told, spare, left = (
        {"version": "1.0", "signature": "s|n:5"},
        [QUESTION] * with_examples,
        [NOVEL] * with_examples,
    )
    return [
        harness_files(name, [QUESTION], examples=spare, **told),
        lambada.harness_files(name, splits, control=[NOVEL], examples=left, **told),
        scde.harness_files(name, train | {"test": [EXAM], "validation": [EXAM]}, **told),
    ]


def read_yaml(text):
    """As the harness reads it, a function as its name."""
    yaml = pytest.importorskip("yaml")

    class Loader(yaml.SafeLoader):
        pass

    Loader.add_constructor("!function", lambda loader, node: loader.construct_scalar(node))
    return yaml.load(text, Loader=Loader)


@pytest.mark.parametrize("name", [*STRANGE, 'a "b": c\n# d'])
def test_the_files_are_yaml_whatever_the_name(name):
    for files in all_files(name):
        told = {path: read_yaml(text) for path, text in files.items() if path.endswith(".yaml")}
        names = [
            found.get("task") if isinstance(found.get("task"), str) else found["group"]
            for found in told.values()
        ]
        assert len(set(names)) == len(names)
        assert all(isinstance(one, str) and one.startswith(name) for one in names)
        for path, found in told.items():
            assert found["metadata"] == {"version": "1.0", "signature": "s|n:5"}
            if "group" in found:
                assert set(found["task"]) <= set(names)
                continue
            assert path.endswith(f"{found['task']}.yaml")
            data_files = found["dataset_kwargs"]["data_files"]
            assert set(data_files.values()) <= files.keys()
            assert {found[key] for key in found if key.endswith("_split")} == data_files.keys()


@pytest.mark.parametrize("with_examples", [True, False])
def test_examples_are_never_measured(with_examples):
    """Without a named file the harness draws examples from the file that it measures."""
    for files in all_files("mine", with_examples=with_examples):
        tasks = [
            text
            for path, text in files.items()
            if path.endswith(".yaml") and "\noutput_type: " in text
        ]
        measured, examples = (
            set(re.findall(rf'^    (?:{split}): "(.+)"$', "".join(tasks), re.M))
            for split in ("test|validation", "fewshot")
        )
        assert bool(examples) == with_examples
        assert examples <= files.keys() - measured
        for text in tasks:
            assert ("\nfewshot_split: fewshot\n" in text) != (
                "\nfewshot_config:\n  samples: []\n" in text
            )
            assert with_examples or "fewshot_split" not in text
        assert ("no few-shot examples" in files["README.md"]) != with_examples


def test_a_name_that_looks_like_an_option_can_be_called():
    """The commands of the page join option and value."""
    page = harness_files("-x", [QUESTION], version="1.0")["README.md"]
    assert "--tasks=-x\n" in page
    assert "--tasks -x" not in page


def test_the_page_names_every_task_and_group():
    """And says which file of the release the logs belong to."""
    for files, items in zip(all_files("mine"), ("questions", "passages", "passages"), strict=True):
        names = [path.removesuffix(".yaml") for path in files if path.endswith(".yaml")]
        assert all(f"| `{name}` |" in files["README.md"] for name in names)
        assert f"cloze-gen evaluate HERE/../{items}.jsonl --scores" in files["README.md"]


def test_the_loader_reads_what_lies_beside_it(tmp_path, monkeypatch):
    """From any folder; metadata of the task, whatever a caller adds to it, is no matter."""
    library = types.ModuleType("datasets")
    library.Dataset = types.SimpleNamespace(from_list=lambda rows: rows)
    library.DatasetDict = dict
    monkeypatch.setitem(sys.modules, "datasets", library)
    monkeypatch.chdir(tmp_path)
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x.test.jsonl").write_text(
            json.dumps({"id": f"{folder}\u2028"}, ensure_ascii=False) + "\n", encoding="utf-8"
        )
        module = {"__file__": str(tmp_path / folder / LOADER_FILE)}
        exec(compile(LOADER, LOADER_FILE, "exec"), module)
        assert module["load"](data_files={"test": "x.test.jsonl"}, version="1", pretrained="m") == {
            "test": [{"id": f"{folder}\u2028"}]
        }


# Controls and measures


def test_controls_have_the_options_of_the_item_and_the_text_of_another():
    """Ids, order of options and answers are those of the task, so that predictions can be compared."""
    questions = [QUESTION, SECOND]
    files = harness_files("mine", questions, version="1.0", seed=3)
    for kind in ("options", "sentence"):
        records = [json.loads(line) for line in files[f"mine_blind_{kind}.test.jsonl"].splitlines()]
        for record, question, other in zip(records, questions, questions[::-1], strict=True):
            assert (record["id"], record["gold"]) == (question.id, question.answer_index)
            starts = [choice.split(" ")[0] for choice in record["choices"]]
            assert starts == list(question.options)
            if kind == "options":
                assert (record["query"], record["choices"]) == ("", list(question.options))
            else:
                assert record["other"] == other.id
                assert f"{record['query']} _____" in record["input"]
                rest = f"{other.tokens[-2]}."
                assert record["choices"] == [f"{option} {rest}" for option in question.options]
    group = read_yaml(files["mine_blind.yaml"])
    assert group["task"] == ["mine_blind_options", "mine_blind_sentence"]


def test_the_other_item_is_from_another_book_if_possible():
    """A derangement in any case; it depends on the seed, and not on the order of the items."""
    sizes = {"a": 5, "b": 3, "c": 2}
    books = {f"{book}:{n}": book for book, size in sizes.items() for n in range(size)}
    found = others(books, seed=1)
    assert found.keys() == set(found.values()) == books.keys()
    assert all(books[one] != books[other] for one, other in found.items())
    assert others(dict(reversed(books.items())), seed=1) == found != others(books, seed=2)
    alone = others(dict.fromkeys("abc", "b"), seed=1)
    assert sorted(alone.values()) == ["a", "b", "c"]
    assert all(one != other for one, other in alone.items())


def test_every_likelihood_task_measures_bits_per_byte(monkeypatch):
    """By a function of the loader; a model that needs one bit a byte has 1.0."""
    monkeypatch.setitem(sys.modules, "datasets", types.ModuleType("datasets"))
    vars(sys.modules["datasets"]).update(Dataset=None, DatasetDict=None)
    loader = {"__file__": LOADER_FILE}
    exec(compile(LOADER, LOADER_FILE, "exec"), loader)
    lambada_files = lambada.harness_files("x", {"test": [NOVEL, LATER]}, version="1")
    exam_files = scde.harness_files("x", {"test": [EXAM, LATER_EXAM]}, version="1")
    for files in (
        harness_files("x", [QUESTION, SECOND], version="1"), lambada_files, exam_files
    ):  # fmt: skip
        for path, text in files.items():
            task = read_yaml(text) if path.endswith(".yaml") else {}
            if task.get("output_type") in {None, "generate_until"}:
                continue
            measure = loader[task["process_results"].removeprefix("cloze_task.")]
            for line in files[task["dataset_kwargs"]["data_files"]["test"]].splitlines():
                doc = json.loads(line)
                texts = [
                    f" {choice}" for choice in doc.get("choices", [])
                ] or [doc["continuation"]]  # fmt: skip
                nats = [-math.log(2) * len(one.encode()) for one in texts]
                found = measure(doc, [(score, False) for score in nats])
                score, size = found["bits_per_byte"]
                assert -score / size / math.log(2) == pytest.approx(1)
                assert found["acc"] == (
                    nats.index(max(nats)) == doc.get("gold", 0) and "continuation" not in doc
                )
                assert found.keys() == {one["metric"] for one in task["metric_list"]}


# The tasks of the lm-evaluation-harness, of questions


HARNESS_QUESTION = Question(
    "b:0:3", "b", ("Well", ",", "we", "hide", "it", ",", "sir", "."), 3, ("eat", "hide"), 1
)


def test_query_and_right_choice_are_the_whole_sentence():
    record = harness_record(HARNESS_QUESTION)
    assert f"{record['query']} {record['choices'][record['gold']]}" == "Well, we hide it, sir."


def test_the_letter_of_the_right_option_is_right():
    record = letters_record(HARNESS_QUESTION)
    assert record["query"].startswith("Well, we _____ it, sir.\n\nA. eat\nB. hide\n\n")
    assert record["choices"][record["gold"]] == "B"


def test_both_ways_of_asking_are_tasks():
    files = harness_files("holmes", [HARNESS_QUESTION], version="1.0", canary="c0")
    names = {
        "holmes.yaml",
        "holmes_letters.yaml",
        "holmes_both.yaml",
        "holmes.test.jsonl",
        "holmes_letters.test.jsonl",
    }
    assert files.keys() == names | {"cloze_task.py", "README.md"}
    for name in ("holmes.test.jsonl", "holmes_letters.test.jsonl"):
        record = json.loads(files[name])
        assert (record["id"], record["canary"]) == ("b:0:3", "c0")
    assert (
        "canary"
        not in harness_files("holmes", [HARNESS_QUESTION], version="1.0")["holmes.test.jsonl"]
    )


def test_examples_have_files_of_their_own():
    """In both ways of asking, and no file of the set has them."""
    spare = Question("b:9:1", "b", ("They", "left", "."), 1, ("eat", "left"), 1)
    files = harness_files(
        "holmes", [HARNESS_QUESTION], examples=[spare], version="1.0", canary="c0"
    )
    for name in ("holmes", "holmes_letters"):
        found = [json.loads(files[f"{name}.{split}.jsonl"]) for split in ("test", "fewshot")]
        assert [(record["id"], record["canary"]) for record in found] == [
            ("b:0:3", "c0"),
            ("b:9:1", "c0"),
        ]


def test_letters_run_out():
    many = Question("b:0:1", "b", ("We", "hide"), 1, ("hide", *(f"eat{i}" for i in range(26))), 0)
    files = harness_files("holmes", [HARNESS_QUESTION, many], version="1.0")
    assert "holmes.yaml" in files
    assert not [name for name in files if "letters" in name or "both" in name]


def test_nothing_to_ask_is_no_task():
    """A harness stumbles over an empty file of records."""
    assert harness_files("holmes", [], version="1.0") == {}
