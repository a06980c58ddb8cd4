"""`cloze-gen judge serve`, up to where it listens."""

import contextlib
import signal
import subprocess
import sys

import pytest

from cloze_gen.cli.judge_study import serve
from cloze_gen.errors import UsageError
from cloze_gen.interrupts import STOPPED
from cloze_gen.judging.database import issue, judge_for, revoke
from cloze_gen.judging.web.serve import listen
from cloze_gen.records.judgement import Judge, Role, Task
from tests.cases.served import Browser, rows
from tests.cases.studies import make_tiny_study


@pytest.fixture
def study(tmp_path):
    """A grooming study of ann, bob and a machine, beside no run."""
    made = make_tiny_study(tmp_path / "judgements" / "tiny", Task.GROOM, judges="ann,bob")
    made.add_judges([Judge("model", Role.MACHINE)])
    return made


@pytest.fixture
def served_at_a_taken_port(study):
    """Serve it where another program listens already."""

    def call(**options):
        with contextlib.closing(study), contextlib.closing(listen("127.0.0.1", 0)) as taken:
            told = {
                "host": "127.0.0.1",
                "port": taken.getsockname()[1],
                "origin": "",
                "judges": [],
                "revoked": [],
                **options,
            }
            serve(study.folder.parent.parent, "tiny", **told)

    return call


def test_who_is_revoked_is_out_though_another_serves(study, served_at_a_taken_port):
    for judge in ("ann", "ann", "bob"):
        issue(study.store.database, judge)
    with pytest.raises(UsageError, match="cannot listen"):
        served_at_a_taken_port(revoked=["ann"])
    found = [
        (judge, revoked_at is not None) for _, judge, _, revoked_at in rows(study.folder)["tokens"]
    ]
    assert found == [("ann", True), ("ann", True), ("bob", False)]


def test_strangers_cannot_be_revoked(study):
    """A name that is no judge's, or a machine's: told before anybody is shut out."""
    token = issue(study.store.database, "ann")
    for name in ("nobody", "model"):
        with pytest.raises(UsageError, match=f"no such judge: '?\"?{name}"):
            serve(
                study.folder.parent.parent,
                "tiny",
                host="127.0.0.1",
                port=0,
                origin="",
                judges=[],
                revoked=["ann", name],
            )
    assert judge_for(study.store.database, token) == "ann"
    study.close()


def test_who_is_revoked_stays_out(study, served_at_a_taken_port):
    """The next time that the study is served no link is made for them, until they are named again."""
    for judge in ("ann", "bob"):
        issue(study.store.database, judge)
        revoke(study.store.database, judge)
    with pytest.raises(UsageError, match="the study has no judges"):
        served_at_a_taken_port()
    with pytest.raises(UsageError, match="cannot listen"):
        served_at_a_taken_port(judges=["ann"])


def test_nobody_left_is_told(served_at_a_taken_port):
    """With all shut out there is nobody to serve it to."""
    with pytest.raises(UsageError, match="the study has no judges"):
        served_at_a_taken_port(revoked=["ann", "bob"])


def owners_page(link):
    origin, _, token = link.rpartition("/owner/")
    host, port = origin.removeprefix("http://").split(":")
    browser = Browser(host, int(port), origin)
    browser.cookie = browser.get(f"/owner/{token}").headers["set-cookie"].split(";")[0]
    text = browser.get("/owner").text
    browser.close()
    return text


@pytest.mark.slow
def test_everybody_gets_a_link_that_works(study):
    study.close()
    command = [
        sys.executable,
        "-m",
        "cloze_gen",
        "judge",
        "serve",
        str(study.folder),
        "--port",
        "0",
        "--judges",
        "cara",
    ]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        links = dict(process.stdout.readline().strip().split(": ", 1) for _ in range(3))
        assert set(links) == {"ann", "bob", "cara"}
        for link in links.values():
            origin, _, token = link.rpartition("/enter/")
            host, port = origin.removeprefix("http://").split(":")
            browser = Browser(host, int(port), origin)
            browser.enter(token)
            assert browser.first().startswith("/item/")
            browser.close()
        label, _, link = process.stdout.readline().strip().partition(": ")
        assert label == "Progress and agreement, for you only"
        assert "cara" in owners_page(link)
        assert "yours ends" in process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=60)
    finally:
        process.kill()
        process.communicate()
    assert process.returncode == 130
    assert told.endswith(f"{STOPPED}\n")
    assert "Traceback" not in told
