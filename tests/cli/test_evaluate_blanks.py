"""`cloze-gen evaluate` from blanked passages to files."""

import json
import shutil

import pytest

from cloze_gen.evaluation.blank_baselines import BLANK_BASELINES, adjacent_sentences
from cloze_gen.evaluation.blanks import Direction
from cloze_gen.evaluation.sets import read_cloze_examples
from cloze_gen.store.tables import read_jsonl, write_jsonl

# Of our own words, in the shape of the paper's Table 1: five blanks, the first of them opening the
# passage, a stray full stop behind the fourth, the last without anything behind it; seven
# candidates, of which 2 and 6 are distractors; answers in no order.
EXAMPLE = {
    "eid": 3,
    "passage": [
        "<1>", "The ferry is small and the lake is wide.", "Bring warm clothes.", "<2>", "The wind is cold even in July.",
        "Pay the ferryman on board.", "<3>", "He gives no change.", "<4>", ".", "Follow the path to the lighthouse.", "<5>",
    ],
    "candidates": [
        "Climb to the lamp for a view of both shores.", "Have coins ready for him.", "The museum opens at nine.", "Crossing takes an hour.",
        "Coats and gloves are best.", "The island has one landing.", "Bread is sold on the pier.",
    ],
    "answer_sequence": [[3, 1], [1, 3], [5, 0], [2, 4], [4, 5]],
    "number_of_blanks": 5,
    "candidate_length": 7,
}  # fmt: skip
# Scores by hand: candidate 1 pleases the second blank more than its own answer does, and the last
# blank takes a distractor.
SCORES = [
    [0.0, 0.0, 0.0, 0.9, 0.0, 0.0, 0.0],
    [0.0, 0.7, 0.0, 0.0, 0.6, 0.0, 0.0],
    [0.0, 0.9, 0.0, 0.0, 0.1, 0.0, 0.0],
    [0.0, 0.0, 0.0, 0.0, 0.0, 0.5, 0.0],
    [0.5, 0.0, 0.8, 0.0, 0.0, 0.0, 0.0],
]


def write_items(path, *items):
    path.write_text(json.dumps(list(items), indent=1), encoding="utf-8")
    return path


def rows_of(folder):
    record = json.loads((folder / "evaluation.json").read_text(encoding="utf-8"))
    return {(row["name"], row["context"], row["decoder"]): row for row in record["baselines"]}


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    return write_items(tmp_path_factory.mktemp("published") / "test.json", EXAMPLE)


@pytest.fixture(scope="module")
def measured(published, cli):
    """The example, measured with all that needs no books, and the call."""
    out = published.parent
    write_jsonl(out / "mine.jsonl", [{"id": 3, "scores": SCORES}])
    train = write_items(
        out / "train.json",
        EXAMPLE | {"eid": 9, "candidates": [*EXAMPLE["candidates"][:6], "Bread is dear."]},
    )
    outcome = cli(
        "evaluate",
        published,
        "--out",
        out / "out",
        "--train",
        train,
        "--scores",
        out / "mine.jsonl",
        "--write-to",
        out / "here",
    )
    assert outcome.status == 0, outcome.err
    return out / "here", outcome


def test_scores_by_hand(measured):
    """Left to right blank 2 takes blank 3's answer; three of five, then four of five are right."""
    rows = rows_of(measured[0])
    greedy, joint = rows["user:mine", "", "INC"], rows["user:mine", "", "EXH"]
    assert [greedy[name] for name in ("n", "blanks", "ba", "ba_micro", "pa", "de")] == [
        1,
        5,
        pytest.approx(0.4),
        pytest.approx(0.4),
        0.0,
        1.0,
    ]
    assert [joint[name] for name in ("n", "blanks", "ba", "ba_micro", "pa", "de")] == [
        1,
        5,
        pytest.approx(0.8),
        pytest.approx(0.8),
        0.0,
        1.0,
    ]
    (line,) = (
        row
        for row in read_jsonl(measured[0] / "predictions.jsonl")
        if row["baseline"] == "user:mine"
    )
    assert line == {
        "baseline": "user:mine", "id": "3", "context": "", "decoder": "EXH", "answers": [3, 4, 1, 5, 2],
        "right": [True, True, True, True, False], "distractors": [2],
    }  # fmt: skip


