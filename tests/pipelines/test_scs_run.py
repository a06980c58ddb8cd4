"""The SCS-style run on the embedded sample, end to end."""

import json
import re
import shutil
from pathlib import Path

import pytest

from cloze_gen.adapters.spacy_tokenizer import chunk_tokenizer
from cloze_gen.api.run import make_task
from cloze_gen.formats.msr import parse_machine
from cloze_gen.recipes.scs.inflections import read_inflections
from cloze_gen.release.items.questions import QUESTION_ITEMS
from cloze_gen.rng import stable_fraction
from cloze_gen.store.runs import stage_artifact
from cloze_gen.store.tables import read_jsonl, read_parquet
from tests.conftest import SAMPLE, call_cli


@pytest.fixture(scope="module")
def scs(scs_run, tmp_path_factory):
    """The output folder of a copy of the finished run; tests write beside it."""
    return scs_run.copy(tmp_path_factory.mktemp("scs") / "copy").out


@pytest.fixture
def release(scs):
    return scs / "runs" / "scs-style" / "release"


def task(out, *overrides):
    return make_task(
        config="scs-style",
        train="",
        source="",
        name="",
        out=out,
        workers=1,
        seed=1,
        overrides=overrides,
    )


def test_no_stage_depends_on_a_language_model(tmp_path):
    """No statistic of word-to-word relations of the books below the run: no model, index or contexts."""
    names = {stage.key.stage for stage in task(tmp_path).stages}
    assert not names & {"lm", "index", "contexts", "text", "alternates", "forward"}


def drawn(out, run="scs-style"):
    return read_parquet(
        stage_artifact(out / "runs" / run, "draw").path("drawn.parquet")
    ).to_pylist()


@pytest.mark.slow
def test_the_screen_draws_nothing(scs, tmp_path, cli):
    """With the limit 1, the same questions are drawn, and all are kept."""
    out = tmp_path / "out"
    shutil.copytree(scs, out, symlinks=True)
    arguments = ("--set", "draw.max_ambiguity=1", "--name", "open", "--out", out, "--workers", "1")
    outcome = cli("run", "scs-sample", *arguments)
    assert outcome.status == 0, outcome.err
    screened, unscreened = drawn(out), drawn(out, "open")
    assert 0 < sum(row["kept"] for row in screened) < len(screened)
    assert unscreened == [row | {"kept": True} for row in screened]
    card = (out / "runs" / "open" / "release" / "README.md").read_text(encoding="utf-8")
    assert "screen: off" in card


def test_each_word_is_counted_once_in_the_funnel(scs):
    """A sentence without focus word, or each of its words: drawn, or rejected with its own reason."""
    draw = stage_artifact(scs / "runs" / "scs-style", "draw")
    rejected = read_parquet(draw.path("rejected.parquet"))["id"].to_pylist()
    kept = {row["id"] for row in drawn(scs) if row["kept"]}
    ids = [*rejected, *kept]
    assert len(set(ids)) == len(ids) == draw.funnel["seen"]


def test_the_sample_makes_a_set(scs, release):
    questions = QUESTION_ITEMS.read(stage_artifact(scs / "runs" / "scs-style", "questions").folder)
    n = len(questions)
    assert n >= 20
    text, answers = (
        (release / f"SCS_{n}_machine_{kind}.txt").read_text(encoding="ascii")
        for kind in ("questions", "answers")
    )
    parsed = parse_machine(text, answers)
    assert [(q.tokens, q.options, q.answer_index) for q in parsed] == [
        (q.tokens, q.options, q.answer_index) for q in questions
    ]
    ranks = [
        [
            int(line)
            for line in (release / f"SCS_{n}_randex_{half}.txt").read_text("ascii").splitlines()
        ]
        for half in "AB"
    ]
    assert sorted(ranks[0] + ranks[1]) == list(range(n))
    assert all(rank % 2 == half for half in (0, 1) for rank in ranks[half])


def test_questions_keep_order_and_rebuild_their_source(release):
    records = list(read_jsonl(release / "questions.jsonl"))
    places = [stable_fraction("scs.order", record["id"].rpartition(":")[0]) for record in records]
    assert places == sorted(places)
    for record in records:
        source = record["source"]
        assert (
            source["tokens"][source["position"]]
            == record["answer"]
            == record["tokens"][record["position"]]
        )
        assert len({*record["options"]}) == 5


def test_every_option_is_a_form_of_the_table(scs, release):
    table = {
        (cell.lemma, cell.tag): cell
        for cell in read_inflections(stage_artifact(scs / "runs" / "scs-style", "inflections"))
    }
    for record in read_jsonl(release / "questions.jsonl"):
        cells = {
            option["word"]: table[option["lemma"], record["answer_tag"]]
            for option in record["option_scores"]
        }
        answer = cells[record["answer"]]
        for word, cell in cells.items():
            assert cell.form == word
            assert cell.trait == answer.trait
            assert set(answer.cells.split("+")) <= set(cell.cells.split("+"))


