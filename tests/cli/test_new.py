"""The folder that a newcomer begins in."""

import re
import shutil
from pathlib import Path

import pytest

from cloze_gen.api.run import make_task
from cloze_gen.pipelines.styles import find_style, load_settings, style_names
from cloze_gen.store.locks import partial_folder

SAMPLE = Path(__file__).parents[2] / "corpora" / "sample"
BOOKS = {"train": SAMPLE / "train", "source": SAMPLE / "source", "books": SAMPLE / "novels"}


@pytest.fixture
def begun(cli, tmp_path):
    """A folder that was just made."""

    def new(config):
        outcome = cli("new", tmp_path / "mine", "--style", config)
        assert outcome.status == 0, outcome.err
        return tmp_path / "mine"

    return new


@pytest.mark.parametrize(
    "config", [*style_names(), "holmes-2011", "holmes-few-books", "lambada-sample"]
)
def test_left_unchanged_it_makes_what_the_config_makes(config, begun, tmp_path):
    """The settings are equal but for the style's changes, and so are the fingerprints of every stage."""
    file = str(begun(config) / "mine.toml")
    style = find_style(
        next(name for name in style_names() if name.split("-")[0] == config.split("-")[0])
    )
    changes = list(style.new_settings(load_settings(style.settings, config)))
    assert load_settings(style.settings, file) == load_settings(style.settings, config, changes)
    assert changes == (["choice.n_questions=auto"] if config == "holmes-style" else [])
    sides = {side: str(BOOKS[side]) for side in style.sides}
    common = {
        "name": "",
        "out": tmp_path / "out",
        "workers": 1,
        "seed": 1,
        **sides,
    }
    ours = make_task(config=file, overrides=[], **common)
    theirs = make_task(config=config, overrides=changes, **common)
    assert ours.run_name == "mine"
    stages = ours.description()["stages"]
    assert [one["fingerprint"] for one in stages] == [
        one["fingerprint"] for one in theirs.description()["stages"]
    ]
    assert len(stages) > 5


@pytest.mark.parametrize("style", style_names())
def test_every_setting_stands_in_it_with_a_meaning(style, begun):
    """Each setting's line has a comment; what is changed in it is read."""
    file = begun(style) / "mine.toml"
    lines = file.read_text(encoding="utf-8").splitlines()
    groups = find_style(style).settings.model_fields.values()
    keys = [key for group in groups for key in group.annotation.model_fields]
    written = [number for number, line in enumerate(lines) if re.match(r"\w+ = ", line)]
    assert [lines[number].split(" = ")[0] for number in written] == ["style", *keys]
    assert [lines[number] for number in written if "  # " not in lines[number]] == []
    assert len(lines) <= 100
    file.write_text(
        file.read_text(encoding="utf-8").replace("min_word_tokens = 200", "min_word_tokens = 201"),
        encoding="utf-8",
    )
    assert load_settings(find_style(style).settings, str(file)).ingest.min_word_tokens == 201


@pytest.mark.parametrize(
    ("config", "places"),
    [
        ("holmes-style", ["books/source", "books/train"]),
        ("lambada-style", ["books"]),
        ("scs-style", ["books/source", "books/train"]),
    ],
)
def test_each_side_has_an_empty_place(config, places, begun):
    folder = begun(config)
    found = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))
    assert found == sorted(["README.md", "mine.toml", *{"books", *places}])
    page = (folder / "README.md").read_text(encoding="utf-8")
    assert [f"- `{place}/`: " in page for place in places] == [True] * len(places)


@pytest.mark.slow
def test_its_commands_work(
    begun,
    cli,
    corpus,
    monkeypatch,
):
    folder = begun("scs-sample")
    for side in ("train", "source"):
        shutil.copytree(getattr(corpus, side), folder / "books" / side, dirs_exist_ok=True)
    monkeypatch.chdir(folder)
    commands = re.search(
        r"```sh\n(.*?)```", (folder / "README.md").read_text(encoding="utf-8"), re.DOTALL
    )
    assert commands is not None
    typed = [line.split() for line in commands[1].splitlines()]
    assert [words[:2] for words in typed] == [
        ["cloze-gen", "corpus"],
        ["cloze-gen", "run"],
        ["cloze-gen", "show"],
        ["cloze-gen", "evaluate"],
        ["cloze-gen", "export"],
    ]
    for _, *words in typed:
        outcome = cli(*words)
        assert outcome.status == 0, outcome.err
        assert "skipped" not in outcome.err  # nothing of ours is among the books
    assert (folder / "artifacts" / "runs" / "mine" / "release" / "report.html").is_file()


def test_without_background_it_has_a_command(begun, cli, monkeypatch):
    """On a line of its own; the error for the empty folder says what to leave out."""
    folder = begun("scs-style")
    monkeypatch.chdir(folder)
    command = "cloze-gen run mine.toml --source books/source"
    assert command in (folder / "README.md").read_text(encoding="utf-8").splitlines()
    shutil.copytree(BOOKS["source"], folder / "books" / "source", dirs_exist_ok=True)
    outcome = cli(*command.split()[1:], "--train", "books/train")
    assert outcome.status == 2
    assert "If you have no background, leave out --train." in outcome.err
    assert cli(*command.split()[1:], "--dry-run").status == 0


def test_nothing_of_a_users_is_overwritten(cli, begun, tmp_path):
    file = begun("holmes-style") / "mine.toml"
    file.write_text("mine")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "book.txt").write_text("mine")
    (tmp_path / "file").write_text("mine")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    before = sorted(tmp_path.rglob("*"))
    for name in ("mine", "other", "file", "link"):
        told = cli("new", tmp_path / name)
        assert told.status == 2, name
        assert "Nothing was written" in told.err
    assert sorted(tmp_path.rglob("*")) == before
    assert (
        file.read_text()
        == (tmp_path / "other" / "book.txt").read_text()
        == (tmp_path / "file").read_text()
        == "mine"
    )


def test_an_empty_folder_will_do(cli, tmp_path, monkeypatch):
    """But not the one in which the command is typed: its name would lead elsewhere afterwards."""
    (tmp_path / "mine").mkdir()
    assert cli("new", tmp_path / "mine").status == 0
    assert (tmp_path / "mine" / "mine.toml").is_file()
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    assert cli("new", ".").status == 2
    assert list((tmp_path / "here").iterdir()) == []


def test_a_name_that_no_run_can_have_is_refused(cli, tmp_path):
    told = cli("new", tmp_path / "my set")
    assert told.status == 2
    assert "must be a valid run name" in told.err
    assert cli("new", tmp_path / "mine", "--style", "holms").status == 2
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_command_left_is_swept(cli, tmp_path):
    """A folder half written under its temporary name goes; the new one is whole."""
    with partial_folder(tmp_path / "mine") as partial:
        shutil.copytree(partial, tmp_path / ".mine~partial-0123abcd")
    assert cli("new", tmp_path / "mine").status == 0
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]
