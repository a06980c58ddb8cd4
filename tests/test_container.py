"""The Dockerfile and the compose file: what matters holds, and they work where Docker is there."""

import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.conftest import command_tree

ROOT = Path(__file__).parents[1]
Step = tuple[str, str]  # instruction, the rest


def stages():
    """The stages of the Dockerfile; a line that ends in a backslash goes on."""
    text = re.sub(r"^\s*#.*\n", "", (ROOT / "Dockerfile").read_text(), flags=re.MULTILINE)
    found = []
    for line in text.replace("\\\n", " ").splitlines():
        if line.strip():
            word, _, rest = line.strip().partition(" ")
            found += [[]] if word == "FROM" else []
            found[-1].append((word, rest.strip()))
    return found


def of_stage(stage, name):
    return [rest for word, rest in stage if word == name]


def context_paths():
    """What the build copies from the folder of the Dockerfile."""
    for stage in stages():
        for rest in of_stage(stage, "COPY"):
            *sources, _ = rest.split()
            if not sources[0].startswith("--from="):
                yield from sources


def test_the_image_has_no_build_tools_and_no_root():
    """The last stage takes its files from the first, and runs as an ordinary user from then on."""
    build, last = stages()
    name = of_stage(build, "FROM")[0].partition(" AS ")[2]
    assert all(rest.startswith(f"--from={name} ") for rest in of_stage(last, "COPY"))
    assert "apt-get" in " ".join(of_stage(build, "RUN"))
    assert not re.search(r"apt-get|pip |cmake|g\+\+", " ".join(of_stage(last, "RUN")))
    (user,) = of_stage(last, "USER")
    assert user not in {"root", "0"}
    assert f"--create-home {user}" in " ".join(of_stage(last, "RUN"))
    words = [word for word, _ in last]
    assert words.index("USER") < words.index("ENTRYPOINT")
    assert json.loads(of_stage(last, "ENTRYPOINT")[0]) == ["cloze-gen"]


def test_the_same_base_and_no_registry():
    """Both stages have one base, by its short name: the environment is copied between them."""
    bases = [of_stage(stage, "FROM")[0].split()[0] for stage in stages()]
    assert len(set(bases)) == 1
    assert re.fullmatch(r"python:3\.\d+-slim", bases[0])


def test_packages_are_locked():
    """Every download is checked against the lock's hashes; the package itself downloads nothing."""
    calls = re.findall(r"pip (?:install|download) [^&]*", " & ".join(of_stage(stages()[0], "RUN")))
    assert len(calls) == 3
    assert all("--require-hashes" in call or "--no-index" in call for call in calls)


def test_what_is_copied_is_there_and_not_ignored():
    """A clean clone builds: each source is a file of git, and `.dockerignore` lets it through."""
    copied = set(context_paths())
    lines = (ROOT / ".dockerignore").read_text().splitlines()
    assert lines[1] == "*"
    assert copied == {line.removeprefix("!") for line in lines if line.startswith("!")}
    assert all((ROOT / path).exists() for path in copied)
    packages = re.findall(r'"cloze_gen[.\w]*" = "([\w/]+)"', (ROOT / "pyproject.toml").read_text())
    assert copied >= {path.split("/")[0] for path in packages} > set()


def compose():
    yaml = pytest.importorskip("yaml")
    return yaml.safe_load((ROOT / "compose.yaml").read_text())


def test_only_the_proxy_is_open():
    """The page listens inside; the proxy has the ports, and starts when the page answers."""
    services = compose()["services"]
    judges, proxy = services["judges"], services["proxy"]
    assert "ports" not in judges
    assert proxy["ports"] == ["80:80", "443:443"]
    assert proxy["depends_on"] == {"judges": {"condition": "service_healthy"}}
    assert (
        f"judges:{judges['healthcheck']['test'][-1].split(', ')[1].rstrip(')')}" in proxy["command"]
    )
    assert (judges["read_only"], judges["cap_drop"]) == (True, ["ALL"])
    named = {volume.split(":")[0] for one in services.values() for volume in one["volumes"]}
    assert named == {"./artifacts", *compose()["volumes"]}
    assert re.fullmatch(r"[a-z]+:\d+", proxy["image"])


def test_the_page_is_started_with_options_that_exist():
    """The call in the compose file is one that the command line knows."""
    call = compose()["services"]["judges"]["command"]
    command = command_tree()
    words = iter(call)
    for word in ("judge", "serve"):
        assert next(words) == word
        command = command.commands[word]
    options = {option for one in command.params for option in one.opts}
    assert {word for word in words if word.startswith("--")} <= options


@pytest.mark.thorough
@pytest.mark.timeout(3600)
def test_the_image_works():
    """It builds, is below one gigabyte, and makes a set as a user who is not root."""
    program = next(filter(None, map(shutil.which, ("docker", "podman"))), None)
    if program is None:
        pytest.skip("neither docker nor podman is here")
    if subprocess.run([program, "info"], capture_output=True, check=False).returncode:
        pytest.skip(f"{program} is here, but its daemon does not answer")

    def call(words):
        done = subprocess.run([program, *shlex.split(words)], cwd=ROOT, capture_output=True, text=True, check=False)  # fmt: skip
        assert done.returncode == 0, done.stderr[-3000:]
        return done.stdout

    call("build -t cloze-gen-test .")
    assert int(call("image inspect -f '{{.Size}}' cloze-gen-test")) < 10**9
    assert call("run --rm --entrypoint id cloze-gen-test -u").strip() == "10001"
    assert "release" in call("run --rm cloze-gen-test run holmes-sample --workers 1")
