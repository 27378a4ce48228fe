"""A person's git, and what every object of a repository holds."""

import os
import subprocess
from pathlib import Path

LONG_AGO = "2020-01-01T00:00:00Z"


def make_old(home: Path) -> None:
    """The last commit is as of long ago."""
    git(home, "commit", "--quiet", "--amend", "--no-edit", "--date", LONG_AGO, at=LONG_AGO)


def git(home: Path, *arguments: str, at: str | None = None) -> str:
    who = {
        f"GIT_{role}_{part}": "mia@example.com"
        for role in ("AUTHOR", "COMMITTER")
        for part in ("NAME", "EMAIL")
    }
    return subprocess.run(
        ["git", "-c", "init.defaultBranch=main", *arguments],
        cwd=home,
        env={
            **os.environ,
            **who,
            **({"GIT_COMMITTER_DATE": at} if at else {}),
            "GIT_CONFIG_GLOBAL": os.devnull,
        },
        check=True,
        capture_output=True,
        text=True,
    ).stdout


def objects_with(home: Path, words: str) -> list[str]:
    """Every object of the repository, reachable or not, and every plain file below .git."""
    listed = git(
        home, "cat-file", "--batch-all-objects", "--batch-check=%(objectname) %(objecttype)"
    ).splitlines()
    found = []
    for row in listed:
        name, kind = row.split()
        content = subprocess.run(
            ["git", "cat-file", kind, name], cwd=home, check=True, capture_output=True
        ).stdout
        if words.encode() in content:
            found.append(name)
    place = home / ".git" if (home / ".git").exists() else home
    return found + [
        str(each) for each in place.rglob("*") if each.is_file() and words.encode() in each.read_bytes()
    ]
