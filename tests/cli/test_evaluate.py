"""`cloze-gen evaluate` from questions to files."""

import hashlib
import json
import shutil

import pytest

from cloze_gen.evaluation import adversary
from cloze_gen.evaluation.questions import ADVERSARIES
from cloze_gen.records.release_facts import verdict_text
from cloze_gen.store.artifacts import Store
from cloze_gen.store.tables import read_jsonl, write_jsonl

QUICK = ("--only", "simple-4gram", "--only", "smoothed-3gram")


def rows_of(folder):
    return {
        row["name"]: row
        for row in json.loads((folder / "evaluation.json").read_text())["baselines"]
    }


@pytest.fixture(scope="module", autouse=True)
def few_trees():
    """What the adversaries find is told elsewhere."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(adversary, "TREES", 3)
        yield


@pytest.fixture(scope="module")
def evaluated(finished, cli, tmp_path_factory):
    """A copy of the finished run, evaluated whole with one worker."""
    out = tmp_path_factory.mktemp("evaluated") / "out"
    shutil.copytree(finished.out, out, symlinks=True)
    outcome = cli("evaluate", "tiny", "--out", out, "--workers", "1")
    assert outcome.status == 0, outcome.err
    return out, outcome


def test_a_run_is_evaluated_with_every_baseline(evaluated):
    out, outcome = evaluated
    rows = rows_of(out / "runs" / "tiny" / "evaluation")
    n = len(list(read_jsonl(out / "runs" / "tiny" / "release" / "questions.jsonl")))
    expected = {"random", "focus-model-lowest", "forward-highest", "smoothed-3gram", "smoothed-4gram-lowest", "simple-4gram", "lsa",
                "most-frequent", "shortest", "position-e", "odd-tag-out", "a-an-agreement"}  # fmt: skip
    assert expected <= rows.keys()
    assert {row["kind"] for row in rows.values()} == {
        "adversary",
        "baseline",
        "balanced",
        "bias",
        "random",
    }
    assert all(
        row["n"] == n and row["low"] <= row["accuracy"] <= row["high"] for row in rows.values()
    )
    assert all(name in outcome.out for name in rows)


def test_the_report_shows_it_at_once(evaluated):
    out, outcome = evaluated
    release = out / "runs" / "tiny" / "release"
    page = (release / "report.html").read_text(encoding="utf-8")
    assert "Not measured yet" not in page
    assert "odd-tag-out" in page
    assert "card and report of the release updated" in outcome.err
    verdict = json.loads((release / "release.json").read_text())["verdict"]
    assert verdict_text(verdict) in outcome.out
    assert "provisional" not in verdict[0]
    assert verdict[1].partition(". ")[2].startswith("A classifier trained on")
    for line in (release / "SHA256SUMS").read_text().splitlines():
        digest, name = line.split(maxsplit=1)
        assert hashlib.sha256((release / name.lstrip("*")).read_bytes()).hexdigest() == digest


def test_a_run_without_its_store_is_evaluated_and_its_report_left(
    evaluated, finished, cli, tmp_path
):
    out, _ = evaluated
    run = tmp_path / "runs" / "tiny"
    shutil.copytree(out / "runs" / "tiny", run, symlinks=True)
    before = (run / "release" / "report.html").read_bytes()
    outcome = cli(
        "evaluate",
        run,
        "--out",
        tmp_path,
        "--train",
        finished.corpus.train,
        "--only",
        "most-frequent",
    )
    assert outcome.status == 0, outcome.err
    assert "not updated" in outcome.err
    assert (run / "release" / "report.html").read_bytes() == before


def test_a_rule_of_position_wins_what_stands_there(evaluated):
    """Each of them is right as often as the released answers stand at its place."""
    out, _ = evaluated
    rows = rows_of(out / "runs" / "tiny" / "evaluation")
    places = [
        record["answer_index"]
        for record in read_jsonl(out / "runs" / "tiny" / "release" / "questions.jsonl")
    ]
    assert [rows[f"position-{letter}"]["correct"] for letter in "abcde"] == [
        places.count(i) for i in range(5)
    ]


def test_dealt_positions_are_no_evidence(evaluated, cli, tmp_path):
    out, _ = evaluated
    records = list(read_jsonl(out / "runs" / "tiny" / "release" / "questions.jsonl"))
    for record in records[:6]:  # the answer goes to the first place
        options, place = record["options"], record["answer_index"]
        options[0], options[place], record["answer_index"] = options[place], options[0], 0
    write_jsonl(tmp_path / "uneven.jsonl", records)
    kinds = {}
    for name, questions in (
        ("dealt", out / "runs" / "tiny" / "release" / "questions.jsonl"),
        ("uneven", tmp_path / "uneven.jsonl"),
    ):
        copied = shutil.copyfile(questions, tmp_path / f"{name}.questions.jsonl")
        outcome = cli(
            "evaluate",
            copied,
            "--out",
            tmp_path / "new",
            "--write-to",
            tmp_path / name,
            "--only",
            "bias",
            "--only",
            "balanced",
        )
        assert outcome.status == 0, outcome.err
        rows = rows_of(tmp_path / name)
        kinds[name] = {rows[f"position-{letter}"]["kind"] for letter in "abcde"}
        assert rows["longest"]["kind"] == "bias"
    assert kinds == {"dealt": {"balanced"}, "uneven": {"bias"}}


def test_predictions_tell_the_accuracies(evaluated):
    """One option an item is chosen by every baseline, and counting the right ones gives the table."""
    out, _ = evaluated
    folder = out / "runs" / "tiny" / "evaluation"
    rows, predicted = rows_of(folder), list(read_jsonl(folder / "predictions.jsonl"))
    for name, row in rows.items():
        if name == "random":
            continue
        chosen = [line for line in predicted if line["baseline"] == name and line["chosen"]]
        assert len({line["id"] for line in chosen}) == len(chosen) == row["n"]
        # a mean over rounds: the share of them that chose the answer
        if row["kind"] == "adversary":
            told = [
                line["score"]
                for line in predicted
                if line["baseline"] == name and line["is_answer"]
            ]
            assert sum(told) / row["n"] == pytest.approx(row["accuracy"])
        else:
            assert sum(line["is_answer"] for line in chosen) == row["correct"]


def test_the_adversary_comes_first(evaluated):
    out, outcome = evaluated
    run = out / "runs" / "tiny"
    rows = json.loads((run / "evaluation" / "evaluation.json").read_text())["baselines"]
    assert (
        [row["name"] for row in rows if row["kind"] == "adversary"]
        == [row["name"] for row in rows[:9]]
        == list(ADVERSARIES)
    )
    assert all({way["family"] for way in row["variants"]} == {"trees", "logit"} for row in rows[:9])
    line = next(
        line
        for line in outcome.out.splitlines()
        if line.startswith("A classifier trained on the five scores")
    )
    assert line in (run / "release" / "README.md").read_text(encoding="utf-8")
    assert line in (run / "release" / "report.html").read_text(encoding="utf-8")
    assert outcome.out.splitlines()[1].startswith("adversary-scores")


def test_adversaries_alone_give_the_same_bytes_again(evaluated, cli, tmp_path):
    out, _ = evaluated
    asked = ("adversary-scores", "adversary-options")
    for name, workers in (("one", "1"), ("two", "2")):
        only = [argument for row in asked for argument in ("--only", row)]
        outcome = cli(
            "evaluate",
            "tiny",
            "--out",
            out,
            *only,
            "--workers",
            workers,
            "--write-to",
            tmp_path / name,
        )
        assert outcome.status == 0, outcome.err
    one, two = (tmp_path / name / "predictions.jsonl" for name in ("one", "two"))
    assert one.read_bytes() == two.read_bytes()
    rows, others = (list(rows_of(tmp_path / name).values()) for name in ("one", "two"))
    assert rows == others
    assert rows == [
        row
        for row in rows_of(out / "runs" / "tiny" / "evaluation").values()
        if row["name"] in asked
    ]


def test_few_questions_and_no_corpus_leave_adversaries_out(evaluated, cli, tmp_path):
    out, _ = evaluated
    release = out / "runs" / "tiny" / "release"
    for part in ("questions", "answers"):
        shutil.copyfile(release / f"tiny.machine_format.{part}.txt", tmp_path / f"q.{part}.txt")
    where = ("--out", tmp_path / "new", "--only", "adversary", "--write-to")
    outcome = cli("evaluate", tmp_path / "q.questions.txt", *where, tmp_path / "file")
    assert outcome.status == 0, outcome.err
    assert set(rows_of(tmp_path / "file")) == {"adversary-options", "adversary-length"}
    assert "left out by book" in outcome.err
    assert all(row["left_out"] for row in rows_of(tmp_path / "file").values())
    write_jsonl(tmp_path / "few.jsonl", list(read_jsonl(release / "questions.jsonl"))[:9])
    outcome = cli("evaluate", tmp_path / "few.jsonl", *where, tmp_path / "few", "--only", "longest")
    assert outcome.status == 0, outcome.err
    assert set(rows_of(tmp_path / "few")) == {"longest"}
    assert "too few" in outcome.out
    assert (
        "too few"
        in json.loads((tmp_path / "few" / "evaluation.json").read_text())["left_out"][
            "adversary-scores"
        ]
    )


def test_a_second_evaluation_trains_nothing(evaluated, cli, digests):
    """The store is left as it was and the figures are the same."""
    out, _ = evaluated
    folder = out / "runs" / "tiny" / "evaluation"
    store, before = (
        digests(out / "store"),
        {name: row["correct"] for name, row in rows_of(folder).items()},
    )
    outcome = cli("evaluate", "tiny", "--out", out, "--only", "baseline")
    assert outcome.status == 0, outcome.err
    after = {name: row["correct"] for name, row in rows_of(folder).items()}
    assert digests(out / "store") == store
    assert after == before, "rows not asked for now stay, the others are the same"


def test_rows_of_another_signature_do_not_stay(evaluated, cli, tmp_path):
    out, _ = evaluated
    for only, seed, names in (
        ("longest", 1, {"longest"}),
        ("shortest", 1, {"longest", "shortest"}),
        ("lsa", 2, {"lsa"}),
    ):
        outcome = cli(
            "evaluate",
            "tiny",
            "--out",
            out,
            "--only",
            only,
            "--seed",
            str(seed),
            "--write-to",
            tmp_path / "here",
        )
        assert outcome.status == 0, outcome.err
        assert set(rows_of(tmp_path / "here")) == names
        assert {
            row["baseline"] for row in read_jsonl(tmp_path / "here" / "predictions.jsonl")
        } == names


def test_a_machine_file_shares_the_models(evaluated, finished, cli, digests):
    out, _ = evaluated
    store = {name.split("/")[0] for name in digests(out / "store")}
    questions = out / "runs" / "tiny" / "release" / "tiny.machine_format.questions.txt"
    outcome = cli("evaluate", questions, "--train", finished.corpus.train, "--out", out, *QUICK)
    assert outcome.status == 0, outcome.err
    assert {name.split("/")[0] for name in digests(out / "store")} == store
    (folder,) = (
        path for path in (out / "evaluations").iterdir() if not path.name.startswith("tiny-")
    )
    scores = [
        [
            line["score"]
            for line in read_jsonl(place / "predictions.jsonl")
            if line["baseline"] in ("simple-4gram", "smoothed-3gram")
        ]
        for place in (out / "runs" / "tiny" / "evaluation", folder)
    ]
    assert sorted(scores[0]) == pytest.approx(sorted(scores[1]))


@pytest.mark.slow
def test_the_models_do_not_depend_on_the_workers(evaluated, finished, cli, digests, tmp_path):
    """One worker or two: the same bytes."""
    out, _ = evaluated
    shutil.copytree(finished.out, tmp_path / "out", symlinks=True)
    assert (
        cli(
            "evaluate", "tiny", "--out", tmp_path / "out", "--workers", "2", *QUICK, "--only", "lsa"
        ).status
        == 0
    )
    one, two = digests(out / "store"), digests(tmp_path / "out" / "store")
    trained = {name for name in two if name.startswith(("eval-", "lsa-"))}
    assert len({name.split("/")[0] for name in trained}) == 3
    assert {name: two[name] for name in trained} == {name: one[name] for name in trained}


def test_scores_of_your_own(evaluated, cli, tmp_path):
    """A file of option scores is one more row; scores that know the answers get all of them right."""
    out, _ = evaluated
    records = list(read_jsonl(out / "runs" / "tiny" / "release" / "questions.jsonl"))
    scores = tmp_path / "mine.jsonl"
    write_jsonl(
        scores,
        (
            {"id": row["id"], "scores": [float(i == row["answer_index"]) for i in range(5)]}
            for row in records
        ),
    )
    target = tmp_path / "here"
    outcome = cli(
        "evaluate", "tiny", "--out", out, "--scores", scores, "--only", "user", "--write-to", target
    )
    assert outcome.status == 0, outcome.err
    row = rows_of(target)["user:mine"]
    assert (row["accuracy"], row["kind"]) == (1.0, "user")


def test_without_a_training_corpus_the_rest_is_evaluated(evaluated, cli, tmp_path):
    """What needs a corpus is left out and named; rules of length and place are computed."""
    out, _ = evaluated
    for part in ("questions", "answers"):
        shutil.copyfile(
            out / "runs" / "tiny" / "release" / f"tiny.machine_format.{part}.txt",
            tmp_path / f"q.{part}.txt",
        )
    outcome = cli(
        "evaluate", tmp_path / "q.questions.txt", "--out", tmp_path / "new", "--only", "longest"
    )
    assert outcome.status == 0, outcome.err
    assert not Store(tmp_path / "new").store.joinpath("counts").exists()
    assert "longest" in outcome.out
    refused = cli(
        "evaluate", tmp_path / "q.questions.txt", "--out", tmp_path / "new", "--only", "lsa"
    )
    assert refused.status == 2
    assert "--train" in refused.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nowhere",), "neither a run"),
        (("{release}/harness",), "not a run (no run.json in it) or a release"),
        (("{release}/tiny.human_format.questions.txt",), "expected a line such as"),
        (("{release}/tiny.machine_format.questions.txt", "--answers", "gone.txt"), "No such file"),
        (
            ("tiny", "--answers", "{release}/tiny.human_format.answers.txt"),
            "a run has its own answers",
        ),
    ],
)
def test_mistakes_are_one_message(evaluated, cli, arguments, said):
    """Each mistake of a user ends in one message that says what to do."""
    out, _ = evaluated
    release = out / "runs" / "tiny" / "release"
    outcome = cli(
        "evaluate",
        *(argument.format(release=release) for argument in arguments),
        "--out",
        out,
        "--only",
        "longest",
    )
    assert outcome.status != 0
    assert said in outcome.err


def test_a_set_has_one_name(evaluated, cli, tmp_path):
    """A run by name, folder or its release's folder; a copy of the release is a set of its own."""
    out, _ = evaluated
    run = out / "runs" / "tiny"
    copy = shutil.copytree(run / "release", tmp_path / "copy")
    texts = []
    for place in ("tiny", run, run / "release", copy):
        call = ("evaluate", place, "--out", out, "--only", "longest")
        outcome = cli(*call, "--write-to", tmp_path / f"to{len(texts)}")
        assert outcome.status == 0, outcome.err
        texts.append((tmp_path / f"to{len(texts)}" / "evaluation.json").read_text())
    assert texts[0] == texts[1] == texts[2]
    assert "|n:" in json.loads(texts[3])["signature"]
    assert json.loads(texts[3])["baselines"][0]["correct"] == json.loads(texts[0])["baselines"][0]["correct"]  # fmt: skip