def test_every_context_and_decoder_is_measured(measured):
    folder, outcome = measured
    rows = rows_of(folder)
    chance = rows["random", "", ""]
    assert [f"{100 * chance['ba']:.2f}", f"{chance['de']:.3f}", round(1 / chance["pa"])] == [
        "14.29",
        "1.429",
        2520,
    ]
    contexts = {(context, decoder) for name, context, decoder in rows if name == "pmi-2"}
    assert contexts == {
        (context, decoder)
        for context in ("P", "N", "AP", "AN", "P+N", "AP+AN")
        for decoder in ("INC", "EXH")
    }
    assert (
        "left out: cues, cues-learnt, lsa, language-model (no training corpus; pass "
        "--train DIR)" in outcome.out
    )
    assert "pmi-2 + EXH" in outcome.out
    assert "rule (candidates only)" in outcome.out
    record = json.loads((folder / "evaluation.json").read_text(encoding="utf-8"))
    assert (record["items"], record["n"], record["blanks"], record["trained_on"]) == (
        "blanked passages",
        1,
        5,
        1,
    )
    assert "|learnt:" in record["signature"]


def test_predictions_are_one_line_a_passage_and_baseline(measured):
    """Of the main table's row; what is right there is what the row counts."""
    rows, lines = rows_of(measured[0]), list(read_jsonl(measured[0] / "predictions.jsonl"))
    assert len({line["baseline"] for line in lines}) == len(lines)
    for line in lines:
        row = rows[line["baseline"], line["context"], line["decoder"]]
        assert sum(line["right"]) == round(row["ba"] * 5)
        assert len(line["distractors"]) == row["de"]


def test_the_first_blank_has_nothing_before_it(published):
    """The published code uses the passage's last sentence, or a stray full stop."""
    (asked,) = read_cloze_examples(published).passages
    beside = adjacent_sentences(asked.passage)
    read = {
        direction: [
            [asked.passage.sentences[i] for i in row.nonzero()[0]] for row in beside[direction]
        ]
        for direction in (Direction.P, Direction.N)
    }
    assert read == {
        Direction.P: [
            [], ["Bring warm clothes."], ["Pay the ferryman on board."], ["He gives no change."], ["Follow the path to the lighthouse."],
        ],
        Direction.N: [
            ["The ferry is small and the lake is wide."], ["The wind is cold even in July."], ["He gives no change."],
            ["Follow the path to the lighthouse."], [],
        ],
    }  # fmt: skip


def test_the_marks_of_other_blanks_are_no_text(published, cli, tmp_path):
    """The published code leaves `<k>` in the context, which favours candidates with it."""
    (asked,) = read_cloze_examples(published).passages
    assert not any(
        "<" in token or ">" in token for sentence in asked.sentences for token in sentence
    )
    marked = [f"{text} <{number}>" for number, text in enumerate(EXAMPLE["candidates"], 1)]
    plain, other = tmp_path / "plain", tmp_path / "marked"
    items = write_items(tmp_path / "marked.json", EXAMPLE | {"candidates": marked})
    for path, folder in ((published, plain), (items, other)):
        outcome = cli(
            "evaluate", path, "--out", tmp_path, "--only", "overlap", "--write-to", folder
        )
        assert outcome.status == 0, outcome.err
    answers = [
        next(iter(read_jsonl(folder / "predictions.jsonl")))["answers"] for folder in (plain, other)
    ]
    assert answers[0] == answers[1]


def test_answers_belong_to_their_blanks(published, cli, tmp_path):
    """The published code takes answers in the order of the file."""
    ordered = write_items(
        tmp_path / "ordered.json", EXAMPLE | {"answer_sequence": sorted(EXAMPLE["answer_sequence"])}
    )
    write_jsonl(tmp_path / "mine.jsonl", [{"id": 3, "scores": SCORES}])
    found = []
    for path in (published, ordered):
        options = (
            "--only",
            "overlap",
            "--scores",
            tmp_path / "mine.jsonl",
            "--write-to",
            tmp_path / path.stem,
        )
        assert cli("evaluate", path, "--out", tmp_path, *options).status == 0
        found.append(rows_of(tmp_path / path.stem))
    assert found[0] == found[1]


