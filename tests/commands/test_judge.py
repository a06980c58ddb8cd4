"""`cloze-gen judge`: pages out, answers in, the set made of what people said; and what may go wrong on the way."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from cloze_gen.recipes.lambada.stages.decisions import ANSWERS, SIGNALS, VERDICTS
from cloze_gen.rng import stable_fraction
from cloze_gen.store.runs import stage_artifact
from cloze_gen.store.tables import read_jsonl, read_parquet

GROUP = [f"s{n}" for n in range(14)]
REMADE = {"guesses", "passage set", "analysis"}


@dataclass(frozen=True)
class Study:
    """A run that a test may have guessed, and the people."""

    out: Path
    cli: Callable[..., Any]

    @property
    def run(self) -> Path:
        return self.out / "runs" / "tiny"

    @property
    def ledger(self) -> Path:
        return self.out / "judgements" / "tiny" / "ledger.jsonl"

    @property
    def packets(self) -> list[Path]:
        return sorted((self.out / "judgements" / "tiny" / "packets").glob("*"))

    def judge(self, command: str, *arguments: str | Path) -> Any:
        return self.cli("judge", command, *arguments, "--out", self.out)

    def told(self, command: str, *arguments: str | Path) -> str:
        """What a call says that ends well."""
        outcome = self.judge(command, *arguments)
        assert outcome.status == 0, outcome.err
        return str(outcome.out + outcome.err)

    def fill_in(self, packet: Path, folder: Path) -> Path:
        """A packet as its subject gives it back: right of two passages in three, of few sentences."""
        targets = dict(zip(*read_parquet(stage_artifact(self.run, "ranking").path(SIGNALS), columns=["id", "target"]).to_pydict().values(),
                           strict=True))  # fmt: skip
        pages = {event["asked"]: event["passages"] for event in read_jsonl(self.ledger) if "asked" in event}
        rows = list(csv.DictReader(io.StringIO(packet.read_text(encoding="utf-8-sig"))))
        for row in rows:
            passage = pages[row["page"]][int(row["item"]) - 1]
            share = 0.7 if row["condition"] == "passage" else 0.02
            row["guess_1"] = f" {targets[passage].upper()}. " if stable_fraction("knows", passage + row["subject"]) < share else "-"
        folder.mkdir(exist_ok=True)
        with open(folder / packet.name, "w", encoding="utf-8", newline="") as handle:
            writer = csv.DictWriter(handle, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
        return folder / packet.name

    def begin(self, tmp: Path) -> list[Path]:
        """Two people's first page, filled in."""
        self.told("export", "tiny", "--subjects", "ann,bob")
        return [self.fill_in(packet, tmp / "back") for packet in self.packets]

    def stages(self) -> dict[str, str]:
        return {stage["label"]: stage["fingerprint"] for stage in json.loads((self.run / "run.json").read_text())["stages"]}


@pytest.fixture
def study(lambada: Any, tmp_path: Path, cli: Callable[..., Any]) -> Study:
    """A copy of the finished run, with its books."""
    shutil.copytree(lambada.out.parent, tmp_path / "copy", symlinks=True)
    return Study(tmp_path / "copy" / "out", cli)


def one_message(outcome: Any, status: int) -> str:
    assert outcome.status == status, outcome.err
    assert outcome.err.count("cloze-gen: ") == 1
    return str(outcome.err[outcome.err.index("cloze-gen: ") :])


