"""A package as a git branch of its own: what it holds, what comes back on it, and what is never lost or overwritten."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.git_scene import Team, git, make_team
from tests.resume_scene import transfer_of

from nanoclaw.domain.transfers import Target, Transfer
from nanoclaw.flows.transfers.branch import TransferBranches
from nanoclaw.git.command import GitFailed, GitUnready

BRANCH = "transfer/tr_01abc"


@pytest.fixture
def team(home: Path, tmp_path: Path) -> Team:
    if not (home / ".git").exists():
        git(home, "init", "--quiet", "--initial-branch=main")
    git(home, "add", "--all")
    git(home, "commit", "--quiet", "--allow-empty", "--message", "first")
    return make_team(home, tmp_path)


@pytest.fixture
def package(tmp_path: Path) -> Path:
    folder = tmp_path / "session_transfer"
    (folder / "work_artifacts").mkdir(parents=True)
    (folder / "transfer.md").write_text("Transfer ID: tr_01abc\r\n")
    (folder / "work_artifacts" / "звіт 1.bin").write_bytes(bytes(range(256)))
    return folder


def delivered(**to: Any) -> Transfer:
    return transfer_of("s_1", target=Target.GIT, delivered_to=to)


def shared(team: Team) -> TransferBranches:
    return TransferBranches(home=team.home, remote="origin")


def state(home: Path) -> list[str]:
    """What belongs to the person: branch, index, work tree."""
    return [
        git(home, *words.split())
        for words in ("symbolic-ref HEAD", "rev-parse main", "status --short", "diff --cached")
    ]


def mate_returns(team: Team, text: str, message: str = "analysis") -> None:
    git(team.mate, "fetch", "--quiet", "origin", BRANCH)
    git(team.mate, "switch", "--quiet", "--force-create", BRANCH, "FETCH_HEAD")
    (team.mate / "session_transfer" / "analysis.md").write_text(text)
    git(team.mate, "add", "--all")
    git(team.mate, "commit", "--quiet", "--message", message)
    git(team.mate, "push", "--quiet", "origin", BRANCH)


async def test_a_branch_holds_the_package_alone_and_goes_when_it_is_over(team: Team, package: Path) -> None:
    (team.home / "staged.txt").write_text("by a person")
    git(team.home, "add", "staged.txt")
    (team.home / "foundation" / "core_identity.md").write_text("edited by a person\n")
    before = state(team.home)
    branches = shared(team)
    published = await branches.publish(delivered(), package)
    assert await branches.publish(delivered(), package) == published  # after a crash
    assert (published["branch"], published["pushed"]) == (BRANCH, True)
    assert state(team.home) == before
    assert git(team.remote, "rev-parse", BRANCH) == published["commit"]
    assert git(team.mate, "fetch", "--quiet", "origin", BRANCH) == ""
    files = git(team.mate, "-c", "core.quotePath=false", "ls-tree", "-r", "--name-only", "FETCH_HEAD")
    assert files.splitlines() == [
        "session_transfer/transfer.md",
        "session_transfer/work_artifacts/звіт 1.bin",
    ]
    assert git(team.mate, "rev-list", "--count", "FETCH_HEAD") == "1"
    git(team.mate, "checkout", "--quiet", "FETCH_HEAD")
    copied = team.mate / "session_transfer"
    assert (copied / "transfer.md").read_bytes() == b"Transfer ID: tr_01abc\r\n"
    assert (copied / "work_artifacts" / "звіт 1.bin").read_bytes() == bytes(range(256))
    assert branches.returned(["tr_01abc"]) == []
    for _ in range(2):
        assert await branches.remove(delivered(**published)) == {"removed": True}
    assert git(team.remote, "branch", "--list", "transfer/*") == ""
    left = git(team.home, "for-each-ref", "refs/heads/transfer", "refs/remotes", "refs/nanoclaw")
    assert left.endswith("refs/remotes/origin/main")
    assert len(left.splitlines()) == 1
    assert state(team.home) == before


async def test_what_comes_back_is_found_until_it_was_read_and_not_deleted_before(
    team: Team, package: Path
) -> None:
    branches = shared(team)
    published = await branches.publish(delivered(), package)
    mate_returns(team, "## Facts\n")
    for _ in range(2):  # the host died before it took it in
        [returned] = branches.returned(["tr_01abc", "tr_other"])
        assert (returned.transfer_id, returned.content) == ("tr_01abc", b"## Facts\n")
    assert await branches.publish(delivered(), package) == published  # others build on it: nothing to push
    kept = await branches.remove(delivered(**published))
    assert (kept["removed"], kept["trouble"]["key"]) == (False, "git-branch-unread")
    branches.mark_read(returned)
    assert branches.returned(["tr_01abc"]) == []
    (team.mate / "more.txt").write_text("more")
    git(team.mate, "add", "--all")
    git(team.mate, "commit", "--quiet", "--message", "more")
    git(team.mate, "push", "--quiet", "origin", BRANCH)
    assert branches.returned(["tr_01abc"]) == []  # the same document once more is nothing new
    assert not (await branches.remove(delivered(**published)))["removed"]
    assert "more" in git(team.remote, "log", "-1", "--format=%s", BRANCH)
    mate_returns(team, "## Facts\n- another\n", "again")
    [returned] = branches.returned(["tr_01abc"])
    branches.mark_read(returned)
    assert await branches.remove(delivered(**published)) == {"removed": True}
    assert git(team.remote, "branch", "--list", "transfer/*") == ""


@pytest.mark.attack
async def test_a_branch_of_somebody_else_is_never_overwritten_nor_deleted(team: Team, package: Path) -> None:
    git(team.mate, "switch", "--quiet", "--create", BRANCH)
    git(team.mate, "commit", "--quiet", "--allow-empty", "--message", "theirs")
    git(team.mate, "push", "--quiet", "origin", BRANCH)
    theirs = git(team.mate, "rev-parse", "HEAD")
    branches = shared(team)
    published = await branches.publish(delivered(), package)
    assert (published["pushed"], published["trouble"]["key"]) == (False, "git-branch-taken")
    assert (await branches.remove(delivered(**published)))["trouble"]["key"] == "git-branch-unread"
    assert git(team.remote, "rev-parse", BRANCH) == theirs
    git(team.home, "branch", "--force", BRANCH, "main")  # and one here
    with pytest.raises(GitFailed, match="git-branch-taken"):
        await branches.publish(delivered(), package)
    assert not (await branches.remove(delivered(**published)))["removed"]
    assert git(team.home, "rev-parse", BRANCH) == git(team.home, "rev-parse", "main")
    for odd in ("../main", "x..y", "-d", "tr_1 x", "tr_1\n", ""):
        with pytest.raises(ValueError, match="no id of a transfer"):
            await branches.publish(transfer_of("s_1", odd), package)
    # A rewritten branch whose file is a link or a folder has nothing to read.
    (team.mate / "session_transfer" / "analysis.md").mkdir(parents=True)
    (team.mate / "session_transfer" / "analysis.md" / "x").symlink_to("/etc/passwd")
    git(team.mate, "add", "--all")
    git(team.mate, "commit", "--quiet", "--message", "trap")
    git(team.mate, "push", "--quiet", "origin", BRANCH)
    assert branches.returned(["tr_01abc"]) == []


async def test_somebody_who_works_on_the_branch_here_keeps_it(team: Team, package: Path) -> None:
    branches = TransferBranches(home=team.home)
    published = await branches.publish(delivered(), package)
    assert published["pushed"] is False
    assert "trouble" not in published  # there is no remote to push to
    git(team.home, "worktree", "add", "--quiet", str(team.mate.with_name("desk")), BRANCH)
    kept = await branches.remove(delivered(**published))
    assert kept["trouble"]["key"] == "git-branch-unread"
    assert git(team.home, "rev-parse", BRANCH) == published["commit"]
    git(team.home, "worktree", "remove", "--force", str(team.mate.with_name("desk")))
    assert await branches.remove(delivered(**published)) == {"removed": True}


async def test_a_remote_that_refuses_or_is_gone_is_told_and_the_branch_is_here(
    team: Team, package: Path
) -> None:
    hook = team.remote / "hooks" / "pre-receive"
    hook.write_text("#!/bin/sh\necho no branches on fridays >&2\nexit 1\n")
    hook.chmod(0o755)
    branches = shared(team)
    published = await branches.publish(delivered(), package)
    assert (published["pushed"], published["trouble"]["key"]) == (False, "git-remote")
    assert "no branches on fridays" in published["trouble"]["values"]["said"]
    assert git(team.home, "rev-parse", BRANCH) == published["commit"]
    hook.unlink()
    assert (await branches.publish(delivered(), package))["pushed"]
    # Another host, with a clone of its own, ends the transfer.
    other = TransferBranches(home=team.mate, remote="origin")
    shutil.move(team.remote, team.remote.with_name("away"))
    assert (await other.remove(delivered(**published)))["trouble"]["key"] == "git-remote"
    with pytest.raises(GitFailed, match="git-remote"):
        other.returned(["tr_01abc"])
    shutil.move(team.remote.with_name("away"), team.remote)
    assert await other.remove(delivered(**published)) == {"removed": True}
    assert git(team.remote, "branch", "--list", "transfer/*") == ""
    git(team.home, "remote", "remove", "origin")
    assert (await branches.publish(delivered(), package))["trouble"]["key"] == "git-no-remote"
    nowhere = TransferBranches(home=package, remote="origin")
    with pytest.raises(GitUnready, match="git-no-repository"):
        await nowhere.publish(delivered(), package)
    assert nowhere.returned([]) == []