def test_blanks_numbered_out_of_order_are_answered_as_they_stand(cli, tmp_path):
    """The numbers name rows of scores; left to right is the order in the text."""
    shown = {"<1>": "<2>", "<2>": "<1>"}
    item = EXAMPLE | {
        "passage": [shown.get(text, text) for text in EXAMPLE["passage"]],
        "answer_sequence": [
            [{1: 2, 2: 1}.get(blank, blank), candidate]
            for blank, candidate in EXAMPLE["answer_sequence"]
        ],
    }
    scores = [SCORES[1], [0.0, 0.9, 0.0, 0.1, 0.0, 0.0, 0.0], *SCORES[2:]]
    write_jsonl(tmp_path / "mine.jsonl", [{"id": "3", "scores": scores}])
    path = write_items(tmp_path / "turned.json", item)
    options = ("--only", "user", "--scores", tmp_path / "mine.jsonl", "--write-to", tmp_path / "w")
    assert cli("evaluate", path, "--out", tmp_path, *options).status == 0
    rows = rows_of(tmp_path / "w")
    assert rows["user:mine", "", "INC"]["ba"] == pytest.approx(0.4), (
        "the blank that opens the passage takes candidate 1; 4 and 5 are right"
    )


def test_rows_stay_until_the_passages_are_others(published, cli, tmp_path):
    folder = tmp_path / "here"
    for only in ("rules", "overlap", "random", "overlap"):
        outcome = cli(
            "evaluate", published, "--out", tmp_path, "--only", only, "--write-to", folder
        )
        assert outcome.status == 0, outcome.err
    record = json.loads((folder / "evaluation.json").read_text(encoding="utf-8"))
    assert {row["name"] for row in record["baselines"]} == {"overlap", "random"}
    assert [row["name"] for row in record["rules"]][:2] == ["printed first", "printed as 1"]
    predictions = (folder / "predictions.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(set(predictions)) == len(predictions) > 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ("{published}", "--only", "pmi-2"),
            "--only pmi-2: no passages to learn from; give --train FILE",
        ),
        (("{published}", "--train", "{published}"), "contains the passages that are measured"),
        (("{empty}",), "has no blanked passages outside part `train`"),
    ],
)
def test_mistakes_are_one_message(published, cli, tmp_path, arguments, said):
    """Each mistake of a user ends in one message that says what to do, and nothing is written."""
    places = {
        "published": published,
        "empty": write_items(tmp_path / "empty.json"),
    }
    outcome = cli(
        "evaluate", *(one.format(**places) for one in arguments), "--out", tmp_path / "out"
    )
    assert outcome.status != 0
    assert said in outcome.err
    assert len(outcome.err.strip().splitlines()) == 1
    assert not (tmp_path / "out" / "evaluations").exists()


@pytest.mark.realdata
def test_the_papers_example_by_hand(data_dir, cli, tmp_path):
    """Table 1: four of five by hand, a distractor for the fourth."""
    path = data_dir / "published" / "scde" / "table1_example.json"
    if not path.is_file():
        pytest.skip("the paper's example is not unpacked (make data SHARED=DIR)")
    (asked,) = read_cloze_examples(path).passages
    assert asked.passage.answers == (5, 4, 0, 3, 1)
    assert asked.passage.distractors == (2, 6)
    beside = adjacent_sentences(asked.passage)
    begins = {
        direction: [
            asked.passage.sentences[int(row.argmax())][:12] if row.any() else ""
            for row in beside[direction]
        ]
        for direction in (Direction.P, Direction.N)
    }
    assert begins == {
        Direction.P: [
            "And it is ev",
            "You won't go",
            "You surely d",
            "Check the co",
            "If you act f",
        ],
        Direction.N: ["The followin", "In addition,", "Don't expect", "The Internet", ""],
    }
    scores = [[0.0] * 7 for _ in range(5)]
    for blank, candidate in enumerate((5, 4, 0, 6, 1)):
        scores[blank][candidate] = 1.0
    write_jsonl(tmp_path / "mine.jsonl", [{"id": 0, "scores": scores}])
    options = ("--only", "user", "--scores", tmp_path / "mine.jsonl", "--write-to", tmp_path / "w")
    assert cli("evaluate", path, "--out", tmp_path, *options).status == 0
    row = rows_of(tmp_path / "w")["user:mine", "", "EXH"]
    assert [row[name] for name in ("n", "blanks", "ba", "pa", "de")] == [
        1,
        5,
        pytest.approx(0.8),
        0.0,
        1.0,
    ]


