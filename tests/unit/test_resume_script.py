"""`resume.sh` on machines that are not as it expects: it puts everything in place, or says why and leaves no trace."""

import hashlib
import json
import os
import shlex
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.resume_scene import transfer_of

from nanoclaw.flows.transfers import resume_script

NAME = "4bdaffc3-8db7-5790-b3f2-92c27ab76c3f"
LINES = '{"cwd":"@PROJECT@","type":"user","message":"say \\"@PROJECT@\\""}\n{"cwd":"@PROJECT@","x":1}\n'


@pytest.fixture
def package(tmp_path: Path) -> Path:
    return make_package(tmp_path / "package it's")


def make_package(package: Path, language: str = "en") -> Path:
    (package / "claude_code").mkdir(parents=True)
    (package / "work_artifacts").mkdir()
    (package / "work_artifacts" / "draft.md").write_text("draft")
    (package / "transfer.md").write_text("about it")
    (package / "claude_code" / f"{NAME}.jsonl").write_text(LINES)
    sha256 = hashlib.sha256(LINES.encode()).hexdigest()
    script = resume_script.made(transfer_of("s_1", language=language), conversation=NAME, sha256=sha256)
    (package / "claude_code" / "resume.sh").write_text(script)
    return package


@pytest.fixture
def claude(tmp_path: Path) -> Path:
    program = tmp_path / "my claude"
    program.write_text('#!/bin/sh\necho started in "$PWD" with "$@"\n')
    program.chmod(0o755)
    return program


def run(
    package: Path, *words: str, cwd: Path, home: Path | None, **variables: str
) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": os.environ["PATH"], **({"HOME": str(home)} if home else {}), **variables}
    script = str(package / "claude_code" / "resume.sh")
    return subprocess.run(
        ["sh", script, *words], cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )


