"""Settings that nothing reads are named, and settings that contradict each other are refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest

from cloze_gen.errors import ConfigError
from cloze_gen.pipelines.styles import find_style, ignored_lines, load_settings, style_names
from cloze_gen.settings import SettingsGroup

RANDOM = "choice.method = random"


def ignored(style: str, *overrides: str, train: bool = True) -> dict[str, str]:
    """The settings that are named as ignored -> the reason that is given."""
    lines = ignored_lines(find_style(f"{style}-style"), f"{style}-style", json.dumps(overrides), options={"--train": train})
    return dict(line.removesuffix(" not read it.").split(" is ignored: ") for line in lines)


@pytest.mark.parametrize(
    ("style", "overrides", "name", "reason"),
    [
        ("holmes", ["choice.method=random", "choice.draws=3"], "choice.draws", RANDOM),
        ("holmes", ["choice.method=random", "choice.impostor_draw=uniform"], "choice.impostor_draw", RANDOM),
        ("holmes", ["choice.method=random", "choice.max_triviality=0.9"], "choice.max_triviality", RANDOM),
        ("holmes", ["choice.method=random", "choice.class_shares={}"], "choice.class_shares", RANDOM),
        ("holmes", ["choice.method=balanced", "choice.rounds=2"], "choice.rounds", "choice.method = balanced"),
        ("holmes", ["grooming.tagger=none", "grooming.tag_window=3"], "grooming.tag_window", "grooming.tagger = none"),
        ("holmes", ["grooming.tagger=none", 'focus.classes=["noun"]'], "focus.classes", "grooming.tagger = none"),
        ("holmes", ["grooming.tagger=none", "choice.class_shares={}"], "choice.class_shares", "grooming.tagger = none"),
        (
            "holmes", ["grooming.judged=articles", "choice.method=random", "grooming.max_ambiguity=0.2"], "grooming.max_ambiguity",
            'grooming.judged = articles and grooming.verdicts = ""',
        ),
        (
            "holmes", ["grooming.verdicts=a.jsonl", "grooming.min_tokens=9"], "grooming.min_tokens",
            "grooming.verdicts = a.jsonl and grooming.unjudged = left_out",
        ),
        ("holmes", ["grooming.unjudged=machine"], "grooming.unjudged", 'grooming.verdicts = ""'),
        ("holmes", ["contexts.background=builtin", "contexts.window=3"], "contexts.window", "contexts.background = builtin"),
        (
            "scs", ["impostors.impostor_draw=uniform", "impostors.window_ranks=9"], "impostors.window_ranks",
            "impostors.impostor_draw = uniform",
        ),
        ("scs", ["books.min_similarity=0.5"], "books.min_similarity", 'books.reference = ""'),
        (
            "scs", ["places.min_affinity=0", "places.min_verb_affinity=0", "places.prior_uses=9"], "places.prior_uses",
            "places.min_affinity = 0.0 and places.min_verb_affinity = 0.0",
        ),
        ("lambada", ['committee.members=["ngram"]', "cache.weight=0.2"], "cache.weight", "committee.members = ngram"),
        ("lambada", ['committee.members=["cache"]', "networks.rate=0.3"], "networks.rate", "committee.members = cache"),
        ("lambada", ['committee.members=["recurrent"]', "networks.history=3"], "networks.history", "committee.members = recurrent"),
        ("lambada", ["committee.rendering=published"], "committee.rendering", "committee.members = ngram, cache, feedforward, recurrent"),
        ("lambada", ["ranking.order=random", "ranking.max_same_target=3"], "ranking.max_same_target", "ranking.order = random"),
        ("lambada", ["guessing.verdicts=a.jsonl", "guessing.judges=machine"], "guessing.judges", "guessing.verdicts = a.jsonl"),
        ("lambada", ["partition.offensive_words=none", "partition.max_offensive_rate=0"], "partition.max_offensive_rate",
         "partition.offensive_words = none"),
        ("lambada", ["overlap.across=keep"], "overlap.across", "this style"),
        ("scde", ["overlap.across=keep"], "overlap.across", "this style"),
        ("scde", ["blanks.count=1", "blanks.min_between=3"], "blanks.min_between", "blanks.count = 1"),
    ],
)  # fmt: skip
def test_a_setting_that_nothing_reads_is_named(style: str, overrides: list[str], name: str, reason: str) -> None:
    """The line names the setting and what decides that it is not read; without the deciding setting there is no line."""
    found = ignored(style, *overrides)
    assert list(found) == [name]
    assert found[name].removesuffix(" do").removesuffix(" does") == reason
    if len(overrides) > 1:
        assert not ignored(style, *overrides[1:])


@pytest.mark.parametrize(("train", "name"), [(True, "held_out.models"), (False, "overlap.across")])
def test_training_books_decide_what_is_read(train: bool, name: str) -> None:
    """Groups of books are read only without --train, what becomes of a book on both sides only with it."""
    assert ignored("holmes", "held_out.models=4", "overlap.across=keep", train=train) == {
        name: f"a run {'with' if train else 'without'} --train does"
    }


def test_what_the_user_did_not_choose_is_not_named(tmp_path: Path) -> None:
    """Neither what a built-in config sets, nor a value of a user's config that is a default, nor what is read."""
    assert not ignored("holmes", "choice.method=random", "choice.draws=24")
    sample = find_style("holmes-style")
    assert not ignored_lines(sample, "holmes-sample", '["choice.method=random"]')
    mine = tmp_path / "mine.holmes.toml"
    mine.write_text("[choice]\nmethod = 'random'\ndraws = 9\nmax_triviality = 0.45\n", encoding="utf-8")
    assert ignored_lines(sample, str(mine)) == ["choice.draws is ignored: choice.method = random does not read it."]