@pytest.mark.slow
def test_a_study_from_the_first_page_to_the_set(study: Study, tmp_path: Path) -> None:
    """Round by round until nothing waits; then the set holds what two guessed with the context and ten did not without."""
    for _ in range(20):
        known = set(study.packets)
        if "no page to hand out" in study.told("export", "tiny", "--subjects", ",".join(GROUP)):
            break
        study.told("import", "tiny", "--no-run", *(study.fill_in(one, tmp_path / "back") for one in study.packets if one not in known))
    before = study.stages()
    said = study.told("import", "tiny", tmp_path / "back" / study.packets[0].name)
    changed = {label for label, fingerprint in study.stages().items() if before[label] != fingerprint}
    assert changed == REMADE
    guesses = stage_artifact(study.run, "guesses")
    verdicts = read_parquet(guesses.path(VERDICTS)).to_pydict()
    kept = [one for one, verdict in zip(*verdicts.values(), strict=True) if verdict == "kept"]
    assert guesses.facts["judged"] == "human"
    assert 0 < guesses.facts["kept"] == len(kept) < guesses.facts["decided"] == len(verdicts["id"])
    assert f"guesses: {len(kept)} kept" in said
    records = [one for one in read_jsonl(study.run / "release" / "passages.jsonl") if one["split"] != "control"]
    assert sorted(one["id"] for one in records) == sorted(kept)
    assert {(one["judged"], one["verdict"]) for one in records} == {("human", "kept")}
    card = (study.run / "release" / "README.md").read_text(encoding="utf-8")
    assert f"judged: human (14 subjects, {len(verdicts['id'])} decided, {len(kept)} kept, 0 open, 0 of these unasked)" in card
    assert "judged-human" in (study.run / "release" / "signature.txt").read_text(encoding="utf-8")
    published = [path for path in (study.run / "release").rglob("*") if path.is_file() and path.suffix != ".html"]
    assert not [path for path in published if re.search(rb"\bs1[0-3]\b", path.read_bytes())]
    told = study.cli("trace", kept[0], "--run", "tiny", "--out", study.out).out
    assert len(re.findall(r"^guess      step [12], from the passage, subject \d+: '.*' \(right\)$", told, re.MULTILINE)) == 2
    assert len(re.findall(r"^guess      step 3, from the sentence, subject \d+: no idea \(wrong\)$", told, re.MULTILINE)) == 10
    assert "verdict    kept (judged: human)" in told


def test_answers_make_the_last_stages_and_no_other(study: Study, tmp_path: Path) -> None:
    """The log of the run names `guesses` and `passage set`; what stands in the store already stays byte for byte."""
    filled = study.begin(tmp_path)
    log = study.out / "logs" / "tiny.log"
    said = log.read_text(encoding="utf-8")
    before = {path: path.stat().st_mtime_ns for path in (study.out / "store").glob("*-*/**/*") if path.is_file()}
    study.told("import", "tiny", *filled)
    worked = {line.partition(": ")[0] for line in log.read_text(encoding="utf-8").removeprefix(said).splitlines()}
    assert {stage for stage in study.stages() if any(stage in one for one in worked)} == REMADE
    assert {path: path.stat().st_mtime_ns for path in before} == before
    answers = read_parquet(stage_artifact(study.run, "guesses").path(ANSWERS)).to_pylist()
    assert len(answers) == 20
    assert {row["subject"] for row in answers} == {1, 2}
    assert {row["condition"] for row in answers} == {"passage"}
    assert "would run" not in study.cli("explain", "tiny", "--out", study.out).out


def test_what_is_still_open_is_neither_kept_nor_rejected(study: Study, tmp_path: Path) -> None:
    """From the first answers on the set holds what is kept alone, and what fell is beside it."""
    study.told("import", "tiny", *study.begin(tmp_path))
    verdicts = read_parquet(stage_artifact(study.run, "guesses").path(VERDICTS)).to_pydict()
    of = dict(zip(verdicts["id"], verdicts["verdict"], strict=True))
    finished = stage_artifact(study.run, "passage set")
    kept = {one["id"] for one in read_jsonl(finished.path("passages.jsonl")) if one["split"] != "control"}
    fallen = {one["id"] for one in read_jsonl(finished.path("rejected.jsonl"))}
    assert "open" in of.values()
    assert kept == {one for one, verdict in of.items() if verdict == "kept"}
    assert fallen == {one for one, verdict in of.items() if verdict not in {"open", "kept"}} != set()