# ---- one rule for all kinds of items

OPTIONS = ("write", "climb", "see", "be", "go")
BLANKED = {
    "eid": 1, "passage": ["The ferry is small.", "<1>", "Bring warm clothes.", "<2>"], "number_of_blanks": 2, "candidate_length": 3,
    "candidates": ["Crossing takes an hour.", "The wind is cold.", "Bread is sold here."], "answer_sequence": [[1, 0], [2, 1]],
}  # fmt: skip
ITEM_FILES = {
    "questions": {
        "x.questions.txt": "".join(
            f"1{letter}) I could [{word}] it .\n"
            for letter, word in zip("abcde", OPTIONS, strict=True)
        ),
        "x.answers.txt": "1b) I could [climb] it .\n",
    },
    "passages": {
        "x_plain_text.txt": "the ferry lay by the landing all night long . who called the ferryman at the ferry ? "
        ""
        "it was the ferry\n"
    },
    "blanks": {"test.json": json.dumps([BLANKED])},
}
# Kind of items -> a baseline that needs books, a kind of baselines of which some need books, one
# that does not, one that does.
NEEDS = {
    "questions": ("lsa", "balanced", "longest", "most-frequent"),
    "passages": ("n-gram", "random", "random word", "random vocabulary word"),
    "blanks": ("lsa", "surface", "overlap", "cues"),
}