@pytest.mark.parametrize("style", style_names())
def test_rules_name_settings_that_there_are(style: str) -> None:
    """Every rule names settings of its group or style, and depends on such settings."""
    settings = find_style(style).settings()
    for group in (settings, *(value for _, value in settings if isinstance(value, SettingsGroup))):
        for rule in group.ignored_when:
            for name in (*rule.names, *(key for key in rule.when if not key.startswith("--"))):
                attrgetter(name)(group)


@pytest.mark.parametrize(
    ("style", "override", "said"),
    [
        ("holmes", "forward.keep=200", ["forward.keep = 200 is above alternates.count = 150"]),
        ("holmes", 'focus.classes=["noun", "verb", "noun"]', ["focus", "classes names noun twice"]),
        ("lambada", "ranking.pool=1", ["ranking", "pool = 1 is below n_passages = 10000"]),
        ("scde", 'release.features=["sp", "sp"]', ["release", "features names sp twice"]),
        ("scde", "blanks.count=20", ["blanks.count = 20", "58 sentences", "passages.max_sentences = 30"]),
    ],
)
def test_what_is_impossible_is_refused(style: str, override: str, said: list[str]) -> None:
    """The message names both settings."""
    with pytest.raises(ConfigError) as caught:
        load_settings(find_style(f"{style}-style").settings, f"{style}-style", json.dumps([override]))
    assert all(part in str(caught.value) for part in said), caught.value


def test_commands_print_ignored_settings(tmp_path: Path, cli: Callable[..., Any]) -> None:
    """`run` prints them before anything else, `run --dry-run` above the plan, `settings` on stderr, so that its output stays a config."""
    line = "choice.draws is ignored: choice.method = random does not read it."
    mine = tmp_path / "mine.holmes.toml"
    mine.write_text("[choice]\nmethod = 'random'\ndraws = 9\n", encoding="utf-8")
    planned = cli("run", mine, "--dry-run", "--out", tmp_path / "out")
    assert planned.out.startswith(line + "\n")
    refused = cli("run", mine, "--out", tmp_path / "out", "--set", "grooming.offensive_words=nowhere.txt")
    assert line in refused.err.splitlines()[0]
    printed = cli("settings", mine)
    assert line in printed.err
    assert line not in printed.out
