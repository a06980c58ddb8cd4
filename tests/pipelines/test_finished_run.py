"""What a finished run leaves on disk: links, manifests, a release that can be checked, no path of the machine."""

from __future__ import annotations

import hashlib
import itertools
import json
import re
from pathlib import Path
from typing import Any

import pytest

from cloze_gen.formats.msr.human import format_human
from cloze_gen.formats.msr.lm import format_lm
from cloze_gen.formats.msr.machine import format_machine
from cloze_gen.stages.items.questions import QUESTION_ITEMS
from cloze_gen.store.artifacts import open_artifact
from cloze_gen.store.tables import read_jsonl, read_parquet
from cloze_gen.text.rendering import rendered_tokens


@pytest.fixture(scope="module")
def questions(finished: Any) -> list[dict[str, Any]]:
    return list(read_jsonl(finished.release / "questions.jsonl"))


def stage_folders(run: Path) -> list[Path]:
    return sorted(path for path in run.iterdir() if path.name[:2].isdigit())


def test_links_are_numbered_relative_and_whole(finished: Any) -> None:
    """A run is a folder of numbered links to the stages it used, in order."""
    links = stage_folders(finished.folder)
    assert [int(link.name[:2]) for link in links] == list(range(1, len(links) + 1))
    assert all(link.is_symlink() and not link.readlink().is_absolute() and (link / "manifest.json").is_file() for link in links)
    assert (finished.folder / "corpus-train").resolve() == finished.corpus.train.resolve()


def test_every_file_is_in_its_manifest(finished: Any) -> None:
    """Each artifact's manifest lists every file with its sha256 and size, and only those."""
    artifacts = [path.parent for path in finished.out.joinpath("store").rglob("manifest.json")]
    assert len(artifacts) > 15
    for folder in artifacts:
        files = open_artifact(folder).manifest["files"]
        on_disk = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
        assert set(files) == set(on_disk) - {"manifest.json"}
        for name, facts in files.items():
            data = on_disk[name].read_bytes()
            assert (facts["sha256"], facts["bytes"]) == (hashlib.sha256(data).hexdigest(), len(data))


def test_funnels_add_up_and_follow_one_another(finished: Any) -> None:
    """Seen is kept plus the rejected by reason, in every stage, and a stage sees what the one before kept."""
    funnels = {link.name[3:]: open_artifact(link).funnel for link in stage_folders(finished.folder)}
    for funnel in filter(None, funnels.values()):
        assert funnel["seen"] == funnel["kept"] + sum(funnel["rejected"].values())
    assert funnels["screening"]["seen"] == funnels["focus"]["kept"]
    assert funnels["forward"]["seen"] == funnels["screening"]["kept"]
    assert funnels["grooming"]["seen"] == funnels["forward"]["kept"]
    assert funnels["choice"]["seen"] == funnels["grooming"]["kept"]


def test_no_path_of_the_machine_and_no_time(finished: Any) -> None:
    """Nothing in any file but the log names the folders of this machine: the same run elsewhere gives the same bytes."""
    place = str(finished.out.parent).encode()
    for path in finished.out.rglob("*"):
        if path.is_file() and not path.is_symlink() and path.parent != finished.out / "logs":
            assert place not in path.read_bytes(), path


def test_the_published_formats(finished: Any) -> None:
    """Questions and answers of all three official formats, byte for byte what the format module gives, in ASCII."""
    asked = QUESTION_ITEMS.read(finished.release)
    chosen = QUESTION_ITEMS.read(next(link for link in stage_folders(finished.folder) if link.name.endswith("choice")))
    assert asked != chosen
    assert sorted(asked, key=lambda one: one.id) == sorted(chosen, key=lambda one: one.id)
    for label, formatted in (("machine", format_machine(asked)), ("human", format_human(asked)), ("lm", format_lm(asked))):
        for part, text in zip(("questions", "answers"), formatted, strict=True):
            path = finished.release / f"{finished.name}.{label}_format.{part}.txt"
            assert path.read_bytes() == text.encode("ascii")
            assert path.stat().st_size > 0


