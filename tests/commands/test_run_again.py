"""What `verify --deep` refuses before it begins. The other cases: `tests/hostile/test_foreign_releases.py`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import BaseModel

from cloze_gen.commands import run_again as run_again_module
from cloze_gen.commands.run_again import check_can_run_again
from cloze_gen.config import settings_dict
from cloze_gen.errors import UsageError
from cloze_gen.pipelines.styles import find_style, style_names
from cloze_gen.stages.release.books import BooksFound
from tests.cases.releases import FACTS


def check(style: str, changes: dict[str, dict[str, Any]], found: BooksFound | None = None) -> None:
    settings = settings_dict(find_style(style).settings())
    for group, values in changes.items():
        settings[group] |= values
    check_can_run_again(replace(FACTS, style=style, settings=settings), find_style(style), found)


@pytest.mark.parametrize("style", style_names())
def test_the_default_settings_are_allowed(style: str, tmp_path: Path) -> None:
    """On the sample, and on 500 novels."""
    (tmp_path / "a.txt").touch()
    with open(tmp_path / "a.txt", "wb") as handle:
        handle.truncate(250_000_000)
    for found in (None, BooksFound(tmp_path, {"a": tmp_path / "a.txt"})):
        check(style, {}, found)


@pytest.mark.parametrize(
    ("style", "changes", "said"),
    [
        ("lambada-style", {"committee": {"members": ["ngram", "scores:/etc/passwd"]}}, "committee.members = 'scores:/etc/passwd'"),
        ("lambada-style", {"committee": {"members": ["hf:pythia-70m"]}}, "committee.members = 'hf:pythia-70m'"),
        ("lambada-style", {"guessing": {"verdicts": "v.jsonl"}}, "guessing.verdicts = 'v.jsonl'"),
        ("lambada-style", {"tagger": {"name": "en_core_web_sm"}}, "tagger.name = 'en_core_web_sm'"),
        ("lambada-style", {"partition": {"offensive_words": "list.txt"}}, "partition.offensive_words = 'list.txt'"),
        ("scs-style", {"books": {"reference": "questions.jsonl"}}, "books.reference = 'questions.jsonl'"),
        ("scs-style", {"sentences": {"offensive_words": "x"}}, "sentences.offensive_words = 'x'"),
        ("lambada-style", {"networks": {"vector": 10_000}}, r"\[networks\] takes some 45 GiB"),
        ("lambada-style", {"networks": {"recurrent_hidden": 10_000}}, r"\[networks\] takes some 41 GiB"),
        ("lambada-style", {"networks": {"recurrent_words": 10**9, "readings": 1000}}, r"\[networks\] takes up to 8,333 times"),
        ("scde-style", {"blanks": {"draws": 10_000}}, r"\[blanks\] takes up to 167 times"),
        ("scde-style", {"assembly": {"drawn_from": 1000.0}}, r"\[assembly\] takes up to 800 times"),
        ("scs-style", {"impostors": {"rounds": 10_000}}, r"\[impostors\] takes up to 312 times"),
    ],
)  # fmt: skip
def test_what_is_refused(style: str, changes: dict[str, dict[str, Any]], said: str) -> None:
    """Settings that name a file, a model or a program; that ask for more memory; that ask for more time."""
    with pytest.raises(UsageError, match=said):
        check(style, changes)


@pytest.mark.parametrize("style", style_names())
def test_every_free_text_is_taken_for_a_file(style: str) -> None:
    """Whatever text a setting may hold is refused, so that a new setting that names a file is refused too; the release's own is none."""
    model = find_style(style).settings
    texts = [
        (group, name)
        for group, field in model.model_fields.items()
        for name, one in group_fields(field.annotation)
        if one.annotation is str and not any(hasattr(rule, "pattern") for rule in one.metadata) and group != "release"
    ]
    assert texts
    for group, name in texts:
        with pytest.raises(UsageError, match=f"{group}.{name} = 'x': --deep opens no file"):
            check(style, {group: {name: "x"}})


def test_a_set_of_the_sample_is_made_of_the_sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever books are given: those of the user lack what the sample's own manifest says."""

    class Called(Exception):
        pass

    def make_task(**given: Any) -> None:
        raise Called(given["train"], given["source"])

    monkeypatch.setattr(run_again_module, "make_task", make_task)
    style = find_style("scs-style")
    facts = replace(FACTS, style=style.name, settings=settings_dict(style.settings()), sample=True)
    release: Any = SimpleNamespace(record=SimpleNamespace(facts=facts))
    with pytest.raises(Called) as called:
        run_again_module.run_again(release, style, BooksFound(tmp_path, {}), tmp_path / "run", workers=1)
    assert called.value.args == ("", "")


def group_fields(model: type[BaseModel] | None) -> list[tuple[str, Any]]:
    return list(model.model_fields.items()) if model is not None else []