@pytest.fixture(params=ITEM_FILES)
def items(request, tmp_path):
    """A small file of each kind of items, and no books."""
    for name, text in ITEM_FILES[request.param].items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return request.param, tmp_path / next(iter(ITEM_FILES[request.param]))


@pytest.mark.parametrize(
    ("only", "said"),
    [
        (["user"], "--only user: no scores file; pass --scores FILE"),
        (["{named}"], "--only {named}: no training corpus; pass --train DIR"),
        (["{named}", "{measured}"], "--only {named}: no training corpus; pass --train DIR"),
        (["lsi"], "--only 'lsi': unknown baseline of"),
    ],
)
def test_what_cannot_be_measured_by_name_is_an_error(only, said, items, cli, tmp_path):
    """The same status, the same words and nothing written, whatever the kind of the items."""
    kind, path = items
    named, _, measured, _ = NEEDS[kind]
    words = {"named": named, "measured": measured, "gone": tmp_path / "gone.jsonl"}
    given = [part for word in only for part in ("--only", word.format(**words))]
    outcome = cli("evaluate", path, "--out", tmp_path / "out", *given)
    assert outcome.status == 2, outcome.err
    assert said.format(**words) in outcome.err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("scores", "said"),
    [
        (["{gone}"], "cannot be read as a file of scores"),
        (["a/x.jsonl", "b/x.jsonl"], "Two files would give the same row 'user:x'"),
    ],
)
def test_wrong_files_of_scores_are_refused(scores, said, items, cli, tmp_path):
    files = [one.format(gone=tmp_path / "gone.jsonl") for one in scores]
    outcome = cli(
        "evaluate", items[1], "--out", tmp_path / "out", "--only", "user", "--scores", *files
    )
    assert outcome.status == 2, outcome.err
    assert said in outcome.err
    assert not (tmp_path / "out").exists()


def test_of_a_kind_what_can_be_measured_is(items, cli, tmp_path):
    kind, path = items
    _, some, measured, lacking = NEEDS[kind]
    outcome = cli(
        "evaluate", path, "--out", tmp_path / "out", "--only", some, "--write-to", tmp_path / "here"
    )
    assert outcome.status == 0, outcome.err
    record = json.loads((tmp_path / "here" / "evaluation.json").read_text(encoding="utf-8"))
    assert measured in {row["name"] for row in record["baselines"]}
    assert lacking not in {row["name"] for row in record["baselines"]}
    assert record["left_out"][lacking] == "no training corpus; pass --train DIR"
    [line] = [
        line
        for line in outcome.out.splitlines()
        if line.startswith("left out: ") and lacking in line
    ]
    assert line.endswith("(no training corpus; pass --train DIR)")