def test_checksums_verify(finished: Any) -> None:
    """`SHA256SUMS` names every other file of the release and agrees with it."""
    lines = (finished.release / "SHA256SUMS").read_text().splitlines()
    sums = {name: digest for digest, name in (line.split("  ", 1) for line in lines)}
    files = {path.relative_to(finished.release).as_posix() for path in finished.release.rglob("*") if path.is_file()}
    assert set(sums) == files - {"SHA256SUMS"}
    assert all(hashlib.sha256((finished.release / name).read_bytes()).hexdigest() == digest for name, digest in sums.items())


def test_the_card_and_the_signature(finished: Any) -> None:
    """The card says that a machine groomed and that the tagger was off; the signature is one line with seed and n."""
    card = (finished.release / "README.md").read_text(encoding="utf-8")
    assert card.startswith("---\n")
    assert "groomed: machine" in card
    assert re.search(r"tagger: off", card)
    signature = (finished.release / "signature.txt").read_text()
    assert signature.strip() in card
    parts = r"style:holmes\|name:tiny\|train:\w+\|source:\w+\|model:kn3-\w+\|seed:1\|n:\d+\|order:shuffled\|choice:\w{8}\|set:[0-9a-f]{16}"
    assert re.fullmatch(rf"cloze-gen\|v:[^|]+\|{parts}\n", signature)


def test_questions_are_whole(questions: list[dict[str, Any]]) -> None:
    """Blank and answer give the sentence; options are distinct; the id is provenance in its alphabet."""
    assert len(questions) >= 20
    assert len({question["id"] for question in questions}) == len(questions)
    for question in questions:
        assert re.fullmatch(r"[A-Za-z0-9._:-]+", question["id"])
        assert question["tokens"][question["position"]] == question["answer"] == question["options"][question["answer_index"]]
        assert len(set(question["options"])) == len(question["options"]) == 5
        assert not set(question["tokens"]) & set(question["options"]) - {question["answer"]}
        assert 6 <= len(question["tokens"]) <= 36
        assert question["tokens"][-1] == "."
        assert question["position"] < len(question["tokens"]) - 2
        source = question["source"]
        assert list(rendered_tokens(tuple(source["tokens"]))) == question["tokens"]
        assert source["tokens"][source["position"]] == question["answer"]
        assert question["id"] == f"{source['book_id']}:{source['sentence_index']}:{source['position']}"


def test_provenance_leads_to_the_raw_file(finished: Any, questions: list[dict[str, Any]]) -> None:
    """The character span in the raw file holds the sentence's words in order."""
    (book,) = finished.corpus.source.glob("*.txt")
    raw = book.read_bytes().decode("utf-8-sig")
    for question in questions:
        marked = raw[question["source"]["start"] : question["source"]["end"]]
        span = re.sub(r"\[\d+\]|[^a-z0-9]", "", marked.lower())  # a footnote's mark is not part of the sentence
        assert span == re.sub(r"[^a-z0-9]", "", question["source"]["text"].lower())


def test_one_question_a_sentence_and_positions_dealt_evenly(questions: list[dict[str, Any]]) -> None:
    """Guideline 7, and each of a to e as often as the others, give or take one."""
    sentences = [question["id"].rpartition(":")[0] for question in questions]
    assert len(set(sentences)) == len(sentences)
    counts = [sum(question["answer_index"] == i for question in questions) for i in range(5)]
    assert max(counts) - min(counts) <= 1


def test_every_option_is_rare_and_attested(finished: Any, questions: list[dict[str, Any]]) -> None:
    """Answers and impostors obey the same limits: unequal ones leak the answer."""
    settings = json.loads((finished.folder / "run.json").read_text())["settings"]["focus"]
    for option in itertools.chain.from_iterable(question["option_scores"] for question in questions):
        assert option["freq"] < settings["max_freq"]
        assert option["count"] >= settings["min_count"]


