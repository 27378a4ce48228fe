"""Flow G. Others work on the same workspace through git: what a pull changes at once, and remotes that are not well."""

import shutil
from pathlib import Path

import pytest
from tests.git_scene import FACTS, Team, append, fact, git, ids
from tests.staging import until
from tests.sync_scene import SHARED, answer, asked, first_team, look, note, synced, told

from nanoclaw.context.skills import Skills
from nanoclaw.host.host import Host
from nanoclaw.testing import started_host

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
        # Somebody goes on from the commit before, and forces it on the remote. The workspace's owner fetches it.
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
