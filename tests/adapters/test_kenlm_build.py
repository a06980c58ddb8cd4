"""Building KenLM's programs, without compilers or a network."""

from __future__ import annotations

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


def write_archive(folder):
    path = folder / f"kenlm-{kenlm_build.VERSION}.tar.gz"
    with tarfile.open(path, "w:gz") as tar:
        for name, text in SOURCES.items():
            member = tarfile.TarInfo(f"kenlm-{kenlm_build.VERSION}/{name}")
            member.size = len(text.encode())
            tar.addfile(member, io.BytesIO(text.encode()))
    return path


@pytest.fixture
def prefix(tmp_path, monkeypatch):
    """An environment without KenLM on a machine with all tools."""
    path = tmp_path / "env"
    (path / "bin").mkdir(parents=True)
    monkeypatch.setattr(sys, "prefix", str(path))
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.delenv("CLOZE_GEN_LMPLZ", raising=False)
    monkeypatch.setattr(kenlm_build, "missing", list)
    return path


@pytest.fixture
def commands(monkeypatch):
    """Records commands; pip brings the sources and CMake's build creates the programs."""
    ran = []

    def run(command):
        ran.append(command)
        if "pip" in command:
            write_archive(Path(command[command.index("--dest") + 1]))
        if command[:2] == ["cmake", "--build"]:
            for name in kenlm_build.PROGRAMS:
                path = Path(command[2]) / "bin" / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(PROGRAM)
                path.chmod(0o755)

    monkeypatch.setattr(kenlm_build, "run", run)
    return ran


def test_the_sources_are_changed_as_meant_and_nowhere_else(tmp_path):
    sources = kenlm_build.unpack(write_archive(tmp_path))
    assert {name: (sources / name).read_text() for name in SOURCES} == {
        "CMakeLists.txt": "project(kenlm)\n  find_package(Boost 1.41.0 REQUIRED COMPONENTS\n    "
        "program_options\n    thread)\n",
        "lm/model.cc": "// as it is\n",
    }


def test_pip_checks_the_hash_of_the_sources(tmp_path, commands):
    """Of the pinned release, as the source distribution and not built."""
    kenlm_build.download(tmp_path)
    (pip,) = commands
    assert {"--require-hashes", "--no-binary", "--no-deps"} < set(pip)
    wanted = (tmp_path / "kenlm.txt").read_text()
    assert wanted == f"kenlm=={kenlm_build.VERSION} --hash=sha256:{kenlm_build.SHA256}\n"


@pytest.mark.usefixtures("commands")
def test_the_programs_are_installed_into_the_environment(prefix):
    kenlm_build.build()
    assert {path.name for path in (prefix / "bin").iterdir()} == set(kenlm_build.PROGRAMS)
    assert lmplz.find_lmplz() == prefix / "bin" / "lmplz"
    assert lmplz.find_build_binary() == prefix / "bin" / "build_binary"


def test_a_failed_build_leaves_the_old_program(prefix, tmp_path, monkeypatch):
    (prefix / "bin" / "lmplz").write_text("old")
    monkeypatch.setenv("PATH", str(prefix))
    monkeypatch.setattr(kenlm_build, "download", lambda _: write_archive(tmp_path))
    (prefix / "cmake").write_text("#!/bin/sh\necho no room for this >&2\nexit 3\n")
    (prefix / "cmake").chmod(0o755)
    with pytest.raises(ToolError, match=r"no room for this\n\nThis failed \(status 3\): cmake"):
        kenlm_build.build()
    assert [(path.name, path.read_text()) for path in (prefix / "bin").iterdir()] == [
        ("lmplz", "old")
    ]


@pytest.mark.parametrize("manager", list(system_tools.INSTALL))
def test_missing_tools_are_one_message_with_the_command(monkeypatch, prefix, manager):
    monkeypatch.setattr(kenlm_build, "missing", lambda: [system_tools.BUILD_TOOLS])
    monkeypatch.setenv("PATH", str(prefix / "system"))
    (prefix / "system").mkdir()
    (prefix / "system" / manager).write_text("")
    (prefix / "system" / manager).chmod(0o755)
    with pytest.raises(ToolError, match=r"C\+\+ compiler") as caught:
        kenlm_build.build()
    assert f"{manager} install" in str(caught.value)
    assert "boost" in str(caught.value)
    assert list((prefix / "bin").iterdir()) == []


def test_tools_of_this_machine_can_build(monkeypatch):
    """Without CMake on the PATH they cannot; with all of them nothing is installed."""
    monkeypatch.setattr(system_tools, "install_with_apt", pytest.fail)
    if not system_tools.missing():
        assert system_tools.main() == 0
    monkeypatch.setenv("PATH", "/nowhere")
    assert system_tools.BUILD_TOOLS in system_tools.missing()


@pytest.mark.parametrize(("user", "status"), [(0, 0), (1000, 1)])
def test_only_root_installs_packages(monkeypatch, tmp_path, capsys, user, status):
    """And only where they are missing; others get the command."""
    (tmp_path / "apt-get").write_text('#!/bin/sh\n: >"$0.ran"\n')
    (tmp_path / "apt-get").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(system_tools.os, "geteuid", lambda: user)
    ran = tmp_path / "apt-get.ran"
    lacking = list(system_tools.PACKAGES)
    monkeypatch.setattr(system_tools, "missing", lambda: [] if ran.exists() else lacking)
    assert system_tools.main() == status
    assert ran.exists() == (user == 0)
    assert "apt-get install" in capsys.readouterr().err


def test_doctor_builds_only_with_fix(cli, prefix, commands):
    looked = cli("doctor")
    assert (looked.status, commands) == (1, [])
    assert "doctor --fix" in looked.out
    mended = cli("doctor", "--fix").out.splitlines()
    assert mended[0] == "Building KenLM 0.3.0 (two minutes) ..."
    assert any(line.startswith("ok      lmplz") for line in mended)
    done = len(commands)
    assert "Building" not in cli("doctor", "--fix").out
    assert len(commands) == done
