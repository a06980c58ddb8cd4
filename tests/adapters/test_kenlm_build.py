"""Building KenLM, without compilers or a network."""

import hashlib
import importlib.metadata
import io
import sys
import tarfile
from pathlib import Path

import pytest

from cloze_gen.adapters import kenlm_build, lmplz, system_tools
from cloze_gen.errors import ToolError

# The lines of KenLM 0.3.0 that are changed, among others.
SOURCES = {
    "CMakeLists.txt": "project(kenlm)\n  find_package(Boost 1.41.0 REQUIRED COMPONENTS\n    "
    "program_options\n    system\n    thread\n"
    "    unit_test_framework\n  )\n",
    "lm/model.cc": "// as it is\n",
}
PROGRAM = "#!/bin/sh\necho 'Builds unpruned language models' >&2\n"


def write_archive(path, sources):
    with tarfile.open(path, "w:gz") as tar:
        for name, text in sources.items():
            member = tarfile.TarInfo(f"kenlm-{kenlm_build.VERSION}/{name}")
            member.size = len(text.encode())
            tar.addfile(member, io.BytesIO(text.encode()))
    return path


@pytest.fixture
def archive(tmp_path, monkeypatch):
    """A source distribution of four files, accepted as the pinned one."""
    path = write_archive(tmp_path / "sources.tar.gz", SOURCES)
    monkeypatch.setattr(kenlm_build, "SHA256", hashlib.sha256(path.read_bytes()).hexdigest())
    return path


@pytest.fixture
def prefix(tmp_path, monkeypatch):
    """An environment without KenLM on a machine with all tools."""
    path = tmp_path / "env"
    (path / "bin").mkdir(parents=True)
    monkeypatch.setattr(sys, "prefix", str(path))
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.delenv("CLOZE_GEN_LMPLZ", raising=False)
    monkeypatch.setattr(kenlm_build, "missing", lambda _: [])
    return path


@pytest.fixture
def commands(monkeypatch):
    """Records commands; CMake's build creates the programs."""
    ran = []

    def run(command):
        ran.append(command)
        if command[:2] == ["cmake", "--build"]:
            for name in kenlm_build.PROGRAMS:
                path = Path(command[2]) / "bin" / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(PROGRAM)
                path.chmod(0o755)

    monkeypatch.setattr(kenlm_build, "run", run)
    return ran


def test_the_sources_are_changed_as_meant_and_nowhere_else(archive, tmp_path):
    sources = kenlm_build.unpack(archive, tmp_path / "unpacked")
    assert {name: (sources / name).read_text() for name in SOURCES} == {
        "CMakeLists.txt": "project(kenlm)\n  find_package(Boost 1.41.0 REQUIRED COMPONENTS\n    "
        "program_options\n    thread)\n",
        "lm/model.cc": "// as it is\n",
    }


def test_sources_of_another_version_are_refused(tmp_path):
    path = write_archive(tmp_path / "other.tar.gz", {"CMakeLists.txt": "rewritten\n"})
    with pytest.raises(ToolError, match="does not require Boost"):
        kenlm_build.unpack(path, tmp_path / "unpacked")


def test_an_archive_that_is_not_the_pinned_one_is_refused(archive):
    assert kenlm_build.check(archive) == archive
    archive.write_bytes(archive.read_bytes() + b"\0")
    with pytest.raises(ToolError, match=kenlm_build.SHA256):
        kenlm_build.check(archive)
    with pytest.raises(ToolError, match="no such file"):
        kenlm_build.check(archive.with_name("none.tar.gz"))


def test_programs_are_installed_with_a_stamp_that_tells_changes(archive, prefix, commands):
    stamp = kenlm_build.stamp_path()
    assert not kenlm_build.is_built(prefix / "bin", stamp)
    kenlm_build.build(archive)
    assert kenlm_build.is_built(prefix / "bin", stamp)
    assert sorted(path.name for path in (prefix / "bin").iterdir()) == sorted(kenlm_build.PROGRAMS)
    assert not any("pip" in command for command in commands)
    (prefix / "bin" / "build_binary").write_text(PROGRAM + "#\n")
    assert not kenlm_build.is_built(prefix / "bin", stamp)


def test_a_failed_build_leaves_the_old_programs(archive, prefix, monkeypatch):
    (prefix / "bin" / "lmplz").write_text("old")
    monkeypatch.setenv("PATH", str(prefix))
    (prefix / "cmake").write_text("#!/bin/sh\necho no room for this >&2\nexit 3\n")
    (prefix / "cmake").chmod(0o755)
    with pytest.raises(ToolError, match=r"no room for this\n\nThis failed \(status 3\): cmake"):
        kenlm_build.build(archive)
    assert [(path.name, path.read_text()) for path in (prefix / "bin").iterdir()] == [
        ("lmplz", "old")
    ]


@pytest.mark.parametrize(
    ("installed", "isolated"), [("84.2.1", False), ("70.1.0", False), ("65.5.0", True), ("", True)]
)
def test_pip_uses_the_installed_setuptools_only_if_it_can_build(
    installed,
    isolated,
    archive,
    prefix,
    commands,
    monkeypatch,
):

    def version(package):
        if not installed:
            raise importlib.metadata.PackageNotFoundError(package)
        return installed

    monkeypatch.setattr(importlib.metadata, "version", version)
    monkeypatch.setattr(kenlm_build, "check", lambda _: archive)
    kenlm_build.build()
    assert ("--no-build-isolation" not in commands[0]) == isolated


def test_what_is_missing_is_told_with_the_command(monkeypatch, archive, prefix):
    monkeypatch.setattr(kenlm_build, "missing", lambda _: [system_tools.COMPILER])
    with pytest.raises(ToolError, match=r"this machine lacks a C\+\+ compiler"):
        kenlm_build.build(archive)
    assert list((prefix / "bin").iterdir()) == []


def test_the_systems_python_is_left_alone(monkeypatch, prefix):
    monkeypatch.setattr(sys, "base_prefix", str(prefix))
    with pytest.raises(ToolError, match=r"python3 -m venv"):
        list(kenlm_build.plan(None))


def test_doctor_builds_only_when_told_and_says_so_first(cli, archive, prefix, commands):
    looked = cli("doctor")
    assert (looked.status, commands) == (1, [])
    assert "doctor --fix" in looked.out
    mended = cli("doctor", "--fix", "--kenlm-sources", archive)
    lines = mended.out.splitlines()
    assert lines[0].startswith("Next: build lmplz, build_binary of KenLM 0.3.0 and put them into")
    assert lines[1] == f"Next: use the sources in {archive} ..."
    assert lmplz.find_lmplz() == prefix / "bin" / "lmplz"
    assert any(line.startswith("ok      lmplz") for line in lines)
    done = len(commands)
    assert "Next:" not in cli("doctor", "--fix").out
    assert len(commands) == done