def below(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*")}


@pytest.mark.parametrize(
    "name", ["plain", "-", "--help me", "-rf", "a b", "$(touch x)`touch x`", "q\"q'q\\", "Ї🦀&|"]
)
def test_it_starts_in_any_folder_with_the_transcript_rewritten(
    name: str, package: Path, claude: Path, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    project = home / name
    project.mkdir(parents=True)
    ran = run(
        package, "--", name, "--print", "two words", cwd=home, home=home, CLAUDE=str(claude), CDPATH="/"
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.splitlines()[-1] == f"started in {project} with --resume {NAME} --print two words"
    [placed] = home.glob(".claude/projects/*/*.jsonl")
    units = len(str(project).encode("utf-16-le")) // 2
    assert (len(placed.parent.name), placed.parent.name.strip("-").isascii()) == (units, True)
    first, second = (json.loads(line) for line in placed.read_text().splitlines())
    assert (first["cwd"], second["cwd"]) == (str(project), str(project))
    assert first["message"] == 'say "@PROJECT@"'
    assert stat.S_IMODE(placed.stat().st_mode) == 0o600
    copied = project / ".claude" / "transfers"
    assert (copied / "tr_01abc" / "work_artifacts" / "draft.md").read_text() == "draft"
    assert (copied / ".gitignore").read_text() == "*\n"
    assert below(project) == {".claude", *(f".claude/{each}" for each in below(project / ".claude"))}


def test_without_claude_it_says_the_command_which_works_as_it_stands(package: Path, tmp_path: Path) -> None:
    project = tmp_path / "it's here"
    project.mkdir()
    ran = run(package, "--copy-only", cwd=project, home=tmp_path)
    assert ran.returncode == 0
    line = ran.stdout.splitlines()[-1].removeprefix("To go on: ")
    assert shlex.split(line) == ["cd", str(project), "&&", "claude", "--resume", NAME]
    ukrainian = make_package(tmp_path / "uk", "uk")
    again = run(ukrainian, "--copy-only", cwd=project, home=tmp_path)
    assert "Розмова вже на місці" in again.stdout
    assert "sh resume.sh" in run(package, "--help", cwd=project, home=tmp_path).stdout


def test_a_conversation_that_went_on_is_left_and_another_one_is_never_overwritten(
    package: Path, claude: Path, tmp_path: Path
) -> None:
    project = tmp_path / "project"
    project.mkdir()
    run(package, cwd=project, home=tmp_path, CLAUDE=str(claude))
    [placed] = tmp_path.glob(".claude/projects/*/*.jsonl")
    longer = placed.read_text() + '{"more":1}\n'
    placed.write_text(longer)
    draft = project / ".claude/transfers/tr_01abc/work_artifacts/draft.md"
    draft.write_text("worked on")
    ran = run(package, cwd=project, home=tmp_path, CLAUDE=str(claude))
    assert (ran.returncode, placed.read_text(), draft.read_text()) == (0, longer, "worked on")
    assert "started in" in ran.stdout
    placed.write_text("somebody else's\n")
    ran = run(package, cwd=project, home=tmp_path, CLAUDE=str(claude))
    assert (ran.returncode, "something else already" in ran.stderr) == (1, True)
    assert "started in" not in ran.stdout
    assert placed.read_text() == "somebody else's\n"
    assert below(placed.parent) == {placed.name}


def _linked_claude(project: Path, elsewhere: Path) -> None:
    (project / ".claude").symlink_to(elsewhere)


def _linked_transfers(project: Path, elsewhere: Path) -> None:
    (project / ".claude").mkdir()
    (project / ".claude" / "transfers").symlink_to(elsewhere)


def _linked_own(project: Path, elsewhere: Path) -> None:
    (project / ".claude" / "transfers").mkdir(parents=True)
    (project / ".claude" / "transfers" / "tr_01abc").symlink_to(elsewhere)


def _file(project: Path, _elsewhere: Path) -> None:
    (project / ".claude").write_text("a file")


@pytest.mark.attack
@pytest.mark.parametrize("trap", [_linked_claude, _linked_transfers, _linked_own, _file])
def test_nothing_is_copied_through_a_link_in_the_project(
    trap: Callable[[Path, Path], None], package: Path, claude: Path, tmp_path: Path
) -> None:
    project, elsewhere = tmp_path / "project", tmp_path / "elsewhere"
    project.mkdir()
    elsewhere.mkdir()
    trap(project, elsewhere)
    ran = run(package, cwd=project, home=tmp_path / "home", CLAUDE=str(claude))
    assert (ran.returncode, "is a link, or no folder" in ran.stderr) == (1, True)
    assert not below(elsewhere)
    assert not (tmp_path / "home").exists()


@pytest.mark.attack
def test_what_it_cannot_do_it_says_and_leaves_no_trace(package: Path, claude: Path, tmp_path: Path) -> None:
    home, project = tmp_path / "home", tmp_path / "project"
    project.mkdir()
    transcript = package / "claude_code" / f"{NAME}.jsonl"

    def refusal(*words: str, home: Path | None = home, cwd: Path = project) -> str:
        ran = run(package, *words, cwd=cwd, home=home, CLAUDE=str(claude))
        assert (ran.returncode, ran.stdout) == (1, "")
        assert not (tmp_path / "home").exists()
        assert not below(project)
        return ran.stderr

    assert "HOME is not set" in refusal(home=None)
    assert "There is no folder ./nowhere" in refusal("nowhere")
    for odd in ("line\nbreak", "at its end\n", "bell\a"):
        (tmp_path / odd).mkdir()
        assert "control character" in refusal(odd, cwd=tmp_path)
        assert "control character" in refusal(cwd=tmp_path / odd)
    long = tmp_path.joinpath(*["x" * 60] * 4)
    long.mkdir(parents=True)
    assert "longer than 200" in refusal(cwd=long)
    transcript.write_text(LINES.replace("say", "pay"))
    assert "altered or damaged" in refusal()
    transcript.unlink()
    transcript.symlink_to("/etc/passwd")
    assert "is missing" in refusal()
    transcript.unlink()
    assert "is missing" in refusal()


@pytest.mark.attack
def test_a_link_in_the_place_of_the_transcript_is_not_followed(
    package: Path, claude: Path, tmp_path: Path
) -> None:
    project, target = tmp_path / "p", tmp_path / "target"
    project.mkdir()
    run(package, "--copy-only", cwd=project, home=tmp_path)
    [placed] = tmp_path.glob(".claude/projects/*/*.jsonl")
    placed.unlink()
    placed.symlink_to(target)
    ran = run(package, cwd=project, home=tmp_path, CLAUDE=str(claude))
    assert (ran.returncode, target.exists()) == (1, False)
    # A home whose own folder is a link is how many people keep their settings: that one is followed.
    placed.unlink()
    (tmp_path / ".claude").rename(tmp_path / "dotfiles")
    (tmp_path / ".claude").symlink_to(tmp_path / "dotfiles")
    assert run(package, cwd=project, home=tmp_path, CLAUDE=str(claude)).returncode == 0


@pytest.mark.attack
def test_no_name_breaks_out_of_the_script() -> None:
    for odd in ("tr_'; touch x; '", "tr_\n", "", "tr_../../x"):
        with pytest.raises(ValueError, match="no id of a transfer"):
            resume_script.made(transfer_of("s_1", odd), conversation=NAME, sha256="0")