def test_alternates_are_distinct_and_never_the_answer(finished: Any) -> None:
    """150 a focus word, or as many as may be options."""
    focus = read_parquet(next(finished.folder.glob("*-focus")) / "focus.parquet").to_pandas().set_index("id")
    drawn = read_parquet(next(finished.folder.glob("*-alternates")) / "alternates").to_pandas()
    assert not drawn.duplicated(["id", "word"]).any()
    assert (drawn["word"].astype(str) != drawn["id"].astype(str).map(focus["word"])).all()
    option_words = open_artifact(next(finished.folder.glob("*-focus"))).facts["option_words"]
    assert set(drawn.groupby("id", observed=True).size()) == {min(150, option_words - 1)}


def test_candidates_wait_for_human_groomers(finished: Any, questions: list[dict[str, Any]]) -> None:
    """All retained candidates of every question, the impostors among the fit ones."""
    candidates = {record["id"]: record for record in read_jsonl(finished.release / "candidates.jsonl")}
    assert set(candidates) == {question["id"] for question in questions}
    for question in questions:
        listed = candidates[question["id"]]["candidates"]
        fit = {candidate["word"] for candidate in listed if candidate["verdict"] == "fit"}
        assert len(listed) <= 30
        assert set(question["options"]) - {question["answer"]} <= fit


def test_results_on_stdout_and_talk_on_stderr(finished: Any) -> None:
    """The funnel, the signature and the place of the files are the result; every stage says its line beside."""
    out, err = finished.outcome.out, finished.outcome.err
    assert "signature  cloze-gen|" in out
    assert "release    " in out
    assert re.search(r"^choice\s+\d+ ->\s+\d+ focus words$", out, re.MULTILINE)
    assert re.findall(r"^lm: (\d/\d) ", err, re.MULTILINE) == ["1/5", "2/5", "3/5", "4/5", "5/5"]
    assert err.count("\nlm: ") == 6  # and one line at the stage's end
    assert "done in" in err
    stages = "ingest train|ingest source|corpus train|counts|text|lm|index|focus|alternates|screening|forward|contexts|grooming|choice"
    for stage in stages.split("|"):
        assert re.search(rf"^{stage}: ", err, re.MULTILINE), stage
        assert f"{stage}: " not in re.sub(r"^grooming: candidates", "", out, flags=re.MULTILINE)


def test_what_lmplz_says_is_in_the_log(finished: Any) -> None:
    """The log is named last; it holds every line said on stderr and all of lmplz's own, a heading above them."""
    path = finished.out / "logs" / "tiny.log"
    said = finished.outcome.err.splitlines()
    assert said[-1] == f"log: {path}"
    heading, *lines = path.read_text(encoding="utf-8").splitlines()
    assert re.fullmatch(r"== \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC  cloze-gen \S+, tiny", heading)
    logged = [re.sub(r"^ *\d+\.\d s  ", "", line) for line in lines]
    assert [line for line in logged if line in said] == said[:-2]  # all but what is said once the log is closed
    assert any(line.startswith("lm: Unigram tokens ") for line in logged)
    assert not any("Unigram" in line for line in said)


def test_nothing_temporary_is_left(finished: Any) -> None:
    """Only locks, which are empty, and the notes of what was checked are hidden, both in the store."""
    names = [path.relative_to(finished.out).as_posix() for path in finished.out.rglob("*")]
    assert [name for name in names if "~" in name or "partial" in name] == []
    assert {name for name in names if name.rpartition("/")[2].startswith(".")} == {"store/.locks", "store/.checked"}
    assert [path for path in (finished.out / "store" / ".locks").iterdir() if path.stat().st_size] == []


def test_what_needs_no_model_is_done_while_it_is_estimated(finished: Any) -> None:
    """Contexts and focus words are made beside `lmplz`, and once only."""
    said = finished.outcome.err
    for stage in ("contexts: ", "focus: "):
        assert said.count(f"\n{stage}") == 1
        assert said.index(f"\n{stage}") < said.index("n-grams of order 3")