def test_importing_twice_changes_nothing(study: Study, tmp_path: Path, digests: Callable[[Path], dict[str, str]]) -> None:
    """Neither the ledger nor the run, and it is said of each answer."""
    filled = study.begin(tmp_path)
    study.told("import", "tiny", *filled)
    before = digests(study.out)
    said = study.told("import", "tiny", *reversed(filled))
    assert "answers    20: 0 taken, 20 answer_was_taken_before" in said
    assert "nothing to do" in said
    assert digests(study.out) == before


def test_a_kill_before_the_run_is_made_loses_nothing(study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The answers are in the ledger; the same call again makes the run."""
    filled = study.begin(tmp_path)

    def killed(task: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("cloze_gen.commands.judge.carry_out", killed)
        assert study.judge("import", "tiny", *filled).status == 130
    assert stage_artifact(study.run, "guesses").facts["judged"] == "none"
    assert "0 taken, 20 answer_was_taken_before" in study.told("import", "tiny", *filled)
    assert stage_artifact(study.run, "guesses").facts["judged"] == "human"


def test_pages_are_handed_out_once(study: Study) -> None:
    """The next export deals other passages; a packet holds its subject's pages and nothing of the books; what is there stays as it is."""
    study.told("export", "tiny", "--subjects", "ann", "--format", "jsonl")
    [first] = study.packets
    rows = list(read_jsonl(first))
    assert {row["subject"] for row in rows} == {"ann"}
    assert set(rows[0]) == {"page", "item", "subject", "condition", "guesses", "text"}
    books = {row["book_id"] for row in read_parquet(stage_artifact(study.run, "ranking").path(SIGNALS)).to_pylist()}
    assert not any(book in first.read_text(encoding="utf-8") for book in books)
    first.write_text("filled in", encoding="utf-8")
    assert "was there, left as it was" in study.told("export", "tiny", "--again", "--format", "jsonl")
    assert first.read_text(encoding="utf-8") == "filled in"
    first.unlink()
    study.told("export", "tiny", "--again", "--format", "jsonl")
    assert list(read_jsonl(first)) == rows
    study.told("export", "tiny", "--subjects", "ann,bob", "--condition", "passage", "--format", "jsonl")
    asked = [one for event in read_jsonl(study.ledger) for one in event.get("passages", ())]
    assert len(asked) == len(set(asked)) == 30


def test_short_pages_are_told(study: Study) -> None:
    """Forty passages are four full pages; five people would be paid for five."""
    assert "are short" not in study.told("export", "tiny", "--subjects", "a,b")
    assert "3 of these pages are short, and a short page is paid as a full one" in study.told("export", "tiny", "--subjects", "c,d,e")


def test_a_page_that_never_comes_back_is_withdrawn(study: Study, tmp_path: Path) -> None:
    """Its passages wait for somebody else, never for the same; answers that come after all are refused, with the reason."""
    filled = study.begin(tmp_path)
    page = filled[0].stem.partition("-")[2]
    assert f"{page}: 10 answers waited for no longer" in study.told("withdraw", "tiny", page)
    assert f"{page}: nothing was waited for" in study.told("withdraw", "tiny", page)
    said = study.told("import", "tiny", filled[0], "--no-run")
    assert "10: 0 taken, 10 page_was_withdrawn" in said
    assert f"refused    {page}:1 page_was_withdrawn" in said
    assert "no such page: 'ffff'" in one_message(study.judge("withdraw", "tiny", "ffff"), 2)


@pytest.mark.parametrize(
    ("content", "status", "said"),
    [
        (b"", 1, "it is empty"),
        (b"page,item\n3f,1\n", 1, "with the columns page, item and guess_1; its first line is 'page,item'"),
        ("page,item,guess_1\n3f,1,menu\n".encode("utf-16"), 2, "not UTF-8; save it as UTF-8 text"),
        (b'{"page": 3}\n', 1, "line 1: expected"),
        (None, 2, "No such file or directory"),
    ],
)
def test_what_is_no_answers_is_told(study: Study, tmp_path: Path, content: bytes | None, status: int, said: str) -> None:
    """One message with the file's name; nothing is taken of the other files of the call either."""
    good, bad = study.begin(tmp_path)[0], tmp_path / "bad.csv"
    if content is not None:
        bad.write_bytes(content)
    before = study.ledger.read_bytes()
    message = one_message(study.judge("import", "tiny", good, bad), status)
    assert "bad.csv" in message
    assert said in message
    assert study.ledger.read_bytes() == before


def test_answers_that_nobody_waits_for_are_refused(study: Study, tmp_path: Path) -> None:
    """Of a page of another run, of an item that a page has not, of somebody else's page; the call ends well, and says it of each."""
    page = study.begin(tmp_path)[0].stem.partition("-")[2]
    lines = [{"page": "0" * 12, "item": 1}, {"page": page, "item": 11}, {"page": page, "item": 1, "subject": "bob"}]
    file = tmp_path / "odd.jsonl"
    file.write_text("".join(json.dumps(line | {"guesses": ["x"]}) + "\n" for line in lines), encoding="utf-8")
    said = study.told("import", "tiny", file, "--no-run")
    for expected in ("000000000000:1 page_was_not_handed_out", f"{page}:11 no_such_item", f"{page}:1 page_belongs_to_another_subject bob"):
        assert f"refused    {expected}" in said
    assert "3: 0 taken" in said


@pytest.mark.parametrize("names", ["../ann", "a/b", ".ann", "", "x" * 41, "ann,ann b", "a\nb"])
def test_names_that_no_file_can_bear_are_refused(study: Study, names: str) -> None:
    """Nothing is dealt to the others of the call."""
    one_message(study.judge("export", "tiny", "--subjects", names), 2)
    assert not study.ledger.exists()
    assert not study.packets


def test_a_name_is_written_one_way(study: Study) -> None:
    """Ann and ann would be shown both sides of a passage."""
    study.told("export", "tiny", "--subjects", "ann")
    assert "'Ann': is 'ann' the same person?" in one_message(study.judge("export", "tiny", "--subjects", "Ann"), 2)


def test_a_torn_line_is_told_and_kept(study: Study, tmp_path: Path) -> None:
    """What a killed import left counts for nothing; the file only grows."""
    filled = study.begin(tmp_path)
    study.told("import", "tiny", filled[0], "--no-run")
    torn = study.ledger.read_bytes()[:-9]
    study.ledger.write_bytes(torn)
    assert "its last line is torn" in study.told("status", "tiny")
    assert "10: 1 taken, 9 answer_was_taken_before" in study.told("import", "tiny", filled[0], "--no-run")
    assert study.ledger.read_bytes().startswith(torn)
    assert "is torn" not in study.told("status", "tiny")


def test_what_else_has_changed_is_not_run(study: Study, tmp_path: Path) -> None:
    """A book more: the answers are taken, hours of other work are not begun, and the command that does it is printed."""
    filled = study.begin(tmp_path)
    books = study.out.parent / "books"
    shutil.copyfile(next(books.glob("*.txt")), books / "another.txt")
    before = study.stages()
    said = study.told("import", "tiny", *filled)
    assert "20 taken" in said
    assert "not made anew, for more would run again than people's answers ask for: ingest books, " in said
    call = r"^cloze-gen run \S+ --books \S+ --name tiny --out \S+ --seed 1 .*--set guessing\.ledger=\S+ledger\.jsonl$"
    assert re.search(call, said, re.MULTILINE)
    assert study.stages() == before


def test_a_ledger_of_another_run_is_told(study: Study, tmp_path: Path, lambada: Any) -> None:
    """Passages that are not in the head, by the run and by its status."""
    page = {"asked": "3f", "subject": "ann", "condition": "passage", "passages": ["emma:7"]}
    study.ledger.parent.mkdir(parents=True)
    study.ledger.write_text(json.dumps(page) + "\n", encoding="utf-8")
    message = "1 of the 1 passages that people were asked about are not in the head of this run's ranking, the first 'emma:7'"
    assert message in one_message(study.judge("status", "tiny"), 2)
    call = ("run", *lambada.corpus.options, "--books", study.out.parent / "books", "--out", study.out, "--name", "tiny", "--workers", "1")
    told = one_message(study.cli(*call, "--set", f"guessing.ledger={study.ledger}"), 2)
    assert message in told
    assert "cannot be read as a ledger" in one_message(study.cli(*call, "--set", "guessing.ledger=nowhere.jsonl"), 2)


def test_a_ranking_that_has_changed_is_told(study: Study) -> None:
    """Pages were dealt from another one, whose passages are all in this one's head."""
    study.told("export", "tiny", "--subjects", "ann")
    text = study.ledger.read_text(encoding="utf-8")
    study.ledger.write_text(re.sub(r'("ranking": )"\w+"', r'\1"0123456789abcdef"', text), encoding="utf-8")
    assert "the ranking has changed since pages were dealt (0123456789abcdef ->" in study.told("status", "tiny")


def test_the_ledger_is_nobodys_to_sweep(study: Study, tmp_path: Path) -> None:
    """A run made anew without people, and a check of the store, leave it and the packets as they are."""
    study.told("import", "tiny", *study.begin(tmp_path))
    before = {path: path.read_bytes() for path in (study.out / "judgements").rglob("*") if path.is_file()}
    plain = [one for one in json.loads((study.run / "run.json").read_text())["overrides"] if "ledger" not in one]
    call = ("run", "lambada-sample", "--books", study.out.parent / "books", "--out", study.out, "--name", "tiny", "--workers", "1")
    assert study.cli(*call, *(part for one in plain for part in ("--set", one))).status == 0
    assert stage_artifact(study.run, "guesses").facts["judged"] == "none"
    assert study.cli("doctor", "--store", study.out).status == 0
    assert {path: path.read_bytes() for path in before} == before


def test_cost_before_and_so_far(study: Study) -> None:
    """Of the head on the paper's shares, of the pages handed out, and of a number without any run."""
    study.told("export", "tiny", "--subjects", "ann,bob")
    lines = study.told("cost", "tiny", "--set", "guessing.fee_factor=2").splitlines()
    assert re.match(r"expected +40 +2 ", lines[1])
    assert re.match(r"so far +20 +0 +2 +0 +0\.88 +-$", lines[2])
    assert " 1.24\n" in study.told("cost", "--passages", "20000")
    assert "Give a run, or --passages N" in one_message(study.judge("cost"), 2)


def test_a_style_without_people_is_told(finished: Any, cli: Callable[..., Any]) -> None:
    """Whatever is asked of it."""
    for command, *more in (("status",), ("export", "--subjects", "ann"), ("import", "x.csv"), ("cost",), ("withdraw", "3f")):
        outcome = cli("judge", command, "tiny", *more, "--out", finished.out)
        assert "nobody is asked about questions of holmes-style; lambada-style has people guess" in one_message(outcome, 2)


def test_nobody_was_asked(study: Study, tmp_path: Path) -> None:
    """The trace says so, with what the stand-in says; answers without any page leave the run alone."""
    passage = next(read_jsonl(study.run / "release" / "passages.jsonl"))["id"]
    told = study.cli("trace", passage, "--run", "tiny", "--out", study.out).out
    assert "verdict    open: nobody has answered (judged: none)" in told
    stand_in = r"^stand-in   \w+: of the passage's reader it is word [\d,]+ \(P [\d.e-]+\), of the sentence's [\d,]+$"
    assert re.search(stand_in, told, re.MULTILINE)
    (tmp_path / "x.jsonl").write_text('{"page": "3f", "item": 1, "guesses": ["x"]}\n')
    assert "no page of it was ever handed out" in study.told("import", "tiny", tmp_path / "x.jsonl")
    assert not study.ledger.exists()
