"""A commit of the host and the index of a person: nothing of theirs is run, and their git may be in the way."""

import os
import threading
import time
from pathlib import Path

import pytest
from tests.git_scene import git

from nanoclaw.git.repository import Repository


@pytest.fixture
def home(tmp_path: Path) -> Path:
    git(tmp_path, "init", "--quiet", "--initial-branch=main")
    for name in ("ours.md", "theirs.md"):
        (tmp_path / name).write_text("first\n")
    git(tmp_path, "add", "--all")
    git(tmp_path, "commit", "--quiet", "--message", "first")
    return tmp_path


@pytest.mark.attack
def test_no_filter_is_run_for_a_file_that_changed_with_the_index(home: Path) -> None:
    """Git looks into such a file again before it writes the index."""
    later = time.time() + 100
    os.utime(home / "theirs.md", (later, later))
    git(home, "update-index", "--refresh")
    (home / ".gitattributes").write_text("*.md filter=evil\n")
    git(home, "config", "filter.evil.clean", f"sh -c 'touch {home}/executed; cat'")
    (home / "ours.md").write_text("second\n")
    assert Repository(home).commit(["ours.md"], "second")
    assert git(home, "diff", "--cached", "--name-only") == "", "the index has followed"
    assert not (home / "executed").exists()


def test_the_index_follows_although_a_persons_git_holds_it_for_a_moment(home: Path) -> None:
    lock = home / ".git" / "index.lock"
    lock.touch()
    release = threading.Timer(0.3, lock.unlink)
    release.start()
    (home / "ours.md").write_text("second\n")
    repository = Repository(home)
    assert repository.commit(["ours.md"], "second")
    release.join()
    assert repository.staged.is_settled
    assert git(home, "diff", "--cached", "--name-only") == ""