@pytest.mark.slow
def test_a_book_taken_away_changes_no_other_impostor(scs, tmp_path, cli):
    """Given the same training books, the focus words and impostors of a book are its own."""
    sample, place = Path(__file__).parents[2] / "corpora" / "sample", tmp_path / "out"
    shutil.copytree(scs, place, symlinks=True)
    (tmp_path / "source").mkdir()
    book = sorted((sample / "source").glob("*.txt"))[1]
    shutil.copyfile(book, tmp_path / "source" / book.name)
    arguments = (
        "--train",
        sample / "train",
        "--source",
        tmp_path / "source",
        "--out",
        place,
        "--workers",
        "1",
        "--name",
        "one",
    )
    outcome = cli("run", "scs-sample", *arguments)
    assert outcome.status == 0, outcome.err
    assert "(questions.n_questions asks for 60; the funnel shows why" in outcome.err
    both, alone = (
        [row for row in drawn(place, run) if row["id"].startswith(book.stem)]
        for run in ("scs-style", "one")
    )
    assert len(alone) > 10
    assert both == alone


@pytest.mark.slow
def test_books_are_ranked_by_similarity(scs, release, cli):
    sample = Path(__file__).parents[2] / "corpora" / "sample"
    call = ("corpus", "rank", sample / "source", "--reference", release / "questions.jsonl")
    ranked = cli(*call, "--out", scs, "--workers", "1")
    assert ranked.status == 0, ranked.err
    rows = [line.split() for line in ranked.out.splitlines()[2:]]
    assert {row[0] for row in rows} == {path.stem for path in (sample / "source").glob("*.txt")}
    similarities = [float(row[2]) for row in rows]
    assert similarities == sorted(similarities, reverse=True)
    assert all(0 < similarity <= 1 for similarity in similarities)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("stage", "settings", "reason"),
    [
        (
            "sentences",
            ("sentences.max_content_words=900", "sentences.min_content_words=900"),
            "sentence_few_content_words",
        ),
        ("draw", ("draw.min_freq=0", "draw.max_freq=1e-7"), "no_content_word_within_limits"),
        ("draw", ("draw.max_ambiguity=1e-9",), "screen_ambiguous"),
    ],
)
def test_a_set_without_questions_says_which_step_lost_them(
    scs,
    tmp_path,
    cli,
    stage,
    settings,
    reason,
):
    out = tmp_path / "out"
    shutil.copytree(scs, out, symlinks=True)
    before = set((out / "store").glob(f"{stage}-*"))
    for _ in range(2):
        outcome = cli(
            "run",
            "scs-style",
            "--name",
            "other",
            *(part for one in settings for part in ("--set", one)),
            "--out",
            out,
            "--workers",
            "1",
        )
        assert outcome.status == 1
        said = outcome.err.splitlines()[-1]
        assert re.match(rf"cloze-gen: {stage}: none of [\d,]+ [\w ]+ is kept \(.*\d {reason}", said)
        assert f"relax the settings in [{stage}]" in said
        assert f"You chose '{settings[0]}'" in said
        assert "Earlier stages: " in said
        assert set((out / "store").glob(f"{stage}-*")) == before


def test_adversaries_are_tried_on_it(release, cli, tmp_path, monkeypatch):
    monkeypatch.setattr("cloze_gen.evaluation.adversary.TREES", 3)
    where = ("--out", tmp_path / "new", "--write-to", tmp_path / "here")
    outcome = cli("evaluate", release / "questions.jsonl", *where, "--only", "adversary")
    assert outcome.status == 0, outcome.err
    rows = {
        row["name"]: row
        for row in json.loads((tmp_path / "here" / "evaluation.json").read_text())["baselines"]
    }
    assert (
        {"adversary-options", "adversary-length"}
        <= rows.keys()
        <= {"adversary-options", "adversary-length", "adversary-frequency"}
    )
    assert all(
        {way["family"] for way in row["variants"]} == {"trees", "logit"} for row in rows.values()
    )


@pytest.mark.slow
def test_a_file_of_sentences_is_the_background(tmp_path):
    """In small letters and Penn tokens, as BookCorpus: its words become options, no name does."""
    chunks = chunk_tokenizer()
    texts = [book.read_bytes().decode("latin-1") for book in sorted((SAMPLE / "train").iterdir())]
    sentences = re.findall(r"[A-Z][^.!?]{20,200}[.!?]", " ".join(" ".join(texts).split()))
    lines = (
        " ".join(token for chunk in one.split() for token in chunks(chunk)) for one in sentences
    )
    (tmp_path / "books_large_p1.txt").write_text("\n".join(lines).lower(), encoding="utf-8")
    outcome = call_cli(
        "run", "scs-sample", "--source", SAMPLE / "source", "--train", tmp_path / "books_large_p1.txt",
        "--out", tmp_path / "out",
    )  # fmt: skip
    assert outcome.status == 0, outcome.err
    release = tmp_path / "out" / "runs" / "scs-sample" / "release"
    questions = list(read_jsonl(release / "questions.jsonl"))
    assert len(questions) >= 10
    assert all(word.islower() for question in questions for word in question["options"])