@pytest.fixture(scope="module")
def evaluated(scde, tmp_path_factory, cli):
    """A copy of the finished run, evaluated whole."""
    out = tmp_path_factory.mktemp("evaluated") / "out"
    shutil.copytree(scde.out, out, symlinks=True)
    outcome = cli("evaluate", "tiny", "--out", out, "--workers", "1")
    assert outcome.status == 0, outcome.err
    return out, outcome


def test_a_run_is_evaluated_with_every_baseline(evaluated):
    out, outcome = evaluated
    release = out / "runs" / "tiny" / "release"
    parts = [row["part"] for row in read_jsonl(release / "passages.jsonl")]
    record = json.loads(
        (out / "runs" / "tiny" / "evaluation" / "evaluation.json").read_text(encoding="utf-8")
    )
    assert record["n"] == len(parts) - parts.count("train")
    assert record["trained_on"] == parts.count("train")
    assert record["left_out"] == {}
    assert {row["name"] for row in record["baselines"]} == {row.name for row in BLANK_BASELINES}
    assert all(row["ba_low"] <= row["ba"] <= row["ba_high"] for row in record["baselines"])
    assert "|trained:" in record["signature"]
    assert "left out" not in outcome.out
    page = (release / "report.html").read_text(encoding="utf-8")
    assert "Not measured yet" not in page
    assert "language-model" in page


def test_the_same_figures_each_time(evaluated, cli, tmp_path):
    """A second evaluation trains nothing and finds what the first found."""
    out, _ = evaluated
    outcome = cli(
        "evaluate", "tiny", "--out", out, "--workers", "1", "--write-to", tmp_path / "again"
    )
    assert outcome.status == 0, outcome.err
    assert "blank-lsa:" not in outcome.err
    first, second = (
        rows_of(folder) for folder in (out / "runs" / "tiny" / "evaluation", tmp_path / "again")
    )
    assert first == second


def test_a_run_beside_itself_differs_in_nothing(evaluated, cli):
    """`compare` has its blank accuracies, and their paired difference on the passages of both."""
    outcome = cli("compare", "tiny", "tiny", "--out", evaluated[0])
    assert outcome.status == 0, outcome.err
    assert "overlap, AP+AN" in outcome.out
    assert "blank accuracy on passages in both" in outcome.out
    assert "+0.0 (+0.0 to +0.0) over" in outcome.out


def test_what_a_model_is_asked_can_be_answered(evaluated, cli, tmp_path):
    out, _ = evaluated
    outcome = cli("export-requests", "tiny", "--out", out, "--to", tmp_path / "asked.jsonl")
    assert outcome.status == 0, outcome.err
    assert "--scores" in outcome.err
    asked = list(read_jsonl(tmp_path / "asked.jsonl"))
    key = {
        row["id"]: row
        for row in read_jsonl(out / "runs" / "tiny" / "release" / "passages.jsonl")
        if row["part"] != "train"
    }
    assert sorted(row["id"] for row in asked) == sorted(key)
    answers = [
        {"id": row["id"], "scores": [[float(i == key[row["id"]]["answers"][number]) for i, _ in enumerate(row["candidates"])]
                                     for number, _ in enumerate(row["blanks"])]}
        for row in asked
    ]  # fmt: skip
    write_jsonl(tmp_path / "knows.jsonl", answers)
    options = ("--only", "user", "--scores", tmp_path / "knows.jsonl", "--write-to", tmp_path / "w")
    assert cli("evaluate", "tiny", "--out", out, *options).status == 0
    row = rows_of(tmp_path / "w")["user:knows", "", "EXH"]
    assert [row["ba"], row["pa"], row["de"]] == [1.0, 1.0, 0.0]
