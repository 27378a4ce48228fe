"""Flow G. Others work on the same workspace through git: what a pull changes at once, and remotes that are not well."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.git_scene import FACTS, Team, append, fact, git, ids
from tests.staging import KINDS, claudes, results, staged, until
from tests.sync_scene import SHARED, answer, asked, first_team, look, note, synced, told
from tests.typed import typing_in

from nanoclaw.context.skills import Skills
from nanoclaw.host.host import Host
from nanoclaw.testing import started_host
from nanoclaw.testing.model_parts import Asked

pytestmark = [pytest.mark.asyncio, pytest.mark.capability("B6", "G5")]

TOUR = "skills/meta/orchestration/demo-tour"
POET = "skills/arts/words/poet/SKILL.md"
NEW = "---\nname: poet\ndescription: Writes poems.\n---\nYou rhyme.\n"


@pytest.fixture
def team(home: Path, tmp_path: Path) -> Team:
    return first_team(home, tmp_path)


def replace_in(file: Path, old: str, new: str) -> None:
    text = file.read_text("utf-8")
    assert old in text
    file.write_text(text.replace(old, new), "utf-8")


async def test_the_prose_of_skills_is_in_effect_after_a_pull_and_what_runs_waits(team: Team) -> None:
    """Edited on a laptop: a skill, what lies beside it, a new one; and a script, which is asked about."""
    replace_in(team.mate / TOUR / "SKILL.md", "at most forty lines", "at most twenty lines")
    (team.mate / TOUR / "style.md").write_text("Short sentences.\n")
    (team.mate / TOUR / "run.sh").write_text("echo hello\n")
    (team.mate / POET).parent.mkdir(parents=True)
    (team.mate / POET).write_text(NEW)
    team.mate_pushes()
    async with started_host(team.home, memory=SHARED) as host:
        question = await asked(host)
        assert f"{TOUR}/run.sh" in question.prompt
        assert not any(name in question.prompt for name in ("SKILL.md", "style.md"))
        assert "at most twenty lines" in (team.home / TOUR / "SKILL.md").read_text("utf-8")
        assert (team.home / TOUR / "style.md").exists()
        assert not (team.home / TOUR / "run.sh").exists()
        assert (team.home / POET).read_text() == NEW
        assert Skills(team.home).find("poet") is not None
        # The same skill, with rights that the owner has to give.
        team.mate_pulls()
        replace_in(team.mate / POET, "name: poet", "commands: [/poem]\nname: poet")
        replace_in(team.mate / POET, "You rhyme.", "You always rhyme.")
        team.mate_pushes()
        await answer(host, question, "keep")
        await look(host, "remote")
        second = await asked(host)
        assert "commands: [/poem]" in str(second.context)
        assert (team.home / POET).read_text() == NEW, "not even the prose, which belongs to it"
        await answer(host, second, "take")
        await until(lambda: "/poem" in (team.home / POET).read_text())


async def trouble(host: Host, key: str) -> None:
    async def so() -> bool:
        found = await note(host, "versions-remote")
        return bool(found) and found["key"] == key

    await look(host, "remote")
    await until(so)


async def is_told(host: Host, words: str) -> None:
    async def so() -> bool:
        return words in await told(host)

    await until(so)


@pytest.mark.attack
async def test_a_history_that_was_written_anew_is_not_followed_and_nothing_of_ours_is_lost(
    team: Team,
) -> None:
    async with started_host(team.home, memory=SHARED) as host:
        append(team.home, fact(2, "The office is in Lviv"))
        await look(host)
        await until(lambda: git(team.remote, "log", "-1", "--format=%s", "main") == "memory: 1 fact (demo)")
        ours = git(team.home, "rev-parse", "main")
        # Somebody continues from the commit before, and forces it on the remote. The workspace's owner fetches it.
        append(team.mate, fact(3, "The roaster is called Olha"))
        team.mate_commits("by force")
        git(team.mate, "push", "--quiet", "--force", "origin", "main")
        theirs = git(team.mate, "rev-parse", "main")
        git(team.home, "fetch", "--quiet", "origin")
        await trouble(host, "git-rewritten")
        await is_told(host, "was written anew")
        await look(host, "remote")
        assert git(team.home, "rev-parse", "main") == ours
        assert git(team.remote, "rev-parse", "main") == theirs, "and nothing is pushed over it"
        # As the message says: the owner takes both.
        git(team.home, "pull", "--quiet", "--no-rebase", "origin", "main")
        await synced(host, team)
        assert sorted(ids(team.mate)) == [fact(number, "")["id"] for number in (1, 2, 3)]
        assert await note(host, "versions-remote") is None
        # Set back to an older commit: ours goes there again, and the owner hears of it.
        git(team.remote, "update-ref", "refs/heads/main", theirs)
        await synced(host, team)
        await is_told(host, "no longer there")
        for commit in (ours, theirs):
            git(team.remote, "merge-base", "--is-ancestor", commit, "main")


async def test_a_remote_that_is_gone_or_has_other_branches_changes_nothing_until_it_is_well(
    team: Team,
) -> None:
    async with started_host(team.home, memory=SHARED) as host:
        await synced(host, team)
        away = team.remote.with_name("away.git")
        team.remote.rename(away)
        await trouble(host, "git-remote")
        away.rename(team.remote)
        await synced(host, team)
        # The team's work is on another branch: none is made beside it.
        git(team.remote, "symbolic-ref", "HEAD", "refs/heads/work")
        git(team.remote, "branch", "--move", "main", "work")
        await trouble(host, "git-no-branch")
        assert git(team.remote, "branch", "--format=%(refname:short)") == "work"
        git(team.remote, "branch", "--move", "work", "main")
        await synced(host, team)
        # Another repository stands in its place.
        team.remote.rename(away)
        git(team.home, "init", "--quiet", "--bare", "--initial-branch=main", str(team.remote))
        git(team.mate, "checkout", "--quiet", "--orphan", "alone")
        git(team.mate, "commit", "--quiet", "--message", "of somebody else")
        git(team.mate, "push", "--quiet", "--force", "origin", "alone:main")
        await trouble(host, "git-rewritten")
        shutil.rmtree(team.remote)
        # And an empty one gets all we have.
        git(team.home, "init", "--quiet", "--bare", "--initial-branch=main", str(team.remote))
        await look(host, "remote")
        at = git(team.home, "rev-parse", "main")
        await until(lambda: git(team.home, "ls-remote", "origin", "main").startswith(at))


@pytest.mark.attack
async def test_names_that_have_no_place_and_files_that_are_too_long_stay_outside(
    team: Team, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (team.home / "foundation" / "linked").symlink_to(elsewhere)
    for name in (
        "foundation/Core_Identity.md",
        "foundation/core_identity.md.d/x.md",
        "foundation/linked/x.md",
    ):
        (team.mate / name).parent.mkdir(exist_ok=True)
        (team.mate / name).write_text("Theirs.\n")
    (team.home / "foundation" / "core_identity.md.d").write_text("a file of a person")
    (team.mate / "foundation" / "huge.md").write_bytes(b"x" * (21 << 20))
    append(team.mate, fact(2, "A fact of a teammate"))
    team.mate_pushes()
    async with started_host(team.home, memory=SHARED) as host:
        await until(lambda: len(ids(team.home, FACTS)) == 2)
        await is_told(
            host, "foundation/Core_Identity.md, foundation/core_identity.md.d/x.md, foundation/huge.md"
        )
        assert list(elsewhere.iterdir()) == []
        assert not (team.home / "foundation" / "huge.md").exists()
        await synced(host, team)


@pytest.mark.capability("B6", "A8")
async def test_a_warm_claude_code_sees_what_a_pull_brought_and_folders_that_were_replaced(team: Team) -> None:
    """A pull replaces files, which a box sees; a checkout replaces folders, which it does not."""
    skill = "skills/meta/orchestration/general-assistant"
    kind = KINDS[0]

    questions = ("one", "two", "three", "four")

    def script(asked: Asked) -> Any:
        said, seen = json.dumps(asked.messages), results(asked)
        if len(seen) < sum(f"nr {each}" in said for each in questions):
            return kind.bash("cat /skills/skills/general-assistant/style.md")
        return next((word for word in ("third", "second", "first") if f"{word} style" in seen[-1]), "?")

    (team.home / skill / "style.md").write_text("first style\n")
    git(team.home, "add", "--all")
    git(team.home, "commit", "--quiet", "--message", "a style")
    git(team.home, "push", "--quiet", "origin", "main")
    team.mate_pulls()
    async with staged(kind, team.home, script, memory=SHARED) as stage:
        assert await stage.ask("nr one") == "first"
        (first,) = claudes()
        assert await stage.ask("nr two") == "first"
        assert claudes() == [first], "it stays warm while nothing changes"
        replace_in(team.mate / skill / "style.md", "first", "second")
        replace_in(team.mate / skill / "SKILL.md", "---\n\n", "---\n\nAlways mention the otter.\n\n")
        team.mate_pushes()
        await look(stage.host, "remote")
        await until(lambda: "otter" in (team.home / skill / "SKILL.md").read_text("utf-8"))
        known = stage.host.handoff_parts.tools.rules.known_skills  # the host looks once a second
        await until(lambda: "otter" in str(known.find("general-assistant")))
        assert await stage.ask("nr three") == "second"
        assert "Always mention the otter." in stage.server.asked[-1].system
        # As git does it when a person goes to another branch and back: the folder is another one.
        folder = team.home / skill
        shutil.copytree(folder, folder.with_name("fresh"))
        folder.rename(team.home / "data" / "old")
        folder.with_name("fresh").rename(folder)
        replace_in(folder / "style.md", "second", "third")
        assert await stage.ask("nr four") == "third"


async def test_whoever_asks_for_it_hears_what_came_and_went_and_why_not(
    team: Team, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """And with nothing new a single git is started."""
    typed = typing_in(team.home, monkeypatch, capfd)
    started = counted_git(team.home.parent, monkeypatch)
    async with started_host(team.home, memory={**SHARED, "commit_seconds": 3600}):
        assert "Nothing new on either side (main)." in (await typed("sync")).out
        append(team.mate, fact(2, "The office is in Lviv"))
        (team.mate / TOUR / "run.sh").write_text("echo hello\n")
        team.mate_pushes()
        append(team.home, fact(3, "The roaster is called Olha"))
        told = await typed("sync")
        assert f"A file came:\n  {FACTS}\n" in told.out
        assert f"A file waits for the owner's decision, see the inbox:\n  {TOUR}/run.sh\n" in told.out
        assert f"A file went:\n  {FACTS}" in told.out
        await typed("sync")  # which reads what the last commit has
        started.unlink()
        nothing = (await typed("sync", "--json")).json()
        assert (nothing["came"], nothing["went"], nothing["lost"]) == ([], [], 0)
        (asked_of_git,) = started.read_text().splitlines()
        assert asked_of_git.endswith("ls-remote --quiet --heads origin")
        state = (await typed("sync", "--status", "--json")).json()
        assert (state["remote"], state["trouble"], state["what"]["came"]) == ("origin", None, [FACTS])
        monkeypatch.setenv("NANOCLAW_MEMORY_PUSH", "true")  # as the file would say it
        assert "Shared through git" in (well := (await typed("status")).out)
        assert "was last met" in well
        team.remote.rename(team.remote.with_name("away.git"))
        refused = await typed("sync")
        assert (refused.code, 'The git remote "origin" said' in refused.err) == (1, True)
        state_now = await typed("sync", "--status")
        assert (state_now.code, "it does not work" in state_now.out) == (1, True)
        assert 'The git remote "origin" said' in (await typed("status", "--json")).json()["shared"]
    monkeypatch.delenv("NANOCLAW_MEMORY_PUSH")
    assert "not shared through git" in (await typed("sync")).err, "no host runs"
    async with started_host(team.home):
        assert "set push = true" in (await typed("sync")).err


def counted_git(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every git that the host starts from now on writes its arguments there."""
    lines, program = folder / "started", folder / "bin" / "git"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\necho "$*" >> {lines}\nexec {shutil.which("git")} "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent), prepend=":")
    return lines
